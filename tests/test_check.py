"""`cutaway check`: which files are checked, what is reported, in which form, and the exit code."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from cutaway import cli
from cutaway.checking.files import checked_files
from cutaway.checking.ignored_paths import Ignored, parse
from cutaway.core.problem import CheckedFile, Extent, Problem, ProblemNote, Severity
from cutaway.knowledge.base.framework_names import CHECKED
from cutaway.report import github, junit, problem_json, problem_text, sarif
from cutaway.report.terminal import Terminal

FAULTY = """\
import torch
from torch import nn

model = nn.Sequential(
    nn.Linear(8, 16),
    nn.Linear(32, 4),
)
output = model(torch.randn(2, 8))
"""
CLEAN = FAULTY.replace("nn.Linear(32, 4)", "nn.ReLU(), nn.Linear(16, 4)")
WARNED = """\
import torch

probabilities = torch.nn.functional.softmax(torch.randn(2, 8))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CUTAWAY_CACHE", str(tmp_path / ".cache"))
    return tmp_path


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = cli.main(["check", *arguments])
    return code, capsys.readouterr().out


def problems(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[tuple[str, int, str]]:
    _, text = check(capsys, "--format", "json", *arguments)
    return [
        (each["file"], each["extent"][0], each["code"])
        for file in json.loads(text)["files"]
        for each in file["problems"]
    ]


def test_the_frame_of_a_notebook_shows_its_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": FAULTY.splitlines(keepends=True)}
    (folder / "net.ipynb").write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}, indent=1))
    _, text = check(capsys, "net.ipynb")
    assert (
        "--> net.ipynb:15:10\n"
        "   |\n"
        "13 |     nn.Linear(32, 4),\n"
        "14 | )\n"
        "15 | output = model(torch.randn(2, 8))\n"
        "   |          ^^^^^^^^^^^^^^^^^^^^^^^^\n"
    ) in text


def test_a_fault_is_printed_with_its_code_frame(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "net.py").write_text(FAULTY)
    code, text = check(capsys, "net.py")
    assert code == 1
    assert text == (
        "error[shape-mismatch] linear: input has 16 features in its last dimension, but weight expects 32\n"
        " --> net.py:8:10\n"
        "  |\n"
        "6 |     nn.Linear(32, 4),\n"
        "7 | )\n"
        "8 | output = model(torch.randn(2, 8))\n"
        "  |          ^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  |\n"
        "  = net.py:6: Linear is created here\n"
        "  = net.py:8: Sequential is called with 2x8\n"
        "\n"
        "1 file checked: 1 error\n"
    )


def test_a_clean_file_has_exit_code_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "net.py").write_text(CLEAN)
    assert check(capsys, "net.py") == (0, "1 file checked: no problems found\n")


def test_a_missing_path_has_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "absent"]) == 2
    assert "absent: no such file or folder" in capsys.readouterr().err


def test_a_program_without_a_network_is_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "script.py").write_text(
        "import torch\nif __name__ == '__main__':\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    )
    assert problems(capsys, "script.py") == [("script.py", 3, "shape-mismatch")]


def test_broken_files_do_not_stop_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "net.py").write_text(FAULTY)
    (folder / "old.py").write_text("import torch\nprint 'hello'\n")
    code, text = check(capsys, "--format", "concise", ".")
    assert code == 1
    assert "net.py:8:10: error[shape-mismatch]" in text
    assert text.count("note: old.py:2: syntax error") == 1 and "written for Python 2" in text


def test_a_fault_in_an_imported_module_is_reported_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "net.py").write_text(
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(8, 4)\n\n    def forward(self, x):\n        return self.fc(x.view(3, 5))\n"
    )
    for name in ("one.py", "two.py"):
        (folder / name).write_text("import torch\nfrom net import Net\n\nNet()(torch.zeros(3, 5))\n")
    assert problems(capsys, ".") == [("net.py", 11, "shape-mismatch")]


@pytest.mark.parametrize(
    ("comment", "code"),
    [("# cutaway: ignore", 0), ("# cutaway: ignore[shape-mismatch]", 0), ("# cutaway: ignore[wrong-rank]", 1)],
)
def test_a_comment_ignores_a_line(folder: Path, capsys: pytest.CaptureFixture[str], comment: str, code: int) -> None:
    (folder / "net.py").write_text(FAULTY.rstrip() + f"  {comment}\n")
    assert check(capsys, "net.py")[0] == code


