"""Graphs of TensorFlow 1: placeholders, variables, scopes, and sessions that run them."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.dim import equal
from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.place import Place
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.keras.dtypes import standardize
from cutaway.knowledge.keras.op import tensors
from cutaway.knowledge.keras.shape import symbolic, text
from cutaway.knowledge.keras.tensor import Tensor, convert, new
from cutaway.knowledge.registry import register, row


class Graph:
    """What a program has built: placeholders, variables, and the operations between them."""

    def __init__(self) -> None:
        self.placeholders: list[Any] = []
        self.variables: list[Any] = []
        self.fetched: list[Any] = []
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


@row("tensorflow.Graph", "tensorflow.compat.v1.Graph")
def graph_of_the_program() -> Graph:
    """Give the one graph: a program that builds several is seen as building one."""
    found: Graph = default_graph()
    return found


@row("tensorflow.get_default_graph", "tensorflow.compat.v1.get_default_graph")
def default_graph() -> Graph:
    """Return the graph of the program."""
    held = session.current().state
    if "tensorflow.graph" not in held:
        held["tensorflow.graph"] = Graph()
    found: Graph = held["tensorflow.graph"]
    return found


@row("tensorflow.reset_default_graph", "tensorflow.compat.v1.reset_default_graph")
def reset_default_graph() -> None:
    session.current().state.pop("tensorflow.graph", None)


def building() -> bool:
    """Tell whether the program builds a graph: it has a placeholder, or a session."""
    return default_graph().building


def _build() -> Graph:
    graph = default_graph()
    here = session.current()
    if not graph.building:
        graph.building = True
        graph.first = len(here.operations)
        here.state["tensorflow.trace"] = []
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
    graph = _build()
    label = scoped(unique(name if isinstance(name, str) else "Placeholder"))
    if isinstance(shape, (int,)):
        shape = [shape]
    sizes = (
        Unknown(f"the placeholder {label} has no shape", session.current().place())
        if shape is None
        else symbolic(list(shape), label)
    )
    if not isinstance(sizes, Unknown) and shape is not None:
        from cutaway.core.dim import symbol

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
    return placeholder(convert(input)._dtype, shape, name)


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


@row("tensorflow.get_variable", "tensorflow.compat.v1.get_variable")
def get_variable(
    name: Any, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
    trainable: Any = True, **_options: Any,
) -> Any:  # fmt: skip
    """Make a variable, or give the one of this name where a scope reuses them."""
    from cutaway.knowledge.tensorflow.variable import Variable

    graph = _build()
    full = scoped(name)
    reuse = any(scope.reuse is True for scope in graph.scopes)
    if full in graph.named:
        held = graph.named[full]
        if not reuse and not any(scope.reuse is not None for scope in graph.scopes):
            raise ArgumentFault(f"get_variable: the variable {full} exists already; reuse is not set", "duplicate-name")
        if shape is not None and not isinstance(shape, Unknown):
            wanted = symbolic(shape if isinstance(shape, (list, tuple)) else [shape], name)
            if len(wanted) != len(held._shape) or any(equal(a, b) is False for a, b in zip(wanted, held._shape)):
                raise ArgumentFault(f"get_variable: {full} has shape {text(held._shape)}, not {text(wanted)}")
        return held
    if shape is None and isinstance(initializer, Tensor):
        value: Any = initializer
    elif shape is None:
        raise ArgumentFault(f"get_variable: the shape of {full} is not given", "missing-argument")
    else:
        value = (
            shape
            if isinstance(shape, Unknown)
            else new(symbolic(shape if isinstance(shape, (list, tuple)) else [shape], name), dtype or "float32")
        )
    made = Variable(value, trainable=trainable, name=name, dtype=dtype)
    graph.named[full] = made
    return made


class Session:
    """`tf.Session`: what is run has been built, and what is fed must fit."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        _build()
        self.graph = default_graph()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_exc: object) -> None:
        return None

    def as_default(self) -> Session:
        return self

    def close(self) -> None:
        """Nothing is open."""

    def run(self, fetches: Any, feed_dict: Any = None, *_args: Any, **_kwargs: Any) -> Any:
        check_feed(feed_dict)
        rerun(feed_dict)
        graph = default_graph()
        graph.fetched = [t for t in _flat(fetches) if isinstance(t, Tensor)] or graph.fetched
        unknown = Unknown("what a session computes is not known")
        if isinstance(fetches, (list, tuple)):
            return [_result(each, unknown) for each in fetches]
        return _result(fetches, unknown)


def _result(fetched: Any, unknown: Unknown) -> Any:
    return fetched if isinstance(fetched, Tensor) else None if fetched is None else unknown


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in _flat(part)]
    return _flat(list(value.values())) if isinstance(value, dict) else [value]


def check_feed(feed: Any) -> None:
    """Compare what is fed with the placeholders, and report what does not fit."""
    if not isinstance(feed, dict):
        return
    for key, value in feed.items():
        if not isinstance(key, Tensor) or isinstance(key._shape, Unknown) or isinstance(value, Unknown):
            continue
        try:
            given = convert(value)._shape
        except (Undecidable, TypeError, ValueError):
            continue
        if isinstance(given, Unknown):
            continue
        fits = len(given) == len(key._shape) and all(
            equal(a, b) is not False for a, b in zip(given, key._shape) if isinstance(b, int)
        )
        if not fits:
            fault = Fault(
                f"feed_dict: {key.name} has shape {text(key._shape)}, but a value of shape {text(given)} is fed"
            )
            session.current().find(fault)
            raise fault


