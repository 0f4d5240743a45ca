"""`cutaway check`: the faults of programs and of the networks in them, and `cutaway rule`: what a code means."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import cutaway
from cutaway.commands.options import add_output, seconds
from cutaway.commands.output import write
from cutaway.core.error import CutawayError
from cutaway.core.fault_code import FaultCode
from cutaway.core.problem import CheckedFile, Problem, Severity
from cutaway.core.progress import PROGRESS
from cutaway.core.record import replace
from cutaway.report.terminal import Terminal, detect

_FORMATS = ("full", "concise", "json", "sarif", "github", "junit")
_SECONDS = 10.0


def add(commands: Any) -> None:
    """Enter the commands into the parser."""
    check = commands.add_parser(
        "check",
        help="find faults in networks and in the programs that use them",
        description="Check Python files, notebooks and Markdown documents, folders of them, and saved graphs. "
        "Nothing of them is run.",
        epilog="exit code: 0 if no problem is found, 1 if one is, 2 on error",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    check.add_argument("paths", nargs="*", default=["."], metavar="PATH", help="files and folders (default: .)")
    check.add_argument("--format", choices=_FORMATS, default="full", help="default: full")
    add_output(check)
    codes = "a code, a severity (error, warning, hint) or all; repeat for several"
    check.add_argument("--select", action="append", default=[], metavar="CODE", help=f"report only this: {codes}")
    check.add_argument("--ignore", action="append", default=[], metavar="CODE", help=f"do not report this: {codes}")
    check.add_argument("--exclude", action="append", default=[], metavar="PATTERN", help="leave out files and folders")
    check.add_argument(
        "--baseline",
        metavar="FILE",
        help="report only problems that are not in this file, which is made if there is none",
    )
    check.add_argument("--fix", action="store_true", help="fix the problems whose fix is certain; this changes files")
    check.add_argument("--update-baseline", action="store_true", help="write all problems to the baseline")
    check.add_argument(
        "--path", action="append", default=[], metavar="DIR", help="a folder to search first for imports"
    )
    check.add_argument("--no-cache", action="store_true", help="neither read nor write the cache on disk")
    check.add_argument("--processes", type=_count, default=None, metavar="N", help="how many files are checked at once")
    check.add_argument(
        "--timeout", dest="file_seconds", type=seconds, default=_SECONDS, metavar="SECONDS",
        help=f"time limit for each file (default: {_SECONDS:g})",
    )  # fmt: skip
    check.set_defaults(run=_check)
    rule = commands.add_parser(
        "rule",
        help="explain a code that check reports",
        description="Explain a code that check or show reports: what it means, an example that fails, and one that works.",
    )
    rule.add_argument("code", nargs="?", metavar="CODE", help="a code; all are listed if none is given")
    rule.set_defaults(run=_rule)


def _check(options: argparse.Namespace) -> int:
    # late: --help needs none of it
    from cutaway.checking.settings import read_settings, require_known
    from cutaway.commands import saved_check
    from cutaway.rules.catalogue import documentation

    known = documentation()
    require_known([*options.select, *options.ignore], known, "cutaway check")
    settings = read_settings(options.paths, known)
    if options.select:
        settings = replace(settings, select=tuple(options.select))
    settings = replace(settings, ignore=(*settings.ignore, *options.ignore))
    saved, options.paths = saved_check.split(options.paths)
    files = _files(options, [*settings.exclude, *options.exclude])
    results = [*(_results(options, files) if files else ()), *saved_check.checked(saved)]
    checked = _once([_filtered(file, settings) for file in results])
    if options.baseline:
        checked = _without_known(checked, options)
    fixed = 0
    if options.fix:
        from cutaway.checking.fixes import apply_fixes  # late: few runs change files

        checked, fixed = apply_fixes(checked)
    write(_render(checked, options), options.output, _terminal(options).colour)
    if fixed:
        print(f"{fixed} problem{'s' * (fixed != 1)} fixed", file=sys.stderr)
    return int(any(file.problems for file in checked))


def _files(options: argparse.Namespace, excluded: Sequence[str]) -> list[str]:
    # late: --help needs none of it
    from cutaway.checking.files import checked_files
    from cutaway.knowledge.base.framework_names import CHECKED

    return checked_files(options.paths, excluded, CHECKED)


def _results(options: argparse.Namespace, files: list[str]) -> list[CheckedFile]:
    """Return the result of each file: a cached one if nothing has changed."""
    from cutaway.checking.result_cache import CheckCache  # late: --help needs none of it

    cache = CheckCache(sorted(map(os.path.abspath, options.paths)), options.path, options.file_seconds)
    known = {} if options.no_cache else cache.read()
    results = {file: known[file] for file in files if file in known}
    remaining = [file for file in files if file not in results]
    if remaining:
        from cutaway.checking.file_check import (
            check_files,
        )  # late: it imports the interpreter, which cached results do not need

        PROGRESS.show_on(sys.stderr)
        processes = options.processes or os.cpu_count() or 1
        for at, (result, depends) in check_files(remaining, options.path, options.file_seconds, processes):
            results[remaining[at]] = result
            if not options.no_cache:
                cache.add(remaining[at], result, depends)
            PROGRESS.title = f"{len(results)} of {len(files)}: {remaining[at]}"
            PROGRESS.tick()
        PROGRESS.clear()
    if not options.no_cache:
        cache.write()
    return [results[file] for file in files]


def _filtered(file: CheckedFile, settings: Any) -> CheckedFile:
    return replace(file, problems=tuple(problem for problem in file.problems if settings.reports(problem)))


def _once(files: Sequence[CheckedFile]) -> list[CheckedFile]:
    """Return the files with each problem once: one that lies in a module is found in every program that imports it.

    Of several errors in a line, one of a call that a program makes says more than one of inputs that were tried.
    """
    own: dict[str, list[Problem]] = {os.path.normpath(file.path): [] for file in files}
    found = [(os.path.normpath(file.path), problem) for file in files for problem in file.problems]
    seen: set[tuple[str, int, str]] = set()
    for path, problem in sorted(found, key=lambda each: each[1].code == FaultCode.NO_INPUT_FITS.value):
        home = os.path.normpath(problem.file)
        key = home, problem.line, "" if problem.severity is Severity.ERROR else problem.code
        if key not in seen:
            seen.add(key)
            own[home if home in own else path].append(problem)
    return [replace(file, problems=tuple(sorted(own[os.path.normpath(file.path)], key=_order))) for file in files]


def _order(problem: Problem) -> tuple[str, int, int, str]:
    return problem.file, problem.line, problem.extent.column if problem.extent else 0, problem.code


def _without_known(files: list[CheckedFile], options: argparse.Namespace) -> list[CheckedFile]:
    """Return the files without the problems of the baseline; the first run makes it."""
    path = options.baseline
    if options.update_baseline or not os.path.exists(path):
        entries = sorted(_identity(problem) for file in files for problem in file.problems)
        write(json.dumps({"format": "cutaway/baseline/1", "problems": entries}, indent=2) + "\n", path)
        return [replace(file, problems=()) for file in files]
    try:
        with open(path, "rb") as file:
            remaining = [list(entry) for entry in json.load(file)["problems"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise CutawayError(f"{path}: is not a baseline ({error}); --update-baseline writes one") from None
    found = []
    for checked in files:
        problems = []
        for problem in checked.problems:
            identity = _identity(problem)
            if identity in remaining:
                remaining.remove(identity)
            else:
                problems.append(problem)
        found.append(replace(checked, problems=tuple(problems)))
    return found


def _identity(problem: Problem) -> list[str]:
    """Return what identifies a problem when lines are added or removed above it."""
    return [problem.file.replace(os.sep, "/"), problem.code, problem.message]


def _render(files: list[CheckedFile], options: argparse.Namespace) -> str:
    if options.format == "json":
        from cutaway.report import problem_json  # late: only this output form needs it

        return problem_json.render(files)
    if options.format == "sarif":
        # late: only this output form needs them
        from cutaway.report import sarif
        from cutaway.rules.catalogue import documentation

        return sarif.render(files, cutaway.__version__, {c: (d.summary, d.text) for c, d in documentation().items()})
    if options.format == "github":
        from cutaway.report import github  # late: only this output form needs it

        return github.render(files)
    if options.format == "junit":
        from cutaway.report import junit  # late: only this output form needs it

        return junit.render(files)
    from cutaway.report import problem_text  # late: other output forms need none of it

    render = problem_text.concise if options.format == "concise" else problem_text.render
    return render(files, _terminal(options), len(files))


def _terminal(options: argparse.Namespace) -> Terminal:
    """Return what the output is written to; colours are only in the forms for people."""
    seen = detect(sys.stdout)
    if options.output or options.format not in ("full", "concise"):
        return Terminal(seen.width, False, bool(options.output) or seen.unicode)
    return seen


def _rule(options: argparse.Namespace) -> int:
    # late: --help needs none of it
    from cutaway.core.suggestions import suggestion
    from cutaway.rules.catalogue import documentation

    known = documentation()
    if options.code is None:
        width = max(map(len, known))
        lines = [
            f"{severity.value:8} {code:{width}}  {entry.summary}\n"
            for severity in Severity
            for code, entry in sorted(known.items())
            if entry.severity is severity
        ]
        write("".join(lines), None)
        return 0
    if options.code not in known:
        raise CutawayError(
            f"there is no code {options.code!r}{suggestion(options.code, known) or '; `cutaway rule` lists them'}"
        )
    entry = known[options.code]
    write(f"{entry.code} ({entry.severity.value})\n\n{entry.text}\n", None)
    return 0


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes: give 1 or more")
    return int(text)
