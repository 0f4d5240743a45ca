"""Sessions of TensorFlow 1: what is run has been built, and what is fed must fit it.

Nothing is computed. The graph behind what is fetched is followed once more with the sizes of what is fed, because
some faults show only then, and the results are arrays whose shapes are known and whose numbers are not.
"""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.program_state import Key
from cutaway.core.size.dim import equal
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import register
from cutaway.knowledge.base.training_loops import count_step
from cutaway.knowledge.keras.tensors.dtypes import UNTOLD
from cutaway.knowledge.keras.tensors.graph_trace import TRACE
from cutaway.knowledge.keras.tensors.op import tensors
from cutaway.knowledge.keras.tensors.shape import text
from cutaway.knowledge.keras.tensors.tensor import Tensor, Variable, convert, new
from cutaway.knowledge.tensorflow.graph_mode.graph import build, default_graph
from cutaway.knowledge.tensorflow.graph_mode.silent_mistakes import look

_FOLLOWED: Key[dict[Any, dict[int, Any]]] = Key(dict)  # what was followed already, with its results


class Step:
    """An operation that only has an effect: a step of training, the initialisation of variables."""

    def __init__(self, *sources: Any) -> None:
        self.sources = sources

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        run(self, feed_dict)


class Session:
    """`tf.Session`."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        self.graph = build()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_exc: object) -> None:
        return None

    def as_default(self) -> Session:
        return self

    def close(self) -> None:
        """Nothing is open."""

    def should_stop(self) -> Unknown:
        return Unknown("when a training ends is not known")

    def run(self, fetches: Any, feed_dict: Any = None, *_args: Any, **_kwargs: Any) -> Any:
        return run(fetches, feed_dict)

    def make_callable(self, fetches: Any, *_args: Any, **_kwargs: Any) -> Any:
        return lambda *_given: run(fetches, None)


for _name in ("Session", "InteractiveSession", "train.MonitoredTrainingSession", "train.MonitoredSession",
              "train.SingularMonitoredSession"):  # fmt: skip
    register(f"tensorflow.{_name}", Session)
    register(f"tensorflow.compat.v1.{_name}", Session)


def run(fetches: Any, feed_dict: Any) -> Any:
    """Compare what is fed with the placeholders, follow the graph to what is fetched, and return its shapes."""
    count_step("runs of a session")
    fed = _fed(feed_dict)
    wanted = _sources(fetches)
    _require_feeds(wanted, feed_dict)
    fresh = _followed(wanted, fed)
    graph = default_graph()
    graph.fetched = [t for t in _flat(fetches) if isinstance(t, Tensor)] or graph.fetched
    return _results(fetches, fresh)


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in _flat(part)]
    return _flat(list(value.values())) if isinstance(value, dict) else [value]


def _sources(fetches: Any) -> list[Tensor]:
    """Return the tensors that are computed when something is fetched."""
    found: list[Tensor] = []
    for each in _flat(fetches):
        found.extend(_sources(list(each.sources)) if isinstance(each, Step) else tensors(each))
    return found


def _results(fetches: Any, fresh: dict[int, Any]) -> Any:
    """Return what a session gives for each tensor: an array of its shape."""
    if isinstance(fetches, (list, tuple)):
        made = [_results(each, fresh) for each in fetches]
        return type(fetches)(*made) if hasattr(fetches, "_fields") else type(fetches)(made)
    if type(fetches) is dict:
        return {key: _results(each, fresh) for key, each in fetches.items()}
    if isinstance(fetches, Step):
        return None
    if not isinstance(fetches, Tensor):
        return Unknown("what a session computes is not known", session.current().place())
    tensor = fresh.get(id(fetches), fetches)
    from cutaway.knowledge.numpy.shaped import Array  # late: it imports numpy

    if str(tensor._dtype) in ("string", "bfloat16", str(UNTOLD)):
        return Unknown("what a session computes is not known", session.current().place())
    return Array(tensor._shape, str(tensor._dtype), "what a session computes is not known")


def _require_feeds(wanted: list[Tensor], feed: Any) -> None:
    """Raise where what is fetched depends on a placeholder that nothing is fed to."""
    if feed is not None and type(feed) is not dict:
        return
    given = list(feed or ())
    placeholders = {id(each): each for each in default_graph().placeholders if not each.__dict__.get("_has_default")}
    if not placeholders or not all(isinstance(key, Tensor) for key in given):
        return
    trace = [entry for entry in TRACE.peek() or [] if entry[0].__name__ not in _STATIC]
    fed = {id(key): key for key in given}
    needed = [tensor for at in _behind(wanted, trace, fed) for tensor in tensors(trace[at][1:3])]
    for tensor in (*wanted, *needed):
        if id(tensor) in placeholders and id(tensor) not in fed:
            fault = ArgumentFault(
                f"run: what is fetched depends on the placeholder {tensor.name}, but nothing is fed to it",
                FaultCode.MISSING_ARGUMENT,
            )
            session.current().report(fault)
            raise fault


_STATIC = frozenset("shape shape_n rank size zeros_like ones_like stop_gradient_shape".split())
"""Functions whose result TensorFlow may know without the numbers of their arguments."""


def _fed(feed: Any) -> dict[int, Any]:
    """Return what is fed in the place of which tensor; what does not fit is a fault."""
    if not isinstance(feed, dict):
        return {}
    found: dict[int, Any] = {}
    for key, value in feed.items():
        if not isinstance(key, Tensor) or isinstance(value, Unknown):
            continue
        try:
            _compare(key, value)
            given = convert(value)
        except (Undecidable, KeyError):
            continue
        except Fault as fault:
            session.current().report(fault)
            raise
        except (TypeError, ValueError):
            continue
        found[id(key)] = new(given._shape, key._dtype)
    return found


def _compare(key: Any, value: Any) -> None:
    """Raise where a value can't be fed to a placeholder: a tensor, text for numbers, another shape."""
    if isinstance(value, Tensor):
        raise TypeFault(
            f"feed_dict: {key.name} is fed a tensor; numbers, lists and arrays can be fed", FaultCode.WRONG_TYPE
        )
    given = convert(value)
    if given._dtype == "string" and key._dtype not in ("string", UNTOLD):
        raise ArgumentFault(f"feed_dict: {key.name} holds {key._dtype}, but text is fed", FaultCode.WRONG_TYPE)
    if isinstance(key._shape, Unknown) or isinstance(given._shape, Unknown):
        return
    fits = len(given._shape) == len(key._shape) and all(
        equal(a, b) is not False for a, b in zip(given._shape, key._shape) if isinstance(b, int)
    )
    if not fits:
        raise Fault(
            f"feed_dict: {key.name} has shape {text(key._shape)}, but a value of shape {text(given._shape)} is fed",
            FaultCode.SHAPE_MISMATCH,
        )


