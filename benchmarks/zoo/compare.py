"""One static architecture against one row of truth: equal, unknown or WRONG, fact by fact."""

from __future__ import annotations

from typing import Any

from cutaway.core.architecture import Architecture, Shape

EQUAL, UNKNOWN, WRONG = "equal", "unknown", "WRONG"


def compare(row: dict[str, Any], found: Architecture) -> dict[str, tuple[str, str]]:
    """Return a verdict and a detail for each kind of fact that the truth has."""
    complete = all(module.complete for module in found.modules)
    verdicts = {"tree": _tree(row, found, complete), "weights": _weights(row, found, complete)}
    if "output" in row:
        verdicts["outputs"] = _shapes(row["output"], [value.shape for value in found.outputs], bool(found.unknowns))
        verdicts["calls"] = _calls(row, found)
    return verdicts


def _tree(row: dict[str, Any], found: Architecture, complete: bool) -> tuple[str, str]:
    expected = [tuple(entry) for entry in row["modules"]]
    got = [(module.path, module.class_name) for module in found.modules]
    if expected == got:
        return (EQUAL, "") if complete else (UNKNOWN, "marked incomplete")
    detail = _difference(expected, got)
    return (WRONG if complete else UNKNOWN), detail


def _weights(row: dict[str, Any], found: Architecture, complete: bool) -> tuple[str, str]:
    expected = [*(("parameter", n, tuple(s)) for n, s in row["params"].items())]
    expected += [("buffer", n, tuple(s)) for n, s in row["buffers"].items()]
    got = [(w.kind, w.name, w.shape) for w in found.weights if w.tied_to is None]
    if expected == got:
        if "trainable" in row and row["trainable"] != found.totals.trainable_parameters:
            return WRONG, f"expected {row['trainable']} trainable, got {found.totals.trainable_parameters}"
        return (EQUAL, "") if complete else (UNKNOWN, "marked incomplete")
    known = all(w.shape is not None and None not in w.shape for w in found.weights)
    return (WRONG if complete and known else UNKNOWN), _difference(expected, got)


def _difference(expected: list[Any], got: list[Any]) -> str:
    for index, (left, right) in enumerate(zip(expected, got)):
        if left != right:
            return f"#{index}: expected {left}, got {right}"
    return f"expected {len(expected)} entries, got {len(got)}: next {(expected + got)[min(len(expected), len(got))]}"


def _shapes(expected: list[list[int]], got: list[Shape] | tuple[Shape, ...] | None, unknowns: bool) -> tuple[str, str]:
    if got is None or (unknowns and len(got) != len(expected)):
        return UNKNOWN, "not returned"
    if len(expected) != len(got):
        return WRONG, f"expected {expected}, got {list(got)}"
    verdict = EQUAL
    for left, right in zip(expected, got):
        if right is None:
            verdict = UNKNOWN
        elif len(left) != len(right) or any(isinstance(r, int) and r != live for live, r in zip(left, right)):
            return WRONG, f"expected {expected}, got {list(got)}"
        elif any(not isinstance(r, int) for r in right):
            verdict = UNKNOWN
    return verdict, "" if verdict == EQUAL else f"expected {expected}, got {list(got)}"


def _calls(row: dict[str, Any], found: Architecture) -> tuple[str, str]:
    unknowns = bool(found.unknowns)
    worst = (EQUAL, "")
    for module in found.modules:
        expected = row["io"].get(module.path)
        if expected is None:
            if module.calls and module.calls[0].outputs is not None:
                return WRONG, f"{module.path}: called, but not live"
            continue
        if not module.calls:
            if not unknowns:
                return WRONG, f"{module.path}: not called"
            worst = (UNKNOWN, f"{module.path}: not called")
            continue
        # Live, a call that ends in an exception, which the program may catch, is not seen.
        call = next((call for call in module.calls if call.outputs is not None), module.calls[0])
        for side, live, static in (("inputs", expected[0], call.inputs), ("outputs", expected[1], call.outputs)):
            verdict, detail = _shapes(live, static, unknowns)
            if verdict == WRONG:
                return WRONG, f"{module.path} {side}: {detail}"
            if verdict == UNKNOWN:
                worst = (UNKNOWN, f"{module.path} {side}: {detail}")
    return worst
