"""Tensors in pickles of torch: shape, element type and where their numbers lie, from the calls that would make them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutaway.core.dtype import KINDS
from cutaway.formats.pickle_machine import Damaged, Made, Name, Persistent

_STORAGES = {
    "FloatStorage": "float32",
    "DoubleStorage": "float64",
    "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16",
    "LongStorage": "int64",
    "IntStorage": "int32",
    "ShortStorage": "int16",
    "CharStorage": "int8",
    "ByteStorage": "uint8",
    "BoolStorage": "bool",
    "ComplexFloatStorage": "complex64",
    "ComplexDoubleStorage": "complex128",
    "UntypedStorage": "uint8",
}
_WRAPPED = {
    "torch._utils._rebuild_parameter": 0,
    "torch._utils._rebuild_parameter_with_state": 0,
    "torch.nn.parameter.Parameter": 0,
}
_STRIDED = {"torch._utils._rebuild_tensor", "torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_tensor_v3"}
_PACKED = {"torch._utils._rebuild_sparse_tensor", "torch._utils._rebuild_qtensor"}
_SUBCLASS = "torch._tensor._rebuild_from_type_v2"
_META = "torch._utils._rebuild_meta_tensor_no_storage"
_DEEPEST = 16


@dataclass(frozen=True, slots=True)
class Storage:
    """The memory that tensors share: its name in the file, its element type, and how many there are."""

    key: str
    dtype: str | None
    count: int


@dataclass(frozen=True, slots=True)
class Stored:
    """A tensor of a file; None where the form that it is kept in does not tell."""

    shape: tuple[int, ...] | None
    dtype: str | None
    storage: Storage | None
    offset: int = 0
    trainable: bool | None = None

    @property
    def identity(self) -> Any:
        """What two names of one tensor have in common; None where that is not known."""
        return None if self.storage is None else (self.storage.key, self.offset, self.shape)


def tensor(value: Any, depth: int = 0) -> Stored | None:
    """Return the tensor that a description stands for; None where it is none."""
    if not isinstance(value, Made) or not isinstance(value.maker, Name) or depth > _DEEPEST:
        return None
    maker, given = str(value.maker), value.arguments
    if maker in _WRAPPED and given:
        inner = tensor(given[0], depth + 1)
        if inner is None:
            return None
        asked = given[1] if len(given) > 1 else True
        return Stored(inner.shape, inner.dtype, inner.storage, inner.offset, asked if type(asked) is bool else None)
    if maker == _SUBCLASS and len(given) > 2 and isinstance(given[2], tuple):
        return tensor(Made(given[0], given[2]), depth + 1)
    if maker in _STRIDED:
        return _strided(maker, given)
    if maker == _META and len(given) > 1:
        dtype = given[0].name if isinstance(given[0], Name) else None
        return Stored(_sizes(given[1]), dtype if dtype in KINDS else None, None)
    return Stored(None, None, None) if maker in _PACKED else None


def _strided(maker: str, given: tuple[Any, ...]) -> Stored:
    if len(given) < 4:
        raise Damaged(f"{maker} is given {len(given)} arguments, not 4 or more")
    storage, offset = _storage(given[0]), given[1]
    sizes, strides = _sizes(given[2]), _sizes(given[3])
    if type(offset) is not int or offset < 0 or len(sizes) != len(strides):
        raise Damaged(f"{maker} is given an offset or strides that are none")
    last = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides))
    dtype = storage.dtype
    if maker.endswith("_v3") and len(given) > 6 and isinstance(given[6], Name):
        dtype = given[6].name if given[6].name in KINDS else None
    elif 0 not in sizes and last >= storage.count:
        shape = "x".join(map(str, sizes))
        raise Damaged(f"a tensor of {shape} reaches to element {last} of the {storage.count} that are stored")
    return Stored(sizes, dtype, storage, offset)


def _storage(value: Any) -> Storage:
    """Read `("storage", kind, key, location, count)`, which names memory outside of the pickle."""
    key = value.key if isinstance(value, Persistent) else None
    if not isinstance(key, tuple) or len(key) < 5 or key[0] != "storage" or type(key[4]) is not int or key[4] < 0:
        raise Damaged("a tensor's numbers are not where torch.save puts them")
    kind = key[1].name if isinstance(key[1], Name) else ""
    return Storage(str(key[2]) if isinstance(key[2], (str, int)) else "", _STORAGES.get(kind), key[4])


def _sizes(value: Any) -> tuple[int, ...]:
    items = value.arguments[0] if isinstance(value, Made) and value.arguments else value  # torch.Size((3, 4))
    if not isinstance(items, (tuple, list)) or any(type(size) is not int or size < 0 for size in items):
        raise Damaged("a tensor's sizes are no whole numbers")
    return tuple(items)
