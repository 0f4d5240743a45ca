"""What stops an analysis altogether."""

from __future__ import annotations


class CutawayError(Exception):
    """Nothing can be shown; the message stands alone, names the place, and says what to do."""
