"""`python -m cutaway`."""

from __future__ import annotations

from cutaway.cli import entry

entry()
