"""Real torch values to ours, and results compared: structure, shapes, dtypes, numbers."""

from __future__ import annotations

import enum
import math
import types
from collections.abc import Iterator
from typing import Any

import numpy
import torch

from cutaway.core.size import dim
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import TABLE
from cutaway.knowledge.base.values import LIMIT, known
from cutaway.knowledge.torch.tensor.tensor import Tensor, new
from cutaway.knowledge.torch.tensor.types import DTYPES, Device, DType, Size

from .rows import ours_of

SHAPE, VALUES, SYMBOLIC = "shape", "values", "symbolic"
"""How a real tensor is abstracted: sizes only, sizes and numbers, or a symbol for each size above 1."""


class Unconvertible(Exception):
    """A sample holds something that our tables do not model (a sparse tensor, a storage, ...)."""


class Different(Exception):
    """Our result contradicts the real one; the text says where and how."""


def dtype_name(dtype: torch.dtype) -> str:
    """Return `float32` for `torch.float32`."""
    return str(dtype).removeprefix("torch.")


def copy(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """Copy nested real arguments, so that an in-place operation leaves the sample alone."""
    memo = {} if memo is None else memo
    if isinstance(value, torch.Tensor):
        if id(value) not in memo:
            made = value.detach().clone()
            made.requires_grad_(value.requires_grad and not torch.is_inference_mode_enabled())
            memo[id(value)] = torch.nn.Parameter(made) if isinstance(value, torch.nn.Parameter) else made
        return memo[id(value)]
    if isinstance(value, (torch.Size, str)):
        return value
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make([copy(item, memo) for item in value])
    if type(value) in (tuple, list):
        return type(value)([copy(item, memo) for item in value])
    if isinstance(value, dict):
        return {key: copy(item, memo) for key, item in value.items()}
    return value


class Converter:
    """Turns real values into ours, the same tensor always into the same one."""

    def __init__(self, mode: str = SHAPE) -> None:
        self.mode = mode
        self.made: dict[int, Any] = {}
        self.kept: list[Any] = []
        self.sizes: dict[str, int] = {}

    def __call__(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            if id(value) not in self.made:
                self.made[id(value)] = self.tensor(value)
                self.kept.append(value)
            return self.made[id(value)]
        if value is None or value is Ellipsis or isinstance(value, (bool, int, float, complex, str, bytes, range)):
            return value
        if isinstance(value, torch.Size):
            return Size(value)
        if isinstance(value, torch.dtype):
            if dtype_name(value) not in DTYPES:
                raise Unconvertible(str(value))
            return DTYPES[dtype_name(value)]
        if isinstance(value, torch.device):
            return Device(str(value))
        if isinstance(value, (torch.layout, torch.memory_format)):
            if str(value) not in TABLE:
                raise Unconvertible(str(value))
            return TABLE[str(value)]
        if isinstance(value, torch.Generator) and "torch.Generator" in TABLE:
            return TABLE["torch.Generator"]()
        if isinstance(value, slice):
            return slice(self(value.start), self(value.stop), self(value.step))
        if isinstance(value, tuple) and hasattr(value, "_make"):
            return value._make([self(item) for item in value])
        if type(value) in (tuple, list):
            return type(value)([self(item) for item in value])
        if isinstance(value, dict):
            return type(value)((key, self(item)) for key, item in value.items())
        if isinstance(value, (numpy.ndarray, numpy.generic, enum.Enum)):
            return value
        modelled = ours_of(value)
        if modelled is not None:
            return modelled
        if isinstance(value, (types.FunctionType, type)) and not str(value.__module__).startswith("torch"):
            return value
        raise Unconvertible(type(value).__name__)

    def tensor(self, value: torch.Tensor) -> Any:
        """Convert one tensor."""
        if value.layout is not torch.strided or value.is_nested or value.is_quantized:
            raise Unconvertible(str(value.layout))
        if dtype_name(value.dtype) not in DTYPES:
            raise Unconvertible(str(value.dtype))
        shape = [self.size(s) for s in value.shape] if self.mode == SYMBOLIC else value.shape
        made = new(shape, DTYPES[dtype_name(value.dtype)], values=self.numbers(value))
        made.requires_grad = value.requires_grad
        made._contiguous = value.is_contiguous()
        if isinstance(value, torch.nn.Parameter):
            made = TABLE["torch.nn.Parameter"](made, requires_grad=value.requires_grad)
        return made

    def size(self, size: int) -> Any:
        """Return the symbol that stands for a size in symbolic mode."""
        if size < 2:
            return size
        self.sizes[f"s{size}"] = size
        return dim.symbol(f"s{size}")

    def numbers(self, value: torch.Tensor) -> Any:
        """Return the tensor's numbers, if this mode gives them."""
        if self.mode != VALUES or value.device.type != "cpu" or value.numel() > LIMIT:
            return None
        array = to_numpy(value)
        return None if array is None else known(array)


def to_numpy(value: torch.Tensor) -> Any:
    """Return a tensor's numbers as a numpy array, or None where numpy lacks the dtype or the dimensions."""
    if value.dtype in (torch.bfloat16, torch.complex32) or "float8" in str(value.dtype) or value.ndim > 64:
        return None
    return value.detach().resolve_conj().resolve_neg().numpy().copy()


class Comparison:
    """Compares our result with the real one; counts what ours leaves unknown."""

    def __init__(self, converter: Converter) -> None:
        self.converter = converter
        self.unknown = 0
        self.numbers = 0

    def compare(self, ours: Any, theirs: Any, path: str = "result") -> None:
        """Raise `Different` where ours contradicts theirs."""
        if isinstance(ours, Unknown):
            self.unknown += 1
        elif isinstance(theirs, torch.Tensor):
            self.tensor(ours, theirs, path)
        elif isinstance(theirs, torch.Size):
            if not isinstance(ours, Size):
                raise Different(f"{path}: {_kind(ours)} {ours!r} instead of {theirs!r}")
            self.sizes(ours, theirs, path)
        elif isinstance(theirs, (tuple, list)):
            self.sequence(ours, theirs, path)
        elif isinstance(theirs, dict):
            if not isinstance(ours, dict) or list(ours) != list(theirs):
                raise Different(f"{path}: {ours!r} instead of a dict with {list(theirs)}")
            for key, value in theirs.items():
                self.compare(ours[key], value, f"{path}.{key}")
        elif isinstance(theirs, Iterator):
            self.sequence(list(ours), list(theirs), path)
        else:
            self.plain(ours, theirs, path)

    def sequence(self, ours: Any, theirs: Any, path: str) -> None:
        """Compare tuples, lists and named tuples."""
        kind = list if isinstance(theirs, list) else tuple
        if not isinstance(ours, kind):
            raise Different(f"{path}: {_kind(ours)} instead of {_kind(theirs)}: {ours!r}")
        if len(ours) != len(theirs):
            raise Different(f"{path}: {len(ours)} items instead of {len(theirs)}")
        for field in _fields(theirs):
            if not hasattr(ours, field):
                raise Different(f"{path}: no field `{field}`")
        for index, (mine, real) in enumerate(zip(ours, theirs)):
            self.compare(mine, real, f"{path}[{index}]")

    def tensor(self, ours: Any, theirs: torch.Tensor, path: str) -> None:
        """Compare one tensor: class, dtype, shape, then the numbers where ours knows them."""
        if not isinstance(ours, Tensor):
            raise Different(f"{path}: {_kind(ours)} {ours!r} instead of a tensor of shape {tuple(theirs.shape)}")
        if theirs.layout is not torch.strided or theirs.is_nested or theirs.is_quantized:
            raise Unconvertible(f"a result of layout {theirs.layout}")
        if isinstance(ours.dtype, Unknown):
            self.unknown += 1
        elif ours.dtype.name != dtype_name(theirs.dtype):
            raise Different(f"{path}: dtype {ours.dtype.name} instead of {dtype_name(theirs.dtype)}")
        if isinstance(theirs, torch.nn.Parameter) != isinstance(ours, TABLE["torch.nn.Parameter"]):
            raise Different(f"{path}: {type(ours).__name__} instead of {type(theirs).__name__}")
        self.sizes(ours.shape, theirs.shape, path)
        if ours._contiguous and not theirs.is_contiguous():
            raise Different(f"{path}: said to be contiguous, but has strides {theirs.stride()}")
        values = ours.values_
        if values is None:
            return
        try:
            array = values.array()
        except Exception as error:
            raise Different(f"{path}: the numbers can't be computed: {type(error).__name__}: {error}") from error
        self.array(array, theirs, path)

    def array(self, array: Any, theirs: torch.Tensor, path: str) -> None:
        """Compare known numbers."""
        expected = to_numpy(theirs)
        if expected is None:
            return
        self.numbers += 1
        array = numpy.asarray(array)
        if array.shape != expected.shape:
            raise Different(f"{path}: numbers of shape {array.shape} instead of {expected.shape}")
        if array.dtype.kind in "fc":
            loose = {"float16": 1e-2}.get(expected.dtype.name, 2e-4)
            same = numpy.allclose(array, expected, rtol=loose, atol=loose / 10, equal_nan=True)
        else:
            same = numpy.array_equal(array, expected)
        if not same:
            raise Different(f"{path}: numbers {_brief(array)} instead of {_brief(expected)}")

    def sizes(self, ours: Any, theirs: Any, path: str) -> None:
        """Compare shapes; an anonymous size counts as unknown."""
        if isinstance(ours, Unknown):
            self.unknown += 1
            return
        if len(ours) != len(theirs):
            raise Different(f"{path}: shape {_shape(ours)} instead of {tuple(theirs)}")
        for mine, real in zip(ours, theirs):
            if not self.size(mine, real):
                raise Different(f"{path}: shape {_shape(ours)} instead of {tuple(theirs)}")

    def size(self, ours: Any, theirs: int) -> bool:
        """Tell whether one size agrees, counting what is unknown."""
        if isinstance(ours, Dim):
            ours = dim.substitute(ours, self.converter.sizes)
            if not isinstance(ours, int):
                self.unknown += 1
                return True
        if isinstance(ours, Unknown):
            self.unknown += 1
            return True
        return type(ours) is int and ours == theirs

    def plain(self, ours: Any, theirs: Any, path: str) -> None:
        """Compare Python values."""
        if isinstance(ours, Tensor):
            raise Different(f"{path}: a tensor instead of {theirs!r}")
        if isinstance(ours, Dim):
            if not self.size(ours, theirs):
                raise Different(f"{path}: {ours} instead of {theirs!r}")
            return
        if isinstance(theirs, (bool, int, float, complex, str)) or theirs is None:
            if type(ours) is not type(theirs) or not _same_number(ours, theirs):
                raise Different(f"{path}: {ours!r} instead of {theirs!r}")
            return
        if isinstance(theirs, (numpy.ndarray, numpy.generic)):
            if not (isinstance(ours, type(theirs)) and numpy.allclose(ours, theirs, rtol=2e-4, equal_nan=True)):
                raise Different(f"{path}: {ours!r} instead of {theirs!r}")
            return
        if isinstance(theirs, torch.dtype):
            if not isinstance(ours, DType) or ours.name != dtype_name(theirs):
                raise Different(f"{path}: {ours!r} instead of {theirs!r}")
            return
        if isinstance(theirs, torch.device):
            if str(ours) != str(theirs):
                raise Different(f"{path}: {ours!r} instead of {theirs!r}")
            return
        if isinstance(theirs, (torch.layout, torch.memory_format)):
            if repr(ours) != str(theirs):
                raise Different(f"{path}: {ours!r} instead of {theirs!r}")
            return
        raise Unconvertible(f"a result of type {type(theirs).__name__}")


def _fields(value: Any) -> tuple[str, ...]:
    if hasattr(value, "_fields"):
        return tuple(value._fields)
    if type(value).__module__ == "torch.return_types":
        return tuple(n for n in dir(value) if not n.startswith("_") and n not in ("count", "index") and "n_" not in n)
    return ()


def _kind(value: Any) -> str:
    return type(value).__name__


def _shape(shape: Any) -> str:
    return f"({', '.join(map(str, shape))})"


def _same_number(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, float):
        return ours == theirs or (math.isnan(ours) and math.isnan(theirs)) or math.isclose(ours, theirs, rel_tol=2e-4)
    if isinstance(theirs, complex):
        return abs(ours - theirs) <= 2e-4 * max(1.0, abs(theirs)) or theirs != theirs
    return bool(ours == theirs)


def _brief(array: Any) -> str:
    text = " ".join(str(array.reshape(-1)[:6].tolist()).split())
    return f"{text}{'...' if array.size > 6 else ''} ({array.dtype})"
