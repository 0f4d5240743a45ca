"""The interpreter's state in one analysis: the calls in progress, the budget, and the modules of the target."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from cutaway.core.context import CURRENT, IDLE

if TYPE_CHECKING:
    from cutaway.interp.run.budget import Budget
    from cutaway.interp.run.frame import Frame


MAX_INSIDE = 400_000
"""Objects that are saved at most for what is inside of one block that may or may not run."""
MAX_IMPORTING = 200_000
"""Objects that are saved at most while packages are imported, which decides little about a network."""
MAX_IN_PACKAGES = 200_000
"""Objects that are saved at most while functions of packages run."""


class Effort:
    """The objects that have been saved to find out what blocks change that may or may not run.

    Such a block is given up where that is too much.
    """

    __slots__ = ("_importing", "_in_packages", "_inside")

    def __init__(self) -> None:
        self._inside = self._importing = self._in_packages = 0

    def spend(self, objects: int, is_own: bool, is_import: bool) -> None:
        """Count what has been saved for a block, in the user's own code or in a package."""
        self._inside += objects
        if not is_own and is_import:
            self._importing += objects
        elif not is_own:
            self._in_packages += objects

    def is_spent(self, is_own: bool, is_import: bool, is_outermost: bool) -> bool:
        """Tell whether a block is to be given up; one that is inside of no other begins a new count."""
        if is_outermost:
            self._inside = 0
            return False
        if is_own:
            return self._inside > MAX_INSIDE
        return self._importing > MAX_IMPORTING if is_import else self._in_packages > MAX_IN_PACKAGES


class Interpreter:
    """The state of the interpreter.

    `stack` holds the frames of the calls in progress, and `handling` the exceptions that the target is handling, innermost
    last. `guarded` counts the `try` statements that may catch what is raised now, `unknown_calls` the calls of unknown
    functions, any of which might have raised, `unknown_loops` the loops that ran an unknown number of times, `open_raises` the
    times that it was unknown whether the program raises an exception that Python catches. `raised` are the states in which
    it may have raised another, which it handles. `tried` are the blocks that are being run without knowing whether they
    run, `recursive` those among them that have called themselves, `given_up` the bodies whose rest is being run so, and
    `rests` counts all that were.
    `remembered` are the states that the present one will be compared with, `effort` counts what goes into that. `modules` is
    the loader; `last_heap` is the last state that was saved, if the next one may take over from it. While the loader evaluates a module later than Python would, `is_catching_up`. `leaving` is called with the frame of
    each call that ends, where someone wants to know.
    """

    __slots__ = (
        "budget", "effort", "given_up", "guarded", "handling", "is_catching_up", "last_heap", "leaving", "modules", "open_raises", "raised",
        "recursive", "remembered", "rests", "stack", "tried", "unknown_calls", "unknown_loops",
    )  # fmt: skip

    def __init__(self, budget: Budget | None, modules: Any) -> None:
        self.budget: Budget = budget  # type: ignore[assignment]  # None only outside of any analysis
        self.modules = modules
        self.stack: list[Frame] = []
        self.handling: list[BaseException] = []
        self.guarded = 0
        self.tried: list[Any] = []
        self.unknown_calls = 0
        self.unknown_loops = 0
        self.open_raises = 0
        self.given_up: set[int] = set()
        self.rests = 0
        self.raised: list[Any] = []
        self.recursive: list[Any] = []
        self.remembered: WeakSet[Any] = WeakSet()
        self.effort = Effort()
        self.is_catching_up = False
        self.last_heap: Any = None
        self.leaving: Callable[[Frame], None] | None = None


IDLE.interpreter = Interpreter(None, None)


def interpreter() -> Interpreter:
    """Return the state of the interpreter in the analysis in progress."""
    return CURRENT.get().interpreter  # type: ignore[no-any-return]


def is_idle() -> bool:
    """Tell whether no analysis is in progress."""
    return CURRENT.get().interpreter is IDLE.interpreter
