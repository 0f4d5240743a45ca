"""How the layers of Keras are written: the arguments that need no name, the defaults, and the function that does the same."""

from __future__ import annotations

from cutaway.recover.targets.dialect import LayerForm


def _families() -> dict[str, LayerForm]:
    forms: dict[str, LayerForm] = {}
    for rank in (1, 2, 3):
        convolution = {"strides": 1, "padding": "valid", "dilation_rate": 1, "groups": 1, "use_bias": True}
        forms[f"layers.Conv{rank}D"] = LayerForm(2, convolution)
        forms[f"layers.Conv{rank}DTranspose"] = LayerForm(2, convolution)
        forms[f"layers.DepthwiseConv{rank}D"] = LayerForm(1, {**convolution, "depth_multiplier": 1})
        pool = {"strides": None, "padding": "valid"}
        forms[f"layers.MaxPooling{rank}D"] = LayerForm(1, pool, f"layers.MaxPooling{rank}D")
        forms[f"layers.AveragePooling{rank}D"] = LayerForm(1, pool, f"layers.AveragePooling{rank}D")
        for kind in ("Average", "Max"):
            forms[f"layers.Global{kind}Pooling{rank}D"] = LayerForm(0, {"keepdims": False})
        forms[f"layers.ZeroPadding{rank}D"] = LayerForm(1)
        forms[f"layers.Cropping{rank}D"] = LayerForm(1)
        forms[f"layers.UpSampling{rank}D"] = LayerForm(1, {"interpolation": "nearest"})
    for name in ("LSTM", "GRU", "SimpleRNN"):
        forms[f"layers.{name}"] = LayerForm(1, {"use_bias": True, "return_sequences": False, "activation": "tanh"})
    return forms


FORMS: dict[str, LayerForm] = {
    **_families(),
    "layers.Bidirectional": LayerForm(1),
    "layers.Dense": LayerForm(1, {"use_bias": True}),
    "layers.Embedding": LayerForm(2),
    "layers.BatchNormalization": LayerForm(0, {"epsilon": 1e-3, "center": True, "scale": True}),
    "layers.LayerNormalization": LayerForm(0, {"axis": -1, "epsilon": 1e-3, "center": True}),
    "layers.RMSNormalization": LayerForm(0, {"axis": -1, "epsilon": 1e-6}),
    "layers.GroupNormalization": LayerForm(0, {"epsilon": 1e-3, "center": True, "scale": True}),
    "layers.ReLU": LayerForm(0, {"max_value": None}, "ops.relu"),
    "layers.Activation": LayerForm(1),
    "layers.LeakyReLU": LayerForm(0, {}, "ops.leaky_relu"),
    "layers.ELU": LayerForm(0, {"alpha": 1.0}, "ops.elu"),
    "layers.PReLU": LayerForm(0),
    "layers.Softmax": LayerForm(0, {"axis": -1}, "ops.softmax"),
    "layers.Flatten": LayerForm(0),
}
"""Layers by their names in the code."""
