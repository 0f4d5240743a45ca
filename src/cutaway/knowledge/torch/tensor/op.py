"""How an operation becomes a row: a rule with the API's own signature that returns `Out`s.

    @op("torch.relu", "torch.Tensor.relu", inplace=True)
    def relu(input):
        return Out(input.shape, input.dtype)

The rule is called with the target's arguments. Its `Out`s become tensors, and the operation is
recorded with its tensors as inputs and everything else as attributes under the API's own names.
A `Fault` in the rule is a fault of the target; a decision that can't be taken makes the result
unknown. A rule with an `inplace` parameter writes to its first argument where that is true.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.record import dataclass
from cutaway.core.session import Operation, Reference, Session
from cutaway.core.size.dim import Dim, Size, product
from cutaway.core.unknown import Undecidable, Unknown, other_than_truth
from cutaway.knowledge.base.registry import TABLE, register
from cutaway.knowledge.base.rule_parameters import layout
from cutaway.knowledge.base.tensors_in import collector, holds
from cutaway.knowledge.base.values import LIMIT, Lazy
from cutaway.knowledge.torch.tensor.memory import Arranged, arrangement
from cutaway.knowledge.torch.tensor.tensor import Tensor, attach_method, lay_out, new
from cutaway.knowledge.torch.tensor.types import CPU, Device, DType


class Out:
    """One tensor that a rule returns.

    `values` is what `compute` returned; `macs` counts multiply-accumulates; `view` says that it
    shares memory with the first tensor argument, `strides` how it lies there, True where that is
    contiguous; `device` is that of the first tensor argument
    unless it is given.
    """

    __slots__ = ("device", "dtype", "macs", "requires_grad", "shape", "strides", "values", "view")

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
    ) -> None:
        self.strides = strides
        self.shape = shape
        self.dtype = dtype
        self.values = values
        self.macs = macs
        self.view = view
        self.device = device
        self.requires_grad = requires_grad


def compute(function: Callable[..., Any], *operands: Any, listed: Callable[..., Any] | None = None) -> Lazy | None:
    """Defer `function(numpy, *arrays)`; None where an operand's numbers are not known.

    `listed(*lists)` gives the same in nested lists, in the result's dtype, where that is easily had.
    """
    arguments = []
    for operand in operands:
        if isinstance(operand, Tensor):
            operand = operand.values_
            if operand is None:
                return None
        elif isinstance(operand, (Unknown, Dim)):
            return None
        arguments.append(operand)
    return Lazy(function, arguments, listed)


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
        caller = _caller(names[0], rule, writes=False, strided=strided)
        _enter(names, caller)
        if inplace:
            owners = dict.fromkeys(name.rpartition(".") for name in names)
            written = [f"{o}.{n}_" for o, _, n in owners if o in ("torch", "torch.Tensor")]
            _enter(written, _caller(f"{names[0]}_", rule, writes=True, strided=strided))
        return caller

    return decorate


def inplace_op(*names: str, strided: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a rule whose result is written to its first argument, under its full names."""

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        caller = _caller(names[0], rule, writes=True, strided=strided)
        _enter(names, caller)
        return caller

    return decorate


