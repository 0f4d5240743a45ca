"""From a target to its networks: evaluate, choose, run forward, read off."""

from __future__ import annotations

import ast
import gc
import os
import re
import sys
import time
import typing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from cutaway.core import context, disk
from cutaway.core.architecture import Architecture
from cutaway.core.architecture import Note as ArchitectureNote
from cutaway.core.condition import Decisions
from cutaway.core.context import CURRENT
from cutaway.core.error import in_words
from cutaway.core.loop.series import Restart
from cutaway.core.record import dataclass, field, replace
from cutaway.core.session import Call, Session
from cutaway.core.session import current as current_session
from cutaway.core.size.dim import is_known
from cutaway.core.size.knowledge import SizeKnowledge
from cutaway.core.unknown import Exhausted, Undecidable, Unknown, decisions, following
from cutaway.interp.analysis import target_errors
from cutaway.interp.analysis.call_literals import literals
from cutaway.interp.analysis.discovery import DESCRIBING_SECONDS, Network, instantiate, missing_arguments, networks
from cutaway.interp.analysis.forward_pass import run
from cutaway.interp.boundary.attributes import hide_from_target
from cutaway.interp.compile.compiler import PYTHON
from cutaway.interp.modules import loader
from cutaway.interp.modules.loader import Loader
from cutaway.interp.modules.main_block import has_main, run_main
from cutaway.interp.modules.module import MISSING, ModuleState, SourceModule
from cutaway.interp.modules.search_words import quoted
from cutaway.interp.run import budget, frame
from cutaway.interp.run.frame import Frame, Pending
from cutaway.interp.run.function import Code, Record, record_of
from cutaway.interp.run.interpreter import Interpreter, interpreter
from cutaway.interp.run.signature import signature
from cutaway.interp.run.silence import silence
from cutaway.interp.stdlib.builtins import BUILTINS
from cutaway.interp.stdlib.modules import module as standard_module
from cutaway.interp.symbolic.snapshot import Snapshot
from cutaway.knowledge.base.framework import FRAMEWORKS
from cutaway.syntax import resolve, source
from cutaway.syntax.scope import Scope
from cutaway.syntax.target import Input, Target, TargetError

if TYPE_CHECKING:
    from cutaway.core.variant import Fold

hide_from_target(Loader, ModuleState, Frame, Record, Code, Session, budget.Budget, Interpreter)


@dataclass(frozen=True, slots=True)
class Options:
    """How to analyse: where imports are looked for, the inputs of forward, the time allowed.

    `arguments` names a function or an expression of the target with whose value forward is called: one tensor,
    a tuple or a list of positional arguments, or a dict of keyword arguments. `argument_values` is that value.
    `assumed` has arguments by name, and whether conditions hold by their text.
    """

    paths: tuple[str, ...] = ()
    inputs: tuple[Input, ...] = ()
    seconds: float | None = 120.0
    stdin: bytes | None = None
    arguments: Target | None = None
    argument_values: Any = None
    assumed: Mapping[str, Any] = field(default_factory=dict)


def analyse(target: Target, options: Options, fold: Fold | None = None) -> list[Architecture]:
    """Return every network that a target names; `fold` merges the variants of a network that has conditions."""
    deadline = None if options.seconds is None else time.monotonic() + options.seconds
    assumed = {text: holds for text, holds in options.assumed.items() if type(holds) is bool}
    if fold is None:
        return [
            result.architecture for result in _analyse_with_retry(target, options, Decisions(assumed, follows=False))
        ]
    used: set[str] = set()

    def explore(named: Target) -> Architecture:
        snapshot = Snapshot()

        def run(decisions: Decisions) -> list[Architecture]:
            seconds_left = None if deadline is None else max(1.0, deadline - time.monotonic())
            decisions.used = used
            try:
                results = _analyse_with_retry(named, replace(options, seconds=seconds_left), decisions, snapshot)
            finally:
                snapshot.check()
            return [result.architecture for result in results]

        from cutaway.interp.symbolic.exploration import explore as explore_conditions

        return explore_conditions(run, assumed, fold, deadline)

    if target.expression:
        explored = [explore(target), *(explore(named) for named in _instances(target))]
        target_errors.unused(target, [name for name in options.assumed if name not in used], explored)
        return explored
    architectures: list[Architecture] = []
    for result in _analyse_with_retry(target, options, Decisions(assumed, follows=False)):
        architecture = result.architecture
        if result.has_conditions and result.name.isidentifier():
            with suppress(TargetError):
                architecture = replace(explore(replace(target, expression=result.name)), target=target.text)
        architectures.append(architecture)
    target_errors.unused(target, [name for name in options.assumed if name not in used], architectures)
    return architectures


