"""The structure of the package: which way imports go, where frameworks may be named, how large and involved things are.

Tables list the exceptions. An entry that is not needed fails too, so that they only shrink.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "cutaway"
STAND_INS = PACKAGE / "knowledge" / "stand_ins"  # interpreted like packages of the target, never imported
FILES = sorted(path for path in PACKAGE.rglob("*.py") if STAND_INS not in path.parents)

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
    "formats": {"formats", "ops", "core"},
    "scan": {"scan", "formats", "core", "__version__"},
    "live": {"live", "formats", "knowledge", "syntax", "core"},
    "isolation": {"isolation", "syntax", "core"},
    "rules": {"rules", "core"},
    "recover": {"recover", "passes", "ops", "core"},
    "checking": set("checking rules interp passes report isolation syntax core limits cache".split()),
    "commands": {
        "commands",
        "checking",
        "rules",
        "scan",
        "recover",
        "formats",
        "report",
        "passes",
        "knowledge",
        "core",
        "_api",
        "_recovery_api",
        "limits",
        "isolation",
        "serving",
    },
    "serving": {"serving", "_api", "formats", "core"},
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

INTERP_ORDER = ("run", "boundary", "modules", "symbolic", "stdlib", "compile", "analysis")
"""The sub-packages of interp/, from the bottom up."""

MOST_IN_A_FOLDER = 15
"""Files, in a folder of interp/."""

LONGEST = 600
LONG: dict[str, str] = {}
"""File -> why it is longer."""

MOST_COMPLEX = 25
COMPLEX: set[str] = set()
"""Functions that are more complex."""

IN_A_CYCLE: set[str] = set()
"""Modules that import each other, in a circle."""

UNEXPLAINED: dict[str, int] = {}
"""File -> how many imports in its functions do not say why they are late."""

REBOUND: set[str] = set()
"""Module globals that a function rebinds."""

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


def late_imports(path: Path) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports of this package that are inside of functions."""
    seen = set()
    for function in ast.walk(tree_of(path)):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for node in ast.walk(function):
            if not isinstance(node, (ast.Import, ast.ImportFrom)) or id(node) in seen:
                continue
            seen.add(id(node))
            if any(name.partition(".")[0] == "cutaway" for name in names_in(node)):
                yield node


def names_in(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return the absolute names of what is imported."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [f"{node.module}.{alias.name}" for alias in node.names]


def unexplained_imports(path: Path) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield imports in functions without a comment `late: ...` in their lines or above the group that they are in."""
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = {
        node.end_lineno: node.lineno
        for node in ast.walk(tree_of(path))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    for node in late_imports(path):
        first = node.lineno
        while first - 1 in starts:
            first = starts[first - 1]
        above = lines[first - 2].strip()
        if "# late: " not in "\n".join(lines[node.lineno - 1 : node.end_lineno]) and not above.startswith("# late: "):
            yield node


def import_graph() -> dict[str, set[str]]:
    """Return which modules of the package each one imports, at any time but for the type checker alone."""
    modules = {module_name(path): path for path in FILES}
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        for_types = {
            id(inner)
            for node in ast.walk(tree_of(path))
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            for statement in node.body
            for inner in ast.walk(statement)
        }
        names = {
            name
            for node in ast.walk(tree_of(path))
            if isinstance(node, (ast.Import, ast.ImportFrom)) and id(node) not in for_types
            for name in names_in(node)
        }
        graph[module] = {name if name in modules else name.rpartition(".")[0] for name in names} & modules.keys()
        graph[module].discard(module)
    return graph


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def groups_in_cycles(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the modules of each cycle: groups in which every one is reached from every other one."""
    reached = {module: reachable(module, graph) for module in graph}
    groups: list[set[str]] = []
    for module in sorted(graph):
        group = {other for other in reached[module] if module in reached[other]}
        if group and group not in groups:
            groups.append(group)
    return groups


def reachable(start: str, graph: Mapping[str, set[str]]) -> set[str]:
    """Return what a module imports, directly or not: itself too, where it is in a cycle."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        fresh = graph[waiting.pop()] - seen
        seen |= fresh
        waiting += fresh
    return seen


def functions_of(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Yield all functions with their qualified names."""
    for node in ast.iter_child_nodes(tree):
        name = prefix
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = f"{prefix}.{node.name}" if prefix else node.name
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield name, node
        yield from functions_of(node, name)


BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert, ast.match_case)


def complexity(function: ast.AST) -> int:
    """Return the cyclomatic complexity of a function, with all that is nested in it: 1, and 1 for each decision."""
    count = 1
    for node in ast.walk(function):
        if isinstance(node, BRANCHES):
            count += 1
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While, ast.Try)):
            count += bool(node.orelse)
    return count


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
    "interp/stdlib/filesystem/open_files.py": "reads what the target reads, and records it",
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


def test_imports_inside_the_interpreter_go_one_way() -> None:
    wrong = [
        f"{name_of(path)}:{line}: {name} is above it"
        for path in FILES
        if room_of(path) == "interp" and len(path.relative_to(PACKAGE).parts) > 2
        for line, name, _ in imports(path)
        if name.startswith("cutaway.interp.")
        and not in_type_checking(path, line)
        and INTERP_ORDER.index(name.split(".")[2]) > INTERP_ORDER.index(path.relative_to(PACKAGE).parts[1])
    ]
    assert not wrong, "\n".join(wrong)


