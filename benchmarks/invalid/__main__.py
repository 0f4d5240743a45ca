"""`python -m benchmarks.invalid [NAME...]`: module classes of torch with one argument changed, against the real ones.

The samples are those of torch's own `module_db`. Each argument of a constructor, and each input of a call, is replaced by
values that are often wrong: 0, a negative number, a fraction, a name that does not exist, one size more, one dimension more
or less, another element type. Both build and call the module. A call that torch refuses and Cutaway accepts is `accepted`,
one that only Cutaway refuses is `refused`, which would be a false alarm.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch

from cutaway.core.unknown import Undecidable
from tests.oracle.check import quiet, recording
from tests.oracle.modules import Sample, infos, ours, samples
from tests.oracle.samples import SHAPE, VALUES, Converter, Unconvertible, copy


def changed(value: Any) -> Iterator[Any]:
    """Yield other values for an argument."""
    if isinstance(value, torch.Tensor):
        yield from _changed_tensor(value)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (0, -1, value + 1, value * 2, value + 0.5)
    elif isinstance(value, float):
        yield from (-0.1, 1.5, 0.0)
    elif isinstance(value, str):
        yield "nonsense"
    elif isinstance(value, (tuple, list)) and value and all(type(each) is int for each in value):
        yield type(value)([*value, value[-1]])
        yield type(value)(value[:-1])
        for at in range(len(value)):
            for other in (0, -1, value[at] + 1, value[at] * 2):
                yield type(value)([*value[:at], other, *value[at + 1 :]])


def _changed_tensor(value: torch.Tensor) -> Iterator[torch.Tensor]:
    yield value.unsqueeze(0)
    if value.dim():
        yield value[0]
    for at in range(value.dim()):
        yield torch.cat([value, value.narrow(at, 0, 1)], at) if value.shape[at] else value
        if value.shape[at] > 1:
            yield value.narrow(at, 0, 1)
    yield value.double() if value.is_floating_point() else value.float()
    yield value.long()


def mutants(sample: Sample) -> Iterator[Sample]:
    """Yield samples with one argument changed."""

    def made(args: Any, kwargs: Any, given: Any, named: Any, source: str) -> Sample:
        return Sample(sample.cls, tuple(args), kwargs, given, named, sample.training, source)

    args, kwargs, given, named = sample.args, sample.kwargs, sample.forward_args, sample.forward_kwargs
    for at, value in enumerate(args):
        for other in changed(value):
            yield made((*args[:at], other, *args[at + 1 :]), kwargs, given, named, f"argument {at}")
    for name, value in kwargs.items():
        for other in changed(value):
            yield made(args, {**kwargs, name: other}, given, named, name)
    yield made(args, {**kwargs, "nonsense": 1}, given, named, "an unknown argument")
    for at, value in enumerate(given or ()):
        for other in changed(value):
            yield made(args, kwargs, (*(given or ())[:at], other, *(given or ())[at + 1 :]), named, f"input {at}")
    for name, value in named.items():
        for other in changed(value):
            yield made(args, kwargs, given, {**named, name: other}, f"input {name}")


def _ends(build: Any, call: Any) -> str:
    """Return what building and calling a module ends with, an empty string where nothing is raised."""
    try:
        module = build()
        call(module)
    except Undecidable:
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:150]}"
    return ""


def verdict(sample: Sample, mode: str) -> tuple[str, str]:
    """Return what becomes of a sample, and the message of who refuses it."""

    def call(module: Any, converter: Any) -> None:
        module.train(sample.training)
        if sample.forward_args is not None:
            args, kwargs = converter(copy((sample.forward_args, sample.forward_kwargs)))
            module(*args, **kwargs)

    with quiet():
        theirs = _ends(
            lambda: sample.cls(*copy(sample.args), **copy(sample.kwargs)), lambda module: call(module, lambda x: x)
        )
    args, kwargs = Converter(SHAPE)((sample.args, sample.kwargs))
    with recording():
        own = _ends(lambda: ours(sample.cls)(*args, **kwargs), lambda module: call(module, Converter(mode)))
    if bool(theirs) == bool(own):
        return "agree", ""
    return ("accepted", theirs) if theirs else ("refused", own)


def main() -> int:
    """Print each kind of disagreement once for a class, and the figures."""
    parser = argparse.ArgumentParser(prog="benchmarks.invalid", description=__doc__)
    parser.add_argument("names", nargs="*", help="classes; all without")
    parser.add_argument("--samples", type=int, default=4, help="samples of a class that are changed")
    arguments = parser.parse_args()
    totals: Counter[str] = Counter()
    for name in infos():
        if arguments.names and name.rpartition(".")[2] not in arguments.names:
            continue
        seen: set[tuple[str, str]] = set()
        originals = [each for each in samples(name, arguments.samples) if each.source == "module_db"]
        for original in originals:
            for sample in mutants(original):
                for mode in (SHAPE, VALUES):
                    try:
                        what, text = verdict(sample, mode)
                    except Unconvertible:
                        continue
                    totals[what] += 1
                    if what != "agree" and (what, sample.source) not in seen:
                        seen.add((what, sample.source))
                        print(f"{what}: {sample}\n    {text}", flush=True)
    print(dict(totals))
    return int(totals["refused"] > 0)


if __name__ == "__main__":
    sys.exit(main())
