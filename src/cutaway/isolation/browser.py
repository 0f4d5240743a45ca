"""A page in the user's browser."""

from __future__ import annotations

import os


def open_page(path: str) -> None:
    """Open a file in the browser, if there is one; otherwise, the path that was printed has to do."""
    from pathlib import Path

    open_address(Path(path).resolve().as_uri())


def open_address(address: str) -> None:
    """Open an address in the browser, if there is one."""
    import webbrowser

    if os.name == "posix" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or _is_mac()):
        return  # a browser in the terminal would take it over
    webbrowser.open(address)


def _is_mac() -> bool:
    return os.uname().sysname == "Darwin"
