"""Functions of the target: their definition, the binding of arguments, and calls."""

from __future__ import annotations

import ast
import functools
import inspect
import types
from collections.abc import Callable, Generator
from typing import Any, Protocol

from cutaway.core import session
from cutaway.core.admission import ADDRESS, CHECKS, admit
from cutaway.core.error import keep_built, locate
from cutaway.core.place import Place
from cutaway.core.protocols import is_module
from cutaway.core.record import dataclass
from cutaway.core.session import Note
from cutaway.core.unknown import Interruption, Undecidable, Unknown
from cutaway.interp.run.budget import DEPTH, tick
from cutaway.interp.run.frame import RETURN, Evaluate, Execute, Frame, WrappedGeneratorExit
from cutaway.interp.run.interpreter import interpreter, is_idle
from cutaway.interp.run.origin import Operation, note
from cutaway.syntax.scope import Scope, mangle, yields


class FunctionCompiler(Protocol):
    """What turns the syntax tree of a function into closures."""

    def body(self, code: Code) -> Execute:
        """Compile the body of a function."""

    def generator(self, code: Code) -> Callable[[Frame], Generator[Any, Any, Any]]:
        """Compile the body of a generator."""

    def expression(self, node: ast.expr, scope: Scope, file: str) -> Evaluate:
        """Compile a standalone expression, such as an annotation."""

    def forget_rest(self, code: Code, frame: Frame, unknown: Unknown) -> None:
        """Make unknown what the rest of a body, from the current line on, would change outside of it."""


class Code:
    """What the source alone says about a function; the body is compiled on the first call."""

    __slots__ = (
        "_body",
        "_generate",
        "_is_generator",
        "_names_class",
        "compiler",
        "enclosing",
        "file",
        "is_async",
        "keyword_names",
        "keyword_only",
        "kwarg",
        "line",
        "name",
        "node",
        "owner",
        "positional",
        "positional_only",
        "simple",
        "vararg",
    )

    def __init__(self, node: Any, enclosing: Scope, file: str, owner: str, compiler: FunctionCompiler) -> None:
        arguments = node.args
        self.compiler = compiler
        self.node = node
        self.enclosing = enclosing
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
        self.keyword_names = frozenset((*self.positional[self.positional_only :], *self.keyword_only))
        self.simple = not self.keyword_only and self.vararg is None and self.kwarg is None
        self.is_async = isinstance(node, ast.AsyncFunctionDef)
        self._is_generator: bool | None = None
        self._names_class: bool | None = None
        self._body: Execute | None = None
        self._generate: Callable[[Frame], Generator[Any, Any, Any]] | None = None

    @property
    def is_generator(self) -> bool:
        """Whether a call returns a generator."""
        if self._is_generator is None:
            body = self.node.body
            self._is_generator = any(yields(s) for s in ([body] if isinstance(body, ast.expr) else body))
        return self._is_generator

    @property
    def names_class(self) -> bool:
        """Whether it refers to the class that it is defined in."""
        if self._names_class is None:
            names = (node.id for node in ast.walk(self.node) if isinstance(node, ast.Name))
            self._names_class = any(name in ("super", "__class__") for name in names)
        return self._names_class

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
    qualname: str
    signature: inspect.Signature | None = None
    annotations_from: Record | None = None  # the function that it wraps, if its annotations are that one's
    unknown_decorator: Unknown | None = None  # was skipped: the name may be bound to something other than this function
    presumes: Note | None = None  # what is presumed where it is called

    @property
    def place(self) -> Place:
        """Where it is defined."""
        return Place(self.code.file, self.code.line)


def wrap(record: Record) -> Any:
    """Return the host function that represents a function of the target."""

    # Without annotations, because the target would see them as its own.
    def function(*args, **kwargs):  # type: ignore[no-untyped-def]
        if is_idle():  # called by an object that outlives the analysis
            return Unknown("the analysis is over: the target is not interpreted after it")
        if args and args[-1] is ADDRESS:  # numpy asks, whatever class and function would answer
            raise AttributeError(ADDRESS)
        answer = invoke(record, *_admitted(args, kwargs))
        if type(answer) is Unknown and record.code.name in _CHECKED:
            raise Undecidable(answer)
        return answer

    return function


