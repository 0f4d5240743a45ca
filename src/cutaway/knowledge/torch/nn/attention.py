"""`MultiheadAttention` and the functional form it calls, step by step as torch's general path does it."""

from __future__ import annotations

import math
from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size import dim
from cutaway.core.size.dim import Dim
from cutaway.knowledge.base import attribute
from cutaway.knowledge.base.registry import KnownModule, row
from cutaway.knowledge.torch.nn.module import Module, layer
from cutaway.knowledge.torch.nn.parameter import Parameter
from cutaway.knowledge.torch.tensor.tensor import new
from cutaway.ops.elementwise import written

torch = KnownModule("torch")
F = KnownModule("torch.nn.functional")


@row("torch.nn.functional._canonical_mask")
def _canonical_mask(mask, mask_name, other_type, other_name, target_type, check_other=True):
    if mask is None:
        return None
    if mask.dtype.is_floating_point:
        return mask
    if mask.dtype is not torch.bool:
        raise Fault(
            f"{mask_name} is {mask.dtype}, but only bool and floating masks are supported", FaultCode.UNSUPPORTED_DTYPE
        )
    return torch.zeros_like(mask, dtype=target_type).masked_fill_(mask, -math.inf)


@row("torch.nn.functional._none_or_dtype")
def _none_or_dtype(input):
    return None if input is None else input.dtype


def _require(shape: Any, expected: tuple[Any, ...], what: str) -> None:
    if len(shape) != len(expected) or any(dim.equal(a, b) is False for a, b in zip(shape, expected)):
        raise Fault(
            f"multi_head_attention: {what} has shape {written(shape)}, but should have {written(expected)}",
            FaultCode.SHAPE_MISMATCH,
        )


@row("torch.nn.functional._mha_shape_check")
def _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads):
    rank = query.ndim
    if rank not in (2, 3):
        raise Fault(
            f"multi_head_attention: query should be 2-D (unbatched) or 3-D (batched), but is {rank}-D",
            FaultCode.WRONG_RANK,
        )
    kind = "batched (3-D)" if rank == 3 else "unbatched (2-D)"
    if key.ndim != rank or value.ndim != rank:
        raise Fault(
            f"multi_head_attention: query is {kind}, but key is {key.ndim}-D and value is {value.ndim}-D",
            FaultCode.WRONG_RANK,
        )
    if key_padding_mask is not None and key_padding_mask.ndim != rank - 1:
        raise Fault(
            f"multi_head_attention: query is {kind}, so key_padding_mask should be {rank - 1}-D, "
            f"but is {key_padding_mask.ndim}-D",
            FaultCode.WRONG_RANK,
        )
    if attn_mask is not None:
        if attn_mask.ndim not in (2, 3):
            raise Fault(
                f"multi_head_attention: attn_mask should be 2-D or 3-D, but is {attn_mask.ndim}-D",
                FaultCode.WRONG_RANK,
            )
        if rank == 2 and attn_mask.ndim == 3:
            _require(attn_mask.shape, (num_heads, query.shape[0], key.shape[0]), "attn_mask")
    return rank == 3


