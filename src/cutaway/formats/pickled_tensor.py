"""Tensors in pickles of torch: shape, element type and where their numbers lie, from the calls that would make them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from cutaway.core.dtype import KINDS
from cutaway.core.packed_dtype import BLOCKS
from cutaway.formats.pickle_instructions import Skipped
from cutaway.formats.pickle_machine import Damaged, Made, Name, Persistent, load

STORAGES = {
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
    "QInt8Storage": "qint8",
    "QUInt8Storage": "quint8",
    "QInt32Storage": "qint32",
    "QUInt4x2Storage": "quint4x2",
    "QUInt2x4Storage": "quint2x4",
}
_WRAPPED = {
    "torch._utils._rebuild_parameter": 0,
    "torch._utils._rebuild_parameter_with_state": 0,
    "torch.nn.parameter.Parameter": 0,
}
_STRIDED = {"torch._utils._rebuild_tensor", "torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_tensor_v3"}
_QUANTISED = "torch._utils._rebuild_qtensor"
_SPARSE = "torch._utils._rebuild_sparse_tensor"
_SUBCLASS = {
    "torch._tensor._rebuild_from_type_v2",
    "torch._tensor._rebuild_from_type",
    "torch.tensor._rebuild_from_type",
}
_META = "torch._utils._rebuild_meta_tensor_no_storage"
_WRAPPER = "torch._utils._rebuild_wrapper_subclass"
_MOVED = {
    "torch._utils._rebuild_device_tensor_from_cpu_tensor",
    "torch._utils._rebuild_device_tensor_from_numpy",
    "torch._utils._rebuild_xla_tensor",
}
_NESTED = "torch._utils._rebuild_nested_tensor"
_ARRAY = {
    "numpy.core.multiarray._reconstruct",
    "numpy._core.multiarray._reconstruct",
    "numpy.core.multiarray.reconstruct",
}
CODES = {
    "f2": "float16", "f4": "float32", "f8": "float64", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
    "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64", "b1": "bool", "c8": "complex64", "c16": "complex128",
}  # fmt: skip
_LOADED = "torch.storage._load_from_bytes"
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
    strides: tuple[int, ...] | None = None
    persistent: bool = True
    requires_grad: bool = False
    numbers: Callable[[], Iterator[bytes]] | None = field(default=None, compare=False)

    @property
    def identity(self) -> Any:
        """What two names of one tensor have in common; None where that is not known.

        A transposed view has other strides: it is another tensor in the same memory.
        """
        if self.storage is None:
            return None
        return (self.storage.key, self.offset, self.shape, self.strides, self.dtype)


def tensor(value: Any, depth: int = 0) -> Stored | None:
    """Return the tensor that a description stands for; None where it is none."""
    if isinstance(value, Stored):
        return value
    if not isinstance(value, Made) or not isinstance(value.maker, Name) or depth > _DEEPEST:
        return None
    maker, given = str(value.maker), value.arguments
    if maker in _WRAPPED and given:
        inner = tensor(given[0], depth + 1)
        if inner is None:
            return None
        asked = given[1] if len(given) > 1 else True
        return replace(inner, trainable=asked if type(asked) is bool else None)
    if maker in _SUBCLASS and len(given) > 2 and isinstance(given[2], tuple):
        return tensor(Made(given[0], given[2]), depth + 1)
    if maker in _STRIDED or maker == _QUANTISED:
        return _strided(maker, given)
    if maker == _SPARSE:
        return _sparse(given, depth)
    return _array(value) if maker in _ARRAY else _described(maker, given, depth)


def _described(maker: str, given: tuple[Any, ...], depth: int) -> Stored | None:
    """Return a tensor whose numbers are not in memory that it names itself."""
    if maker == _META and len(given) > 1:
        return Stored(sizes_of(given[1]), element_type(given[0]), None)
    if maker == _WRAPPER and len(given) > 2:
        return Stored(sizes_of(given[2]), element_type(given[1]), None)
    if maker in _MOVED and len(given) > 1:
        inner = tensor(given[0], depth + 1)
        return inner and replace(inner, dtype=element_type(given[1]) or inner.dtype)
    if maker == _NESTED:
        inner = tensor(given[0], depth + 1) if given else None
        return Stored(None, inner.dtype if inner else None, None)
    return None


def _sparse(given: tuple[Any, ...], depth: int) -> Stored:
    """Read the parts of a sparse tensor: indices of one or two kinds, the values that are not zero, and the sizes."""
    layout = str(given[0]) if given else ""
    parts = given[1] if len(given) > 1 and isinstance(given[1], tuple) else ()
    at = 1 if "coo" in layout else 2
    if len(parts) < at + 2:
        raise Damaged(f"{_SPARSE} is given {len(parts)} parts, not {at + 2} or more")
    values = tensor(parts[at], depth + 1)
    return Stored(sizes_of(parts[at + 1]), values.dtype if values else None, None)


def _array(value: Made) -> Stored | None:
    """Read an array of numpy, whose state is (version, shape, dtype, order, bytes)."""
    state = value.state
    if not isinstance(state, tuple) or len(state) < 5:
        return None
    kind = state[2].arguments[0] if isinstance(state[2], Made) and state[2].arguments else None
    dtype = CODES.get(kind) if isinstance(kind, str) else None
    return Stored(sizes_of(state[1]), dtype, None) if dtype else None


def element_type(value: Any) -> str | None:
    """Return the name of an element type of torch's."""
    name = value.name if isinstance(value, Name) and value.module == "torch" else None
    return name if name in KINDS or name in BLOCKS else None


