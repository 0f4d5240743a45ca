"""Networks at a prompt, where they are a table, and in a notebook, where they are the page."""

from __future__ import annotations

import html
from collections.abc import Sequence

from cutaway.core.architecture import Architecture
from cutaway.core.display import DISPLAY

HEIGHT = 640
"""Pixels that a page takes in a notebook."""


def as_text(network: Architecture) -> str:
    """Return the table of a network."""
    # late: reports are loaded when something is printed
    from cutaway.report import table, terminal

    seen = terminal.Terminal(terminal.PIPED_WIDTH, False, True)
    return table.render([network], width=seen.width, colour=False, unicode=True).rstrip("\n")


def as_html(networks: Sequence[Architecture]) -> str:
    """Return the page of networks in a frame that can run nothing but the page's own script."""
    from cutaway.report import page  # late: reports are loaded when something is shown

    content = html.escape(page.render(networks), quote=True)
    return (
        f'<iframe sandbox="allow-scripts" style="width:100%;height:{HEIGHT}px;border:1px solid #d9dee7;border-radius:8px" '
        f'title="Cutaway" srcdoc="{content}"></iframe>'
    )


DISPLAY.text = as_text
DISPLAY.html = lambda network: as_html([network])
