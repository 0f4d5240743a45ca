"""How much of the public API of torch the knowledge tables model."""

from __future__ import annotations

import inspect
import types
from dataclasses import dataclass
from typing import Any

NAMESPACES = (
    "torch",
    "torch.Tensor",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.utils",
    "torch.nn.utils.rnn",
    "torch.nn.utils.parametrizations",
    "torch.linalg",
    "torch.fft",
    "torch.special",
)


@dataclass(frozen=True)
class Coverage:
    """The public names of one namespace, and those of them that have no row."""

    namespace: str
    public: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def share(self) -> float:
        """Return the modelled part, between 0 and 1."""
        return 1 - len(self.missing) / len(self.public)


def measure() -> list[Coverage]:
    """Compare the tables with the installed torch."""
    from cutaway.knowledge.base import registry
    from cutaway.knowledge.torch.tensor.tensor import Tensor

    registry.load("torch")
    registry.load_rest()
    found = []
    for namespace in NAMESPACES:
        public = public_names(namespace)
        missing = tuple(
            name
            for name in public
            if f"{namespace}.{name}" not in registry.TABLE
            and not (namespace == "torch.Tensor" and hasattr(Tensor, name))
        )
        found.append(Coverage(namespace, public, missing))
    return found


def public_names(namespace: str) -> tuple[str, ...]:
    """Return the documented functions (and classes, for modules; attributes, for `torch.Tensor`) of a namespace."""
    import torch

    owner: Any = torch
    for part in namespace.split(".")[1:]:
        owner = getattr(owner, part)
    return tuple(name for name in sorted(dir(owner)) if _is_public(namespace, owner, name))


def _is_public(namespace: str, owner: Any, name: str) -> bool:
    if name.startswith("_"):
        return namespace == "torch.Tensor" and name in _OPERATORS
    value = inspect.getattr_static(owner, name)
    if namespace == "torch.Tensor":
        return not isinstance(value, types.ModuleType)
    value = getattr(owner, name)
    if not callable(value) or isinstance(value, types.ModuleType) or not getattr(value, "__doc__", None):
        return False
    home = str(getattr(value, "__module__", None) or "torch")
    if not home.startswith("torch"):
        return False
    if namespace == "torch":
        return not isinstance(value, type)
    if name in _HELPERS:
        return False
    return not namespace.startswith("torch.nn.utils") or home.startswith("torch.nn.utils")


_HELPERS = {"has_torch_function", "has_torch_function_unary", "has_torch_function_variadic"}
"""Names in a namespace that are not part of its own interface."""


_OPERATORS = {
    f"__{name}__"
    for name in (
        "abs add and bool complex contains deepcopy div eq float floordiv format ge getitem gt hash iadd iand idiv "
        "ifloordiv ilshift imod imul index int invert ior ipow irshift isub iter itruediv ixor le len lshift lt "
        "matmul mod mul ne neg or pos pow radd rand rdiv rfloordiv rlshift rmatmul rmod rmul ror rpow rrshift "
        "rshift rsub rtruediv rxor setitem sub truediv xor"
    ).split()
}
