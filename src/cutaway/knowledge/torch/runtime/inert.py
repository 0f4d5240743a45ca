"""Stand-ins for what has no effect on a network's structure: loggers, profilers, compilers' options."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.knowledge.base.registry import register


def nothing(*_args: Any, **_kwargs: Any) -> None:
    """Accept anything and do nothing."""
    left_out(*_args, *_kwargs.values())


def left_out(*values: Any) -> None:
    """Note that the real function may call or change what it is given."""
    if any(callable(value) or isinstance(value, (list, dict, set)) for value in values):
        session.current().doubts.setdefault("what a stand-in leaves out")


def always(value: Any) -> Any:
    """Return a function that accepts anything and returns `value`."""

    def answer(*_args: Any, **_kwargs: Any) -> Any:
        return value

    return answer


def transparent(function: Any = None, *_args: Any, **_kwargs: Any) -> Any:
    """Return the decorated object as it is, whether the decorator was called first or not."""
    if callable(function):
        return function
    return lambda decorated: decorated


def first(*args: Any, **kwargs: Any) -> Any:
    """Return the first argument as it is."""
    return next(iter((*args, *kwargs.values())))


class Inert:
    """An object whose methods accept anything and do nothing; also a context and a decorator."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        left_out(*args, *kwargs.values())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return nothing

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_exc: object) -> None:
        pass

    def __call__(self, decorated: Any = None, *_args: Any, **_kwargs: Any) -> Any:
        return decorated


class Placeholder:
    """A class that the target only names, in an `isinstance` or as a base; it has no instances here."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        pass


def register_all(prefix: str, names: str, value: Any) -> None:
    """Enter `value` under each of the space-separated names."""
    for name in names.split():
        register(f"{prefix}.{name}", value)


def register_classes(prefix: str, names: str, base: type) -> None:
    """Enter a new class of the given base under each of the names; `a|b` makes one class of two names."""
    for group in names.split():
        paths = [f"{prefix}.{name}" for name in group.split("|")]
        home, _, name = paths[0].rpartition(".")
        made = type(name, (base,), {"__module__": home})
        for path in paths:
            register(path, made)
