"""Pages in a real browser: Debian's Chromium, driven by Playwright. Where one of them is missing, these tests are skipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import cutaway
from cutaway.core.architecture import Architecture
from cutaway.passes.diff import Difference
from cutaway.report.page import render

FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
SCREEN = {"width": 1366, "height": 768}
Open = Callable[..., "Shown"]


class Shown:
    """A page in the browser, with what it wrote to the console and what it asked the network for."""

    def __init__(self, page: Any, path: Path) -> None:
        self.page = page
        self.path = path
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on(
            "console",
            lambda message: self.errors.append(message.text) if message.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._note)
        page.on("dialog", lambda dialog: (self.errors.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.goto(path.as_uri())
        page.wait_for_selector("svg[data-ready], .notes, .message", timeout=30_000)

    def _note(self, request: Any) -> None:
        if request.url != self.path.as_uri() and not request.url.startswith("blob:"):
            self.requests.append(request.url)

    def boxes(self) -> list[str]:
        """Return the titles of the boxes that are drawn."""
        self.settle()
        return [text.strip() for text in self.page.locator("g.node > text.title").all_text_contents()]

    def settle(self) -> None:
        """Wait until the graph is drawn."""
        self.page.wait_for_timeout(50)
        self.page.locator(".graph svg[data-ready][aria-busy=false]").wait_for()

    def view(self, name: str) -> None:
        """Switch to a view."""
        self.page.get_by_role("tab", name=name).click()

    def details(self) -> str:
        """Return the text of the details."""
        return str(self.page.locator(".details").inner_text())

    def total(self, name: str) -> str:
        """Return a total in the head of the page."""
        return str(self.page.locator(f".totals div:has(dt:text-is('{name}')) dd").inner_text())

    def screenshot(self, name: str) -> None:
        """Keep a picture where CUTAWAY_SCREENSHOTS names a folder."""
        folder = os.environ.get("CUTAWAY_SCREENSHOTS")
        if folder:
            self.page.screenshot(path=f"{folder}/{name}.png")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Return the browser, one for all tests."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install '.[browser]'")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """Return a function that shows networks; afterwards, nothing may have gone wrong, and nothing been asked for."""
    opened: list[Shown] = []

    def show(networks: Sequence[Architecture], difference: Difference | None = None, *, dark: bool = False) -> Shown:
        path = tmp_path / f"page{len(opened)}.html"
        path.write_text(render(networks, difference), encoding="utf-8")
        context = browser.new_context(viewport=SCREEN, color_scheme="dark" if dark else "light")
        context.set_default_timeout(20_000)
        opened.append(Shown(context.new_page(), path))
        return opened[-1]

    yield show
    for shown in opened:
        shown.page.context.close()
        assert shown.errors == []
        assert shown.requests == []


@pytest.fixture(scope="session")
def resnet50() -> tuple[Architecture, ...]:
    """Return a network that everyone knows, with symbolic sizes."""
    if find_spec("torchvision") is None:
        pytest.skip("the source of torchvision is not installed")
    return cutaway.show("torchvision.models:resnet50", input="Bx3xHxW")
