"""The networks of a module: its instances, what its functions return, and its classes."""

from __future__ import annotations

import ast
import functools
import inspect
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from cutaway.core.protocols import is_module_class
from cutaway.core.record import dataclass, field
from cutaway.core.session import CHOSEN_ARGUMENTS, Notes, Session
from cutaway.core.session import current as current_session
from cutaway.core.unknown import Exhausted, Undecidable, Unknown, conditions_decided, decisions
from cutaway.interp.boundary.attributes import get_attribute, is_target_instance
from cutaway.interp.boundary.call import call
from cutaway.interp.boundary.gate import is_host_class
from cutaway.interp.modules.module import ModuleState, failure, unfinished_network
from cutaway.interp.run import budget
from cutaway.interp.run.annotations import annotations_of
from cutaway.interp.run.frame import MODULE_STATE, Frame, Pending
from cutaway.interp.run.function import record_of
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.signature import signature
from cutaway.interp.stdlib.reflection.inspect import type_hints
from cutaway.knowledge.base.framework import FRAMEWORKS, Framework
from cutaway.knowledge.base.registry import is_shared
from cutaway.syntax import source
from cutaway.syntax.scope import walk, walk_body

if TYPE_CHECKING:
    from cutaway.interp.analysis.project.configuration import Configuration

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


def missing_arguments(value: Any) -> list[str]:
    """Return the arguments that a function requires to build a network; a class can do without."""
    is_class = any(framework.is_network_class(value) for framework in FRAMEWORKS)
    return [] if is_class or record_of(value) is None else _required(value)


def instantiate(value: Any, text: str, assumed: Mapping[str, Any]) -> Any:
    """Build a network from a class or from a function that returns one."""
    is_class = any(framework.is_network_class(value) for framework in FRAMEWORKS)
    if not is_class and record_of(value) is None:
        return value
    arguments = {name: item for name, item in assumed.items() if name in _parameters(value)}
    for name, item in arguments.items():
        decisions().used.add(name)
        current_session().assume(f"the argument {name} of {text} is {item!r}, as specified")
    missing = [name for name in _required(value) if name not in arguments]
    if missing and not arguments:
        network = _as_built_by_project(value, missing, text)
        if network is not None:
            return network
    for find in (_configurations, _arguments_of_call, _arguments_in_mappings) if missing else ():
        found = find(value, missing)
        if not found:
            continue
        with suppress(Exception, Undecidable):  # it is built with stand-ins then
            others = {name: _argument(value, name, text) for name in missing if name not in found}
            network = call(value, [], {**others, **{name: each.value for name, each in found.items()}, **arguments})
            for name, each in found.items():
                if name not in arguments:
                    assumption = f"the argument {name} of {text} is {each.origin}"
                    current_session().assume(assumption, each.place, doubt=CHOSEN_ARGUMENTS)
            return network
    required = {name: _argument(value, name, text) for name in missing}
    if missing and len(_parameters(value)) < len(signature(value).parameters):
        current_session().doubts.setdefault(CHOSEN_ARGUMENTS)  # *args and **kwargs would have been given, too
    return call(value, [], {**required, **arguments})


def _as_built_by_project(value: Any, missing: list[str], text: str) -> Any:
    """Return a network as the project builds it, None where its arguments are sizes and the like, or are found otherwise."""
    if not isinstance(value, type) or decisions().kinds.keys() & set(missing):
        return None
    from cutaway.interp.analysis.project.builders import built_by_project  # late: most calls lack no argument

    if not current_session().is_concrete and not _is_open(value, missing):
        return None
    unbuilt = decisions().input_seconds.without_builder
    built = None if text in unbuilt else built_by_project(value, _instantiate_known, current_session())
    if built is None:
        unbuilt.add(text)
        return None
    assumption = f"the arguments of {text} are as in {built.builder}"
    current_session().assume(assumption, built.place, doubt=CHOSEN_ARGUMENTS)
    return built.network


def _is_open(value: Any, missing: list[str]) -> bool:
    """Tell whether an argument is missing of which little is known, and that no configuration of the project is for."""
    from cutaway.interp.symbolic.missing_arguments import may_be_anything  # late: most calls lack no argument

    names = [name for name in missing if may_be_anything(value, name)]
    return bool(names) and len(_configurations(value, names)) < len(names)


def _instantiate_known(value: Any, text: str) -> Any:
    """Build what a class or function builds, if it requires no arguments but those that are found."""
    if record_of(getattr(value, "__init__", None) if isinstance(value, type) else value) is None:
        return None
    missing = _required(value)
    found = _configurations(value, missing) if missing else {}
    for find in (_arguments_of_call, _arguments_in_mappings):
        if not found.keys() >= set(missing):
            found = {**find(value, missing), **found}
    if not found.keys() >= set(missing):
        return None
    return call(value, [], {name: each.value for name, each in found.items()}) or True


def _configurations(value: Any, missing: list[str]) -> dict[str, Configuration]:
    """Return what the project has for arguments that are not given."""
    from cutaway.interp.analysis.project.configuration import configuration  # late: most calls lack no argument

    found = {name: configuration(value, name) for name in missing if name not in decisions().kinds}
    return {name: each for name, each in found.items() if each is not None}


