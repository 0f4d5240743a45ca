"""Expressions of PyTorch: methods of tensors, functions."""

from __future__ import annotations

from typing import ClassVar

from cutaway.core.error import CutawayError, one_line
from cutaway.recover.graph import ELEMENT_TYPES, Numbers
from cutaway.recover.targets.expression import POSTFIX, Renderer
from cutaway.recover.targets.torch.layers import FORMS

_METHODS = {".reshape": "sizes", ".permute": "dims", ".transpose": "dims", ".expand": "sizes", ".repeat": "sizes"}
"""Methods whose arguments are listed without a name."""


class TorchRenderer(Renderer):
    """The text of one node."""

    forms = FORMS
    layer_prefix = "nn."
    listing: ClassVar[dict[str, str]] = {"torch.cat": "dim", "torch.stack": "dim"}
    unnamed: ClassVar[set[str]] = {
        ".squeeze", ".unsqueeze", ".flatten", ".unbind", "torch.split", ".chunk", "torch.flatten", "F.pad", ".to",
        "torch.reshape", "torch.tile", "torch.split_with_sizes",
    }  # fmt: skip

    def text(self) -> tuple[str, int]:
        """Return the expression; the function that flattens starts elsewhere than the layer does."""
        if self.node.op == "nn.Flatten":
            return (
                f"torch.flatten({self._operand(0, 0)}, {self._value('start_dim', self.node.config['start_dim'])})",
                POSTFIX,
            )
        return super().text()

    def special(self) -> tuple[str, int] | None:
        """Return the text of a method, or of the shape of a tensor."""
        node = self.node
        if node.op == "shape_of":
            start, end = node.config["start"], node.config["end"]
            part = "" if not start and end is None else f"[{start or ''}:{'' if end is None else end}]"
            return f"torch.tensor({self._operand(0, POSTFIX)}.shape{part})", POSTFIX
        return (self._method(), POSTFIX) if node.op.startswith(".") else None

    def dtype(self, name: str) -> str:
        """Return how an element type is written."""
        if name not in ELEMENT_TYPES:
            raise CutawayError(f"code can't be written: {one_line(name)} is not an element type")
        return f"torch.{name}"

    def size(self, tensor: str, axis: int) -> str:
        """Return how the size of a dimension is written."""
        return f"{tensor}.size({axis})"

    def numbers(self, tensor: str, numbers: Numbers) -> str:
        """Return how numbers of a tensor are written that only a run tells."""
        if numbers.at is not None:
            return f"{tensor}[{numbers.at}]"
        return f"{tensor}.item()" if numbers.only else f"{tensor}.tolist()"

    def _method(self) -> str:
        node = self.node
        own = self._operand(0, POSTFIX)
        others = [self._operand(place, 0) for place in self._positional()[1:]]
        listed = _METHODS.get(node.op)
        if listed:
            return f"{own}{node.op}({', '.join(self._value(listed, each) for each in node.config[listed])})"
        return f"{own}{node.op}({', '.join([*others, *self._keywords(node.config)])})"
