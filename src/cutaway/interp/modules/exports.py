"""The names of a module: those that it does not have yet, all of them, and those that a star import brings."""

from __future__ import annotations

import builtins as host_builtins
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown
from cutaway.interp.modules.loader import HIDDEN, MISSING, ModuleState, SourceModule
from cutaway.interp.modules.namespace import Namespace


def missing_global(namespace: dict[str, Any], name: str) -> Any:
    """Return a name that a module's namespace does not have yet: brought by a star, or built in."""
    state: ModuleState | None = namespace.get(HIDDEN)
    if state is not None:
        found = state.from_stars(name, MISSING)
        if found is not MISSING:
            return found
    from cutaway.interp.stdlib.builtins import BUILTINS

    if name in BUILTINS:
        return BUILTINS[name]
    if hasattr(host_builtins, name):
        return session.current().unknown(f"the built-in {name} is out of reach of the target")
    if state is not None:
        found = state._from_unknown_star(name)
        if found is not MISSING:
            return found
    raise NameError(f"name '{name}' is not defined", name=name)


def every_name(module: SourceModule) -> Namespace:
    """Return a module's names as its target sees them."""
    state: ModuleState = module.__dict__[HIDDEN]
    state.run()
    return Namespace(state)


def exported_names(module: Any) -> list[str]:
    """Return the names that a star import of a module brings."""
    if isinstance(module, Unknown):
        return []
    exported = getattr(module, "__all__", None)
    if isinstance(exported, (list, tuple)):
        return [name for name in exported if isinstance(name, str)]
    names = list(every_name(module)) if isinstance(module, SourceModule) else dir(module)
    return [name for name in names if not name.startswith("_")]
