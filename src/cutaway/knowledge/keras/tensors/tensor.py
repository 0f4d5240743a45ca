"""The abstract tensors that a Keras or TensorFlow program computes with, symbolic ones, and variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.protocols import RESIZABLE, has_no_numbers
from cutaway.core.size.dim import Dim, Size, equal, unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.array_memory import is_lost
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.base.tensor import AbstractTensor
from cutaway.knowledge.base.tensors_in import ATOMS
from cutaway.knowledge.base.values import LIMIT, Lazy, cast, known
from cutaway.knowledge.keras.models.state import AUTOCAST, auto_name, current_path, tensor_name
from cutaway.knowledge.keras.tensors.dtypes import DType, floatx, promote, standardize
from cutaway.knowledge.keras.tensors.shape import TensorShape, require_same_shape, seen, sizes_of, symbolic, text

METHODS: dict[str, Any] = {}
"""Rows that operators and methods of tensors call, by the method's name."""


@RESIZABLE
@row("tensorflow.Tensor", "tensorflow.compat.v1.Tensor")
class Tensor(AbstractTensor):
    """A tensor of which shape and dtype are known, and sometimes the numbers.

    `_sizes` are the numbers of a vector of sizes, or of a single one, where they may be symbolic.
    """

    _dtype: DType
    _sizes: Any

    @property
    def shape(self) -> Any:
        found = seen(self._shape)
        return found if isinstance(found, Unknown) else TensorShape(found)

    @property
    def dtype(self) -> DType:
        return self._dtype

    rank = AbstractTensor.ndim

    @property
    def size(self) -> Any:
        total: Any = 1
        for size in self._shape:
            total = total * size
        return total

    @property
    def name(self) -> str:
        return str(self.__dict__.get("_name") or f"tensor_{self._number}")

    @property
    def device(self) -> str:
        return ""

    @property
    def op(self) -> Any:
        return self

    def get_shape(self) -> Any:
        return self.shape

    def set_shape(self, shape: Any) -> None:
        if isinstance(self._shape, Unknown):
            self._shape = symbolic(shape, "x")
            return
        wanted = sizes_of(shape)
        known = len(wanted) == len(self._shape)
        if not known or any(equal(a, b) is False for a, b in zip(self._shape, wanted) if b is not None):
            fault = ArgumentFault(
                f"set_shape: a tensor of shape {text(self._shape)} can't have shape {text(wanted)}",
                FaultCode.SHAPE_MISMATCH,
            )
            session.current().report(fault)
            raise fault
        self._shape = tuple(given if isinstance(given, int) else size for size, given in zip(self._shape, wanted))

    def with_sizes(self, shape: Any) -> Tensor:
        """Return the same tensor of another shape: as it is in another iteration of a loop."""
        made: Tensor = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._shape, made._values, made._sizes = tuple(shape), None, None
        return made

    def sizes(self) -> Any:
        """Return the numbers as sizes, one or a tuple of them; unknown sizes where they are not known."""
        if self._sizes is not None:
            return self._sizes
        if self._values is not None:
            found = self._values.array().tolist()
            return tuple(found) if isinstance(found, list) else found
        if isinstance(self._shape, Unknown):
            raise Undecidable(self._shape)
        if not self._shape:
            return unknown_size()
        if len(self._shape) == 1 and isinstance(self._shape[0], int):
            return tuple(unknown_size() for _ in range(self._shape[0]))
        raise Undecidable(Unknown("the numbers in a tensor are not known"))

    def array(self) -> Any:
        """Return the known numbers as a numpy array, or raise `Undecidable`."""
        if self._values is None:
            if self._sizes is not None and all(isinstance(s, int) for s in _several(self._sizes)):
                import numpy

                return numpy.asarray(self._sizes)
            raise Undecidable(Unknown("the decision depends on the numbers in a tensor", session.current().place()))
        return self._values.array()

    def numpy(self) -> Any:
        try:
            return self.array().copy()
        except Undecidable:
            from cutaway.knowledge.numpy.shaped import of_tensor  # late: it imports numpy

            return of_tensor(self)

    def __array__(self, *_args: Any, **_kwargs: Any) -> Any:
        return self.array().copy()

    def __bool__(self) -> bool:
        if isinstance(self._sizes, Dim):
            return bool(self._sizes)
        return bool(self.array())

    def __len__(self) -> int:
        if isinstance(self._shape, Unknown):
            raise Undecidable(self._shape)
        if not self._shape:
            raise TypeError("Scalar tensor has no `len()`")
        if not isinstance(self._shape[0], int):
            raise Undecidable(Unknown(f"the length of a tensor of size {self._shape[0]} is not a known number"))
        return self._shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter([METHODS["__getitem__"](self, index) for index in range(len(self))])

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._number = session.current().next_value()
        return made


