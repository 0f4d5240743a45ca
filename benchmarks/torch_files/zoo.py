"""Models of torchvision and timm as archives of TorchScript, or pickled whole, compared with the running models.

    python -m benchmarks.torch_files.zoo torchscript|whole [--models N] [--only TEXT] [--details]

A whole module is read with the source of the installed packages, an archive by itself. Models are taken at even distances from
the lists of both packages.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

import cutaway
from benchmarks.torch_files.script_run import compare_script
from benchmarks.zoo.live import Late, alarm
from benchmarks.zoo.subjects import Subject, timm_models, torchvision_models
from cutaway.core.error import CutawayError
from cutaway.live.torch_inspection import Arguments, inspected
from cutaway.passes.compare import EQUAL, UNKNOWN, WRONG, Fact, compare
from cutaway.passes.cost import with_totals

LARGEST = 60_000_000
"""Parameters of the largest model that is saved."""


def chosen(count: int, only: str) -> Iterable[Subject]:
    """Yield models of both packages, spread over their lists, with some to spare for those that can't be saved."""
    zoos = [[s for s in zoo() if only in s.target] for zoo in (torchvision_models, timm_models)]
    picked = []
    for subjects in zoos:
        step = max(1, len(subjects) // (2 * count))
        picked.append(subjects[::step])
    for pair in itertools.zip_longest(*picked):
        yield from (subject for subject in pair if subject is not None)


def saved(model: Any, inputs: tuple[Any, ...], form: str, path: Path) -> tuple[Any, bool]:
    """Save a model; return the one that is read back as truth, and whether it is a trace."""
    if form == "whole":
        torch.save(model, path)
        return torch.load(path, weights_only=False), False
    try:
        torch.jit.save(torch.jit.script(model), path)
        return model, False
    except (RuntimeError, torch.jit.frontend.NotSupportedError):
        torch.jit.save(torch.jit.trace(model, inputs, check_trace=False), path)
        return model, True


def facts(subject: Subject, form: str, folder: Path) -> tuple[str, list[Fact]] | None:
    """Return how a model was saved, and its facts; None for one that is too large."""
    with torch.device("meta"):
        probe = subject.build()
    if sum(each.numel() for each in probe.parameters()) > LARGEST:
        return None
    model = subject.build().eval()
    inputs = tuple(torch.zeros(1, *shape[1:]) for shape in subject.inputs(model))
    true, traced = saved(model, inputs, form, folder / "model.pt")
    seen, error = inspected(true, Arguments(inputs))
    if error is not None:
        raise error
    words = ["x".join(map(str, each.shape)) for each in inputs]
    (found,) = cutaway.show(str(folder / "model.pt"), input=words, isolated=False)
    if form == "whole":
        return "whole", compare(found, with_totals(seen))
    shared = _shared(true)
    every = compare_script(found, with_totals(seen), folder / "model.pt", inputs, traced)
    listed = [fact for fact in every if fact.kind not in ("tree", "calls") or not fact.subject.startswith(shared)]
    return "traced" if traced else "scripted", listed


def _shared(model: Any) -> tuple[str, ...]:
    """Return the paths of modules that have several: scripting makes a module of each."""
    paths: dict[int, list[str]] = {}
    for path, module in model.named_modules(remove_duplicate=False):
        paths.setdefault(id(module), []).append(path)
    return tuple(path for several in paths.values() if len(several) > 1 for path in several)


def main() -> int:
    """Print a line for each model; return 1 if a fact is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("form", choices=("torchscript", "whole"))
    parser.add_argument("--models", type=int, default=30)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=int, default=240)
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    total: Counter[str] = Counter()
    done = 0
    for subject in chosen(options.models, options.only):
        if done == options.models:
            break
        with tempfile.TemporaryDirectory() as folder:
            try:
                with alarm(options.seconds):
                    result = facts(subject, options.form, Path(folder))
            except CutawayError as error:
                result = options.form, [Fact("faults", "the file", WRONG, str(error))]
            except (Exception, Late) as error:  # the model can't be saved or run here: that says nothing about its file
                print(f"{subject.target:60} {type(error).__name__}: {' '.join(str(error).split())[:100]}", flush=True)
                continue
        if result is None:
            continue
        done += 1
        way, listed = result
        counts = Counter(fact.verdict for fact in listed)
        total += counts
        row = f"{counts[EQUAL]:6,} equal {counts[UNKNOWN]:4,} unknown {counts[WRONG]:4,} wrong"
        print(f"{subject.target:60} {way:9}{row}", flush=True)
        for fact in [f for f in listed if f.verdict != EQUAL][: 12 if options.details else 0]:
            print(f"    {fact.kind}: {fact.subject}: {fact.verdict}: {fact.detail}"[:220])
    print(f"{done} models: {total[EQUAL]:,} facts equal, {total[UNKNOWN]:,} unknown, {total[WRONG]:,} wrong")
    return 1 if total[WRONG] else 0


if __name__ == "__main__":
    sys.exit(main())
