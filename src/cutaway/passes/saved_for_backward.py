"""What training keeps of the forward pass: the results that the gradients of operations are computed from."""

from __future__ import annotations

from cutaway.core.architecture import Architecture, Op, Value
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Size
from cutaway.passes.cost import byte_size
from cutaway.passes.liveness import shared_memory

FIRST, SECOND, OTHERS, ALL, RESULT = "first input", "second input", "other inputs", "all inputs", "result"

_SAVED = {
    FIRST: "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d linear layer_norm batch_norm group_norm "
    "instance_norm rms_norm gelu silu hardswish hardsigmoid mish softplus softsign leaky_relu relu6 hardtanh log log2 log10 "
    "log1p abs pow var std norm avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d adaptive_avg_pool1d "
    "adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d clamp clamp_min clamp_max square sin cos "
    "erf amax amin logsigmoid normalize threshold hardshrink softshrink where masked_fill_ cumprod prod atan glu tanhshrink logit",
    SECOND: "masked_fill gather scatter index_select index_add index_copy embedding take_along_dim",
    OTHERS: "matmul bmm mm baddbmm addmm addbmm mv dot einsum mul div mul_ div_ true_divide multiply divide lerp outer tensordot addcmul",
    ALL: "scaled_dot_product_attention maximum minimum atan2 prelu cross_entropy mse_loss smooth_l1_loss l1_loss nll_loss "
    "binary_cross_entropy binary_cross_entropy_with_logits kl_div bilinear grid_sample cdist cosine_similarity hypot fmod",
    RESULT: "relu sigmoid tanh softmax log_softmax exp expm1 sqrt rsqrt elu selu celu reciprocal norm std amax amin tan "
    "scaled_dot_product_attention logsumexp",
}
_KEPT = {kind: frozenset(names.split()) for kind, names in _SAVED.items()}
_NOTHING = frozenset(
    (
        "add sub rsub neg cat concat stack hstack vstack dstack reshape view permute transpose swapaxes flatten contiguous sum mean "
        "expand repeat unsqueeze squeeze clone to pad chunk split roll unbind interpolate upsample pixel_shuffle pixel_unshuffle "
        "channel_shuffle dropout dropout1d dropout2d dropout3d alpha_dropout feature_dropout getitem __getitem__ movedim unflatten t "
        "select narrow float half double bfloat16 type type_as zero_pad2d either tile repeat_interleave flip avg_pool1d cumsum "
        "tril triu diagonal diag_embed unfold fold floor ceil round trunc sign detach expand_as view_as reshape_as broadcast_to "
        "adjoint mT __rdiv__ fill_ zero_ copy_ index_fill masked_scatter"
    ).split()
)
"""Operations that keep none of their inputs and results, but for indices and masks."""

_IN_PLACE_BY_RESULT = frozenset(("leaky_relu", "threshold"))
"""Operations whose gradient is computed from the result where they are done in place, and from the input otherwise."""

_ADAPTIVE = frozenset(("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"))
_WITHOUT_GRADIENT = frozenset("detach argmax argmin".split())


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept: a result by its name, or numbers of an operation's own, with their bytes; None where unknown."""

    name: str
    bytes: Size | None


def saved_tensors(architecture: Architecture) -> list[Kept]:
    """Return what training keeps until the backward pass: each memory once, without weights and inputs."""
    saved = _Saved(architecture)
    for at, op in enumerate(architecture.ops):
        saved.add(at, op)
    return [Kept(name, size) for name, size in saved.kept.items()]


class _Saved:
    """What is kept so far, and the values that gradients are computed for."""

    def __init__(self, architecture: Architecture) -> None:
        self.holds = shared_memory(architecture)
        self.sizes: dict[str, Size | None] = {}
        self.kept: dict[str, Size | None] = {}
        self.learns = {weight.name for weight in architecture.weights if weight.trainable}

    def add(self, at: int, op: Op) -> None:
        """Keep what the gradient of an operation is computed from."""
        for value in op.outputs:
            if self.holds[value.name] == (value.name,):
                self.sizes[value.name] = byte_size(value.shape, value.dtype)
        last = op.op.rpartition(".")[2]
        name = last if last in _NOTHING or last.startswith("__") else last.rstrip("_")
        if not any(value.name in self.learns for value in op.inputs) or not _has_gradient(op, name):
            return
        self.learns.update(value.name for value in op.outputs)
        in_place = not op.allocates and name not in _NOTHING
        self._keep_inputs(at, op, name, in_place)
        if name in _KEPT[RESULT] or (in_place and name in _IN_PLACE_BY_RESULT):
            for value in op.outputs:
                self._keep(value)
        for number, each in enumerate(op.temporaries):
            if each.kept and each.copies is None:
                self.kept[f"temporary {at}.{number}"] = byte_size(each.shape, each.dtype)
        if op.allocates and not any(name in names for names in (*_KEPT.values(), _NOTHING)):
            self.kept[f"{name} {at}"] = None  # what it keeps is not known

    def _keep_inputs(self, at: int, op: Op, name: str, in_place: bool) -> None:
        """Keep inputs, or the copies that an operation makes of them."""
        copies = [each for each in op.temporaries if each.copies is not None]
        for number, value in enumerate(self._inputs(op, name, in_place)):
            copy = next((each for each in copies if each.copies == value.name), None)
            if in_place and value.name == op.inputs[0].name:
                self.kept[f"copy {at}"] = byte_size(value.shape, value.dtype)  # of what it changes
            elif copy is None:
                self._keep(value)
            else:
                copies.remove(copy)
                self.kept[f"copy {at}.{number}"] = byte_size(copy.shape, copy.dtype)

    def _keep(self, value: Value) -> None:
        for memory in self.holds.get(value.name, ()):
            self.kept[memory] = self.sizes[memory]

    def _inputs(self, op: Op, name: str, in_place: bool) -> list[Value]:
        """Return the inputs that the gradient of an operation is computed from."""
        if in_place and name in _IN_PLACE_BY_RESULT:
            return []
        if _is_linear(op, name):
            return []
        if name in _KEPT[ALL]:
            return list(op.inputs)
        if name in _KEPT[OTHERS]:
            learning = [number for number, value in enumerate(op.inputs) if value.name in self.learns]
            return [value for number, value in enumerate(op.inputs) if any(other != number for other in learning)]
        if name in _KEPT[SECOND]:
            return list(op.inputs[1:2])
        return list(op.inputs[:1]) if name in _KEPT[FIRST] else []


def _has_gradient(op: Op, name: str) -> bool:
    """Tell whether gradients go through an operation: to numbers that are not whole, computed from its inputs."""
    if name in _WITHOUT_GRADIENT or name.startswith("new_") or name.endswith("_like"):
        return False
    dtypes = [value.dtype for value in op.outputs]
    return any(dtype is None or dtype.startswith(("float", "bfloat", "complex")) for dtype in dtypes)


def _is_linear(op: Op, name: str) -> bool:
    """Tell whether an operation is linear here, so that its gradient needs no numbers, though others of its name do."""
    if name == "lerp":
        return len(op.inputs) < 3  # by a fixed share
    if name not in _ADAPTIVE or not op.outputs or op.outputs[0].shape is None:
        return False
    return all(size == 1 for size in op.outputs[0].shape[-int(name[-2]) :])  # the mean of each channel
