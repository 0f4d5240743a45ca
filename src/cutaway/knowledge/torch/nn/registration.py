"""What may be assigned to a module: the checks that registering a parameter, a buffer or a submodule makes."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from cutaway.core.fault import AttributeFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.protocols import is_module_class
from cutaway.knowledge.torch.tensor.tensor import Tensor

_CERTAIN = (bool, int, float, complex, str, bytes, list, tuple, dict, set, FunctionType, Tensor)
"""Classes of objects that are what they seem to be: a model of a library does not use them for something else."""


def not_initialized(what: str) -> AttributeFault:
    """Return the fault of registering something before `Module.__init__` has made the tables."""
    return AttributeFault(f"cannot assign {what} before Module.__init__() call", FaultCode.NOT_INITIALIZED)


def require_kind(value: Any, kinds: Any, role: str) -> None:
    """Raise where a name that holds a part of a module gets something else."""
    if value is not None and not isinstance(value, kinds):
        raise wrong_kind(value, f"cannot assign '{type(value).__name__}' as {role}")


def wrong_kind(value: Any, message: str) -> TypeError:
    """Return the exception for a value that is not a part of a module: a fault if that is certain."""
    is_certain = isinstance(value, _CERTAIN) or is_module_class(value)
    return TypeFault(message, FaultCode.WRONG_TYPE) if is_certain else TypeError(message)
