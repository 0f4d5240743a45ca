"""The state of one activation of the target's code, and the stack of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from cutaway.core.place import Place
from cutaway.interp.run.interpreter import interpreter


class Frame:
    """One activation: its variables, its module's namespace, the enclosing activation, the line.

    `function` is the record of the function being run, None for module and class bodies;
    `value` holds the returned value once a return statement has run.
    """

    __slots__ = ("file", "function", "globals", "line", "parent", "value", "vars")

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

    @property
    def place(self) -> Place:
        """Where control is in this activation."""
        return Place(self.file, self.line)


Evaluate: TypeAlias = Callable[[Frame], Any]
"""A compiled expression."""

Execute: TypeAlias = Callable[[Frame], "object | None"]
"""A compiled statement: None to go on, or one of the signals below."""

BREAK, CONTINUE, RETURN = "break", "continue", "return"


class Closing(BaseException):
    """A generator of the target is being closed.

    Host generators treat `GeneratorExit` in a way of their own as it passes from one to the next, and several of
    them run one generator of the target, so it becomes that exception only at the `yield` itself.
    """

    def __init__(self, error: GeneratorExit) -> None:
        super().__init__()
        self.error = error


class Stopping(BaseException):
    """A `StopIteration` of the target inside a generator, which host generators would turn into another error."""

    def __init__(self, error: StopIteration) -> None:
        super().__init__()
        self.error = error


def place() -> Place | None:
    """Return where the target's control is now; None in what the user wrote on the command line."""
    stack = interpreter().stack
    return stack[-1].place if stack and not stack[-1].file.startswith("<target") else None


@contextmanager
def entered(frame: Frame) -> Iterator[Frame]:
    """Run what is inside in an activation."""
    stack = interpreter().stack
    stack.append(frame)
    try:
        yield frame
    finally:
        stack.pop()


def placed(place: Place, bring: Callable[[], Any]) -> Any:
    """Bring something so that what goes wrong is reported at a place."""
    frame = Frame({}, {}, place.file, None, None)
    frame.line = place.line
    with entered(frame):
        return bring()


class Pending:
    """A name that an import binds: resolved when it is first used."""

    __slots__ = ("resolve",)

    def __init__(self, resolve: Callable[[], Any]) -> None:
        self.resolve = resolve


HIDDEN = "__cutaway__"
