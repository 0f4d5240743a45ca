"""What the functions that forward calls do with its arguments: they are found on the network itself."""

from __future__ import annotations

import ast
from typing import Any

from cutaway.core.unknown import Exhausted, Undecidable
from cutaway.interp.run.frame import Pending
from cutaway.interp.run.function import Record, record_of
from cutaway.knowledge.base.framework import Framework, holds_parts
from cutaway.knowledge.base.registry import KnownModule
from cutaway.syntax.argument_kinds import Callee, Kind, Use, argument_use, names_of

_MISSING = object()
_FIRST_ARGUMENTS: dict[str | None, Kind] = {"tensor": Kind.TENSOR, "sequence": Kind.SEQUENCE}


class NetworkContext:
    """The names in a function of the target; `owner` is the module whose method it is, None for a plain function."""

    def __init__(self, record: Record, owner: Any, framework: Framework) -> None:
        self._record, self._owner, self._framework = record, owner, framework

    def callee(self, function: ast.expr) -> Callee | Kind | None:
        """Return the function that a call enters; a layer of the library with weights takes tensors."""
        return self._entered(self._value(function), bool(isinstance(function, ast.Attribute)))

    def item_kind(self, container: ast.expr) -> Kind | None:
        """Return the kind of the keys of a list or dict, of modules or of anything else."""
        value = self._value(container)
        if isinstance(value, (list, tuple)):
            return Kind.INTEGER
        if isinstance(value, dict):
            return Kind.TEXT
        if self._framework.is_network(value) and hasattr(type(value), "__getitem__"):
            return Kind.TEXT if hasattr(type(value), "keys") else Kind.INTEGER
        return None

    def is_tensor_attribute(self, name: str) -> bool:
        """Tell whether tensors of the framework have an attribute."""
        return has_attribute(self._framework, name)

    def _entered(self, value: Any, is_method: bool) -> Callee | Kind | None:
        framework = self._framework
        if framework.is_network(value):
            record = forward_record(value, framework)
            if record is not None:
                return _callee(record, value, True, framework)
            return _FIRST_ARGUMENTS.get(framework.first_argument(value))
        is_static = isinstance(value, staticmethod)
        record = record_of(value.__func__ if is_static else value)
        if record is None:
            return _FIRST_ARGUMENTS.get(framework.first_argument(value))
        return _callee(record, self._owner if is_method else None, is_method and not is_static, framework)

    def _value(self, node: ast.expr) -> Any:
        """Return what a dotted name refers to, without evaluating anything of the target."""
        names: list[str] = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return _MISSING
        arguments = names_of(self._record.code.node)
        if self._owner is not None and arguments and node.id == arguments[0]:
            value = self._owner
        else:
            value = self._record.globals.get(node.id, _MISSING)
            try:
                value = value.resolve() if type(value) is Pending else value
            except (Exception, Undecidable, Exhausted):
                return _MISSING
        for name in reversed(names):
            value = _attribute(value, name)
        return value


def forward_record(network: Any, framework: Framework) -> Record | None:
    """Return the source of a network's forward, None where it has none."""
    try:
        forward = framework.forward(network)
    except (Exception, Undecidable, Exhausted):
        return None
    return record_of(getattr(forward, "__func__", forward))


def _callee(record: Record, owner: Any, is_bound: bool, framework: Framework) -> Callee:
    node = record.code.node
    positional = tuple(each.arg for each in (*node.args.posonlyargs, *node.args.args))
    context = NetworkContext(record, owner if is_bound else None, framework)
    return Callee(node, positional[1:] if is_bound else positional, context)


def _attribute(value: Any, name: str) -> Any:
    """Return an attribute as it is stored, or a part of a network."""
    own = getattr(value, "__dict__", {})
    if name in own:
        return own[name]
    for table, parts in list(own.items()):
        if holds_parts(table) and isinstance(parts, dict) and name in parts:
            return parts[name]
    for kind in type(value).__mro__:
        if name in kind.__dict__:
            return kind.__dict__[name]
    if isinstance(value, KnownModule):
        return getattr(value, name, _MISSING)
    return _MISSING


def has_attribute(framework: Framework, name: str) -> bool:
    """Tell whether tensors of a framework have an attribute."""
    tensor = framework.tensor((1, 1), "float32", "")
    return hasattr(type(tensor), name) or hasattr(tensor, name)


def use_of(network: Any, framework: Framework, record: Record | None, name: str) -> Use:
    """Return what an argument of a network's forward is."""
    if record is None:  # a network of the library itself, which takes one argument
        return Use(_FIRST_ARGUMENTS.get(framework.first_argument(network)))
    return argument_use(record.code.node, name, NetworkContext(record, network, framework))
