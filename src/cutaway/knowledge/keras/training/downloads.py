"""`keras.utils` and datasets that fetch files: nothing is fetched."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.size.dim import unknown_size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import register, row
from cutaway.knowledge.keras.ops.arrange import known_rank


def array(shape: Any, dtype: str) -> Any:
    """Return an array of numpy whose numbers are not known."""
    from cutaway.knowledge.numpy.shaped import Array  # late: it imports numpy

    return Array(shape, dtype, "what is in a data set is not known")


@row("keras.utils.get_file", "keras.src.utils.file_utils.get_file", "keras.src.utils.get_file")
def get_file(*args: Any, **kwargs: Any) -> Unknown:
    return Unknown("a file that would be downloaded is out of reach", session.current().place())


@row("keras.src.utils.file_utils.exists")
def exists(path: Any) -> Any:
    """Answer for a text that no file of this name is there; nothing on the disk is looked at."""
    return path if isinstance(path, Unknown) else False


_IMAGES = {"mnist": (28, 28), "fashion_mnist": (28, 28), "cifar10": (32, 32, 3), "cifar100": (32, 32, 3)}


def _images(name: str) -> None:
    train, test = (60_000, 10_000) if "mnist" in name else (50_000, 10_000)
    labels: tuple[int, ...] = () if "mnist" in name else (1,)

    def load_data(*_args: Any, **_kwargs: Any) -> Any:
        return tuple(
            (array((count, *_IMAGES[name]), "uint8"), array((count, *labels), "uint8")) for count in (train, test)
        )

    register(f"keras.datasets.{name}.load_data", load_data)


for _name in _IMAGES:
    _images(_name)


@row("keras.datasets.boston_housing.load_data")
def boston_housing(*_args: Any, **_kwargs: Any) -> Any:
    return tuple((array((count, 13), "float64"), array((count,), "float64")) for count in (404, 102))


@row("keras.datasets.california_housing.load_data")
def california_housing(*_args: Any, **_kwargs: Any) -> Any:
    return tuple((array((count, 8), "float32"), array((count,), "float32")) for count in (16512, 4128))


@row("keras.utils.to_categorical", "keras.src.utils.to_categorical", "keras.np_utils.to_categorical")
def to_categorical(x: Any, num_classes: Any = None) -> Any:
    """Return vectors of zeros with a single one."""
    given = known_rank(x)
    shape = tuple(given._shape)
    if len(shape) > 1 and shape[-1] == 1:
        shape = shape[:-1]
    if num_classes is None:
        num_classes = int(given.array().max()) + 1 if given.values_ is not None else unknown_size()
    return array((*shape, num_classes), "float64")


@row("keras.utils.set_random_seed", "keras.src.utils.rng_utils.set_random_seed")
def set_random_seed(seed: Any) -> None:
    """Random numbers are not known anyway."""


@row("keras.utils.plot_model", "keras.utils.model_to_dot")
def plot_model(*_args: Any, **_kwargs: Any) -> None:
    """Nothing is drawn."""
