"""Registries: containers of a package that its other modules fill as they are imported.

Modules of installed packages are evaluated when something of them is used. A registry is where the difference shows:
it lacks what they would have registered. So a container that a module leaves empty evaluates them when a key is
missing or everything in it is read. Python would have evaluated them at the import.
"""

from __future__ import annotations

import copy
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from cutaway.interp.boundary.attributes import is_host_class

Evaluate = Callable[[Any], bool]
"""Evaluates the modules that mention a key, or all of them for `EVERYTHING`; tells whether there were any."""

EVERYTHING = object()
_KINDS = (dict, set, defaultdict, OrderedDict)


def with_lookup_hooks(value: Any, evaluate: Evaluate, is_filled: Callable[[type, str], bool]) -> Any:
    """Return a value that a module binds, with lookup hooks: an empty container evaluates modules when it is read.

    So do the containers that an object or a class of the package holds; those of a class only where something fills them.
    """
    if type(value) in _KINDS:
        return value if value else _container(value, evaluate)
    is_class = type in type(value).__mro__
    if is_host_class(value if is_class else type(value)):
        return value
    attributes: Any = type.__dict__["__dict__"].__get__(value) if is_class else getattr(value, "__dict__", None)
    if not is_class and type(attributes) is not dict:
        return value
    for name, item in list(attributes.items()):
        if type(item) in _KINDS and not item and not name.startswith("__"):
            if is_class and is_filled(value, name):
                type.__setattr__(value, name, _container(item, evaluate))
            elif not is_class:
                attributes[name] = _container(item, evaluate)
    return value


def _container(value: Any, evaluate: Evaluate) -> Any:
    cls = _class(type(value), evaluate)
    return cls(value.default_factory) if isinstance(value, defaultdict) else cls()


def _class(kind: Any, evaluate: Evaluate) -> Any:
    """Return a class of containers that evaluate modules when they are read; it is called like the one it replaces."""

    class Registry(kind):  # type: ignore[misc]
        __slots__ = ()
        __hash__ = None  # type: ignore[assignment]

        def __contains__(self, key: object) -> bool:
            return kind.__contains__(self, key) or (evaluate(key) and kind.__contains__(self, key))

        def __iter__(self) -> Iterator[Any]:
            evaluate(EVERYTHING)
            iterator: Iterator[Any] = kind.__iter__(self)
            return iterator

        def __len__(self) -> int:
            evaluate(EVERYTHING)
            return int(kind.__len__(self))

        def __eq__(self, other: object) -> Any:
            evaluate(EVERYTHING)
            return kind.__eq__(self, other)

        def __ne__(self, other: object) -> Any:
            evaluate(EVERYTHING)
            return kind.__ne__(self, other)

        def copy(self) -> Any:
            evaluate(EVERYTHING)
            return _plain(kind, self)

        __copy__ = copy

        def __deepcopy__(self, memo: dict[int, Any]) -> Any:
            evaluate(EVERYTHING)
            return copy.deepcopy(_plain(kind, self), memo)

        def __reduce_ex__(self, protocol: Any) -> Any:
            evaluate(EVERYTHING)
            return _plain(kind, self).__reduce_ex__(protocol)

        def __repr__(self) -> str:
            evaluate(EVERYTHING)
            return repr(_plain(kind, self))

        if kind is not set:

            def __getitem__(self, key: Any) -> Any:
                if not kind.__contains__(self, key):
                    evaluate(key)
                return kind.__getitem__(self, key)

            def get(self, key: Any, default: Any = None) -> Any:
                if not kind.__contains__(self, key):
                    evaluate(key)
                return kind.get(self, key, default)

            def pop(self, key: Any, *default: Any) -> Any:
                if not kind.__contains__(self, key):
                    evaluate(key)
                return kind.pop(self, key, *default)

            def keys(self) -> Any:
                evaluate(EVERYTHING)
                return kind.keys(self)

            def values(self) -> Any:
                evaluate(EVERYTHING)
                return kind.values(self)

            def items(self) -> Any:
                evaluate(EVERYTHING)
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
