"""Names that a target chose are data in every form of output: no terminal, spreadsheet or parser obeys them."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from importlib import import_module
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from cutaway.core.problem import CheckedFile, Extent, Problem, Severity
from cutaway.report import markdown
from tests.hostile.commands import Ended, command

NAMES = (
    "\x1b[31mred", "a\nb", "a\rb", "\u202etxt", "</script><script>alert(1)</script>", "=cmd|x!A0", "+1", "@x", "a|b", "`a`",
    '"q"', "'; import os; os.system('x') #", "nul\0x", "sur\ud800", "\x07\x9b31m", "\u2028", "{x}", "%s", "../../up",
    "/abs", "a,b", "\ufeff", "\x7f", "[link](http://x)", "&amp;<b>",
)  # fmt: skip
_MODEL = f"""
import torch
from torch import nn
NAMES = {NAMES!r}
class Net(nn.Module):
    def __init__(self, title='\\x1b]0;pwned\\x07=1+1'):
        super().__init__()
        for name in NAMES:
            self._modules[name] = nn.Linear(2, 2)
            self._parameters[name + 'p'] = nn.Parameter(torch.zeros(2))
    def forward(self, x):
        for layer in self.children():
            x = layer(x)
        return x
Net.__name__ = Net.__qualname__ = '\\x1b[32m=evil()\\n</b>'
net = Net()
globals()['\\x1b[31mvar\\n'] = Net()
"""
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffd]")
_FORMS = {
    "show": ("table", "tree", "summary", "json"),
    "unique": ("text", "json"),
    "ops": ("text", "json", "csv", "pytest"),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("odd") / "model.py"
    file.write_text(_MODEL)
    return file


def _show(*arguments: str) -> Ended:
    ended = command([*arguments, "--no-cache"])
    assert ended.code in (0, 1), ended.err
    assert _OBEYED.findall(ended.out + ended.err) == []
    return ended


@pytest.mark.parametrize(("name", "form"), [(name, form) for name, forms in _FORMS.items() for form in forms])
def test_nothing_in_the_output_is_obeyed(model: Path, name: str, form: str) -> None:
    out = _show(name, f"{model}::net", "--input", "1x2", "--format", form).out
    if form == "json":
        json.loads(out)
    elif form == "csv":
        cells = [cell for row in csv.reader(io.StringIO(out)) for cell in row]
        assert [cell for cell in cells if cell[:1] in ("=", "+", "-", "@") and len(cell) > 1] == []
    elif form == "pytest":
        tree = ast.parse(out)
        assert not {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & {"os", "evil", "cmd"}


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_nothing_in_a_comparison_is_obeyed(model: Path, form: str) -> None:
    other = model.with_name("other.py")
    other.write_text(_MODEL.replace("nn.Linear(2, 2)", "nn.Linear(2, 2, bias=False)"))
    _show("diff", f"{model}::net", f"{other}::net", "--input", "1x2", "--format", form)


def test_nothing_in_a_message_is_obeyed(model: Path) -> None:
    ended = command(["unique", str(model), "--no-cache"])
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    assert _OBEYED.findall(ended.err) == []


def test_nothing_in_a_warning_is_obeyed(tmp_path: Path) -> None:
    """What a form of output has no place for is said on the error stream, with the names of files."""
    file = tmp_path / "a\x1b[31m\x07.py"
    file.write_text("from torch import nn\nnet = nn.Sequential(nn.Linear(2, 3), nn.Linear(5, 3))\n")
    ended = _show("ops", str(file), "--input", "1x2", "--format", "csv")
    assert "net is incomplete: 1 fault" in ended.err


_ODD_FILE = "a\udcff\n::error::[x](http://evil).py"


@pytest.mark.parametrize("form", ["sarif", "github", "junit", "problem_json"])
def test_nothing_in_a_report_of_problems_is_obeyed(form: str) -> None:
    """A file's name may be in no encoding, and hold what a reader takes for a command or a link."""
    message = "there is no [label](http://evil), \x1b[31m\n::warning::"
    problem = Problem("unused-module", Severity.WARNING, message, _ODD_FILE, Extent(1, 1, 1, 2))
    files = [CheckedFile(_ODD_FILE, (problem,), "note [label](http://evil)")]
    report = import_module(f"cutaway.report.{form}")
    text = report.render(files, "1.0", {}) if form == "sarif" else report.render(files)
    if form == "sarif":
        written = json.dumps(json.loads(text))
        assert "](" not in written and "%FF" in written
    elif form == "github":
        assert text.count("\n") == 1 and text.startswith("::warning ")
    elif form == "junit":
        fromstring(text.encode())
    else:
        json.loads(text)


def test_markdown_makes_no_address_a_link() -> None:
    for text in ("www.evil.com", "see WWW.Evil.com/x", "http://evil.com", "a@evil.com"):
        assert not re.search(r"(?i)www\.|://|@", markdown.escape(text))
    assert markdown.escape("0.conv 1.5 %") == "0.conv 1.5 %"
