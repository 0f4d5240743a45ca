"""The root of a project, and the environments that belong to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutaway.syntax import project


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)


@pytest.mark.parametrize("marker", [".git", "pyproject.toml", "setup.py"])
def test_the_root_is_marked(tmp_path: Path, marker: str) -> None:
    (tmp_path / marker).touch()
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert project.root(str(tmp_path / "a" / "b")) == str(tmp_path)


def test_the_home_of_the_user_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".git").touch()
    (tmp_path / "a").mkdir()
    assert project.root(str(tmp_path / "a")) is None


def test_the_working_folder_counts_for_files_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    assert project.import_folders(str(tmp_path / "a")) == [str(tmp_path / "a")]
    assert project.import_folders(str(tmp_path / "b")) == []


def _environment(folder: Path) -> Path:
    packages = folder / "lib" / "python3.12" / "site-packages"
    packages.mkdir(parents=True)
    (folder / "pyvenv.cfg").touch()
    return packages


def test_an_environment_of_the_project_is_found(tmp_path: Path) -> None:
    (tmp_path / "setup.py").touch()
    packages = _environment(tmp_path / ".venv")
    assert project.package_folders(str(tmp_path)) == [str(packages)]


def test_an_active_environment_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "setup.py").touch()
    own, active = _environment(tmp_path / "project" / "venv"), _environment(tmp_path / "active")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    assert project.package_folders(str(tmp_path / "project")) == [str(active), str(own)]


def test_packages_that_are_installed_in_place_are_found(tmp_path: Path) -> None:
    (tmp_path / "setup.py").touch()
    (tmp_path / "elsewhere").mkdir()
    packages = _environment(tmp_path / ".venv")
    (packages / "example.pth").write_text(f"import sys; sys.exit()\n{tmp_path / 'elsewhere'}\n{tmp_path / 'missing'}\n")
    assert project.package_folders(str(tmp_path)) == [str(packages), str(tmp_path / "elsewhere")]
