"""What an analysis leaves in the abstract classes of the host: classes below them that answer for them, and their caches."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from cutaway.interp.boundary.gate import is_host_class
from cutaway.knowledge.base import registry

_ASKED = (
    "__subclasshook__",
    "__subclasscheck__",
    "__instancecheck__",
    "__subclasses__",
    "__getattribute__",
    "__getattr__",
)
"""What an abstract class looks up in each class below it, and in the class of that, when it is asked for its subclasses."""


@contextmanager
def restored() -> Iterator[None]:
    """Make the abstract classes of the host what they were after an analysis, in a process that lives on.

    An abstract class asks every class that derives from it, as long as that exists, and remembers the answers. Those that
    an analysis adds are found by walking down from `object`: no class can keep out of that.
    """
    before = set(_abstract_classes())
    try:
        yield
    finally:
        for cls in _abstract_classes():
            if cls not in before and not is_host_class(cls) and not registry.is_row_class(cls):
                _silence(cls)
        for cls in before:
            if issubclass(type(cls), ABCMeta):
                ABCMeta._abc_caches_clear(cls)  # type: ignore[attr-defined]


def _abstract_classes() -> Iterator[type]:
    """Yield every class that is abstract or derives from one that is, once."""
    seen: set[type] = set()
    below: set[type] = set()
    waiting: list[type] = [object]
    while waiting:
        cls = waiting.pop()
        derived: list[type] = type.__subclasses__(cls)
        for each in derived:
            if each in below or (each in seen and cls not in below):
                continue
            seen.add(each)
            waiting.append(each)
            if cls in below or issubclass(type(each), ABCMeta):
                below.add(each)
                yield each


def _silence(cls: type) -> None:
    """Take all answers from a class that is left over: nobody needs it any more."""
    kinds = type.__getattribute__(type(cls), "__mro__")
    for holder in (*type.__getattribute__(cls, "__mro__"), *kinds):
        variables = type.__getattribute__(holder, "__dict__")
        for name in _ASKED:
            if name in variables and not is_host_class(holder) and not registry.is_row_class(holder):
                type.__delattr__(holder, name)
    if ABCMeta in kinds:
        with suppress(AttributeError):  # one whose constructor was never called has none
            ABCMeta._abc_registry_clear(cls)  # type: ignore[attr-defined]
            ABCMeta._abc_caches_clear(cls)  # type: ignore[attr-defined]
