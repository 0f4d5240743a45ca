"""A third framework, as small as can be: arrays, two functions, modules that hold arrays and modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from cutaway.core import session
from cutaway.core.architecture import Architecture, Weight
from cutaway.core.protocols import MODULE
from cutaway.core.session import Call, Session
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base import op as base
from cutaway.knowledge.base.construction import Construction
from cutaway.knowledge.base.framework import FRAMEWORKS, Framework
from cutaway.knowledge.base.read_off import (
    Contents,
    architecture,
    built_modules,
    named_inputs,
    shape_of,
    signature_of,
    unknown_parts,
    weight_number,
)
from cutaway.knowledge.base.recorded_call import recorded
from cutaway.knowledge.base.registry import register, row
from cutaway.knowledge.base.tensor import AbstractTensor
from cutaway.knowledge.base.tensors_in import collector
from cutaway.ops import matmul


class DType(str):
    name = property(str)


@row("tinyjax.Array")
class Array(AbstractTensor):
    @property
    def shape(self) -> Any:
        return self._shape

    def array(self) -> Any:
        raise Undecidable(Unknown("the numbers of an array are not known"))


def new(shape: Any, dtype: str = "float32") -> Array:
    made: Array = object.__new__(Array)
    shape = shape if isinstance(shape, Unknown) else tuple(shape)
    made.__dict__.update(_shape=shape, _dtype=DType(dtype), _values=None, _number=session.current().next_value())
    return made


class Out(base.Out):
    __slots__ = ()

    def __init__(self, shape: Any, dtype: Any, macs: Any = 0) -> None:
        self.shape, self.dtype, self.values, self.macs, self.view = shape, dtype, None, macs, False
        self.temporaries = ()


class Caller(base.Caller[Array]):
    __slots__ = ()

    collect = staticmethod(collector(Array))

    def make(self, out: Any, shape: Any, inputs: list[Array], target: Any) -> Array:
        return new(shape, out.dtype)


def op(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return lambda rule: register(name, Caller(name, rule).function)


@op("tinyjax.numpy.dot")
def dot(a, b):
    shape, macs = matmul.matmul(a.shape, b.shape, "dot")
    return Out(shape, a._dtype, macs)


@op("tinyjax.nn.relu")
def relu(x):
    return Out(x.shape, x._dtype)


register("tinyjax.param", new)


@row("tinyjax.Module")
@MODULE
class Module:
    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = object.__new__(cls)
        made.__dict__["_construction"] = Construction(args, kwargs, session.current().place())
        return made

    def __init_subclass__(cls) -> None:
        if "__call__" in cls.__dict__:
            cls.__call__ = recorded(cls.__dict__["__call__"])  # type: ignore[attr-defined]

    def mark_incomplete(self, unknown: Unknown) -> None:
        self.__dict__.setdefault("_incomplete", session.current().note(unknown, self))


def _held(module: Any, kind: type, path: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in module.__dict__.items():
        inner = f"{path}.{name}".lstrip(".")
        if isinstance(value, kind):
            yield inner, value
        if isinstance(value, Module):
            yield from _held(value, kind, inner)


class TinyJAX(Framework):
    name = "tinyjax"

    def is_network(self, value: object) -> bool:
        return Module in type(value).__mro__

    def is_network_class(self, value: object) -> bool:
        return isinstance(value, type) and issubclass(value, Module) and value is not Module

    def tensor(self, shape: Sequence[Any] | None, dtype: str, name: str, number: int | None = None) -> Array:
        return new(Unknown(f"the shape of the input {name} is not given") if shape is None else shape, dtype)

    def forward(self, network: Any) -> Any:
        return type(network).__call__._function.__get__(network)

    def call(self, network: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return network(*args, **kwargs)

    def parts(self, network: Any) -> list[Any]:
        return [network, *(module for _, module in _held(network, Module))]

    def read_off(self, network: Any, name: str, target: str, gathered: Session, call: Call | None) -> Architecture:
        modules = [("", network), *_held(network, Module)]
        weights = [
            (Weight(path, shape_of(array.reference()), array._dtype, "parameter", True, None), array)
            for path, array in _held(network, Array)
        ]
        inputs = list(named_inputs(signature_of(self.forward(network)), call)) if call else []
        parts = partial(unknown_parts, modules, weights)
        contents = Contents(modules, weights, inputs, built_modules(), weight_number, parts)
        return architecture(name, target, self.name, gathered, call, contents)


FRAMEWORKS.append(TinyJAX())
