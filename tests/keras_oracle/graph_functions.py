"""Calls of TensorFlow's own functions to generate; a text such as `2x3:int32` stands for a placeholder."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

DTYPES = ["float32", "float64", "float16", "int32", "int64", "bool", "uint8", "complex64"]
SHAPES = ["4", "2x3", "Nx3", "2x3x4", "NxNx5"]
_UNARY = """abs acos acosh asin asinh atan atanh math.ceil cos cosh exp math.expm1 floor math.log math.log1p negative
math.reciprocal math.rint round math.rsqrt sigmoid sign sin sinh sqrt square tan tanh math.erf math.softplus math.lgamma
math.digamma math.log_sigmoid math.is_finite math.is_inf math.is_nan math.logical_not identity zeros_like ones_like
nn.relu nn.relu6 nn.elu nn.selu nn.gelu nn.silu nn.swish nn.softsign nn.crelu nn.leaky_relu nn.sigmoid nn.tanh nn.softplus
nn.softmax nn.l2_loss shape rank size image.per_image_standardization""".split()
_BINARY = """add subtract multiply divide truediv floordiv math.mod math.floormod pow maximum minimum
math.squared_difference math.divide_no_nan atan2 equal not_equal less less_equal greater greater_equal logical_and
logical_or""".split()
_REDUCED = """reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_logsumexp math.reduce_std math.reduce_variance
math.reduce_euclidean_norm""".split()
_IMAGES = """flip_left_right flip_up_down random_flip_left_right random_flip_up_down rgb_to_hsv hsv_to_rgb rgb_to_yuv
yuv_to_rgb rgb_to_grayscale""".split()
_POOLS = [
    (["2x8x8x3:float32", 2, 2, "VALID"], {}), (["Nx9x9x3:float32", [1, 3, 3, 1], [1, 2, 2, 1], "SAME"], {}),
    (["2x8x8x3:float32", 3, 1, "VALID"], {}), (["2x1x1x3:float32", 2, 2, "VALID"], {}),
]  # fmt: skip
_LOSS = [
    (["4x3:float32", "4x3:float32"], {}), (["Nx3:float32", "4x3:float32"], {}), (["4:float32", "4x1:float32"], {}),
    (["4x3:float32", "5x3:float32"], {}),
]  # fmt: skip
_CALLS: dict[str, list[tuple[list[Any], dict[str, Any]]]] = {
    "reshape": [(["2x3x4:float32", (6, 4)], {}), (["Nx3x4:int32", (-1, 12)], {}), (["2x6:float32", (5, 2)], {})],
    "transpose": [(["2x3x4:float32"], {}), (["Nx3x4:float32", [0, 2, 1]], {}), (["2x3:float32", [0, 1, 2]], {})],
    "expand_dims": [(["2x3:float32", 1], {}), (["Nx3:float32", -1], {}), (["2x3:float32", 4], {})],
    "squeeze": [(["2x1x3:float32"], {"axis": 1}), (["1x3x1:float32"], {}), (["2x3:float32"], {"axis": 1})],
    "concat": [([["2x3:float32", "2x5:float32"], 1], {}), ([["Nx3:int32", "Nx3:int32"], 0], {}), ([["2x3:float32", "3x3:float32"], 1], {}), ([["2x3:float32", "2x3x1:float32"], 1], {})],
    "stack": [([["2x3:float32", "2x3:float32"]], {"axis": 1}), ([["2x3:float32", "2x4:float32"]], {})],
    "unstack": [(["3x4:float32"], {}), (["3x4:float32"], {"axis": 1})],
    "split": [(["2x6:float32", 3], {"axis": 1}), (["6x2:int32", [1, 5]], {"axis": 0}), (["2x7:float32", 3], {"axis": 1}), (["2x6:float32", [2, 2]], {"axis": 1})],
    "tile": [(["2x3:float32", (2, 3)], {}), (["2x3:float32", (2,)], {})],
    "repeat": [(["2x3:float32", 2], {"axis": 1})],
    "pad": [(["2x3:float32", ((1, 1), (0, 2))], {}), (["Nx3:float32", [[0, 0], [2, 2]]], {"mode": "REFLECT"}), (["2x3:float32", [[1, 1]]], {})],
    "reverse": [(["2x3:float32", [1]], {})],
    "roll": [(["2x3:float32", 1, 0], {})],
    "sort": [(["2x5:float32"], {})],
    "argsort": [(["2x5:float32"], {})],
    "broadcast_to": [(["1x3:float32", (2, 3)], {}), (["2x3:float32", (4, 3)], {})],
    "gather": [(["5x3:float32", "2x4:int32"], {}), (["5x3:float32", "4:int32"], {"axis": 1}), (["2x5x3:float32", "2x4:int32"], {"axis": 1, "batch_dims": 1})],
    "nn.embedding_lookup": [(["50x8:float32", "Nx7:int32"], {})],
    "gather_nd": [(["5x3x2:float32", "4x2:int32"], {}), (["5x3:float32", "4x1:int32"], {})],
    "boolean_mask": [(["5x3:float32", "5:bool"], {}), (["5x3:float32", "5x3:bool"], {})],
    "slice": [(["5x6:float32", [1, 2], [2, 3]], {}), (["5x6:float32", [1, 0], [-1, 4]], {})],
    "one_hot": [(["2x3:int32", 5], {}), (["Nx3:int32", 5], {"axis": 1, "dtype": "int32"})],
    "constant": [([[1.0, 2.0]], {}), ([3], {"shape": [2, 2]}), ([[[1, 2], [3, 4]]], {"dtype": "float32"}), ([[1, 2, 3]], {"shape": [2, 2]})],
    "zeros": [([[2, 3]], {}), ([(4,)], {"dtype": "int32"})],
    "ones": [([[2, 3]], {})],
    "fill": [([[2, 3], 1.5], {}), ([[2], 1], {})],
    "range": [([5], {}), ([1, 9, 2], {}), ([0.0, 1.0, 0.25], {})],
    "linspace": [([0.0, 1.0, 5], {})],
    "eye": [([3], {}), ([3, 4], {}), ([2], {"batch_shape": [5]})],
    "sequence_mask": [(["4:int32", 7], {}), (["Nx2:int32", 7], {"dtype": "float32"})],
    "meshgrid": [(["3:float32", "4:float32"], {})],
    "linalg.band_part": [(["3x4:float32", 1, 1], {})],
    "linalg.diag": [(["3:float32"], {}), (["2x3:float32"], {})],
    "math.invert_permutation": [(["5:int32"], {})],
    "math.add_n": [([["2x3:float32", "2x3:float32"]], {}), ([["2x3:float32", "2x4:float32"]], {})],
    "cast": [(["2x3:float32", "int32"], {}), (["2x3:int32", "bool"], {})],
    "to_float": [(["2x3:int32"], {})], "to_int32": [(["2x3:float32"], {})], "to_int64": [(["2x3:float32"], {})], "to_double": [(["2x3:float32"], {})],
    "clip_by_value": [(["2x3:float32", 0.0, 1.0], {})],
    "clip_by_norm": [(["2x3:float32", 1.0], {})],
    "where": [(["2x3:bool", "2x3:float32", "2x3:float32"], {}), (["3:bool", "2x3:float32", "1:float32"], {}), (["2x3:bool"], {})],
    "matmul": [(["2x3:float32", "3x4:float32"], {}), (["Nx2x3:float32", "Nx3x4:float32"], {}), (["2x3:float32", "4x5:float32"], {}), (["2x3:float32", "4x3:float32"], {"transpose_b": True}), (["2x3:float32", "3:float32"], {}), (["2x3:float32", "3x4:float64"], {})],
    "tensordot": [(["2x3x4:float32", "4x5:float32", 1], {}), (["2x3:float32", "3x4:float32", [[1], [0]]], {}), (["2x3x4:float32", "3x4x5:float32", 2], {})],
    "einsum": [(["abc,cd->abd", "2x3x4:float32", "4x5:float32"], {})],
    "linalg.matvec": [(["2x3:float32", "3:float32"], {}), (["2x3:float32", "4:float32"], {})],
    "nn.xw_plus_b": [(["Nx3:float32", "3x4:float32", "4:float32"], {})],
    "reduce_any": [(["2x3:bool"], {"axis": 1}), (["2x3:bool"], {})],
    "reduce_all": [(["2x3:bool"], {"axis": 0, "keepdims": True})],
    "argmax": [(["2x3x4:float32", 1], {}), (["2x3:float32"], {}), (["2x3:float32", 1], {"output_type": "int32"})],
    "argmin": [(["2x3x4:float32", -1], {})],
    "cumsum": [(["2x3:float32"], {"axis": 1})],
    "math.cumprod": [(["2x3:float32"], {})],
    "norm": [(["2x3:float32"], {"axis": 1}), (["2x3:float32"], {}), (["2x3:float32"], {"axis": -1, "keepdims": True})],
    "math.top_k": [(["2x5:float32", 3], {}), (["2x5:float32"], {})],
    "nn.dropout": [(["2x3:float32"], {"rate": 0.5})],
    "nn.l2_normalize": [(["2x3:float32"], {"axis": 1})],
    "nn.local_response_normalization": [(["2x4x4x8:float32"], {})],
    "nn.bias_add": [(["2x4x4x8:float32", "8:float32"], {}), (["2x8x4x4:float32", "8:float32"], {"data_format": "NCHW"}), (["2x4:float32", "3:float32"], {})],
    "nn.moments": [(["2x3x4:float32", [0, 1]], {}), (["Nx3:float32", [0]], {"keepdims": True})],
    "nn.batch_normalization": [(["2x4x4x8:float32", "8:float32", "8:float32", "8:float32", "8:float32", 0.001], {})],
    "nn.conv1d": [(["2x9x3:float32", "3x3x5:float32"], {"stride": 2, "padding": "SAME"}), (["Nx9x3:float32", "3x3x5:float32"], {"stride": 1, "padding": "VALID"})],
    "nn.conv2d": [(["2x8x8x3:float32", "3x3x3x4:float32"], {"strides": [1, 1, 1, 1], "padding": "SAME"}), (["Nx9x9x4:float32", "3x3x4x6:float32"], {"strides": 2, "padding": "VALID"}), (["2x8x8x3:float32", "3x3x4x4:float32"], {"strides": 1, "padding": "SAME"}), (["2x12x12x3:float32", "3x3x3x4:float32"], {"strides": 1, "padding": "VALID", "dilations": 2}), (["2x2x2x3:float32", "5x5x3x4:float32"], {"strides": 1, "padding": "VALID"})],
    "nn.conv3d": [(["2x8x8x8x3:float32", "3x3x3x3x4:float32"], {"strides": [1, 2, 2, 2, 1], "padding": "SAME"})],
    "nn.convolution": [(["2x8x8x3:float32", "3x3x3x4:float32"], {"padding": "SAME", "strides": [2, 2]})],
    "nn.depthwise_conv2d": [(["2x8x8x3:float32", "3x3x3x2:float32", [1, 1, 1, 1], "SAME"], {}), (["2x8x8x3:float32", "3x3x3x2:float32", [1, 2, 2, 1], "VALID"], {})],
    "nn.separable_conv2d": [(["2x8x8x3:float32", "3x3x3x2:float32", "1x1x6x5:float32", [1, 1, 1, 1], "SAME"], {})],
    "nn.conv1d_transpose": [(["2x8x3:float32", "3x5x3:float32", [2, 16, 5], 2], {})],
    "nn.conv2d_transpose": [(["2x8x8x3:float32", "3x3x4x3:float32", [2, 16, 16, 4], [1, 2, 2, 1]], {}), (["2x8x8x3:float32", "3x3x4x3:float32", [2, 17, 17, 4], [1, 2, 2, 1], "VALID"], {})],
    "nn.conv3d_transpose": [(["2x4x4x4x3:float32", "3x3x3x5x3:float32", [2, 8, 8, 8, 5], [1, 2, 2, 2, 1]], {})],
    "nn.max_pool": _POOLS, "nn.max_pool2d": _POOLS, "nn.avg_pool": _POOLS, "nn.avg_pool2d": _POOLS,
    "nn.max_pool1d": [(["2x8x3:float32", 2, 2, "VALID"], {})], "nn.avg_pool1d": [(["2x9x3:float32", 2, 2, "SAME"], {})],
    "nn.max_pool3d": [(["2x8x8x8x3:float32", 2, 2, "VALID"], {})], "nn.avg_pool3d": [(["2x9x9x9x3:float32", 2, 2, "SAME"], {})],
    "nn.softmax_cross_entropy_with_logits": [(["4x3:float32", "4x3:float32"], {}), (["4x3:float32", "4x5:float32"], {}), (["Nx3:float32", "4x3:float32"], {})],
    "nn.sparse_softmax_cross_entropy_with_logits": [(["4:int32", "4x3:float32"], {}), (["4x1:int32", "4x3:float32"], {}), (["5:int32", "4x3:float32"], {})],
    "nn.sigmoid_cross_entropy_with_logits": [(["4x3:float32", "4x3:float32"], {}), (["4x1:float32", "4x3:float32"], {}), (["4:float32", "4x1:float32"], {})],
    "nn.in_top_k": [(["4:int32", "4x5:float32", 2], {})],
    "math.in_top_k": [(["4:int32", "4x5:float32", 2], {})],
    "random.normal": [([[2, 3]], {}), ([[4]], {"dtype": "float64"})],
    "random.truncated_normal": [([[2, 3]], {})],
    "random.uniform": [([[2, 3]], {}), ([[2], 0, 5], {"dtype": "int32"})],
    "random.poisson": [([[2, 3], 1.0], {})], "random.gamma": [([[2, 3], 1.0], {})],
    "random.shuffle": [(["5x3:float32"], {})],
    "random.categorical": [(["4x3:float32", 7], {})],
    "image.resize": [(["2x8x8x3:float32", (4, 6)], {}), (["8x8x3:uint8", (4, 6)], {}), (["2x8x8x3:uint8", (4, 6)], {"method": "nearest"}), (["8x8:float32", (4, 6)], {})],
    "compat.v1.image.resize_bilinear": [(["2x8x8x3:float32", (4, 6)], {})], "compat.v1.image.resize_bicubic": [(["2x8x8x3:uint8", (4, 6)], {})],
    "compat.v1.image.resize_nearest_neighbor": [(["2x8x8x3:uint8", (4, 6)], {})], "compat.v1.image.resize_area": [(["2x8x8x3:float32", (4, 6)], {})],
    "image.resize_with_pad": [(["2x8x8x3:float32", 4, 6], {})],
    "image.resize_with_crop_or_pad": [(["2x8x8x3:float32", 4, 12], {})],
    "image.crop_to_bounding_box": [(["2x8x8x3:float32", 1, 1, 4, 5], {})],
    "image.pad_to_bounding_box": [(["2x8x8x3:float32", 1, 1, 14, 15], {})],
    "image.random_crop": [(["8x8x3:float32", [4, 4, 3]], {})],
    "image.central_crop": [(["2x8x8x3:float32", 0.5], {}), (["9x7x3:float32", 0.6], {})],
    "image.random_brightness": [(["2x8x8x3:float32", 0.2], {})], "image.adjust_brightness": [(["8x8x3:float32", 0.2], {})],
    "image.random_contrast": [(["8x8x3:float32", 0.2, 0.5], {})], "image.adjust_contrast": [(["8x8x3:float32", 0.2], {})],
    "image.random_hue": [(["8x8x3:float32", 0.2], {})], "image.adjust_hue": [(["8x8x3:float32", 0.2], {})],
    "image.random_saturation": [(["8x8x3:float32", 0.2, 0.5], {})], "image.adjust_saturation": [(["8x8x3:float32", 0.2], {})],
    "image.adjust_gamma": [(["8x8x3:float32"], {})],
    "image.rot90": [(["2x8x6x3:float32"], {}), (["8x6x3:float32"], {"k": 2})],
    "image.transpose": [(["2x8x6x3:float32"], {})],
    "image.grayscale_to_rgb": [(["2x8x6x1:float32"], {})],
    "image.convert_image_dtype": [(["2x8x6x1:uint8", "float32"], {})],
    "image.decode_jpeg": [([":string"], {"channels": 3}), ([":string"], {})], "image.decode_png": [([":string"], {"channels": 1})],
    "image.decode_bmp": [([":string"], {"channels": 3})], "image.decode_image": [([":string"], {"channels": 3, "expand_animations": False})],
    "io.read_file": [([":string"], {})],
    "image.extract_patches": [(["2x9x9x3:float32", [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"], {}), (["2x9x9x3:float32", [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME"], {})],
    "compat.v1.losses.mean_squared_error": _LOSS, "compat.v1.losses.absolute_difference": _LOSS, "compat.v1.losses.log_loss": _LOSS,
    "compat.v1.losses.huber_loss": _LOSS, "compat.v1.losses.softmax_cross_entropy": _LOSS, "compat.v1.losses.sigmoid_cross_entropy": _LOSS,
    "compat.v1.losses.mean_pairwise_squared_error": _LOSS[:1], "compat.v1.losses.hinge_loss": _LOSS[:1],
    "compat.v1.losses.sparse_softmax_cross_entropy": [(["4:int32", "4x3:float32"], {}), (["4x1:int32", "4x3:float32"], {}), (["4x3:int32", "4x3:float32"], {})],
}  # fmt: skip


def calls() -> Iterator[tuple[str, list[Any], dict[str, Any]]]:
    """Yield each function with arguments, the same ones each time."""
    source = random.Random("graphs")
    for name in _UNARY:
        for _ in range(3):
            shapes = SHAPES if "standardization" not in name else ["2x8x8x3", "8x8x1"]
            yield name, [f"{source.choice(shapes)}:{source.choice(DTYPES)}"], {}
        yield name, [f"{source.choice(shapes)}:float32"], {}
    for name in _BINARY:
        kind = "bool" if name.startswith("logical") else "float32"
        for left, right in (("2x3", "2x3"), ("2x1x4", "3x1"), ("Nx3", "3"), ("2x3", "2x4")):
            yield name, [f"{left}:{kind}", f"{right}:{kind}"], {}
        for _ in range(3):
            yield name, [f"2x3:{source.choice(DTYPES)}", f"3:{source.choice(DTYPES)}"], {}
            same = source.choice(DTYPES)
            yield name, [f"2x3:{same}", f"3:{same}"], {}
    for name in _REDUCED:
        for axis in (None, 0, -1, [0, 1], 3):
            shape = source.choice(["2x3", "Nx3x4"])
            yield name, [f"{shape}:float32"], {"axis": axis, "keepdims": source.choice([True, False])}
    for name in _IMAGES:
        yield f"image.{name}", ["2x8x6x3:float32"], {}
        yield f"image.{name}", ["8x6x3:float32"], {}
    for name, given in _CALLS.items():
        for args, kwargs in given:
            yield name, args, kwargs
