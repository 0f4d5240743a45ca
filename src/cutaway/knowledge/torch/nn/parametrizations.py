"""`torch.nn.utils.parametrizations`: weight norm, spectral norm and orthogonal weights."""

from __future__ import annotations

import enum
from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size import dim as sizes
from cutaway.core.size.dim import product
from cutaway.knowledge.base import attribute
from cutaway.knowledge.base.registry import KnownModule, row
from cutaway.knowledge.torch.nn.module import Module
from cutaway.knowledge.torch.nn.parametrize import register_parametrization
from cutaway.knowledge.torch.nn.weight_norm import default_dim, matrix_sizes
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.knowledge.torch.tensor.tensor import Tensor, new
from cutaway.ops.elementwise import written

torch = KnownModule("torch")
F = KnownModule("torch.nn.functional")
_PACKAGE = "torch.nn.utils.parametrizations"


def _tensor_of(module: Any, name: str) -> Any:
    weight = attribute.get(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


@row(f"{_PACKAGE}._WeightNorm")
class _WeightNorm(Module):
    """A weight as a magnitude (`original0`) and a direction (`original1`)."""

    __module__ = _PACKAGE

    def __init__(self, dim: Any = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return torch._weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> Any:
        return torch.norm_except_dim(weight, 2, self.dim), weight


@row(f"{_PACKAGE}.weight_norm")
def weight_norm(module, name="weight", dim=0):
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


@row(f"{_PACKAGE}._SpectralNorm")
class _SpectralNorm(Module):
    """A weight divided by an estimate of its largest singular value."""

    __module__ = _PACKAGE

    _u: Any
    _v: Any

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        rank = weight.ndim
        if dim >= rank or dim < -rank:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{rank}, {rank - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + rank
        self.eps = eps
        if rank > 1:
            self.n_power_iterations = n_power_iterations
            height, width = matrix_sizes(weight, self.dim)
            self.register_buffer("_u", new((height,), weight.dtype))
            self.register_buffer("_v", new((width,), weight.dtype))

    def _reshape_weight_to_matrix(self, weight: Any) -> Any:
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.ndim) if d != self.dim))
        return weight.flatten(1)

    def forward(self, weight: Any) -> Any:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            for _ in range(self.n_power_iterations):
                self._u = F.normalize(torch.mv(matrix, self._v), dim=0, eps=self.eps, out=self._u)
                self._v = F.normalize(torch.mv(matrix.H, self._u), dim=0, eps=self.eps, out=self._v)
        u, v = (each.clone(memory_format=torch.contiguous_format) for each in (self._u, self._v))
        return weight / torch.vdot(u, torch.mv(matrix, v))

    def right_inverse(self, value: Any) -> Any:
        return value


@row(f"{_PACKAGE}.spectral_norm")
def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    weight = _tensor_of(module, name)
    dim = default_dim(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))


@row(f"{_PACKAGE}._OrthMaps")
class _OrthMaps(enum.Enum):
    """The ways to an orthogonal matrix."""

    matrix_exp = enum.auto()
    cayley = enum.auto()
    householder = enum.auto()


@op(f"{_PACKAGE}.orthogonal_map")
def _orthogonal_map(X, base=None):
    """Make a matrix orthogonal. Counted is the product with the base, as torch's counter sees it."""
    macs = 0 if base is None else product(base.shape) * sizes.minimum(X.shape[-2], X.shape[-1])
    return Out(X.shape, X.dtype, macs=macs)


@row(f"{_PACKAGE}._Orthogonal")
class _Orthogonal(Module):
    """An orthogonal or semi-orthogonal weight."""

    __module__ = _PACKAGE

    def __init__(self, weight: Any, orthogonal_map: Any, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.dtype.is_complex and orthogonal_map is _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:
        return _orthogonal_map(X, getattr(self, "base", None))

    def right_inverse(self, Q: Any) -> Any:
        if len(Q.shape) != len(self.shape) or any(sizes.equal(a, b) is False for a, b in zip(Q.shape, self.shape)):
            raise ArgumentFault(
                f"orthogonal: expected shape {written(self.shape)}, but got {written(Q.shape)}",
                FaultCode.SHAPE_MISMATCH,
            )
        if hasattr(self, "base"):
            side = sizes.maximum(Q.shape[-2], Q.shape[-1])
            self.base = new((*Q.shape[:-2], side, side), Q.dtype)
        elif self.orthogonal_map is not _OrthMaps.householder:
            raise NotImplementedError("this orthogonal map has no inverse without trivialization")
        return new(Q.shape, Q.dtype)


@row(f"{_PACKAGE}.orthogonal")
def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    weight = _tensor_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = sizes.equal(weight.shape[-2], weight.shape[-1]) is True
        orthogonal_map = "matrix_exp" if square or weight.dtype.is_complex else "householder"
    if orthogonal_map not in _OrthMaps.__members__:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    parametrization = _Orthogonal(weight, _OrthMaps[orthogonal_map], use_trivialization=use_trivialization)
    return register_parametrization(module, name, parametrization, unsafe=True)
