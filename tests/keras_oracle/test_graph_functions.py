"""Functions of TensorFlow: shapes and types of what they give in a graph, and whether they are refused."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

import pytest

from cutaway.core import session
from cutaway.core.session import Session
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import load, load_rest, lookup
from cutaway.knowledge.keras.tensors.op import RULES
from tests.keras_oracle.graph_functions import calls

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None,
    reason="TensorFlow is not installed: pip install tensorflow-cpu==2.21.*",
)
_TENSOR = re.compile(r"([\dN]*(?:x[\dN]+)*):(\w+)")
OWN = {"nn.rnn_cell.step": "a step of a cell, which has no function of its own in TensorFlow"}


def _value(text: Any, placeholder: Any) -> Any:
    if isinstance(text, str) and (found := _TENSOR.fullmatch(text)):
        sizes = [None if size == "N" else int(size) for size in found[1].split("x") if size]
        return placeholder(found[2], sizes)
    return [_value(item, placeholder) for item in text] if isinstance(text, list) else text


def _described(made: Any) -> Any:
    parts = list(made) if isinstance(made, (list, tuple)) else [made]
    return [(None if p.shape is None else tuple(p.shape), getattr(p.dtype, "name", str(p.dtype))) for p in parts]


def _real(name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    import tensorflow as tf

    with tf.Graph().as_default():
        function: Any = tf
        try:
            for part in name.split("."):
                function = getattr(function, part)
        except AttributeError:
            function = tf.compat.v1
            for part in name.split("."):
                function = getattr(function, part)
        try:
            return _described(function(*[_value(arg, tf.compat.v1.placeholder) for arg in args], **kwargs))
        except Exception as error:
            return f"refused: {type(error).__name__}"


def _ours(name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    load("tensorflow")
    load_rest()
    with session.installed(Session(recording=False)):
        try:
            given = [_value(arg, lookup("tensorflow.placeholder")) for arg in args]
            made = lookup(f"tensorflow.{name}")(*given, **kwargs)
            parts = list(made) if isinstance(made, (list, tuple)) else [made]
            if any(isinstance(p, Unknown) or isinstance(p._shape, Unknown) or p._dtype == "unknown" for p in parts):
                return None
            return _described(made)
        except Undecidable:
            return None
        except Exception as error:
            return f"refused: {type(error).__name__}: {error}"


def _differ(mine: Any, real: Any) -> bool:
    if mine is None:
        return False
    if isinstance(mine, str) or isinstance(real, str):
        return isinstance(mine, str) != isinstance(real, str)
    if len(mine) != len(real):
        return True
    for (shape, dtype), (expected, other) in zip(mine, real):
        if dtype != other or len(shape) != len(expected):
            return True
        if any(isinstance(a, int) and b is not None and a != b for a, b in zip(shape, expected)):
            return True
    return False


def test_functions_are_what_they_are_in_tensorflow() -> None:
    wrong = []
    for name, args, kwargs in calls():
        mine, real = _ours(name, args, kwargs), _real(name, args, kwargs)
        if _differ(mine, real):
            wrong.append(f"{name}({args}, {kwargs}): ours {mine}, real {real}")
    assert not wrong, f"{len(wrong)} differ\n" + "\n".join(wrong)


def test_every_row_is_called() -> None:
    load("tensorflow")
    load_rest()
    called = {id(lookup(f"tensorflow.{name}")) for name, _, _ in calls()}
    rows = {name.removeprefix("tensorflow."): rule for name, rule in RULES.items() if name.startswith("tensorflow.")}
    missing = {id(rule): name for name, rule in reversed(rows.items()) if id(rule) not in called and name not in OWN}
    assert sorted(missing.values()) == []