def test_settings_select_and_ignore(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "net.py").write_text(FAULTY)
    (folder / "warned.py").write_text(WARNED)
    both = [("net.py", 8, "shape-mismatch"), ("warned.py", 3, "softmax-without-dim")]
    assert problems(capsys, ".") == both
    assert problems(capsys, "--select", "error", ".") == both[:1]
    assert problems(capsys, "--ignore", "shape-mismatch", ".") == both[1:]
    (folder / "pyproject.toml").write_text('[tool.cutaway]\nignore = ["warning"]\n')
    assert problems(capsys, ".") == both[:1]
    (folder / "pyproject.toml").write_text('[tool.cutaway.per-file-ignores]\n"net.py" = ["all"]\n')
    assert problems(capsys, ".") == both[1:]


def test_a_code_that_does_not_exist_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "--ignore", "shape-mismach", "."]) == 2
    assert "did you mean shape-mismatch" in capsys.readouterr().err


def test_hints_are_off_unless_they_are_selected(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "net.py").write_text(
        "import torch\nfrom torch import nn\n\n"
        "model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))\nmodel(torch.zeros(2, 3, 8, 8))\n"
    )
    assert problems(capsys, ".") == []
    assert problems(capsys, "--select", "all", ".") == [("net.py", 4, "bias-before-batch-norm")]


def test_a_baseline_hides_what_was_there_before(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "net.py").write_text(FAULTY)
    assert check(capsys, "--baseline", "known.json", ".")[0] == 0
    (folder / "net.py").write_text("# a new line\n" + FAULTY)
    (folder / "warned.py").write_text(WARNED)
    _, text = check(capsys, "--baseline", "known.json", "--format", "json", ".")
    codes = [each["code"] for file in json.loads(text)["files"] for each in file["problems"]]
    assert codes == ["softmax-without-dim"]


def test_notebooks_and_documents_are_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "net.md").write_text(f"# A network\n\n```python\n{FAULTY}```\n\n```python\nprint undefined\n```\n")
    cell = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "source": ["%matplotlib inline\n", *FAULTY.splitlines(True)],
    }
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "net.ipynb").write_text(json.dumps(book, indent=1))
    found = problems(capsys, ".")
    assert [(file, code) for file, _, code in found] == [("net.ipynb", "shape-mismatch"), ("net.md", "shape-mismatch")]
    assert found[1][1] == 11


def test_results_are_reused_until_something_changes(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "net.py").write_text(FAULTY)
    (folder / "other.py").write_text(CLEAN)
    first = problems(capsys, ".")
    checked: list[str] = []
    from cutaway.checking import file_check

    original = file_check.check_files
    monkeypatch.setattr(file_check, "check_files", lambda files, *rest: checked.extend(files) or original(files, *rest))
    assert problems(capsys, ".") == first and checked == []
    (folder / "net.py").write_text(CLEAN)
    assert problems(capsys, ".") == [] and checked == ["net.py"]


def test_an_answer_that_only_the_wall_explains_is_no_reason_to_check_again(folder: Path) -> None:
    from cutaway.checking.file_check import _is_refused

    (folder / "inside").mkdir()
    readable = [str(folder / "inside")]
    assert _is_refused(("names", str(folder), ".so"), None, readable)
    assert not _is_refused(("names", str(folder), ".so"), [], readable)  # the wall let it through
    assert not _is_refused(("names", str(folder / "inside"), ".so"), None, readable)
    assert not _is_refused(("names", str(folder / "missing"), ".so"), None, readable)


def test_ignored_files_are_left_out(folder: Path) -> None:
    for name in ("kept.py", "left.py", "sub/left.py", "sub/kept.py", "build/net.py", "deep/er/x.py", "plain.txt"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CLEAN)
    (folder / ".gitignore").write_text("left.py\n/build/\ndeep/**/x.py\n# a comment\n")
    (folder / "sub" / ".gitignore").write_text("!left.py\n")
    (folder / "without.py").write_text("print(1)\n")
    assert checked_files(["."], [], CHECKED) == [
        "kept.py",
        os.path.join("sub", "kept.py"),
        os.path.join("sub", "left.py"),
    ]
    assert checked_files(["."], ["sub"], CHECKED) == ["kept.py"]


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.py", "a/b.py", True), ("/b.py", "a/b.py", False), ("a/*.py", "a/b.py", True), ("a/*.py", "a/c/b.py", False),
        ("**/b.py", "a/c/b.py", True), ("b?.py", "bc.py", True), ("[bc].py", "c.py", True), ("[!bc].py", "c.py", False),
        ("\\#x.py", "#x.py", True), ("x/", "x", False),
    ],
)  # fmt: skip
def test_patterns_of_paths(folder: Path, pattern: str, path: str, expected: bool) -> None:
    ignored = Ignored(((str(folder), parse([pattern])),))
    assert ignored.leaves_out(str(folder / path), is_folder=False) is expected


def test_rule_explains_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rule", "softmax-without-dim"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("softmax-without-dim (warning)\n\n") and "Works:" in text
    assert cli.main(["rule", "softmax"]) == 2


