"""Layers of TensorFlow 1 as functions that make variables: `tf.layers`, `tf.contrib.layers` and `slim`."""

from __future__ import annotations

import functools
from typing import Any

from cutaway.core.program_state import Key
from cutaway.core.size.dim import Dim, product
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import lookup, register
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.tensors.tensor import convert
from cutaway.knowledge.tensorflow.graph_mode.graph import Scope, build, unique
from cutaway.knowledge.tensorflow.graph_mode.variables import get_variable

_ARG_SCOPES: Key[list[dict[Any, dict[str, Any]]]] = Key(lambda: [{}])

_CONTRIB = ("tensorflow.contrib.layers", "tensorflow.contrib.slim", "tf_slim", "tensorflow.contrib.framework")


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    """Call a row of TensorFlow's."""
    return lookup(f"tensorflow.{name}")(*args, **kwargs)


def _numbers(value: Any, rank: int) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value] * rank


def _channels_first(data_format: Any) -> bool:
    return isinstance(data_format, str) and (data_format == "channels_first" or data_format.upper().startswith("NC"))


def _activated(value: Any, activation: Any) -> Any:
    if activation is None:
        return value
    return _call(f"nn.{activation}", value) if isinstance(activation, str) else activation(value)


def _scope(name: Any, default: str, reuse: Any) -> Scope:
    if isinstance(name, Unknown):
        name = None
    return Scope(name if name is not None else unique(default), reuse=reuse)


def connected(inputs: Any, units: Any, weights: str, biases: str | None) -> Any:
    """Multiply the last axis of a tensor with a matrix, and add a bias."""
    x = known_rank(inputs)
    kernel = get_variable(weights, [x._shape[-1], units], dtype=x._dtype)
    made = (
        _call("matmul", x, kernel) if len(x._shape) == 2 else _call("tensordot", x, kernel, [[len(x._shape) - 1], [0]])
    )
    return made if biases is None else _call("nn.bias_add", made, get_variable(biases, [units], dtype=x._dtype))


def convolved(
    inputs: Any, filters: Any, size: Any, steps: Any, padding: Any, rate: Any, data_format: Any, names: Any, rank: int
) -> Any:
    """Convolve a tensor, and add a bias."""
    x = known_rank(inputs)
    first = _channels_first(data_format)
    channels = x._shape[1 if first else -1]
    kernel = get_variable(names[0], [*_numbers(size, rank), channels, filters], dtype=x._dtype)
    order = {1: "NCW", 2: "NCHW", 3: "NCDHW"}[rank] if first else None
    made = _call("nn.convolution", x, kernel, strides=_numbers(steps, rank), padding=str(padding).upper(),
                 dilations=_numbers(rate, rank), data_format=order)  # fmt: skip
    if names[1] is None:
        return made
    return _call("nn.bias_add", made, get_variable(names[1], [filters], dtype=x._dtype), data_format=order)


def grown(inputs: Any, filters: Any, size: Any, steps: Any, padding: Any, data_format: Any, names: Any) -> Any:
    """Convolve a tensor to a larger one, and add a bias."""
    x = known_rank(inputs)
    first = _channels_first(data_format)
    channels = x._shape[1 if first else -1]
    sizes, strides = _numbers(size, 2), _numbers(steps, 2)
    kernel = get_variable(names[0], [*sizes, filters, channels], dtype=x._dtype)
    extents = x._shape[2:] if first else x._shape[1:3]
    grown_to = [
        extent * stride + (max(extent_size - stride, 0) if str(padding).upper() == "VALID" else 0)
        for extent, stride, extent_size in zip(extents, strides, sizes)
    ]
    shape = [x._shape[0], filters, *grown_to] if first else [x._shape[0], *grown_to, filters]
    order = "NCHW" if first else "NHWC"
    made = _call("nn.conv2d_transpose", x, kernel, shape, strides, str(padding).upper(), order)
    if names[1] is None:
        return made
    return _call("nn.bias_add", made, get_variable(names[1], [filters], dtype=x._dtype), data_format=order)


