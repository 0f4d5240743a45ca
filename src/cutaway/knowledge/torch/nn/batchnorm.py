"""`torch.nn.modules.batchnorm`: normalisation over the batch, and the base that instance norm shares."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault, AssertionFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Undecidable
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.base.values import known
from cutaway.knowledge.torch.nn import init
from cutaway.knowledge.torch.nn.lazy import LazyModuleMixin, UninitializedBuffer, UninitializedParameter
from cutaway.knowledge.torch.nn.mode import copy_mode
from cutaway.knowledge.torch.nn.module import Module, layer
from cutaway.knowledge.torch.nn.traversal import known_items
from cutaway.knowledge.torch.nn.weights import certain, rank, storage, vector, weight
from cutaway.knowledge.torch.tensor.types import int64

F = KnownModule("torch.nn.functional")
HOME = "torch.nn.modules.batchnorm"


def require_rank(module: Any, input: Any, *ranks: int) -> None:
    """Raise if the input certainly has another number of dimensions."""
    dims = rank(input)
    if dims is not None and dims not in ranks:
        wanted = " or ".join(f"{r}D" for r in ranks)
        shape = ", ".join(map(str, input.shape))
        raise ArgumentFault(
            f"{type(module).__name__}: expected {wanted} input, got {dims}D input of shape ({shape})",
            FaultCode.WRONG_RANK,
        )


@layer
class _NormBase(Module):
    """What batch and instance norms share: scale, shift and running statistics."""

    __module__ = HOME
    _version = 2
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]

    def __init__(
        self,
        num_features,
        eps=1e-05,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        if self.affine:
            self.weight = weight(self, vector(num_features), device, dtype)
            if bias:
                self.bias = weight(self, vector(num_features), device, dtype)
            else:
                self.register_parameter("bias", None)
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)
        if self.track_running_stats:
            self.register_buffer("running_mean", storage(self, vector(num_features), device, dtype))
            self.register_buffer("running_var", storage(self, vector(num_features), device, dtype))
            self.register_buffer("num_batches_tracked", _zero(self, device))
        else:
            self.register_buffer("running_mean", None)
            self.register_buffer("running_var", None)
            self.register_buffer("num_batches_tracked", None)
        self.reset_parameters()

    def reset_running_stats(self):
        if self.track_running_stats:
            init.fill(self.running_mean, 0)
            init.fill(self.running_var, 1)
            init.fill(self.num_batches_tracked, 0)

    def reset_parameters(self):
        self.reset_running_stats()
        if self.affine:
            init.fill(self.weight, 1)
            if self.bias is not None:
                init.fill(self.bias, 0)

    def _check_input_dim(self, input):
        raise NotImplementedError


def _zero(module: Any, device: Any) -> Any:
    return storage(module, (), device, int64, values=known(0))


@layer
class _BatchNorm(_NormBase):
    """What batch norms share: statistics of the batch in training, running ones otherwise."""

    __module__ = HOME

    def __init__(
        self,
        num_features,
        eps=1e-05,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device=device, dtype=dtype, bias=bias
        )

    def forward(self, input):
        self._check_input_dim(input)
        average = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                average = _share(self.num_batches_tracked)
        tracked = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if tracked else None,
            self.running_var if tracked else None,
            self.weight,
            self.bias,
            True if self.training else self.running_mean is None and self.running_var is None,
            average,
            self.eps,
        )


def _share(batches: Any) -> Any:
    """Return the weight of one batch among those counted, unknown where the count is."""
    try:
        return 1.0 / float(batches)
    except Undecidable as undecidable:
        return undecidable.unknown


@layer
class _LazyNormBase(LazyModuleMixin, _NormBase):
    """What lazy norms share: `num_features` come from the first input."""

    __module__ = HOME

    def __init__(
        self,
        eps=1e-05,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(0, eps, momentum, False, False, device=device, dtype=dtype, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if self.affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if self.track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = _zero(self, device)

    def reset_parameters(self):
        if not (self.has_uninitialized_params() or certain(lambda: self.num_features == 0)):
            super().reset_parameters()

    def initialize_parameters(self, input):
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        waiting = [self.weight, self.bias] if self.affine else []
        if self.track_running_stats:
            waiting += [self.running_mean, self.running_var]
        for tensor in waiting:
            if tensor is not None:
                tensor.materialize((self.num_features,))
        self.reset_parameters()


def _batch_norm(n: int, *ranks: int) -> tuple[type, type]:
    """Make `BatchNorm1d`, `2d` or `3d` and its lazy form, which accept inputs of these ranks."""

    def _check_input_dim(self, input):
        require_rank(self, input, *ranks)

    shared = {"__module__": HOME, "_check_input_dim": _check_input_dim}
    plain = type(f"BatchNorm{n}d", (_BatchNorm,), {**shared, "__doc__": f"Batch norm over {n} dimension(s)."})
    lazy = type(
        f"LazyBatchNorm{n}d",
        (_LazyNormBase, _BatchNorm),
        {**shared, "__doc__": "Its `num_features` come from the first input.", "cls_to_become": plain},
    )
    return layer(plain), layer(lazy)


BatchNorm1d, LazyBatchNorm1d = _batch_norm(1, 2, 3)
BatchNorm2d, LazyBatchNorm2d = _batch_norm(2, 4)
BatchNorm3d, LazyBatchNorm3d = _batch_norm(3, 5)


@layer
class SyncBatchNorm(_BatchNorm):
    """Batch norm whose statistics are gathered over processes; in one process, a batch norm."""

    __module__ = HOME

    def __init__(
        self,
        num_features,
        eps=1e-05,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        process_group=None,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device=device, dtype=dtype, bias=bias
        )
        self.process_group = process_group

    def _check_input_dim(self, input):
        dims = rank(input)
        if dims is not None and dims < 2:
            raise ArgumentFault(f"SyncBatchNorm: expected at least 2D input, got {dims}D input", FaultCode.WRONG_RANK)

    def _check_non_zero_input_channels(self, input):
        if rank(input) is not None and certain(lambda: input.shape[1] == 0):
            raise ArgumentFault("SyncBatchNorm: the input has 0 channels", FaultCode.SHAPE_MISMATCH)

    def forward(self, input):
        self._check_input_dim(input)
        self._check_non_zero_input_channels(input)
        if self.training and self.track_running_stats and self.num_batches_tracked is None:
            raise AssertionFault("SyncBatchNorm: num_batches_tracked must not be None", FaultCode.INVALID_ARGUMENT)
        return super().forward(input)

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        converted = module
        if isinstance(module, _BatchNorm):
            converted = SyncBatchNorm(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
                bias=module.bias is not None,
            )
            if module.affine:
                converted.weight = module.weight
                converted.bias = module.bias
            converted.running_mean = module.running_mean
            converted.running_var = module.running_var
            converted.num_batches_tracked = module.num_batches_tracked
            copy_mode(module, converted)
            if hasattr(module, "qconfig"):
                converted.qconfig = module.qconfig
        for name, child in known_items(module.named_children()):
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted
