"""`raise`, `try` and `with`."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any

from cutaway.core import session
from cutaway.core.admission import admit
from cutaway.core.condition import ENVIRONMENT, Decision
from cutaway.core.fault import Fault
from cutaway.core.place import Place
from cutaway.core.unknown import Interruption, Undecidable, Unknown, UnknownRaised, decisions, derived_unknown
from cutaway.interp.boundary.joining import both_ways, with_raised
from cutaway.interp.compile.assignment import assign_target
from cutaway.interp.compile.statements.undecided import UndecidedCode, raises
from cutaway.interp.compile.variables import binding_namespace
from cutaway.interp.run.frame import Evaluate, Execute, Frame
from cutaway.interp.run.function import record_of
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.origin import Operation, note
from cutaway.interp.run.raising import check_raised, is_caught
from cutaway.interp.run.truth import is_own, truth
from cutaway.syntax.scope import assigned

UNCATCHABLE = (Undecidable, Interruption, KeyboardInterrupt)
"""Exceptions that the target's handlers never catch; all others are raised by the target itself."""

GENERATED = type(contextmanager(lambda: iter(()))())
"""The class of the contexts that `contextmanager` makes."""


_UNSUPPORTED_EXCEPTIONS = (KeyboardInterrupt, GeneratorExit)


_PACKAGES = "which packages are installed"


class Exceptions(UndecidedCode):
    """Compiles statements that raise and handle exceptions."""

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
            if isinstance(value, _UNSUPPORTED_EXCEPTIONS) or value in _UNSUPPORTED_EXCEPTIONS:
                raise Undecidable(Unknown("the program interrupts itself", frame.place))
            if isinstance(value, type) and issubclass(value, BaseException):
                value = value()
            if isinstance(value, BaseException):
                note(value, Operation.RAISE)
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
            may_catch = can_catch(manager)  # asked first: entering takes from it what says so
            leave, value = enter(manager)
            running = interpreter()
            start = len(running.raised)
            running.guarded += may_catch
            try:
                if assign is not None:
                    assign(frame, admit(value))
                signal = body(frame)
                if isinstance(manager, GENERATED):
                    check_raised(start)  # a generator can't be run again from a former state
            except UNCATCHABLE:
                leave(None)
                raise
            except BaseException as error:
                running.guarded -= may_catch
                if may_catch:
                    note_missing(error, frame, line)
                may_catch = False
                return with_raised(frame, start, partial(_left, leave, error), lambda _, raised: _left(leave, raised))
            finally:
                running.guarded -= may_catch

            def go_on(inner: Frame) -> object | None:
                returned = inner.value
                leave(None)
                inner.value = returned
                return signal

            return with_raised(frame, start, go_on, lambda _, raised: _left(leave, raised))

        return execute

    def _Try(self, node: ast.Try) -> Execute:
        outer, self.in_try = self.in_try, self.in_try or bool(node.handlers)
        body = _tracking_handlers(self.block(node.body)) if node.handlers else self.block(node.body)
        self.in_try = outer
        handlers = [
            (self.expression(h.type) if h.type else None, self.exception_target(h.name), self.block(h.body))
            for h in node.handlers
        ]
        orelse, final = self.block(node.orelse), self.block(node.finalbody) if node.finalbody else None
        attempt = _Attempt(node, body, handlers, orelse).execute if handlers else body
        if handlers:
            fallbacks = assigned([s for h in node.handlers if not raises(h.body) for s in h.body])
            attempt = self._with_fallbacks(attempt, fallbacks, node.lineno) if fallbacks else attempt
        return attempt if final is None else with_finally(attempt, final)

    def _with_fallbacks(self, attempt: Execute, names: set[str], line: int) -> Execute:
        """Return a closure after which what handlers bind is unknown, where an unknown function of a package may raise."""

        def execute(frame: Frame) -> object | None:
            running = interpreter()
            before = running.unknown_calls
            signal = attempt(frame)
            if running.unknown_calls != before and not is_own(frame):
                unknown = Unknown("whether an unknown function raises an exception", Place(frame.file, line))
                for name in names:
                    assign_target(self, ast.Name(name, ast.Store()))(frame, unknown)
            return signal

        return execute

    def exception_target(self, name: str | None) -> ExceptionTarget | None:
        """Return where to bind the name of a caught exception, None if it has no name."""
        if name is None:
            return None
        mangled = self.mangle(name)
        return binding_namespace(self.scope, mangled), mangled

    def _TryStar(self, node: Any) -> Execute:
        body, orelse = _tracking_handlers(self.block(node.body)), self.block(node.orelse)
        handlers = [(self.expression(h.type), self.exception_target(h.name), self.block(h.body)) for h in node.handlers]
        final = self.block(node.finalbody) if node.finalbody else None

        def attempt(frame: Frame) -> object | None:
            try:
                signal = body(frame)
            except UNCATCHABLE:
                raise
            except BaseException as error:
                unhandled = handle_group(frame, error, handlers)
                if unhandled is error:
                    raise
                if unhandled is not None:
                    raise unhandled from None
                return None
            return orelse(frame) if signal is None else signal

        return attempt if final is None else with_finally(attempt, final)


