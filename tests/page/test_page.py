"""What is seen in the page, and what it does when it is used."""

from __future__ import annotations

import json
import struct
from itertools import pairwise
from pathlib import Path

import pytest

import cutaway
from cutaway.core.architecture import Architecture
from cutaway.passes.diff import diff
from cutaway.report.page import render
from tests.page.conftest import Open

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LARGEST_PAGE = 1_500_000


def test_resnet50_folds_and_unfolds(open_page: Open, resnet50: tuple[Architecture, ...]) -> None:
    shown = open_page(resnet50)
    assert shown.page.locator("h1").inner_text() == "resnet50"
    assert [title for title in shown.boxes() if title.startswith("Bottleneck")] == [
        "Bottleneck", "Bottleneck× 2", "Bottleneck", "Bottleneck× 3", "Bottleneck", "Bottleneck× 5", "Bottleneck",
        "Bottleneck× 2",
    ]  # fmt: skip
    shown.screenshot("resnet50")
    shown.page.get_by_role("button", name="Fold all", exact=True).click()
    assert "Bottleneck" not in shown.boxes()
    shown.page.locator("g.node[data-path='layer1'] .fold").click()
    assert shown.boxes().count("Bottleneck") == 1
    shown.page.locator("g.node[data-path='layer1.0'] .fold").click()
    assert shown.boxes().count("ReLU") == 4  # the stem's, and the block's at each of its three calls


def test_page_of_resnet50_is_small(resnet50: tuple[Architecture, ...]) -> None:
    assert len(render(resnet50).encode()) <= LARGEST_PAGE


def test_sizes_are_set_with_sliders(open_page: Open, resnet50: tuple[Architecture, ...]) -> None:
    shown = open_page(resnet50)
    assert shown.total("MACs") == "4.09G"
    shown.page.get_by_label("Number of B").fill("8")
    assert shown.total("MACs") == "32.7G"
    assert shown.total("Parameters") == "25.6M"
    shown.page.get_by_label("Number of H").fill("64")
    shown.page.get_by_label("Number of W").fill("64")
    shown.settle()
    assert "8×2048×2×2" in str(shown.page.locator(".graph svg").text_content())


def test_figures_equal_those_of_the_analysis_at_that_size(open_page: Open, resnet50: tuple[Architecture, ...]) -> None:
    (concrete,) = cutaway.show("torchvision.models:resnet50", input="3x3x97x130")
    shown = open_page(resnet50)
    for name, number in (("B", "3"), ("H", "97"), ("W", "130")):
        shown.page.get_by_label(f"Number of {name}").fill(number)
    titles = shown.page.locator(".details dd[title]").evaluate_all("all => all.map(each => each.title)")
    assert f"{concrete.totals.macs:,}" in titles
    assert f"{concrete.totals.activation_bytes:,} bytes" in titles


def test_selection_is_shared(open_page: Open, resnet50: tuple[Architecture, ...]) -> None:
    shown = open_page(resnet50)
    shown.page.locator("g.node[data-path='conv1']").click()
    assert "Conv2d" in shown.details() and "out_channels" in shown.details()
    assert "resnet.py:" in shown.details() and "self.conv1 = nn.Conv2d" in shown.details()
    assert shown.page.locator("[role=treeitem][aria-selected=true]").inner_text().split() == ["conv1", "Conv2d"]
    shown.view("Table")
    assert "conv1" in shown.page.locator(".rows .cells.selected").inner_text()
    shown.page.locator(".rows .cells", has_text="maxpool").click()
    assert shown.page.locator(".details").get_attribute("data-path") == "maxpool"


@pytest.mark.parametrize(
    ("query", "path"),
    [("layer3.2.conv2", "layer3.1"), ("batchnorm2d", "bn1"), ("adaptive_avg", "avgpool"), ("1x2048x1x1", "avgpool")],
    ids=["path", "class", "operation", "shape"],
)
def test_search(open_page: Open, resnet50: tuple[Architecture, ...], query: str, path: str) -> None:
    shown = open_page(resnet50)
    shown.page.keyboard.press("/")
    shown.page.keyboard.type(query)
    assert "found" in shown.page.locator(".search [role=status]").inner_text()
    shown.page.keyboard.press("Enter")
    assert str(shown.page.locator(".details").get_attribute("data-path")).startswith(path)
    shown.page.keyboard.press("Escape")
    assert shown.page.locator(".search [role=status]").count() == 0


