"""`Transformer`, its encoder and decoder, as their general (not fused) path runs them."""

from __future__ import annotations

import math
from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size import dim
from cutaway.core.unknown import Undecidable
from cutaway.knowledge.base import copying
from cutaway.knowledge.base.registry import KnownModule, row
from cutaway.knowledge.torch.functional.activation import relu
from cutaway.knowledge.torch.nn.attention import MultiheadAttention, _canonical_mask, _none_or_dtype
from cutaway.knowledge.torch.nn.container import ModuleList
from cutaway.knowledge.torch.nn.module import Module, layer

torch = KnownModule("torch")
nn = KnownModule("torch.nn")
F = KnownModule("torch.nn.functional")
_PACKAGE = "torch.nn.modules.transformer"


@row(f"{_PACKAGE}._generate_square_subsequent_mask")
def _generate_square_subsequent_mask(sz, device=None, dtype=None):
    return torch.triu(torch.full((sz, sz), -math.inf, dtype=dtype, device=device), diagonal=1)


@row(f"{_PACKAGE}._get_clones")
def _get_clones(module, N):
    session.current().limit_parts(N, "layers")
    return ModuleList([copying.deepcopy(module) for _ in range(N)])


@row(f"{_PACKAGE}._get_activation_fn")
def _get_activation_fn(activation):
    if activation in ("relu", "gelu"):
        return getattr(F, activation)
    raise RuntimeError(f"activation should be relu/gelu, not {activation}")


@row(f"{_PACKAGE}._get_seq_len")
def _get_seq_len(src, batch_first):
    return src.shape[0] if src.ndim == 2 else src.shape[1 if batch_first else 0]


@row(f"{_PACKAGE}._detect_is_causal_mask")
def _detect_is_causal_mask(mask, is_causal=None, size=None):
    """Tell whether the mask is the causal one; a mask of unknown numbers is applied as it is."""
    if is_causal is not None or mask is None:
        return is_causal is True
    size = mask.shape[-2] if size is None else size
    if mask.ndim != 2 or any(dim.equal(side, size) is not True for side in mask.shape):
        return False
    causal = _generate_square_subsequent_mask(size, device=mask.device, dtype=mask.dtype)
    try:
        return bool((mask == causal).all())
    except Undecidable:
        return False


@layer
class Transformer(Module):
    """An encoder and a decoder."""

    __module__ = _PACKAGE

    def __init__(
        self,
        d_model: Any = 512,
        nhead: Any = 8,
        num_encoder_layers: Any = 6,
        num_decoder_layers: Any = 6,
        dim_feedforward: Any = 2048,
        dropout: Any = 0.1,
        activation: Any = relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: Any = 1e-5,
        batch_first: Any = False,
        norm_first: Any = False,
        bias: Any = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        common = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        where = {"device": device, "dtype": dtype}
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            norm = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
            self.encoder = TransformerEncoder(TransformerEncoderLayer(*common, **where), num_encoder_layers, norm)
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            norm = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
            self.decoder = TransformerDecoder(TransformerDecoderLayer(*common, **where), num_decoder_layers, norm)
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Any,
        tgt: Any,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        src_is_causal: Any = None,
        tgt_is_causal: Any = None,
        memory_is_causal: Any = False,
    ) -> Any:
        batch = 0 if self.batch_first else 1
        if src.ndim == 3 and dim.equal(src.shape[batch], tgt.shape[batch]) is False:
            raise Fault(
                f"Transformer: src has a batch of {src.shape[batch]}, but tgt has {tgt.shape[batch]}",
                FaultCode.SHAPE_MISMATCH,
            )
        for name, x in (("src", src), ("tgt", tgt)):
            if dim.equal(x.shape[-1], self.d_model) is False:
                raise Fault(
                    f"Transformer: {name} has {x.shape[-1]} features, but d_model is {self.d_model}",
                    FaultCode.SHAPE_MISMATCH,
                )
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: Any, device: Any = None, dtype: Any = None) -> Any:
        return _generate_square_subsequent_mask(sz, dtype=dtype, device=device)

    def _reset_parameters(self) -> None:
        """Fill the weights with random numbers, which are not known."""


@layer
class TransformerEncoder(Module):
    """A stack of copies of one layer."""

    __module__ = _PACKAGE
    __constants__ = ("norm",)

    def __init__(
        self,
        encoder_layer: Any,
        num_layers: Any,
        norm: Any = None,
        enable_nested_tensor: Any = True,
        mask_check: Any = True,
    ) -> None:
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = bool(enable_nested_tensor and _allows_nested(encoder_layer))
        self.mask_check = mask_check

    def forward(self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: Any = None) -> Any:
        src_key_padding_mask = _canonical_mask(
            src_key_padding_mask, "src_key_padding_mask", _none_or_dtype(mask), "mask", src.dtype
        )
        mask = _canonical_mask(mask, "mask", None, "", src.dtype, check_other=False)
        output = src
        length = _get_seq_len(src, self.layers[0].self_attn.batch_first)
        is_causal = _detect_is_causal_mask(mask, is_causal, length)
        for module in self.layers:
            output = module(output, src_mask=mask, is_causal=is_causal, src_key_padding_mask=src_key_padding_mask)
        return output if self.norm is None else self.norm(output)


