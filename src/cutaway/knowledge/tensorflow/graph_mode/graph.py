"""Graphs of TensorFlow 1: placeholders, scopes, and names in them."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.place import Place
from cutaway.core.program_state import Key
from cutaway.core.size.dim import symbol
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import own, register, row
from cutaway.knowledge.keras.tensors import graph_trace
from cutaway.knowledge.keras.tensors.shape import symbolic
from cutaway.knowledge.keras.tensors.tensor import convert, new


class Graph:
    """What a program has built: placeholders, variables, and the operations between them."""

    def __init__(self) -> None:
        self.placeholders: list[Any] = []
        self.variables: list[Any] = []
        self.fetched: list[Any] = []
        self.losses: dict[int, Any] = {}
        self.names: dict[str, int] = {}
        self.scopes: list[Any] = []
        self.named: dict[str, Any] = {}
        self.building = False
        self.first = 0
        self.place: Place | None = None

    def as_default(self) -> Graph:
        return self

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *_exc: object) -> None:
        return None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_args, **_kwargs: Unknown(f"{name} of a graph is not modelled")


Graph.__module__ = "tensorflow"  # as reports name it
own(Graph)
GRAPH: Key[Graph] = Key(Graph)
"""The default graph of the program."""


@row("tensorflow.Graph", "tensorflow.compat.v1.Graph")
def graph_of_the_program() -> Graph:
    """Give the one graph: a program that builds several is seen as building one."""
    found: Graph = default_graph()
    return found


@row("tensorflow.get_default_graph", "tensorflow.compat.v1.get_default_graph")
def default_graph() -> Graph:
    """Return the graph of the program."""
    return GRAPH.get()


@row("tensorflow.reset_default_graph", "tensorflow.compat.v1.reset_default_graph")
def reset_default_graph() -> None:
    GRAPH.clear()


def building() -> bool:
    """Tell whether the program builds a graph: it has a placeholder, or a session."""
    return default_graph().building


def build() -> Graph:
    """Note that the program builds a graph, and return it."""
    graph = default_graph()
    here = session.current()
    if not graph.building:
        graph.building = True
        graph.first = len(here.operations)
        graph_trace.start()
        graph_trace.BUILDING.set(True)
        graph.place = here.place()
    if not here.modules:
        here.recording = True
    return graph


def unique(name: str) -> str:
    """Return a name that no other operation of the graph has."""
    names = default_graph().names
    full = scoped(name)
    names[full] = names.get(full, -1) + 1
    return name if names[full] == 0 else f"{name}_{names[full]}"


def scoped(name: str) -> str:
    """Return a name below the open scopes."""
    return "/".join([*(scope.name for scope in default_graph().scopes), name])


@row("tensorflow.placeholder", "tensorflow.compat.v1.placeholder")
def placeholder(dtype: Any, shape: Any = None, name: Any = None) -> Any:
    """Make a tensor that a session is fed with."""
    graph = build()
    label = scoped(unique(name if isinstance(name, str) else "Placeholder"))
    if isinstance(shape, (int,)):
        shape = [shape]
    sizes = (
        Unknown(f"the placeholder {label} has no shape", session.current().place())
        if shape is None
        else symbolic(list(shape), label)
    )
    if not isinstance(sizes, Unknown) and shape is not None:
        given = list(shape)
        sizes = tuple(
            symbol(f"{label.replace('/', '_')}_d{i}") if size is None else known
            for i, (size, known) in enumerate(zip(given, sizes))
        )
    made = new(sizes, dtype)
    made.__dict__["_name"] = label
    made.__dict__["_fed"] = True
    graph.placeholders.append(made)
    return made


@row("tensorflow.placeholder_with_default", "tensorflow.compat.v1.placeholder_with_default")
def placeholder_with_default(input: Any, shape: Any, name: Any = None) -> Any:
    made = placeholder(convert(input)._dtype, shape, name)
    made.__dict__["_has_default"] = True
    return made


class Scope:
    """`variable_scope` and `name_scope`."""

    def __init__(
        self,
        name_or_scope: Any = None,
        default_name: Any = None,
        values: Any = None,
        reuse: Any = None,
        **_options: Any,
    ) -> None:
        self.original = name_or_scope
        self.name: str = name_or_scope.name if isinstance(name_or_scope, Scope) else str(name_or_scope or default_name)
        self.reuse = reuse
        self.original_name_scope = f"{scoped(self.name)}/"

    def __enter__(self) -> Any:
        default_graph().scopes.append(self)
        return self

    def __exit__(self, *_exc: object) -> None:
        default_graph().scopes.pop()

    def reuse_variables(self) -> None:
        self.reuse = True


for _name in ("variable_scope", "compat.v1.variable_scope", "compat.v1.name_scope", "variable_op_scope"):
    register(f"tensorflow.{_name}", Scope)


@row("tensorflow.get_variable_scope", "tensorflow.compat.v1.get_variable_scope")
def get_variable_scope() -> Any:
    scopes = default_graph().scopes
    return scopes[-1] if scopes else Scope("")


for _name in (
    "compat.v1.disable_eager_execution",
    "compat.v1.disable_v2_behavior",
    "disable_v2_behavior",
    "disable_eager_execution",
):
    register(f"tensorflow.{_name}", lambda: build() and None)
