"""The namespace of a module as the target sees it in `globals()`, `vars(module)` and `module.__dict__`."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cutaway.core.admission import ADDRESS
from cutaway.core.session import current
from cutaway.interp.run.frame import MODULE_STATE, Pending

if TYPE_CHECKING:
    from cutaway.interp.modules.module import ModuleState, SourceModule

_HIDDEN_NAMES = frozenset((MODULE_STATE,))


class Namespace(dict[str, Any]):
    """The names of a module: imports are resolved when they are read, and assignments change the module."""

    __slots__ = ("state",)

    def __init__(self, state: ModuleState) -> None:
        super().__init__()
        self.state = state

    def __getitem__(self, name: str) -> Any:
        value = self._find(name)
        if value is _ABSENT:
            raise KeyError(name)
        return value

    def _find(self, name: Any) -> Any:
        if name in _HIDDEN_NAMES:
            return _ABSENT
        value = self.state.namespace.get(name, _ABSENT)
        if value is _ABSENT and isinstance(name, str):
            value = self.state.from_stars(name, _ABSENT)
        return value.resolve() if type(value) is Pending else value

    def __setitem__(self, name: str, value: Any) -> None:
        if type(name) is not str and isinstance(name, str):
            name = str.__str__(name)  # a class of the target would compare it with others
        if type(name) is not str or name in _HIDDEN_NAMES:
            current().unknown("a name in a module's namespace that is not an ordinary string is not followed")
        else:
            self.state.namespace[name] = value

    def __delitem__(self, name: str) -> None:
        if name in _HIDDEN_NAMES:
            raise KeyError(name)
        del self.state.namespace[name]

    def __contains__(self, name: object) -> bool:
        return self._find(name) is not _ABSENT

    def __iter__(self) -> Iterator[str]:
        self.state.expand_stars()
        return iter([name for name in self.state.namespace if name not in _HIDDEN_NAMES])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(iter(self)))

    def __repr__(self) -> str:
        return repr(self.copy())

    def __eq__(self, other: object) -> bool:
        return self is other or self.copy() == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def __or__(self, other: Any) -> dict[str, Any]:  # type: ignore[override]
        merged: dict[str, Any] = self.copy() | other
        return merged

    def __ior__(self, other: Any) -> Namespace:  # type: ignore[misc,override]
        self.update(other)
        return self

    def keys(self) -> Any:
        return self.copy().keys()

    def values(self) -> Any:
        return self.copy().values()

    def items(self) -> Any:
        return self.copy().items()

    def copy(self) -> dict[str, Any]:
        """Return every name with its value."""
        return {name: self[name] for name in self}

    def get(self, name: str, default: Any = None) -> Any:
        value = self._find(name)
        return default if value is _ABSENT else value

    def pop(self, name: str, *default: Any) -> Any:
        value = self._find(name)
        if value is _ABSENT:
            if default:
                return default[0]
            raise KeyError(name)
        self.state.namespace.pop(name, None)
        return value

    def setdefault(self, name: str, default: Any = None) -> Any:
        value = self._find(name)
        if value is _ABSENT:
            self[name] = value = default
        return value

    def update(self, *others: Any, **more: Any) -> None:
        for name, value in dict(*others, **more).items():
            self[name] = value

    def popitem(self) -> Any:
        raise KeyError("popitem() of a module's namespace is not supported")

    def clear(self) -> None:
        for name in list(self):
            del self[name]


_ABSENT = object()


class SimpleNamespace(types.SimpleNamespace):
    """`types.SimpleNamespace`, of a class that Cutaway can give attributes, which that in C can't be given."""

    def __repr__(self) -> str:
        return repr(types.SimpleNamespace(**vars(self)))


class _FunctionState:
    """The variables of a function, in the form of a module's."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace

    def from_stars(self, _name: str, default: Any) -> Any:
        return default

    def expand_stars(self) -> None:
        pass


class FunctionNamespace(Namespace):
    """What a function has as `__dict__`: its names are strings, of which none tells numpy an address."""

    __slots__ = ()

    def __init__(self, variables: dict[str, Any]) -> None:
        super().__init__(_FunctionState(variables))  # type: ignore[arg-type]

    def __setitem__(self, name: str, value: Any) -> None:
        if type(name) is str and name != ADDRESS:
            super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        super().__delitem__(name)


def module_namespace(module: SourceModule) -> Namespace:
    """Return the namespace of a module as the target sees it."""
    state: ModuleState = module.__dict__[MODULE_STATE]
    state.run()
    return Namespace(state)
