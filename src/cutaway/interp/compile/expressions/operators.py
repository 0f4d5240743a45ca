"""Operators, comparisons, and expressions with parts that are evaluated conditionally."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, cast

from cutaway.core import session
from cutaway.core.condition import CONFIGURATION, Decision
from cutaway.core.unknown import Unknown, derived_unknown, is_placement, placed
from cutaway.interp.boundary.joining import either_value
from cutaway.interp.boundary.operators import BINARY, COMPARE, PLAIN, UNARY, contains, identical
from cutaway.interp.compile.scope_compiler import ScopeCompiler
from cutaway.interp.compile.variables import assign_name
from cutaway.interp.run.frame import Evaluate, Frame
from cutaway.interp.run.origin import Operation, note
from cutaway.interp.run.truth import combine_truths, is_own, merge, negate, opposite, settle, truth_of
from cutaway.syntax.scope import Scope

_SMALL = 1 << 60


class Operators(ScopeCompiler):
    """Compiles operators."""

    def _BinOp(self, node: ast.BinOp) -> Evaluate:
        left, right = self.expression(node.left), self.expression(node.right)
        name = type(node.op).__name__
        operate, plain = BINARY[name], PLAIN.get(name)
        if plain is None:

            def evaluate_other(frame: Frame) -> Any:
                first, second = left(frame), right(frame)
                try:
                    return operate(first, second)
                except (ZeroDivisionError, TypeError) as error:
                    note(error, Operation.OPERATOR, first, second)
                    raise

            return evaluate_other

        def evaluate(frame: Frame) -> Any:
            first, second = left(frame), right(frame)
            try:
                if (
                    type(first) is int
                    and type(second) is int
                    and -_SMALL < first < _SMALL
                    and -_SMALL < second < _SMALL
                ):
                    return plain(first, second)
                return operate(first, second)
            except (ZeroDivisionError, TypeError) as error:
                note(error, Operation.OPERATOR, first, second)
                raise

        return evaluate

    def _UnaryOp(self, node: ast.UnaryOp) -> Evaluate:
        operand = self.expression(node.operand)
        if isinstance(node.op, ast.Not):

            def evaluate_not(frame: Frame) -> Any:
                value = operand(frame)
                if type(value) is Unknown:
                    return opposite(value)
                truth = truth_of(value)
                return opposite(truth) if isinstance(truth, Unknown) else not truth

            return evaluate_not
        operate = UNARY[type(node.op).__name__]
        return lambda frame: operate(operand(frame))

    def _BoolOp(self, node: ast.BoolOp) -> Evaluate:
        values = [(self.expression(value), is_pure(value), value) for value in node.values]
        deciding = isinstance(node.op, ast.Or)

        def evaluate(frame: Frame) -> Any:
            unknown: Unknown | None = None
            value: Any = None
            for part, pure, written in values:
                if unknown is not None and not pure:
                    value = either_value(frame, part, _not_evaluated(unknown), unknown)
                    continue
                value = part(frame)
                if written is node.values[-1] and unknown is None:
                    return value
                truth = settle(value, written, frame)
                if isinstance(truth, Unknown):
                    unknown = combine_truths(unknown, truth, not deciding)
                elif truth is deciding:
                    # A bool that decides the whole expression does so even after an unknown operand.
                    return value if unknown is None or isinstance(value, bool) else derived_unknown(unknown)
            return value if unknown is None else unknown

        return evaluate

    def _Compare(self, node: ast.Compare) -> Evaluate:
        first = self.expression(node.left)
        rest = [
            (_comparison(op), self.expression(right), is_pure(right), ast.Compare(left, [op], [right]))
            for op, left, right in zip(node.ops, [node.left, *node.comparators], node.comparators)
        ]
        if len(rest) == 1:
            compare, second, *_ = rest[0]
            if _is_none_test(node) and self.scope.kind == "function":
                return lambda frame: compare(_note_absent_argument(first(frame), node, frame), None)
            return lambda frame: compare(first(frame), second(frame))

        def evaluate(frame: Frame) -> Any:
            left = first(frame)
            unknown: Unknown | None = None
            result: Any = True
            for compare, second, pure, written in rest:
                if unknown is not None and not pure:
                    left = either_value(frame, second, _not_evaluated(unknown), unknown)
                    continue
                right = second(frame)
                result = compare(left, right)
                if written is rest[-1][3] and unknown is None:
                    return result
                truth = settle(result, written, frame)
                if isinstance(truth, Unknown):
                    unknown = combine_truths(unknown, truth, True)
                elif truth is False:
                    return result if unknown is None or isinstance(result, bool) else derived_unknown(unknown)
                left = right
            return result if unknown is None else unknown

        return evaluate

    def _IfExp(self, node: ast.IfExp) -> Evaluate:
        test, body, orelse = self.test(node.test), self.expression(node.body), self.expression(node.orelse)
        pure = is_pure(node.body) and is_pure(node.orelse)
        is_device = isinstance(node.body, ast.Constant) and isinstance(node.orelse, ast.Constant)

        def evaluate(frame: Frame) -> Any:
            value = test(frame)
            if is_device and is_placement(value):
                return placed(value, (body if value.usual.value else orelse)(frame))
            truth = settle(value, node.test, frame)
            if truth is True:
                return body(frame)
            if truth is False:
                return orelse(frame)
            return merge(body(frame), orelse(frame), truth) if pure else either_value(frame, body, orelse, truth)

        return evaluate

    def _NamedExpr(self, node: ast.NamedExpr) -> Evaluate:
        value = self.expression(node.value)
        name = self.mangle(node.target.id)
        scope, depth = self.scope, 0
        while scope.kind == "comprehension" and scope.parent is not None:
            scope, depth = scope.parent, depth + 1
        if scope.kind == "module":
            scope = Scope("module", None, set(), {name: "global"})
        assign = assign_name(scope, name)

        def evaluate(frame: Frame) -> Any:
            result = value(frame)
            target = frame
            for _ in range(depth):
                if target.parent is not None:
                    target = target.parent
            assign(target, result)
            return result

        return evaluate


def _not_evaluated(unknown: Unknown) -> Evaluate:
    return lambda frame: derived_unknown(unknown)


def _is_none_test(node: ast.Compare) -> bool:
    """Tell whether a comparison is `name is None` or `name is not None`."""
    (right,) = node.comparators
    is_none = isinstance(right, ast.Constant) and right.value is None
    return is_none and isinstance(node.left, ast.Name) and isinstance(node.ops[0], (ast.Is, ast.IsNot))


def _note_absent_argument(value: Any, node: ast.Compare, frame: Frame) -> Any:
    """Return a value that is compared with None; note the condition if it is an argument that forward was not given."""
    here = session.current()
    if value is None and here.omitted_arguments and frame.function is not None:
        code, names = here.omitted_arguments
        name = cast(ast.Name, node.left).id
        if name in names and frame.function.code is code and is_own(frame):
            condition = f"{name} is None"
            here.conditions.setdefault(condition, Decision(condition, CONFIGURATION, frame.place, True, True))
    return value


_PURE_CALLS = frozenset(
    """abs all any bool callable float frozenset getattr hasattr id int isinstance issubclass len list max min range repr
    round sorted str sum tuple type""".split()
)


def is_pure(node: ast.expr) -> bool:
    """Tell whether an expression has no side effects."""
    for child in ast.walk(node):
        if isinstance(child, ast.Call):
            if not (isinstance(child.func, ast.Name) and child.func.id in _PURE_CALLS):
                return False
        elif isinstance(child, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)):
            return False
    return True


def _comparison(node: ast.cmpop) -> Callable[[Any, Any], Any]:
    name = type(node).__name__
    if name in COMPARE:
        return COMPARE[name]
    comparisons: dict[str, Callable[[Any, Any], Any]] = {
        "Is": identical,
        "IsNot": lambda a, b: negate(identical(a, b)),
        "In": contains,
        "NotIn": lambda a, b: negate(contains(a, b)),
    }
    return comparisons[name]
