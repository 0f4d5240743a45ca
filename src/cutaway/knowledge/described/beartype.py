"""beartype, which checks the types of arguments.

It is described because it writes the checking function as a string, for the annotations that it meets. What it
decorates is left as it is: a program is taken to be right about its own checks.
"""

from __future__ import annotations

from typing import Any

from cutaway.knowledge.base.registry import row


@row("beartype.beartype")
def unchecked(decorated: Any = None, /, **_options: Any) -> Any:
    """Return the decorated function or class as it is, whether the decorator was given options first or not."""
    return unchecked if decorated is None else decorated
