"""torchvision: data sets that programs download, taken as present, and transformations of images, as sizes and modes.

The numbers of images are not known. Sizes of images that differ from sample to sample are unknown.
"""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.image_datasets import IMAGES
from cutaway.knowledge.base.registry import KnownModule, register, row
from cutaway.knowledge.libraries.PIL import CHANNELS, Image
from cutaway.knowledge.torch.runtime.data import Dataset
from cutaway.knowledge.torch.tensor.op import ARRAYS
from cutaway.knowledge.torch.tensor.tensor import Tensor, new
from cutaway.ops.norm import fits
from cutaway.ops.window import shown

CALLS_AS_LIBRARY = True  # functions of the target are called exactly as the library does

torch = KnownModule("torch")
_T = "torchvision.transforms.transforms"
_LENGTHS = {
    "MNIST": (60000, 10000), "FashionMNIST": (60000, 10000), "KMNIST": (60000, 10000), "QMNIST": (60000, 60000),
    "CIFAR10": (50000, 10000), "CIFAR100": (50000, 10000), "SVHN": (73257, 26032), "STL10": (5000, 8000),
    "USPS": (7291, 2007),
}  # fmt: skip
_CLASSES = {"CIFAR100": 100}
_SPLIT = frozenset(("SVHN", "STL10", "EMNIST"))
"""Data sets that take the name of a part in place of `train`."""
_HOMES = {
    "mnist": "MNIST FashionMNIST KMNIST QMNIST", "cifar": "CIFAR10 CIFAR100", "svhn": "SVHN", "stl10": "STL10",
    "usps": "USPS",
}  # fmt: skip


def _label() -> Unknown:
    """Return a number of a class, which is not known."""
    return Unknown("the label of a sample is not known", session.current().place(), kind=int)


class _Images(Dataset[Any]):
    """Images of one size with their labels."""

    _name = ""

    def __init__(
        self,
        root: Any = None,
        train: Any = True,
        transform: Any = None,
        target_transform: Any = None,
        download: Any = False,
    ) -> None:
        self.root, self.transform, self.target_transform = root, transform, target_transform
        self.train = train
        session.current().assume(f"the data set {self._name} is there")
        self.classes = [str(number) for number in range(_CLASSES.get(self._name, 10))]

    def __len__(self) -> int:
        if isinstance(self.train, Unknown):
            raise Undecidable(self.train)
        return _LENGTHS[self._name][0 if self.train in (True, "train") else 1]

    def __getitem__(self, index: Any) -> Any:
        channels, rows, columns = IMAGES[self._name]
        image: Any = Image((columns, rows), "L" if channels == 1 else "RGB")
        return _transformed(self, image)

    @property
    def data(self) -> Any:
        channels, rows, columns = IMAGES[self._name]
        if channels == 1:
            return new((len(self), rows, columns), torch.uint8)
        return Unknown("the numbers of a data set are not known", session.current().place())

    @property
    def targets(self) -> Any:
        if IMAGES[self._name][0] == 1:
            return new((len(self),), torch.int64)
        return Unknown("the labels of a data set are not known", session.current().place())


def _transformed(dataset: Any, image: Any) -> Any:
    label: Any = _label()
    if dataset.transform is not None:
        image = dataset.transform(image)
    if dataset.target_transform is not None:
        label = dataset.target_transform(label)
    return image, label


def _with_split(cls: type) -> None:
    """Give a data set the arguments of those that name their part."""

    def __init__(
        self: Any,
        root: Any,
        split: Any = "train",
        transform: Any = None,
        target_transform: Any = None,
        download: Any = False,
        **_options: Any,
    ) -> None:
        _Images.__init__(self, root, split, transform, target_transform, download)

    cls.__init__ = __init__  # type: ignore[misc]


for _home, _names in _HOMES.items():
    for _each in _names.split():
        _made = type(_each, (_Images,), {"_name": _each, "__module__": f"torchvision.datasets.{_home}"})
        if _each in _SPLIT:
            _with_split(_made)
        register(f"torchvision.datasets.{_home}.{_each}", _made)


