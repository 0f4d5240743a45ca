"""Errors that stop an analysis altogether, and one-line descriptions of the target's errors."""

from __future__ import annotations

from cutaway.core.pattern import pattern
from cutaway.core.place import Place


class CutawayError(Exception):
    """Nothing can be shown; the message is complete, names the place, and says what to do."""

    exit_code = 2
    lacks_network = False
    """Whether nothing went wrong: there just is no network."""


class InternalError(CutawayError):
    """A bug in Cutaway; the original exception is its cause."""


def internal(error: BaseException) -> InternalError:
    """Return the error to show for an exception that should not occur."""
    return InternalError(
        f"a bug in Cutaway ({describe_error(error)}); please report it, with the target. "
        "CUTAWAY_DEBUG=1 shows where it happened."
    )


_MAX_LENGTH = 300
_PLACE = "__cutaway_place__"
_BUILT = "__cutaway_built__"
_VARIABLES = BaseException.__dict__["__dict__"]
_NAME = type.__dict__["__name__"]


def describe_error(error: BaseException) -> str:
    """Return a description of a target's error in one line; a hostile target makes its errors say or do anything."""
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


_UNKNOWN_VALUE = pattern(r"""Unknown\((?:'[^']*'|"[^"]*")[^()]*\)""")
"""How a value that is not known looks in a message that the target makes of it."""


def one_line(text: str) -> str:
    """Return a string that a target chose without line breaks and control characters, cut where it is long."""
    text = _UNKNOWN_VALUE.sub("?", " ".join(text[: 4 * _MAX_LENGTH].split()))
    text = "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text)
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}..."


def locate(error: BaseException, place: Place) -> None:
    """Attach the place where an error of the target was raised, unless it has one already."""
    _VARIABLES.__get__(error).setdefault(_PLACE, place)


def keep_built(error: BaseException, network: object) -> None:
    """Attach the network whose constructor an error ends; of several, the outermost is kept."""
    _VARIABLES.__get__(error)[_BUILT] = network


def built_before(error: BaseException) -> object | None:
    """Return the network that was being built when an error was raised, as far as it got."""
    built: object | None = _VARIABLES.__get__(error).get(_BUILT)
    return built


def place_of(error: BaseException) -> Place | None:
    """Return where an error of the target was raised."""
    place = _VARIABLES.__get__(error).get(_PLACE)
    return place if isinstance(place, Place) else None
