"""Arguments to generate: for each layer, the values of each argument and the shapes of the inputs it is called on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

FORMATS = [None, "channels_last", "channels_first"]
_CONV: dict[str, list[Any]] = {
    "filters": [4, 6],
    "padding": ["valid", "same"],
    "data_format": FORMATS,
    "activation": [None, "relu", "softmax", "gelu"],
    "use_bias": [True, False],
    "dtype": [None, "float16", "mixed_float16"],
}
_POOL: dict[str, list[Any]] = {
    "pool_size": [2, 3],
    "strides": [None, 1, 2],
    "padding": ["valid", "same"],
    "data_format": FORMATS,
}
_RNN: dict[str, list[Any]] = {
    "units": [3, 5],
    "activation": ["tanh", "relu"],
    "use_bias": [True, False],
    "return_sequences": [True, False],
    "return_state": [True, False],
    "go_backwards": [True, False],
}
SEQUENCES = [(None, 7, 6), (2, 9, 4), (None, None, 4)]
IMAGES = [(None, 9, 8, 6), (2, 12, 12, 4), (None, 6, 7, 5), (3, 4, 4, 4)]
VOLUMES = [(None, 6, 5, 7, 4), (2, 8, 8, 8, 6)]
AUGMENTED = [(2, 12, 10, 3), (4, 8, 8, 3)]
ANY = [(None, 6), (2, 5, 4), (None, 4, 6, 8)]
MERGED = [
    [(None, 4), (None, 4)],
    [(2, 3, 4), (2, 3, 4), (2, 3, 4)],
    [(None, 3, 4), (None, 4)],
    [(2, 3, 4), (2, 3, 1)],
    [(None, 5), (None, 4)],
]


class Sample(NamedTuple):
    """A layer's arguments and the shapes of its inputs."""

    arguments: dict[str, Any]
    shapes: Any


def _spread(n: int) -> dict[str, list[Any]]:
    single: list[Any] = [1, 2, 3]
    return {
        "kernel_size": single + ([[2] * n, tuple(range(1, n + 1))] if n > 1 else []),
        "strides": [1, 2],
        "dilation_rate": [1, 2],
    }


TABLE: dict[str, tuple[dict[str, list[Any]], list[Any]]] = {}
for _n, _shapes in ((1, SEQUENCES), (2, IMAGES), (3, VOLUMES)):
    TABLE[f"Conv{_n}D"] = ({**_CONV, **_spread(_n), "groups": [1, 2]}, _shapes)
    TABLE[f"Conv{_n}DTranspose"] = ({**_CONV, **_spread(_n)}, _shapes)
    TABLE[f"MaxPooling{_n}D"] = (_POOL, _shapes)
    TABLE[f"AveragePooling{_n}D"] = (_POOL, _shapes)
    for _kind in ("Max", "Average"):
        TABLE[f"Global{_kind}Pooling{_n}D"] = ({"data_format": FORMATS, "keepdims": [True, False]}, _shapes)
        TABLE[f"Adaptive{_kind}Pooling{_n}D"] = ({"output_size": [1, 2, 3], "data_format": FORMATS}, _shapes)
    TABLE[f"UpSampling{_n}D"] = ({"size": [2, 3]}, _shapes)
    TABLE[f"ConvLSTM{_n}D"] = (
        {"filters": [2], "kernel_size": [2, 3], "padding": ["valid", "same"], "strides": [1, 2], "return_sequences": [True, False],
         "return_state": [True, False], "use_bias": [True, False]},
        [(2, 3, *([6] * _n), 3), (None, 4, *([5] * _n), 2)],
    )  # fmt: skip
TABLE["Conv1D"][0]["padding"] = ["valid", "same", "causal"]
for _n, _shapes in ((1, SEQUENCES), (2, IMAGES)):
    TABLE[f"DepthwiseConv{_n}D"] = (
        {**{k: v for k, v in _CONV.items() if k != "filters"}, **_spread(_n), "depth_multiplier": [1, 2]},
        _shapes,
    )
    TABLE[f"SeparableConv{_n}D"] = ({**_CONV, **_spread(_n), "depth_multiplier": [1, 2]}, _shapes)