def _followed(wanted: list[Tensor], fed: dict[int, Any]) -> dict[int, Any]:
    """Call again what leads from what is fed to what is wanted; return the new tensors by the old ones."""
    here = session.current()
    trace = TRACE.peek()
    if not trace or not wanted:
        return fed
    known = _FOLLOWED.get()
    key = (tuple(map(id, wanted)), tuple((at, str(made._shape)) for at, made in fed.items()), len(trace))
    if key in known:
        found: dict[int, Any] = known[key]
        return found
    needed = _behind(wanted, trace, fed)
    values = known[key] = dict(fed)
    outside, here.recording = here.recording, False
    TRACE.set(None)
    try:
        for at in sorted(needed):
            call, args, kwargs, made, place = trace[at]
            if any(id(tensor) in values for tensor in tensors((args, kwargs))):
                try:
                    again = call(*_replaced(args, values), **_replaced(kwargs, values))
                except Fault as fault:
                    here.explain(fault, "this is what does not fit", place)
                    raise
                values.update((id(old), fresh) for old, fresh in zip(tensors(made), tensors(again)))
    finally:
        here.recording = outside
        TRACE.set(trace)
    losses = default_graph().losses
    look([trace[at] for at in sorted(needed)], values, any(id(tensor) in losses for tensor in wanted))
    return values


def _behind(wanted: list[Tensor], trace: list[Any], fed: dict[int, Any]) -> set[int]:
    """Return the calls whose results are needed, as far as what is fed does not replace them."""
    makers = {id(tensor): at for at, entry in enumerate(trace) for tensor in tensors(entry[3])}
    needed: set[int] = set()
    waiting = [tensor for tensor in wanted if id(tensor) not in fed]
    while waiting:
        at = makers.get(id(waiting.pop()))
        if at is not None and at not in needed:
            needed.add(at)
            waiting.extend(t for t in tensors(trace[at][1:3]) if id(t) not in fed and not isinstance(t, Variable))
    return needed


def _replaced(value: Any, values: dict[int, Any]) -> Any:
    if isinstance(value, Tensor):
        return values.get(id(value), value)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_replaced(item, values) for item in value)
    return {key: _replaced(item, values) for key, item in value.items()} if type(value) is dict else value


def evaluate(self: Any, feed_dict: Any = None, session: Any = None) -> Any:
    """`tensor.eval(...)`: run in the default session."""
    return run(self, feed_dict)


Tensor.eval = evaluate  # type: ignore[attr-defined]
Tensor.run = evaluate  # type: ignore[attr-defined]
