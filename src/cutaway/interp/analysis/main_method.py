"""The method that stands in for forward where a network has none: the one that uses the most of its parts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cutaway.core.session import CHOSEN_ARGUMENTS, Session
from cutaway.interp.run.function import Record, record_of
from cutaway.knowledge.base.framework import Framework, holds_parts


@contextmanager
def main_method_called(network: Any, framework: Framework, session: Session) -> Iterator[bool]:
    """Let a network without forward be called; tell whether it can be."""
    if framework.has_forward(network):
        yield True
        return
    name = _main_method(network, framework)
    kind = type(network).__name__
    if name is None:
        session.assume(f"{kind} is not called: it has no forward")
        yield False
        return
    session.assume(f"{kind} has no forward: its {name} is called", doubt=CHOSEN_ARGUMENTS)
    network.__dict__["forward"] = getattr(network, name)
    try:
        yield True
    finally:
        del network.__dict__["forward"]


def _main_method(network: Any, framework: Framework) -> str | None:
    """Return the public method that uses the most parts; of equal ones, that with the fewest arguments."""
    methods: dict[str, Record] = {}
    for cls in reversed(type(network).__mro__):
        for name, value in vars(cls).items():
            methods.pop(name, None)
            record = record_of(value)
            if record is not None and not name.startswith("__"):
                methods[name] = record

    parts = _part_names(network, framework)

    def used_parts(name: str, seen: set[str]) -> set[str]:
        used = set(_attributes(methods[name])) - seen
        seen |= used
        return (used & parts).union(*(used_parts(each, seen) for each in used if each in methods))

    def order(name: str) -> tuple[int, int]:
        return len(used_parts(name, {name})), -_required(methods[name])

    public = [name for name, record in methods.items() if not name.startswith("_") and _required(record) > 0]
    best = max(public, key=order, default=None)
    return best if best is not None and order(best)[0] else None


def _part_names(network: Any, framework: Framework) -> set[str]:
    """Return the attributes of a network that are networks themselves."""
    names: set[str] = set()
    for name, value in vars(network).items():
        if holds_parts(name) and isinstance(value, dict):
            names.update(value)
        elif framework.is_network(value):
            names.add(name)
    return names


def _attributes(record: Record) -> Iterator[str]:
    """Yield the attributes of its object that a method uses."""
    own = record.code.positional[0] if record.code.positional else None
    for node in ast.walk(record.code.node):
        match node:
            case ast.Attribute(ast.Name(name), attribute) if name == own:
                yield attribute


def _required(record: Record) -> int:
    """Return how many arguments a method requires besides its object."""
    return len(record.code.positional) - 1 - len(record.defaults)