@row("torchvision.datasets.folder.ImageFolder")
class ImageFolder(Dataset[Any]):
    """Images in folders, one for each class; how many there are, and how large, is not known."""

    def __init__(
        self, root: Any, transform: Any = None, target_transform: Any = None, *_args: Any, **_kwargs: Any
    ) -> None:
        self.root, self.transform, self.target_transform = root, transform, target_transform
        session.current().assume("the folder of images is there", session.current().place())
        self.classes = self.class_to_idx = self.samples = self.imgs = self.targets = Unknown(
            "what is in a folder of images is not known", session.current().place()
        )

    def __len__(self) -> int:
        raise Undecidable(Unknown("how many images a folder has is not known", session.current().place()))

    def __getitem__(self, index: Any) -> Any:
        return _transformed(self, Image((unknown_size(), unknown_size()), "RGB"))


# Transformations


def _pair(size: Any) -> tuple[Any, Any] | None:
    """Return height and width, None where only the shorter side is given."""
    if isinstance(size, (list, tuple)):
        return (size[0], size[-1]) if len(size) == 2 else None
    return None


def _sizes(image: Any) -> tuple[Any, Any]:
    """Return height and width of an image or a tensor."""
    if isinstance(image, Tensor):
        return image.shape[-2], image.shape[-1]
    return image.height, image.width


def _resized(image: Any, height: Any, width: Any) -> Any:
    if isinstance(image, Tensor):
        return new((*image.shape[:-2], height, width), image.dtype)
    return Image((width, height), image.mode)


def _is_image(value: Any) -> bool:
    return isinstance(value, (Image, Tensor)) and not isinstance(getattr(value, "_shape", ()), Unknown)


class _Transform:
    """A transformation: of what is not known, nothing is."""

    def __call__(self, img: Any) -> Any:
        if not _is_image(img):
            return img if isinstance(img, Unknown) else Unknown(f"{type(self).__name__} of a {type(img).__name__}")
        return self._apply(img)

    def _apply(self, img: Any) -> Any:
        return img


@row(f"{_T}.Compose")
class Compose:
    """Transformations one after the other."""

    def __init__(self, transforms: Any) -> None:
        self.transforms = transforms

    def __call__(self, img: Any) -> Any:
        for transform in self.transforms:
            img = transform(img)
        return img


@row(f"{_T}.ToTensor")
class ToTensor(_Transform):
    """An image as numbers from 0 to 1, channels first."""

    def __call__(self, pic: Any) -> Any:
        if isinstance(pic, Image):
            if not isinstance(pic.mode, str):
                return new((unknown_size(), pic.height, pic.width))
            channels = CHANNELS.get(pic.mode, 1)
            return new((channels, pic.height, pic.width))
        shape = getattr(pic, "shape", None)
        if isinstance(shape, tuple) and len(shape) in (2, 3):
            dtype = torch.float32 if str(getattr(pic, "dtype", "")) == "uint8" else None
            sizes = (shape[2], shape[0], shape[1]) if len(shape) == 3 else (1, *shape)
            if dtype is not None:
                return new(sizes)
        return pic if isinstance(pic, Unknown) else Unknown(f"ToTensor of a {type(pic).__name__}")


@row(f"{_T}.PILToTensor")
class PILToTensor(_Transform):
    """An image as numbers from 0 to 255, channels first."""

    def _apply(self, img: Any) -> Any:
        if isinstance(img, Tensor) or not isinstance(img.mode, str):
            return Unknown("the channels of an image are not known")
        return new((CHANNELS.get(img.mode, 1), img.height, img.width), torch.uint8)


