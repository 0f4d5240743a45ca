"""Networks made by hand, for tests that need an Architecture and no interpreter."""

from __future__ import annotations

from typing import Any

import pytest

from cutaway.core.architecture import (
    Architecture,
    Diagnostic,
    DiagnosticNote,
    Module,
    ModuleCall,
    Note,
    Op,
    Shape,
    Value,
    Weight,
)
from cutaway.core.place import Place
from cutaway.core.size.parser import read_size as size
from cutaway.passes.cost import with_totals


class Builder:
    """Puts an Architecture together, module by module, in the order of the tree."""

    def __init__(self, name: str, **fields: Any) -> None:
        self.name = name
        self.fields = fields
        self.modules: list[Module] = []
        self.weights: list[Weight] = []
        self.ops: list[Op] = []

    def module(self, path: str, kind: str, *outputs: Shape, given: Shape = None, **config: Any) -> Builder:
        """Add a module; with outputs it is called once for each."""
        calls = tuple(ModuleCall((given or output,), (output,)) for output in outputs)
        self.modules.append(Module(path, kind, f"net.{kind}", config, Place("net.py", len(self.modules) + 1), calls))
        return self

    def weight(self, name: str, *shape: Any, kind: str = "parameter", tied_to: str | None = None) -> Builder:
        """Add a parameter, or a buffer."""
        self.weights.append(Weight(name, shape, "float32", kind, kind == "parameter", tied_to))
        return self

    def op(self, module: str, name: str, *shape: Any, macs: Any = 0, allocates: bool = True) -> Builder:
        """Add an operation with one output."""
        output = Value(f"v{len(self.ops)}", shape, "float32")
        place = Place("net.py", 40 + len(self.ops))
        self.ops.append(Op(name, {}, (), (output,), module, place, macs, allocates))
        return self

    def conv(self, path: str, given: tuple[Any, ...], output: tuple[Any, ...], size: int) -> Builder:
        """Add a convolution without bias: module, weight and operation."""
        config = {"in_channels": given[1], "out_channels": output[1], "kernel_size": size, "bias": False}
        self.module(path, "Conv2d", output, given=given, **config)
        self.weight(f"{path}.weight", output[1], given[1], size, size)
        macs = given[1] * size * size
        for extent in output:
            macs = macs * extent
        return self.op(path, "conv2d", *output, macs=macs)

    def linear(self, path: str, given: tuple[Any, ...], output: tuple[Any, ...]) -> Builder:
        """Add a linear layer with bias."""
        self.module(path, "Linear", output, given=given, in_features=given[-1], out_features=output[-1])
        self.weight(f"{path}.weight", output[-1], given[-1]).weight(f"{path}.bias", output[-1])
        return self.op(path, "linear", *output, macs=given[0] * given[-1] * output[-1])

    def block(self, path: str, given: tuple[Any, ...], output: tuple[Any, ...], rate: float) -> Builder:
        """Add a residual block; it projects its input where the number of channels changes."""
        changes = given[1] != output[1]
        self.module(path, "Bottleneck", output, given=given, planes=output[1] // 4, drop_path=rate)
        narrow = (output[0], output[1] // 4, *output[2:])
        self.conv(f"{path}.conv1", given, narrow, 1)
        self.conv(f"{path}.conv2", narrow, narrow, 3)
        self.conv(f"{path}.conv3", narrow, output, 1)
        self.module(f"{path}.relu", "ReLU", narrow, narrow, output, inplace=True)
        self.op(f"{path}.relu", "relu_", *output, allocates=False)
        if changes:
            self.module(f"{path}.downsample", "Sequential", output, given=given)
            self.conv(f"{path}.downsample.0", given, output, 1)
        return self

    def build(self) -> Architecture:
        """Return the architecture with its totals."""
        parts = {"modules": tuple(self.modules), "weights": tuple(self.weights), "ops": tuple(self.ops)}
        return with_totals(Architecture(self.name, **{**parts, **self.fields}))


@pytest.fixture
def residual() -> Architecture:
    """A small residual network: a stem, a stage of three blocks of which two are equal, a head."""
    image, stem, wide = (2, 3, 64, 64), (2, 64, 32, 32), (2, 256, 32, 32)
    build = Builder(
        "ResNet",
        target="net.py::ResNet",
        framework="torch",
        inputs=(Value("x", image, "float32"),),
        outputs=(Value("", (2, 10), "float32"),),
        assumptions=(Note("evaluation mode: dropout and batch statistics are off"),),
    )
    build.module("", "ResNet", (2, 10), given=image, layers=[3], num_classes=10)
    build.weight("scale", 1)
    build.conv("conv1", image, stem, 7)
    build.module("layer1", "Sequential", wide, given=stem)
    build.block("layer1.0", stem, wide, 0.0).block("layer1.1", wide, wide, 0.05).block("layer1.2", wide, wide, 0.1)
    build.module("pool", "AdaptiveAvgPool2d", (2, 256, 1, 1), given=wide, output_size=1)
    build.op("pool", "adaptive_avg_pool2d", 2, 256, 1, 1).op("", "flatten", 2, 256, allocates=False)
    build.linear("fc", (2, 256), (2, 10))
    build.module("aux", "Linear", in_features=256, out_features=10).weight("aux.weight", 10, 256)
    build.weight("mean", 3, kind="buffer")
    return build.build()


@pytest.fixture
def broken() -> Architecture:
    """A network whose forward pass stops at a fault, with something unknown before it."""
    build = Builder(
        "ExampleNetwork",
        target="example.py::model",
        framework="torch",
        inputs=(Value("x", (1, 3, 32, 32), "float32"), Value("mask", None, None)),
        unknowns=(
            Note("the file weights.bin is not read", Place("example.py", 7)),
            Note("whether N < 4 depends on the input's size", Place("example.py", 21), "gate"),
        ),
        assumptions=(Note("evaluation mode: dropout and batch statistics are off"),),
        diagnostics=(
            Diagnostic(
                "shape-mismatch",
                "linear: input has 4096 features in its last dimension, but weight expects 12544",
                Place("example.py", 16),
                (DiagnosticNote("the layer is created here", Place("example.py", 9)),),
            ),
        ),
    )
    build.modules.append(
        Module("", "ExampleNetwork", "example.ExampleNetwork", {}, None, (ModuleCall(((1, 3, 32, 32), None), None),))
    )
    build.conv("conv1", (1, 3, 32, 32), (1, 16, 32, 32), 3)
    build.modules.append(Module("gate", "Gate", "example.Gate", {}, None, (ModuleCall((None,), (None,)),), False))
    build.modules.append(
        Module("fc1", "Linear", "torch.nn.Linear", {}, Place("example.py", 9), (ModuleCall(((1, 4096),), None),))
    )
    build.weight("fc1.weight", 128, 12544).weight("fc1.bias", 128)
    build.module("fc2", "Linear", in_features=128, out_features=10).weight("fc2.weight", 10, 128)
    return build.build()


@pytest.fixture
def symbolic() -> Architecture:
    """A network on an input of symbolic size."""
    batch = size("B")
    given, output = (batch, 3, size("H"), size("W")), (batch, 8, size("H - 2"), size("floor(W/2)"))
    build = Builder("Net", inputs=(Value("x", given, "float32"),), outputs=(Value("", output, "float32"),))
    build.module("", "Net", output, given=given)
    build.modules.append(
        Module("conv", "Conv2d", "torch.nn.Conv2d", {}, Place("net.py", 3), (ModuleCall((given,), (output,)),))
    )
    build.weight("conv.weight", 8, 3, 3, 3)
    build.op("conv", "conv2d", *output, macs=size("216*B*(H - 2)*floor(W/2)"))
    build.module("pick", "Pick", (None, 8))
    return build.build()


@pytest.fixture
def tied() -> Architecture:
    """A language model whose head is its embedding."""
    build = Builder("LM", inputs=(Value("ids", (2, 16), "int64"),), outputs=(Value("logits", (2, 16, 100), "float32"),))
    build.module("", "LM", (2, 16, 100), given=(2, 16))
    build.module("embed", "Embedding", (2, 16, 8), given=(2, 16)).weight("embed.weight", 100, 8)
    build.module("layers", "ModuleList")
    for at in range(6):
        kind = "Global" if at % 2 else "Local"
        build.module(f"layers.{at}", kind, (2, 16, 8), layer_idx=at).weight(f"layers.{at}.scale", 8)
        build.module(f"layers.{at}.norm", "LayerNorm", (2, 16, 8)).weight(f"layers.{at}.norm.weight", 8)
    build.module("head", "Linear", (2, 16, 100), given=(2, 16, 8)).weight("head.weight", 100, 8, tied_to="embed.weight")
    build.op("head", "linear", 2, 16, 100, macs=2 * 16 * 8 * 100)
    return build.build()