_CHECKED = frozenset(
    "__iter__ __int__ __index__ __float__ __complex__ __str__ __repr__ __format__ __bytes__ __hash__".split()
)
"""Methods of which Python checks what they return: where that is unknown, so is what the caller does with it."""


def _admitted(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call by the host: they enter the target's world here."""
    return (
        [value if (check := CHECKS[type(value)]) is None else check(value) for value in args],
        {name: admit(value) for name, value in kwargs.items()} if kwargs else kwargs,
    )


WRAPPER = wrap(None).__code__  # type: ignore[arg-type]


def record_of(function: Any) -> Record | None:
    """Return the record of an interpreted function, None for anything else."""
    if isinstance(function, types.FunctionType) and function.__code__ is WRAPPER:
        record: Record = function.__closure__[0].cell_contents  # type: ignore[index]
        return record
    return None


def unknown_decorator_of(function: Any) -> Unknown | None:
    """Return the unknown decorator that was skipped for a function of the target, None if there is none."""
    record = record_of(function)
    return None if record is None else record.unknown_decorator


def qualified_name(frame: Frame, name: str) -> str:
    """Return the qualified name of what is defined in a frame."""
    if frame.vars is frame.globals:
        return name
    enclosing: Frame | None = frame
    while enclosing is not None and enclosing.function is None:
        if "__qualname__" in enclosing.vars:  # a class body
            return f"{enclosing.vars['__qualname__']}.{name}"
        enclosing = enclosing.parent
    return name if enclosing is None else f"{enclosing.function.qualname}.<locals>.{name}"


def bind(record: Record, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the variables that a call starts with; raise `TypeError` as Python does."""
    code = record.code
    names = code.positional
    count, expected = len(args), len(names)
    variables = dict(zip(names, args))
    if count == expected and code.simple and not kwargs:
        return variables
    if code.vararg is not None:
        variables[code.vararg] = tuple(args[expected:])
    if code.kwarg is not None:
        variables[code.kwarg] = {}
    for name, value in kwargs.items():
        if name in code.keyword_names:
            if name in variables:
                raise TypeError(f"{record.qualname}() got multiple values for argument '{name}'")
            variables[name] = value
        elif code.kwarg is not None:
            variables[code.kwarg][name] = value
        else:
            raise TypeError(_unexpected(record, name, kwargs))
    if count > expected and code.vararg is None:
        raise TypeError(_too_many(record, count, variables))
    if count < expected:
        required = expected - len(record.defaults)
        missing = [name for name in names[count:required] if name not in variables]
        if missing:
            raise TypeError(_missing(record, "positional", missing))
        for index in range(max(count, required), expected):
            variables.setdefault(names[index], record.defaults[index - required])
    if code.keyword_only:
        missing = [name for name in code.keyword_only if name not in variables and name not in record.keyword_defaults]
        if missing:
            raise TypeError(_missing(record, "keyword-only", missing))
        for name in code.keyword_only:
            if name not in variables:
                variables[name] = record.keyword_defaults[name]
    return variables


def _unexpected(record: Record, name: str, kwargs: dict[str, Any]) -> str:
    positional_only = [n for n in record.code.positional[: record.code.positional_only] if n in kwargs]
    if positional_only:
        listed = ", ".join(positional_only)
        return f"{record.qualname}() got some positional-only arguments passed as keyword arguments: '{listed}'"
    return f"{record.qualname}() got an unexpected keyword argument '{name}'"


def _too_many(record: Record, count: int, variables: dict[str, Any]) -> str:
    expected, optional = len(record.code.positional), len(record.defaults)
    takes = f"from {expected - optional} to {expected}" if optional else str(expected)
    named = sum(name in variables for name in record.code.keyword_only)
    keyword_only = (
        f" positional argument{'s' * (count != 1)} (and {named} keyword-only argument{'s' * (named != 1)})"
        if named
        else ""
    )
    return (
        f"{record.qualname}() takes {takes} positional argument{'s' * (bool(optional) or expected != 1)} "
        f"but {count}{keyword_only} {'was' if count == 1 and not named else 'were'} given"
    )


def _missing(record: Record, kind: str, names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    if len(quoted) > 2:
        listed = f"{', '.join(quoted[:-1])}, and {quoted[-1]}"
    else:
        listed = " and ".join(quoted)
    return f"{record.qualname}() missing {len(names)} required {kind} argument{'s' * (len(names) != 1)}: {listed}"


def invoke(record: Record, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Run a function of the target on these arguments."""
    tick()
    code = record.code
    if record.presumes is not None:
        session.current().presume(record.presumes.text, record.presumes.place)
    try:
        variables = bind(record, args, kwargs)
    except TypeError as error:
        note(error, Operation.BINDING, record)
        raise
    frame = Frame(variables, record.globals, code.file, record.parent, record)
    frame.line = code.line
    first = args[0] if args else None
    args.clear()  # they are variables now, and last as long as these: the caller refers to them no more
    if code.is_async:
        here = session.current()
        here.doubts.setdefault("what async functions do")
        if here.in_program():
            here.presume(f"the async function {code.name} changes nothing outside of itself", frame.place)
        return here.unknown("async functions are not interpreted")
    if code.is_generator:
        return _drive_generator(frame, code)
    running = interpreter()
    stack = running.stack
    if len(stack) >= DEPTH:
        text = f"what is called more than {DEPTH} deep ends in a RecursionError"
        session.current().assume(text, doubt="how deeply calls can be nested")
        raise RecursionError("maximum recursion depth exceeded")
    stack.append(frame)
    try:
        if code.body(frame) is not RETURN:
            frame.value = None
        if frame.alternatives:
            frame.alternatives.end_call(frame)
        return frame.value
    except Undecidable as undecidable:
        return _give_up(undecidable, frame, first)
    except Interruption:
        raise
    except BaseException as error:
        locate(error, frame.place)
        if code.name == "__init__" and is_module(first):
            keep_built(error, first)
        raise
    finally:
        stack.pop()
        if running.leaving is not None:
            running.leaving(frame)


def _give_up(undecidable: Undecidable, frame: Frame, first: Any) -> Unknown | None:
    """Give up a call: its result is unknown, and so is the object that it would have initialised."""
    here, unknown = session.current(), undecidable.unknown
    here.doubts.setdefault(f"what {frame.function.qualname} does")
    result = here.note(
        unknown if unknown.place else Unknown(unknown.reason, frame.place), here.modules[-1] if here.modules else None
    )
    can_be_marked = is_module(first)
    if can_be_marked and not here.modules:
        first.mark_incomplete(result)
    code = frame.function.code
    if not undecidable.is_last:
        code.compiler.forget_rest(code, frame, result)
    if code.name not in ("__init__", "__post_init__"):
        return result
    if not can_be_marked:
        raise Undecidable(result)  # the whole object is unknown
    return None


def _drive_generator(frame: Frame, code: Code) -> Generator[Any, Any, Any]:
    """Drive a generator of the target; its frame is on the stack only while it runs."""
    inner: Any = code.generate(frame)
    resume: Callable[[], Any] = inner.__next__
    handling: list[BaseException] = []
    while True:
        running = interpreter()
        running.stack.append(frame)
        outer_count = len(running.handling)
        running.handling.extend(handling)
        try:
            item = resume()
            handling = running.handling[outer_count:]
        except WrappedGeneratorExit as wrapped:  # it had not started
            raise wrapped.error from None
        except StopIteration as stop:
            return stop.value
        except Undecidable as undecidable:
            code.compiler.forget_rest(code, frame, undecidable.unknown)
            raise
        except Exception as error:
            locate(error, frame.place)
            raise
        finally:
            running.stack.pop()
            del running.handling[outer_count:]
        try:
            sent = yield item
            resume = inner.__next__ if sent is None else functools.partial(inner.send, sent)
        except GeneratorExit as error:
            resume = functools.partial(inner.throw, WrappedGeneratorExit(error))
        except BaseException as error:
            resume = functools.partial(inner.throw, error)
