"""Pillow, which is compiled: images as sizes and modes; no file is read."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.size.dim import unknown_size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import register, row

CHANNELS = {"RGB": 3, "RGBA": 4, "RGBX": 4, "CMYK": 4, "YCbCr": 3, "HSV": 3, "LAB": 3, "LA": 2}
"""How many channels the modes have that have an axis for them; their numbers are uint8."""
_FLAT = {"L": "uint8", "P": "uint8", "I": "int32", "F": "float32", "1": "bool", "I;16": "uint16"}
"""The numbers of the modes that have no axis for channels."""
_MODES = {"uint8": "L", "int32": "I", "float32": "F", "float64": "F", "bool": "1", "uint16": "I;16"}
"""The modes of images that are made from arrays of two dimensions."""
_MODES_BY_CHANNELS = {2: "LA", 3: "RGB", 4: "RGBA"}
"""The modes of images that are made from arrays of uint8 with an axis of channels."""
for _number, _name in enumerate("NEAREST LANCZOS BILINEAR BICUBIC BOX HAMMING".split()):
    register(f"PIL.Image.{_name}", _number)
    register(f"PIL.Image.Resampling.{_name}", _number)
register("PIL.Image.ANTIALIAS", 1)


@row("PIL.Image.Image")
class Image:
    """An image: its width and height, and its mode, which says how many channels it has."""

    __module__ = "PIL.Image"

    def __init__(self, size: Any = (0, 0), mode: Any = "") -> None:
        self.size, self.mode = tuple(size), mode

    @property
    def width(self) -> Any:
        return self.size[0]

    @property
    def height(self) -> Any:
        return self.size[1]

    def as_array(self) -> Any:
        """Return what numpy makes of it."""
        from cutaway.knowledge.numpy.shaped import Array  # late: it imports numpy

        reason = "what is in an image is not known"
        mode = self.mode
        if isinstance(mode, Unknown) or mode not in {*CHANNELS, *_FLAT}:
            return mode if isinstance(mode, Unknown) else Unknown(f"an image of mode {mode!r} is not modelled")
        channels = (CHANNELS[mode],) if mode in CHANNELS else ()
        return Array((self.height, self.width, *channels), _FLAT.get(mode, "uint8"), reason)

    def resize(self, size: Any, *_args: Any, **_kwargs: Any) -> Any:
        return size if isinstance(size, Unknown) else Image(size, self.mode)

    def convert(self, mode: Any = None, *_args: Any, **_kwargs: Any) -> Any:
        if mode is None and isinstance(self.mode, str) and self.mode == "P":
            mode = Unknown("the mode of an image with a palette is not known after it is converted")
        return Image(self.size, self.mode if mode is None else mode)

    def crop(self, box: Any = None) -> Any:
        if box is None or isinstance(box, Unknown):
            return Image(self.size if box is None else (unknown_size(), unknown_size()), self.mode)
        return Image((box[2] - box[0], box[3] - box[1]), self.mode)

    def rotate(self, angle: Any, resample: Any = 0, expand: Any = False, *_args: Any, **_kwargs: Any) -> Any:
        return Image((unknown_size(), unknown_size()) if expand else self.size, self.mode)

    def transpose(self, method: Any) -> Any:
        return Image((unknown_size(), unknown_size()), self.mode)

    def copy(self) -> Any:
        return Image(self.size, self.mode)

    def filter(self, *_args: Any) -> Any:
        return self.copy()

    def load(self, *_args: Any) -> Any:
        return Unknown("what is in an image is not known")

    def save(self, *_args: Any, **_kwargs: Any) -> None:
        """Nothing is written."""

    show = close = save

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_exc: object) -> None:
        return None


@row("PIL.Image.open")
def open_(fp: Any, *_args: Any, **_kwargs: Any) -> Any:
    """Return an image of which neither size nor mode is known."""
    return Image(
        (unknown_size(), unknown_size()), Unknown("the mode of an image is not known", session.current().place())
    )


@row("PIL.Image.new")
def new(mode: Any, size: Any, color: Any = 0) -> Any:
    return size if isinstance(size, Unknown) else Image(size, mode)


@row("PIL.Image.fromarray")
def fromarray(obj: Any, mode: Any = None) -> Any:
    shape = getattr(obj, "shape", None)
    if not isinstance(shape, tuple) or len(shape) not in (2, 3):
        return Unknown("an image of an array that is not known")
    dtype = str(getattr(obj, "dtype", ""))
    known = _MODES.get(dtype) if len(shape) == 2 else _MODES_BY_CHANNELS.get(shape[2]) if dtype == "uint8" else None
    if mode is None and known is None:
        mode = Unknown(f"the mode of an image that is made from an array of {dtype or 'unknown numbers'} is not known")
    return Image((shape[1], shape[0]), known if mode is None else mode)
