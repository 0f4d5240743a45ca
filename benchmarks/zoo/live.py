"""Compare static results with running models: every fact, unique modules, unique operations, FLOPs.

usage: python -m benchmarks.zoo.live torchvision|timm|transformers|llama [--every N] [--limit N] [--ran N] [--only TEXT] [--meta] [--whole] [--train] [--json FILE]

Each model is built and called on the meta device; then its source is read, and both are compared as `cutaway verify`
does, in evaluation mode, or with --train in training mode. Where the model needs numbers, or something differs, it is run on the processor, unless --meta is given. FLOPs are counted once more by `torch.utils.flop_counter`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.zoo.subjects import ZOOS, Subject

LARGEST = 500_000_000
"""Parameters up to which a model is run on the processor."""


class Late(BaseException):
    """A model takes longer than it may."""


@contextlib.contextmanager
def alarm(seconds: int) -> Iterator[None]:
    """Raise `Late` after some seconds."""

    def late(*_args: object) -> None:
        raise Late

    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def run(subject: Subject, device: str, train: bool) -> tuple[Any, Any, BaseException | None, int | None]:
    """Return the model's description, the inputs, what it raised, and the FLOPs that torch counts."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    from cutaway.live.construction import observed
    from cutaway.live.torch_inspection import Arguments, inspected
    from cutaway.passes.cost import with_totals

    with torch.device(device):
        with observed():
            model = subject.build()
        given = []
        for at, shape in enumerate(subject.inputs(model)):
            dtype = subject.dtypes[at] if at < len(subject.dtypes) else "float32"
            given.append(torch.zeros(shape, dtype=getattr(torch, dtype)))
        named = dict(zip(subject.names, given))
        arguments = Arguments((), named) if named else Arguments(tuple(given))
        architecture, error = inspected(model, arguments, train=train)
        flops = None
        if error is None:
            model.train(train).requires_grad_(False)  # the counter watches gradients of modules
            counter = FlopCounterMode(display=False)
            with torch.no_grad(), counter:
                model(*arguments.positional, **arguments.named)
            flops = counter.get_total_flops()
    words = [
        f"{name + '=' if name else ''}{'x'.join(map(str, tensor.shape))}:{str(tensor.dtype).removeprefix('torch.')}"
        for name, tensor in zip(subject.names or [""] * len(given), given)
    ]
    return with_totals(architecture), words, error, flops


def measure(subject: Subject, processor: bool = True, whole: bool = False, train: bool = False) -> dict[str, Any]:
    """Return the verdicts on one model; with `processor`, one that needs numbers is run there.

    With `whole`, one that raises is not compared.
    """
    from cutaway._api import show
    from cutaway.passes.compare import EQUAL, UNKNOWN, WRONG, compare, counted
    from cutaway.passes.unique_modules import op_key, unique_modules
    from cutaway.passes.unique_ops import unique_ops

    result: dict[str, Any] = {"target": subject.target}
    device = "meta"
    try:
        live, inputs, error, flops = run(subject, device, train)
        if error is not None and (processor or whole):
            raise error
    except Exception:
        if not processor:
            raise
        device = "cpu"
        live, inputs, error, flops = run(subject, device, train)
    static = None
    if device == "meta" and processor and (live.totals.parameters or 0) < LARGEST:
        # Where the two differ it may be the meta device that is wrong, about the layout of memory among others.
        static = show(f"{subject.target}({subject.arguments})", input=inputs, train=train, isolated=False)[0]
        if any(fact.verdict != EQUAL for fact in compare(static, live)):
            device = "cpu"
            live, inputs, error, _ = run(subject, device, train)  # the counter passes over a kernel of the processor
    result |= {"device": device, "raises": None if error is None else f"{type(error).__name__}: {error}"[:200]}
    started = time.perf_counter()
    static = static or show(f"{subject.target}({subject.arguments})", input=inputs, train=train, isolated=False)[0]
    result["seconds"] = time.perf_counter() - started
    facts = compare(static, live)
    counts = counted(facts)
    result["facts"] = {kind: dict(row) for kind, row in counts.items()}
    result["verdicts"] = {
        kind: WRONG if row[WRONG] else UNKNOWN if row[UNKNOWN] else EQUAL for kind, row in counts.items() if row
    }
    both = (
        [(op.op, tuple(value.shape for value in op.outputs)) for op in static.ops],
        [(op.op, tuple(value.shape for value in op.outputs)) for op in live.ops],
    )
    result["ops equal"] = Counter(both[0]) == Counter(both[1])
    groups = [[each.occurrences for each in unique_modules(side)] for side in (static, live)]
    result["unique modules equal"] = groups[0] == groups[1]
    keys = [{op_key(each.op): len(each.occurrences) for each in unique_ops(side.ops)} for side in (static, live)]
    result["unique ops equal"] = keys[0] == keys[1]
    result["flops"] = [static.totals.flops, flops]
    result["parameters"] = [static.totals.parameters, live.totals.parameters]
    result["macs"] = [static.totals.macs, live.totals.macs]
    result["flops equal"] = static.totals.flops == flops
    result["differences"] = [
        f"{fact.kind}: {fact.subject}: {fact.verdict}: {fact.detail}"[:300] for fact in facts if fact.verdict != EQUAL
    ][:40]
    result["unknowns"] = [f"{note.text} ({note.place})"[:300] for note in static.unknowns][:5]
    return result


