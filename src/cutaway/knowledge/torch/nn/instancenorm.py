"""`torch.nn.modules.instancenorm`: normalisation of each channel of each sample."""

from __future__ import annotations

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.torch.nn.batchnorm import _LazyNormBase, _NormBase, require_rank
from cutaway.knowledge.torch.nn.module import layer
from cutaway.knowledge.torch.nn.weights import rank, unequal

F = KnownModule("torch.nn.functional")
HOME = "torch.nn.modules.instancenorm"


@layer
class _InstanceNorm(_NormBase):
    """What instance norms share."""

    __module__ = HOME

    def __init__(
        self,
        num_features,
        eps=1e-05,
        momentum=0.1,
        affine=False,
        track_running_stats=False,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device=device, dtype=dtype, bias=bias
        )

    def _check_input_dim(self, input):
        raise NotImplementedError

    def _get_no_batch_dim(self):
        raise NotImplementedError

    def _handle_no_batch_input(self, input):
        return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)

    def _apply_instance_norm(self, input):
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum if self.momentum is not None else 0.0,
            self.eps,
        )

    def forward(self, input):
        self._check_input_dim(input)
        dims = rank(input)
        if dims is not None:
            feature_dim = dims - self._get_no_batch_dim()
            channels = input.shape[feature_dim]
            if self.affine and unequal(channels, self.num_features):
                raise ArgumentFault(
                    f"{type(self).__name__}: input has {channels} channels in dimension {feature_dim}, "
                    f"but num_features is {self.num_features}",
                    FaultCode.SHAPE_MISMATCH,
                )
            if feature_dim == 0:
                return self._handle_no_batch_input(input)
        return self._apply_instance_norm(input)


def _instance_norm(n: int) -> tuple[type, type]:
    """Make `InstanceNorm1d`, `2d` or `3d` and its lazy form."""

    def _get_no_batch_dim(self):
        return n + 1

    def _check_input_dim(self, input):
        require_rank(self, input, n + 1, n + 2)

    shared = {"__module__": HOME, "_get_no_batch_dim": _get_no_batch_dim, "_check_input_dim": _check_input_dim}
    plain = type(f"InstanceNorm{n}d", (_InstanceNorm,), {**shared, "__doc__": f"Over {n} dimension(s)."})
    lazy = type(
        f"LazyInstanceNorm{n}d",
        (_LazyNormBase, _InstanceNorm),
        {**shared, "__doc__": "Its `num_features` come from the first input.", "cls_to_become": plain},
    )
    return layer(plain), layer(lazy)


InstanceNorm1d, LazyInstanceNorm1d = _instance_norm(1)
InstanceNorm2d, LazyInstanceNorm2d = _instance_norm(2)
InstanceNorm3d, LazyInstanceNorm3d = _instance_norm(3)
