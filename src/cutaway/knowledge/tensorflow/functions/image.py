"""`tf.image`: images of three or four dimensions, with their channels last."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import unknown_size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.ops.pool import pooled
from cutaway.knowledge.keras.tensors.dtypes import standardize
from cutaway.knowledge.keras.tensors.op import Out
from cutaway.knowledge.keras.tensors.shape import size_of, sizes_of, text
from cutaway.knowledge.keras.tensors.tensor import convert
from cutaway.knowledge.tensorflow.rows import tf
from cutaway.ops.reshape import rotate


def _image(name: str, image: Any) -> Any:
    x = known_rank(image)
    if len(x._shape) not in (3, 4):
        raise ArgumentFault(
            f"{name}: images must have 3 or 4 dimensions, but their shape is {text(x._shape)}", FaultCode.WRONG_RANK
        )
    return x


def _sized(x: Any, height: Any, width: Any, dtype: Any = None) -> Out:
    return Out((*x._shape[:-3], size_of(height), size_of(width), x._shape[-1]), dtype or x._dtype)


@tf("image.resize", "image.resize_images")
def resize(images, size, method="bilinear", preserve_aspect_ratio=False, antialias=False, name=None, **_former):
    x = _image("resize", images)
    height, width = sizes_of(size)
    if preserve_aspect_ratio is not False:
        height, width = unknown_size(), unknown_size()
    nearest = method in ("nearest", 1)
    return _sized(x, height, width, x._dtype if nearest else standardize("float32"))


def _resizing(method: str) -> Any:
    def rule(
        images: Any, size: Any, align_corners: Any = False, name: Any = None, half_pixel_centers: Any = False
    ) -> Out:
        x = _image(f"resize_{method}", images)
        height, width = sizes_of(size)
        return _sized(x, height, width, x._dtype if method == "nearest_neighbor" else standardize("float32"))

    return rule


for _name in ("bilinear", "nearest_neighbor", "bicubic", "area"):
    tf(f"compat.v1.image.resize_{_name}", f"image.resize_{_name}")(_resizing(_name))


@tf("image.resize_with_pad")
def resize_with_pad(image, target_height, target_width, method="bilinear", antialias=False):
    return _sized(_image("resize_with_pad", image), target_height, target_width, standardize("float32"))


@tf("image.resize_with_crop_or_pad", "image.resize_image_with_crop_or_pad")
def resize_with_crop_or_pad(image, target_height, target_width):
    return _sized(_image("resize_with_crop_or_pad", image), target_height, target_width)


@tf("image.crop_to_bounding_box")
def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width, name=None):
    return _sized(_image("crop_to_bounding_box", image), target_height, target_width)


@tf("image.pad_to_bounding_box")
def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width, name=None):
    return _sized(_image("pad_to_bounding_box", image), target_height, target_width)


@tf("image.random_crop", "random_crop")
def random_crop(value, size, seed=None, name=None):
    x = known_rank(value)
    sizes = sizes_of(size)
    if len(sizes) != len(x._shape):
        raise ArgumentFault(
            f"random_crop: size {text(sizes)} does not have the rank of {text(x._shape)}", FaultCode.ARGUMENT_LENGTH
        )
    return Out(sizes, x._dtype)


@tf("image.central_crop")
def central_crop(image, central_fraction):
    x = _image("central_crop", image)
    if isinstance(central_fraction, (int, float)) and all(isinstance(s, int) for s in x._shape[-3:-1]):
        sizes = [s - 2 * int((s - s * central_fraction) / 2) for s in x._shape[-3:-1]]
        return _sized(x, *sizes)
    return _sized(x, unknown_size(), unknown_size())


def _same(name: str) -> Any:
    def rule(image: Any, *args: Any, **kwargs: Any) -> Out:
        x = convert(image)
        return Out(x._shape, x._dtype)

    return rule


for (
    _name
) in """flip_left_right flip_up_down random_flip_left_right random_flip_up_down random_brightness random_contrast
random_hue random_saturation adjust_brightness adjust_contrast adjust_hue adjust_saturation adjust_gamma rgb_to_hsv
hsv_to_rgb rgb_to_yuv yuv_to_rgb""".split():
    tf(f"image.{_name}")(_same(_name))


@tf("image.per_image_standardization")
def per_image_standardization(image):
    x = convert(image)
    return Out(x._shape, x._dtype if x._dtype == "float16" else "float32")


@tf("image.rot90", "image.transpose", "image.transpose_image")
def rot90(image, k=1, name=None):
    x = _image("rot90", image)
    turns = 1 if isinstance(k, str) else k  # the second argument of `transpose` is its name
    return Out(rotate(x._shape, turns, -3, -2), x._dtype)


@tf("image.rgb_to_grayscale")
def rgb_to_grayscale(images, name=None):
    x = known_rank(images)
    return Out((*x._shape[:-1], 1), x._dtype)


@tf("image.grayscale_to_rgb")
def grayscale_to_rgb(images, name=None):
    x = known_rank(images)
    return Out((*x._shape[:-1], 3), x._dtype)


@tf("image.convert_image_dtype")
def convert_image_dtype(image, dtype, saturate=False, name=None):
    return Out(convert(image)._shape, standardize(dtype))


def _decoded(contents: Any, channels: Any = 0, *_args: Any, dtype: Any = "uint8", **_kwargs: Any) -> Out:
    depth = channels if isinstance(channels, int) and channels else unknown_size()
    return Out((unknown_size(), unknown_size(), depth), standardize(dtype))


for _name in ("decode_jpeg", "decode_png", "decode_bmp"):
    tf(f"image.{_name}", f"io.{_name}")(_decoded)


@tf("io.read_file", "read_file")
def read_file(filename, name=None):
    return Out((), "string")


@tf("image.decode_image", "io.decode_image")
def decode_image(contents, channels=0, dtype="uint8", name=None, expand_animations=True):
    if expand_animations is not False:
        return Out(Unknown("an image that may be an animation"), standardize(dtype))
    return _decoded(contents, channels, dtype=dtype)


@tf("image.extract_patches", "extract_image_patches")
def extract_patches(images, sizes, strides, rates, padding, name=None):
    x = _image("extract_patches", images)
    extents = [(size - 1) * rate + 1 for size, rate in zip(sizes[1:3], rates[1:3])]
    made = pooled("extract_patches", x, extents, list(strides[1:3]), str(padding).lower(), "channels_last")
    return Out((*made.shape[:-1], x._shape[-1] * sizes[1] * sizes[2]), x._dtype)
