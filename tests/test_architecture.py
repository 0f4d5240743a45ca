"""The structure of the package: which way imports go, where frameworks may be named, how large files are."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "cutaway"
FILES = sorted(PACKAGE.rglob("*.py"))

MAY_IMPORT = {
    "core": {"core"},
    "ops": {"ops", "core"},
    "knowledge": {"knowledge", "ops", "core"},
    "syntax": {"syntax", "core"},
    "hub": {"hub", "syntax", "core"},
    "solve": {"solve", "core"},
    "interp": {"interp", "syntax", "knowledge", "solve", "core"},
    "passes": {"passes", "ops", "core"},
    "report": {"report", "passes", "core"},
    "formats": {"formats", "core"},
    "live": {"live", "formats", "knowledge", "syntax", "core"},
    "commands": {"commands", "formats", "report", "passes", "knowledge", "core", "_api", "limits"},
}
"""Room -> the rooms that it may import from; the modules beside the rooms may import from any."""

NEUTRAL = ("core", "ops", "syntax", "solve", "interp", "passes", "report")
FRAMEWORKS = re.compile(
    r"(?<![a-z])(torch|torchvision|timm|transformers|keras|tensorflow|jax|flax|einops|onnx)(?![a-z])", re.I
)

FRAMEWORK_NAMED: dict[str, str] = {
    "passes/backend.py": "its messages give an example",
    "report/pytest_file.py": "writes a program of the framework's",
}
"""File of a neutral room -> why it names a framework all the same."""

LONGEST = 600
LONG = {
    "interp/compile/expression.py": "the expressions of Python, a method for each kind of node",
    "interp/stdlib/modules.py": "the modules of the standard library, a function for each",
    "interp/compile/statement.py": "the statements of Python, a method for each kind of node",
}
"""File -> why it is longer."""

PURPOSELESS = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "base", "tools"}
PURPOSELESS_ALLOWED = {
    "knowledge/torch/runtime/utils.py": "holds the rows of torch.utils",
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


ASKS_THE_DISK = {
    "isfile", "isdir", "exists", "lexists", "islink", "realpath", "getsize", "samefile", "listdir", "scandir", "walk",
    "stat", "lstat", "glob", "iglob", "open",
}  # fmt: skip
MAY_ASK_THE_DISK = {
    "core/disk.py": "asks, and records the answer",
    "interp/stdlib/open_files.py": "reads what the target reads, and records it",
    "knowledge/base/registry.py": "reads files of this package",
    "syntax/source.py": "reads sources, and records them",
}
"""File of a room that analyses -> why it looks at the disk itself."""


def asks_the_disk(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "open"
    return (
        isinstance(node, ast.Attribute)
        and node.attr in ASKS_THE_DISK
        and ast.unparse(node.value) in ("os", "os.path", "glob", "io")
    )


def test_disk_is_asked_in_one_place() -> None:
    wrong = [
        f"{name_of(path)}:{node.lineno}: {ast.unparse(node)}"  # type: ignore[attr-defined]
        for path in FILES
        if room_of(path) in ("core", "syntax", "hub", "interp", "knowledge") and name_of(path) not in MAY_ASK_THE_DISK
        for node in ast.walk(tree_of(path))
        if asks_the_disk(node)
    ]
    assert not wrong, "core/disk.py answers that:\n" + "\n".join(wrong)


def test_every_room_has_a_rule() -> None:
    assert {room_of(path) for path in FILES} - {""} == set(MAY_IMPORT)


def test_imports_go_one_way() -> None:
    wrong = [
        f"{name_of(path)}:{line}: {room_of(path)} may not import {name}"
        for path in FILES
        if room_of(path)
        for line, name, _ in imports(path)
        if name.startswith("cutaway.") and name.split(".")[1] not in MAY_IMPORT[room_of(path)]
    ]
    assert not wrong, "\n".join(wrong)


def test_no_framework_is_imported_but_by_what_runs_it() -> None:
    wrong = [
        f"{name_of(path)}:{line}: imports {name}"
        for path in FILES
        for line, name, _ in imports(path)
        if room_of(path) != "live" and FRAMEWORKS.fullmatch(name.partition(".")[0])
    ]
    assert not wrong, "\n".join(wrong)


def test_what_runs_a_framework_is_imported_when_it_is_asked_for() -> None:
    wrong = [
        f"{name_of(path)}:{line}: imports {name} with the module, not in the function that needs it"
        for path in FILES
        if room_of(path) != "live"
        for line, name, eager in imports(path)
        if eager and name.startswith("cutaway.live")
    ]
    assert not wrong, "\n".join(wrong)


def test_numpy_is_imported_when_it_is_needed() -> None:
    wrong = [
        f"{name_of(path)}:{line}: imports numpy with the module, not in the function that needs it"
        for path in FILES
        if not name_of(path).startswith("knowledge/numpy/")
        for line, name, eager in imports(path)
        if eager and name.partition(".")[0] == "numpy"
    ]
    assert not wrong, "\n".join(wrong)


def test_neutral_rooms_name_no_framework() -> None:
    wrong = [
        f"{name_of(path)}:{line}: names a framework: {word!r}"
        for path in FILES
        if room_of(path) in NEUTRAL and name_of(path) not in FRAMEWORK_NAMED
        for line, word in words(path)
        if FRAMEWORKS.search(word)
    ]
    assert not wrong, "\n".join(wrong)


def test_files_are_small() -> None:
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    long = {name: lines for name, lines in lengths.items() if lines > LONGEST}
    wrong = [f"{name} has {lines} lines: split it by what it holds" for name, lines in long.items() if name not in LONG]
    wrong += [f"{name} is no longer long: drop its exception" for name in LONG if name not in long]
    assert not wrong, "\n".join(wrong)


def test_names_say_what_is_inside() -> None:
    wrong = [
        f"{name_of(path)}: name it after what it is for"
        for path in FILES
        if path.stem in PURPOSELESS and name_of(path) not in PURPOSELESS_ALLOWED
    ]
    assert not wrong, "\n".join(wrong)


def test_modules_say_what_they_are_for() -> None:
    wrong = [
        f"{name_of(path)} opens with no sentence about itself"
        for path in FILES
        if (ast.get_docstring(tree_of(path)) or "TODO").startswith("TODO")
    ]
    assert not wrong, "\n".join(wrong)


HEAVY = ("json", "numpy", "pickle", "shutil", "subprocess", "tempfile", "unittest", "urllib.parse", "zipfile")


def test_showing_a_network_imports_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text("import torch\nmodel = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())\n")
    program = (
        f"import sys\nfrom cutaway import cli\ncli.main(['show', {str(model)!r}])\nprint(*sys.modules, file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(run.stderr.split())
    assert not loaded.intersection(HEAVY)
    commands = {name for name in loaded if name.startswith("cutaway.commands.")}
    assert commands == {f"cutaway.commands.{name}" for name in ("show", "options", "output")}
    assert not any(name.startswith(("cutaway.live", "cutaway.hub", "cutaway.knowledge.keras")) for name in loaded)
