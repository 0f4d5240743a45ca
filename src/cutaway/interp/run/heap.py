"""The mutable state of a program at one moment, to compare with what it is later, and to go back to.

Objects of the target are objects of the host, so whatever changes one of them, an assignment, a method of a container, a
function of the standard library or a row of knowledge, changes what is found here. Nothing has to announce a change.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from operator import is_, itemgetter
from typing import Any, NamedTuple

from cutaway.core.place import Place
from cutaway.core.protocols import is_joinable
from cutaway.core.session import PRESUMED, Session
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown
from cutaway.interp.run.budget import Budget
from cutaway.interp.run.frame import Frame, Pending
from cutaway.interp.run.function import Code
from cutaway.interp.run.memory.change_detection import ChangeDetector
from cutaway.interp.run.memory.contents import (
    CACHED,
    CONTAINERS,
    ITEMS,
    NAMES,
    SEQUENCE,
    SET,
    Contents,
    Part,
    Reader,
    ancestors,
    differ,
    reader_of,
    referents,
    same,
    set_contents,
    slots_of,
    variables_of,
)
from cutaway.syntax.resolve import Location


class Stateless:
    """Something of the interpreter that holds no state of the target, so that it is not searched for any."""


_ATOMS = (int, float, complex, str, bytes, bool, type(None), range, slice, types.ModuleType, types.BuiltinFunctionType,
          types.CodeType, types.GetSetDescriptorType, types.MemberDescriptorType, types.WrapperDescriptorType,
          types.MethodDescriptorType, inspect.Parameter, inspect.Signature, ast.AST, Code, Pending, Unknown, Dim, Place, Location, Session, Budget, Stateless)  # fmt: skip
"""What holds no state of the target."""
_TRANSPARENT = (tuple, frozenset, types.MethodType, partial, property, staticmethod, classmethod,
                types.MappingProxyType, Frame)  # fmt: skip
"""What can't change, and refers to what can."""
_PLAIN: set[type] = {int, float, str, bytes, bool, type(None), Unknown, Dim, Place}


class Possible(NamedTuple):
    """A result that may have been cached, or not."""

    value: Any
    unknown: Unknown


_NO_ITEMS: Contents = (Part(ITEMS, [], []),)
_CHANGEABLE = (Frame, partial, types.MappingProxyType)
"""What is transparent, and may refer to something else later."""
_ENDING = ("__del__", "send", "__anext__")
"""Methods of objects whose end does something."""
_MOST_APART, _MOST_CHANGED = 400, 1_000
_new, _FIRST = tuple.__new__, itemgetter(0)


