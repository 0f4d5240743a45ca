"""Take the picture of the page beside this file: `python docs/images/photograph.py`. It needs Chromium and Playwright."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import cutaway
from cutaway.report.page import render

HERE = Path(__file__).resolve().parent
SCREEN = {"width": 1366, "height": 700}


def main() -> None:
    """Write page.png: a network with a fault, drawn up to it."""
    os.chdir(HERE.parents[1])
    networks = cutaway.show("examples/broken.py::Broken", input="1x1x28x28")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "page.html"
        page_file.write_text(render(networks), encoding="utf-8")
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=flags)
        page = browser.new_page(viewport=SCREEN)
        page.goto(page_file.as_uri())
        page.locator(".graph svg[data-ready][aria-busy=false]").wait_for()
        page.wait_for_timeout(500)
        page.screenshot(path=HERE / "page.png")


if __name__ == "__main__":
    main()
