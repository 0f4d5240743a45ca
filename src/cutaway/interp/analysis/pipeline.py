"""From a target to the networks in it: evaluate, choose, run forward, read off."""

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

from cutaway.core import context, disk, session
from cutaway.core.architecture import Architecture
from cutaway.core.architecture import Note as Remark
from cutaway.core.condition import Decisions
from cutaway.core.context import CURRENT
from cutaway.core.error import in_words
from cutaway.core.loop.series import Restart
from cutaway.core.record import dataclass, field, replace
from cutaway.core.session import Call, Session
from cutaway.core.size.dim import is_known
from cutaway.core.size.knowledge import SizeKnowledge
from cutaway.core.unknown import Exhausted, Undecidable, Unknown, decisions, following
from cutaway.interp.analysis import target_errors
from cutaway.interp.analysis.call_literals import literals
from cutaway.interp.analysis.discovery import DESCRIBING_SECONDS, Network, instance, missing, networks
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
from cutaway.interp.symbolic.snapshot import World
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

    `arguments` names a function or an expression of the target's whose value forward is called with: one tensor,
    a tuple or a list of positional arguments, or a dict of keyword arguments. `given` is that value. `assumed` has
    arguments by name, and whether conditions hold by their words.
    """

    paths: tuple[str, ...] = ()
    inputs: tuple[Input, ...] = ()
    seconds: float | None = 120.0
    stdin: bytes | None = None
    arguments: Target | None = None
    given: Any = None
    assumed: Mapping[str, Any] = field(default_factory=dict)


def analyse(target: Target, options: Options, fold: Fold | None = None) -> list[Architecture]:
    """Return every network that a target names; `fold` makes one of the variants of a network that has conditions."""
    deadline = None if options.seconds is None else time.monotonic() + options.seconds
    assumed = {text: holds for text, holds in options.assumed.items() if type(holds) is bool}
    if fold is None:
        return [shown.architecture for shown in _analysed(target, options, Decisions(assumed, follows=False))]
    used: set[str] = set()

    def explore(named: Target) -> Architecture:
        world = World()

        def run(decisions: Decisions) -> list[Architecture]:
            left = None if deadline is None else max(1.0, deadline - time.monotonic())
            decisions.used = used
            try:
                found = _analysed(named, replace(options, seconds=left), decisions, world)
            finally:
                world.check()
            return [one.architecture for one in found]

        from cutaway.interp.symbolic.exploration import explored

        return explored(run, assumed, fold, deadline)

    if target.expression:
        both = [explore(target), *(explore(named) for named in _instances(target))]
        target_errors.unused(target, [name for name in options.assumed if name not in used], both)
        return both
    found: list[Architecture] = []
    for shown in _analysed(target, options, Decisions(assumed, follows=False)):
        architecture = shown.architecture
        if shown.wanted and shown.name.isidentifier():
            with suppress(TargetError):
                architecture = replace(explore(replace(target, expression=shown.name)), target=target.text)
        found.append(architecture)
    target_errors.unused(target, [name for name in options.assumed if name not in used], found)
    return found


def _instances(target: Target) -> list[Target]:
    """Return the instances that a file makes of the class or by the function that is named."""
    if target.file is None or not target.expression.isidentifier() or target.file == "-":
        return []
    tree = source.parse(source.read(target.file), target.file)
    made: list[Target] = []
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name(function), args, keywords)):
                if function == target.expression and (args or keywords):
                    made.append(replace(target, expression=name))
    return made


@dataclass(frozen=True, slots=True)
class _Shown:
    """A network of the target as it is described; `wanted` tells that it has conditions that could be followed."""

    name: str
    architecture: Architecture
    wanted: bool


def _analysed(target: Target, options: Options, decisions: Decisions, world: World | None = None) -> list[_Shown]:
    """Return every network that a target names, as it is where conditions are decided one way.

    Modules of installed packages are left until something of them is used. Where the program stops before
    there is a network, that may be why: one of them would have registered what it looks for. It is then
    tried again with those evaluated whose text has a word in it that is quoted in the target or was sought in vain.
    """
    deadline = None if options.seconds is None else time.monotonic() + options.seconds
    outcome: _Stopped | None = None
    words: set[bytes] = set()
    for _ in range(2):
        with _installed(options, decisions, sorted(words), world) as gathered:
            try:
                return _analyse(target, options, gathered, world)
            except _Stopped as stopped:
                outcome = stopped
                words = _words(target, options) | loader.current().sought
        if deadline is not None:
            if time.monotonic() > deadline:
                break
            options = replace(options, seconds=deadline - time.monotonic())
    assert outcome is not None
    return outcome.result()


class _Stopped(Exception):
    """The program stopped, and modules were left that might have changed that."""

    def __init__(self, found: list[_Shown], error: TargetError | None) -> None:
        super().__init__()
        self.found, self.error = found, error

    def result(self) -> list[_Shown]:
        """Return what was found all the same."""
        if self.error is not None:
            raise self.error
        return self.found


def _words(target: Target, options: Options) -> set[bytes]:
    """Return the texts that are quoted in a target and in the file it names."""
    text = target.expression.encode()
    if target.file == "-":
        text += options.stdin or b""
    elif target.file is not None:
        text += source.read(target.file)
    return quoted(text)


def _analyse(target: Target, options: Options, gathered: Session, world: World | None) -> list[_Shown]:
    modules = loader.current()
    try:
        found, error = _find(target, options, gathered, world), None
    except TargetError as fault:
        found, error = [], fault
    if modules.left and (error is not None or (modules.stopped and not target.expression)):
        raise _Stopped(found, error)
    if error is not None:
        raise error
    return found


def _find(target: Target, options: Options, gathered: Session, world: World | None) -> list[_Shown]:
    if world is not None and world.state is not None:
        state = world.state
        world.put_back(gathered)
    else:
        state = _module(target, options)
    if target.expression:
        found = [_evaluate(state, target, options, world)]
    else:
        found = list(networks(state, gathered))
        if has_main(state) and (not found or any(framework.unbound() for framework in FRAMEWORKS)):
            run_main(state)
            found = list(networks(state, gathered))
        if not found:
            raise target_errors.no_network(state, target, gathered)
    if options.arguments is not None:
        options = replace(options, given=_given(state, target, options))
    return _read_off_each(found, target, options, gathered)


def _read_off_each(found: list[Network], target: Target, options: Options, gathered: Session) -> list[_Shown]:
    """Describe networks; inputs that fit only some of them are left out for the others, which is remarked there."""
    unfit = [target_errors.input_that_does_not_fit(n.name, n.value, n.framework, options.inputs) for n in found]
    first = next((error for error in unfit if error is not None), None)
    if first is not None and all(unfit):
        raise first
    architectures: list[_Shown] = []
    lost: list[TargetError] = []
    for network, error in zip(found, unfit):
        if error is not None:
            with gathered.apart(network.remarks):
                gathered.unknown(str(error))
        given = options if error is None else replace(options, inputs=())
        here = decisions()
        here.wanted = False
        try:
            described = _read_off(network, target, given, gathered)
            architectures.append(_Shown(network.name, described, network.wanted or here.wanted))
        except TargetError as fault:
            lost.append(fault)
    if not architectures:
        raise lost[0]
    remarks = tuple(Remark(str(fault)) for fault in lost)
    return [
        replace(shown, architecture=replace(shown.architecture, unknowns=shown.architecture.unknowns + remarks))
        for shown in architectures
    ]


_RECURSION = 20_000  # of the host: more would overflow the stack of a thread where the target nests values deeply


@contextmanager
def _installed(
    options: Options, decided: Decisions | None = None, words: Sequence[bytes] = (), world: World | None = None
) -> Iterator[Session]:
    """Make a fresh world for one analysis, or go on from one that is kept, and put the old one back."""
    gathered = Session(
        place=frame.place,
        signature=signature,
        literals=literals,
        tick=budget.tick,
        build=budget.build,
        module=lambda name: loader.current().source(name),
        catch_up=lambda word: loader.current().left.catch_up_all(word),
        recording=False,
    )
    for path in options.paths:
        if not disk.is_folder(path):
            raise target_errors.no_folder(path)
    folders = [os.path.abspath(path) for path in options.paths]
    if world is not None and world.modules is not None:
        modules = world.modules
    else:
        modules = Loader(resolve.environment_folders(), PYTHON, standard_module, words)
        for folder in reversed(folders):
            modules.add_own(folder)
    analysis = CURRENT.get().derived(
        session=gathered,
        decisions=decided or Decisions(follows=False),
        interpreter=Interpreter(budget.Budget(options.seconds), modules),
        sizes=SizeKnowledge(),
    )
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    thresholds = gc.get_threshold()
    gc.set_threshold(500_000, 50, 100)  # almost everything an analysis makes lives until its end
    try:
        with context.installed(analysis), silence():
            gathered.facts.install()
            yield gathered
    finally:
        gathered.undo_changes()
        sys.setrecursionlimit(limit)
        gc.set_threshold(*thresholds)
        for forget in getattr(
            typing, "_cleanups", ()
        ):  # typing remembers the target's classes, and through them all of it
            forget()


def _module(target: Target, options: Options) -> ModuleState:
    """Find the module that a target names; it is not evaluated yet."""
    modules = loader.current()
    if target.program is not None:
        program = target.program
        for assumption in program.assumed:
            session.current().assume(assumption)
        modules.add_own(program.folder)
        return modules.add("folder", resolve.Location(program.file, (program.folder,)), program.text.encode())
    if target.file == "-":
        text = options.stdin or b""
        if not text.strip():
            raise TargetError(f"{target.text}: nothing comes from standard input")
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
        _settle_package(state)
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
    _settle_package(named)
    return named


def _settle_package(state: ModuleState) -> None:
    """Evaluate the packages that a module of the user's lies in, as Python does before the module.

    Where the module imports nothing of them, it may be a program of its own, and they are left alone.
    """
    package = state.name.rpartition(".")[0]
    imports = rb"^\s*(?:from\s+\.|(?:from|import)\s+%b\b)" % package.partition(".")[0].encode()
    if package and state.is_own and re.search(imports, state._read(), re.MULTILINE):
        loader.current().settle(package)


def _given(state: ModuleState, target: Target, options: Options) -> Any:
    """Return the value that forward is to be called with."""
    named = options.arguments
    assert named is not None
    same = (named.file, named.module) == (target.file, target.module)
    return _value(state if same else _module(named, options), named)


def _evaluate(state: ModuleState, target: Target, options: Options, world: World | None) -> Network:
    """Evaluate the expression of a target to one network."""
    value = _value(state, target, options.assumed, world)
    for framework in FRAMEWORKS:
        if framework.is_network(value):
            return Network(target.expression if target.program is None else type(value).__name__, value, framework)
    needed = missing(_name(state, target.expression, target)) if target.expression.isidentifier() else []
    raise target_errors.takes_arguments(target, needed) if needed else target_errors.not_a_network(target, value)


def _value(
    state: ModuleState, target: Target, assumed: Mapping[str, Any] | None = None, world: World | None = None
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
            if world is not None:
                world.keep(loader.current(), state, session.current())
        else:
            bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            bound |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
            for node in ast.walk(tree):
                if isinstance(node, ast.Name) and node.id not in BUILTINS and node.id not in bound:
                    state.namespace.setdefault(node.id, _name(state, node.id, target))
            with following():
                value = PYTHON.expression(tree.body, Scope("function", None, set(), {}), top.file)(top)
        if assumed is None and missing(value):
            raise target_errors.takes_arguments(target, missing(value))
        if isinstance(value, type) or record_of(value) is not None:
            for framework in FRAMEWORKS:
                framework.start_naming()
        with following():
            return instance(value, text, assumed or {})
    except (TargetError, KeyboardInterrupt, Restart):
        raise
    except (Undecidable, Exhausted) as undecidable:
        return session.current().note(undecidable.unknown)
    except BaseException as error:
        loader.current().stop(error)
        raise target_errors.failed(target, error, target_errors.callee(tree.body, state)) from None
    finally:
        stack.pop()


def _require_class(state: ModuleState, target: Target) -> None:
    """Raise if the library that a folder is made for does not have the class that the folder names."""
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
            session.current().note(undecidable.unknown)  # the program did not get to its end, but to this name
        if name in state.namespace:
            return value.resolve() if type(value) is Pending else value
        instead = loader.current().modules.get(state.name)  # what a module puts into `sys.modules` in its own place
        is_replaced = value is MISSING and instead is not None and not isinstance(instead, SourceModule)
        return getattr(instead if is_replaced else state.module, name)
    except AttributeError:
        raise target_errors.no_such_name(state, name, target, session.current()) from None


def _read_off(network: Network, target: Target, options: Options, gathered: Session) -> Architecture:
    """Run a network's forward on the inputs it is given and describe it."""
    framework = network.framework
    past = next((c for c in gathered.calls if c.module is network.value and c.depth == 0), None)
    with gathered.apart(network.remarks), gathered.own_facts():
        if options.inputs or options.given is not None or past is None:
            past = run(network.value, network.framework, options.inputs, gathered, options.given)
        _explain(past, gathered)
        gathered.assume_premises()
        try:
            with budget.separate_budget(DESCRIBING_SECONDS):
                found = framework.read_off(network.value, network.name, target.text, gathered, past)
                return found if past is None or past.requires is None else replace(found, requires=past.requires)
        except (Exception, Undecidable, Exhausted) as error:
            if os.environ.get("CUTAWAY_DEBUG"):
                raise
            reason = error.unknown.reason if isinstance(error, (Undecidable, Exhausted)) else in_words(error)
            raise TargetError(f"{target.text}: {network.name} can't be described: {reason}") from None


def _explain(call: Call | None, gathered: Session) -> None:
    """Record why an output is unknown, where nothing has been recorded on the way to it."""
    for name, reference in (call.outputs if call else None) or ():
        of_output = f" {name}" if name else ""
        if isinstance(reference.shape, Unknown):
            gathered.note(reference.shape)
        elif not gathered.unknowns and not all(is_known(size) for size in reference.shape):
            gathered.unknown(f"a size of the output{of_output} depends on the numbers in tensors")
