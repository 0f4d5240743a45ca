"""Random tensors: shapes without numbers."""

from __future__ import annotations

from typing import Any

from cutaway.knowledge.base.registry import row
from cutaway.knowledge.keras.tensors.dtypes import standardize
from cutaway.knowledge.keras.tensors.op import Out
from cutaway.knowledge.keras.tensors.shape import sizes_of
from cutaway.knowledge.keras.tensors.tensor import convert
from cutaway.knowledge.tensorflow.rows import tf


def _distribution(kind: str) -> Any:
    def rule(
        shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", seed: Any = None, name: Any = None,
        minval: Any = 0, maxval: Any = None, lam: Any = None, alpha: Any = None, beta: Any = None,
    ) -> Out:  # fmt: skip
        return Out(sizes_of(shape), standardize(dtype))

    return rule


tf("random.normal", "random_normal", "random.stateless_normal")(_distribution("normal"))
tf("random.truncated_normal", "truncated_normal")(_distribution("truncated_normal"))


@tf("random.uniform", "random_uniform", "random.stateless_uniform")
def uniform(shape, minval=0, maxval=None, dtype="float32", seed=None, name=None):
    return Out(sizes_of(shape), standardize(dtype))


@tf("random.poisson", "random_poisson")
def poisson(shape, lam, dtype="float32", seed=None, name=None):
    return Out((*sizes_of(shape), *convert(lam)._shape), standardize(dtype))


@tf("random.gamma", "random_gamma")
def gamma(shape, alpha, beta=None, dtype="float32", seed=None, name=None):
    return Out((*sizes_of(shape), *convert(alpha)._shape), standardize(dtype))


@tf("random.shuffle", "random_shuffle")
def shuffle(value, seed=None, name=None):
    x = convert(value)
    return Out(x._shape, x._dtype)


@tf("random.categorical", "multinomial")
def categorical(logits, num_samples, dtype="int64", seed=None, name=None):
    return Out((convert(logits)._shape[0], num_samples), standardize(dtype))


@row("tensorflow.random.set_seed", "tensorflow.set_random_seed", "tensorflow.random.set_random_seed")
def set_seed(seed: Any) -> None:
    """Random numbers are not known anyway."""
