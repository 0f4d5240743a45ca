"""The abstract tensor that a PyTorch target computes with: shape, dtype, and small known numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from cutaway.core import session
from cutaway.core.condition import DATA, Term
from cutaway.core.fault import Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.protocols import JOINABLE, MEMORY, RESIZABLE, has_no_numbers
from cutaway.core.size.dim import equal, unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base import attribute
from cutaway.knowledge.base.array_memory import Sharing, share
from cutaway.knowledge.base.registry import TABLE, load_rest, register
from cutaway.knowledge.base.tensor import AbstractTensor
from cutaway.knowledge.base.values import Lazy
from cutaway.knowledge.torch.tensor.gradients import gradient, set_gradient
from cutaway.knowledge.torch.tensor.types import CPU, Device, DType, Size, default_dtype
from cutaway.ops import layout

# The attributes of tensors that have no row: torch has them, so that asking for one is not a fault.
NO_ROWS = frozenset(
    """apply_ as_strided_scatter ccol_indices col_indices crow_indices dense_dim dequantize eig grad_dtype hash_tensor
    histogram index indices int_repr lstsq map2_ map_ module_load nonzero_static q_per_channel_axis
    q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qscheme reinforce resize resize_as
    resize_as_sparse_ row_indices slice_inverse smm solve sparse_dim sparse_mask sparse_resize_
    sparse_resize_and_clear_ sspaddmm sum_to_size symeig to_mkldnn to_padded_tensor values volatile""".split()
)


class TensorMeta(type):
    """`isinstance(buffer, torch.nn.Buffer)` and the like are answered by torch's own metaclasses."""

    def __repr__(cls) -> str:
        real = _REAL_NAMES.get(cls.__name__) if cls.__module__.startswith("cutaway.") else None
        return type.__repr__(cls) if real is None else f"<class '{real}'>"


_REAL_NAMES = {"Tensor": "torch.Tensor", "Parameter": "torch.nn.parameter.Parameter"}


@MEMORY
class Storage(list[int]):
    """Memory that views share: how often it was written to. It lasts as long as one of them does.

    It `is_mixed` once something may have been written through a view that requires gradients. `sharings` are the arrays
    of numpy in the same memory; None: it may be written to in ways that are not followed, so its numbers are never known.
    """

    __slots__ = ("__weakref__", "is_mixed", "sharings")
    is_mixed: bool
    sharings: tuple[Sharing, ...] | None

    def join(self, other: int) -> None:
        """Note that it has been written to in one of two states; in the other one it had been `other` times."""
        self[0] = max(self[0], other) + 1
        self.is_mixed = True

    def is_intact(self) -> bool:
        """Tell whether nothing has been written through an array in the same memory."""
        return self.sharings is not None and all(sharing.is_intact() for sharing in self.sharings)


DETACHED: Any = object()
"""The history of the same memory as a tensor that no gradients are computed through."""


