"""Operators on strings."""

from __future__ import annotations

from cutaway.formats.graph.value import Call, Out, one, several
from cutaway.formats.onnx.operators.registry import operator
from cutaway.ops.elementwise import broadcast


@operator("StringNormalizer")
def normalized(call: Call) -> Out:
    """Strings in another case, without some words: how many are kept depends on them."""
    shape = list(call.shape(0))
    if call.attributes.get("stopwords"):
        shape[-1:] = [call.fresh("count")] if shape else []
    return one(shape, "string")


@operator("StringConcat")
def joined(call: Call) -> Out:
    """Strings joined one by one."""
    return one(broadcast(call.name, call.shape(0), call.shape(1)), "string")


@operator("StringSplit")
def split(call: Call) -> Out:
    """The parts of strings, and how many there are."""
    shape = call.shape(0)
    return several(((*shape, call.fresh("parts")), "string"), (shape, "int64"))


@operator("RegexFullMatch")
def matched(call: Call) -> Out:
    """Whether strings match a pattern."""
    return one(call.input(0).shape, "bool")


@operator("TfIdfVectorizer")
def counted(call: Call) -> Out:
    """How often known sequences of words occur."""
    shape = call.shape(0)
    indices = call.integers("ngram_indexes") or [0]
    return one((*shape[:-1], max(indices) + 1), "float32")
