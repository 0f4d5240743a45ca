"""Variables: where a name is bound, and the closures that read and bind it."""

from __future__ import annotations

import builtins as host_builtins
import sys
import types
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.interp.modules.module import MISSING, ModuleState
from cutaway.interp.run.frame import HIDDEN, Evaluate, Frame, Pending
from cutaway.interp.stdlib.builtins import BUILTINS
from cutaway.syntax.scope import Scope

_NOTHING = object()

_OLD = sys.version_info < (3, 11)

_UNBOUND = (
    "local variable '{}' referenced before assignment"
    if _OLD
    else "cannot access local variable '{}' where it is not associated with a value"
)

_UNBOUND_FREE = (
    "free variable '{}' referenced before assignment in enclosing scope"
    if _OLD
    else "cannot access free variable '{}' where it is not associated with a value in enclosing scope"
)


def unbound_local(name: str) -> UnboundLocalError:
    """Return the error of reading or deleting a local variable that has no value."""
    return UnboundLocalError(_UNBOUND.format(name))


def load_local(name: str) -> Evaluate:
    """Return the closure that reads a variable of the function itself."""

    def evaluate(frame: Frame) -> Any:
        try:
            return frame.vars[name]
        except KeyError:
            pass
        raise unbound_local(name)

    return evaluate


def load_enclosing(name: str, depth: int) -> Evaluate:
    """Return the closure that reads a variable of an enclosing function, so many activations out."""

    def evaluate(frame: Frame) -> Any:
        for _ in range(depth):
            frame = frame.parent  # type: ignore[assignment]
        try:
            return frame.vars[name]
        except KeyError:
            pass
        raise NameError(_UNBOUND_FREE.format(name), name=name)

    return evaluate


def load_global(name: str) -> Evaluate:
    """Return the closure that reads a variable of the module, or a built-in name."""
    pass

    builtin = BUILTINS.get(name, _NOTHING)

    def evaluate(frame: Frame) -> Any:
        value = frame.globals.get(name, _NOTHING)
        if value is _NOTHING:
            home = frame.globals.get(HIDDEN)
            if builtin is not _NOTHING and (home is None or not home.stars):  # nothing else brings the name
                return builtin
            return missing_global(frame.globals, name)
        return value.resolve() if type(value) is Pending else value

    return evaluate


def load_class_variable(name: str, outside: Evaluate) -> Evaluate:
    """Read a variable in a class body: its own, or the one of the function or module around it."""

    def evaluate(frame: Frame) -> Any:
        if name in frame.vars:
            return frame.vars[name]
        return outside(frame)

    return evaluate


_EMPTY = types.CellType()


def load_class(frame: Frame) -> Any:
    """Return what `__class__` means in a method: the class whose body the method is written in."""
    around: Frame | None = frame
    while around is not None and (around.function is None or around.function.cell is None):
        around = around.parent
    if around is None:
        raise NameError("name '__class__' is not defined", name="__class__")
    if around.function.cell == _EMPTY:
        raise RuntimeError("super(): empty __class__ cell")
    return around.function.cell.cell_contents


def located(scope: Scope, name: str) -> Callable[[Frame], dict[str, Any]]:
    """Return the closure that finds the namespace in which a scope binds a name."""
    where = scope.declared.get(name)
    if where is None and scope.kind in ("module", "class"):
        return lambda frame: frame.vars
    depth = scope.depth_of(name)
    if where == "global" or depth is None:
        return lambda frame: frame.globals
    if depth == 0:
        return lambda frame: frame.vars

    def enclosing(frame: Frame) -> dict[str, Any]:
        for _ in range(depth):
            frame = frame.parent  # type: ignore[assignment]
        variables: dict[str, Any] = frame.vars
        return variables

    return enclosing


def assign_name(scope: Scope, name: str) -> Callable[[Frame, Any], None]:
    """Return the closure that binds a name where a scope binds it."""
    if scope.declared.get(name) is None and (scope.kind != "comprehension" or name in scope.bound):

        def assign_local(frame: Frame, value: Any) -> None:
            frame.vars[name] = value

        return assign_local
    holder = located(scope, name)

    def assign(frame: Frame, value: Any) -> None:
        holder(frame)[name] = value

    return assign


def missing_global(namespace: dict[str, Any], name: str) -> Any:
    """Return a name that a module's namespace does not have yet: brought by a star, or built in."""
    state: ModuleState | None = namespace.get(HIDDEN)
    if state is not None:
        found = state.from_stars(name, MISSING)
        if found is not MISSING:
            return found

    if name in BUILTINS:
        return BUILTINS[name]
    if hasattr(host_builtins, name):
        return session.current().unknown(f"the built-in {name} is out of reach of the target")
    if state is not None:
        found = state._from_unknown_star(name)
        if found is not MISSING:
            return found
    raise NameError(f"name '{name}' is not defined", name=name)
