"""Two documents of the same target: equal but for the wording of messages and the codes of faults?

Values of the graph are compared up to renaming: their names are numbers that count tensors made along the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_NUMBERED = re.compile(r"v\d+")

PROSE = {
    "unknowns": ("text",),
    "assumptions": ("text",),
    "causes": ("text",),
    "diagnostics": ("message", "code"),
}
"""List of an architecture -> the fields of its items that are written in words."""


def without_prose(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document without the wording of its messages; how many there are and where they point stays."""
    if "error" in document:
        return {"error": True}
    for architecture in document["architectures"]:
        for name, fields in PROSE.items():
            for item in architecture.get(name, ()):
                item.update(dict.fromkeys(fields, "..."))
                for note in item.get("notes", ()):
                    note["text"] = "..."
        requires = architecture.get("requires")
        if requires is not None:
            for item in (*requires["because"], *requires["open"]):
                item["text"] = "..."
            requires["also"] = len(requires["also"])
        for module in architecture["modules"]:
            module["config"] = _without_reasons(module["config"])
        numbers: dict[str, str] = {}
        for op in architecture["ops"]:
            op["attributes"] = _without_reasons(op["attributes"])
            for value in (*op["inputs"], *op["outputs"]):
                if _NUMBERED.fullmatch(value["name"]):
                    value["name"] = numbers.setdefault(value["name"], f"v{len(numbers)}")
        for item in (*architecture["inputs"], *architecture["outputs"], *architecture["weights"], *architecture["ops"]):
            if isinstance(item.get("provenance"), dict):
                item["provenance"] = {way: _count(why) for way, why in item["provenance"].items()}
    return document


def without_assumptions(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document without its assumptions: evaluating a module that nothing is used of may add some."""
    for architecture in document.get("architectures", ()):
        architecture.pop("assumptions", None)
    return document


def _without_reasons(value: Any) -> Any:
    """Return a setting without the reasons of what is unknown in it."""
    if isinstance(value, dict):
        if value.keys() == {"unknown"}:
            return {"unknown": "..."}
        return {key: _without_reasons(item) for key, item in value.items()}
    return [_without_reasons(item) for item in value] if isinstance(value, list) else value


def _count(why: Any) -> int:
    return len(why) if isinstance(why, list) else int(why is not None)


def codes(document: dict[str, Any]) -> list[str]:
    """Return the codes of a document's faults, in order."""
    return [fault["code"] for each in document.get("architectures", ()) for fault in each["diagnostics"]]


def differences(old: Any, new: Any, where: str = "") -> Iterator[str]:
    """Yield where two documents differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            if key not in old or key not in new:
                yield f"{where}.{key}: only in the {'old' if key in old else 'new'} one"
            else:
                yield from differences(old[key], new[key], f"{where}.{key}")
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{where}: {len(old)} items, now {len(new)}"
        for at, (one, other) in enumerate(zip(old, new)):
            yield from differences(one, other, f"{where}[{at}]")
    elif old != new or type(old) is not type(new):
        yield f"{where}: {str(old)[:120]!r}, now {str(new)[:120]!r}"
