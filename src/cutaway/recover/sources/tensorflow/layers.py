"""Convolutions, pooling, normalisation, resizing, products of matrices."""

from __future__ import annotations

from typing import Any

from cutaway.recover.graph import Literal, Tensor
from cutaway.recover.sources.channels_last import ChannelsLast, filled, kernel, zeros_like
from cutaway.recover.sources.emission import alike, shortest
from cutaway.recover.sources.onnx.registry import Call
from cutaway.recover.sources.tensorflow.operation import (
    image,
    is_last,
    known_shape,
    operation,
    out_shape,
    spatial,
    whole,
)


def _weight(call: Call, place: int) -> Tensor:
    weight = call.tensor(place)
    if weight is None or "float" not in weight.dtype:
        call.unsupported("its weights are computed, or quantised")
    return weight


def _padded(call: Call, layer: ChannelsLast, window: list[int], strides: list[int], dilations: list[int]) -> Any:
    """Return the padding of a convolution; what its layer can't add by itself is added before it."""
    mode = str(call.get("padding", "VALID"))
    if mode != "EXPLICIT":
        return layer.padded(mode, window, strides, dilations)
    amounts = call.get("explicit_paddings", [])
    pairs = list(zip(amounts[::2], amounts[1::2]))
    pairs = pairs[1:-1] if layer.is_last else pairs[2:]
    if all(one == other for one, other in pairs):
        return alike([one for one, _ in pairs])
    shape = (*layer.shape[:2], *(size + one + other for size, (one, other) in zip(layer.shape[2:], pairs)))
    layer.step("F.pad", shape, pad=tuple(amount for pair in reversed(pairs) for amount in pair))
    return 0


@operation("Conv2D Conv3D")
def convolution(call: Call) -> None:
    """A convolution."""
    layer, weight = image(call), _weight(call, 1)
    *window, ins, outs = weight.shape
    strides, dilations = spatial(call, "strides"), spatial(call, "dilations")
    padding = _padded(call, layer, window, strides, dilations)
    channels = layer.shape[1]
    layer.emit(
        f"nn.Conv{layer.spatial}d",
        {"weight": kernel(weight)},
        in_channels=channels,
        out_channels=outs,
        kernel_size=alike(window),
        stride=alike(strides),
        padding=padding,
        dilation=alike(dilations),
        groups=channels // ins,
        bias=False,
    )


@operation("DepthwiseConv2dNative")
def depthwise(call: Call) -> None:
    """A convolution of each channel."""
    layer, weight = image(call), _weight(call, 1)
    *window, channels, times = weight.shape
    strides, dilations = spatial(call, "strides"), spatial(call, "dilations")
    padding = _padded(call, layer, window, strides, dilations)
    layer.emit(
        "nn.Conv2d",
        {"weight": kernel(weight, depthwise=True)},
        in_channels=channels,
        out_channels=channels * times,
        kernel_size=alike(window),
        stride=alike(strides),
        padding=padding,
        dilation=alike(dilations),
        groups=channels,
        bias=False,
    )


