"""Building a network from a class or function whose arguments may be missing: as the project does, or with stand-ins."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from cutaway.core.session import CHOSEN_ARGUMENTS
from cutaway.core.session import current as current_session
from cutaway.core.unknown import Undecidable, decisions
from cutaway.interp.boundary.call import call
from cutaway.interp.boundary.gate import is_host_class
from cutaway.interp.run.annotations import annotations_of
from cutaway.interp.run.function import record_of
from cutaway.interp.run.signature import signature
from cutaway.interp.stdlib.reflection.inspect import type_hints
from cutaway.knowledge.base.framework import FRAMEWORKS
from cutaway.knowledge.base.registry import is_shared

if TYPE_CHECKING:
    from cutaway.interp.analysis.project.configuration import Configuration


def missing_arguments(value: Any) -> list[str]:
    """Return the arguments that a function requires to build a network; a class can do without."""
    is_class = any(framework.is_network_class(value) for framework in FRAMEWORKS)
    return [] if is_class or record_of(value) is None else required(value)


def instantiate(value: Any, text: str, assumed: Mapping[str, Any]) -> Any:
    """Build a network from a class or from a function that returns one."""
    is_class = any(framework.is_network_class(value) for framework in FRAMEWORKS)
    if not is_class and record_of(value) is None:
        return value
    arguments = {name: item for name, item in assumed.items() if name in parameters(value)}
    for name, item in arguments.items():
        decisions().used.add(name)
        current_session().assume(f"the argument {name} of {text} is {item!r}, as specified")
    missing = [name for name in required(value) if name not in arguments]
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
    stand_ins = {name: _argument(value, name, text) for name in missing}
    if missing and len(parameters(value)) < len(signature(value).parameters):
        current_session().doubts.setdefault(CHOSEN_ARGUMENTS)  # *args and **kwargs would have been given, too
    return call(value, [], {**stand_ins, **arguments})


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
    network = built.network
    if network is None:
        try:
            others = {name: _argument(value, name, text) for name in missing if name not in built.arguments}
            network = call(value, [], {**built.arguments, **others})
        except (Exception, Undecidable):
            return None  # it is built otherwise
        named = f"the arguments {', '.join(built.arguments)}"
    else:
        named = "the arguments"
    current_session().assume(f"{named} of {text} are as in {built.builder}", built.place, doubt=CHOSEN_ARGUMENTS)
    return network


def _is_open(value: Any, missing: list[str]) -> bool:
    """Tell whether an argument is missing of which little is known, and that no configuration of the project is for."""
    from cutaway.interp.symbolic.missing_arguments import may_be_anything  # late: most calls lack no argument

    names = [name for name in missing if may_be_anything(value, name)]
    return bool(names) and len(_configurations(value, names)) < len(names)


def _instantiate_known(value: Any, text: str) -> Any:
    """Build what a class or function builds, if it requires no arguments but those that are found."""
    if record_of(getattr(value, "__init__", None) if isinstance(value, type) else value) is None:
        return None
    missing = required(value)
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
    found = project_call(value, list(parameters(value)), wanted) if wanted else None
    if found is None:
        return {}
    from cutaway.interp.analysis.project.configuration import Configuration  # late: most calls lack no argument

    return {
        name: Configuration(item, f"{found.written.get(name) or repr(item)}, as in the call there", found.place)
        for name, item in found.arguments.items()
    }


def _arguments_in_mappings(value: Any, missing: list[str]) -> dict[str, Configuration]:
    """Return arguments that the project has in a dict or a data file, if little is known of one of them."""
    from cutaway.interp.analysis.project.configuration import arguments_in_mappings  # late: most calls lack no argument
    from cutaway.interp.symbolic.missing_arguments import may_be_anything  # late: most calls lack no argument

    open_names = [name for name in missing if name not in decisions().kinds]
    is_any = current_session().is_concrete or any(may_be_anything(value, name) for name in open_names)
    return arguments_in_mappings(value, list(parameters(value)), open_names) if is_any and open_names else {}


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
        needed = required(kind)
        defaults = "its other defaults" if needed else "its defaults"
        session.assume(f"the argument {name} of {text} is {kind.__name__}(), with {defaults}", doubt=CHOSEN_ARGUMENTS)
        return call(kind, [], {each: _argument(kind, each, kind.__name__) for each in needed})
    return stand_in(value, name, text)


def _can_be_made(kind: Any) -> bool:
    """Tell whether a class of the program can be instantiated without arguments, or is one of nothing but fields."""
    if not isinstance(kind, type) or is_host_class(kind) or is_shared(kind):
        return False
    return not required(kind) or "__dataclass_fields__" in vars(kind)


def parameters(value: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters of a class or function, but for `*args` and `**kwargs`."""
    try:
        declared = signature(value).parameters
    except (TypeError, ValueError):
        return {}
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {name: parameter for name, parameter in declared.items() if parameter.kind not in kinds}


def required(value: Any) -> list[str]:
    """Return the arguments that a class or function requires, those that it passes on or reads from `**kwargs` as well."""
    own = [name for name, parameter in parameters(value).items() if parameter.default is parameter.empty]
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
