"""Running one network on its inputs, and reading off what it is and did."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from cutaway.core.architecture import Architecture, Diagnostic, DiagnosticNote, Note, Setting, Value, Weight
from cutaway.core.architecture import Module as ModuleRecord
from cutaway.core.error import in_words
from cutaway.core.fault_code import FaultCode
from cutaway.core.session import Call, Reference, Session
from cutaway.knowledge.base.describe import FORMS, Described, class_name, describe, qualified_name
from cutaway.knowledge.base.flatten import flatten, flatten_arguments
from cutaway.knowledge.base.read_off import calls_below, dtype_of, module_calls, named_inputs, operations, shape_of
from cutaway.live import framework_detection, user_line
from cutaway.live.arguments import Arguments
from cutaway.live.capture import Capture, Values
from cutaway.live.construction import Construction, from_attributes, taken
from cutaway.live.failure import place_of
from cutaway.live.flops import Flops
from cutaway.live.module_hooks import watched
from cutaway.live.op_names import names
from cutaway.live.restore import evaluating, undisturbed


def inspected(
    network: torch.nn.Module,
    arguments: Arguments | None,
    *,
    name: str = "",
    target: str = "",
    remarks: Sequence[str] = (),
    capture: bool = True,
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
        error = _run(network, arguments, gathered, values, capture)
    call = gathered.calls[0] if gathered.calls else None
    architecture = _read_off(network, name or class_name(type(network)), target, gathered, call, values, constructions)
    notes = [Note(text) for text in remarks]
    if error is not None:
        architecture = _with_failure(architecture, error, gathered, network)
    return replace(architecture, assumptions=(*notes, *architecture.assumptions)), error


def _run(
    network: torch.nn.Module, arguments: Arguments, gathered: Session, values: Values, capture: bool
) -> BaseException | None:
    flops = Flops()
    gathered.assume("the network is in evaluation mode")
    with ExitStack() as stack:
        stack.enter_context(undisturbed())
        stack.enter_context(evaluating(network))
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
    with gathered.whole(given) as call:
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
    paths = {id(module): path for path, module in network.named_modules()}
    calls = calls_below(gathered, call, paths)
    weights = list(_weights(network))
    labels = {values.reference(tensor).number: weight.name for weight, tensor in reversed(weights)}
    inputs = list(named_inputs(_signature(network), call)) if call else []
    labels.update({reference.number: label for label, reference in inputs})
    return Architecture(
        name=name,
        target=target,
        framework="pytorch",
        inputs=tuple(Value(label, shape_of(r), dtype_of(r)) for label, r in inputs),
        outputs=tuple(Value(label, shape_of(r), dtype_of(r)) for label, r in (call and call.outputs) or []),
        modules=tuple(
            _module(module, path, calls.get(id(module), []), constructions.get(id(module)))
            for path, module in network.named_modules()
        ),
        weights=tuple(weight for weight, _ in weights),
        ops=tuple(operations(gathered, call, paths, labels)),
        assumptions=tuple(Note(note.text, note.place) for note in gathered.assumptions),
    )


def _signature(network: torch.nn.Module) -> inspect.Signature:
    try:
        return inspect.signature(network.forward)
    except (TypeError, ValueError):
        return inspect.Signature()


def _module(module: torch.nn.Module, path: str, calls: list[Call], construction: Construction | None) -> ModuleRecord:
    cls = type(module)
    arguments = from_attributes(module) if construction is None else construction.arguments
    return ModuleRecord(
        path=path,
        class_name=class_name(cls),
        qualified_name=qualified_name(cls),
        config=Described(partial(_config, arguments)),
        source=construction.place if construction is not None else None,
        calls=module_calls(calls),
    )


def _config(arguments: Mapping[str, Any]) -> dict[str, Setting]:
    return {name: describe(value) for name, value in arguments.items()}


def _weights(network: torch.nn.Module) -> Iterator[tuple[Weight, torch.Tensor]]:
    first: dict[int, str] = {}
    passing = {
        f"{path}.{name}" if path else name
        for path, module in network.named_modules(remove_duplicate=False)
        for name in module._non_persistent_buffers_set
    }
    for kind, found in (
        ("parameter", network.named_parameters(remove_duplicate=False)),
        ("buffer", network.named_buffers(remove_duplicate=False)),
    ):
        for name, tensor in found:
            tied = first.setdefault(id(tensor), name)
            yield (
                Weight(
                    name,
                    _shape(tensor),
                    _dtype(tensor.dtype),
                    kind,
                    kind == "parameter" and bool(tensor.requires_grad),
                    None if tied == name else tied,
                    persistent=name not in passing,
                ),
                tensor,
            )


def _with_failure(
    architecture: Architecture, error: BaseException, gathered: Session, network: torch.nn.Module
) -> Architecture:
    """Add what the call raised: the module that it failed in, what went into it, and its own weights."""
    paths = {id(module): path for path, module in network.named_modules()}
    failing = next((call for call in reversed(gathered.calls) if call.outputs is None), None)
    notes = []
    if failing is not None:
        path = paths.get(id(failing.module), "")
        given = ", ".join(_text(reference) for _, reference in failing.inputs) or "no tensor"
        notes.append(
            DiagnosticNote(f"in {path or 'the network itself'} ({class_name(type(failing.module))}), given {given}")
        )
        own = [w for w in architecture.weights if w.name.rpartition(".")[0] == path]
        if own:
            held = ", ".join(f"{w.name.rpartition('.')[2]} {'x'.join(map(str, w.shape or ()))}" for w in own)
            notes.append(DiagnosticNote(f"its weights are {held}"))
    fault = Diagnostic(
        FaultCode.FORWARD_RAISES.value,
        in_words(error),
        place_of(error, framework_detection.homes(), user_line.SHOWN),
        tuple(notes),
    )
    return replace(architecture, diagnostics=(*architecture.diagnostics, fault))


def _text(reference: Reference) -> str:
    return "x".join(map(str, reference.shape)) or "a number"


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
