"""Attention."""

from __future__ import annotations

import math
import string
from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.keras.layers.activation import Softmax
from cutaway.knowledge.keras.layers.core import EinsumDense
from cutaway.knowledge.keras.layers.regularization import Dropout
from cutaway.knowledge.keras.models.layer import Layer, layer
from cutaway.knowledge.keras.named_functions import get_initializer

ops = KnownModule("keras.ops")


def certainly_differ(left: Any, right: Any) -> bool:
    """Tell whether two sizes, of which either may be open or unknown, can't be equal."""
    return isinstance(left, int) and isinstance(right, int) and left != right


def _projection(free: int, bound: int, outputs: int) -> tuple[str, str, int]:
    """Return the equation of a projection, the labels of its bias, and the rank of what it gives."""
    letters = string.ascii_lowercase
    kept, summed, made = letters[:free], letters[free : free + bound], letters[free + bound : free + bound + outputs]
    return f"{kept}{summed},{summed}{made}->{kept}{made}", made, free + outputs


def _equations(rank: int, axes: tuple[int, ...]) -> tuple[str, str, int]:
    """Return the equations of scores and of their combination, and the rank of the scores."""
    target = [string.ascii_lowercase[i] for i in range(rank)]
    batch = [*(i for i in range(rank) if i not in axes and i != rank - 1)]
    letter = rank
    source = []
    for i in range(rank):
        if i in batch or i == rank - 1:
            source.append(target[i])
        else:
            source.append(string.ascii_lowercase[letter])
            letter += 1
    scores = [target[i] for i in batch] + [target[i] for i in axes] + [source[i] for i in axes]
    product = f"{''.join(source)},{''.join(target)}->{''.join(scores)}"
    combine = f"{''.join(scores)},{''.join(source)}->{''.join(target)}"
    return product, combine, len(scores)


