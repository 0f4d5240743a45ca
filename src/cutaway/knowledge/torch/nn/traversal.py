"""The modules inside of a module: those that are known, and whether there may be others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cutaway.core import session
from cutaway.core.protocols import is_module
from cutaway.core.unknown import MoreItems, Opaque, Undecidable, Unknown

_MOST_MODULES = 200_000
LONGEST_NAME = 2_000
"""Letters of a name."""
_LONGEST_PATH = 10_000


def named_parts(
    module: Any, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
) -> Iterator[tuple[str, Any]]:
    """Yield the modules inside of a module that are known, itself first, each with its path."""
    seen = {id(part) for part in memo or ()}
    tick, most = session.current().tick, _MOST_MODULES
    waiting: list[tuple[str, Any]] = [(prefix, module)]
    while waiting:
        path, part = waiting.pop()
        if id(part) in seen:
            continue
        tick()
        most -= 1
        if len(path) > _LONGEST_PATH and len(path) > LONGEST_NAME * path.count("."):
            raise Undecidable(Unknown("the names of modules inside of modules are too long to be followed"))
        if most < 0 or len(path) > _LONGEST_PATH:
            raise RecursionError("a module contains itself, or its parts too often")
        if remove_duplicate:
            seen.add(id(part))
            if memo is not None:
                memo.add(part)
        yield path, part
        below = part.__dict__.get("_modules")  # its constructor may not have run
        if below:
            start = f"{path}." if path else ""
            children = [(f"{start}{name}", child) for name, child in below.items() if is_module(child)]
            waiting.extend(reversed(children))


def parts(module: Any) -> Iterator[Any]:
    """Yield the modules inside of a module that are known, itself first."""
    for _, part in named_parts(module):
        yield part


def unknown_part(module: Any) -> Unknown | None:
    """Return why a module may consist of more than is known: what it has itself, not what its modules have."""
    fields = module.__dict__
    if "_incomplete" in fields:
        return fields["_incomplete"]  # type: ignore[no-any-return]
    if isinstance(module, Opaque):
        return type(module)._opaque_reason
    return next((child for child in fields.get("_modules", {}).values() if type(child) is Unknown), None)


def refuse_end(unknown: Unknown | None) -> None:
    """Tell who iterates over parts of a module, behind the last that is known, that there may be others."""
    if unknown is not None:
        raise MoreItems(unknown)


def known_items(items: Iterable[Any]) -> Iterator[Any]:
    """Yield the items that are known, for an operation that the others are not asked for."""
    try:
        yield from items
    except MoreItems:
        return
