"""`torch.nn.utils.weight_norm` and `spectral_norm`: a weight that a hook computes before each call."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size import dim as sizes
from cutaway.knowledge.base import attribute
from cutaway.knowledge.base.registry import KnownModule, row
from cutaway.knowledge.torch.nn.parameter import Parameter
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.knowledge.torch.tensor.tensor import new

torch = KnownModule("torch")
nn = KnownModule("torch.nn")
F = KnownModule("torch.nn.functional")
_UTILS = "torch.nn.utils"


@op("torch.norm_except_dim")
def norm_except_dim(v, pow=2, dim=0):
    if dim == -1:
        return Out((), v.dtype.to_real())
    if not 0 <= dim < len(v.shape):
        raise Fault(
            f"norm_except_dim: dim {dim} is not a dimension of a tensor with {len(v.shape)} dimensions",
            FaultCode.DIMENSION_OUT_OF_RANGE,
        )
    return Out([size if i == dim else 1 for i, size in enumerate(v.shape)], v.dtype.to_real())


@op("torch._weight_norm")
def _weight_norm(v, g, dim=0):
    return Out(v.shape, v.dtype)


@op("torch._weight_norm_interface")
def _weight_norm_interface(v, g, dim=0):
    return Out(v.shape, v.dtype), Out(g.shape, g.dtype)


def _hook_of(module: Any, kind: type, name: str) -> Any:
    """Return the key of the hook of this kind on this weight, or None."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and getattr(hook, "name", None) == name:
            return key
    return None


@row(f"{_UTILS}.weight_norm.WeightNorm")
class WeightNorm:
    """Computes the weight from its magnitude `<name>_g` and its direction `<name>_v`."""

    def __init__(self, name: str, dim: Any) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Any:
        return _weight_norm(attribute.get(module, f"{self.name}_v"), attribute.get(module, f"{self.name}_g"), self.dim)

    @staticmethod
    def apply(module: Any, name: str, dim: Any) -> WeightNorm:
        if _hook_of(module, WeightNorm, name) is not None:
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        hook = WeightNorm(name, dim)
        weight = attribute.get(module, name)
        del module._parameters[name]
        module.register_parameter(f"{name}_g", Parameter(norm_except_dim(weight, 2, hook.dim)))
        module.register_parameter(f"{name}_v", Parameter(weight.data))
        attribute.put(module, name, hook.compute_weight(module))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module: Any) -> None:
        weight = self.compute_weight(module)
        attribute.delete(module, self.name)
        del module._parameters[f"{self.name}_g"]
        del module._parameters[f"{self.name}_v"]
        attribute.put(module, self.name, Parameter(weight.data))

    def __call__(self, module: Any, inputs: Any) -> None:
        attribute.put(module, self.name, self.compute_weight(module))


@row(f"{_UTILS}.weight_norm", f"{_UTILS}.weight_norm.weight_norm")
def weight_norm(module, name="weight", dim=0):
    WeightNorm.apply(module, name, dim)
    return module


@row(f"{_UTILS}.remove_weight_norm", f"{_UTILS}.weight_norm.remove_weight_norm")
def remove_weight_norm(module, name="weight"):
    key = _hook_of(module, WeightNorm, name)
    if key is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    module._forward_pre_hooks[key].remove(module)
    del module._forward_pre_hooks[key]
    return module


def matrix_sizes(weight: Any, dim: int) -> tuple[Any, Any]:
    """Return the sizes of a weight laid out as a matrix with `dim` as its rows."""
    height = weight.shape[dim]
    return height, sizes.product(size for i, size in enumerate(weight.shape) if i != dim % len(weight.shape))


@row(f"{_UTILS}.spectral_norm.SpectralNorm")
class SpectralNorm:
    """Divides the weight `<name>_orig` by an estimate of its largest singular value."""

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name = name
        self.dim = dim
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Any) -> Any:
        if self.dim != 0:
            weight = weight.permute(self.dim, *[d for d in range(weight.ndim) if d != self.dim])
        return weight.reshape(weight.shape[0], -1)

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Any:
        weight = attribute.get(module, f"{self.name}_orig")
        u, v = attribute.get(module, f"{self.name}_u"), attribute.get(module, f"{self.name}_v")
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            for _ in range(self.n_power_iterations):
                v = F.normalize(torch.mv(matrix.t(), u), dim=0, eps=self.eps, out=v)
                u = F.normalize(torch.mv(matrix, v), dim=0, eps=self.eps, out=u)
            u, v = (each.clone(memory_format=torch.contiguous_format) for each in (u, v))
        return weight / torch.dot(u, torch.mv(matrix, v))

    @staticmethod
    def apply(module: Any, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        if _hook_of(module, SpectralNorm, name) is not None:
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        height, width = matrix_sizes(weight, dim)
        attribute.delete(module, name)
        module.register_parameter(f"{name}_orig", weight)
        attribute.put(module, name, new(weight.shape, weight.dtype, base=weight))
        module.register_buffer(f"{name}_u", new((height,), weight.dtype))
        module.register_buffer(f"{name}_v", new((width,), weight.dtype))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module: Any) -> None:
        weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            attribute.delete(module, f"{self.name}{suffix}")
        module.register_parameter(self.name, Parameter(weight))

    def __call__(self, module: Any, inputs: Any) -> None:
        attribute.put(module, self.name, self.compute_weight(module, do_power_iteration=module.training))


def default_dim(module: Any) -> int:
    """Return the dimension of the output channels of a module's weight."""
    return 1 if isinstance(module, (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)) else 0


@row(f"{_UTILS}.spectral_norm", f"{_UTILS}.spectral_norm.spectral_norm")
def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    SpectralNorm.apply(module, name, n_power_iterations, default_dim(module) if dim is None else dim, eps)
    return module


@row(f"{_UTILS}.remove_spectral_norm", f"{_UTILS}.spectral_norm.remove_spectral_norm")
def remove_spectral_norm(module, name="weight"):
    key = _hook_of(module, SpectralNorm, name)
    if key is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    module._forward_pre_hooks[key].remove(module)
    del module._forward_pre_hooks[key]
    return module
