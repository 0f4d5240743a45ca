"""Attention kernels: `scaled_dot_product_attention` and `torch.nn.attention.flex_attention`."""

from __future__ import annotations

from typing import Any, NamedTuple

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Size, equal
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import register, row
from cutaway.knowledge.torch.functional.argument import empty
from cutaway.knowledge.torch.linalg.matmul import product_dtype, require_tensors
from cutaway.knowledge.torch.tensor.memory import elementwise
from cutaway.knowledge.torch.tensor.op import Out, op, temporary
from cutaway.knowledge.torch.tensor.tensor import strides_of
from cutaway.knowledge.torch.tensor.types import DTYPES, bool_, float32, float64
from cutaway.ops.attention import attention
from cutaway.ops.reshape import text


@op("torch.nn.functional.scaled_dot_product_attention", "torch._C._nn.scaled_dot_product_attention")
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False
):
    name = "scaled_dot_product_attention"
    require_tensors(name, query, key, value)
    dtype = product_dtype(name, query, key, value)
    if attn_mask is not None:
        # Fused kernels, which take 4 dimensions, apply both; the plain implementation refuses.
        if is_causal is True and query.ndim != 4:
            raise Fault(f"{name}: attn_mask must not be given with is_causal=True", FaultCode.ARGUMENT_CONFLICT)
        require_tensors(name, attn_mask)
        if attn_mask.dtype not in (bool_, float32, dtype, query.dtype):
            raise Fault(
                f"{name}: attn_mask must be bool, float32 or of the query's dtype {query.dtype}, not {attn_mask.dtype}",
                FaultCode.DTYPE_MISMATCH,
            )
    if any(empty(t.shape) for t in (query, key, value)):
        return Out((*query.shape[:-1], value.shape[-1]), dtype)
    mask = None if attn_mask is None else attn_mask.shape
    shape, macs = attention(query.shape, key.shape, value.shape, mask, bool(enable_gqa))
    if not _is_fused(shape, (query, key, value), dropout_p):
        return Out(shape, dtype, macs=macs, temporaries=_steps(query, key, value, dropout_p, dtype.name))
    strides = elementwise(shape, [(query.shape, strides_of(query))])  # the result lies as the query does
    return Out(shape, dtype, macs=macs, strides=strides, temporaries=[temporary(shape[:-1], "float32")])


def _is_fused(shape: Any, operands: tuple[Any, ...], dropout_p: Any) -> bool:
    """Tell whether one kernel does it all."""
    if len(shape) != 4 or dropout_p or any(equal(t.shape[-1], shape[-1]) is not True for t in operands):
        return False
    return all(t._contiguous or (t._strides is not None and t._strides[-1] == 1) for t in operands)


def _steps(query: Any, key: Any, value: Any, dropout_p: Any, dtype: str) -> list[Any]:
    """Return what is computed on the way where there is no kernel for all of it."""
    scores = (*query.shape[:-1], key.shape[-2])
    dropped = [temporary(scores, dtype)] * 2 if dropout_p else []  # the mask, and what is left
    scaled = [temporary(query.shape, dtype), temporary(key.shape, dtype)]
    return [*scaled, temporary(scores, dtype, kept=False), temporary(scores, dtype), *dropped]


