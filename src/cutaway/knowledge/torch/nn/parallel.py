"""`DataParallel` and `DistributedDataParallel`: wrappers around a child called `module`."""

from __future__ import annotations

import contextlib
from typing import Any

from cutaway.knowledge.base.registry import row
from cutaway.knowledge.torch.nn.module import Module


@row(
    "torch.nn.DataParallel", "torch.nn.parallel.DataParallel", "torch.nn.parallel.data_parallel.DataParallel",
)  # fmt: skip
class DataParallel(Module):
    """A module that would run on several GPUs; without one, calls go straight through."""

    __module__ = "torch.nn.parallel.data_parallel"

    def __init__(self, module: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.add_module("module", module)
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


@row("torch.nn.parallel.data_parallel")
def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    return module(*(inputs if isinstance(inputs, tuple) else (inputs,)), **(module_kwargs or {}))


@row("torch.nn.parallel.DistributedDataParallel", "torch.nn.parallel.distributed.DistributedDataParallel")
class DistributedDataParallel(Module):
    """A module that shares its gradients with other processes; its forward pass is the module's own."""

    __module__ = "torch.nn.parallel.distributed"

    def __init__(
        self,
        module: Any,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: Any = None,
        init_sync: Any = True,
        process_group: Any = None,
        bucket_cap_mb: Any = None,
        find_unused_parameters: Any = False,
        check_reduction: Any = False,
        gradient_as_bucket_view: Any = False,
        static_graph: Any = False,
        delay_all_reduce_named_params: Any = None,
        param_to_hook_all_reduce: Any = None,
        mixed_precision: Any = None,
        device_mesh: Any = None,
        skip_all_reduce_unused_params: Any = False,
        bucket_cap_mb_list: Any = None,
        batched_grad_copy: Any = False,
        forward_sync_buffers: Any = None,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.add_module("module", module)
        self.device_ids = device_ids
        self.output_device = output_device
        self.broadcast_buffers = broadcast_buffers is None or broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self.require_backward_grad_sync = True

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)

    def no_sync(self) -> Any:
        """Leave the gradients of this process alone for a while."""
        return contextlib.nullcontext()

    def join(self, *_args: Any, **_kwargs: Any) -> Any:
        return contextlib.nullcontext()

    def _set_static_graph(self) -> None:
        pass

    def register_comm_hook(self, state: Any, hook: Any) -> None:
        pass
