"""Running a network's forward: on the inputs that are given, or on some that are assumed."""

from __future__ import annotations

import ast
import inspect
import itertools
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from cutaway.core.error import in_words, place_of
from cutaway.core.fault import Fault
from cutaway.core.fault_code import Family, FaultCode
from cutaway.core.loop.series import Restart
from cutaway.core.place import Place
from cutaway.core.record import dataclass, replace
from cutaway.core.session import Call, Remarks, Session
from cutaway.core.size import dim
from cutaway.core.size.facts import Facts
from cutaway.core.unknown import Again, Exhausted, Undecidable, Unknown, decisions, following
from cutaway.interp.analysis import target_errors
from cutaway.interp.modules.module import failure
from cutaway.interp.run import budget
from cutaway.interp.run.frame import Frame, entered
from cutaway.interp.run.function import record_of
from cutaway.interp.run.interpreter import interpreter
from cutaway.knowledge.base import input_conventions as conventions
from cutaway.knowledge.base.framework import Framework
from cutaway.syntax.target import Input

if TYPE_CHECKING:
    from cutaway.interp.analysis.input_inference import Found, Refused


def run(
    network: Any, framework: Framework, inputs: Sequence[Input], gathered: Session, arguments: Any = None
) -> Call | None:
    """Call a network and return the record of that; what stops it is noted.

    `arguments` is a value of the target's to call it with: one tensor, a sequence of positional arguments, or a
    dict of keyword arguments.
    """
    if arguments is not None:
        return _with_arguments(network, framework, arguments, gathered)
    candidates = [] if inputs else _assumed(network, framework)
    if candidates:
        return _with_assumed(network, framework, candidates, gathered)
    return _with_inputs(network, framework, inputs, gathered)


def _with_arguments(network: Any, framework: Framework, arguments: Any, gathered: Session) -> Call | None:
    """Call a network with a value of the target's."""
    call, error, at = _called(network, framework, *_spread(arguments), gathered)
    if error is not None:
        unknown = failure(error, at)
        if call is not None:
            call.stopped = unknown
    return call


def _with_inputs(network: Any, framework: Framework, inputs: Sequence[Input], gathered: Session) -> Call | None:
    """Call a network with the inputs that the user gives; those that are lacking are inferred."""
    with entered(_top(network, framework)), budget.separate_budget(_SECONDS):
        args, kwargs, lacking = _given(network, framework, inputs)
    inferred = _solved(network, framework, args, kwargs, lacking, gathered)
    if inferred is not None and inferred.fits:
        return _shown(network, framework, args, kwargs, inferred, gathered)
    if inferred is not None:
        kwargs |= _tensors(framework, inferred)
    remarks = Remarks()
    with gathered.apart(remarks):
        call, error, at = _called(network, framework, args, kwargs, gathered)
    if inferred is not None:
        _refuse(inferred, remarks)
        lacking = []
    if error is not None:
        unknown = _stopped(error, at, lacking, remarks, gathered)
        if call is not None:
            call.stopped = unknown
    _take(gathered, remarks)
    return call


