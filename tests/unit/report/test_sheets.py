"""Tables as CSV and Markdown, rows of operations and of networks, and names that try to be more than names."""

from __future__ import annotations

import csv as standard
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutaway.core.architecture import Architecture, Module, ModuleCall, Op, Value, Weight
from cutaway.core.size.parser import read_size
from cutaway.passes.cost import with_totals
from cutaway.report import csv, markdown, sheet, table
from cutaway.report.terminal import Terminal

B = read_size("B")
PLAIN = Terminal(100, False, True)


def network(name: str = "fc") -> Architecture:
    shape = (B, 4)
    call = (ModuleCall(((B, 3),), (shape,)),)
    x, y = Value("x", (B, 3), "float32"), Value("y", shape, "float32")
    return with_totals(
        Architecture(
            "Net",
            inputs=(x,),
            outputs=(y,),
            modules=(
                Module("", "Net", "Net", calls=call),
                Module(name, "Linear", "Linear", config={"in_features": 3, "out_features": 4}, calls=call),
            ),
            weights=(Weight(f"{name}.weight", (4, 3), "float32", "parameter", module=name),),
            ops=(Op("linear", {}, (x,), (y,), name, macs=12 * B),),
        )
    )


def test_csv_has_formulas() -> None:
    rows = sheet.modules(network(), sizes={})
    assert csv.render([("Net", rows)]) == (
        "path,class,count,output,params,MACs,activations\n,Net,1,B x 4,12,12*B,16*B\nfc,Linear,1,B x 4,12,12*B,16*B\n"
    )


def test_markdown_has_numbers_and_says_at_which_sizes() -> None:
    text = markdown.render([("Net", sheet.modules(network(), columns=("kernel", "params", "share", "flops")))])
    assert text == (
        "### Net\n\n"
        "| path | class | count | settings | params | % | FLOPs |\n"
        "|---|---|---:|---|---:|---:|---:|\n"
        "|  | Net | 1 |  | 12 | 100.0 | 24 |\n"
        "| fc | Linear | 1 | 3 → 4 | 12 | 100.0 | 24 |\n\n"
        "figures are at B=1\n"
    )


def test_operations() -> None:
    (row,) = sheet.operations(network()).rows
    assert row.values == ("linear", 1, 12, 24, "100.0", 16)


def test_overview_has_a_row_for_each_network() -> None:
    assert sheet.text(sheet.overview([network(), network()]), PLAIN).count("12  ") == 4


def test_sorted_table_lists_paths() -> None:
    shown = table.render([network("block.fc")], width=80, colour=False, unicode=True, sort="params")
    assert "block.fc: Linear" in shown


def test_rows_outside_of_the_tree_count_all_of_their_modules() -> None:
    modules, weights = [Module("", "Net", "Net")], []
    for at in range(3):
        modules += [Module(f"{at}", "Block", "Block"), Module(f"{at}.fc", "Linear", "Linear")]
        weights.append(Weight(f"{at}.fc.weight", (4, 3), "float32", "parameter", module=f"{at}.fc"))
    blocks = with_totals(Architecture("Net", modules=tuple(modules), weights=tuple(weights)))
    assert "0.fc: Linear x 3  3 x 12" in table.render([blocks], width=80, colour=False, unicode=True, sort="params")
    rows = sheet.modules(blocks, columns=("params",)).rows
    assert [row.values for row in rows] == [("", "Net", 1, 36), ("0", "Block", 3, 36), ("0.fc", "Linear", 3, 36)]


def test_a_class_is_never_cut_away() -> None:
    shown = table.render(
        [network("a_very_long_name_of_a_module_that_needs_room")], width=50, colour=False, unicode=True
    )
    assert "…: Linear" in shown


@given(st.text())
def test_no_cell_is_a_formula(text: str) -> None:
    cell = csv.cell(text)
    assert not cell.lstrip().startswith(("=", "+", "-", "@"))
    (read,) = standard.reader(
        io.StringIO(csv.render([("", sheet.Sheet((), (sheet.Row((text, 1), ()),), ()))]).split("\n", 1)[1])
    )
    assert read == [cell, "1"]


@pytest.mark.parametrize("text", ["=1+1", "@SUM(A1)", "+1", "-2+3", "\t=1", " =1"])
def test_formula_cells_are_quoted(text: str) -> None:
    assert csv.cell(text).startswith("'")


@given(st.text())
def test_markdown_shows_text_as_it_is(text: str) -> None:
    escaped = markdown.escape(text)
    assert "\n" not in escaped
    assert not re.search(r"[|<>`*\[\]\\!]|&(?!#\d+;)", escaped)
