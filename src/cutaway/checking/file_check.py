"""Checking one file: it is interpreted as a whole program, and its faults and what rules find become problems."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

from cutaway.core import disk
from cutaway.core.architecture import Architecture, Diagnostic
from cutaway.core.error import CutawayError, describe_error
from cutaway.core.fault_code import Family, FaultCode
from cutaway.core.import_path import WithoutWorkingFolder
from cutaway.core.place import Place
from cutaway.core.problem import CheckedFile, Extent, Problem, ProblemNote, Severity
from cutaway.core.program import Program, Record
from cutaway.core.unknown import Exhausted, Undecidable
from cutaway.interp.analysis.options import Options
from cutaway.interp.analysis.pipeline import analyse
from cutaway.limits import analysis_seconds, interrupted_after
from cutaway.report.problem_json import MalformedProblems, file_from, file_to
from cutaway.rules.catalogue import rules, severity_of, watched
from cutaway.rules.rule import Found
from cutaway.syntax import markdown, notebook, resolve, source
from cutaway.syntax.extent import assigned_at, extent_of
from cutaway.syntax.target import Target, TargetError

_IGNORE = re.compile(r"#\s*cutaway:\s*ignore(?:\[(?P<codes>[\w\s,-]*)\])?")
_CONDITION = re.compile(r" \[if .*\]$")
"""How a message ends of a fault that depends on something open."""
_OPERATION = re.compile(r"(?P<name>[A-Za-z_]\w*): ")
_QUOTED = re.compile(r"'(?P<name>[A-Za-z_]\w*)'")


Checked = tuple[CheckedFile, dict[str, Any]]
"""The result of a file, and what it depends on."""


def check_files(
    files: Sequence[str], paths: Sequence[str], seconds: float, processes: int
) -> Iterator[tuple[int, Checked]]:
    """Yield the result of each of some files, with its index; each is checked in a process of its own."""
    from cutaway.isolation.pool import call_each  # late: a check in this process needs none of it

    with WithoutWorkingFolder():
        arguments = [(file, tuple(paths), seconds) for file in files]
        for at, outcome in call_each(_check_behind_the_wall, arguments, seconds, processes):
            if isinstance(outcome, CutawayError):
                text = str(outcome)
                note = text if text.startswith(files[at]) else f"{files[at]}: {text}"
                yield at, (CheckedFile(files[at], note=note), {})
            else:
                yield at, _received(files[at], outcome)


def _received(file: str, result: bytes) -> Checked:
    try:
        document = json.loads(result)
        return file_from(document["file"]), document["depends"]
    except (MalformedProblems, ValueError, KeyError, TypeError, RecursionError):
        return CheckedFile(file, note=f"{file}: the analysis returned something else than a result"), {}


def _check_behind_the_wall(path: str, paths: tuple[str, ...], seconds: float) -> bytes:
    """Be the child: raise the wall, check, and return the result as JSON."""
    # late: only a child needs them
    from cutaway.cache import digest
    from cutaway.isolation import child
    from cutaway.isolation.readable import rights

    readable = rights([path], paths)
    child.enter(readable, seconds)
    with disk.recorded() as recording:
        try:
            with interrupted_after(seconds):
                checked = check_file(path, paths, analysis_seconds(seconds))
        except Exhausted as exhausted:
            checked = CheckedFile(path, note=f"{path}: {exhausted.unknown.reason}")
    folders = [folder for folder, _ in readable]
    depends = {
        "answers": [
            [*query, answer] for query, answer in recording.answers.items() if not _is_refused(query, answer, folders)
        ],
        "contents": {name: digest(content) for name, content in recording.contents.items()},
    }
    return json.dumps({"file": file_to(checked), "depends": depends}).encode()


def _is_refused(query: disk.Query, answer: Any, readable: Sequence[str]) -> bool:
    """Tell whether the wall has kept a folder from being listed: outside of it, the same question has another answer."""
    if query[0] != "names" or answer is not None or not os.path.isdir(query[1]):
        return False
    return not any(resolve.is_below(query[1], folder) or query[1] == folder for folder in readable)


def check_file(path: str, paths: Sequence[str] = (), seconds: float | None = None) -> CheckedFile:
    """Check a file in this process."""
    try:
        text = source.read(path)
        if not text.strip():
            return CheckedFile(path)
        tree = source.parse(text, path)
    except CutawayError as error:
        return CheckedFile(path, note=str(error))
    record = Record()
    options = Options(paths=tuple(paths), seconds=seconds, record=record, watched=watched())
    networks, note = _interpreted(path, options)
    program = Program(path, tree, tuple(networks), record)
    return CheckedFile(path, tuple(_Locator(program).problems()), note)


def _interpreted(path: str, options: Options) -> tuple[list[Architecture], str]:
    """Return the networks of a program, and why it could not be followed, where that is so.

    Conditions that nothing decides are left open: a fault that only one way has would be a hint.
    """
    try:
        return analyse(Target(path, path, None, ""), options), ""
    except TargetError as error:
        return [], str(error)
    except (Undecidable, Exhausted) as undecidable:
        return [], f"{path}: {undecidable.unknown.reason}"
    except CutawayError as error:
        return [], str(error)
    except MemoryError:
        return [], f"{path}: there is not enough memory to analyse it"
    except Exception as error:
        if os.environ.get("CUTAWAY_DEBUG"):
            raise
        return [], f"{path}: a bug in Cutaway ({describe_error(error)}); please report it, with the file"


class _Locator:
    """Finds the expressions that problems are about."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._sources: dict[str, tuple[list[str], ast.Module | None]] = {}
        text = source.read(program.file).decode("utf-8", "replace")
        self._sources[program.file] = text.splitlines(), program.tree

    def problems(self) -> Iterator[Problem]:
        """Yield the problems of the program, one for each cause, without those that a comment says to ignore."""
        seen: set[tuple[str, int, str]] = set()
        for problem in (*self._faults(), *self._findings()):
            key = problem.file, problem.line, problem.code
            if key not in seen and not self._is_ignored(problem):
                seen.add(key)
                yield problem

    def _faults(self) -> Iterator[Problem]:
        """Yield the faults of executions; of several in one line, of one layer or operation, or that say the same, the first."""
        causes: set[object] = set()
        own = self._program.record.faults
        for fault in (*own, *(each for network in self._program.networks for each in network.diagnostics)):
            code = FaultCode(fault.code)  # type: ignore[call-arg]
            cause = [fault.place, fault.message, *((fault.code, note.place) for note in fault.notes[:1])]
            if causes.isdisjoint(cause) and self._counts(code):
                causes.update(cause)
                is_chosen = code is FaultCode.CHECK_FAILED and fault not in own  # by arguments that Cutaway chooses
                is_open = is_chosen or _CONDITION.search(fault.message)
                severity = Severity.HINT if is_open else severity_of(code)
                yield self._problem(code.value, severity, fault)

    def _counts(self, code: FaultCode) -> bool:
        """Tell whether a fault counts: names that a document or a notebook does not define may be defined elsewhere."""
        if markdown.is_document(self._program.file):
            return code.family is not Family.PROGRAM
        return code is not FaultCode.UNDEFINED_NAME or not notebook.is_notebook(self._program.file)

    def _findings(self) -> Iterator[Problem]:
        for rule in rules():
            for found in rule(self._program):
                yield self._located(rule.code, rule.severity, found)

    def _problem(self, code: str, severity: Severity, fault: Diagnostic) -> Problem:
        notes = tuple((note.text, note.place) for note in fault.notes)
        names: list[str] = []
        for _, place in notes:
            if place is not None:
                _, tree = self._source(place.file)
                names += assigned_at(tree, place.line) if tree is not None else []
        operation = _OPERATION.match(fault.message)
        names += [operation["name"], operation["name"].lower()] if operation else []
        quoted = [match["name"] for match in _QUOTED.finditer(fault.message)]
        names += [f".{name}" for name in quoted] + quoted + [f"name {name}" for name in quoted]
        return self._located(code, severity, Found(fault.message, fault.place, tuple(names), notes))

    def _located(self, code: str, severity: Severity, found: Found) -> Problem:
        place, explanations = found.place, list(found.notes)
        if place is not None and place.line and not _is_own(place.file):
            own = next((each for _, each in explanations if each is not None and _is_own(each.file)), None)
            if own is not None:
                explanations.append(("it is raised here", place))
                place = own
        file = self._program.file if place is None else place.file
        extent = None if place is None or not place.line else self._extent(place, found.names)
        shown = [ProblemNote(text, where) for text, where in dict.fromkeys(explanations) if where != place or text]
        notes = tuple(map(_with_relative_place, shown))
        fix = found.fix if file == self._program.file and file.endswith(".py") else None
        return Problem(code, severity, found.message, _relative(file), extent, notes, fix)

    def _extent(self, place: Place, names: Sequence[str]) -> Extent:
        lines, tree = self._source(place.file)
        if tree is None:
            return Extent(place.line, 1, place.line, 1)
        return extent_of(tree, lines, place.line, names)

    def _source(self, file: str) -> tuple[list[str], ast.Module | None]:
        if file not in self._sources:
            try:
                text = source.read(file)
                self._sources[file] = text.decode("utf-8", "replace").splitlines(), source.parse(text, file)
            except CutawayError:
                self._sources[file] = [], None
        return self._sources[file]

    def _is_ignored(self, problem: Problem) -> bool:
        if problem.extent is None:
            return False
        lines, _ = self._source(problem.file)
        for line in lines[problem.extent.line - 1 : problem.extent.end_line]:
            comment = _IGNORE.search(line)
            if comment is not None:
                codes = comment["codes"]
                if codes is None or problem.code in [code.strip() for code in codes.split(",")]:
                    return True
        return False


def _is_own(file: str) -> bool:
    return "site-packages" not in file and not file.startswith("<")


def _relative(file: str) -> str:
    """Return a path relative to the working folder, if it is below it."""
    relative = os.path.relpath(file) if os.path.isabs(file) else file
    return file if relative.startswith("..") else relative


def _with_relative_place(note: ProblemNote) -> ProblemNote:
    place = note.place
    return note if place is None else ProblemNote(note.text, Place(_relative(place.file), place.line))
