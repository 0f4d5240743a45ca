"""The dataflow of a program, as rules ask about it: which operation makes a value."""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.program import Program
from cutaway.core.session import Operation, Reference
from cutaway.core.unknown import Unknown

_PASSES = frozenset(
    "view reshape squeeze unsqueeze flatten contiguous clone permute transpose float to double type_as".split()
)
"""Operations whose result has the same numbers."""


def named(*functions: str) -> frozenset[str]:
    """Return the names under which PyTorch offers functions."""
    homes = ("torch", "torch.nn.functional", "torch.Tensor", "torch.special")
    return frozenset(f"{home}.{function}" for home in homes for function in functions)


def short(operation: Operation) -> str:
    """Return the last part of an operation's name."""
    return operation.op.rpartition(".")[2]


class Graph:
    """Operations by the values that they make."""

    def __init__(self, program: Program) -> None:
        self._makers: dict[int, Operation] = {}
        for operation in program.record.operations:
            for output in operation.outputs:
                if output.number:
                    self._makers.setdefault(output.number, operation)

    def maker(self, value: Reference) -> Operation | None:
        """Return the operation that has computed a value; what only arranges it is passed through."""
        seen: set[int] = set()
        while value.number not in seen:
            seen.add(value.number)
            operation = self._makers.get(value.number)
            if operation is None or short(operation) not in _PASSES or not operation.inputs:
                return operation
            value = operation.inputs[0]
        return None


def calls_of(program: Program, names: frozenset[str]) -> Iterator[Operation]:
    """Yield the operations of some names, each place once."""
    seen: set[object] = set()
    for operation in program.record.operations:
        if operation.op in names and operation.inputs and operation.place not in seen:
            seen.add(operation.place)
            yield operation


def shape_text(value: Reference) -> str:
    """Return the shape of a value in words."""
    return "unknown shape" if isinstance(value.shape, Unknown) else "x".join(map(str, value.shape)) or "a scalar"
