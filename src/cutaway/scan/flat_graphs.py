"""Graphs in FlatBuffers, and of Paddle: operators of delegates and of the user, which need a library or touch files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.core.error import one_line
from cutaway.formats import beginnings, protobuf
from cutaway.formats.flatbuffer import Damaged, Flatbuffer, Table
from cutaway.scan import graph_files
from cutaway.scan.finding import IMPORTS, NOTHING, RUNS, Report

_MOST = 100_000
_FLEX = "Flex"
_CUSTOM = 32
_KERNELS = frozenset(
    "aten prim et dim_order_ops executorch_prim quantized_decomposed cadence llama cortex_m torchao torchvision".split()
)
_BACKENDS = frozenset(
    "XnnpackBackend CoreMLBackend MPSBackend VulkanBackend QnnBackend NeuropilotBackend EthosUBackend ArmBackend"
    " CudaBackend AotiBackend MetalBackend OpenvinoBackend NXPBackend VgfBackend SamsungBackend EnnBackend TOSABackend".split()
)
_PADDLE = b"\x1a\x07py_func"


def scan(file: Any, head: bytes, report: Report, inner: str) -> None:
    """Enter the operators of a graph that do more than compute, or that its runtime does not have."""
    readers = ((beginnings.tflite, _lite), (beginnings.ort, _runtime), (beginnings.executorch, _program))
    found = next((read for sniff, read in readers if sniff(head)), None)
    if found is not None:
        file.seek(0)
        try:
            found(Flatbuffer(protobuf.opened(file)).root(), report, inner)
        except (Damaged, ValueError, RecursionError):
            report.add(NOTHING, "container", "it is damaged", inner)
        return
    file.seek(0)
    if _PADDLE in file.read(1 << 20):
        report.add(RUNS, "paddle", "has the operator py_func, which runs a function of Python", inner)


def _lite(root: Table, report: Report, inner: str) -> None:
    for operator in root.tables(1):
        name = operator.text(1)
        if not name:
            continue
        effect = graph_files.effect(name.removeprefix(_FLEX)) if name.startswith(_FLEX) else None
        if effect is not None:
            report.add(RUNS, "tensorflow", f"has the operator {name}, which {effect}", inner)
        elif not name.startswith((_FLEX, "TFLite_")) and name not in _OWN_OF_LITE:
            report.add(IMPORTS, "tensorflow", f"has the operator {one_line(name)[:100]}, which needs a library", inner)


_OWN_OF_LITE = frozenset(
    "AudioSpectrogram Mfcc NumericVerify RandomUniform RandomStandardNormal Multinomial MaxPoolingWithArgmax2D MaxUnpooling2D"
    " Convolution2DTransposeBias TransformLandmarks TransformTensorBilinear Landmarks2TransformMatrix HashtableSizeV2".split()
)
"""Operators that the runtime of TensorFlow Lite registers under names."""


def _runtime(root: Table, report: Report, inner: str) -> None:
    model = root.table(1)
    graph = model.table(7) if model is not None else None
    for node in _nodes(graph):
        domain, kind = node.text(2), node.text(5)
        if not graph_files.is_known_domain(domain):
            words = f"{one_line(domain)[:80]}.{one_line(kind)[:80]}"
            report.add(IMPORTS, "onnx", f"has the operator {words}, which needs a library", inner)


def _nodes(graph: Table | None) -> Iterator[Table]:
    """Yield the nodes of a graph, and of the graphs in their attributes."""
    waiting = [graph]
    count = 0
    while waiting and count < _MOST:
        each = waiting.pop()
        for node in each.tables(3) if each is not None else ():
            count += 1
            yield node
            for attribute in node.tables(11):
                waiting += [attribute.table(8), *attribute.tables(13)]


def _program(root: Table, report: Report, inner: str) -> None:
    for plan in root.tables(1):
        for operator in plan.tables(6):
            name = operator.text(0)
            if name.partition("::")[0] not in _KERNELS:
                report.add(
                    IMPORTS, "torchscript", f"uses the operator {one_line(name)[:100]}, which needs a library", inner
                )
        for delegate in plan.tables(7):
            name = delegate.text(0)
            if name not in _BACKENDS:
                report.add(
                    IMPORTS,
                    "torchscript",
                    f"is run by the backend {one_line(name)[:100]}, which needs a library",
                    inner,
                )
