"""Operations of a running network: each call of the framework's functions, as the network's code makes it.

A function that knowledge has a row for is one operation, under the row's name. One that is written in Python
and has no row is entered, so that what it calls is seen. Any other is recorded under its own name.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from cutaway.core.session import Operation, Reference, Session
from cutaway.knowledge.base.tensors_in import collector
from cutaway.knowledge.torch.tensor.op import NUMPY_NAMES, Row
from cutaway.live.flops import Flops
from cutaway.live.op_names import Names, own_name
from cutaway.live.user_line import place

_ALWAYS = "torch.nn.functional."
"""Functions of a network's layers are operations even where they give their argument back, as dropout does."""

_FUSED = {"torch.lstm", "torch.gru", "torch.rnn_tanh", "torch.rnn_relu"}
"""Functions whose work one kernel of the processor's library does, out of sight of the counter."""


_ATTENTION = "torch.nn.functional.scaled_dot_product_attention"


class Values:
    """Numbers for tensors: a tensor keeps its own until it is written to."""

    def __init__(self, gathered: Session) -> None:
        self._gathered = gathered
        self._numbers: Any = WeakTensorKeyDictionary()

    def reference(self, tensor: torch.Tensor) -> Reference:
        """Return the value that a tensor is now."""
        number = self._numbers.get(tensor)
        if number is None:
            number = self.renew(tensor)
        return Reference(number, tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."))

    def renew(self, tensor: torch.Tensor) -> int:
        """Give a tensor a new number: it is new, or has been written to."""
        number = self._gathered.next_value()
        self._numbers[tensor] = number
        return number


class Capture(TorchFunctionMode):  # type: ignore[misc]
    """Records operations into a session while it is active."""

    def __init__(self, gathered: Session, values: Values, names: Names, flops: Flops) -> None:
        super().__init__()
        self._gathered = gathered
        self._values = values
        self._names = names
        self._flops = flops
        self._open: set[int] = set()

    def __torch_function__(self, func: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        row = self._names.row(func)
        if row is None and isinstance(func, types.FunctionType) and id(func) not in self._open:
            return self._entered(func, args, kwargs)
        if row is None and getattr(func, "__name__", "") in ("__get__", "__set__", "__delete__"):
            return func(*args, **kwargs)
        read = tensors((args, kwargs))
        before = [(self._values.reference(tensor), _version(tensor)) for tensor in read]
        flops = self._flops.total
        result = self._run(row, func, args, kwargs)
        written = tensors(result)
        if not written and row is not None and row.name.endswith("__setitem__"):
            written = read[:1]
        name = row.name if row is not None else own_name(func)
        if written and self._record(name, row, args, kwargs, read, before, written):
            self._gathered.operations[-1].macs = (self._flops.total - flops) // 2
        return result

    def _run(self, row: Row | None, func: Any, args: Any, kwargs: Any) -> Any:
        if row is not None and row.name in _FUSED:
            enabled = torch._C._get_mkldnn_enabled()
            torch._C._set_mkldnn_enabled(False)
            try:
                return func(*args, **kwargs)
            finally:
                torch._C._set_mkldnn_enabled(enabled)
        result = func(*args, **kwargs)
        if row is not None and row.name == _ATTENTION and result.device.type == "meta":
            return _as_fused(result, tensors((args, kwargs))[:3], row.named(args, kwargs))
        return result

    def _entered(self, func: types.FunctionType, args: Any, kwargs: Any) -> Any:
        """Run the body of a function with its own calls captured."""
        self._open.add(id(func))
        try:
            with self:
                return _body(func)(*args, **kwargs)
        finally:
            self._open.discard(id(func))

    def _record(
        self,
        name: str,
        row: Row | None,
        args: Any,
        kwargs: Any,
        read: list[torch.Tensor],
        before: list[tuple[Reference, int]],
        written: list[torch.Tensor],
    ) -> bool:
        """Record an operation if it has made something; tell whether it has."""
        versions = {id(tensor): version for tensor, (_, version) in zip(read, before)}
        changed = [t for t in written if id(t) not in versions or _version(t) != versions[id(t)]]
        if not changed and not name.startswith(_ALWAYS):
            return False
        memory = {_memory(tensor) for tensor in read}
        shares = any(_memory(tensor) in memory for tensor in written)
        for tensor in changed or written:
            self._values.renew(tensor)
        here = self._gathered
        here.operations.append(
            Operation(
                name,
                _attributes(row, args, kwargs),
                [reference for reference, _ in before],
                [self._values.reference(tensor) for tensor in written],
                here.modules[-1] if here.modules else None,
                place() or here.place(),
                0,
                not shares,
            )
        )
        return True


def tensors(value: Any) -> list[torch.Tensor]:
    """Return the tensors in an argument or a result, in order."""
    found: list[torch.Tensor] = []
    _collect(value, found)
    return found


_collect = collector(torch.Tensor)


def _as_fused(result: torch.Tensor, operands: list[torch.Tensor], named: dict[str, Any]) -> torch.Tensor:
    """Lay out the result of attention as the fused kernels of real devices do; the meta device has none of them."""
    plain = result.dim() != 4 or named.get("dropout_p") or any(t.shape[-1] != result.shape[-1] for t in operands)
    if plain or any(t.stride(-1) != 1 for t in operands):
        return result
    return torch.empty_like(result.transpose(1, 2), memory_format=torch.contiguous_format).transpose(1, 2)


def _attributes(row: Row | None, args: Any, kwargs: Any) -> dict[str, Any]:
    """Return the arguments that are no tensors under the API's names."""
    if row is None:
        named = {str(at): value for at, value in enumerate(args)} | kwargs
    else:
        if row.swapped:
            args = (args[1], args[0], *args[2:])
        if not NUMPY_NAMES.keys().isdisjoint(kwargs):
            kwargs = {k if k in row.parameters else NUMPY_NAMES.get(k, k): v for k, v in kwargs.items()}
        named = row.named(args, {k: v for k, v in kwargs.items() if k != "out" or k in row.parameters})
    return {name: value for name, value in named.items() if not tensors(value)}


def _version(tensor: torch.Tensor) -> int:
    return 0 if tensor.is_inference() else int(tensor._version)


def _memory(tensor: torch.Tensor) -> int:
    try:
        return int(tensor.untyped_storage()._cdata)
    except (RuntimeError, NotImplementedError):  # a layout without one
        return id(tensor)


_BODIES: dict[types.FunctionType, Callable[..., Any]] = {}
_CHECKS = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")


def _body(func: types.FunctionType) -> Callable[..., Any]:
    """Return a copy of a function of torch that does not hand itself over to the active mode.

    Such a function asks first whether a mode is active, and would give itself to it again.
    """
    if func not in _BODIES:
        namespace = {**func.__globals__, **{name: _no for name in _CHECKS if name in func.__globals__}}
        copy = types.FunctionType(func.__code__, namespace, func.__name__, func.__defaults__, func.__closure__)
        copy.__kwdefaults__ = func.__kwdefaults__
        _BODIES[func] = copy
    return _BODIES[func]


def _no(*_args: object) -> bool:
    return False
