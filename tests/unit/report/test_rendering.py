"""The table and the tree, to the letter: `UPDATE_GOLDEN=1 pytest` writes the expected texts anew."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cutaway.core.architecture import Architecture, Module, ModuleCall, Note, Weight
from cutaway.core.place import Place
from cutaway.core.size.parser import read_size as size
from cutaway.report import table, tree
from cutaway.report.rows import label
from cutaway.report.sections import NARROWEST, remark, remarks
from cutaway.report.terminal import Terminal, columns

GOLDEN = Path(__file__).with_name("golden")
FORMS = {"table": table, "tree": tree}
PLAIN = {"colour": False, "unicode": True}
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> Any:
    return FORMS[request.param]


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    ("network", "width", "unicode"),
    [
        ("residual", 120, True),
        ("residual", 80, True),
        ("residual", 50, True),
        ("residual", 50, False),
        ("broken", 80, True),
        ("broken", 50, True),
        ("symbolic", 80, True),
        ("tied", 80, True),
    ],
)
def test_to_the_letter(name: str, network: str, width: int, unicode: bool, request: pytest.FixtureRequest) -> None:
    text = FORMS[name].render([request.getfixturevalue(network)], width=width, colour=False, unicode=unicode)
    expected = GOLDEN / f"{network}-{name}-{width}{'' if unicode else '-ascii'}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("network", ["residual", "broken", "symbolic", "tied"])
@pytest.mark.parametrize("width", [1, 30, 33, 47, 60, 79, 100, 200])
def test_no_line_is_wider_than_the_terminal(
    form: Any, network: str, width: int, request: pytest.FixtureRequest
) -> None:
    architecture = request.getfixturevalue(network)
    for unicode in (True, False):
        text = form.render([architecture], width=width, colour=False, unicode=unicode)
        assert max(columns(line) for line in text.splitlines()) <= max(width, NARROWEST)
        assert unicode or text.isascii()


def test_colour_changes_nothing_but_colour(form: Any, broken: Architecture) -> None:
    plain = form.render([broken], width=80, colour=False, unicode=True)
    coloured = form.render([broken], width=80, colour=True, unicode=True)
    assert "\x1b" not in plain
    assert coloured != plain
    stripped = ESCAPE.sub("", coloured)
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()


def test_repeats_and_depth_can_be_chosen(form: Any, residual: Architecture) -> None:
    folded = form.render([residual], width=100, **PLAIN)
    assert "1-2: Bottleneck" in folded and " x 2" in folded
    unfolded = form.render([residual], width=100, fold=False, **PLAIN)
    assert "1-2: Bottleneck" not in unfolded and "2: Bottleneck" in unfolded
    shallow = form.render([residual], width=100, depth=1, **PLAIN)
    assert "layer1: Sequential" in shallow and "Bottleneck" not in shallow


def test_a_network_without_a_forward_pass_has_no_empty_columns() -> None:
    modules = (Module("", "Net", "net.Net"), Module("fc", "Linear", "torch.nn.Linear"))
    architecture = Architecture("Net", modules=modules, weights=(Weight("fc.weight", (3, 4), "float32", "parameter"),))
    text = table.render([architecture], width=80, **PLAIN)
    header = text.splitlines()[2]
    assert header.split() == ["module", "params"]


def test_a_network_without_modules_is_shown_all_the_same(form: Any) -> None:
    unknown = Note("the class Base is not found", Place("net.py", 3))
    text = form.render([Architecture("Net", unknowns=(unknown,))], width=80, **PLAIN)
    assert text.startswith("Net\n") and "Unknown (1)\n  net.py:3  the class Base is not found\n" in text


def test_several_networks_follow_each_other(form: Any, residual: Architecture, tied: Architecture) -> None:
    text = form.render([residual, tied], width=80, **PLAIN)
    one, other = (form.render([each], width=80, **PLAIN) for each in (residual, tied))
    assert text == f"{one}\n{other}"
    assert form.render([], width=80, **PLAIN) == ""


def test_text_of_the_target_can_not_command_the_terminal(form: Any) -> None:
    evil = "\x1b]0;title\x07"
    modules = (Module("", f"Net{evil}", "net.Net", {"name": evil}, None, (ModuleCall((), ((size(evil),),)),)),)
    architecture = Architecture(
        evil, evil, modules=modules, unknowns=(Note(evil, Place(evil, 1), evil),), assumptions=(Note("a\nb"),)
    )
    text = form.render([architecture], width=120, **PLAIN)
    assert "\x1b" not in text and "\x07" not in text and "a\\nb" in text


def test_a_module_called_twice_with_different_results_says_so(form: Any) -> None:
    calls = (ModuleCall(((1,),), ((1, 2),)), ModuleCall(((1,),), ((3, 4),)))
    architecture = Architecture("Net", modules=(Module("", "Net", "net.Net", calls=calls),))
    assert "1x2, …" in form.render([architecture], width=80, **PLAIN)


def test_a_total_that_is_known_in_part_is_a_lower_bound(broken: Architecture) -> None:
    lines = table.render([broken], width=80, **PLAIN).splitlines()
    assert "MACs                  ≥442k" in lines
    assert "buffers                   ?" in lines


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (("conv",), "conv"),
        (("1", "2"), "1-2"),
        (("9", "10", "11"), "9-11"),
        (("conv1", "conv2", "conv3"), "conv1-3"),
        (("query", "key", "value"), "query, key, value"),
        (("0", "2", "4"), "0, 2, 4"),
        (tuple(str(n) for n in range(0, 40, 2)), "0, 2, … 38"),
        (("conv1", "norm2"), "conv1, norm2"),
    ],
)
def test_labels_of_folded_siblings(names: tuple[str, ...], text: str) -> None:
    assert label(names, "…") == text


def test_a_thousand_modules_take_no_noticeable_time() -> None:
    modules = [Module("", "Net", "net.Net", {}, None, (ModuleCall(((1,),), ((1,),)),))]
    weights = []
    for at in range(250):
        call = (ModuleCall(((1, at),), ((1, at),)),)
        for name in ("", ".conv", ".norm", ".act"):
            modules.append(Module(f"block{at}{name}", "M", "net.M", {"width": at, "bias": True}, None, call))
        weights.append(Weight(f"block{at}.conv.weight", (at, 3), "float32", "parameter"))
    architecture = Architecture("Net", modules=tuple(modules), weights=tuple(weights))
    fastest = 1.0
    for _ in range(5):
        start = time.process_time()
        table.render([replace(architecture)], width=120, colour=True, unicode=True)
        fastest = min(fastest, time.process_time() - start)
    assert fastest < 0.1


def test_places_are_named_from_where_a_reader_looks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    shown = Terminal(120, False, True)
    places = [tmp_path / "nets" / "a.py", "/env/lib/python3.11/site-packages/pack/b.py", "/elsewhere/c.py", "d.py"]
    lines = [remark("text", Place(str(place), 3), "", shown)[0] for place in places]
    assert lines == ["nets/a.py:3  text", "pack/b.py:3  text", "/elsewhere/c.py:3  text", "d.py:3  text"]


def test_packages_that_are_not_installed_are_one_line() -> None:
    notes = [Note(text) for text in ("the package a is not installed", "it is so", "the package b is not installed")]
    lines = remarks(Architecture("Net", assumptions=tuple(notes)), Terminal(80, False, True))
    assert lines[1:4] == ["Assumed (2)", "  these packages are not installed: a, b", "  it is so"]
