"""The messages for a target that can't be shown: what is wrong, where, and what to do."""

from __future__ import annotations

import ast
import inspect
import os
from collections.abc import Sequence
from functools import partial
from typing import Any

from cutaway.core import disk
from cutaway.core.architecture import Architecture
from cutaway.core.condition import MODE
from cutaway.core.error import describe_error, one_line, place_of
from cutaway.core.session import Session
from cutaway.core.suggestions import suggestion as suggestion_for
from cutaway.core.unknown import Opaque, Unknown
from cutaway.interp.analysis.argument_context import has_attribute
from cutaway.interp.boundary.certain_failures import certain_failure
from cutaway.interp.modules import loader
from cutaway.interp.modules.module import RAISES, ModuleState
from cutaway.interp.run.function import record_of
from cutaway.interp.run.signature import signature
from cutaway.knowledge.base.framework import FRAMEWORKS, Framework
from cutaway.syntax.input_values import InputValues
from cutaway.syntax.inputs import Input, merged
from cutaway.syntax.suggestions import file_suggestion
from cutaway.syntax.target import FaultyTarget, NoNetwork, OptionError, Target, TargetError

_MAX_NAMES = 8


def no_such_module(target: Target) -> TargetError:
    """The module that a target names does not exist."""
    assert target.module is not None
    parent, _, name = target.module.rpartition(".")
    is_file_name = name.lower() == "py"
    if parent and not is_file_name and not target.expression and loader.current().locate(parent) is not None:
        suggestion = f"; a name in a module follows a colon: did you mean {parent}:{name}?"
    else:
        suggestion = file_suggestion(target.module) if "." in target.module or not target.expression else ""
    if "." in target.module and not target.expression and not suggestion:
        return TargetError(
            f"{target.text}: there is no such file, and no such module; a module needs its folder in --path"
        )
    hint = suggestion or "; add its folder with --path, or install its package"
    return TargetError(f"{target.text}: module {target.module} is not found{hint}")


def no_source(target: Target, module: Any) -> TargetError:
    """The module that a target names exists, but not as source."""
    if isinstance(module, Unknown):
        return TargetError(f"{target.text}: {module.reason}")
    reason = "is not read from source but described by tables; name a file or module that uses it"
    return TargetError(f"{target.text}: module {target.module} {reason}")


def no_expression(target: Target, error: Exception) -> TargetError:
    """What follows the colons is not Python."""
    reason = f" ({error.msg})" if isinstance(error, SyntaxError) and error.msg else ""
    return TargetError(f"{target.text}: {target.expression!r} is neither a name nor a call{reason}")


def no_such_name(state: ModuleState, name: str, target: Target, session: Session) -> TargetError:
    """The module has no such name: say what it has, or why its evaluation did not get that far."""
    defined = [known for known in state.namespace if not known.startswith("_")]
    suggestion = suggestion_for(name, defined)
    if not suggestion:
        networks = [known for known in defined if _is_network(state.namespace[known])]
        suggestion = (
            f"; the networks in it are {_listed(networks)}"
            if networks
            else f"; it has {_listed(defined)}"
            if defined
            else ""
        )
    faults = [f" ({finding.place}: {finding.message})" for finding in session.findings]
    raised = [f" ({note.place}: {note.text})" for note in session.unknowns if note.text.startswith(RAISES)]
    exception = next(iter((*faults, *raised)), "")
    return TargetError(f"{target.text}: {state.file} has no {name}{suggestion}{exception}")


def no_such_class(target: Target, state: ModuleState, version: Any) -> TargetError:
    """The library that a folder is written for does not have the class that the folder names."""
    assert target.program is not None
    program = target.program
    release = f" {one_line(version)}" if isinstance(version, str) else ""
    home = (
        os.path.join(os.path.dirname(program.file), f"{program.home[1:]}.py")
        if program.home[0] == "."
        else program.home
    )
    line = program.text.count("\n") + 1
    other = "" if program.home[0] == "." else "; another version of it may have it"
    return TargetError(f"{program.file}:{line}: names {program.name}, which {home}{release} does not have{other}")


