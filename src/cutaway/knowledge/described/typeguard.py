"""typeguard, which checks the types of arguments, as beartype does."""

from __future__ import annotations

from cutaway.knowledge.base.registry import register
from cutaway.knowledge.described.beartype import unchecked

register("typeguard.typechecked", unchecked)
