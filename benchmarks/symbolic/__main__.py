"""Read torchvision's models with symbolic sizes, and hold their formulas against the running models.

usage: python -m benchmarks.symbolic [--only TEXT] [--every N] [--limit N] [--sizes 20] [--seed 0] [--timing N] [--json FILE]

Each model is read once, with the input Bx3xHxW. The string of its output shapes, MACs, FLOPs and parameters is evaluated
at random sizes at which the model itself runs, on the meta device, and compared with what comes out there, with
`torch.utils.flop_counter` and with its parameters. A size that the model refuses is left out, and another one is taken;
where the formulas hold only for sizes that are listed as assumed, those sizes are taken. Then reading it with
symbols is timed against reading it with numbers, in the same process, taking turns.

Reading needs no torch; running the models does, and torchvision.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.zoo.subjects import Subject, torchvision_models

GIVEN = "Bx3xHxW"
LARGEST = 420
TRIES = 12
"""How often another size is taken for each that is asked for, where a model refuses them."""

Sizes = dict[str, int]


def main() -> int:
    """Compare models, print a line for each and a summary; 1 if a formula is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.symbolic")
    parser.add_argument("--only", default="", help="models whose target contains this")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth model")
    parser.add_argument("--limit", type=int, default=10_000)
    parser.add_argument("--sizes", type=int, default=20, help="at how many sizes each model is run")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timing", type=int, default=3, metavar="N", help="turns of timing; 0 for none")
    parser.add_argument("--json", type=Path, help="write what was found there")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for subject in list(_subjects(options.only))[:: options.every][: options.limit]:
        row = {"model": subject.target, "sizes": 0, "refused": 0, "wrong": [], "unknown": ""}
        if options.sizes:
            row |= examine(subject, options.sizes, random.Random(f"{options.seed}{subject.target}"))
        if options.timing:
            row["ratio"] = ratio(subject, options.timing)
        rows.append(row)
        print(_line(row), flush=True)
    print(_summary(rows))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 1 if any(row["wrong"] for row in rows) else 0


def _subjects(text: str) -> Iterator[Subject]:
    """Yield the models that take a batch of images: not detectors, which take a list, nor those of videos and pairs."""
    for subject in torchvision_models():
        if text in subject.target and not any(
            part in subject.target for part in ("detection", "video", "optical_flow")
        ):
            yield subject


def _target(subject: Subject) -> str:
    return f"{subject.target}({subject.arguments})"


def examine(subject: Subject, count: int, choose: random.Random) -> dict[str, Any]:
    """Compare the formulas of one model with the running one, at several sizes."""
    import cutaway

    row: dict[str, Any] = {"sizes": 0, "refused": 0, "wrong": [], "unknown": ""}
    (network,) = cutaway.show(_target(subject), input=GIVEN)
    totals = network.totals
    shapes = [value.shape for value in network.outputs]
    row["output"] = [" x ".join(map(str, shape or ("?",))) for shape in shapes]
    row["macs"] = totals.macs if isinstance(totals.macs, int) else str(totals.macs)
    row["assumed"] = [note.text for note in network.assumptions]
    unknown = [shape for shape in shapes if shape is None or None in shape]
    if unknown or not shapes or totals.macs is None:
        reasons = [note.text for note in (*network.unknowns, *network.assumptions)]
        row["unknown"] = (reasons or [diagnostic.message for diagnostic in network.diagnostics] or ["?"])[0]
    fixed = _fixed(network.inputs)
    if any("==" in note.text or "divisible" in note.text for note in network.assumptions):
        # The formulas hold for some sizes only: for one that the model is made for at least.
        fixed = {"H": subject.inputs(None)[0][2], "W": subject.inputs(None)[0][3]} | fixed
    running = _Running(subject)
    for _ in range(count * TRIES):
        if row["sizes"] == count:
            break
        sizes = {name: fixed.get(name) or choose.randint(1, 4 if name == "B" else LARGEST) for name in "BHW"}
        live = running.at(sizes)
        if live is None:
            row["refused"] += 1
            continue
        row["sizes"] += 1
        row["wrong"] += _differences(shapes, totals, live, sizes)
    return row


def _fixed(inputs: Any) -> Sizes:
    """Return the sizes that turned out to be numbers, or to be another size."""
    shape = inputs[0].shape if inputs else None
    return {name: size for name, size in zip("BCHW", shape or ()) if isinstance(size, int) and name != "C"}