def main() -> int:
    """Run the comparison and print the figures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.zoo.live", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("zoo", choices=sorted(ZOOS))
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--limit", type=int, metavar="N")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--seconds", type=int, default=120, metavar="N", help="time for one model (120)")
    parser.add_argument(
        "--meta", action="store_true", help="run nothing on the processor: what needs numbers ends there"
    )
    parser.add_argument("--ran", type=int, metavar="N", help="stop after N models that run to their end")
    parser.add_argument("--whole", action="store_true", help="compare only models that run to their end")
    parser.add_argument("--train", action="store_true", help="compare in training mode")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    results = []
    ran = 0
    chosen = [s for s in ZOOS[options.zoo]() if options.only in s.target][:: options.every][: options.limit]
    for subject in chosen:
        try:
            with alarm(options.seconds):
                result = measure(subject, processor=not options.meta, whole=options.whole, train=options.train)
        except Late:
            result = {"target": subject.target, "failed": f"not done in {options.seconds} seconds"}
        except Exception as error:
            result = {"target": subject.target, "failed": f"{type(error).__name__}: {error}"[:300]}
        results.append(result)
        report(result, options.verbose)
        ran += "failed" not in result and not result["raises"]
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))
        if ran == options.ran:
            break
    summarise(results)
    return 1 if any("wrong" in result.get("verdicts", {}).values() for result in results) else 0


def report(result: dict[str, Any], verbose: bool) -> None:
    """Print one model, if there is something to say of it."""
    if "failed" in result or result["differences"] or not result["flops equal"] or verbose:
        raised = f"  raises {result['raises']}" if result.get("raises") else ""
        print(f"{result['target']}  {result.get('failed', '')}{raised}", flush=True)
        for text in [*result.get("differences", [])[:6], *(f"? {u}" for u in result.get("unknowns", [])[:2])]:
            print(f"    {text}")
        if verbose and "parameters" in result:
            print(
                f"    parameters {result['parameters']}, MACs {result['macs']}, torch counts {result['flops'][1]} FLOPs"
            )
        if not result.get("flops equal", True):
            print(f"    FLOPs {result['flops'][0]}, torch counts {result['flops'][1]}")


def summarise(results: list[dict[str, Any]]) -> None:
    """Print the figures over all models."""
    done = [result for result in results if "failed" not in result]
    whole = [result for result in done if not result["raises"]]
    print(
        f"\n{len(results)} models, {len(results) - len(done)} not compared, {len(done) - len(whole)} raise when they run"
    )
    kinds = dict.fromkeys(kind for result in done for kind in result["verdicts"])
    for kind in kinds:
        counts = Counter(result["verdicts"].get(kind) for result in done)
        print(f"  {kind:14} equal {counts['equal']:5}  unknown {counts['unknown']:5}  WRONG {counts['wrong']:5}")
    for figure in ("ops equal", "unique modules equal", "unique ops equal", "flops equal"):
        print(f"  {figure:22} {sum(result[figure] for result in whole)} of {len(whole)} that run to their end")


if __name__ == "__main__":
    sys.exit(main())
