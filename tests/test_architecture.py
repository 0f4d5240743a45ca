"""The structure of the package: which way imports go, where frameworks may be named, how large files are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "cutaway"
FILES = sorted(PACKAGE.rglob("*.py"))

MAY_IMPORT = {
    "core": {"core"},
    "ops": {"ops", "core"},
    "knowledge": {"knowledge", "ops", "core"},
    "syntax": {"syntax", "core"},
    "interp": {"interp", "syntax", "knowledge", "core"},
    "passes": {"passes", "ops", "core"},
    "report": {"report", "passes", "core"},
}
"""Room -> the rooms that it may import from; the modules beside the rooms may import from any."""

NEUTRAL = ("core", "ops", "syntax", "interp", "passes", "report")
FRAMEWORKS = re.compile(r"(?<![a-z])(torch|torchvision|timm|transformers|keras|tensorflow|jax|flax|einops|onnx)(?![a-z])", re.I)

FRAMEWORK_NAMED: dict[str, str] = {}
"""File of a neutral room -> why it names a framework all the same."""

LONGEST = 600
LONG: dict[str, str] = {}
"""File -> why it is longer."""

PURPOSELESS = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "base", "tools"}
PURPOSELESS_ALLOWED = {
    "knowledge/torch/utils.py": "holds the rows of torch.utils",
    "knowledge/torch/nn/utils.py": "holds the rows of torch.nn.utils",
}


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def room_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def imports(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Yield line, absolute name, and whether it is imported when the module is."""
    lazy = {
        id(inner)
        for node in ast.walk(tree_of(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, id(node) not in lazy
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}:{node.lineno}: imports are absolute"
            for alias in node.names:
                yield node.lineno, f"{node.module}.{alias.name}", id(node) not in lazy


def words(path: Path) -> Iterator[tuple[int, str]]:
    """Yield every identifier and every text of a file that is no documentation, with its line."""
    documentation = set()
    for node in ast.walk(tree_of(path)):
        for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
            for statement in body if isinstance(body, list) else []:
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                    documentation.add(id(statement.value))
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.lineno, node.value


def test_every_room_has_a_rule() -> None:
    assert {room_of(path) for path in FILES} - {""} == set(MAY_IMPORT)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_imports_go_one_way(path: Path) -> None:
    room = room_of(path)
    if not room:
        return
    for line, name, _ in imports(path):
        parts = name.split(".")
        if parts[0] == "cutaway":
            assert parts[1] in MAY_IMPORT[room], f"{name_of(path)}:{line}: {room} may not import {name}"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_no_framework_is_imported(path: Path) -> None:
    for line, name, _ in imports(path):
        assert not FRAMEWORKS.fullmatch(name.partition(".")[0]), f"{name_of(path)}:{line}: imports {name}"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_numpy_is_imported_when_it_is_needed(path: Path) -> None:
    if name_of(path) == "knowledge/numpy.py":
        return
    for line, name, eager in imports(path):
        assert not (eager and name.partition(".")[0] == "numpy"), f"{name_of(path)}:{line}: imports numpy too early"


@pytest.mark.parametrize("path", [p for p in FILES if room_of(p) in NEUTRAL], ids=name_of)
def test_neutral_rooms_name_no_framework(path: Path) -> None:
    found = [f"{name_of(path)}:{line}: {word!r}" for line, word in words(path) if FRAMEWORKS.search(word)]
    assert bool(found) == (name_of(path) in FRAMEWORK_NAMED), "\n".join(found) or "it names none: drop the exception"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_are_small(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert (lines > LONGEST) == (name_of(path) in LONG), f"{name_of(path)} has {lines} lines: split it by what it holds"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_names_say_what_is_inside(path: Path) -> None:
    if path.stem in PURPOSELESS:
        assert name_of(path) in PURPOSELESS_ALLOWED, f"{name_of(path)}: name it after what it is for"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_modules_say_what_they_are_for(path: Path) -> None:
    assert ast.get_docstring(tree_of(path)), f"{name_of(path)} opens with no sentence about itself"
