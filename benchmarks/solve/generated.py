"""python -m benchmarks.solve.generated [--count N] [--seed N]: inferred inputs of random networks, with torch as the judge.

Forward takes numbers, flags, strings, lists, dicts, lengths, masks or ids. What Cutaway says is accepted has to run in
torch and to give the outputs that it states; what it says is refused has to raise; and a network that runs on some
input has no fault.
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import cutaway
from benchmarks.solve.generated_networks import Network, generate
from cutaway.core.architecture import Architecture, Precondition
from cutaway.core.size.dim import Size, substitute, symbols

_TRIALS = 4
_LARGEST = 12
_STATED = re.compile(
    r"the argument (\S+) of forward is (an integer|a number|True or False|a string|an object|a list|a dict)"
)
_VALUES = {
    "an integer": (1, 2, 3, 4),
    "a number": (0.5, 0.75, 0.125),
    "True or False": (True, False),
    "a string": ("wide", "deep", "other"),
}
_ERRORS = (RuntimeError, ValueError, AssertionError, IndexError, TypeError, KeyError, AttributeError, ZeroDivisionError)


@dataclass(slots=True)
class Verdict:
    """What torch says: `outcome` is stated, unknown or fault; `problems` are statements that do not hold."""

    outcome: str = "stated"
    problems: list[str] = field(default_factory=list)
    runs: int = 0
    refusals: int = 0


class _Untestable(Exception):
    """A statement that has no numbers to test it with."""


def judge(network: Network, seed: int) -> Verdict:
    """Compare what is stated of a network with running it."""
    source = network.source()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        (stated,) = cutaway.show(f"{path}::Net", timeout=60)
    import torch

    torch.manual_seed(seed)
    namespace: dict[str, Any] = {"SimpleNamespace": SimpleNamespace}
    exec(compile(source, "model.py", "exec"), namespace)
    live = namespace["Net"]().eval()
    examples = {name: eval(text, namespace) for name, text in network.examples.items()}
    verdict = Verdict()
    if stated.diagnostics:
        verdict.outcome = "fault"
        if _runs(live, examples) is not None:
            verdict.problems.append(f"a fault on a correct network: {stated.diagnostics[0].message}")
        return verdict
    if stated.unknowns or any(value.shape is None for value in stated.inputs):
        verdict.outcome = "unknown"
        return verdict
    rng = random.Random(seed)
    kinds = dict(match.groups() for note in stated.assumptions if (match := _STATED.search(note.text)))
    for _ in range(_TRIALS):
        try:
            _try_accepted(stated, live, kinds, rng, verdict)
        except _Untestable:
            verdict.outcome = "untestable"
    for arguments in _refused(stated, kinds, rng):
        verdict.refusals += 1
        if _runs(live, arguments) is not None:
            verdict.problems.append(f"said to be refused, runs: {_described(arguments)}")
    return verdict


def _try_accepted(stated: Architecture, live: Any, kinds: dict[str, str], rng: random.Random, verdict: Verdict) -> None:
    plain = _plain(kinds, rng)
    sizes = {
        **_sizes(stated.requires, rng),
        **_truths(stated, plain),
        **{k: v for k, v in plain.items() if type(v) is int},
    }
    arguments = _arguments(stated, kinds, plain, sizes, rng)
    outputs = _runs(live, arguments)
    verdict.runs += 1
    if outputs is None:
        verdict.problems.append(f"said to be accepted, raises: {_described(arguments)}")
        return
    shapes = [tuple(_number(size, sizes, rng) for size in value.shape or ()) for value in stated.outputs]
    actual = [tuple(output.shape) for output in outputs]
    if shapes != actual:
        verdict.problems.append(f"outputs are {actual}, not {shapes}: {_described(arguments)}")


def _plain(kinds: dict[str, str], rng: random.Random) -> dict[str, Any]:
    return {name: rng.choice(_VALUES[kind]) for name, kind in kinds.items() if kind in _VALUES}


def _truths(stated: Architecture, plain: dict[str, Any]) -> dict[str, int]:
    """Return whether conditions hold for these arguments, by the symbols that stand for them in sizes."""
    truths: dict[str, int] = {}
    for condition in stated.conditions:
        try:
            truths[f"[{condition.text}]"] = int(bool(eval(condition.text, {}, plain)))
        except Exception:
            raise _Untestable from None
    return truths


def _sizes(requires: Precondition | None, rng: random.Random) -> dict[str, int]:
    """Return sizes that a network is said to accept."""
    if requires is None or not requires.alternatives:
        return {}
    chosen: dict[str, int] = {}
    for allowed in rng.choice(requires.alternatives):
        fitting = [size for size in range(1, _LARGEST) if size in allowed]
        if not fitting:
            raise _Untestable
        chosen[allowed.symbol] = rng.choice(fitting)
    return chosen


def _number(size: Size, sizes: dict[str, int], rng: random.Random) -> int:
    for one in symbols(size):
        if one.anonymous:
            raise _Untestable
        sizes.setdefault(one.name, rng.randint(1, 4))
    result = substitute(size, sizes)
    if not isinstance(result, int):
        raise _Untestable
    return result


def _arguments(
    stated: Architecture, kinds: dict[str, str], plain: dict[str, Any], sizes: dict[str, int], rng: random.Random
) -> dict[str, Any]:
    parts: dict[str, Any] = {tuple(name.split(".")): value for name, value in plain.items()}  # type: ignore[misc]
    for value in stated.inputs:
        shape = tuple(_number(size, sizes, rng) for size in value.shape or ())
        parts[tuple(value.name.split("."))] = _tensor(shape, value.dtype or "float32")  # type: ignore[index]
    return _assembled(parts, kinds, ())  # type: ignore[no-any-return, arg-type]


def _assembled(parts: dict[tuple[str, ...], Any], kinds: dict[str, str], path: tuple[str, ...]) -> Any:
    if path in parts:
        return parts[path]
    keys = list(dict.fromkeys(each[len(path)] for each in parts if each[: len(path)] == path))
    items = {key: _assembled(parts, kinds, (*path, key)) for key in keys}
    kind = kinds.get(".".join(path))
    if kind == "a list":
        return [items[key] for key in sorted(items, key=int)]
    return SimpleNamespace(**items) if kind == "an object" else items


def _tensor(shape: tuple[int, ...], dtype: str) -> Any:
    import torch

    if dtype == "float32":
        return torch.rand(shape)
    return torch.ones(shape, dtype=getattr(torch, dtype))  # a valid length, a valid index


def _runs(live: Any, arguments: dict[str, Any]) -> list[Any] | None:
    """Return the outputs of a network, None where it raises."""
    import torch

    try:
        with torch.no_grad():
            result = live(**arguments)
    except _ERRORS:
        return None
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _refused(stated: Architecture, kinds: dict[str, str], rng: random.Random) -> Iterator[dict[str, Any]]:
    """Yield arguments that a network is said to refuse: one size that has to be a certain number is another one."""
    requires = stated.requires
    if requires is None or not requires.exact or stated.conditions:
        return
    plain = _plain(kinds, rng)
    for at, value in enumerate(requires.inputs):
        for place, size in enumerate(value.shape or ()):
            if not isinstance(size, int):
                continue
            try:
                sizes = {**_sizes(requires, rng), **{k: v for k, v in plain.items() if type(v) is int}}
                arguments = _arguments(stated, kinds, plain, sizes, rng)
                shape = [_number(each, sizes, rng) for each in stated.inputs[at].shape or ()]
            except _Untestable:
                return
            shape[place] = size + rng.randint(1, 3)
            yield _replaced(arguments, value.name.split("."), _tensor(tuple(shape), value.dtype or "float32"))


def _replaced(arguments: Any, keys: list[str], tensor: Any) -> Any:
    if not keys:
        return tensor
    if isinstance(arguments, SimpleNamespace):
        return SimpleNamespace(**_replaced(vars(arguments), keys, tensor))
    if isinstance(arguments, list):
        return [_replaced(item, keys[1:], tensor) if str(at) == keys[0] else item for at, item in enumerate(arguments)]
    return {key: _replaced(item, keys[1:], tensor) if key == keys[0] else item for key, item in arguments.items()}


def _described(arguments: Any) -> str:
    if hasattr(arguments, "shape"):
        return f"{'x'.join(map(str, arguments.shape)) or '()'} {str(arguments.dtype).removeprefix('torch.')}"
    if isinstance(arguments, SimpleNamespace):
        arguments = vars(arguments)
    if isinstance(arguments, dict):
        return ", ".join(f"{key}={_described(item)}" for key, item in arguments.items())
    return f"[{', '.join(map(_described, arguments))}]" if isinstance(arguments, list) else repr(arguments)


def main() -> int:
    """Judge generated networks, print those that are wrong, and the totals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    outcomes: collections.Counter[str] = collections.Counter()
    wrong = runs = refusals = 0
    for seed in range(options.seed, options.seed + options.count):
        network = generate(seed)
        try:
            verdict = judge(network, seed)
        except cutaway.CutawayError as error:
            verdict = Verdict("error", [str(error)])
        outcomes[verdict.outcome] += 1
        runs, refusals = runs + verdict.runs, refusals + verdict.refusals
        if verdict.problems:
            wrong += 1
            print(f"seed {seed}: {verdict.problems[0]}\n{network.source()}")
    print(f"{options.count} networks: {wrong} wrong; " + ", ".join(f"{n} {what}" for what, n in outcomes.most_common()))
    print(f"{runs} inputs that are said to be accepted, and {refusals} that are said to be refused, were run")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
