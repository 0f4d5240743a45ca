"""`torch.optim`: optimizers and schedules hold their parameters and do nothing; training is not modelled."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.place import Place
from cutaway.core.program_state import Key
from cutaway.core.protocols import is_module
from cutaway.core.unknown import Opaque
from cutaway.knowledge.base.registry import register, row
from cutaway.knowledge.torch.runtime.inert import Inert, register_classes
from cutaway.knowledge.torch.tensor.gradients import gradients_cleared
from cutaway.knowledge.torch.tensor.tensor import Tensor

OPTIMIZERS: Key[tuple[tuple[Any, Place | None, int], ...]] = Key(tuple)
"""The optimizers of the program, where each is made, and how many values had been made by then."""


@row("torch.optim.Optimizer", "torch.optim.optimizer.Optimizer")
class Optimizer:
    """Groups of parameters with their options."""

    def __init__(self, params: Any, defaults: Any = None, *_args: Any, **options: Any) -> None:
        if isinstance(params, Tensor):
            raise TypeFault(
                "params argument given to the optimizer should be an iterable of Tensors or dicts", FaultCode.WRONG_TYPE
            )
        if is_module(params) and not (isinstance(params, Opaque) or hasattr(type(params), "__iter__")):
            kind = type(params).__name__
            raise TypeFault(
                f"the optimizer gets a module ({kind}) instead of its parameters(), and it is not iterable",
                FaultCode.WRONG_TYPE,
            )
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
        here = session.current()
        OPTIMIZERS.set((*OPTIMIZERS.get(), (self, here.place(), here.values)))

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
_FUSED = {"foreach": None, "maximize": False, "capturable": False, "differentiable": False}
_BETAS = {"betas": (0.9, 0.999), "eps": 1e-8}
_OPTIONS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "Adadelta": (
        "adadelta",
        {"lr": 1.0, "rho": 0.9, "eps": 1e-6, "weight_decay": 0, "foreach": None},
        {"capturable": False, "maximize": False, "differentiable": False},
    ),
    "Adafactor": (
        "_adafactor",
        {"lr": 1e-2, "beta2_decay": -0.8, "eps": (None, 1e-3), "d": 1.0, "weight_decay": 0.0},
        {"foreach": None, "maximize": False},
    ),
    "Adagrad": (
        "adagrad",
        {
            "lr": 1e-2,
            "lr_decay": 0,
            "weight_decay": 0,
            "initial_accumulator_value": 0,
            "eps": 1e-10,
            "foreach": None,
        },
        {"maximize": False, "differentiable": False, "fused": None},
    ),
    "Adam": (
        "adam",
        {"lr": 1e-3, **_BETAS, "weight_decay": 0, "amsgrad": False},
        {**_FUSED, "fused": None, "decoupled_weight_decay": False},
    ),
    "Adamax": (
        "adamax",
        {"lr": 2e-3, **_BETAS, "weight_decay": 0, "foreach": None},
        {"maximize": False, "differentiable": False, "capturable": False},
    ),
    "AdamW": ("adamw", {"lr": 1e-3, **_BETAS, "weight_decay": 1e-2, "amsgrad": False}, {**_FUSED, "fused": None}),
    "ASGD": ("asgd", {"lr": 1e-2, "lambd": 1e-4, "alpha": 0.75, "t0": 1e6, "weight_decay": 0, **_FUSED}, {}),
    "LBFGS": (
        "lbfgs",
        {
            "lr": 1,
            "max_iter": 20,
            "max_eval": None,
            "tolerance_grad": 1e-7,
            "tolerance_change": 1e-9,
            "history_size": 100,
            "line_search_fn": None,
        },
        {},
    ),
    "Muon": (
        "_muon",
        {
            "lr": 1e-3,
            "weight_decay": 0.1,
            "momentum": 0.95,
            "nesterov": True,
            "ns_coefficients": (3.4445, -4.775, 2.0315),
            "eps": 1e-7,
            "ns_steps": 5,
            "adjust_lr_fn": None,
        },
        {},
    ),
    "NAdam": (
        "nadam",
        {"lr": 2e-3, **_BETAS, "weight_decay": 0, "momentum_decay": 4e-3, "decoupled_weight_decay": False},
        _FUSED,
    ),
    "RAdam": ("radam", {"lr": 1e-3, **_BETAS, "weight_decay": 0, "decoupled_weight_decay": False}, _FUSED),
    "RMSprop": (
        "rmsprop",
        {
            "lr": 1e-2,
            "alpha": 0.99,
            "eps": 1e-8,
            "weight_decay": 0,
            "momentum": 0,
            "centered": False,
            "capturable": False,
            "foreach": None,
            "maximize": False,
            "differentiable": False,
        },
        {},
    ),
    "Rprop": ("rprop", {"lr": 1e-2, "etas": (0.5, 1.2), "step_sizes": (1e-6, 50)}, _FUSED),
    "SGD": (
        "sgd",
        {"lr": 1e-3, "momentum": 0, "dampening": 0, "weight_decay": 0, "nesterov": False},
        {"maximize": False, "foreach": None, "differentiable": False, "fused": None},
    ),
    "SparseAdam": ("sparse_adam", {"lr": 1e-3, **_BETAS, "maximize": False}, {}),
}
"""The optimizers of torch: the file, and the options with their defaults, those that are only given by name apart."""

_NOT_NEGATIVE = ("lr", "eps", "weight_decay", "momentum", "rho", "lr_decay")


def _constructor(name: str, positional: dict[str, Any], named: dict[str, Any]) -> Any:
    """Return the constructor of an optimizer with some options."""

    def __init__(self: Any, params: Any, *args: Any, **options: Any) -> None:
        names = list(positional)
        unknown = [option for option in options if option not in positional and option not in named]
        if unknown:
            raise TypeFault(f"{name} has no argument {unknown[0]!r}", FaultCode.UNKNOWN_ARGUMENT)
        if len(args) > len(names):
            text = f"{name} takes at most {len(names)} options by position, but got {len(args)}"
            raise TypeFault(text, FaultCode.WRONG_CALL)
        stated = {**dict(zip(names, args)), **options}
        _require_valid(name, stated)
        Optimizer.__init__(self, params, {**positional, **named, **stated})

    return __init__


def _require_valid(name: str, options: dict[str, Any]) -> None:
    for option in _NOT_NEGATIVE:
        value = options.get(option)
        if isinstance(value, (int, float)) and value < 0:
            raise ArgumentFault(f"{name}: {option} {value} is negative", FaultCode.INVALID_ARGUMENT)
    for beta in options.get("betas") or ():
        if type(beta) in (int, float) and not 0 <= beta < 1:
            raise ArgumentFault(f"{name}: a beta of {beta} is not in [0, 1)", FaultCode.INVALID_ARGUMENT)
    if options.get("nesterov") is True and name == "SGD" and not options.get("momentum"):
        raise ArgumentFault(f"{name}: nesterov needs a momentum above 0", FaultCode.ARGUMENT_CONFLICT)


for _name, (_file, _positional, _named) in _OPTIONS.items():
    _members = {"__module__": f"torch.optim.{_file}", "__init__": _constructor(_name, _positional, _named)}
    _class = type(_name, (Optimizer,), _members)
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


class _OfMetrics(LRScheduler):
    """A schedule that a metric decides about."""

    def step(self, *args: Any, **kwargs: Any) -> None:
        if not args and "metrics" not in kwargs:
            raise TypeFault(
                f"{type(self).__name__}.step needs the metric that decides about the rate", FaultCode.MISSING_ARGUMENT
            )


_SCHEDULES = {
    "LambdaLR": "lr_lambda last_epoch=",
    "MultiplicativeLR": "lr_lambda last_epoch=",
    "StepLR": "step_size gamma= last_epoch=",
    "MultiStepLR": "milestones gamma= last_epoch=",
    "ConstantLR": "factor= total_iters= last_epoch=",
    "LinearLR": "start_factor= end_factor= total_iters= last_epoch=",
    "ExponentialLR": "gamma last_epoch=",
    "SequentialLR": "schedulers milestones last_epoch=",
    "CosineAnnealingLR": "T_max eta_min= last_epoch=",
    "ReduceLROnPlateau": "mode= factor= patience= threshold= threshold_mode= cooldown= min_lr= eps=",
    "CyclicLR": "base_lr max_lr step_size_up= step_size_down= mode= gamma= scale_fn= scale_mode= cycle_momentum= "
    "base_momentum= max_momentum= last_epoch=",
    "CosineAnnealingWarmRestarts": "T_0 T_mult= eta_min= last_epoch=",
    "OneCycleLR": "max_lr total_steps= epochs= steps_per_epoch= pct_start= anneal_strategy= cycle_momentum= "
    "base_momentum= max_momentum= div_factor= final_div_factor= three_phase= last_epoch=",
    "PolynomialLR": "total_iters= power= last_epoch=",
}
"""The schedules of torch: what they take after the optimizer; a name with an equals sign has a default."""


def _schedule(name: str, arguments: str) -> type:
    """Return the class of a schedule."""
    names = [each.rstrip("=") for each in arguments.split()]
    required = [each for each in arguments.split() if not each.endswith("=")]

    def __init__(self: Any, optimizer: Any, *args: Any, **options: Any) -> None:
        unknown = [option for option in options if option not in (*names, "verbose")]  # which older versions have
        if unknown:
            raise TypeFault(f"{name} has no argument {unknown[0]!r}", FaultCode.UNKNOWN_ARGUMENT)
        missing = [each for each in required if each not in (*names[: len(args)], *options)]
        if missing:
            raise TypeFault(f"{name} needs the argument {missing[0]!r}", FaultCode.MISSING_ARGUMENT)
        milestones = {**dict(zip(names, args)), **options}.get("milestones")
        if isinstance(milestones, (int, float)):
            text = f"{name}: milestones must be a list of epochs, but is {milestones!r}"
            raise TypeFault(text, FaultCode.WRONG_TYPE)
        LRScheduler.__init__(self, optimizer, *args, **options)

    base = _OfMetrics if name == "ReduceLROnPlateau" else LRScheduler
    return type(name, (base,), {"__module__": "torch.optim.lr_scheduler", "__init__": __init__})


for _name, _arguments in _SCHEDULES.items():
    register(f"torch.optim.lr_scheduler.{_name}", _schedule(_name, _arguments))
register_classes("torch.optim.lr_scheduler", "ChainedScheduler", LRScheduler)
