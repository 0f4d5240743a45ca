"""`torch.nn.modules.sparse`: embeddings."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import AssertionFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.torch.nn import init
from cutaway.knowledge.torch.nn.module import Module, layer
from cutaway.knowledge.torch.nn.parameter import Parameter
from cutaway.knowledge.torch.nn.weights import certain, rank, unequal, weight
from cutaway.knowledge.torch.tensor.op import write

F = KnownModule("torch.nn.functional")
HOME = "torch.nn.modules.sparse"


def _padding_index(name: str, index: Any, count: Any) -> Any:
    """Return the index of the padding row counted from the start."""
    if index is None:
        return None
    if certain(lambda: index > 0 and index >= count) or certain(lambda: index < -count):
        raise AssertionFault(
            f"{name}: padding_idx {index} is outside num_embeddings {count}", FaultCode.INDEX_OUT_OF_RANGE
        )
    return count + index if certain(lambda: index < 0) else index


def _require_shape(name: str, given: Any, rows: Any, columns: Any) -> None:
    dims = rank(given)
    if dims is not None and (dims != 2 or unequal(given.shape[0], rows) or unequal(given.shape[1], columns)):
        shape = ", ".join(map(str, given.shape))
        raise AssertionFault(
            f"{name}: _weight has shape ({shape}), but expected ({rows}, {columns})", FaultCode.SHAPE_MISMATCH
        )


def _table_shape(name: str, embeddings: Any) -> tuple[Any, Any]:
    """Return rows and columns of a pretrained table."""
    dims = rank(embeddings)
    if dims is None:
        reason = embeddings if isinstance(embeddings, Unknown) else embeddings.shape
        return reason, reason
    if dims != 2:
        raise AssertionFault(f"{name}: embeddings must have 2 dimensions, got {dims}", FaultCode.WRONG_RANK)
    return embeddings.shape[0], embeddings.shape[1]


@layer
class Embedding(Module):
    """Rows of a table by index."""

    __module__ = HOME
    __constants__ = [
        "num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse",
    ]  # fmt: skip

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
        _weight=None,
        _freeze=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = _padding_index("Embedding", padding_idx, num_embeddings)
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        if _weight is None:
            self.weight = weight(self, (num_embeddings, embedding_dim), device, dtype, requires_grad=not _freeze)
            self.reset_parameters()
        else:
            _require_shape("Embedding", _weight, num_embeddings, embedding_dim)
            self.weight = Parameter(_weight, requires_grad=not _freeze)
        self.sparse = sparse

    def reset_parameters(self):
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self):
        if self.padding_idx is not None:
            write(self.weight, None)

    def forward(self, input):
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    @classmethod
    def from_pretrained(
        cls,
        embeddings,
        freeze=True,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
    ):
        rows, columns = _table_shape("Embedding.from_pretrained", embeddings)
        return cls(
            num_embeddings=rows,
            embedding_dim=columns,
            _weight=embeddings,
            _freeze=freeze,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
        )


@layer
class EmbeddingBag(Module):
    """Sums, means or maxima of rows of a table."""

    __module__ = HOME
    __constants__ = [
        "num_embeddings", "embedding_dim", "max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse",
        "include_last_offset", "padding_idx",
    ]  # fmt: skip

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        mode="mean",
        sparse=False,
        _weight=None,
        include_last_offset=False,
        padding_idx=None,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx = _padding_index("EmbeddingBag", padding_idx, num_embeddings)
        if _weight is None:
            self.weight = weight(self, (num_embeddings, embedding_dim), device, dtype)
            self.reset_parameters()
        else:
            _require_shape("EmbeddingBag", _weight, num_embeddings, embedding_dim)
            self.weight = Parameter(_weight)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def reset_parameters(self):
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self):
        if self.padding_idx is not None:
            write(self.weight, None)

    def forward(self, input, offsets=None, per_sample_weights=None):
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    @classmethod
    def from_pretrained(
        cls,
        embeddings,
        freeze=True,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        mode="mean",
        sparse=False,
        include_last_offset=False,
        padding_idx=None,
    ):
        rows, columns = _table_shape("EmbeddingBag.from_pretrained", embeddings)
        made = cls(
            num_embeddings=rows,
            embedding_dim=columns,
            _weight=embeddings,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        made.weight.requires_grad = not freeze
        return made
