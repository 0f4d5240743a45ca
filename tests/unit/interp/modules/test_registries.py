"""Registries of installed packages: what an import would have entered is there when it is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway

REGISTRY = """
makers = {}
tags: set = set()

def register(make):
    if make.__name__ in makers:
        raise ValueError('twice')
    makers[make.__name__] = make
    tags.add(make.__name__)
    return make

def build(name):
    if name not in makers:
        raise RuntimeError(f'unknown network {name}')
    return makers[name]()

class Table:
    def __init__(self):
        self.entries = {}
    def register(self, name):
        return lambda make: self.entries.setdefault(name, make)

TABLE = Table()
"""
SMALL = """
from torch import nn
from .registry import TABLE, register

@register
def small_net():
    return nn.Linear(2, 3)

@TABLE.register('wide')
def make_wide():
    return nn.Linear(2, 30)
"""
LARGE = "from torch import nn\nfrom ..registry import register\n\n@register\ndef large_net():\n    return nn.Linear(20, 30)\n"
USER = "from torch import nn\nfrom zoo.registry import build, makers, tags, TABLE\nimport zoo\n"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A package whose networks are registered by decorators, two imports away from its first module."""
    files = {
        "zoo/__init__.py": "from . import families\nfrom .small import small_net\n",
        "zoo/registry.py": REGISTRY,
        "zoo/small.py": SMALL,
        "zoo/families/__init__.py": "from .one import *\n",
        "zoo/families/one.py": "from .two import large_net\n",
        "zoo/families/two.py": LARGE,
    }
    for name, text in files.items():
        path = tmp_path / "site-packages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def made(folder: Path, program: str) -> cutaway.Architecture:
    (folder / "model.py").write_text(USER + program)
    (network,) = cutaway.show(f"{folder}/model.py::net", path=str(folder / "site-packages"), input="1x2")
    return network


@pytest.mark.parametrize(
    ("program", "shape"),
    [
        ("net = build('small_' + 'net')", (3, 2)),
        ("net = build('large' + '_net')", (30, 20)),
        ("net = nn.Linear(1, 7 if 'large' + '_net' in tags else 8)", (7, 1)),
        ("net = nn.Linear(1, 7 if makers.get('other' + '_net') else 8)", (8, 1)),
        ("net = TABLE.entries['wi' + 'de']()", (30, 2)),
        ("net = nn.Linear(1, len(makers))", (2, 1)),
        ("net = nn.Linear(1, len(sorted(tags)) + len(dict(makers)))", (4, 1)),
    ],
    ids=["near", "far", "set", "absent", "object", "number", "listed"],
)
def test_a_lookup_sees_what_an_import_registers(installed: Path, program: str, shape: tuple[int, int]) -> None:
    assert made(installed, program).weights[0].shape == shape
