"""python -m benchmarks.solve [PATTERN]: the required inputs of networks, from their classes alone, against running them.

Sizes at the borders of what is admitted, and random ones, are given to the live model on the meta device. Needs
torch and torchvision.
"""

from __future__ import annotations

import fnmatch
import importlib
import inspect
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

import cutaway
from cutaway.core.architecture import Precondition
from cutaway.core.size.dim import Dim

OWN = ("LeNet", "Cifar", "Mnist")
FIRST = ("alexnet", "vgg11", "vgg16_bn", "inception_v3", "vit_b_16", "swin_t")
_LARGE = "regnet_y_128gf"  # it takes gigabytes to build
_RANDOM = 30
_LARGEST = 400


def subjects() -> Iterator[tuple[str, str, str]]:
    """Yield the target, module and name of every network."""
    for name in OWN:
        yield f"benchmarks/solve/networks.py::{name}", "benchmarks.solve.networks", name
    from benchmarks.zoo import torchvision_import  # noqa: F401 - before torchvision

    models = importlib.import_module("torchvision.models")
    for name in dict.fromkeys([*FIRST, *models.list_models(module=models, exclude=_LARGE)]):
        yield f"torchvision.models:{name}", "torchvision.models", name


def sizes(required: Precondition, rng: random.Random) -> Iterator[dict[str, int]]:
    """Yield sizes for the symbols of a precondition: at its borders, and at random."""
    names = [str(size) for value in required.inputs for size in value.shape or () if isinstance(size, Dim)]
    borders: dict[str, set[int]] = {name: {1, 2, 32, 224} for name in names}
    for each in required.alternatives:
        for allowed in each:
            ends = [end for low, high in allowed.ranges for end in (low, high) if end is not None]
            if allowed.modulus is not None:
                ends += [allowed.start, allowed.start + allowed.modulus]
            if allowed.symbol in borders:
                borders[allowed.symbol] |= {end + by for end in ends for by in (-1, 0, 1) if end + by > 0}
    for name in names:
        if name == "B":
            borders[name] = {1}
    near = {name: sorted(found) for name, found in borders.items()}
    for _ in range(_RANDOM):
        yield {name: rng.choice(near[name]) for name in names}
        yield {name: rng.randint(1, _LARGEST) if name != "B" else rng.randint(1, 3) for name in names}
    for each in required.alternatives:
        inside = {allowed.symbol: allowed for allowed in each}
        for low in (True, False):
            yield {name: _border(inside[name], low) if name in inside else 1 for name in names}


def _border(allowed: Any, low: bool) -> int:
    ends = [end for pair in allowed.ranges for end in pair if end is not None] or [allowed.start]
    return int(min(ends) if low else max(ends))


def inputs(required: Precondition, given: dict[str, int]) -> list[list[int]]:
    """Return the shapes of the inputs with sizes in place of the symbols."""
    return [[given[str(s)] if isinstance(s, Dim) else s or 1 for s in value.shape or ()] for value in required.inputs]


def shifted(required: Precondition, rng: random.Random) -> Iterator[list[list[int]]]:
    """Yield inputs that fit but for one size that has to be a certain number."""
    inside = {allowed.symbol: allowed for allowed in required.alternatives[0]}
    names = {str(size) for value in required.inputs for size in value.shape or () if isinstance(size, Dim)}
    shapes = inputs(required, {name: _border(inside[name], True) if name in inside else 1 for name in names})
    for value, shape in zip(required.inputs, shapes):
        for place, size in enumerate(value.shape or ()):
            if isinstance(size, int):
                for by in {-1, 1, rng.randint(2, 40), size}:
                    if size + by > 0:
                        yield [[*shape[:place], size + by, *shape[place + 1 :]] if s is shape else s for s in shapes]


def runs(model: Any, required: Precondition, shapes: list[list[int]]) -> bool:
    """Tell whether the live model takes inputs of these shapes."""
    import torch

    made = [
        torch.empty(shape, dtype=getattr(torch, value.dtype or "float32"), device="meta")
        for shape, value in zip(shapes, required.inputs)
    ]
    try:
        with torch.no_grad():
            model(*made)
    except (RuntimeError, ValueError, AssertionError, IndexError, TypeError):
        return False
    return True


def built(make: Any) -> Any:
    """Return a model on the meta device; those that compute with numbers while they are built go there afterwards."""
    import torch

    given = {"init_weights": False} if "init_weights" in inspect.signature(make).parameters else {}
    try:
        with torch.device("meta"):
            return make(**given).eval()
    except NotImplementedError:
        return make(**given).to("meta").eval()


def main() -> int:
    """Print a line for each network, and the totals; fail where one is contradicted."""
    pattern = sys.argv[1] if len(sys.argv) > 1 else "*"
    wrong = found = whole = tried = admitted = 0
    count = 0
    for target, module, name in subjects():
        if not fnmatch.fnmatch(name, pattern):
            continue
        count += 1
        started = time.perf_counter()
        required = cutaway.show(target)[0].requires
        seconds = time.perf_counter() - started
        if required is None:
            print(f"{name:24} nothing found, {seconds:.1f} s")
            continue
        found += 1
        whole += required.exact
        model = built(getattr(importlib.import_module(module), name))
        rng = random.Random(0)
        bad: list[str] = []
        passed = failed = 0
        cases = [
            (inputs(required, given), required.admits({"B": 1, **_fixed(required), **given}))
            for given in sizes(required, rng)
        ]
        for shapes, says in [*cases, *((shapes, False) for shapes in shifted(required, rng))]:
            lives = runs(model, required, shapes)
            passed, failed = passed + lives, failed + (not lives)
            if lives != says and (required.exact or lives):
                bad.append(f"{shapes} {'runs' if lives else 'fails'}")
        tried, admitted, wrong = tried + passed + failed, admitted + passed, wrong + bool(bad)
        shape = " x ".join(map(str, required.inputs[0].shape or ()))
        note = f"WRONG: {'; '.join(bad[:3])}" if bad else f"{passed} run, {failed} fail, all as said"
        exact = "" if required.exact else " (perhaps more)"
        print(f"{name:24} {shape} with {required.text}{exact}: {note}, {seconds:.1f} s")
    print(f"\n{count} networks: {found} with an input found, {whole} of them exactly, {wrong} contradicted")
    print(f"{tried} inputs were run: {admitted} of them are accepted")
    return 1 if wrong else 0


def _fixed(required: Precondition) -> dict[str, int]:
    """Return the sizes that are the only one possible, which the inputs have as numbers."""
    return {
        allowed.symbol: allowed.ranges[0][0]
        for each in required.alternatives
        for allowed in each
        if len(allowed.ranges) == 1 and allowed.ranges[0][0] == allowed.ranges[0][1]
    }


if __name__ == "__main__":
    sys.exit(main())
