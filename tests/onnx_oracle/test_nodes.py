"""Each operator against the test cases of the onnx package: models of one node, with inputs and what comes out.

What the model declares is taken out of it, so that nothing but inference can tell a shape. Each case is read twice: as it is,
and with its small inputs as tensors of the file, from which sizes can be computed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest

from cutaway.core.size.dim import Dim, symbols
from cutaway.core.size.parser import evaluate
from cutaway.formats import onnx as reader

pytest.importorskip("onnx", reason="the onnx package is not installed: its test cases are not compared")

SMALL = 16


def cases() -> Iterator[tuple[str, Any, list[Any], list[Any]]]:
    """Yield name, model, inputs and outputs of each case."""
    from onnx.backend.test.case.node import collect_testcases

    for case in collect_testcases(None):
        if case.model is not None:
            inputs, outputs = case.data_sets[0]
            for output in case.model.graph.output:
                if output.type.HasField("tensor_type"):
                    output.type.tensor_type.ClearField("shape")
            del case.model.graph.value_info[:]
            yield case.name, case.model, list(inputs), list(outputs)


def with_constants(model: Any, inputs: list[Any]) -> tuple[Any, list[Any]] | None:
    """Return a model whose small inputs are tensors of it, and the inputs that are left; None where there are none."""
    import numpy
    import onnx

    other = onnx.ModelProto()
    other.CopyFrom(model)
    kept_values, kept = [], []
    for value, array in zip(model.graph.input, inputs):
        known = isinstance(array, numpy.ndarray) and array.dtype.kind in "iubf" and array.size <= SMALL
        if known and (array.dtype.kind in "iub" or array.ndim < 2):
            other.graph.initializer.append(onnx.numpy_helper.from_array(array, value.name))
        else:
            kept_values.append(value)
            kept.append(array)
    if len(kept) == len(inputs):
        return None
    del other.graph.input[:]
    other.graph.input.extend(kept_values)
    return other, kept


def contradictions(name: str, model: Any, inputs: list[Any], outputs: list[Any]) -> Iterator[str]:
    """Yield where what is read from a model differs from what its node makes."""
    import numpy

    (network,) = reader.read(io.BytesIO(model.SerializeToString()), name)
    yield from (f"{name}: {fault.message}" for fault in network.diagnostics)
    sizes: dict[str, int] = {}
    for value, array in zip(network.inputs, inputs):
        if isinstance(array, numpy.ndarray) and value.shape is not None and len(value.shape) == array.ndim:
            for size, number in zip(value.shape, array.shape):
                if isinstance(size, Dim):
                    sizes.update({one.name: number for one in symbols(size)})
    for value, array in zip(network.outputs, outputs):
        if not isinstance(array, numpy.ndarray):
            continue
        if value.shape is None:
            yield f"{name}: the shape of {value.name} is not known"
            continue
        bound = [evaluate(size, sizes) if isinstance(size, Dim) else size for size in value.shape]
        fits = [isinstance(size, Dim) or size == number for size, number in zip(bound, array.shape)]
        if len(bound) != array.ndim or not all(fits):
            yield f"{name}: {value.name} is {value.shape}, but the node makes {array.shape}"
        if array.dtype.kind not in "OUST" and value.dtype != str(array.dtype):
            yield f"{name}: {value.name} has the type {value.dtype}, but the node makes {array.dtype}"


def test_no_operator_contradicts_its_test_cases() -> None:
    wrong: list[str] = []
    count = 0
    for name, model, inputs, outputs in cases():
        wrong += contradictions(name, model, inputs, outputs)
        count += 1
        constant = with_constants(model, inputs)
        if constant is not None:
            wrong += contradictions(f"{name} with constants", constant[0], constant[1], outputs)
    assert count > 1000 and not wrong, "\n".join(wrong[:40])


def test_every_operator_of_the_standard_has_a_rule() -> None:
    from onnx import defs

    from cutaway.formats.onnx.messages import domain_of
    from cutaway.formats.onnx.operators.table import RULES

    names = {(domain_of(schema.domain), schema.name) for schema in defs.get_all_schemas_with_history()}
    assert names - set(RULES) == {("ai.onnx.preview.training", "Gradient")}
