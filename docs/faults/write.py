"""Writes the parts of these pages that follow from the program: the text about each code, and what its example reports.

    python docs/faults/write.py

The examples themselves and the introductions are written by hand.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path

from cutaway import cli
from cutaway.core.fault_code import Family, FaultCode

HERE = Path(__file__).resolve().parent
WIDTH = 120
SECTION = re.compile(r"^## (?P<code>[a-z-]+)\n.*?(?=^## |\Z)", re.M | re.S)
EXAMPLE = re.compile(
    r"^Fails:\n\n```python\n(?P<failing>.*?)^```\n\n```text\n.*?^```\n\nWorks:\n\n```python\n(?P<working>.*?)^```\n",
    re.M | re.S,
)
COMMAND = re.compile(r"# cutaway ((?:show|check) model\.py\b.*)")


@dataclass(frozen=True)
class Example:
    """Two programs, each with the command that shows it in its first line: one has the fault, the other has not."""

    failing: str
    working: str


def examples(page: str) -> dict[str, Example]:
    """Return the example of each code on a page."""
    found = {}
    for section in SECTION.finditer(page):
        example = EXAMPLE.search(section[0])
        if example is None:
            raise ValueError(f"{section['code']} has no example: 'Fails:' and 'Works:', each with a program")
        found[section["code"]] = Example(example["failing"], example["working"])
    return found


def faults(program: str) -> list[str]:
    """Return the faults of a program as a report shows them, by the command in its first line."""
    command = COMMAND.match(program)
    if command is None:
        raise ValueError("the first line of an example is the command that shows it: # cutaway show model.py, or check")
    output = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, _inside(Path(folder)), contextlib.redirect_stdout(output):
        Path("model.py").write_text(program, encoding="utf-8")
        cli.main([*shlex.split(command[1]), "--format", "json", "--no-cache"])
    document = json.loads(output.getvalue())
    if command[1].startswith("check"):
        found = [each for file in document["files"] for each in file["problems"]]
        return [f"model.py:{each['extent'][0]}  {each['message']} [{each['code']}]" for each in found]
    networks = document["architectures"]
    reported = (diagnostic for network in networks for diagnostic in network["diagnostics"])
    return list(dict.fromkeys(f"{each['place']}  {each['message']} [{each['code']}]" for each in reported))


@contextlib.contextmanager
def _inside(folder: Path):  # type: ignore[no-untyped-def]
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def page_of(family: Family) -> Path:
    """Return the page of a family."""
    return HERE / f"{family.value}.md"


def written(page: str) -> str:
    """Return a page with the text of its codes, and what its examples report."""
    return SECTION.sub(lambda section: described(FaultCode(section["code"]), section[0]), page)


def described(code: FaultCode, section: str) -> str:
    """Return the section of a code, from its own example and the text of the enumeration."""
    example = examples(section)[code.value]
    blocks = [
        f"## {code.value}",
        code.summary,
        textwrap.fill(code.explanation, WIDTH),
        "Fails:",
        f"```python\n{example.failing}```",
        "\n".join(["```text", *faults(example.failing), "```"]),
        "Works:",
        f"```python\n{example.working}```",
    ]
    is_last = not section.endswith("\n\n")
    return "\n\n".join(blocks) + ("\n" if is_last else "\n\n")


def index(page: str) -> str:
    """Return the index with a table for each family below its introduction."""
    introduction, _, _ = page.partition("\n## ")
    tables = []
    for family in Family:
        title = page_of(family).read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        rows = [f"| [`{code.value}`]({family.value}.md#{code.value}) | {code.summary} |" for code in of_family(family)]
        tables.append("\n".join([f"## {title}", "", "| code | what it means |", "|---|---|", *rows]))
    return introduction.rstrip() + "\n\n" + "\n\n".join(tables) + "\n"


def of_family(family: Family) -> list[FaultCode]:
    """Return the codes of a family, in their order."""
    return [code for code in FaultCode if code.family is family]


def main() -> None:
    """Write all pages."""
    for family in Family:
        page = page_of(family)
        page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
    contents = HERE / "index.md"
    contents.write_text(index(contents.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
