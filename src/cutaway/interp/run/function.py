"""Functions of the target: their definition, the binding of arguments, and their activation."""

from __future__ import annotations

import ast
import functools
import inspect
import types
from collections.abc import Callable, Generator
from typing import Any, Protocol

from cutaway.core import session
from cutaway.core.error import locate
from cutaway.core.place import Place
from cutaway.core.record import dataclass
from cutaway.core.unknown import Interruption, Undecidable, Unknown
from cutaway.interp.run.budget import DEPTH, tick
from cutaway.interp.run.frame import RETURN, Closing, Evaluate, Execute, Frame
from cutaway.interp.run.interpreter import interpreter, is_idle
from cutaway.syntax.scope import Scope, mangle, yields


class FunctionCompiler(Protocol):
    """What turns the syntax tree of a function into closures."""

    def body(self, code: Code) -> Execute:
        """Compile the body of a function."""

    def generator(self, code: Code) -> Callable[[Frame], Generator[Any, Any, Any]]:
        """Compile the body of a generator."""

    def expression(self, node: ast.expr, scope: Scope, file: str) -> Evaluate:
        """Compile an expression that stands by itself, such as an annotation."""

    def forget_rest(self, code: Code, frame: Frame, unknown: Unknown) -> None:
        """Make unknown what the rest of a body, from the line that is reached, would change outside of it."""


class Code:
    """What is known of a function from its source alone; the body is compiled on the first call."""

    __slots__ = (
        "_body",
        "_generate",
        "_is_generator",
        "around",
        "compiler",
        "file",
        "is_async",
        "keyword_only",
        "kwarg",
        "line",
        "name",
        "nameable",
        "node",
        "owner",
        "positional",
        "positional_only",
        "simple",
        "vararg",
    )

    def __init__(self, node: Any, around: Scope, file: str, owner: str, compiler: FunctionCompiler) -> None:
        arguments = node.args
        self.compiler = compiler
        self.node = node
        self.around = around
        self.file = file
        self.owner = owner
        self.line = node.lineno
        self.name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        self.positional: tuple[str, ...] = tuple(
            [mangle(owner, a.arg) for a in (*arguments.posonlyargs, *arguments.args)]
        )
        self.positional_only = len(arguments.posonlyargs)
        self.keyword_only: tuple[str, ...] = tuple([mangle(owner, a.arg) for a in arguments.kwonlyargs])
        self.vararg: str | None = mangle(owner, arguments.vararg.arg) if arguments.vararg else None
        self.kwarg: str | None = mangle(owner, arguments.kwarg.arg) if arguments.kwarg else None
        self.nameable = frozenset((*self.positional[self.positional_only :], *self.keyword_only))
        self.simple = not self.keyword_only and self.vararg is None and self.kwarg is None
        self.is_async = isinstance(node, ast.AsyncFunctionDef)
        self._is_generator: bool | None = None
        self._body: Execute | None = None
        self._generate: Callable[[Frame], Generator[Any, Any, Any]] | None = None

    @property
    def is_generator(self) -> bool:
        """Whether calling it makes a generator."""
        if self._is_generator is None:
            body = self.node.body
            self._is_generator = any(yields(s) for s in ([body] if isinstance(body, ast.expr) else body))
        return self._is_generator

    @property
    def body(self) -> Execute:
        """The compiled body."""
        if self._body is None:
            self._body = self.compiler.body(self)
        return self._body

    @property
    def generate(self) -> Callable[[Frame], Generator[Any, Any, Any]]:
        """The compiled body of a generator."""
        if self._generate is None:
            self._generate = self.compiler.generator(self)
        return self._generate


@dataclass(slots=True, eq=False)
class Record:
    """A function of the target: its code with the values it was defined with."""

    code: Code
    globals: dict[str, Any]
    parent: Frame | None
    defaults: tuple[Any, ...]
    keyword_defaults: dict[str, Any]
    cell: types.CellType | None
    qualified: str
    signature: inspect.Signature | None = None
    annotated_as: Record | None = None  # the function that it wraps, and has the annotations of
    doubt: Unknown | None = None  # a decorator, which may have made something else of it than a function

    @property
    def place(self) -> Place:
        """Where it is defined."""
        return Place(self.code.file, self.code.line)


def wrap(record: Record) -> Any:
    """Return the host function that stands for a function of the target."""

    # Without annotations, for the target would see them as its own.
    def function(*args, **kwargs):  # type: ignore[no-untyped-def]
        if is_idle():  # called by an object that outlives the analysis
            return Unknown("nothing of the target is interpreted any more")
        return invoke(record, list(args), kwargs)

    return function


WRAPPER = wrap(None).__code__  # type: ignore[arg-type]


def record_of(function: Any) -> Record | None:
    """Return the record of an interpreted function, None for anything else."""
    if isinstance(function, types.FunctionType) and function.__code__ is WRAPPER:
        record: Record = function.__closure__[0].cell_contents  # type: ignore[index]
        return record
    return None


def doubt_of(function: Any) -> Unknown | None:
    """Return why it is not certain that something is a plain function."""
    record = record_of(function)
    return None if record is None else record.doubt


def qualified_name(frame: Frame, name: str) -> str:
    """Return the qualified name of what is defined in an activation."""
    if frame.vars is frame.globals:
        return name
    around: Frame | None = frame
    while around is not None and around.function is None:
        if "__qualname__" in around.vars:  # a class body
            return f"{around.vars['__qualname__']}.{name}"
        around = around.parent
    return name if around is None else f"{around.function.qualified}.<locals>.{name}"