@operation("Conv2DBackpropInput Conv3DBackpropInputV2")
def transposed(call: Call) -> None:
    """A transposed convolution; what it cuts off follows from its padding."""
    layer, weight = image(call, 2), _weight(call, 1)
    *window, outs, ins = weight.shape
    strides, dilations = spatial(call, "strides", 2), spatial(call, "dilations", 2)
    out = out_shape(call)
    wanted = out[1:-1] if layer.is_last else out[2:]
    pads, extra = [], []
    for size, width, stride, dilation, target in zip(layer.shape[2:], window, strides, dilations, wanted):
        reach = (width - 1) * dilation + 1
        cut = max(reach - stride, 0) if call.get("padding") == "SAME" else 0
        pads.append((cut + 1) // 2)
        left = target - ((size - 1) * stride - 2 * pads[-1] + reach)
        if not isinstance(left, int) or left < 0 or (left and left >= max(stride, dilation)):
            call.unsupported("its padding can't be expressed")
        if cut % 2 and left != 1:
            call.unsupported("its padding can't be expressed")
        extra.append(left)
    places = tuple(range(layer.spatial))
    layer.emit(
        f"nn.ConvTranspose{layer.spatial}d",
        {"weight": weight.permuted(layer.spatial + 1, layer.spatial, *places)},
        in_channels=ins,
        out_channels=outs,
        kernel_size=alike(window),
        stride=alike(strides),
        padding=alike(pads),
        output_padding=alike(extra),
        groups=1,
        bias=False,
        dilation=alike(dilations),
    )


@operation("MaxPool MaxPool3D AvgPool AvgPool3D MaxPoolV2")
def pool(call: Call) -> None:
    """The largest number, or the mean, of each window."""
    if call.op == "MaxPoolV2":
        call.unsupported("its windows are computed")
    layer = image(call)
    window, strides = spatial(call, "ksize"), spatial(call, "strides")
    is_max = call.op.startswith("Max")
    padding, ceiling = layer.windowed(str(call.get("padding", "VALID")), window, strides, is_max)
    config: dict[str, Any] = {"kernel_size": alike(window), "stride": alike(strides), "padding": padding}
    if is_max:
        layer.emit(f"nn.MaxPool{layer.spatial}d", **config, dilation=1, ceil_mode=ceiling)
    else:
        layer.emit(
            f"nn.AvgPool{layer.spatial}d", **config, ceil_mode=ceiling, count_include_pad=padding == 0 and not ceiling
        )


@operation("FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3")
def batch_norm(call: Call) -> None:
    """A normalisation by means and variances that are stored."""
    if call.get("is_training", True):
        call.unsupported("it is in training mode")
    scale, offset, mean, variance = (call.tensor(place) for place in (1, 2, 3, 4))
    if mean is None or variance is None:
        call.unsupported("its mean and variance are computed")
    (size,) = mean.shape
    layer = image(call)
    weights = {
        "weight": scale or filled(mean, 1.0, size),
        "bias": offset or zeros_like(mean, size),
        "running_mean": mean,
        "running_var": variance,
    }
    call.outputs = call.outputs[:1]
    eps = shortest(call.get("epsilon", 1e-4))
    layer.emit(f"nn.BatchNorm{layer.spatial}d", weights, num_features=size, eps=eps)


@operation("BiasAdd")
def bias(call: Call) -> None:
    """A number for each channel added."""
    tensor, rank = call.tensor(1), call.known_rank()
    if is_last(call) or rank == 2:
        call.emit("+", call.name(0), call.name(1))
        return
    if tensor is None:
        call.unsupported("what it adds is computed")
    name = f"{call.operation.outputs[0]}:bias"
    call.graph.tensors[name] = tensor.reshaped(*tensor.shape, *[1] * (rank - 2))
    call.emit("+", call.name(0), name)


@operation("MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3")
def matmul(call: Call) -> None:
    """A product of matrices; with a stored matrix on the right, a linear layer."""
    turned = [
        call.get(key, False) or call.get(other, False)
        for key, other in (("transpose_a", "adj_x"), ("transpose_b", "adj_y"))
    ]
    weight = call.tensor(1)
    if weight is not None and len(weight.shape) == 2 and not turned[0] and "float" in weight.dtype:
        matrix = weight if turned[1] else weight.permuted(1, 0)
        outs, ins = matrix.shape
        call.emit("nn.Linear", call.name(), weights={"weight": matrix}, in_features=ins, out_features=outs, bias=False)
        return
    sides = []
    for place, turn in enumerate(turned):
        name = call.name(place)
        if turn:
            shape = known_shape(call, place)
            name = call.temporary(".transpose", name, shape=(*shape[:-2], shape[-1], shape[-2]), dims=(-2, -1))
        sides.append(name)
    call.emit("@", *sides)


@operation("Einsum")
def einsum(call: Call) -> None:
    """A sum of products by Einstein's notation."""
    equation = str(call.get("equation", "")).replace(" ", "")
    if not equation.isascii() or not all(sign.isalpha() or sign in ",->." for sign in equation):
        call.unsupported("its equation has other signs than letters")
    call.emit("torch.einsum", Literal(equation), *(name for name in call.operation.inputs if name))


@operation("LRN")
def response_norm(call: Call) -> None:
    """A normalisation by neighbouring channels."""
    layer, size = image(call), 2 * call.get("depth_radius", 5) + 1
    config = {
        "alpha": shortest(call.get("alpha", 1.0) * size),
        "beta": shortest(call.get("beta", 0.5)),
        "k": shortest(call.get("bias", 1.0)),
    }
    layer.emit("nn.LocalResponseNorm", size=size, **config)


@operation("ResizeBilinear ResizeNearestNeighbor ResizeBicubic")
def resize(call: Call) -> None:
    """Another size of an image."""
    layer, size = image(call), out_shape(call)[1:3]
    half, corners = bool(call.get("half_pixel_centers", False)), bool(call.get("align_corners", False))
    if call.op == "ResizeNearestNeighbor":
        if corners:
            call.unsupported("its corners are aligned")
        layer.emit("F.interpolate", size=tuple(size), mode="nearest-exact" if half else "nearest")
        return
    if call.op == "ResizeBicubic" or not (half or corners):
        call.unsupported("its coordinates are those of corners on one side, or it is bicubic")
    layer.emit("F.interpolate", size=tuple(size), mode="bilinear", align_corners=corners)


@operation("DepthToSpace SpaceToDepth")
def moved(call: Call) -> None:
    """Channels moved to places, or places to channels."""
    block, last = call.get("block_size", 1), is_last(call)
    if not last:
        call.unsupported("its channels come second")
    n, h, w, c = known_shape(call)
    if call.op == "DepthToSpace":
        inner = c // block**2
        sizes = (n, h, w, block, block, inner)
        order, out = (0, 1, 3, 2, 4, 5), (n, h, block, w, block, inner)
    else:
        sizes = (n, h // block, block, w // block, block, c)
        order, out = (0, 1, 3, 2, 4, 5), (n, h // block, w // block, block, block, c)
    apart = call.temporary(".reshape", call.name(), shape=sizes, sizes=sizes)
    turned = call.temporary(".permute", apart, shape=out, dims=order)
    call.emit(".reshape", turned, sizes=out_shape(call))


@operation("L2Loss")
def loss(call: Call) -> None:
    """Half the sum of squares."""
    squares = call.temporary("torch.square", call.name(), shape=known_shape(call))
    total = call.temporary(".sum", squares, shape=())
    call.emit("/", total, Literal(2))


@operation("SpaceToBatchND BatchToSpaceND")
def blocks(call: Call) -> None:
    """Places of blocks moved to the batch, or back."""
    block, amounts = whole(call, 1, "its block"), whole(call, 2, "its padding")
    shape = known_shape(call)
    pairs = list(zip(amounts[::2], amounts[1::2]))
    count, rank = len(block), len(shape)
    times = 1
    for size in block:
        times *= size
    if call.op == "SpaceToBatchND":
        source, inner = call.name(), list(shape)
        if any(amount for pair in pairs for amount in pair):
            flat = tuple(amount for pair in reversed(pairs) for amount in pair)
            inner = [shape[0], *(s + a + b for s, (a, b) in zip(shape[1:], pairs)), *shape[1 + count :]]
            source = call.temporary("F.pad", source, shape=inner, pad=(*[0] * (2 * (rank - 1 - count)), *flat))
        sizes: list[Any] = [inner[0]]
        for size, each in zip(inner[1:], block):
            sizes += [size // each, each]
        sizes += inner[1 + count :]
        order = [
            *(2 + 2 * at for at in range(count)),
            0,
            *(1 + 2 * at for at in range(count)),
            *range(1 + 2 * count, len(sizes)),
        ]
        apart = call.temporary(".reshape", source, shape=sizes, sizes=tuple(sizes))
        turned = call.temporary(".permute", apart, shape=[sizes[at] for at in order], dims=tuple(order))
        call.emit(".reshape", turned, sizes=out_shape(call))
        return
    batch = shape[0] // times
    sizes = [*block, batch, *shape[1:]]
    order = [count]
    for at in range(count):
        order += [count + 1 + at, at]
    order += range(2 * count + 1, len(sizes))
    apart = call.temporary(".reshape", call.name(), shape=sizes, sizes=tuple(sizes))
    turned = call.temporary(".permute", apart, shape=[sizes[at] for at in order], dims=tuple(order))
    together = [batch, *(size * each for size, each in zip(shape[1:], block)), *shape[1 + count :]]
    if not any(amount for pair in pairs for amount in pair):
        call.emit(".reshape", turned, sizes=tuple(together))
        return
    joined = call.temporary(".reshape", turned, shape=together, sizes=tuple(together))
    index = [slice(a or None, size - b if b else None) for (a, b), size in zip(pairs, together[1:])]
    call.emit("getitem", joined, index=(slice(None), *index))
