"""Comprehensions and generator expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from cutaway.core import session
from cutaway.core.admission import admit
from cutaway.core.unknown import MoreItems, Undecidable, Unknown, assumed, derived_unknown
from cutaway.interp.boundary.joining import any_number_of_times
from cutaway.interp.compile.assignment import assign_target
from cutaway.interp.compile.expressions.operators import is_pure
from cutaway.interp.compile.scope_compiler import ScopeCompiler
from cutaway.interp.run.budget import tick
from cutaway.interp.run.choice import unknown_items
from cutaway.interp.run.frame import Evaluate, Frame
from cutaway.interp.run.iteration import in_order
from cutaway.interp.run.origin import iterator
from cutaway.interp.run.truth import decide
from cutaway.interp.symbolic.symbolic_loop import collect, series_of
from cutaway.syntax import scope as scopes


class Comprehensions(ScopeCompiler):
    """Compiles comprehensions."""

    def _ListComp(self, node: ast.ListComp) -> Evaluate:
        return self._comprehension(node, list)

    def _SetComp(self, node: ast.SetComp) -> Evaluate:
        return self._comprehension(node, _as_set)

    def _GeneratorExp(self, node: ast.GeneratorExp) -> Evaluate:
        return self._comprehension(node, _as_generator)

    def _DictComp(self, node: ast.DictComp) -> Evaluate:
        return self._comprehension(node, _as_dict)

    def _comprehension(self, node: Any, make: Callable[[Iterable[Any]], Any]) -> Evaluate:
        inner = self.inside(scopes.of_comprehension(node.generators, self.scope, self.owner))
        first = self.expression(node.generators[0].iter)
        loops = [
            (
                None if index == 0 else inner.expression(generator.iter),
                assign_target(inner, generator.target),
                [(inner.expression(test), test) for test in generator.ifs],
            )
            for index, generator in enumerate(node.generators)
        ]
        if isinstance(node, ast.DictComp):
            key, value = inner.expression(node.key), inner.expression(node.value)

            def element(frame: Frame) -> Any:
                return key(frame), value(frame)

        else:
            element = inner.expression(node.elt)  # type: ignore[assignment]
        in_class = self.scope.kind == "class"
        has_no_effect = _has_no_effect(node)

        def produce(frame: Frame, source: Any, level: int) -> Iterator[Any]:
            _, assign, tests = loops[level]
            for item in source:
                tick()
                assign(frame, admit(item))
                if not tests or all(decide(test(frame), node, frame) for test, node in tests):
                    if level + 1 < len(loops):
                        inner_source = loops[level + 1][0]
                        assert inner_source is not None
                        yield from produce(frame, inner_source(frame), level + 1)
                    else:
                        yield element(frame)

        is_plain = len(loops) == 1 and not loops[0][2]
        is_single = is_plain and make in (list, _as_generator)
        builds_list = is_plain and make is not _as_generator

        def run_iteration(frame: Frame, item: Any) -> Any:
            tick()
            loops[0][1](frame, admit(item))
            return element(frame)

        def build_list(frame: Frame, source: Any) -> list[Any]:
            assign, result = loops[0][1], []
            for item in source:
                tick()
                assign(frame, admit(item))
                result.append(element(frame))
            return result

        run_others = partial(_run_others, loops, element, has_no_effect)

        def build(frame: Frame, items: Iterator[Any]) -> Any:
            if builds_list:
                return make(build_list(frame, items))
            return make(_with_others(produce(frame, items, 0), partial(run_others, frame)))

        def evaluate(frame: Frame) -> Any:
            source = assumed(first(frame))
            if type(source) is Unknown:
                if has_no_effect:
                    return derived_unknown(source)
                source = unknown_items(source, node.generators[0].iter, frame)
            parent = frame.parent if in_class else (None if frame.vars is frame.globals else frame)
            child = Frame({}, frame.globals, frame.file, parent, None)
            child.line = frame.line
            series = series_of(source)
            try:
                if series is not None:
                    return collect(child, series, partial(run_iteration, child)) if is_single else series.refuse()
                ordered = in_order(source)
                items = iterator(ordered)
                if ordered is not source:
                    with session.current().in_any_order():
                        return build(child, items)
                return build(child, items)
            except Undecidable as undecidable:
                run_others(child, undecidable.unknown)
                return undecidable.unknown

        return evaluate


def _with_others(items: Iterator[Any], run_others: Callable[[Unknown], None]) -> Iterator[Any]:
    """Yield items; where there may be more of them, run what would be done for these."""
    try:
        yield from items
    except MoreItems as more:
        run_others(more.unknown)
        raise


def _run_others(loops: list[Any], element: Evaluate, has_no_effect: bool, frame: Frame, unknown: Unknown) -> None:
    """Run any number of iterations of a comprehension on unknown items, if that changes anything."""
    if not has_no_effect:
        any_number_of_times(frame, partial(_some_iteration, loops, element, unknown), unknown)


def _some_iteration(loops: list[Any], element: Evaluate, unknown: Unknown, frame: Frame) -> None:
    """Run an iteration of a comprehension on unknown items."""
    for source, assign, tests in loops:
        if source is not None:
            source(frame)
        assign(frame, derived_unknown(unknown))
        for test, _ in tests:
            test(frame)
    element(frame)


def _has_no_effect(node: Any) -> bool:
    """Tell whether a comprehension changes nothing, however often it iterates."""
    parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    parts += [test for generator in node.generators for test in generator.ifs]
    return all(map(is_pure, parts))


def _as_set(items: Iterable[Any]) -> set[Any]:
    """Return a set of items that are all evaluated before one turns out to be unknown."""
    evaluated = list(items)
    return set(evaluated)


def _as_dict(items: Iterable[Any]) -> dict[Any, Any]:
    """Return a dict of items that are all evaluated before a key turns out to be unknown."""
    evaluated = list(items)
    return dict(evaluated)


def _as_generator(items: Iterable[Any]) -> Iterable[Any]:
    return items
