"""The networks of a module: its instances, what its functions return, and its classes."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from cutaway.core.protocols import is_module_class
from cutaway.core.record import dataclass, field
from cutaway.core.session import Notes, Session
from cutaway.core.unknown import Exhausted, Undecidable, Unknown, conditions_decided, decisions
from cutaway.interp.analysis.instantiation import instantiate, parameters, required
from cutaway.interp.boundary.attributes import get_attribute, is_target_instance
from cutaway.interp.boundary.call import call
from cutaway.interp.modules.module import ModuleState, failure, unfinished_network
from cutaway.interp.run import budget
from cutaway.interp.run.frame import MODULE_STATE, Frame, Pending
from cutaway.interp.run.function import record_of
from cutaway.interp.run.interpreter import interpreter
from cutaway.knowledge.base.framework import FRAMEWORKS, Framework
from cutaway.syntax import source
from cutaway.syntax.scope import walk, walk_body

if TYPE_CHECKING:
    pass

DESCRIBING_SECONDS = 60.0
_BODY_SHARE, _NETWORK_SHARE = 0.5, 0.5  # of the time that is left, for the module, and for each network in it
_MAX_FUNCTIONS = 8  # how many of the functions that return networks are called


@dataclass(frozen=True, slots=True)
class Network:
    """A network of the target: its name, its framework, the notes taken while it is built.

    `needs_arguments` tells that its class has arguments without defaults, `has_conditions` that its constructor tests
    something open. `stopped` is why its constructor ended early, if it did. One that `is_local` is bound to a variable of
    a function.
    """

    name: str
    value: Any
    framework: Framework
    notes: Notes = field(default_factory=Notes)
    needs_arguments: bool = False
    stopped: Unknown | None = None
    is_local: bool = False
    has_conditions: bool = False


def networks(state: ModuleState, session: Session) -> Iterator[Network]:
    """Yield the instances bound in a module, what its functions return, then the classes that are in none of these."""
    for evaluate in (state.run, state.define_all):
        try:
            with budget.share(_BODY_SHARE):
                evaluate()
        except (Undecidable, Exhausted) as undecidable:
            session.note(undecidable.unknown)
    own = {name: value for name, value in state.namespace.items() if not name.startswith("__")}
    seen: set[int] = set()
    classes: set[type] = set()
    for name, value in own.items():
        for framework in FRAMEWORKS:
            if framework.is_network(value) and id(value) not in seen:
                seen.add(id(value))
                classes.update(_classes(framework, value))
                yield Network(name, value, framework)
    for network in _unfinished(state):
        classes.update(_classes(network.framework, network.value))
        yield network
    for discover in (_networks_from_functions, _networks_from_literals):
        for network in discover(state, own, _classes_with_required_arguments(state, own, classes), session):
            classes.update(_classes(network.framework, network.value))
            yield network
    unbound = list(_unbound(own.values(), seen))
    for network in unbound:
        classes.update(_classes(network.framework, network.value))
    yield from _networks_from_classes(state, own, classes, session)
    yield from unbound


def networks_of_functions(state: ModuleState, session: Session) -> Iterator[Network]:
    """Yield what functions of a module make from classes of a library."""
    own = {name: value for name, value in state.namespace.items() if not name.startswith("__")}
    made = {name for name in _called_names(own) if is_module_class(_resolved(own, name))}
    yield from _networks_from_functions(state, own, made, session)


def _networks_from_classes(
    state: ModuleState, own: Mapping[str, Any], classes: set[type], session: Session
) -> Iterator[Network]:
    """Yield an instance of each class of a module that is in no other network."""
    built: list[Network] = []
    failed: dict[type, Notes] = {}
    for name, value in own.items():
        for framework in FRAMEWORKS:
            if framework.is_network_class(value) and _is_defined_in(state, name, value) and value not in classes:
                notes = Notes()
                with session.separate_notes(notes), _isolated_state(session), _noting_conditions() as conditions:
                    instance, stopped = _try_instantiate(name, value, framework, session)
                if instance is None:
                    failed[value] = notes
                else:
                    needed, is_open = bool(required(value)), conditions.left_open
                    built.append(Network(name, instance, framework, notes, needed, stopped, has_conditions=is_open))
    inside = {kind for network in built for kind in _classes(network.framework, network.value)[1:]}
    for cls, notes in failed.items():
        if cls not in inside and cls not in classes:
            session.unknowns.update(notes.unknowns)
            session.findings.update(notes.findings)
    yield from (network for network in built if type(network.value) not in inside)


class LocalNetworks:
    """Collects the networks that variables of the user's own functions are bound to when their calls end.

    Calls end from the inside out, so the name that the outermost function has for a network is kept. One that is bound to
    no variable then is known by its class. Methods of networks are left out: what they refer to are parts.
    """

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._values: dict[int, Any] = {}

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Collect during what is run inside."""
        running = interpreter()
        before, running.leaving = running.leaving, self._leave
        try:
            yield
        finally:
            running.leaving = before

    def _leave(self, frame: Frame) -> None:
        running = interpreter()
        state = frame.globals.get(MODULE_STATE)
        if running.tried or state is None or not (state.is_own or frame.function.code.name == "__init__"):
            return
        if _is_method(frame):
            network = frame.vars[frame.function.code.positional[0]]
            if frame.function.code.name == "__init__" and not any(map(_is_method, running.stack)):
                self._names.setdefault(id(network), type(network).__name__)
                self._values[id(network)] = network
            return
        variables = list(frame.vars.items())
        for name, value in variables:
            if _framework_of(value) is not None:
                self._add(name, value)
            elif is_target_instance(value):
                for attribute, part in list(vars(value).items()):
                    if _framework_of(part) is not None:
                        self._add(attribute if name == "self" else f"{name}.{attribute}", part)

    def _add(self, name: str, value: Any) -> None:
        self._names.pop(id(value), None)
        self._names[id(value)] = name
        self._values[id(value)] = value

    def networks(self, others: Iterable[Network]) -> list[Network]:
        """Return the networks that are not part of one another, nor of others."""
        others = list(others)
        inner = {id(part) for other in others for part in _parts(other.framework, other.value)}
        for value in self._values.values():
            inner.update(id(part) for part in _parts(_framework_of(value), value) if part is not value)
        roots = [
            Network(name, self._values[key], _framework_of(self._values[key]), is_local=True)
            for key, name in self._names.items()
            if key not in inner
        ]
        return [root for root in roots if root.framework.has_weights(root.value)]


