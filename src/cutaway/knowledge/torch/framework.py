"""Reading a network of the target off our model of torch, into an `Architecture`."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from types import FunctionType
from typing import Any

from cutaway.core import session
from cutaway.core.architecture import Architecture, Weight
from cutaway.core.place import Place
from cutaway.core.program_state import Key
from cutaway.core.session import Call, Reference, Session
from cutaway.core.size.dim import Size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.causes import Causes
from cutaway.knowledge.base.describe import class_name
from cutaway.knowledge.base.flatten import flatten, flatten_arguments
from cutaway.knowledge.base.framework import FRAMEWORKS, Framework
from cutaway.knowledge.base.input_conventions import Settings
from cutaway.knowledge.base.read_off import (
    Contents,
    architecture,
    as_quantity,
    built_modules,
    constructor_arguments,
    mode_name,
    named_inputs,
    shape_of,
    signature_of,
    weight_number,
)
from cutaway.knowledge.torch.named_tensors import named_tensors
from cutaway.knowledge.torch.nn.conv import Conv2d
from cutaway.knowledge.torch.nn.lazy import UninitializedTensorMixin
from cutaway.knowledge.torch.nn.mode import choose
from cutaway.knowledge.torch.nn.module import Module
from cutaway.knowledge.torch.nn.parameter import Parameter
from cutaway.knowledge.torch.nn.traversal import known_items, named_parts, parts
from cutaway.knowledge.torch.tensor.op import Row, compute
from cutaway.knowledge.torch.tensor.tensor import Tensor, new
from cutaway.knowledge.torch.tensor.types import CPU, DTYPES


def _classes_of(file: str, *names: str) -> tuple[type, ...]:
    """Return classes of a file of rows; none as long as it is not imported, so that they have no instance."""
    rows = sys.modules.get(f"{__package__}.{file}")
    return () if rows is None else tuple(vars(rows)[name] for name in names)


def _optimizers() -> Sequence[Any]:
    rows = sys.modules.get(f"{__package__}.runtime.optim")
    return () if rows is None else rows.OPTIMIZERS.peek() or ()


CALLS_AS_LIBRARY = True  # functions of the target are called exactly as the library does

_AS_BUILT: Key[list[tuple[Any, Any]]] = Key(list)  # modules with the tables of their parts, before forward

_CONFIGURATIONS = ("config", "_internal_dict", "pretrained_cfg", "default_cfg")
"""The attributes in which libraries of networks keep what a network was made from."""


_LOSSES = ("loss", "criterion")
"""How the names of classes of losses end, by convention."""

_DEEPEST = 64
"""Containers inside each other that are looked into for the first layer."""


def _parameters_of(optimizer: Any) -> set[int]:
    return {id(each) for group in optimizer.param_groups for each in group["params"]}


class Torch(Framework):
    """PyTorch, for the interpreter."""

    name = "pytorch"
    mode_attribute = "training"
    part_tables = frozenset(("_modules", "_parameters", "_buffers"))
    moving_methods = frozenset(("cuda", "cpu", "manual_seed", "manual_seed_all", "empty_cache", "synchronize"))
    reading_methods = frozenset(
        """train eval zero_grad parameters named_parameters modules named_modules children named_children buffers
        named_buffers state_dict forward""".split()
    )
    adding_methods = frozenset(("add_module", "register_module"))

    def main_input(self, network: Module) -> str | None:
        name = getattr(type(network), "main_input_name", None)
        return name if isinstance(name, str) else None

    def is_network(self, value: object) -> bool:
        return Module in type(value).__mro__

    def is_network_class(self, value: object) -> bool:
        if type not in type(value).__mro__:
            return False
        return Module in type.mro(value) and not str(value.__module__).startswith("torch.")  # type: ignore[arg-type,attr-defined]

    def presumed_base(self, methods: Collection[str]) -> type | None:
        """Return `Module` for a class that has a forward of its own, and no backward."""
        return Module if "forward" in methods and "backward" not in methods else None

    def is_loss(self, network: Module) -> bool:
        kind = type(network)
        return issubclass(kind, _classes_of("nn.loss", "_Loss")) or kind.__name__.lower().endswith(_LOSSES)

    def has_weights(self, network: Module) -> bool:
        held = [part.__dict__ for part in parts(network)]
        return any(each.get("_parameters") or each.get("_buffers") or "_incomplete" in each for each in held)

    def tensor(self, shape: Sequence[Size] | None, dtype: str, name: str, number: int | None = None) -> Tensor:
        if shape is None:
            reason = f"the shape of the input {name} is not given: use --input {name}=1x3x224x224"
            made: Tensor = new(Unknown(reason, session.current().place()))
            return made
        numbers = None if number is None else compute(lambda np, value: np.full(shape, value, dtype), number)
        made = new(shape, DTYPES[dtype], values=numbers)
        return made

    def forward(self, network: Module) -> Any:
        while isinstance(network, _classes_of("nn.parallel", "DataParallel", "DistributedDataParallel")):
            network = network.module
        return network.forward

    def has_forward(self, network: Module) -> bool:
        while isinstance(network, _classes_of("nn.parallel", "DataParallel", "DistributedDataParallel")):
            network = network.module
        if not isinstance(network, Module):
            return True  # what is wrapped is unknown
        cls = type(network)
        is_own = cls.forward is not Module.forward or cls.__call__ is not Module.__call__
        return is_own or "forward" in network.__dict__ or "_incomplete" in network.__dict__

    def call(self, network: Module, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if type(network).__call__ is Module.__call__:
            return network(*args, **kwargs)
        with session.current().recorded_call(flatten_arguments(tuple(args), kwargs)) as call:
            result = network(*args, **kwargs)
        call.outputs = flatten(result)
        return result

    def prepare(self, network: Module) -> None:
        here = session.current()
        assumption = choose(network, here.train)
        if assumption is not None:
            here.assume(assumption)
        _AS_BUILT.set(
            [
                (module, [(held, dict(held)) for held in (module._modules, module._parameters, module._buffers)])
                for module in parts(network)
            ]
        )

    def settings(self, network: Module) -> Settings:
        modules = list(parts(network))
        arguments = constructor_arguments(network, session.current().signature)
        held = [module.__dict__.get(name) for module in modules for name in _CONFIGURATIONS]
        first = next((m.__dict__.get("in_channels") for m in modules if isinstance(m, Conv2d)), None)
        return Settings(
            [arguments, *(value for value in held if value is not None)], first if type(first) is int else None
        )

    def is_solvable(self, network: Module) -> bool:
        held = (weight for part in parts(network) for weight in part.__dict__.get("_parameters", {}).values())
        return not any(isinstance(weight, UninitializedTensorMixin) for weight in held)  # which the first input fixes

    def first_argument(self, callee: Any) -> str | None:
        for _ in range(_DEEPEST):
            if not isinstance(callee, Module) or not type(callee).__module__.startswith("torch."):
                break
            parts = callee.__dict__.get("_modules")
            if not isinstance(parts, dict):
                return None
            if callee.__dict__.get("_parameters"):
                return "tensor"
            callee = next(iter(parts.values()), None)
        row = callee.__dict__.get("__row__") if isinstance(callee, FunctionType) else None
        name = row.positional[0] if isinstance(row, Row) and row.positional else None
        return {"input": "tensor", "tensors": "sequence"}.get(name) if name is not None else None

    def parts(self, network: Module) -> list[Any]:
        return list(parts(network))

    def unregistered_tensors(self, part: Module) -> Iterator[tuple[str, Any]]:
        for name, value in list(part.__dict__.items()):
            if isinstance(value, Tensor) and not isinstance(value, Parameter) and value._device is CPU:
                yield name, value

    def is_left_to_itself(self, network: Module) -> bool:
        optimizers = _optimizers()
        groups = [group.get("params") for optimizer, _, _ in optimizers for group in optimizer.param_groups]
        if not groups or not all(isinstance(each, Parameter) for group in groups for each in group):
            return False
        own = list(network.parameters())
        trained = {id(each) for group in groups for each in group}
        return bool(own) and all(each.requires_grad is True and id(each) not in trained for each in own)

    def untrained(self, network: Module) -> Iterator[tuple[str, Any, Place | None]]:
        optimizers = _optimizers()
        trained = {number for optimizer, _, _ in optimizers for number in _parameters_of(optimizer)}
        own = {id(each) for each in known_items(network.parameters())}
        first = next((each for each in optimizers if own & _parameters_of(each[0])), None)
        if first is None:
            return
        for path, part in named_parts(network):
            parameters = [each for each in part.__dict__["_parameters"].values() if each is not None]
            is_left_out = parameters and all(
                each.requires_grad is True and id(each) not in trained for each in parameters
            )
            if is_left_out and part._construction.since >= first[2]:
                yield path, part, first[1]

    def read_off(self, network: Module, name: str, target: str, gathered: Session, call: Call | None) -> Architecture:
        if "_incomplete" in network.__dict__ and "_modules" not in network.__dict__:
            Module.__init__(network)  # its own constructor raises before it does that
        if "_modules" not in network.__dict__:
            raise AttributeError(
                f"{class_name(type(network))}.__init__() has not run, or not called super().__init__()"
            )
        _show_as_built(network)
        modules = list(named_parts(network))
        repeats = _repeats(modules)
        weights = list(_weights(network, repeats))
        contents = Contents(
            modules,
            weights,
            list(named_inputs(signature_of(network.forward), call)) if call else [],
            built_modules({path: own for path, (own, _) in repeats.items()}),
            weight_number,
            partial(_unknown_parts, modules, weights),
            mode=None if call is None else mode_name(network.training if call.training is None else call.training),
        )
        return architecture(name, target, self.name, gathered, call, contents)


def _repeats(modules: list[tuple[str, Module]]) -> dict[str, tuple[Any, Any]]:
    """Return how many there are of a module in its parent, and in all, where that is not one."""
    found: dict[str, tuple[Any, Any]] = {}
    groups = {
        f"{path}.{name}".lstrip("."): group.count
        for path, module in modules
        for name, group in module.__dict__.get("_repeated", {}).items()
    }
    for path, _ in modules if groups else ():
        own = groups.get(path, 1)
        around = found.get(path.rpartition(".")[0], (1, 1))[1]
        if own != 1 or around != 1:
            found[path] = own, own * around
    return found


def _show_as_built(network: Module) -> None:
    """Put back what forward has replaced, removed or made unknown: a network is what its constructor makes of it."""
    here = session.current()
    paths: dict[int, str] = {}
    as_built = _AS_BUILT.get()
    _AS_BUILT.clear()
    for module, holders in as_built:
        lost = [name for held, built in holders for name in built if _is_lost(built[name], held.get(name))]
        if not lost:
            continue
        paths = paths or {id(part): path for path, part in named_parts(network)}
        here.assume(f"{paths.get(id(module)) or 'the network'} is shown as it is built: forward sets {', '.join(lost)}")
        for held, built in holders:
            now = {name: item for name, item in held.items() if not _is_lost(built.get(name, item), item)}
            held.clear()
            held.update({**{name: now.get(name, item) for name, item in built.items()}, **now})


def _is_lost(built: Any, now: Any) -> bool:
    """Tell whether something else stands where the constructor put a module or a weight; the sizes of some come later."""
    return now is not built and not (isinstance(built, Tensor) and isinstance(built.shape, Unknown))


def _unknown_parts(modules: list[tuple[str, Module]], weights: list[tuple[Weight, Any]], causes: Causes) -> None:
    """Enter the modules and weights that are not known as they were built."""
    stored: dict[int, Unknown] = {}
    for path, module in modules:
        held = module.__dict__
        unknown = held["_incomplete"] if "_incomplete" in held else getattr(type(module), "_opaque_reason", None)
        if isinstance(unknown, Unknown):
            causes.module(path, unknown)
        for name, child in held.get("_modules", {}).items():
            if isinstance(child, Unknown):
                causes.module(f"{path}.{name}".lstrip("."), child)
        if "_stored" in held:
            stored.update((id(tensor), held["_stored"]) for tensor in held["_parameters"].values())
    for weight, tensor in weights:
        unknown = tensor if isinstance(tensor, Unknown) else stored.get(id(tensor))
        known = tensor.reference() if unknown is None else Reference(0, unknown, "unknown")
        causes.weight(weight.name, known)


def _weights(network: Module, repeats: dict[str, tuple[Any, Any]]) -> Iterator[tuple[Weight, Any]]:
    stored = {id(p) for m in parts(network) if "_stored" in m.__dict__ for p in m.__dict__["_parameters"].values()}
    try:
        found = list(named_tensors(network))
    except RecursionError:
        session.current().unknown("the network contains itself, or its parts too often: each weight is listed once")
        found = list(named_tensors(network, remove_duplicate=True))
    for tensor, name, kind, tied_to, persistent in found:
        known = isinstance(tensor, Tensor) and id(tensor) not in stored  # whose format is not known
        home = name.rpartition(".")[0]
        weight = Weight(
            name,
            shape_of(tensor.reference()) if known else None,
            tensor.dtype.name if known else None,
            kind,
            _is_trainable(tensor) if kind == "parameter" else False,
            tied_to,
            persistent=persistent,
            repeat=as_quantity(repeats[home][1]) if home in repeats else 1,
        )
        yield weight, tensor


def _is_trainable(tensor: Any) -> bool | None:
    """Tell whether a parameter asks for a gradient, None where that is not known."""
    asks = tensor.requires_grad if isinstance(tensor, Tensor) else Unknown
    return asks if type(asks) is bool else None


FRAMEWORKS.append(Torch())
