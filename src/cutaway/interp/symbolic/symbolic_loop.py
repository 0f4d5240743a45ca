"""Loops of symbolic length: one turn is followed for all of them, and what it carries must come out as it went in.

What does not is followed in another way, from the start of the program: the first or the last turn by itself, or a
variable in closed form. A loop that none of these fits is given up, as one over something unknown is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

from cutaway.core import session
from cutaway.core.loop.series import INDICES, Plan, Repeat, Series, Turns, replan, shifted
from cutaway.core.size.dim import Dim, less, symbol
from cutaway.core.size.relation import Relation
from cutaway.core.unknown import Undecidable, Unknown, decisions
from cutaway.interp.run.frame import BREAK, RETURN, Frame
from cutaway.syntax.scope import assigned


class LoopCompiler(Protocol):
    """What reads and binds the variables of a loop, by the nodes that name them."""

    def current_value(self, frame: Frame, node: ast.expr) -> Any:
        """Return what a name, or an attribute of what has one, means; None where it means nothing."""

    def assign(self, node: ast.expr) -> Callable[[Frame, Any], None]:
        """Return the closure that stores a value into an assignment target."""


_ADDING = ("append", "extend", "add_module", "register_module", "add")


def series_of(value: Any) -> Series | None:
    """Return what a value of symbolic length consists of; None for any other value."""
    if type(value) is Series:
        return value
    parts = getattr(type(value), "as_series", None)
    return None if parts is None else parts(value)


class Loop:
    """What is known of a loop from its source: what it may change, and what it carries from turn to turn."""

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
            and child.func.attr in _ADDING
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


def follow(compiler: LoopCompiler, loop: Loop, frame: Frame, series: Series, turn: Callable[[Any], Any]) -> Any:
    """Run a loop over a series; `turn` assigns an item and runs the body. Return the signal that ends it."""
    for part in series.parts:
        if not isinstance(part, Repeat):
            signal = turn(part)
            if signal is BREAK or signal is RETURN:
                return signal
            continue
        _Following(compiler, loop, frame, series.reason, turn).repeat(part)
    return None


class _Following:
    """One repeat of one loop, as it is followed."""

    def __init__(
        self, compiler: LoopCompiler, loop: Loop, frame: Frame, reason: str, turn: Callable[[Any], Any]
    ) -> None:
        self.compiler, self.loop, self.frame, self.turn = compiler, loop, frame, turn
        self.key, self.plan = planned(frame, reason)

    def repeat(self, part: Repeat) -> None:
        count = part.count
        for item in first_turn(part, self.plan):
            self._alone(item)
        middle, index = count, ""
        for items, turns in turning(part, self.plan, self.key):
            middle, index = turns.count, turns.index
            start = {name: self.frame.vars[name] for name in self.loop.carried if name in self.frame.vars} | counters()
            from cutaway.core.loop.recurrence import Carried  # only loops of symbolic length need it

            carried = Carried(self.key, self.plan, turns, start)
            if self.plan.trial:
                carried.try_turns(partial(self._turn, turns, items))
            grown = [one for one in self._containers() if one is not None]
            stored = [self._stored(node) for node in self.loop.stores]
            self._hand_on(carried.check(self._turn(turns, items, carried.before()), added=True))
            for one in grown:
                self._repeated(one, middle, index)
            if any(was is not self._stored(node) for node, was in zip(self.loop.stores, stored)):
                self._lose()
        for item in last_turn(part, self.plan):
            self._alone(item)
        for name in self.loop.names:
            if name not in self.loop.carried and name in self.frame.vars and index:
                self.frame.vars[name] = self._behind(self.frame.vars[name], index, middle)

    def _alone(self, item: Any) -> None:
        signal = self.turn(item)
        if signal is BREAK or signal is RETURN:
            self._lose()

    def _lose(self) -> None:
        replan(self.key, Plan(lost=True))

    def _turn(self, turns: Turns, items: list[Any], values: dict[str, Any]) -> dict[str, Any]:
        """Follow one turn with what is handed on to it, and return what it hands on."""
        self._hand_on(values)
        with session.current().turning(turns):
            for item in items:
                self._alone(item)
        now = counters()
        return {name: now[name] if name in now else self.frame.vars.get(name) for name in values}

    def _hand_on(self, values: dict[str, Any]) -> None:
        counted = count_from(values)
        self.frame.vars.update((name, value) for name, value in values.items() if name not in counted)

    def _containers(self) -> Iterator[tuple[Any, ...] | None]:
        """Yield what the loop may add to, as it is before the turn."""
        seen: set[int] = set()
        for text, node in self.loop.receivers.items():
            value = self.compiler.current_value(self.frame, node)
            if isinstance(value, (list, Series)):
                if self.loop.uses[text]:
                    self._lose()
                yield node, value, list(value.parts if isinstance(value, Series) else value)
            elif hasattr(type(value), "repeat_children") and id(value) not in seen:
                seen.add(id(value))
                yield node, value, value.held_children()
        for name in self.loop.modules:
            value = self.frame.vars.get(name)
            if hasattr(type(value), "repeat_children") and id(value) not in seen:
                seen.add(id(value))
                yield None, value, value.held_children()

    def _repeated(self, container: tuple[Any, ...], count: Any, index: str) -> None:
        """Note that what a turn has added to a container comes with each of them."""
        node, value, before = container
        if hasattr(type(value), "repeat_children"):
            if not value.repeat_children(before, count, index):
                replan(self.key, self.plan.after_first())
            return
        now = self.compiler.current_value(self.frame, node)
        parts = now.parts if isinstance(now, Series) else now if isinstance(now, list) else None
        if parts is None or len(parts) < len(before) or any(a is not b for a, b in zip(before, parts)):
            self._lose()
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
            [*before, Unknown(f"the items of a list that has {series.length} of them", self.frame.place)],
        )
        self.compiler.assign(_stored(node))(self.frame, series)

    def _stored(self, node: ast.Attribute) -> Any:
        return self.compiler.current_value(self.frame, _loaded(node))

    def _behind(self, value: Any, index: str, count: Any) -> Any:
        """Return what a variable of the last turn holds behind the loop."""
        if isinstance(value, Dim) or hasattr(type(value), "with_sizes"):
            return shifted(value, index, count - 1) if count is not None else Unknown("a size of the last turn")
        if hasattr(type(value), "repeat_children"):
            return Unknown("what the last turn of a loop of symbolic length has made", self.frame.place)
        return value


def planned(frame: Frame, reason: str) -> tuple[str, Plan]:
    """Return the key of a repeat and how it is followed; one that is not followed is undecidable."""
    here = decisions()
    if not here.follows or not here.active:
        here.wanted = here.wanted or bool(here.active)
        raise Undecidable(Unknown(reason, frame.place))
    key = here.numbered(frame.place)
    plan: Plan = here.plans.get(key, Plan())
    if plan.lost or len(session.current().turns) >= len(INDICES):
        raise Undecidable(Unknown(f"{reason}: what its turns carry has no closed form", frame.place))
    return key, plan


def first_turn(part: Repeat, plan: Plan) -> list[Any]:
    """Return the items of the first turn, if that is followed apart."""
    alone = plan.first + plan.last
    if alone and part.count is not None and less(part.count, alone) is not False:
        session.current().assume(f"{part.count} is at least {alone}")
        session.current().suppose(Relation(">=", part.count, alone), None)
    return part.at(0) if plan.first else []


def turning(part: Repeat, plan: Plan, key: str) -> Iterator[tuple[list[Any], Turns]]:
    """Yield the items of the turns in the middle, and how often they turn; nothing where there are none."""
    here = session.current()
    index = INDICES[len(here.turns)]
    count = part.count if part.count is None else part.count - plan.first - plan.last
    if count != 0:
        yield part.at(symbol(index, 0) + plan.first), Turns(key, count, index)


def last_turn(part: Repeat, plan: Plan) -> list[Any]:
    """Return the items of the last turn, if that is followed apart."""
    return part.at(part.count - 1) if plan.last and part.count is not None else []


def collect(frame: Frame, series: Series, element: Callable[[Any], Any]) -> Series:
    """Return the series of what `element` makes of each item."""
    made: list[Any] = []
    for part in series.parts:
        if not isinstance(part, Repeat):
            made.append(element(part))
            continue
        key, plan = planned(frame, series.reason)
        made += [element(item) for item in first_turn(part, plan)]
        for items, turns in turning(part, plan, key):
            group: list[Any] = []
            turn = partial(_collected, turns, items, element, group)
            from cutaway.core.loop.recurrence import Carried

            carried = Carried(key, plan, turns, counters())
            if plan.trial:
                carried.try_turns(turn)
            count_from(carried.check(turn(carried.before())))
            made.append(Repeat(tuple(group), turns.count, turns.index))
        made += [element(item) for item in last_turn(part, plan)]
    return Series(made, series.reason)


def _collected(
    turns: Turns, items: list[Any], element: Callable[[Any], Any], group: list[Any], values: dict[str, Any]
) -> dict[str, Any]:
    """Put what one turn makes into a group; return what it hands on."""
    count_from(values)
    with session.current().turning(turns):
        group[:] = [element(item) for item in items]
    now = counters()
    return {name: now[name] for name in values}


def counters() -> dict[str, Any]:
    """Return what is counted through all turns: how many there are of what goes by one name."""
    return {f"#{name}": value for name, value in session.current().counters.items()}


def count_from(values: dict[str, Any]) -> set[str]:
    """Set what is counted, and return the names of that among values."""
    counted = {name for name in values if name.startswith("#")}
    session.current().counters.update((name[1:], values[name]) for name in counted)
    return counted


def _loaded(node: Any) -> Any:
    return _in_context(node, ast.Load())


def _stored(node: Any) -> Any:
    return _in_context(node, ast.Store())


def _in_context(node: Any, context: ast.expr_context) -> Any:
    return ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), "ctx": context}), node)


def _uses(text: str, nodes: list[ast.AST]) -> bool:
    """Tell whether a container is read in other ways than to add to it."""
    adding = {id(n.func.value) for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)}
    return any(
        isinstance(node, (ast.Name, ast.Attribute))
        and isinstance(node.ctx, ast.Load)
        and id(node) not in adding
        and ast.unparse(node) == text
        for node in nodes
    )


def _read_first(body: list[ast.stmt]) -> set[str]:
    """Return the names that a turn may read before it has set them."""
    found: set[str] = set()
    known: set[str] = set()
    for statement in body:
        read = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            read.add(statement.target.id)
        found |= read - known
        set_here = assigned([statement])
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.With)):
            known.update(set_here)
        else:
            found |= set(set_here) - known  # it may not have been set
    return found
