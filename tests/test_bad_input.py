"""Bad input gets one message that names the place and says what to do, exit code 2, and nothing on standard output."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from cutaway import cli
from cutaway.syntax import resolve

NET = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width, depth=2):
        super().__init__()
        self.fc = nn.Linear(width, 3)

    def forward(self, x, mask=None, *, flag=False):
        return self.fc(x)

class Plain:
    pass

def make(width):
    return Net(width)

small = Net(4)
number = 3
"""

FILES: dict[str, bytes] = {
    "net.py": NET.encode(),
    "syntax.py": b"class A:\n    def f(self):\n        return (1,\n",
    "python2.py": b"print 'hello'\n",
    "tabs.py": b"def f():\n\tif True:\n        pass\n",
    "indent.py": b"def f():\npass\n",
    "null.py": b"x = 1\0\n",
    "random.py": bytes(range(128, 256)),
    "image.py": b"\x89PNG\r\n\x1a\n\0\0",
    "utf16.py": "x = 1".encode("utf-16"),
    "latin.py": b"x = 1\ny = 'caf\xe9'\n",
    "cookie.py": b"# -*- coding: nonsense -*-\n",
    "empty.py": b"",
    "blank.py": b"\n\n",
    "comment.py": b"# nothing here\n",
    "none.py": b"import torch\nx = 1\n",
    "functions.py": b"from torch import nn\ndef build(n):\n    return nn.Linear(n, n)\n",
    "stops.py": b"import torch\nraise ValueError('not today')\nfrom torch import nn\nnet = nn.Linear(1, 1)\n",
    "missing_base.py": b"from nowhere import Base\nclass Net(Base):\n    pass\n",
    "book.py": b'{"cells": [{"source": ["x = 1"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    "damaged.ipynb": b'{"cells": [',
    "julia.ipynb": b'{"cells": [], "metadata": {"language_info": {"name": "julia"}}}',
    "README.md": b"# A network",
    "saved.pt": b"PK\x03\x04" + bytes(40),
    "never_made.py": b"from torch import nn\nclass Net(nn.Module):\n    pass\nnet = Net.__new__(Net)\naround = nn.Sequential(net)\n",
    "forgot.py": b"from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n        pass\n",
}

SHAPE = "write a shape as 1x3x224x224, followed by :dtype if it is not float32"
FORMS = "give a Python file, file.py::name, or package.module:name"
FORWARD = "--input does not match forward(x, mask=None, *, flag=False) of small (net.py:9): "

TARGETS: dict[str, str] = {
    "": f"the target is empty: {FORMS}",
    "nett.py": "nett.py: no such file; did you mean net.py?",
    "quite_other.py": "quite_other.py: no such file",
    "folder/net.py": "folder/net.py: no such file",
    "nowhere/net.py": "nowhere/net.py: no such file; there is no folder nowhere either",
    "./net": "./net: no such file; did you mean ./net.py?",
    "folder": "folder: no file in it defines a network, and it has no config.json",
    "syntax.py": "syntax.py:3: syntax error: '(' was never closed",
    "python2.py": "python2.py:1: syntax error: Missing parentheses in call to 'print'. Did you mean print(...)?; it is written for Python 2",
    "tabs.py": "tabs.py:3: syntax error: inconsistent use of tabs and spaces in indentation",
    "indent.py": "indent.py:2: syntax error: expected an indented block after function definition on line 1",
    "null.py": "null.py: not Python source: it contains null bytes",
    "random.py": "random.py:1: not Python source: it is not encoded in UTF-8, and declares no other encoding",
    "image.py": "image.py: not Python source: it is an image",
    "utf16.py": "utf16.py: not Python source: it is encoded in UTF-16; save it in UTF-8",
    "latin.py": "latin.py:2: not Python source: it is not encoded in UTF-8, and declares no other encoding",
    "cookie.py": "cookie.py: its first lines declare an unknown encoding (unknown encoding: nonsense)",
    "saved.pt": "saved.pt: it can't be unpacked: the archive is cut off or damaged (File is not a zip file)",
    "book.py": "book.py: is a notebook; give it a name that ends in .ipynb",
    "damaged.ipynb": "damaged.ipynb: is not a notebook: its JSON is damaged, or of another kind",
    "julia.ipynb": "julia.ipynb: is a notebook in julia, not in Python",
    "empty.py": "empty.py: is empty",
    "blank.py": "blank.py: is empty",
    "comment.py": "comment.py: no network found: it defines no network class, and none of its variables is a network",
    "none.py": "none.py: no network found: it defines no network class, and none of its variables is a network",
    "functions.py": "functions.py: no network found; if one of its functions returns one, name the call, as in 'functions.py::build(...)'",
    "missing_base.py": "missing_base.py: no network found; Net may be one, but its base class is unknown: missing_base.py:1: module nowhere is not found: add its folder with --path, or install it",
    "forgot.py": "forgot.py: Net can't be described: AttributeError: Net.__init__() has not run, or not called super().__init__()",
    "never_made.py::net": "never_made.py::net: net can't be described: AttributeError: Net.__init__() has not run, or not called super().__init__()",
    "never_made.py::around": "never_made.py::around: around can't be described: AttributeError: 'Net' object has no attribute '_parameters'",
    "net.py::": "net.py::: nothing follows '::'; name a class, a variable or a call",
    "::Net": f"::Net: nothing precedes '::'; {FORMS}",
    "net.py:Net": "net.py:Net: a name in a file follows two colons: write net.py::Net",
    "net.py::Ne": "net.py::Ne: net.py has no Ne; did you mean Net?",
    "net.py::other": "net.py::other: net.py has no other; the networks in it are Net, small",
    "net.py::Plain": "net.py::Plain: Plain is a class, but not a network class",
    "net.py::number": "net.py::number: number is not a network but a value of type int",
    "net.py::[small]": "net.py::[small]: [small] is not a network but a value of type list",
    "net.py::torch.relu": "net.py::torch.relu: torch.relu is a function, not a network",
    "net.py::make()": "net.py::make(): TypeError: make() missing 1 required positional argument: 'width'; it is make(width), in net.py:15",
    "net.py::make(1, 2)": "net.py::make(1, 2): TypeError: make() takes 1 positional argument but 2 were given; it is make(width), in net.py:15",
    "net.py::Net(wdth=3)": "net.py::Net(wdth=3): TypeError: Net.__init__() got an unexpected keyword argument 'wdth'; it is Net(width, depth=2), in net.py:5",
    "net.py::Net(": "net.py::Net(: 'Net(' is neither a name nor a call ('(' was never closed)",
    "net.py::import os": "net.py::import os: 'import os' is neither a name nor a call (invalid syntax)",
    "net.py::small.fd": "net.py::small.fd: AttributeError: 'Net' object has no attribute 'fd'",
    "stops.py::net_": "stops.py::net_: stops.py has no net_; did you mean net? (stops.py:2: ValueError: not today)",
    "no.such.module:Net": "no.such.module:Net: module no.such.module is not found; add its folder with --path, or install its package",
    "net.Net": "net.Net: module net.Net is not found; a name in a module follows a colon: did you mean net:Net?",
    "someone/some-model": "someone/some-model: no such file; there is no folder someone either; if it is a model on a hub, download its config.json and give that folder: Cutaway downloads nothing",
    "README.md": f"README.md: is a document, not a program; {FORMS}",
    "trained_weights.onnx": "trained_weights.onnx: there is no such file, and no such module; a module needs its folder in --path",
    "net.PY": "net.PY: module net.PY is not found; did you mean net.py?",
    "json": "json: module json is not read from source but described by tables; name a file or module that uses it",
    "a b": f"a b: not a target; {FORMS}",
    "bert-base-uncased": f"bert-base-uncased: not a target; {FORMS}; if it is a model on a hub, download its config.json and give that folder: Cutaway downloads nothing",
    "-": "-: standard input is empty",
    "-::Net": "-::Net: standard input is empty",
}

INPUTS: dict[str, str] = {
    "": f"--input '': no shape is given; {SHAPE}",
    "x=": f"--input x=: no shape is given; {SHAPE}",
    "1xfoo!": f"--input 1xfoo!: 'foo!' is not a size; {SHAPE}",
    "1x-4": f"--input 1x-4: '-4' is not a size; {SHAPE}",
    "1x4.5": f"--input 1x4.5: '4.5' is not a size; {SHAPE}",
    "1xx4": f"--input 1xx4: a size is missing; {SHAPE}",
    "1x²": f"--input 1x²: '²' is not a size; {SHAPE}",
    "=1x4": "--input =1x4: no argument name precedes '='; write NAME=SHAPE, as in x=1x3x224x224",
    "a b=1x4": "--input a b=1x4: 'a b' is not an argument name; write NAME=SHAPE, as in x=1x3x224x224",
    "x:1x4": "--input x:1x4: the name of an argument precedes '=': write x=1x4",
    "1x4:flot32": "--input 1x4:flot32: unknown dtype 'flot32'; did you mean float32?",
    "1x4:?": "--input 1x4:?: unknown dtype '?'; the dtypes are bool, uint8, ",
    "9" * 30: f"--input {'9' * 30}: the size {'9' * 30} is too large for any tensor",
    "1x4 2x2 2x3": f"{FORWARD}3 inputs are given without a name, but it takes at most 2",
    "y=1x4": f"{FORWARD}it has no argument y",
    "msk=1x4": f"{FORWARD}it has no argument msk; did you mean mask?",
    "mask=1x4": f"{FORWARD}x is not given; add --input x=SHAPE",
    "1x4 x=1x4": f"{FORWARD}x is given twice",
    "x=1x4 x=2x4": f"{FORWARD}x is given twice",
}

OPTIONS: dict[str, str] = {
    "net.py --path nowhere": "--path nowhere: no such folder",
    "net.py --path net.py": "--path net.py: is a file, not a folder",
    "net.py --output net.py/out.txt": "net.py/out.txt: can't be written (File exists)",
    "net.py --output folder": "folder: can't be written (Is a directory)",
}

USAGE: dict[str, str] = {
    "show": "the following arguments are required: TARGET",
    "show net.py --format yaml": "argument --format: invalid choice: 'yaml'",
    "show net.py --depth 0": "argument --depth: '0' is not a number of levels: give 1 or more",
    "show net.py --timeout never": "argument --timeout: 'never' is not a number of seconds: give one above 0",
    "show net.py --nonsense": "unrecognized arguments: --nonsense",
    "sho net.py": "sho is not a command or a target; did you mean show?",
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be in a folder with all the files, and with an empty standard input."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one line that a command says before it gives up."""
    assert cli.main(["show", *arguments]) == cli.FAILED
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("cutaway: ") and err.endswith("\n") and err.count("\n") == 1, err
    return err.removeprefix("cutaway: ").removesuffix("\n")


@pytest.mark.parametrize(("target", "message"), TARGETS.items(), ids=list(TARGETS))
def test_a_target_that_is_no_network(target: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused([target], capsys)
    assert said.startswith(message) if message.endswith(": ") else said == message


def test_a_call_that_fails_is_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", "net.py::make('a')"]) == 1
    assert "sizes of a weight must be integers, got 'a'" in capsys.readouterr().out


@pytest.mark.parametrize(("inputs", "message"), INPUTS.items(), ids=list(INPUTS))
def test_an_input_that_does_not_fit(inputs: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [inputs] if "=" in inputs.partition(" ")[2] and inputs.startswith("a ") else inputs.split(" ")
    options = [option for text in texts for option in ("--input", text)]
    said = refused(["net.py::small", *options], capsys)
    assert said.startswith(message) if message.endswith(", ") else said == message


@pytest.mark.parametrize(("arguments", "message"), OPTIONS.items(), ids=list(OPTIONS))
def test_an_option_that_can_not_be_followed(arguments: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(arguments.split(), capsys) == message


@pytest.mark.parametrize(("arguments", "message"), USAGE.items(), ids=list(USAGE))
def test_a_command_line_that_is_none(arguments: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(arguments.split())
    out, err = capsys.readouterr()
    assert left.value.code == cli.FAILED and out == "" and message in err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser reads everything")
def test_a_file_that_may_not_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    os.chmod("net.py", 0)
    assert refused(["net.py"], capsys) == "net.py: can't be read (Permission denied)"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_that_nobody_writes_to(capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe.py")
    assert refused(["pipe.py"], capsys) == "pipe.py: is empty"


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="there is no file that can't be read")
def test_a_file_that_fails_as_it_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(["/proc/self/mem"], capsys).startswith("/proc/self/mem: a file can't be read (")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no endless file")
def test_a_file_without_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(["/dev/zero"], capsys).startswith("/dev/zero: too large to be source: more than ")


def test_a_folder_that_may_not_be_listed_is_no_bug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(resolve.disk, "names", refuse)
    assert resolve.find("missing", [str(tmp_path)]) is None
