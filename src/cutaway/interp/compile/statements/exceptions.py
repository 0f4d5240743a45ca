"""`raise`, `try` and `with`."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.condition import ENVIRONMENT, Decision
from cutaway.core.fault import Fault
from cutaway.core.place import Place
from cutaway.core.unknown import Interruption, Undecidable, Unknown
from cutaway.interp.compile.assignment import assign_target
from cutaway.interp.compile.statements.undecided import UndecidedCode, raises
from cutaway.interp.compile.variables import located
from cutaway.interp.run.frame import Execute, Frame
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.truth import is_own
from cutaway.syntax.scope import assigned

OURS = (Undecidable, Interruption, KeyboardInterrupt)
"""What passes through a target's handlers; everything else that is raised is the target's own."""


_INTERRUPTIONS = (KeyboardInterrupt, GeneratorExit)


class Exceptions(UndecidedCode):
    """Compiles what raises and handles exceptions."""

    def _Raise(self, node: ast.Raise) -> Execute:
        line = node.lineno
        error = self.expression(node.exc) if node.exc else None
        cause = self.expression(node.cause) if node.cause else None

        def execute(frame: Frame) -> None:
            frame.line = line
            if error is None:
                handling = interpreter().handling
                if not handling:
                    raise RuntimeError("No active exception to reraise")
                raise handling[-1]
            value = error(frame)
            if type(value) is Unknown:
                raise Undecidable(value)
            if isinstance(value, _INTERRUPTIONS) or value in _INTERRUPTIONS:
                raise Undecidable(Unknown("the program interrupts itself here", frame.place))
            if cause is not None:
                raise value from cause(frame)
            raise value

        return execute

    def _With(self, node: ast.With) -> Execute:
        execute = self.block(node.body)
        for item in reversed(node.items):
            execute = self._managed(item, execute, node.lineno)
        return execute

    def _managed(self, item: ast.withitem, body: Execute, line: int) -> Execute:
        context = self.expression(item.context_expr)
        assign = assign_target(self, item.optional_vars) if item.optional_vars else None

        def execute(frame: Frame) -> object | None:
            frame.line = line
            manager = context(frame)
            if isinstance(manager, Unknown):
                if assign is not None:
                    assign(frame, manager)
                return body(frame)
            leave, value = enter(manager)
            try:
                if assign is not None:
                    assign(frame, value)
                signal = body(frame)
            except OURS:
                leave(None)
                raise
            except BaseException as error:
                if not leave(error):
                    raise
                return None
            returned = frame.value
            leave(None)
            frame.value = returned
            return signal

        return execute

    def _Try(self, node: ast.Try) -> Execute:
        outer, self.guarded = self.guarded, self.guarded or bool(node.handlers)
        body = _guarded(self.block(node.body)) if node.handlers else self.block(node.body)
        self.guarded = outer
        handlers = [
            (self.expression(h.type) if h.type else None, self.caught(h.name), self.block(h.body))
            for h in node.handlers
        ]
        orelse, final = self.block(node.orelse), self.block(node.finalbody) if node.finalbody else None

        fallbacks = [s for h in node.handlers if not raises(h.body) for s in h.body]
        bound = assigned(fallbacks)
        sought = _imported(node) if any(_names_import_error(h.type) for h in node.handlers) else ""

        def attempt(frame: Frame) -> object | None:
            before = interpreter().unknown_calls
            try:
                signal = body(frame)
                if sought and is_own(frame):
                    _settle(sought, Place(frame.file, node.lineno), True)
            except OURS:
                raise
            except BaseException as error:
                if sought and isinstance(error, ImportError) and is_own(frame):
                    _settle(sought, Place(frame.file, node.lineno), False)
                for kinds, caught, execute in handlers:
                    if kinds is None or matches(error, kinds(frame)):
                        return handle(frame, error, caught, execute)
                raise
            if bound and interpreter().unknown_calls != before:
                unknown = Unknown(
                    "whether a function that is not known raises an exception", Place(frame.file, node.lineno)
                )
                for name in bound:
                    assign_target(self, ast.Name(name, ast.Store()))(frame, unknown)
            return orelse(frame) if signal is None else signal

        return attempt if final is None else finally_do(attempt, final)

    def caught(self, name: str | None) -> Caught | None:
        """Return what binds the name of a caught exception, and unbinds it behind the handler."""
        if name is None:
            return None
        bound = self.mangle(name)
        return located(self.scope, bound), bound

    def _TryStar(self, node: Any) -> Execute:
        body, orelse = self.block(node.body), self.block(node.orelse)
        handlers = [(self.expression(h.type), self.caught(h.name), self.block(h.body)) for h in node.handlers]
        final = self.block(node.finalbody) if node.finalbody else None

        def attempt(frame: Frame) -> object | None:
            try:
                signal = body(frame)
            except OURS:
                raise
            except BaseException as error:
                left = handle_group(frame, error, handlers)
                if left is error:
                    raise
                if left is not None:
                    raise left from None
                return None
            return orelse(frame) if signal is None else signal

        return attempt if final is None else finally_do(attempt, final)


Caught = tuple[Callable[[Frame], "dict[str, Any]"], str]
"""The namespace that the name of a caught exception is bound in, and the name."""


def matches(error: BaseException, kinds: Any) -> bool:
    """Tell whether an `except` clause with these classes handles an exception."""
    unknown: Unknown | None = None
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if type(kind) is Unknown:
            unknown = kind if unknown is None else unknown
        elif not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
        elif isinstance(error, kind):
            return True
    if unknown is not None:
        raise Undecidable(unknown)
    return False


def handle(frame: Frame, error: BaseException, caught: Caught | None, execute: Execute) -> object | None:
    """Run the body of an `except` clause."""
    if caught is not None:
        holder, name = caught
        holder(frame)[name] = error
    if isinstance(error, Fault) and session.current().modules:
        session.current().forgive(error)
    handling = interpreter().handling
    handling.append(error)
    try:
        return execute(frame)
    finally:
        handling.pop()
        if caught is not None:
            holder(frame).pop(name, None)


def handle_group(frame: Frame, error: BaseException, handlers: list[tuple[Any, Caught | None, Execute]]) -> Any:
    """Run the `except*` clauses that match a part of an exception; return what is left to raise."""
    group: Any = vars(builtins)["BaseExceptionGroup"]
    is_group = isinstance(error, group)
    rest: Any = error if is_group else group("", [error])
    raised: list[BaseException] = []
    for kinds, caught, execute in handlers:
        if rest is None:
            break
        wanted = kinds(frame)
        if type(wanted) is Unknown:
            raise Undecidable(wanted)
        found, rest = rest.split(wanted)
        if found is None:
            continue
        try:
            handle(frame, found, caught, execute)
        except OURS:
            raise
        except BaseException as other:
            raised.append(other)
    if not raised:
        return rest if is_group or rest is None else error
    return group("", [*raised, *([rest] if rest is not None else [])])


def finally_do(attempt: Execute, final: Execute) -> Execute:
    """Return the closure that runs `final` behind `attempt`, however that ends."""

    def execute(frame: Frame) -> object | None:
        try:
            signal = attempt(frame)
        except OURS:
            final(frame)
            raise
        except BaseException:
            ending = final(frame)
            if ending is None:
                raise
            return ending
        value = frame.value
        ending = final(frame)
        if ending is not None:
            return ending
        frame.value = value
        return signal

    return execute


def enter(manager: Any) -> tuple[Callable[[BaseException | None], Any], Any]:
    """Enter a context; return what leaves it, with the exception that ends it or None, and its value."""
    kind: Any = type(manager)
    for needed in ("__enter__", "__exit__"):
        if not hasattr(kind, needed):
            raise _no_context(manager, needed)
    start, end = kind.__enter__, kind.__exit__

    def leave(error: BaseException | None) -> Any:
        if error is None:
            return end(manager, None, None, None)
        return end(manager, type(error), error, None)

    return leave, start(manager)


def _no_context(manager: Any, lacking: str) -> Exception:
    if sys.version_info < (3, 11):
        return AttributeError(lacking)
    text = f"'{type(manager).__name__}' object does not support the context manager protocol"
    return TypeError(text if lacking == "__enter__" else f"{text} (missed __exit__ method)")


def _imported(node: ast.Try) -> str:
    """Return what a `try` imports, in the words of a condition; nothing where it imports nothing."""
    found = [statement for statement in node.body if isinstance(statement, (ast.Import, ast.ImportFrom))]
    return ast.unparse(found[0]) if found else ""


def _names_import_error(node: ast.expr | None) -> bool:
    return node is not None and any(
        isinstance(child, ast.Name) and child.id in ("ImportError", "ModuleNotFoundError") for child in ast.walk(node)
    )


def _settle(text: str, place: Place, holds: bool) -> None:
    """Note a condition that the machine has decided."""
    session.current().conditions.setdefault(text, Decision(text, ENVIRONMENT, place, holds, holds))


def _guarded(body: Execute) -> Execute:
    """Run statements whose exceptions the target handles, which whoever solves for sizes has to know."""

    def execute(frame: Frame) -> object | None:
        solving = session.current().solving
        if solving is None:
            return body(frame)
        solving.guarded += 1
        try:
            return body(frame)
        finally:
            solving.guarded -= 1

    return execute