def _is_method(frame: Frame) -> bool:
    """Tell whether a call is one of a method of a network."""
    if frame.function is None or not frame.function.code.owner or not frame.function.code.positional:
        return False
    return _framework_of(frame.vars.get(frame.function.code.positional[0])) is not None


def _framework_of(value: Any) -> Any:
    """Return the framework that a value is a network of, None if it is not a network."""
    return next((framework for framework in FRAMEWORKS if framework.is_network(value)), None)


def _unfinished(state: ModuleState) -> Iterator[Network]:
    """Yield the networks of a module whose constructors raise, as far as they were built."""
    for name, (value, reason) in state.unfinished.items():
        yield from (
            Network(name, value, framework, stopped=reason) for framework in FRAMEWORKS if framework.is_network(value)
        )


def _unbound(bound: Iterable[Any], seen: set[int]) -> Iterator[Network]:
    """Yield the networks that a program uses without binding them to a name, and that are not part of another."""
    for framework in FRAMEWORKS:
        candidates = [(name, value) for name, value in framework.unbound() if id(value) not in seen]
        networks = [value for value in bound if framework.is_network(value)] if candidates else []
        inner = {id(part) for value in networks for part in framework.parts(value)}
        for _, value in candidates:
            inner.update(id(part) for part in framework.parts(value) if part is not value)
        yield from (Network(name, value, framework) for name, value in candidates if id(value) not in inner)


def _classes_with_required_arguments(state: ModuleState, own: Mapping[str, Any], classes: set[type]) -> set[str]:
    """Return the names of a module's own network classes that require arguments and are not part of any network yet."""
    return {
        name
        for name, value in own.items()
        if any(framework.is_network_class(value) for framework in FRAMEWORKS)
        and _is_defined_in(state, name, value)
        and value not in classes
        and required(value)
    }


def _is_defined_in(state: ModuleState, name: str, cls: type) -> bool:
    """Tell whether a class is a module's own, or what a decorator makes of one, which derives from it."""
    is_decorated = cls.__name__ == name and any(base.__module__ == state.name for base in cls.__bases__)
    return cls.__module__ == state.name or is_decorated


def _networks_from_functions(
    state: ModuleState, own: Mapping[str, Any], classes: set[str], session: Session
) -> Iterator[Network]:
    """Yield what functions without required arguments build from classes that do require some."""
    factories = _factory_functions(own, classes) if classes else []
    functions = [name for name in factories if not required(own[name]) or _is_called(own[name])]
    for name in functions[:_MAX_FUNCTIONS]:
        for framework in FRAMEWORKS:
            notes = Notes()
            with session.separate_notes(notes), _isolated_state(session), _noting_conditions() as conditions:
                value, stopped = _try_instantiate(name, own[name], framework, session)
            if value is not None:
                yield Network(name, value, framework, notes, stopped=stopped, has_conditions=conditions.left_open)
                break
    if len(functions) > _MAX_FUNCTIONS:
        session.assume(
            f"the first {_MAX_FUNCTIONS} of {len(functions)} functions that return networks are shown: "
            f"name another one, such as {functions[_MAX_FUNCTIONS]}"
        )


def _is_called(function: Any) -> bool:
    """Tell whether the project calls a function with all arguments that it requires."""
    from cutaway.interp.analysis.project.calls import project_call  # late: most functions require none

    needed = required(function)
    found = project_call(function, list(parameters(function)), needed)
    return found is not None and found.arguments.keys() >= set(needed)


