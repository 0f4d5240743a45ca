"""The page that is shipped: built from the sources beside it, and safe whatever a target contains."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.core.architecture import Architecture, Module, Note
from cutaway.core.place import Place
from cutaway.report.page import TEMPLATE, render
from tests.page.conftest import Open

VIEWER = Path(__file__).resolve().parents[2] / "viewer"
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'`${alert(3)}<!--\u2028]]>"


def digest() -> str:
    own = ["build.mjs", "package.json", "package-lock.json", "page.html", "tsconfig.json"]
    names = [*own, *(f"src/{path.name}" for path in sorted((VIEWER / "src").iterdir(), key=lambda path: path.name))]
    found = hashlib.sha256()
    for name in names:
        found.update(name.encode() + b"\0" + (VIEWER / name).read_bytes() + b"\0")
    return found.hexdigest()


def test_shipped_page_is_built_from_these_sources() -> None:
    recorded = re.search(r'name="cutaway-viewer" content="(\w+)"', TEMPLATE.read_text(encoding="utf-8"))
    assert recorded and recorded.group(1) == digest(), "build it again: cd viewer && npm ci && npm run build"


def test_lock_file_names_no_registry() -> None:
    assert '"resolved"' not in (VIEWER / "package-lock.json").read_text()


def test_policy_allows_nothing_from_elsewhere() -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', TEMPLATE.read_text(encoding="utf-8"))
    assert policy
    assert policy.group(1).startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy.group(1) and "http" not in policy.group(1) and "*" not in policy.group(1)


def network(text: str) -> Architecture:
    return Architecture(
        name=text,
        target=text,
        framework=text,
        modules=(
            Module("", text, text, config={text: text}),
            Module("a", text, text, config={"a": [text]}, source=Place(text, 3), condition=text),
        ),
        unknowns=(Note(text, Place(text, 1), "a"),),
        assumptions=(Note(text),),
    )


@settings(max_examples=200)
@given(st.text())
def test_text_of_the_target_stays_data(text: str) -> None:
    page = render([network(text)])
    data = re.search(r'<script type="application/json" id="data">([^<>&]*)</script>', page)
    assert data
    assert json.loads(data.group(1))["networks"][0]["name"] == text
    assert page.count("<script") == render([network("")]).count("<script")


def test_hostile_text_is_shown_as_text(open_page: Open) -> None:
    shown = open_page([replace(network(HOSTILE))])
    assert "<script>alert(1)</script>" in shown.page.locator("h1").inner_text()
    for view in ("Graph", "Table", "Costs", "Memory", "Notes"):
        shown.view(view)
        shown.page.wait_for_timeout(50)
    assert shown.page.locator("img").count() == 0
    assert shown.page.locator("script").count() == 3