def no_network(state: ModuleState, target: Target, session: Session) -> TargetError:
    """Nothing in the module is a network: say what may be one, or how to name one."""
    text = f"{target.text}: no network found"
    unknown = next(((n, v) for n, v in state.namespace.items() if isinstance(v, type) and issubclass(v, Opaque)), None)
    if unknown is not None:
        reason = unknown[1]._opaque_reason
        where = f"{reason.place}: " if reason.place else ""
        return TargetError(f"{text}; {unknown[0]} may be one, but its base class is unknown: {where}{reason.reason}")
    finding = next(iter(session.findings), None)
    if finding is not None:
        where = f"{finding.place}: " if finding.place else ""
        return FaultyTarget(f"{text}: {where}{finding.message} [{finding.code.value}]")
    note = next(iter(session.unknowns), None)
    if note is not None:
        return TargetError(f"{text}: {f'{note.place}: ' if note.place else ''}{note.text}")
    function = next(
        (n for n, v in state.namespace.items() if record_of(v) is not None and v.__module__ == state.name), None
    )
    if function is not None:
        return NoNetwork(
            f"{text}; if one of its functions returns one, name the call, as in '{target.text}::{function}(...)'"
        )
    return NoNetwork(f"{text}: it defines no network class, and none of its variables is a network")


def only_losses(target: Target, names: Sequence[str]) -> TargetError:
    """What the module defines compares the output of a network with what it should be."""
    example = f"{target.text}::{names[0]}"
    return NoNetwork(f"{target.text}: no network found, only losses: {_listed(names)}; name one, as in {example}")


def not_a_network(target: Target, value: Any) -> TargetError:
    """An expression has a value, but it is not a network."""
    kind = value if isinstance(value, type) else type(value)
    if issubclass(kind, Opaque):
        value = kind._opaque_reason
    if isinstance(value, Unknown):
        where = f"{value.place}: " if value.place else ""
        return TargetError(f"{target.text}: {where}its value can't be determined: {value.reason}")
    return TargetError(f"{target.text}: {target.expression} is {_kind(value)}")


def takes_arguments(target: Target, missing: Sequence[str]) -> TargetError:
    """A function is named without the arguments that it requires."""
    arguments = ", ".join(f"{name}=..." for name in missing)
    call = target.text.removesuffix("()") + f"({arguments})"
    return TargetError(f"{target.text}: takes arguments; name the call, as in '{call}'")


def failed(target: Target, error: BaseException, function: Any) -> TargetError:
    """Evaluating an expression raises an exception of the target."""
    place = place_of(error)
    fault = certain_failure(error)
    if fault is not None and place is not None and not place.file.startswith("<"):
        return FaultyTarget(f"{target.text}: {place}: {fault} [{fault.code.value}]")
    if place is not None and not place.file.startswith("<"):
        return TargetError(f"{target.text}: {place}: {describe_error(error)}")
    return TargetError(f"{target.text}: {describe_error(error)}{_definition(function)}")


def _definition(function: Any) -> str:
    """Return a function's signature and where it is defined."""
    record = record_of(getattr(function, "__init__", None) if isinstance(function, type) else function)
    if record is None:
        return ""
    name = getattr(function, "__name__", record.code.name)
    return f"; it is {name}{one_line(_shown(signature(function)))}, in {record.place}"


def _shown(parameters: inspect.Signature) -> str:
    """Return a signature without annotations, which may be long."""
    plain = [p.replace(annotation=p.empty) for p in parameters.parameters.values()]
    try:
        return str(inspect.Signature(plain))
    except Exception:  # a default of the target whose repr raises
        return f"({', '.join(p.name for p in plain)})"


def callee(tree: ast.expr, state: ModuleState) -> Any:
    """Return the function that a call names directly."""
    name = tree.func.id if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) else ""
    return state.namespace.get(name)


def forward_signature(network: Any, framework: Framework) -> tuple[Any, inspect.Signature]:
    """Return a network's forward and its signature; one that can't be determined accepts anything, and raises if called."""
    try:
        forward = framework.forward(network)
        return forward, signature(forward)
    except KeyboardInterrupt:
        raise
    except BaseException:
        kinds = inspect.Parameter
        return None, inspect.Signature([kinds("args", kinds.VAR_POSITIONAL), kinds("kwargs", kinds.VAR_KEYWORD)])


