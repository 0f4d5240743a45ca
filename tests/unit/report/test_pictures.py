"""Pictures of the folded architecture, and what a hostile name can do to them: nothing."""

from __future__ import annotations

import re
import struct
import sys
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.core.architecture import Architecture, Module, ModuleCall, Op, Value
from cutaway.core.error import CutawayError
from cutaway.passes.diagram import diagram
from cutaway.report import dot, mermaid, png, svg

SHAPE = (1, 8)


def network(name: str = "Net", block: str = "Block") -> Architecture:
    """Return two equal blocks of a linear layer whose result is added to what the block was called with."""
    call = (ModuleCall((SHAPE,), (SHAPE,)),)
    modules = [Module("", name, name, calls=call), Module("blocks", "ModuleList", "ModuleList")]
    ops: list[Op] = []
    last = Value("x", SHAPE, "float32")
    for at in range(2):
        modules.append(Module(f"blocks.{at}", block, block, calls=call))
        modules.append(
            Module(f"blocks.{at}.fc", "Linear", "Linear", config={"in_features": 8, "out_features": 8}, calls=call)
        )
        inner, outer = Value(f"i{at}", SHAPE, "float32"), Value(f"o{at}", SHAPE, "float32")
        ops.append(Op("linear", {}, (last,), (inner,), f"blocks.{at}.fc"))
        ops.append(Op("add", {}, (inner, last), (outer,), f"blocks.{at}"))
        last = outer
    return Architecture(
        name, inputs=(Value("x", SHAPE, "float32"),), outputs=(last,), modules=tuple(modules), ops=tuple(ops)
    )


def test_equal_blocks_are_one_box_and_lists_are_their_parts() -> None:
    drawn = diagram(network())
    assert [(box.kind, box.title, box.count, box.names) for box in drawn.root.parts] == [
        ("input", "x", 1, ()),
        ("module", "Block", 2, ("blocks.0", "blocks.1")),
    ]
    assert [box.title for box in drawn.root.parts[1].parts] == ["Linear", "add"]
    assert [(arrow.source.title, arrow.target.title) for arrow in drawn.arrows] == [("x", "Block"), ("Linear", "add")]
    assert [(arrow.source.title, arrow.target.title) for arrow in drawn.entries] == [
        ("Block", "Linear"),
        ("Block", "add"),
    ]


def test_depth_folds() -> None:
    assert not diagram(network(), depth=1).root.parts[1].unfolded


def test_mermaid() -> None:
    assert mermaid.render([network()]) == (
        "flowchart TD\n"
        '  n1(["x<br/>1x8"])\n'
        '  subgraph n2["Block × 2<br/>blocks.0-1"]\n'
        '    n3["Linear<br/>fc, 8 → 8"]\n'
        '    n4(["add"])\n'
        "  end\n"
        '  n1 -->|"1x8"| n2\n'
        '  n3 -->|"1x8"| n4\n'
    )


def test_svg_is_of_one_network() -> None:
    with pytest.raises(CutawayError, match="one network"):
        svg.render([network("A"), network("B")])


@settings(max_examples=100)
@given(st.text(min_size=1))
def test_names_stay_text(name: str) -> None:
    shown = network(block=name)
    root = ET.fromstring(svg.render([shown]))
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
        "svg", "title", "style", "defs", "marker", "path", "rect", "text",
    }  # fmt: skip
    for line in mermaid.render([shown]).splitlines():
        assert re.fullmatch(r'[\w ,.:-]*|.*?\["(?:[\w .,:+*/()×→#;-]|<br/>)*"\]\)?|  \w+ -->\|"[^"<>]*"\| \w+', line), (
            line
        )
    graph = dot.render([shown])
    assert len(re.findall(r'"(?:[^"\\\n]|\\.)*"', graph)) * 2 == len(re.findall(r'(?<!\\)(?:\\\\)*"', graph))


def test_png_has_the_size_of_the_drawing() -> None:
    size = re.search(r'width="(\d+)" height="(\d+)"', svg.render([network()]))
    assert size is not None
    picture = png.render([network()])
    assert picture.startswith(b"\x89PNG\r\n")
    assert struct.unpack(">II", picture[16:24]) == (2 * int(size[1]), 2 * int(size[2]))


def test_png_of_a_long_drawing_is_bounded() -> None:
    call = (ModuleCall((SHAPE,), (SHAPE,)),)
    names = [f"Layer{at}" for at in range(300)]
    values = [Value(f"v{at}", SHAPE, "float32") for at in range(301)]
    chain = Architecture(
        "Chain",
        inputs=values[:1],
        outputs=values[-1:],
        modules=(Module("", "Chain", "Chain", calls=call), *(Module(name, name, name, calls=call) for name in names)),
        ops=tuple(Op("f", {}, (a,), (b,), name) for name, a, b in zip(names, values, values[1:])),
    )
    picture = png.render([chain])
    assert max(struct.unpack(">II", picture[16:24])) <= 16_000


def test_png_names_the_package_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(CutawayError, match=r"pip install 'cutaway\[png\]'"):
        png.render([network()])
