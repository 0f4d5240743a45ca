"""Yields inside expressions, moved in front of them in the order of evaluation.

`f(a(), (yield b()))` becomes `.h0 = f; .h1 = a(); .h2 = yield b()` and the expression `.h0(.h1, .h2)`,
whose names no source can contain. Operands that may not be evaluated at all, those after `and` and `or`
and in a conditional expression, become `if` statements.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from cutaway.syntax.scope import yields

_PLAIN = (ast.Constant, ast.Lambda)


class Hoist:
    """Moves the yields out of the expressions of one function; `names` are the temporary names so far."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def expression(self, node: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
        """Return statements to run first, and the remaining expression, which contains no yield."""
        before: list[ast.stmt] = []
        return before, self._rewrite(node, before)

    def _rewrite(self, node: ast.expr, before: list[ast.stmt]) -> ast.expr:
        if not yields(node):
            return node
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            if node.value is not None:
                node = self._copy(node, value=self._rewrite(node.value, before))
            return self._store(node, before)
        if isinstance(node, ast.BoolOp):
            return self._short_circuit(node, before)
        if isinstance(node, ast.IfExp):
            test = self._rewrite(node.test, before)
            name = self._name()
            branches = [self._assignment(name, side) for side in (node.body, node.orelse)]
            before.append(ast.copy_location(ast.If(test, *branches), node))
            return ast.copy_location(ast.Name(name, ast.Load()), node)
        rest: ast.expr = self._operands(node, before)
        return rest

    def _short_circuit(self, node: ast.BoolOp, before: list[ast.stmt]) -> ast.expr:
        name = self._name()
        block = before
        for index, value in enumerate(node.values):
            block.extend(self._assignment(name, value))
            if index + 1 < len(node.values):
                read = ast.copy_location(ast.Name(name, ast.Load()), node)
                test: ast.expr = read if isinstance(node.op, ast.And) else ast.UnaryOp(ast.Not(), read)
                inner: list[ast.stmt] = []
                block.append(ast.copy_location(ast.If(ast.copy_location(test, node), inner, []), node))
                block = inner
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def _assignment(self, name: str, value: ast.expr) -> list[ast.stmt]:
        before, rest = self.expression(value)
        target = ast.copy_location(ast.Name(name, ast.Store()), value)
        return [*before, ast.copy_location(ast.Assign([target], rest), value)]

    def _operands(self, node: Any, before: list[ast.stmt]) -> Any:
        """Rewrite the operands of an expression; those before a yield are evaluated before it."""
        operands = list(_operands(node))
        last = max(index for index, (_, _, operand) in enumerate(operands) if yields(operand))
        copy = self._copy(node)
        for field in copy._fields:
            if isinstance(getattr(copy, field, None), list):
                setattr(copy, field, list(getattr(copy, field)))
        for index, (field, position, operand) in enumerate(operands):
            rewritten = self._operand(operand, before, index < last)
            if position is None:
                setattr(copy, field, rewritten)
            else:
                getattr(copy, field)[position] = rewritten
        return copy

    def _operand(self, node: Any, before: list[ast.stmt], before_yield: bool) -> Any:
        if isinstance(node, (ast.Starred, ast.keyword, ast.FormattedValue)):
            return self._copy(node, value=self._operand(node.value, before, before_yield))
        if isinstance(node, ast.Slice):
            parts = {f: getattr(node, f) for f in ("lower", "upper", "step") if getattr(node, f) is not None}
            return self._copy(node, **{f: self._operand(part, before, before_yield) for f, part in parts.items()})
        rest = self._rewrite(node, before)
        if not before_yield or isinstance(rest, _PLAIN) or (isinstance(rest, ast.Name) and rest.id.startswith(".")):
            return rest
        return self._store(rest, before)

    def _store(self, node: ast.expr, before: list[ast.stmt]) -> ast.expr:
        name = self._name()
        before.append(ast.copy_location(ast.Assign([ast.copy_location(ast.Name(name, ast.Store()), node)], node), node))
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def _name(self) -> str:
        self.names.append(f".h{len(self.names)}")
        return self.names[-1]

    @staticmethod
    def _copy(node: Any, **fields: Any) -> Any:
        return ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), **fields}), node)

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """Return what replaces a simple statement: its only yields are of the form `name = yield ...`."""
        if isinstance(node, ast.AugAssign):
            return self._augmented(node)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            if isinstance(node.value, (ast.Yield, ast.YieldFrom)) and not any(map(yields, targets_of(node))):
                before: list[ast.stmt] = []
                value = node.value
                if value.value is not None:
                    value = self._copy(value, value=self._rewrite(value.value, before))
                return [*before, self._copy(node, value=value)]
        copy, before = self._copy(node), []
        for field in ("value", "test", "msg", "exc", "cause"):  # in the order of evaluation
            part = getattr(copy, field, None)
            if isinstance(part, ast.expr):
                rest = self._rewrite(part, before)
                setattr(copy, field, rest)
        if isinstance(node, (ast.Assign, ast.Delete)):
            copy.targets = [self._target(target, before) for target in node.targets]
        return [*before, copy]

    def _target(self, node: Any, before: list[ast.stmt]) -> Any:
        return self._operands(node, before) if yields(node) else node

    def _augmented(self, node: ast.AugAssign) -> list[ast.stmt]:
        """`target op= value`, whose target is read before the value is computed."""
        before: list[ast.stmt] = []
        target: Any = node.target
        if isinstance(target, (ast.Attribute, ast.Subscript)):
            parts = {"value": self._operand(target.value, before, True)}
            if isinstance(target, ast.Subscript):
                parts["slice"] = self._operand(target.slice, before, True)
            target = self._copy(target, **parts)
        current = self._store(self._copy(target, ctx=ast.Load()), before)
        assert isinstance(current, ast.Name)
        value = self._rewrite(node.value, before)
        stored = ast.copy_location(ast.Name(current.id, ast.Store()), node)
        before.append(ast.copy_location(ast.AugAssign(stored, node.op, value), node))
        before.append(ast.copy_location(ast.Assign([target], current), node))
        return before


def targets_of(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    """Return what an assignment stores into."""
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def is_plain_yield(node: ast.stmt) -> bool:
    """Tell whether a statement is an assignment of a yield that contains no other yield."""
    if not isinstance(node, (ast.Assign, ast.AnnAssign)) or not isinstance(node.value, (ast.Yield, ast.YieldFrom)):
        return False
    inner = node.value.value
    return not (inner is not None and yields(inner)) and not any(map(yields, targets_of(node)))


def _operands(node: Any) -> Iterator[tuple[str, int | None, ast.AST]]:
    """Yield the operands of an expression in the order of evaluation, with the field each is in."""
    if isinstance(node, ast.Dict):
        for index, (key, value) in enumerate(zip(node.keys, node.values)):
            if key is not None:
                yield "keys", index, key
            yield "values", index, value
        return
    for field, value in ast.iter_fields(node):
        if field == "target":  # of `name := value`
            continue
        if isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, (ast.expr, ast.keyword)):
                    yield field, index, item
        elif isinstance(value, ast.expr):
            yield field, None, value