def _split_projection(projected: Any, parts: int, width: Any) -> tuple[Any, ...]:
    """Separate projections that one matrix product made, as torch does it to keep them contiguous."""
    stacked = projected.unflatten(-1, (parts, width)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return tuple(stacked[i] for i in range(parts))


@row("torch.nn.functional._in_projection_packed")
def _in_projection_packed(q, k, v, w, b=None):
    width = q.shape[-1]
    if k is v and q is k:
        return _split_projection(F.linear(q, w, b), 3, width)
    if k is v:
        w_q, w_kv = w.split([width, width * 2])
        b_q, b_kv = (None, None) if b is None else b.split([width, width * 2])
        return (F.linear(q, w_q, b_q), *_split_projection(F.linear(k, w_kv, b_kv), 2, width))
    weights = w.chunk(3)
    biases = (None, None, None) if b is None else b.chunk(3)
    return tuple(F.linear(x, weight, bias) for x, weight, bias in zip((q, k, v), weights, biases))


@row("torch.nn.functional._in_projection")
def _in_projection(q, k, v, w_q, w_k, w_v, b_q=None, b_k=None, b_v=None):
    width = q.shape[-1]
    for name, x, weight, bias in (("query", q, w_q, b_q), ("key", k, w_k, b_k), ("value", v, w_v, b_v)):
        _require(weight.shape, (width, x.shape[-1]), f"the {name} projection's weight")
        if bias is not None:
            _require(bias.shape, (width,), f"the {name} projection's bias")
    return F.linear(q, w_q, b_q), F.linear(k, w_k, b_k), F.linear(v, w_v, b_v)


def _projected(query: Any, key: Any, value: Any, weight: Any, bias: Any, separate: tuple[Any, ...] | None) -> Any:
    """Return the projections of query, key and value, by one weight or by three separate ones."""
    needed = [weight] if separate is None else separate
    if any(each is None for each in needed):
        kind = "common" if separate is None else "separate"
        raise Fault(
            f"multi_head_attention: the {kind} projection is asked for, but its weight is None",
            FaultCode.MISSING_ARGUMENT,
        )
    if separate is not None:
        _require(value.shape[:2], tuple(key.shape[:2]), "value (its first two dimensions, against key's)")
        biases = (None, None, None) if bias is None else bias.chunk(3)
        return _in_projection(query, key, value, *separate, *biases)
    _require(value.shape, tuple(key.shape), "value")
    return _in_projection_packed(query, key, value, weight, bias)


def _widen(mask: Any) -> Any:
    """Add a column to a mask for a key that was added."""
    return None if mask is None else F.pad(mask, (0, 1))


@row("torch.nn.functional.multi_head_attention_forward")
def multi_head_attention_forward(
    query,
    key,
    value,
    embed_dim_to_check,
    num_heads,
    in_proj_weight,
    in_proj_bias,
    bias_k,
    bias_v,
    add_zero_attn,
    dropout_p,
    out_proj_weight,
    out_proj_bias,
    training=True,
    key_padding_mask=None,
    need_weights=True,
    attn_mask=None,
    use_separate_proj_weight=False,
    q_proj_weight=None,
    k_proj_weight=None,
    v_proj_weight=None,
    static_k=None,
    static_v=None,
    average_attn_weights=True,
    is_causal=False,
):
    is_batched = _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not is_batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    tgt_len, bsz, embed_dim = query.shape
    src_len = key.shape[0]
    key_padding_mask = _canonical_mask(
        key_padding_mask, "key_padding_mask", _none_or_dtype(attn_mask), "attn_mask", query.dtype
    )
    if is_causal and attn_mask is None:
        raise Fault(
            "multi_head_attention: is_causal is a hint about attn_mask, but attn_mask is None",
            FaultCode.MISSING_ARGUMENT,
        )
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None
    else:
        attn_mask = _canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, check_other=False)
        if key_padding_mask is not None:
            is_causal = False
    if not session.require_equal(embed_dim, embed_dim_to_check, "multi_head_attention"):
        raise Fault(
            f"multi_head_attention: query has {embed_dim} features in its last dimension, "
            f"but embed_dim is {embed_dim_to_check}",
            FaultCode.SHAPE_MISMATCH,
        )
    head_dim = embed_dim // num_heads
    if not session.require_equal(embed_dim % num_heads, 0, "multi_head_attention"):
        raise Fault(
            f"multi_head_attention: embed_dim {embed_dim} is not divisible by num_heads {num_heads}",
            FaultCode.SHAPE_MISMATCH,
        )
    separate = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias, separate)

    if attn_mask is not None:
        if attn_mask.ndim == 2:
            _require(attn_mask.shape, (tgt_len, src_len), "attn_mask")
            attn_mask = attn_mask.unsqueeze(0)
        else:
            _require(attn_mask.shape, (bsz * num_heads, tgt_len, src_len), "attn_mask")
    if bias_k is not None and bias_v is not None:
        k = torch.cat([k, bias_k.repeat(1, bsz, 1)])
        v = torch.cat([v, bias_v.repeat(1, bsz, 1)])
        attn_mask, key_padding_mask = _widen(attn_mask), _widen(key_padding_mask)

    q = q.view(tgt_len, bsz * num_heads, head_dim).transpose(0, 1)
    k = _heads(k, static_k, bsz * num_heads, head_dim, "static_k")
    v = _heads(v, static_v, bsz * num_heads, head_dim, "static_v")
    if add_zero_attn:
        shape = (bsz * num_heads, 1, head_dim)
        k = torch.cat([k, torch.zeros(shape, dtype=k.dtype, device=k.device)], dim=1)
        v = torch.cat([v, torch.zeros(shape, dtype=v.dtype, device=v.device)], dim=1)
        attn_mask, key_padding_mask = _widen(attn_mask), _widen(key_padding_mask)
    src_len = k.shape[1]
    if key_padding_mask is not None:
        _require(key_padding_mask.shape, (bsz, src_len), "key_padding_mask")
        key_padding_mask = (
            key_padding_mask.view(bsz, 1, 1, src_len).expand(-1, num_heads, -1, -1).reshape(bsz * num_heads, 1, src_len)
        )
        attn_mask = key_padding_mask if attn_mask is None else attn_mask + key_padding_mask
    if not training:
        dropout_p = 0.0
    sizes = (tgt_len, bsz, embed_dim, num_heads, head_dim, src_len)
    if need_weights:
        output, weights = _with_weights(q, k, v, attn_mask, dropout_p, sizes)
    else:
        output, weights = _without_weights(q, k, v, attn_mask, dropout_p, is_causal, sizes), None
    output = F.linear(output, out_proj_weight, out_proj_bias)
    output = output.view(tgt_len, bsz, output.shape[1])
    if weights is not None:
        weights = weights.view(bsz, num_heads, tgt_len, src_len)
        if average_attn_weights:
            weights = weights.mean(dim=1)
    if not is_batched:
        output = output.squeeze(1)
        weights = None if weights is None else weights.squeeze(0)
    return output, weights


