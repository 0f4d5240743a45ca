"""Calls of the modules of a running network, seen by hooks that are taken away again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from cutaway.core.session import Call, Reference, Session
from cutaway.knowledge.base.flatten import flatten, flatten_arguments

Refer = Callable[[torch.Tensor], Reference]


@contextmanager
def watched(network: torch.nn.Module, gathered: Session, refer: Refer) -> Iterator[None]:
    """Record every call of every module into a session while inside."""
    watch = _Watch(gathered, refer)
    handles = []
    try:
        for module in network.modules():
            handles.append(module.register_forward_pre_hook(watch.entered, with_kwargs=True))
            handles.append(module.register_forward_hook(watch.left, with_kwargs=True, always_call=True))
        yield
    finally:
        for handle in handles:
            handle.remove()


class _Watch:
    """The hooks, and the calls that have not returned yet."""

    def __init__(self, gathered: Session, refer: Refer) -> None:
        self._gathered = gathered
        self._refer = refer
        self._open: list[tuple[Call, BaseException | None]] = []

    def entered(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        here = self._gathered
        with torch._C.DisableTorchFunction():
            inputs = flatten_arguments(args, kwargs, self._reference)
        call = Call(module, inputs, len(here.operations), depth=len(here.modules), training=module.training)
        here.calls.append(call)
        here.modules.append(module)
        self._open.append((call, sys.exc_info()[1]))

    def left(self, module: torch.nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        here = self._gathered
        call, handled = self._open.pop()
        here.modules.pop()
        call.last_operation = len(here.operations)
        error = sys.exc_info()[1]
        if error is not None and error is not handled:
            return  # the hook is called because forward raised
        with torch._C.DisableTorchFunction():
            seen = flatten_arguments(args, kwargs, self._reference)
            if len(seen) != len(call.inputs):  # a list that forward itself lengthened
                call.inputs = seen
            call.outputs = flatten(output, refer=self._reference)

    def _reference(self, value: Any) -> Reference | None:
        return self._refer(value) if isinstance(value, torch.Tensor) else None
