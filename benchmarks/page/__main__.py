"""Measure the page in Chromium: its size, and the time until it can be used.

usage: python -m benchmarks.page [--screenshots FOLDER]

Time counts from the request of the page to a drawn graph that answers a click, in a browser that is already running: the
best of three. Beside it is the processor time of the page's own thread, which other programs do not slow down. Needs Playwright, Chromium, and the source of torchvision.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cutaway
from cutaway.core.architecture import Architecture, Module, ModuleCall, Op, Value
from cutaway.report.page import render

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def networks() -> Iterator[tuple[str, Architecture]]:
    """Yield a network that everyone knows, and ones of many operations."""
    yield "resnet50", cutaway.show("torchvision.models:resnet50", input="1x3x224x224")[0]
    for count in (1_000, 10_000):
        yield f"{count:,} operations in blocks", blocks(count, 10)
        yield f"{count:,} operations in a row", blocks(count, count)


def blocks(count: int, size: int) -> Architecture:
    """Return a network of distinct blocks of operations, each with a connection around it."""
    shape = (1, 64)
    call = (ModuleCall((shape,), (shape,)),)
    modules = [Module("", "Net", "Net", calls=call)]
    ops: list[Op] = []
    last = Value("x", shape, "float32")
    for block in range(count // size):
        modules.append(Module(f"block{block}", f"Block{block}", f"Block{block}", calls=call))
        first = last
        for at in range(size):
            made = Value(f"v{block}.{at}", shape, "float32")
            inputs = (last, first) if at == size - 1 else (last,)
            ops.append(Op("add" if at == size - 1 else "relu", {}, inputs, (made,), f"block{block}"))
            last = made
    return Architecture(
        "Net", inputs=(Value("x", shape, "float32"),), outputs=(last,), modules=tuple(modules), ops=tuple(ops)
    )


def interactive(browser: Any, path: Path, picture: str | None) -> tuple[float, float]:
    """Return the seconds until a page is drawn and answers a click, and those that its own thread computes."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    page = context.new_page()
    inspector = context.new_cdp_session(page)
    inspector.send("Performance.enable", {"timeDomain": "threadTicks"})
    start = time.perf_counter()
    page.goto(path.as_uri())
    page.wait_for_selector(".graph svg[data-ready][aria-busy=false]", timeout=120_000)
    page.get_by_role("tab", name="Table").click()
    page.wait_for_selector("[role=tabpanel] table, .table", timeout=60_000)
    seconds = time.perf_counter() - start
    metrics = {each["name"]: each["value"] for each in inspector.send("Performance.getMetrics")["metrics"]}
    if picture:
        page.get_by_role("tab", name="Graph").click()
        page.wait_for_timeout(300)
        page.screenshot(path=picture)
    context.close()
    return seconds, metrics["TaskDuration"]


def main() -> None:
    """Print a row for each network."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--screenshots", metavar="FOLDER", help="keep pictures there")
    folder = parser.parse_args().screenshots
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    print(f"{'network':<32} {'page':>10} {'written':>9} {'usable':>9} {'computing':>9}")
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for number, (name, network) in enumerate(networks()):
            path = Path(scratch, f"{number}.html")
            start = time.process_time()
            path.write_text(render([network]), encoding="utf-8")
            written = time.process_time() - start
            seconds, computing = min(interactive(browser, path, None) for _ in range(3))
            if folder:
                interactive(browser, path, f"{folder}/{number}.png")
            print(
                f"{name:<32} {path.stat().st_size / 1e6:>7.2f} MB {written:>7.2f} s {seconds:>7.2f} s {computing:>7.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
