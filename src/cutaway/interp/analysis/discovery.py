"""The networks of a module: its instances, what its functions make, and its classes."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from cutaway.core import session
from cutaway.core.record import dataclass, field
from cutaway.core.session import Remarks, Session
from cutaway.core.unknown import Exhausted, Undecidable, decisions
from cutaway.interp.boundary.attributes import is_host_class
from cutaway.interp.boundary.call import call
from cutaway.interp.modules.module import ModuleState, failure
from cutaway.interp.run import budget
from cutaway.interp.run.annotations import annotations_of
from cutaway.interp.run.function import record_of
from cutaway.interp.run.signature import signature
from cutaway.interp.stdlib.reflection.inspect import type_hints
from cutaway.knowledge.base.framework import FRAMEWORKS, Framework
from cutaway.knowledge.base.registry import is_shared
from cutaway.syntax import source

DESCRIBING_SECONDS = 60.0
_MOST_FUNCTIONS = 8  # that make networks and are called


@dataclass(frozen=True, slots=True)
class Network:
    """A network of the target: its name, the framework it belongs to, what was remarked while it was made."""

    name: str
    value: Any
    framework: Framework
    remarks: Remarks = field(default_factory=Remarks)
    wanted: bool = False


def missing(value: Any) -> list[str]:
    """Return the arguments that a function needs to make a network; a class does without."""
    is_class = any(framework.is_network_class(value) for framework in FRAMEWORKS)
    return [] if is_class or record_of(value) is None else _required(value)


def instance(value: Any, text: str, assumed: Mapping[str, Any]) -> Any:
    """Make a network of a class or of a function that returns one."""
    is_class = any(framework.is_network_class(value) for framework in FRAMEWORKS)
    if not is_class and record_of(value) is None:
        return value
    given = {name: item for name, item in assumed.items() if name in _parameters(value)}
    for name, item in given.items():
        decisions().used.add(name)
        session.current().assume(f"the argument {name} of {text} is {item!r}, as it is given")
    required = {name: _argument(value, name, text) for name in _required(value) if name not in given}
    return call(value, [], {**required, **given})


def _argument(value: Any, name: str, text: str) -> Any:
    """Stand in for an argument that is not given: its annotated class with its own defaults, or an unknown."""
    from cutaway.interp.symbolic.missing_arguments import symbolic

    if name in decisions().kinds:
        return symbolic(value, name, text)
    here = session.current()
    record = record_of(getattr(value, "__init__", None) if isinstance(value, type) else value)
    kind = annotations_of(record, evaluated=True).get(name) if record is not None else None
    if kind is None and isinstance(value, type):
        kind = type_hints(value).get(name)  # an attribute that keeps the argument
    if isinstance(kind, type) and not is_host_class(kind) and not is_shared(kind) and not _required(kind):
        here.assume(f"the argument {name} of {text} is {kind.__name__}(), with its defaults")
        return call(kind, [], {})
    return symbolic(value, name, text)


def _parameters(value: Any) -> dict[str, inspect.Parameter]:
    try:
        parameters = signature(value).parameters
    except (TypeError, ValueError):
        return {}
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {name: parameter for name, parameter in parameters.items() if parameter.kind not in kinds}


def _required(value: Any) -> list[str]:
    return [name for name, parameter in _parameters(value).items() if parameter.default is parameter.empty]


def networks(state: ModuleState, gathered: Session) -> Iterator[Network]:
    """Yield the instances bound in a module, what functions make of its classes, then classes that are in none of them."""
    try:
        state.run()
        state.define_all()
    except (Undecidable, Exhausted) as undecidable:
        gathered.note(undecidable.unknown)
    own = {name: value for name, value in state.namespace.items() if not name.startswith("__")}
    seen: set[int] = set()
    classes: set[type] = set()
    for name, value in own.items():
        for framework in FRAMEWORKS:
            if framework.is_network(value) and id(value) not in seen:
                seen.add(id(value))
                classes.update(_classes(framework, value))
                yield Network(name, value, framework)
    for find in (_made_by_functions, _made_of_literals):
        for network in find(state, own, _needy(state, own, classes), gathered):
            classes.update(_classes(network.framework, network.value))
            yield network
    unbound = list(_unbound(own.values(), seen))
    for network in unbound:
        classes.update(_classes(network.framework, network.value))
    made: list[Network] = []
    failed: dict[type, Remarks] = {}
    for name, value in own.items():
        for framework in FRAMEWORKS:
            if framework.is_network_class(value) and value.__module__ == state.name and value not in classes:
                remarks = Remarks()
                with gathered.apart(remarks), _by_itself(gathered):
                    instance = _instantiate(name, value, framework, gathered)
                if instance is None:
                    failed[value] = remarks
                else:
                    made.append(Network(name, instance, framework, remarks, bool(_required(value))))
    inside = {kind for network in made for kind in _classes(network.framework, network.value)[1:]}
    for cls, remarks in failed.items():
        if cls not in inside and cls not in classes:
            gathered.unknowns.update(remarks.unknowns)
            gathered.findings.update(remarks.findings)
    yield from (network for network in made if type(network.value) not in inside)
    yield from unbound


def _unbound(bound: Iterable[Any], seen: set[int]) -> Iterator[Network]:
    """Yield the networks that a program works with, which are bound to no name and part of no other."""
    for framework in FRAMEWORKS:
        found = [(name, value) for name, value in framework.unbound() if id(value) not in seen]
        whole = [value for value in bound if framework.is_network(value)] if found else []
        inner = {id(part) for value in whole for part in framework.parts(value)}
        for _, value in found:
            inner.update(id(part) for part in framework.parts(value) if part is not value)
        yield from (Network(name, value, framework) for name, value in found if id(value) not in inner)


def _needy(state: ModuleState, own: Mapping[str, Any], classes: set[type]) -> set[str]:
    """Return the names of a module's own classes of networks that need arguments and are in no network yet."""
    return {
        name
        for name, value in own.items()
        if any(framework.is_network_class(value) for framework in FRAMEWORKS)
        and value.__module__ == state.name
        and value not in classes
        and _required(value)
    }


