"""How the layers of PyTorch are written: the arguments that need no name, the defaults, and the function that does the same."""

from __future__ import annotations

from cutaway.recover.targets.dialect import LayerForm


def _families() -> dict[str, LayerForm]:
    forms: dict[str, LayerForm] = {}
    window = {"stride": 1, "padding": 0, "dilation": 1, "groups": 1, "bias": True}
    for rank in (1, 2, 3):
        forms[f"nn.Conv{rank}d"] = LayerForm(3, window)
        forms[f"nn.ConvTranspose{rank}d"] = LayerForm(3, {**window, "output_padding": 0})
        pool = {"stride": None, "padding": 0, "dilation": 1, "ceil_mode": False}
        forms[f"nn.MaxPool{rank}d"] = LayerForm(1, pool, f"F.max_pool{rank}d")
        average = {"stride": None, "padding": 0, "ceil_mode": False, "count_include_pad": True}
        forms[f"nn.AvgPool{rank}d"] = LayerForm(1, average, f"F.avg_pool{rank}d")
        forms[f"nn.AdaptiveAvgPool{rank}d"] = LayerForm(1, {}, f"F.adaptive_avg_pool{rank}d")
        forms[f"nn.AdaptiveMaxPool{rank}d"] = LayerForm(1, {}, f"F.adaptive_max_pool{rank}d")
        forms[f"nn.BatchNorm{rank}d"] = LayerForm(1, {"eps": 1e-5, "affine": True})
        forms[f"nn.InstanceNorm{rank}d"] = LayerForm(1, {"eps": 1e-5, "affine": False})
    for name in ("LSTM", "GRU", "RNN"):
        forms[f"nn.{name}"] = LayerForm(
            2,
            {"num_layers": 1, "bias": True, "batch_first": False, "bidirectional": False, "nonlinearity": "tanh"},
        )
    return forms


FORMS: dict[str, LayerForm] = {
    **_families(),
    "nn.Linear": LayerForm(2, {"bias": True}),
    "nn.Embedding": LayerForm(2),
    "nn.LayerNorm": LayerForm(1, {"eps": 1e-5, "bias": True}),
    "nn.RMSNorm": LayerForm(1),
    "nn.GroupNorm": LayerForm(2, {"eps": 1e-5}),
    "nn.LocalResponseNorm": LayerForm(1, {"alpha": 1e-4, "beta": 0.75, "k": 1.0}, "F.local_response_norm"),
    "nn.ReLU": LayerForm(0, {}, "F.relu"),
    "nn.ReLU6": LayerForm(0, {}, "F.relu6"),
    "nn.Sigmoid": LayerForm(0, {}, "torch.sigmoid"),
    "nn.Tanh": LayerForm(0, {}, "torch.tanh"),
    "nn.Hardswish": LayerForm(0, {}, "F.hardswish"),
    "nn.Hardsigmoid": LayerForm(0, {}, "F.hardsigmoid"),
    "nn.Mish": LayerForm(0, {}, "F.mish"),
    "nn.SiLU": LayerForm(0, {}, "F.silu"),
    "nn.SELU": LayerForm(0, {}, "F.selu"),
    "nn.Softplus": LayerForm(0, {}, "F.softplus"),
    "nn.GELU": LayerForm(0, {"approximate": "none"}, "F.gelu"),
    "nn.LeakyReLU": LayerForm(1, {"negative_slope": 0.01}, "F.leaky_relu"),
    "nn.ELU": LayerForm(1, {"alpha": 1.0}, "F.elu"),
    "nn.CELU": LayerForm(1, {"alpha": 1.0}, "F.celu"),
    "nn.PReLU": LayerForm(1, {"num_parameters": 1}),
    "nn.Threshold": LayerForm(2, {}, "F.threshold"),
    "nn.Softshrink": LayerForm(1, {"lambd": 0.5}, "F.softshrink"),
    "nn.Hardshrink": LayerForm(1, {"lambd": 0.5}, "F.hardshrink"),
    "nn.Softmax": LayerForm(0, {}, "F.softmax"),
    "nn.LogSoftmax": LayerForm(0, {}, "F.log_softmax"),
    "nn.Flatten": LayerForm(1, {"start_dim": 1}, "torch.flatten"),
    "nn.PixelShuffle": LayerForm(1, {}, "F.pixel_shuffle"),
}
"""Layers by their names in the code."""
