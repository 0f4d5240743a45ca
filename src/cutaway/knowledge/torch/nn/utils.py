"""The rest of `torch.nn.utils`: gradients, weights as one vector, fusion of norms into weights."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size import dim
from cutaway.knowledge.base import copying
from cutaway.knowledge.base.registry import KnownModule, register, row
from cutaway.knowledge.torch.nn.module import Module
from cutaway.knowledge.torch.nn.parameter import Parameter
from cutaway.knowledge.torch.tensor.op import write
from cutaway.knowledge.torch.tensor.tensor import Tensor, new

torch = KnownModule("torch")
_UTILS = "torch.nn.utils"


@row(
    f"{_UTILS}.clip_grad_norm_", f"{_UTILS}.clip_grad_norm", f"{_UTILS}.clip_grad.clip_grad_norm_",
    f"{_UTILS}.clip_grad.clip_grad_norm",
)  # fmt: skip
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    return new(())


@row(f"{_UTILS}.get_total_norm", f"{_UTILS}.clip_grad.get_total_norm")
def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    return new(())


@row(f"{_UTILS}.clip_grad_value_", f"{_UTILS}.clip_grad.clip_grad_value_")
def clip_grad_value_(parameters, clip_value, foreach=None):
    return None


@row(f"{_UTILS}.clip_grads_with_norm_", f"{_UTILS}.clip_grad.clip_grads_with_norm_")
def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    return None


@row(f"{_UTILS}.parameters_to_vector", f"{_UTILS}.convert_parameters.parameters_to_vector")
def parameters_to_vector(parameters):
    return torch.cat([parameter.reshape(-1) for parameter in parameters])


@row(f"{_UTILS}.vector_to_parameters", f"{_UTILS}.convert_parameters.vector_to_parameters")
def vector_to_parameters(vec, parameters):
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    for parameter in parameters:
        write(parameter, None)


@row(f"{_UTILS}.skip_init", f"{_UTILS}.init.skip_init")
def skip_init(module_cls, *args, **kwargs):
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in session.current().signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    return module_cls(*args, **kwargs)


def _same(module, memory_format):
    return module


for _name in ("convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"):
    register(f"{_UTILS}.{_name}", _same)
    register(f"{_UTILS}.memory_format.{_name}", _same)


def _fused(weight: Any, bias: Any, channels: Any, like: Any) -> tuple[Any, Any]:
    bias_dtype, grad = (weight.dtype, like.requires_grad) if bias is None else (bias.dtype, bias.requires_grad)
    return Parameter(new(weight.shape, weight.dtype), weight.requires_grad), Parameter(
        new((channels,), bias_dtype), grad
    )


@row(f"{_UTILS}.fuse_conv_bn_weights", f"{_UTILS}.fusion.fuse_conv_bn_weights")
def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    channels = conv_w.shape[1 if transpose else 0]
    if dim.equal(channels, bn_rm.shape[0]) is False:
        raise Fault(
            f"fuse_conv_bn: the convolution has {channels} channels, but the norm has {bn_rm.shape[0]}",
            FaultCode.SHAPE_MISMATCH,
        )
    return _fused(conv_w, conv_b, bn_rm.shape[0], bn_rm)


@row(f"{_UTILS}.fuse_linear_bn_weights", f"{_UTILS}.fusion.fuse_linear_bn_weights")
def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    return _fused(linear_w, linear_b, linear_w.shape[0] if linear_b is not None else bn_rm.shape[0], bn_rm)


def _check_eval(*modules: Any) -> None:
    if any(module.training for module in modules):
        raise AssertionError("Fusion only for eval!")


@row(f"{_UTILS}.fuse_conv_bn_eval", f"{_UTILS}.fusion.fuse_conv_bn_eval")
def fuse_conv_bn_eval(conv, bn, transpose=False):
    _check_eval(conv, bn)
    fused = copying.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


@row(f"{_UTILS}.fuse_linear_bn_eval", f"{_UTILS}.fusion.fuse_linear_bn_eval")
def fuse_linear_bn_eval(linear, bn):
    _check_eval(linear, bn)
    fused = copying.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


@row(f"{_UTILS}.stateless.functional_call")
def stateless_functional_call(
    module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False
):
    return functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


@row("torch.func.functional_call")
def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Call the module with other weights, and put its own back."""
    if isinstance(parameter_and_buffer_dicts, dict):
        weights = parameter_and_buffer_dicts
    else:
        weights = {name: tensor for part in parameter_and_buffer_dicts for name, tensor in part.items()}
    before = []
    for path, tensor in weights.items():
        owner_path, _, name = path.rpartition(".")
        owner = module.get_submodule(owner_path)
        table = owner._parameters if name in owner._parameters else owner._buffers
        if name not in table:
            raise RuntimeError(f"functional_call: the module has no parameter or buffer {path}")
        before.append((table, name, table[name]))
        table[name] = tensor
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    try:
        return module(*positional, **(kwargs or {}))
    finally:
        for table, name, tensor in reversed(before):
            table[name] = tensor
