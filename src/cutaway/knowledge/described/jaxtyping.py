"""jaxtyping, which has the types of arguments checked, as beartype does."""

from __future__ import annotations

from cutaway.knowledge.base.registry import register
from cutaway.knowledge.described.beartype import unchecked

register("jaxtyping.jaxtyped", unchecked)
