"""How elementwise rows are made: operands, their common shape and dtype, numbers, in-place forms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from cutaway.core import dtype as kinds
from cutaway.core.fault import Fault, NotImplementedFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.protocols import has_no_numbers, is_tensor
from cutaway.core.size.dim import Dim, equal, product
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.array_memory import is_lost
from cutaway.knowledge.base.values import Lazy, known
from cutaway.knowledge.torch.tensor.op import Out, compute, inplace_op, op
from cutaway.knowledge.torch.tensor.promote import result_type
from cutaway.knowledge.torch.tensor.tensor import Tensor, new
from cutaway.knowledge.torch.tensor.types import DTYPES, DType
from cutaway.ops.elementwise import broadcast, written

NUMBERS = (bool, int, float, complex, Dim)
_LETTERS = {"b": kinds.BOOL, "i": kinds.INTEGER, "f": kinds.FLOATING, "c": kinds.COMPLEX}
_WIDE = {"float32": "float64", "complex64": "complex128"}


def operand(name: str, value: Any) -> Any:
    """Return a tensor or a Python number as it is, numpy's as one of these."""
    if isinstance(value, (Tensor, *NUMBERS)):
        return value
    if isinstance(value, Unknown):
        if value.kind in (int, float):  # one number that is not known, which a tensor without dimensions promotes as
            return new((), DTYPES["int64"] if value.kind is int else None)
        raise Undecidable(value)
    if is_numpy(value):
        if not getattr(value, "shape", ()) and not hasattr(value, "__setitem__"):
            return value.item()
        return of_numpy(value)
    raise TypeFault(f"{name}: expected a tensor or a number, but got {type(value).__name__}", FaultCode.WRONG_TYPE)


def is_numpy(value: Any) -> bool:
    """Tell whether `value` is a numpy array or a numpy number."""
    return type(value).__module__ == "numpy" and hasattr(value, "dtype") and hasattr(value, "item")


def of_numpy(array: Any) -> Any:
    """Return the tensor that has the numbers of a numpy array."""
    dtype = DTYPES.get(array.dtype.name)
    if dtype is None:
        raise TypeFault(f"a numpy array of {array.dtype} can't become a tensor", FaultCode.WRONG_TYPE)
    return new(array.shape, dtype, values=numbers_of(array))


def numbers_of(array: Any) -> Any:
    """Return the numbers of a numpy array as a tensor carries them; None where they are not known."""
    if has_no_numbers(array):
        return None
    return None if is_lost(array) else known(array.copy())


def shape_of(value: Any) -> Any:
    """Return the shape of an operand; a number has none."""
    return value.shape if isinstance(value, Tensor) else ()


def common(name: str, *operands: Any) -> tuple[Any, DType]:
    """Return the shape and dtype that operands combine to."""
    return broadcast(name, *map(shape_of, operands)), result_type(*operands)


def refuse(name: str, dtype: DType, categories: str) -> None:
    """Raise where torch implements no kernel for a category of dtype: `b`, `i`, `f`, `c`; `h` for half."""
    for letter in categories:
        if letter == "h":
            refused = dtype.name in ("float16", "bfloat16")
        else:
            refused = kinds.category(dtype.name) == _LETTERS[letter]
        if refused:
            raise NotImplementedFault(
                f"{name} is not implemented for {dtype.name} tensors", FaultCode.UNSUPPORTED_DTYPE
            )


def refuse_filled(name: str, input: Any, categories: str) -> None:
    """Raise like `refuse`, where the kernel is reached: it is not for an empty tensor or for a scalar."""
    if not isinstance(input.shape, Unknown) and input.shape and equal(product(input.shape), 0) is False:
        refuse(name, input.dtype, categories)


def tensor(name: str, value: Any, which: str = "input") -> Any:
    """Return a tensor argument; anything else is an error of the target."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Unknown):
        raise Undecidable(value)
    if is_tensor(value):
        raise Undecidable(Unknown("the tensor of another framework"))
    raise TypeFault(f"{name}: {which} must be a tensor, but got {type(value).__name__}", FaultCode.WRONG_TYPE)


def at(dtype: DType, function: Callable[..., Any], *operands: Any, wide: bool = True) -> Lazy | None:
    """Defer `function(numpy, *arrays)` on the operands converted to `dtype`.

    Single precision is then widened: the result is rounded once, which is what torch's kernels
    (correctly rounded operations, fused multiply-add, accurate functions) come to. Half precision
    is not computed: torch rounds it differently from kernel to kernel.
    """
    if dtype.name in ("float16", "bfloat16", "complex32") or dtype.name.startswith("float8"):
        return None

    def convert(np: Any, value: Any) -> Any:
        array = np.asarray(value).astype(dtype.name)
        return array.astype(_WIDE[dtype.name]) if wide and dtype.name in _WIDE else array

    return compute(lambda np, *arrays: function(np, *(convert(np, a) for a in arrays)), *operands)


def rule_of(row: Any) -> Any:
    """Return the rule behind a row, for a row that returns the same `Out`s."""
    return row.__wrapped__


def elementwise(
    *names: str, inplace: bool = False, inplace_function: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a rule like `op`; its in-place form checks that the result fits the first operand."""

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        caller = op(*names)(rule)
        owners = ("torch.Tensor", "torch") if inplace_function else ("torch.Tensor",)
        if inplace or inplace_function:
            short = dict.fromkeys(n.rpartition(".")[2] for n in names if n.count(".") == 1 or "Tensor" in n)
            inplace_op(*(f"{owner}.{n}_" for owner in owners for n in short))(into_first(rule))
        return caller

    return decorate


def into_first(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return the rule whose result is written into its first argument."""

    @functools.wraps(rule)
    def write(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(self, Tensor):
            raise TypeFault(f"{rule.__name__}_: expected a tensor, but got {type(self).__name__}", FaultCode.WRONG_TYPE)
        try:
            result = rule(self, *args, **kwargs)
        except Undecidable as undecidable:
            if type(undecidable) is not Undecidable:
                raise
            return Out(self.shape, self.dtype)
        return fit(f"{rule.__name__}_", self, result)

    return write


def fit(name: str, target: Tensor, result: Out) -> Out:
    """Return `result` as it is after being written into `target`."""
    shape = target.shape
    if not isinstance(shape, Unknown) and not isinstance(result.shape, Unknown):
        same_rank = len(shape) == len(result.shape)
        if not same_rank or any(equal(a, b) is False for a, b in zip(shape, result.shape)):
            raise Fault(
                f"{name}: the result has shape {written(result.shape)}, "
                f"but the tensor it is written to has shape {written(shape)}",
                FaultCode.SHAPE_MISMATCH,
            )
    if kinds.category(result.dtype.name) > kinds.category(target.dtype.name):
        raise Fault(
            f"{name}: the result is {result.dtype.name}, which can't be written to a tensor of {target.dtype.name}",
            FaultCode.DTYPE_MISMATCH,
        )
    return Out(shape, target.dtype, result.values)
