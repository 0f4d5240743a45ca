"""Operators of the domain ai.onnx.ml: trees, linear models, support vectors, and the preparation of features."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.dim import Size
from cutaway.formats.graph.model import Tensor
from cutaway.formats.graph.value import Call, Known, Out, one, several, undecided
from cutaway.formats.onnx.operators.registry import operator

DOMAIN = "ai.onnx.ml"


def _rows(call: Call) -> Size:
    shape = call.shape(0)
    return shape[0] if len(shape) > 1 else 1


def _labels(call: Call) -> tuple[int, str]:
    """Return how many classes there are, and the element type of their labels."""
    for name, dtype in _LABELS:
        value = call.attributes.get(name)
        if isinstance(value, list) and value:
            return len(value), dtype
    return 0, "int64"


_LABELS = (
    ("classlabels_strings", "string"),
    ("classlabels_int64s", "int64"),
    ("classlabels_ints", "int64"),
)


@operator("Scaler Normalizer", domain=DOMAIN)
def scaled(call: Call) -> Out:
    """Features moved and scaled."""
    return one(call.input(0).shape, "float32")


@operator("Imputer Binarizer", domain=DOMAIN)
def same(call: Call) -> Out:
    """Features with other numbers in place of some."""
    return one(call.input(0).shape, call.dtype())


@operator("LinearRegressor", domain=DOMAIN)
def linear(call: Call) -> Out:
    """Targets of a linear model."""
    return one((_rows(call), call.integer("targets", 1)), "float32")


@operator("SVMRegressor", domain=DOMAIN)
def support_vector_regression(call: Call) -> Out:
    """The target of a model of support vectors."""
    return one((_rows(call), 1), "float32")


@operator("TreeEnsembleRegressor TreeEnsemble", domain=DOMAIN)
def trees(call: Call) -> Out:
    """Targets of an ensemble of trees."""
    dtype = call.dtype() if call.name == "TreeEnsemble" else "float32"
    return one((_rows(call), call.integer("n_targets", 1)), dtype)


@operator("LinearClassifier SVMClassifier TreeEnsembleClassifier", domain=DOMAIN)
def classes(call: Call) -> Out:
    """The class of each row, and a score for each class."""
    count, dtype = _labels(call)
    rows = _rows(call)
    if not count:
        return several(((rows,), dtype), (None, "float32"))
    return several(((rows,), dtype), ((rows, count), "float32"))


@operator("ArrayFeatureExtractor", domain=DOMAIN)
def selected(call: Call) -> Out:
    """Some columns."""
    shape, positions = call.shape(0), call.shape(1)
    count: Size = 1
    for size in positions:
        count = count * size
    return one((*(shape[:-1] or (1,)), count), call.dtype())


@operator("FeatureVectorizer", domain=DOMAIN)
def joined(call: Call) -> Out:
    """Columns side by side, each of a stated width."""
    widths = call.integers("inputdimensions") or []
    return one((_rows(call), sum(widths)), "float32")


@operator("OneHotEncoder", domain=DOMAIN)
def one_hot(call: Call) -> Out:
    """A new dimension for the categories."""
    listed = call.attributes.get("cats_int64s") or call.attributes.get("cats_strings")
    if not isinstance(listed, list):
        undecided(f"{call.name}: it has no categories")
    return one((*call.shape(0), len(listed)), "float32")


@operator("LabelEncoder", domain=DOMAIN)
def encoded(call: Call) -> Out:
    """A label for each label."""
    return one(call.input(0).shape, _label_type(call))


def _label_type(call: Call) -> str | None:
    for name, dtype in (("values_strings", "string"), ("values_int64s", "int64"), ("values_floats", "float32")):
        if name in call.attributes:
            return dtype
    value: Any = call.attributes.get("values_tensor")
    if isinstance(value, Tensor):
        return value.dtype
    return {"string": "int64", "int64": "string"}.get(call.dtype() or "")


@operator("CategoryMapper", domain=DOMAIN)
def mapped(call: Call) -> Out:
    """Strings to numbers, or the reverse."""
    return one(call.input(0).shape, {"string": "int64", "int64": "string"}.get(call.dtype() or ""))


@operator("DictVectorizer", domain=DOMAIN)
def from_map(call: Call) -> Out:
    """A row of numbers from a map."""
    listed = call.attributes.get("string_vocabulary") or call.attributes.get("int64_vocabulary")
    return one((1, len(listed)) if isinstance(listed, list) else None, None)


@operator("CastMap", domain=DOMAIN)
def cast_map(call: Call) -> Out:
    """A row of numbers from a map."""
    dtype = {"TO_FLOAT": "float32", "TO_INT64": "int64", "TO_STRING": "string"}.get(call.text("cast_to", "TO_FLOAT"))
    dense = call.text("map_form", "DENSE") == "DENSE"
    return one((1, call.fresh("count") if dense else call.integer("max_map", 1)), dtype)


@operator("ZipMap", domain=DOMAIN)
def zipped(call: Call) -> Out:
    """A map for each row."""
    return Out((Known(kind="sequence", element=Known(kind="map")),))