class _Attempt:
    """The statements of a `try` with their handlers."""

    def __init__(self, node: ast.Try, body: Execute, handlers: list[Handler], orelse: Execute) -> None:
        self.node, self.body, self.handlers, self.orelse = node, body, handlers, orelse
        self.imported = _first_import(node) if any(_catches_import_error(h.type) for h in node.handlers) else ""

    def execute(self, frame: Frame) -> object | None:
        """Run the statements, and a handler if they raise, or where they may have raised."""
        running = interpreter()
        open_raises, start = running.open_raises, len(running.raised)
        try:
            signal = self.body(frame)
            _note_import(self.imported, frame, self.node.lineno, True)
        except UNCATCHABLE:
            raise
        except BaseException as error:
            if isinstance(error, ImportError):
                _note_import(self.imported, frame, self.node.lineno, False)
                note_missing(error, frame, self.node.lineno, self.imported)
            return with_raised(frame, start, partial(self._recover, error=error), self._recover)

        def go_on(inner: Frame) -> object | None:
            return self.orelse(inner) if signal is None else signal

        if running.open_raises != open_raises:
            running.open_raises = open_raises
            unknown = Unknown("whether the program raises an exception", Place(frame.file, self.node.lineno))
            return both_ways(frame, go_on, lambda inner: _one_of(inner, self.handlers, unknown), unknown)
        return with_raised(frame, start, go_on, self._recover)

    def _recover(self, frame: Frame, error: BaseException) -> object | None:
        """Run the handler of an exception, one of them if it is unknown which."""
        if type(error) is UnknownRaised and decisions().undecided_depth:
            return _one_of(frame, self.handlers, error.unknown)
        chosen = _matching_handler(frame, error, self.handlers)
        if chosen is None:
            raise error
        return handle(frame, error, *chosen)


ExceptionTarget = tuple[Callable[[Frame], "dict[str, Any]"], str]
"""The namespace in which the name of a caught exception is bound, and the name."""


Handler = tuple["Evaluate | None", "ExceptionTarget | None", Execute]
"""An `except` clause: its classes, where it binds the exception, and its body."""


def _matching_handler(
    frame: Frame, error: BaseException, handlers: list[Handler]
) -> tuple[ExceptionTarget | None, Execute] | None:
    """Return the first clause that handles an exception, None if there is none."""
    for classes, exception_target, body in handlers:
        if classes is None or matches(error, classes(frame)):
            return exception_target, body
    return None


def matches(error: BaseException, classes: Any) -> bool:
    """Tell whether an `except` clause with these classes matches an exception."""
    unknown: Unknown | None = None
    for kind in classes if isinstance(classes, tuple) else (classes,):
        if type(kind) is Unknown:
            unknown = kind if unknown is None else unknown
        elif not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
        elif type(error) is UnknownRaised:
            if is_caught(error, kind):
                return True
        elif isinstance(error, kind):
            return True
    if unknown is not None:
        raise Undecidable(unknown)
    return False


def handle(
    frame: Frame, error: BaseException, exception_target: ExceptionTarget | None, execute: Execute
) -> object | None:
    """Run the body of an `except` clause."""
    if exception_target is not None:
        namespace_of, name = exception_target
        namespace_of(frame)[name] = seen_by_target(error)
    if isinstance(error, Fault):
        session.current().caught(error)
    if isinstance(error, ImportError):
        text = _PACKAGES if is_own(frame) else session.LIBRARY_PACKAGES
        session.current().doubts.setdefault(text)
    handling = interpreter().handling
    handling.append(error)
    try:
        return execute(frame)
    finally:
        handling.pop()
        if exception_target is not None:
            namespace_of(frame).pop(name, None)


def seen_by_target(error: BaseException) -> Any:
    """Return an exception as a handler's name is bound to it."""
    return derived_unknown(error.unknown) if type(error) is UnknownRaised else error


def handle_group(
    frame: Frame, error: BaseException, handlers: list[tuple[Any, ExceptionTarget | None, Execute]]
) -> Any:
    """Run the `except*` clauses that match parts of an exception; return what remains to be raised."""
    group: Any = vars(builtins)["BaseExceptionGroup"]
    is_group = isinstance(error, group)
    rest: Any = error if is_group else group("", [error])
    raised: list[BaseException] = []
    for evaluate_classes, exception_target, execute in handlers:
        if rest is None:
            break
        classes = evaluate_classes(frame)
        if type(classes) is Unknown:
            raise Undecidable(classes)
        matched, rest = rest.split(classes)
        if matched is None:
            continue
        try:
            handle(frame, matched, exception_target, execute)
        except UNCATCHABLE:
            raise
        except BaseException as raised_by_handler:
            raised.append(raised_by_handler)
    if not raised:
        return rest if is_group or rest is None else error
    return group("", [*raised, *([rest] if rest is not None else [])])


