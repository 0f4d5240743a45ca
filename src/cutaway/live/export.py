"""Operations of a network as `torch.export` sees them: one graph of the core operators, in place of the API's calls."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from typing import Any

import torch
from torch.export import ExportedProgram

from cutaway.core.architecture import Op, Setting, Value
from cutaway.core.error import describe_error
from cutaway.core.place import Place
from cutaway.core.size.parser import read_size
from cutaway.knowledge.base.describe import describe
from cutaway.live.arguments import Arguments
from cutaway.live.restore import in_shown_mode, undisturbed

_LINE = re.compile(r'File "([^"]+)", line (\d+)')


def exported(
    network: torch.nn.Module, arguments: Arguments, train: bool | None = None
) -> tuple[tuple[Op, ...] | None, str]:
    """Return the operations and how they were got; None, and why, where a network can't be exported."""
    reasons: list[str] = []
    with undisturbed(), in_shown_mode(network, train):
        for name in ("export", "draft_export"):
            try:
                make = getattr(torch.export, name)
                program = make(network, arguments.positional, dict(arguments.named), strict=False)
                failed = f"; {reasons[0]}" if reasons else ""
                return tuple(_ops(program)), f"operations are those of torch.export.{name}{failed}"
            except Exception as error:  # many networks can't be exported, for as many reasons
                reasons.append(f"torch.export.{name} raised {describe_error(error)}")
    return None, "; ".join(reasons)


def _ops(program: ExportedProgram) -> Iterator[Op]:
    signature = program.graph_signature
    weights = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    values: dict[Any, Value] = {}
    parts: dict[Any, tuple[Any, int]] = {}
    for node in program.graph.nodes:
        if node.op == "placeholder":
            values[node] = _value(weights.get(node.name, node.name), node.meta.get("val"))
        elif node.op == "call_function" and node.target is operator.getitem:
            parts[node] = (node.args[0], node.args[1])
            values[node] = _value(f"{node.args[0].name}:{node.args[1]}", node.meta.get("val"))
        elif node.op == "call_function":
            yield _op(node, values)


def _op(node: Any, values: dict[Any, Value]) -> Op:
    attributes: dict[str, Setting] = {}
    schema = getattr(node.target, "_schema", None)
    names = [argument.name for argument in schema.arguments] if schema is not None else []
    for at, value in enumerate(node.args):
        _note(names[at] if at < len(names) else str(at), value, attributes)
    for name, value in node.kwargs.items():
        _note(name, value, attributes)
    made = node.meta.get("val")
    listed = list(made) if isinstance(made, (list, tuple)) else [made]
    outputs = [_value(node.name if len(listed) == 1 else f"{node.name}:{at}", v) for at, v in enumerate(listed)]
    values[node] = outputs[0]
    stack = list(node.meta.get("nn_module_stack", {}).values())
    lines = _LINE.findall(node.meta.get("stack_trace") or "")
    return Op(
        str(node.target),
        attributes,
        tuple(values[each] for each in node.all_input_nodes if each in values),
        tuple(outputs),
        re.sub(r"^L\['self'\]\.?", "", stack[-1][0]) if stack else "",
        Place(lines[-1][0], int(lines[-1][1])) if lines else None,
        None,
    )


def _note(name: str, value: Any, attributes: dict[str, Setting]) -> None:
    if not isinstance(value, torch.fx.Node) and not (
        isinstance(value, (list, tuple)) and any(isinstance(item, torch.fx.Node) for item in value)
    ):
        attributes[name] = describe(value)


def _value(name: str, made: Any) -> Value:
    if not isinstance(made, torch.Tensor):
        return Value(name, None, None)
    sizes = tuple(size if isinstance(size, int) else read_size(str(size)) for size in made.shape)
    return Value(name, sizes, str(made.dtype).removeprefix("torch."))