def separated(
    inputs: Any, filters: Any, size: Any, multiplier: Any, steps: Any, padding: Any, names: Any, rate: Any = 1
) -> Any:
    """Convolve each channel by itself, and mix them if a number of filters is given."""
    x = known_rank(inputs)
    channels = x._shape[-1]
    depthwise = get_variable(names[0], [*_numbers(size, 2), channels, multiplier], dtype=x._dtype)
    strides = [1, *_numbers(steps, 2), 1]
    if filters is None:
        made = _call("nn.depthwise_conv2d", x, depthwise, strides, str(padding).upper(), dilations=_numbers(rate, 2))
        filters = channels * multiplier
    else:
        pointwise = get_variable(names[1], [1, 1, channels * multiplier, filters], dtype=x._dtype)
        made = _call("nn.separable_conv2d", x, depthwise, pointwise, strides, str(padding).upper(),
                     dilations=_numbers(rate, 2))  # fmt: skip
    if names[2] is None:
        return made
    return _call("nn.bias_add", made, get_variable(names[2], [filters], dtype=x._dtype))


def normalized(inputs: Any, axis: int, center: Any, scale: Any, names: tuple[str, str, str, str]) -> Any:
    """Normalise with averages that are kept."""
    x = known_rank(inputs)
    width = [x._shape[axis]]
    offset = get_variable(names[1], width) if center else None
    factor = get_variable(names[0], width) if scale else None
    mean = get_variable(names[2], width, trainable=False)
    variance = get_variable(names[3], width, trainable=False)
    if axis in (-1, len(x._shape) - 1):
        return _call("nn.batch_normalization", x, mean, variance, offset, factor, 1e-3)
    return _call("identity", x)


def flattened(inputs: Any) -> Any:
    """Put all axes but the first together."""
    x = known_rank(inputs)
    size = product(x._shape[1:])
    return _call("reshape", x, [-1 if isinstance(x._shape[0], Dim) else x._shape[0], size])


def pooled(kind: str, inputs: Any, size: Any, steps: Any, padding: Any, data_format: Any, rank: int = 2) -> Any:
    """Pool windows of a tensor."""
    first = _channels_first(data_format)
    order = {1: "NCW", 2: "NCHW", 3: "NCDHW"}[rank] if first else None
    name = f"nn.{kind}_pool{rank}d"
    return _call(name, inputs, _numbers(size, rank), _numbers(steps, rank), str(padding).upper(), data_format=order)


# tf.layers


def dense(
    inputs: Any, units: Any, activation: Any = None, use_bias: Any = True, *_rest: Any, name: Any = None,
    reuse: Any = None, **_options: Any,
) -> Any:  # fmt: skip
    build()
    with _scope(name, "dense", reuse):
        return _activated(connected(inputs, units, "kernel", "bias" if use_bias else None), activation)


def _conv(rank: int) -> Any:
    def conv(
        inputs: Any, filters: Any, kernel_size: Any, strides: Any = 1, padding: Any = "valid", data_format: Any = None,
        dilation_rate: Any = 1, activation: Any = None, use_bias: Any = True, *_rest: Any, name: Any = None,
        reuse: Any = None, **_options: Any,
    ) -> Any:  # fmt: skip
        build()
        with _scope(name, f"conv{rank}d", reuse):
            names = ("kernel", "bias" if use_bias else None)
            made = convolved(inputs, filters, kernel_size, strides, padding, dilation_rate, data_format, names, rank)
            return _activated(made, activation)

    return conv


def conv2d_transpose(
    inputs: Any, filters: Any, kernel_size: Any, strides: Any = 1, padding: Any = "valid", data_format: Any = None,
    activation: Any = None, use_bias: Any = True, *_rest: Any, name: Any = None, reuse: Any = None, **_options: Any,
) -> Any:  # fmt: skip
    build()
    with _scope(name, "conv2d_transpose", reuse):
        names = ("kernel", "bias" if use_bias else None)
        return _activated(grown(inputs, filters, kernel_size, strides, padding, data_format, names), activation)


def separable_conv2d(
    inputs: Any, filters: Any, kernel_size: Any, strides: Any = 1, padding: Any = "valid", data_format: Any = None,
    dilation_rate: Any = 1, depth_multiplier: Any = 1, activation: Any = None, use_bias: Any = True, *_rest: Any,
    name: Any = None, reuse: Any = None, **_options: Any,
) -> Any:  # fmt: skip
    build()
    with _scope(name, "separable_conv2d", reuse):
        names = ("depthwise_kernel", "pointwise_kernel", "bias" if use_bias else None)
        made = separated(inputs, filters, kernel_size, depth_multiplier, strides, padding, names, dilation_rate)
        return _activated(made, activation)


