"""How an operation of Keras or TensorFlow becomes a row: symbolic tensors, and the graphs that their calls make.

    @op("keras.ops.relu", "tensorflow.nn.relu")
    def relu(x):
        x = convert(x)
        return Out(x._shape, x._dtype)

Where an argument is a symbolic tensor, so is the result, and the call becomes a node of the graph of a functional model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.session import Session
from cutaway.core.size.dim import Size, unknown_size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base import op as base
from cutaway.knowledge.base.op import compute
from cutaway.knowledge.base.registry import register
from cutaway.knowledge.base.tensors_in import collector
from cutaway.knowledge.base.values import Lazy
from cutaway.knowledge.keras.models.graph import Node, Operation
from cutaway.knowledge.keras.tensors.dtypes import UNTOLD
from cutaway.knowledge.keras.tensors.graph_trace import BUILDING, TRACE
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


class Out(base.Out):
    """One tensor that a rule returns; `sizes` are its numbers where they are sizes, `macs` what it costs."""

    __slots__ = ("sizes",)

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
        self.temporaries = ()


RULES: dict[str, Callable[..., Any]] = {}
"""Every row made by `op`, by its names: what the oracle tests walk."""


def op(*names: str, node: str | None = None, methods: tuple[str, ...] = ()) -> Callable[[Any], Any]:
    """Register a rule under its qualified names; the first names the operation in the graph.

    A name in `keras.ops` also stands below `keras.src.ops`. `node` is the class of the operation in a
    functional model, where it is not the function's name; `methods` are those of tensors that call it.
    """

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        function = KerasCaller(names[0], rule, node or names[0].rpartition(".")[2]).function
        for name in names:
            for spelling in spellings(name):
                RULES[spelling] = function
                register(spelling, function)
        for method in methods:
            METHODS[method] = function
            setattr(Tensor, method, function)
        return function

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


class KerasCaller(base.Caller[Tensor]):
    """A rule of Keras or TensorFlow and how it is called; `kind` is the class of its node in a functional model."""

    __slots__ = ("kind",)

    collect = staticmethod(collector(Tensor))
    unrecorded = frozenset(("name",))

    def __init__(self, name: str, rule: Callable[..., Any], kind: str) -> None:
        super().__init__(name, rule)
        self.kind = kind

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if any_symbolic(args) or any_symbolic(kwargs):
            return self._symbolic(args, kwargs)
        return self.run(args, kwargs)

    def _symbolic(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function on symbolic tensors: its result is symbolic, and a node of the graph."""
        here = session.current()
        outside, here.recording = here.recording, False
        try:
            result = self.run(plain(args), plain(kwargs))
        finally:
            here.recording = outside
        if not tensors(result) and not isinstance(result, Unknown):
            return result
        made = symbolic_result(result)
        Node(FunctionNode(self.kind, self.function), args, kwargs, made)
        return made

    def undecided(
        self, here: Session, args: tuple[Any, ...], kwargs: dict[str, Any], unknown: Unknown, out: Any
    ) -> Any:
        unknown = super().undecided(here, args, kwargs, unknown, out)
        trace = TRACE.peek()
        if trace is None or not tensors((args, kwargs)) or not BUILDING.is_set():
            return unknown
        made = new(unknown, UNTOLD)
        trace.append((self.function, args, kwargs, made, here.place()))
        return made

    def finish(self, here: Session, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, target: Any) -> Any:
        made = self.complete(here, args, kwargs, result, target)
        trace = TRACE.peek()
        if trace is not None:
            trace.append((self.function, args, kwargs, made, here.place()))
        return made

    def make(self, out: Any, shape: Any, inputs: list[Tensor], target: Any) -> Tensor:
        made: Tensor = new(shape, out.dtype, values=cast_values(out.values, out.dtype, shape), sizes=out.sizes)
        return made

    def size(self, here: Session, unknown: Unknown) -> Size:
        return unknown_size()


tensors = KerasCaller.tensors


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


__all__ = ["RULES", "FunctionNode", "KerasTensor", "Out", "compute", "op", "spellings", "symbolic_result", "tensors"]
