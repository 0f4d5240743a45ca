"""What is said when a target can't be shown: what is wrong, where, and what to do."""

from __future__ import annotations

import ast
import inspect
import os
from collections.abc import Sequence
from typing import Any

from cutaway.core import disk
from cutaway.core.architecture import Architecture
from cutaway.core.error import in_words, one_line, place_of
from cutaway.core.session import Session
from cutaway.core.unknown import Opaque, Unknown
from cutaway.interp.modules.module import ModuleState
from cutaway.interp.run.function import record_of
from cutaway.interp.run.signature import signature
from cutaway.knowledge.base.framework import FRAMEWORKS, Framework
from cutaway.syntax.suggestions import meant, meant_file
from cutaway.syntax.target import Input, Target, TargetError

_SHOWN = 8


def no_such_module(target: Target) -> TargetError:
    """The module that a target names is nowhere."""
    assert target.module is not None
    near = meant_file(target.module) if "." in target.module or not target.expression else ""
    what = near or "; add its folder with --path, or install its package"
    return TargetError(f"{target.text}: module {target.module} is not found{what}")


def no_source(target: Target, module: Any) -> TargetError:
    """The module that a target names is there, but not as source."""
    if isinstance(module, Unknown):
        return TargetError(f"{target.text}: {module.reason}")
    reason = "is not read from source but described by tables; name a file or module that uses it"
    return TargetError(f"{target.text}: module {target.module} {reason}")


def no_expression(target: Target, error: Exception) -> TargetError:
    """What stands behind the colons is not Python."""
    reason = f" ({error.msg})" if isinstance(error, SyntaxError) and error.msg else ""
    return TargetError(f"{target.text}: {target.expression!r} is neither a name nor a call{reason}")


def no_such_name(state: ModuleState, name: str, target: Target, gathered: Session) -> TargetError:
    """The module has no such name: say what it has, or why it has not got that far."""
    defined = [known for known in state.namespace if not known.startswith("_")]
    near = meant(name, defined)
    if not near:
        networks = [known for known in defined if _is_network(state.namespace[known])]
        near = (
            f"; the networks in it are {_listed(networks)}"
            if networks
            else f"; it has {_listed(defined)}"
            if defined
            else ""
        )
    stops = next(
        (f" ({note.place}: {note.text})" for note in gathered.unknowns if "the program stops" in note.text), ""
    )
    return TargetError(f"{target.text}: {state.file} has no {name}{near}{stops}")


def no_such_class(target: Target, state: ModuleState, version: Any) -> TargetError:
    """The library that a folder is made for does not have the class that the folder names."""
    assert target.program is not None
    program = target.program
    release = f" {one_line(version)}" if isinstance(version, str) else ""
    home = (
        os.path.join(os.path.dirname(program.file), f"{program.home[1:]}.py")
        if program.home[0] == "."
        else program.home
    )
    line = program.text.count("\n") + 1
    other = "" if program.home[0] == "." else "; it may be one of another version"
    return TargetError(f"{program.file}:{line}: names {program.name}, which {home}{release} does not have{other}")


def no_network(state: ModuleState, target: Target, gathered: Session) -> TargetError:
    """Nothing in the module is a network: say what may have been one, or how to name one."""
    text = f"{target.text}: no network is found in it"
    unknown = next(((n, v) for n, v in state.namespace.items() if isinstance(v, type) and issubclass(v, Opaque)), None)
    if unknown is not None:
        reason = unknown[1]._opaque_reason
        where = f"{reason.place}: " if reason.place else ""
        return TargetError(f"{text}; {unknown[0]} may be one, but its base class is unknown: {where}{reason.reason}")
    note = next(iter(gathered.unknowns), None)
    if note is not None:
        return TargetError(f"{text}: {f'{note.place}: ' if note.place else ''}{note.text}")
    function = next(
        (n for n, v in state.namespace.items() if record_of(v) is not None and v.__module__ == state.name), None
    )
    if function is not None:
        return TargetError(
            f"{text}; if one of its functions makes one, name the call, as in '{target.text}::{function}(...)'"
        )
    return TargetError(f"{text}: it defines no class of a network, and no variable in it is one")


def not_a_network(target: Target, value: Any) -> TargetError:
    """An expression has a value, but that is no network."""
    kind = value if isinstance(value, type) else type(value)
    if issubclass(kind, Opaque):
        value = kind._opaque_reason
    if isinstance(value, Unknown):
        where = f"{value.place}: " if value.place else ""
        return TargetError(f"{target.text}: {where}what it is can't be determined: {value.reason}")
    return TargetError(f"{target.text}: {target.expression} is {_kind(value)}")


