"""The tables of packages: each with its version, and its models with the inputs that they are called with."""

from __future__ import annotations

import json
import lzma
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent
_HEADING = re.compile(r"\[(?P<name>\S+) (?P<version>\S+)\]")


@dataclass(frozen=True)
class Model:
    """A line of a table: a target, and `--input` values."""

    target: str
    inputs: tuple[str, ...]


@dataclass(frozen=True)
class Package:
    """A section of a table: the name and version of a distribution, and models in it."""

    name: str
    version: str
    models: tuple[Model, ...]


def read_table(name: str) -> list[Package]:
    """Return the packages of a table: lines of `TARGET <- INPUT ...` under headings `[NAME VERSION]`."""
    packages: list[Package] = []
    for line in (HOME / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if heading := _HEADING.fullmatch(line):
            packages.append(Package(heading["name"], heading["version"], ()))
            continue
        target, _, inputs = line.partition(" <- ")
        last = packages[-1]
        packages[-1] = Package(last.name, last.version, (*last.models, Model(target, tuple(inputs.split()))))
    return packages


def read_truth(name: str, path: Path | None = None) -> list[dict[str, Any]]:
    """Return the models of a table that built live: of the truth that is given, or of the one that is kept here."""
    with lzma.open(path or HOME / "truth" / f"{name}.jsonl.xz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [row for row in rows if "build_error" not in row]
