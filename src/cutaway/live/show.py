"""`show --live`: a target to Architectures by running it."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from typing import Any

from cutaway.core.architecture import Architecture, Note
from cutaway.live import framework_detection
from cutaway.live.arguments import Arguments, from_inputs, numeric_shape
from cutaway.live.failure import LiveError
from cutaway.live.load import Loaded, called, function, imported, networks
from cutaway.live.restore import counting_anew, undisturbed
from cutaway.syntax.inputs import Input, TensorInput
from cutaway.syntax.target import Target

RUN = "the target's code was run"
CALLS, EXPORT, ONNX, HOOKS = "calls", "export", "onnx", "hooks"
VIA = (CALLS, EXPORT, ONNX, HOOKS)
"""How operations are seen."""


def show(
    target: Target,
    *,
    inputs: Sequence[Input] = (),
    arguments: Target | None = None,
    paths: Sequence[str] = (),
    device: str | None = None,
    stdin: bytes | None = None,
    via: str = CALLS,
    train: bool | None = None,
) -> tuple[Architecture, ...]:
    """Return the networks of a target as they are when it runs.

    `via` says how operations are seen: as the calls of the framework's functions, by exporting the network, or not at
    all. On the device `meta` weights and activations have shapes but no numbers, and take no memory.
    """
    remarks = [RUN]
    if device is not None:
        remarks.append(f"it was built and run on the device {device}")
    with ExitStack() as stack:
        stack.enter_context(undisturbed())
        stack.enter_context(counting_anew())
        if device is not None:
            stack.enter_context(_on(device))
        module = stack.enter_context(imported(target, paths, stdin))
        found, lost = networks(module, target)
        given = None
        if arguments is not None:
            home = module if arguments.file == target.file and arguments.module == target.module else None
            given = sample(stack.enter_context(imported(arguments, paths)) if home is None else home, arguments)
        shown = [_shown(each, given, inputs, target.text, remarks, via, train) for each in found]
        unmade = tuple(Note(text) for text in lost)
        return tuple(replace(each, unknowns=(*each.unknowns, *unmade)) for each in shown)


def _on(device: str) -> Any:
    """Return the context in which networks are built on a device; one of PyTorch's is meant."""
    try:
        import torch
    except ModuleNotFoundError:
        raise LiveError("--device needs torch installed: pip install 'cutaway[live]'") from None
    return torch.device(device)


def _shown(
    loaded: Loaded,
    given: Arguments | None,
    inputs: Sequence[Input],
    target: str,
    remarks: list[str],
    via: str,
    train: bool | None,
) -> Architecture:
    """Return one network, of whichever framework it is."""
    if framework_detection.framework_of(loaded.network) == framework_detection.KERAS:
        if via not in (CALLS, HOOKS):
            raise LiveError(f"{target}: --via {via} is for networks of PyTorch")
        from cutaway.live import keras_inspection  # late: it imports the framework

        return keras_inspection.inspected(
            loaded.network,
            given,
            inputs,
            name=loaded.name,
            target=target,
            remarks=remarks,
            train=train,
        )[0]
    return _seen(loaded, given or arguments_of(loaded.network, inputs), target, remarks, via, train)


def _seen(
    loaded: Loaded, given: Arguments | None, target: str, remarks: list[str], via: str, train: bool | None
) -> Architecture:
    """Return one network; one that can't be exported is seen by its calls instead, which is noted."""
    ops, how = None, "operations are the calls of torch's functions that the network's code makes"
    if via == HOOKS:
        how = "only modules were watched, by hooks: there are no operations"
    elif via != CALLS and given is not None:
        module = import_module(f"cutaway.live.{via}")
        ops, seen = module.exported(loaded.network, given, train)
        how = seen if ops is not None else f"{how}: {seen}"
    from cutaway.live.torch_inspection import inspected  # late: it imports the framework

    architecture, _ = inspected(
        loaded.network,
        given,
        name=loaded.name,
        target=target,
        remarks=[*remarks, how],
        capture=ops is None and via != HOOKS,
        train=train,
    )
    return architecture if ops is None else replace(architecture, ops=ops)


def sample(module: types.ModuleType, target: Target) -> Arguments:
    """Return what the user's function gives a network: one tensor, a tuple or list of them, or a dict of keywords."""
    make = function(module, target.expression, target.text)
    return as_arguments(called(make, target.text), target.text)


def as_arguments(value: Any, text: str) -> Arguments:
    """Return a value of the user's as the arguments of a call."""
    if isinstance(value, Mapping):
        return Arguments((), dict(value))
    if isinstance(value, (tuple, list)):
        return Arguments(tuple(value))
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return Arguments((value,))
    raise LiveError(
        f"{text}: it gives {type(value).__name__}; a network takes a tensor, a tuple or list of them, or a dict"
    )


def arguments_of(network: Any, inputs: Sequence[Input]) -> Arguments | None:
    """Return what the user gives; None where nothing is given, so that nothing is called."""
    if not inputs:
        return None
    import torch

    return from_inputs(network.forward, inputs, torch.Tensor, _tensor)


def _tensor(given: TensorInput) -> Any:
    import torch

    sizes = numeric_shape(given)
    dtype = getattr(torch, given.dtype)
    if dtype.is_floating_point and dtype.itemsize >= 2:
        return torch.rand(sizes).to(dtype)
    return torch.ones(sizes, dtype=dtype) if dtype == torch.bool else torch.zeros(sizes, dtype=dtype)