@row(f"{_T}.Normalize")
class Normalize(_Transform):
    """Subtracts a mean and divides by a deviation, of each channel."""

    def __init__(self, mean: Any, std: Any, inplace: Any = False) -> None:
        self.mean, self.std = mean, std

    def __call__(self, img: Any) -> Any:
        if isinstance(img, Image) or (type(img).__module__, type(img).__name__) in ARRAYS:
            kind = "an image" if isinstance(img, Image) else "a numpy array"
            fault = TypeFault(
                f"Normalize: it takes a tensor, not {kind}; put ToTensor() before it", FaultCode.WRONG_TYPE
            )
            session.current().report(fault)
            raise fault
        return super().__call__(img)

    def _apply(self, img: Any) -> Any:
        mean, deviation = torch.tensor(self.mean, dtype=img.dtype), torch.tensor(self.std, dtype=img.dtype)
        result = (img - mean.view(-1, 1, 1)) / deviation.view(-1, 1, 1)
        if not fits(result.shape, img.shape):  # it is computed in place
            raise Fault(
                f"Normalize: an image of {shown(img.shape)} can't have {mean.shape[0]} means, one for each channel",
                FaultCode.SHAPE_MISMATCH,
            )
        return result


@row(f"{_T}.Resize")
class Resize(_Transform):
    """An image of another size; of one number, the shorter side."""

    def __init__(self, size: Any, *_args: Any, **_kwargs: Any) -> None:
        self.size = size

    def _apply(self, img: Any) -> Any:
        if isinstance(self.size, Unknown):
            return self.size
        pair = _pair(self.size)
        if pair is not None:
            return _resized(img, *pair)
        short = self.size[0] if isinstance(self.size, (list, tuple)) else self.size
        height, width = _sizes(img)
        if isinstance(height, int) and isinstance(width, int):
            low = min(height, width)
            return _resized(img, int(short * height / low), int(short * width / low))
        return _resized(img, unknown_size(), unknown_size())


class _Cropping(_Transform):
    """Crops to a size: one number is both sides."""

    def __init__(self, size: Any, *_args: Any, **_kwargs: Any) -> None:
        self.size = size

    def _apply(self, img: Any) -> Any:
        size = self.size
        if isinstance(size, Unknown):
            return size
        pair = _pair(size) or ((size[0], size[0]) if isinstance(size, (list, tuple)) else (size, size))
        return _resized(img, *pair)


for _each in ("CenterCrop", "RandomCrop", "RandomResizedCrop"):
    register(f"{_T}.{_each}", type(_each, (_Cropping,), {"__module__": _T}))


class _Keeping(_Transform):
    """Changes the numbers, and not the size."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        pass


for (
    _each
) in """RandomHorizontalFlip RandomVerticalFlip ColorJitter GaussianBlur RandomAffine RandomPerspective RandomErasing
RandomAdjustSharpness RandomAutocontrast RandomEqualize RandomInvert RandomPosterize RandomSolarize""".split():
    register(f"{_T}.{_each}", type(_each, (_Keeping,), {"__module__": _T}))


@row(f"{_T}.RandomRotation")
class RandomRotation(_Transform):
    """Rotates; the size stays unless it is to be expanded."""

    def __init__(
        self, degrees: Any, interpolation: Any = None, expand: Any = False, *_args: Any, **_kwargs: Any
    ) -> None:
        self.expand = expand

    def _apply(self, img: Any) -> Any:
        return img if self.expand is False else _resized(img, unknown_size(), unknown_size())


@row(f"{_T}.Grayscale")
class Grayscale(_Transform):
    """An image of one channel, or of several that are equal."""

    def __init__(self, num_output_channels: Any = 1) -> None:
        self.num_output_channels = num_output_channels

    def _apply(self, img: Any) -> Any:
        if isinstance(img, Tensor):
            return new((*img.shape[:-3], self.num_output_channels, *img.shape[-2:]), img.dtype)
        return Image(img.size, "L" if self.num_output_channels == 1 else "RGB")


@row(f"{_T}.Lambda")
class Lambda:
    """A function of the program."""

    def __init__(self, lambd: Any) -> None:
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        return self.lambd(img)
