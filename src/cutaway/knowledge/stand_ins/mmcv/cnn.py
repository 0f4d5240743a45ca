"""mmcv.cnn: layers by the names that configurations have for them."""

import math

from mmengine.model import constant_init, kaiming_init, normal_init, trunc_normal_init, uniform_init, xavier_init
from mmengine.registry import MODELS, Registry
from torch import nn

CONV_LAYERS = Registry("conv layer")
NORM_LAYERS = Registry("norm layer")
ACTIVATION_LAYERS = Registry("activation layer")
PADDING_LAYERS = Registry("padding layer")
UPSAMPLE_LAYERS = Registry("upsample layer")
PLUGIN_LAYERS = Registry("plugin layer")

for _name, _layer in (("Conv1d", nn.Conv1d), ("Conv2d", nn.Conv2d), ("Conv3d", nn.Conv3d), ("Conv", nn.Conv2d)):
    CONV_LAYERS.register_module(_name, module=_layer)
_NORMS = {
    "BN": (nn.BatchNorm2d, "bn"),
    "BN1d": (nn.BatchNorm1d, "bn"),
    "BN2d": (nn.BatchNorm2d, "bn"),
    "BN3d": (nn.BatchNorm3d, "bn"),
    "SyncBN": (nn.SyncBatchNorm, "bn"),
    "GN": (nn.GroupNorm, "gn"),
    "LN": (nn.LayerNorm, "ln"),
    "IN": (nn.InstanceNorm2d, "in"),
    "IN1d": (nn.InstanceNorm1d, "in"),
    "IN2d": (nn.InstanceNorm2d, "in"),
    "IN3d": (nn.InstanceNorm3d, "in"),
}
for _name, (_layer, _) in _NORMS.items():
    NORM_LAYERS.register_module(_name, module=_layer)
for _layer in (nn.ReLU, nn.LeakyReLU, nn.PReLU, nn.RReLU, nn.ReLU6, nn.ELU, nn.Sigmoid, nn.Tanh, nn.GELU):
    ACTIVATION_LAYERS.register_module(module=_layer)
PADDING_LAYERS.register_module("zero", module=nn.ZeroPad2d)
PADDING_LAYERS.register_module("reflect", module=nn.ReflectionPad2d)
PADDING_LAYERS.register_module("replicate", module=nn.ReplicationPad2d)


@ACTIVATION_LAYERS.register_module()
class HSigmoid(nn.Module):
    def __init__(self, bias=3.0, divisor=6.0, min_value=0.0, max_value=1.0):
        super().__init__()
        self.bias, self.divisor, self.min_value, self.max_value = bias, divisor, min_value, max_value

    def forward(self, x):
        x = (x + self.bias) / self.divisor
        return x.clamp_(self.min_value, self.max_value)


@ACTIVATION_LAYERS.register_module()
class Swish(nn.Module):
    def forward(self, x):
        return x * x.sigmoid()


HSwish = ACTIVATION_LAYERS.register_module("HSwish", module=nn.Hardswish)


def build_conv_layer(cfg, *args, **kwargs):
    cfg = {"type": "Conv2d"} if cfg is None else dict(cfg)
    return CONV_LAYERS.get(cfg.pop("type"))(*args, **kwargs, **cfg)


def build_norm_layer(cfg, num_features, postfix=""):
    cfg = dict(cfg)
    kind = cfg.pop("type")
    layer, short = NORM_LAYERS.get(kind), _NORMS[kind][1] if kind in _NORMS else kind.lower()
    requires_grad = cfg.pop("requires_grad", True)
    cfg.setdefault("eps", 1e-5)
    made = layer(num_channels=num_features, **cfg) if kind == "GN" else layer(num_features, **cfg)
    for parameter in made.parameters():
        parameter.requires_grad = requires_grad
    return f"{short}{postfix}", made


def build_activation_layer(cfg):
    cfg = dict(cfg)
    return ACTIVATION_LAYERS.get(cfg.pop("type"))(**cfg)


def build_padding_layer(cfg, *args, **kwargs):
    cfg = dict(cfg)
    return PADDING_LAYERS.get(cfg.pop("type"))(*args, **kwargs, **cfg)


def build_upsample_layer(cfg, *args, **kwargs):
    cfg = dict(cfg)
    kind = cfg.pop("type")
    if kind in ("nearest", "bilinear"):
        return nn.Upsample(*args, **kwargs, mode=kind, **cfg)
    if kind == "deconv":
        return nn.ConvTranspose2d(*args, **kwargs, **cfg)
    return UPSAMPLE_LAYERS.get(kind)(*args, **kwargs, **cfg)


