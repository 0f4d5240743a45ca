"""An archive of TorchScript, loaded and run by torch: the operators that its profiler sees, with the sizes of their inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch

from cutaway.core.architecture import Architecture
from cutaway.passes.compare import EQUAL, UNKNOWN, WRONG, Fact, compare

COMPUTED = ("tree", "weights", "inputs", "macs", "faults")
_SAME = {
    "__getitem__": "slice", "index": "slice", "select": "slice", "interpolate": "upsample", "upsample_nearest1d": "upsample", "upsample_nearest2d": "upsample",
    "upsample_bilinear2d": "upsample", "upsample_bicubic2d": "upsample", "upsample_linear1d": "upsample",
    "upsample_trilinear3d": "upsample", "upsample_nearest3d": "upsample", "_upsample_nearest_exact2d": "upsample",
}  # fmt: skip
"""Names for one operation: Python's, and those of the operator's forms."""
_LISTS = frozenset(["cat", "stack", "lstm", "gru", "einsum", "slice", "index_put", "meshgrid", "block_diag"])
"""Operators that take lists of tensors, whose sizes the profiler does not tell."""
_ARITHMETIC = frozenset(
    "contiguous item add sub rsub mul div floor_divide remainder pow neg floor ceil zeros ones full to Int".split()
)
"""Operators that a trace computes sizes with, as tensors of one number, and those that may return what they are given."""
_Key = tuple[str, tuple[tuple[int, ...], ...]]


def operators(path: Path, inputs: tuple[Any, ...]) -> tuple[list[_Key], list[tuple[int, ...]]]:
    """Run an archive as it is written, and return its operators, and the sizes of what it returns."""
    module = torch.jit.load(path)
    torch._C._jit_set_profiling_executor(False)
    with torch.jit.optimized_execution(False), torch.profiler.profile(record_shapes=True) as profile:
        result = module(*inputs)
    events = []
    for event in profile.events():
        inside = event.cpu_parent is not None and event.cpu_parent.name.startswith("aten::")
        if event.name.startswith("aten::") and not inside:
            events.append(_key(event.name.removeprefix("aten::"), _shapes(event.input_shapes)))
    leaves = torch.utils._pytree.tree_leaves(result)
    return events, [tuple(each.shape) for each in leaves if isinstance(each, torch.Tensor)]


def _shapes(listed: Any) -> Iterator[tuple[int, ...]]:
    for each in listed:
        if each and isinstance(each[0], (list, tuple)):
            yield from _shapes(each)
        elif each and all(isinstance(size, int) for size in each):
            yield tuple(each)


def _key(name: str, shapes: Iterable[Any]) -> _Key:
    name = name if name.endswith("__") else name.removesuffix("_")  # in its memory or not
    return _SAME.get(name, name), tuple(sorted(tuple(shape) for shape in shapes if shape))


def compare_script(
    found: Architecture, live: Architecture, path: Path, inputs: tuple[Any, ...], traced: bool
) -> Iterator[Fact]:
    """Compare an archive with the network that it was made from, and its operations with a run of the archive."""
    facts = compare(found, live)
    yield from (fact for fact in facts if fact.kind in COMPUTED or (fact.kind == "calls" and not traced))
    if traced:
        yield from _traced_calls(found, live)
    ran, results = operators(path, inputs)
    shapes = [value.shape for value in found.outputs]
    yield Fact("outputs", "outputs", EQUAL if shapes == results else WRONG, f"{shapes}, are {results}")
    stated, real = _by_name(_stated(found)), _by_name(ran)
    for name in stated.keys() | real.keys():
        mine, theirs = stated.get(name, []), real.get(name, [])
        if name in _ARITHMETIC and len(mine) < len(theirs):
            theirs = list(_matching(mine, theirs))
        if len(mine) != len(theirs):
            yield Fact("operations", name, WRONG, f"{len(mine)} of them, are {len(theirs)}: {mine[:3]}, {theirs[:3]}")
            continue
        for taken, given in zip(mine, theirs):
            # The profiler may count what else is on the stack among the inputs.
            surplus = Counter(taken) - Counter(given) if name not in _LISTS else None
            yield Fact("operations", name, WRONG if surplus else EQUAL, f"given {taken}, is {given}")


def _stated(found: Architecture) -> Iterator[_Key]:
    for op in found.ops:
        yield _key(op.op.rpartition(".")[2], (value.shape for value in op.inputs))


def _matching(mine: list[Any], theirs: list[Any]) -> Iterator[Any]:
    """Yield of each operation that is stated the next one of the run that has its inputs."""
    rest = iter(theirs)
    for shapes in mine:
        following = next((each for each in rest if not Counter(shapes) - Counter(each)), None)
        if following is not None:
            yield following


def _by_name(keys: Iterable[_Key]) -> dict[str, list[Any]]:
    named: dict[str, list[Any]] = {}
    for name, shapes in keys:
        named.setdefault(name, []).append(shapes)
    return named


def _traced_calls(found: Architecture, live: Architecture) -> Iterator[Fact]:
    """Compare calls of modules in a trace, which leaves out what is not used, and may pass weights along."""
    stated = {module.path: module for module in found.modules}
    weights: Counter[Any] = Counter(weight.shape for weight in live.weights)
    for real in live.modules:
        calls = stated[real.path].calls if real.path in stated else ()
        if len(calls) != len(real.calls):
            yield Fact("calls", real.path, UNKNOWN if not calls else WRONG, f"{len(calls)}, are {len(real.calls)}")
            continue
        for call, truth in zip(calls, real.calls):
            surplus = Counter(call.inputs) - Counter(truth.inputs) - weights
            surplus += Counter(call.outputs or ()) - Counter(truth.outputs or ())
            yield Fact("calls", real.path, WRONG if surplus else EQUAL, f"{call}, is {truth}")
