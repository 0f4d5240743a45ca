"""Functions on images: resampling, sampling at a grid, rearranging pixels, patches."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault, NotImplementedFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, less, product
from cutaway.core.unknown import Unknown
from cutaway.knowledge.torch.functional.argument import empty, floating, same_dtype
from cutaway.knowledge.torch.tensor.op import Out, composite, compute, op
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.ops import blocks
from cutaway.ops.pool import adaptive_pool
from cutaway.ops.resize import resize
from cutaway.ops.window import per_axis, require_at_least, shown, size_of, windows

_F = "torch.nn.functional."
_RANKS = {"linear": (3,), "bilinear": (4,), "bicubic": (4,), "lanczos": (4,), "trilinear": (5,)}
_ANY_RANK = ("nearest", "nearest-exact", "area")


def _interpolate(
    input: Any, size: Any, scale_factor: Any, mode: Any, align_corners: Any, recompute: Any, antialias: Any
) -> Out:
    _check_interpolate(input.shape, size, scale_factor, mode, align_corners, recompute, antialias)
    name = "interpolate"
    shape = input.shape
    size, scale_factor = _numbers(size), _numbers(scale_factor)
    out = resize(name, shape, size, scale_factor, least=0 if mode == "area" else 1)
    if mode == "area":
        out = adaptive_pool(name, shape, out[2:], rank=len(shape) - 2)
    exact = mode == "nearest" and size is not None and all(type(s) is int for s in (*shape, *out))
    return Out(out, input.dtype, compute(lambda np, a: _nearest(np, a, out), input) if exact else None)


def _check_interpolate(
    shape: Any, size: Any, scale_factor: Any, mode: Any, align_corners: Any, recompute: Any, antialias: Any
) -> None:
    """Raise what torch does where the arguments of `interpolate` do not go together."""
    name = "interpolate"
    ranks = (3, 4, 5) if mode in _ANY_RANK else _RANKS.get(mode, ())
    if not ranks:
        raise NotImplementedFault(f"{name}: there is no mode {mode!r}", FaultCode.INVALID_ARGUMENT)
    if mode in _ANY_RANK and align_corners is not None:
        raise ArgumentFault(f"{name}: align_corners can't be set with mode {mode}", FaultCode.ARGUMENT_CONFLICT)
    for what, given in (("size", size), ("scale_factor", scale_factor)):
        count = len(given) if isinstance(given, (tuple, list)) else None
        if count is not None and count != len(shape) - 2:
            raise ArgumentFault(
                f"{name}: {what} has {count} numbers, but the input has {len(shape) - 2} spatial dimensions, "
                f"{shown(shape[2:])}",
                FaultCode.ARGUMENT_LENGTH,
            )
    if len(shape) not in ranks:
        raise NotImplementedFault(
            f"{name}: mode {mode} needs an input of {' or '.join(map(str, ranks))} dimensions, "
            f"but its shape is {shown(shape)}",
            FaultCode.WRONG_RANK,
        )
    if antialias and mode not in ("bilinear", "bicubic", "lanczos"):
        raise ArgumentFault(
            f"{name}: antialias is only for bilinear, bicubic and lanczos, not {mode}", FaultCode.ARGUMENT_CONFLICT
        )
    if mode == "lanczos" and (align_corners or not antialias):
        raise ArgumentFault(f"{name}: lanczos needs antialias=True and no align_corners", FaultCode.ARGUMENT_CONFLICT)
    if size is not None and recompute:
        raise ArgumentFault(
            f"{name}: recompute_scale_factor has no meaning with an explicit size", FaultCode.ARGUMENT_CONFLICT
        )
    if isinstance(size, float) or (isinstance(size, (tuple, list)) and any(isinstance(s, float) for s in size)):
        raise TypeFault(f"{name}: size must be integers, but is {size}", FaultCode.WRONG_TYPE)


def _nearest(np: Any, array: Any, shape: Any) -> Any:
    """Take the element that is nearest to each place of another size, as torch does in single precision."""
    for axis in range(2, len(shape)):
        before, after = array.shape[axis], shape[axis]
        places = np.floor(np.arange(after, dtype=np.float32) * (np.float32(before) / np.float32(after)))
        array = np.take(array, np.minimum(places.astype(int), before - 1), axis)
    return array


def _numbers(given: Any) -> Any:
    if isinstance(given, (tuple, list)):
        return tuple(_numbers(item) for item in given)
    return given.array().item() if isinstance(given, Tensor) else given


@op(f"{_F}interpolate")
def interpolate(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
    antialias=False,
):  # fmt: skip
    return _interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)


@composite(f"{_F}upsample")
def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    return interpolate(input, size, scale_factor, mode, align_corners)


@composite(f"{_F}upsample_nearest")
def upsample_nearest(input, size=None, scale_factor=None):
    return interpolate(input, size, scale_factor, mode="nearest")


@composite(f"{_F}upsample_bilinear")
def upsample_bilinear(input, size=None, scale_factor=None):
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def _check_grid(input: Any, grid: Any) -> Out:
    name, shape, places = "grid_sample", input.shape, grid.shape
    if len(shape) not in (4, 5) or len(shape) != len(places):
        raise Fault(
            f"{name}: input and grid must both have 4 or both 5 dimensions, "
            f"but their shapes are {shown(shape)} and {shown(places)}",
            FaultCode.WRONG_RANK,
        )
    if equal(shape[0], places[0]) is False:
        raise Fault(
            f"{name}: input has a batch of {shape[0]}, but grid has one of {places[0]}", FaultCode.SHAPE_MISMATCH
        )
    if equal(places[-1], len(shape) - 2) is False:
        raise Fault(
            f"{name}: the last dimension of grid must be {len(shape) - 2}, but is {places[-1]}",
            FaultCode.SHAPE_MISMATCH,
        )
    if any(equal(size, 0) is True for size in shape[2:]):
        raise Fault(f"{name}: input {shown(shape)} has a spatial dimension of size 0", FaultCode.SHAPE_MISMATCH)
    floating(name, input)
    return Out((*shape[:2], *places[1:-1]), same_dtype(name, input=input, grid=grid))


@op(f"{_F}grid_sample")
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    for what, given, allowed in (
        ("mode", mode, ("bilinear", "nearest", "bicubic")),
        ("padding_mode", padding_mode, ("zeros", "border", "reflection")),
    ):
        if not isinstance(given, Unknown) and given not in allowed:
            raise ArgumentFault(
                f"grid_sample: {what} must be one of {allowed}, but is {given!r}", FaultCode.INVALID_ARGUMENT
            )
    if mode == "bicubic" and len(input.shape) != 4:
        raise Fault(
            f"grid_sample: bicubic needs an input of 4 dimensions, but its shape is {shown(input.shape)}",
            FaultCode.WRONG_RANK,
        )
    return _check_grid(input, grid)


@op("torch.grid_sampler", "torch.grid_sampler_2d", "torch.grid_sampler_3d")
def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    return _check_grid(input, grid)


def _affine_grid(theta: Any, size: Any) -> Out:
    name, shape = "affine_grid", theta.shape
    sizes = tuple(size_of(number, f"{name}: size") for number in size)
    if len(sizes) not in (4, 5):
        raise NotImplementedFault(
            f"{name}: size must have 4 or 5 numbers, but is {shown(sizes)}", FaultCode.ARGUMENT_LENGTH
        )
    dims = len(sizes) - 2
    if len(shape) != 3 or equal(shape[1], dims) is False or equal(shape[2], dims + 1) is False:
        raise ArgumentFault(
            f"{name}: theta must have shape (batch, {dims}, {dims + 1}) for the size {shown(sizes)}, "
            f"but has {shown(shape)}",
            FaultCode.SHAPE_MISMATCH,
        )
    if equal(shape[0], sizes[0]) is False:
        raise Fault(
            f"{name}: theta has a batch of {shape[0]}, but size has one of {sizes[0]}", FaultCode.SHAPE_MISMATCH
        )
    if any(less(number, 1) is True for number in sizes):
        raise ArgumentFault(f"{name}: size must be positive, but is {shown(sizes)}", FaultCode.INVALID_ARGUMENT)
    return Out((sizes[0], *sizes[2:], dims), theta.dtype)


@op(f"{_F}affine_grid")
def affine_grid(theta, size, align_corners=None):
    if not theta.dtype.is_floating_point:
        raise ArgumentFault(f"affine_grid: theta must be floating, but is {theta.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    return _affine_grid(theta, size)


@op("torch.affine_grid_generator")
def affine_grid_generator(theta, size, align_corners):
    return _affine_grid(theta, size)


def _image(name: str, shape: Any) -> None:
    if len(shape) < 3:
        raise Fault(
            f"{name}: input must have at least 3 dimensions, but its shape is {shown(shape)}", FaultCode.WRONG_RANK
        )


@op(f"{_F}pixel_shuffle", "torch.pixel_shuffle")
def pixel_shuffle(input, upscale_factor):
    name, shape, factor = "pixel_shuffle", input.shape, size_of(upscale_factor, "pixel_shuffle: upscale_factor")
    _image(name, shape)
    require_at_least((factor,), 1, f"{name}: upscale_factor")
    return Out(blocks.to_space(name, shape, factor), input.dtype)


@op(f"{_F}pixel_unshuffle", "torch.pixel_unshuffle")
def pixel_unshuffle(input, downscale_factor):
    name, shape, factor = "pixel_unshuffle", input.shape, size_of(downscale_factor, "pixel_unshuffle: downscale_factor")
    _image(name, shape)
    require_at_least((factor,), 1, f"{name}: downscale_factor")
    if empty(shape):
        return Out(shape, input.dtype)
    return Out(blocks.to_channels(name, shape, factor), input.dtype)


@op(f"{_F}channel_shuffle", "torch.channel_shuffle", f"{_F}native_channel_shuffle", "torch.native_channel_shuffle")
def channel_shuffle(input, groups):
    name, shape, groups = "channel_shuffle", input.shape, size_of(groups, "channel_shuffle: groups")
    _image(name, shape)
    require_at_least((groups,), 1, f"{name}: groups")
    if not session.require_equal(shape[1] % groups, 0, name):
        raise Fault(
            f"{name}: input has {shape[1]} channels, which {groups} groups do not divide", FaultCode.SHAPE_MISMATCH
        )
    return Out(shape, input.dtype)


def _patch_settings(name: str, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    given = {"kernel_size": kernel_size, "dilation": dilation, "padding": padding, "stride": stride}
    settings = {what: per_axis(value, 2, f"{name}: {what}") for what, value in given.items()}
    for what, sizes in settings.items():
        require_at_least(sizes, 0 if what == "padding" else 1, f"{name}: {what}")
    return settings.values()


@op(f"{_F}unfold")
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    name, shape = "unfold", input.shape
    if len(shape) not in (3, 4):
        raise Fault(f"{name}: input must have 3 or 4 dimensions, but its shape is {shown(shape)}", FaultCode.WRONG_RANK)
    kernel, dilation, padding, stride = _patch_settings(name, kernel_size, dilation, padding, stride)
    counts = [windows(s, k, t, p, p, d) for s, k, t, p, d in zip(shape[-2:], kernel, stride, padding, dilation)]
    if any(less(count, 1) is True for count in counts):
        raise Fault(
            f"{name}: an input of {shown(shape[-2:])} is too small for a kernel of {shown(kernel)}",
            FaultCode.KERNEL_TOO_LARGE,
        )
    return Out((*shape[:-3], shape[-3] * product(kernel), product(counts)), input.dtype)


@op(f"{_F}fold")
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    name, shape = "fold", input.shape
    if len(shape) not in (2, 3):
        raise Fault(f"{name}: input must have 2 or 3 dimensions, but its shape is {shown(shape)}", FaultCode.WRONG_RANK)
    out = per_axis(output_size, 2, f"{name}: output_size")
    kernel, dilation, padding, stride = _patch_settings(name, kernel_size, dilation, padding, stride)
    if equal(shape[-2] % product(kernel), 0) is False:
        raise Fault(
            f"{name}: input has {shape[-2]} rows, which the {product(kernel)} numbers of a kernel "
            f"{shown(kernel)} do not divide",
            FaultCode.SHAPE_MISMATCH,
        )
    counts = [windows(s, k, t, p, p, d) for s, k, t, p, d in zip(out, kernel, stride, padding, dilation)]
    if equal(shape[-1], product(counts)) is False:
        raise Fault(
            f"{name}: input has {shape[-1]} blocks, but an output of {shown(out)} is made of "
            f"{product(counts)} blocks {shown(counts)}",
            FaultCode.SHAPE_MISMATCH,
        )
    return Out((*shape[:-2], shape[-2] // product(kernel), *out), input.dtype)
