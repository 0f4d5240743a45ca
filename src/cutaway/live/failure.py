"""What the user's own code raised: as a message, with the part of the traceback that is theirs."""

from __future__ import annotations

import importlib
import os
import traceback
from collections.abc import Mapping
from types import TracebackType

from cutaway.core.error import CutawayError, describe_error
from cutaway.core.place import Place

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_IMPORTING = ("<frozen importlib", os.path.dirname(importlib.__file__))


class LiveError(CutawayError):
    """The user's code could not be run to a network; the message ends with their own traceback."""


def failed(what: str, error: BaseException) -> LiveError:
    """Return the error to raise where the user's code raised `error`."""
    return LiveError(f"{what} raised {describe_error(error)}\n\n{own_traceback(error)}")


def own_traceback(error: BaseException) -> str:
    """Return the traceback without the frames that called the user's code."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_foreign(frame.filename)]
    lines = traceback.format_list(frames) if frames else []
    last = traceback.format_exception_only(type(error), error)
    return "".join((["Traceback (most recent call last):\n"] if lines else []) + lines + last).rstrip()


def place_of(error: BaseException, homes: tuple[str, ...], shown: Mapping[str, str]) -> Place | None:
    """Return the innermost place of an error outside of the folders of frameworks; `shown` rewrites paths."""
    found: Place | None = None
    step: TracebackType | None = error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if not _is_foreign(file) and not file.startswith((*homes, "<")):
            found = Place(shown.get(file, file), step.tb_lineno)
        step = step.tb_next
    return found


def _is_foreign(file: str) -> bool:
    return file.startswith((_OURS, *_IMPORTING))