@JOINABLE
@RESIZABLE
class Tensor(AbstractTensor, metaclass=TensorMeta):
    """A `torch.Tensor` of which the shape and dtype are known, and sometimes the numbers.

    Methods are rows named `torch.Tensor.<method>`; they are attached as they are registered, and so is the constructor.
    `_history` is what gradients are computed through (`history.py`); it is not one of the attributes, which aliases share.
    """

    __slots__ = ("_history",)
    _history: Any

    _dtype: DType
    _device: Device
    _storage: Storage
    _is_view: bool
    _version: int
    _contiguous: bool
    _strides: Any
    requires_grad: bool
    is_quantized = False
    is_nested = False
    is_mkldnn = False
    is_cuda = False
    is_cpu = True
    grad_fn = None

    @property
    def shape(self) -> Any:
        """The sizes, or an `Unknown` where not even their number is known."""
        return self._shape

    @property
    def grad(self) -> Any:
        """The gradient, None where none has been computed."""
        return gradient(self, lambda: new(self._shape, self._dtype, device=self._device))

    @grad.setter
    def grad(self, value: Any) -> None:
        set_gradient(self, value)

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def device(self) -> Device:
        return self._device

    @property
    def layout(self) -> Any:
        return TABLE[f"torch.{self.__dict__.get('_layout', 'strided')}"]

    @property
    def is_sparse(self) -> bool:
        return self.__dict__.get("_layout") == "sparse_coo"

    @property
    def is_sparse_csr(self) -> bool:
        return self.__dict__.get("_layout") == "sparse_csr"

    @property
    def itemsize(self) -> int:
        return self._dtype.itemsize

    @property
    def is_leaf(self) -> bool:
        return True

    @property
    def data(self) -> Tensor:
        """The same memory as a plain tensor: of a parameter, one that a module does not register."""
        if type(self) is Tensor and not session.current().follows_gradients:
            return self
        plain = object.__new__(Tensor)
        plain.__dict__ = self.__dict__
        plain._history = DETACHED
        return plain

    @data.setter
    def data(self, value: Any) -> None:
        if isinstance(value, Tensor):
            change_shape(self, value._shape)
            self._dtype, self._device = value._dtype, value._device
            self._storage, self._version, self._is_view = value._storage, value._version, value._is_view
            self._values, self._number = value._values, value._number
            self._contiguous, self._strides = value._contiguous, value._strides
        elif isinstance(value, Unknown):
            raise Undecidable(value, self)

    @property
    def values_(self) -> Lazy | None:
        """The numbers, if they are known and no other view has been written through since."""
        storage = self._storage
        if self._version != storage[0] or (storage.sharings != () and not storage.is_intact()):
            return None
        return self._values

    def with_sizes(self, shape: Any) -> Tensor:
        """Return the same tensor of another shape: as it is in another iteration of a loop."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._shape, made._values, made._strides = Size(shape), None, None
        return made

    def joined_with(self, other: Tensor, is_older: Callable[[Any], bool]) -> Tensor | None:
        """Return a new tensor that is what both have in common, None where they differ in more than sizes."""
        one, two = self.__dict__, other.__dict__
        if one.keys() != two.keys() or any(one[name] is not two[name] for name in one.keys() - _JOINED):
            return None
        shape, sizes = self._shape, other._shape
        if isinstance(shape, Unknown) or isinstance(sizes, Unknown) or len(shape) != len(sizes):
            return None
        are_new = not any(map(is_older, (self, self._storage, other, other._storage)))
        is_shared = self._storage is other._storage
        is_alike = is_shared and self.values_ is None and other.values_ is None and shape == sizes
        if self._device != other._device or not (are_new or is_alike):
            return None
        common = [size if size == there else unknown_size() for size, there in zip(shape, sizes)]
        base = self if is_shared else None
        made: Tensor = new(common, self._dtype, device=self._device, base=base, cls=type(self))
        made._contiguous, made._is_view = self._contiguous and other._contiguous, self._is_view or other._is_view
        made.__dict__.update({name: one[name] for name in one.keys() - _JOINED})
        one["_either"] = two["_either"] = [made]
        made.__dict__["_either"] = [self, other]
        return made

    def any_item(self) -> Any:
        """Return an item, it is unknown which; None where not even the number of sizes is known."""
        shape = self._shape
        if isinstance(shape, Unknown) or not shape:
            return None
        item = new(shape[1:], self._dtype, device=self._device, base=self)
        item.requires_grad = self.requires_grad
        return item

    def array(self) -> Any:
        """Return the known numbers as a numpy array, or raise `Undecidable`."""
        values = self.values_
        if values is None:
            session.current().numbers_read.add(self._number)
            place = session.current().place()
            raise Undecidable(Unknown("the decision depends on the numbers in a tensor", place, term=Term("", DATA)))
        return values.array()

    def share(self, array: Any) -> None:
        """Note that an array of numpy lies in the same memory, or something else that can be written to."""
        storage = self._storage
        if has_no_numbers(array) or not hasattr(array, "tobytes"):
            self.expose()
        elif storage.sharings is not None:
            storage.sharings = (*storage.sharings, share(array, storage))

    def expose(self) -> None:
        """Note that the memory may be written to in ways that are not followed."""
        self._storage.sharings = None

    def forget_numbers(self) -> None:
        """Note that something may have been written into it."""
        self._storage[0] += 1
        self._version = self._storage[0]
        self._values = None

    def one_number(self, what: str) -> Any:
        """Return the only number, or raise `Undecidable`; torch raises where there are several, or none."""
        shape = self._shape
        if isinstance(shape, tuple) and any(equal(size, 1) is False for size in shape):
            raise Fault(
                f"{what}: a tensor of shape {'x'.join(map(str, shape))} is not one number", FaultCode.NOT_A_SCALAR
            )
        return self.array()

    def __bool__(self) -> bool:
        return bool(self.one_number("bool"))

    def __int__(self) -> int:
        return int(self.one_number("int"))

    def __float__(self) -> float:
        return float(self.one_number("float"))

    def __complex__(self) -> complex:
        return complex(self.one_number("complex"))

    def __index__(self) -> int:
        if self._dtype.is_floating_point or self._dtype.is_complex:
            raise TypeFault(
                f"an index must be an integer, but is a tensor of {self._dtype}", FaultCode.UNSUPPORTED_DTYPE
            )
        if self.values_ is None:
            session.current().indices_read.add(self._number)
        return int(self.one_number("index").item())

    def __len__(self) -> Any:
        shape = self._shape
        if isinstance(shape, tuple) and not shape:
            raise TypeError("len() of a 0-d tensor")
        size = shape[0]
        if not isinstance(size, int):
            raise Undecidable(Unknown(f"the length of a tensor of size {size} is not a known number"))
        return size

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self._shape, tuple) and not self._shape:
            raise TypeError("iteration over a 0-d tensor")
        return iter(TENSOR_METHODS["unbind"](self, 0))

    def __getattr__(self, name: str) -> Any:
        while not name.startswith("_") and load_rest(f"torch.Tensor.{name}"):
            if attribute.has(type(self), name):
                return attribute.get(self, name)
        if name in NO_ROWS:
            if name.endswith("_"):
                self.expose()
            return session.current().unknown(f"Tensor.{name} is not modelled")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __contains__(self, value: Any) -> bool:
        array = self.array()
        return bool((array == (value.array() if isinstance(value, Tensor) else value)).any())

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = self._copy()
        return memo[id(self)]

    def _copy(self) -> Any:
        """Return an independent tensor of the same class, with the same attributes."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._storage, made._version, made._is_view = _own_storage(), 0, False
        made._values = self.values_
        made._number = session.current().next_value()
        return made


