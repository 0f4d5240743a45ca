"""`keras.backend`: the functions by which layers and losses of earlier Keras are written."""

from __future__ import annotations

from typing import Any

from cutaway.knowledge.base.registry import KnownModule, lookup, register, row
from cutaway.knowledge.keras.ops.core import shape
from cutaway.knowledge.keras.tensors.shape import seen
from cutaway.knowledge.keras.tensors.tensor import convert

ops = KnownModule("keras.ops")
_SAME = """abs argmax argmin cast clip concatenate cos cumprod cumsum dot elu equal exp expand_dims floor greater
greater_equal hard_sigmoid less less_equal log log_softmax logsumexp max maximum mean min minimum not_equal one_hot
ones_like relu repeat reshape round sigmoid sign sin softmax softplus softsign sqrt square squeeze stack std stop_gradient
sum tanh tile transpose var zeros_like prod any all""".split()


def _function(name: str, behind: str) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(ops, behind)(*args, **kwargs)

    call.__name__ = name
    return call


for _name in _SAME:
    register(f"keras.backend.{_name}", _function(_name, _name))
for _name, _behind in (("pow", "power"), ("permute_dimensions", "transpose"), ("gather", "take"), ("reverse", "flip")):
    register(f"keras.backend.{_name}", _function(_name, _behind))


@row("keras.backend.flatten")
def flatten(x: Any) -> Any:
    return ops.reshape(x, (-1,))


@row("keras.backend.batch_flatten")
def batch_flatten(x: Any) -> Any:
    return ops.reshape(x, (shape(x)[0], -1))


@row("keras.backend.int_shape")
def int_shape(x: Any) -> Any:
    return seen(convert(x)._shape)


@row("keras.backend.shape")
def tensor_shape(x: Any) -> Any:
    return shape(x)


@row("keras.backend.batch_dot")
def batch_dot(x: Any, y: Any, axes: Any = None) -> Any:
    left, right = len(shape(x)), len(shape(y))
    chosen = axes if axes is not None else [left - 1, max(right - 2, 1)]
    return lookup("keras.layers.Dot")(axes=chosen)([x, y])


@row("keras.backend.random_normal", "keras.backend.random_uniform", "keras.backend.truncated_normal")
def random_tensor(shape: Any, *_args: Any, dtype: Any = None, **_kwargs: Any) -> Any:
    return KnownModule("keras.random").normal(shape, dtype=dtype)


@row("keras.backend.l2_normalize")
def l2_normalize(x: Any, axis: Any = None) -> Any:
    return ops.normalize(x, axis=-1 if axis is None else axis)


@row("keras.backend.binary_crossentropy", "keras.backend.categorical_crossentropy")
def crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    return ops.binary_crossentropy(target, output, from_logits)


@row("keras.backend.epsilon", "keras.config.epsilon", "keras.src.backend.epsilon")
def epsilon() -> float:
    return 1e-7


@row("keras.backend.learning_phase")
def learning_phase() -> int:
    return 0


@row("keras.backend.set_learning_phase", "keras.backend.set_session", "keras.backend.set_epsilon")
def nothing(value: Any) -> None:
    """It changes nothing of a network's structure."""
