"""The documents show what is true: commands print what stands below them, code runs, links lead somewhere."""

from __future__ import annotations

import importlib.util
import re
import shlex
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
import yaml

from cutaway import cli

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
LEFT_OUT = "..."


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(path: Path, language: str) -> list[str]:
    """Return the fenced blocks of a language, each below as many empty lines as stand before it."""
    text = path.read_text(encoding="utf-8")
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)
    return ["\n" * text.count("\n", 0, match.start(1)) + match.group(1) for match in found]


def commands(path: Path) -> list[tuple[str, list[str]]]:
    """Return each command after `$` in a console block with the lines below it."""
    found: list[tuple[str, list[str]]] = []
    for block in blocks(path, "console"):
        for line in block.lstrip("\n").splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


COMMANDS = [(name_of(path), command, output) for path in DOCUMENTS for command, output in commands(path)]


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.mark.parametrize(
    ("command", "expected"),
    [c[1:] for c in COMMANDS],
    ids=[f"{document}: {command}" for document, command, _ in COMMANDS],
)
def test_commands_print_what_stands_below_them(
    command: str, expected: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    program, *arguments = shlex.split(command)
    assert program == "cutaway"
    package = arguments[1].partition(".")[0]
    if package == "examples/llama":
        package = "transformers"
    if package in ("torchvision", "timm", "transformers") and not is_installed(package):
        pytest.skip(f"the source of {package} is not installed: pip install --no-deps {package}")
    cli.main(arguments)
    captured = capsys.readouterr()
    shown = [line.rstrip() for line in (captured.out + captured.err).splitlines()]
    assert matches(expected, shown), "\n".join(shown)


def is_installed(package: str) -> bool:
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False


def matches(expected: list[str], shown: list[str]) -> bool:
    """Compare line by line; a line of three dots stands for any number of lines."""
    if LEFT_OUT not in expected:
        return expected == shown
    at = expected.index(LEFT_OUT)
    rest = expected[at + 1 :]
    if shown[:at] != expected[:at]:
        return False
    return any(matches(rest, shown[start:]) for start in range(at, len(shown) + 1))


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if blocks(path, "python")], ids=name_of)
def test_code_runs(path: Path) -> None:
    names: dict[str, Any] = {}
    for block in blocks(path, "python"):
        exec(compile(block, name_of(path), "exec"), names)


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    broken = [link for link in links if link and not (path.parent / link).exists()]
    assert not broken


def script(path: str) -> Any:
    """Return a script of docs/ as a module."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / "docs" / path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def drawing() -> Any:
    return script("images/draw.py")


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("resnet18.svg", "show torchvision.models:resnet18 --input 1x3x224x224 --format svg --depth 1"),
        (
            "transformer.svg",
            "show examples/encoder.py::Encoder --input ids=2x128:int64 --input mask=2x128:bool --format svg --depth 2",
        ),
    ],
)
def test_drawings_are_those_of_the_program(name: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    if "torchvision" in command and not is_installed("torchvision"):
        pytest.skip("the source of torchvision is not installed: pip install --no-deps torchvision")
    cli.main(command.split())
    assert capsys.readouterr().out == (ROOT / "docs" / "images" / name).read_text(encoding="utf-8"), (
        f"cutaway {command}"
    )


@pytest.mark.parametrize("name", ["commands.md", "schema.md"])
def test_references_are_those_of_the_program(name: str) -> None:
    written = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
    assert written == script("reference/write.py").PAGES[name](), "write it again: python docs/reference/write.py"


def test_every_page_is_in_the_menu_of_the_site() -> None:
    menu = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")}
    assert set(leaves(menu)) == pages


def leaves(menu: Any) -> list[str]:
    """Return the pages in a menu."""
    if isinstance(menu, str):
        return [menu]
    return [leaf for each in (menu.values() if isinstance(menu, dict) else menu) for leaf in leaves(each)]


@pytest.mark.parametrize("name", sorted(drawing().COMMANDS))
def test_pictures_show_what_is_printed(name: str) -> None:
    draw = drawing()
    command = draw.COMMANDS[name]
    drawn = (ROOT / "docs" / "images" / name).read_text(encoding="utf-8")
    assert drawn == draw.draw(command, draw.printed(command)), "draw it again: python docs/images/draw.py"
