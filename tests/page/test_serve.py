"""The page of a folder: what it lists and shows, that it follows changes, and whom it answers."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cutaway.serving.folder import Folder
from cutaway.serving.server import Server, Site

NET = "import torch.nn as nn\nclass {name}(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(4, 2)\n    def forward(self, x):\n        return self.fc(x)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "net.py").write_text(NET.format(name="Net"))
    (tmp_path / "notes.txt").write_text("nothing to show")
    (tmp_path / ".hidden.py").write_text(NET.format(name="Hidden"))
    return tmp_path


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    with Server(Site(Folder(str(folder)), 20.0), "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def get(server: Server, path: str, host: str | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{server.server_port}"})
    response = connection.getresponse()
    return response.status, response.read()


def test_lists_what_can_be_shown_and_shows_it(server: Server) -> None:
    token = server.site.token
    status, listing = get(server, f"/{token}/state")
    assert (status, json.loads(listing)["targets"]) == (200, ["models/net.py"])
    status, page = get(server, f"/{token}/show?0")
    assert status == 200
    assert b'"Net"' in page and page.startswith(b"<!doctype html>")


def test_follows_changes(server: Server, folder: Path) -> None:
    before = server.site.listing()
    (folder / "other.py").write_text(NET.format(name="Other"))
    after = server.site.listing()
    assert before[0] != after[0]
    assert after[1] == ["models/net.py", "other.py"]


@pytest.mark.parametrize("path", ["/", "/state", "/wrong/state", "/wrong/show?0", "/../../etc/passwd"])
def test_a_request_without_the_token_is_refused(server: Server, path: str) -> None:
    assert get(server, path)[0] == 403


def test_a_name_of_another_site_is_refused(server: Server) -> None:
    assert get(server, f"/{server.site.token}/", host="attacker.example")[0] == 403


@pytest.mark.parametrize("query", ["1", "-1", "x", "", "../net.py", "9" * 5000])
def test_only_entries_of_the_list_are_shown(server: Server, query: str) -> None:
    assert get(server, f"/{server.site.token}/show?{query}")[0] == 404


def test_a_module_in_the_folder_is_not_imported(server: Server, folder: Path) -> None:
    (folder / "cutaway.py").write_text(f"open({str(folder / 'ran')!r}, 'w')\n")
    (folder / "json.py").write_text(f"open({str(folder / 'ran')!r}, 'w')\n")
    assert get(server, f"/{server.site.token}/show?0")[0] == 200
    assert not (folder / "ran").exists()


def test_why_there_is_no_page(server: Server, folder: Path) -> None:
    (folder / "models" / "net.py").write_text("import torch\nclass A(torch.nn.Module):\n    x = '<script>' <script>\n")
    page = get(server, f"/{server.site.token}/show?0")[1]
    assert b"syntax" in page and b"<script>" not in page


def test_in_a_browser(server: Server, folder: Path, browser: Any) -> None:
    errors: list[str] = []
    page = browser.new_page()
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(server.address)
    page.get_by_role("button", name="net.py").click()
    shown = page.frame_locator("iframe")
    shown.locator("h1").wait_for(timeout=30_000)
    assert shown.locator("h1").inner_text() == "Net"
    (folder / "models" / "net.py").write_text(NET.format(name="Renamed"))
    shown.locator("h1", has_text="Renamed").wait_for(timeout=30_000)
    assert not errors
    page.close()
