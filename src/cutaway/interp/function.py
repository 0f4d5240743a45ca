"""Functions of the target: their definition, the binding of arguments, and their activation."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cutaway.core import session
from cutaway.core.place import Place
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.budget import DEPTH, tick
from cutaway.interp.frame import RETURN, STACK, Evaluate, Execute, Frame
from cutaway.interp.scope import Scope, of_function, yields

if TYPE_CHECKING:
    from cutaway.interp.expression import ExpressionCompiler


class Code:
    """What is known of a function from its source alone; the body is compiled on the first call."""

    __slots__ = (
        "_body",
        "_generate",
        "_is_generator",
        "around",
        "file",
        "is_async",
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

    def __init__(self, node: Any, around: Scope, file: str, owner: str) -> None:
        arguments = node.args
        self.node = node
        self.around = around
        self.file = file
        self.owner = owner
        self.line = node.lineno
        self.name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        if owner:
            names = [f"_{owner.lstrip('_')}{n}" if n.startswith("__") and not n.endswith("__") else n for n in names]
        self.positional: tuple[str, ...] = tuple(names)
        self.positional_only = len(arguments.posonlyargs)
        self.keyword_only: tuple[str, ...] = tuple(a.arg for a in arguments.kwonlyargs)
        self.vararg: str | None = arguments.vararg.arg if arguments.vararg else None
        self.kwarg: str | None = arguments.kwarg.arg if arguments.kwarg else None
        self.simple = not self.keyword_only and self.vararg is None and self.kwarg is None
        self.is_async = isinstance(node, ast.AsyncFunctionDef)
        self._is_generator: bool | None = None
        self._body: Execute | None = None
        self._generate: Callable[[Frame], Iterator[Any]] | None = None

    @property
    def is_generator(self) -> bool:
        """Whether calling it makes a generator."""
        if self._is_generator is None:
            self._is_generator = not isinstance(self.node, ast.Lambda) and any(yields(s) for s in self.node.body)
        return self._is_generator

    @property
    def body(self) -> Execute:
        """The compiled body."""
        if self._body is None:
            from cutaway.interp.statement import StatementCompiler

            compiler = StatementCompiler(of_function(self.node, self.around), self.file, self.owner)
            if isinstance(self.node, ast.Lambda):
                self._body = _returning(compiler.expression(self.node.body))
            else:
                self._body = compiler.block(self.node.body)
        return self._body

    @property
    def generate(self) -> Callable[[Frame], Iterator[Any]]:
        """The compiled body of a generator."""
        if self._generate is None:
            from cutaway.interp.generator import GeneratorCompiler

            scope = of_function(self.node, self.around)
            self._generate = GeneratorCompiler(scope, self.file, self.owner).function(self.node.body)
        return self._generate


@dataclass(slots=True, eq=False)
class Record:
    """A function of the target: its code with the values it was defined with."""

    code: Code
    globals: dict[str, Any]
    parent: Frame | None
    defaults: tuple[Any, ...]
    keyword_defaults: dict[str, Any]
    cell: list[Any] | None
    signature: inspect.Signature | None = None

    @property
    def place(self) -> Place:
        """Where it is defined."""
        return Place(self.code.file, self.code.line)


def wrap(record: Record) -> Any:
    """Return the host function that stands for a function of the target."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return invoke(record, list(args), kwargs)

    return function


WRAPPER = wrap(None).__code__  # type: ignore[arg-type]


def record_of(function: Any) -> Record | None:
    """Return the record of an interpreted function, None for anything else."""
    if isinstance(function, types.FunctionType) and function.__code__ is WRAPPER:
        record: Record = function.__closure__[0].cell_contents  # type: ignore[index]
        return record
    return None


