"""Expressions of Keras: operations."""

from __future__ import annotations

from typing import ClassVar

from cutaway.recover.targets.expression import POSTFIX, Renderer
from cutaway.recover.targets.keras.layers import FORMS


class KerasRenderer(Renderer):
    """The text of one node."""

    forms = FORMS
    layer_prefix = "layers."
    listing: ClassVar[dict[str, str]] = {"ops.concatenate": "axis", "ops.stack": "axis"}
    unnamed: ClassVar[set[str]] = {
        "ops.reshape", "ops.transpose", "ops.squeeze", "ops.expand_dims", "ops.split", "ops.pad", "ops.cast", "ops.tile",
        "ops.broadcast_to", "ops.image.resize", "ops.flip",
    }  # fmt: skip

    def text(self) -> tuple[str, int]:
        """Return the expression; what is only a layer is called where it is made."""
        node = self.node
        if node.op == "layers.Activation":
            return f"ops.{node.config['activation']}({self._operand(0, 0)})", POSTFIX
        if node.op == "layers.ReLU" and node.config.get("max_value"):
            return f"ops.relu6({self._operand(0, 0)})", POSTFIX
        form = self.forms.get(node.op)
        if form is not None and (not form.function or form.function.startswith("layers.")):
            made = self._function(node.op, form)
            inner, source = made[len(node.op) + 1 : -1], self._operand(0, 0)
            inner = inner[len(source) :].removeprefix(", ")
            return f"{node.op}({inner})({source})", POSTFIX
        if node.op == "ops.swapaxes":
            first, second = (self._value("dims", each) for each in node.config["axes"])
            return f"ops.swapaxes({self._operand(0, 0)}, {first}, {second})", POSTFIX
        return super().text()

    def size(self, tensor: str, axis: int) -> str:
        """Return how the size of a dimension is written."""
        return f"ops.shape({tensor})[{axis}]"
