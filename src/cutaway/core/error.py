"""What stops an analysis altogether, and errors of the target put into words."""

from __future__ import annotations

from cutaway.core.place import Place


class CutawayError(Exception):
    """Nothing can be shown; the message stands alone, names the place, and says what to do."""


class InternalError(CutawayError):
    """A mistake of Cutaway's own; it is the cause of this error."""


def internal(error: BaseException) -> InternalError:
    """Return what to say of an exception that should not have come about."""
    return InternalError(
        f"a mistake of Cutaway's own ({in_words(error)}); please report it, with the target. "
        "CUTAWAY_DEBUG=1 shows where it happened."
    )


_LONGEST = 300
_PLACE = "__cutaway_place__"
_VARIABLES = BaseException.__dict__["__dict__"]
_NAME = type.__dict__["__name__"]


def in_words(error: BaseException) -> str:
    """Return an error of the target in one line; a hostile target makes its errors say or do anything."""
    if isinstance(error, CutawayError):
        return str(error)
    name: str = _NAME.__get__(type(error))
    try:
        text = str(error)
    except (Exception, RecursionError):
        text = ""
    except BaseException as other:
        if isinstance(other, KeyboardInterrupt):
            raise
        text = ""
    line = one_line(text)
    return f"{name}: {line}" if line else name


def one_line(text: str) -> str:
    """Return a text that a target chose without line breaks and control characters, cut where it is long."""
    text = " ".join(text[: 4 * _LONGEST].split())
    text = "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def locate(error: BaseException, place: Place) -> None:
    """Remember where an error of the target was raised, unless that is known already."""
    _VARIABLES.__get__(error).setdefault(_PLACE, place)


def place_of(error: BaseException) -> Place | None:
    """Return where an error of the target was raised."""
    place = _VARIABLES.__get__(error).get(_PLACE)
    return place if isinstance(place, Place) else None
