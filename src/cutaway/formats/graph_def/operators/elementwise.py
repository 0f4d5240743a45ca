"""Operations on each element: with one input, or with several that are broadcast."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from cutaway.core.dtype import KINDS, itemsize
from cutaway.core.size.dim import equal, floordiv, less, maximum, minimum, mod
from cutaway.formats.graph_def.operators.registry import Call, Open, Out, names, rule
from cutaway.ops.elementwise import broadcast

_UNARY = """Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Digamma Elu Erf Erfc Erfinv Exp Expm1 Floor Inv Invert LeakyRelu
Lgamma Log Log1p Log_softmax Neg Ndtri Reciprocal Relu Relu6 Rint Round Rsqrt Selu Sigmoid Sign Sin Sinh Softmax LogSoftmax
Softplus Softsign Sqrt Square Tan Tanh BesselI0e BesselI1e Gelu Swish Mish CheckNumerics CheckNumericsV2 StopGradient
PreventGradient Snapshot DebugGradientIdentity BitwiseNot LogicalNot Cumsum Cumprod CumulativeLogsumexp MatrixBandPart
FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel QuantizeAndDequantize
QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4 LRN Roll Reverse ReverseV2 ReverseSequence Conj
RandomShuffle FFT IFFT FFT2D IFFT2D FFT3D IFFT3D MatrixInverse Cholesky MatrixExponential ClipByValue ZerosLike OnesLike
L2Normalize AdjustContrastv2 AdjustHue AdjustSaturation RGBToHSV HSVToRGB StringLower StringUpper StringStrip StringToNumber
StringToHashBucketFast StringToHashBucketStrong AsString RegexReplace StaticRegexReplace StringLength IsNan IsInf IsFinite
StaticRegexFullMatch RegexFullMatch Bucketize EncodeBase64 DecodeBase64 Dequantize Real Imag Angle ComplexAbs
TensorScatterUpdate TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin InplaceUpdate InplaceAdd
CopyHost Copy MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 InvertPermutation ScatterNdNonAliasingAdd BesselI0 BesselI1
BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Dawsn Expint FresnelCos FresnelSin Spence
PopulationCount DeepCopy UnicodeTranscode StringToHashBucket DrawBoundingBoxes DrawBoundingBoxesV2 MatrixLogarithm
MatrixSquareRoot DataFormatDimMap StatelessShuffle AdjustContrast BatchNormWithGlobalNormalization IsotonicRegression
DebugIdentity DebugIdentityV2 DebugIdentityV3 DebugGradientRefIdentity GuaranteeConst InplaceSub TensorStridedSliceUpdate""".split()
_OTHER_TYPES = {
    "IsNan": "bool", "IsInf": "bool", "IsFinite": "bool", "LogicalNot": "bool", "StaticRegexFullMatch": "bool",
    "RegexFullMatch": "bool", "StringToHashBucketFast": "int64", "StringToHashBucketStrong": "int64",
    "StringToHashBucket": "int64", "StringLength": "int32", "Bucketize": "int32", "AsString": "string", "Dequantize": "float32",
    "Real": "float32", "Imag": "float32", "Angle": "float32", "ComplexAbs": "float32", "StringToNumber": "float32",
}  # fmt: skip


@rule(*_UNARY)
def unary(call: Call) -> Sequence[Out]:
    """Keep the shape."""
    kind = _OTHER_TYPES.get(call.name)
    declared = call.node.type("out_type") or call.node.type("Tout") or call.node.type("dtype")
    numbers = None
    if call.name == "Neg" and call.value(0).numbers is not None:
        numbers = tuple(None if each is None else -each for each in call.value(0).numbers or ())
    return [Out(call.value(0).shape, declared if kind and declared else kind or call.value(0).dtype, numbers)]


_ARITHMETIC: dict[str, Callable[[Any, Any], Any] | None] = {
    "Add": operator.add, "AddV2": operator.add, "Sub": operator.sub, "Mul": operator.mul, "Maximum": maximum,
    "Minimum": minimum, "FloorDiv": floordiv, "FloorMod": mod, "Div": None, "RealDiv": None, "TruncateDiv": floordiv,
    "Mod": mod, "TruncateMod": mod,
}  # fmt: skip
_BINARY = """DivNoNan MulNoNan Pow SquaredDifference Atan2 Xlogy Xdivy Xlog1py BitwiseAnd BitwiseOr BitwiseXor LeftShift
RightShift Complex Igamma Igammac NextAfter Zeta Polygamma Cross IgammaGradA RandomGammaGrad""".split()
_COMPARISONS = "Equal NotEqual Less LessEqual Greater GreaterEqual LogicalAnd LogicalOr ApproximateEqual".split()


@rule(*_ARITHMETIC, *_BINARY)
def binary(call: Call) -> Sequence[Out]:
    """Broadcast two inputs."""
    left, _right = call.value(0), call.value(1)
    shape = broadcast(call.name, call.shape(0), call.shape(1))
    return [Out(shape, left.dtype, _computed(call, len(shape)))]


def _computed(call: Call, rank: int) -> tuple[Any, ...] | None:
    """Return the numbers of the result, where both sides have few."""
    function = _ARITHMETIC.get(call.name)
    left, right = call.value(0).numbers, call.value(1).numbers
    if function is None or left is None or right is None or rank > 1:
        return None
    count = max(len(left), len(right))
    if (len(left) not in (1, count)) or (len(right) not in (1, count)):
        return None
    left, right = left * count if len(left) == 1 else left, right * count if len(right) == 1 else right
    divides = function in (floordiv, mod)
    made = []
    a: Any
    b: Any
    for a, b in zip(left, right):
        is_open = a is None or b is None
        # Division of negative numbers truncates in some of these operations, and nothing is divided by 0.
        if not is_open and divides and not (less(a, 0) is False and less(0, b) is True):
            is_open = True
        made.append(None if is_open else function(a, b))
    return tuple(made)


@rule(*_COMPARISONS)
def comparison(call: Call) -> Sequence[Out]:
    """Broadcast two inputs to truth values."""
    shape = broadcast(call.name, call.shape(0), call.shape(1))
    numbers = None
    left, right = call.value(0).numbers, call.value(1).numbers
    if not shape and left is not None and right is not None and len(left) == len(right) == 1:
        numbers = (_compared(call.name, left[0], right[0]),)
    return [Out(shape, "bool", numbers)]


def _compared(name: str, left: Any, right: Any) -> int | None:
    if left is None or right is None:
        return None
    answers = {
        "Equal": lambda: equal(left, right),
        "NotEqual": lambda: _not(equal(left, right)),
        "Less": lambda: less(left, right),
        "Greater": lambda: less(right, left),
        "GreaterEqual": lambda: _not(less(left, right)),
        "LessEqual": lambda: _not(less(right, left)),
    }
    answer = answers[name]() if name in answers else None
    return None if answer is None else int(answer)


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


@rule("AddN", "AccumulateNV2", "StringJoin")
def several(call: Call) -> Sequence[Out]:
    """Broadcast any number of inputs; what they are added to has their shape."""
    shapes = [value.shape for value in call.inputs]
    if call.name == "AddN":
        known = next((shape for shape in shapes if shape is not None), None)
        return [Out(known, call.value(0).dtype)]
    return [Out(broadcast(call.name, *(call.shape(at) for at in range(len(shapes)))), call.value(0).dtype)]


@rule("Cast", "Bitcast")
def cast(call: Call) -> Sequence[Out]:
    """Change the element type."""
    if call.name == "Bitcast":
        return [Out(_same_bytes(call), call.node.type("type"))]
    to = call.node.type("DstT")
    is_whole = to is not None and to.startswith(("int", "uint"))
    from_whole = str(call.value(0).dtype).startswith(("int", "uint", "bool"))
    keeps = from_whole and (is_whole or to in ("float32", "float64"))
    return [Out(call.value(0).shape, to, call.value(0).numbers if keeps else None)]


def _width(kind: str | None) -> int:
    """Return the bytes of an element, 0 where they are not known."""
    return itemsize(kind) if kind in KINDS else 0


def _same_bytes(call: Call) -> tuple[Any, ...]:
    """Return a shape with as many bytes: smaller elements add a dimension, larger ones take the last."""
    shape, before, after = call.shape(0), _width(call.value(0).dtype), _width(call.node.type("type"))
    if not before or not after:
        raise Open("how large an element is, is not known")
    if before == after:
        return shape
    return shape[:-1] if before < after else (*shape, before // after)


@rule("Betainc")
def third(call: Call) -> Sequence[Out]:
    """Broadcast three inputs; numbers fit to any shape."""
    return [Out(broadcast(call.name, *(call.shape(at) for at in range(3))), call.value(0).dtype)]


@rule("Select", "SelectV2")
def select(call: Call) -> Sequence[Out]:
    """Choose between two inputs; the older form does not broadcast."""
    if call.name == "Select":
        shape = call.value(1).shape if call.value(1).shape is not None else call.value(2).shape
        return [Out(shape, call.value(1).dtype)]
    numbers = None
    choice = call.value(0).number()
    shape = broadcast(call.name, call.shape(0), call.shape(1), call.shape(2))
    if choice is not None:
        chosen = call.value(1 if choice else 2)
        numbers = chosen.numbers if chosen.shape == shape else None
    return [Out(shape, call.value(1).dtype, numbers)]


@rule("BiasAdd", "BiasAddV1")
def bias_add(call: Call) -> Sequence[Out]:
    """Add a vector to the channels."""
    return [Out(call.value(0).shape, call.value(0).dtype)]


@rule(*names("Assert NoOp Print PrintV2"))
def nothing(_call: Call) -> Sequence[Out]:
    """Return nothing."""
    return []