class _Running:
    """A model on the meta device."""

    def __init__(self, subject: Subject) -> None:
        import torch

        try:
            with torch.device("meta"):
                model = subject.build()
        except NotImplementedError:  # it computes its widths with tensors
            model = subject.build().to("meta")
        self.model = model.eval().requires_grad_(False)
        self.parameters = sum(parameter.numel() for parameter in self.model.parameters())

    def at(self, sizes: Sizes) -> dict[str, Any] | None:
        """Return what comes out and what torch counts for an input of some sizes; None where the model refuses it."""
        import torch
        from torch.utils._pytree import tree_leaves
        from torch.utils.flop_counter import FlopCounterMode

        counter = FlopCounterMode(display=False)
        try:
            with torch.no_grad(), counter:
                given = torch.empty(sizes["B"], 3, sizes["H"], sizes["W"], device="meta")
                made = self.model(given)
        except (RuntimeError, AssertionError, ValueError, IndexError, NotImplementedError):
            return None
        shapes = [tuple(leaf.shape) for leaf in tree_leaves(made) if isinstance(leaf, torch.Tensor)]
        return {"outputs": shapes, "flops": counter.get_total_flops(), "parameters": self.parameters}


def _differences(shapes: Any, totals: Any, live: dict[str, Any], sizes: Sizes) -> list[str]:
    """Return what formulas say otherwise than the running model; what they leave unknown says nothing."""

    def number(amount: Any) -> Any:
        from cutaway.core.size.parser import evaluate

        return amount if amount is None else evaluate(amount, sizes)

    found = []
    if len(shapes) != len(live["outputs"]):
        found.append(f"{len(shapes)} outputs, but {len(live['outputs'])} come out")
    for mine, theirs in zip(shapes, live["outputs"]):
        said = None if mine is None else tuple(map(number, mine))
        if said is not None and (
            len(said) != len(theirs) or any(size not in (None, own) for size, own in zip(said, theirs))
        ):
            found.append(f"output {mine} is {said} where {theirs} comes out, at {sizes}")
    for name in ("flops", "parameters"):
        said = number(getattr(totals, name))
        if said is not None and said != live[name]:
            found.append(f"{name} {getattr(totals, name)} are {said}, but {live[name]} are counted, at {sizes}")
    macs = number(totals.macs)
    if macs is not None and 2 * macs != live["flops"]:
        found.append(f"MACs are {macs}, but half of {live['flops']} FLOPs are counted, at {sizes}")
    return found


def ratio(subject: Subject, turns: int) -> float:
    """Return how many times as long symbols take as numbers: the median of the best of some turns each."""
    import cutaway

    shape = subject.inputs(None)[0]
    texts = {"symbolic": GIVEN, "concrete": "x".join(map(str, shape))}
    taken: dict[str, list[float]] = {name: [] for name in texts}
    for _ in range(turns):
        for name, text in texts.items():
            started = time.perf_counter()
            cutaway.show(_target(subject), input=text)
            taken[name].append(time.perf_counter() - started)
    return min(taken["symbolic"]) / min(taken["concrete"])


def _line(row: dict[str, Any]) -> str:
    verdict = "WRONG" if row["wrong"] else "unknown" if row["unknown"] else "same"
    text = f"{row['model']:<62} {verdict:<8} {row['sizes']:>2} sizes"
    if row["refused"]:
        text += f", {row['refused']} refused"
    if "ratio" in row:
        text += f", {row['ratio']:.2f}x"
    details = row["wrong"][:2] or ([row["unknown"]] if row["unknown"] else [])
    return "\n".join([text, *(f"    {detail}" for detail in details)])


def _summary(rows: list[dict[str, Any]]) -> str:
    same = [row for row in rows if not row["wrong"] and not row["unknown"] and row["sizes"]]
    lines = [
        f"{len(rows)} models: {len(same)} the same at all sizes, "
        f"{sum(bool(row['unknown']) and not row['wrong'] for row in rows)} unknown, "
        f"{sum(bool(row['wrong']) for row in rows)} wrong; {sum(row['sizes'] for row in rows)} sizes"
    ]
    ratios = sorted(row["ratio"] for row in rows if "ratio" in row)
    if ratios:
        lines.append(
            f"symbolic against concrete: {statistics.median(ratios):.2f}x in the middle, {ratios[-1]:.2f}x at most"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
