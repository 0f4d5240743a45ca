"""Tables in Markdown, as GitHub renders them."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.pattern import pattern
from cutaway.report.sheet import Sheet

_UNSAFE = pattern(r"[\\`*_{}\[\]()#+!|~<>&$@:-]|(?i:(?<=www))\.")  # an address that starts with www. is a link
_HARMLESS = pattern(r"[\w ,.%/=]*")


def render(sheets: Sequence[tuple[str, Sheet]]) -> str:
    """Return each table below its network's name."""
    parts = []
    for name, sheet in sheets:
        title = [f"### {escape(name)}", ""] if name else []
        rule = ["---:" if right else "---" for right in sheet.right]
        rows = [_line([escape(text) for text in row.strings]) for row in sheet.rows]
        parts.append("\n".join([*title, _line(sheet.headings), "|" + "|".join(rule) + "|", *rows]))
        if sheet.note:
            parts[-1] += f"\n\n{escape(sheet.note)}"
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Return text that Markdown shows as it is: what it gives a meaning to is written as its number."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    if _HARMLESS.fullmatch(shown) and "__" not in shown and "www." not in shown.lower():
        return shown
    return _UNSAFE.sub(lambda match: f"&#{ord(match.group())};", shown)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