class Heap:
    """The mutable objects that can be reached from some roots, with what they contain.

    `opaque` are objects that change and whose contents can't be saved: iterators and generators. `namespaces` are the
    identities of the dicts that hold the variables of modules and calls. `lets_go` tells whether the end of one of the
    objects would do something, so that it must not be put off.

    A heap that is saved soon after another one, the `base`, takes over what has not changed. It may contain objects that
    can't be reached any more.
    """

    def __init__(self, roots: Iterable[Any], base: Heap | None = None) -> None:
        self.saved: dict[int, tuple[Any, Contents]] = {}
        self.opaque: list[Any] = []
        self.namespaces: set[int] = set()
        self.lets_go = False
        self._kept: list[Any] = []  # so that no other object gets the identity of one of them
        self._seen: set[int] = set()
        self._atoms: set[type] = set(_PLAIN)
        self._access: dict[type, _Access] = {}
        self._joined: dict[tuple[int, int], Any] = {}
        self._unsettled: list[Any] = []  # what is not saved itself, and may refer to something else later
        self._detector: ChangeDetector | None = None
        self._apart: dict[int, None] = {}  # what the detector does not know as it is saved here
        self._complete = 0  # how many objects there were when all were searched for last
        pending = list(roots)
        is_continued = base is not None and self._continue(base, pending)
        self._save(pending)
        if not is_continued:
            self._complete = len(self.saved)

    def _continue(self, base: Heap, pending: list[Any]) -> bool:
        """Take over what has not changed since another heap, and add to what is to be searched what has; tell whether
        that is worth it."""
        if base.opaque or len(base.saved) > 1.5 * base._complete:
            return False
        changed = base.changes()
        if len(changed) > _MOST_CHANGED or any(issubclass(type(value), type) for value, _, _ in changed):
            return False
        self.saved, self.namespaces = base.saved.copy(), base.namespaces.copy()
        self._kept, self._seen, self._atoms, self._access = (
            base._kept.copy(),
            base._seen.copy(),
            base._atoms,
            base._access,
        )
        self._detector, self._apart, self._complete = base._detector, base._apart.copy(), base._complete
        self.lets_go = base.lets_go
        for value, _, now in changed:
            if now:
                self.remember(value, now)
                pending += [
                    item for part in now for item in (*part.values, *part.keys) if type(item) not in self._atoms
                ]
            else:
                del self.saved[id(value)]
                self._apart.pop(id(value), None)
                self._seen.discard(id(value))
                pending.append(value)
        self._seen.difference_update(map(id, base._unsettled))
        pending += base._unsettled
        return True

    def kept(self) -> Heap:
        """Return a heap to continue from, which is no state to go back to."""
        if self._detector is None:
            self._detect()
        other = Heap(())
        for name, value in vars(self).items():
            setattr(other, name, value)
        other._joined = {}
        return other

    def remember(self, value: Any, contents: Contents) -> None:
        """Let an object contain something else in this state."""
        self.saved[id(value)] = value, contents
        self._apart[id(value)] = None

    def add(self, values: Iterable[Any]) -> None:
        """Save what can be reached from further objects, and was not reached before."""
        self._save(list(values))

    def common(self, one: Any, other: Any) -> Any:
        """Return a new tensor that stands for one of two, None if there is none.

        What refers to the same two gets the same one; anything else that refers to one of them gets none.
        """
        if type(one) is not type(other) or not is_joinable(one):
            return None
        key = id(one), id(other)
        if key not in self._joined:
            is_alone = not any(identity in pair for pair in self._joined for identity in key)
            self._kept += [one, other]
            self._joined[key] = one.joined_with(other, lambda value: id(value) in self.saved) if is_alone else None
        return self._joined[key]

    def of_classes(self, is_wanted: Callable[[type], bool]) -> list[tuple[Any, Contents]]:
        """Return the objects of some classes, with what they contain; each class is asked about once."""
        wanted = {kind for kind in set(map(type, map(_FIRST, self.saved.values()))) if is_wanted(kind)}
        return [pair for pair in self.saved.values() if type(pair[0]) in wanted]

    def _save(self, pending: list[Any]) -> None:
        """Save what can be reached; the detector knows nothing of it."""
        before = len(self.saved)
        self._search(pending)
        if self._detector is not None:
            self._apart.update(dict.fromkeys(islice(reversed(self.saved), len(self.saved) - before)))

    def _search(self, pending: list[Any]) -> None:
        """Save what can be reached. It runs for every object of a program: values of plain classes are left out early."""
        seen, saved, kept, atoms, access = self._seen, self.saved, self._kept, self._atoms, self._access
        while pending:
            value = pending.pop()
            identity, kind = id(value), type(value)
            if identity in seen or kind in atoms:
                continue
            if kind is dict or kind is OrderedDict:  # mostly, and often empty
                seen.add(identity)
                kept.append(value)
                if not value:
                    saved[identity] = value, _NO_ITEMS
                    continue
                keys, values = list(value), list(value.values())
                saved[identity] = value, (_new(Part, (ITEMS, keys, values)),)
                pending += [item for item in values if type(item) not in atoms]
                pending += [key for key in keys if type(key) not in atoms]
                continue
            how = access.get(kind) or self._add_access(kind)
            if how is None:
                continue
            seen.add(identity)
            kept.append(value)
            if how.read is referents:
                self._note_reference(value, kind)
                pending += [item for item in referents(value) if type(item) not in atoms]
                continue
            contents = how.read(value)
            if contents is None:
                self._note_unreadable(value, kind, how)
                continue
            saved[identity] = value, contents
            for part in contents:
                pending += [item for item in part.values if type(item) not in atoms]
                if part.kind in (ITEMS, CACHED):
                    pending += [key for key in part.keys if type(key) not in atoms]

    def _note_reference(self, value: Any, kind: type) -> None:
        """Note something that has no contents, and refers to what has."""
        if kind is Frame:
            self.namespaces.update((id(value.vars), id(value.globals)))
        if issubclass(kind, _CHANGEABLE):
            self._unsettled.append(value)

    def _note_unreadable(self, value: Any, kind: type, how: _Access) -> None:
        """Note an object whose contents can't be saved, or that has none."""
        if how.is_iterator:
            self.opaque.append(value)
        elif not issubclass(kind, (type, types.FunctionType)):
            self._unsettled.append(value)

    def _add_access(self, kind: type) -> _Access | None:
        """Note, once for each class, how its objects are read: None for atoms, `referents` for what can't change."""
        if issubclass(kind, _ATOMS):
            self._atoms.add(kind)
            return None
        how = self._access[kind] = _Access(kind)
        self.lets_go = self.lets_go or how.lets_go
        return how

    def changes(self) -> list[tuple[Any, Contents, Contents]]:
        """Return the objects that have changed, each with its former and its present contents."""
        access, changed = self._access, []
        for value, before in self._suspects():
            kind = type(value)
            if kind is dict or kind is OrderedDict:  # mostly, and mostly it is what it was
                _, keys, values = before[0]
                if len(value) == len(keys) and all(map(is_, value.values(), values)) and all(map(is_, value, keys)):
                    continue
            elif kind is list:
                values = before[0].values
                if len(value) == len(values) and all(map(is_, value, values)):
                    continue
            elif kind in access and access[kind].is_unchanged(value, before):
                continue
            read = (
                access[kind].read if kind in access else reader_of(kind)
            )  # the target may give an object another class
            now = read(value) or ()
            if differ(before, now):
                changed.append((value, before, now))
        return changed

    def _suspects(self) -> list[tuple[Any, Contents]]:
        """Return the objects that are not certainly what they were, in the order in which they were saved."""
        detector = self._detector
        if detector is None or len(self._apart) > _MOST_APART + len(detector.others):
            detector = self._detect()
        positions, saved = detector.positions, self.saved
        last = len(positions)
        suspects = {**self._apart, **dict.fromkeys(key for key in detector.suspects() if key in saved)}
        return [saved[key] for key in sorted(suspects, key=lambda key: positions.get(key, last))]

    def _detect(self) -> ChangeDetector:
        detector = self._detector = ChangeDetector(self.saved)
        self._apart = dict.fromkeys(detector.others)
        return detector

    def restore(self) -> None:
        """Make everything what it was."""
        self.restore_only(value for value, _, _ in self.changes())

    def restore_only(self, changed: Iterable[Any]) -> None:
        """Make these objects what they were; the others have not changed."""
        for value in changed:
            set_contents(value, self.saved[id(value)][1])


