"""The grammar of targets and of `--input` values."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Mapping
from typing import Any

from cutaway.core import disk
from cutaway.core.dtype import KINDS
from cutaway.core.error import CutawayError
from cutaway.core.record import dataclass, replace
from cutaway.core.size.dim import Size, substitute, symbol
from cutaway.core.suggestions import suggestion
from cutaway.syntax.suggestions import file_suggestion


class TargetError(CutawayError):
    """A target or an input that can't be understood; the message is complete."""


class FaultyTarget(TargetError):
    """A target that has a fault before there is anything to show."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Program:
    """Source that is not in a file: it is interpreted as if it were in `file`, as the first module of `folder`.

    `name` is the network's class, `home` the module that it is imported from.
    """

    text: str
    file: str
    folder: str
    name: str
    home: str
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """What to analyse: a file or a dotted module, and an expression in it (empty for all networks)."""

    text: str
    file: str | None
    module: str | None
    expression: str
    program: Program | None = None


@dataclass(frozen=True, slots=True)
class Input:
    """One `--input`: an optional argument name, a shape and a dtype."""

    name: str | None
    shape: tuple[Size, ...]
    dtype: str


_FORMS = "give a Python file, file.py::name, or package.module:name"
_MODULE = re.compile(r"[A-Za-z_][\w]*(\.[A-Za-z_][\w]*)*")


def parse_target(text: str) -> Target:
    """Parse `model.py`, `model.py::Net`, `package.module:make(3)`, or `-` for standard input."""
    if not text.strip():
        raise TargetError(f"the target is empty: {_FORMS}")
    path, separator, expression = text.partition("::")
    if separator:
        if not path:
            raise TargetError(f"{text}: nothing precedes '::'; {_FORMS}")
        if not expression.strip():
            raise TargetError(f"{text}: nothing follows '::'; name a class, a variable or a call")
        return Target(text, path, None, expression.strip())
    if text == "-" or text.endswith(".py") or disk.exists(text):
        return Target(text, text, None, "")
    module, separator, expression = text.partition(":")
    if separator and (module.endswith(".py") or disk.is_file(module)):
        raise TargetError(f"{text}: a name in a file follows two colons: write {module}::{expression}")
    if _MODULE.fullmatch(module):
        if separator and not expression.strip():
            raise TargetError(f"{text}: nothing follows ':'; name a class, a variable or a call")
        return Target(text, None, module, expression.strip())
    if "/" in text or os.sep in text:
        raise TargetError(f"{text}: no such file{file_suggestion(text)}")
    raise TargetError(f"{text}: not a target; {_FORMS}")


_SHORT = {"float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32"}
_SHAPES = "write a shape as 1x3x224x224, followed by :dtype if it is not float32"
_MAX_SIZE = (1 << 63) - 1


def parse_input(text: str) -> Input:
    """Parse `1x3x224x224`, `x=1x3x224x224:float32`, `mask=1x16:bool`; sizes may be symbols, `()` is a number."""
    name, separator, rest = text.partition("=")
    name = name.strip()
    if not separator:
        name, rest = "", text
    elif not name.isidentifier():
        problem = f"{name!r} is not an argument name" if name else "no argument name precedes '='"
        raise TargetError(f"--input {text}: {problem}; write NAME=SHAPE, as in x=1x3x224x224")
    shape, colon, dtype = (part.strip() for part in rest.partition(":"))
    if not shape:
        raise TargetError(f"--input {text or repr(text)}: no shape is given; {_SHAPES}")
    if colon and dtype not in KINDS and dtype not in _SHORT:
        if shape.isidentifier() and dtype[:1].isdigit():
            raise TargetError(f"--input {text}: the name of an argument precedes '=': write {shape}={dtype}")
        known = f"; the dtypes are {', '.join(KINDS)}"
        raise TargetError(f"--input {text}: unknown dtype {dtype!r}{suggestion(dtype, [*KINDS, *_SHORT]) or known}")
    inner = shape.strip("()[] ").rstrip(",")
    sizes = tuple(_size(part.strip(), text) for part in re.split(r"[x,×]", inner)) if inner else ()
    return Input(name or None, sizes, _SHORT.get(dtype, dtype) or "float32")


def with_numbers(described: Input, values: Mapping[str, int]) -> Input:
    """Return an input with numbers in place of named sizes."""
    return (
        replace(described, shape=tuple(substitute(size, values) for size in described.shape)) if values else described
    )


def parse_assumption(text: str) -> tuple[str, Any]:
    """Parse `use_dropout=True`, `width=64`, `act == 'relu'=False`: a condition, and its assumed value."""
    words, separator, value = text.rpartition("=")
    usage = "write CONDITION=VALUE, as in use_dropout=True"
    if not separator or not words.strip():
        raise TargetError(f"--assume {text}: nothing precedes '='; {usage}")
    try:
        condition = ast.unparse(ast.parse(words.strip(), mode="eval"))
    except (SyntaxError, ValueError):
        raise TargetError(f"--assume {text}: {words.strip()!r} is not a condition; {usage}") from None
    try:
        return condition, ast.literal_eval(value.strip())
    except (SyntaxError, ValueError):
        raise TargetError(f"--assume {text}: {value.strip()!r} is not a Python literal; {usage}") from None


def _size(part: str, text: str) -> Size:
    if part.isascii() and part.isdigit():
        if len(part) > 19 or int(part) > _MAX_SIZE:
            raise TargetError(f"--input {text}: the size {part[:30]} is too large for any tensor")
        return int(part)
    if part.isidentifier():
        return symbol(part)
    problem = f"{part!r} is not a size" if part else "a size is missing"
    raise TargetError(f"--input {text}: {problem}; {_SHAPES}")
