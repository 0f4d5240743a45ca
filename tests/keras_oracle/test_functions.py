"""Functions of `keras.ops`: shapes and types of what they give, and whether they are refused."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

import pytest

from cutaway.core import session
from cutaway.core.session import Session
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import load, load_rest, lookup
from tests.keras_oracle.functions import calls

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None or importlib.util.find_spec("keras") is None,
    reason="TensorFlow is not installed: pip install tensorflow-cpu==2.21.*",
)
_TENSOR = re.compile(r"([\dN]+(?:x[\dN]+)*):(\w+)")


def _value(text: Any, make: Any) -> Any:
    if isinstance(text, str) and (found := _TENSOR.fullmatch(text)):
        return make(tuple(None if size == "N" else int(size) for size in found[1].split("x")), dtype=found[2])
    if isinstance(text, list) or (isinstance(text, tuple) and any(isinstance(item, str) for item in text)):
        return type(text)(_value(item, make) for item in text)
    return text


def _described(made: Any) -> Any:
    parts = list(made) if isinstance(made, (list, tuple)) else [made]
    return [(tuple(part.shape), str(part.dtype)) if hasattr(part, "dtype") else part for part in parts]


def _real(name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    import keras

    function: Any = keras.ops
    for part in name.split("."):
        function = getattr(function, part)
    try:
        return _described(function(*[_value(arg, keras.KerasTensor) for arg in args], **kwargs))
    except Exception as error:
        return f"refused: {type(error).__name__}"


def _ours(name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    load("keras")
    load_rest()
    with session.installed(Session(recording=False)):
        try:
            made = lookup(f"keras.ops.{name}")(*[_value(arg, lookup("keras.KerasTensor")) for arg in args], **kwargs)
            if isinstance(made, Unknown) or any(isinstance(getattr(p, "shape", None), Unknown) for p in [made]):
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
        if any(b is not None and a != b for a, b in zip(shape, expected)):
            return True
    return False


def test_functions_are_what_they_are_in_keras() -> None:
    wrong = []
    for name, args, kwargs in calls():
        mine, real = _ours(name, args, kwargs), _real(name, args, kwargs)
        if _differ(mine, real):
            wrong.append(f"{name}({args}, {kwargs}): ours {mine}, real {real}")
    assert not wrong, f"{len(wrong)} differ\n" + "\n".join(wrong)