def _allows_nested(encoder_layer: Any) -> bool:
    """Tell whether torch would consider nested tensors for an encoder of this layer."""
    if not isinstance(encoder_layer, TransformerEncoderLayer):
        return False
    attention = encoder_layer.self_attn
    return bool(
        not encoder_layer.norm_first
        and attention.batch_first
        and attention._qkv_same_embed_dim
        and attention.in_proj_bias is not None
        and encoder_layer.activation_relu_or_gelu
        and encoder_layer.norm1.eps == encoder_layer.norm2.eps
        and attention.num_heads % 2 == 0
    )


@layer
class TransformerDecoder(Module):
    """A stack of copies of one layer, which also attends to the encoder's output."""

    __module__ = _PACKAGE
    __constants__ = ("norm",)

    def __init__(self, decoder_layer: Any, num_layers: Any, norm: Any = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: Any = None,
        memory_is_causal: Any = False,
    ) -> Any:
        output = tgt
        length = _get_seq_len(tgt, self.layers[0].self_attn.batch_first)
        tgt_is_causal = _detect_is_causal_mask(tgt_mask, tgt_is_causal, length)
        for module in self.layers:
            output = module(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=tgt_is_causal,
                memory_is_causal=memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


@layer
class TransformerEncoderLayer(Module):
    """Self-attention, then two linear layers, each with a residual and a norm."""

    __module__ = _PACKAGE
    __constants__ = ("norm_first",)

    def __init__(
        self,
        d_model: Any,
        nhead: Any,
        dim_feedforward: Any = 2048,
        dropout: Any = 0.1,
        activation: Any = relu,
        layer_norm_eps: Any = 1e-5,
        batch_first: Any = False,
        norm_first: Any = False,
        bias: Any = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        where = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **where
        )
        self.linear1 = nn.Linear(d_model, dim_feedforward, bias=bias, **where)
        self.dropout = nn.Dropout(dropout)
        self.linear2 = nn.Linear(dim_feedforward, d_model, bias=bias, **where)
        self.norm_first = norm_first
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)
        if isinstance(activation, str):
            activation = _get_activation_fn(activation)
        if activation is F.relu or isinstance(activation, nn.ReLU):
            self.activation_relu_or_gelu = 1
        elif activation is F.gelu or isinstance(activation, nn.GELU):
            self.activation_relu_or_gelu = 2
        else:
            self.activation_relu_or_gelu = 0
        self.activation = activation

    def forward(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: Any = False) -> Any:
        src_key_padding_mask = _canonical_mask(
            src_key_padding_mask, "src_key_padding_mask", _none_or_dtype(src_mask), "src_mask", src.dtype
        )
        src_mask = _canonical_mask(src_mask, "src_mask", None, "", src.dtype, check_other=False)
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), src_mask, src_key_padding_mask, is_causal=is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, src_mask, src_key_padding_mask, is_causal=is_causal))
        return self.norm2(x + self._ff_block(x))

    def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: Any = False) -> Any:
        x = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False, is_causal=is_causal
        )[0]
        return self.dropout1(x)

    def _ff_block(self, x: Any) -> Any:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


@layer
class TransformerDecoderLayer(Module):
    """Self-attention, attention to the memory, then two linear layers."""

    __module__ = _PACKAGE
    __constants__ = ("norm_first",)

    def __init__(
        self,
        d_model: Any,
        nhead: Any,
        dim_feedforward: Any = 2048,
        dropout: Any = 0.1,
        activation: Any = relu,
        layer_norm_eps: Any = 1e-5,
        batch_first: Any = False,
        norm_first: Any = False,
        bias: Any = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        where = {"device": device, "dtype": dtype}
        attention = {"dropout": dropout, "batch_first": batch_first, "bias": bias, **where}
        norm = {"eps": layer_norm_eps, "bias": bias, **where}
        self.self_attn = MultiheadAttention(d_model, nhead, **attention)
        self.multihead_attn = MultiheadAttention(d_model, nhead, **attention)
        self.linear1 = nn.Linear(d_model, dim_feedforward, bias=bias, **where)
        self.dropout = nn.Dropout(dropout)
        self.linear2 = nn.Linear(dim_feedforward, d_model, bias=bias, **where)
        self.norm_first = norm_first
        self.norm1 = nn.LayerNorm(d_model, **norm)
        self.norm2 = nn.LayerNorm(d_model, **norm)
        self.norm3 = nn.LayerNorm(d_model, **norm)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)
        self.dropout3 = nn.Dropout(dropout)
        self.activation = _get_activation_fn(activation) if isinstance(activation, str) else activation

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: Any = False,
        memory_is_causal: Any = False,
    ) -> Any:
        x = tgt
        memory_args = (memory, memory_mask, memory_key_padding_mask, memory_is_causal)
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), tgt_mask, tgt_key_padding_mask, tgt_is_causal)
            x = x + self._mha_block(self.norm2(x), *memory_args)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, tgt_mask, tgt_key_padding_mask, tgt_is_causal))
        x = self.norm2(x + self._mha_block(x, *memory_args))
        return self.norm3(x + self._ff_block(x))

    def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: Any = False) -> Any:
        x = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal, need_weights=False
        )[0]
        return self.dropout1(x)

    def _mha_block(self, x: Any, mem: Any, attn_mask: Any, key_padding_mask: Any, is_causal: Any = False) -> Any:
        x = self.multihead_attn(
            x,
            mem,
            mem,
            attn_mask=attn_mask,
            key_padding_mask=key_padding_mask,
            is_causal=is_causal,
            need_weights=False,
        )[0]
        return self.dropout2(x)

    def _ff_block(self, x: Any) -> Any:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))
