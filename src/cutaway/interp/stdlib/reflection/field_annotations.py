"""What the words in a data class's annotations mean while it is being made."""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import KW_ONLY, InitVar
from typing import ClassVar

t = typing
__all__ = ["KW_ONLY", "ClassVar", "InitVar", "dataclasses", "t", "typing"]