def _networks_from_literals(
    state: ModuleState, own: Mapping[str, Any], classes: set[str], session: Session
) -> Iterator[Network]:
    """Yield what the functions of a file build from its classes with arguments that are written as literals."""
    if not classes or not state.is_own:
        return
    functions = [node for node in source.parse(state._read(), state.file).body if not isinstance(node, ast.ClassDef)]
    calls: dict[str, tuple[str, list[Any], dict[str, Any]]] = {}
    for node in (inner for function in functions for inner in walk(function)):
        match node:
            case ast.Call(ast.Name(name), args, keywords) if name in classes:
                with suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                    named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in keywords}
                    calls[ast.unparse(node)] = name, [ast.literal_eval(arg) for arg in args], named
    for text, (name, args, named) in list(calls.items())[:_MAX_FUNCTIONS]:
        for framework in FRAMEWORKS:
            notes = Notes()
            with session.separate_notes(notes), _isolated_state(session):
                call_class = functools.partial(call, own[name], args, named)
                value, stopped = _try_instantiate(text, call_class, framework, session)
            if value is not None:
                yield Network(text, value, framework, notes, stopped=stopped)
                break


def _factory_functions(own: Mapping[str, Any], classes: set[str]) -> list[str]:
    """Return the functions of a module that return what they get from a class, or from another such function."""
    public = {
        name: _called_for_result(record.code.node)
        for name, value in own.items()
        if (record := record_of(value)) is not None and not name.startswith("_")
    }
    private = {
        name: _called_for_result(record.code.node)
        for name, value in own.items()
        if (record := record_of(value)) is not None and name.startswith("_")
    }
    known = set(classes)
    while True:
        more = {name for name, called in {**public, **private}.items() if called & known} - known
        if not more:
            return [name for name in public if name in known]
        known |= more


def _called_names(own: Mapping[str, Any]) -> set[str]:
    """Return the names of all that functions of a module call to create what they return."""
    records = (record_of(value) for value in own.values())
    return {name for record in records if record is not None for name in _called_for_result(record.code.node)}


def _resolved(own: Mapping[str, Any], dotted: str) -> Any:
    """Return what a name of a module stands for, None if it is not bound."""
    first, *attributes = dotted.split(".")
    value = own.get(first)
    try:
        value = value.resolve() if type(value) is Pending else value
        for attribute in attributes:
            value = get_attribute(value, attribute)
    except (AttributeError, Undecidable):
        return None
    return value


def _called_for_result(function: Any) -> set[str]:
    """Return the names of what a function calls to create what it returns."""
    if not isinstance(function, ast.FunctionDef):
        return set()
    values: dict[str, set[str]] = {}
    returned: set[str] = set()
    nodes = walk_body(function)
    for node in nodes:
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name() | ast.Attribute() as called)):
                values.setdefault(name, set()).add(ast.unparse(called))
            case ast.Return(ast.Call(ast.Name() | ast.Attribute() as called)):
                returned.add(ast.unparse(called))
    for node in nodes:
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Name):
            returned |= values.get(node.value.id, set())
    return returned


@contextmanager
def _isolated_state(session: Session) -> Iterator[None]:
    """Restore what is kept for the whole program: each class is instantiated as if it were the only one."""
    state = {key: dict(value) if type(value) is dict else value for key, value in session.state.items()}
    counters, kinds = dict(session.counters), dict(decisions().kinds)
    try:
        yield
    finally:
        session.state, session.counters, decisions().kinds = state, counters, kinds


@dataclass(slots=True)
class _Conditions:
    left_open: bool = False


@contextmanager
def _noting_conditions() -> Iterator[_Conditions]:
    """Decide conditions, and tell whether there are any: the network is then shown in runs of its own."""
    here, noted = decisions(), _Conditions()
    before, here.left_open = here.left_open, False
    try:
        with conditions_decided():
            yield noted
    finally:
        noted.left_open, here.left_open = here.left_open, before


def _classes(framework: Framework, network: Any) -> list[type]:
    """Return the classes of a network and of every network inside it."""
    return [type(part) for part in _parts(framework, network)]


def classes_in(network: Network) -> list[type]:
    """Return the classes of a network and of every network inside it."""
    return _classes(network.framework, network.value)


def _parts(framework: Framework, network: Any) -> list[Any]:
    """Return a network and every network inside it."""
    with budget.separate_budget(DESCRIBING_SECONDS):
        try:
            return list(framework.parts(network))
        except (Exception, Undecidable, Exhausted):  # it is noted when the network is described
            return [network]


def _try_instantiate(name: str, cls: Any, framework: Framework, session: Session) -> tuple[Any, Unknown | None]:
    """Build a network from a class or with a function, None where that fails; return also why it is not finished."""
    target = cls.args[0] if isinstance(cls, functools.partial) else cls
    record = record_of(target.__init__ if isinstance(target, type) else target)  # type: ignore[misc]
    place = record.place if record else None
    try:
        with budget.share(_NETWORK_SHARE):
            value = cls() if isinstance(cls, functools.partial) else instantiate(cls, name, {})
    except (Undecidable, Exhausted) as undecidable:
        session.note(undecidable.unknown)
        return None, None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        stopped = failure(error, place)
        network = unfinished_network(error, stopped)
        return (network, stopped) if framework.is_network(network) else (None, None)
    return (value, None) if framework.is_network(value) else (None, None)
