"""How an operation becomes a row: a rule with the API's own signature that returns `Out`s.

    @op("keras.ops.relu", "tensorflow.nn.relu")
    def relu(x):
        x = convert(x)
        return Out(x._shape, x._dtype)

The rule is called with the target's arguments. Its `Out`s become tensors, and the operation is recorded
with its tensors as inputs and everything else as attributes under the API's own names. Where an argument
is a symbolic tensor, so is the result, and the call becomes a node of the graph of a functional model.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.session import Operation as Record
from cutaway.core.session import Reference, Session
from cutaway.core.size.dim import Dim, Size, product, unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import register
from cutaway.knowledge.base.rule_parameters import layout
from cutaway.knowledge.base.tensors_in import collector, holds
from cutaway.knowledge.base.values import LIMIT, Lazy
from cutaway.knowledge.keras.models.graph import Node, Operation
from cutaway.knowledge.keras.tensors.dtypes import UNTOLD
from cutaway.knowledge.keras.tensors.tensor import (
    METHODS,
    KerasTensor,
    Tensor,
    any_symbolic,
    cast_values,
    keras_tensor,
    new,
    plain,
)
from cutaway.knowledge.keras.tensors.tree import map_structure


class Out:
    """One tensor that a rule returns; `sizes` are its numbers where they are sizes, `macs` what it costs."""

    __slots__ = ("dtype", "macs", "shape", "sizes", "values", "view")

    def __init__(
        self,
        shape: Any,
        dtype: Any,
        values: Lazy | None = None,
        *,
        sizes: Any = None,
        macs: Size = 0,
        view: bool = False,
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self.values = values
        self.sizes = sizes
        self.macs = macs
        self.view = view


def compute(function: Callable[..., Any], *operands: Any) -> Lazy | None:
    """Defer `function(numpy, *arrays)`; None where an operand's numbers are not known."""
    arguments = []
    for operand in operands:
        if isinstance(operand, Tensor):
            operand = operand._values
            if operand is None:
                return None
        elif isinstance(operand, (Unknown, Dim)):
            return None
        arguments.append(operand)
    return Lazy(function, arguments)


RULES: dict[str, Callable[..., Any]] = {}
"""Every row made by `op`, by its names: what the oracle tests walk."""


def op(*names: str, node: str | None = None, methods: tuple[str, ...] = ()) -> Callable[[Any], Any]:
    """Register a rule under its qualified names; the first names the operation in the graph.

    A name in `keras.ops` also stands below `keras.src.ops`. `node` is the class of the operation in a
    functional model, where it is not the function's name; `methods` are those of tensors that call it.
    """

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        caller = _caller(names[0], rule, node or names[0].rpartition(".")[2])
        for name in names:
            for spelling in spellings(name):
                RULES[spelling] = caller
                register(spelling, caller)
        for method in methods:
            METHODS[method] = caller
            setattr(Tensor, method, caller)
        return caller

    return decorate


def spellings(name: str) -> list[str]:
    """Return the names under which Keras itself knows what is public as `name`."""
    if not name.startswith("keras.ops."):
        return [name]
    return [name, f"keras.src.ops.{name.removeprefix('keras.ops.')}"]


class FunctionNode(Operation):
    """A function's call in the graph of a functional model."""

    def __init__(self, kind: str, function: Callable[..., Any]) -> None:
        super().__init__(name=None, _kind=kind)
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


def _caller(name: str, rule: Callable[..., Any], kind: str) -> Callable[..., Any]:
    _, positional, star, defaults = layout(rule)

    def record(here: Session, args: Any, kwargs: Any, read: Any, written: Any, macs: Any, allocates: bool) -> None:
        if not here.recording:
            return
        attributes = dict(defaults)
        attributes.update(zip(positional, args))
        if star is not None:
            attributes[star] = args[len(positional) :]
        attributes.update(kwargs)
        given = {k: v for k, v in attributes.items() if not holds(v, tensors) and k != "name"}
        module = here.modules[-1] if here.modules else None
        here.operations.append(Record(name, given, read, written, module, here.place(), macs, allocates))

    @functools.wraps(rule)
    def call(*args: Any, **kwargs: Any) -> Any:
        here = session.current()
        if any_symbolic(args) or any_symbolic(kwargs):
            return _symbolic(here, call, kind, args, kwargs)
        try:
            result = rule(*args, **kwargs)
        except Undecidable as undecidable:
            if type(undecidable) is not Undecidable:
                raise
            unknown = here.note(undecidable.unknown)
            read = [t.reference() for t in tensors((args, kwargs))]
            record(here, args, kwargs, read, [Reference(0, unknown, "unknown")], None, True)
            trace = here.state.get("tensorflow.trace")
            if trace is None or not read or "tensorflow.building" not in here.state:
                return unknown
            made = new(unknown, UNTOLD)
            trace.append((call, args, kwargs, made, here.place()))
            return made
        except Fault as fault:
            here.find(fault)
            raise
        macs: list[Any] = []
        allocates = [True]
        made = _materialise(result, macs, allocates)
        trace = here.state.get("tensorflow.trace")
        if trace is not None:
            trace.append((call, args, kwargs, made, here.place()))
        if here.recording:
            read = [t.reference() for t in tensors((args, kwargs))]
            written = [t.reference() for t in tensors(made)]
            if {r.number for r in written} - {r.number for r in read}:
                record(here, args, kwargs, read, written, sum(macs), allocates[0])
        return made

    call.__op__ = name  # type: ignore[attr-defined]
    return call


def _symbolic(here: Session, call: Callable[..., Any], kind: str, args: Any, kwargs: Any) -> Any:
    """Call a function on symbolic tensors: its result is symbolic, and a node of the graph."""
    outside, here.recording = here.recording, False
    try:
        result = call(*plain(args), **plain(kwargs))
    finally:
        here.recording = outside
    if not tensors(result) and not isinstance(result, Unknown):
        return result
    made = symbolic_result(result)
    Node(FunctionNode(kind, call), args, kwargs, made)
    return made


def symbolic_result(result: Any) -> Any:
    """Return a result as symbolic tensors; what is unknown of it is a tensor of unknown shape."""

    def one(value: Any) -> Any:
        if isinstance(value, Tensor):
            made = keras_tensor(value._shape, value._dtype)
            made._values, made._sizes = value._values, value._sizes
            mask = value.__dict__.get("_keras_mask")
            if mask is not None:
                made.__dict__["_keras_mask"] = mask
            return made
        return keras_tensor(value, "float32") if isinstance(value, Unknown) else value

    return map_structure(one, result)


def tensors(value: Any) -> list[Tensor]:
    """Return the tensors in an argument or a result, in order."""
    found: list[Tensor] = []
    _collect(value, found)
    return found


_collect = collector(Tensor)


def _materialise(result: Any, macs: list[Any], allocates: list[bool]) -> Any:
    if isinstance(result, Out):
        macs.append(result.macs)
        if result.view:
            allocates[0] = False
        shape = result.shape
        if type(shape) is not Unknown:
            shape = [unknown_size() if isinstance(s, Unknown) else s for s in shape]
            if result.values is not None:
                size = product(shape)
                if not isinstance(size, int) or size > LIMIT:
                    result.values = None
        return new(shape, result.dtype, values=cast_values(result.values, result.dtype), sizes=result.sizes)
    if isinstance(result, (list, tuple)):
        items = [_materialise(item, macs, allocates) for item in result]
        return type(result)._make(items) if hasattr(result, "_make") else type(result)(items)
    return result


__all__ = ["KerasTensor", "Out", "compute", "op", "symbolic_result", "tensors"]