def _arguments_of_call(value: Any, missing: list[str]) -> dict[str, Configuration]:
    """Return arguments with which the project itself calls a class or function, if little is known of one of them."""
    from cutaway.interp.analysis.project.calls import project_call  # late: most calls lack no argument
    from cutaway.interp.symbolic.missing_arguments import may_be_anything  # late: most calls lack no argument

    is_function = not isinstance(value, type)
    open_names = [name for name in missing if name not in decisions().kinds]
    is_any = is_function or current_session().is_concrete
    wanted = [name for name in open_names if is_any or may_be_anything(value, name)]
    found = project_call(value, list(_parameters(value)), wanted) if wanted else None
    if found is None:
        return {}
    from cutaway.interp.analysis.project.configuration import Configuration  # late: most calls lack no argument

    return {
        name: Configuration(item, f"{item!r}, as in the call there", found.place)
        for name, item in found.arguments.items()
    }


def _arguments_in_mappings(value: Any, missing: list[str]) -> dict[str, Configuration]:
    """Return arguments that the project has in a dict or a data file, if little is known of one of them."""
    from cutaway.interp.analysis.project.configuration import arguments_in_mappings  # late: most calls lack no argument
    from cutaway.interp.symbolic.missing_arguments import may_be_anything  # late: most calls lack no argument

    open_names = [name for name in missing if name not in decisions().kinds]
    is_any = current_session().is_concrete or any(may_be_anything(value, name) for name in open_names)
    return arguments_in_mappings(value, list(_parameters(value)), open_names) if is_any and open_names else {}


def _argument(value: Any, name: str, text: str) -> Any:
    """Return a stand-in for an argument that is not given: its annotated class with its own defaults, or an unknown."""
    from cutaway.interp.symbolic.missing_arguments import stand_in  # late: most calls lack no argument

    value = _passed_on(value).get(name, value)
    if name in decisions().kinds:
        return stand_in(value, name, text)
    session = current_session()
    if session.is_concrete:
        from cutaway.interp.symbolic.example_arguments import example  # late: most networks need no examples

        chosen = example(value, name)
        if chosen is not None:
            reason = f"an example, because it is not given: name a call, as in '{text}({name}=...)'"
            session.presume(f"the argument {name} of {text} is {chosen!r}, {reason}", doubt=CHOSEN_ARGUMENTS)
            return chosen
    record = record_of(getattr(value, "__init__", None) if isinstance(value, type) else value)
    kind = annotations_of(record, evaluated=True).get(name) if record is not None else None
    if kind is None and isinstance(value, type):
        kind = type_hints(value).get(name)  # an attribute that holds the argument
    is_union = typing.get_origin(kind) in (typing.Union, types.UnionType)
    kind = next(filter(_can_be_made, typing.get_args(kind) if is_union else (kind,)), None)
    if kind is not None:
        required = _required(kind)
        defaults = "its other defaults" if required else "its defaults"
        session.assume(f"the argument {name} of {text} is {kind.__name__}(), with {defaults}", doubt=CHOSEN_ARGUMENTS)
        return call(kind, [], {each: _argument(kind, each, kind.__name__) for each in required})
    return stand_in(value, name, text)


def _can_be_made(kind: Any) -> bool:
    """Tell whether a class of the program can be instantiated without arguments, or is one of nothing but fields."""
    if not isinstance(kind, type) or is_host_class(kind) or is_shared(kind):
        return False
    return not _required(kind) or "__dataclass_fields__" in vars(kind)


def _parameters(value: Any) -> dict[str, inspect.Parameter]:
    try:
        parameters = signature(value).parameters
    except (TypeError, ValueError):
        return {}
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {name: parameter for name, parameter in parameters.items() if parameter.kind not in kinds}


def _required(value: Any) -> list[str]:
    own = [name for name, parameter in _parameters(value).items() if parameter.default is parameter.empty]
    return own + [name for name in (*_passed_on(value), *_keys_read(value)) if name not in own]


def _keys_read(value: Any) -> list[str]:
    """Return the arguments that a class or function requires because it reads them from its `**kwargs`."""
    record = record_of(getattr(value, "__init__", None) if isinstance(value, type) else value)
    if record is None or not record.code.kwarg:
        return []
    from cutaway.interp.analysis.passed_on import keys_read  # late: most constructors have no such arguments

    return keys_read(record)


def _passed_on(value: Any) -> Mapping[str, type]:
    """Return the arguments that base classes require, with the class that declares each."""
    if not isinstance(value, type):
        return {}
    record = record_of(getattr(value, "__init__", None))
    if record is None or not record.code.kwarg:
        return {}
    from cutaway.interp.analysis.passed_on import required_by_bases  # late: most constructors pass on nothing

    return required_by_bases(value)


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
                    needed, is_open = bool(_required(value)), conditions.left_open
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
        and _required(value)
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
    functions = [name for name in factories if not _required(own[name]) or _is_called(own[name])]
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

    required = _required(function)
    found = project_call(function, list(_parameters(function)), required)
    return found is not None and found.arguments.keys() >= set(required)


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
