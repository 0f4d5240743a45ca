"""Loops of symbolic length: one iteration is run on behalf of all, and what it carries must have a closed form.

Where it does not, the program starts over with another plan: the first or the last iteration by itself, or a
variable in closed form. A loop that no plan fits is given up, like one over something unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

from cutaway.core import session
from cutaway.core.loop.series import INDICES, Iterations, Plan, Repeat, Series, replan, shifted
from cutaway.core.protocols import is_container, is_resizable
from cutaway.core.size.dim import Dim, equal, less, symbol
from cutaway.core.size.relation import Relation
from cutaway.core.unknown import Undecidable, Unknown, decisions
from cutaway.interp.run.frame import BREAK, RETURN, Frame
from cutaway.knowledge.base.framework import adds_part
from cutaway.syntax.scope import assigned


class LoopCompiler(Protocol):
    """Reads and binds the variables of a loop, by the nodes that name them."""

    def current_value(self, frame: Frame, node: ast.expr) -> Any:
        """Return the value of a name, or of an attribute; None where it has none."""

    def assign(self, node: ast.expr) -> Callable[[Frame, Any], None]:
        """Return the closure that stores a value into an assignment target."""


ADDING_METHODS = ("append", "extend", "add")


def series_of(value: Any) -> Series | None:
    """Return the parts of a value of symbolic length; None for any other value."""
    if type(value) is Series:
        return value
    parts = getattr(type(value), "as_series", None)
    return None if parts is None else parts(value)


class Loop:
    """What the source of a loop shows: what it may change, and what it carries from iteration to iteration."""

    def __init__(self, body: list[ast.stmt], target: ast.expr | None = None) -> None:
        inner = [child for statement in body for child in ast.walk(statement)]
        targets = {child.id for child in ast.walk(target) if isinstance(child, ast.Name)} if target else set()
        self.names = sorted(set(assigned(body)) - targets)
        self.carried = [name for name in self.names if name in _read_first(body)]
        self.receivers = {
            ast.unparse(child.func.value): child.func.value
            for child in inner
            if isinstance(child, ast.Call)
            and isinstance(child.func, ast.Attribute)
            and (child.func.attr in ADDING_METHODS or adds_part(child.func.attr))
            and isinstance(child.func.value, (ast.Name, ast.Attribute))
        }
        for child in inner:
            if isinstance(child, ast.AugAssign) and isinstance(child.target, (ast.Name, ast.Attribute)):
                self.receivers.setdefault(ast.unparse(child.target), _loaded(child.target))
        self.stores = [
            child for child in inner if isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store)
        ]
        self.uses = {text: _uses(text, inner) for text in self.receivers}
        self.modules = sorted({child.id for child in inner if isinstance(child, ast.Name)})


def run_loop(
    compiler: LoopCompiler, loop: Loop, frame: Frame, series: Series, run_iteration: Callable[[Any], Any]
) -> Any:
    """Run a loop over a series; `run_iteration` assigns an item and runs the body. Return the signal that ends it."""
    for part in series.parts:
        if not isinstance(part, Repeat):
            signal = run_iteration(part)
            if signal is BREAK or signal is RETURN:
                return signal
            continue
        _LoopRun(compiler, loop, frame, series.reason, run_iteration).repeat(part)
    return None


class _LoopRun:
    """The symbolic run of one repeat of one loop."""

    def __init__(
        self, compiler: LoopCompiler, loop: Loop, frame: Frame, reason: str, run_iteration: Callable[[Any], Any]
    ) -> None:
        self.compiler, self.loop, self.frame, self.run_iteration = compiler, loop, frame, run_iteration
        self.key, self.plan = plan_for(frame, reason)

    def repeat(self, part: Repeat) -> None:
        count = part.count
        for item in first_iteration(part, self.plan):
            self._run_single(item)
        middle, index = count, ""
        for items, iterations in middle_iterations(part, self.plan, self.key):
            middle, index = iterations.count, iterations.index
            start = {name: self.frame.vars[name] for name in self.loop.carried if name in self.frame.vars} | counters()
            from cutaway.core.loop.recurrence import Carried  # late: only loops of symbolic length need it

            carried = Carried(self.key, self.plan, iterations, start)
            if self.plan.trial:
                carried.try_turns(partial(self._run_symbolic, iterations, items))
            containers = [container for container in self._containers() if container is not None]
            stored = [self._stored(node) for node in self.loop.stores]
            self._set_variables(carried.check(self._run_symbolic(iterations, items, carried.before()), added=True))
            for container in containers:
                self._repeat_additions(container, middle, index)
            if any(before is not self._stored(node) for node, before in zip(self.loop.stores, stored)):
                self._give_up()
        for item in last_iteration(part, self.plan):
            self._run_single(item)
        for name in self.loop.names:
            if name not in self.loop.carried and name in self.frame.vars and index:
                self.frame.vars[name] = self._after_loop(self.frame.vars[name], index, middle)

    def _run_single(self, item: Any) -> None:
        signal = self.run_iteration(item)
        if signal is BREAK or signal is RETURN:
            self._give_up()

    def _give_up(self) -> None:
        replan(self.key, Plan(lost=True))

    def _run_symbolic(self, iterations: Iterations, items: list[Any], values: dict[str, Any]) -> dict[str, Any]:
        """Run one iteration with these values, and return the values that it passes on."""
        self._set_variables(values)
        with session.current().iterating(iterations):
            for item in items:
                self._run_single(item)
        now = counters()
        return {name: now[name] if name in now else self.frame.vars.get(name) for name in values}

    def _set_variables(self, values: dict[str, Any]) -> None:
        counted = set_counters(values)
        self.frame.vars.update((name, value) for name, value in values.items() if name not in counted)

    def _containers(self) -> Iterator[tuple[Any, ...] | None]:
        """Yield the containers that the loop may add to, as they are before the iteration."""
        seen: set[int] = set()
        for text, node in self.loop.receivers.items():
            value = self.compiler.current_value(self.frame, node)
            if isinstance(value, (list, Series)):
                if self.loop.uses[text]:
                    self._give_up()
                yield node, value, list(value.parts if isinstance(value, Series) else value)
            elif is_container(value) and id(value) not in seen:
                seen.add(id(value))
                yield node, value, value.held_children()
        for name in self.loop.modules:
            value = self.frame.vars.get(name)
            if is_container(value) and id(value) not in seen:
                seen.add(id(value))
                yield None, value, value.held_children()

    def _repeat_additions(self, container: tuple[Any, ...], count: Any, index: str) -> None:
        """Record that what one iteration adds to a container is added by each of them."""
        node, value, before = container
        if is_container(value):
            if not value.repeat_children(before, count, index):
                replan(self.key, self.plan.after_first())
            return
        now = self.compiler.current_value(self.frame, node)
        parts = now.parts if isinstance(now, Series) else now if isinstance(now, list) else None
        if parts is None or len(parts) < len(before) or any(a is not b for a, b in zip(before, parts)):
            self._give_up()
            return
        added = list(parts[len(before) :])
        if not added:
            return
        series = Series([*before, Repeat(tuple(added), count, index)])
        if isinstance(now, Series):
            now.parts[:] = series.parts
            return
        list.__setitem__(
            now,
            slice(None),
            [*before, Unknown(f"the items of a list of {series.length} items", self.frame.place)],
        )
        self.compiler.assign(_stored(node))(self.frame, series)

    def _stored(self, node: ast.Attribute) -> Any:
        return self.compiler.current_value(self.frame, _loaded(node))

    def _after_loop(self, value: Any, index: str, count: Any) -> Any:
        """Return the value of a variable of the last iteration after the loop."""
        if isinstance(value, Dim) or is_resizable(value):
            return shifted(value, index, count - 1) if count is not None else Unknown("a size of the last iteration")
        if is_container(value):
            return Unknown("the module that the last iteration of a loop of symbolic length creates", self.frame.place)
        return value


def plan_for(frame: Frame, reason: str) -> tuple[str, Plan]:
    """Return the key and the plan of a repeat; one without a plan is undecidable."""
    here = decisions()
    if not here.follows or not here.active:
        here.left_open = here.left_open or bool(here.active)
        raise Undecidable(Unknown(reason, frame.place))
    key = here.loop_key(frame.place)
    plan: Plan = here.plans.get(key, Plan())
    if plan.lost or len(session.current().iterations) >= len(INDICES):
        raise Undecidable(Unknown(f"{reason}: what its iterations carry has no closed form", frame.place))
    return key, plan


def first_iteration(part: Repeat, plan: Plan) -> list[Any]:
    """Return the items of the first iteration, if it is run separately."""
    separate = plan.first + plan.last
    if separate and part.count is not None and less(part.count, separate) is not False:
        session.current().assume(f"{part.count} is at least {separate}")
        session.current().learn_statement(Relation(">=", part.count, separate), None)
    return part.at(0) if plan.first else []


def middle_iterations(part: Repeat, plan: Plan, key: str) -> Iterator[tuple[list[Any], Iterations]]:
    """Yield the items of the iterations in the middle, and how many there are; nothing where there are none."""
    here = session.current()
    index = INDICES[len(here.iterations)]
    count = part.count if part.count is None else part.count - plan.first - plan.last
    if count is None or equal(count, 0) is not True:
        yield part.at(symbol(index, 0) + plan.first), Iterations(key, count, index)


def last_iteration(part: Repeat, plan: Plan) -> list[Any]:
    """Return the items of the last iteration, if it is run separately."""
    return part.at(part.count - 1) if plan.last and part.count is not None else []


def collect(frame: Frame, series: Series, element: Callable[[Any], Any]) -> Series:
    """Return the series of the results of `element` for each item."""
    parts: list[Any] = []
    for part in series.parts:
        if not isinstance(part, Repeat):
            parts.append(element(part))
            continue
        key, plan = plan_for(frame, series.reason)
        parts += [element(item) for item in first_iteration(part, plan)]
        for items, iterations in middle_iterations(part, plan, key):
            group: list[Any] = []
            run_iteration = partial(_collect_symbolic, iterations, items, element, group)
            from cutaway.core.loop.recurrence import Carried  # late: only loops of symbolic length need it

            carried = Carried(key, plan, iterations, counters())
            if plan.trial:
                carried.try_turns(run_iteration)
            set_counters(carried.check(run_iteration(carried.before())))
            parts.append(Repeat(tuple(group), iterations.count, iterations.index))
        parts += [element(item) for item in last_iteration(part, plan)]
    return Series(parts, series.reason)


def _collect_symbolic(
    iterations: Iterations, items: list[Any], element: Callable[[Any], Any], group: list[Any], values: dict[str, Any]
) -> dict[str, Any]:
    """Put the results of one iteration into a group; return the values that it passes on."""
    set_counters(values)
    with session.current().iterating(iterations):
        group[:] = [element(item) for item in items]
    now = counters()
    return {name: now[name] for name in values}


def counters() -> dict[str, Any]:
    """Return the counters that all iterations share: how many objects of each name there are."""
    return {f"#{name}": value for name, value in session.current().counters.items()}


def set_counters(values: dict[str, Any]) -> set[str]:
    """Set the counters among these values, and return their names."""
    names = {name for name in values if name.startswith("#")}
    session.current().counters.update((name[1:], values[name]) for name in names)
    return names


def _loaded(node: Any) -> Any:
    return _in_context(node, ast.Load())


def _stored(node: Any) -> Any:
    return _in_context(node, ast.Store())


def _in_context(node: Any, context: ast.expr_context) -> Any:
    return ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), "ctx": context}), node)


def _uses(text: str, nodes: list[ast.AST]) -> bool:
    """Tell whether a container is read other than to add to it."""
    adding = {id(n.func.value) for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)}
    return any(
        isinstance(node, (ast.Name, ast.Attribute))
        and isinstance(node.ctx, ast.Load)
        and id(node) not in adding
        and ast.unparse(node) == text
        for node in nodes
    )


def _read_first(body: list[ast.stmt]) -> set[str]:
    """Return the names that an iteration may read before it sets them."""
    read_first: set[str] = set()
    set_before: set[str] = set()
    for statement in body:
        read = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            read.add(statement.target.id)
        read_first |= read - set_before
        set_here = assigned([statement])
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.With)):
            set_before.update(set_here)
        else:
            read_first |= set(set_here) - set_before  # it may not have been set
    return read_first