def _several(sizes: Any) -> tuple[Any, ...]:
    return sizes if isinstance(sizes, tuple) else (sizes,)


def new(
    shape: Any,
    dtype: Any = None,
    *,
    values: Lazy | None = None,
    sizes: Any = None,
    cls: type = Tensor,
) -> Any:
    """Make a tensor of sizes that may be symbolic."""
    made: Any = object.__new__(cls)
    fields = made.__dict__
    fields["_shape"] = shape if isinstance(shape, Unknown) else tuple(shape)
    fields["_dtype"] = floatx() if dtype is None else standardize(dtype)
    fields["_values"] = values
    fields["_sizes"] = sizes
    fields["_number"] = session.current().next_value()
    return made


def input_tensor(shape: Any, dtype: str, name: str) -> Tensor:
    """Make an input of a network; a shape of None is an unknown one."""
    if shape is None:
        reason = f"the shape of the input {name} is not given: use --input {name}=1x224x224x3"
        made: Tensor = new(Unknown(reason, session.current().place()))
    else:
        made = new(shape, dtype)
    return made


@row("keras.KerasTensor", "keras.src.backend.KerasTensor", "keras.src.backend.common.keras_tensor.KerasTensor")
class KerasTensor(Tensor):
    """A tensor that stands for what a model will be called with, or for what follows from it."""

    _keras_history: Any

    def __init__(
        self,
        shape: Any,
        dtype: Any = "float32",
        sparse: Any = False,
        ragged: Any = False,
        record_history: bool = True,
        name: Any = None,
    ) -> None:
        label = name or tensor_name()
        self.__dict__.update(new(symbolic(shape, label), dtype).__dict__)
        self.__dict__["_name"] = label

    def with_sizes(self, shape: Any) -> Tensor:
        """Refuse to be of another shape: the call that made it is of this one."""
        raise Undecidable(Unknown("the layers of a graph that hand on shapes which grow from turn to turn"))

    @property
    def shape(self) -> Any:
        return seen(self._shape)

    @property
    def name(self) -> str:
        return str(self.__dict__["_name"])

    @property
    def sparse(self) -> bool:
        return False

    ragged = sparse
    record_history = True

    @property
    def _keras_shape(self) -> Any:
        return self.shape

    def __bool__(self) -> bool:
        raise TypeError("A symbolic KerasTensor cannot be used as a boolean.")

    def __int__(self) -> int:
        raise ValueError("A KerasTensor is symbolic: it's a placeholder for a shape and a dtype.")

    __float__ = __int__  # type: ignore[assignment]

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self._shape, Unknown):
            raise Undecidable(self._shape)  # it may stand for several
        raise NotImplementedError("Iterating over a symbolic KerasTensor is not supported.")

    def plain(self) -> Tensor:
        """Return the tensor that a layer sees in place of this one."""
        made: Tensor = new(self._shape, self._dtype, values=self._values, sizes=self._sizes)
        mask = self.__dict__.get("_keras_mask")
        if mask is not None:
            made.__dict__["_keras_mask"] = mask.plain() if isinstance(mask, KerasTensor) else mask
        return made


def keras_tensor(shape: Any, dtype: Any, name: str | None = None) -> KerasTensor:
    """Make a symbolic tensor of sizes that are symbolic already."""
    made: KerasTensor = new(shape, dtype, cls=KerasTensor)
    made.__dict__["_name"] = name or tensor_name()
    return made


@row("keras.Variable", "keras.src.backend.Variable", "keras.src.backend.common.variables.Variable")
class Variable(Tensor):
    """A weight: a tensor with a path, that a layer holds."""

    trainable: bool

    def __init__(
        self,
        initializer: Any,
        shape: Any = None,
        dtype: Any = None,
        trainable: bool = True,
        autocast: bool = True,
        aggregation: str = "none",
        synchronization: str = "auto",
        name: str | None = None,
        **_kwargs: Any,
    ) -> None:
        label = name or auto_name("Variable")
        if not isinstance(label, str) or "/" in label:
            raise ValueError(
                f"Argument `name` must be a string and cannot contain character `/`. Received: name={name}"
            )
        values = None
        if shape is None and not callable(initializer):
            given = convert(initializer, dtype)
            sizes, kind, values = given._shape, given._dtype, given._values
        else:
            sizes, kind = tuple(_weight_size(s) for s in sizes_of(() if shape is None else shape)), standardize(dtype)
        self.__dict__.update(new(sizes, kind, values=values).__dict__)
        parent = current_path()
        self.__dict__.update(
            _name=label,
            path=f"{parent}/{label}" if parent else label,
            trainable=bool(trainable) if not isinstance(trainable, Unknown) else True,
            initializer=initializer,
            regularizer=None,
            constraint=None,
            autocast=autocast,
        )

    @property
    def shape(self) -> Any:
        return seen(self._shape)

    @property
    def value(self) -> Any:
        return self

    def read_value(self) -> Any:
        return self

    def assign(self, value: Any, *_args: Any, **_kwargs: Any) -> Any:
        shape = value._shape if isinstance(value, Tensor) else value.shape if is_array(value) else None
        if shape is not None:
            require_same_shape("assign", self._shape, shape)
        return self._changed()

    def assign_add(self, value: Any, *_args: Any, **_kwargs: Any) -> Any:
        return self._changed()

    assign_sub = assign_add

    def _changed(self) -> Any:
        self._values = None
        return self


