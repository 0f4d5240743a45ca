"""Arrays of numpy whose shape and type are known, and whose numbers are not: random ones, images, data from files.

What a function of numpy makes of one follows a rule where sizes may be symbolic or many; anything else is asked of
numpy itself, with zeros in place of the numbers, of which only shape and type are kept.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NoReturn

import numpy

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.protocols import ARRAY, is_tensor
from cutaway.core.size.dim import equal, product, unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import own
from cutaway.knowledge.numpy.faults import fault_of
from cutaway.ops.elementwise import broadcast
from cutaway.ops.index import Mask, Positions, plan
from cutaway.ops.join import concatenate as joined
from cutaway.ops.reshape import reshape as reshaped

_LISTED = 1 << 12  # elements that `tolist` gives one by one


@ARRAY
class Array:
    """An array without its numbers. `shape` is Unknown where not even the number of dimensions is known."""

    __slots__ = ("dtype", "reason", "shape")
    shape: Any
    __array_ufunc__ = None  # numpy's own arrays leave their operators to this class
    without_numbers = True

    def __init__(
        self, shape: Any, dtype: Any = "float64", reason: str = "the numbers in an array are not known"
    ) -> None:
        self.shape = shape if isinstance(shape, Unknown) else tuple(shape)
        self.dtype = numpy.dtype(dtype)
        self.reason = reason

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return numpy.ndarray

    def unknown(self) -> Unknown:
        """Return what stands for one of the numbers."""
        return Unknown(self.reason, session.current().place(), kind=int if self.dtype.kind in "iu" else float)

    def __array__(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise Undecidable(self.unknown())

    def __bool__(self) -> NoReturn:
        raise Undecidable(self.unknown())

    __int__ = __float__ = __index__ = __complex__ = __contains__ = __array__

    @property
    def ndim(self) -> Any:
        return self.shape if isinstance(self.shape, Unknown) else len(self.shape)

    @property
    def size(self) -> Any:
        return self.shape if isinstance(self.shape, Unknown) else product(self.shape)

    @property
    def T(self) -> Array:
        return Array(self.shape if isinstance(self.shape, Unknown) else self.shape[::-1], self.dtype)

    @property
    def itemsize(self) -> Any:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> Any:
        return self.size * self.itemsize

    def __len__(self) -> int:
        return int(self._extent())

    def _extent(self) -> Any:
        if isinstance(self.shape, Unknown):
            raise Undecidable(self.shape)
        if not self.shape:
            raise TypeError("len() of unsized object")
        if not isinstance(self.shape[0], int):
            raise Undecidable(Unknown(f"the length {self.shape[0]} of an array is symbolic"))
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        for _ in range(self._extent()):
            session.current().tick()
            yield Array(self.shape[1:], self.dtype, self.reason)

    def __getitem__(self, key: Any) -> Any:
        return indexed(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write numbers: none are known before or after."""
        written = _shape_of(value)
        is_field = any(isinstance(item, str) for item in (key if isinstance(key, tuple) else (key,)))
        if written is None or is_field or isinstance(self.shape, Unknown) or isinstance(written[0], Unknown):
            return
        with suppress(Undecidable):  # it depends on an unknown index where it is written
            place = indexed(self, key).shape
            _found(lambda: _require_room(place, written[0]))

    def require_room_in(self, array: Any) -> None:
        """Raise where this result of an operator can't be written to an array."""
        if isinstance(array.shape, Unknown) or isinstance(self.shape, Unknown):
            return
        _found(lambda: _require_room(array.shape, self.shape, is_operator=True))
        if not numpy.can_cast(self.dtype, array.dtype, "same_kind"):
            text = f"numpy: a result of {self.dtype} can't be written to an array of {array.dtype} in place"
            _found(lambda: _raise(TypeFault(text, FaultCode.DTYPE_MISMATCH)))

    def __hash__(self) -> int:
        return id(self)

    def __copy__(self) -> Array:
        return Array(self.shape, self.dtype, self.reason)

    def __deepcopy__(self, memo: Any) -> Array:
        return self.__copy__()

    def __repr__(self) -> str:
        return f"array(shape={self.shape}, dtype={self.dtype})"

    def __format__(self, spec: str) -> str:
        return repr(self)

    def item(self, *_args: Any) -> Unknown:
        return self.unknown()

    def tolist(self) -> Any:
        if isinstance(self.shape, Unknown) or not isinstance(self.size, int) or self.size > _LISTED:
            return Unknown(self.reason, session.current().place())
        if not self.shape:
            return self.unknown()
        return [part.tolist() for part in self]

    def reshape(self, *sizes: Any, **named: Any) -> Any:
        return reshape(self, named.get("shape", named.get("newshape", sizes[0] if len(sizes) == 1 else sizes)))

    def transpose(self, *axes: Any) -> Any:
        return transpose(self, (axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes) or None)

    def astype(self, dtype: Any, *_args: Any, **_kwargs: Any) -> Any:
        return dtype if isinstance(dtype, Unknown) else Array(self.shape, dtype)

    def copy(self, *_args: Any, **_kwargs: Any) -> Array:
        return Array(self.shape, self.dtype)

    def ravel(self, *_args: Any, **_kwargs: Any) -> Array:
        return Array(self.shape if isinstance(self.shape, Unknown) else (self.size,), self.dtype)

    flatten = ravel

    def fill(self, value: Any) -> None:
        """Write numbers: none are known before or after."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(numpy.ndarray, name, None)
        if found is None or name.startswith("__"):
            raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")
        if not callable(found):
            return Unknown(f"{name} of an array whose numbers are not known", session.current().place())

        def method(*args: Any, **kwargs: Any) -> Any:
            return shapes_of_call(name, lambda array, *a, **k: getattr(array, name)(*a, **k), (self, *args), kwargs)

        return method


Array.__module__, Array.__qualname__ = "numpy", "ndarray"
own(Array)


def of_tensor(tensor: Any) -> Any:
    """Return the array of a framework's tensor whose numbers are not known."""
    reference = tensor.reference()
    try:
        return Array(reference.shape, reference.dtype, "the numbers in a tensor are not known")
    except TypeError:  # a type that numpy does not have
        return Unknown(f"numpy has no {reference.dtype}", session.current().place())


