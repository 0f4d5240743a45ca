"""The table of Keras's operations."""

from __future__ import annotations

from cutaway.recover.sources.traced import Table

TABLE = Table("cutaway.recover.sources.keras")
row = TABLE.row
