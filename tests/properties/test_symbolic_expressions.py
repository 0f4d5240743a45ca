"""What is stated of an expression with a symbolic number in it is what Python computes, whatever the number is."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any

import pytest

import cutaway
from cutaway.core.size.dim import Dim, substitute

EXPRESSIONS = Path(__file__).with_name("symbolic_expressions.txt").read_text().splitlines()
NUMBERS = (1, 2, 3, 4, 5, 8, 16)

HEAD = """
import collections, copy, dataclasses, enum, functools, itertools, json, math, operator, pathlib, re, string
from decimal import Decimal
from fractions import Fraction

class Color(enum.Enum):
    A = 1
    B = 2

class Args:
    def __init__(self, n):
        self.n = n

@dataclasses.dataclass
class Data:
    n: int

NT = collections.namedtuple("NT", "n")
"""
NETWORK = """
from torch import nn

class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layer = nn.Linear(n, {expression}, bias=False)
"""


def computed(expression: str, number: int) -> Any:
    """Return what Python makes of an expression, None where it raises."""
    module = types.ModuleType("expression")
    source = f"{HEAD}\ndef compute(n):\n    return {expression}\n"
    exec(compile(source, "expression", "exec", dont_inherit=True), vars(module))
    try:
        return int(module.compute(number))
    except Exception:
        return None


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression(expression: str, tmp_path: Path) -> None:
    expected = {number: computed(expression, number) for number in NUMBERS}
    source = tmp_path / "model.py"
    source.write_text(HEAD + NETWORK.format(expression=expression))
    (network,) = cutaway.show(f"{source}::Net", cache=False, isolated=False)
    for weight in network.weights:
        if weight.name != "layer.weight" or weight.shape is None or not isinstance(weight.shape[0], (int, Dim)):
            continue
        for number, value in expected.items():
            stated = substitute(weight.shape[0], {"n": number})
            if isinstance(stated, int) and value is not None:
                assert stated == value, number
