"""Elementwise functions of three operands: selection, limits, interpolation, fused arithmetic."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.torch.elementwise.rows import at, common, elementwise, operand, refuse, rule_of, shape_of, tensor
from cutaway.knowledge.torch.tensor.op import RULES, Out, compute, op
from cutaway.knowledge.torch.tensor.promote import promote_types, result_type
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import bool_, uint8
from cutaway.ops.elementwise import broadcast


def _where(condition: Any, input: Any, other: Any) -> Out:
    tensor("where", condition, "condition")
    if condition.dtype not in (bool_, uint8):
        raise Fault(
            f"where: condition must be a bool tensor, but is {condition.dtype.name}", FaultCode.UNSUPPORTED_DTYPE
        )
    left, right = operand("where", input), operand("where", other)
    dtype = result_type(left, right)
    shape = broadcast("where", condition.shape, shape_of(left), shape_of(right))
    chosen = condition.values_
    if chosen is None:
        return Out(shape, dtype)
    return Out(shape, dtype, at(dtype, lambda np, a, b: np.where(chosen.array() != 0, a, b), left, right))


@op("torch.where")
def where(condition, input=None, other=None):
    if input is None and other is None:
        return rule_of(RULES["torch.nonzero"])(condition, as_tuple=True)
    return _where(condition, input, other)


@op("torch.Tensor.where")
def where_method(self, condition, other):
    return _where(condition, self, other)


def _clamp(name: str, input: Any, low: Any, high: Any) -> Out:
    tensor(name, input)
    if low is None and high is None:
        raise Fault(f"{name}: min or max must be given", FaultCode.MISSING_ARGUMENT)
    bounds = [operand(name, b) for b in (low, high) if b is not None]
    if len(bounds) == 2 and isinstance(bounds[0], Tensor) != isinstance(bounds[1], Tensor):
        if not all(shape_of(b) == () for b in bounds):
            raise TypeFault(f"{name}: min and max must both be tensors or both be numbers", FaultCode.WRONG_TYPE)
    shape, dtype = common(name, input, *bounds)
    refuse(name, dtype, "c")

    def numbers(np: Any, a: Any, *limits: Any) -> Any:
        rest = list(limits)
        if low is not None:
            a = np.maximum(a, rest.pop(0))
        return np.minimum(a, rest.pop(0)) if high is not None else a

    return Out(shape, dtype, at(dtype, numbers, input, *bounds))


@elementwise("torch.clamp", "torch.Tensor.clamp", "torch.clip", "torch.Tensor.clip", inplace_function=True)
def clamp(input, min=None, max=None):
    return _clamp("clamp", input, min, max)


@elementwise("torch.clamp_min", "torch.Tensor.clamp_min", inplace_function=True)
def clamp_min(input, min):
    return _clamp("clamp_min", input, min, None)


@elementwise("torch.clamp_max", "torch.Tensor.clamp_max", inplace_function=True)
def clamp_max(input, max):
    return _clamp("clamp_max", input, None, max)


@elementwise("torch.lerp", "torch.Tensor.lerp", inplace=True)
def lerp(input, end, weight):
    tensor("lerp", input), tensor("lerp", end, "end")
    for which, value in (("end", end), ("weight", weight)):
        if not isinstance(value, Tensor):
            continue
        if value.dtype is not input.dtype and not (which == "weight" and shape_of(value) == ()):
            raise Fault(
                f"lerp: {which} is {value.dtype.name}, but input is {input.dtype.name}", FaultCode.DTYPE_MISMATCH
            )
    if not isinstance(weight, Tensor) or weight.dtype is input.dtype:
        refuse("lerp", input.dtype, "bi")
    amount = operand("lerp", weight)
    shape = broadcast("lerp", input.shape, shape_of(end), shape_of(amount))

    def numbers(np: Any, a: Any, b: Any, w: Any) -> Any:
        return np.where(np.abs(w) < 0.5, a + w * (b - a), b - (b - a) * (1 - w))

    dtype = input.dtype if input.dtype.is_floating_point or input.dtype.is_complex else result_type(input, amount)
    return Out(shape, dtype, at(dtype, numbers, input, end, amount))


def _fused(name: str, input: Any, tensor1: Any, tensor2: Any, value: Any) -> tuple[Any, Any]:
    for which, factor in (("input", input), ("tensor1", tensor1), ("tensor2", tensor2)):
        tensor(name, factor, which)
    return common(name, input, tensor1, tensor2)


@elementwise("torch.addcmul", "torch.Tensor.addcmul", inplace=True)
def addcmul(input, tensor1, tensor2, *, value=1):
    shape, dtype = _fused("addcmul", input, tensor1, tensor2, value)
    refuse("addcmul", dtype, "b")
    return Out(shape, dtype)


@elementwise("torch.addcdiv", "torch.Tensor.addcdiv", inplace=True)
def addcdiv(input, tensor1, tensor2, *, value=1):
    shape, dtype = _fused("addcdiv", input, tensor1, tensor2, value)
    divided = promote_types(tensor1.dtype, tensor2.dtype)
    if not (divided.is_floating_point or divided.is_complex):
        raise Fault(
            f"addcdiv: tensor1 and tensor2 are {divided.name}, but integer division is not supported",
            FaultCode.UNSUPPORTED_DTYPE,
        )
    return Out(shape, dtype)


@op("torch.complex")
def complex(real, imag):
    tensor("complex", real, "real"), tensor("complex", imag, "imag")
    for which, part in (("real", real), ("imag", imag)):
        if not part.dtype.is_floating_point or part.dtype.name == "bfloat16":
            raise Fault(
                f"complex: {which} must be half, float or double, but is {part.dtype.name}", FaultCode.UNSUPPORTED_DTYPE
            )
    if real.dtype is not imag.dtype:
        raise Fault(f"complex: real is {real.dtype.name}, but imag is {imag.dtype.name}", FaultCode.DTYPE_MISMATCH)
    shape = broadcast("complex", real.shape, imag.shape)
    return Out(shape, real.dtype.to_complex(), compute(lambda np, a, b: a + 1j * b, real, imag))


@op("torch.polar")
def polar(abs, angle):
    tensor("polar", abs, "abs"), tensor("polar", angle, "angle")
    if not abs.dtype.is_floating_point or abs.dtype.name in ("float16", "bfloat16"):
        raise Fault(f"polar: abs must be float or double, but is {abs.dtype.name}", FaultCode.UNSUPPORTED_DTYPE)
    if abs.dtype is not angle.dtype:
        raise Fault(f"polar: abs is {abs.dtype.name}, but angle is {angle.dtype.name}", FaultCode.DTYPE_MISMATCH)
    shape = broadcast("polar", abs.shape, angle.shape)
    dtype = abs.dtype.to_complex()
    return Out(shape, dtype, at(abs.dtype, lambda np, a, b: a * np.exp(1j * b), abs, angle))
