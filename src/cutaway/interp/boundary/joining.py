"""Code that may or may not run, or runs an unknown number of times, where it is not followed in runs of its own.

It is run on the state as it is, every way, and the states that it leads to are joined: what they have in common stays,
and everything else is unknown. What has changed is found by comparing all that can be reached before and after, so that
no call, alias or handler hides a change.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from cutaway.core import session
from cutaway.core.protocols import FACTS_APART, FACTS_OF_TENSORS, is_memory, is_module, is_tensor
from cutaway.core.record import dataclass
from cutaway.core.session import Notes
from cutaway.core.unknown import Interruption, Undecidable, Unknown, conditions_left_open
from cutaway.interp.boundary.losing import attributes_in, bookkeeping_of, keep, lose, part_tables, present_heap
from cutaway.interp.run.frame import BREAK, CONTINUE, RETURN, Execute, Frame, no_statements
from cutaway.interp.run.heap import Heap, joined, merged_contents
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.memory.contents import ITEMS, NAMES, SEQUENCE, Contents, Part, Results, contents_of, same
from cutaway.interp.run.memory.contents import set_contents as put
from cutaway.interp.run.raising import SIGNALS
from cutaway.knowledge.base.framework import is_bookkeeping

_MOST_ROUNDS = 8
_TARGETS_OWN = "cutaway.interp.stdlib."
"""Where objects of the standard library are modelled that a target makes and changes."""
_TOO_LONG = "it takes too long to follow what depends on it"


@dataclass(slots=True, eq=False)
class Alternative:
    """A state in which code may have been left early: how, with which value, what had changed since `heap`, and what was
    recorded until then.
    """

    heap: Heap
    changed: dict[int, tuple[Any, Contents]]
    signal: Any
    value: Any
    unknown: Unknown
    operations: int
    calls: int


@dataclass(slots=True, eq=False)
class Raised:
    """A state in which the program may have raised an exception that it handles, and what was recorded until then."""

    heap: Heap
    changed: dict[int, tuple[Any, Contents]]
    error: BaseException
    unknown: Unknown
    operations: int
    calls: int

    def restore(self) -> None:
        """Go to this state."""
        self.heap.restore()
        for value, contents in self.changed.values():
            put(value, contents)


def both_ways(frame: Frame, first: Execute, second: Execute, unknown: Unknown) -> object | None:
    """Run one of two blocks, it is unknown which: what they leave behind is joined."""
    trial, pending = _Trial(frame, unknown), interpreter().raised
    before = len(pending)
    one = trial.run_to_any_depth(first)
    trial.undo(one)
    middle = len(pending)
    other = trial.run_to_any_depth(second)
    error = one.error or other.error
    if error is not None and isinstance(error, SIGNALS):
        if one.error is not None and other.error is not None:
            raise other.error
        trial.join(one, other)
        interpreter().open_raises += 1
        raise Undecidable(unknown)
    if error is not None:
        return _without_raising(trial, (first, one), (second, other), slice(before, middle))
    trial.note()
    if one.signal == other.signal:
        trial.join(one, other)
        if one.signal == RETURN:
            frame.value = joined(one.value, other.value, unknown, trial.heap)
        return _signal(one)
    left, stayed = (one, other) if one.signal is not None else (other, one)
    if stayed.signal is None:
        if stayed is one:
            trial.undo(other)
            trial.redo(one)
        _add_alternative(frame, trial.alternative(left))
        return None
    trial.undo(other)  # both leave early, in different ways: the first in which the rest of the block is run decides
    trial.redo(one)
    _add_alternative(frame, trial.alternative(other))
    frame.value = one.value
    return _signal(one)


def _without_raising(
    trial: _Trial, one: tuple[Execute, _Outcome], other: tuple[Execute, _Outcome], raised_in_one: slice
) -> object | None:
    """Continue with the block that does not raise; where the program handles exceptions, note the state of the other."""
    running, pending = interpreter(), interpreter().raised
    if other[1].error is not None:
        if one[1].error is not None:
            if running.guarded:
                pending.append(trial.raised(one[1]))
            raise other[1].error
        failed, remaining = other[1], one[0]
        del pending[raised_in_one]  # it is run again
    else:
        failed, remaining = one[1], other[0]
        del pending[raised_in_one.stop :]
    trial.undo(other[1])
    if running.guarded:
        pending.append(trial.raised(failed))
    else:
        reason = f"a branch that would raise is not taken: {trial.unknown.reason}"
        session.current().assume(reason, trial.frame.place)
    return remaining(trial.frame)


def may_have_raised(frame: Frame, error: BaseException, unknown: Unknown) -> None:
    """Note that the program may have raised an exception in the present state, which it handles."""
    interpreter().raised.append(_Trial(frame, unknown).raised(_Outcome(None, None, error, {})))


def with_raised(
    frame: Frame, start: int, go_on: Execute, recover: Callable[[Frame, BaseException], object | None]
) -> object | None:
    """Continue after statements that may have raised: with `go_on`, or with `recover` in a state in which they have.

    `start` is how many such states there were before the statements.
    """
    pending = interpreter().raised
    if len(pending) == start:
        return go_on(frame)
    states = pending[start:]
    del pending[start:]

    def continue_with(inner: Frame, states: list[Raised]) -> object | None:
        if not states:
            return go_on(inner)
        *others, last = states

        def from_raised(deeper: Frame) -> object | None:
            last.restore()
            return recover(deeper, last.error)

        return both_ways(inner, from_raised, lambda deeper: continue_with(deeper, others), last.unknown)

    here, first = session.current(), states[0]
    here.note(first.unknown, here.modules[-1] if here.modules else None)
    del here.operations[first.operations :], here.calls[first.calls :]  # it is unknown whether they are made
    return continue_with(frame, states)


def either_value(frame: Frame, first: Callable[[Frame], Any], second: Callable[[Frame], Any], unknown: Unknown) -> Any:
    """Return the value of one of two expressions, it is unknown which."""

    def storing(evaluate: Callable[[Frame], Any]) -> Execute:
        def execute(frame: Frame) -> object:
            frame.value = evaluate(frame)
            return RETURN

        return execute

    before = frame.value
    both_ways(frame, storing(first), storing(second), unknown)
    value, frame.value = frame.value, before
    return value


def any_number_of_times(frame: Frame, iterate: Execute, unknown: Unknown, *, repeats: bool = False) -> None:
    """Run an iteration of a loop an unknown number of times: what it may change is unknown afterwards.

    Where it `repeats` iterations that are recorded, what is unknown in it is not noted.
    """
    settled = False
    interpreter().unknown_loops += 1
    pending = interpreter().raised
    before = len(pending)
    for _ in range(_MOST_ROUNDS):
        del pending[before:]  # each round has the states of those before
        trial = _Trial(frame, unknown)
        alternatives = len(frame.alternatives or ())
        outcome = trial.run(iterate, repeats=repeats)
        join_alternatives(frame, alternatives, (BREAK, CONTINUE))
        if not repeats:
            trial.note()
        if outcome.error is not None:
            if isinstance(outcome.error, SIGNALS):
                trial.join_before()
                interpreter().open_raises += 1
                raise Undecidable(unknown)
            trial.undo()
            if interpreter().guarded:
                pending.append(trial.raised(outcome))
            return
        if outcome.signal == RETURN:
            _add_alternative(frame, trial.alternative(trial.outcome(outcome)))
            trial.undo()
            return
        settled = not trial.join_before()
        if settled:
            return
    lose([value for value, _, _ in trial.heap.changes()], unknown)


def join_alternatives(frame: Frame, start: int, signals: Iterable[Any]) -> None:
    """Join the states in which code may have been left early, which ends here.

    What has been recorded since then is not certain, and dropped.
    """
    if not frame.alternatives:
        return
    here = session.current()
    wanted = tuple(signals)
    kept = frame.alternatives[:start]
    for alternative in reversed(frame.alternatives[start:]):
        if alternative.signal not in wanted:
            kept.append(alternative)
            continue
        del here.operations[alternative.operations :], here.calls[alternative.calls :]
        _join(alternative.heap, alternative.changed, alternative.unknown)
        if alternative.signal == RETURN:
            frame.value = joined(alternative.value, frame.value, alternative.unknown, alternative.heap)
    frame.alternatives[:] = kept


class _Alternatives(list[Alternative]):
    """The states in which a call, or a loop in it, may have ended early."""

    def end_call(self, frame: Frame) -> None:
        """Join those in which the call may have returned early."""
        join_alternatives(frame, 0, (RETURN,))


def _add_alternative(frame: Frame, alternative: Alternative) -> None:
    if alternative.signal is RETURN and _is_recursive(frame):
        raise Undecidable(alternative.unknown)  # whether the recursion ends here is unknown
    if frame.alternatives is None:
        frame.alternatives = _Alternatives()
    frame.alternatives.append(alternative)


def _is_recursive(frame: Frame) -> bool:
    """Tell whether a call of the same function is in progress that may have returned already."""
    function = frame.function
    return function is not None and any(
        outer is not frame
        and outer.alternatives
        and outer.function is not None
        and outer.function.code is function.code
        for outer in interpreter().stack
    )


@dataclass(slots=True, eq=False)
class _Outcome:
    """What became of a block: how it was left, or the exception that ended it, and what it has changed."""

    signal: Any
    value: Any
    error: BaseException | None
    changed: dict[int, tuple[Any, Contents]]


def _signal(outcome: _Outcome) -> object | None:
    signal: object | None = outcome.signal
    return signal


class _Trial:
    """Blocks that are run on one state, one after the other."""

    def __init__(self, frame: Frame, unknown: Unknown) -> None:
        self.frame = frame
        self.unknown = unknown if unknown.place is not None else Unknown(unknown.reason, frame.place)
        running, is_own = interpreter(), session.current().in_own_code()
        modules = running.modules
        is_import = bool(modules.running) and not modules.states[modules.running[-1]].is_own
        if running.effort.is_spent(is_own, is_import, not running.tried):
            reason = f"{_TOO_LONG}: {unknown.reason.removeprefix(f'{_TOO_LONG}: ')}"
            raise Undecidable(Unknown(reason, unknown.place))
        running.budget.check()
        self.heap = present_heap()
        running.effort.spend(len(self.heap.saved), is_own, is_import)
        running.remembered.add(self.heap)
        self._value = frame.value
        here = session.current()
        if is_own or here.modules:
            here.follows_gradients, here.gradients_lost = False, True  # what the blocks do to gradients is not undone
        self._operations, self._calls, self._spans = len(here.operations), len(here.calls), list(here.spans)
        self._modules, self._stack = list(here.modules), len(interpreter().stack)
        self._lost = list(self.heap.opaque)

    def run(self, execute: Execute, *, repeats: bool = False) -> _Outcome:
        """Run a block; what it records is not certain, and dropped."""
        if execute is no_statements:
            return _Outcome(None, self._value, None, {})
        here, notes, tried = session.current(), Notes(), interpreter().tried
        if execute in tried:  # a recursion whose depth is unknown
            interpreter().recursive.append(execute)
            raise Undecidable(self.unknown)
        if not tried:
            keep(self.heap)
        tried.append(execute)
        signal: Any = None
        error: BaseException | None = None
        self.frame.value = self._value
        try:
            with here.separate_notes(notes), here.scoped_facts(), conditions_left_open():
                signal = execute(self.frame)
        except (Undecidable, Interruption, KeyboardInterrupt):
            self._rewind()
            raise
        except BaseException as raised:
            error = raised
        finally:
            tried.remove(execute)
            if not tried:
                interpreter().last_heap = None
        if not repeats:
            here.unknowns.update(notes.unknowns)
        here.add_assumptions(notes.assumptions)
        here.doubts.update(notes.doubts)
        self._rewind()
        return self.outcome(_Outcome(signal, self.frame.value, error, {}))

    def run_to_any_depth(self, execute: Execute) -> _Outcome:
        """Run a block; if it calls itself, what it does further down is done by running it again."""
        recursive = interpreter().recursive
        outcome = self.run(execute)
        for _ in range(_MOST_ROUNDS):
            if execute not in recursive:
                return outcome
            recursive[:] = [block for block in recursive if block is not execute]
            if outcome.error is not None or not self.join_before():
                return self.outcome(outcome)
            outcome = self.run(execute)
        lose([value for value, _, _ in self.heap.changes()], self.unknown)
        return self.outcome(outcome)

    def outcome(self, outcome: _Outcome) -> _Outcome:
        """Return an outcome with what has changed until now."""
        outcome.changed = {id(value): (value, now) for value, _, now in self.heap.changes()}
        return outcome

    def _rewind(self) -> None:
        here = session.current()
        del here.operations[self._operations :], here.calls[self._calls :]
        here.spans[:], here.modules[:] = self._spans, self._modules
        del interpreter().stack[self._stack :]

    def undo(self, outcome: _Outcome | None = None) -> None:
        """Go back to the state before, from the one that a block has just led to."""
        if outcome is None:
            self.heap.restore()
        else:
            self.heap.restore_only(value for value, _ in outcome.changed.values())
        self.frame.value = self._value

    def redo(self, outcome: _Outcome) -> None:
        """Go to the state that a block has led to."""
        for value, contents in outcome.changed.values():
            put(value, contents)
        self.frame.value = outcome.value

    def join(self, outcome: _Outcome, present: _Outcome) -> None:
        """Join the present state, which a block has just led to, with another."""
        _join(self.heap, outcome.changed, self.unknown, present.changed)
        self._lose_iterators()

    def join_before(self) -> bool:
        """Join the present state with the one before; tell whether that makes anything unknown that was not."""
        grown = _join(self.heap, {}, self.unknown)
        self._lose_iterators()
        return grown

    def _lose_iterators(self) -> None:
        if self._lost:
            lose(self._lost, self.unknown)

    def raised(self, outcome: _Outcome) -> Raised:
        """Return the state in which a block has raised an exception."""
        assert outcome.error is not None
        return Raised(self.heap, outcome.changed, outcome.error, self.unknown, self._operations, self._calls)

    def alternative(self, outcome: _Outcome) -> Alternative:
        """Return the state that a block has led to, to be joined later."""
        return Alternative(
            self.heap, outcome.changed, outcome.signal, outcome.value, self.unknown, self._operations, self._calls
        )

    def note(self) -> None:
        """Note that operations may be missing."""
        here = session.current()
        here.note(self.unknown, here.modules[-1] if here.modules else None)


def _join(
    heap: Heap,
    changed: dict[int, tuple[Any, Contents]],
    unknown: Unknown,
    present: dict[int, tuple[Any, Contents]] | None = None,
) -> bool:
    """Join the present state with one in which objects differ from a former state in what has `changed`.

    `present` is what differs from the former state now, where that is known.
    """
    if present is None:
        present = {id(value): (value, now) for value, _, now in heap.changes()}
    candidates = {key: value for key, (value, _) in (present | changed).items()}
    if not candidates:
        return False
    tables, bookkeeping = part_tables(heap), bookkeeping_of(heap)
    lost: list[Any] = []
    grown = False
    protected = _protected(heap)
    kept_by_libraries = {id(kept) for kept in session.current().state.values()}
    for key, value in candidates.items():
        if key in protected:
            continue
        if key in bookkeeping:
            grown = _keep_in_common(heap, value, changed, bookkeeping[key], unknown) or grown
            continue
        if is_tensor(value):
            _, before = changed.get(key) or heap.saved.get(key) or (value, ())
            grown = _join_tensor(value, before, unknown, lost) or grown
            continue
        now, other = _two_states(heap, value, changed)
        if is_memory(value):
            value.join(other[0].values[0])
            continue
        is_namespace = key in heap.namespaces or key in kept_by_libraries
        merged, grows = merged_contents(now, other, unknown, is_namespace or key in tables, heap)
        if merged is None:
            lost.append(value)
            grown = True
            continue
        if key in tables:
            merged, dropped = _without_unknown(merged)
            if dropped or grows:
                grown = grown or "_incomplete" not in tables[key].__dict__
                tables[key].mark_incomplete(unknown)
        else:
            grown = grown or grows
        put(value, merged)
    if lost:
        lose(lost, unknown)
    return grown


def _two_states(heap: Heap, value: Any, changed: dict[int, tuple[Any, Contents]]) -> tuple[Contents, Contents]:
    """Return what an object contains now, and what it contains in the other state."""
    key, now = id(value), contents_of(value) or ()
    other = changed[key][1] if key in changed else heap.saved[key][1] if key in heap.saved else now
    if is_module(value) and key in heap.saved:
        return _with_bookkeeping(now, heap.saved[key][1]), _with_bookkeeping(other, heap.saved[key][1])
    if value is session.current().state:
        return _with_defaults(now, other), _with_defaults(other, now)
    return now, other


def _with_defaults(contents: Contents, other: Contents) -> Contents:
    """Return the state of the libraries with what the other one has and this one has not needed yet."""
    values = dict(zip(contents[0].keys, contents[0].values))
    for key, there in zip(other[0].keys, other[0].values):
        here = values.setdefault(key, key.default())
        if here is not there and contents_of(here) == contents_of(there) is not None:
            values[key] = there  # nothing has been done with either
    keys = sorted(values, key=id)
    return (Part(ITEMS, keys, [values[key] for key in keys]),)


def _protected(heap: Heap) -> set[int]:
    """Return the identities of the interpreter's own objects, and of the containers that these keep."""
    protected: set[int] = set()
    for value, contents in heap.of_classes(_is_of_interpreter):
        if id(getattr(value, "__dict__", None)) in heap.namespaces:
            continue  # a module: what it holds is the target's
        protected.add(id(value))
        protected.update(
            id(item) for part in contents for item in part.values if isinstance(item, (dict, list, set, deque))
        )
    return protected - heap.namespaces


