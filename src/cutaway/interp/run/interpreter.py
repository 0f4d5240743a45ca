"""The interpreter's state in one analysis: the calls in progress, the budget, and the modules of the target."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cutaway.core.context import CURRENT, IDLE

if TYPE_CHECKING:
    from cutaway.interp.run.budget import Budget
    from cutaway.interp.run.frame import Frame


class Interpreter:
    """The state of the interpreter.

    `stack` holds the frames of the calls in progress, and `handling` the exceptions that the target is handling, innermost
    last. `guarded` counts the `try` statements that may catch what is raised now, `unknown_calls` the calls of unknown
    functions, any of which might have raised, `open_raises` the times that it was unknown whether the program raises an
    exception that Python catches. `raised` are the states in which it may have raised another, which it handles. `tried` are
    the blocks that are being run without knowing whether they run, `recursive` those among them that have called themselves.
    `modules` is the loader. `leaving` is called with the frame of each call that ends, where someone wants to know.
    """

    __slots__ = (
        "budget", "guarded", "handling", "leaving", "modules", "open_raises", "raised", "recursive", "stack", "tried",
        "unknown_calls",
    )  # fmt: skip

    def __init__(self, budget: Budget | None, modules: Any) -> None:
        self.budget: Budget = budget  # type: ignore[assignment]  # None only outside of any analysis
        self.modules = modules
        self.stack: list[Frame] = []
        self.handling: list[BaseException] = []
        self.guarded = 0
        self.tried: list[Any] = []
        self.unknown_calls = 0
        self.open_raises = 0
        self.raised: list[Any] = []
        self.recursive: list[Any] = []
        self.leaving: Callable[[Frame], None] | None = None


IDLE.interpreter = Interpreter(None, None)


def interpreter() -> Interpreter:
    """Return the state of the interpreter in the analysis in progress."""
    return CURRENT.get().interpreter  # type: ignore[no-any-return]


def is_idle() -> bool:
    """Tell whether no analysis is in progress."""
    return CURRENT.get().interpreter is IDLE.interpreter