def _weight_size(size: Any) -> Size:
    return unknown_size() if size is None else size


def is_array(value: Any) -> bool:
    """Tell whether a value is an array of numpy."""
    if has_no_numbers(value):
        return True
    return hasattr(value, "__array_interface__") and hasattr(value, "shape")


def _numbers_of(array: Any) -> Lazy | None:
    """Return the numbers of an array of numpy; None where they are not known."""
    if has_no_numbers(array) or array.size > LIMIT:
        return None
    return None if is_lost(array) else known(array.copy())


def convert(value: Any, dtype: Any = None) -> Tensor:
    """Return a value as a tensor: numbers, nested lists, arrays of numpy, sizes.

    A variable is seen in the type that the layer being called computes in.
    """
    if isinstance(value, Tensor):
        if dtype is None and isinstance(value, Variable) and value.__dict__.get("autocast"):
            dtype = AUTOCAST.peek()
            dtype = dtype if dtype is not None and value._dtype.is_floating else None
        if dtype is not None and standardize(dtype) != value._dtype:
            made: Tensor = new(
                value._shape, dtype, values=cast_values(value._values, dtype, value._shape), sizes=value._sizes
            )
            return made
        return value
    if isinstance(value, Unknown):
        if value.kind is None:
            raise Undecidable(value)
        made = new((), dtype or _python_dtype(value.kind()))
        return made
    if isinstance(value, Dim):
        made = new((), dtype or "int32", sizes=value)
        return made
    if isinstance(value, (bool, int, float, complex, str, bytes)):
        kind = standardize(dtype) if dtype is not None else _python_dtype(value)
        made = new((), kind, values=None if isinstance(value, (str, bytes)) else cast_values(known(value), kind, ()))
        if type(value) is int:
            made._sizes = value
        return made
    if is_array(value):
        kind = standardize(dtype) if dtype is not None else standardize(value.dtype)
        shape = value.shape if isinstance(value.shape, Unknown) else tuple(value.shape)
        made = new(shape, kind, values=None if kind == "string" else cast_values(_numbers_of(value), kind, shape))
        return made
    if isinstance(value, (list, tuple)):
        return _from_list(value, dtype)
    raise TypeError(f"{type(value).__name__} cannot be converted to a tensor")


def _python_dtype(value: Any) -> Any:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int32"
    if isinstance(value, complex):
        return "complex64"
    return floatx() if isinstance(value, float) else "string"


def _from_list(value: Any, dtype: Any) -> Tensor:
    if not value:
        return new((0,), dtype)  # type: ignore[no-any-return]
    items = [convert(item) for item in value]
    first = items[0]._shape
    if isinstance(first, Unknown):
        raise Undecidable(first)
    if any(len(item._shape) != len(first) for item in items):
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
    kind = standardize(dtype) if dtype is not None else promote(*(item._dtype for item in items))
    values = None
    if all(item._values is not None for item in items):
        stacked = Lazy(lambda np, *arrays: np.stack(arrays), [item._values for item in items])
        values = cast_values(stacked, kind, (len(items), *first))
    sizes = None
    if first == () and kind.is_integer:
        sizes = tuple(
            item.sizes() if item._sizes is not None or item._values is not None else unknown_size() for item in items
        )
    return new((len(items), *first), kind, values=values, sizes=sizes)  # type: ignore[no-any-return]


def cast_values(values: Lazy | None, dtype: Any, shape: Any) -> Lazy | None:
    """Return numbers as numbers of another type, where numpy has it and they are few."""
    return None if values is None else cast(values, str(standardize(dtype)), shape)


def any_symbolic(value: Any) -> bool:
    """Tell whether a symbolic tensor is somewhere in a value."""
    if type(value) in ATOMS:
        return False
    if isinstance(value, KerasTensor):
        return True
    if isinstance(value, (list, tuple)):
        return any(any_symbolic(item) for item in value)
    if isinstance(value, dict):
        return any(any_symbolic(item) for item in value.values())
    return False


def plain(value: Any) -> Any:
    """Return a value with the tensors that a layer sees in place of symbolic ones."""
    if isinstance(value, KerasTensor):
        return value.plain()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and any_symbolic(value):
        items = [plain(item) for item in value]
        return items if isinstance(value, list) else value._make(items) if hasattr(value, "_make") else tuple(items)
    return value
