"""A network of PyTorch, read from source, TorchScript, an exported program or a pickle, to a graph."""

from __future__ import annotations

import re
from collections.abc import Mapping
from keyword import iskeyword
from typing import Any

from cutaway.core.architecture import Architecture, Op
from cutaway.core.contents import Stored
from cutaway.core.size.dim import Dim
from cutaway.recover.graph import ELEMENT_TYPES, Graph, Input
from cutaway.recover.sources.torch.mutation import Origin, settle_changes
from cutaway.recover.sources.torch.table import TABLE
from cutaway.recover.sources.traced import Call, Table, traced

_PREFIXES = ("torch.nn.functional.", "torch.Tensor.", "torch._C._nn.", "torch.special.", "torch.nn.init.", "torch.")
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_QUALIFIED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_ATEN = re.compile(r"aten\.([A-Za-z]\w*)\.\w+", re.ASCII)
_ON_FILES = ("from_file", "save")
"""Operators of PyTorch that do more than compute."""
_DROPPED = (
    "layout",
    "device",
    "requires_grad",
    "pin_memory",
    "memory_format",
    "inplace",
    "out",
    "non_blocking",
    "copy",
)


def lowered(architecture: Architecture, stored: Mapping[str, Stored], is_named_by_file: bool = False) -> Graph:
    """Return the graph of a network; a file that names its operations itself may name any function of Python."""
    TABLE.load()
    fallback = _operator if is_named_by_file else _as_it_is
    graph = traced(architecture, stored, _key, fallback, finish=_settle_changes)
    outer = {module.path.rpartition(".")[0] for module in architecture.modules}
    graph.layers = {
        tuple(module.path.split("."))
        for module in architecture.modules
        if module.path and module.path not in outer and module.qualified_name.startswith("torch.nn.modules.")
    }
    return graph


def _settle_changes(graph: Graph, calls: Mapping[int, Call]) -> None:
    settle_changes(graph, {node: Origin(call.key, _changed(call), call.op.op) for node, call in calls.items()})


def _changed(call: Call) -> str | None:
    """Return the tensor that an operation changes where it is."""
    name = _short(call.op.op)
    is_change = name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))
    return call.op.inputs[0].name if is_change and call.op.inputs else None


def _short(name: str) -> str:
    """Return the name of an operation without what it is a function or a method of."""
    if name.startswith("aten."):
        return name.split(".")[1]
    prefix = next((each for each in _PREFIXES if name.startswith(each)), "")
    return name[len(prefix) :]


def _key(op: Op) -> tuple[Table, str]:
    """Return the row of an operation: in place, as a method or as a function, it is the same."""
    name = _short(op.op)
    if name not in TABLE.rows and name.endswith("_") and not name.endswith("__"):
        name = name[:-1]
    return TABLE, name


def _operator(call: Call) -> bool:
    """Write an operator of PyTorch as it is called, and nothing else that a file may name; tell whether that is possible."""
    match = _ATEN.fullmatch(call.op.op)
    return match is not None and match.group(1) not in _ON_FILES and _as_it_is(call)


def _as_it_is(call: Call) -> bool:
    """Write a function of the framework that has no row as it is called; tell whether that is possible."""
    name = call.op.op
    if name.startswith("aten."):
        name = f"torch.ops.{name}"
    name = name.replace("torch.nn.functional.", "F.").replace("torch.Tensor.", ".")
    if not _QUALIFIED.fullmatch(name.removeprefix(".")) or not name.startswith(("torch.", "F.", ".")):
        return False
    if call.op.op.startswith("aten.") and len(call.inputs) > 1 and call.attributes:
        return False  # which arguments the tensors are for is not known
    if name.removesuffix(".default").endswith("_") or (name.startswith(".") and not call.inputs):
        return False
    config = {key: _literal(call, value) for key, value in call.attributes.items() if value is not None}
    config = {key: value for key, value in config.items() if key not in _DROPPED}
    if not all(_WORD.fullmatch(key) and not iskeyword(key) for key in config):
        return False
    if str(config.get("dtype", "float32")) not in ELEMENT_TYPES:
        return False
    call.emit(name, *call.inputs, **config)
    return True


def _literal(call: Call, value: Any) -> Any:
    if isinstance(value, list):
        return [_literal(call, each) for each in value]
    if isinstance(value, (bool, int, float, Dim, Input)) or value is None:
        return value
    if isinstance(value, str) and (_WORD.fullmatch(value) or value.startswith("torch.")):
        return value.removeprefix("torch.")
    call.unsupported(f"its argument {value!r:.60} is not a number")
