"""Sources of extreme shape are read, or refused with one message, in bounded time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cutaway import cli
from tests.hostile.apart import apart, seconds_of_children

_HEAD = "from torch import nn\nnet = nn.Linear(2, 3)\n"


def _nested_functions(depth: int) -> str:
    return "".join(f"{' ' * level}def f{level}():\n" for level in range(depth)) + " " * depth + "pass\nf0()\n"


def _nested_blocks(depth: int) -> str:
    return "".join(f"{' ' * level}if True:\n" for level in range(depth)) + " " * depth + "pass\n"


SOURCES: dict[str, Callable[[], str]] = {
    "nested parentheses": lambda: f"x = {'(' * 10_000}1{')' * 10_000}",
    "a few nested parentheses": lambda: f"x = {'(' * 150}1{')' * 150}",
    "nested lists": lambda: f"x = {'[' * 90}{']' * 90}",
    "a long sum": lambda: "x = " + " + ".join(["1"] * 100_000),
    "a shorter sum": lambda: "x = " + " + ".join(["1"] * 2_000),
    "many signs": lambda: f"x = {'-' * 100_000}1",
    "some signs": lambda: f"x = {'-' * 2_000}1",
    "many nots": lambda: f"x = {'not ' * 20_000}1",
    "a long chain of attributes": lambda: "x = net" + ".a" * 50_000,
    "a long chain of calls": lambda: "x = net" + "()" * 50_000,
    "a long chain of comparisons": lambda: "x = " + " < ".join(map(str, range(50_000))),
    "a long chain of ands": lambda: "x = " + " and ".join(["1"] * 50_000),
    "a long chain of ifs": lambda: (
        "x = 1\nif x == 0:\n    pass\n" + "".join(f"elif x == -{n}:\n    pass\n" for n in range(5_000))
    ),
    "a long chain of conditions": lambda: "x = " + "1 if 0 else " * 20_000 + "2",
    "a long chain of lambdas": lambda: f"x = {'lambda: ' * 20_000}1",
    "a long list": lambda: f"x = [{'1, ' * 100_000}]",
    "a long text": lambda: f"x = '{'a' * 10_000_000}'",
    "a long number": lambda: f"x = 0x{'f' * 1_000_000}\ny = x * x\nz = x % 7",
    "a long decimal number": lambda: f"x = {'9' * 100_000}",
    "a long line of statements": lambda: "x = 1; " * 20_000,
    "a long name": lambda: f"{'a' * 1_000_000} = 1",
    "many statements": lambda: "x = 1\n" * 30_000,
    "many functions": lambda: "".join(f"def f{n}(): pass\n" for n in range(10_000)),
    "many methods": lambda: "class C:\n" + "".join(f"    def f{n}(self): pass\n" for n in range(10_000)),
    "many classes": lambda: "".join(f"class C{n}(nn.Module): pass\n" for n in range(300)),
    "many decorators": lambda: "".join("@staticmethod\n" for _ in range(20_000)) + "def f(): pass",
    "many arguments": lambda: (
        "def f(" + ", ".join(f"a{n}" for n in range(20_000)) + "): pass\nf(" + "1, " * 20_000 + ")"
    ),
    "nested functions": lambda: _nested_functions(95),
    "nested blocks": lambda: _nested_blocks(95),
    "too many nested blocks": lambda: _nested_blocks(2_000),
    "nested comprehensions": lambda: "x = " + "[" * 60 + "1" + " for _ in [1]]" * 60,
    "nested f-strings": lambda: "x = 1\nx = " + "f'{" + 'f"{x}"' + "}'",
    "nested tuples as targets": lambda: f"{'(' * 150}x{',)' * 150} = 1",
    "a page of comments": lambda: "# comment\n" * 100_000,
    "blank lines": lambda: "\n" * 500_000,
    "continued lines": lambda: "x = 1" + " + \\\n1" * 5_000,
    "a deep annotation": lambda: f"def f(x: {'list[' * 90}int{']' * 90}): pass\nf(1)",
    "a deep pattern": lambda: f"match 1:\n    case {'[' * 90}x{']' * 90}:\n        pass",
    "the largest source": lambda: "# comment\n" * 1_500_000,
    "too large a source": lambda: "# comment\n" * 2_000_000,
}


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in SOURCES.items()])
def test_a_source_of_extreme_shape(tmp_path: Path, make: Callable[[], str], capfd: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "model.py"
    model.write_text(_HEAD + make())
    started = seconds_of_children()
    code = apart(cli.main, ["show", str(model), "--timeout", "5"], seconds=60)
    out, err = capfd.readouterr()
    assert seconds_of_children() - started < 25
    assert "Traceback" not in out + err and "bug in Cutaway" not in err
    if code == cli.FAILED:
        assert out == "" and err.startswith("cutaway: ") and str(model) in err and err.count("\n") == 1
    else:
        assert "Linear" in out and err == ""


def test_imports_in_a_circle(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "one.py").write_text("from two import B\nclass A:\n    size = 3\n")
    (tmp_path / "two.py").write_text("from one import A\nclass B:\n    size = A.size\n")
    (tmp_path / "three.py").write_text("import three\nfrom three import x\nx = 1\n")
    model = tmp_path / "model.py"
    model.write_text("import model, three\nfrom one import A\nfrom torch import nn\nnet = nn.Linear(2, A.size)\n")
    assert apart(cli.main, ["show", str(model), "--timeout", "5"]) == 0
    assert "Linear" in capfd.readouterr().out


def test_a_package_that_imports_itself(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("from package import *\nfrom .a import *\nfrom . import a\n")
    (package / "a.py").write_text(
        "from package import *\nfrom .b import *\nfrom torch import nn\nnet = nn.Linear(2, 3)\n"
    )
    (package / "b.py").write_text("from .a import *\nfrom . import *\n")
    assert apart(cli.main, ["show", str(package / "a.py"), "--timeout", "5"]) == 0
    assert "Linear" in capfd.readouterr().out


ODD: dict[str, str] = {
    "a name that is bytes": "globals()[b'x'] = 1\nvars().update({(): 2, 3: 4})",
    "the interpreter's own name": "globals()['__cutaway__'] = 1\ntry:\n    del globals()['__cutaway__']\nexcept KeyError:\n    pass\nglobals().update(__cutaway__=2)\nimport model\nmodel.__cutaway__ = 3\nfrom model import net as same",
    "a name of a class of its own": "class S(str):\n    def __eq__(self, other):\n        return True\n    def __hash__(self):\n        return hash('__cutaway__')\nglobals()[S('y')] = 1\nvars()[S('net')] = net\nexec('z = 1', {S('q'): 1, 5: 6})",
    "a call of an array": "import numpy as np\nnp.zeros(3)(1)",
    "a class whose module is a dict": "import typing\nclass C(dict):\n    __module__ = {}\no = C()\nfor x in typing.Any:\n    o[x] = o",
    "a class whose module is set to a list": "class C:\n    pass\nC.__module__ = []\nclass D(C, nn.Module):\n    pass\nd = D()",
    "a network whose module is a property": "class C(nn.Linear):\n    __module__ = property(lambda self: 1)\nc = C(2, 3)",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in ODD.items()])
def test_a_source_with_odd_values(tmp_path: Path, text: str, capfd: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "model.py"
    model.write_text(_HEAD + text)
    apart(cli.main, ["show", str(model), "--input", "1x2", "--timeout", "5"], seconds=60)
    out, err = capfd.readouterr()
    assert "bug in Cutaway" not in err and "Traceback" not in err
    assert "Linear" in out