def _strided(maker: str, given: tuple[Any, ...]) -> Stored:
    if len(given) < 4:
        raise Damaged(f"{maker} is given {len(given)} arguments, not 4 or more")
    storage, offset = _storage(given[0]), given[1]
    sizes, strides = sizes_of(given[2]), sizes_of(given[3])
    if type(offset) is not int or offset < 0 or len(sizes) != len(strides):
        raise Damaged(f"{maker} is given an offset or strides that are none")
    last = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides))
    dtype = storage.dtype
    if maker.endswith("_v3") and len(given) > 6:
        dtype = element_type(given[6])
    elif 0 not in sizes and last >= storage.count:
        shape = "x".join(map(str, sizes))
        raise Damaged(f"a tensor of {shape} reaches to element {last} of the {storage.count} that are stored")
    asked = len(given) > 4 and given[4] is True
    return Stored(sizes, dtype, storage, offset, None, strides, requires_grad=asked)


def _storage(value: Any) -> Storage:
    """Read `("storage", kind, key, location, count)`, which names memory outside of the pickle."""
    inside = _inside(value)
    key = inside.key if isinstance(inside, Persistent) else None
    if not isinstance(key, tuple) or len(key) < 5 or key[0] != "storage" or type(key[4]) is not int or key[4] < 0:
        raise Damaged("a tensor's numbers are not where torch.save puts them")
    kind = key[1].name if isinstance(key[1], Name) else ""
    root = str(key[2]) if isinstance(key[2], (str, int)) else ""
    if inside is not value:  # a copy of its own, wherever else these numbers are in the file
        return Storage(f"bytes {id(value)}", STORAGES.get(kind), key[4])
    view = key[5] if len(key) > 5 else None  # of the legacy format: a part of a storage that has a key of its own
    if isinstance(view, tuple) and len(view) == 3 and type(view[1]) is int and type(view[2]) is int:
        return Storage(f"{root}+{view[1]}", STORAGES.get(kind), max(view[2], 0))
    return Storage(root, STORAGES.get(kind), key[4])


def _inside(value: Any) -> Any:
    """Return what names the memory of a tensor: pickled without torch.save, it has a file of torch's own in its bytes."""
    if not isinstance(value, Made) or str(value.maker) != _LOADED or len(value.arguments) != 1:
        return value
    given = value.arguments[0]
    if isinstance(given, Made) and str(given.maker) == "_codecs.encode" and given.arguments:  # of protocols before 3
        given = _latin(given.arguments[0])
    content = given.head if isinstance(given, Skipped) else given
    if not isinstance(content, bytes):
        return value
    file = io.BytesIO(content)
    try:
        for _ in range(3):  # the magic number, the version of the form, the sizes of numbers
            load(file)
        return load(file)
    except (Damaged, RecursionError):
        raise Damaged("the bytes of a tensor's numbers are not what torch.save writes") from None


def _latin(value: Any) -> bytes | None:
    """Return the bytes that a text stands for, or the first of them."""
    if isinstance(value, Skipped):
        return value.head.decode("utf-8", "ignore").encode("latin-1", "ignore")
    return value.encode("latin-1", "ignore") if isinstance(value, str) else None


def sizes_of(value: Any) -> tuple[int, ...]:
    """Return the sizes of a tensor."""
    items = value.arguments[0] if isinstance(value, Made) and value.arguments else value  # torch.Size((3, 4))
    items = () if isinstance(value, Made) and not value.arguments else items  # torch.Size()
    if not isinstance(items, (tuple, list)) or any(type(size) is not int or size < 0 for size in items):
        raise Damaged("a tensor's sizes are no whole numbers")
    return tuple(items)