def input_values(network: Any, framework: Framework) -> tuple[InputValues, inspect.Signature]:
    """Return how inputs become arguments of a network's forward, and the signature of that."""
    forward, expected = forward_signature(network, framework)
    record = record_of(getattr(forward, "__func__", forward))
    function = None if record is None else record.code.node
    return InputValues(function, expected.parameters.values(), partial(has_attribute, framework)), expected


def input_mismatch(name: str, network: Any, framework: Framework, inputs: Sequence[Input]) -> TargetError | None:
    """Compare the given inputs with forward's signature; None where they match."""
    forward, expected = forward_signature(network, framework)
    values = input_values(network, framework)[0]
    reason = _mismatch(list(expected.parameters.values()), inputs, values) or values.mismatch(inputs)
    if reason is None:
        return None
    record = record_of(getattr(forward, "__func__", forward))
    place = f" ({record.place})" if record is not None else ""
    return OptionError(f"--input does not match forward{one_line(_shown(expected))} of {name}{place}: {reason}")


def _mismatch(parameters: Sequence[inspect.Parameter], inputs: Sequence[Input], values: InputValues) -> str | None:
    """Return why inputs do not match these parameters."""
    kinds = inspect.Parameter
    positional = [p for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
    whole = [each.name for each in inputs if each.name is not None and not each.keys]
    twice = next((name for name in whole if whole.count(name) > 1), None)
    if twice is not None:
        return f"{twice} is given twice"
    in_order, named = merged(inputs)
    if len(in_order) > len(positional) and not any(p.kind is kinds.VAR_POSITIONAL for p in parameters):
        return f"{len(in_order)} inputs are given without a name, but it takes at most {len(positional)}"
    unexpected = _unexpected_name(list(named), parameters)
    if unexpected is not None:
        return unexpected
    taken = [p.name for p in positional[: len(in_order)]]
    twice = next((name for name in taken if name in named), None)
    if twice is not None:
        return f"{twice} is given twice"
    stars = (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)
    needed = [p.name for p in parameters if p.default is p.empty and p.kind not in stars]
    missing = next((name for name in needed if name not in taken and name not in named), None)
    if missing is None or not inputs:
        return None
    return f"{missing} is not given; add --input {missing}={values.example(missing)}"


def _unexpected_name(names: Sequence[str], parameters: Sequence[inspect.Parameter]) -> str | None:
    """Return the message for a name that forward has no argument of."""
    kinds = inspect.Parameter
    if any(p.kind is kinds.VAR_KEYWORD for p in parameters):
        return None
    known = {p.name for p in parameters if p.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)}
    unexpected = next((name for name in names if name not in known), None)
    return None if unexpected is None else f"it has no argument {unexpected}{suggestion_for(unexpected, known)}"


def no_folder(path: str) -> TargetError:
    """`--path` names something that is not a folder."""
    what = "is a file, not a folder" if disk.is_file(path) else "no such folder"
    return OptionError(f"--path {path}: {what}")


def _is_network(value: Any) -> bool:
    return any(framework.is_network(value) or framework.is_network_class(value) for framework in FRAMEWORKS)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_MAX_NAMES]) + (", ..." if len(names) > _MAX_NAMES else "")


def _kind(value: Any) -> str:
    if isinstance(value, type):
        return "a class, but not a network class"
    if callable(value):
        return "a function, not a network"
    return f"not a network but a value of type {type(value).__name__}"


def unused(target: Target, names: Sequence[str], architectures: Sequence[Architecture]) -> None:
    """Raise where something is assumed that no network depends on."""
    if names:
        modes = [one.text for network in architectures for one in network.conditions if one.kind == MODE]
        if names[0] in modes:
            raise OptionError(f"{target.text}: {names[0]} is decided by the mode of the network: use --train or --eval")
        known = list(dict.fromkeys(condition.text for network in architectures for condition in network.conditions))
        conditions = f"the conditions are {', '.join(known)}" if known else "there are no conditions"
        raise OptionError(f"{target.text}: nothing depends on {names[0]!r}, which is assumed; {conditions}")
