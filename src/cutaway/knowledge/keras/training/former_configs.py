"""Configurations of Keras 1 in the words of later versions: names of classes, names and forms of arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Settings = dict[str, Any]

_CLASSES = {
    "Convolution1D": "Conv1D", "Convolution2D": "Conv2D", "Convolution3D": "Conv3D", "Deconvolution2D": "Conv2DTranspose",
    "AtrousConvolution1D": "Conv1D", "AtrousConvolution2D": "Conv2D", "SeparableConvolution2D": "SeparableConv2D",
    "Deconvolution3D": "Conv3DTranspose", "BatchNormalizationV1": "BatchNormalization",
    "BatchNormalizationV2": "BatchNormalization", "TimeDistributedDense": "Dense", "CuDNNLSTM": "LSTM", "CuDNNGRU": "GRU", "GRUV1": "GRU", "LSTMV1": "LSTM",
    "GRUCellV2": "GRUCell", "LSTMCellV2": "LSTMCell", "LSTMV2": "LSTM", "GRUV2": "GRU", "DenseV2": "Dense",
    "Rescaling": "Rescaling", "SyncBatchNormalization": "BatchNormalization", "HighwayV1": "Highway",
}  # fmt: skip
_ARGUMENTS = {
    "init": "kernel_initializer", "W_regularizer": "kernel_regularizer", "b_regularizer": "bias_regularizer",
    "W_constraint": "kernel_constraint", "b_constraint": "bias_constraint", "bias": "use_bias",
    "border_mode": "padding", "subsample": "strides", "inner_init": "recurrent_initializer",
    "inner_activation": "recurrent_activation", "U_regularizer": "recurrent_regularizer", "dropout_W": "dropout",
    "dropout_U": "recurrent_dropout", "pool_length": "pool_size", "subsample_length": "strides",
    "filter_length": "kernel_size", "nb_filter": "filters", "p": "rate", "sigma": "stddev", "atrous_rate": "dilation_rate",
    "stride": "strides", "forget_bias_init": None, "depth_multiplier": "depth_multiplier", "consume_less": None,
    "mode": None, "momentum": "momentum", "inner_activity_regularizer": None, "length": "size",
    "input_dtype": None,
}  # fmt: skip
_KERNEL = ("nb_row", "nb_col", "kernel_dim1", "kernel_dim2", "kernel_dim3")
_DATA_FORMATS = {"tf": "channels_last", "th": "channels_first", "default": None}
_UNITS = ("Dense", "LSTM", "GRU", "SimpleRNN", "Highway", "MaxoutDense", "TimeDistributedDense")
_CUDNN = ("CuDNNLSTM", "CuDNNGRU")
_MERGES = {
    "sum": "Add", "mul": "Multiply", "concat": "Concatenate", "ave": "Average", "max": "Maximum", "dot": "Dot",
}  # fmt: skip


def modern(name: str, settings: Settings) -> tuple[str, Settings]:
    """Return the class and the arguments of a configuration as the present Keras names them."""
    former = _is_former(name, settings)
    present = _CLASSES.get(name, name)
    made = dict(settings)
    if former and name != "Merge":
        made = _renamed(name, made)
    if name == "InputLayer" and "input_dtype" in settings:
        made.setdefault("dtype", settings["input_dtype"])
    if name in _CUDNN:
        made.setdefault("recurrent_activation", "sigmoid")
        if name == "CuDNNGRU":
            made["reset_after"] = True
    change = _CHANGES.get(present)
    if change is not None:
        present, made = change(present, made)
    return present, made


def _is_former(name: str, settings: Settings) -> bool:
    """Tell whether a configuration is one of Keras 1."""
    words = (
        "nb_filter",
        "output_dim",
        "border_mode",
        "W_regularizer",
        "dim_ordering",
        "inner_init",
        "p",
        "inner_activation",
        "input_dtype",
    )
    return (
        any(word in settings for word in words)
        and not (name == "Embedding" and "init" not in settings and "input_dtype" not in settings)
    ) or name == "Merge"


def _renamed(name: str, settings: Settings) -> Settings:
    made: Settings = {}
    for key in _KERNEL:  # the order in the file may be that of the alphabet
        if key in settings:
            made["kernel_size"] = (*made.get("kernel_size", ()), settings[key])
    for key, value in settings.items():
        if key == "output_dim" and name in _UNITS:
            made["units"] = value
        elif key == "dropout" and name == "Embedding":
            continue  # of whole words, in training alone; the present Keras has no such argument
        elif key == "dim_ordering":
            made["data_format"] = _DATA_FORMATS.get(value)
        elif key in _KERNEL:
            continue
        elif key in _ARGUMENTS:
            present = _ARGUMENTS[key]
            if present is not None:
                made[present] = value
        else:
            made[key] = value
    return made


def _normalization(name: str, settings: Settings) -> tuple[str, Settings]:
    axis = settings.get("axis")
    if isinstance(axis, list) and len(axis) == 1:
        settings["axis"] = axis[0]
    for key in ("beta_init", "gamma_init", "gamma_regularizer_v1"):
        settings.pop(key, None)
    return name, settings


def _merge(name: str, settings: Settings) -> tuple[str, Settings]:
    mode = settings.get("mode", "sum")
    kind = _MERGES.get(mode) if isinstance(mode, str) else None
    if kind is None:
        return name, settings
    kept = {"name": settings.get("name")}
    if kind == "Concatenate":
        kept["axis"] = settings.get("concat_axis", -1)
    if kind == "Dot":
        kept["axes"] = settings.get("dot_axes", -1)
    return kind, kept


def _upsampling(name: str, settings: Settings) -> tuple[str, Settings]:
    if isinstance(settings.get("size"), list) and name == "UpSampling1D":
        settings["size"] = settings["size"][0]
    return name, settings


def _leaky(name: str, settings: Settings) -> tuple[str, Settings]:
    """Return the slope as a number: Keras 2 stores an array."""
    alpha = settings.get("alpha")
    if isinstance(alpha, dict):
        held = alpha.get("config", alpha)
        settings["alpha"] = held.get("value", 0.3) if isinstance(held, dict) else 0.3
    if name == "LeakyReLU" and "alpha" in settings:
        settings["negative_slope"] = settings.pop("alpha")
    return name, settings


def _attention(name: str, settings: Settings) -> tuple[str, Settings]:
    """Drop what Keras fills in: a width of values that is that of keys."""
    if settings.get("value_dim") == settings.get("key_dim"):
        settings.pop("value_dim", None)
    return name, settings


def _input(name: str, settings: Settings) -> tuple[str, Settings]:
    if "batch_input_shape" in settings:
        settings["batch_shape"] = settings.pop("batch_input_shape")
    return name, settings


_CHANGES: dict[str, Callable[[str, Settings], tuple[str, Settings]]] = {
    "BatchNormalization": _normalization,
    "LayerNormalization": _normalization,
    "InputLayer": _input,
    "Merge": _merge,
    "MultiHeadAttention": _attention,
    "UpSampling1D": _upsampling,
    "LeakyReLU": _leaky,
    "ELU": _leaky,
    "ThresholdedReLU": _leaky,
}
