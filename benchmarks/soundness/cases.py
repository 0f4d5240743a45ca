"""Hand-written programs with open decisions, judged like the generated ones; they stand in `cases.md`.

A heading, prose, a Python block that is `model.py`, and blocks of other files behind a line with their name and a colon.
Lines between the blocks say what is open:

    open: socket.gethostname() == "big" -> False | True         an expression, and what it may be
    open: int(open("n.txt").read()) -> raises OSError | 16      it may raise
    open: import fast -> raises ImportError | imported          a package that may be missing
    open: tuner.adjust(sizes) -> does nothing | does lambda given: given.append(9)      a function of an unseen package
    show: model.py::net                                         what is shown; `model.py::Net` where it is not said
    run: Net("a") | Net("b")                                    what is run, where that needs arguments that are open
    input: 2x4                                                  the input; `2x4` where it is not said
    installed: site-packages                                    a folder whose packages count as installed
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.soundness.analysis import verdict_on
from benchmarks.soundness.judge import Verdict
from benchmarks.soundness.program import CONSTANT, DATA, FRESH, Decision, Effect, Program, Raises, Stub, Way

FILE = Path(__file__).with_name("cases.md")
_BLOCK = re.compile(r"(?:^(?P<file>[\w./-]+):\n\n?)?^```python\n(?P<source>.*?)^```$", re.M | re.S)
_LINE = re.compile(r"^(open|show|run|input|installed): (.*)$", re.M)


@dataclass(frozen=True)
class Case:
    """A program under its heading."""

    name: str
    program: Program


def cases(text: str) -> Iterator[Case]:
    """Yield the cases of a document."""
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        name, _, rest = section.partition("\n")
        files = {match["file"] or "model.py": match["source"] for match in _BLOCK.finditer(rest)}
        program = Program(files, ())
        for kind, value in _LINE.findall(_BLOCK.sub("", rest)):
            program = _with(program, kind, value.strip())
        yield Case(name.strip(), program)


def _with(program: Program, kind: str, value: str) -> Program:
    if kind == "open":
        return replace(program, decisions=(*program.decisions, decision(value)))
    if kind == "run":
        return replace(program, built=tuple(each.strip() for each in value.split(" | ")))
    field = {"show": "target", "input": "input", "installed": "installed"}[kind]
    return replace(program, **{field: value})  # type: ignore[arg-type]


def decision(text: str) -> Decision:
    """Return the decision that a line describes."""
    expression, _, listed = text.rpartition(" -> ")
    if not expression:
        expression, listed = text, "False | True"
    ways = tuple(_way(each.strip()) for each in listed.split(" | "))
    nature = (
        DATA if re.match(r"x\b", expression) else FRESH if re.search(r"random|time\.|rand", expression) else CONSTANT
    )
    return Decision(expression, ways, nature, "hand-written")


def _way(text: str) -> Way:
    if text.startswith("raises "):
        return Raises(text.removeprefix("raises "))
    if text.startswith("does "):
        source = text.removeprefix("does ")
        return Effect("lambda *given, **named: given[0] if given else None" if source == "nothing" else source)
    value: Way = Stub() if text == "imported" else ast.literal_eval(text)
    return value


def outcome(verdict: Verdict) -> str:
    """Return what is to be said of a case, in one line; it begins with `holds` if nothing is wrong."""
    if verdict.crash:
        return f"crashes: {verdict.crash}"
    if verdict.wrong:
        return f"wrong: {verdict.wrong[0]}"
    if verdict.missed:
        return "missed: every run raises, and no fault says so"
    if verdict.refused and verdict.returning:
        return f"no result: {verdict.refused}"
    common, stated = sum(verdict.common.values()), sum(verdict.stated.values())
    under = ", but for facts that are marked as assumed" if verdict.assumed else ""
    return f"holds{under}; {stated} of {common} facts in common are stated" if common else f"holds{under}"


def print_cases(only: str) -> int:
    """Judge the cases whose names contain a text, and print the outcome of each."""
    outcomes = [(case.name, outcome(verdict_on(case.program))) for case in cases(FILE.read_text()) if only in case.name]
    for name, text in outcomes:
        print(f"{'ok   ' if text.startswith('holds') else 'WRONG'} {name}\n          {text}")
    holding = sum(text.startswith("holds") for _, text in outcomes)
    print(f"\n{holding} of {len(outcomes)} cases hold")
    return int(holding < len(outcomes))
