"""Reports of a scan as text, JSON and SARIF."""

from __future__ import annotations

import json
from collections.abc import Sequence

from cutaway import __version__
from cutaway.core.error import one_line
from cutaway.scan.finding import IMPORTS, NOTHING, RUNS, UNREADABLE, VERDICTS, Finding, Report

_SHOWN = (IMPORTS, RUNS)
_RULES = {
    "pickle": "A pickle imports or calls something that frameworks do not put there when they save.",
    "zip": "Readers of an archive may differ in what they find in it.",
    "container": "A container hides its content, or reaches outside of its folder.",
    "keras": "A configuration of Keras has code in it.",
    "tensorflow": "A graph of TensorFlow has an operator that does more than compute.",
    "onnx": "A model of ONNX reads files outside of its folder, or runs code.",
    "template": "A template reaches for objects of Python.",
    "torchscript": "Code of TorchScript touches files, or needs a library.",
    "code": "Code that is not in the file is imported.",
}


def text(reports: Sequence[Report], show_all: bool = False) -> str:
    """Return a line for each file with its verdict, and below it what it would do."""
    lines = []
    for report in reports:
        if report.verdict == NOTHING and len(reports) > 1 and not show_all:
            continue
        what = f": {report.error}" if report.verdict == UNREADABLE else ""
        lines.append(f"{one_line(report.path)}  {VERDICTS[report.verdict]}{what}")
        for finding in report.findings:
            if finding.level in _SHOWN:
                where = f"{finding.inner}: " if finding.inner else ""
                lines.append(f"  {where}{one_line(finding.text)}  [{finding.rule}]")
    if not reports:
        lines.append("there are no files in it")
    elif len(reports) > 1:
        numbers = {verdict: sum(each.verdict == verdict for each in reports) for verdict in VERDICTS}
        counts = ", ".join(f"{VERDICTS[verdict]}: {number}" for verdict, number in numbers.items() if number)
        lines += ["", f"{len(reports)} files ({counts})"] if lines else [f"{len(reports)} files ({counts})"]
    return "\n".join(lines) + "\n"


def document(reports: Sequence[Report]) -> str:
    """Return everything as JSON."""
    files = [
        {
            "path": report.path,
            "verdict": report.verdict,
            "error": report.error or None,
            "findings": [_entry(finding) for finding in report.findings if finding.level != NOTHING],
        }
        for report in reports
    ]
    return json.dumps({"version": 1, "files": files}, indent=1) + "\n"


def _entry(finding: Finding) -> dict[str, str]:
    return {"level": finding.level, "rule": finding.rule, "text": finding.text, "inner": finding.inner}


def sarif(reports: Sequence[Report]) -> str:
    """Return what is found in the form that code hosts read."""
    results = [
        {
            "ruleId": finding.rule,
            "level": "error" if finding.level == RUNS else "warning",
            "message": {"text": f"{finding.inner}: {finding.text}" if finding.inner else finding.text},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": report.path}}}],
        }
        for report in reports
        for finding in report.findings
        if finding.level in _SHOWN
    ]
    rules = [{"id": name, "shortDescription": {"text": words}} for name, words in _RULES.items()]
    tool = {"driver": {"name": "cutaway scan", "version": __version__, "rules": rules}}
    run = {"tool": tool, "results": results}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def exit_code(reports: Sequence[Report], strict: bool) -> int:
    """Return 0 if nothing else than known-good reconstruction would run, 1 if something would, 2 on error."""
    verdicts = {report.verdict for report in reports}
    if RUNS in verdicts or (strict and IMPORTS in verdicts):
        return 1
    return 2 if UNREADABLE in verdicts else 0
