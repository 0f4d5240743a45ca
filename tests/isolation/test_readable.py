"""Which files an analysis may read."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import cutaway
from cutaway.isolation.landlock import READ_FILE, READ_FOLDER
from cutaway.isolation.readable import rights


def readable(*targets: str, paths: tuple[str, ...] = ()) -> dict[str, int]:
    return dict(rights(targets, paths))


def test_hidden_files_and_links_of_a_project_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "net.py").touch()
    (tmp_path / ".env").touch()
    (tmp_path / ".git").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "out").symlink_to("/etc/passwd")
    found = {
        path: right for path, right in readable(str(tmp_path / "net.py")).items() if path.startswith(str(tmp_path))
    }
    assert found == {
        str(tmp_path): READ_FOLDER,
        str(tmp_path / "net.py"): READ_FILE,
        str(tmp_path / "data"): READ_FILE | READ_FOLDER,
    }


def test_hidden_files_below_a_project_are_left_out(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (inner / ".secret").touch()
    (inner / "data.json").touch()
    (tmp_path / "c").mkdir()
    found = readable(str(tmp_path / "net.py"))
    assert found[str(inner)] == READ_FOLDER and found[str(inner / "data.json")] == READ_FILE
    assert str(inner / ".secret") not in found
    assert found[str(tmp_path / "c")] == READ_FILE | READ_FOLDER


def test_a_file_at_the_top_opens_no_folder() -> None:
    found = readable("/net.py")
    assert found["/"] == READ_FOLDER and "/etc" not in found and "/home" not in found


def test_a_package_is_read_from_where_its_imports_start(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "net.py").touch()
    (tmp_path / "other.py").touch()
    assert readable(str(package / "net.py"))[str(tmp_path)] == READ_FILE | READ_FOLDER


def test_a_snapshot_of_the_hub_has_its_files_elsewhere(tmp_path: Path) -> None:
    model = tmp_path / "models--a--b"
    snapshot = model / "snapshots" / "1234"
    snapshot.mkdir(parents=True)
    (model / "blobs").mkdir()
    (model / "blobs" / "abcd").write_text("{}")
    (snapshot / "config.json").symlink_to(Path("../../blobs/abcd"))
    assert readable(str(snapshot))[str(model / "blobs")] == READ_FILE | READ_FOLDER


def test_folders_for_imports_are_read(tmp_path: Path) -> None:
    assert readable("torch:nn", paths=(str(tmp_path),))[str(tmp_path)] == READ_FILE | READ_FOLDER


@pytest.mark.skipif(sys.platform != "linux", reason="there is no Landlock")
def test_a_link_to_a_module_outside_is_not_followed(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "secret.py").write_text("WIDTH = 7\n")
    (project / "secret.py").symlink_to(tmp_path / "secret.py")
    (project / "net.py").write_text("from torch import nn\nfrom secret import WIDTH\nnet = nn.Linear(WIDTH, 3)\n")
    (network,) = cutaway.show(f"{project / 'net.py'}::net")
    assert network.weights[0].shape != (3, 7)
    (network,) = cutaway.show(f"{project / 'net.py'}::net", path=os.fspath(tmp_path))
    assert network.weights[0].shape == (3, 7)


@pytest.mark.skipif(sys.platform != "linux", reason="there is no Landlock")
def test_packages_of_the_active_environment_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = tmp_path / "active" / "lib" / "python3.12" / "site-packages"
    packages.mkdir(parents=True)
    (tmp_path / "active" / "pyvenv.cfg").touch()
    (packages / "widths.py").write_text("WIDTH = 7\n")
    (tmp_path / "project").mkdir()
    net = tmp_path / "project" / "net.py"
    net.write_text("from torch import nn\nfrom widths import WIDTH\nnet = nn.Linear(WIDTH, 3)\n")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    (network,) = cutaway.show(f"{net}::net", cache=False)
    assert network.weights[0].shape == (3, 7)