def batch_normalization(
    inputs: Any, axis: Any = -1, momentum: Any = 0.99, epsilon: Any = 1e-3, center: Any = True, scale: Any = True,
    *_rest: Any, name: Any = None, reuse: Any = None, **_options: Any,
) -> Any:  # fmt: skip
    build()
    with _scope(name, "batch_normalization", reuse):
        return normalized(inputs, axis, center, scale, ("gamma", "beta", "moving_mean", "moving_variance"))


def _pooling(kind: str, rank: int) -> Any:
    def pool(
        inputs: Any, pool_size: Any, strides: Any, padding: Any = "valid", data_format: Any = None, name: Any = None
    ) -> Any:
        return pooled(kind, inputs, pool_size, strides, padding, data_format, rank)

    return pool


def flatten(inputs: Any, name: Any = None, data_format: Any = None) -> Any:
    return flattened(inputs)


def dropout(inputs: Any, rate: Any = 0.5, *_rest: Any, **_options: Any) -> Any:
    return _call("nn.dropout", inputs, rate)


_LAYERS: dict[str, Any] = {
    "dense": dense, "conv1d": _conv(1), "conv2d": _conv(2), "conv3d": _conv(3), "flatten": flatten, "dropout": dropout,
    "conv2d_transpose": conv2d_transpose, "separable_conv2d": separable_conv2d,
    "batch_normalization": batch_normalization,
}  # fmt: skip
for _kind, _label in (("max", "max"), ("avg", "average")):
    for _rank in (1, 2, 3):
        _LAYERS[f"{_label}_pooling{_rank}d"] = _pooling(_kind, _rank)
_CLASSES = {
    "Dense": "dense", "Conv1D": "conv1d", "Conv2D": "conv2d", "Conv3D": "conv3d", "Flatten": "flatten",
    "Dropout": "dropout", "Conv2DTranspose": "conv2d_transpose", "SeparableConv2D": "separable_conv2d",
    "BatchNormalization": "batch_normalization", "MaxPooling2D": "max_pooling2d",
    "AveragePooling2D": "average_pooling2d",
}  # fmt: skip


def _class(function: Any, label: str) -> Any:
    """Return a class whose instances call a function, with the same variables each time."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        self.args, self.kwargs = args, kwargs

    def __call__(self: Any, inputs: Any, *_args: Any, **_kwargs: Any) -> Any:
        if self.kwargs.get("name") is None and "reuse" not in self.kwargs and function in _OWNERS:
            self.kwargs["name"] = unique(_OWNERS[function])
        made = function(inputs, *self.args, **self.kwargs)
        if function in _OWNERS:
            self.kwargs["reuse"] = True
        return made

    members = {"__init__": __init__, "__call__": __call__, "apply": __call__, "__module__": "tensorflow.layers"}
    return type(label, (), members)


_OWNERS = {
    function: name
    for name, function in _LAYERS.items()
    if not name.endswith(("pooling1d", "pooling2d", "pooling3d", "flatten", "dropout"))
}
for _name, _function in _LAYERS.items():
    register(f"tensorflow.layers.{_name}", _function)
for _name, _other in _CLASSES.items():
    register(f"tensorflow.layers.{_name}", _class(_LAYERS[_other], _name))


# tf.contrib.layers and slim


def _scopes() -> list[dict[Any, dict[str, Any]]]:
    return _ARG_SCOPES.get()


class ArgScope:
    """`slim.arg_scope`: defaults for functions that are called inside."""

    def __init__(self, list_ops_or_scope: Any, **kwargs: Any) -> None:
        self.given = list_ops_or_scope
        self.kwargs = kwargs

    def __enter__(self) -> Any:
        if isinstance(self.given, dict):
            made = dict(self.given)
        else:
            made = dict(_scopes()[-1])
            for function in self.given:
                key = getattr(function, "_arg_scope_key", function)
                made[key] = {**made.get(key, {}), **self.kwargs}
        _scopes().append(made)
        return made

    def __exit__(self, *_exc: object) -> None:
        _scopes().pop()


def add_arg_scope(function: Any) -> Any:
    """Let a function take defaults from the open scopes."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **{**_scopes()[-1].get(call, {}), **kwargs})

    call._arg_scope_key = call  # type: ignore[attr-defined]
    return call


