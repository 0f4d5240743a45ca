"""What a running network is called with."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cutaway.syntax.argument_kinds import Function
from cutaway.syntax.input_values import InputValues
from cutaway.syntax.inputs import Input, TensorInput
from cutaway.syntax.target import TargetError


@dataclass(frozen=True, slots=True)
class Arguments:
    """Positional and named arguments."""

    positional: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)


def numeric_shape(given: TensorInput) -> tuple[int, ...]:
    """Return the sizes of an input, which must all be numbers."""
    sizes = given.shape
    if not all(isinstance(size, int) for size in sizes):
        words = "x".join(map(str, sizes))
        raise TargetError(f"--input {words}: a network that runs needs numbers for all sizes")
    return tuple(size for size in sizes if isinstance(size, int))


def from_inputs(
    forward: Callable[..., Any], inputs: Sequence[Input], tensor: type, make: Callable[[TensorInput], Any]
) -> Arguments:
    """Return the arguments that a user gives to a running network's forward; tensors are of a class."""
    try:
        parameters = list(inspect.signature(forward).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    values = InputValues(_definition(forward), parameters, lambda name: hasattr(tensor, name))
    positional, named = values.arguments(inputs, lambda described, _name: make(described))
    return Arguments(tuple(positional), named)


def _definition(function: Callable[..., Any]) -> Function | None:
    """Return the source of a function, None where it has none."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None
    return next((n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))), None)
