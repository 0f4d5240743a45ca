"""OpenCV, which is compiled: images as arrays whose shapes follow from what is asked for; no file is read."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.dim import unknown_size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import register, row

for _name, _value in {
    "IMREAD_UNCHANGED": -1, "IMREAD_GRAYSCALE": 0, "IMREAD_COLOR": 1, "INTER_NEAREST": 0, "INTER_LINEAR": 1,
    "INTER_CUBIC": 2, "INTER_AREA": 3, "INTER_LANCZOS4": 4, "COLOR_BGR2RGB": 4, "COLOR_RGB2BGR": 4,
    "COLOR_BGR2GRAY": 6, "COLOR_RGB2GRAY": 7, "COLOR_GRAY2BGR": 8, "COLOR_GRAY2RGB": 8, "COLOR_BGR2HSV": 40,
    "COLOR_RGB2HSV": 41, "COLOR_BGR2YUV": 82, "COLOR_RGB2YUV": 83,
}.items():  # fmt: skip
    register(f"cv2.{_name}", _value)


def _image(shape: Any, dtype: Any = "uint8") -> Any:
    from cutaway.knowledge.numpy.shaped import Array  # late: it imports numpy

    return Array(shape, dtype, "what is in an image is not known")


@row("cv2.imread")
def imread(filename: Any, flags: Any = 1) -> Any:
    """Return an image of an unknown size: in colour it has three channels, in grey none."""
    if flags not in (0, 1):
        return Unknown("the channels of an image that is read as it is are not known")
    size = (unknown_size(), unknown_size())
    return _image(size if flags == 0 else (*size, 3))


@row("cv2.resize")
def resize(src: Any, dsize: Any = None, dst: Any = None, fx: Any = 0, fy: Any = 0, interpolation: Any = 1) -> Any:
    """Return an image of another size; a size is given as width and height."""
    shape = getattr(src, "shape", None)
    if isinstance(shape, Unknown) or not isinstance(shape, tuple) or isinstance(dsize, Unknown):
        return Unknown("the size of an image is not known")
    rest = shape[2:] if shape[2:] != (1,) else ()
    if dsize is None or (isinstance(dsize, (tuple, list)) and tuple(dsize) == (0, 0)):
        return _image((unknown_size(), unknown_size(), *rest), src.dtype)
    if not isinstance(dsize, (tuple, list)) or len(dsize) != 2:
        return Unknown("the size that an image is resized to is not known")
    return _image((dsize[1], dsize[0], *rest), src.dtype)


_CHANNELS: dict[int, tuple[int, ...]] = {4: (3,), 6: (), 7: (), 8: (3,), 40: (3,), 41: (3,), 82: (3,), 83: (3,)}
"""The axis of channels that images have after the conversions that are modelled, by their codes."""


@row("cv2.cvtColor")
def cvt_color(src: Any, code: Any, *_args: Any, **_kwargs: Any) -> Any:
    """Return an image in other colours: in grey it has no axis of channels."""
    if not isinstance(code, int) or code not in _CHANNELS:
        return Unknown("the channels of an image are not known after this conversion")
    shape = getattr(src, "shape", None)
    if not isinstance(shape, tuple):
        return Unknown("the size of an image is not known")
    return _image((*shape[:2], *_CHANNELS[code]), src.dtype)