def _is_of_interpreter(kind: type) -> bool:
    home = kind.__module__
    return (
        home.startswith(("cutaway.interp.", "cutaway.knowledge.base.", "cutaway.core."))
        and not home.startswith(_TARGETS_OWN)
        and kind is not Results
    )


def _join_tensor(tensor: Any, contents: Contents, unknown: Unknown, lost: list[Any]) -> bool:
    """Make the numbers of a tensor unknown, and what differs from other contents; tell whether that is news.

    It is `lost` if more than facts differ that may be unknown by themselves.
    """
    tensor.forget_numbers()
    differing = _differing_facts(tensor, contents)
    if differing.keys() - FACTS_APART:
        lost.append(tensor)
    for name in differing.keys() & FACTS_APART:
        vars(tensor)[name] = unknown
    return any(type(item) is not Unknown for item in differing.values())


def _differing_facts(tensor: Any, contents: Contents) -> dict[str, Any]:
    """Return the facts of a tensor in other contents that it does not have now."""
    attributes = ((name, item) for part in contents for name, item in zip(part.keys, part.values))
    return {
        name: item for name, item in attributes if name in FACTS_OF_TENSORS and not same(item, vars(tensor).get(name))
    }


def _with_bookkeeping(contents: Contents, before: Contents) -> Contents:
    """Return the contents of a module with what its framework kept before."""
    kept = {name: item for name, item in attributes_in(before) if is_bookkeeping(name)}
    if not kept:
        return contents
    return tuple(
        part if part.kind != NAMES else _names({**dict(zip(part.keys, part.values)), **kept}) for part in contents
    )