def of_unknown(unknown: Unknown) -> Any:
    """Return an array of which nothing is known but that it is one."""
    return Array(unknown, "float64", unknown.reason)


def _shape_of(value: Any) -> Any:
    """Return the shape and what stands for the type of an operand; None where it is no number and no array."""
    if type(value) is Array:
        return value.shape, numpy.ones((1,), value.dtype)
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return value.shape, numpy.ones((1,), value.dtype) if value.shape else value
    if isinstance(value, (bool, int, float, complex)):
        return (), 1.0 if type(value) is float else value
    if type(value) is Unknown and value.kind is not None:
        return (), value.kind(1)
    if isinstance(value, (list, tuple)):
        made = gathered(value)
        return None if made is None else (made.shape, numpy.ones((1,), made.dtype))
    return None


def elementwise(name: str, function: Callable[..., Any], *operands: Any) -> Any:
    """Return what a function makes of each element: a shape by broadcasting, a type that numpy tells."""
    found = [_shape_of(value) for value in operands]
    if any(pair is None for pair in found):
        return next((value for value in operands if type(value) is Unknown), NotImplemented)
    shapes = [pair[0] for pair in found]
    unknown = next((shape for shape in shapes if isinstance(shape, Unknown)), None)
    with numpy.errstate(all="ignore"):
        dtype = numpy.asarray(function(*(pair[1] for pair in found))).dtype
    return Array(unknown if unknown is not None else _together(name, shapes), dtype)


