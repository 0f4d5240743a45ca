"""Every case of `cases/`: what `cutaway.show` says of the code below a heading."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import cutaway
from cutaway.core.architecture import Architecture, Shape
from cutaway.passes.provenance import Provenance, in_words
from tests.literate import Case, read

CASES = read(Path(__file__).parent / "cases")
MAIN = "model.py"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in case.sources(MAIN).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    target = case.directive("show") or MAIN
    inputs = [value for key, value in case.directives if key == "input"]
    numbers = dict(value.split("=") for key, value in case.directives if key == "set")
    paths = [value for key, value in case.directives if key == "path"]
    assumed = [value for key, value in case.directives if key == "assume"]
    line = case.directive("command line")
    train = {None: None, "True": True, "False": False}[case.directive("train")]
    if target.startswith("-"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((tmp_path / MAIN).read_bytes())))
    expected = [line for block in case.blocks if block.language == "text" for line in block.text.splitlines() if line]
    assert expected, f"{case.file}:{case.line}: the case expects nothing"
    try:
        networks = cutaway.show(
            target,
            input=inputs,
            set={name: int(n) for name, n in numbers.items()},
            path=paths,
            assume=assumed,
            train=train,
            argv=None if line is None else line.split(),
        )
    except cutaway.CutawayError as error:
        assert _nearest(expected[0], [f"error: {error}"]) == expected[0] and len(expected) == 1
        return
    expected += [line for name, text in case.sources(MAIN).items() for line in _shapes(name, text)]
    assert _said(networks, expected) == expected


_SHAPE = re.compile(r"# shape: (.*\S)")


def _shapes(file: str, text: str) -> Iterator[str]:
    """Yield what the comments in a file say about the values of their lines."""
    for number, line in enumerate(text.splitlines(), 1):
        if found := _SHAPE.search(line):
            yield f"shape at {file}:{number}: {found[1]}"


def _said(networks: tuple[Architecture, ...], expected: list[str]) -> list[str]:
    """Return the lines that are true of the networks, in place of those expected."""
    facts = [f"networks: {' '.join(network.name for network in networks)}"]
    for network in networks:
        facts.extend(_facts(network))
    return [line if line in facts else _nearest(line, facts) for line in expected]


def _nearest(line: str, facts: list[str]) -> str:
    """Return what is said instead, or the line itself where it only gives a part of what is said."""
    key, _, rest = line.partition(": ")
    same = [fact for fact in facts if fact.startswith(f"{key}: ")]
    if rest.endswith("...") and any(fact.startswith(f"{key}: {rest[:-3]}") for fact in same):
        return line
    return " | ".join(same) or f"nothing of {key}, but: {facts}"


def _facts(network: Architecture) -> Iterator[str]:
    yield f"network: {network.name}"
    yield f"modules: {' '.join(module.path for module in network.modules[1:])}"
    for module in network.modules:
        path = module.path or "(root)"
        yield f"{path}: {module.class_name}"
        for call in module.calls:
            outputs = "did not return" if call.outputs is None else ", ".join(map(_shape, call.outputs))
            yield f"{path}: {module.class_name} {', '.join(map(_shape, call.inputs))} -> {outputs}"
        yield f"calls of {path}: {len(module.calls)}"
        yield from (f"call of {path}: if {call.condition}" for call in module.calls if call.condition)
        yield f"condition of {path}: {module.condition}"
        yield f"repeat of {path}: {module.repeat}"
        yield from (f"{path} is: {other.name} if {other.condition}" for other in module.otherwise)
        yield f"config of {path}: {', '.join(f'{k}={v!r}' for k, v in module.config.items())}"
    if network.requires is not None:
        shapes = ", ".join(_shape(value.shape) for value in network.requires.inputs)
        condition = network.requires.text
        yield f"needs: {shapes}" + ("" if condition == "any size" else f" with {condition}")
        yield f"needs exactly: {network.requires.exact}"
        yield from (f"needs also: {text}" for text in network.requires.also)
        yield from (f"needs because: {note.place} {note.text}" for note in network.requires.because)
        yield from (f"needs perhaps: {note.place} {note.text}" for note in network.requires.open)
    for value in network.inputs:
        yield f"input {value.name}: {_shape(value.shape)} {value.dtype}"
    for value in network.outputs:
        condition = f" if {value.condition}" if value.condition else ""
        yield f"output{f' {value.name}' if value.name else ''}: {_shape(value.shape)} {value.dtype}{condition}"
    yield f"weights: {' '.join(weight.name for weight in network.weights)}"
    for weight in network.weights:
        tied = f", tied to {weight.tied_to}" if weight.tied_to else ""
        yield f"{weight.kind} {weight.name}: {_shape(weight.shape)} {weight.dtype}{tied}"
    yield f"ops: {' '.join(re.sub('^(torch.nn.functional|torch|keras.ops|tensorflow)[.]', '', op.op) for op in network.ops)}"
    lines = {op.source: ", ".join(_shape(value.shape) for value in op.outputs) for op in network.ops}
    for place, shapes in lines.items():
        yield f"shape at {place}: {shapes}"
    yield from (f"{op.op.rpartition('.')[2]} at {op.source}: if {op.condition}" for op in network.ops if op.condition)
    yield from (f"{op.op.rpartition('.')[2]} at {op.source}: x {op.repeat}" for op in network.ops if op.repeat != 1)
    conditions = [f"{one.text} ({one.kind}){_taken(one.holds)}" for one in network.conditions]
    yield f"conditions: {', '.join(conditions) or 'nothing'}"
    totals = network.totals
    yield f"parameters: {totals.parameters}"
    yield f"trainable: {totals.trainable_parameters}"
    yield f"MACs: {totals.macs}"
    yield in_words(Provenance(network).counted())
    yield f"assumed modules: {' '.join(each.path or '(root)' for each in network.modules if each.assumed) or 'nothing'}"
    yield f"assumed weights: {' '.join(each.name for each in network.weights if each.assumed) or 'nothing'}"
    yield f"assumed ops: {' '.join(each.op.rpartition('.')[2] for each in network.ops if each.assumed) or 'nothing'}"
    yield f"activation memory: {totals.activation_bytes}"
    yield f"mode: {network.mode}"
    if network.other_mode is not None:
        for note in network.other_mode.differences:
            of_module = f"{note.module}: " if note.module else ""
            yield f"in {network.other_mode.mode}: {_placed(note.place)}{of_module}{note.text}"
        if not network.other_mode.differences:
            yield f"in {network.other_mode.mode}: nothing"
    for note in network.unknowns:
        yield f"unknown: {_placed(note.place)}{note.text}"
    if not network.unknowns:
        yield "unknown: nothing"
    for note in network.assumptions:
        yield f"assumed: {_placed(note.place)}{note.text}"
    if not network.assumptions:
        yield "assumed: nothing"
    for diagnostic in network.diagnostics:
        yield f"fault: {_placed(diagnostic.place)}{diagnostic.message}"
    if not network.diagnostics:
        yield "fault: nothing"


def _shape(shape: Shape) -> str:
    if shape is None:
        return "?"
    return "x".join("?" if size is None else re.sub(r"\s", "", str(size)) for size in shape) or "scalar"


def _taken(holds: bool | None) -> str:
    return "" if holds is None else f" = {holds}"


def _placed(place: object) -> str:
    return f"{place} " if place is not None else ""
