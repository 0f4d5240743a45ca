"""Every fault has a code of the enumeration, and every code has a page that says what it means, with examples that run."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import cutaway
from cutaway.core.fault_code import Family, FaultCode
from cutaway.report import json as report

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PAGES = ROOT / "docs" / "faults"
ENUMERATION = ROOT / "src" / "cutaway" / "core" / "fault_code.py"


def writer() -> Any:
    spec = importlib.util.spec_from_file_location("write", PAGES / "write.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclass looks for its annotations
    spec.loader.exec_module(module)
    module.faults = cache(module.faults)  # each example is run once
    return module


WRITE = writer()


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Return the nodes that the checks below look at."""
    kinds = (ast.Call, ast.Constant, ast.Compare, ast.Attribute)
    return [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, kinds)]


def nodes(paths: Sequence[Path]) -> Iterator[tuple[str, ast.AST]]:
    """Yield the nodes of the files' syntax trees, with their places."""
    for path in paths:
        for node in nodes_of(path):
            yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}", node


def called(node: ast.Call) -> str:
    """Return the last name of what is called."""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def test_every_fault_is_raised_with_its_code() -> None:
    faults = [
        (place, node)
        for place, node in nodes(SOURCES)
        if isinstance(node, ast.Call) and re.fullmatch(r"[A-Za-z]*Fault|fault", called(node))
    ]
    wrong = [place for place, node in faults if len(node.args) != 2 or isinstance(node.args[1], ast.Constant)]
    assert len(faults) > 500 and not wrong, "pass a member of FaultCode:\n" + "\n".join(wrong)


def test_no_code_is_a_string_in_the_source() -> None:
    values = {code.value for code in FaultCode}
    wrong = [
        f"{place}: {node.value}"
        for place, node in nodes([path for path in SOURCES if path != ENUMERATION])
        if isinstance(node, ast.Constant) and node.value in values
    ]
    assert not wrong, "use the member of FaultCode:\n" + "\n".join(wrong)


def test_nothing_looks_for_a_part_of_a_code() -> None:
    paths = [*SOURCES, *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "benchmarks").rglob("*.py"))]
    wrong = [
        place
        for place, node in nodes(paths)
        if isinstance(node, ast.Compare)
        and any(isinstance(operation, (ast.In, ast.NotIn)) for operation in node.ops)
        and isinstance(node.left, ast.Constant)
        and any(isinstance(side, ast.Attribute) and side.attr == "code" for side in node.comparators)
    ]
    assert not wrong, "ask for the family of the code:\n" + "\n".join(wrong)


def test_every_code_is_used() -> None:
    names = {
        node.attr
        for _, node in nodes(SOURCES)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "FaultCode"
    }
    assert {code.name for code in FaultCode} - names == set()


@pytest.mark.parametrize("code", FaultCode, ids=lambda code: code.value)
def test_a_code_is_described(code: FaultCode) -> None:
    assert code.value == code.name.lower().replace("_", "-")
    assert re.fullmatch(r"[A-Z][^.]*\.", code.summary) and len(code.summary) < 90
    assert code.explanation.endswith(".")


@pytest.mark.parametrize("family", Family, ids=lambda family: family.value)
def test_a_page_has_the_codes_of_its_family(family: Family) -> None:
    page = WRITE.page_of(family).read_text(encoding="utf-8")
    assert list(WRITE.examples(page)) == [code.value for code in FaultCode if code.family is family]


def test_the_index_has_all_codes() -> None:
    page = (PAGES / "index.md").read_text(encoding="utf-8")
    assert page == WRITE.index(page), "write it again: python docs/faults/write.py"


@pytest.mark.parametrize("code", FaultCode, ids=lambda code: code.value)
def test_a_page_says_what_the_program_says(code: FaultCode) -> None:
    page = WRITE.page_of(code.family).read_text(encoding="utf-8")
    section = next(found[0] for found in WRITE.SECTION.finditer(page) if found["code"] == code.value)
    assert section == WRITE.described(code, section), "write it again: python docs/faults/write.py"


@pytest.mark.parametrize("code", FaultCode, ids=lambda code: code.value)
def test_examples_fail_and_work(code: FaultCode) -> None:
    example = WRITE.examples(WRITE.page_of(code.family).read_text(encoding="utf-8"))[code.value]
    faults = WRITE.faults(example.failing)
    assert len(faults) == 1 and faults[0].endswith(f" [{code.value}]")
    assert WRITE.faults(example.working) == []


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.md")), ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    assert [link for link in links if link and not (path.parent / link).exists()] == []


def test_codes_of_older_documents_are_kept(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text("from torch import nn\nmodel = nn.Sequential(nn.Linear(8, 16), nn.Linear(32, 4))\n")
    document = json.loads(report.dumps(cutaway.show(str(model), input=["2x8"])))
    document["architectures"][0]["diagnostics"][0]["code"] = "rank-mismatch"
    (network,) = report.loads(json.dumps(document))
    assert [diagnostic.code for diagnostic in network.diagnostics] == ["rank-mismatch"]
