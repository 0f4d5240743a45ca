"""What trains a graph of TensorFlow 1: optimizers and gradients. Nothing is trained; losses are looked at."""

from __future__ import annotations

from typing import Any

from cutaway.knowledge.base.registry import register, row
from cutaway.knowledge.keras.tensors.dtypes import standardize
from cutaway.knowledge.keras.tensors.shape import symbolic
from cutaway.knowledge.keras.tensors.tensor import new
from cutaway.knowledge.tensorflow.graph_mode.graph import default_graph
from cutaway.knowledge.tensorflow.graph_mode.session import Step


def _step(*sources: Any, **_kwargs: Any) -> Step:
    return Step(*sources)


for _name in """global_variables_initializer initialize_all_variables local_variables_initializer tables_initializer
initialize_local_variables variables_initializer no_op group initialize_variables initialize_all_tables
report_uninitialized_variables""".split():
    register(f"tensorflow.{_name}", _step)
    register(f"tensorflow.compat.v1.{_name}", _step)


class Optimizer:
    """An optimizer of TensorFlow 1."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        pass

    def minimize(self, loss: Any, *_args: Any, **_kwargs: Any) -> Step:
        default_graph().losses[id(loss)] = loss
        return Step(loss)

    def compute_gradients(self, loss: Any, var_list: Any = None, **_kwargs: Any) -> list[Any]:
        default_graph().losses[id(loss)] = loss
        return [(v, v) for v in (var_list or default_graph().variables)]

    def apply_gradients(self, *_args: Any, **_kwargs: Any) -> Step:
        return Step()


for _name in "Adam GradientDescent RMSProp Adagrad Momentum Adadelta Ftrl ProximalAdagrad SyncReplicas".split():
    for _start in ("tensorflow.train", "tensorflow.compat.v1.train"):
        register(f"{_start}.{_name}Optimizer", type(f"{_name}Optimizer", (Optimizer,), {"__module__": _start}))


@row("tensorflow.gradients", "tensorflow.compat.v1.gradients")
def gradients(ys: Any, xs: Any, *_args: Any, **_kwargs: Any) -> list[Any]:
    return list(xs) if isinstance(xs, (list, tuple)) else [xs]


def _rate(learning_rate: Any = None, *_args: Any, **_kwargs: Any) -> Any:
    return new((), "float32")


for _name in "exponential_decay piecewise_constant polynomial_decay natural_exp_decay inverse_time_decay".split():
    register(f"tensorflow.train.{_name}", _rate)
    register(f"tensorflow.compat.v1.train.{_name}", _rate)


def _initializer(*_args: Any, **_kwargs: Any) -> Any:
    return lambda shape, dtype=None, **_k: new(symbolic(shape, "w"), standardize(dtype))


for _name in """random_normal_initializer truncated_normal_initializer constant_initializer zeros_initializer
ones_initializer random_uniform_initializer glorot_uniform_initializer glorot_normal_initializer
contrib.layers.xavier_initializer contrib.layers.xavier_initializer_conv2d variance_scaling_initializer
contrib.layers.variance_scaling_initializer orthogonal_initializer contrib.layers.l2_regularizer
contrib.layers.l1_regularizer uniform_unit_scaling_initializer initializers.variables initializers.global_variables
initializers.zeros initializers.ones initializers.truncated_normal initializers.random_normal initializers.constant
initializers.random_uniform initializers.variance_scaling initializers.glorot_uniform initializers.orthogonal""".split():
    register(f"tensorflow.compat.v1.{_name}", _initializer)
    if not _name.startswith("initializers."):
        register(f"tensorflow.{_name}", _initializer)
