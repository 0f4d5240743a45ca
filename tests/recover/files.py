"""Small ONNX files for the tests: written by the onnx package, with weights from a fixed generator."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

KINDS = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64, "bool": TensorProto.BOOL}


class File:
    """A graph that is built node by node."""

    def __init__(self, *inputs: tuple[str, Sequence[Any]], dtype: str = "float32", opset: int = 17) -> None:
        self.inputs = [helper.make_tensor_value_info(name, KINDS[dtype], shape) for name, shape in inputs]
        self.nodes: list[Any] = []
        self.tensors: list[Any] = []
        self.opset = opset
        self.random = np.random.default_rng(0)

    def weight(self, name: str, *shape: int, scale: float = 0.3) -> str:
        """Store random numbers under a name."""
        return self.constant(name, (self.random.standard_normal(shape) * scale).astype(np.float32))

    def constant(self, name: str, value: Any) -> str:
        """Store numbers under a name."""
        self.tensors.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(
        self, op: str, *inputs: str, scope: str = "", outputs: int = 1, domain: str = "", **attributes: Any
    ) -> Any:
        """Add a node, in a scope as PyTorch's exporter names them, and return the names of its outputs."""
        number = len(self.nodes)
        name = f"{scope}/{op}" if scope else f"{op}_{number}"
        names = [f"{op}_{number}_{place}" for place in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=name, domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def write(self, path: Path, *outputs: str) -> str:
        """Write the file."""
        results = [helper.make_empty_tensor_value_info(name) for name in outputs]
        graph = helper.make_graph(self.nodes, "graph", self.inputs, results, self.tensors)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.example", 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), str(path))
        return str(path)


def evaluated(path: str, inputs: dict[str, Any]) -> list[Any]:
    """Return what the reference implementation of ONNX computes."""
    from onnx.reference import ReferenceEvaluator

    return ReferenceEvaluator(path).run(None, inputs)  # type: ignore[return-value]


def onnx_tensor(value: Any) -> Any:
    """Return numbers as an attribute has them."""
    return numpy_helper.from_array(value)