def _heads(x: Any, static: Any, heads: Any, head_dim: Any, name: str) -> Any:
    if static is None:
        return x.view(x.shape[0], heads, head_dim).transpose(0, 1)
    _require((static.shape[0], static.shape[2]), (heads, head_dim), f"{name} (its first and last dimension)")
    return static


def _with_weights(q: Any, k: Any, v: Any, attn_mask: Any, dropout_p: Any, sizes: Any) -> tuple[Any, Any]:
    tgt_len, bsz, embed_dim, _, head_dim, _ = sizes
    scaled = q * (new((), q.dtype) if isinstance(head_dim, Dim) else math.sqrt(1.0 / head_dim))
    if attn_mask is not None:
        weights = torch.baddbmm(attn_mask, scaled, k.transpose(-2, -1))
    else:
        weights = torch.bmm(scaled, k.transpose(-2, -1))
    weights = F.softmax(weights, dim=-1)
    if dropout_p > 0.0:
        weights = F.dropout(weights, p=dropout_p)
    return torch.bmm(weights, v).transpose(0, 1).reshape(tgt_len * bsz, embed_dim), weights


def _without_weights(q: Any, k: Any, v: Any, mask: Any, dropout_p: Any, is_causal: Any, sizes: Any) -> Any:
    tgt_len, bsz, embed_dim, num_heads, head_dim, src_len = sizes
    if mask is not None:
        if mask.ndim == 3 and dim.equal(mask.shape[0], 1) is True:
            mask = mask.unsqueeze(0)
        else:
            mask = mask.view(bsz, num_heads, -1, src_len)
    q = q.view(bsz, num_heads, tgt_len, head_dim)
    k = k.view(bsz, num_heads, src_len, head_dim)
    v = v.view(bsz, num_heads, src_len, head_dim)
    output = F.scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
    return output.permute(2, 0, 1, 3).reshape(bsz * tgt_len, embed_dim)