def _instances(target: Target) -> list[Target]:
    """Return the instances that a file creates from the named class or function."""
    if target.file is None or not target.expression.isidentifier() or target.file == "-":
        return []
    tree = source.parse(source.read(target.file), target.file)
    targets: list[Target] = []
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name(function), args, keywords)):
                if function == target.expression and (args or keywords):
                    targets.append(replace(target, expression=name))
    return targets


@dataclass(frozen=True, slots=True)
class _Result:
    """A network of the target and its description; `has_conditions` tells that conditions in it could be followed."""

    name: str
    architecture: Architecture
    has_conditions: bool


def _analyse_with_retry(
    target: Target, options: Options, decisions: Decisions, snapshot: Snapshot | None = None
) -> list[_Result]:
    """Return every network that a target names, with conditions decided in one way.

    Modules of installed packages stay unevaluated until something of them is used. Where the program stops before
    there is a network, that may be the reason: one of them would have registered what it looks for. The analysis is
    then repeated with those evaluated whose source contains a word that is quoted in the target or was looked up in vain.
    """
    deadline = None if options.seconds is None else time.monotonic() + options.seconds
    stopped_early: _StoppedEarly | None = None
    words: set[bytes] = set()
    for _ in range(2):
        with _new_analysis(options, decisions, sorted(words), snapshot) as session:
            try:
                return _analyse_once(target, options, session, snapshot)
            except _StoppedEarly as stopped:
                stopped_early = stopped
                words = _quoted_words(target, options) | loader.current().looked_up
        if deadline is not None:
            if time.monotonic() > deadline:
                break
            options = replace(options, seconds=deadline - time.monotonic())
    assert stopped_early is not None
    return stopped_early.result()


class _StoppedEarly(Exception):
    """The program stopped, and evaluating more modules might change that."""

    def __init__(self, results: list[_Result], error: TargetError | None) -> None:
        super().__init__()
        self.results, self.error = results, error

    def result(self) -> list[_Result]:
        """Return the networks that were read all the same."""
        if self.error is not None:
            raise self.error
        return self.results


def _quoted_words(target: Target, options: Options) -> set[bytes]:
    """Return the strings that are quoted in a target and in the file it names."""
    text = target.expression.encode()
    if target.file == "-":
        text += options.stdin or b""
    elif target.file is not None:
        text += source.read(target.file)
    return quoted(text)


def _analyse_once(target: Target, options: Options, session: Session, snapshot: Snapshot | None) -> list[_Result]:
    modules = loader.current()
    try:
        results, error = _read_networks(target, options, session, snapshot), None
    except TargetError as fault:
        results, error = [], fault
    if modules.unevaluated and (error is not None or (modules.stopped and not target.expression)):
        raise _StoppedEarly(results, error)
    if error is not None:
        raise error
    return results


def _read_networks(target: Target, options: Options, session: Session, snapshot: Snapshot | None) -> list[_Result]:
    if snapshot is not None and snapshot.state is not None:
        state = snapshot.state
        snapshot.restore(session)
    else:
        state = _load_target(target, options)
    if target.expression:
        selected = [_evaluate(state, target, options, snapshot)]
    else:
        selected = list(networks(state, session))
        if has_main(state) and (not selected or any(framework.unbound() for framework in FRAMEWORKS)):
            run_main(state)
            selected = list(networks(state, session))
        if not selected:
            raise target_errors.no_network(state, target, session)
    if options.arguments is not None:
        options = replace(options, argument_values=_call_arguments(state, target, options))
    return _read_off_each(selected, target, options, session)


def _read_off_each(selected: list[Network], target: Target, options: Options, session: Session) -> list[_Result]:
    """Describe networks; inputs that match only some of them are left out for the others, which is noted there."""
    mismatches = [target_errors.input_mismatch(n.name, n.value, n.framework, options.inputs) for n in selected]
    first = next((error for error in mismatches if error is not None), None)
    if first is not None and all(mismatches):
        raise first
    results: list[_Result] = []
    errors: list[TargetError] = []
    for network, error in zip(selected, mismatches):
        if error is not None:
            with session.apart(network.notes):
                session.unknown(str(error))
        applicable = options if error is None else replace(options, inputs=())
        conditions = decisions()
        conditions.wanted = False
        try:
            described = _read_off(network, target, applicable, session)
            results.append(_Result(network.name, described, network.needs_arguments or conditions.wanted))
        except TargetError as fault:
            errors.append(fault)
    if not results:
        raise errors[0]
    notes = tuple(ArchitectureNote(str(fault)) for fault in errors)
    return [
        replace(result, architecture=replace(result.architecture, unknowns=result.architecture.unknowns + notes))
        for result in results
    ]


