"""From a target to a value: its module is loaded, and its expression evaluated."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cutaway.core.error import CutawayError, describe_error, place_of
from cutaway.core.loop.series import Restart
from cutaway.core.place import Place
from cutaway.core.record import dataclass
from cutaway.core.session import current as current_session
from cutaway.core.unknown import Exhausted, Undecidable, Unknown, conditions_decided
from cutaway.interp.analysis import target_errors
from cutaway.interp.analysis.discovery import Network
from cutaway.interp.analysis.instantiation import instantiate, missing_arguments
from cutaway.interp.compile.compiler import PYTHON
from cutaway.interp.modules import loader
from cutaway.interp.modules.module import MISSING, RAISES, ModuleState, SourceModule, failure, unfinished_network
from cutaway.interp.run.frame import Frame, Pending
from cutaway.interp.run.function import record_of
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.stdlib.builtins import BUILTINS, has_effects
from cutaway.interp.stdlib.modules import do_nothing
from cutaway.interp.symbolic.snapshot import Snapshot
from cutaway.knowledge.base.framework import FRAMEWORKS
from cutaway.syntax import notebook, project, resolve, source
from cutaway.syntax.scope import Scope
from cutaway.syntax.target import FaultyTarget, OptionError, Target, TargetError

if TYPE_CHECKING:
    pass
from cutaway.interp.analysis.options import Options


@dataclass(frozen=True, slots=True)
class _Unfinished:
    """A network whose constructor raises, and the reason."""

    network: Any
    stopped: Unknown


def load_target(target: Target, options: Options) -> ModuleState:
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
        _add_project(os.getcwd())
        return modules.add("stdin", resolve.Location("<stdin>"), text)
    if target.file is not None:
        text = source.read(target.file)
        if not text.strip():
            raise TargetError(f"{target.file}: is empty")
        source.parse(text, target.file)
        root, name = resolve.package_root(target.file, source.relative_levels(text))
        modules.add_own(root, resolve.own_folder(target.file))
        _add_project(os.path.dirname(target.file))
        folders = (os.path.dirname(os.path.abspath(target.file)),) if target.file.endswith("__init__.py") else ()
        package = name.rpartition(".")[0]
        if package:
            modules.load(package)
        state = modules.add(name or "module", resolve.Location(target.file, folders), text)
        if notebook.is_notebook(target.file):
            _prepare_notebook(state)
        _evaluate_packages(state)
        return state
    assert target.module is not None
    modules.add_own(os.getcwd())
    _add_project(os.getcwd())
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


def _add_project(folder: str) -> None:
    """Find imports in the project that a folder belongs to, and in its environments."""
    loader.current().add_project(project.import_folders(folder), project.package_folders(folder))


def _prepare_notebook(state: ModuleState) -> None:
    """Define what a notebook has besides Python's own names, and note the cells that are left out."""
    state.namespace.update(get_ipython=has_effects("get_ipython"), display=do_nothing)
    for line, reason in notebook.read(source.content(state.file), state.file).skipped:
        current_session().unknown(reason, None, Place(state.file, line))


def _evaluate_packages(state: ModuleState) -> None:
    """Evaluate the packages that contain the target's module, as Python does before the module.

    Where the module imports nothing from them, it may be an independent program, and they are left alone.
    """
    package = state.name.rpartition(".")[0]
    imports = rb"^\s*(?:from\s+\.|(?:from|import)\s+%b\b)" % package.partition(".")[0].encode()
    if package and re.search(imports, state._read(), re.MULTILINE):
        loader.current().evaluate_import(package)


def call_arguments(state: ModuleState, target: Target, options: Options) -> Any:
    """Return the value that forward is to be called with."""
    named = options.arguments
    assert named is not None
    same = (named.file, named.module) == (target.file, target.module)
    try:
        return _value(state if same else load_target(named, options), named)
    except FaultyTarget:
        raise
    except CutawayError as error:
        raise OptionError(str(error)) from error


def evaluate_target(state: ModuleState, target: Target, options: Options, snapshot: Snapshot | None) -> Network:
    """Evaluate the expression of a target to one network."""
    value = _value(state, target, options.assumed, snapshot)
    stopped: Unknown | None = None
    if target.expression in state.unfinished and isinstance(value, Unknown):
        value, stopped = state.unfinished[target.expression]
    elif isinstance(value, _Unfinished):
        value, stopped = value.network, value.stopped
    for framework in FRAMEWORKS:
        if framework.is_network(value):
            name = target.expression if target.program is None else type(value).__name__
            return Network(name, value, framework, stopped=stopped)
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
            with conditions_decided():
                value = PYTHON.expression(tree.body, Scope("function", None, set(), {}), top.file)(top)
        if assumed is None and missing_arguments(value):
            raise target_errors.takes_arguments(target, missing_arguments(value))
        if isinstance(value, type) or record_of(value) is not None:
            for framework in FRAMEWORKS:
                framework.start_naming()
        with conditions_decided():
            return instantiate(value, text, assumed or {})
    except (TargetError, KeyboardInterrupt, Restart):
        raise
    except (Undecidable, Exhausted) as undecidable:
        return current_session().note(undecidable.unknown)
    except BaseException as error:
        network = unfinished_network(error, Unknown(f"{RAISES}{describe_error(error)}", place_of(error)))
        if network is not None:
            return _Unfinished(network, failure(error, None))
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
