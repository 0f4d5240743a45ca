"""How PyTorch's code is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.recover.graph import Node, Tensor
from cutaway.recover.targets.dialect import LayerForm, Write
from cutaway.recover.targets.literal import literal
from cutaway.recover.targets.torch.expression import TorchRenderer
from cutaway.recover.targets.torch.layers import FORMS

_RECURRENT = ("nn.LSTM", "nn.GRU", "nn.RNN")


class TorchDialect:
    """The words of PyTorch."""

    forms: Mapping[str, LayerForm] = FORMS
    layer_prefix = "nn."
    sequential = "nn.Sequential"
    names_parts = True
    identity = "nn.Identity()"
    bases = ("nn.Module", "nn.Module")
    forward = "forward"
    annotation = "Tensor"
    reserved = frozenset({"nn", "F", "torch", "Tensor", "load"})
    attributes: frozenset[str] = frozenset()

    def render(self, node: Node, names: Sequence[tuple[str, int]], write: Write) -> tuple[str, int]:
        """Return the expression of a node and how strongly it binds."""
        return TorchRenderer(node, names, write).text()

    def call(self, op: str, target: str, arguments: list[str]) -> str:
        """Return the call of a layer; initial states of a recurrent one are given together."""
        if op in _RECURRENT and len(arguments) > 1:
            states = ", ".join(arguments[1:])
            arguments = [arguments[0], f"({states})" if op == "nn.LSTM" else states]
        return f"{target}({', '.join(arguments)})"

    def list_of(self, elements: list[str]) -> str:
        """Return a list of modules."""
        one = elements[0][1:] if len(elements) == 1 and elements[0].startswith("*") else None
        return f"nn.ModuleList({one or '[' + ', '.join(elements) + ']'})"

    def sequence(self, entries: list[tuple[str, str]]) -> str:
        """Return what a sequence of parts is constructed with."""
        if all(not name for name, _ in entries):
            return ", ".join(text for _, text in entries)
        pairs = [f'("{name}", {text})' for name, text in entries]
        return f"OrderedDict([{', '.join(pairs)}])"

    def parameter(self, own: str, sizes: list[str], tensor: Tensor) -> str:
        """Return the statement that makes a parameter of a block."""
        shape = ", ".join(sizes) if sizes else "()"
        kind = "" if tensor.dtype == "float32" else f", dtype=torch.{tensor.dtype}"
        if not tensor.constant and "float" in tensor.dtype:
            return f"self.{own} = nn.Parameter(torch.zeros({shape}{kind}))"
        return f'self.register_buffer("{own}", torch.zeros({shape}{kind}))'

    def imports(self, body: list[str]) -> list[str]:
        """Return the imports that code needs."""
        text = "\n".join(body)
        lines = ["import torch"] if "torch." in text.replace("torch.Tensor", "") else []
        if "F." in text:
            lines.append("import torch.nn.functional as F")
        if "OrderedDict(" in text:
            lines.insert(0, "")
            lines.insert(0, "from collections import OrderedDict")
        return [*lines, "from torch import Tensor, nn"]

    def loader(self, name: str, weights_file: str, inputs: Sequence[tuple[tuple[int, ...], str]] | None) -> list[str]:
        """Return the function that loads the weights."""
        return [
            "",
            "",
            f"def load(path: str = {literal(weights_file)}) -> {name}:",
            '    """Return the network with its weights, in evaluation mode."""',
            "    from safetensors.torch import load_file",
            "",
            f"    network = {name}()",
            "    network.load_state_dict(load_file(path))",
            "    return network.eval()",
        ]
