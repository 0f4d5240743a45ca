"""Running reductions along one dimension, and differences and integrals of neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, less, maximum
from cutaway.knowledge.torch.elementwise.rows import elementwise, refuse, refuse_filled
from cutaway.knowledge.torch.reduction.reduce import methods, numbers_over, one, pair, summed
from cutaway.knowledge.torch.tensor.op import Out, compute, op
from cutaway.knowledge.torch.tensor.options import size
from cutaway.knowledge.torch.tensor.promote import float_type, result_type
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import int64
from cutaway.ops import reduce
from cutaway.ops.elementwise import broadcast


def _scan(name: str, accumulate: Callable[..., Any]) -> None:
    def rule(input, dim, *, dtype=None):
        one(name, dim)
        along = reduce.axis(name, dim, len(input.shape))
        made = dtype or summed(input.dtype)
        numbers = lambda np, a, axis: accumulate(np, a, along) if a.ndim else a
        return Out(input.shape, made, numbers_over(made, numbers, input, ()))

    rule.__name__ = name
    elementwise(*methods(name), inplace=True)(rule)


_scan("cumsum", lambda np, a, axis: np.cumsum(a, axis))
_scan("cumprod", lambda np, a, axis: np.cumprod(a, axis))


def _running_extreme(name: str) -> None:
    made = pair(f"cum{name}")

    def rule(input, dim):
        one(f"cum{name}", dim)
        refuse_filled(f"cum{name}", input, "c")
        along = reduce.axis(f"cum{name}", dim, len(input.shape))

        def numbers(np: Any, a: Any) -> Any:
            return getattr(np, f"{name}imum").accumulate(a, along) if a.ndim else a

        return made(Out(input.shape, input.dtype, compute(numbers, input)), Out(input.shape, int64))

    rule.__name__ = f"cum{name}"
    op(*methods(f"cum{name}"))(rule)


_running_extreme("max")
_running_extreme("min")


@op(*methods("logcumsumexp"))
def logcumsumexp(input, dim):
    refuse("logcumsumexp", input.dtype, "bi")
    one("logcumsumexp", dim)
    along = reduce.axis("logcumsumexp", dim, len(input.shape))
    numbers = lambda np, a, axis: np.logaddexp.accumulate(a, along) if a.ndim else a
    values = None if input.dtype.is_complex else numbers_over(input.dtype, numbers, input, ())
    return Out(input.shape, input.dtype, values)


@op(*methods("diff"))
def diff(input, n=1, dim=-1, prepend=None, append=None):
    if not input.shape:
        raise Fault("diff: needs at least 1 dimension, but the input has 0", FaultCode.WRONG_RANK)
    n = size("diff", n)
    if n == 0:
        return Out(input.shape, input.dtype, compute(lambda np, a: a, input))
    along = reduce.axis("diff", dim, len(input.shape))
    parts = [p for p in (prepend, input, append) if p is not None]
    if len(parts) == 1 and equal(input.shape[along], 0) is True:
        return input
    length = sum(p.shape[along] for p in parts)
    shape = tuple(maximum(length - n, 0) if i == along else s for i, s in enumerate(input.shape))
    dtype = result_type(*parts)

    def numbers(np: Any, *arrays: Any) -> Any:
        whole = np.concatenate(arrays, along)
        return np.diff(whole, min(n, whole.shape[along]), along)

    return Out(shape, dtype, compute(numbers, *parts))


def _integral(name: str, running: bool) -> None:
    def rule(y, x=None, *, dx=None, dim=-1):
        along = reduce.axis(name, dim, len(y.shape))
        shape = tuple(maximum(s - 1, 0) if i == along else s for i, s in enumerate(y.shape))
        if equal(y.shape[along], 0) is True and not running:
            return Out((*shape[:along], *shape[along + 1 :]), y.dtype)
        dtype = float_type(y.dtype)
        if isinstance(x, Tensor):
            dtype = float_type(result_type(y, x))
            if len(x.shape) > 1:
                back = along - len(y.shape) + len(x.shape)
                steps = tuple(maximum(s - 1, 0) if i == back else s for i, s in enumerate(x.shape))
                shape = broadcast(name, shape, steps)
                along += len(shape) - len(y.shape)
        return Out(shape if running else (*shape[:along], *shape[along + 1 :]), dtype)

    rule.__name__ = name
    op(f"torch.{name}")(rule)


@op("torch.gradient")
def gradient(input, *, spacing=1, dim=None, edge_order=1):
    if edge_order not in (1, 2) or isinstance(edge_order, float):
        raise Fault(f"gradient: edge_order must be 1 or 2, but is {edge_order}", FaultCode.INVALID_ARGUMENT)
    dims = reduce.axes("gradient", dim, len(input.shape))
    for d in dims:
        if less(input.shape[d], edge_order + 1) is True:
            raise Fault(
                f"gradient: dimension {d} has size {input.shape[d]}, but edge_order={edge_order} needs {edge_order + 1}",
                FaultCode.SHAPE_MISMATCH,
            )
    return tuple(Out(input.shape, float_type(input.dtype)) for _ in dims)


_integral("trapezoid", False)
_integral("trapz", False)
_integral("cumulative_trapezoid", True)


@op("torch._higher_order_ops.associative_scan.associative_scan")
def associative_scan(combine_fn, xs, dim, reverse=False, combine_mode="pointwise"):
    if isinstance(xs, Tensor):
        return Out(xs.shape, xs.dtype)
    return tuple(Out(x.shape, x.dtype) for x in xs)
