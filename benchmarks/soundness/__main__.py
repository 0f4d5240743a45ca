"""Programs with open decisions: what Cutaway states of them against what torch does, every way.

usage: python -m benchmarks.soundness [--count N] [--seed S] [--jobs J] [--keep FOLDER] [--show N] [--decided] [--installed]
                                      [--everyday] [--cases [TEXT]]

N programs are generated from the seeds S, S + 1, ...; each is analysed, and run by the real torch once for each way that
its decisions can go. Printed are how many have a statement that a run contradicts, how many crash, which constructs
these have, how many of the facts that all runs have in common are stated, and some wrong programs, made small. With
--keep the wrong ones are written to a folder. With --decided every decision that can be a constant is one: there
nothing is wrong unless the judge is, or Cutaway on ordinary programs. With --installed each program is an installed
package, in which what conditions lead to is joined. With --everyday the programs are those of the second generator:
idioms of ordinary code. --cases judges the programs of `cases.md` instead.
The exit code is 1 where something is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from benchmarks.soundness.analysis import warm_up
from benchmarks.soundness.cases import print_cases
from benchmarks.soundness.everyday import generator as everyday
from benchmarks.soundness.generator import generate
from benchmarks.soundness.pool import Lost, each
from benchmarks.soundness.program import Program
from benchmarks.soundness.tally import Tally, responsible
from benchmarks.soundness.tasks import judged, judged_decided, judged_everyday, judged_installed, small

MOST_CONSTRUCTS = 40
"""Constructs of each sort that are printed."""


def main() -> int:
    """Judge and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.soundness", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--show", type=int, default=10)
    parser.add_argument("--decided", action="store_true")
    parser.add_argument("--installed", action="store_true")
    parser.add_argument("--everyday", action="store_true")
    parser.add_argument("--cases", nargs="?", const="", default=None)
    options = parser.parse_args()
    if options.cases is not None:
        return print_cases(options.cases)
    warm_up()
    started = time.monotonic()
    tally = Tally(everyday.generate if options.everyday else generate)
    work = judged_decided if options.decided else judged_installed if options.installed else judged
    work = judged_everyday if options.everyday else work
    for seed, verdict in each(work, range(options.seed, options.seed + options.count), options.jobs):
        tally.add(seed, verdict)
    _print_tally(tally, time.monotonic() - started)
    _print_constructs(tally)
    if options.keep:
        _keep(tally, options.keep)
    chosen = [] if options.decided or options.installed else _telling(tally, options.show)
    for (program, _), answer in each(small, [(tally.generate(seed), kind) for seed, kind in chosen], options.jobs):
        _print_small(next(seed for seed, _ in chosen if tally.generate(seed) == program), answer)
    if options.decided or options.installed:
        for seed, wrong in tally.wrong.items():
            print(f"seed {seed}: {wrong[0]}")
    return int(bool(tally.wrong or tally.crashes))


def _print_tally(tally: Tally, seconds: float) -> None:
    common, stated = sum(tally.common.values()), sum(tally.stated.values())
    share = f"{stated / common:.1%}" if common else "-"
    print(f"{tally.programs:,} programs, {tally.runs:,} runs in {seconds:.0f} s")
    print(f"wrong:            {len(tally.wrong):,} programs")
    print(f"crashes:          {len(tally.crashes):,} programs")
    for seed, text in list(tally.crashes.items())[:5]:
        print(f"    seed {seed}: {text}")
    print(
        f"assumed:          {len(tally.assumed):,} programs are wrong only in facts that are marked as assumed, or in runs that a condition excludes"
    )
    print(f"no result:        {len(tally.refused):,} programs")
    for seed, text in list(tally.refused.items())[:5]:
        print(f"    seed {seed}: {text}")
    print(f"missed failures:  {len(tally.missed):,} programs raise every way, and no fault says so")
    print(f"stated:           {share} of {common:,} facts that all runs have in common")
    for kind, count in tally.common.items():
        print(f"    {kind:10} {tally.stated[kind] / count:6.1%} of {count:,}")
    first = Counter(kind for wrong in tally.wrong.values() for kind in {one.kind for one in wrong})
    print("wrong facts by kind, in programs: " + ", ".join(f"{kind} {count}" for kind, count in first.most_common()))


def _print_constructs(tally: Tally) -> None:
    """Print in how many of the programs that have a construct something around it is wrong."""
    print("\nwrong by construct: programs in which the part with it is wrong, of those that have it")
    groups: dict[str, list[str]] = {}
    for tag in tally.constructs:
        groups.setdefault(tag.partition(":")[0], []).append(tag)
    for group in sorted(groups):
        print(f"  {group}")
        for tag in sorted(groups[group], key=lambda tag: -tally.wrong_constructs[tag])[:MOST_CONSTRUCTS]:
            count, wrong = tally.constructs[tag], tally.wrong_constructs[tag]
            print(f"    {wrong / count:5.0%}  {wrong:4} of {count:4}  {tag.partition(': ')[2] or tag}")


def _telling(tally: Tally, most: int) -> list[tuple[int, str]]:
    """Choose wrong programs that differ in the construct or in the kind of fact, the smallest first."""
    chosen: list[tuple[int, str]] = []
    seen: set[tuple[str, ...]] = set()
    for seed, wrong in sorted(tally.wrong.items(), key=lambda item: len(tally.generate(item[0]).text())):
        parts = responsible(tally.generate(seed).parts, wrong)
        state = tuple(tag for tag in parts[0] if tag.startswith(("state", "idiom")))
        control = tuple(tag for tag in parts[0] if tag.startswith("control"))
        if len(chosen) < most and state not in seen and (control not in seen or not control):
            seen.update([state, control])
            chosen.append((seed, wrong[0].kind))
    return chosen


def _print_small(seed: int, answer: tuple[Program, str] | Lost) -> None:
    if isinstance(answer, Lost):
        print(f"\nseed {seed}: the process ended while the program was made small")
        return
    program, wrong = answer
    print(f"\nseed {seed}: {wrong}")
    print("\n".join(f"    {line}" for line in program.text().splitlines()))


def _keep(tally: Tally, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for seed, wrong in tally.wrong.items():
        program = tally.generate(seed)
        problems = "\n".join(f"# wrong: {one} in the run {one.ways}" for one in wrong[:10])
        (folder / f"{seed}.py").write_text(f"{problems}\n{program.text()}")


if __name__ == "__main__":
    sys.exit(main())
