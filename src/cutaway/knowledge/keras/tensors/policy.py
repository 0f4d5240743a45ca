"""Dtype policies: the type that weights are kept in, and the one that a layer computes in."""

from __future__ import annotations

from typing import Any

from cutaway.core.program_state import Key
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.keras.tensors.dtypes import FLOATX, DType, floatx, standardize

_MIXED = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}


@row(
    "keras.DTypePolicy",
    "keras.dtype_policies.DTypePolicy",
    "keras.mixed_precision.Policy",
    "keras.mixed_precision.DTypePolicy",
    "keras.src.dtype_policies.DTypePolicy",
)
class DTypePolicy:
    """What `dtype=` of a layer means."""

    def __init__(self, name: Any = None) -> None:
        self.name = str(floatx()) if name is None else str(name) if isinstance(name, str) else str(standardize(name))
        mixed = _MIXED.get(self.name)
        self.compute_dtype: DType = standardize(mixed or self.name)
        self.variable_dtype: DType = standardize("float32" if mixed else self.name)
        self.quantization_mode = None

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name}

    def __repr__(self) -> str:
        return f'<DTypePolicy "{self.name}">'


_POLICY: Key[DTypePolicy] = Key(DTypePolicy)


@row("keras.dtype_policies.get", "keras.src.dtype_policies.get")
def policy(dtype: Any) -> DTypePolicy:
    """Return the policy that a layer's `dtype` names, or the program's."""
    if isinstance(dtype, DTypePolicy):
        return dtype
    if dtype is None:
        return dtype_policy()
    return DTypePolicy(dtype)


@row(
    "keras.config.dtype_policy",
    "keras.mixed_precision.dtype_policy",
    "keras.mixed_precision.global_policy",
    "keras.src.dtype_policies.dtype_policy.dtype_policy",
)
def dtype_policy() -> DTypePolicy:
    return _POLICY.peek() or DTypePolicy()


@row(
    "keras.config.set_dtype_policy",
    "keras.mixed_precision.set_dtype_policy",
    "keras.mixed_precision.set_global_policy",
    "keras.mixed_precision.experimental.set_policy",
    "keras.src.dtype_policies.dtype_policy.set_dtype_policy",
)
def set_dtype_policy(policy: Any) -> None:
    _POLICY.set(policy if isinstance(policy, DTypePolicy) else DTypePolicy(policy))


@row("keras.config.floatx", "keras.backend.floatx", "keras.src.backend.floatx")
def get_floatx() -> str:
    return str(floatx())


@row("keras.config.set_floatx", "keras.backend.set_floatx", "keras.src.backend.set_floatx")
def set_floatx(value: Any) -> None:
    FLOATX.set(standardize(value))