def test_tree_is_used_with_the_keyboard(open_page: Open, resnet50: tuple[Architecture, ...]) -> None:
    shown = open_page(resnet50)
    shown.page.get_by_role("tree").focus()
    for key in ("Home", "ArrowDown", "ArrowDown"):
        shown.page.keyboard.press(key)
    assert shown.page.locator(".details").get_attribute("data-path") == "bn1"
    shown.page.keyboard.press("2")
    assert shown.page.get_by_role("tab", name="Table").get_attribute("aria-selected") == "true"


def test_costs_and_memory(open_page: Open, resnet50: tuple[Architecture, ...]) -> None:
    shown = open_page(resnet50, dark=True)
    shown.view("Costs")
    assert "layer4 Sequential" in shown.page.locator(".stages").inner_text()
    assert shown.page.locator(".tile").count() > 20
    shown.screenshot("costs-dark")
    shown.view("Memory")
    assert "The peak is 10.4 MB" in shown.page.locator(".memory").inner_text()
    shown.screenshot("memory-dark")
    shown.view("Graph")
    shown.page.get_by_label("Colour by").select_option("macs")
    shown.settle()
    assert shown.page.locator(".heat").count() > 10


def test_conditions_are_switched(open_page: Open) -> None:
    shown = open_page(cutaway.show(f"{EXAMPLES / 'conditional.py'}::Net"))
    assert "Dropout" in shown.boxes()
    assert shown.page.locator("g.node.conditional").count() == 1
    shown.screenshot("conditional")
    switch = shown.page.get_by_role("group", name="Condition use_dropout")
    switch.get_by_role("button", name="no").click()
    assert "Dropout" not in shown.boxes()
    switch.get_by_role("button", name="yes").click()
    assert "Dropout" in shown.boxes()
    assert shown.page.locator("g.node.conditional").count() == 0


def test_broken_network_is_drawn_up_to_the_fault(open_page: Open) -> None:
    shown = open_page(cutaway.show(f"{EXAMPLES / 'broken.py'}::Broken", input="1x1x28x28"))
    assert "3136 features" in shown.page.locator(".banner").inner_text()
    faulty = shown.page.locator("g.node.faulty")
    assert faulty.get_attribute("data-path") == "hidden"
    assert "self.hidden" in shown.page.locator(".details .fault .line.here").inner_text()
    assert {"flatten", "Linear", "Conv2d"} <= set(shown.boxes())
    assert shown.page.locator("g.node.uncalled").get_attribute("data-path") == "head"
    shown.screenshot("broken")


def test_keras_functional_model(open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        "import keras\n"
        "x = keras.Input((32, 32, 3), name='image')\n"
        "a = keras.layers.Conv2D(8, 3, padding='same', name='left')(x)\n"
        "b = keras.layers.Conv2D(8, 5, padding='same', name='right')(x)\n"
        "model = keras.Model(x, keras.layers.Add(name='sum')([a, b]))\n"
    )
    shown = open_page(cutaway.show(f"{tmp_path / 'model.py'}::model"))
    assert shown.boxes().count("Conv2D") == 2
    assert "Add" in shown.boxes()
    shown.screenshot("keras")


