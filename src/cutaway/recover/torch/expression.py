"""Expressions of a forward pass: the text of a node, given the names of its inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from cutaway.recover.graph import Input, Literal, Node
from cutaway.recover.sizes import Formula, SizeOf, inputs_of
from cutaway.recover.torch.layers import FORMS

Write: TypeAlias = Callable[[str, Any], str]
"""How a number is written, given what it is for and its value."""

_PRECEDENCE = {
    "|": 1, "^": 2, "&": 3, "==": 0, ">": 0, ">=": 0, "<": 0, "<=": 0, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6,
    "@": 6, "%": 6, "**": 8,
}  # fmt: skip
_NEGATION, POSTFIX = 7, 9
_METHODS = {".reshape": "sizes", ".permute": "dims", ".transpose": "dims", ".expand": "sizes", ".repeat": "sizes"}
"""Methods whose arguments are listed without a name."""
_UNNAMED = {".squeeze", ".unsqueeze", ".flatten", ".unbind", "torch.split", ".chunk", "torch.flatten", "F.pad", ".to"}
"""Functions and methods whose first argument needs no name."""


def literal(value: Any) -> str:
    """Return a value as it is written in Python."""
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return f'float("{value}")'
        return repr(value)
    if isinstance(value, str):
        return f'"{value}"' if value.isprintable() and '"' not in value and "\\" not in value else ascii(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    return repr(value)


def render(node: Node, names: Sequence[tuple[str, int]], write: Write) -> tuple[str, int]:
    """Return the expression of a node and how strongly it binds; names of inputs come with how strongly they bind."""
    return _Renderer(node, names, write).text()


class _Renderer:
    def __init__(self, node: Node, names: Sequence[tuple[str, int]], write: Write) -> None:
        self.node = node
        self.names = names
        self.write = write

    def text(self) -> tuple[str, int]:
        node = self.node
        if node.op in _PRECEDENCE:
            return self._infix(node.op)
        if node.op == "neg":
            return f"-{self._operand(0, _NEGATION)}", _NEGATION
        if node.op == "getitem":
            return f"{self._operand(0, POSTFIX)}[{self._index(node.config['index'])}]", POSTFIX
        if node.op == "shape_of":
            start, end = node.config["start"], node.config["end"]
            part = "" if not start and end is None else f"[{start or ''}:{'' if end is None else end}]"
            return f"torch.tensor({self._operand(0, POSTFIX)}.shape{part})", POSTFIX
        if node.op == "torch.cat":
            listed = ", ".join(self._operand(place, 0) for place in self._positional())
            return f"torch.cat([{listed}], dim={self.write('dim', node.config['dim'])})", POSTFIX
        if node.op.startswith("."):
            return self._method(), POSTFIX
        if node.op.startswith("nn."):
            return self._function(FORMS[node.op].function, FORMS[node.op]), POSTFIX
        return self._function(node.op, None), POSTFIX

    def _infix(self, op: str) -> tuple[str, int]:
        level = _PRECEDENCE[op]
        left = self._operand(0, level + (op == "**") + (level == 0))
        right = self._operand(1, level + (op != "**") + (level == 0) * 0)
        return f"{left} {op} {right}", level

    def _operand(self, place: int, level: int) -> str:
        operand = self.node.inputs[place]
        if isinstance(operand, Literal):
            text = self._value("value", operand.value)
            return f"({text})" if text.startswith("-") and level >= _NEGATION else text
        text, own = self.names[place]
        return f"({text})" if own < level else text

    def _positional(self) -> list[int]:
        """Return the places of the inputs that are given by position."""
        by_name = {
            place for value in self.node.config.values() if isinstance(value, Input) for place in inputs_of(value)
        }
        if self.node.op == "getitem":
            by_name = set()
        total = len(self.node.inputs) - self.node.sized
        return [place for place in range(total) if place not in by_name]

    def _method(self) -> str:
        node = self.node
        own = self._operand(0, POSTFIX)
        others = [self._operand(place, 0) for place in self._positional()[1:]]
        listed = _METHODS.get(node.op)
        if listed:
            return f"{own}{node.op}({', '.join(self._value(listed, each) for each in node.config[listed])})"
        return f"{own}{node.op}({', '.join([*others, *self._keywords(node.config)])})"

    def _function(self, name: str, form: Any) -> str:
        node = self.node
        first = [self._operand(place, 0) for place in self._positional()]
        config = dict(node.config)
        if form is not None:
            kernel = config.get("kernel_size")
            if "stride" in config and form.defaults.get("stride", 1) is None and config["stride"] == kernel:
                del config["stride"]
            config = {key: value for key, value in config.items() if not _is_default(form.defaults, key, value)}
            if node.op == "nn.Flatten":
                config = {"start_dim": node.config["start_dim"]}
                return f"{name}({', '.join([*first, self._value('start_dim', config['start_dim'])])})"
            unnamed = [self._value(key, value) for key, value in list(config.items())[: form.positional]]
            rest = dict(list(config.items())[form.positional :])
            return f"{name}({', '.join([*first, *unnamed, *self._keywords(rest)])})"
        return f"{name}({', '.join([*first, *self._keywords(config)])})"

    def _keywords(self, config: dict[str, Any]) -> list[str]:
        texts = []
        for place, (name, value) in enumerate(config.items()):
            text = f"torch.{value}" if name == "dtype" else self._value(name, value)
            texts.append(text if place == 0 and self.node.op in _UNNAMED else f"{name}={text}")
        return texts

    def _value(self, hint: str, value: Any) -> str:
        if isinstance(value, Input):
            return self._operand(value.place, 0)
        if isinstance(value, SizeOf):
            return self._size(value)
        if isinstance(value, Formula):
            return "".join(
                part
                if isinstance(part, str)
                else self._size(part)
                if isinstance(part, SizeOf)
                else self.write(hint, part)
                for part in value.parts
            )
        if isinstance(value, tuple):
            inner = ", ".join(self._value(hint, each) for each in value)
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        if isinstance(value, list):
            return f"[{', '.join(self._value(hint, each) for each in value)}]"
        return self.write(hint, value)

    def _size(self, size: SizeOf) -> str:
        return f"{self._operand(size.place, POSTFIX)}.size({size.axis})"

    def _index(self, index: Any) -> str:
        if isinstance(index, Input):
            return self._operand(index.place, 0)
        return ", ".join(self._one_index(each) for each in index)

    def _one_index(self, each: Any) -> str:
        if isinstance(each, slice):
            start = "" if each.start is None else self._value("start", each.start)
            stop = "" if each.stop is None else self._value("stop", each.stop)
            step = "" if each.step is None else f":{self._value('step', each.step)}"
            return f"{start}:{stop}{step}"
        return self._value("index", each)


def _is_default(defaults: Any, name: str, value: Any) -> bool:
    return name in defaults and defaults[name] == value and type(defaults[name]) is type(value)
