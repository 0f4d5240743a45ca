"""`torch.autograd` and `torch.func`: custom functions run their forward; gradients have their inputs' shapes."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base import attribute
from cutaway.knowledge.base.registry import KnownModule, register, row
from cutaway.knowledge.torch.runtime.inert import Inert, register_all, transparent
from cutaway.knowledge.torch.runtime.utils import tree_flatten
from cutaway.knowledge.torch.tensor.gradients import backward_ran
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.knowledge.torch.tensor.tensor import Tensor

torch = KnownModule("torch")
Dual = namedtuple("Dual", ["primal", "tangent"])
register("torch.autograd.forward_ad.UnpackedDualTensor", Dual)
register("torch.autograd.forward_ad.unpack_dual", lambda tensor, *, level=None: Dual(tensor, None))
register("torch.autograd.forward_ad._current_level", -1)


@row("torch.autograd.function.FunctionCtx")
class FunctionCtx:
    """What a custom function keeps for its backward, which never runs here."""

    def __init__(self) -> None:
        self.saved_tensors: tuple[Any, ...] = ()
        self.needs_input_grad: tuple[bool, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors

    save_for_forward = save_for_backward

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        return self.saved_tensors

    def mark_dirty(self, *args: Any) -> None:
        pass

    mark_non_differentiable = mark_shared_storage = mark_dirty

    def set_materialize_grads(self, value: bool) -> None:
        pass


@row("torch.autograd.Function", "torch.autograd.function.Function")
class Function(FunctionCtx):
    """Base of custom functions; `apply` runs `forward`."""

    generate_vmap_rule = False

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> Any:
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function"
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and bool(a.requires_grad) for a in args)
        if cls.setup_context is Function.setup_context:
            return cls.forward(ctx, *args, **kwargs)
        output = cls.forward(*args, **kwargs)
        cls.setup_context(ctx, args, output)
        return output


register("torch.autograd.function.InplaceFunction", type("InplaceFunction", (Function,), {}))
register_all("torch.autograd.function", "once_differentiable", transparent)


class VariableMeta(type):
    """Every tensor is a `Variable`."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


@row("torch.autograd.Variable", "torch.autograd.variable.Variable")
class Variable(metaclass=VariableMeta):
    """The old name of a tensor; making one returns the tensor, where what requires gradients is not followed."""

    def __new__(cls, data: Any, requires_grad: bool = False, volatile: bool = False) -> Any:
        if not session.current().follows_gradients or not isinstance(data, Tensor):
            return data
        made = data.detach()
        made.requires_grad = requires_grad
        return made


@op("torch.autograd.grad")
def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
):
    batch = () if not is_grads_batched else _sequence(grad_outputs)[0].shape[:1]
    return tuple(Out((*batch, *x.shape), x.dtype) for x in _sequence(inputs))


def _sequence(value: Any) -> list[Any]:
    return [value] if isinstance(value, Tensor) else list(value)


register("torch.autograd.backward", lambda *_args, **_kwargs: backward_ran())
register_all(
    "torch.autograd.graph",
    "save_on_cpu saved_tensors_hooks disable_saved_tensors_hooks allow_mutation_on_saved_tensors",
    Inert,
)


# torch.func


def _mapped(args: Any, in_dims: Any) -> list[tuple[Any, Any]]:
    """Return each leaf of the arguments with the dimension that is mapped over, or None."""
    dims = in_dims if isinstance(in_dims, (tuple, list)) else [in_dims] * len(args)
    found: list[tuple[Any, Any]] = []
    for arg, at in zip(args, dims):
        leaves, _ = tree_flatten(arg)
        ats = tree_flatten(at)[0] if isinstance(at, (dict, list, tuple)) else [at] * len(leaves)
        found.extend(zip(leaves, ats))
    return found


@row("torch.vmap", "torch.func.vmap")
def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """Run the function on one slice and give its results the mapped dimension back."""

    def call(*args: Any, **kwargs: Any) -> Any:
        pairs = _mapped(args, in_dims)
        sizes = [leaf.shape[at] for leaf, at in pairs if isinstance(leaf, Tensor) and at is not None]
        if not sizes:
            raise Fault("vmap: at least one argument must be mapped over", FaultCode.INVALID_ARGUMENT)
        _, spec = tree_flatten(args)
        sliced = [
            torch.select(leaf, at, 0) if isinstance(leaf, Tensor) and at is not None else leaf for leaf, at in pairs
        ]
        result = func(*spec.unflatten(sliced), **kwargs)
        leaves, shape = tree_flatten(result)
        ats = [out_dims] * len(leaves) if isinstance(out_dims, int) else tree_flatten(out_dims)[0]
        return shape.unflatten([_restore(leaf, at, sizes[0]) for leaf, at in zip(leaves, ats)])

    return call


def _restore(result: Any, at: Any, size: Any) -> Any:
    if isinstance(result, Unknown) or at is None:
        return result
    return _batched(result, at, size)


@op("torch.func.batched")
def _batched(result, at, size):
    shape = list(result.shape)
    shape.insert(at if at >= 0 else at + len(shape) + 1, size)
    return Out(shape, result.dtype)


@row("torch.func.stack_module_state")
def stack_module_state(models):
    tables = ({}, {})  # type: tuple[dict[str, Any], dict[str, Any]]
    for table, members in zip(tables, ("named_parameters", "named_buffers")):
        for name, _ in attribute.get(models[0], members)():
            table[name] = torch.stack([dict(attribute.get(model, members)())[name] for model in models])
    return tables
