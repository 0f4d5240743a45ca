"""How an operation of torch becomes a row: views, strides, devices, in-place variants and `out=`.

    @op("torch.relu", "torch.Tensor.relu", inplace=True)
    def relu(input):
        return Out(input.shape, input.dtype)

A rule with an `inplace` parameter writes to its first argument where that is true.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.session import Reference, Session
from cutaway.core.size.dim import Size
from cutaway.core.unknown import Unknown, derived_unknown
from cutaway.knowledge.base import op as base
from cutaway.knowledge.base.op import Row, compute, temporary, unknown_reference
from cutaway.knowledge.base.registry import TABLE, register
from cutaway.knowledge.base.tensors_in import collector
from cutaway.knowledge.base.values import Lazy, cast
from cutaway.knowledge.torch.runtime.inert import Inert, Placeholder
from cutaway.knowledge.torch.tensor.history import follow
from cutaway.knowledge.torch.tensor.memory import arrangement
from cutaway.knowledge.torch.tensor.tensor import Tensor, attach_method, change_shape, lay_out, new
from cutaway.knowledge.torch.tensor.types import CPU, Device, DType


class Out(base.Out):
    """One tensor that a rule of torch returns.

    `strides` says how a view lies in memory, True where that is contiguous; `device` is that of the first tensor
    argument unless it is given; `resizes` says that the tensor of `out=` takes its shape; `shares` is an array of numpy
    in whose memory it may lie.
    """

    __slots__ = ("device", "requires_grad", "resizes", "shares", "strides")

    def __init__(
        self,
        shape: Any,
        dtype: DType,
        values: Lazy | None = None,
        *,
        macs: Size = 0,
        view: bool = False,
        device: Device | None = None,
        requires_grad: bool = False,
        strides: Any = None,
        temporaries: Sequence[tuple[Reference, bool]] = (),
    ) -> None:
        self.temporaries = temporaries
        self.strides = strides
        self.shape = shape
        self.dtype = dtype
        self.values = values
        self.macs = macs
        self.view = view
        self.device = device
        self.requires_grad = requires_grad
        self.resizes = False
        self.shares = None


# The names that every torch function also takes, for those who come from numpy.
NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}

RULES: dict[str, Callable[..., Any]] = {}
"""Every row made by `op`, by its names: what the oracle tests walk."""


def op(*names: str, inplace: bool = False, strided: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a rule under its qualified names; the first names the operation in the graph.

    `inplace` also registers the variant with a trailing underscore for each name in `torch.` or
    `torch.Tensor.`; it writes to its first argument. `strided` says that results need not be contiguous.
    """

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        function = TorchCaller(names[0], rule, writes=False, strided=strided).function
        _enter(names, function)
        if inplace:
            owners = dict.fromkeys(name.rpartition(".") for name in names)
            variants = [f"{o}.{n}_" for o, _, n in owners if o in ("torch", "torch.Tensor")]
            _enter(variants, TorchCaller(f"{names[0]}_", rule, writes=True, strided=strided).function)
        return function

    return decorate


