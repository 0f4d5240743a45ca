"""Registries: dicts and sets of a module that other modules fill as they are imported.

Where modules wait that fill one, it evaluates them when it is read: those that may enter a key when the key is looked up,
and all of them when everything in it is read, in Python's order. What depends on the order in which two modules enter the
same key is noted, and the analysis is repeated with every module evaluated where it is imported.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cutaway.interp.run.iteration import FILLS
from cutaway.knowledge.base import copying

if TYPE_CHECKING:
    from cutaway.interp.modules.waiting import WaitingModules

EVERYTHING = object()
_KINDS = (dict, set, defaultdict, OrderedDict)


def is_hooked(value: Any) -> bool:
    """Tell whether a container evaluates the modules that fill it."""
    return hasattr(type(value), FILLS) and isinstance(value, _KINDS)


def hooked(value: Any, waiting: WaitingModules, module: str, name: str, is_in_package: bool) -> Any:
    """Return a container that evaluates the modules that fill it when it is read, in place of an ordinary one.

    One that is not empty, or of a module that is alone, is replaced only where such modules are known.
    """
    kind = type(value)
    if kind not in _KINDS or ((value or not is_in_package) and not waiting.is_filled(module, name)):
        return value
    cls = _class(kind, _Filling(waiting, module, name))
    registry = cls(value.default_factory) if kind is defaultdict else cls()
    if value:
        kind.update(registry, value)
    return registry


class _Filling:
    """Who has entered what into one registry, and who is still to do so."""

    def __init__(self, waiting: WaitingModules, module: str, name: str) -> None:
        self.waiting, self.registry = waiting, (module, name)
        self.origins: dict[Any, str] = {}
        self.positions: dict[Any, int] = {}

    def read(self, key: Any) -> None:
        """Make a key, or everything, what it would be in Python."""
        if not self.waiting.is_late():
            self.waiting.fill(self.registry, key)
        elif self._has_others(key):
            self.waiting.out_of_order = True

    def _has_others(self, key: Any) -> bool:
        """Tell whether modules other than the one that is being evaluated may have entered what is read."""
        module = self.waiting.evaluating()
        if key is not EVERYTHING:
            return self.origins.get(key, "") not in ("", module)
        if self.registry[0] != module or any(origin not in ("", module) for origin in self.origins.values()):
            return True
        return self.waiting.is_filled_before(self.registry, module)

    def enter(self, key: Any) -> None:
        """Note who enters a key."""
        module = self.waiting.evaluating()
        self.positions.setdefault(key, self.waiting.position(module))
        if self.origins.setdefault(key, module) != module and self.waiting.is_late():
            self.waiting.out_of_order = True

    def position(self, key: Any) -> int:
        """Return when a key would have been entered in Python."""
        return self.positions.get(key, 0)


def _class(kind: Any, filling: _Filling) -> Any:
    """Return a class of containers that evaluate modules when they are read; it is called like the one it replaces."""

    class Registry(kind):  # type: ignore[misc]
        __slots__ = ()
        __hash__ = None  # type: ignore[assignment]
        __fills__ = True

        def _fill(self) -> None:
            filling.read(EVERYTHING)
            if kind is not set and filling.origins and not filling.waiting.is_late():
                keys = list(kind.__iter__(self))
                in_order = sorted(keys, key=filling.position)
                if in_order != keys:
                    items = [(key, kind.__getitem__(self, key)) for key in in_order]
                    kind.clear(self)
                    for key, item in items:
                        kind.__setitem__(self, key, item)

        def __contains__(self, key: object) -> bool:
            filling.read(key)
            return bool(kind.__contains__(self, key))

        def __iter__(self) -> Iterator[Any]:
            self._fill()
            iterator: Iterator[Any] = kind.__iter__(self)
            return iterator

        def __len__(self) -> int:
            self._fill()
            return int(kind.__len__(self))

        def __eq__(self, other: object) -> Any:
            self._fill()
            return kind.__eq__(self, other)

        def __ne__(self, other: object) -> Any:
            self._fill()
            return kind.__ne__(self, other)

        def copy(self) -> Any:
            self._fill()
            return _plain(kind, self)

        __copy__ = copy

        def __deepcopy__(self, memo: dict[int, Any]) -> Any:
            self._fill()
            return copying.deepcopy(_plain(kind, self), memo)

        def __reduce_ex__(self, protocol: Any) -> Any:
            self._fill()
            return _plain(kind, self).__reduce_ex__(protocol)

        def __repr__(self) -> str:
            self._fill()
            return repr(_plain(kind, self))

        def __or__(self, other: Any) -> Any:
            self._fill()
            return _plain(kind, self) | other

        def __ror__(self, other: Any) -> Any:
            self._fill()
            return other | _plain(kind, self)

        def update(self, *others: Any, **more: Any) -> None:
            values = [set(other) if kind is set else dict(other) for other in others]
            for value in [*values, more]:
                for key in value:
                    filling.enter(key)
            kind.update(self, *values, **more)

        def pop(self, *key: Any) -> Any:
            if kind is set or not key:
                self._fill()
            else:
                filling.read(key[0])
            return kind.pop(self, *key)

        def clear(self) -> None:
            self._fill()
            kind.clear(self)

        if kind is set:

            def add(self, key: Any) -> None:
                filling.enter(key)
                set.add(self, key)

            def discard(self, key: Any) -> None:
                filling.read(key)
                set.discard(self, key)

            def remove(self, key: Any) -> None:
                filling.read(key)
                set.remove(self, key)

        else:

            def __getitem__(self, key: Any) -> Any:
                if kind is defaultdict and (filling.waiting.is_late() or filling.waiting.is_entering(filling.registry)):
                    filling.enter(key)
                else:
                    filling.read(key)
                return kind.__getitem__(self, key)

            def __setitem__(self, key: Any, value: Any) -> None:
                filling.enter(key)
                kind.__setitem__(self, key, value)

            def __delitem__(self, key: Any) -> None:
                filling.read(key)
                kind.__delitem__(self, key)

            def get(self, key: Any, default: Any = None) -> Any:
                filling.read(key)
                return kind.get(self, key, default)

            def setdefault(self, key: Any, default: Any = None) -> Any:
                filling.enter(key)
                return kind.setdefault(self, key, default)

            def popitem(self, *last: Any) -> Any:
                self._fill()
                return kind.popitem(self, *last)

            def keys(self) -> Any:
                self._fill()
                return kind.keys(self)

            def values(self) -> Any:
                self._fill()
                return kind.values(self)

            def items(self) -> Any:
                self._fill()
                return kind.items(self)

    Registry.__name__ = Registry.__qualname__ = kind.__name__
    Registry.__module__ = kind.__module__
    return Registry


def _plain(kind: Any, value: Any) -> Any:
    """Return a copy of the type that the target knows."""
    if kind is set:
        return set(set.__iter__(value))
    items = [(key, kind.__getitem__(value, key)) for key in kind.__iter__(value)]
    return defaultdict(value.default_factory, items) if kind is defaultdict else kind(items)