def _finished(made: Any, activation_fn: Any, normalizer_fn: Any, normalizer_params: Any) -> Any:
    if normalizer_fn is not None:
        made = normalizer_fn(made, **(normalizer_params or {}))
    return made if activation_fn is None else activation_fn(made)


def _relu(value: Any) -> Any:
    return _call("nn.relu", value)


def fully_connected(
    inputs: Any, num_outputs: Any, activation_fn: Any = _relu, normalizer_fn: Any = None, normalizer_params: Any = None,
    weights_initializer: Any = None, weights_regularizer: Any = None, biases_initializer: Any = _relu,
    biases_regularizer: Any = None, reuse: Any = None, scope: Any = None, **_options: Any,
) -> Any:  # fmt: skip
    build()
    with _scope(scope, "fully_connected", reuse):
        biases = None if normalizer_fn is not None or biases_initializer is None else "biases"
        made = connected(inputs, num_outputs, "weights", biases)
        return _finished(made, activation_fn, normalizer_fn, normalizer_params)


def _contrib_conv(rank: int) -> Any:
    def conv(
        inputs: Any, num_outputs: Any, kernel_size: Any, stride: Any = 1, padding: Any = "SAME", data_format: Any = None,
        rate: Any = 1, activation_fn: Any = _relu, normalizer_fn: Any = None, normalizer_params: Any = None,
        weights_initializer: Any = None, weights_regularizer: Any = None, biases_initializer: Any = _relu,
        biases_regularizer: Any = None, reuse: Any = None, scope: Any = None, **_options: Any,
    ) -> Any:  # fmt: skip
        build()
        with _scope(scope, "Conv", reuse):
            biases = None if normalizer_fn is not None or biases_initializer is None else "biases"
            names = ("weights", biases)
            made = convolved(inputs, num_outputs, kernel_size, stride, padding, rate, data_format, names, rank)
            return _finished(made, activation_fn, normalizer_fn, normalizer_params)

    return conv


def contrib_conv2d_transpose(
    inputs: Any, num_outputs: Any, kernel_size: Any, stride: Any = 1, padding: Any = "SAME", data_format: Any = None,
    activation_fn: Any = _relu, normalizer_fn: Any = None, normalizer_params: Any = None,
    weights_initializer: Any = None, weights_regularizer: Any = None, biases_initializer: Any = _relu,
    biases_regularizer: Any = None, reuse: Any = None, scope: Any = None, **_options: Any,
) -> Any:  # fmt: skip
    build()
    with _scope(scope, "Conv2d_transpose", reuse):
        names = ("weights", None if normalizer_fn is not None or biases_initializer is None else "biases")
        made = grown(inputs, num_outputs, kernel_size, stride, padding, data_format, names)
        return _finished(made, activation_fn, normalizer_fn, normalizer_params)


def contrib_separable_conv2d(
    inputs: Any, num_outputs: Any, kernel_size: Any, depth_multiplier: Any = 1, stride: Any = 1, padding: Any = "SAME",
    data_format: Any = None, rate: Any = 1, activation_fn: Any = _relu, normalizer_fn: Any = None,
    normalizer_params: Any = None, weights_initializer: Any = None, pointwise_initializer: Any = None,
    weights_regularizer: Any = None, biases_initializer: Any = _relu, biases_regularizer: Any = None,
    reuse: Any = None, scope: Any = None, **_options: Any,
) -> Any:  # fmt: skip
    build()
    with _scope(scope, "SeparableConv2d", reuse):
        biases = None if normalizer_fn is not None or biases_initializer is None else "biases"
        names = ("depthwise_weights", "pointwise_weights", biases)
        made = separated(inputs, num_outputs, kernel_size, depth_multiplier, stride, padding, names, rate)
        return _finished(made, activation_fn, normalizer_fn, normalizer_params)


