"""`keras.ops.image`, and functions that move blocks of an image between space and channels."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import ceildiv
from cutaway.knowledge.keras.models.state import standardize_data_format
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.ops.conv import channels_first, restored
from cutaway.knowledge.keras.tensors.op import Out, op
from cutaway.knowledge.keras.tensors.shape import sizes_of, text
from cutaway.ops import blocks
from cutaway.ops.window import per_axis, windows


def resized(name: str, images: Any, size: Any, data_format: Any) -> Out:
    """Give images another height and width; a single one has no batch."""
    x = known_rank(images)
    if len(x._shape) not in (3, 4):
        raise ArgumentFault(
            f"{name}: images have 3 or 4 dimensions, but the shape is {text(x._shape)}", FaultCode.WRONG_RANK
        )
    height, width = sizes_of(size)
    if standardize_data_format(data_format) == "channels_last":
        return Out((*x._shape[:-3], height, width, x._shape[-1]), x._dtype)
    return Out((*x._shape[:-2], height, width), x._dtype)


@op("keras.ops.image.resize")
def resize(
    images, size, interpolation="bilinear", antialias=False, crop_to_aspect_ratio=False, pad_to_aspect_ratio=False,
    fill_mode="constant", fill_value=0.0, data_format=None,
):  # fmt: skip
    return resized("resize", images, size, data_format)


@op("keras.ops.image.rgb_to_grayscale")
def rgb_to_grayscale(images, data_format=None):
    x = known_rank(images)
    axis = -1 if standardize_data_format(data_format) == "channels_last" else -3
    shape = list(x._shape)
    shape[axis] = 1
    return Out(shape, x._dtype)


@op(
    "keras.ops.image.affine_transform",
    "keras.ops.image.rgb_to_hsv",
    "keras.ops.image.hsv_to_rgb",
    "keras.ops.image.gaussian_blur",
)
def unchanged(images, *args, **kwargs):
    x = known_rank(images)
    return Out(x._shape, x._dtype)


@op("keras.ops.image.extract_patches")
def extract_patches(images, size, strides=None, dilation_rate=1, padding="valid", data_format=None):
    x = known_rank(images)
    order = standardize_data_format(data_format)
    batched = x._shape if len(x._shape) == 4 else (1, *x._shape)
    shape = channels_first(batched, order)
    kernel = per_axis(size, 2, "extract_patches: size")
    if isinstance(strides, (list, tuple)) and len(strides) == 4:  # as TensorFlow takes them, for all axes
        strides = strides[1:3] if order == "channels_last" else strides[2:]
    steps = kernel if strides is None else per_axis(strides, 2, "extract_patches: strides")
    if padding == "same":
        sizes = [ceildiv(s, t) for s, t in zip(shape[2:], steps)]
    else:
        sizes = [windows(s, k, t, 0, 0, dilation_rate) for s, k, t in zip(shape[2:], kernel, steps)]
    made = restored((shape[0], shape[1] * kernel[0] * kernel[1], *sizes), order)
    return Out(made if len(x._shape) == 4 else made[1:], x._dtype)


@op("keras.ops.image.pad_images")
def pad_images(
    images, top_padding=None, left_padding=None, bottom_padding=None, right_padding=None, target_height=None,
    target_width=None, data_format=None,
):  # fmt: skip
    x = known_rank(images)
    axis = -3 if standardize_data_format(data_format) == "channels_last" else -2
    shape = list(x._shape)
    shape[axis] = (
        target_height if target_height is not None else shape[axis] + (top_padding or 0) + (bottom_padding or 0)
    )
    shape[axis + 1] = (
        target_width if target_width is not None else shape[axis + 1] + (left_padding or 0) + (right_padding or 0)
    )
    return Out(shape, x._dtype)


@op("keras.ops.image.crop_images")
def crop_images(
    images, top_cropping=None, left_cropping=None, bottom_cropping=None, right_cropping=None, target_height=None,
    target_width=None, data_format=None,
):  # fmt: skip
    x = known_rank(images)
    axis = -3 if standardize_data_format(data_format) == "channels_last" else -2
    shape = list(x._shape)
    shape[axis] = (
        target_height if target_height is not None else shape[axis] - (top_cropping or 0) - (bottom_cropping or 0)
    )
    shape[axis + 1] = (
        target_width if target_width is not None else shape[axis + 1] - (left_cropping or 0) - (right_cropping or 0)
    )
    return Out(shape, x._dtype)


@op("keras.ops.depth_to_space")
def depth_to_space(x, block_size, data_format="channels_last"):
    x = known_rank(x)
    order = standardize_data_format(data_format)
    made = blocks.to_space("depth_to_space", channels_first(x._shape, order), block_size)
    return Out(restored(made, order), x._dtype)


@op("keras.ops.space_to_depth")
def space_to_depth(x, block_size, data_format="channels_last"):
    x = known_rank(x)
    order = standardize_data_format(data_format)
    made = blocks.to_channels("space_to_depth", channels_first(x._shape, order), block_size)
    return Out(restored(made, order), x._dtype)