@layer(home="attention.multi_head_attention")
class MultiHeadAttention(Layer):
    """Attention of several heads."""

    def __init__(
        self, num_heads, key_dim, value_dim=None, dropout=0.0, use_bias=True, output_shape=None, attention_axes=None,
        sliding_window=None, flash_attention=None, kernel_initializer="glorot_uniform", bias_initializer="zeros",
        kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
        bias_constraint=None, use_gate=False, seed=None, **kwargs,
    ):  # fmt: skip
        for what, value in (("num_heads", num_heads), ("key_dim", key_dim)):
            if isinstance(value, float) or (isinstance(value, int) and value <= 0):
                raise ArgumentFault(
                    f"MultiHeadAttention: {what} must be a positive integer, but is {value}", FaultCode.INVALID_ARGUMENT
                )
        super().__init__(**kwargs)
        self._num_heads, self._key_dim = num_heads, key_dim
        self._value_dim = value_dim if value_dim else key_dim
        self._dropout, self._use_bias, self._use_gate = dropout, use_bias, use_gate
        self._output_shape = (output_shape,) if isinstance(output_shape, int) else output_shape
        self._attention_axes = (attention_axes,) if isinstance(attention_axes, int) else attention_axes
        self._sliding_window, self._flash_attention, self.seed = sliding_window, flash_attention, seed
        self._kernel_initializer = get_initializer(kernel_initializer)
        self._bias_initializer = get_initializer(bias_initializer)
        self._kernel_regularizer, self._bias_regularizer = kernel_regularizer, bias_regularizer
        self._activity_regularizer = activity_regularizer
        self._kernel_constraint, self._bias_constraint = kernel_constraint, bias_constraint
        self._inverse_sqrt_key_dim = 1.0 / math.sqrt(float(key_dim))
        self.supports_masking = True

    num_heads = property(lambda self: self._num_heads)
    key_dim = property(lambda self: self._key_dim)
    value_dim = property(lambda self: self._value_dim)
    dropout = property(lambda self: self._dropout)
    use_bias = property(lambda self: self._use_bias)
    attention_axes = property(lambda self: self._attention_axes)
    query_dense = property(lambda self: self._query_dense)
    key_dense = property(lambda self: self._key_dense)
    value_dense = property(lambda self: self._value_dense)
    output_dense = property(lambda self: self._output_dense)

    def _get_common_kwargs_for_sublayer(self) -> dict[str, Any]:
        return {
            "kernel_regularizer": self._kernel_regularizer,
            "bias_regularizer": self._bias_regularizer,
            "activity_regularizer": self._activity_regularizer,
            "kernel_constraint": self._kernel_constraint,
            "bias_constraint": self._bias_constraint,
            "dtype": self.dtype_policy,
            "kernel_initializer": self._kernel_initializer,
            "bias_initializer": self._bias_initializer,
        }

    def _dense(self, shape: Any, sizes: Any, name: str, activation: Any = None) -> Any:
        equation, labels, rank = _projection(len(shape) - 1, 1, len(sizes))
        made = EinsumDense(
            equation, output_shape=[None] * (rank - 1 - len(sizes)) + list(sizes), activation=activation,
            bias_axes=labels if self._use_bias else None, name=name, **self._get_common_kwargs_for_sublayer(),
        )  # fmt: skip
        made.build(tuple(shape))
        return made

    def build(self, query_shape, value_shape, key_shape=None):
        key_shape = value_shape if key_shape is None else key_shape
        if tuple(value_shape[1:-1]) != tuple(key_shape[1:-1]):
            raise ArgumentFault(
                f'layer "{self.name}": value and key must agree in all but the last axis, but are '
                f"{tuple(value_shape)} and {tuple(key_shape)}",
                FaultCode.SHAPE_MISMATCH,
            )
        heads = self._num_heads
        self._query_dense = self._dense(query_shape, [heads, self._key_dim], "query")
        self._key_dense = self._dense(key_shape, [heads, self._key_dim], "key")
        if self._use_gate:
            self._gate_dense = self._dense(query_shape, [heads, self._value_dim], "gate", "sigmoid")
        self._value_dense = self._dense(value_shape, [heads, self._value_dim], "value")
        self._build_attention(len(value_shape) + 1)
        self._output_dense = self._make_output_dense(
            query_shape, self._get_common_kwargs_for_sublayer(), "attention_output"
        )
        self._output_dense.build((*query_shape[:-1], heads, self._value_dim))

    def _make_output_dense(self, query_shape: Any, common_kwargs: Any, name: Any = None) -> Any:
        sizes = list(self._output_shape or [query_shape[-1]])
        equation, labels, rank = _projection(len(query_shape) - 1, 2, len(sizes))
        return EinsumDense(
            equation, output_shape=[None] * (rank - 1 - len(sizes)) + sizes,
            bias_axes=labels if self._use_bias else None, name=name, **common_kwargs,
        )  # fmt: skip

    def _build_attention(self, rank: int) -> None:
        if self._attention_axes is None:
            self._attention_axes = tuple(range(1, rank - 2))
        else:
            self._attention_axes = tuple(a if a >= 0 else rank - 1 + a for a in self._attention_axes)
        self._dot_product_equation, self._combine_equation, scores = _equations(rank, self._attention_axes)
        self._softmax = Softmax(axis=tuple(range(scores - len(self._attention_axes), scores)), dtype=self.dtype_policy)
        self._dropout_layer = Dropout(rate=self._dropout, dtype=self.dtype_policy, seed=self.seed)

    def _masked_softmax(self, attention_scores: Any, attention_mask: Any = None) -> Any:
        if attention_mask is None:
            return self._softmax(attention_scores)
        axis = -len(self._attention_axes) * 2 - 1
        for _ in range(len(attention_scores.shape) - len(attention_mask.shape)):
            attention_mask = ops.expand_dims(attention_mask, axis=axis)
        return self._softmax(attention_scores, mask=attention_mask)

    def _compute_attention(
        self,
        query,
        key,
        value,
        attention_mask=None,
        training=None,
        return_attention_scores=False,
        use_causal_mask=False,
    ):
        if not (self._dropout > 0.0 or return_attention_scores or len(query.shape) != 4):
            output = ops.dot_product_attention(query, key, value, scale=self._inverse_sqrt_key_dim)
            return output, None
        scores = ops.einsum(self._dot_product_equation, key, ops.multiply(query, self._inverse_sqrt_key_dim))
        scores = self._masked_softmax(scores, attention_mask)
        dropped = self._dropout_layer(scores, training=training) if self._dropout > 0.0 else scores
        return ops.einsum(self._combine_equation, dropped, value), scores

    def call(
        self, query, value, key=None, query_mask=None, value_mask=None, key_mask=None, attention_mask=None,
        return_attention_scores=False, training=None, use_causal_mask=False,
    ):  # fmt: skip
        key = value if key is None else key
        attention_mask = self._compute_attention_mask(
            query, value, query_mask, value_mask, key_mask, attention_mask, use_causal_mask
        )
        gate = self._gate_dense(query) if self._use_gate else None
        q, k, v = self._query_dense(query), self._key_dense(key), self._value_dense(value)
        output, scores = self._compute_attention(
            q, k, v, attention_mask=attention_mask, training=training, return_attention_scores=return_attention_scores
        )
        output = self._output_dense(output if gate is None else ops.multiply(output, gate))
        return (output, scores) if return_attention_scores else output

    def _compute_attention_mask(
        self, query, value, query_mask=None, value_mask=None, key_mask=None, attention_mask=None, use_causal_mask=False
    ):
        found = attention_mask
        for mask, axis in ((query_mask, -1), (value_mask, -2), (key_mask, -2)):
            if mask is not None:
                wide = ops.expand_dims(ops.cast(mask, "bool"), axis)
                found = wide if found is None else ops.logical_and(ops.cast(found, "bool"), wide)
        if use_causal_mask and found is not None:
            found = ops.logical_and(ops.cast(found, "bool"), self._compute_causal_mask(query, value))
        return found

    def _compute_causal_mask(self, query: Any, value: Any = None) -> Any:
        length = ops.shape(query)[1]
        return ops.ones((1, length, length if value is None else ops.shape(value)[1]), dtype="bool")

    def compute_mask(self, query, value, query_mask=None, value_mask=None, key=None, key_mask=None):
        return query_mask