TABLE.update({
    "ZeroPadding1D": ({"padding": [1, 2, (1, 3)], "data_format": FORMATS}, SEQUENCES),
    "ZeroPadding2D": ({"padding": [1, (1, 2), ((1, 0), (2, 3))], "data_format": FORMATS}, IMAGES),
    "ZeroPadding3D": ({"padding": [1, (1, 2, 3), ((1, 0), (2, 3), (0, 1))], "data_format": FORMATS}, VOLUMES),
    "Cropping1D": ({"cropping": [1, (1, 2)]}, SEQUENCES),
    "Cropping2D": ({"cropping": [1, (1, 2), ((1, 0), (2, 1))], "data_format": FORMATS}, IMAGES),
    "Cropping3D": ({"cropping": [1, (1, 2, 1), ((1, 0), (2, 1), (0, 1))], "data_format": FORMATS}, VOLUMES),
    "Dense": ({"units": [3, 8], "activation": [None, "relu", "softmax"], "use_bias": [True, False], "dtype": [None, "mixed_float16"]}, ANY),
    "EinsumDense": ({"equation": ["abc,cd->abd"], "output_shape": [(None, 7)], "bias_axes": [None, "d"]}, [(2, 5, 4), (None, 3, 6)]),
    "Embedding": ({"input_dim": [10], "output_dim": [4, 6], "mask_zero": [True, False]}, [(None,), (2, 5), (None, 4, 6)]),
    "Flatten": ({"data_format": FORMATS}, [(None, 6), (2, 5, 4), (None, 4, 6, 8), (None,), (None, None, 3)]),
    "Reshape": ({"target_shape": [(-1,), (4, 6), (2, -1), (24,)]}, [(None, 24), (2, 4, 6), (None, 3, 4)]),
    "Permute": ({"dims": [(2, 1), (1, 2)]}, [(None, 5, 6), (2, 4, 3)]),
    "RepeatVector": ({"n": [1, 4]}, [(None, 6), (2, 3)]),
    "BatchNormalization": ({"axis": [-1, 1], "center": [True, False], "scale": [True, False], "renorm": [True, False]}, ANY),
    "LayerNormalization": ({"axis": [-1, 1, [1, -1]], "center": [True, False], "scale": [True, False]}, ANY),
    "GroupNormalization": ({"groups": [1, 2, 4, -1], "axis": [-1, 1], "center": [True, False]}, ANY),
    "RMSNormalization": ({"axis": [-1, 1]}, ANY),
    "UnitNormalization": ({"axis": [-1, 1]}, ANY),
    "SpectralNormalization": ({"layer": ["Dense(4)", "Conv2D(4, 3)"]}, [(None, 6), (None, 5, 5, 3)]),
    "Activation": ({"activation": ["relu", "gelu", "tanh", "softmax", "mish", "swish", "elu", "exponential", "linear"]}, ANY),
    "ReLU": ({"max_value": [None, 6], "negative_slope": [0.0, 0.1]}, ANY),
    "LeakyReLU": ({"negative_slope": [0.3, 0.1]}, ANY),
    "ELU": ({"alpha": [1.0, 0.5]}, ANY),
    "Softmax": ({"axis": [-1, 1]}, ANY),
    "PReLU": ({"shared_axes": [None, [1]]}, [(None, 6), (2, 5, 4), (None, 4, 6, 8)]),
    "Dropout": ({"rate": [0.0, 0.5]}, ANY),
    "AlphaDropout": ({"rate": [0.1]}, ANY),
    "GaussianDropout": ({"rate": [0.1]}, ANY),
    "GaussianNoise": ({"stddev": [0.1]}, ANY),
    "SpatialDropout1D": ({"rate": [0.1]}, SEQUENCES),
    "SpatialDropout2D": ({"rate": [0.1], "data_format": FORMATS}, IMAGES),
    "SpatialDropout3D": ({"rate": [0.1]}, VOLUMES),
    "ActivityRegularization": ({"l1": [0.0, 0.1]}, ANY),
    "Identity": ({}, ANY),
    "Masking": ({"mask_value": [0.0]}, SEQUENCES),
    "Rescaling": ({"scale": [0.5, 2], "offset": [0.0, 1.0]}, ANY),
    "Normalization": ({"axis": [-1, None, 1]}, [(2, 5, 4), (None, 4, 6, 8)]),
    "Resizing": ({"height": [4, 6], "width": [5], "crop_to_aspect_ratio": [True, False], "data_format": FORMATS}, [*IMAGES, (9, 8, 3)]),
    "CenterCrop": ({"height": [3, 4], "width": [4], "data_format": FORMATS}, [*IMAGES, (9, 8, 3)]),
    "RandomCrop": ({"height": [3, 4], "width": [4], "data_format": FORMATS}, IMAGES),
    "RandomFlip": ({"mode": ["horizontal", "vertical", "horizontal_and_vertical"], "seed": [1]}, AUGMENTED),
    "RandomRotation": ({"factor": [0.2, (-0.1, 0.3)], "fill_mode": ["reflect", "constant"]}, AUGMENTED),
    "RandomZoom": ({"height_factor": [0.2, (0.1, 0.3)]}, AUGMENTED),
    "RandomTranslation": ({"height_factor": [0.2], "width_factor": [0.1]}, AUGMENTED),
    "RandomContrast": ({"factor": [0.2]}, AUGMENTED), "RandomBrightness": ({"factor": [0.2]}, AUGMENTED),
    "RandomShear": ({"x_factor": [0.2]}, AUGMENTED), "RandomSaturation": ({"factor": [0.2]}, AUGMENTED),
    "RandomHue": ({"factor": [0.2]}, AUGMENTED), "RandomGrayscale": ({"factor": [0.5]}, AUGMENTED),
    "RandomColorJitter": ({"brightness_factor": [0.2]}, AUGMENTED), "RandomSharpness": ({"factor": [0.2]}, AUGMENTED),
    "RandomColorDegeneration": ({"factor": [0.5]}, AUGMENTED), "RandomPosterization": ({"factor": [4]}, AUGMENTED),
    "RandomInvert": ({"factor": [0.5]}, AUGMENTED), "RandomErasing": ({"factor": [0.5]}, AUGMENTED),
    "RandomGaussianBlur": ({"factor": [0.5]}, AUGMENTED), "RandomPerspective": ({"factor": [0.5]}, AUGMENTED),
    "RandomElasticTransform": ({"factor": [0.5]}, AUGMENTED), "AutoContrast": ({}, AUGMENTED), "Equalization": ({}, AUGMENTED),
    "Solarization": ({"addition_factor": [0.1], "threshold_factor": [0.5]}, AUGMENTED), "CutMix": ({"factor": [0.5]}, AUGMENTED),
    "MixUp": ({"alpha": [0.2]}, AUGMENTED), "RandAugment": ({"num_ops": [2]}, AUGMENTED), "AugMix": ({"num_chains": [2]}, AUGMENTED),
    "CategoryEncoding": ({"num_tokens": [7], "output_mode": ["multi_hot", "one_hot", "count"]}, [(None, 5), (2, 1), (3,)]),
    "Hashing": ({"num_bins": [7], "output_mode": ["int", "multi_hot", "one_hot", "count"]}, [(None, 5), (2, 1), (3,)]),
    "Discretization": ({"bin_boundaries": [[0.0, 1.0, 2.0]], "output_mode": ["int", "multi_hot", "one_hot", "count"]}, [(None, 5), (2, 1), (3,)]),
    "StringLookup": ({"vocabulary": [["a", "b", "c"]], "output_mode": ["int", "multi_hot", "one_hot", "count"], "num_oov_indices": [1, 2], "mask_token": [None, ""]}, [(None, 5), (2, 1), (3,)]),
    "IntegerLookup": ({"vocabulary": [[3, 5, 7]], "output_mode": ["int", "multi_hot", "one_hot", "count"], "num_oov_indices": [1, 2]}, [(None, 5), (2, 1), (3,)]),
    "TextVectorization": ({"vocabulary": [["a", "b", "c"]], "output_mode": ["int", "multi_hot", "count"], "output_sequence_length": [4]}, [(None, 1), (2,), (None,)]),
    "SimpleRNN": (_RNN, SEQUENCES),
    "LSTM": ({**_RNN, "recurrent_activation": ["sigmoid", "hard_sigmoid"]}, SEQUENCES),
    "GRU": ({**_RNN, "reset_after": [True, False]}, SEQUENCES),
    "Bidirectional": ({"layer": ["LSTM(3)", "GRU(4, return_sequences=True)", "LSTM(3, return_state=True)"], "merge_mode": ["concat", "sum", "ave", "mul", None]}, SEQUENCES[:2]),
    "TimeDistributed": ({"layer": ["Dense(5)", "Conv1D(3, 2)", "Flatten()", "LSTM(4)"]}, [(None, 3, 5, 4), (2, 3, 6, 2)]),
    "RNN": ({"cell": ["LSTMCell(3)", "GRUCell(4)", "SimpleRNNCell(5)"], "return_sequences": [True, False], "return_state": [True, False]}, SEQUENCES),
    "Add": ({}, MERGED), "Subtract": ({}, MERGED), "Multiply": ({}, MERGED), "Average": ({}, MERGED), "Maximum": ({}, MERGED),
    "Minimum": ({}, MERGED),
    "Concatenate": ({"axis": [-1, 1]}, [*MERGED, [(None, 3, 4), (None, 5, 4)]]),
    "Dot": ({"axes": [1, -1, (1, 2), (2, 1)]}, [[(None, 4), (None, 4)], [(2, 3, 4), (2, 4, 3)], [(2, 3, 4), (2, 3, 4)]]),
    "Attention": ({"use_scale": [True, False], "score_mode": ["dot", "concat"]}, [[(2, 3, 4), (2, 5, 4)], [(None, 3, 4), (None, 5, 4), (None, 5, 4)]]),
    "AdditiveAttention": ({"use_scale": [True, False]}, [[(2, 3, 4), (2, 5, 4)], [(None, 3, 4), (None, 5, 4)]]),
    "MultiHeadAttention": ({"num_heads": [2, 3], "key_dim": [4], "value_dim": [None, 5], "use_bias": [True, False], "dropout": [0.0, 0.2], "output_shape": [None, 7], "use_gate": [True, False]}, [{"query": (2, 5, 6), "value": (2, 4, 3)}, {"query": (None, 5, 6), "value": (None, 5, 6), "key": (None, 5, 8)}]),
    "GroupQueryAttention": ({"head_dim": [4], "num_query_heads": [4], "num_key_value_heads": [2, 1, 4], "use_bias": [True, False], "dropout": [0.0, 0.1]}, [{"query": (2, 5, 6), "value": (2, 4, 3)}]),
})  # fmt: skip

INTEGERS = {"Embedding", "CategoryEncoding", "Hashing", "IntegerLookup"}
TEXTS = {"StringLookup", "TextVectorization"}
NAMED_CALLS = {"MultiHeadAttention", "GroupQueryAttention"}


def samples(name: str, count: int) -> Iterator[Sample]:
    """Yield generated arguments of a layer, the same ones each time."""
    choices, shapes = TABLE[name]
    source = random.Random(name)
    for _ in range(count):
        taken = {
            argument: source.choice(values)
            for argument, values in choices.items()
            if source.random() < 0.7 or _required(name, argument)
        }
        yield Sample(taken, source.choice(shapes))


def _required(name: str, argument: str) -> bool:
    needed = "filters kernel_size units pool_size rate input_dim output_dim equation output_shape target_shape dims n layer cell axes activation stddev scale output_size num_heads key_dim head_dim num_query_heads num_key_value_heads num_tokens num_bins bin_boundaries vocabulary height width factor x_factor height_factor width_factor brightness_factor"
    return argument in needed.split() and not (name == "MultiHeadAttention" and argument == "output_shape")
