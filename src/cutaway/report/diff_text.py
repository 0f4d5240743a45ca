"""What changed between two networks, as text, Markdown for a pull request, and plain data."""

from __future__ import annotations

from typing import Any

from cutaway.core.architecture import Quantity
from cutaway.passes.diff import ADDED, CHANGED, REMOVED, RENAMED, Difference
from cutaway.passes.repeated_changes import Repeated, repeated
from cutaway.report.json import write_quantity

_SIGNS = {ADDED: "+", REMOVED: "-", RENAMED: ">", CHANGED: "~"}


def text(before: str, after: str, difference: Difference) -> str:
    """Return the changes, each with a sign, and the effect on the figures."""
    lines = [f"{before} -> {after}", ""]
    if not difference:
        return "\n".join([*lines, *_unheld(difference, "no difference")]) + "\n"
    for each in repeated(difference.changes):
        lines.append(f"{_SIGNS[each.change.kind]} {_title(each)}")
        lines.extend(f"    {detail}" for detail in each.change.details)
    if difference.losses:
        lines += ["", *_unheld(difference, "")]
    lines.append("")
    lines += [f"{_name(e.name):22}{_number(e.before)} -> {_number(e.after)}{_gain(e)}" for e in difference.effects]
    return "\n".join(lines) + "\n"


def markdown(before: str, after: str, difference: Difference) -> str:
    """Return the changes as Markdown."""
    lines = [f"### `{before}` → `{after}`", ""]
    losses = (
        ["", "**Not held by a format**", "", *(f"- {loss}" for loss in difference.losses)] if difference.losses else []
    )
    if not difference:
        return "\n".join([*lines, "No difference.", *losses]) + "\n"
    lines += ["| figure | before | after | change |", "|---|---:|---:|---:|"]
    for effect in difference.effects:
        gain = _gain(effect).strip(" ()") or "-"
        lines.append(f"| {_name(effect.name)} | {_number(effect.before)} | {_number(effect.after)} | {gain} |")
    for kind in (ADDED, REMOVED, RENAMED, CHANGED):
        changes = [change for change in difference.changes if change.kind == kind]
        if not changes:
            continue
        lines += ["", f"**{kind.capitalize()}** ({len(changes)})", ""]
        for each in repeated(changes):
            details = "; ".join(f"`{detail}`" for detail in each.change.details)
            lines.append(f"- {_title(each, code=True)}" + (f": {details}" if details else ""))
    return "\n".join([*lines, *losses]) + "\n"


def document(before: str, after: str, difference: Difference) -> dict[str, Any]:
    """Return the changes as plain data."""
    return {
        "before": before,
        "after": after,
        "different": bool(difference),
        "changes": [
            {
                "kind": change.kind,
                "path": change.path,
                "class_name": change.class_name,
                "now": change.now or None,
                "details": list(change.details),
            }
            for change in difference.changes
        ],
        "losses": list(difference.losses),
        "effects": {
            e.name: {"before": write_quantity(e.before), "after": write_quantity(e.after)} for e in difference.effects
        },
    }


def _unheld(difference: Difference, otherwise: str) -> list[str]:
    """Return what a format does not hold, under a heading that says so."""
    if not difference.losses:
        return [otherwise]
    heading = f"{otherwise}, but for what a format does not hold:" if otherwise else "not held by a format:"
    return [heading, *(f"    {loss}" for loss in difference.losses)]


def _title(each: Repeated, code: bool = False) -> str:
    change = each.change
    mark = "`" if code else ""
    path = f"{mark}{each.label or '(root)'}{mark}"
    moved = f" -> {mark}{change.now or '(root)'}{mark}" if change.kind == RENAMED else ""
    times = f" x {each.count}" if each.count > 1 else ""
    return f"{path}{moved}" + (f" ({change.class_name}{times})" if change.class_name else times)


def _name(name: str) -> str:
    return {"macs": "MACs", "weight_bytes": "weight memory"}.get(name, name.replace("_", " "))


def _number(value: Quantity) -> str:
    return f"{value:,}" if isinstance(value, int) else "?" if value is None else str(value)


def _gain(effect: Any) -> str:
    if not isinstance(effect.before, int) or not isinstance(effect.after, int) or effect.before == effect.after:
        return ""
    change = effect.after - effect.before
    share = f", {change / effect.before:+.1%}" if effect.before else ""
    return f"  ({change:+,}{share})"
