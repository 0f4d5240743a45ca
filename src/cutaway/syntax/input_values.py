"""The values of the inputs that a user gives, as forward takes them: a `3` is a number where forward takes a number."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any, TypeAlias

from cutaway.syntax.argument_kinds import PLAIN, UNDETERMINED, Function, Kind, NoContext, Use, argument_use
from cutaway.syntax.inputs import Input, Reading, TensorInput, merged

Record: TypeAlias = "Callable[..., Any]"

_NUMBERS = (Kind.INTEGER, Kind.NUMBER)
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_EXAMPLES = {Kind.INTEGER: "3", Kind.NUMBER: "0.5", Kind.FLAG: "true", Kind.TEXT: "'\"text\"'"}


class InputValues:
    """Turns inputs into arguments of forward.

    Args:
        function: forward's definition, None where it has no source.
        parameters: those of forward's signature.
        has: tells whether tensors have an attribute.
    """

    def __init__(
        self, function: Function | None, parameters: Iterable[inspect.Parameter], has: Callable[[str], bool]
    ) -> None:
        self._function, self._context = function, NoContext(has)
        self._positional = [p.name for p in parameters if p.kind in _POSITIONAL]

    def arguments(
        self, inputs: Sequence[Input], make: Callable[[TensorInput, str], Any], record: Record = SimpleNamespace
    ) -> tuple[list[Any], dict[str, Any]]:
        """Return arguments by position and by name.

        `make` makes a tensor, which gets the argument's name, and `record` an object with attributes.
        """
        positional, named = merged(inputs)
        names = [*self._positional, *[""] * len(positional)]
        return (
            [_made(each.value, self._use(name), "", make, record) for each, name in zip(positional, names)],
            {name: _made(value, self._use(name), name, make, record) for name, value in named.items()},
        )

    def mismatch(self, inputs: Sequence[Input]) -> str | None:
        """Return why a value can't be what forward's annotations say, None where all may be."""
        positional, named = merged(inputs)
        pairs = [*zip(self._positional, (each.value for each in positional)), *named.items()]
        return next((reason for name, value in pairs if (reason := _mismatch(name, value, self._use(name)))), None)

    def example(self, name: str) -> str:
        """Return what a value for an argument may look like."""
        kind = self._use(name).kind
        return "SHAPE" if kind is None else _EXAMPLES.get(kind, "SHAPE")

    def _use(self, name: str) -> Use:
        return UNDETERMINED if self._function is None or not name else argument_use(self._function, name, self._context)


def _made(value: Any, use: Use, name: str, make: Callable[[TensorInput, str], Any], record: Record) -> Any:
    if isinstance(value, Reading):
        is_value = use.kind in _NUMBERS if isinstance(value.value, int) else use.kind is Kind.TEXT
        return value.value if is_value else make(value.tensor, name)
    if isinstance(value, TensorInput):
        return make(value, name)
    if isinstance(value, dict):
        parts = {
            key: _made(item, use.parts.get(key, UNDETERMINED), f"{name}.{key}", make, record)
            for key, item in value.items()
        }
        return record(**parts) if use.kind is Kind.OBJECT else parts
    if isinstance(value, list):
        uses = [use.parts.get(str(at), UNDETERMINED) for at in range(len(value))]
        return [_made(item, part, f"{name}.{at}", make, record) for at, (item, part) in enumerate(zip(value, uses))]
    return value


def _mismatch(name: str, value: Any, use: Use) -> str | None:
    """Return why a value can't be what an annotation says."""
    if not use.is_annotated or use.kind is None or value is None:
        return None
    if use.kind in PLAIN:
        is_read = isinstance(value, Reading) and (use.kind in _NUMBERS) is isinstance(value.value, int)
        if isinstance(value, (TensorInput, Reading)) and not (is_read and use.kind is not Kind.FLAG):
            tensor = value.tensor if isinstance(value, Reading) else value
            if tensor.shape:
                example = f"--input {name}={_EXAMPLES[use.kind]}"
                return f"{name} is {use.kind.value}, but a tensor of {tensor} is given; write {example}"
    if use.kind is Kind.TENSOR and isinstance(value, (bool, int, float, str, list, dict)):
        return f"{name} is a tensor, but {value!r} is given; write its shape, as in --input {name}=1x3x224x224"
    return None
