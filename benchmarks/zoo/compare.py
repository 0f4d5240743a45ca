"""One static architecture against one row of truth: equal, unknown or WRONG, fact by fact.

What is stated and differs is wrong. What is missing is unknown only where the result says itself that there may be more:
below a module that is not complete, in a forward that is not known to its end (`cutaway/passes/open_parts.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cutaway.core.architecture import Architecture, Module, Shape
from cutaway.passes.compare import same_order
from cutaway.passes.compare import shape_verdict as _shape_verdict
from cutaway.passes.cost import was_followed
from cutaway.passes.open_parts import OpenParts

EQUAL, UNKNOWN, WRONG = "equal", "unknown", "WRONG"


def compare(row: dict[str, Any], found: Architecture) -> dict[str, tuple[str, str]]:
    """Return a verdict and a detail for each kind of fact that the truth has."""
    open_parts = OpenParts(found)
    verdicts = {
        "tree": _worst(_tree([tuple(entry) for entry in row["modules"]], found, open_parts)),
        "weights": _worst(_weights(row, found, open_parts)),
    }
    if "output" in row:
        verdicts["outputs"] = _worst(_outputs(row, found))
        verdicts["calls"] = _worst(_calls(row, found, open_parts))
    return verdicts


def _worst(differences: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """Return the first difference that is wrong, or else the first that is unknown."""
    listed = list(differences)
    return next((each for each in listed if each[0] == WRONG), listed[0] if listed else (EQUAL, ""))


def _tree(expected: list[tuple[str, str]], found: Architecture, open_parts: OpenParts) -> Iterator[tuple[str, str]]:
    stated, truly = {module.path: module for module in found.modules}, dict(expected)
    for path, name in expected:
        if path not in stated:
            verdict = UNKNOWN if open_parts.may_have_module(path) else WRONG
            yield verdict, f"{path}: {name} is missing"
        elif stated[path].class_name != name:
            verdict = UNKNOWN if open_parts.is_conditional(path) else WRONG
            yield verdict, f"{path}: expected {name}, got {stated[path].class_name}"
    for path, module in stated.items():
        if path not in truly:
            yield UNKNOWN if open_parts.is_conditional(path) else WRONG, f"{path}: {module.class_name} is not there"
        elif not module.complete:
            yield UNKNOWN, f"{path}: marked incomplete"
    yield from _order([*truly], [*stated], {path: path.rpartition(found.separator)[0] for path in stated}, open_parts)


def _weights(row: dict[str, Any], found: Architecture, open_parts: OpenParts) -> Iterator[tuple[str, str]]:
    expected = {name: ("parameter", tuple(shape)) for name, shape in row["params"].items()}
    expected |= {name: ("buffer", tuple(shape)) for name, shape in row["buffers"].items()}
    stated = {weight.name: weight for weight in found.weights if weight.tied_to is None}
    tied = {weight.name: weight.tied_to for weight in found.weights if weight.tied_to is not None}
    for name, (kind, shape) in expected.items():
        weight = stated.get(name)
        if name in tied:
            yield WRONG, f"{name}: is a weight of its own, and not {tied[name]}"
        elif weight is None:
            owner = name.rpartition(found.separator)[0]
            yield UNKNOWN if open_parts.may_have_weight(name, owner) else WRONG, f"{name} is missing"
        elif weight.kind != kind:
            yield WRONG, f"{name}: expected a {kind}, got a {weight.kind}"
        else:
            yield from _shapes([shape], [weight.shape], f"{name}: ")
    for name, weight in stated.items():
        if name not in expected:
            sometimes = weight.condition is not None or open_parts.is_conditional(weight.module or "")
            yield UNKNOWN if sometimes else WRONG, f"{name} is not there"
    yield from ((UNKNOWN, f"{module.path}: marked incomplete") for module in found.modules if not module.complete)
    for kind in ("parameter", "buffer"):
        names = [name for name, weight in stated.items() if weight.kind == kind]
        owners = {weight.name: weight.module or "" for weight in found.weights}
        yield from _order([name for name, (sort, _) in expected.items() if sort == kind], names, owners, open_parts)
    trainable = found.totals.trainable_parameters
    if "trainable" in row and row["trainable"] != trainable:
        verdict = WRONG if isinstance(trainable, int) else UNKNOWN
        yield verdict, f"expected {row['trainable']} trainable, got {trainable}"


def _order(
    expected: Sequence[str], got: Sequence[str], owners: dict[str, str], open_parts: OpenParts
) -> Iterator[tuple[str, str]]:
    """Compare the order in what each owner has; in one that may have more, it is not stated."""
    if expected == got:
        return
    for owner in dict.fromkeys(owners.values()):
        if not open_parts.is_settled(owner):
            continue
        mine = [each for each in got if owners[each] == owner]
        truly = [each for each in expected if owners.get(each) == owner]
        if not same_order(truly, mine):
            yield WRONG, f"{owner or 'the root'}: expected the order {truly}, got {mine}"


def _shapes(
    expected: Sequence[Sequence[int]], got: Sequence[Shape] | None, subject: str = ""
) -> Iterator[tuple[str, str]]:
    """Compare the shapes of flattened values; one without a shape may be any nested value."""
    if got is None:
        yield UNKNOWN, f"{subject}not returned"
        return
    detail = f"{subject}expected {[list(shape) for shape in expected]}, got {list(got)}"
    if len(expected) != len(got):
        yield UNKNOWN if None in got else WRONG, detail
        return
    verdicts = {_shape_verdict(shape, tuple(real)) for real, shape in zip(expected, got)}
    if verdicts - {EQUAL}:
        yield (UNKNOWN if verdicts <= {EQUAL, UNKNOWN} else WRONG), detail


def _outputs(row: dict[str, Any], found: Architecture) -> Iterator[tuple[str, str]]:
    yield from ((WRONG, f"returns, but: {fault.message}") for fault in found.diagnostics)
    there = [value.shape for value in found.outputs]
    if any(value.condition is not None for value in found.outputs):
        yield UNKNOWN, f"expected {row['output']}, got {there}, some under a condition"
    else:
        yield from _shapes(row["output"], there if was_followed(found) else None)


def _calls(row: dict[str, Any], found: Architecture, open_parts: OpenParts) -> Iterator[tuple[str, str]]:
    for module in found.modules:
        expected = row["io"].get(module.path)
        if expected is None:
            if any(call.outputs is not None and call.condition is None for call in module.calls):
                yield WRONG, f"{module.path}: called, but not live"
        elif not module.calls:
            yield UNKNOWN if open_parts.may_be_called_again(module.path) else WRONG, f"{module.path}: not called"
        else:
            yield from _call(module, expected)


def _call(module: Module, expected: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Compare the first call of a module; live, one that ends in an exception, which the program may catch, is not seen."""
    call = next((call for call in module.calls if call.outputs is not None), module.calls[0])
    for side, live, static in (("inputs", expected[0], call.inputs), ("outputs", expected[1], call.outputs)):
        yield from _shapes(live, static, f"{module.path} {side}: ")
