"""Dense, EinsumDense, Embedding, and layers without weights of their own."""

from __future__ import annotations

import re
from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.keras.layers.arguments import channels, positive
from cutaway.knowledge.keras.models.input_spec import InputSpec
from cutaway.knowledge.keras.models.layer import Layer, layer
from cutaway.knowledge.keras.named_functions import get_activation
from cutaway.knowledge.keras.tensors.shape import symbolic
from cutaway.knowledge.keras.tensors.tensor import convert, new
from cutaway.knowledge.keras.tensors.tree import flatten, map_shape_structure

ops = KnownModule("keras.ops")


@layer(home="core.dense")
class Dense(Layer):
    """A product with a matrix."""

    def __init__(
        self, units, activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros",
        kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
        bias_constraint=None, lora_rank=None, lora_alpha=None, quantization_config=None, **kwargs,
    ):  # fmt: skip
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        if isinstance(units, (float, str)) or units is None:
            raise ArgumentFault(
                f"Dense: units must be a positive integer, but is {units!r}", FaultCode.INVALID_ARGUMENT
            )
        self.units = positive(units, "Dense: units")
        self.activation = get_activation(activation)
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.lora_rank = lora_rank
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True

    def build(self, input_shape):
        inner = channels(self, input_shape, -1)
        self.kernel = self.add_weight(name="kernel", shape=(inner, self.units))
        self.bias = self.add_weight(name="bias", shape=(self.units,)) if self.use_bias else None
        self.input_spec = InputSpec(min_ndim=2, axes={-1: inner})

    def call(self, inputs, training=None):
        x = ops.matmul(inputs, self.kernel)
        if self.bias is not None:
            x = ops.add(x, self.bias)
        return x if self.activation is None else self.activation(x)


