"""What a running network is called with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Arguments:
    """Positional and named arguments."""

    positional: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)
