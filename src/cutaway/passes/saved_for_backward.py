"""What training keeps of the forward pass: the results that the gradients of operations are computed from."""

from __future__ import annotations

from cutaway.core.architecture import Architecture, Op, Value
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Size
from cutaway.passes.cost import byte_size
from cutaway.passes.liveness import shared_memory

FIRST, ALL, RESULT = "first input", "all inputs", "result"

_SAVED = {
    FIRST: "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d linear layer_norm batch_norm group_norm "
    "instance_norm rms_norm gelu silu hardswish hardsigmoid mish softplus leaky_relu relu6 hardtanh log abs pow var std norm "
    "avg_pool2d adaptive_avg_pool2d adaptive_avg_pool1d max_pool2d max_pool1d adaptive_max_pool2d clamp square sin cos prelu "
    "cumsum amax amin max min logsigmoid interpolate_nearest normalize",
    ALL: "matmul bmm mm baddbmm addmm einsum mul div mul_ div_ where scaled_dot_product_attention multi_head_attention_forward "
    "maximum minimum atan2 lerp",
    RESULT: "relu sigmoid tanh softmax log_softmax exp sqrt rsqrt elu selu celu relu_ sigmoid_ tanh_ reciprocal "
    "scaled_dot_product_attention",
}
_KEPT = {kind: frozenset(names.split()) for kind, names in _SAVED.items()}
_NOTHING = frozenset(
    (
        "add sub neg cat stack reshape view permute transpose flatten contiguous sum mean expand repeat unsqueeze squeeze clone to "
        "pad chunk split roll unbind interpolate upsample pixel_shuffle channel_shuffle dropout add_ sub_ embedding __getitem__ "
        "movedim unflatten t select narrow index_select masked_fill getitem float half type_as zero_pad2d either stochastic_depth "
        "rsub tile repeat_interleave flip"
    ).split()
)
"""Operations that keep none of their inputs and results, but for indices and masks."""

_STATISTICS = {"layer_norm": 2, "rms_norm": 1}
"""Numbers of each row that are kept beside the input."""

_INDICES = ("max_pool2d", "max_pool1d", "adaptive_max_pool2d")
"""Operations that keep where each result comes from, as 64-bit integers."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept: a result by its name, or numbers of an operation's own, with their bytes; None where unknown."""

    name: str
    bytes: Size | None


def saved_tensors(architecture: Architecture) -> list[Kept]:
    """Return what training keeps until the backward pass: each memory once, without weights and inputs."""
    holds = shared_memory(architecture)
    sizes: dict[str, Size | None] = {}
    kept: dict[str, Size | None] = {}

    def keep(value: Value) -> None:
        for memory in holds.get(value.name, ()):
            kept[memory] = sizes[memory]

    learns = {
        weight.name for weight in architecture.weights if weight.trainable
    }  # values that gradients are computed for
    for at, op in enumerate(architecture.ops):
        for value in op.outputs:
            if holds[value.name] == (value.name,):
                sizes[value.name] = byte_size(value.shape, value.dtype)
        name = op.op.rpartition(".")[2]
        if not any(value.name in learns for value in op.inputs):
            continue
        learns.update(value.name for value in op.outputs)
        if name in _KEPT[FIRST]:
            keep(op.inputs[0])
        if name in _KEPT[ALL]:
            for number, value in enumerate(op.inputs):
                if any(other.name in learns for at_other, other in enumerate(op.inputs) if at_other != number):
                    keep(value)
        if name in _KEPT[RESULT]:
            for value in op.outputs:
                keep(value)
        if op.allocates and not any(name in names for names in (*_KEPT.values(), _NOTHING)):
            kept[f"{name} {at}"] = None  # what it keeps is not known
        for own, size in _own(op, name, at):
            kept[own] = size
    return [Kept(name, size) for name, size in kept.items()]


def _own(op: Op, name: str, at: int) -> list[tuple[str, Size | None]]:
    """Return what an operation keeps that is no result: indices, statistics, masks."""
    if not op.outputs:
        return []
    shape = op.outputs[0].shape
    if name in _KEPT[FIRST] and not op.allocates:
        return [(f"copy {at}", byte_size(shape, op.outputs[0].dtype))]  # what it changes in place is copied before
    if name in _INDICES:
        return [(f"indices {at}", byte_size(shape, "int64"))]
    if name in _STATISTICS and shape:
        return [(f"statistics {at}", _scaled(byte_size(shape[:-1], "float32"), _STATISTICS[name]))]
    if name == "batch_norm" and op.attributes.get("training") and shape is not None and len(shape) > 1:
        return [(f"statistics {at}", _scaled(byte_size((shape[1],), "float32"), 2))]
    if name == "dropout" and op.attributes.get("training") and op.attributes.get("p") != 0:
        return [(f"mask {at}", byte_size(shape, op.outputs[0].dtype))]
    if name == "scaled_dot_product_attention" and shape:
        return [(f"statistics {at}", byte_size(shape[:-1], "float32"))]
    return []


def _scaled(size: Size | None, factor: int) -> Size | None:
    return None if size is None else size * factor
