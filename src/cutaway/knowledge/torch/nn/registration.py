"""What may be assigned to a module: the checks that registering a parameter, a buffer or a submodule makes."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import AttributeFault
from cutaway.core.fault_code import FaultCode


def not_initialized(what: str) -> AttributeFault:
    """Return the fault of registering something before `Module.__init__` has made the tables."""
    return AttributeFault(f"cannot assign {what} before Module.__init__() call", FaultCode.NOT_INITIALIZED)


def require_kind(value: Any, kinds: Any, role: str) -> None:
    """Raise where a name that holds a part of a module gets something else."""
    if value is not None and not isinstance(value, kinds):
        raise TypeError(f"cannot assign '{type(value).__name__}' as {role}")
