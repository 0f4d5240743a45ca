"""Frames: the state of one call of the target's code, and the stack of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from cutaway.core.place import Place
from cutaway.interp.run.interpreter import interpreter


class Frame:
    """A call in progress: its variables, its module's namespace, the enclosing frame, the line.

    `function` is the record of the function that runs, None for module and class bodies;
    `value` holds the returned value once a return statement has run. `alternatives` are states in which the call, or a
    loop in it, may have ended early, to be joined with the one in which it does not.
    """

    __slots__ = ("alternatives", "file", "function", "globals", "line", "parent", "value", "vars")

    def __init__(
        self, variables: Any, namespace: dict[str, Any], file: str, parent: Frame | None, function: Any
    ) -> None:
        self.vars = variables
        self.globals = namespace
        self.file = file
        self.parent = parent
        self.function = function
        self.line = 0
        self.value: Any = None
        self.alternatives: Any = None

    @property
    def place(self) -> Place:
        """The line that this frame has reached."""
        return Place(self.file, self.line)


Evaluate: TypeAlias = Callable[[Frame], Any]
"""A compiled expression."""

Execute: TypeAlias = Callable[[Frame], "object | None"]
"""A compiled statement: it returns None to continue, or one of the signals below."""

BREAK, CONTINUE, RETURN = "break", "continue", "return"


def no_statements(_frame: Frame) -> None:
    """Execute a block that is empty."""


class WrappedGeneratorExit(BaseException):
    """A `GeneratorExit` on its way to the `yield` of a generator of the target.

    Several host generators run one generator of the target, and Python treats a `GeneratorExit` that passes from one
    to the next specially, so it is unwrapped only at the `yield` itself.
    """

    def __init__(self, error: GeneratorExit) -> None:
        super().__init__()
        self.error = error


class WrappedStopIteration(BaseException):
    """A `StopIteration` of the target inside a generator, which host generators would turn into a `RuntimeError`."""

    def __init__(self, error: StopIteration) -> None:
        super().__init__()
        self.error = error


def place() -> Place | None:
    """Return the line of the target that is being run; None in an expression from the command line."""
    stack = interpreter().stack
    return stack[-1].place if stack and not stack[-1].file.startswith("<target") else None


@contextmanager
def entered(frame: Frame) -> Iterator[Frame]:
    """Run a block with a frame on the stack."""
    stack = interpreter().stack
    stack.append(frame)
    try:
        yield frame
    finally:
        stack.pop()


def call_at(place: Place, function: Callable[[], Any]) -> Any:
    """Call a function so that its problems are reported at a place."""
    frame = Frame({}, {}, place.file, None, None)
    frame.line = place.line
    with entered(frame):
        return function()


class Pending:
    """The value of a name that an import binds: resolved when it is first used. `module` is what is imported from."""

    __slots__ = ("module", "resolve")

    def __init__(self, resolve: Callable[[], Any], module: str = "") -> None:
        self.resolve, self.module = resolve, module


MODULE_STATE = "__cutaway__"
"""The name under which a module's namespace holds its state, hidden from the target."""
