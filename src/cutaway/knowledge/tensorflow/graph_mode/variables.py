"""Variables of a graph of TensorFlow 1, by their names."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.keras.tensors.shape import symbolic, text
from cutaway.knowledge.keras.tensors.tensor import Tensor, new
from cutaway.knowledge.tensorflow.graph_mode.graph import build, default_graph, scoped
from cutaway.knowledge.tensorflow.variable import Variable


@row("tensorflow.get_variable", "tensorflow.compat.v1.get_variable")
def get_variable(
    name: Any, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
    trainable: Any = True, **_options: Any,
) -> Any:  # fmt: skip
    """Make a variable, or give the one of this name where a scope reuses them."""
    graph = build()
    full = scoped(name)
    reuse = any(scope.reuse is True for scope in graph.scopes)
    if full in graph.named:
        held = graph.named[full]
        if not reuse and not any(scope.reuse is not None for scope in graph.scopes):
            raise ArgumentFault(
                f"get_variable: the variable {full} exists already; reuse is not set", FaultCode.DUPLICATE_NAME
            )
        if shape is not None and not isinstance(shape, Unknown):
            wanted = _symbolic(shape, name)
            if len(wanted) != len(held._shape) or any(equal(a, b) is False for a, b in zip(wanted, held._shape)):
                raise ArgumentFault(
                    f"get_variable: {full} has shape {text(held._shape)}, not {text(wanted)}", FaultCode.SHAPE_MISMATCH
                )
        return held
    if shape is None and isinstance(initializer, Tensor):
        value: Any = initializer
    elif shape is None:
        raise ArgumentFault(f"get_variable: the shape of {full} is not given", FaultCode.MISSING_ARGUMENT)
    else:
        value = shape if isinstance(shape, Unknown) else new(_symbolic(shape, name), dtype or "float32")
    made = Variable(value, trainable=trainable, name=name, dtype=dtype)
    graph.named[full] = made
    return made


def _symbolic(shape: Any, name: Any) -> Any:
    return symbolic(shape if isinstance(shape, (list, tuple)) else [shape], name)


@row("tensorflow.trainable_variables", "tensorflow.compat.v1.trainable_variables")
def trainable_variables(scope: Any = None) -> list[Any]:
    return [v for v in default_graph().variables if v.trainable]


@row("tensorflow.global_variables", "tensorflow.all_variables", "tensorflow.compat.v1.global_variables")
def global_variables(scope: Any = None) -> list[Any]:
    return list(default_graph().variables)


@row("tensorflow.assign", "tensorflow.compat.v1.assign")
def assign(ref: Any, value: Any, *_args: Any, **_kwargs: Any) -> Any:
    return ref