def rerun(feed: Any) -> None:
    """Follow the graph once more with the sizes of what is fed: some faults show only then."""
    here = session.current()
    trace = here.state.get("tensorflow.trace")
    if not isinstance(feed, dict) or not trace:
        return
    values: dict[int, Any] = {}
    for key, value in feed.items():
        if isinstance(key, Tensor) and not isinstance(value, Unknown):
            try:
                given = convert(value)
            except (Undecidable, TypeError, ValueError):
                continue
            values[id(key)] = new(given._shape, key._dtype)
    sizes = tuple(str(made._shape) for made in values.values())
    if not values or sizes in here.state.setdefault("tensorflow.followed", set()):
        return
    here.state["tensorflow.followed"].add(sizes)
    outside, here.recording, here.state["tensorflow.trace"] = here.recording, False, None
    try:
        for call, args, kwargs, made in list(trace):
            if any(id(tensor) in values for tensor in tensors((args, kwargs))):
                again = call(*_replaced(args, values), **_replaced(kwargs, values))
                values.update((id(old), fresh) for old, fresh in zip(tensors(made), tensors(again)))
    finally:
        here.recording, here.state["tensorflow.trace"] = outside, trace


def _replaced(value: Any, values: dict[int, Any]) -> Any:
    if isinstance(value, Tensor):
        return values.get(id(value), value)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_replaced(item, values) for item in value)
    return {key: _replaced(item, values) for key, item in value.items()} if type(value) is dict else value


for _name in (
    "Session",
    "InteractiveSession",
    "compat.v1.Session",
    "compat.v1.InteractiveSession",
    "train.MonitoredTrainingSession",
):
    register(f"tensorflow.{_name}", Session)


def evaluate(self: Any, feed_dict: Any = None, session: Any = None) -> Any:
    """`tensor.eval(...)`: run in the default session."""
    check_feed(feed_dict)
    rerun(feed_dict)
    default_graph().fetched = [self]
    return self


Tensor.eval = evaluate  # type: ignore[attr-defined]
Tensor.run = evaluate  # type: ignore[attr-defined]


class Step:
    """An operation that only has an effect: a step of training, the initialisation of variables."""

    def run(self, *_args: Any, feed_dict: Any = None, **_kwargs: Any) -> None:
        check_feed(feed_dict)
        rerun(feed_dict)


def _step(*_args: Any, **_kwargs: Any) -> Step:
    return Step()


for _name in """global_variables_initializer initialize_all_variables local_variables_initializer tables_initializer
initialize_local_variables variables_initializer no_op group initialize_variables""".split():
    register(f"tensorflow.{_name}", _step)
    register(f"tensorflow.compat.v1.{_name}", _step)


class Optimizer:
    """An optimizer of TensorFlow 1."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        pass

    def minimize(self, loss: Any, *_args: Any, **_kwargs: Any) -> Step:
        return Step()

    def compute_gradients(self, loss: Any, var_list: Any = None, **_kwargs: Any) -> list[Any]:
        return [(v, v) for v in (var_list or default_graph().variables)]

    def apply_gradients(self, *_args: Any, **_kwargs: Any) -> Step:
        return Step()


for _name in "Adam GradientDescent RMSProp Adagrad Momentum Adadelta Ftrl ProximalAdagrad".split():
    for _start in ("tensorflow.train", "tensorflow.compat.v1.train"):
        register(f"{_start}.{_name}Optimizer", type(f"{_name}Optimizer", (Optimizer,), {"__module__": _start}))


@row("tensorflow.gradients", "tensorflow.compat.v1.gradients")
def gradients(ys: Any, xs: Any, *_args: Any, **_kwargs: Any) -> list[Any]:
    return list(xs) if isinstance(xs, (list, tuple)) else [xs]


@row("tensorflow.trainable_variables", "tensorflow.compat.v1.trainable_variables")
def trainable_variables(scope: Any = None) -> list[Any]:
    return [v for v in default_graph().variables if v.trainable]


@row("tensorflow.global_variables", "tensorflow.all_variables", "tensorflow.compat.v1.global_variables")
def global_variables(scope: Any = None) -> list[Any]:
    return list(default_graph().variables)


for _name in (
    "compat.v1.disable_eager_execution",
    "compat.v1.disable_v2_behavior",
    "disable_v2_behavior",
    "disable_eager_execution",
):
    register(f"tensorflow.{_name}", lambda: _build() and None)


@row("tensorflow.assign", "tensorflow.compat.v1.assign")
def assign(ref: Any, value: Any, *_args: Any, **_kwargs: Any) -> Any:
    return ref


def _initializer(*_args: Any, **_kwargs: Any) -> Any:
    return lambda shape, dtype=None, **_k: new(symbolic(shape, "w"), standardize(dtype))


for _name in """random_normal_initializer truncated_normal_initializer constant_initializer zeros_initializer
ones_initializer random_uniform_initializer glorot_uniform_initializer glorot_normal_initializer
contrib.layers.xavier_initializer contrib.layers.xavier_initializer_conv2d variance_scaling_initializer
contrib.layers.variance_scaling_initializer orthogonal_initializer contrib.layers.l2_regularizer""".split():
    register(f"tensorflow.{_name}", _initializer)
    register(f"tensorflow.compat.v1.{_name}", _initializer)
