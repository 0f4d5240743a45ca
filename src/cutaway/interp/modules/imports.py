"""What import statements of the target bind, and what they evaluate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.admission import admit
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.place import Place
from cutaway.core.unknown import Unknown, decisions, derived_unknown
from cutaway.interp.boundary.unknown_raises import import_may_fail
from cutaway.interp.modules.loader import Loader, current
from cutaway.interp.modules.module import MISSING, ModuleState, SourceModule, exported_names, failure
from cutaway.interp.run.frame import MODULE_STATE, Frame, Pending, call_at
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.truth import is_own
from cutaway.knowledge.base.framework_names import lacks, missing_name
from cutaway.knowledge.base.registry import KnownModule
from cutaway.syntax import resolve
from cutaway.syntax.source import SourceError


def pending(frame: Frame, bound: str, load: Callable[[], Any], module: str) -> Pending:
    """Return what an import binds at module level: it is resolved, and bound for good, on first use."""
    namespace, place = frame.vars, frame.place

    def load_and_bind() -> Any:
        try:
            value = load()
        except SourceError as error:  # of the import statement, not of what uses the name
            value = failure(error, place)
        if namespace.get(bound) is placeholder:
            namespace[bound] = value
        return value

    placeholder = Pending(load_and_bind, module)
    return placeholder


def pending_from(frame: Frame, bound: str, load: Callable[[], Any], module: str, level: int, name: str) -> Pending:
    """Return what `from module import name` binds at module level; a later change of the name does not concern it."""
    full = resolve.absolute(frame.globals.get("__package__") or "", module, level)
    placeholder = pending(frame, bound, load, full)
    home = current().states.get(full)
    if home is not None:
        home.add_importer(name, placeholder)
    return placeholder


def _check(frame: Frame, name: str) -> None:
    """Follow what happens if a module that is imported is missing, where the program would catch that."""
    if interpreter().guarded and (is_own(frame) or session.current().in_program()):
        error = current().missing(name, set())
        if error is not None:
            import_may_fail(error, frame)


def importing(frame: Frame, name: str, whole: bool, strict: bool) -> tuple[Callable[[], Any], bool]:
    """Return a function that loads `import name` (its first package) or `import name as x` (the module itself).

    The second value tells whether all modules that the statement evaluates are evaluated.
    """
    loader = current()
    place = frame.place
    if strict:
        loader.require(name, _importer(frame))
        loader.evaluate_import(name.rpartition(".")[0])
    else:
        _check(frame, name)
    is_evaluated = call_at(place, lambda: loader.evaluate_import(name)) if not strict else False

    def load() -> Any:
        module = call_at(place, lambda: loader.load(name, strict))
        if strict and isinstance(module, SourceModule):
            module.__dict__[MODULE_STATE].run(strict=True)
            module = loader.load(name)
        return module if whole else call_at(place, lambda: loader.load(name.partition(".")[0], strict))

    return load, is_evaluated


def importing_from(frame: Frame, module: str, level: int, name: str, strict: bool) -> tuple[Callable[[], Any], bool]:
    """Return a function that loads `from module import name`, and whether all it evaluates is evaluated."""
    loader = current()
    place = frame.place
    full = resolve.absolute(frame.globals.get("__package__") or "", module, level)
    if strict:
        loader.require(full, _importer(frame))
        loader.evaluate_import(full.rpartition(".")[0])
    else:
        _check(frame, full)
    is_evaluated = call_at(place, lambda: loader.evaluate_import(full, name)) if not strict else False
    is_evaluated = is_evaluated or (not strict and loader.waiting.is_reassigned(full, name))
    is_certain = is_own(frame) and not strict and not session.current().doubts and not decisions().taken

    def load() -> Any:
        source_module = call_at(place, lambda: loader.load(full, strict))
        if isinstance(source_module, Unknown):
            return derived_unknown(source_module)
        if strict and isinstance(source_module, SourceModule):
            source_module.__dict__[MODULE_STATE].run(strict=True)
            source_module = loader.load(full)
        own = loader.states.get(full)
        if own is not None and type(own.namespace.get(name)) is Pending and own._is_submodule(name):
            if own.namespace is frame.globals:  # a package's `from . import part`
                return _submodule(loader, f"{full}.{name}")
        try:
            value = getattr(source_module, name)
        except AttributeError:
            if strict:
                raise ImportError(f"cannot import name '{name}' from '{full}'", name=full) from None
            return Unknown(f"module {full} has no {name}", place)
        if type(value) is Unknown and type(source_module) is KnownModule and lacks(source_module.__name__, name):
            _report_missing(frame, place, source_module.__name__, name, strict, is_certain)
        if isinstance(value, SourceModule) and value.__dict__["__name__"] == f"{full}.{name}":
            return _submodule(loader, f"{full}.{name}")
        return admit(value)

    return load, is_evaluated


def _report_missing(frame: Frame, place: Place | None, module: str, name: str, strict: bool, is_certain: bool) -> None:
    """Report the import of a name that a framework does not have."""
    message = missing_name(module, name)
    if strict and is_own(frame):
        raise ImportError(message, name=module)
    if is_certain:
        session.current().report(Fault(message, FaultCode.NO_SUCH_NAME), place)


def _submodule(loader: Loader, name: str) -> Any:
    loader.evaluate_import(name)
    return loader.load(name)


def import_star(frame: Frame, module: str, level: int, strict: bool = False) -> None:
    """Bind what a star import provides, or record it: missing names are then looked up in it."""
    state: ModuleState = frame.globals[MODULE_STATE]
    star = state._star(module, level)
    load, full = star
    if strict:
        state.loader.require(full, _importer(frame))
        state.loader.evaluate_import(full.rpartition(".")[0])
        if isinstance(imported := load(), SourceModule):
            imported.__dict__[MODULE_STATE].run(strict=True)
    else:
        _check(frame, full)
    is_evaluated = state.loader.evaluate_import(full)
    imported = load()
    if is_evaluated and isinstance(imported, SourceModule):
        for name in exported_names(imported):
            value = getattr(imported, name, MISSING)
            if value is not MISSING:
                state.namespace[name] = value.resolve() if type(value) is Pending else value
        return
    bound = [name for name in state.namespace if not name.startswith("__")]
    if not isinstance(imported, SourceModule):
        exported = set(exported_names(imported))
        bound = [name for name in bound if name in exported]
    for name in bound:
        value = state._from_star_imports([star], name, bind=False)
        if value is not MISSING:
            state.namespace[name] = value
    state.stars = (*state.stars, star)


def _importer(frame: Frame) -> str:
    return str(frame.globals.get("__name__", ""))
