"""Values of the target as configurations show them."""

from __future__ import annotations

import functools
import math
import pickle
from dataclasses import dataclass, field
from typing import Any

import pytest

from cutaway.core.size.dim import symbol
from cutaway.core.size.parser import read_size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.describe import LazyMapping, describe


@dataclass
class Inner:
    rate: float = 0.5


@dataclass
class Config:
    width: int = 3
    inner: Any = field(default_factory=Inner)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (3, 3),
        ((1, "same"), [1, "same"]),
        (-math.inf, -math.inf),
        (symbol("B") * 2, read_size("2*B")),
        (Unknown("it is random"), {"unknown": "it is random"}),
        (dict, {"name": "builtins.dict"}),
        (functools.partial(dict, [1], eps=2), {"partial": {"name": "builtins.dict"}, "args": [[1]], "eps": 2}),
        (object(), "<builtins.object>"),
    ],
)
def test_values(value: Any, expected: Any) -> None:
    assert describe(value) == expected


def test_functions_have_names() -> None:
    assert describe(symbol) == {"name": "cutaway.core.size.dim.symbol"}


def test_data_classes_show_their_fields() -> None:
    described = describe(Config())
    assert isinstance(described, dict)
    assert described["width"] == 3
    assert str(described["dataclass"]).endswith("Config")
    assert isinstance(described["inner"], dict) and described["inner"]["rate"] == 0.5


def test_data_classes_that_hold_themselves_end() -> None:
    config = Config()
    config.inner = config
    assert "Config" in str(describe(config))


def test_a_mapping_that_is_made_later_is_equal_to_a_plain_one() -> None:
    assert LazyMapping(lambda: {"a": 1}) == {"a": 1}


def test_a_mapping_that_is_made_later_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(LazyMapping(lambda: {"a": 1}))) == {"a": 1}
