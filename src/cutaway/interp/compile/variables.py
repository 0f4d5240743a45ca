"""Variables: the scope in which a name is bound, and closures that read and bind it."""

from __future__ import annotations

import builtins as host_builtins
import sys
import types
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.interp.modules.module import MISSING, ModuleState
from cutaway.interp.run.frame import MODULE_STATE, Evaluate, Frame, Pending
from cutaway.interp.run.origin import Operation, note
from cutaway.interp.stdlib.builtins import BUILTINS
from cutaway.syntax.scope import Scope

_UNDEFINED = object()

_BEFORE_3_11 = sys.version_info < (3, 11)

_UNBOUND_LOCAL = (
    "local variable '{}' referenced before assignment"
    if _BEFORE_3_11
    else "cannot access local variable '{}' where it is not associated with a value"
)

_UNBOUND_FREE = (
    "free variable '{}' referenced before assignment in enclosing scope"
    if _BEFORE_3_11
    else "cannot access free variable '{}' where it is not associated with a value in enclosing scope"
)


def unbound_local(name: str) -> BaseException:
    """Return the error of reading or deleting a local variable that has no value."""
    return note(UnboundLocalError(_UNBOUND_LOCAL.format(name)), Operation.NAME, name)


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
    """Return the closure that reads a variable of an enclosing function, `depth` frames out."""

    def evaluate(frame: Frame) -> Any:
        for _ in range(depth):
            frame = frame.parent  # type: ignore[assignment]
        try:
            return frame.vars[name]
        except KeyError:
            pass
        raise note(NameError(_UNBOUND_FREE.format(name), name=name), Operation.NAME, name)

    return evaluate


def load_global(name: str) -> Evaluate:
    """Return the closure that reads a variable of the module, or a built-in name."""
    builtin = BUILTINS.get(name, _UNDEFINED)

    def evaluate(frame: Frame) -> Any:
        value = frame.globals.get(name, _UNDEFINED)
        if value is _UNDEFINED:
            state = frame.globals.get(MODULE_STATE)
            if builtin is not _UNDEFINED and (state is None or not state.stars):  # no star import provides the name
                return builtin
            return resolve_missing_global(frame.globals, name)
        return value.resolve() if type(value) is Pending else value

    return evaluate


def load_class_variable(name: str, load_outer: Evaluate) -> Evaluate:
    """Return the closure that reads a variable in a class body: of the class, or of the enclosing scope."""

    def evaluate(frame: Frame) -> Any:
        if name in frame.vars:
            return frame.vars[name]
        return load_outer(frame)

    return evaluate


_EMPTY = types.CellType()


def load_class(frame: Frame) -> Any:
    """Return the value of `__class__` in a method: the class whose body contains the method."""
    enclosing: Frame | None = frame
    while enclosing is not None and (enclosing.function is None or enclosing.function.cell is None):
        enclosing = enclosing.parent
    if enclosing is None:
        raise NameError("name '__class__' is not defined", name="__class__")
    if enclosing.function.cell == _EMPTY:
        raise RuntimeError("super(): empty __class__ cell")
    return enclosing.function.cell.cell_contents


def binding_namespace(scope: Scope, name: str) -> Callable[[Frame], dict[str, Any]]:
    """Return the closure that returns the namespace in which a scope binds a name."""
    declaration = scope.declared.get(name)
    if declaration is None and scope.kind in ("module", "class"):
        return lambda frame: frame.vars
    depth = scope.depth_of(name)
    if declaration == "global" or depth is None:
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
    namespace_of = binding_namespace(scope, name)

    def assign(frame: Frame, value: Any) -> None:
        namespace_of(frame)[name] = value

    return assign


def resolve_missing_global(namespace: dict[str, Any], name: str) -> Any:
    """Return the value of a name that is not in a module's namespace: star-imported, or built in."""
    state: ModuleState | None = namespace.get(MODULE_STATE)
    if state is not None:
        value = state.from_stars(name, MISSING)
        if value is not MISSING:
            return value

    if name in BUILTINS:
        return BUILTINS[name]
    if hasattr(host_builtins, name):
        return session.current().unknown(f"built-in {name} is not available to the analysed code")
    if state is not None:
        value = state._from_unknown_star(name)
        if value is not MISSING:
            return value
    raise note(NameError(f"name '{name}' is not defined", name=name), Operation.NAME, name)
