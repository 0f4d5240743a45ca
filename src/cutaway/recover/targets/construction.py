"""The construction of parts: layers, sequences with repeats, instances of classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.recover.structure.blocks import Block, Layer
from cutaway.recover.structure.classes import MISSING, Classes
from cutaway.recover.targets.dialect import Dialect
from cutaway.recover.targets.literal import literal

_FEWEST_REPEATS = 3


def construction(classes: Classes, part: Layer | Block, texts: Iterator[str]) -> str:
    """Return the expression that constructs a part; texts are those of its slots, in order."""
    if isinstance(part, Layer):
        arguments: list[tuple[str, str, Any]] = []
        for name, value in part.node.config.items():
            text = next(texts)
            arguments.append((name, text, value if text == literal(value) else VARIES))
        return layer_text(classes.dialect, part.node.op, arguments)
    if classes.is_inline(part):
        return sequence_text(classes.dialect, sequence_entries(classes, part, texts))
    block_class, _ = classes.of[id(part)]
    arguments_ = []
    for argument, value in classes.arguments(part):
        text = next(texts)
        is_default = argument.default is not MISSING and text == literal(value) and value == argument.default
        if not is_default:
            arguments_.append(text if argument.default is MISSING else f"{argument.name}={text}")
    return f"{block_class.name}({', '.join(arguments_)})"


def sequence_entries(classes: Classes, block: Block, texts: Iterator[str]) -> list[tuple[str, str]]:
    """Return the parts of a sequence: names, and the expressions that construct them."""
    return [(step.part, construction(classes, block.parts[step.part], texts)) for step in block.steps]


def sequence_text(dialect: Dialect, entries: list[tuple[str, str]]) -> str:
    """Return a sequence of parts by name; numbers that the file leaves out are filled in."""
    if all(name.isdigit() for name, _ in entries):
        numbers = [int(name) for name, _ in entries]
        if numbers == sorted(set(numbers)) and numbers[-1] < 2 * len(numbers) + 4:
            by_number = {int(name): text for name, text in entries}
            filled = [by_number.get(number, dialect.identity) for number in range(numbers[-1] + 1)]
            return (
                f"{dialect.sequential}({dialect.sequence([('', each) for each in repeated(filled, dialect.identity)])})"
            )
    return f"{dialect.sequential}({dialect.sequence(entries)})"


def repeated(texts: list[str], identity: str) -> list[str]:
    """Return elements of a list, with runs of the same or of an arithmetic progression as comprehensions."""
    result: list[str] = []
    at = 0
    while at < len(texts):
        end = at + 1
        while end < len(texts) and texts[end] == texts[at]:
            end += 1
        if end - at >= _FEWEST_REPEATS and texts[at] != identity:
            result.append(f"*[{texts[at]} for _ in range({end - at})]")
            at = end
            continue
        progression = _progression(texts, at)
        if progression is not None:
            text, at = progression
            result.append(text)
            continue
        result.append(texts[at])
        at += 1
    return result


def _progression(texts: list[str], at: int) -> tuple[str, int] | None:
    """Return a comprehension for a run of calls in which one number grows by the same amount, and where the run ends."""
    calls = [_split(text) for text in texts[at:]]
    first = calls[0]
    if first is None or len(calls) < _FEWEST_REPEATS or calls[1] is None:
        return None
    name, arguments = first
    if calls[1][0] != name or len(calls[1][1]) != len(arguments):
        return None
    growing = [place for place, (a, b) in enumerate(zip(arguments, calls[1][1])) if a != b]
    if len(growing) != 1 or not all(each[1][growing[0]].isdecimal() for each in (first, calls[1])):
        return None
    (place,) = growing
    start, grown = int(arguments[place]), int(calls[1][1][place]) - int(arguments[place])
    count = 0
    for call in calls:
        expected = [*arguments[:place], str(start + count * grown), *arguments[place + 1 :]]
        if call is None or call[0] != name or call[1] != expected:
            break
        count += 1
    if count < _FEWEST_REPEATS or grown <= 0:
        return None
    formula = f"{start} + {grown} * i" if grown != 1 else f"{start} + i"
    inner = ", ".join([*arguments[:place], formula, *arguments[place + 1 :]])
    return f"*[{name}({inner}) for i in range({count})]", at + count


def _split(text: str) -> tuple[str, list[str]] | None:
    name, bracket, rest = text.partition("(")
    if not bracket or not rest.endswith(")") or any(sign in rest[:-1] for sign in "()["):
        return None
    return name, rest[:-1].split(", ")


def layer_text(dialect: Dialect, op: str, arguments: list[tuple[str, str, Any]]) -> str:
    """Return the construction of a layer; arguments are names, texts, and values, `VARIES` where it is not always the same."""
    form = dialect.forms[op]
    texts = {name: text for name, text, _ in arguments}
    parts = []
    for place, (name, text, value) in enumerate(arguments):
        if name in form.defaults and value is not VARIES and value == form.defaults[name]:
            continue
        if name == "stride" and form.defaults.get("stride", 1) is None and text == texts["kernel_size"]:
            continue
        parts.append(text if place < form.positional else f"{name}={text}")
    return f"{op}({', '.join(parts)})"


class _Varies:
    """The value of an argument that is not the same in all instances of a class."""


VARIES = _Varies()