def with_finally(attempt: Execute, final: Execute) -> Execute:
    """Return the closure that runs `final` after `attempt`, however that ends."""

    def raise_again(frame: Frame, error: BaseException) -> object | None:
        ending = final(frame)
        if ending is None:
            raise error
        return ending

    def execute(frame: Frame) -> object | None:
        start = len(interpreter().raised)
        try:
            signal = attempt(frame)
        except UNCATCHABLE:
            final(frame)
            raise
        except BaseException as error:
            return with_raised(frame, start, partial(raise_again, error=error), raise_again)

        def go_on(inner: Frame) -> object | None:
            value = inner.value
            ending = final(inner)
            if ending is not None:
                return ending
            inner.value = value
            return signal

        return with_raised(frame, start, go_on, raise_again)

    return execute


def enter(manager: Any) -> tuple[Callable[[BaseException | None], Any], Any]:
    """Enter a context; return the function that leaves it, given the exception that ended it or None, and its value."""
    kind: Any = type(manager)
    for method in ("__enter__", "__exit__"):
        if not hasattr(kind, method):
            raise _not_a_context_manager(manager, method)
    start, end = kind.__enter__, kind.__exit__

    def leave(error: BaseException | None) -> Any:
        if error is None:
            return end(manager, None, None, None)
        if type(error) is UnknownRaised:
            if isinstance(manager, suppress):
                return any(is_caught(error, kind) for kind in vars(manager)["_exceptions"])
            unknown = derived_unknown(error.unknown)
            return truth(end(manager, unknown, unknown, None))
        return end(manager, type(error), error, None)

    return leave, start(manager)


def can_catch(manager: Any) -> bool:
    """Tell whether leaving a context may end an exception: what the target defines may, and `suppress` does."""
    if isinstance(manager, GENERATED):
        record = record_of(vars(manager).get("func"))
        return record is not None and any(_handles(node) for node in ast.walk(record.code.node))
    return isinstance(manager, (suppress, ExitStack)) or record_of(getattr(type(manager), "__exit__", None)) is not None


def _handles(node: ast.AST) -> bool:
    """Tell whether a statement may end an exception that is raised inside of it."""
    return isinstance(node, (ast.With, ast.AsyncWith)) or bool(getattr(node, "handlers", ()))


def _not_a_context_manager(manager: Any, missing: str) -> Exception:
    if sys.version_info < (3, 11):
        return AttributeError(missing)
    message = f"'{type(manager).__name__}' object does not support the context manager protocol"
    return TypeError(message if missing == "__enter__" else f"{message} (missed __exit__ method)")


def _first_import(node: ast.Try) -> str:
    """Return the first import of a `try` as source, which serves as a condition; empty if it imports nothing."""
    imports = [statement for statement in node.body if isinstance(statement, (ast.Import, ast.ImportFrom))]
    return ast.unparse(imports[0]) if imports else ""


def _one_of(frame: Frame, handlers: list[Handler], unknown: Unknown) -> object | None:
    """Run one of several handlers, it is unknown which."""
    (_, target, block), *others = handlers
    if target is not None:
        namespace, name = target
        namespace(frame)[name] = derived_unknown(unknown)
    return both_ways(frame, block, lambda inner: _one_of(inner, others, unknown), unknown) if others else block(frame)


def _left(leave: Callable[[BaseException | None], Any], error: BaseException, _frame: Frame | None = None) -> None:
    """Leave a context after an exception, which it may end."""
    if not leave(error):
        raise error


def _catches_import_error(node: ast.expr | None) -> bool:
    return node is not None and any(
        isinstance(child, ast.Name) and child.id in ("ImportError", "ModuleNotFoundError") for child in ast.walk(node)
    )


def note_missing(error: BaseException, frame: Frame, line: int, noted: str = "") -> None:
    """Note a module whose absence the program handles, but for one that an import names which is noted."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        if not noted or not f"{noted.split()[1]}.".startswith(f"{error.name}."):
            _note_import(f"import {error.name}", frame, line, False)


def _note_import(condition: str, frame: Frame, line: int, holds: bool) -> None:
    """Note a condition that the installed packages have decided, if it is one: of the user's own code as such, and of
    another package that is a part of the program as something presumed, where the import fails."""
    if not condition:
        return
    place = Place(frame.file, line)
    here = session.current()
    if is_own(frame):
        here.conditions.setdefault(condition, Decision(condition, ENVIRONMENT, place, holds, holds))
    elif not holds and here.in_program():
        here.presume(f"{condition} fails where the program runs", place, doubt=_PACKAGES)


def _tracking_handlers(body: Execute) -> Execute:
    """Return a closure that tells that the target handles exceptions of the statements."""

    def execute(frame: Frame) -> object | None:
        solver, running = session.current().solver, interpreter()
        running.guarded += 1
        if solver is not None:
            solver.guarded += 1
        try:
            return body(frame)
        finally:
            running.guarded -= 1
            if solver is not None:
                solver.guarded -= 1

    return execute