@layer("GroupQueryAttention", home="attention.grouped_query_attention")
class GroupedQueryAttention(Layer):
    """Attention in which several heads of the query share one of key and value."""

    def __init__(
        self, head_dim, num_query_heads, num_key_value_heads, dropout=0.0, use_bias=True, sliding_window=None,
        flash_attention=None, kernel_initializer="glorot_uniform", bias_initializer="zeros", kernel_regularizer=None,
        bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
        use_gate=False, seed=None, **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        if num_query_heads % num_key_value_heads:
            raise ArgumentFault(
                f"GroupQueryAttention: {num_key_value_heads} heads of key and value do not divide {num_query_heads} of the query",
                FaultCode.SHAPE_MISMATCH,
            )
        self.head_dim, self.num_query_heads, self.num_key_value_heads = head_dim, num_query_heads, num_key_value_heads
        self.num_repeats = num_query_heads // num_key_value_heads
        self.dropout, self.use_bias, self.use_gate = dropout, use_bias, use_gate
        self.supports_masking = True

    def _dense(self, equation: str, shape: Any, axes: str, name: str, given: Any, activation: Any = None) -> Any:
        made = EinsumDense(
            equation, output_shape=shape, bias_axes=axes if self.use_bias else None, activation=activation, name=name,
            dtype=self.dtype_policy,
        )  # fmt: skip
        made.build(given)
        return made

    def build(self, query_shape, value_shape, key_shape=None):
        key_shape = value_shape if key_shape is None else key_shape
        if certainly_differ(query_shape[-1], value_shape[-1]):
            raise ArgumentFault(
                f'layer "{self.name}": query has {query_shape[-1]} features and value {value_shape[-1]}, which must be equal',
                FaultCode.SHAPE_MISMATCH,
            )
        outer, inner = (None, self.num_query_heads, self.head_dim), (None, self.num_key_value_heads, self.head_dim)
        self._query_dense = self._dense("bqm,muh->bquh", outer, "uh", "query", query_shape)
        self._key_dense = self._dense("bkm,mvh->bkvh", inner, "vh", "key", key_shape)
        if self.use_gate:
            self._gate_dense = self._dense("bqm,muh->bquh", outer, "uh", "gate", query_shape, "sigmoid")
        self._value_dense = self._dense("bkm,mvh->bkvh", inner, "vh", "value", value_shape)
        self._softmax = Softmax(axis=-1, dtype=self.dtype_policy)
        self._dropout_layer = Dropout(rate=self.dropout, dtype=self.dtype_policy)
        projected = (None, None, self.num_query_heads, self.head_dim)
        self._output_dense = self._dense("bquh,uhm->bqm", (None, query_shape[-1]), "m", "attention_output", projected)

    def call(
        self, query, value, key=None, query_mask=None, value_mask=None, key_mask=None, attention_mask=None,
        return_attention_scores=False, training=None, use_causal_mask=False,
    ):  # fmt: skip
        key = value if key is None else key
        gate = self._gate_dense(query) if self.use_gate else None
        q, k, v = self._query_dense(query), self._key_dense(key), self._value_dense(value)
        k, v = ops.repeat(k, self.num_repeats, axis=2), ops.repeat(v, self.num_repeats, axis=2)
        scores = None
        if self.dropout == 0.0 and not return_attention_scores:
            output = ops.dot_product_attention(q, k, v, scale=1.0 / math.sqrt(float(self.head_dim)))
        else:
            scores = ops.multiply(ops.einsum("bquh,bkuh->buqk", q, k), 1.0 / math.sqrt(float(self.head_dim)))
            scores = self._softmax(scores)
            dropped = self._dropout_layer(scores, training=training) if self.dropout else scores
            output = ops.einsum("buqk,bkuh->bquh", dropped, v)
        output = self._output_dense(output if gate is None else ops.multiply(output, gate))
        return (output, scores) if return_attention_scores else output


@layer(home="attention.attention")
class Attention(Layer):
    """Attention of query, value and key as they are."""

    def __init__(self, use_scale=False, score_mode="dot", dropout=0.0, seed=None, **kwargs):
        super().__init__(**kwargs)
        if score_mode not in ("dot", "concat"):
            raise ArgumentFault(
                f"Attention: score_mode must be 'dot' or 'concat', but is {score_mode!r}", FaultCode.INVALID_ARGUMENT
            )
        self.use_scale, self.score_mode, self.dropout = use_scale, score_mode, dropout
        self.scale = self.concat_score_weight = None
        self.supports_masking = True

    def build(self, input_shape):
        if self.use_scale:
            self.scale = self.add_weight(name="scale", shape=())
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight(name="concat_score_weight", shape=())

    def _scores(self, query: Any, key: Any) -> Any:
        if self.score_mode == "dot":
            scores = ops.matmul(query, ops.transpose(key, axes=[0, 2, 1]))
            return scores if self.scale is None else ops.multiply(scores, self.scale)
        both = ops.add(ops.expand_dims(query, axis=-2), ops.expand_dims(key, axis=-3))
        both = both if self.scale is None else ops.multiply(self.scale, both)
        return ops.multiply(self.concat_score_weight, ops.sum(ops.tanh(both), axis=-1))

    def call(self, inputs, mask=None, training=False, return_attention_scores=False, use_causal_mask=False):
        if not isinstance(inputs, (list, tuple)) or len(inputs) not in (2, 3):
            raise ArgumentFault(
                f'layer "{self.name}": takes a list of query and value, or of query, value and key',
                FaultCode.WRONG_INPUT_COUNT,
            )
        query, value = inputs[0], inputs[1]
        key = inputs[2] if len(inputs) > 2 else value
        weights = ops.softmax(self._scores(query, key), axis=-1)
        result = ops.matmul(weights, value)
        return (result, weights) if return_attention_scores else result

    def compute_mask(self, inputs, mask=None):
        return None if mask is None else mask[0]


@layer(home="attention.additive_attention")
class AdditiveAttention(Attention):
    """Attention by the sum of query and key."""

    def __init__(self, use_scale=True, dropout=0.0, **kwargs):
        super().__init__(use_scale=use_scale, dropout=dropout, **kwargs)

    def build(self, input_shape):
        self.scale = self.add_weight(name="scale", shape=(input_shape[0][-1],)) if self.use_scale else None

    def _scores(self, query, key):
        both = ops.tanh(ops.add(ops.expand_dims(query, axis=-2), ops.expand_dims(key, axis=-3)))
        return ops.sum(both if self.scale is None else ops.multiply(self.scale, both), axis=-1)
