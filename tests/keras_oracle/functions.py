"""Calls of `keras.ops` to generate: for each function, its arguments; a text such as `2x3:int32` stands for a tensor."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

DTYPES = ["float32", "float16", "int32", "bool", "uint8", "int64", "bfloat16"]
SHAPES = ["4", "2x3", "Nx3", "2x3x4", "NxNx5"]
_UNARY = """abs absolute arccos arccosh arcsin arcsinh arctan arctanh ceil conj conjugate copy cos cosh elu erf exp exp2 expm1
floor gelu hard_sigmoid hard_silu hard_swish hard_tanh imag isfinite isinf isnan leaky_relu log log10 log1p log2
log_sigmoid log_softmax logical_not negative ones_like real reciprocal relu relu6 round rsqrt selu sigmoid sign silu sin
sinh softmax softplus softsign sqrt square stop_gradient swish tan tanh trunc zeros_like cbrt deg2rad ravel""".split()
_BINARY = """add subtract multiply divide true_divide floor_divide mod power maximum minimum equal not_equal less less_equal
greater greater_equal logical_and logical_or logical_xor arctan2 hypot""".split()
_REDUCED = "sum mean max min prod any all var std logsumexp amax amin argmax argmin count_nonzero median".split()
_CALLS: dict[str, list[tuple[list[Any], dict[str, Any]]]] = {
    "reshape": [(["2x3x4:float32", (6, 4)], {}), (["Nx3x4:int32", (-1, 12)], {}), (["2x6:float32", (5, 2)], {})],
    "transpose": [(["2x3x4:float32"], {}), (["Nx3x4:float32"], {"axes": (0, 2, 1)})],
    "expand_dims": [(["2x3:float32", 1], {}), (["Nx3:float32", -1], {})],
    "squeeze": [(["2x1x3:float32"], {"axis": 1}), (["1x3x1:float32"], {}), (["2x3:float32"], {"axis": 1})],
    "concatenate": [([["2x3:float32", "2x5:float32"]], {"axis": 1}), ([["Nx3:int32", "Nx3:float32"]], {"axis": -1})],
    "stack": [([["2x3:float32", "2x3:float32"]], {"axis": 1}), ([["2x3:float32", "2x4:float32"]], {})],
    "split": [(["2x6:float32", 3], {"axis": 1}), (["6x2:int32", [1, 4]], {"axis": 0})],
    "tile": [(["2x3:float32", (2, 3)], {})],
    "repeat": [(["2x3:float32", 2], {"axis": 1}), (["2x3:float32", 2], {})],
    "pad": [(["2x3:float32", ((1, 1), (0, 2))], {}), (["2x3:float32", 1], {})],
    "take": [(["5x3:float32", "2x4:int32"], {"axis": 0}), (["5x3:float32", "4:int32"], {})],
    "one_hot": [(["2x3:int32", 5], {}), (["Nx3:int32", 5], {"axis": 1, "dtype": "int32"})],
    "where": [(["2x3:bool", "2x3:float32", "2x3:float32"], {})],
    "cast": [(["2x3:float32", "int32"], {}), (["2x3:int32", "bool"], {})],
    "matmul": [(["2x3:float32", "3x4:float32"], {}), (["Nx2x3:float32", "3x4:float32"], {}), (["2x3:float32", "4x5:float32"], {})],
    "einsum": [(["abc,cd->abd", "2x3x4:float32", "4x5:float32"], {})],
    "tensordot": [(["2x3x4:float32", "4x5:float32"], {"axes": 1})],
    "dot": [(["2x3:float32", "3x4:float32"], {})],
    "clip": [(["2x3:float32", 0.0, 1.0], {}), (["2x3:int32", 0, 5], {})],
    "cumsum": [(["2x3:float32"], {"axis": 1}), (["2x3:int32"], {})],
    "flip": [(["2x3:float32"], {"axis": 1})],
    "roll": [(["2x3:float32", 1], {"axis": 1})],
    "top_k": [(["2x5:float32", 3], {})],
    "sort": [(["2x5:float32"], {})],
    "argsort": [(["2x5:float32"], {})],
    "swapaxes": [(["2x3x4:float32", 0, 2], {})],
    "moveaxis": [(["2x3x4:float32", 0, -1], {})],
    "max_pool": [(["2x8x8x3:float32", 2], {}), (["Nx9x9x3:float32", 3], {"strides": 2, "padding": "same"})],
    "average_pool": [(["2x8x8x3:float32", 2], {"strides": 1})],
    "conv": [(["2x8x8x3:float32", "3x3x3x4:float32"], {}), (["Nx9x9x4:float32", "3x3x4x6:float32"], {"strides": 2, "padding": "same"})],
    "depthwise_conv": [(["2x8x8x3:float32", "3x3x3x2:float32"], {"padding": "same"})],
    "separable_conv": [(["2x8x8x3:float32", "3x3x3x2:float32", "1x1x6x5:float32"], {})],
    "conv_transpose": [(["2x8x8x3:float32", "3x3x4x3:float32"], {"strides": 2, "padding": "same"})],
    "moments": [(["2x3x4:float32"], {"axes": [0, 1]})],
    "normalize": [(["2x3:float32"], {"axis": 1})],
    "broadcast_to": [(["1x3:float32", (2, 3)], {})],
    "take_along_axis": [(["2x5:float32", "2x3:int32"], {"axis": 1})],
    "diagonal": [(["3x4:float32"], {})],
    "tril": [(["3x4:float32"], {})],
    "meshgrid": [(["3:float32", "4:float32"], {})],
    "unstack": [(["3x4:float32"], {"axis": 0})],
    "isclose": [(["2x3:float32", "2x3:float32"], {})],
    "nonzero": [],
    "quantile": [(["2x3:float32", 0.5], {"axis": 1})],
    "average": [(["2x3:float32"], {"axis": 1})],
    "rfft": [(["2x8:float32"], {})],
    "fft": [([("2x8:float32", "2x8:float32")], {})],
    "image.resize": [(["2x8x8x3:float32", (4, 6)], {})],
}  # fmt: skip


def calls() -> Iterator[tuple[str, list[Any], dict[str, Any]]]:
    """Yield each function with arguments, the same ones each time."""
    source = random.Random("functions")
    for name in _UNARY:
        for _ in range(3):
            yield name, [f"{source.choice(SHAPES)}:{source.choice(DTYPES)}"], {}
    for name in _BINARY:
        for left, right in (("2x3", "2x3"), ("2x1x4", "3x1"), ("Nx3", "3"), ("2x3", "2x4")):
            yield name, [f"{left}:{source.choice(DTYPES)}", f"{right}:{source.choice(DTYPES)}"], {}
        if name != "hypot":  # it does not take Python's numbers
            yield name, [f"2x3:{source.choice(DTYPES)}", source.choice([2, 2.5])], {}
    for name in _REDUCED:
        for axis in (None, 0, -1, *([(0, 1)] if "arg" not in name else [])):
            named = {} if name == "count_nonzero" else {"keepdims": source.choice([True, False])}
            yield name, [f"2x3x4:{source.choice(DTYPES)}"], {"axis": axis, **named}
    for name, given in _CALLS.items():
        for args, kwargs in given:
            yield name, args, kwargs
