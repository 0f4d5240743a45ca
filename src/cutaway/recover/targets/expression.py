"""Expressions of a forward pass: the text of a node, given the names of its inputs."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any, ClassVar

from cutaway.recover.graph import Input, Literal, Node, Numbers
from cutaway.recover.sizes import Formula, SizeOf, inputs_of
from cutaway.recover.targets.dialect import LayerForm, Write

_PRECEDENCE = {
    "|": 1, "^": 2, "&": 3, "==": 0, ">": 0, ">=": 0, "<": 0, "<=": 0, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6,
    "@": 6, "%": 6, "**": 8,
}  # fmt: skip
_NEGATION, POSTFIX = 7, 9


class Renderer:
    """The text of one node; names of inputs come with how strongly they bind."""

    forms: ClassVar[Mapping[str, LayerForm]] = {}
    layer_prefix: ClassVar[str] = ""
    listing: ClassVar[
        Mapping[str, str]
    ] = {}  # functions whose tensors are a list, and the name of their other argument
    unnamed: ClassVar[Container[str]] = ()  # functions whose first argument needs no name

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
        if node.op in self.listing:
            listed = ", ".join(self._operand(place, 0) for place in self._positional())
            name = self.listing[node.op]
            return f"{node.op}([{listed}], {name}={self.write('dim', node.config[name])})", POSTFIX
        if node.op.startswith(self.layer_prefix):
            form = self.forms[node.op]
            return self._function(form.function, form), POSTFIX
        return self.special() or (self._function(node.op, None), POSTFIX)

    def special(self) -> tuple[str, int] | None:
        """Return the text of a node that is written in a way of its own."""
        return None

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
        by_name = {place for value in self.node.config.values() if _is_input(value) for place in inputs_of(value)}
        if self.node.op == "getitem":
            by_name = set()
        total = len(self.node.inputs) - self.node.sized
        return [place for place in range(total) if place not in by_name]

    def _function(self, name: str, form: Any) -> str:
        node = self.node
        first = [self._operand(place, 0) for place in self._positional()]
        config = dict(node.config)
        if form is not None:
            kernel = config.get("kernel_size")
            if "stride" in config and form.defaults.get("stride", 1) is None and config["stride"] == kernel:
                del config["stride"]
            config = {key: value for key, value in config.items() if not _is_default(form.defaults, key, value)}
            unnamed = [self._value(key, value) for key, value in list(config.items())[: form.positional]]
            rest = dict(list(config.items())[form.positional :])
            return f"{name}({', '.join([*first, *unnamed, *self._keywords(rest)])})"
        return f"{name}({', '.join([*first, *self._keywords(config)])})"

    def _keywords(self, config: dict[str, Any]) -> list[str]:
        texts = []
        for place, (name, value) in enumerate(config.items()):
            if name in ("keepdim", "keepdims") and value is False:
                self.write(name, value)
                continue
            text = self.dtype(value) if name == "dtype" and isinstance(value, str) else self._value(name, value)
            texts.append(text if place == 0 and self.node.op in self.unnamed else f"{name}={text}")
        return texts

    def _value(self, hint: str, value: Any) -> str:
        if isinstance(value, Input):
            return self._operand(value.place, 0)
        if isinstance(value, Numbers):
            return self.numbers(self._operand(value.place, POSTFIX), value)
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

    def dtype(self, name: str) -> str:
        """Return how an element type is written."""
        return f'"{name}"'

    def size(self, tensor: str, axis: int) -> str:
        """Return how the size of a dimension is written."""
        raise NotImplementedError

    def numbers(self, tensor: str, numbers: Numbers) -> str:
        """Return how numbers of a tensor are written that only a run tells."""
        raise NotImplementedError

    def _size(self, size: SizeOf) -> str:
        return self.size(self._operand(size.place, POSTFIX), size.axis)

    def _index(self, index: Any) -> str:
        if isinstance(index, Input):
            return self._operand(index.place, 0)
        return ", ".join(self._one_index(each) for each in index)

    def _one_index(self, each: Any) -> str:
        if each is ...:
            return "..."
        if each is None:
            return "None"
        if isinstance(each, slice):
            start = "" if each.start is None else self._value("start", each.start)
            stop = "" if each.stop is None else self._value("stop", each.stop)
            step = "" if each.step is None else f":{self._value('step', each.step)}"
            return f"{start}:{stop}{step}"
        return self._value("index", each)


def _is_default(defaults: Any, name: str, value: Any) -> bool:
    return name in defaults and defaults[name] == value and type(defaults[name]) is type(value)


def _is_input(value: Any) -> bool:
    """Tell whether an argument is an input, or the numbers of one."""
    if isinstance(value, (tuple, list)):
        return any(_is_input(each) for each in value)
    return isinstance(value, (Input, Numbers))
