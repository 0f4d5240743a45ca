"""What a process is given to do: judge the program of a seed, or make it small."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.soundness.analysis import verdict_on
from benchmarks.soundness.everyday import generator as everyday
from benchmarks.soundness.generator import generate
from benchmarks.soundness.judge import Verdict
from benchmarks.soundness.minimise import is_literal, minimised, settled
from benchmarks.soundness.program import Program


def judged(seed: int) -> Verdict:
    """Return the verdict on the program of a seed."""
    return verdict_on(generate(seed))


def judged_decided(seed: int) -> Verdict:
    """Return the verdict on the program of a seed in which everything is decided, as far as a constant can do that."""
    program = generate(seed)
    for number in reversed(range(len(program.decisions))):
        ways = [way for way in program.decisions[number].ways if is_literal(way)]
        if ways:
            program = settled(program, number, ways[seed % len(ways)])
    return verdict_on(program)


def judged_everyday(seed: int) -> Verdict:
    """Return the verdict on the everyday program of a seed."""
    return verdict_on(everyday.generate(seed))


def judged_installed(seed: int) -> Verdict:
    """Return the verdict on the program of a seed as a package that is installed, in which conditions are not followed."""
    return verdict_on(installed(generate(seed)))


def installed(program: Program) -> Program:
    """Return a program all of whose files are installed."""
    folder = program.installed or "site-packages"
    files = {path if path.startswith(folder) else f"{folder}/{path}": text for path, text in program.files.items()}
    module, _, name = program.target.partition(".py::")
    return replace(program, files=files, installed=folder, target=f"{module}:{name}")


def small(task: tuple[Program, str]) -> tuple[Program, str]:
    """Return a program, made small while it is wrong in the same kind of fact, and what is wrong in it."""
    large, kind = task
    program = minimised(large, lambda smaller: _is_wrong(smaller, kind))
    wrong = [one for one in verdict_on(program).wrong if one.kind == kind]
    return program, str(wrong[0])


def _is_wrong(program: Program, kind: str) -> bool:
    verdict = verdict_on(program)
    return any(one.kind == kind for one in verdict.wrong)
