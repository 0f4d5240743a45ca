"""Yields inside expressions, taken out in front of them in the order of evaluation.

`f(a(), (yield b()))` becomes `.h0 = f; .h1 = a(); .h2 = yield b()` and the expression `.h0(.h1, .h2)`,
whose names no source can contain. What may not be evaluated at all, behind `and`, `or` and in a
conditional expression, becomes an `if` statement.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from cutaway.syntax.scope import yields

_PLAIN = (ast.Constant, ast.Lambda)


class Hoist:
    """Takes the yields out of the expressions of one function; `names` are the hidden ones so far."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def expression(self, node: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
        """Return statements to run first, and what is left of the expression, which has no yield."""
        before: list[ast.stmt] = []
        return before, self._rewrite(node, before)

    def _rewrite(self, node: ast.expr, before: list[ast.stmt]) -> ast.expr:
        if not yields(node):
            return node
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            if node.value is not None:
                node = self._copy(node, value=self._rewrite(node.value, before))
            return self._keep(node, before)
        if isinstance(node, ast.BoolOp):
            return self._choices(node, before)
        if isinstance(node, ast.IfExp):
            test = self._rewrite(node.test, before)
            name = self._name()
            branches = [self._assigned(name, side) for side in (node.body, node.orelse)]
            before.append(ast.copy_location(ast.If(test, *branches), node))
            return ast.copy_location(ast.Name(name, ast.Load()), node)
        rest: ast.expr = self._operands(node, before)
        return rest

    def _choices(self, node: ast.BoolOp, before: list[ast.stmt]) -> ast.expr:
        name = self._name()
        here = before
        for index, value in enumerate(node.values):
            here.extend(self._assigned(name, value))
            if index + 1 < len(node.values):
                read = ast.copy_location(ast.Name(name, ast.Load()), node)
                test: ast.expr = read if isinstance(node.op, ast.And) else ast.UnaryOp(ast.Not(), read)
                inner: list[ast.stmt] = []
                here.append(ast.copy_location(ast.If(ast.copy_location(test, node), inner, []), node))
                here = inner
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def _assigned(self, name: str, value: ast.expr) -> list[ast.stmt]:
        before, rest = self.expression(value)
        target = ast.copy_location(ast.Name(name, ast.Store()), value)
        return [*before, ast.copy_location(ast.Assign([target], rest), value)]

    def _operands(self, node: Any, before: list[ast.stmt]) -> Any:
        """Rewrite the operands of an expression; those in front of a yield are evaluated in front of it."""
        operands = list(_operands(node))
        last = max(index for index, (_, _, operand) in enumerate(operands) if yields(operand))
        made = self._copy(node)
        for field in made._fields:
            if isinstance(getattr(made, field, None), list):
                setattr(made, field, list(getattr(made, field)))
        for index, (field, position, operand) in enumerate(operands):
            kept = self._operand(operand, before, index < last)
            if position is None:
                setattr(made, field, kept)
            else:
                getattr(made, field)[position] = kept
        return made

    def _operand(self, node: Any, before: list[ast.stmt], early: bool) -> Any:
        if isinstance(node, (ast.Starred, ast.keyword, ast.FormattedValue)):
            return self._copy(node, value=self._operand(node.value, before, early))
        if isinstance(node, ast.Slice):
            parts = {f: getattr(node, f) for f in ("lower", "upper", "step") if getattr(node, f) is not None}
            return self._copy(node, **{f: self._operand(part, before, early) for f, part in parts.items()})
        rest = self._rewrite(node, before)
        if not early or isinstance(rest, _PLAIN) or (isinstance(rest, ast.Name) and rest.id.startswith(".")):
            return rest
        return self._keep(rest, before)

    def _keep(self, node: ast.expr, before: list[ast.stmt]) -> ast.expr:
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
        """Return what a simple statement becomes: only `name = yield ...` is left of its yields."""
        if isinstance(node, ast.AugAssign):
            return self._augmented(node)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            if isinstance(node.value, (ast.Yield, ast.YieldFrom)) and not any(map(yields, targets_of(node))):
                before: list[ast.stmt] = []
                value = node.value
                if value.value is not None:
                    value = self._copy(value, value=self._rewrite(value.value, before))
                return [*before, self._copy(node, value=value)]
        made, before = self._copy(node), []
        for field in ("value", "test", "msg", "exc", "cause"):  # in the order of evaluation
            part = getattr(made, field, None)
            if isinstance(part, ast.expr):
                rest = self._rewrite(part, before)
                setattr(made, field, rest)
        if isinstance(node, (ast.Assign, ast.Delete)):
            made.targets = [self._target(target, before) for target in node.targets]
        return [*before, made]

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
        held = self._keep(self._copy(target, ctx=ast.Load()), before)
        assert isinstance(held, ast.Name)
        value = self._rewrite(node.value, before)
        stored = ast.copy_location(ast.Name(held.id, ast.Store()), node)
        before.append(ast.copy_location(ast.AugAssign(stored, node.op, value), node))
        before.append(ast.copy_location(ast.Assign([target], held), node))
        return before


def targets_of(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    """Return what an assignment stores into."""
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def is_plain(node: ast.stmt) -> bool:
    """Tell whether the value of an assignment is a yield, and it contains no other."""
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
