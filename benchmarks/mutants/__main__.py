"""`python -m benchmarks.mutants`: which faults `check` finds in programs that were changed in one place.

The subjects are the programs in `subjects/`, and models of torchvision, each with a call. Every mutant is run with the real
framework, which tells whether it fails, and where. It is found if an error is reported; the line is right if that is the
line of the traceback, or the one that was changed. An error in a mutant that runs is an alarm.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutants.checked import lines_of, print_problems
from benchmarks.mutants.mutations import mutants
from cutaway.checking.file_check import check_files
from cutaway.core.problem import CheckedFile, Severity

HERE = Path(__file__).resolve().parent
SECONDS = 120.0
"""A limit by the clock; so long that other work on the machine has no influence on the result."""
TORCHVISION = {
    "alexnet": "alexnet(num_classes=10)", "vgg": "vgg11(num_classes=10)", "resnet": "resnet18(num_classes=10)",
    "squeezenet": "squeezenet1_1(num_classes=10)", "densenet": "DenseNet(8, (2, 2), 16, num_classes=10)",
    "mobilenetv2": "mobilenet_v2(num_classes=10)", "shufflenetv2": "shufflenet_v2_x0_5(num_classes=10)",
    "mnasnet": "mnasnet0_5(num_classes=10)",
}  # fmt: skip
"""Files of torchvision's models, and the network that is called."""


@dataclass(frozen=True)
class Subject:
    """A program that runs."""

    name: str
    text: str


@dataclass(frozen=True)
class Case:
    """A program, what was changed in it, and how it really ends."""

    name: str
    kind: str
    changed: int
    path: Path
    line: int = 0
    error: str = ""


def subjects(only: str) -> list[Subject]:
    """Return the programs that mutants are made of."""
    own = [Subject(path.stem, path.read_text(encoding="utf-8")) for path in sorted((HERE / "subjects").glob("*.py"))]
    return [each for each in (*own, *_torchvision()) if each.name.startswith(only)]


def _torchvision() -> list[Subject]:
    spec = importlib.util.find_spec("torchvision")
    if spec is None or not spec.submodule_search_locations:
        return []
    folder = Path(spec.submodule_search_locations[0]) / "models"
    found = []
    for name, call in TORCHVISION.items():
        text = (folder / f"{name}.py").read_text(encoding="utf-8")
        text = re.sub(r"^(\s*)from \.\.(\w)", r"\1from torchvision.\2", text, flags=re.M)
        text = re.sub(r"^(\s*)from \.(\w)", r"\1from torchvision.models.\2", text, flags=re.M)
        text = re.sub(r"^@(?:register_model|handle_legacy_interface)\(.*?\)\n(?=@|def )", "", text, flags=re.M | re.S)
        end = f'\n\nif __name__ == "__main__":\n    model = {call}.eval()\n    output = model(torch.randn(2, 3, 64, 64))\n'
        found.append(Subject(f"torchvision-{name}", text + end))
    return found


def cases(arguments: argparse.Namespace, folder: Path) -> list[Case]:
    """Return a sample of mutants of each subject, and the subjects themselves, as files in a folder."""
    found: list[Case] = []
    for subject in subjects(arguments.only):
        draw = random.Random(f"{arguments.seed} {subject.name}")
        every = [each for each in mutants(subject.text) if each.text != subject.text]
        chosen = draw.sample(every, min(arguments.each, len(every)))
        for at, (kind, line, text) in enumerate(
            [("original", 0, subject.text), *((each.kind, each.line, each.text) for each in chosen)]
        ):
            path = folder / f"{subject.name.replace('-', '_')}_{at}.py"
            path.write_text(text, encoding="utf-8")
            found.append(Case(subject.name, kind, line, path))
    return found


def run(found: list[Case]) -> list[Case]:
    """Return the cases with how they really end; those that take too long are left out."""
    names = "\n".join(str(case.path) for case in found)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.mutants.live"], input=names, capture_output=True, text=True, check=True
    )
    labelled = []
    for row in done.stdout.splitlines():
        number, line, error = row.split("\t")
        case = found[int(number)]
        if int(line) >= 0:
            labelled.append(Case(case.name, case.kind, case.changed, case.path, int(line), error))
    return labelled


def judged(case: Case, checked: CheckedFile) -> str:
    """Return what became of a case."""
    errors = [problem for problem in checked.problems if problem.severity is Severity.ERROR]
    if not case.line:
        return "alarm" if errors else "clean"
    if not errors:
        return "missed"
    lines = lines_of(errors)
    return "found" if case.line in lines or case.changed in lines else "found elsewhere"


def main() -> int:
    """Print what became of each case that is not as it should be, and the figures."""
    parser = argparse.ArgumentParser(prog="benchmarks.mutants", description=__doc__)
    parser.add_argument("--each", type=int, default=15, help="mutants of each subject")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--only", default="", help="subjects whose name begins so")
    parser.add_argument("--keep", type=Path, help="a folder to leave the mutants in")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        labelled = run(cases(arguments, folder))
        paths = [str(case.path) for case in labelled]
        results = dict(check_files(paths, (), SECONDS, os.cpu_count() or 1))
        counts: Counter[str] = Counter()
        for at, case in enumerate(labelled):
            checked = results[at][0]
            what = judged(case, checked)
            counts[what] += 1
            if what not in ("clean", "found"):
                print(f"{what}: {case.path.name}:{case.changed} {case.kind}; really line {case.line} {case.error}")
                print_problems(checked)
    crash = counts["found"] + counts["found elsewhere"] + counts["missed"]
    located = counts["found"]
    print(f"{len(labelled)} programs, of which {crash} fail: {crash - counts['missed']} found, {located} with the line")
    print(f"{counts['clean'] + counts['alarm']} run: {counts['alarm']} alarms")
    return int(counts["missed"] > 0 or counts["alarm"] > 0)


if __name__ == "__main__":
    sys.exit(main())
