"""Shapes of tensors, control flow, and what `keras.ops` offers besides arithmetic."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.keras.tensors.dtypes import promote, standardize
from cutaway.knowledge.keras.tensors.tensor import KerasTensor, Tensor, convert, new
from cutaway.knowledge.keras.tensors.tree import flatten, map_structure


@row("keras.ops.shape", "keras.src.ops.shape", "keras.src.backend.shape", "keras.src.ops.core.shape")
def shape(x: Any) -> Any:
    """Return the sizes as a tuple; those that are left open are symbols, to compute with."""
    if isinstance(x, Unknown):
        raise Undecidable(x)
    made = convert(x)
    if isinstance(made._shape, Unknown):
        raise Undecidable(made._shape)
    return tuple(made._shape)


@row("keras.ops.ndim", "keras.src.ops.ndim", "keras.backend.ndim")
def ndim(x: Any) -> int:
    return len(shape(x))


@row("keras.ops.size", "keras.src.ops.size")
def size(x: Any) -> Any:
    total: Any = 1
    for extent in shape(x):
        total = total * extent
    return total


@row("keras.ops.dtype", "keras.backend.dtype")
def dtype_of(x: Any) -> str:
    return str(convert(x)._dtype)


@row("keras.ops.is_tensor", "keras.src.ops.is_tensor", "keras.src.backend.is_tensor")
def is_tensor(x: Any) -> bool:
    return isinstance(x, Tensor) and not isinstance(x, KerasTensor)


@row(
    "keras.utils.is_keras_tensor",
    "keras.backend.is_keras_tensor",
    "keras.src.backend.is_keras_tensor",
    "keras.src.backend.common.keras_tensor.is_keras_tensor",
)
def is_keras_tensor(obj: Any) -> Any:
    return obj if isinstance(obj, Unknown) else isinstance(obj, KerasTensor)


@row("keras.backend.standardize_dtype", "keras.utils.standardize_dtype", "keras.src.backend.standardize_dtype")
def standardize_dtype(dtype: Any) -> str:
    return str(standardize(dtype))


@row("keras.backend.result_type", "keras.src.backend.result_type")
def result_type(*dtypes: Any) -> str:
    return str(promote(*dtypes))


@row("keras.backend.backend", "keras.config.backend", "keras.src.backend.backend")
def backend() -> str:
    """Return the backend that is assumed."""
    session.current().assume("the backend of Keras is TensorFlow")
    return "tensorflow"


@row("keras.ops.convert_to_numpy", "keras.src.ops.convert_to_numpy", "keras.src.backend.convert_to_numpy")
def convert_to_numpy(x: Any) -> Any:
    return x.numpy() if isinstance(x, Tensor) else x


def chosen(pred: Any, first: Any, second: Any, name: str) -> Any:
    """Return what a branch gives; both are followed where the condition is not known, and must agree in shape."""
    try:
        taken = bool(pred)
    except Undecidable:
        left, right = first(), second()
        return map_structure(lambda a, b: _either(a, b, name), left, right)
    return first() if taken else second()


def _either(left: Any, right: Any, name: str) -> Any:
    if isinstance(left, Tensor) and isinstance(right, Tensor) and left._shape == right._shape:
        return left
    if left is None and right is None:
        return None
    return Unknown(f"which branch of {name} is taken depends on numbers in tensors", session.current().place())


@row("keras.ops.cond", "keras.src.ops.cond")
def cond(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    return chosen(pred, true_fn, false_fn, "cond")


@row("keras.ops.while_loop", "keras.src.ops.while_loop")
def while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None) -> Any:
    """Follow the body once: what keeps its shape is known after any number of rounds."""
    return looped(body, loop_vars)


def looped(body: Any, loop_vars: Any) -> Any:
    """Return loop variables after a number of rounds that is not known."""
    single = not isinstance(loop_vars, (list, tuple))
    before = [loop_vars] if single else list(loop_vars)
    after = body(*before)
    after = [after] if single else list(after)
    return map_structure(_steady, before, after) if not single else _steady(before[0], after[0])


def _steady(before: Any, after: Any) -> Any:
    if isinstance(before, Tensor) and isinstance(after, Tensor) and before._shape == after._shape:
        return after
    if isinstance(before, (int, float)) or isinstance(after, Unknown):
        return Unknown("a value that a loop changes as often as numbers in tensors say", session.current().place())
    return Unknown("a loop changes the shape of a tensor", session.current().place())


@row("keras.ops.fori_loop", "keras.src.ops.fori_loop")
def fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any) -> Any:
    if isinstance(lower, int) and isinstance(upper, int) and upper - lower <= 1000:
        value = init_val
        for index in range(lower, upper):
            session.current().tick()
            value = body_fun(index, value)
        return value
    return map_structure(_steady, init_val, body_fun(lower, init_val))


@row("keras.ops.custom_gradient", "keras.src.ops.custom_gradient")
def custom_gradient(f: Any) -> Any:
    return f


@row("keras.ops.vectorized_map", "keras.src.ops.vectorized_map", "keras.ops.map", "keras.src.ops.map")
def vectorized_map(function: Any, elements: Any) -> Any:
    """Apply a function to each element along the first dimension."""
    if not callable(function):
        function, elements = elements, function
    first = map_structure(lambda t: convert(t)[0], elements)  # type: ignore[index]
    extent = shape(flatten(elements)[0])[0]

    def whole(x: Any) -> Any:
        x = convert(x)
        return new((extent, *x._shape), x._dtype)

    return map_structure(whole, function(first))


@row("keras.ops.switch", "keras.src.ops.switch")
def switch(index: Any, branches: Any, *operands: Any) -> Any:
    if isinstance(index, int):
        return branches[max(0, min(index, len(branches) - 1))](*operands)
    made = [branch(*operands) for branch in branches]
    found = made[0]
    for other in made[1:]:
        found = map_structure(lambda a, b: _either(a, b, "switch"), found, other)
    return found


@row("keras.ops.scan", "keras.src.ops.scan")
def scan(f: Any, init: Any, xs: Any = None, length: Any = None, reverse: bool = False, unroll: Any = 1) -> Any:
    """Follow one step: the carried value must keep its shape, and what comes out is stacked."""
    extent = shape(flatten(xs)[0])[0] if xs is not None else length
    step = None if xs is None else map_structure(lambda t: convert(t)[0], xs)  # type: ignore[index]
    carry, out = f(init, step)

    def whole(x: Any) -> Any:
        x = convert(x)
        return new((extent, *x._shape), x._dtype)

    return map_structure(_steady, init, carry), None if out is None else map_structure(whole, out)