@layer(home="core.einsum_dense")
class EinsumDense(Layer):
    """A product by an equation of sums."""

    def __init__(
        self, equation, output_shape, activation=None, bias_axes=None, kernel_initializer="glorot_uniform",
        bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, kernel_constraint=None,
        bias_constraint=None, lora_rank=None, lora_alpha=None, gptq_unpacked_column_size=None,
        quantization_config=None, **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        self.equation = equation
        self.partial_output_shape = (output_shape,) if isinstance(output_shape, int) else tuple(output_shape)
        self.bias_axes = bias_axes
        self.activation = get_activation(activation)

    def build(self, input_shape):
        found = re.fullmatch(r"\s*([a-zA-Z.]+)\s*,\s*([a-zA-Z]+)\s*->\s*([a-zA-Z.]+)\s*", self.equation)
        if found is None:
            raise ArgumentFault(
                f"EinsumDense: {self.equation!r} is not an equation it can read", FaultCode.INVALID_ARGUMENT
            )
        left, kernel, right = (part.replace("...", "0") for part in found.groups())
        sizes = _labelled(left, input_shape)
        wanted = [None] * (len(right) - len(self.partial_output_shape)) + list(self.partial_output_shape)
        for label, size in zip(right, wanted):
            if size is not None and sizes.get(label) is None:
                sizes[label] = size
        for label in kernel:
            if sizes.get(label) is None:
                raise ArgumentFault(
                    f"EinsumDense: the size of {label!r} of the kernel is not defined", FaultCode.UNDEFINED_SIZE
                )
        self.kernel = self.add_weight(name="kernel", shape=tuple(sizes[label] for label in kernel))
        self.bias = None
        if self.bias_axes:
            first = min(right.index(label) for label in self.bias_axes)
            shape = tuple(sizes[label] if label in self.bias_axes else 1 for label in right[first:])
            self.bias = self.add_weight(name="bias", shape=shape)

    def call(self, inputs, training=None):
        x = ops.einsum(self.equation, inputs, self.kernel)
        if self.bias is not None:
            x = ops.add(x, self.bias)
        return x if self.activation is None else self.activation(x)


def _labelled(labels: str, shape: Any) -> dict[str, Any]:
    """Return the size of each label; `0` stands for any number of dimensions."""
    if isinstance(shape, Unknown):
        raise Undecidable(shape)
    before, dots, after = labels.partition("0")
    if dots:
        return {**dict(zip(before, shape)), **dict(zip(reversed(after), reversed(shape)))}
    if len(labels) != len(shape):
        raise ArgumentFault(
            f"EinsumDense: the equation is for {len(labels)} dimensions, but the input has {len(shape)}",
            FaultCode.WRONG_RANK,
        )
    return dict(zip(labels, shape))


@layer(home="core.embedding")
class Embedding(Layer):
    """A vector for each number."""

    def __init__(
        self, input_dim, output_dim, embeddings_initializer="uniform", embeddings_regularizer=None,
        embeddings_constraint=None, mask_zero=False, weights=None, lora_rank=None, lora_alpha=None,
        quantization_config=None, **kwargs,
    ):  # fmt: skip
        length = kwargs.pop("input_length", None)
        if length is not None and "input_shape" not in kwargs and not isinstance(length, Unknown):
            kwargs["input_shape"] = (length,) if isinstance(length, int) else tuple(length)
        super().__init__(**kwargs)
        self.input_dim = input_dim
        self.output_dim = output_dim
        self.mask_zero = mask_zero
        self.supports_masking = mask_zero
        self.autocast = False

    def build(self, input_shape=None):
        self.embeddings = self.add_weight(name="embeddings", shape=(self.input_dim, self.output_dim))

    def call(self, inputs):
        at = convert(inputs)
        if not at._dtype.is_integer:
            at = ops.cast(at, "int32")
        return ops.cast(ops.take(self.embeddings, at, axis=0), self.compute_dtype)

    def compute_mask(self, inputs, mask=None):
        return ops.not_equal(inputs, 0) if self.mask_zero else None


@layer(home="core.reversible_embedding")
class ReversibleEmbedding(Embedding):
    """An embedding that can also be read backwards, from vectors to numbers."""

    def __init__(
        self, input_dim, output_dim, tie_weights=True, embeddings_initializer="uniform", embeddings_regularizer=None,
        embeddings_constraint=None, mask_zero=False, reverse_dtype=None, logit_soft_cap=None, **kwargs,
    ):  # fmt: skip
        super().__init__(input_dim, output_dim, mask_zero=mask_zero, **kwargs)
        self.tie_weights = tie_weights
        self.logit_soft_cap = logit_soft_cap

    def build(self, inputs_shape=None):
        Embedding.build(self, inputs_shape)
        if not self.tie_weights:
            self.reverse_embeddings = self.add_weight(
                name="reverse_embeddings", shape=(self.output_dim, self.input_dim)
            )

    def call(self, inputs, reverse=False):
        if not reverse:
            return Embedding.call(self, inputs)
        kernel = ops.transpose(self.embeddings) if self.tie_weights else self.reverse_embeddings
        logits = ops.matmul(inputs, kernel)
        if self.logit_soft_cap is not None:
            logits = ops.multiply(ops.tanh(ops.divide(logits, self.logit_soft_cap)), self.logit_soft_cap)
        return logits


@layer(home="core.identity")
class Identity(Layer):
    """What goes in comes out."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, inputs):
        return inputs


@layer(home="core.masking")
class Masking(Layer):
    """Positions with a given value count no more."""

    def __init__(self, mask_value=0.0, **kwargs):
        super().__init__(**kwargs)
        self.mask_value = mask_value
        self.supports_masking = True

    def compute_mask(self, inputs, mask=None):
        return ops.any(ops.not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs):
        seen = ops.any(ops.not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        return ops.multiply(inputs, ops.cast(seen, inputs.dtype))


@layer(home="core.lambda_layer")
class Lambda(Layer):
    """A function of the program's as a layer."""

    def __init__(self, function, output_shape=None, mask=None, arguments=None, **kwargs):
        super().__init__(**kwargs)
        self.arguments = arguments or {}
        self.function = function
        self.mask = mask
        self._output_shape = output_shape
        self.supports_masking = mask is not None
        try:
            self._names = set(session.current().signature(function).parameters)
        except (TypeError, ValueError):
            self._names = set()

    def call(self, inputs, mask=None, training=None):
        named = dict(self.arguments)
        if "mask" in self._names:
            named["mask"] = mask
        if "training" in self._names:
            named["training"] = training
        made = self.function(inputs, **named)
        return self._declared(inputs) if isinstance(made, Unknown) and self._output_shape is not None else made

    def _declared(self, inputs: Any) -> Any:
        """Return a tensor of the shape that the program states, for a function that can't be followed."""
        first = flatten(inputs)[0]
        if callable(self._output_shape):
            shape = self._output_shape(tuple(first.shape))
            return new(symbolic(shape, self.name), first.dtype)
        batch = first._shape[0]
        whole = map_shape_structure(lambda s: new((batch, *symbolic(s, self.name)), first.dtype), self._output_shape)
        return whole

    def compute_mask(self, inputs, mask=None):
        return self.mask(inputs, mask) if callable(self.mask) else self.mask


@layer(home="core.wrapper")
class Wrapper(Layer):
    """A layer around another."""

    def __init__(self, layer, **kwargs):
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape=None):
        if not self.layer.built:
            self.layer.build(input_shape)
