"""`python -m tests.oracle NAME...`: check rows by name against the real torch and print what differs."""

from __future__ import annotations

import argparse
import fnmatch
import sys
import time
from collections import Counter, defaultdict

from . import rows
from .calls import every_source
from .check import FAIL, LENIENT, UNKNOWN, Outcome, check
from .exclusions import excluded


def main() -> int:
    """Check the rows that match the names given; exit with 1 if any fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("names", nargs="+", help="row names, exact, tail (`conv2d`) or glob (`torch.fft.*`)")
    parser.add_argument("-n", type=int, default=4, help="failures shown for each row (4)")
    parser.add_argument("-l", "--lenient", action="store_true", help="show calls that torch rejects and ours accepts")
    parser.add_argument("-u", "--unknown", action="store_true", help="show calls whose result stays unknown")
    parser.add_argument("-q", "--quiet", action="store_true", help="leave out rows that pass")
    parser.add_argument("-x", "--source", default="", help="only samples whose source contains this text")
    options = parser.parse_args()
    rows.load()
    for module, error in rows.BROKEN.items():
        print(f"cannot import {module}:\n{error}", file=sys.stderr)

    def wanted(name: str) -> bool:
        last = name.rpartition(".")[2]
        return any(p in (name, last, last.strip("_")) or fnmatch.fnmatchcase(name, p) for p in options.names)

    outcomes: dict[str, list[Outcome]] = {name: [] for name in rows.callables() if wanted(name)}
    start = time.time()
    for call in every_source(wanted):
        if options.source in call.source:
            flops = len(outcomes[call.name]) < 40
            outcomes[call.name].append(check(call, flops=flops))
    totals: Counter[str] = Counter()
    for name, found in sorted(outcomes.items()):
        totals[_report(name, found, options)] += 1
    print(f"{dict(totals)} in {time.time() - start:.0f} s")
    return 1 if totals[FAIL] else 0


def _report(name: str, found: list[Outcome], options: argparse.Namespace) -> str:
    counts = Counter(outcome.verdict for outcome in found)
    known = sum(outcome.numbers > 0 for outcome in found)
    grouped: dict[str, list[Outcome]] = defaultdict(list)
    allowed = 0
    for outcome in found:
        if outcome.verdict == FAIL and excluded(outcome):
            allowed += 1
        elif (
            outcome.verdict == FAIL
            or (options.lenient and outcome.verdict == LENIENT)
            or (options.unknown and outcome.verdict == UNKNOWN)
        ):
            grouped[outcome.verdict].append(outcome)
    verdict = FAIL if grouped[FAIL] else "no samples" if not found else "pass"
    if verdict == "pass" and not counts["pass"] and counts[UNKNOWN]:
        verdict = UNKNOWN
    if options.quiet and verdict == "pass" and not any(grouped.values()):
        return verdict
    tally = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    print(f"{verdict:8} {name}: {tally}; numbers known in {known}" + (f"; {allowed} excluded" if allowed else ""))
    for kind, bad in grouped.items():
        for outcome in bad[: options.n]:
            print(f"    {kind}: {outcome.call}\n        from {outcome.call.source}")
            for detail in outcome.details:
                print(f"        {detail}")
    return verdict


if __name__ == "__main__":
    sys.exit(main())
