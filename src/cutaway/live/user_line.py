"""Which line of the user's code control is in: the innermost that is neither the framework's nor ours."""

from __future__ import annotations

import os
import sys
from types import FrameType

from cutaway.core.place import Place
from cutaway.live import framework_detection

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


SHOWN: dict[str, str] = {}
"""Files of the target -> the way in which the user wrote their paths."""

_START = "_run"


def place() -> Place | None:
    """Return where the user's code is now; None where only the framework's and ours runs."""
    return place_of_frame(sys._getframe(1))


def place_of_frame(frame: FrameType | None) -> Place | None:
    """Return the innermost line of the user's code, from `frame` outwards to where a network is called."""
    while frame is not None:
        file = frame.f_code.co_filename
        if frame.f_code.co_name == _START and file.startswith(_OURS):
            return None
        if not file.startswith((*framework_detection.homes(), _OURS, "<")):
            return Place(SHOWN.get(file, file), frame.f_lineno)
        frame = frame.f_back
    return None