def _require_room(place: Any, written: Any, is_operator: bool = False) -> None:
    """Raise where what is written is larger than the place for it."""
    if isinstance(place, Unknown):
        return
    while not is_operator and len(written) > len(place) and equal(written[0], 1) is True:
        written = written[1:]
    aligned = zip(place[::-1], written[::-1])
    fits = len(written) <= len(place) and all(
        equal(there, size) is not False or equal(size, 1) is not False for there, size in aligned
    )
    if not fits:
        have, need = ("x".join(map(str, shape)) or "a number" for shape in (written, place))
        text = f"numpy: values of shape {have} are written to a place of shape {need}"
        raise ArgumentFault(text, FaultCode.SHAPE_MISMATCH)


def _raise(fault: Fault) -> NoReturn:
    raise fault


def _together(name: str, shapes: list[Any]) -> Any:
    return _found(lambda: broadcast(name, *shapes))


def _found(rule: Callable[[], Any]) -> Any:
    """Apply a rule; what does not fit is a fault of the program."""
    try:
        return rule()
    except Fault as fault:
        session.current().report(fault)
        raise


def gathered(values: Any) -> Any:
    """Return the array that a nested list of arrays and numbers makes; None where one of them is neither."""
    if not values:
        return Array((0,))
    parts = [_shape_of(value) for value in values]
    if any(part is None for part in parts):
        return None
    shapes = [part[0] for part in parts]
    unknown = next((shape for shape in shapes if isinstance(shape, Unknown)), None)
    if unknown is not None:
        return Array(unknown)
    if any(shape != shapes[0] for shape in shapes):
        return Array(Unknown("arrays of several shapes are put together", session.current().place()))
    return Array((len(parts), *shapes[0]), numpy.result_type(*(numpy.asarray(part[1]).dtype for part in parts)))


def reshape(array: Any, shape: Any, *_args: Any, **_kwargs: Any) -> Any:
    """`numpy.reshape`."""
    sizes = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    sizes = tuple(int(s) if isinstance(s, numpy.integer) else s for s in sizes)
    unknown = next((s for s in sizes if isinstance(s, Unknown)), None)
    if unknown is not None:
        return Array([unknown_size() if isinstance(s, Unknown) or s == -1 else s for s in sizes], array.dtype)
    if isinstance(array.shape, Unknown):
        return Array([unknown_size() if s == -1 else s for s in sizes], array.dtype)
    return Array(_found(lambda: reshaped(array.shape, sizes, "numpy.reshape")), array.dtype)


def transpose(array: Any, axes: Any = None) -> Any:
    """`numpy.transpose`."""
    if isinstance(array.shape, Unknown):
        return Array(array.shape, array.dtype)
    order = range(array.ndim)[::-1] if axes is None else [int(axis) for axis in axes]
    if sorted(axis % max(1, array.ndim) for axis in order) != list(range(array.ndim)):
        raise ValueError("axes don't match array")
    return Array([array.shape[axis] for axis in order], array.dtype)


def expand_dims(a: Any, axis: Any) -> Any:
    """`numpy.expand_dims`."""
    if isinstance(a.shape, Unknown):
        return Array(a.shape, a.dtype)
    axes = axis if isinstance(axis, (list, tuple)) else (axis,)
    rank = a.ndim + len(axes)
    places = {int(place) % rank for place in axes}
    left = iter(a.shape)
    return Array([1 if at in places else next(left) for at in range(rank)], a.dtype)


def concatenate(arrays: Any, axis: Any = 0, *_args: Any, **_kwargs: Any) -> Any:
    """`numpy.concatenate`."""
    parts = [part if type(part) is Array else Array(numpy.shape(part), numpy.asarray(part).dtype) for part in arrays]
    unknown = next((part.shape for part in parts if isinstance(part.shape, Unknown)), None)
    dtype = numpy.result_type(*(part.dtype for part in parts))
    if unknown is not None:
        return Array(unknown, dtype)
    return Array(_found(lambda: joined([p.shape for p in parts], axis % parts[0].ndim, "numpy.concatenate")), dtype)


