"""Will it fit: the memory that a network takes to run and to train, by element type and optimizer."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.core.architecture import Architecture, Op
from cutaway.core.dtype import KINDS
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Dim, Size
from cutaway.passes.cost import Figure, byte_size, elements, measure, was_followed
from cutaway.passes.example_sizes import at
from cutaway.passes.liveness import lifetimes, peak
from cutaway.passes.saved_for_backward import saved_tensors

BITS = {"fp32": 32, "bf16": 16, "fp16": 16, "int8": 8, "int4": 4}
"""The element types that weights may be stored in, with the bits of a number."""

TRAINABLE = ("fp32", "bf16", "fp16")
STATES = {"sgd": 0, "momentum": 1, "adam": 2}
"""Optimizers, with the numbers that each keeps for a trainable parameter."""

FLOATS = ("float32", "float64", "float16", "bfloat16")


@dataclass(frozen=True, slots=True)
class Amount:
    """Bytes; `exact` is False where a part is unknown, so that it is at least that."""

    bytes: int = 0
    exact: bool = True

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.bytes + other.bytes, self.exact and other.exact)


@dataclass(frozen=True, slots=True)
class Memory:
    """What a network takes with one element type: to run, and to train (None where that type is not trained in)."""

    dtype: str
    weights: Amount
    activations: Amount
    cache: Amount | None
    gradients: Amount | None
    states: Amount | None
    kept: Amount | None

    @property
    def inference(self) -> Amount:
        """All that is needed at once to run it."""
        return self.weights + self.activations + (self.cache or Amount())

    @property
    def training(self) -> Amount | None:
        """All that is needed at once to train it, but for the gradients of activations."""
        if self.gradients is None or self.states is None or self.kept is None:
            return None
        return self.weights + self.gradients + self.states + self.kept


def estimate(
    running: Architecture,
    trained: Architecture | None,
    sizes: Mapping[str, int],
    *,
    dtype: str,
    optimizer: str = "adam",
    context: int | None = None,
) -> Memory:
    """Return the memory of a network; `trained` is the same one in training mode, if that is known."""
    bits = BITS[dtype]
    half = 32 if bits == 32 else 16  # what activations are computed in: numbers of fewer bits are for weights
    cache = cached_tokens(running, sizes)
    is_trained = dtype in TRAINABLE and trained is not None
    trainable = _of(measure(running)[""].trainable_parameters, sizes)
    kept = Amount()
    if is_trained and trained is not None:
        for each in saved_tensors(trained):
            kept += _cast(_at(each.bytes, sizes), half)
        if not was_followed(trained):
            kept = Amount(kept.bytes, False)
    return Memory(
        dtype,
        _weights(running, sizes, bits),
        _peak(running, sizes, half),
        None if context is None or cache is None else _cast(Amount(cache.bytes * context * 4, cache.exact), half),
        Amount(trainable.bytes * bits // 8, trainable.exact) if is_trained else None,
        Amount(trainable.bytes * bits // 8 * STATES[optimizer], trainable.exact) if is_trained else None,
        kept if is_trained else None,
    )


def peak_activations(architecture: Architecture, sizes: Mapping[str, int]) -> Amount:
    """Return the memory of results that are needed at once, at most, as the program computes them."""
    return _peak(architecture, sizes, None)


def _peak(architecture: Architecture, sizes: Mapping[str, int], bits: int | None) -> Amount:
    spans = []
    exact = was_followed(architecture)
    for each in lifetimes(architecture):
        value = architecture.ops[each.start].outputs[each.output]
        amount = _cast_from(_at(byte_size(value.shape, value.dtype), sizes), value.dtype, bits)
        exact &= amount.exact
        spans.append((each.start, each.stop, amount.bytes))
    for number, op in enumerate(architecture.ops):
        for temporary in op.temporaries:
            amount = _cast_from(_at(byte_size(temporary.shape, temporary.dtype), sizes), temporary.dtype, bits)
            exact &= amount.exact
            spans.append((number, number, amount.bytes))
    most, _ = peak(spans, len(architecture.ops))
    return Amount(most, exact)


def cached_tokens(architecture: Architecture, sizes: Mapping[str, int]) -> Amount | None:
    """Return how many numbers the keys and values of one token are, over all layers; None without attention.

    Keys that are repeated for several heads are counted as the layer computes them.
    """
    made = {value.name: op for op in architecture.ops for value in op.outputs}
    total = Amount()
    found = False
    for op in architecture.ops:
        if op.op.rpartition(".")[2] != "scaled_dot_product_attention" or len(op.inputs) < 3:
            continue
        found = True
        for value in op.inputs[1:3]:
            shape = value.shape
            if shape is None or len(shape) < 3:
                total += Amount(0, False)
                continue
            width = _at(elements((*shape[1:-2], shape[-1])), sizes)
            projected = _projected(made.get(value.name), made)
            if projected is not None:
                narrow = _at(projected, sizes)
                width = narrow if narrow.exact and narrow.bytes < width.bytes else width
            times = _at(op.repeat, sizes)
            total += Amount(width.bytes * times.bytes, width.exact and times.exact)
    return total if found else None


def _projected(op: Op | None, made: Mapping[str, Op]) -> Size | None:
    """Return the width of the linear layer that keys or values come from, through views and rotations."""
    for _ in range(64):
        if op is None or not op.inputs:
            return None
        if op.op.rpartition(".")[2] in ("linear", "addmm", "matmul") and op.outputs:
            shape = op.outputs[0].shape
            return shape[-1] if shape else None
        op = next((made[value.name] for value in op.inputs if value.name in made), None)
    return None


def _weights(architecture: Architecture, sizes: Mapping[str, int], bits: int) -> Amount:
    total = Amount()
    for weight in architecture.weights:
        if weight.tied_to is not None:
            continue
        count = _at(elements(weight.shape), sizes)
        repeat = _at(weight.repeat, sizes)
        kind = KINDS.get(weight.dtype) if weight.dtype else None
        if kind is None:
            total += Amount(0, False)
            continue
        number = count.bytes * repeat.bytes
        is_cast = weight.dtype in FLOATS and (weight.kind != "buffer" or bits >= 16)
        total += Amount(-(-number * bits // 8) if is_cast else number * kind.bytes, count.exact and repeat.exact)
    return total if architecture.weights else Amount()


def _cast(amount: Amount, bits: int) -> Amount:
    """Return what 32-bit numbers take with other bits."""
    return Amount(amount.bytes * bits // 32, amount.exact)


def _cast_from(amount: Amount, dtype: str | None, bits: int | None) -> Amount:
    """Return what numbers of an element type take with other bits, if they are not whole."""
    if bits is None or dtype not in FLOATS:
        return amount
    return Amount(amount.bytes * bits // (KINDS[dtype].bytes * 8), amount.exact)


def _of(figure: Figure, sizes: Mapping[str, int]) -> Amount:
    amount = _at(figure.least, sizes)
    return Amount(amount.bytes, amount.exact and figure.exact)


def _at(size: Size | None, sizes: Mapping[str, int]) -> Amount:
    number = at(size, sizes) if isinstance(size, (int, Dim)) else None
    return Amount(0, False) if number is None else Amount(number)
