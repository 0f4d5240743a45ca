"""Functions that make regular tensors: ranges, the identity, triangles of indices, windows."""

from __future__ import annotations

import builtins
import math
from array import array
from collections.abc import Callable, Sequence
from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Dim, ceildiv, less, unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.values import Lazy
from cutaway.knowledge.torch.elementwise.rows import operand
from cutaway.knowledge.torch.tensor.op import Out, compute, op
from cutaway.knowledge.torch.tensor.options import device_of, dtype_of, size
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import DType, default_dtype, int64


def _number(name: str, value: Any) -> Any:
    """Return a bound of a range as a Python number or a symbolic size."""
    value = operand(name, value)
    if isinstance(value, Tensor):
        if value.values_ is None:
            raise Undecidable(Unknown(f"{name} of a number in a tensor that is not known"))
        return value.array().item()
    return value


def _is_whole(dtype: DType) -> bool:
    return not (dtype.is_floating_point or dtype.is_complex)


def _inferred(*bounds: Any) -> DType:
    return default_dtype() if any(isinstance(b, float) for b in bounds) else int64


def _length(name: str, start: Any, end: Any, step: Any, dtype: DType) -> Any:
    if step == 0:
        raise Fault(f"{name}: step must not be 0", FaultCode.INVALID_ARGUMENT)
    for bound in (start, end):
        if isinstance(bound, float) and not math.isfinite(bound):
            raise Fault(f"{name}: the range from {start} to {end} is not finite", FaultCode.INVALID_ARGUMENT)
    backward = less(end, start) if not isinstance(start, float) and not isinstance(end, float) else end < start
    forward = less(start, end) if not isinstance(start, float) and not isinstance(end, float) else start < end
    if (step > 0 and backward is True) or (step < 0 and forward is True):
        raise Fault(f"{name}: from {start} to {end} is not reached in steps of {step}", FaultCode.INVALID_ARGUMENT)
    if not any(isinstance(b, float) for b in (start, end, step)):
        return ceildiv(end - start, step) if step > 0 else ceildiv(start - end, -step)
    if isinstance(start, Dim) or isinstance(end, Dim):
        return unknown_size()
    if dtype is int64:
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise ArgumentFault(f"{name}: step is 0 as an integer", FaultCode.INVALID_ARGUMENT)
    return math.ceil((end - start) / step)


