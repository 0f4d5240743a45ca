"""The method that stands in for forward where a network has none, or one that only raises: it uses the most of its parts."""

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
    is_abstract = _only_raises(network)
    if framework.has_forward(network) and not is_abstract:
        yield True
        return
    name = _main_method(network, framework)
    kind = type(network).__name__
    reason = "its forward only raises NotImplementedError" if is_abstract else "it has no forward"
    if name is None:
        session.assume(f"{kind} is not called: {reason}")
        yield False
        return
    session.assume(f"{kind}.{name} is called: {reason}", doubt=CHOSEN_ARGUMENTS)
    network.__dict__["forward"] = getattr(network, name)
    try:
        yield True
    finally:
        del network.__dict__["forward"]


def _only_raises(network: Any) -> bool:
    """Tell whether forward does nothing but say that it is not implemented: other methods are there to be called."""
    record = record_of(getattr(type(network), "forward", None))
    if record is None or not isinstance(record.code.node.body, list):
        return False
    statements = [each for each in record.code.node.body if not isinstance(each, ast.Expr)]
    match statements:
        case [ast.Raise(ast.Name("NotImplementedError") | ast.Call(ast.Name("NotImplementedError")))]:
            return True
    return False


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
    public = [name for name in public if name not in ("forward", "call")]
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