def define(compiler: ExpressionCompiler, node: Any) -> Evaluate:
    """Return the closure that evaluates a `def` or a `lambda` to a function."""
    code = Code(node, compiler.scope, compiler.file, compiler.owner)
    defaults = [compiler.expression(d) for d in node.args.defaults]
    keyword_defaults = [
        (a.arg, compiler.expression(d)) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d is not None
    ]
    documentation = None if isinstance(node, ast.Lambda) else ast.get_docstring(node, clean=False)
    in_class = compiler.scope.kind == "class"

    def evaluate(frame: Frame) -> Any:
        if in_class:
            parent, cell = frame.parent, frame.value
        else:
            parent = None if frame.vars is frame.globals else frame
            cell = None
        record = Record(
            code,
            frame.globals,
            parent,
            tuple([d(frame) for d in defaults]),
            {name: d(frame) for name, d in keyword_defaults},
            cell,
        )
        function = wrap(record)
        function.__name__ = code.name
        function.__doc__ = documentation
        function.__module__ = frame.globals.get("__name__", "")
        function.__qualname__ = f"{frame.vars['__qualname__']}.{code.name}" if in_class else code.name
        return function

    return evaluate


def bind(record: Record, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the variables that a call starts with, or raise `TypeError` as Python does."""
    code = record.code
    names = code.positional
    given = len(args)
    variables = dict(zip(names, args))
    if given > len(names):
        if code.vararg is None:
            raise TypeError(f"{code.name}() takes {len(names)} positional arguments but {given} were given")
        variables[code.vararg] = tuple(args[len(names) :])
    elif code.vararg is not None:
        variables[code.vararg] = ()
    if kwargs:
        extra: dict[str, Any] | None = {} if code.kwarg is not None else None
        for name, value in kwargs.items():
            if name in variables and name in names and names.index(name) < given and name != code.vararg:
                if names.index(name) < code.positional_only and extra is not None:
                    extra[name] = value
                    continue
                raise TypeError(f"{code.name}() got multiple values for argument '{name}'")
            if (name in names and names.index(name) >= code.positional_only) or name in code.keyword_only:
                variables[name] = value
            elif extra is not None:
                extra[name] = value
            else:
                raise TypeError(f"{code.name}() got an unexpected keyword argument '{name}'")
        if extra is not None:
            variables[code.kwarg] = extra  # type: ignore[index]
    elif code.kwarg is not None:
        variables[code.kwarg] = {}
    if len(variables) < len(names) or given < len(names):
        first_default = len(names) - len(record.defaults)
        missing = []
        for index in range(min(given, len(names)), len(names)):
            if names[index] not in variables:
                if index < first_default:
                    missing.append(names[index])
                else:
                    variables[names[index]] = record.defaults[index - first_default]
        if missing:
            raise TypeError(
                f"{code.name}() missing {len(missing)} required positional "
                f"argument{'s' if len(missing) > 1 else ''}: {', '.join(map(repr, missing))}"
            )
    for name in code.keyword_only:
        if name not in variables:
            if name not in record.keyword_defaults:
                raise TypeError(f"{code.name}() missing 1 required keyword-only argument: '{name}'")
            variables[name] = record.keyword_defaults[name]
    return variables


def invoke(record: Record, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Run a function of the target on these arguments."""
    tick()
    code = record.code
    frame = Frame(bind(record, args, kwargs), record.globals, code.file, record.parent, record)
    frame.line = code.line
    if code.is_generator:
        return _resumed(frame, code)
    if code.is_async:
        return session.current().unknown("async functions are not interpreted")
    if len(STACK) >= DEPTH:
        raise RecursionError("maximum recursion depth exceeded")
    STACK.append(frame)
    try:
        return frame.value if code.body(frame) is RETURN else None
    except Undecidable as undecidable:
        if type(undecidable) is not Undecidable:
            raise
        return _undecided(undecidable.unknown, frame, args)
    except Exception as error:
        if not hasattr(error, "place"):
            error.place = frame.place  # type: ignore[attr-defined]
        raise
    finally:
        STACK.pop()


def _undecided(unknown: Unknown, frame: Frame, args: list[Any]) -> Unknown | None:
    """Give up one activation: its result is unknown, and so is what it would have built."""
    here = session.current()
    result = here.note(unknown if unknown.place else Unknown(unknown.reason, frame.place), here.modules[-1] if here.modules else None)
    if not here.modules and args and hasattr(type(args[0]), "mark_incomplete"):
        args[0].mark_incomplete(result)
    return None if frame.function.code.name == "__init__" else result


def _resumed(frame: Frame, code: Code) -> Iterator[Any]:
    """Drive a generator of the target, its frame being on the stack only while it runs."""
    inner: Any = code.generate(frame)
    resume: Callable[[], Any] = lambda: next(inner)  # noqa: E731
    while True:
        STACK.append(frame)
        try:
            item = resume()
        except StopIteration as stop:
            return stop.value
        finally:
            STACK.pop()
        try:
            sent = yield item
            resume = (lambda s=sent: inner.send(s)) if sent is not None else (lambda: next(inner))
        except GeneratorExit:
            inner.close()
            raise
        except BaseException as error:
            resume = lambda e=error: inner.throw(e)  # noqa: E731


def _returning(value: Evaluate) -> Execute:
    def execute(frame: Frame) -> object:
        frame.value = value(frame)
        return RETURN

    return execute


_signatures: dict[Any, inspect.Signature] = {}


def signature(function: Any) -> inspect.Signature:
    """Return the signature of any callable, interpreted or not."""
    if isinstance(function, types.FunctionType) and record_of(function) is None:
        # A rule of ours: it outlives the analysis and is asked for once for each module.
        if function not in _signatures:
            _signatures[function] = inspect.signature(function)
        return _signatures[function]
    if isinstance(function, types.MethodType):
        bound = signature(function.__func__)
        return bound.replace(parameters=list(bound.parameters.values())[1:])
    record = record_of(function)
    if record is None and isinstance(function, type):
        made = signature(function.__init__)  # type: ignore[misc]
        return made.replace(parameters=list(made.parameters.values())[1:])
    if record is None:
        return inspect.signature(function)
    wrapped = getattr(function, "__wrapped__", None)
    if wrapped is not None:
        return signature(wrapped)
    if record.signature is None:
        record.signature = _signature_of(record)
    return record.signature


def _signature_of(record: Record) -> inspect.Signature:
    code, kinds = record.code, inspect.Parameter
    first_default = len(code.positional) - len(record.defaults)
    annotations = _annotations(code.node)
    parameters = []

    def parameter(name: str, kind: Any, default: Any = kinds.empty) -> None:
        parameters.append(kinds(name, kind, default=default, annotation=annotations.get(name, kinds.empty)))

    for index, name in enumerate(code.positional):
        default = record.defaults[index - first_default] if index >= first_default else kinds.empty
        kind = kinds.POSITIONAL_ONLY if index < code.positional_only else kinds.POSITIONAL_OR_KEYWORD
        parameter(name, kind, default)
    if code.vararg:
        parameter(code.vararg, kinds.VAR_POSITIONAL)
    for name in code.keyword_only:
        parameter(name, kinds.KEYWORD_ONLY, record.keyword_defaults.get(name, kinds.empty))
    if code.kwarg:
        parameter(code.kwarg, kinds.VAR_KEYWORD)
    return inspect.Signature(parameters)


def _annotations(node: Any) -> dict[str, str]:
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return {a.arg: ast.unparse(a.annotation) for a in every if a is not None and a.annotation is not None}


def described(record: Record) -> Any:
    """Return the harmless parts of a code object that programs look at."""
    code = record.code
    names = (*code.positional, *code.keyword_only)
    return types.SimpleNamespace(
        co_varnames=(*names, *(n for n in (code.vararg, code.kwarg) if n)),
        co_argcount=len(code.positional),
        co_kwonlyargcount=len(code.keyword_only),
        co_name=code.name,
        co_filename=code.file,
        co_firstlineno=code.line,
    )
