"""The names that annotations of a data class may refer to while the class is created."""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import KW_ONLY, InitVar
from typing import ClassVar

t = typing
__all__ = ["KW_ONLY", "ClassVar", "InitVar", "dataclasses", "t", "typing"]
