"""Python's operators on tensors: each is a named function, and declines foreign operands."""

from __future__ import annotations

import functools

from cutaway.core import session
from cutaway.core.fault import TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.record import replace
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import TABLE
from cutaway.knowledge.torch.elementwise import binary, ternary, unary
from cutaway.knowledge.torch.elementwise.rows import NUMBERS, is_numpy
from cutaway.knowledge.torch.shape import arrange
from cutaway.knowledge.torch.tensor.op import composite
from cutaway.knowledge.torch.tensor.tensor import Tensor

_ = arrange, binary, ternary, unary  # their rows are what the operators call


def _operator(name: str, target: str, *, swapped: bool = False) -> None:
    """Enter `__name__` as the row `target`, with the operands exchanged if `swapped`."""
    row = TABLE[target]

    @functools.wraps(row)
    def method(self, other, **options):
        if not isinstance(other, (Tensor, Unknown, *NUMBERS)) and not is_numpy(other):
            return NotImplemented
        return row(other, self, **options) if swapped else row(self, other, **options)

    vars(method)["__row__"] = replace(row.__row__, swapped=swapped)
    composite(f"torch.Tensor.__{name}__")(method)


for _name, _target in {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "div": "div", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "pow", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}.items():  # fmt: skip
    _operator(_name, f"torch.{_target}")
    _operator(f"i{_name}", f"torch.Tensor.{_target}_")
for _name, _target in {
    "radd": "add", "rmul": "mul", "rand": "bitwise_and", "ror": "bitwise_or", "rxor": "bitwise_xor",
    "eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge",
}.items():  # fmt: skip
    _operator(_name, f"torch.{_target}")
for _name, _target in {
    "rfloordiv": "floor_divide", "rmod": "remainder", "rpow": "pow",
    "rlshift": "bitwise_left_shift", "rrshift": "bitwise_right_shift",
}.items():  # fmt: skip
    _operator(_name, f"torch.{_target}", swapped=True)
_operator("rsub", "torch.rsub")
_operator("rtruediv", "torch.Tensor.__rdiv__")

for _name, _target in {"neg": "neg", "pos": "positive", "abs": "abs"}.items():
    composite(f"torch.Tensor.__{_name}__")(TABLE[f"torch.{_target}"])


@composite("torch.Tensor.__reversed__")
def reversed_(self):
    return TABLE["torch.flip"](self, (0,)) if self.shape else self


@composite("torch.Tensor.__invert__")
def invert(self):
    if self.dtype.is_floating_point or self.dtype.is_complex:
        fault = TypeFault(f"~ needs an integer or bool tensor, but got {self.dtype.name}", FaultCode.UNSUPPORTED_DTYPE)
        session.current().report(fault)
        raise fault
    return TABLE["torch.bitwise_not"](self)


for _method, _target in ((reversed_, "torch.flip"), (invert, "torch.bitwise_not")):
    vars(_method)["__row__"] = TABLE[_target].__row__
