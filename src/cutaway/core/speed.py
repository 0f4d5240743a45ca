"""What exists for speed alone, in one list: each device can be switched off, and the results stay the same.

`CUTAWAY_WITHOUT=numeric-loops,lazy-bodies` switches some of them off, and `CUTAWAY_WITHOUT=all` every one. Tests compare
the results, and `python -m benchmarks.speed.devices` measures what each of them earns (docs/speed.md).
"""

from __future__ import annotations

import os

DEVICES = {
    "records": "core/record.py: dataclasses that are created without compiling six methods each",
    "frame-room": "core/frame_room.py: the frames of all calls are in one block of memory",
    "lazy-bodies": "syntax/lazy_parse.py: functions of installed packages are parsed when they are first called",
    "lazy-modules": "interp/modules/waiting.py: modules are evaluated when something of them is used, where nobody notices",
    "lazy-rows": "knowledge/base/registry.py: models of rarely used functions are imported when a name is missed",
    "numeric-loops": "interp/symbolic/numeric_loop.py: loops over plain numbers are computed when something reads them,"
    " and once for equal values",
}
"""Name -> where it is and what it does."""

_REQUESTED = frozenset(os.environ.get("CUTAWAY_WITHOUT", "").split(","))
_OFF = frozenset(DEVICES) if "all" in _REQUESTED else _REQUESTED


def is_on(device: str) -> bool:
    """Tell whether a device is used."""
    assert device in DEVICES, device
    return device not in _OFF