def _names(attributes: dict[Any, Any]) -> Part:
    return Part(NAMES, list(attributes), list(attributes.values()))


def _keep_in_common(
    heap: Heap, value: Any, changed: dict[int, tuple[Any, Contents]], module: Any, unknown: Unknown
) -> bool:
    """Leave of a framework's bookkeeping what was there before and is there both ways; tell whether that is news."""
    before, now = heap.saved[id(value)][1], contents_of(value) or ()
    other = changed[id(value)][1] if id(value) in changed else before
    first = before[0]
    if first.kind == SEQUENCE:
        count = min(_common(first.values, state[0].values) for state in (now, other))
        before = (first._replace(values=first.values[:count]), *before[1:])
    put(value, before)
    is_news = "_incomplete" not in vars(module)
    module.mark_incomplete(unknown)
    return is_news


def _common(one: list[Any], other: list[Any]) -> int:
    """Return how many items two lists begin with alike."""
    return next((i for i, (a, b) in enumerate(zip(one, other)) if not same(a, b)), min(len(one), len(other)))


def _without_unknown(contents: Contents) -> tuple[Contents, bool]:
    first = contents[0]
    kept = [(key, value) for key, value in zip(first.keys, first.values) if type(value) is not Unknown]
    part = Part(first.kind, [key for key, _ in kept], [value for _, value in kept])
    return (part, *contents[1:]), len(kept) < len(first.values)
