"""The data sets that programs of TensorFlow 1 read through its examples: shapes without numbers."""

from __future__ import annotations

from typing import Any

from cutaway.knowledge.base.registry import row
from cutaway.knowledge.keras.training.downloads import array


class DataSet:
    """Images and labels."""

    def __init__(self, count: int, one_hot: bool, reshape: bool) -> None:
        self.num_examples = count
        self._image: tuple[int, ...] = (784,) if reshape else (28, 28, 1)
        self._label: tuple[int, ...] = (10,) if one_hot else ()
        self.images = array((count, *self._image), "float32")
        self.labels = array((count, *self._label), "float64" if one_hot else "uint8")

    def next_batch(self, batch_size: Any, *_args: Any, **_kwargs: Any) -> Any:
        return array((batch_size, *self._image), "float32"), array((batch_size, *self._label), "float32")


class DataSets:
    """The parts of a data set."""

    def __init__(self, one_hot: Any, reshape: Any, validation_size: Any) -> None:
        self.train = DataSet(60_000 - validation_size, bool(one_hot), bool(reshape))
        self.validation = DataSet(validation_size, bool(one_hot), bool(reshape))
        self.test = DataSet(10_000, bool(one_hot), bool(reshape))


@row(
    "tensorflow.examples.tutorials.mnist.input_data.read_data_sets",
    "tensorflow.contrib.learn.datasets.mnist.read_data_sets",
)
def read_data_sets(
    train_dir: Any, fake_data: Any = False, one_hot: Any = False, dtype: Any = None, reshape: Any = True,
    validation_size: Any = 5000, **_options: Any,
) -> DataSets:  # fmt: skip
    return DataSets(one_hot, reshape, validation_size)
