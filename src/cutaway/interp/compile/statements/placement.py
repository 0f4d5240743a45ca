"""Branches on the devices of the machine that only say where tensors are kept: nothing else depends on them."""

from __future__ import annotations

import ast

from cutaway.core.unknown import Unknown, is_placement, placed
from cutaway.interp.boundary.call import is_of_library
from cutaway.interp.compile.assignment import assign_target
from cutaway.interp.compile.statements.undecided import UndecidedCode
from cutaway.interp.run.frame import Execute, Frame
from cutaway.knowledge.base.framework import moves
from cutaway.syntax.scope import assigned


class PlacementCode(UndecidedCode):
    """Recognises code that places a network on a device."""

    def only_places(self, frame: Frame, node: ast.If) -> bool:
        """Tell whether what a branch that may only place something calls is a library's, and its names are devices'."""
        called = [each.value.func for each in (*node.body, *node.orelse) if _is_call(each)]  # type: ignore[attr-defined]
        if not all(is_of_library(self.current_value(frame, function)) for function in called):
            return False
        before = [self._value(frame, name) for name in assigned(node.body) ^ assigned(node.orelse)]
        return all(isinstance(value, str) or is_placement(value) for value in before)

    def _value(self, frame: Frame, name: str) -> object:
        try:
            return self.expression(ast.Name(name, ast.Load()))(frame)
        except NameError:
            return None

    def place(self, frame: Frame, node: ast.If, test: Unknown, branch: Execute) -> object | None:
        """Run the branch that is usually taken; the devices that it names depend on the machine."""
        result = branch(frame)
        for name in sorted(assigned([*node.body, *node.orelse])):
            value = self._value(frame, name)
            if not is_placement(value):
                assign_target(self, ast.Name(name, ast.Store()))(frame, placed(test, value))
        return result


def may_only_place(node: ast.If) -> bool:
    """Tell whether branches consist of statements that name devices, or that move something to one."""
    first, second = _names(node.body), _names(node.orelse)
    return first is not None and second is not None and (first == second or not first or not second)


def _names(body: list[ast.stmt]) -> set[str] | None:
    """Return the names that statements bind to devices; None if they may do anything else."""
    bound: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.Assign):
            if not isinstance(statement.value, ast.Constant) or not isinstance(statement.value.value, str):
                return None
            if not all(isinstance(target, ast.Name) for target in statement.targets):
                return None
            bound.update(target.id for target in statement.targets if isinstance(target, ast.Name))
        elif not isinstance(statement, ast.Pass) and not _is_call(statement):
            return None
    return bound


def _is_call(statement: ast.stmt) -> bool:
    """Tell whether a statement calls a method that moves something to a device."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    function, arguments = statement.value.func, statement.value.args
    is_plain = all(isinstance(each, (ast.Name, ast.Constant)) for each in arguments) and not statement.value.keywords
    return isinstance(function, ast.Attribute) and moves(function.attr) and is_plain