@layer
class MultiheadAttention(Module):
    """Attention with several heads and their projections."""

    __module__ = "torch.nn.modules.activation"
    __constants__ = ("batch_first",)

    def __init__(
        self,
        embed_dim: Any,
        num_heads: Any,
        dropout: Any = 0.0,
        bias: Any = True,
        add_bias_kv: Any = False,
        add_zero_attn: Any = False,
        kdim: Any = None,
        vdim: Any = None,
        batch_first: Any = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ArgumentFault(
                "embed_dim and num_heads must be greater than 0, "
                f"got embed_dim={embed_dim} and num_heads={num_heads} instead",
                FaultCode.INVALID_ARGUMENT,
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self._qkv_same_embed_dim = bool(self.kdim == embed_dim and self.vdim == embed_dim)
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if dim.equal(self.head_dim * num_heads, embed_dim) is False:
            raise Fault(
                f"MultiheadAttention: embed_dim {embed_dim} is not divisible by num_heads {num_heads}",
                FaultCode.SHAPE_MISMATCH,
            )
        separate = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        if not self._qkv_same_embed_dim:
            for name, width in separate.items():
                attribute.put(self, name, Parameter(new((embed_dim, width), dtype)))
            self.register_parameter("in_proj_weight", None)
        else:
            self.in_proj_weight = Parameter(new((3 * embed_dim, embed_dim), dtype))
            for name in separate:
                self.register_parameter(name, None)
        self.register_parameter("in_proj_bias", Parameter(new((3 * embed_dim,), dtype)) if bias else None)
        linear = KnownModule("torch.nn.modules.linear").NonDynamicallyQuantizableLinear
        self.out_proj = linear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.bias_k = self.bias_v = None
        if add_bias_kv:
            self.bias_k = Parameter(new((1, 1, embed_dim), dtype))
            self.bias_v = Parameter(new((1, 1, embed_dim), dtype))
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        """Fill the weights with random numbers, which are not known."""

    def forward(
        self,
        query: Any,
        key: Any,
        value: Any,
        key_padding_mask: Any = None,
        need_weights: Any = True,
        attn_mask: Any = None,
        average_attn_weights: Any = True,
        is_causal: Any = False,
    ) -> Any:
        is_batched = query.ndim == 3
        key_padding_mask = _canonical_mask(
            key_padding_mask, "key_padding_mask", _none_or_dtype(attn_mask), "attn_mask", query.dtype
        )
        attn_mask = _canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, check_other=False)
        if self.batch_first and is_batched:
            if key is value:
                if query is key:
                    query = key = value = query.transpose(1, 0)
                else:
                    query, key = query.transpose(1, 0), key.transpose(1, 0)
                    value = key
            else:
                query, key, value = query.transpose(1, 0), key.transpose(1, 0), value.transpose(1, 0)
        output, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias,
            self.bias_k, self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias,
            training=self.training, key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim, q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight, v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights, is_causal=is_causal,
        )  # fmt: skip
        if self.batch_first and is_batched:
            output = output.transpose(1, 0)
        return output, weights

    def merge_masks(self, attn_mask: Any, key_padding_mask: Any, query: Any) -> tuple[Any, Any]:
        """Combine both masks into one, and say which kind it is."""
        merged, kind = key_padding_mask, None if key_padding_mask is None else 1
        if attn_mask is not None:
            batch, length, _ = query.shape
            kind = 2
            if attn_mask.ndim == 3:
                merged = attn_mask.view(batch, -1, length, length)
            else:
                merged = attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
            if key_padding_mask is not None:
                merged = merged + key_padding_mask.view(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1)
        return merged, kind
