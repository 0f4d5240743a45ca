"""The grammar of targets and of `--input` values."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from cutaway.core.dim import Size, symbol
from cutaway.core.dtype import KINDS
from cutaway.core.error import CutawayError


class TargetError(CutawayError):
    """A target or an input that can't be understood; the message stands alone."""


@dataclass(frozen=True, slots=True)
class Target:
    """What to analyse: a file or a dotted module, and an expression in it (empty for all networks)."""

    text: str
    file: str | None
    module: str | None
    expression: str


@dataclass(frozen=True, slots=True)
class Input:
    """One `--input`: an optional argument name, a shape and a dtype."""

    name: str | None
    shape: tuple[Size, ...]
    dtype: str


_MODULE = re.compile(r"[A-Za-z_][\w]*(\.[A-Za-z_][\w]*)*")


def parse_target(text: str) -> Target:
    """Read `model.py`, `model.py::Net`, `package.module:make(3)`, or `-` for standard input."""
    if not text.strip():
        raise TargetError("the target is empty: give a Python file, file.py::name, or package.module:name")
    path, separator, expression = text.partition("::")
    if separator:
        if not expression.strip():
            raise TargetError(f"{text}: nothing stands behind '::'; name a class, a variable or a call")
        return Target(text, path, None, expression.strip())
    if text == "-" or text.endswith(".py") or os.path.exists(text):
        return Target(text, text, None, "")
    module, separator, expression = text.partition(":")
    if _MODULE.fullmatch(module):
        if separator and not expression.strip():
            raise TargetError(f"{text}: nothing stands behind ':'; name a class, a variable or a call")
        return Target(text, None, module, expression.strip())
    if "/" in text or os.sep in text:
        raise TargetError(f"{text}: no such file")
    raise TargetError(f"{text}: not a target; give a Python file, file.py::name, or package.module:name")


def parse_input(text: str) -> Input:
    """Read `1x3x224x224`, `x=1x3x224x224:float32`, `mask=1x16:bool`; symbols may stand for sizes."""
    name, separator, rest = text.partition("=")
    if not separator:
        name, rest = "", text
    elif not name.strip().isidentifier():
        raise TargetError(f"--input {text}: {name.strip()!r} is not an argument name")
    shape, _, dtype = rest.partition(":")
    dtype = dtype.strip() or "float32"
    dtype = {"float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32"}.get(
        dtype, dtype
    )
    if dtype not in KINDS:
        raise TargetError(f"--input {text}: unknown dtype {dtype!r}; known are {', '.join(KINDS)}")
    sizes = [_size(part.strip(), text) for part in re.split(r"[x,×]", shape.strip("() "))] if shape.strip("() ") else []
    return Input(name.strip() or None, tuple(sizes), dtype)


def _size(part: str, text: str) -> Size:
    if part.isdigit():
        return int(part)
    if part.isidentifier():
        return symbol(part)
    raise TargetError(f"--input {text}: {part!r} is not a size; write sizes as 1x3x224x224, with an optional :dtype")
