"""The order in which a set is gone through.

Python's own depends on hashes, and those of texts change from run to run: a result must not.
"""

from __future__ import annotations

from typing import Any

_SETS = frozenset((set, frozenset))


def in_order(items: Any) -> Any:
    """Return what is to be gone through itself, or, of a set of texts, a list of its elements in alphabetical order.

    Python goes through these in another order each time that a program is run.
    """
    if type(items) in _SETS and len(items) > 1 and all(type(item) is str for item in items):
        return sorted(items)
    return items
