"""A page in the user's browser."""

from __future__ import annotations

import os


def open_page(path: str) -> None:
    """Open a file in the browser, if there is one; otherwise, the path that was printed has to do."""
    import webbrowser
    from pathlib import Path

    if os.name == "posix" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or _is_mac()):
        return  # a browser in the terminal would take it over
    webbrowser.open(Path(path).resolve().as_uri())


def _is_mac() -> bool:
    return os.uname().sysname == "Darwin"