def _made_by_functions(
    state: ModuleState, own: Mapping[str, Any], classes: set[str], gathered: Session
) -> Iterator[Network]:
    """Yield what functions that take no arguments make of classes that do take some."""
    functions = [name for name in _makers(own, classes) if not _required(own[name])] if classes else []
    for name in functions[:_MOST_FUNCTIONS]:
        for framework in FRAMEWORKS:
            remarks = Remarks()
            with gathered.apart(remarks), _by_itself(gathered):
                value = _instantiate(name, own[name], framework, gathered)
            if value is not None:
                yield Network(name, value, framework, remarks)
                break
    if len(functions) > _MOST_FUNCTIONS:
        gathered.assume(
            f"the first {_MOST_FUNCTIONS} of {len(functions)} functions that make networks stand for all: "
            f"name another, as {functions[_MOST_FUNCTIONS]}"
        )


def _made_of_literals(
    state: ModuleState, own: Mapping[str, Any], classes: set[str], gathered: Session
) -> Iterator[Network]:
    """Yield what the functions of a file make of its classes with arguments that stand there as literals."""
    if not classes or not state.is_own:
        return
    functions = [node for node in source.parse(state._read(), state.file).body if not isinstance(node, ast.ClassDef)]
    found: dict[str, tuple[str, list[Any], dict[str, Any]]] = {}
    for node in (inner for function in functions for inner in ast.walk(function)):
        match node:
            case ast.Call(ast.Name(name), args, keywords) if name in classes:
                with suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                    named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in keywords}
                    found[ast.unparse(node)] = name, [ast.literal_eval(arg) for arg in args], named
    for text, (name, given, named) in list(found.items())[:_MOST_FUNCTIONS]:
        for framework in FRAMEWORKS:
            remarks = Remarks()
            with gathered.apart(remarks), _by_itself(gathered):
                value = _instantiate(text, functools.partial(call, own[name], given, named), framework, gathered)
            if value is not None:
                yield Network(text, value, framework, remarks)
                break


def _makers(own: Mapping[str, Any], classes: set[str]) -> list[str]:
    """Return the functions of a module that return what they get from a class, or from another such function."""
    sources = {
        name: _returned(record.code.node)
        for name, value in own.items()
        if (record := record_of(value)) is not None and not name.startswith("_")
    }
    private = {
        name: _returned(record.code.node)
        for name, value in own.items()
        if (record := record_of(value)) is not None and name.startswith("_")
    }
    known = set(classes)
    while True:
        found = {name for name, called in {**sources, **private}.items() if called & known} - known
        if not found:
            return [name for name in sources if name in known]
        known |= found


def _returned(function: Any) -> set[str]:
    """Return the names of what a function calls to make what it returns."""
    if not isinstance(function, ast.FunctionDef):
        return set()
    values: dict[str, set[str]] = {}
    returned: set[str] = set()
    for node in ast.walk(function):
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name(called))):
                values.setdefault(name, set()).add(called)
            case ast.Return(ast.Call(ast.Name(called))):
                returned.add(called)
    for node in ast.walk(function):
        match node:
            case ast.Return(ast.Name(name)):
                returned |= values.get(name, set())
    return returned


@contextmanager
def _by_itself(gathered: Session) -> Iterator[None]:
    """Put back what a framework keeps for the whole program: a class is made as if no other were."""
    kept = {key: dict(value) if type(value) is dict else value for key, value in gathered.state.items()}
    try:
        yield
    finally:
        gathered.state.clear()
        gathered.state.update(kept)


def _classes(framework: Framework, network: Any) -> list[type]:
    """Return the classes of a network and of every network inside it."""
    with budget.separate_budget(DESCRIBING_SECONDS):
        try:
            return [type(part) for part in framework.parts(network)]
        except (Exception, Undecidable, Exhausted):  # it is remarked when the network is described
            return [type(network)]


def _instantiate(name: str, cls: Any, framework: Framework, gathered: Session) -> Any:
    """Make a network of a class or by a function, None where that does not succeed."""
    made = cls.args[0] if isinstance(cls, functools.partial) else cls
    record = record_of(made.__init__ if isinstance(made, type) else made)  # type: ignore[misc]
    at = record.place if record else None
    try:
        value = cls() if isinstance(cls, functools.partial) else instance(cls, name, {})
    except (Undecidable, Exhausted) as undecidable:
        gathered.note(undecidable.unknown)
        return None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        failure(error, at)
        return None
    return value if framework.is_network(value) else None
