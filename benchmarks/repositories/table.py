"""The list of repositories, and which of their files define networks."""

from __future__ import annotations

import ast
import subprocess
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HOME = Path(__file__).parent
MOST_FILES = 15
"""Files of one repository that are shown: no repository decides the figure."""
_BASES = {"Module", "LightningModule", "Model", "Sequential"}
_FRAMEWORKS = {"torch", "keras", "tensorflow", "pytorch_lightning", "lightning"}
_TEXT = (".py", ".yaml", ".yml", ".json", ".toml", ".cfg", ".txt", ".ini", ".gin", ".ipynb")
_LARGEST = 4_000_000


@dataclass(frozen=True)
class Repository:
    """A line of the list: a repository, and the commit that is measured."""

    name: str
    commit: str

    def folder(self, checkouts: Path) -> Path:
        """Return where its files are."""
        return checkouts / self.name.replace("/", "__")


def lists() -> list[str]:
    """Return the names of the lists of repositories."""
    return sorted(path.stem for path in HOME.glob("*.txt"))


def read_list(name: str) -> list[Repository]:
    """Return the repositories of a list, `OWNER/NAME COMMIT` in each line."""
    lines = (HOME / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [Repository(*line.split()) for line in lines if line and not line.startswith("#")]


def check_out(repository: Repository, mirror: Path, checkouts: Path) -> None:
    """Write the text files of a repository's commit; `mirror` has a git directory for each, OWNER+NAME/repo."""
    git = mirror / repository.name.replace("/", "+") / "repo"
    git = git / ".git" if (git / ".git").is_dir() else git
    listed = _git(git, "ls-tree", "-r", "-z", "--format=%(objecttype) %(path)", repository.commit)
    for entry in listed.decode().split("\0"):
        kind, _, path = entry.partition(" ")
        if kind != "blob" or not path.endswith(_TEXT):
            continue
        try:
            content = _git(git, "cat-file", "blob", f"{repository.commit}:{path}")
        except subprocess.CalledProcessError:
            continue  # large files are not in a mirror
        if len(content) <= _LARGEST:
            file = repository.folder(checkouts) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


def _git(git: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", f"--git-dir={git}", *arguments], check=True, capture_output=True).stdout


def network_files(folder: Path, most: int = MOST_FILES) -> list[Path]:
    """Return files of a repository that define a network, about `most` at most, spread over all of them."""
    files = [path for path in sorted(folder.rglob("*.py")) if path.is_file() and _defines_network(path)]
    return files[:: max(1, -(-len(files) // most))]


def _defines_network(path: Path) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return False
    packages = {name.partition(".")[0] for name in _imports(tree)}
    nodes = list(ast.walk(tree)) if packages & _FRAMEWORKS else []
    return any(
        isinstance(node, ast.ClassDef) and any(ast.unparse(base).rpartition(".")[2] in _BASES for base in node.bases)
        for node in nodes
    ) or (bool(packages & {"keras", "tensorflow"}) and any(_is_keras_model(node) for node in nodes))


def _is_keras_model(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("Sequential", "Model"))


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
