"""Libraries that check the types of arguments: beartype, typeguard, jaxtyping.

They are described because they write the checking function as text, for the annotations that they meet. What they
decorate is left as it is: a program is taken to be right about its own checks.
"""

from __future__ import annotations

from typing import Any

from cutaway.knowledge.base.registry import row


@row("beartype.beartype", "typeguard.typechecked", "jaxtyping.jaxtyped")
def unchecked(decorated: Any = None, /, **_options: Any) -> Any:
    """Return the decorated function or class as it is, whether the decorator was given options first or not."""
    return unchecked if decorated is None else decorated
