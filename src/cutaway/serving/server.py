"""The server: three addresses behind a token, for a browser on this machine.

    /TOKEN/            the list of what can be shown
    /TOKEN/state       the list as JSON, with a text that differs once a file changes
    /TOKEN/show?N      the page of the N-th entry of the list

A page is the output of `cutaway show`, which is a process of its own behind the wall. A request names an entry of the list
by its number, never a path, so that nothing else of the machine can be asked for.
"""

from __future__ import annotations

import html
import json
import os
import secrets
import subprocess
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cutaway.serving.folder import Folder

_INDEX = Path(__file__).with_name("index.html")
_MOST_PAGES = 32
_LONGEST_NUMBER = 9
_PROGRAM = "import sys; sys.path[:] = filter(None, sys.path); from cutaway.__main__ import entry; entry()"
"""`python -m cutaway`, but nothing is imported from the folder, which may have a module of that name."""
_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)


class Site:
    """A folder as it is shown: its list, and the pages that were made since it changed last."""

    def __init__(self, folder: Folder, seconds: float) -> None:
        self.folder = folder
        self.seconds = seconds
        self.token = secrets.token_urlsafe(24)
        self._lock = threading.Lock()
        self._state = ""
        self._targets: list[str] = []
        self._pages: dict[str, bytes] = {}
        self._running = threading.Semaphore(max(1, (os.cpu_count() or 2) - 1))

    def listing(self) -> tuple[str, list[str]]:
        """Return the state of the folder, and what it has to show."""
        with self._lock:
            state = self.folder.state()
            if state != self._state:
                self._state, self._targets, self._pages = state, self.folder.targets(), {}
            return self._state, self._targets

    def page(self, number: int) -> bytes | None:
        """Return the page of an entry of the list, or None where there is no such entry."""
        state, targets = self.listing()
        if not 0 <= number < len(targets):
            return None
        target = targets[number]
        made = self._pages.get(target)
        if made is None:
            with self._running:
                made = self._make(target)
            with self._lock:
                if state == self._state:
                    self._pages[target] = made
                    while len(self._pages) > _MOST_PAGES:
                        del self._pages[next(iter(self._pages))]
        return made

    def _make(self, target: str) -> bytes:
        """Return the page of a target, or a short one with the reason why there is none."""
        path = os.path.join(self.folder.root, *target.split("/"))
        options = ["--format", "html", "--timeout", str(self.seconds)]
        command = [sys.executable, "-c", _PROGRAM, "show", path, *options]
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, cwd=self.folder.root)
        if done.stdout:
            return done.stdout
        reason = done.stderr.decode("utf-8", "replace").strip() or "cutaway: there is nothing to show"
        text = (
            f"<!doctype html><meta charset=utf-8><title>{html.escape(target)}</title><pre>{html.escape(reason)}</pre>"
        )
        return text.encode("utf-8", "replace")  # a file's name may be in no encoding


class Server(ThreadingHTTPServer):
    """The server of one site."""

    daemon_threads = True

    def __init__(self, site: Site, host: str, port: int) -> None:
        self.site = site
        super().__init__((host, port), _Handler)
        self.names = {f"{name}:{self.server_port}" for name in (host, "localhost", "127.0.0.1", "[::1]")}

    @property
    def address(self) -> str:
        """Return the address to open, with the token."""
        return f"http://{self.server_address[0]!s}:{self.server_port}/{self.site.token}/"


class _Handler(BaseHTTPRequestHandler):
    server: Server
    server_version = "cutaway"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        """Answer a request of this machine's browser that has the token."""
        if self.headers.get("Host") not in self.server.names:  # a name that leads here is another site's
            return self._refuse(HTTPStatus.FORBIDDEN)
        path, _, query = self.path.partition("?")
        token, _, name = path[1:].partition("/")
        site = self.server.site
        if not secrets.compare_digest(token.encode(), site.token.encode()):
            return self._refuse(HTTPStatus.FORBIDDEN)
        if name == "":
            return self._index(site)
        if name == "state":
            state, targets = site.listing()
            return self._answer(json.dumps({"state": state, "targets": targets}).encode(), "application/json")
        is_number = query.isascii() and query.isdigit() and len(query) <= _LONGEST_NUMBER
        page = site.page(int(query)) if name == "show" and is_number else None
        if page is None:
            return self._refuse(HTTPStatus.NOT_FOUND)
        return self._answer(page, "text/html; charset=utf-8", {"Content-Security-Policy": "frame-ancestors 'self'"})

    def _index(self, site: Site) -> None:
        nonce = secrets.token_urlsafe(12)
        text = _INDEX.read_text(encoding="utf-8").replace("@@nonce@@", nonce)
        text = text.replace("@@folder@@", html.escape(os.path.basename(site.folder.root) or site.folder.root))
        self._answer(
            text.encode("utf-8", "replace"),
            "text/html; charset=utf-8",
            {"Content-Security-Policy": _POLICY.format(nonce=nonce)},
        )

    def _answer(self, content: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(HTTPStatus.OK)
        always = {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }
        for name, value in {**always, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _refuse(self, status: HTTPStatus) -> None:
        self.send_error(status)

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log."""
