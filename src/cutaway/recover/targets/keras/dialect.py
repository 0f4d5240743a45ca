"""How Keras's code is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.recover.graph import Node, Tensor
from cutaway.recover.targets.dialect import LayerForm, Write
from cutaway.recover.targets.keras.expression import KerasRenderer
from cutaway.recover.targets.keras.layers import FORMS
from cutaway.recover.targets.literal import literal


class KerasDialect:
    """The words of Keras."""

    forms: Mapping[str, LayerForm] = FORMS
    layer_prefix = "layers."
    sequential = "keras.Sequential"
    names_parts = False
    identity = "layers.Identity()"
    bases = ("layers.Layer", "keras.Model")
    forward = "call"
    annotation = ""
    reserved = frozenset({"keras", "layers", "ops", "load"})
    attributes = frozenset(
        """layers weights variables name input output inputs outputs metrics losses dtype path build built trainable loss
        optimizer summary call compile compute_dtype compute_mask count_params dtype_policy evaluate export fit
        get_config get_layer get_weights input_dtype input_shape input_spec output_shape predict quantize save
        set_weights state supports_masking supports_jit submodules variable_dtype updates add_weight add_loss autocast
        metrics_names non_trainable_variables non_trainable_weights operation quantization_mode rematerialized_call
        stateless_call stop_training test_step train_step trainable_variables trainable_weights jit_compile run_eagerly
        distribute_strategy from_config load_weights save_weights reset_metrics symbolic_call predict_step""".split()
    )

    def render(self, node: Node, names: Sequence[tuple[str, int]], write: Write) -> tuple[str, int]:
        """Return the expression of a node and how strongly it binds."""
        return KerasRenderer(node, names, write).text()

    def call(self, op: str, target: str, arguments: list[str]) -> str:
        """Return the call of a layer."""
        return f"{target}({', '.join(arguments)})"

    def list_of(self, elements: list[str]) -> str:
        """Return a list of modules."""
        if len(elements) == 1 and elements[0].startswith("*["):
            return elements[0][1:]
        return f"[{', '.join(elements)}]"

    def sequence(self, entries: list[tuple[str, str]]) -> str:
        """Return what a sequence of parts is constructed with."""
        return self.list_of([text for _, text in entries])

    def parameter(self, own: str, sizes: list[str], tensor: Tensor) -> str:
        """Return the statement that makes a parameter of a block."""
        shape = f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"
        settings = [f"shape={shape}", 'initializer="zeros"']
        if tensor.dtype != "float32":
            settings.append(f'dtype="{tensor.dtype}"')
        if tensor.constant or "float" not in tensor.dtype:
            settings.append("trainable=False")
        return f'self.{own} = self.add_weight({", ".join(settings)}, name="{own}")'

    def imports(self, body: list[str]) -> list[str]:
        """Return the imports that code needs."""
        text = "\n".join(body)
        names = [name for name in ("layers", "ops") if f"{name}." in text]
        lines = ["import keras"] if "keras." in text else []
        return [*lines, *([f"from keras import {', '.join(names)}"] if names else [])]

    def loader(self, name: str, weights_file: str, inputs: Sequence[tuple[tuple[int, ...], str]] | None) -> list[str]:
        """Return the function that loads the weights, once a call has built the layers."""
        lines = [
            "",
            "",
            f"def load(path: str = {literal(weights_file)}) -> {name}:",
            '    """Return the network with its weights."""',
            "    from safetensors.numpy import load_file",
            "",
            f"    network = {name}()",
        ]
        if inputs is None:
            lines.append("    # Call the network once before: that builds its layers.")
        else:
            zeros = [f'ops.zeros({literal(shape)}, "{dtype}")' for shape, dtype in inputs]
            lines.append(f"    network({', '.join(zeros)})  # a call builds the layers")
        return [
            *lines,
            "    for name, value in load_file(path).items():",
            '        *parts, weight = name.split(".")',
            "        layer = network",
            "        for part in parts:",
            "            if part.isdigit():",
            "                layer = (layer if isinstance(layer, list) else layer.layers)[int(part)]",
            "            else:",
            "                layer = getattr(layer, part)",
            "        getattr(layer, weight).assign(value)",
            "    return network",
        ]
