"""What a document tells its reader to type, in order, and a new environment to type it in."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "SECURITY.md", *ROOT.glob("docs/*.md")])

_FENCE = re.compile(r"^```(\w*)$")
_PLACEHOLDER = re.compile(r"^\[|\.\.\.|^[A-Z][A-Z_]*$")
_FILE = re.compile(r"^[\w./-]+$")
_TAKES_VALUE = frozenset(
    "--input --format --depth --columns --set --assume --path --output -o --by --sort --width".split()
)
_HEAVY = ("torch", "tensorflow")


@dataclass(frozen=True)
class Step:
    """A command, or a block of Python; `output` is what the document shows below a command, if it does."""

    line: int
    text: str
    is_python: bool = False
    output: tuple[str, ...] | None = None

    @property
    def installs(self) -> str | None:
        """What `pip install` gets, None where this is another command."""
        return self.text.removeprefix("pip install ").strip() if self.text.startswith("pip install ") else None


def steps(document: Path) -> Iterator[Step]:
    """Yield what a document tells to type: console and shell blocks, Python, and indented commands."""
    lines = document.read_text(encoding="utf-8").splitlines()
    at = 0
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        if fence is None:
            yield from (Step(at + 1, command) for command in re.findall(r"`(pip install [^`]+)`", lines[at]))
            if re.match(r"^    (pip install|cutaway) ", lines[at]):
                words = lines[at].split()
                is_form = any(_PLACEHOLDER.search(word) for word in words)
                yield Step(at + 1, " ".join(words) if is_form else re.split(r"\s{2,}| # ", lines[at].strip())[0])
            at += 1
            continue
        end = next(number for number in range(at + 1, len(lines)) if lines[number] == "```")
        yield from _block(fence.group(1), lines[at + 1 : end], at + 2)
        at = end + 1


def _block(language: str, lines: list[str], first: int) -> Iterator[Step]:
    if language == "python":
        yield Step(first, "\n".join(lines), is_python=True)
    elif language == "sh":
        yield from (Step(first + number, line) for number, line in enumerate(lines) if line.strip())
    elif language == "console":
        starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
        for start, stop in zip(starts, [*starts[1:], len(lines)]):
            yield Step(first + start, lines[start][2:], output=tuple(lines[start + 1 : stop]))


def why_not(step: Step, folder: Path) -> str | None:
    """Return why a step can't be tried as it is written, None if it can."""
    if step.is_python:
        return None
    if step.installs is not None:
        heavy = any(re.match(rf"{name}\b", word) for word in step.installs.split() for name in _HEAVY)
        return "installs a framework" if heavy else None
    words = shlex.split(step.text, comments=True)
    if words[0] != "cutaway":
        return "is for those who change Cutaway"
    if "path/to/" in step.text:
        return "names a file of the reader's"
    targets = [word for at, word in enumerate(words[2:], 2) if word[0] != "-" and words[at - 1] not in _TAKES_VALUE]
    for target in targets:
        if _PLACEHOLDER.search(target):
            return "is a form"
        file = target.partition("::")[0]
        if _FILE.match(file) and not (folder / file).exists():
            return "names a file of the reader's"
    return None


def wheel(folder: Path) -> Path:
    """Build the package and return its wheel."""
    _run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)])
    return next(folder.glob("cutaway-*.whl"))


def environment(folder: Path, package: Path) -> Path:
    """Make a new environment that has the package and what it requires, and return its programs' folder."""
    venv.create(folder, with_pip=True)
    programs = folder / "bin"
    _run([str(programs / "python"), "-m", "pip", "install", "--quiet", str(package)])
    return programs


def checkout(folder: Path) -> None:
    """Put the files that a reader has after `git clone` into a folder."""
    names = subprocess.run(["git", "ls-files", "-z", "examples", "docs", "README.md"], cwd=ROOT, capture_output=True)
    for name in filter(None, names.stdout.decode().split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())


def run(step: Step, programs: Path, folder: Path) -> str | None:
    """Do what a step says; return what is wrong with what came of it, None if nothing is."""
    surroundings = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8", "BROWSER": "true"}
    if step.is_python:
        command = [str(programs / "python"), "-c", step.text]
    elif step.installs is not None:
        command = [str(programs / "python"), "-m", "pip", "install", "--quiet", *shlex.split(step.installs)]
    else:
        command = [str(programs / "cutaway"), *shlex.split(step.text, comments=True)[1:]]
    done = subprocess.run(
        command, cwd=folder, env=surroundings, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300
    )
    shown = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
    if step.output is not None and matches(list(step.output), shown):
        return None
    if "Traceback (most recent call last)" in shown or done.returncode not in (0, 1):
        return f"exit code {done.returncode}: {' / '.join(shown[-3:])}"
    return None if step.output is None else "prints something else:\n" + "\n".join(shown)


def matches(expected: list[str], shown: list[str]) -> bool:
    """Compare line by line; a line of three dots stands for any number of lines."""
    if "..." not in expected:
        return expected == shown
    at = expected.index("...")
    rest = expected[at + 1 :]
    return shown[:at] == expected[:at] and any(matches(rest, shown[start:]) for start in range(at, len(shown) + 1))


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"{' '.join(command[:5])}: {done.stderr.strip()[-300:]}")
