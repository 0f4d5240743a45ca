"""How networks present themselves at a prompt and in a notebook; `report/notebook.py` hands it over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Display:
    """The text and the page of a network; None until the reports are loaded."""

    def __init__(self) -> None:
        self.text: Callable[[Any], str] | None = None
        self.html: Callable[[Any], str] | None = None


DISPLAY = Display()
