"""The grammar of `--input`: tensors by shape and element type, numbers, flags, strings, lists, and parts of dicts.

Some texts can be read in two ways: `3` is a number or the shape of a tensor with three elements, `train` a string or a
size. These are a `Reading`, and what forward does with the argument selects one (`syntax/argument_kinds.py`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from cutaway.core.dtype import KINDS
from cutaway.core.pattern import pattern
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Dim, Size, substitute, symbol
from cutaway.core.suggestions import suggestion
from cutaway.syntax.target import TargetError


@dataclass(frozen=True, slots=True)
class TensorInput:
    """A tensor that is given by its shape and element type."""

    shape: tuple[Size, ...]
    dtype: str

    def __str__(self) -> str:
        return f"{'x'.join(map(str, self.shape)) or '()'}:{self.dtype}"


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read as a value where forward takes one, and as a tensor otherwise."""

    tensor: TensorInput
    value: int | str


@dataclass(frozen=True, slots=True)
class Input:
    """One `--input`: an argument's name, the keys of the part of it that is given, and the value.

    The value consists of tensors, readings, plain values, lists and dicts.
    """

    name: str | None
    value: Any
    keys: tuple[str, ...] = ()

    def tensors(self) -> Iterator[TensorInput]:
        """Yield every tensor in the value."""
        yield from _tensors(self.value)


def _tensors(value: Any) -> Iterator[TensorInput]:
    if isinstance(value, (TensorInput, Reading)):
        yield value if isinstance(value, TensorInput) else value.tensor
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ():
        yield from _tensors(item)


def converted(value: Any, convert: Callable[[TensorInput | Reading], Any]) -> Any:
    """Return a value with every tensor and reading in it converted."""
    if isinstance(value, (TensorInput, Reading)):
        return convert(value)
    if isinstance(value, dict):
        return {key: converted(item, convert) for key, item in value.items()}
    return [converted(item, convert) for item in value] if isinstance(value, list) else value


def with_numbers(described: Input, values: Mapping[str, int]) -> Input:
    """Return an input with numbers in place of named sizes."""

    def replaced(part: TensorInput | Reading) -> TensorInput | Reading:
        tensor = part if isinstance(part, TensorInput) else part.tensor
        shape = tuple(substitute(size, values) for size in tensor.shape)
        return part if shape == tensor.shape else TensorInput(shape, tensor.dtype)

    return Input(described.name, converted(described.value, replaced), described.keys) if values else described


_SHORT = {
    "float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32",
    "fp16": "float16", "fp32": "float32", "fp64": "float64", "bf16": "bfloat16",
}  # fmt: skip
_SHAPES = "write a shape as 1x3x224x224, followed by :dtype if it is not float32"
_MAX_SIZE = (1 << 63) - 1
_CONSTANTS = {"true": True, "True": True, "false": False, "False": False, "none": None, "None": None, "null": None}
_FLOAT = pattern(r"[+-]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][+-]?\d+)?|[+-]?(inf|nan)")
_SIGNED = pattern(r"[+-]\d+")


def parse_input(text: str) -> Input:
    """Parse `1x3x224x224`, `mask=1x16:bool`, `n=3`, `flag=true`, `sizes=[1, 2]`, `batch.image=1x3x32x32`.

    Sizes may be symbols, and `()` is the shape of a tensor without dimensions.
    """
    path, separator, rest = _partition(text)
    name, *keys = path.split(".")
    if separator and not name.isidentifier():
        problem = f"{name!r} is not an argument name" if name else "no argument name precedes '='"
        raise TargetError(f"--input {text}: {problem}; write NAME=SHAPE, as in x=1x3x224x224")
    if not all(keys):
        raise TargetError(f"--input {text}: a key is missing; write NAME.KEY=SHAPE, as in batch.image=1x3x224x224")
    if not rest:
        raise TargetError(f"--input {text or repr(text)}: no shape is given; {_SHAPES}")
    return Input(name or None, _value(rest, text), tuple(keys))


def given_inputs(given: str | Iterable[str] | Mapping[str, Any]) -> tuple[Input, ...]:
    """Return the inputs that a program gives: strings of the grammar, or values by the names of arguments.

    In a value, a string is of the grammar, a tuple is a shape, and numbers, flags and None are what they are.
    """
    if isinstance(given, str):
        return (parse_input(given),)
    if isinstance(given, Mapping):
        return tuple(Input(name, _converted_value(value, name)) for name, value in given.items())
    return tuple(parse_input(text) for text in given)