class _Access:
    """How objects of a class are read: `referents` for those that can't change."""

    __slots__ = ("is_iterator", "is_unchanged", "lets_go", "read")

    def __init__(self, kind: type) -> None:
        is_transparent = issubclass(kind, _TRANSPARENT)
        self.read: Reader = referents if is_transparent else reader_of(kind)
        self.is_unchanged = _never if is_transparent else _comparison(kind)
        self.is_iterator = any("__next__" in variables_of(cls) for cls in ancestors(kind))
        self.lets_go = any(name in variables_of(cls) for cls in ancestors(kind) for name in _ENDING)


def _never(value: Any, before: Contents) -> bool:
    return False


def _comparison(kind: type) -> Callable[[Any, Contents], bool]:
    """Return a quick test that an object is certainly what it was: most are, and reading all of them takes long."""
    if issubclass(kind, types.FunctionType):
        return lambda value, before: not value.__dict__ and not before[1].keys
    slots = _slots_alone(kind)
    if slots is None:
        return _never
    readers = [slot.__get__ for slot in slots]
    return (lambda value, before: _has_slots(readers, value, before[0].values)) if slots else _has_variables


def _slots_alone(kind: type) -> list[Any] | None:
    """Return the slots of a class whose instances have nothing else, none if they have a dict alone; None for others."""
    if issubclass(kind, (type, *CONTAINERS)):
        return None
    slots = slots_of(kind)
    has_dict = any("__dict__" in variables_of(cls) for cls in ancestors(kind))
    if slots and not has_dict:
        return slots
    return [] if has_dict and not slots and kind.__module__ != "numpy" else None