def composite(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function that only calls other rows: they are recorded, it is no operation itself."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        _enter(names, function)
        return function

    return decorate


def _enter(names: Any, caller: Callable[..., Any]) -> None:
    for name in names:
        register(name, caller)
        RULES[name] = caller
        owner, _, method = name.rpartition(".")
        if owner == "torch.Tensor":
            attach_method(method, caller)


@dataclass(frozen=True, slots=True)
class Row:
    """What a call of a row is recorded as: the operation's name, and its arguments under the API's names.

    It is an attribute, `__row__`, of every row made by `op`, and of the operators that call one.
    `swapped` tells that the operands of an operator stand in the other order.
    """

    name: str
    parameters: frozenset[str]
    positional: tuple[str, ...]
    star: str | None
    defaults: dict[str, Any]
    swapped: bool = False

    def named(self, args: Any, kwargs: Any) -> dict[str, Any]:
        """Return the arguments of a call by name, defaults filled in."""
        attributes = dict(self.defaults)
        attributes.update(zip(self.positional, args))
        if self.star is not None:
            attributes[self.star] = args[len(self.positional) :]
        attributes.update(kwargs)
        return attributes


def _caller(name: str, rule: Callable[..., Any], writes: bool, strided: bool) -> Callable[..., Any]:
    parameters, positional, star, defaults = layout(rule)
    row = Row(name, frozenset(parameters), tuple(positional), star, defaults)
    arranged = arrangement(name, rule.__module__)
    foreign = not name.startswith("torch.")  # its keywords may be any, as those of einops, which name axes
    takes_out = foreign or "out" in parameters
    inplace_at = positional.index("inplace") if "inplace" in positional else None

    def record(
        here: Session,
        args: Any,
        kwargs: Any,
        read: list[Reference],
        written: list[Reference],
        macs: Any,
        allocates: bool,
    ) -> None:
        if not here.recording:
            return
        plain = {k: v for k, v in row.named(args, kwargs).items() if not holds(v, tensors)}
        module = here.modules[-1] if here.modules else None
        here.operations.append(Operation(name, plain, read, written, module, here.place(), macs, allocates))

    def call(*args: Any, **kwargs: Any) -> Any:
        here = session.current()
        if args and type(args[0]) is Unknown and (positional or len(args) == 1):
            record(here, args, kwargs, [], [_unknown_reference(args[0])], None, True)
            return other_than_truth(args[0])
        if not foreign and not NUMPY_NAMES.keys().isdisjoint(kwargs):
            kwargs = {k if k in parameters else NUMPY_NAMES.get(k, k): v for k, v in kwargs.items()}
        target = None if takes_out else kwargs.pop("out", None)
        overwrites = writes
        try:
            solving = here.solving
            result = rule(*args, **kwargs) if solving is None else solving.attempt(rule, args, kwargs)
            if inplace_at is not None:
                overwrites = bool(kwargs.get("inplace", args[inplace_at] if len(args) > inplace_at else False))
        except Undecidable as undecidable:
            if type(undecidable) is not Undecidable:
                raise
            forget(args[0] if overwrites and args else target)
            unknown = here.note(undecidable.unknown)
            read = [t.reference() for t in tensors((args, kwargs))]
            record(here, args, kwargs, read, [_unknown_reference(unknown)], None, True)
            return unknown
        except Fault as fault:
            here.find(fault)
            raise
        if overwrites:
            target = args[0] if args else kwargs[positional[0]]
            if not here.recording and type(result) is Out and not strided and isinstance(target, Tensor):
                write(target, cast(result.values, result.dtype, result.shape))  # as weights are initialised
                return target
        inputs: list[Tensor] = []
        for value in args:
            _collect(value, inputs)
        for value in kwargs.values():
            _collect(value, inputs)
        read = [t.reference() for t in inputs] if here.recording else []
        macs: list[Any] = []
        allocates = [target is None]
        if isinstance(target, Tensor) and isinstance(result, Out) and not overwrites:
            target._shape = new(result.shape)._shape  # `out=` is resized
        made = _materialise(result, inputs, target, macs, allocates, arranged)
        if strided or id(kwargs.get("memory_format")) in _REORDERED:
            for tensor in tensors(made):
                tensor._contiguous = False
        if not here.recording:
            return made
        written = [t.reference() for t in tensors(made)]
        # What yields no new value (a size, `contiguous` of what is contiguous) is no operation.
        if {r.number for r in written} - {r.number for r in read}:
            record(here, args, kwargs, read, written, sum(macs), allocates[0])
        return made

    call.__row__ = row  # type: ignore[attr-defined]
    call.__name__, call.__qualname__, call.__module__ = rule.__name__, rule.__qualname__, rule.__module__
    call.__doc__ = rule.__doc__
    call.__wrapped__ = rule  # type: ignore[attr-defined]
    return call


_REORDERED = {id(TABLE["torch.channels_last"]), id(TABLE["torch.channels_last_3d"])}


def _unknown_reference(unknown: Unknown) -> Reference:
    return Reference(0, unknown, "unknown")


def tensors(value: Any) -> list[Tensor]:
    """Return the tensors in an argument or a result, in order."""
    found: list[Tensor] = []
    _collect(value, found)
    return found


_collect = collector(Tensor)


def _materialise(
    result: Any, inputs: list[Tensor], target: Any, macs: list[Any], allocates: list[bool], arranged: Arranged
) -> Any:
    if isinstance(result, Out):
        macs.append(result.macs)
        if result.view:
            allocates[0] = False
        shape = result.shape
        if type(shape) is not Unknown:
            shape = [session.current().size(s) if isinstance(s, Unknown) else s for s in shape]
            if (solving := session.current().solving) is not None:
                shape = [solving.named(size) for size in shape]
        values = cast(result.values, result.dtype, shape)
        if isinstance(target, Tensor):
            write(target, values)
            return target
        device = result.device or (inputs[0]._device if inputs else CPU)
        base = inputs[0] if result.view and inputs else None
        made = new(shape, result.dtype, values=values, base=base, device=device)
        made.requires_grad = result.requires_grad
        if result.view or result.strides is not None:
            lay_out(made, result.strides)
        elif not all(t._contiguous for t in inputs):
            lay_out(made, arranged(made._shape, inputs))
        return made
    if isinstance(result, (list, tuple)):
        targets = target if isinstance(target, (list, tuple)) else [target] * len(result)
        items = [_materialise(r, inputs, t, macs, allocates, arranged) for r, t in zip(result, targets)]
        return type(result)._make(items) if hasattr(result, "_make") else type(result)(items)
    return result


def cast(values: Lazy | None, dtype: DType, shape: Any) -> Lazy | None:
    """Keep numbers only where numpy has the dtype and they are few."""
    if values is None or dtype.name in ("bfloat16", "complex32") or dtype.name.startswith("float8"):
        return None
    size = product(shape)
    if not isinstance(size, int) or size > LIMIT:
        return None
    return Lazy(
        lambda np, array: np.asarray(array).astype(dtype.name, copy=False).reshape(shape),
        [values],
        lambda numbers: numbers,
    )


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
