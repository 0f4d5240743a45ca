"""What a layer's arguments may name by a text: activations, initializers, regularizers, constraints."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import TABLE, KnownModule, register, row
from cutaway.knowledge.keras.tensors.shape import sizes_of
from cutaway.knowledge.keras.tensors.tensor import new

ops = KnownModule("keras.ops")


@row("keras.activations.linear", "keras.src.activations.linear")
def linear(x: Any) -> Any:
    return x


@row("keras.activations.relu", "keras.src.activations.relu")
def relu(x: Any, negative_slope: Any = 0.0, max_value: Any = None, threshold: Any = 0.0) -> Any:
    if threshold == 0.0 and max_value == 6 and negative_slope == 0.0:
        return ops.relu6(x)
    if threshold == 0.0 and max_value is None and negative_slope != 0.0:
        return ops.leaky_relu(x, negative_slope=negative_slope)
    return ops.relu(x)


@row("keras.activations.softmax", "keras.src.activations.softmax")
def softmax(x: Any, axis: Any = -1) -> Any:
    return ops.softmax(x, axis=axis)


@row("keras.activations.log_softmax", "keras.src.activations.log_softmax")
def log_softmax(x: Any, axis: Any = -1) -> Any:
    return ops.log_softmax(x, axis=axis)


@row("keras.activations.gelu", "keras.src.activations.gelu")
def gelu(x: Any, approximate: Any = False) -> Any:
    return ops.gelu(x, approximate)


@row("keras.activations.elu", "keras.src.activations.elu")
def elu(x: Any, alpha: Any = 1.0) -> Any:
    return ops.elu(x, alpha=alpha)


@row("keras.activations.celu", "keras.src.activations.celu")
def celu(x: Any, alpha: Any = 1.0) -> Any:
    return ops.celu(x, alpha=alpha)


@row("keras.activations.leaky_relu", "keras.src.activations.leaky_relu")
def leaky_relu(x: Any, negative_slope: Any = 0.2) -> Any:
    return ops.leaky_relu(x, negative_slope=negative_slope)


@row("keras.activations.mish", "keras.src.activations.mish")
def mish(x: Any) -> Any:
    return ops.multiply(x, ops.tanh(ops.softplus(x)))


def _activation(name: str, function: str) -> None:
    def activation(x: Any) -> Any:
        return getattr(ops, function)(x)

    activation.__name__ = activation.__qualname__ = name
    activation.__module__ = "keras.src.activations.activations"
    for start in ("keras.activations", "keras.src.activations"):
        register(f"{start}.{name}", activation)


_SIMPLE = {
    name: name
    for name in """sigmoid tanh softplus softsign silu hard_sigmoid hard_silu hard_tanh selu relu6
log_sigmoid sparse_plus sparse_sigmoid squareplus tanh_shrink hard_shrink soft_shrink sparsemax glu threshold""".split()
}
_SIMPLE.update(swish="silu", hard_swish="hard_silu", exponential="exp")
for _name, _function in _SIMPLE.items():
    _activation(_name, _function)
for _function_of_ours in (linear, relu, softmax, log_softmax, gelu, elu, celu, leaky_relu, mish):
    _function_of_ours.__module__ = "keras.src.activations.activations"


@row("keras.activations.get", "keras.src.activations.get")
def get_activation(identifier: Any) -> Any:
    """Return the function that an `activation` argument names."""
    if identifier is None:
        return linear
    if isinstance(identifier, str):
        name = f"keras.activations.{identifier}"
        if name not in TABLE:
            raise ArgumentFault(f"there is no activation {identifier!r}", FaultCode.INVALID_ARGUMENT)
        return TABLE[name]
    if isinstance(identifier, dict):
        return get_activation(identifier.get("config", {}).get("name") or identifier.get("class_name"))
    return identifier


@row("keras.activations.serialize", "keras.activations.deserialize", "keras.src.activations.serialize")
def serialize_activation(activation: Any) -> Any:
    return getattr(activation, "__name__", activation)


class Initializer:
    """How the numbers of a weight begin; they are not known."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._arguments = (args, kwargs)

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        return new(sizes_of(shape), dtype)

    def get_config(self) -> dict[str, Any]:
        return dict(self._arguments[1])

    @classmethod
    def from_config(cls, config: Any) -> Any:
        return cls(**config)

    def clone(self) -> Any:
        return self


class Regularizer(Initializer):
    """A penalty on the numbers of a weight or of an output."""

    def __call__(self, x: Any, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        return new((), "float32")


class Constraint(Initializer):
    """A limit on the numbers of a weight."""

    def __call__(self, w: Any, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        return w


_INITIALIZERS = """Zeros Ones Constant Identity Orthogonal GlorotUniform GlorotNormal HeNormal HeUniform LecunNormal
LecunUniform RandomNormal RandomUniform TruncatedNormal VarianceScaling STFT""".split()
_CONSTRAINTS = "MaxNorm MinMaxNorm NonNeg UnitNorm".split()
_REGULARIZERS = "L1 L2 L1L2 OrthogonalRegularizer".split()
_FORMER = {
    "RandomNormal": "random_normal normal", "RandomUniform": "random_uniform uniform",
    "IdentityInitializer": "identity", "OrthogonalInitializer": "orthogonal", "MaxNorm": "max_norm",
    "MinMaxNorm": "min_max_norm", "NonNeg": "non_neg", "UnitNorm": "unit_norm", "L1": "l1", "L2": "l2",
    "L1L2": "l1_l2", "Zeros": "zeros zero", "Ones": "ones one", "Constant": "constant", "Identity": "identity",
    "Orthogonal": "orthogonal", "TruncatedNormal": "truncated_normal", "VarianceScaling": "variance_scaling",
    "GlorotUniform": "glorot_uniform", "GlorotNormal": "glorot_normal", "HeNormal": "he_normal",
    "HeUniform": "he_uniform", "LecunNormal": "lecun_normal", "LecunUniform": "lecun_uniform",
    "OrthogonalRegularizer": "orthogonal_regularizer",
}  # fmt: skip


def _classes(area: str, base: type, names: list[str]) -> None:
    register(f"keras.{area}.{base.__name__}", base)
    register(f"keras.src.{area}.{base.__name__}", base)
    for name in names:
        cls = type(name, (base,), {"__module__": f"keras.src.{area}"})
        for label in (name, *_FORMER.get(name, "").split()):
            register(f"keras.{area}.{label}", cls)
            register(f"keras.src.{area}.{label}", cls)

    def get(identifier: Any) -> Any:
        if isinstance(identifier, str):
            found = TABLE.get(f"keras.{area}.{identifier}")
            if found is None:
                raise ArgumentFault(f"there is no {base.__name__.lower()} {identifier!r}", FaultCode.INVALID_ARGUMENT)
            return found()
        if isinstance(identifier, type) and not isinstance(identifier, Unknown):
            return identifier()
        return identifier

    for start in ("keras", "keras.src"):
        register(f"{start}.{area}.get", get)
        register(f"{start}.{area}.serialize", lambda obj: obj)
        register(f"{start}.{area}.deserialize", lambda obj: obj)


_classes("initializers", Initializer, _INITIALIZERS)
_classes("regularizers", Regularizer, _REGULARIZERS)
_classes("constraints", Constraint, _CONSTRAINTS)


def get_initializer(identifier: Any) -> Any:
    """Return the initializer that an argument names."""
    return TABLE["keras.initializers.get"](identifier)
