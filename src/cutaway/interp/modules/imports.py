"""What import statements of the target bind, and what they evaluate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core.unknown import Unknown, other_than_truth
from cutaway.interp.modules.loader import Loader, current
from cutaway.interp.modules.module import MISSING, ModuleState, SourceModule, exported_names
from cutaway.interp.run.frame import MODULE_STATE, Frame, Pending, call_at
from cutaway.syntax import resolve


def pending(frame: Frame, bound: str, bring: Callable[[], Any]) -> Pending:
    """Return what an import binds at module level: resolved, and bound for good, on first use."""
    namespace = frame.vars

    def settle() -> Any:
        value = bring()
        if namespace.get(bound) is made:
            namespace[bound] = value
        return value

    made = Pending(settle)
    return made


def importing(frame: Frame, name: str, whole: bool, strict: bool) -> tuple[Callable[[], Any], bool]:
    """Return what brings `import name` (its first package) or `import name as x` (the module itself).

    The second value tells whether everything it evaluates is evaluated.
    """
    loader = current()
    at = frame.place
    if strict:
        loader.require(name, _importer(frame))
    settled = call_at(at, lambda: loader.settle(name)) if not strict else False

    def bring() -> Any:
        module = call_at(at, lambda: loader.load(name, strict))
        if strict and isinstance(module, SourceModule):
            module.__dict__[MODULE_STATE].run(strict=True)
            module = loader.load(name)
        return module if whole else call_at(at, lambda: loader.load(name.partition(".")[0], strict))

    return bring, settled


def importing_from(frame: Frame, module: str, level: int, name: str, strict: bool) -> tuple[Callable[[], Any], bool]:
    """Return what brings `from module import name`, and whether everything it evaluates is evaluated."""
    loader = current()
    at = frame.place
    full = resolve.absolute(frame.globals.get("__package__") or "", module, level)
    if strict:
        loader.require(full, _importer(frame))
    settled = call_at(at, lambda: loader.settle(full)) if not strict else False

    def bring() -> Any:
        source_module = call_at(at, lambda: loader.load(full, strict))
        if isinstance(source_module, Unknown):
            return other_than_truth(source_module)
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
            return Unknown(f"{name} is not found in module {full}", at)
        if isinstance(value, SourceModule) and value.__dict__["__name__"] == f"{full}.{name}":
            return _submodule(loader, f"{full}.{name}")
        return value.resolve() if type(value) is Pending else value

    return bring, settled


def _submodule(loader: Loader, name: str) -> Any:
    loader.settle(name)
    return loader.load(name)


def import_star(frame: Frame, module: str, level: int, strict: bool = False) -> None:
    """Bind what a star import brings, or note it: names are then looked up in it as they are missed."""
    state: ModuleState = frame.globals[MODULE_STATE]
    star = state._star(module, level)
    bring, full = star
    if strict:
        state.loader.require(full, _importer(frame))
        if isinstance(brought := bring(), SourceModule):
            brought.__dict__[MODULE_STATE].run(strict=True)
    settled = state.loader.settle(full)
    brought = bring()
    if settled and isinstance(brought, SourceModule):
        for name in exported_names(brought):
            found = getattr(brought, name, MISSING)
            if found is not MISSING:
                state.namespace[name] = found.resolve() if type(found) is Pending else found
        return
    bound = [name for name in state.namespace if not name.startswith("__")]
    if not isinstance(brought, SourceModule):
        exported = set(exported_names(brought))
        bound = [name for name in bound if name in exported]
    for name in bound:
        found = state._from([star], name, bind=False)
        if found is not MISSING:
            state.namespace[name] = found
    state.stars.append(star)


def _importer(frame: Frame) -> str:
    return str(frame.globals.get("__name__", ""))
