"""The picture of `svg` in pixels, for documents that take no vector graphics."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError
from cutaway.core.pattern import pattern
from cutaway.report import svg

_ZOOM = 2
"""Pixels for a unit of the drawing: sharp on today's screens."""
_LONGEST = 16_000
"""Pixels of the longer side; a larger picture is drawn smaller."""
_SIZE = pattern(r'width="(\d+)" height="(\d+)"')
_FONTS = ("/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts")


def font_folders() -> list[str]:
    """Return where the system has its fonts, which are read when a picture is drawn."""
    return [folder for folder in _FONTS if os.path.isdir(folder)]


def rasterizer() -> Callable[..., bytes]:
    """Return the function that draws; it is imported before the wall is up, behind which no library is loaded."""
    try:
        from resvg_py import svg_to_bytes  # late: an extra that only this output form needs
    except ImportError:
        raise CutawayError("--format png needs the package resvg_py: pip install 'cutaway[png]'") from None
    draw: Callable[..., bytes] = svg_to_bytes
    return draw


def render(networks: Sequence[Architecture], depth: int | None = None) -> bytes:
    """Return the bytes of a PNG file."""
    drawing = svg.render(networks, depth=depth)
    size = _SIZE.search(drawing)
    assert size is not None, "every drawing has a size"
    zoom = min(_ZOOM, _LONGEST / max(map(int, size.groups())))
    return bytes(rasterizer()(svg_string=drawing, zoom=zoom, sans_serif_family="DejaVu Sans"))