def indexed(array: Any, key: Any) -> Any:
    """Return what an index picks; of a single number nothing is known but its type."""
    if isinstance(array.shape, Unknown):
        return Unknown(array.reason, session.current().place())
    items = key if isinstance(key, tuple) else (key,)
    if any(isinstance(item, str) for item in items):
        raise IndexError("only integers, slices, ellipsis, newaxis and arrays are valid indices")
    return Array(_found(lambda: plan(array.shape, [_item(item) for item in items], backwards=True).shape), array.dtype)


def _item(item: Any) -> Any:
    if type(item) is Unknown:
        if item.kind is int:
            return Positions(())
        raise Undecidable(item)
    if isinstance(item, (list, numpy.ndarray)) and type(item) is not Array:
        item = numpy.asarray(item)
    if isinstance(item, numpy.ndarray):
        if item.dtype.kind == "b":
            known = type(item) is not Array
            return Mask(tuple(item.shape), int(item.sum()) if known else unknown_size())
        return Positions(tuple(item.shape))
    return int(item) if isinstance(item, numpy.integer) else item


_RULES: dict[str, Callable[..., Any]] = {
    "reshape": reshape, "transpose": transpose, "expand_dims": expand_dims, "concatenate": concatenate,
    "concat": concatenate,
}  # fmt: skip
_AS_IS = frozenset("copy ascontiguousarray asfortranarray array asarray asanyarray astype".split())
_TELLING = frozenset("shape ndim size".split())
_VIEWING = frozenset(
    """swapaxes moveaxis rollaxis squeeze flip fliplr flipud rot90 atleast_1d atleast_2d atleast_3d diagonal split
    array_split hsplit vsplit dsplit matrix_transpose permute_dims""".split()
)
"""Functions that only look at an array in another way: they cost nothing however large it is."""
_FOLDING = frozenset(
    "sum mean max min amax amin any all std var argmax argmin prod median average ptp percentile quantile".split()
)
_KEEPING = frozenset(
    """cumsum cumprod sort argsort roll diff ediff1d gradient trace stack hstack vstack row_stack dstack column_stack
    tril triu zeros_like ones_like empty_like full_like broadcast_arrays partition argpartition pad linalg.norm clip
    round""".split()
)
_PAIRING = frozenset(
    """take take_along_axis dot matmul inner vdot outer kron tensordot cross append searchsorted allclose array_equal
    convolve correlate einsum""".split()
)
"""Functions of several arrays, of all of which only the shapes count."""
_SMALL = 1 << 22
_LARGE = 1 << 27


