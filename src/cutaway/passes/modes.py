"""How the forward pass of a network differs in the mode that is not shown: training, or evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from cutaway.core.architecture import EVALUATION, TRAINING, Architecture, ModuleCall, Note, Op, OtherMode, Value
from cutaway.core.record import replace
from cutaway.passes.compare import shape_text
from cutaway.passes.hierarchy import ancestors

_MOST_NAMES = 4


def other_mode(shown: Architecture, other: Architecture) -> OtherMode:
    """Return how a network differs in the `other` mode from what is shown."""
    mode = other.mode or (EVALUATION if shown.mode == TRAINING else TRAINING)
    modules = list(_modules(shown, other))
    ops = _together(_ops(shown, other, {note.module for note in modules}))
    notes = (*_failures(shown, other), *_outputs(shown, other), *modules, *ops)
    return OtherMode(mode, tuple(dict.fromkeys(notes)))


def _failures(shown: Architecture, other: Architecture) -> Iterator[Note]:
    """Yield the faults that there are only in the other mode, and what is not known there alone."""
    known = {(one.code, one.message) for one in shown.diagnostics}
    for fault in other.diagnostics:
        if (fault.code, fault.message) not in known:
            yield Note(f"fails: {fault.message} [{fault.code}]", fault.place)
    for note in other.unknowns:
        if note not in shown.unknowns:
            yield replace(note, text=f"not known: {note.text}")


def _outputs(shown: Architecture, other: Architecture) -> Iterator[Note]:
    before, after = ({value.name: value for value in one.outputs} for one in (shown, other))
    if not after:
        return
    if not before.keys() & after.keys():
        yield Note(f"returns {', '.join(map(_named, after.values()))}")
        return
    for name, value in (before | after).items():
        if name not in after:
            yield Note(f"does not return {name}")
        elif name not in before:
            yield Note(f"also returns {_named(value)}")
        elif value != before[name]:
            yield Note(f"returns {_named(value)} instead of {_value(before[name])}")


def _modules(shown: Architecture, other: Architecture) -> Iterator[Note]:
    """Yield the modules that are called otherwise; what is below one that is called in one mode only goes without saying."""
    before, after = _calls(shown), _calls(other)
    one_sided = _one_sided(shown, other)
    modules = {module.path: module for one in (shown, other) for module in one.modules}
    for path, module in modules.items():
        above = set(ancestors(path, shown.separator)) - {path}
        was, now = before.get(path, []), after.get(path, [])
        if not path or was == now or above & one_sided:
            continue
        if not now:
            words = "is not called"
        elif not was:
            words = f"is called: {'; '.join(now)}"
        else:
            words = f"is called {'; '.join(now)} instead of {'; '.join(was)}"
        yield Note(f"{module.class_name} {words}", module.source, path)


def _ops(shown: Architecture, other: Architecture, said: set[str | None]) -> Iterator[Note]:
    """Yield the operations that take place in one mode only, outside of modules of which that is `said`."""
    conditions: tuple[dict[Any, list[str | None]], ...] = ({}, {})
    for side, architecture in zip(conditions, (shown, other)):
        for op in architecture.ops:
            side.setdefault(_key(op), []).append(op.condition)
    one_sided = _one_sided(shown, other)
    for op in {_key(op): op for op in (*shown.ops, *other.ops)}.values():
        was, now = (
            _differing(side.get(_key(op), []), conditions[1 - at].get(_key(op), []))
            for at, side in enumerate(conditions)
        )
        if was == now or op.module in said or one_sided.intersection(ancestors(op.module, shown.separator)):
            continue
        results = f"{op.op} → {', '.join(shape_text(value.shape) for value in op.outputs)}"
        if was and now:
            words = f"runs {results} {_when(now) or 'always'} instead of {_when(was) or 'always'}"
        else:
            words = f"{'runs' if now else 'does not run'} {results} {_when(now or was)}".rstrip()
        yield Note(words, op.source, op.module or None)


def _together(notes: Iterable[Note]) -> Iterator[Note]:
    """Yield notes, those that say the same of several modules as one."""
    alike: dict[str, list[Note]] = {}
    for note in notes:
        alike.setdefault(note.text, []).append(note)
    for text, each in alike.items():
        modules = [note.module or "the network itself" for note in each]
        if len(modules) == 1:
            yield each[0]
        else:
            more = f" and {len(modules) - _MOST_NAMES} more modules" if len(modules) > _MOST_NAMES else ""
            yield Note(f"{text}, in {', '.join(modules[:_MOST_NAMES])}{more}")


def _differing(own: list[str | None], others: list[str | None]) -> list[str | None]:
    """Return the conditions of an operation, one for each time, that it does not have in the other mode."""
    left = Counter(own) - Counter(others)
    return list(left.elements())


def _when(conditions: list[str | None]) -> str:
    """Return the conditions of an operation in words, or how often it takes place without one."""
    words = [f"[if {one}]" for one in conditions if one]
    if len(words) < len(conditions) > 1:
        words.insert(0, f"{len(conditions) - len(words)} times")
    return " and ".join(words)


def _calls(architecture: Architecture) -> dict[str, list[str]]:
    return {module.path: [_call(call) for call in module.calls] for module in architecture.modules if module.calls}


def _one_sided(shown: Architecture, other: Architecture) -> set[str]:
    """Return the paths of the modules that are called in one mode only."""
    return _calls(shown).keys() ^ _calls(other).keys()


def _key(op: Op) -> Any:
    return op.op, op.module, tuple(value.shape for value in op.outputs)


def _named(value: Value) -> str:
    return f"{value.name}: {_value(value)}" if value.name else _value(value)


def _value(value: Value) -> str:
    condition = f" [if {value.condition}]" if value.condition else ""
    return f"{shape_text(value.shape)} {value.dtype or '?'}{condition}"


def _call(call: ModuleCall) -> str:
    condition = f" [if {call.condition}]" if call.condition else ""
    return f"{_shapes(call.inputs)} → {_shapes(call.outputs)}{condition}"


def _shapes(shapes: Iterable[Any] | None) -> str:
    return "did not return" if shapes is None else ", ".join(map(shape_text, shapes))