def _stopped(error: BaseException, at: Place, lacking: Sequence[str], remarks: Remarks, gathered: Session) -> Unknown:
    """Return why forward stopped: not by a fault of the network where that is due to a dtype that nobody gave."""
    is_ours = isinstance(error, Fault) and error.code.family is Family.DTYPE and bool(lacking)
    if is_ours:
        remarks.findings.clear()
    with gathered.apart(remarks):
        if not is_ours:
            return failure(error, at)
        wanted = " ".join(f"--input {name}=SHAPE:TYPE" for name in lacking)
        reason = f"the type of an input is not given ({error}): give it, with {wanted}"
        return gathered.unknown(reason, None, place_of(error) or at)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What came of calling a network with inputs that are assumed."""

    call: Call | None
    error: BaseException | None
    place: Place
    remarks: Remarks
    facts: Facts

    @property
    def is_whole(self) -> bool:
        """Whether forward returned something known."""
        return self.error is None and self.call is not None and self.call.outputs is not None


def _with_assumed(
    network: Any, framework: Framework, candidates: list[list[conventions.Assumed]], gathered: Session
) -> Call | None:
    """Call a network with inputs that its signature and settings suggest, the likeliest first."""
    outcomes: list[_Outcome] = []
    facts = gathered.facts
    for assumed in candidates:
        gathered.learn_anew(facts)
        outcomes.append(_tried(network, framework, assumed, gathered))
        if outcomes[-1].is_whole:
            break
    else:
        outcomes.sort(key=lambda outcome: (outcome.error is None, _reached(outcome.call, gathered)))
    best = outcomes[-1]
    gathered.learn_anew(best.facts)
    only = candidates[0][0] if len(candidates) == 1 and len(candidates[0]) == 1 else None
    if best.call is not None and only is not None and not only.is_named:
        inferred = _solved(network, framework, [], {}, [only.name], gathered)
        if inferred is not None and inferred.fits:
            if best.error is not None:
                return _shown(network, framework, [], {}, inferred, gathered)
            best.call.requires = inferred.requires
    if best.error is not None:
        unknown = _unfit(best, [each.name for each in candidates[0]], gathered)
        if best.call is not None:
            best.call.stopped = unknown
    _take(gathered, best.remarks)
    return best.call


def _tried(network: Any, framework: Framework, assumed: list[conventions.Assumed], gathered: Session) -> _Outcome:
    """Call a network with inputs that are assumed, and list them."""
    remarks = Remarks()
    with gathered.apart(remarks):
        kwargs = {each.name: framework.tensor(each.shape, each.dtype, each.name, each.number) for each in assumed}
        for each in assumed:
            shape = "x".join(map(str, each.shape)) or "()"
            filled = "" if each.number is None else f", filled with {each.number}"
            gathered.assume(f"the input {each.name} is {shape} {each.dtype}{filled}: {each.why}")
        call, error, at = _called(network, framework, [], kwargs, gathered)
    return _Outcome(call, error, at, remarks, gathered.facts)


def _unfit(outcome: _Outcome, names: Sequence[str], gathered: Session) -> Unknown:
    """Return why an assumed input stops forward: since it is ours, that is no fault of the network."""
    error, remarks = outcome.error, outcome.remarks
    assert error is not None, "something stopped forward"
    remarks.findings.clear()
    wanted = " ".join(f"--input {name}=SHAPE" for name in names)
    words = str(error) if isinstance(error, Fault) else in_words(error)
    reason = f"the assumed input does not fit ({words}): give one, with {wanted}"
    if remarks.unknowns:
        reason = f"the program stops here with {words}, because of what is unknown or of the assumed input"
    with gathered.apart(remarks):
        return gathered.unknown(reason, None, place_of(error) or outcome.place)


def _solved(
    network: Any, framework: Framework, args: list[Any], kwargs: dict[str, Any], lacking: list[str], gathered: Session
) -> Found | Refused | None:
    """Return what is found of the inputs that are lacking by running forward on them."""
    left = budget.current().seconds_left() / 2
    if not lacking or not left or not framework.is_solvable(network):
        return None
    from cutaway.interp.analysis import input_hints, input_inference  # where inputs are given, nothing is solved

    seconds = min(input_inference.SECONDS, left)
    parts = framework.parts(network)
    forward = target_errors.wanted_by(network, framework)[0]
    record = record_of(getattr(forward, "__func__", forward))
    said = {name: input_hints.hints(network, record, name) for name in lacking}

    def once(inputs: Mapping[str, Any]) -> tuple[Call | None, BaseException | None]:
        with _unchanged(parts):
            return _called(network, framework, args, {**kwargs, **inputs}, gathered)[:2]

    with budget.separate_budget(2 * seconds), suppress(Exhausted):
        return input_inference.inquire(once, framework.tensor, said, gathered, time.process_time() + seconds)
    return None


@contextmanager
def _unchanged(parts: list[Any]) -> Iterator[None]:
    """Put back what forward sets in a network, and in the containers that it holds."""
    held = [(part, dict(part.__dict__)) for part in parts]
    inside = [
        (value, value.copy())
        for _, attributes in held
        for value in attributes.values()
        if type(value) in (list, dict, set, OrderedDict)
    ]
    try:
        yield
    finally:
        for part, attributes in held:
            part.__dict__.clear()
            part.__dict__.update(attributes)
        for value, before in inside:
            value.clear()
            value.extend(before) if isinstance(value, list) else value.update(before)


def _tensors(framework: Framework, solved: Found | Refused) -> dict[str, Any]:
    return {name: framework.tensor(shape, solved.dtypes[name], name) for name, shape in solved.shapes.items()}


def _shown(
    network: Any,
    framework: Framework,
    args: list[Any],
    kwargs: dict[str, Any],
    solved: Found,
    gathered: Session,
) -> Call | None:
    """Call a network on the inputs that were found for it."""
    before = dim.answer_with(solved.settled.ask)
    try:
        call, error, at = _called(network, framework, args, {**kwargs, **_tensors(framework, solved)}, gathered)
    finally:
        dim.answer_with(before)
    for name, shape in solved.shapes.items():
        sizes = " x ".join(map(str, shape)) or "()"
        why = solved.shown or "forward accepts it, and none is given"
        gathered.assume(f"the input {name} is {sizes} {solved.dtypes[name]}: {why}", solved.place)
    if solved.settled.is_narrowed:
        gathered.assume(f"shown for {solved.settled.describe()}: other sizes take other ways through forward")
    if call is not None:
        call.requires = solved.requires
        if error is not None:
            call.stopped = failure(error, at)
    return call


def _refuse(solved: Refused, remarks: Remarks) -> None:
    """Say that no input fits, where one that comes as far as any was found not to."""
    shapes = ", ".join(f"{name} of {'x'.join(map(str, shape)) or '()'}" for name, shape in solved.shapes.items())
    found = list(remarks.findings)
    remarks.findings.clear()
    for finding in found:
        message = f"no input fits: with {shapes}, {finding.message}"
        remarks.findings[replace(finding, code=FaultCode.NO_INPUT_FITS, message=message)] = None


def _take(gathered: Session, remarks: Remarks) -> None:
    """Add what was remarked apart."""
    gathered.unknowns.update(remarks.unknowns)
    gathered.assumptions.update(remarks.assumptions)
    gathered.findings.update(remarks.findings)


def _reached(call: Call | None, gathered: Session) -> int:
    """Return how many modules were called within a call."""
    if call is None:
        return 0
    start = gathered.calls.index(call) + 1
    below = itertools.takewhile(lambda other: other.depth > call.depth, gathered.calls[start:])
    return 1 + sum(1 for _ in below)


def _spread(arguments: Any) -> tuple[list[Any], dict[str, Any]]:
    if isinstance(arguments, dict):
        return [], arguments
    return list(arguments) if isinstance(arguments, (list, tuple)) else [arguments], {}


def _top(network: Any, framework: Framework) -> Frame:
    """Return the frame that a network is called from: it stands where forward does."""
    forward = record_of(getattr(target_errors.wanted_by(network, framework)[0], "__func__", None))
    origin = (forward.place if forward else framework.origin(network)) or Place("<target>")
    top = Frame({}, {}, origin.file, None, None)
    top.line = origin.line
    return top


def _absent(
    network: Any, framework: Framework, args: list[Any], kwargs: dict[str, Any]
) -> tuple[Any, frozenset[str]] | None:
    """Return the code of forward, and which of its arguments are left at None; nothing where it has no source."""
    forward, wanted = target_errors.wanted_by(network, framework)
    record = record_of(getattr(forward, "__func__", None))
    try:
        bound = wanted.bind_partial(*args, **kwargs).arguments
    except TypeError:  # the call itself will tell
        return None
    names = (n for n, parameter in wanted.parameters.items() if parameter.default is None and n not in bound)
    return None if record is None else (record.code, frozenset(names))


def _called(
    network: Any, framework: Framework, args: list[Any], kwargs: dict[str, Any], gathered: Session
) -> tuple[Call | None, BaseException | None, Place]:
    """Return the record of a call, the exception that ended it, and where forward stands."""
    first = len(gathered.calls)
    top = _top(network, framework)
    stopped: BaseException | None = None
    reason: Unknown | None = None
    stack = interpreter().stack
    stack.append(top)
    try:
        framework.prepare(network)
        decisions().start_call()
        gathered.spans[:] = [span for span in gathered.spans if span.operations[1] <= len(gathered.operations)]
        gathered.absent = _absent(network, framework, args, kwargs)
        with following():
            framework.call(network, args, kwargs)
    except Restart:
        raise
    except Again as again:
        stopped = again
    except (Undecidable, Exhausted) as undecidable:
        reason = gathered.note(undecidable.unknown)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        stopped = error
    finally:
        stack.pop()
        gathered.absent = None
        gathered.modules.clear()
    call = gathered.calls[first] if len(gathered.calls) > first else None
    if call is not None and call.outputs is None:
        call.stopped = reason
    return call, stopped, top.place


def _given(network: Any, framework: Framework, inputs: Sequence[Input]) -> tuple[list[Any], dict[str, Any], list[str]]:
    """Match the given inputs with forward's signature; return also the names of those of which nothing is known."""
    _, wanted = target_errors.wanted_by(network, framework)
    args = [framework.tensor(i.shape, i.dtype, "") for i in inputs if i.name is None]
    kwargs = {i.name: framework.tensor(i.shape, i.dtype, i.name) for i in inputs if i.name is not None}
    bound = wanted.bind_partial(*args, **kwargs)
    lacking: list[str] = []
    for name, parameter in wanted.parameters.items():
        if name in bound.arguments or parameter.default is not parameter.empty:
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        declared = framework.declared(network, name)
        if declared is None:
            lacking.append(name)
        kwargs[name] = framework.tensor(None, "float32", name) if declared is None else declared
    return args, kwargs, lacking


def _assumed(network: Any, framework: Framework) -> list[list[conventions.Assumed]]:
    """Return inputs that forward may be meant for, by its signature and the network's own settings."""
    forward, wanted = target_errors.wanted_by(network, framework)
    record = record_of(getattr(forward, "__func__", forward))
    kinds = {parameter.kind for parameter in wanted.parameters.values()}
    if record is None or inspect.Parameter.POSITIONAL_ONLY in kinds:
        return []
    arguments = record.code.node.args
    texts = {
        argument.arg: ast.unparse(argument.annotation)
        for argument in (*arguments.args, *arguments.kwonlyargs)
        if argument.annotation is not None
    }
    main = getattr(type(network), "main_input_name", None)
    try:
        with budget.separate_budget(_SECONDS):
            if any(framework.declared(network, name) is not None for name in wanted.parameters):
                return []
            settings = framework.settings(network)
    except (Exception, Undecidable, Exhausted):  # it is remarked when the network is described
        return []
    if settings is None:
        return []
    return conventions.assumed(wanted.parameters, settings, main if isinstance(main, str) else None, texts)


_SECONDS = 60.0
