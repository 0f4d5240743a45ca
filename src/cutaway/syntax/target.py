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
from cutaway.syntax.suggestions import meant, meant_file


class TargetError(CutawayError):
    """A target or an input that can't be understood; the message stands alone."""


@dataclass(frozen=True, slots=True)
class Program:
    """Source that no file holds: it is interpreted as if it stood in `file`, as the first module of `folder`.

    `name` is what the network in it is called, `home` the module that it is imported from.
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
    """Read `model.py`, `model.py::Net`, `package.module:make(3)`, or `-` for standard input."""
    if not text.strip():
        raise TargetError(f"the target is empty: {_FORMS}")
    path, separator, expression = text.partition("::")
    if separator:
        if not path:
            raise TargetError(f"{text}: nothing stands before '::'; {_FORMS}")
        if not expression.strip():
            raise TargetError(f"{text}: nothing stands behind '::'; name a class, a variable or a call")
        return Target(text, path, None, expression.strip())
    if text == "-" or text.endswith(".py") or disk.exists(text):
        return Target(text, text, None, "")
    module, separator, expression = text.partition(":")
    if separator and (module.endswith(".py") or disk.is_file(module)):
        raise TargetError(f"{text}: a name in a file stands behind two colons: write {module}::{expression}")
    if _MODULE.fullmatch(module):
        if separator and not expression.strip():
            raise TargetError(f"{text}: nothing stands behind ':'; name a class, a variable or a call")
        return Target(text, None, module, expression.strip())
    if "/" in text or os.sep in text:
        raise TargetError(f"{text}: no such file{meant_file(text)}")
    raise TargetError(f"{text}: not a target; {_FORMS}")


_SHORT = {"float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32"}
_SHAPES = "write a shape as 1x3x224x224, with :dtype behind it if it is not float32"
_LARGEST = (1 << 63) - 1


def parse_input(text: str) -> Input:
    """Read `1x3x224x224`, `x=1x3x224x224:float32`, `mask=1x16:bool`; symbols may stand for sizes, `()` is a number."""
    name, separator, rest = text.partition("=")
    name = name.strip()
    if not separator:
        name, rest = "", text
    elif not name.isidentifier():
        what = f"{name!r} is not an argument name" if name else "no argument name stands before '='"
        raise TargetError(f"--input {text}: {what}; write NAME=SHAPE, as in x=1x3x224x224")
    shape, colon, dtype = (part.strip() for part in rest.partition(":"))
    if not shape:
        raise TargetError(f"--input {text or repr(text)}: no shape is given; {_SHAPES}")
    if colon and dtype not in KINDS and dtype not in _SHORT:
        if shape.isidentifier() and dtype[:1].isdigit():
            raise TargetError(f"--input {text}: the name of an argument stands before '=': write {shape}={dtype}")
        known = f"; known are {', '.join(KINDS)}"
        raise TargetError(f"--input {text}: unknown dtype {dtype!r}{meant(dtype, [*KINDS, *_SHORT]) or known}")
    inner = shape.strip("()[] ").rstrip(",")
    sizes = tuple(_size(part.strip(), text) for part in re.split(r"[x,×]", inner)) if inner else ()
    return Input(name or None, sizes, _SHORT.get(dtype, dtype) or "float32")


def with_numbers(given: Input, values: Mapping[str, int]) -> Input:
    """Return an input with numbers in place of sizes that have names."""
    return replace(given, shape=tuple(substitute(size, values) for size in given.shape)) if values else given


def parse_assumption(text: str) -> tuple[str, Any]:
    """Read `use_dropout=True`, `width=64`, `act == 'relu'=False`: the words of a condition, and what it is taken for."""
    words, separator, value = text.rpartition("=")
    how = "write CONDITION=VALUE, as in use_dropout=True"
    if not separator or not words.strip():
        raise TargetError(f"--assume {text}: nothing stands before '='; {how}")
    try:
        condition = ast.unparse(ast.parse(words.strip(), mode="eval"))
    except (SyntaxError, ValueError):
        raise TargetError(f"--assume {text}: {words.strip()!r} is no condition; {how}") from None
    try:
        return condition, ast.literal_eval(value.strip())
    except (SyntaxError, ValueError):
        raise TargetError(f"--assume {text}: {value.strip()!r} is no value in Python's notation; {how}") from None


def _size(part: str, text: str) -> Size:
    if part.isascii() and part.isdigit():
        if len(part) > 19 or int(part) > _LARGEST:
            raise TargetError(f"--input {text}: the size {part[:30]} is too large for any tensor")
        return int(part)
    if part.isidentifier():
        return symbol(part)
    what = f"{part!r} is not a size" if part else "a size is missing"
    raise TargetError(f"--input {text}: {what}; {_SHAPES}")
