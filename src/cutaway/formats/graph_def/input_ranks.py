"""How many dimensions an input must have whose shape the file leaves open: as many as the operations demand that read it."""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.formats.graph_def.messages import Graph, Node

_FOUR = """Conv2D DepthwiseConv2dNative MaxPool AvgPool MaxPoolV2 MaxPoolWithArgmax FusedBatchNorm FusedBatchNormV2 LRN
ResizeBilinear ResizeNearestNeighbor ResizeBicubic ResizeArea SpaceToDepth DepthToSpace CropAndResize ExtractImagePatches
QuantizedConv2D QuantizedMaxPool QuantizedAvgPool BatchNormWithGlobalNormalization SpaceToBatch BatchToSpace
ImageProjectiveTransformV2 ImageProjectiveTransformV3""".split()
_RANKS = {
    **dict.fromkeys(_FOUR, 4),
    "Conv3D": 5,
    "MaxPool3D": 5,
    "AvgPool3D": 5,
    "MatMul": 2,
    "BlockLSTM": 3,
    "ParseExample": 1,
}
_KEPT = frozenset(
    """Identity Cast Relu Relu6 Elu Selu LeakyRelu Sigmoid Tanh Softplus Softsign Abs Neg Exp Log Log1p Sqrt Rsqrt Square Sin Cos
    Round Floor Ceil Sign StopGradient CheckNumerics Softmax LogSoftmax BiasAdd FakeQuantWithMinMaxArgs
    FakeQuantWithMinMaxVars SpaceToBatchND BatchToSpaceND Reverse ReverseV2 MirrorPad Pad PadV2 FusedBatchNormV3 Cumsum
    ConcatV2 Concat Split SplitV Roll QuantizeV2 Dequantize PlaceholderWithDefault EnsureShape Snapshot""".split()
)
_BROADCAST = frozenset("Add AddV2 Sub Mul RealDiv Div Maximum Minimum Pow SquaredDifference FloorDiv FloorMod".split())
_COUNTED_BY = {"Pad": 1, "PadV2": 1, "MirrorPad": 1, "Transpose": 1, "Slice": 1, "Tile": 1}
"""Operations with an input that has as many rows as the first has dimensions."""
_MOST_STEPS = 2_000


def ranks(graph: Graph, names: Iterable[str]) -> dict[str, int]:
    """Return the ranks of those nodes of which the operations that read them leave only one."""
    nodes = {node.name: node for node in graph.nodes}
    readers: dict[str, list[Node]] = {}
    for node in graph.nodes:
        for each in node.inputs:
            readers.setdefault(each.partition(":")[0], []).append(node)
    found = {}
    for name in names:
        rank = _demanded(name, nodes, readers)
        if rank is not None:
            found[name] = rank
    return found


def _demanded(name: str, nodes: dict[str, Node], readers: dict[str, list[Node]]) -> int | None:
    """Follow a tensor through operations that keep its rank, to one that demands a rank."""
    waiting, seen = [name], {name}
    while waiting and len(seen) < _MOST_STEPS:
        current = waiting.pop()
        for node in readers.get(current, ()):
            rank = _required(node, current, nodes)
            if rank is not None:
                return rank
            if node.name not in seen and _keeps(node, current, nodes):
                seen.add(node.name)
                waiting.insert(0, node.name)
    return None


def _required(node: Node, current: str, nodes: dict[str, Node]) -> int | None:
    inputs = [each.partition(":")[0] for each in node.inputs]
    if not inputs or inputs[0] != current:
        return 2 if node.op == "MatMul" and current in inputs else None
    if node.op in _COUNTED_BY and len(inputs) > 1:
        source = nodes.get(inputs[_COUNTED_BY[node.op]])
        held = source.tensor() if source is not None and source.op == "Const" else None
        return held.shape[0] if held is not None and held.shape else None
    return _RANKS.get(node.op)


def _keeps(node: Node, current: str, nodes: dict[str, Node]) -> bool:
    """Tell whether what a node makes of a tensor has as many dimensions as it."""
    inputs = [each.partition(":")[0] for each in node.inputs]
    if node.op in ("ConcatV2", "Concat", "Split", "SplitV"):
        return current in (inputs[1:] if node.op in ("Concat", "Split") else inputs[:-1])
    if node.op in _KEPT:
        return bool(inputs) and inputs[0] == current
    if node.op not in _BROADCAST or len(inputs) != 2:
        return False
    other = nodes.get(inputs[1] if inputs[0] == current else inputs[0])
    held = other.tensor() if other is not None and other.op == "Const" else None
    return held is not None and held.shape is not None and len(held.shape) <= 1
