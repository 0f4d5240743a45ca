"""Running one network on its inputs, and reading off what it is and did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import torch

from cutaway.core.architecture import Architecture, DiagnosticNote, Note, Setting, Weight
from cutaway.core.session import Call, Reference, Session
from cutaway.knowledge.base.describe import FORMS, class_name
from cutaway.knowledge.base.flatten import flatten, flatten_arguments
from cutaway.knowledge.base.read_off import Contents, architecture, mode_name, named_inputs
from cutaway.knowledge.torch.named_tensors import named_tensors
from cutaway.live import framework_detection
from cutaway.live.arguments import Arguments
from cutaway.live.capture import Capture, Values
from cutaway.live.construction import Construction, forget_modes, from_attributes, taken
from cutaway.live.failed_call import failed_in, failing_call, with_failure
from cutaway.live.flops import Flops
from cutaway.live.module_hooks import watched
from cutaway.live.modules import running_modules, signature_of
from cutaway.live.op_names import names
from cutaway.live.restore import in_shown_mode, undisturbed


def inspected(
    network: torch.nn.Module,
    arguments: Arguments | None,
    *,
    name: str = "",
    target: str = "",
    remarks: Sequence[str] = (),
    capture: bool = True,
    train: bool | None = None,
) -> tuple[Architecture, BaseException | None]:
    """Return what a network is and what one call of it does, and what that call raised.

    Without arguments it is not called; without `capture` only modules are watched. It is left as it was: no hook, no mode, no random state is changed.
    """
    constructions = taken(network.modules())
    made = constructions.get(id(network))
    gathered = Session(place=lambda: made.place if made is not None else None)
    values = Values(gathered)
    error: BaseException | None = None
    if arguments is not None:
        error = _run(network, arguments, gathered, values, capture, train)
    forget_modes(network.modules())
    call = gathered.calls[0] if gathered.calls else None
    seen = _read_off(network, name or class_name(type(network)), target, gathered, call, values, constructions)
    if error is not None:
        seen = with_failure(seen, error, _failing_module(seen, gathered, network))
    return replace(seen, assumptions=(*map(Note, remarks), *seen.assumptions)), error


def _run(
    network: torch.nn.Module,
    arguments: Arguments,
    gathered: Session,
    values: Values,
    capture: bool,
    train: bool | None,
) -> BaseException | None:
    flops = Flops()
    with ExitStack() as stack:
        stack.enter_context(undisturbed())
        assumption = stack.enter_context(in_shown_mode(network, train))
        if assumption is not None:
            gathered.assume(assumption)
        stack.enter_context(watched(network, gathered, values.reference))
        if capture:
            stack.enter_context(flops)
            stack.enter_context(Capture(gathered, values, names(), flops))
        try:
            _call(network, arguments, gathered, values)
        except (Exception, SystemExit) as error:
            return error
    return None


def _call(network: torch.nn.Module, arguments: Arguments, gathered: Session, values: Values) -> None:
    if type(network).__call__ is torch.nn.Module.__call__:
        network(*arguments.positional, **arguments.named)
        return

    def refer(value: Any) -> Reference | None:
        return values.reference(value) if isinstance(value, torch.Tensor) else None

    given = flatten_arguments(tuple(arguments.positional), dict(arguments.named), refer)
    with gathered.recorded_call(given) as call:
        result = network(*arguments.positional, **arguments.named)
    with torch._C.DisableTorchFunction():
        call.outputs = flatten(result, refer=refer)


def _read_off(
    network: torch.nn.Module,
    name: str,
    target: str,
    gathered: Session,
    call: Call | None,
    values: Values,
    constructions: Mapping[int, Construction],
) -> Architecture:
    def number(tensor: torch.Tensor) -> int:
        return values.reference(tensor).number

    return architecture(
        name, target, framework_detection.TORCH, gathered, call,
        Contents(
            list(network.named_modules()),
            list(_weights(network)),
            list(named_inputs(signature_of(network.forward), call)) if call else [],
            running_modules(constructions, from_attributes),
            number,
            mode=None if call is None else mode_name(network.training if call.training is None else call.training),
        ),
    )  # fmt: skip


def _weights(network: torch.nn.Module) -> Iterator[tuple[Weight, torch.Tensor]]:
    for tensor, name, kind, tied_to, persistent in named_tensors(network):
        trainable = kind == "parameter" and bool(tensor.requires_grad)
        weight = Weight(name, _shape(tensor), _dtype(tensor.dtype), kind, trainable, tied_to, persistent=persistent)
        yield weight, tensor


def _failing_module(seen: Architecture, gathered: Session, network: torch.nn.Module) -> Iterator[DiagnosticNote]:
    """Yield what helps to understand what the call raised: the module that it failed in, and its own weights."""
    call = failing_call(gathered)
    if call is None:
        return
    path = {id(module): path for path, module in network.named_modules()}.get(id(call.module), "")
    yield failed_in(path or "the network itself", call)
    own = [w for w in seen.weights if w.name.rpartition(".")[0] == path]
    if own:
        held = ", ".join(f"{w.name.rpartition('.')[2]} {'x'.join(map(str, w.shape or ()))}" for w in own)
        yield DiagnosticNote(f"its weights are {held}")


def _shape(tensor: torch.Tensor) -> tuple[int, ...] | None:
    if isinstance(tensor, torch.nn.parameter.UninitializedTensorMixin):
        return None
    return tuple(tensor.shape)


def _dtype(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _tensor(tensor: torch.Tensor) -> Setting:
    return f"<tensor {'x'.join(map(str, tensor.shape))} {_dtype(tensor.dtype)}>"


def _device(device: torch.device) -> Setting:
    """Return a device; `meta` stands for the one that the network would run on without a choice."""
    return repr(torch.device("cpu") if device.type == "meta" else device)


def _function(function: Any) -> Setting:
    row = names().row(function)
    if row is not None:
        return {"name": row.name}
    return {"name": f"{function.__module__ or ''}.{function.__qualname__}".lstrip(".")}


FORMS.update(
    {
        torch.Tensor: _tensor,
        torch.dtype: str,
        torch.device: _device,
        torch.memory_format: str,
        torch.layout: str,
        type(_function): _function,
        type(len): _function,
    }
)
