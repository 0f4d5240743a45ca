"""A graph of torch.export, run node by node: what every value really is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from cutaway.core.architecture import Architecture
from cutaway.passes.compare import EQUAL, UNKNOWN, WRONG, Fact, compare, shape_verdict

_COMPARED = ("weights", "inputs", "outputs", "macs", "faults")


class Recorder(torch.fx.Interpreter):
    """Carries out a graph, and keeps the shape and type of each result."""

    def __init__(self, module: torch.fx.GraphModule) -> None:
        super().__init__(module)
        self.calls: list[tuple[str, list[tuple[tuple[int, ...], str]]]] = []

    def run_node(self, node: torch.fx.Node) -> Any:
        result = super().run_node(node)
        if node.op == "call_function":
            flat = torch.utils._pytree.tree_leaves(result)
            tensors = [(tuple(each.shape), str(each.dtype)[6:]) for each in flat if isinstance(each, torch.Tensor)]
            target = node.target
            name = str(target) if isinstance(target, torch._ops.OpOverload) else getattr(target, "__name__", "")
            self.calls.append((name, tensors))
        return result


def compare_graph(found: Architecture, live: Architecture, path: Path) -> Iterator[Fact]:
    """Compare an archive with the running network, and its operations with a run of its graph."""
    yield from (fact for fact in compare(found, live) if fact.kind in _COMPARED)
    yield from _modules(found, live)
    program = torch.export.load(path)
    recorder = Recorder(program.graph_module)
    signature = program.graph_signature
    values = {**program.state_dict, **program.constants}
    example = iter(torch.utils._pytree.tree_leaves(program.example_inputs))
    given = [
        next(example) if spec.kind is torch.export.graph_signature.InputKind.USER_INPUT else values[spec.target]
        for spec in signature.input_specs
    ]
    with torch.no_grad():
        recorder.run(*given)
    made = [call for call in recorder.calls if call[0] != "getitem"]
    ops = [op for op in found.ops if not op.op.endswith("getitem")]
    verdict = EQUAL if [op.op for op in ops] == [name for name, _ in made] else WRONG
    yield Fact("operations", "their names and order", verdict, f"{len(ops)}, are {len(made)}")
    for op, (name, results) in zip(ops, made):
        shown = [(value.shape, value.dtype) for value in op.outputs]
        if len(shown) != len(results):
            yield Fact("operations", name, WRONG, f"{shown}, is {results}")
            continue
        for (shape, dtype), (true_shape, true_dtype) in zip(shown, results):
            verdict = shape_verdict(shape, true_shape) if dtype == true_dtype else WRONG
            yield Fact("operations", name, verdict, f"{shape} {dtype}, is {true_shape} {true_dtype}")


def _modules(found: Architecture, live: Architecture) -> Iterator[Fact]:
    """Compare modules and their calls; one that leaves no trace in the graph is not in the file."""
    stated = {module.path: module for module in found.modules}
    true = {module.path: module for module in live.modules}
    for path in stated.keys() - true.keys():
        yield Fact("tree", path, WRONG, "is not there")
    for path, real in true.items():
        module = stated.get(path)
        if module is None or not module.class_name:
            yield Fact("tree", path or "the root", UNKNOWN, "is not in the file")
            continue
        verdict = EQUAL if module.class_name == real.class_name else WRONG
        yield Fact("tree", path or "the root", verdict, f"{module.class_name}, is {real.class_name}")
        if len(module.calls) != len(real.calls):
            yield Fact(
                "calls", path, UNKNOWN if not module.calls else WRONG, f"{len(module.calls)}, are {len(real.calls)}"
            )
            continue
        for call, truth in zip(module.calls, real.calls):
            for side in ("inputs", "outputs"):
                mine, theirs = getattr(call, side), getattr(truth, side)
                yield Fact(
                    "calls", f"{path or 'the root'} {side}", EQUAL if mine == theirs else WRONG, f"{mine}, is {theirs}"
                )
