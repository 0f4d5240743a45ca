"""scikit-learn, which is compiled in part: what scripts that train networks prepare their data with."""

from __future__ import annotations

import math
from typing import Any

from cutaway.core.protocols import is_tensor
from cutaway.core.size.dim import unknown_size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.base.values import exact


def _rows(array: Any, count: Any) -> Any:
    """Return so many rows of an array, which ones nobody knows."""
    from cutaway.knowledge.numpy.shaped import Array  # late: it imports numpy

    if isinstance(array, (list, tuple)):
        import numpy

        array = numpy.asarray(exact(array))
    shape = getattr(array, "shape", None)
    if not isinstance(shape, tuple) or not shape or is_tensor(array):
        return Unknown("data that is not known is split")
    return Array((count, *shape[1:]), array.dtype, "how data is split is random")


@row("sklearn.model_selection.train_test_split", "sklearn.cross_validation.train_test_split")
def train_test_split(
    *arrays: Any, test_size: Any = None, train_size: Any = None, random_state: Any = None, shuffle: Any = True,
    stratify: Any = None,
) -> Any:  # fmt: skip
    """Split arrays in two by rows; the sizes are rounded as scikit-learn does."""
    length = _length(arrays[0]) if arrays else None
    sizes = _sizes(length, test_size, train_size)
    return [part for array in arrays for part in (_rows(array, sizes[0]), _rows(array, sizes[1]))]


def _length(array: Any) -> Any:
    shape = getattr(array, "shape", None)
    if isinstance(shape, tuple) and shape:
        return shape[0]
    return len(array) if isinstance(array, (list, tuple)) else None


def _sizes(length: Any, test: Any, train: Any) -> tuple[Any, Any]:
    if not isinstance(length, int) or isinstance(test, Unknown) or isinstance(train, Unknown):
        return unknown_size(), unknown_size()
    if test is None and train is None:
        test = 0.25
    second = math.ceil(test * length) if isinstance(test, float) else test
    first = math.floor(train * length) if isinstance(train, float) else train
    if second is None:
        return first, length - first
    return (length - second if first is None else first), second