def shapes_of_call(name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Return the shape and type of what a function of numpy makes of arrays without numbers."""
    args, kwargs = _arrays(tuple(args)), _arrays(kwargs)
    rule = _RULES.get(name)
    if rule is not None:
        first = args[0] if args else None
        if isinstance(first, (list, tuple)) and rule is not concatenate:
            first = gathered(first)
        return _untold(name) if first is None else rule(first, *args[1:], **kwargs)
    if name in _AS_IS:
        return _made(args, kwargs)
    if name == "indexing":
        return indexed(*args) if len(args) == 2 else None
    if isinstance(function, type) and issubclass(function, numpy.generic):
        return _made(args, {"dtype": function})
    if _is_elementwise(name, function) or (name == "where" and len(args) == 3):
        result = elementwise(f"numpy.{name}", function, *args[:3])
        return _untold(name) if result is NotImplemented else result
    if name in _TELLING and type(args[0]) is Array:
        return getattr(args[0], name)
    return _of_stand_ins(name, function, args, kwargs)


def _of_stand_ins(name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Return the shape and type of what a function makes of arrays of the same shapes, whose numbers do not count."""
    held: list[Any] = []
    if name in _PAIRING:
        given, named = _stand_in(list(args), held), _stand_in(kwargs, held)
    elif name in _VIEWING or name in _FOLDING or name in _KEEPING:
        first = _stand_in(args[0], held)
        given = first if isinstance(first, Unknown) else [first, *args[1:]]
        named = kwargs
    else:
        return _untold(name)
    if isinstance(given, Unknown) or isinstance(named, Unknown) or _lacks_numbers([*given, *named.values()]):
        return _untold(name)
    if sum(array.size for array in held) > (_LARGE if name in _FOLDING or name in _VIEWING else _SMALL):
        return _untold(name)
    try:
        with numpy.errstate(all="ignore"):
            return _kept(function(*given, **named))
    except numpy.linalg.LinAlgError:
        return _untold(name)
    except Exception as error:
        raise fault_of(name, error) from None


def _arrays(value: Any) -> Any:
    """Return a value with arrays in place of a framework's tensors."""
    if is_tensor(value):
        return of_tensor(value)
    if type(value) in (list, tuple):
        return type(value)(_arrays(item) for item in value)
    return {key: _arrays(item) for key, item in value.items()} if type(value) is dict else value


def _untold(name: str) -> Unknown:
    return Unknown(f"numpy.{name} of numbers that are not known", session.current().place())


def _lacks_numbers(values: list[Any]) -> bool:
    return any(
        type(value) in (Array, Unknown) or (isinstance(value, (list, tuple)) and _lacks_numbers([*value]))
        for value in values
    )


def _is_elementwise(name: str, function: Any) -> bool:
    if isinstance(function, numpy.ufunc):
        return function.signature is None
    return getattr(function, "__module__", "") == "_operator" and function is not operator.matmul


def _made(args: Any, kwargs: Any) -> Any:
    first = args[0]
    dtype = kwargs.get("dtype", args[1] if len(args) > 1 else None)
    if isinstance(dtype, Unknown):
        return dtype
    made = gathered(first) if isinstance(first, (list, tuple)) else first
    if made is None:
        return of_unknown(Unknown("an array of what is unknown", session.current().place()))
    if type(made) is Unknown:
        return Array((), dtype or made.kind or "float64")
    return Array(made.shape, dtype or made.dtype)


def _stand_in(value: Any, held: list[Any]) -> Any:
    """Return zeros in place of arrays without numbers; an unknown where they can't stand for them."""
    if type(value) is Array:
        if isinstance(value.shape, Unknown) or not all(isinstance(size, int) for size in value.shape):
            return Unknown("an array whose sizes are not known", session.current().place())
        held.append(numpy.broadcast_to(numpy.zeros((), value.dtype), value.shape))
        return held[-1]
    if type(value) is Unknown:
        return value
    if isinstance(value, (list, tuple)) or type(value) is dict:
        items = value.items() if type(value) is dict else enumerate(value)
        made = {}
        for key, item in items:
            part = _stand_in(item, held)
            if isinstance(part, Unknown):
                return part
            made[key] = part
        return made if type(value) is dict else type(value)(made.values())
    return value


def _kept(result: Any) -> Any:
    if isinstance(result, numpy.ndarray):
        if result.dtype.hasobject:
            return Unknown("numpy arrays of objects are not computed", session.current().place())
        return Array(result.shape, result.dtype)
    if isinstance(result, numpy.generic):
        return Array((), result.dtype)
    if isinstance(result, (list, tuple)):
        return [_kept(item) for item in result] if type(result) is list else tuple(_kept(item) for item in result)
    return Unknown("the numbers in an array are not known", session.current().place())


def _binary(name: str, swapped: bool) -> Callable[[Any, Any], Any]:
    function = getattr(operator, name)

    def operate(self: Any, other: Any) -> Any:
        operands = (other, self) if swapped else (self, other)
        if is_tensor(other):
            return NotImplemented
        if name == "matmul":
            return shapes_of_call("dot", numpy.matmul, operands, {})
        return elementwise(f"numpy.{name}", function, *operands)

    return operate


for _name in "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift".split():
    for _prefix in ("", "r", "i"):
        setattr(Array, f"__{_prefix}{_name.rstrip('_')}__", _binary(_name, _prefix == "r"))
for _name in "eq ne lt le gt ge".split():
    setattr(Array, f"__{_name}__", _binary(_name, False))
for _name in "neg pos abs invert".split():
    setattr(Array, f"__{_name}__", lambda self, _f=getattr(operator, _name): elementwise("numpy", _f, self))