TENSOR_METHODS: dict[str, Callable[..., Any]] = {}
register("torch.Tensor", Tensor)


def _own_storage() -> Storage:
    storage = Storage((0,))
    storage.sharings = ()
    return storage


def new(
    shape: Any,
    dtype: DType | None = None,
    *,
    values: Lazy | None = None,
    device: Device = CPU,
    base: Tensor | None = None,
    cls: type = Tensor,
) -> Any:
    """Make a tensor. `base` is the tensor that it is a view of."""
    made: Any = object.__new__(cls)
    fields = made.__dict__
    fields["_shape"] = shape if isinstance(shape, (Size, Unknown)) else Size(shape)
    fields["_dtype"] = dtype or default_dtype()
    fields["_device"] = device
    fields["_values"] = values
    storage = base._storage if base is not None else _own_storage()
    fields["_storage"] = storage
    fields["_is_view"] = base is not None
    fields["_version"] = storage[0]
    here = session.current()
    here.tick()
    fields["_number"] = here.next_value()
    fields["_contiguous"] = base is None  # False: not known to be
    fields["_strides"] = None  # of a tensor that is not contiguous; None: not known
    fields["requires_grad"] = False
    return made


_JOINED = frozenset(
    ("_shape", "_device", "_values", "_storage", "_version", "_is_view", "_number", "_contiguous", "_strides")
)
"""What two tensors may differ in that are joined."""


def change_shape(tensor: Tensor, shape: Any) -> None:
    """Give a tensor itself another shape: those that may be the same one have it, or not."""
    for other in tensor.__dict__.get("_either", ()):
        other._shape = Unknown("a tensor that may be the same one is given another shape")
    tensor._shape = shape


def attach_method(name: str, function: Any) -> None:
    """Make a function callable as a method: a row named `torch.Tensor.<name>`, or the constructor."""
    TENSOR_METHODS[name] = function
    setattr(Tensor, name, function)


def strides_of(tensor: Tensor) -> Any:
    """Return the strides of a tensor, None where they are not known."""
    if not tensor._contiguous:
        return tensor._strides
    return None if isinstance(tensor._shape, Unknown) else layout.standard(tensor._shape)


def lay_out(tensor: Tensor, strides: Any) -> None:
    """Give a tensor its strides: True where it is contiguous, None where they are not known."""
    known = strides is True or (strides is not None and layout.is_contiguous(tensor._shape, strides))
    tensor._contiguous, tensor._strides = known, None if known else strides
