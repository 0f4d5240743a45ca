"""`keras.utils` for images: files that are not read, but made to a size that is given."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.dim import unknown_size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.keras.training.downloads import array
from cutaway.knowledge.libraries.PIL import CHANNELS, Image

_MODES = {"rgb": "RGB", "rgba": "RGBA", "grayscale": "L"}


@row("keras.utils.load_img", "keras.preprocessing.image.load_img")
def load_img(
    path: Any, color_mode: Any = "rgb", target_size: Any = None, interpolation: Any = "nearest",
    keep_aspect_ratio: Any = False, grayscale: Any = False,
) -> Any:  # fmt: skip
    """Return an image of the size that it is brought to."""
    if isinstance(color_mode, Unknown) or isinstance(target_size, Unknown):
        return Unknown("the size of an image is not known")
    mode = _MODES["grayscale" if grayscale else color_mode]
    if target_size is None:
        return Image((unknown_size(), unknown_size()), mode)
    return Image((target_size[1], target_size[0]), mode)


@row("keras.utils.img_to_array", "keras.preprocessing.image.img_to_array")
def img_to_array(img: Any, data_format: Any = None, dtype: Any = None) -> Any:
    """Return an image as an array."""
    if not isinstance(img, Image):
        return img if isinstance(img, Unknown) else Unknown("an image that is not known")
    if isinstance(img.mode, Unknown):
        return img.mode
    shape = (img.size[1], img.size[0], CHANNELS.get(img.mode, 1))
    return array((shape[2], *shape[:2]) if data_format == "channels_first" else shape, dtype or "float32")


@row("keras.utils.array_to_img", "keras.preprocessing.image.array_to_img")
def array_to_img(x: Any, data_format: Any = None, *_args: Any, **_kwargs: Any) -> Any:
    """Return an array as an image."""
    shape = getattr(x, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 3:
        return Unknown("an image that is not known")
    height, width, channels = (*shape[1:], shape[0]) if data_format == "channels_first" else shape
    return Image((width, height), {1: "L", 3: "RGB", 4: "RGBA"}.get(channels, "RGB"))