REPORTED = [
    CheckedFile(
        "a/net.py",
        (
            Problem(
                "shape-mismatch", Severity.ERROR, "sizes 3 & 4 differ", "a/net.py", Extent(3, 5, 3, 9),
                (ProblemNote("made here"),),
            ),
            Problem("unused-module", Severity.WARNING, "100% <unused>", "a/net.py", None),
        ),
        "a note",
    ),
    CheckedFile("b.py"),
]  # fmt: skip


def test_json_is_read_back() -> None:
    assert [problem_json.file_from(problem_json.file_to(file)) for file in REPORTED] == REPORTED


def test_sarif_has_results_and_rules() -> None:
    log = json.loads(sarif.render(REPORTED, "1.0", {}))
    run = log["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["shape-mismatch", "unused-module"]
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [
        ("shape-mismatch", "error"),
        ("unused-module", "warning"),
    ]


@pytest.mark.skipif(
    "SARIF_SCHEMA" not in os.environ, reason="SARIF_SCHEMA names no file with the schema of SARIF 2.1.0"
)
def test_sarif_fits_its_schema(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "net.py").write_text(FAULTY)
    (folder / "warned.py").write_text(WARNED)
    (folder / "old.py").write_text("import torch\nprint 'hello'\n")
    schema = json.loads(Path(os.environ["SARIF_SCHEMA"]).read_bytes())
    _, text = check(capsys, "--format", "sarif", ".")
    jsonschema.validate(json.loads(text), schema)
    jsonschema.validate(json.loads(sarif.render(REPORTED, "1.0", {})), schema)


def test_github_commands_escape_what_they_say() -> None:
    assert github.render(REPORTED) == (
        "::error title=cutaway (shape-mismatch),file=a/net.py,line=3,endLine=3,col=5,endColumn=9::"
        "sizes 3 & 4 differ%0Amade here\n"
        "::warning title=cutaway (unused-module),file=a/net.py::100%25 <unused>\n"
    )


def test_junit_has_a_case_for_each_file() -> None:
    cases = ElementTree.fromstring(junit.render(REPORTED)).findall(".//testcase")
    assert [(case.get("name"), len(case.findall("failure"))) for case in cases] == [("a/net.py", 2), ("b.py", 0)]


FIXABLE = """\
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)

    def forward(self, x):
        return F.dropout(self.layer(x), 0.5)  # é


model = Net()
model.eval
output = model(torch.randn(4, 8))
"""


def test_certain_fixes_are_made(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "net.py").write_text(FIXABLE, encoding="utf-8")
    assert [code for _, _, code in problems(capsys, "net.py")] == ["dropout-always-on", "method-not-called"]
    code, text = check(capsys, "--fix", "net.py")
    assert (code, text) == (0, "1 file checked: no problems found\n")
    fixed = FIXABLE.replace("0.5)", "0.5, training=self.training)").replace("model.eval", "model.eval()")
    assert (folder / "net.py").read_text(encoding="utf-8") == fixed
    assert check(capsys, "net.py")[0] == 0


def test_a_fix_that_would_break_the_syntax_is_not_made(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = FIXABLE.replace("0.5)", "0.5,)")
    (folder / "net.py").write_text(text, encoding="utf-8")
    assert check(capsys, "--fix", "net.py")[0] == 1
    assert (folder / "net.py").read_text(encoding="utf-8") == text.replace("model.eval", "model.eval()")


def test_a_fix_is_only_made_where_it_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "net.py").write_text(FIXABLE, encoding="utf-8")
    check(capsys, "--fix", "--ignore", "dropout-always-on", "net.py")
    assert "training=" not in (folder / "net.py").read_text(encoding="utf-8")


class _Screen(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("form", ["full", "concise"])
def test_a_terminal_gets_colours(folder: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    screen = _Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    (folder / "broken.py").write_text(FAULTY)
    cli.main(["check", str(folder / "broken.py"), "--no-cache", "--format", form])
    assert "\x1b[31merror" in screen.getvalue() and "\\x1b" not in screen.getvalue()


@pytest.mark.parametrize("render", [problem_text.render, problem_text.concise])
def test_names_can_not_command_a_terminal_with_colours(render: Any) -> None:
    problem = Problem("code", Severity.ERROR, "says \x1b]0;x\x07", "a\x1b[2J.py", None, (ProblemNote("\x1b[5m"),))
    text = render([CheckedFile("a", (problem,), note="\x1b[6m")], Terminal(80, True, True), 1)
    assert re.findall("\x1b\\[\\d*[A-Za-z]", text) == re.findall("\x1b\\[\\d+m", text)
    assert "\x1b]" not in text and "\x1b[5m" not in text and "\x1b[6m" not in text