def _ascending(start: Any, step: Any, length: Any, dtype: DType) -> Lazy | None:
    """Return the numbers of a range as torch computes them.

    It computes in double precision; in single precision, vectors of 8 (by pairs) begin at a rounded
    number, and the rest is computed one by one.
    """
    if dtype.name not in ("float32", "float64") and not _is_whole(dtype):
        return None

    def numbers(np: Any, first: Any, by: Any, count: Any) -> Any:
        i = np.arange(count)
        exact = first + by * i
        if dtype.name != "float32":
            return exact
        bases = (first + by * (i // 8 * 8)).astype("float32").astype("float64")
        return np.where(i < count // 16 * 16, bases + by * (i % 8), exact)

    return compute(numbers, start, step, length)


@op("torch.arange")
def arange(start=0, end=None, step=1, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    if end is None:
        start, end = 0, start
    start, end, step = (_number("arange", b) for b in (start, end, step))
    dtype = dtype_of(dtype, None) or _inferred(start, end, step)
    length = _length("arange", start, end, step, dtype)
    if _is_whole(dtype) and not any(isinstance(b, Dim) for b in (start, step)):
        start, step = int(start), int(step)
    values = _ascending(start, step, length, dtype)
    return Out((length,), dtype, values, device=device_of(device), requires_grad=requires_grad)


@op("torch.range")
def range(start=0, end=None, step=1, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    if end is None:
        start, end = 0, start
    start, end, step = (_number("range", b) for b in (start, end, step))
    dtype = dtype_of(dtype, default_dtype())
    _length("range", start, end, step, dtype)
    if any(isinstance(b, float) for b in (start, end, step)):
        length = math.floor((end - start) / step) + 1
    else:
        length = (end - start) // step + 1
    values = compute(lambda np, a, b, n: a + b * np.arange(n), start, step, length)
    return Out((length,), dtype, values, device=device_of(device), requires_grad=requires_grad)


def _evenly(np: Any, start: Any, end: Any, count: Any, dtype: DType) -> Any:
    """Count from both ends towards the middle, each number rounded once."""
    if count == 0:
        return np.zeros(0)
    first, last = np.asarray(start).astype(dtype.name), np.asarray(end).astype(dtype.name)
    if count == 1:
        return first.reshape(1)
    work = "float64" if _is_whole(dtype) else dtype.name
    step = (last.astype(work) - first.astype(work)) / np.asarray(count - 1).astype(work)
    step = step.astype(work).astype("float64")
    i = np.arange(count)
    near = first.astype("float64") + step * i
    far = last.astype("float64") - step * (count - i - 1)
    return np.where(i < count // 2, near, far)


def _listed(dtype: DType) -> Callable[[Any, Any, Any], list[float]]:
    """Return `_evenly` for floats, in the same steps."""

    def rounded(numbers: Sequence[float]) -> list[float]:
        return array("f" if dtype.name == "float32" else "d", numbers).tolist()

    def evenly(start: Any, end: Any, count: Any) -> list[float]:
        first, last = rounded([start, end])
        if count < 2:
            return [first] * count
        (difference, gaps) = rounded([last - first, count - 1])
        (step,) = rounded([difference / gaps])
        half = count // 2
        near = [first + step * i for i in builtins.range(half)]
        return rounded([*near, *(last - step * (count - i - 1) for i in builtins.range(half, count))])

    return evenly


@op("torch.linspace")
def linspace(start, end, steps, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    start, end = _number("linspace", start), _number("linspace", end)
    length = size("linspace", steps)
    dtype = dtype_of(dtype, None) or _spaced(start, end)
    values = None
    if not dtype.is_complex and dtype.name not in ("float16", "bfloat16"):
        listed = _listed(dtype) if dtype.name in ("float32", "float64") else None
        values = compute(lambda np, a, b, n: _evenly(np, a, b, n, dtype), start, end, length, listed=listed)
    return Out((length,), dtype, values, device=device_of(device), requires_grad=requires_grad)


def _spaced(start: Any, end: Any) -> DType:
    complex_ = isinstance(start, complex) or isinstance(end, complex)
    return default_dtype().to_complex() if complex_ else default_dtype()


@op("torch.logspace")
def logspace(
    start, end, steps, base=10.0, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False
):
    start, end = _number("logspace", start), _number("logspace", end)
    length = size("logspace", steps)
    dtype = dtype_of(dtype, None) or _spaced(start, end)
    values = None
    if dtype.name in ("float32", "float64"):
        values = compute(lambda np, a, b, n: np.power(base, _evenly(np, a, b, n, dtype)), start, end, length)
    return Out((length,), dtype, values, device=device_of(device), requires_grad=requires_grad)


@op("torch.eye")
def eye(n, m=None, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    rows = size("eye", n)
    columns = rows if m is None else size("eye", m)
    values = compute(lambda np, r, c: np.eye(r, c), rows, columns)
    dtype = dtype_of(dtype, default_dtype())
    return Out((rows, columns), dtype, values, device=device_of(device), requires_grad=requires_grad)


def _triangle(name: str) -> None:
    """Enter `tril_indices` or `triu_indices`."""

    def rule(row, col, offset=0, *, dtype=int64, device=None, layout=None, pin_memory=False):
        rows, columns = size(name, row), size(name, col)
        count: Any = unknown_size()
        if isinstance(rows, int) and isinstance(columns, int) and isinstance(offset, int):
            session.current().limit_parts(rows, "rows")
            below = sum(min(max(i + offset + (name == "tril_indices"), 0), columns) for i in builtins.range(rows))
            count = below if name == "tril_indices" else rows * columns - below
        numbers = lambda np, r, c, k: np.stack(getattr(np, name)(r, k, c))
        return Out((2, count), dtype, compute(numbers, rows, columns, offset), device=device_of(device))

    rule.__name__ = name
    op(f"torch.{name}")(rule)


_triangle("tril_indices")
_triangle("triu_indices")


def _windowed(name: str, length: Any, dtype: Any, device: Any, requires_grad: Any) -> Out:
    made = dtype_of(dtype, default_dtype())
    if _is_whole(made):
        raise TypeFault(f"{name}: needs a floating dtype, but got {made.name}", FaultCode.UNSUPPORTED_DTYPE)
    return Out((size(name, length),), made, device=device_of(device), requires_grad=requires_grad)


def _window(name: str) -> None:
    def rule(
        window_length, periodic=True, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False
    ):
        return _windowed(name, window_length, dtype, device, requires_grad)

    rule.__name__ = name
    op(f"torch.{name}")(rule)


for _name in ("hann_window", "blackman_window", "bartlett_window"):
    _window(_name)


@op("torch.hamming_window")
def hamming_window(
    window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None, layout=None, device=None,
    requires_grad=False, pin_memory=False,
):  # fmt: skip
    return _windowed("hamming_window", window_length, dtype, device, requires_grad)


@op("torch.kaiser_window")
def kaiser_window(
    window_length, periodic=True, beta=12.0, *, dtype=None, layout=None, device=None, requires_grad=False,
    pin_memory=False,
):  # fmt: skip
    return _windowed("kaiser_window", window_length, dtype, device, requires_grad)