_RECURSION = 20_000  # of the host: more would overflow the stack of a thread where the target nests values deeply


@contextmanager
def _new_analysis(
    options: Options, decided: Decisions | None = None, words: Sequence[bytes] = (), snapshot: Snapshot | None = None
) -> Iterator[Session]:
    """Install a fresh analysis, or one that continues from a snapshot, and restore the previous one afterwards."""
    session = Session(
        place=frame.place,
        signature=signature,
        literals=literals,
        tick=budget.tick,
        build=budget.build,
        module=lambda name: loader.current().source(name),
        catch_up=lambda word: loader.current().unevaluated.evaluate_pending(word),
        recording=False,
    )
    for path in options.paths:
        if not disk.is_folder(path):
            raise target_errors.no_folder(path)
    folders = [os.path.abspath(path) for path in options.paths]
    if snapshot is not None and snapshot.modules is not None:
        modules = snapshot.modules
    else:
        modules = Loader(resolve.environment_folders(), PYTHON, standard_module, words)
        for folder in reversed(folders):
            modules.add_own(folder)
    analysis = CURRENT.get().derived(
        session=session,
        decisions=decided or Decisions(follows=False),
        interpreter=Interpreter(budget.Budget(options.seconds), modules),
        sizes=SizeKnowledge(),
    )
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    thresholds = gc.get_threshold()
    gc.set_threshold(500_000, 50, 100)  # almost everything an analysis creates lives until its end
    try:
        with context.installed(analysis), silence():
            session.facts.install()
            yield session
    finally:
        session.undo_changes()
        sys.setrecursionlimit(limit)
        gc.set_threshold(*thresholds)
        for clear in getattr(typing, "_cleanups", ()):  # typing caches the target's classes, and through them all of it
            clear()


def _load_target(target: Target, options: Options) -> ModuleState:
    """Find the module that a target names; it is not evaluated yet."""
    modules = loader.current()
    if target.program is not None:
        program = target.program
        for assumption in program.assumed:
            current_session().assume(assumption)
        modules.add_own(program.folder)
        return modules.add("folder", resolve.Location(program.file, (program.folder,)), program.text.encode())
    if target.file == "-":
        text = options.stdin or b""
        if not text.strip():
            raise TargetError(f"{target.text}: standard input is empty")
        source.parse(text, "<stdin>")
        modules.add_own(os.getcwd())
        return modules.add("stdin", resolve.Location("<stdin>"), text)
    if target.file is not None:
        text = source.read(target.file)
        if not text.strip():
            raise TargetError(f"{target.file}: is empty")
        source.parse(text, target.file)
        root, name = resolve.package_root(target.file)
        modules.add_own(root)
        folders = (os.path.dirname(os.path.abspath(target.file)),) if target.file.endswith("__init__.py") else ()
        package = name.rpartition(".")[0]
        if package:
            modules.load(package)
        state = modules.add(name or "module", resolve.Location(target.file, folders), text)
        _evaluate_packages(state)
        return state
    assert target.module is not None
    modules.add_own(os.getcwd())
    try:
        module = modules.load(target.module, strict=True)
    except ModuleNotFoundError:
        raise target_errors.no_such_module(target) from None
    if not isinstance(module, SourceModule):
        raise target_errors.no_source(target, module)
    named: ModuleState = module.__dict__["__cutaway__"]
    named.named = True
    _evaluate_packages(named)
    return named


def _evaluate_packages(state: ModuleState) -> None:
    """Evaluate the packages that contain a module of the user's project, as Python does before the module.

    Where the module imports nothing from them, it may be an independent program, and they are left alone.
    """
    package = state.name.rpartition(".")[0]
    imports = rb"^\s*(?:from\s+\.|(?:from|import)\s+%b\b)" % package.partition(".")[0].encode()
    if package and state.is_own and re.search(imports, state._read(), re.MULTILINE):
        loader.current().settle(package)


def _call_arguments(state: ModuleState, target: Target, options: Options) -> Any:
    """Return the value that forward is to be called with."""
    named = options.arguments
    assert named is not None
    same = (named.file, named.module) == (target.file, target.module)
    return _value(state if same else _load_target(named, options), named)


