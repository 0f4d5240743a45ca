"""The value of what can't be determined: it absorbs every operation and carries its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NoReturn

from cutaway.core.place import Place

if TYPE_CHECKING:
    from cutaway.core.relation import Statement


class Undecidable(BaseException):
    """A decision hangs on an unknown value; not an `Exception`, so a target never catches it.

    `container` is the object that would have been changed, if that is all that is undecided.
    """

    def __init__(self, unknown: Unknown, container: object = None) -> None:
        super().__init__(unknown.reason)
        self.unknown = other_than_truth(unknown)
        self.container = container


def other_than_truth(unknown: Unknown) -> Unknown:
    """Return what stands for another value that is unknown for the same reason: no truth of the statement, no number."""
    return unknown if unknown.about is None and unknown.kind is None else Unknown(unknown.reason, unknown.place)


def _absorb(self: Unknown, *_args: Any, **_kwargs: Any) -> Unknown:
    return self if self.about is None and self.kind is None else other_than_truth(self)


def _undecidable(self: Unknown, *_args: Any) -> NoReturn:
    raise Undecidable(self)


class Unknown:
    """An undetermined value. Operations on it give it back; decisions on it raise `Undecidable`.

    `about` is the statement on sizes whose truth it is, if it is that. What is made of it has another truth.
    `kind` is int or float where it is known to be one number of that type.
    """

    __slots__ = ("about", "kind", "place", "reason")

    reason: str
    place: Place | None
    about: Statement | None
    kind: type | None

    def __init__(
        self,
        reason: str,
        place: Place | None = None,
        about: Statement | None = None,
        kind: type | None = None,
    ) -> None:
        object.__setattr__(self, "reason", reason)
        object.__setattr__(self, "about", about)
        object.__setattr__(self, "place", place)
        object.__setattr__(self, "kind", kind)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return other_than_truth(self)

    def __setattr__(self, name: str, value: object) -> None:
        """Writing to an unknown object changes nothing that can be observed."""

    def __delattr__(self, name: str) -> None:
        """Deleting from an unknown object changes nothing that can be observed."""

    def __setitem__(self, key: object, value: object) -> None:
        """Writing to an unknown container changes nothing that can be observed."""

    def __delitem__(self, key: object) -> None:
        """Deleting from an unknown container changes nothing that can be observed."""

    def __repr__(self) -> str:
        return f"Unknown({self.reason!r})"

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> Any:
        return other_than_truth(self)

    def __ne__(self, other: object) -> Any:
        return other_than_truth(self)

    def __exit__(self, *_exc: object) -> Literal[False]:
        return False

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[Any, ...]:
        return (opaque_class(self),)

    def __deepcopy__(self, memo: object) -> Unknown:
        return self

    def __copy__(self) -> Unknown:
        return self


for _name in (
    "call add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow "
    "matmul rmatmul and rand or ror xor rxor lshift rlshift rshift rrshift neg pos abs invert "
    "round trunc floor ceil lt le gt ge getitem enter divmod rdivmod"
).split():
    setattr(Unknown, f"__{_name}__", _absorb)

for _name in "bool int float index len iter contains complex".split():
    setattr(Unknown, f"__{_name}__", _undecidable)


class Opaque:
    """Base class standing in for a base that could not be determined."""

    _opaque_reason: Unknown

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        pass

    def __init_subclass__(cls, **_kwargs: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return type(self)._opaque_reason


def opaque_class(unknown: Unknown) -> type:
    """Return a class that stands where `unknown` was named as a base class."""
    return type("Opaque", (Opaque,), {"_opaque_reason": unknown})
