"""Lines of code: what is too long is broken at its brackets, one argument to a line."""

from __future__ import annotations

WIDTH = 100
_OPEN, _CLOSE = "([{", ")]}"


def wrapped(text: str, indent: int, after: str = "") -> list[str]:
    """Return a statement as lines that are not too long, if it has brackets to break at."""
    line = " " * indent + text + after
    if len(line) <= WIDTH:
        return [line]
    bracket = _outermost(text)
    if bracket is None:
        return [line]
    start, end = bracket
    inside = _arguments(text[start + 1 : end])
    if not inside:
        return [line]
    lines = [" " * indent + text[: start + 1]]
    is_comprehension = len(inside) == 1 and " for " in inside[0]
    joined = " " * (indent + 4) + ", ".join(inside)
    if len(joined) <= WIDTH and not any("(" in argument for argument in inside[1:]):
        return [*lines, joined, " " * indent + text[end:] + after]
    for argument in inside:
        lines += wrapped(argument, indent + 4, "" if is_comprehension else ",")
    return [*lines, " " * indent + text[end:] + after]


def _outermost(text: str) -> tuple[int, int] | None:
    """Return where the last pair of outer brackets begins and ends that has something in it; the longest if there are several."""
    best: tuple[int, int] | None = None
    depth, start = 0, 0
    quoted = ""
    for place, sign in enumerate(text):
        if quoted:
            quoted = "" if sign == quoted else quoted
        elif sign in "\"'":
            quoted = sign
        elif sign in _OPEN:
            if depth == 0:
                start = place
            depth += 1
        elif sign in _CLOSE:
            depth -= 1
            if depth == 0 and place > start + 1 and (best is None or place - start >= best[1] - best[0]):
                best = start, place
    return best


def _arguments(text: str) -> list[str]:
    """Return the parts of a text between the commas that are in no brackets."""
    parts, depth, last, quoted = [], 0, 0, ""
    for place, sign in enumerate(text):
        if quoted:
            quoted = "" if sign == quoted else quoted
        elif sign in "\"'":
            quoted = sign
        elif sign in _OPEN:
            depth += 1
        elif sign in _CLOSE:
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[last:place].strip())
            last = place + 1
    parts.append(text[last:].strip())
    return [part for part in parts if part]