def _evaluate(state: ModuleState, target: Target, options: Options, snapshot: Snapshot | None) -> Network:
    """Evaluate the expression of a target to one network."""
    value = _value(state, target, options.assumed, snapshot)
    for framework in FRAMEWORKS:
        if framework.is_network(value):
            return Network(target.expression if target.program is None else type(value).__name__, value, framework)
    needed = missing_arguments(_name(state, target.expression, target)) if target.expression.isidentifier() else []
    raise target_errors.takes_arguments(target, needed) if needed else target_errors.not_a_network(target, value)


def _value(
    state: ModuleState, target: Target, assumed: Mapping[str, Any] | None = None, snapshot: Snapshot | None = None
) -> Any:
    """Evaluate the expression of a target; a class or a function is called."""
    text = target.expression
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise target_errors.no_expression(target, error) from None
    top = Frame({}, state.namespace, "<target>", None, None)
    stack = interpreter().stack
    stack.append(top)
    try:
        _require_class(state, target)
        if isinstance(tree.body, ast.Name):
            value = _name(state, tree.body.id, target)
            if snapshot is not None:
                snapshot.save(loader.current(), state, current_session())
        else:
            bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            bound |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
            for node in ast.walk(tree):
                if isinstance(node, ast.Name) and node.id not in BUILTINS and node.id not in bound:
                    state.namespace.setdefault(node.id, _name(state, node.id, target))
            with following():
                value = PYTHON.expression(tree.body, Scope("function", None, set(), {}), top.file)(top)
        if assumed is None and missing_arguments(value):
            raise target_errors.takes_arguments(target, missing_arguments(value))
        if isinstance(value, type) or record_of(value) is not None:
            for framework in FRAMEWORKS:
                framework.start_naming()
        with following():
            return instantiate(value, text, assumed or {})
    except (TargetError, KeyboardInterrupt, Restart):
        raise
    except (Undecidable, Exhausted) as undecidable:
        return current_session().note(undecidable.unknown)
    except BaseException as error:
        loader.current().stop(error)
        raise target_errors.failed(target, error, target_errors.callee(tree.body, state)) from None
    finally:
        stack.pop()


def _require_class(state: ModuleState, target: Target) -> None:
    """Raise if the library that a folder is written for does not have the class that the folder names."""
    if target.program is None or not isinstance(_name(state, target.program.name, target), Unknown):
        return
    home = loader.current().load(target.program.home) if target.program.home[0] != "." else None
    if home is None or not isinstance(home, Unknown):
        raise target_errors.no_such_class(target, state, getattr(home, "__version__", None))


def _name(state: ModuleState, name: str, target: Target) -> Any:
    try:
        try:
            value = state.lookup(name)
        except (Undecidable, Exhausted) as undecidable:
            value = state.namespace.get(name)
            if value is None:
                raise
            current_session().note(undecidable.unknown)  # the program did not reach its end, but it reached this name
        if name in state.namespace:
            return value.resolve() if type(value) is Pending else value
        replacement = loader.current().modules.get(
            state.name
        )  # an object that a module puts into `sys.modules` in its own place
        is_replaced = value is MISSING and replacement is not None and not isinstance(replacement, SourceModule)
        return getattr(replacement if is_replaced else state.module, name)
    except AttributeError:
        raise target_errors.no_such_name(state, name, target, current_session()) from None


def _read_off(network: Network, target: Target, options: Options, session: Session) -> Architecture:
    """Run a network's forward and describe it."""
    framework = network.framework
    call = next((c for c in session.calls if c.module is network.value and c.depth == 0), None)
    with session.apart(network.notes), session.own_facts():
        if options.inputs or options.argument_values is not None or call is None:
            call = run(network.value, network.framework, options.inputs, session, options.argument_values)
        _explain_outputs(call, session)
        session.assume_premises()
        try:
            with budget.separate_budget(DESCRIBING_SECONDS):
                architecture = framework.read_off(network.value, network.name, target.text, session, call)
                return (
                    architecture
                    if call is None or call.requires is None
                    else replace(architecture, requires=call.requires)
                )
        except (Exception, Undecidable, Exhausted) as error:
            if os.environ.get("CUTAWAY_DEBUG"):
                raise
            reason = error.unknown.reason if isinstance(error, (Undecidable, Exhausted)) else in_words(error)
            raise TargetError(f"{target.text}: {network.name} can't be described: {reason}") from None


def _explain_outputs(call: Call | None, session: Session) -> None:
    """Record why an output is unknown, where nothing was recorded on the way to it."""
    for name, reference in (call.outputs if call else None) or ():
        of_output = f" {name}" if name else ""
        if isinstance(reference.shape, Unknown):
            session.note(reference.shape)
        elif not session.unknowns and not all(is_known(size) for size in reference.shape):
            session.unknown(f"a size of the output{of_output} depends on the numbers in tensors")