def batch_norm(
    inputs: Any, decay: Any = 0.999, center: Any = True, scale: Any = False, epsilon: Any = 0.001,
    activation_fn: Any = None, param_initializers: Any = None, param_regularizers: Any = None,
    updates_collections: Any = None, is_training: Any = True, reuse: Any = None, variables_collections: Any = None,
    outputs_collections: Any = None, trainable: Any = True, batch_weights: Any = None, fused: Any = None,
    data_format: Any = "NHWC", zero_debias_moving_mean: Any = False, scope: Any = None, **_options: Any,
) -> Any:  # fmt: skip
    build()
    with _scope(scope, "BatchNorm", reuse):
        axis = 1 if _channels_first(data_format) else -1
        made = normalized(inputs, axis, center, scale, ("gamma", "beta", "moving_mean", "moving_variance"))
        return made if activation_fn is None else activation_fn(made)


def _contrib_pool(kind: str) -> Any:
    def pool(
        inputs: Any, kernel_size: Any, stride: Any = 2, padding: Any = "VALID", data_format: Any = None,
        outputs_collections: Any = None, scope: Any = None,
    ) -> Any:  # fmt: skip
        return pooled(kind, inputs, kernel_size, stride, padding, data_format)

    return pool


def contrib_flatten(inputs: Any, outputs_collections: Any = None, scope: Any = None) -> Any:
    return flattened(inputs)


def contrib_dropout(inputs: Any, keep_prob: Any = 0.5, *_rest: Any, **_options: Any) -> Any:
    return _call("nn.dropout", inputs, keep_prob)


def repeat(inputs: Any, repetitions: Any, layer: Any, *args: Any, **kwargs: Any) -> Any:
    """Apply a layer several times, in scopes that are numbered."""
    scope = kwargs.pop("scope", None) or unique(getattr(layer, "__name__", "Repeat"))
    with Scope(scope):
        for index in range(repetitions):
            inputs = layer(inputs, *args, **{**kwargs, "scope": f"{scope}_{index + 1}"})
    return inputs


def stack(inputs: Any, layer: Any, stack_args: Any, **kwargs: Any) -> Any:
    """Apply a layer once for each of several arguments."""
    scope = kwargs.pop("scope", None) or unique("Stack")
    with Scope(scope):
        for index, given in enumerate(stack_args):
            each = given if isinstance(given, (list, tuple)) else [given]
            inputs = layer(inputs, *each, **{**kwargs, "scope": f"{scope}_{index + 1}"})
    return inputs


def one_hot_encoding(labels: Any, num_classes: Any, *_rest: Any, **_options: Any) -> Any:
    return _call("one_hot", labels, num_classes)


def softmax(logits: Any, scope: Any = None) -> Any:
    return _call("nn.softmax", convert(logits))


_SCOPED: dict[str, Any] = {
    "fully_connected": fully_connected, "linear": functools.partial(fully_connected, activation_fn=None),
    "relu": fully_connected, "conv2d": _contrib_conv(2), "convolution2d": _contrib_conv(2), "conv1d": _contrib_conv(1),
    "convolution": _contrib_conv(2), "conv3d": _contrib_conv(3), "conv2d_transpose": contrib_conv2d_transpose,
    "convolution2d_transpose": contrib_conv2d_transpose, "separable_conv2d": contrib_separable_conv2d,
    "separable_convolution2d": contrib_separable_conv2d, "batch_norm": batch_norm, "max_pool2d": _contrib_pool("max"),
    "avg_pool2d": _contrib_pool("avg"), "dropout": contrib_dropout, "flatten": contrib_flatten,
}  # fmt: skip
_MADE = {
    name: add_arg_scope(
        f if hasattr(f, "__name__") else functools.wraps(fully_connected)(lambda *a, _f=f, **k: _f(*a, **k))
    )
    for name, f in _SCOPED.items()
}
for _home in _CONTRIB:
    for _name, _function in _MADE.items():
        register(f"{_home}.{_name}", _function)
    for _name, _function in {"arg_scope": ArgScope, "add_arg_scope": add_arg_scope, "repeat": repeat, "stack": stack,
                             "one_hot_encoding": one_hot_encoding, "softmax": softmax}.items():  # fmt: skip
        register(f"{_home}.{_name}", _function)