def bind(record: Record, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the variables that a call starts with, or raise `TypeError` as Python does."""
    code = record.code
    names = code.positional
    given, expected = len(args), len(names)
    variables = dict(zip(names, args))
    if given == expected and code.simple and not kwargs:
        return variables
    if code.vararg is not None:
        variables[code.vararg] = tuple(args[expected:])
    if code.kwarg is not None:
        variables[code.kwarg] = {}
    for name, value in kwargs.items():
        if name in code.nameable:
            if name in variables:
                raise TypeError(f"{record.qualified}() got multiple values for argument '{name}'")
            variables[name] = value
        elif code.kwarg is not None:
            variables[code.kwarg][name] = value
        else:
            raise TypeError(_unexpected(record, name, kwargs))
    if given > expected and code.vararg is None:
        raise TypeError(_too_many(record, given, variables))
    if given < expected:
        required = expected - len(record.defaults)
        missing = [name for name in names[given:required] if name not in variables]
        if missing:
            raise TypeError(_missing(record, "positional", missing))
        for index in range(max(given, required), expected):
            variables.setdefault(names[index], record.defaults[index - required])
    if code.keyword_only:
        lacking = [name for name in code.keyword_only if name not in variables and name not in record.keyword_defaults]
        if lacking:
            raise TypeError(_missing(record, "keyword-only", lacking))
        for name in code.keyword_only:
            if name not in variables:
                variables[name] = record.keyword_defaults[name]
    return variables


def _unexpected(record: Record, name: str, kwargs: dict[str, Any]) -> str:
    positional_only = [n for n in record.code.positional[: record.code.positional_only] if n in kwargs]
    if positional_only:
        listed = ", ".join(positional_only)
        return f"{record.qualified}() got some positional-only arguments passed as keyword arguments: '{listed}'"
    return f"{record.qualified}() got an unexpected keyword argument '{name}'"


def _too_many(record: Record, given: int, variables: dict[str, Any]) -> str:
    expected, optional = len(record.code.positional), len(record.defaults)
    takes = f"from {expected - optional} to {expected}" if optional else str(expected)
    named = sum(name in variables for name in record.code.keyword_only)
    beside = (
        f" positional argument{'s' * (given != 1)} (and {named} keyword-only argument{'s' * (named != 1)})"
        if named
        else ""
    )
    return (
        f"{record.qualified}() takes {takes} positional argument{'s' * (bool(optional) or expected != 1)} "
        f"but {given}{beside} {'was' if given == 1 and not named else 'were'} given"
    )


def _missing(record: Record, kind: str, names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    if len(quoted) > 2:
        listed = f"{', '.join(quoted[:-1])}, and {quoted[-1]}"
    else:
        listed = " and ".join(quoted)
    return f"{record.qualified}() missing {len(names)} required {kind} argument{'s' * (len(names) != 1)}: {listed}"


def invoke(record: Record, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Run a function of the target on these arguments."""
    tick()
    code = record.code
    frame = Frame(bind(record, args, kwargs), record.globals, code.file, record.parent, record)
    frame.line = code.line
    if code.is_async:
        return session.current().unknown("async functions are not interpreted")
    if code.is_generator:
        return _resumed(frame, code)
    stack = interpreter().stack
    if len(stack) >= DEPTH:
        raise RecursionError("maximum recursion depth exceeded")
    stack.append(frame)
    try:
        return frame.value if code.body(frame) is RETURN else None
    except Undecidable as undecidable:
        return _undecided(undecidable.unknown, frame, args)
    except Interruption:
        raise
    except BaseException as error:
        locate(error, frame.place)
        raise
    finally:
        stack.pop()


def _undecided(unknown: Unknown, frame: Frame, args: list[Any]) -> Unknown | None:
    """Give up one activation: its result is unknown, and so is what it would have built."""
    here = session.current()
    result = here.note(
        unknown if unknown.place else Unknown(unknown.reason, frame.place), here.modules[-1] if here.modules else None
    )
    markable = bool(args) and hasattr(type(args[0]), "mark_incomplete")
    if markable and not here.modules:
        args[0].mark_incomplete(result)
    code = frame.function.code
    code.compiler.forget_rest(code, frame, result)
    if code.name not in ("__init__", "__post_init__"):
        return result
    if not markable:
        raise Undecidable(result)  # what was to be made is unknown altogether
    return None


def _resumed(frame: Frame, code: Code) -> Generator[Any, Any, Any]:
    """Drive a generator of the target, its frame being on the stack only while it runs."""
    inner: Any = code.generate(frame)
    resume: Callable[[], Any] = inner.__next__
    handling: list[BaseException] = []
    while True:
        running = interpreter()
        running.stack.append(frame)
        outside = len(running.handling)
        running.handling.extend(handling)
        try:
            item = resume()
            handling = running.handling[outside:]
        except Closing as closing:  # it had not started
            raise closing.error from None
        except StopIteration as stop:
            return stop.value
        except Exception as error:
            locate(error, frame.place)
            raise
        finally:
            running.stack.pop()
            del running.handling[outside:]
        try:
            sent = yield item
            resume = inner.__next__ if sent is None else functools.partial(inner.send, sent)
        except GeneratorExit as error:
            resume = functools.partial(inner.throw, Closing(error))
        except BaseException as error:
            resume = functools.partial(inner.throw, error)
