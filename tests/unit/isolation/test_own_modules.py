"""Cutaway's own modules are found as Python would, or left to it."""

from __future__ import annotations

import os
import py_compile
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path

import pytest

from cutaway.isolation.own_modules import OwnModules

FIND = OwnModules().find_spec


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A module that is compiled."""
    file = tmp_path / "part.py"
    file.write_text("answer = 42\n")
    py_compile.compile(str(file))
    return file


def test_a_compiled_module_is_loaded(module: Path) -> None:
    spec = FIND("cutaway.part", [str(module.parent)])
    assert spec is not None and spec.loader is not None
    loaded = module_from_spec(spec)
    spec.loader.exec_module(loaded)
    assert loaded.answer == 42


def test_it_is_described_as_python_describes_it(module: Path) -> None:
    found, expected = (
        FIND("cutaway.part", [str(module.parent)]),
        PathFinder.find_spec("cutaway.part", [str(module.parent)]),
    )
    assert found is not None and expected is not None
    ours, pythons = module_from_spec(found), module_from_spec(expected)
    for name in ("__name__", "__package__", "__file__", "__cached__"):
        assert getattr(ours, name) == getattr(pythons, name)


def test_a_package_has_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "parts" / "__init__.py"
    file.parent.mkdir()
    file.write_text("")
    py_compile.compile(str(file))
    spec = FIND("cutaway.parts", [str(tmp_path)])
    assert spec is not None and spec.submodule_search_locations == [str(file.parent)]


def test_a_module_that_has_changed_is_left_to_python(module: Path) -> None:
    module.write_text("answer = 43\n")
    os.utime(module, (1, 1))
    assert FIND("cutaway.part", [str(module.parent)]) is None


def test_a_module_that_is_not_compiled_is_left_to_python(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text("answer = 42\n")
    assert FIND("cutaway.part", [str(tmp_path)]) is None


def test_modules_of_others_are_left_to_python(module: Path) -> None:
    assert FIND("part", None) is None
    assert FIND("other.part", [str(module.parent)]) is None
