"""Rows for `tensor[index]` and `tensor[index] = value`, and what an index may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.core.fault import Fault, IndexFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Dim, equal, product, unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.values import Lazy, exact
from cutaway.knowledge.torch.tensor.op import Out, compute, inplace_op, op
from cutaway.knowledge.torch.tensor.tensor import Tensor, strides_of
from cutaway.ops import layout
from cutaway.ops.elementwise import expands_to
from cutaway.ops.index import Mask, Plan, Positions, plan
from cutaway.ops.reshape import integer, text

_MASKS = ("bool", "uint8")
_POSITIONS = ("int64", "int32")


class Literal:
    """A list or a foreign array used as an index."""

    def __init__(self, shape: tuple[int, ...], boolean: bool, flat: list[Any]) -> None:
        self.shape = shape
        self.boolean = boolean
        self.flat = flat
        self.fixed = all(isinstance(v, (int, float)) for v in flat)

    def lazy(self) -> Lazy | None:
        """Return the numbers, if all are known."""
        if not self.fixed:
            return None
        flat, shape, boolean = exact(self.flat), self.shape, self.boolean
        return Lazy(lambda np: np.array(flat, dtype=bool if boolean else "int64").reshape(shape))


def literal(value: Any) -> Literal:
    """Read nested sequences of numbers."""
    if hasattr(value, "tolist") and hasattr(value, "dtype") and not isinstance(value, Tensor):
        shape = tuple(value.shape)
        return Literal(shape, value.dtype.kind == "b", value.reshape(-1).tolist())
    flat: list[Any] = []
    shape = _gather(value, flat)
    boolean = bool(flat) and all(isinstance(v, bool) for v in flat)
    return Literal(shape, boolean, flat)


def _gather(value: Any, flat: list[Any]) -> tuple[int, ...]:
    if isinstance(value, (list, tuple, range)):
        shapes = {_gather(v, flat) for v in value}
        if len(shapes) > 1:
            raise IndexFault(f"index: the rows of a list have different lengths: {value}", FaultCode.RAGGED_DATA)
        return (len(value), *next(iter(shapes), ()))
    if isinstance(value, Tensor):
        if value.shape:
            raise IndexFault(
                "index: a list of positions holds a tensor with several elements", FaultCode.INVALID_ARGUMENT
            )
        value = value.array().item() if value.values_ is not None else Unknown("a number in a tensor")
    elif not isinstance(value, (int, float, Dim, Unknown)):
        value = integer(value, "index")
    flat.append(value)
    return ()


def items_of(key: Any) -> list[Any]:
    """Return the parts of what stands between the brackets."""
    if isinstance(key, tuple):
        return list(key)
    # As in old numpy, a list that holds anything but numbers is a tuple.
    if isinstance(key, list) and len(key) < 32 and any(map(_structures, key)):
        return key
    return [key]


def _structures(part: Any) -> bool:
    return part is None or part is Ellipsis or isinstance(part, (Tensor, list, tuple, range, slice))


def read(key: Any) -> tuple[list[Any], list[Any]]:
    """Return the items as the shape rule takes them, and the operands that hold their numbers."""
    items, operands = [], []
    for part in items_of(key):
        item, operand = _read_part(part)
        items.append(item)
        operands.append(operand)
    return items, operands


def _read_part(part: Any) -> tuple[Any, Any]:
    if part is None or part is Ellipsis:
        return part, None
    if isinstance(part, bool):
        return Mask((), int(part)), part
    if isinstance(part, (int, Dim)):
        return part, None
    if isinstance(part, slice):
        return slice(*(_end(e) for e in (part.start, part.stop, part.step))), None
    if isinstance(part, Unknown):
        raise Undecidable(part)
    if isinstance(part, Tensor):
        return _read_tensor(part)
    if isinstance(part, (list, tuple, range)) or (hasattr(part, "tolist") and part.shape):
        made = literal(part)
        if made.boolean:
            return Mask(made.shape, sum(made.flat)), made
        return Positions(made.shape), made
    if isinstance(part, (float, str)) or not hasattr(part, "__index__"):
        raise IndexFault(
            f"only integers, slices, `...`, None, lists and integer or bool tensors index a tensor, "
            f"not {type(part).__name__}",
            FaultCode.WRONG_TYPE,
        )
    return integer(part, "index"), None


def _end(end: Any) -> Any:
    if end is None or isinstance(end, (int, Dim, Unknown)):
        return end
    try:
        return integer(end, "index: an end of a slice")
    except Undecidable as undecidable:
        return undecidable.unknown


def _read_tensor(part: Tensor) -> tuple[Any, Any]:
    name, shape = part.dtype.name, part.shape
    if isinstance(shape, Unknown):
        raise Undecidable(shape)
    if name in _MASKS:
        count = unknown_size() if part.values_ is None else int((part.array() != 0).sum())
        return Mask(tuple(shape), count), part
    if not shape and not (part.dtype.is_floating_point or part.dtype.is_complex):
        return (unknown_size() if part.values_ is None else int(part)), None
    if name not in _POSITIONS:
        raise IndexFault(
            f"tensors used as indices must be int64, int32, uint8 or bool, but got {part.dtype}",
            FaultCode.UNSUPPORTED_DTYPE,
        )
    return Positions(tuple(shape)), part


def check_numbers(index: Any, extent: Any, dim: int, name: str, negative: bool = True) -> None:
    """Raise where a known number in an array of positions is outside of its dimension.

    `negative` tells whether positions may count from the end.
    """
    if isinstance(index, Literal):
        numbers = index.flat if index.fixed else []
        low, high = (min(numbers), max(numbers)) if numbers else (0, -1)
    elif isinstance(index, Tensor) and index.values_ is not None and isinstance(extent, int):
        array = index.array()
        low, high = (int(array.min()), int(array.max())) if array.size else (0, -1)
    else:
        return
    least = -extent if negative else 0
    if isinstance(extent, int) and low <= high and (low < least or high >= extent):
        bad = low if low < least else high
        raise IndexFault(
            f"{name}: index {bad} is out of bounds for dimension {dim} with size {extent}", FaultCode.INDEX_OUT_OF_RANGE
        )


def planned(shape: Any, key: Any) -> tuple[Plan, list[Any] | None]:
    """Return how an index is applied and the operands of its arrays; None if they are not known."""
    items, operands = read(key)
    made = plan(shape, items)
    arrays: list[Any] = []
    # Positions are looked at if there is a result, and if there are positions but none in the dimension.
    solid = equal(product(made.shape), 0) is False
    reads = all(equal(_count(items[n]), 0) is False for n in made.advanced.values())
    for dim, number in made.advanced.items():
        if isinstance(items[number], Positions) and (solid or (reads and equal(made.extents[dim], 0) is True)):
            check_numbers(operands[number], made.extents[dim], dim, "index")
        arrays.append(operands[number])
    return made, arrays if _fixed(made.basic) else None


def _count(item: Mask | Positions) -> Any:
    return item.count if isinstance(item, Mask) else product(item.shape)


def _fixed(basic: Sequence[Any]) -> bool:
    ends = [e for b in basic for e in ((b.start, b.stop, b.step) if isinstance(b, slice) else (b,))]
    return all(e is None or isinstance(e, int) for e in ends)


def _apply(np: Any, array: Any, made: Plan, arrays: Sequence[Any]) -> tuple[Any, tuple[Any, ...]]:
    """Return the view that the basic part gives and the index that the advanced part is."""
    whole = (*made.basic, ...)
    basic = array[whole]
    if not made.advanced:
        return basic, (Ellipsis,)
    index: list[Any] = []
    for dim, array_index in zip(made.advanced, arrays):
        index += [slice(None)] * (dim - len(index))
        if isinstance(array_index, bool) or array_index.dtype.name in _MASKS:
            array_index = np.asarray(array_index).astype(bool)
            index += [np.flatnonzero(array_index)] if not array_index.ndim else np.nonzero(array_index)
        else:
            index.append(array_index)
    return basic, tuple(index)


def _operands(arrays: Sequence[Any]) -> list[Any]:
    found = [a.lazy() if isinstance(a, Literal) else a for a in arrays]
    return [Unknown("a position that is not known") if a is None else a for a in found]


@op("torch.Tensor.__getitem__")
def getitem(self, key):
    made, arrays = planned(self.shape, key)
    values = None
    if equal(product(made.shape), 0) is True:
        values = compute(lambda np, a: a.reshape(-1)[:0], self)
    elif arrays is not None:

        def apply(np: Any, a: Any, *indices: Any) -> Any:
            basic, advanced = _apply(np, a, made, indices)
            return basic[advanced]

        simple = len(made.basic) == 1 and not made.advanced and isinstance(made.basic[0], (int, slice))
        values = compute(apply, self, *_operands(arrays), listed=(lambda a: a[made.basic[0]]) if simple else None)
    strides = None if made.advanced else layout.sliced(made.basic, self.shape, strides_of(self))
    return Out(made.shape, self.dtype, values, view=not made.advanced, strides=strides)


@inplace_op("torch.Tensor.__setitem__")
def setitem(self, key, value):
    if key is False:
        return None
    if isinstance(self.shape, Unknown):
        return Out(self.shape, self.dtype)
    try:
        made, arrays = planned(self.shape, key)
    except Undecidable:
        return Out(self.shape, self.dtype)
    if isinstance(value, Tensor):
        _check_value(self, made, value)
        if not isinstance(key, bool):
            _check_dtype(self, made, arrays, value)
    elif isinstance(value, (list, tuple, str, dict)) or value is None or _is_array(value):
        raise TypeFault(f"can't assign a {type(value).__name__} to a tensor of {self.dtype}", FaultCode.WRONG_TYPE)
    if arrays is None:
        return Out(self.shape, self.dtype)
    return Out(self.shape, self.dtype, _assigned(self, made, arrays, value))


def _is_array(value: Any) -> bool:
    return hasattr(value, "tolist") and hasattr(value, "flags") and type(value).__name__ == "ndarray"


def _check_value(target: Any, made: Plan, value: Tensor) -> None:
    shape = value.shape
    if isinstance(shape, Unknown):
        return
    while shape and equal(shape[0], 1) is True:
        shape = shape[1:]
    if expands_to(shape, made.shape) is False:
        raise Fault(
            f"index: a value {text(value.shape)} cannot be broadcast to the indexed part {text(made.shape)} "
            f"of the tensor {text(target.shape)}",
            FaultCode.SHAPE_MISMATCH,
        )


def _check_dtype(target: Any, made: Plan, arrays: Sequence[Any] | None, value: Tensor) -> None:
    """Positions and masks write no other dtype, except one number under one mask."""
    if not made.advanced or target.dtype is value.dtype:
        return
    if len(made.advanced) == 1 and equal(product(value.shape), 1) is not False:
        (index,) = arrays or [None]
        if index is None or (not isinstance(index, bool) and index.shape and _is_mask(index)):
            return
    raise Fault(
        f"index: a value of {value.dtype} cannot be put into a tensor of {target.dtype}", FaultCode.DTYPE_MISMATCH
    )


def _is_mask(index: Any) -> bool:
    return index.boolean if isinstance(index, Literal) else index.dtype.name in _MASKS


def _assigned(target: Any, made: Plan, arrays: Sequence[Any], value: Any, add: bool = False) -> Lazy | None:
    """Return the numbers of the target after a part of it is overwritten or added to."""

    def apply(np: Any, a: Any, new: Any, *indices: Any) -> Any:
        copy = np.array(a)
        if 0 in made.shape:
            return copy
        basic, advanced = _apply(np, copy, made, indices)
        new = np.asarray(new)
        while new.ndim and new.shape[0] == 1:
            new = new[0]
        if add:
            np.add.at(basic, advanced, new)
        else:
            basic[advanced] = new
        return copy

    return compute(apply, target, value, *_operands(arrays))


def _put(input: Any, indices: Any, values: Any, accumulate: Any) -> Out:
    if isinstance(indices, Unknown):
        return Out(input.shape, input.dtype)
    indices = tuple(slice(None) if i is None else i for i in indices)
    made, arrays = planned(input.shape, indices)
    _check_value(input, made, values)
    _check_dtype(input, made, arrays, values)
    if arrays is None:
        return Out(input.shape, input.dtype)
    return Out(input.shape, input.dtype, _assigned(input, made, arrays, values, bool(accumulate)))


@op("torch.index_put", "torch.Tensor.index_put", inplace=True)
def index_put(input, indices, values, accumulate=False):
    return _put(input, indices, values, accumulate)