def test_saved_weights(open_page: Open, tmp_path: Path) -> None:
    header = json.dumps({"block.weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}).encode()
    (tmp_path / "net.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(24))
    shown = open_page(cutaway.show(str(tmp_path / "net.safetensors")))
    assert shown.total("Parameters") == "6"
    shown.page.locator("[role=treeitem]", has_text="block").click()
    assert "2×3" in shown.details()


def test_thousand_operations(open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text(
        "import torch.nn as nn\n"
        "class Deep(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.layers = nn.ModuleList(nn.Linear(8 + i, 9 + i) for i in range(500))\n"
        "    def forward(self, x):\n"
        "        for layer in self.layers:\n"
        "            x = layer(x).relu()\n"
        "        return x\n"
    )
    (network,) = cutaway.show(f"{tmp_path / 'deep.py'}::Deep", input="1x8")
    assert len(network.ops) == 1000
    shown = open_page([network])
    assert len(shown.boxes()) < 60
    shown.page.get_by_label("Search").fill("layers.321")
    shown.page.keyboard.press("Enter")
    assert shown.page.locator(".details").get_attribute("data-path") == "layers.321"
    shown.settle()
    assert shown.page.locator("g.node.selected").count() == 1
    shown.screenshot("thousand")


def test_two_networks_are_compared(open_page: Open, tmp_path: Path) -> None:
    source = "import torch.nn as nn\ndef net(width, extra):\n    return nn.Sequential(nn.Conv2d(3, width, 3), nn.ReLU(), *extra)\n"
    (tmp_path / "net.py").write_text(source)
    (before,) = cutaway.show(f"{tmp_path / 'net.py'}::net(8, [])", input="1x3x8x8")
    (after,) = cutaway.show(f"{tmp_path / 'net.py'}::net(16, [nn.Flatten()])", input="1x3x8x8")
    shown = open_page([before, after], diff(before, after))
    assert "out_channels 8 → 16" in shown.page.locator(".notes").inner_text()
    shown.screenshot("difference")
    shown.view("Graph")
    shown.settle()
    assert shown.page.locator("g.change-added").get_attribute("data-path") == "2"
    assert shown.page.locator("g.change-changed[data-path='0']").count() == 1
    shown.page.get_by_role("button", name="Before").click()
    shown.settle()
    assert shown.page.locator("g.change-added").count() == 0


def test_the_graph_is_printed_on_as_many_pages_as_it_needs(open_page: Open, resnet50: tuple[Architecture, ...]) -> None:
    shown = open_page(resnet50)
    shown.settle()
    shown.page.emulate_media(media="print")
    shown.page.locator(".paper svg").first.wait_for()
    views = [str(each.get_attribute("viewBox")).split() for each in shown.page.locator(".paper svg").all()]
    ends = [(float(top), float(top) + float(height)) for _, top, _, height in views]
    assert len(ends) > 1
    assert all(below == top for (_, below), (top, _) in pairwise(ends))
    printed = set(
        shown.page.locator(".paper svg").last.locator("g.node").evaluate_all("all => all.map(e => e.dataset.path)")
    )
    assert "fc" in printed
    shown.page.emulate_media(media="screen")
    shown.page.locator(".paper").wait_for(state="detached")


def test_views_are_turned_with_the_arrow_keys(open_page: Open, resnet50: tuple[Architecture, ...]) -> None:
    shown = open_page(resnet50)
    shown.page.get_by_role("tab", name="Graph").focus()
    shown.page.keyboard.press("ArrowRight")
    selected = shown.page.locator("[role=tab][aria-selected=true]")
    assert selected.inner_text() == "Table"
    assert shown.page.evaluate("document.activeElement.id") == "tab-table"
    assert shown.page.get_by_role("grid").get_by_role("columnheader").count() == 7


def test_what_computes_nothing_is_not_drawn(open_page: Open, tmp_path: Path) -> None:
    source = "import torch.nn as nn\nnet = nn.Sequential(nn.Linear(8, 8), nn.Identity(), nn.Linear(8, 2))\n"
    (tmp_path / "net.py").write_text(source)
    shown = open_page(cutaway.show(str(tmp_path / "net.py"), input="1x8"))
    assert [title.partition(" ")[0] for title in shown.boxes()] == ["input", "Linear", "Linear", "output"]
    shown.page.get_by_role("treeitem", name="Identity").click()
    assert "computes nothing in this forward pass" in shown.details()


def test_nothing_lies_over_the_graph(open_page: Open, resnet50: tuple[Architecture, ...]) -> None:
    shown = open_page(resnet50)
    shown.settle()
    canvas, tools = (shown.page.locator(name).bounding_box() for name in (".graph .canvas", ".graph .tools"))
    assert canvas and tools
    assert canvas["y"] + canvas["height"] <= tools["y"]
    assert shown.page.locator(".legend li").all_inner_texts() == [
        "convolution", "linear", "normalization", "activation", "pooling",
    ]  # fmt: skip


def test_changes_of_equal_blocks_are_listed_once(open_page: Open, tmp_path: Path) -> None:
    source = "import torch.nn as nn\ndef net(width):\n    return nn.Sequential(*[nn.Sequential(nn.Linear(8, width), nn.Linear(width, 8)) for _ in range(4)])\n"
    (tmp_path / "net.py").write_text(source)
    (before,) = cutaway.show(f"{tmp_path / 'net.py'}::net(16)", input="Bx8")
    (after,) = cutaway.show(f"{tmp_path / 'net.py'}::net(32)", input="Bx8")
    shown = open_page([before, after], diff(before, after))
    titles = shown.page.locator(".note p").all_inner_texts()
    assert titles == ["~ 0-3.0 Linear × 4 changed", "~ 0-3.1 Linear × 4 changed"]
    row = shown.page.locator(".effects tr", has_text="MACs").inner_text().split("\t")
    assert row == ["MACs", "1,024", "2,048", "+100.0%"]
    shown.page.get_by_label("Number of B").fill("10")
    assert "20.5k" in shown.page.locator(".effects tr", has_text="MACs").inner_text()
