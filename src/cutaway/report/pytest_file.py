"""Unique operations as a runnable pytest file, which does each of them again on random data."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from cutaway.core.architecture import Op, Value
from cutaway.core.pattern import pattern
from cutaway.passes.unique_ops import UniqueOp

_HEAD = '''"""Each unique operation of {target}, done again on random data. Written by cutaway ops."""

import pytest
import torch


def random(shape, dtype):
    """Return a tensor of random numbers; integers are small enough to be indices."""
    if dtype.is_floating_point or dtype.is_complex:
        return torch.rand(shape, dtype=torch.complex64 if dtype.is_complex else torch.float32).to(dtype)
    return torch.zeros(shape, dtype=dtype) if dtype != torch.bool else torch.rand(shape) > 0.5


def made(result):
    """Return the tensors that an operation returns, in order."""
    if isinstance(result, torch.Tensor):
        return [result]
    return [tensor for item in result for tensor in made(item)] if isinstance(result, (tuple, list)) else []


def same(result, *expected):
    """Check shapes and element types."""
    assert [(tuple(tensor.shape), tensor.dtype) for tensor in made(result)] == list(expected)
'''


def render(target: str, ops: Sequence[UniqueOp], call: Callable[[Op], str], incomplete: Sequence[str] = ()) -> str:
    """Return the file; `call` writes an operation as Python, or raises ValueError with the reason why it can't.

    `incomplete` are lines that say why operations may be missing.
    """
    parts = [_HEAD.replace("{target}", target.replace('"', "'").replace("\\", "/"))]
    if incomplete:
        parts.append("".join(f"# {' '.join(line.split())}\n" for line in incomplete))
    for at, unique in enumerate(ops):
        parts.append(_test(at, unique, call))
    return "\n\n".join(parts)


def _test(at: int, unique: UniqueOp, call: Callable[[Op], str]) -> str:
    op = unique.op
    node = unique.occurrences[0].node
    lines = []
    try:
        body = _body(op, call)
    except ValueError as reason:
        lines.append(f"@pytest.mark.skip(reason={str(reason)!r})")
        body = ["pass"]
    name = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in node)
    modules = list(dict.fromkeys(each.op.module or "the network itself" for each in unique.occurrences))
    more = f" and {len(modules) - 3} more" if len(modules) > 3 else ""
    lines.append(f"def test_{at:03d}_{name}():")
    lines.append(f"    {f'{len(unique.occurrences)} times: {_joined(modules[:3])}{more}.'!r}")
    lines.extend(f"    {line}" for line in body)
    return "\n".join(lines) + "\n"


def _joined(names: Sequence[str]) -> str:
    return ", ".join(names)


def _checked(text: str) -> str:
    """Return an expression, unless it names anything but torch and the inputs: names of a program stay out of the file."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError) as error:
        raise ValueError("its arguments can't be written as Python") from error
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not _NAMES.fullmatch(node.id):
            raise ValueError(f"its arguments name {node.id!a}")
        if isinstance(node, ast.Attribute) and node.attr.startswith("__"):
            raise ValueError(f"its arguments name {node.attr!a}")
    return text


_NAMES = pattern(r"torch|float|slice|range|tuple|list|t\d+")


def _body(op: Op, call: Callable[[Op], str]) -> list[str]:
    text = _checked(call(op))
    lines = [f"t{at} = random({_shape(value)}, {_dtype(value)})" for at, value in enumerate(op.inputs)]
    expected = ", ".join(f"({_shape(value)}, {_dtype(value)})" for value in op.outputs)
    return [*lines, f"same({text}, {expected})"]


def _shape(value: Value) -> str:
    if value.shape is None or not all(isinstance(size, int) for size in value.shape):
        raise ValueError("a size is not a number")
    return repr(value.shape)


def _dtype(value: Value) -> str:
    if value.dtype is None or not value.dtype.isidentifier():
        raise ValueError("an element type is unknown")
    return f"torch.{value.dtype}"
