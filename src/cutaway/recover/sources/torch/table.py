"""The table of PyTorch's functions."""

from __future__ import annotations

from cutaway.recover.sources.traced import Table

TABLE = Table("cutaway.recover.sources.torch")
row = TABLE.row