class AuxRequest(NamedTuple):
    """Which auxiliary outputs `flex_attention` should return."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """Auxiliary outputs of `flex_attention`."""

    lse: Any = None
    max_scores: Any = None


_FLEX = "torch.nn.attention.flex_attention"
register(f"{_FLEX}.AuxRequest", AuxRequest)
register(f"{_FLEX}.AuxOutput", AuxOutput)
register(f"{_FLEX}.FlexKernelOptions", dict)


@row(f"{_FLEX}.BlockMask")
class BlockMask:
    """Which blocks of the scores are computed; only its sizes are known."""

    def __init__(self, seq_lengths: Any = None, *_blocks: Any, BLOCK_SIZE: Any = (128, 128), **options: Any) -> None:
        self.seq_lengths = seq_lengths
        self.BLOCK_SIZE = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
        self.mask_mod = options.get("mask_mod")
        self._batch: tuple[Size, ...] | None = None

    @classmethod
    def from_kv_blocks(cls, *_blocks: Any, **options: Any) -> BlockMask:
        """Make a mask from tensors of block numbers."""
        options.setdefault("BLOCK_SIZE", 128)
        return cls(options.pop("seq_lengths", None), **options)

    @property
    def shape(self) -> Any:
        """Batch, heads, queries and keys."""
        if self._batch is None or self.seq_lengths is None:
            return session.current().unknown("the shape of a BlockMask made from blocks is not computed")
        return (*self._batch, *self.seq_lengths)

    def to(self, device: Any) -> BlockMask:
        """Return the mask on a device."""
        return self

    def _adjust(self, new_q_len: Any, new_kv_len: Any) -> BlockMask:
        made = BlockMask((new_q_len, new_kv_len), BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod)
        made._batch = self._batch
        return made

    def __getitem__(self, _index: Any) -> BlockMask:
        return BlockMask(None, BLOCK_SIZE=self.BLOCK_SIZE)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Unknown(f"BlockMask.{name} depends on the numbers in a mask")


@row(f"{_FLEX}.create_block_mask")
def create_block_mask(
    mask_mod, B, H, Q_LEN, KV_LEN, device=None, BLOCK_SIZE=128, _compile=False, separate_full_blocks=True,
    compute_dq_write_order=False, dq_kv_order=True,
):  # fmt: skip
    made = BlockMask((Q_LEN, KV_LEN), BLOCK_SIZE=BLOCK_SIZE, mask_mod=mask_mod)
    made._batch = (1 if B is None else B, 1 if H is None else H)
    return made


@op(f"{_FLEX}.create_mask")
def create_mask(mod_fn, B, H, Q_LEN, KV_LEN, device=None):
    scores = len(session.current().signature(mod_fn).parameters) == 5
    shape = (1 if B is None else B, 1 if H is None else H, Q_LEN, KV_LEN)
    return Out(shape, float32 if scores else bool_)


def _combined(*mask_mods: Any) -> Any:
    """Return a mask function whose decisions, like those of its parts, are never asked for."""
    return lambda b, h, q_idx, kv_idx: Unknown("a mask of flex_attention depends on positions")


register(f"{_FLEX}.and_masks", _combined)
register(f"{_FLEX}.or_masks", _combined)


@row(f"{_FLEX}.noop_mask")
def noop_mask(batch, head, token_q, token_kv):
    return True


@op(f"{_FLEX}.flex_attention")
def flex_attention(
    query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False,
    kernel_options=None, *, return_aux=None,
):  # fmt: skip
    for which, tensor in (("query", query), ("key", key), ("value", value)):
        if tensor.ndim != 4:
            raise Fault(
                f"flex_attention: {which} must have 4 dimensions, but it is {text(tensor.shape)}",
                FaultCode.WRONG_RANK,
            )
    if not enable_gqa and equal(query.shape[1], key.shape[1]) is False:
        raise ArgumentFault(
            f"flex_attention: query has {query.shape[1]} heads, but key and value have {key.shape[1]}; "
            "heads are shared only with enable_gqa=True",
            FaultCode.SHAPE_MISMATCH,
        )
    if isinstance(block_mask, BlockMask) and block_mask.seq_lengths is not None:
        lengths = (query.shape[-2], key.shape[-2])
        if any(equal(a, b) is False for a, b in zip(lengths, block_mask.seq_lengths)):
            wanted = " by ".join(map(str, block_mask.seq_lengths))
            raise ArgumentFault(
                f"flex_attention: block_mask was made for {wanted} positions, but query has {lengths[0]} and "
                f"key has {lengths[1]}",
                FaultCode.SHAPE_MISMATCH,
            )
    dtype = product_dtype("flex_attention", query, key, value)
    shape, macs = attention(query.shape, key.shape, value.shape, None, bool(enable_gqa), "flex_attention")
    out = Out(shape, dtype, macs=macs)
    rows = Out(shape[:-1], float64 if dtype is DTYPES["float64"] else float32)
    if return_aux is not None:
        return out, AuxOutput(rows if return_aux.lse else None, rows if return_aux.max_scores else None)
    return (out, rows) if return_lse else out