def in_type_checking(path: Path, line: int) -> bool:
    """Tell whether a line is only read by type checkers."""
    return any(
        isinstance(node, ast.If)
        and "TYPE_CHECKING" in ast.unparse(node.test)
        and node.lineno <= line <= (node.end_lineno or 0)
        for node in tree_of(path).body
    )


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


def excess(actual: Mapping[str, int], listed: Mapping[str, int]) -> list[str]:
    """Return what is there and not listed, and what is listed and not there."""
    return [
        f"{name}: {actual.get(name, 0)}, and {listed.get(name, 0)} in the list of exceptions"
        for name in sorted({*actual, *listed})
        if actual.get(name, 0) != listed.get(name, 0)
    ]


def test_files_are_small() -> None:
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    long = {name: lines for name, lines in lengths.items() if lines > LONGEST}
    wrong = [f"{name} has {lines} lines: split it by what it holds" for name, lines in long.items() if name not in LONG]
    wrong += [f"{name} is not that long: drop its exception" for name in LONG if name not in long]
    assert not wrong, "\n".join(wrong)


def test_folders_of_the_interpreter_are_small() -> None:
    folders = Counter(Path(name_of(path)).parent.as_posix() for path in FILES if room_of(path) == "interp")
    wrong = [f"{folder} has {count} files: group them" for folder, count in folders.items() if count > MOST_IN_A_FOLDER]
    assert not wrong, "\n".join(wrong)


def test_functions_are_simple() -> None:
    functions = {
        f"{name_of(path)}: {name}": complexity(node)
        for path in FILES
        for name, node in functions_of(tree_of(path))
        if complexity(node) > MOST_COMPLEX
    }
    wrong = [f"{name} has the complexity {each}: split it" for name, each in functions.items() if name not in COMPLEX]
    wrong += [f"{name} is not that complex: drop its exception" for name in COMPLEX if name not in functions]
    assert not wrong, "\n".join(wrong)


_ACCESSORS = ("getattr", "setattr", "delattr", "hasattr")
_COMPUTING = {
    "knowledge/base/attribute.py": "what everybody else uses",
    "knowledge/base/copying.py": "of a copy that it has made",
    "knowledge/base/registry.py": "of modules of ours",
    "knowledge/numpy/": "of numpy, and of arrays of exactly numpy's classes",
    "knowledge/keras/layers/recurrent.py": "of classes of ours, while they are defined",
    "knowledge/einops/functions.py": "of an array that it has computed",
}


def _computed_attributes(path: Path) -> Iterator[str]:
    """Yield the calls in a file that read or set an attribute whose name is computed, of anything but a module or class."""
    tree = tree_of(path)
    imported = {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    ours = imported | {"np", "numpy", "ops", "namespace", "package", "_module", "_numpy()"}
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name(name), [owner, ast.expr() as attribute, *_]) if name in _ACCESSORS:
                is_constant = isinstance(attribute, ast.Constant) or ast.unparse(attribute).lstrip("_").isupper()
                root = ast.unparse(owner).partition(".")[0]
                if not is_constant and root not in ours and not root[0].isupper():
                    yield f"{name_of(path)}:{node.lineno}: {ast.unparse(node)}"


def test_rows_read_computed_names_as_the_program_may() -> None:
    wrong = [
        call
        for path in FILES
        if room_of(path) == "knowledge" and not name_of(path).startswith(tuple(_COMPUTING))
        for call in _computed_attributes(path)
    ]
    assert not wrong, "use cutaway.knowledge.base.attribute:\n" + "\n".join(wrong)


def test_no_module_is_in_an_import_cycle() -> None:
    together = [sorted(group) for group in groups_in_cycles(import_graph())]
    actual = {name for group in together for name in group}
    wrong = [f"these import each other: {', '.join(group)}" for group in together if not IN_A_CYCLE.issuperset(group)]
    wrong += [f"{name} is not in a cycle: drop its exception" for name in sorted(IN_A_CYCLE - actual)]
    assert not wrong, "\n".join(wrong)


def test_imports_in_functions_say_why_they_are_late() -> None:
    late = Counter(name_of(path) for path in FILES for _ in unexplained_imports(path))
    wrong = excess(late, UNEXPLAINED)
    assert not wrong, 'a comment "late: ..." says why, in that line or above a group of imports:\n' + "\n".join(wrong)


def test_no_module_global_is_rebound() -> None:
    actual = {
        f"{name_of(path)}: {name}"
        for path in FILES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Global)
        for name in node.names
    }
    wrong = [f"{name} is rebound: pass the state on" for name in sorted(actual - REBOUND)]
    wrong += [f"{name} is not rebound: drop its exception" for name in sorted(REBOUND - actual)]
    assert not wrong, "\n".join(wrong)


def test_unit_tests_mirror_the_package() -> None:
    unit = Path(__file__).with_name("unit")
    folders = {path.parent.relative_to(unit) for path in unit.rglob("test_*.py")}
    wrong = [f"tests/unit/{each}: there is no src/cutaway/{each}" for each in folders if not (PACKAGE / each).is_dir()]
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
    program = f"import sys\nfrom cutaway import cli\ncli.main(['show', '--no-cache', {str(model)!r}])\nprint(*sys.modules, file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(run.stderr.split())
    assert not loaded.intersection(HEAVY)
    commands = {name for name in loaded if name.startswith("cutaway.commands.")}
    assert commands == {f"cutaway.commands.{name}" for name in ("show", "options", "output")}
    assert not any(name.startswith(("cutaway.live", "cutaway.hub", "cutaway.knowledge.keras")) for name in loaded)