def _converted_value(value: Any, name: str) -> Any:
    if isinstance(value, str):
        return _value(value.strip(), f"{name}={value}")
    if isinstance(value, tuple):
        return TensorInput(tuple(_size(str(size), f"{name}={value}") for size in value), "float32")
    if isinstance(value, Mapping):
        return {key: _converted_value(item, f"{name}.{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [_converted_value(item, f"{name}.{index}") for index, item in enumerate(value)]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    kind = type(value).__name__
    raise TargetError(f"input {name}: {kind} is not an input; give a shape as a string, a number, a list or a dict")


def _partition(text: str) -> tuple[str, str, str]:
    """Split at the first `=` that is not inside of a string."""
    if re.match(r"\s*[\"'\[]", text):
        return "", "", text.strip()
    name, separator, rest = (part.strip() for part in text.partition("="))
    return (name, separator, rest) if separator else ("", "", text.strip())


def _value(rest: str, text: str) -> Any:
    """Return the value that a text stands for; `text` is the whole option, for messages."""
    if rest in _CONSTANTS:
        return _CONSTANTS[rest]
    if rest[:1] in "\"'":
        try:
            return str(ast.literal_eval(rest))
        except (SyntaxError, ValueError):
            raise TargetError(f"--input {text}: {rest} is not a string; close its quotes") from None
    if rest.startswith("["):
        return [_item(part, text) for part in _items(rest, text)]
    if _FLOAT.fullmatch(rest):
        return float(rest)
    if _SIGNED.fullmatch(rest):
        return int(rest)
    tensor = _tensor(rest, text)
    if rest.isascii() and rest.isdigit():
        return Reading(tensor, int(rest))
    return Reading(tensor, rest) if rest.isidentifier() else tensor


def _item(part: str, text: str) -> Any:
    """Return an item of a list: a lone number or word in it is not a shape."""
    value = _value(part, text)
    return value.value if isinstance(value, Reading) else value


def _items(rest: str, text: str) -> list[str]:
    """Split a list at its own commas."""
    if not rest.endswith("]"):
        raise TargetError(f"--input {text}: the list is not closed; write [1, 2] or [1x3x8x8, 1x3x4x4]")
    parts, depth, start = [], 0, 1
    for at, letter in enumerate(rest[1:-1], 1):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and not depth:
            parts.append(rest[start:at].strip())
            start = at + 1
    last = rest[start:-1].strip()
    parts += [last] if last or parts else []
    if not all(parts):
        raise TargetError(f"--input {text}: an item of the list is missing")
    return parts


def _tensor(rest: str, text: str) -> TensorInput:
    shape, colon, dtype = (part.strip() for part in rest.partition(":"))
    if not shape:
        raise TargetError(f"--input {text}: no shape is given; {_SHAPES}")
    if colon and dtype not in KINDS and dtype not in _SHORT:
        if shape.isidentifier() and dtype[:1].isdigit():
            raise TargetError(f"--input {text}: the name of an argument precedes '=': write {shape}={dtype}")
        known = f"; the dtypes are {', '.join(KINDS)}"
        raise TargetError(f"--input {text}: unknown dtype {dtype!r}{suggestion(dtype, [*KINDS, *_SHORT]) or known}")
    inner = shape.strip("() ").rstrip(",")
    sizes = tuple(_size(part.strip(), text) for part in re.split(r"[x,×]", inner)) if inner else ()
    return TensorInput(sizes, _SHORT.get(dtype, dtype) or "float32")


def _size(part: str, text: str) -> Size:
    if part.isascii() and part.isdigit():
        if len(part) > 19 or int(part) > _MAX_SIZE:
            raise TargetError(f"--input {text}: the size {part[:30]} is too large for any tensor")
        return int(part)
    if part.isidentifier():
        return symbol(part)
    problem = f"{part!r} is not a size" if part else "a size is missing"
    raise TargetError(f"--input {text}: {problem}; {_SHAPES}")


def is_numeric(tensor: TensorInput) -> bool:
    """Tell whether all sizes of a tensor are numbers."""
    return not any(isinstance(size, Dim) for size in tensor.shape)


def merged(inputs: Iterable[Input]) -> tuple[list[Input], dict[str, Any]]:
    """Return the inputs that are given by position, and the values of the others by name, with parts put together.

    Parts whose keys are 0, 1, 2, ... make a list, all others a dict.
    """
    positional: list[Input] = []
    named: dict[str, Any] = {}
    for each in inputs:
        if each.name is None:
            positional.append(each)
            continue
        parts: Any = named
        for key, after in zip((each.name, *each.keys), each.keys):
            parts = parts.setdefault(key, _Parts())
            if not isinstance(parts, _Parts):
                raise TargetError(f"--input {each.name}: it is given as a whole, and also its part {after}")
        last = (each.name, *each.keys)[-1]
        if last in parts:
            raise TargetError(f"--input {'.'.join((each.name, *each.keys))}: it is given twice")
        parts[last] = each.value
    return positional, {name: _assembled(value, name) for name, value in named.items()}


class _Parts(dict[str, Any]):
    """Parts of an argument by key."""


def _assembled(value: Any, name: str) -> Any:
    if not isinstance(value, _Parts):
        return value
    items = {key: _assembled(item, f"{name}.{key}") for key, item in value.items()}
    if not all(key.isdigit() for key in items):
        return items
    missing = next((str(at) for at in range(len(items)) if str(at) not in items), None)
    if missing is not None:
        raise TargetError(
            f"--input {name}: the item {missing} of the list is not given; add --input {name}.{missing}=SHAPE"
        )
    return [items[str(at)] for at in range(len(items))]
