"""`tf.Variable` and `tf.Module`."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.protocols import MODULE
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.construction import Construction
from cutaway.knowledge.base.recorded_call import recorded
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.keras.models.state import snake_case
from cutaway.knowledge.keras.tensors import graph_trace
from cutaway.knowledge.keras.tensors.shape import symbolic
from cutaway.knowledge.keras.tensors.tensor import Tensor, convert, new
from cutaway.knowledge.keras.tensors.tensor import Variable as KerasVariable
from cutaway.knowledge.tensorflow.graph_mode.graph import default_graph, scoped, unique


@row("tensorflow.Variable")
class Variable(KerasVariable):
    """A weight of TensorFlow's own."""

    def __init__(
        self, initial_value: Any = None, trainable: Any = True, validate_shape: Any = True, caching_device: Any = None,
        name: Any = None, variable_def: Any = None, dtype: Any = None, import_scope: Any = None, constraint: Any = None,
        synchronization: Any = None, aggregation: Any = None, shape: Any = None, **_former: Any,
    ) -> None:  # fmt: skip
        if callable(initial_value) and not isinstance(initial_value, (Tensor, Unknown)):
            initial_value = initial_value()
        label = scoped(unique(name if isinstance(name, str) else "Variable"))
        if isinstance(initial_value, Unknown):
            given = None
            made = new(initial_value if shape is None else symbolic(shape, label), dtype)
        else:
            given = convert(initial_value, dtype)
            made = new(given._shape, given._dtype)
        self.__dict__.update(made.__dict__)
        self.__dict__.update(
            _name=label, path=label, trainable=trainable is not False, initializer=None, regularizer=None,
            constraint=None, autocast=False,
        )  # fmt: skip
        default_graph().variables.append(self)
        if not session.current().modules:
            graph_trace.start()  # a graph may begin here

    @property
    def name(self) -> str:
        return f"{self.__dict__['_name']}:0"

    @property
    def shape(self) -> Any:
        return Tensor.shape.fget(self)  # type: ignore[attr-defined]

    @property
    def initial_value(self) -> Any:
        return self

    def initialized_value(self) -> Any:
        return self

    def eval(self, session: Any = None) -> Unknown:
        return Unknown("the numbers of a variable are not known")


@MODULE
@row("tensorflow.Module")
class Module:
    """A network of TensorFlow's own: whatever variables and modules its attributes hold."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = object.__new__(cls)
        made.__dict__["_construction"] = Construction(args, kwargs, session.current().place())
        return made

    def __init__(self, name: Any = None) -> None:
        self.__dict__["_name"] = name

    @property
    def name(self) -> str:
        return str(self.__dict__.get("_name") or snake_case(type(self).__name__))

    def mark_incomplete(self, unknown: Unknown) -> None:
        """Note that what this module consists of could not be followed to the end."""
        self.__dict__.setdefault("_incomplete", session.current().note(unknown, self))

    @property
    def variables(self) -> tuple[Any, ...]:
        return tuple(variable for _, _, variable in held_variables(self))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        return tuple(v for v in self.variables if v.trainable)

    @property
    def submodules(self) -> tuple[Any, ...]:
        return tuple(module for path, module in modules_of(self) if path)

    @classmethod
    def with_name_scope(cls, method: Any) -> Any:
        return method

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("__call__")
        if own is not None and not getattr(own, "_records", False):
            cls.__call__ = recorded(own)  # type: ignore[assignment]


def _parts(value: Any, path: str) -> Any:
    if isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _parts(item, f"{path}.{index}")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _parts(item, f"{path}.{key}")
    else:
        yield path, value


def modules_of(module: Any) -> list[tuple[str, Any]]:
    """Return a module and every module in its attributes once, with the path of attributes."""
    found: list[tuple[str, Any]] = []
    seen: set[int] = set()
    waiting = [("", module)]
    while waiting:
        path, each = waiting.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        found.append((path, each))
        for name, value in sorted(each.__dict__.items()):
            for inner, part in _parts(value, name):
                if isinstance(part, Module):
                    waiting.append((f"{path}.{inner}" if path else inner, part))
    return found


def held_variables(module: Any) -> list[tuple[str, str, Any]]:
    """Return the variables in a module: the module's path, the variable's name, the variable."""
    found: list[tuple[str, str, Any]] = []
    seen: set[int] = set()
    for path, each in modules_of(module):
        for name, value in sorted(each.__dict__.items()):
            for inner, part in _parts(value, name):
                if isinstance(part, KerasVariable) and id(part) not in seen:
                    seen.add(id(part))
                    found.append((path, f"{path}.{inner}" if path else inner, part))
    return found
