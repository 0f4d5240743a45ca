"""Sparse tensors: they keep their shape, type and numbers, and say that they are stored in another way."""

from __future__ import annotations

from cutaway.knowledge.base.registry import TABLE
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.knowledge.torch.tensor.tensor import new
from cutaway.knowledge.torch.tensor.types import Layout


def _as(tensor, layout):
    if tensor.__dict__.get("_layout", "strided") == layout:
        return tensor
    made = new(tensor.shape, tensor.dtype, values=tensor.values_, device=tensor.device)
    made.__dict__["_layout"] = layout
    return made


@op("torch.Tensor.to_sparse_coo")
def to_sparse_coo(self):
    return _as(self, "sparse_coo")


def _by_columns_or_rows(layout: str) -> None:
    def rule(self, dense_dim=None):
        return _as(self, layout)

    op(f"torch.Tensor.to_{layout}")(rule)


def _by_blocks(layout: str) -> None:
    def rule(self, blocksize, dense_dim=None):
        return _as(self, layout)

    op(f"torch.Tensor.to_{layout}")(rule)


for _name in ("sparse_csr", "sparse_csc"):
    _by_columns_or_rows(_name)
for _name in ("sparse_bsr", "sparse_bsc"):
    _by_blocks(_name)


@op("torch.Tensor.to_sparse")
def to_sparse(self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None):
    kind = layout if isinstance(layout, Layout) else TABLE["torch.sparse_coo"]
    return _as(self, str(kind).removeprefix("torch."))


@op("torch.Tensor.to_dense")
def to_dense(self, dtype=None, *, masked_grad=None):
    if self.__dict__.get("_layout", "strided") == "strided":
        return self
    return Out(self.shape, dtype or self.dtype, self.values_)