def _has_slots(slots: list[Any], value: Any, values: list[Any]) -> bool:
    try:
        return all(map(is_, [read(value) for read in slots], values))
    except AttributeError:  # one of them is not set
        return False


def _has_variables(value: Any, before: Contents) -> bool:
    try:
        variables = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return False
    if type(variables) is not dict or len(before) != 1:
        return False
    _, keys, values = before[0]
    same_values = len(variables) == len(keys) and all(map(is_, variables.values(), values))
    return same_values and all(map(is_, variables, keys))


def merged_contents(
    now: Contents, other: Contents, unknown: Unknown, is_namespace: bool, heap: Heap
) -> tuple[Contents | None, bool]:
    """Return what two contents have in common, None where the object as a whole is unknown; tell whether they differ."""
    if len(now) != len(other):
        return None, True
    parts: list[Part] = []
    grown = False
    for one, two in zip(now, other):
        if one.kind == NAMES or (one.kind == ITEMS and is_namespace):
            values = dict(zip(one.keys, one.values))
            others = dict(zip(two.keys, two.values))
            merged = {
                key: joined(values.get(key, unknown), others.get(key, unknown), unknown, heap)
                for key in {**others, **values}
            }
            if PRESUMED in merged:
                merged[PRESUMED] = tuple(dict.fromkeys((*values.get(PRESUMED, ()), *others.get(PRESUMED, ()))))
            grown = grown or any(_grows(others.get(key, unknown), value) for key, value in merged.items())
            parts.append(Part(one.kind, list(merged), list(merged.values())))
        elif one.kind == CACHED:
            part = _joined_results(one, two, unknown, heap)
            grown = grown or any(not same(a, b) for a, b in zip(part.values, two.values)) or part.keys != two.keys
            parts.append(part)
        elif one.kind == SET:
            if set(map(id, one.values)) != set(map(id, two.values)) and set(one.values) != set(two.values):
                return None, True
            parts.append(one)
        elif len(one.values) != len(two.values) or not all(map(same, one.keys, two.keys)):
            return None, True
        elif one.kind in (ITEMS, SEQUENCE):
            items = [joined(a, b, unknown, heap) for a, b in zip(one.values, two.values)]
            grown = grown or any(map(_grows, two.values, items))
            parts.append(Part(one.kind, one.keys, items))
        elif all(map(same, one.values, two.values)):
            parts.append(one)
        else:
            return None, True
    return tuple(parts), grown


def _joined_results(one: Part, two: Part, unknown: Unknown, heap: Heap) -> Part:
    """Return what a function has cached in one of two states; what only one of them has is possible."""
    results, others = dict(zip(one.keys, one.values)), dict(zip(two.keys, two.values))
    merged: dict[Any, Any] = {}
    for key in {**others, **results}:
        present = [table[key] for table in (others, results) if key in table]
        first, last = present[0], present[-1]
        if same(first, last) and len(present) == 2:
            merged[key] = first
            continue
        value = joined(_result(first), _result(last), unknown, heap)
        is_certain = len(present) == 2 and type(first) is not Possible and type(last) is not Possible
        known = next((each for each in present if type(each) is Possible and same(each.value, value)), None)
        merged[key] = value if is_certain else known or Possible(value, unknown)
    return Part(CACHED, list(merged), list(merged.values()))


def _result(entry: Any) -> Any:
    return entry.value if type(entry) is Possible else entry


def _grows(before: Any, merged: Any) -> bool:
    return type(merged) is Unknown and type(before) is not Unknown


def joined(one: Any, other: Any, unknown: Unknown, heap: Heap) -> Any:
    """Return what two values have in common, an unknown where that is nothing."""
    if same(one, other) or type(other) is Pending:
        return one
    if type(one) is Pending:
        return other
    if type(one) is tuple and type(other) is tuple and len(one) == len(other):
        return tuple(joined(a, b, unknown, heap) for a, b in zip(one, other))
    tensor = heap.common(one, other)
    if tensor is not None:
        return tensor
    return Unknown(unknown.reason, unknown.place)
