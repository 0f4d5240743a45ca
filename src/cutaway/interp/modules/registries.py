"""Registries: containers of a package that its other modules fill as they are imported.

Modules of installed packages are evaluated when something of them is used. A registry is where one can tell:
it lacks what they would have entered. So a container that a module leaves empty asks for them, when a key is
missed or everything in it is read. Evaluating them then is what Python has done at the import.
"""

from __future__ import annotations

import copy
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from cutaway.interp.boundary.attributes import is_host_class

Ask = Callable[[Any], bool]
"""Evaluates the modules that mention a key, or all of them for `EVERYTHING`; tells whether there were any."""

EVERYTHING = object()
_KINDS = (dict, set, defaultdict, OrderedDict)


def awaiting(value: Any, ask: Ask, is_filled: Callable[[type, str], bool]) -> Any:
    """Return what stands for a value that a module has bound: an empty container becomes one that asks.

    So do the containers that an object, or a class, of the package holds, of a class where something fills them.
    """
    if type(value) in _KINDS:
        return value if value else _container(value, ask)
    is_class = type in type(value).__mro__
    if is_host_class(value if is_class else type(value)):
        return value
    held: Any = type.__dict__["__dict__"].__get__(value) if is_class else getattr(value, "__dict__", None)
    if not is_class and type(held) is not dict:
        return value
    for name, item in list(held.items()):
        if type(item) in _KINDS and not item and not name.startswith("__"):
            if is_class and is_filled(value, name):
                type.__setattr__(value, name, _container(item, ask))
            elif not is_class:
                held[name] = _container(item, ask)
    return value


def _container(value: Any, ask: Ask) -> Any:
    made = _class(type(value), ask)
    return made(value.default_factory) if isinstance(value, defaultdict) else made()


def _class(kind: Any, ask: Ask) -> Any:
    """Return a class of containers that ask; it is called as the one it stands for."""

    class Awaiting(kind):  # type: ignore[misc]
        __slots__ = ()
        __hash__ = None  # type: ignore[assignment]

        def __contains__(self, key: object) -> bool:
            return kind.__contains__(self, key) or (ask(key) and kind.__contains__(self, key))

        def __iter__(self) -> Iterator[Any]:
            ask(EVERYTHING)
            found: Iterator[Any] = kind.__iter__(self)
            return found

        def __len__(self) -> int:
            ask(EVERYTHING)
            return int(kind.__len__(self))

        def __eq__(self, other: object) -> Any:
            ask(EVERYTHING)
            return kind.__eq__(self, other)

        def __ne__(self, other: object) -> Any:
            ask(EVERYTHING)
            return kind.__ne__(self, other)

        def copy(self) -> Any:
            ask(EVERYTHING)
            return _plain(kind, self)

        __copy__ = copy

        def __deepcopy__(self, memo: dict[int, Any]) -> Any:
            ask(EVERYTHING)
            return copy.deepcopy(_plain(kind, self), memo)

        def __reduce_ex__(self, protocol: Any) -> Any:
            ask(EVERYTHING)
            return _plain(kind, self).__reduce_ex__(protocol)

        def __repr__(self) -> str:
            ask(EVERYTHING)
            return repr(_plain(kind, self))

        if kind is not set:

            def __getitem__(self, key: Any) -> Any:
                if not kind.__contains__(self, key):
                    ask(key)
                return kind.__getitem__(self, key)

            def get(self, key: Any, default: Any = None) -> Any:
                if not kind.__contains__(self, key):
                    ask(key)
                return kind.get(self, key, default)

            def pop(self, key: Any, *default: Any) -> Any:
                if not kind.__contains__(self, key):
                    ask(key)
                return kind.pop(self, key, *default)

            def keys(self) -> Any:
                ask(EVERYTHING)
                return kind.keys(self)

            def values(self) -> Any:
                ask(EVERYTHING)
                return kind.values(self)

            def items(self) -> Any:
                ask(EVERYTHING)
                return kind.items(self)

    Awaiting.__name__ = Awaiting.__qualname__ = kind.__name__
    Awaiting.__module__ = kind.__module__
    return Awaiting


def _plain(kind: Any, value: Any) -> Any:
    """Return a copy of the kind that the target knows."""
    if kind is set:
        return set(set.__iter__(value))
    items = [(key, kind.__getitem__(value, key)) for key in kind.__iter__(value)]
    return defaultdict(value.default_factory, items) if kind is defaultdict else kind(items)