class ConvModule(nn.Module):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias="auto",
        conv_cfg=None,
        norm_cfg=None,
        act_cfg={"type": "ReLU"},  # noqa: B006, the default of mmcv
        inplace=True,
        with_spectral_norm=False,
        padding_mode="zeros",
        order=("conv", "norm", "act"),
    ):
        super().__init__()
        self.conv_cfg, self.norm_cfg, self.act_cfg, self.inplace = conv_cfg, norm_cfg, act_cfg, inplace
        self.with_spectral_norm, self.order = with_spectral_norm, order
        self.with_explicit_padding = padding_mode not in ("zeros", "circular")
        self.with_norm, self.with_activation = norm_cfg is not None, act_cfg is not None
        self.with_bias = not self.with_norm if bias == "auto" else bias
        if self.with_explicit_padding:
            self.padding_layer = build_padding_layer({"type": padding_mode}, padding)
        self.conv = build_conv_layer(
            conv_cfg,
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=0 if self.with_explicit_padding else padding,
            dilation=dilation,
            groups=groups,
            bias=self.with_bias,
        )
        self.in_channels, self.out_channels = self.conv.in_channels, self.conv.out_channels
        self.kernel_size, self.stride, self.padding = self.conv.kernel_size, self.conv.stride, padding
        self.dilation, self.transposed = self.conv.dilation, self.conv.transposed
        self.output_padding, self.groups = self.conv.output_padding, self.conv.groups
        if with_spectral_norm:
            self.conv = nn.utils.spectral_norm(self.conv)
        self.norm_name = None
        if self.with_norm:
            channels = out_channels if order.index("norm") > order.index("conv") else in_channels
            self.norm_name, norm = build_norm_layer(norm_cfg, channels)
            self.add_module(self.norm_name, norm)
        if self.with_activation:
            act_cfg = dict(act_cfg)
            if act_cfg["type"] not in ("Tanh", "PReLU", "Sigmoid", "HSigmoid", "Swish", "GELU"):
                act_cfg.setdefault("inplace", inplace)
            self.activate = build_activation_layer(act_cfg)

    @property
    def norm(self):
        return getattr(self, self.norm_name) if self.norm_name else None

    def init_weights(self):
        pass

    def forward(self, x, activate=True, norm=True):
        for layer in self.order:
            if layer == "conv":
                x = self.conv(self.padding_layer(x) if self.with_explicit_padding else x)
            elif layer == "norm" and norm and self.with_norm:
                x = self.norm(x)
            elif layer == "act" and activate and self.with_activation:
                x = self.activate(x)
        return x


class DepthwiseSeparableConvModule(nn.Module):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        norm_cfg=None,
        act_cfg={"type": "ReLU"},  # noqa: B006, the default of mmcv
        dw_norm_cfg="default",
        dw_act_cfg="default",
        pw_norm_cfg="default",
        pw_act_cfg="default",
        **kwargs,
    ):
        super().__init__()
        self.depthwise_conv = ConvModule(
            in_channels,
            in_channels,
            kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            groups=in_channels,
            norm_cfg=norm_cfg if dw_norm_cfg == "default" else dw_norm_cfg,
            act_cfg=act_cfg if dw_act_cfg == "default" else dw_act_cfg,
            **kwargs,
        )
        self.pointwise_conv = ConvModule(
            in_channels,
            out_channels,
            1,
            norm_cfg=norm_cfg if pw_norm_cfg == "default" else pw_norm_cfg,
            act_cfg=act_cfg if pw_act_cfg == "default" else pw_act_cfg,
            **kwargs,
        )

    def forward(self, x):
        return self.pointwise_conv(self.depthwise_conv(x))


def is_norm(layer, exclude=None):
    kinds = (nn.modules.batchnorm._BatchNorm, nn.modules.instancenorm._InstanceNorm, nn.GroupNorm, nn.LayerNorm)
    return isinstance(layer, kinds) and not (exclude and isinstance(layer, exclude))


def bias_init_with_prob(prior_prob):
    return float(-math.log((1 - prior_prob) / prior_prob))


Linear, Conv2d, ConvTranspose2d, MaxPool2d = nn.Linear, nn.Conv2d, nn.ConvTranspose2d, nn.MaxPool2d