def takes_arguments(target: Target, missing: Sequence[str]) -> TargetError:
    """A function is named without the arguments that it needs."""
    given = ", ".join(f"{name}=..." for name in missing)
    call = target.text.removesuffix("()") + f"({given})"
    return TargetError(f"{target.text}: takes arguments; name the call, as in '{call}'")


def failed(target: Target, error: BaseException, function: Any) -> TargetError:
    """Evaluating an expression ends in an exception of the target."""
    place = place_of(error)
    if place is not None and not place.file.startswith("<"):
        return TargetError(f"{target.text}: {place}: {in_words(error)}")
    return TargetError(f"{target.text}: {in_words(error)}{_definition(function)}")


def _definition(function: Any) -> str:
    """Return how a function is to be called, and where that stands."""
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
    except Exception:  # a default of the target that can't be shown
        return f"({', '.join(p.name for p in plain)})"


def callee(tree: ast.expr, state: ModuleState) -> Any:
    """Return the function that a call names directly."""
    name = tree.func.id if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) else ""
    return state.namespace.get(name)


def wanted_by(network: Any, framework: Framework) -> tuple[Any, inspect.Signature]:
    """Return a network's forward and its signature; one that can't be called takes anything, and says so when called."""
    try:
        forward = framework.forward(network)
        return forward, signature(forward)
    except KeyboardInterrupt:
        raise
    except BaseException:
        kinds = inspect.Parameter
        return None, inspect.Signature([kinds("args", kinds.VAR_POSITIONAL), kinds("kwargs", kinds.VAR_KEYWORD)])


def input_that_does_not_fit(
    name: str, network: Any, framework: Framework, inputs: Sequence[Input]
) -> TargetError | None:
    """Compare the given inputs with forward's signature; None where they fit."""
    forward, wanted = wanted_by(network, framework)
    why = _misfit(list(wanted.parameters.values()), inputs)
    if why is None:
        return None
    record = record_of(getattr(forward, "__func__", forward))
    place = f" ({record.place})" if record is not None else ""
    return TargetError(f"--input does not fit forward{one_line(_shown(wanted))} of {name}{place}: {why}")


def _misfit(parameters: Sequence[inspect.Parameter], inputs: Sequence[Input]) -> str | None:
    """Return why inputs do not fit these parameters."""
    kinds = inspect.Parameter
    positional = [p for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
    in_order = [i for i in inputs if i.name is None]
    by_name = [i.name for i in inputs if i.name is not None]
    if len(in_order) > len(positional) and not any(p.kind is kinds.VAR_POSITIONAL for p in parameters):
        return f"{len(in_order)} inputs are given without a name, but it takes at most {len(positional)}"
    strange = _strange(by_name, parameters)
    if strange is not None:
        return strange
    taken = [*(p.name for p in positional[: len(in_order)]), *by_name]
    twice = next((n for n in taken if taken.count(n) > 1), None)
    if twice is not None:
        return f"{twice} is given twice"
    stars = (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)
    missing = [p.name for p in parameters if p.default is p.empty and p.kind not in stars and p.name not in taken]
    return f"{missing[0]} is not given; add --input {missing[0]}=SHAPE" if inputs and missing else None


def _strange(names: Sequence[str], parameters: Sequence[inspect.Parameter]) -> str | None:
    """Return what to say of a name that forward has no argument of."""
    kinds = inspect.Parameter
    if any(p.kind is kinds.VAR_KEYWORD for p in parameters):
        return None
    known = {p.name for p in parameters if p.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)}
    strange = next((name for name in names if name not in known), None)
    return None if strange is None else f"it has no argument {strange}{meant(strange, known)}"


def no_folder(path: str) -> TargetError:
    """`--path` names something that is no folder."""
    what = "is a file, not a folder" if disk.is_file(path) else "no such folder"
    return TargetError(f"--path {path}: {what}")


def _is_network(value: Any) -> bool:
    return any(framework.is_network(value) or framework.is_network_class(value) for framework in FRAMEWORKS)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")


def _kind(value: Any) -> str:
    if isinstance(value, type):
        return "a class, but not one of a network"
    if callable(value):
        return "a function, not a network"
    return f"not a network but a value of type {type(value).__name__}"


def unused(target: Target, names: Sequence[str], found: Sequence[Architecture]) -> None:
    """Raise where something is assumed that no network hangs on."""
    if names:
        known = list(dict.fromkeys(condition.text for network in found for condition in network.conditions))
        what = f"the conditions are {', '.join(known)}" if known else "there are no conditions"
        raise TargetError(f"{target.text}: nothing hangs on {names[0]!r}, which is assumed; {what}")
