"""`torch.einsum`."""

from __future__ import annotations

from typing import Any

from cutaway.core import dtype as kinds
from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Size, equal
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.torch.linalg.matmul import product_dtype, require_tensors
from cutaway.knowledge.torch.tensor.memory import elementwise
from cutaway.knowledge.torch.tensor.op import Out, compute, op, temporary
from cutaway.knowledge.torch.tensor.promote import result_type
from cutaway.knowledge.torch.tensor.tensor import Tensor, strides_of
from cutaway.knowledge.torch.tensor.types import int64
from cutaway.ops import einsum as equations
from cutaway.ops import layout


@op("torch.einsum", "torch.functional.einsum")
def einsum(equation, *operands):
    return contract(*_einsum_arguments((equation, *operands)))


def contract(equation: str, operands: list[Tensor]) -> Out:
    """Return what `einsum` makes of an equation in letters."""
    session.current().limit_parts(len(operands) ** 2, "pairs of operands")
    shapes = [t.shape for t in operands]
    read = equations.parse(equation, [len(s) for s in shapes])
    extent = equations.sizes(read, shapes, equation)
    shape = equations.shape(read, extent)
    if len(operands) == 1:
        dtype = operands[0].dtype
        summed = set(read.operands[0]) - set(read.output)
        if summed and kinds.category(dtype.name) < kinds.FLOATING:
            dtype = int64
        macs: Size = 0
    else:
        macs = equations.macs(read, shapes)
        contracts = macs != 0 or any(equal(s, 0) is True for shape_ in shapes for s in shape_)
        dtype = product_dtype("einsum", *operands) if contracts else result_type(*operands)
        if kinds.category(dtype.name) < kinds.FLOATING and equations.sums_alone(read, shapes):
            dtype = int64
        summed = {""}
    drops = "..." in equation and "->" in equation and "..." not in equation.partition("->")[2]
    values = None if drops else compute(lambda np, *arrays: np.einsum(equation, *arrays), *operands)
    strides = _strides(read, operands, shape)
    return Out(
        shape, dtype, values, macs=macs, view=not summed, strides=strides, temporaries=_copies(read, operands, strides)
    )


def _copies(read: equations.Equation, operands: list[Tensor], strides: Any) -> list[Any]:
    """Return the copies of operands that can't be turned into batches of matrices as they lie."""
    lies = None if strides is None else equations.order(read, [t.shape for t in operands])
    if lies is None:
        return []
    copies = []
    for operand, (order, wanted) in zip(operands, equations.flattened(read, [t.shape for t in operands], lies)):
        own = strides_of(operand)
        if own is None:
            continue
        turned = [operand.shape[at] for at in order]
        if layout.reshaped(turned, tuple(own[at] for at in order), wanted) == layout.COPY:
            copies.append(temporary(wanted, operand.dtype.name, operand))
    return copies


def _strides(read: equations.Equation, operands: list[Tensor], shape: tuple[Size, ...]) -> Any:
    """Return how what is made of two operands lies in memory; None where that is not told."""
    shapes = [t.shape for t in operands]
    pairs = [pair for labels, sizes in zip(read.operands, shapes) for pair in zip(labels, sizes)]
    single = any(equal(size, 1) is not False for label, size in pairs if label not in read.output)
    if len(operands) != 2 or single or any(len(set(labels)) != len(labels) for labels in read.operands):
        return None  # summing what has one element changes the way it is made
    order = equations.order(read, shapes)
    if order is not None:
        sizes = dict(zip(read.output, shape))
        found = layout.standard([sizes[label] for label in order])
        lying = {} if found is None else dict(zip(order, found))
        return tuple(lying[label] for label in read.output) if lying else None
    if equations.sums_alone(read, shapes):
        return None
    known = []
    for labels, tensor in zip(read.operands, operands):
        own = dict(zip(labels, zip(tensor.shape, strides_of(tensor) or ())))
        if len(own) != len(labels):
            return None
        lie = [own.get(label, (1, 1)) for label in read.output]
        known.append(([size for size, _ in lie], tuple(stride for _, stride in lie)))
    return elementwise(shape, known)


def _einsum_arguments(args: Any) -> tuple[str, list[Tensor]]:
    """Return an equation in letters and the operands, from either form of the call."""
    if not args:
        raise ArgumentFault("einsum: expects an equation and at least one operand", FaultCode.INVALID_ARGUMENT)
    if not isinstance(args[0], Tensor):
        equation, *rest = args
        if isinstance(equation, Unknown):
            raise Undecidable(equation)
        if not isinstance(equation, str) or not rest:
            raise ArgumentFault("einsum: expects an equation and at least one operand", FaultCode.INVALID_ARGUMENT)
        operands = list(rest[0]) if len(rest) == 1 and isinstance(rest[0], (list, tuple)) else rest
        require_tensors("einsum", *operands)
        return equation, operands
    terms = ["".join(_letter(i) for i in indices) for indices in args[1::2]]
    output = f"->{''.join(_letter(i) for i in args[-1])}" if len(args) % 2 else ""
    return ",".join(terms) + output, list(args[: len(args) // 2 * 2 : 2])


def _letter(index: Any) -> str:
    if index is Ellipsis:
        return "..."
    if not 0 <= index < 52:
        raise Fault(f"einsum: index {index} is not within 0 and 51", FaultCode.INVALID_ARGUMENT)
    return chr(ord("A") + index) if index < 26 else chr(ord("a") + index - 26)
