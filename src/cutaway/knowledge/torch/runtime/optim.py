"""`torch.optim`: optimizers and schedules hold their parameters and do nothing; training is not modelled."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from cutaway.core.fault import ArgumentFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.protocols import is_module
from cutaway.knowledge.base.registry import register, row
from cutaway.knowledge.torch.runtime.inert import Inert, register_classes
from cutaway.knowledge.torch.tensor.gradients import gradients_cleared
from cutaway.knowledge.torch.tensor.tensor import Tensor


@row("torch.optim.Optimizer", "torch.optim.optimizer.Optimizer")
class Optimizer:
    """Groups of parameters with their options."""

    def __init__(self, params: Any, defaults: Any = None, *_args: Any, **options: Any) -> None:
        if isinstance(params, Tensor):
            raise TypeFault(
                "params argument given to the optimizer should be an iterable of Tensors or dicts", FaultCode.WRONG_TYPE
            )
        # A subclass of the target passes a dict of defaults; the ones of torch take `lr` in its place.
        self.defaults = dict(defaults) if isinstance(defaults, dict) else {"lr": defaults, **options}
        if self.defaults.get("lr") is None:
            self.defaults["lr"] = 1e-3
        self.state: Any = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ArgumentFault("optimizer got an empty parameter list", FaultCode.INVALID_ARGUMENT)
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: Any) -> None:
        params = param_group["params"]
        group = {**self.defaults, **param_group, "params": [params] if isinstance(params, Tensor) else list(params)}
        for param in group["params"]:
            if isinstance(param, (bool, int, float, str, list)) or is_module(param):
                kind = type(param).__name__
                text = f"optimizer can only optimize Tensors, but one of the params is {kind}"
                raise TypeFault(text, FaultCode.WRONG_TYPE)
        self.param_groups.append(group)

    def step(self, closure: Any = None) -> Any:
        return None if closure is None else closure()

    def zero_grad(self, set_to_none: bool = True) -> None:
        gradients_cleared()

    def state_dict(self) -> dict[str, Any]:
        return {"state": {}, "param_groups": self.param_groups}

    def load_state_dict(self, state_dict: Any) -> None:
        pass


register("torch.optim.optimizer.required", object())
register("torch.optim.optimizer.ParamsT", Any)
register("torch.optim.optimizer._params_t", Any)
_MODULES = {
    "Adadelta": "adadelta", "Adafactor": "_adafactor", "Adagrad": "adagrad", "Adam": "adam", "Adamax": "adamax",
    "AdamW": "adamw", "ASGD": "asgd", "LBFGS": "lbfgs", "Muon": "_muon", "NAdam": "nadam", "RAdam": "radam",
    "RMSprop": "rmsprop", "Rprop": "rprop", "SGD": "sgd", "SparseAdam": "sparse_adam",
}  # fmt: skip
for _name, _file in _MODULES.items():
    _class = type(_name, (Optimizer,), {"__module__": f"torch.optim.{_file}"})
    register(f"torch.optim.{_name}", _class)
    register(f"torch.optim.{_file}.{_name}", _class)


@row("torch.optim.lr_scheduler.LRScheduler", "torch.optim.lr_scheduler._LRScheduler")
class LRScheduler(Inert):
    """A schedule of learning rates."""

    def __init__(self, optimizer: Any, *_args: Any, **_kwargs: Any) -> None:
        self.optimizer = optimizer
        self.last_epoch = 0
        self.base_lrs = [group.get("lr") for group in getattr(optimizer, "param_groups", [])]

    def get_last_lr(self) -> list[Any]:
        return list(self.base_lrs)

    get_lr = get_last_lr

    def step(self, *_args: Any, **_kwargs: Any) -> None:
        pass

    def state_dict(self) -> dict[str, Any]:
        return {}


register_classes(
    "torch.optim.lr_scheduler",
    "LambdaLR MultiplicativeLR StepLR MultiStepLR ConstantLR LinearLR ExponentialLR SequentialLR CosineAnnealingLR "
    "ChainedScheduler ReduceLROnPlateau CyclicLR CosineAnnealingWarmRestarts OneCycleLR PolynomialLR",
    LRScheduler,
)