def inplace_op(*names: str, strided: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a rule whose result is written to its first argument, under its full names."""

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        function = TorchCaller(names[0], rule, writes=True, strided=strided).function
        _enter(names, function)
        return function

    return decorate


def composite(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function that only calls other rows: they are recorded, it is not an operation itself."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        _enter(names, function)
        return function

    return decorate


def _enter(names: Any, function: Callable[..., Any]) -> None:
    for name in names:
        register(name, function)
        RULES[name] = function
        owner, _, method = name.rpartition(".")
        if owner == "torch.Tensor":
            attach_method(method, function)


_REORDERED = {id(TABLE["torch.channels_last"]), id(TABLE["torch.channels_last_3d"])}


_NOT_TENSORS = (bool, int, float, str, dict, list, tuple)
ARRAYS = frozenset((("numpy", "ndarray"), ("numpy", "Array")))
"""The classes of numpy's arrays, with numbers and without, which functions do not convert."""
_TENSORS = frozenset(("input", "target", "weight", "mat2", "index", "mask"))
"""Arguments that must be tensors; operators convert the other operand."""


class TorchCaller(base.Caller[Tensor]):
    """A rule of torch and how it is called; one that `writes` writes to its first argument."""

    __slots__ = ("arranged", "foreign", "inplace_at", "strided", "tensors_at", "writes")

    collect = staticmethod(collector(Tensor))

    def __init__(self, name: str, rule: Callable[..., Any], writes: bool, strided: bool) -> None:
        super().__init__(name, rule)
        positional = self.row.positional
        self.writes = writes
        self.strided = strided
        self.arranged = arrangement(name, rule.__module__)
        self.foreign = not name.startswith("torch.")  # its keywords may be any, as those of einops, which name axes
        self.inplace_at = positional.index("inplace") if "inplace" in positional else None
        is_operator = name.rpartition(".")[2].startswith("__")
        self.tensors_at = [] if is_operator or self.foreign else [n for n in positional if n in _TENSORS]
        self.redirects = writes or self.inplace_at is not None

    def is_overridden(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Tell whether an argument, or an item of one, defines `__torch_function__` or is only a stand-in."""
        values = [*args, *kwargs.values()]
        items = [item for value in values if isinstance(value, (list, tuple)) for item in value]
        return any(
            isinstance(each, (Inert, Placeholder)) or hasattr(type(each), "__torch_function__")
            for each in (*values, *items)
            if not isinstance(each, Tensor)
        )

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        is_unknown = bool(args) and type(args[0]) is Unknown and args[0].kind not in (int, float)
        if is_unknown and (self.row.positional or len(args) == 1):
            self.record(session.current(), args, kwargs, [], [unknown_reference(args[0])], None, True)
            return derived_unknown(args[0])
        for name, value in zip(self.row.positional, args) if self.tensors_at else ():
            if name in _TENSORS and (type(value).__module__, type(value).__name__) in ARRAYS:
                raise self._not_a_tensor(name, "a numpy array")
        out = None
        if kwargs:
            if not self.foreign and not NUMPY_NAMES.keys().isdisjoint(kwargs):
                parameters = self.row.parameters
                kwargs = {k if k in parameters else NUMPY_NAMES.get(k, k): v for k, v in kwargs.items()}
            if not self.foreign:
                out = kwargs.get("out") if "out" in self.row.parameters else kwargs.pop("out", None)
        try:
            return self.run(args, kwargs, out)
        except (AttributeError, TypeError) as error:
            raise self._misfit(args, kwargs, error) from None

    def _misfit(self, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> Exception:
        """Return the fault of a call with something else than a tensor, or an unknown name; any other error as it is."""
        unknown = [name for name in kwargs if name not in self.row.parameters]
        if unknown and not self.foreign and "unexpected keyword argument" in str(error):
            name = self.row.name.rpartition(".")[2]
            fault = TypeFault(f"{name} has no argument {unknown[0]!r}", FaultCode.UNKNOWN_ARGUMENT)
            session.current().report(fault)
            return fault
        for name, value in zip(self.row.positional, args) if type(error) is AttributeError else ():
            if name in self.tensors_at and type(value) in (bool, int, float, str):
                return self._not_a_tensor(name, f"of type {type(value).__name__}")
        takes_tensor = self.row.positional[:1] in (("input",), ("self",))
        is_other = bool(args) and (type(args[0]) in _NOT_TENSORS or isinstance(args[0], tuple))
        if isinstance(error, Fault) or not takes_tensor or not is_other:
            return error
        return self._not_a_tensor("", f"of type {type(args[0]).__name__}")

    def _not_a_tensor(self, argument: str, what: str) -> Fault:
        name = self.row.name.rpartition(".")[2]
        which = "the first argument" if argument in ("", "input") else f"the argument {argument}"
        fault = TypeFault(f"{name}: {which} must be a tensor, but is {what}", FaultCode.WRONG_TYPE)
        session.current().report(fault)
        return fault

    def target(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, out: Any) -> Any:
        overwrites, at = self.writes, self.inplace_at
        if at is not None:
            overwrites = bool(kwargs.get("inplace", args[at] if len(args) > at else False))
        if overwrites:
            return args[0] if args else kwargs[self.row.positional[0]]
        if isinstance(out, Tensor) and isinstance(result, Out):
            result.resizes = True
        return out

    def undecided(
        self, here: Session, args: tuple[Any, ...], kwargs: dict[str, Any], unknown: Unknown, out: Any
    ) -> Any:
        forget(args[0] if self.writes and args else out)
        return super().undecided(here, args, kwargs, unknown, out)

    def finish(self, here: Session, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, target: Any) -> Any:
        if here.follows_gradients:
            self._follow(here, args, kwargs, None, target if self.redirects else None)
        is_unrecorded = not here.recording and self.row.name not in here.watched
        if is_unrecorded and not self.strided and isinstance(target, Tensor):
            if type(result) is Out and not result.resizes:  # as weights are initialised
                write(target, cast(result.values, result.dtype.name, result.shape))
                return target
        made = self.complete(here, args, kwargs, result, target)
        if here.follows_gradients and target is None:
            self._follow(here, args, kwargs, made, None)
        if here.recording and target is None:
            for tensor in tensors(made):
                if not tensor._is_view:
                    here.follow(tensor._storage, tensor._number)
        if self.strided or id(kwargs.get("memory_format")) in _REORDERED:
            for tensor in tensors(made):
                tensor._contiguous = False
        return made

    def _follow(self, here: Session, args: tuple[Any, ...], kwargs: dict[str, Any], made: Any, target: Any) -> None:
        """Note what is computed through what, as far as gradients are concerned; raise where a leaf is written to."""
        written = target if isinstance(target, Tensor) else None
        if made is None and written is None:
            return
        inputs: list[Tensor] = []
        self.collect((*args, *kwargs.values()), inputs)
        try:
            follow(here, self.row.name, inputs, [] if made is None else self.tensors(made), written)
        except Fault as fault:
            here.report(fault)
            raise

    def make(self, out: Any, shape: Any, inputs: list[Tensor], target: Any) -> Tensor:
        values = cast(out.values, out.dtype.name, shape)
        if isinstance(target, Tensor):
            if out.resizes:
                change_shape(target, new(out.shape)._shape)
            write(target, values)
            return target
        device = out.device or (inputs[0]._device if inputs else CPU)
        base = inputs[0] if out.view and inputs else None
        made: Tensor = new(shape, out.dtype, values=values, base=base, device=device)
        made.requires_grad = out.requires_grad
        if out.shares is not None:
            made.share(out.shares)
        if out.view or out.strides is not None:
            lay_out(made, out.strides)
        elif not all(tensor._contiguous for tensor in inputs):
            lay_out(made, self.arranged(made._shape, inputs))
        return made


tensors = TorchCaller.tensors


def write(target: Tensor, values: Lazy | None) -> None:
    """Give a tensor new numbers; every other view of its memory no longer knows its own."""
    target._storage[0] += 1
    target._version = target._storage[0]
    target._values = values
    target._number = session.current().next_value()


def forget(target: Any) -> None:
    """Note that a tensor has been written to, with what is not known."""
    for tensor in tensors(target):
        write(tensor, None)


__all__ = [
    "NUMPY_NAMES",
    "RULES",
    "Out",
    "Row",
    "composite",
    "compute",
    "forget",
    "inplace_op",
    "op",
    "temporary",
    "tensors",
    "write",
]
