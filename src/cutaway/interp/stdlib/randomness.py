"""Modules whose results differ from run to run: random numbers, identifiers, clocks."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from cutaway.core import session
from cutaway.core.condition import SOMETHING
from cutaway.core.unknown import Draw, Origin, Undecidable, Unknown
from cutaway.interp.stdlib.modules import do_nothing, stdlib_module

_FEW = 8
_FOLLOWED = (int, float, str, bool, type(None), type, FunctionType)


def _written(value: Any) -> str:
    """Return an argument as a program could write it."""
    name = getattr(value, "__name__", None)
    if isinstance(name, str):
        return name
    if type(value) in (list, tuple):
        return f"[{', '.join(map(_written, value))}]"
    return repr(value) if type(value) in (int, float, str, bool, type(None)) else "..."


@stdlib_module("random")
def _random() -> dict[str, Any]:
    def draw(name: str) -> Callable[..., Any]:
        kind = int if name in ("randint", "randrange", "getrandbits") else float if name in numbers else None
        return lambda *_args, **_kwargs: Unknown(
            f"random.{name}() is random", session.current().place(), kind=kind, term=SOMETHING
        )

    def one_of(name: str, options: Callable[..., Any]) -> Callable[..., Any]:
        """A choice is not random if there is only one option; a few can be followed one by one."""

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                values = options(*args, **kwargs)
                count = len(values)
            except (TypeError, ValueError):
                return draw(name)()
            if count == 1:
                return values[0]
            if not 0 < count <= _FEW or kwargs or not all(type(value) in _FOLLOWED for value in values):
                return draw(name)()
            text, names = f"random.{name}({', '.join(map(_written, args))})", tuple(map(_written, values))
            if len(set(names)) < len(set(values)):
                return draw(name)()
            origin = Origin(text, tuple(values), names)
            kinds = {type(value) for value in values}
            kind = kinds.pop() if len(kinds) == 1 and kinds <= {int, float, bool} else None
            reason, place = f"random.{name}() is random", session.current().place()
            return Unknown(reason, place, kind=kind, term=SOMETHING, draw=Draw(origin, origin.values))

        return call

    def shuffle(items: Any, *_args: Any) -> None:
        raise Undecidable(Unknown("random.shuffle() is random", session.current().place()), items)

    numbers = "random uniform gauss normalvariate betavariate triangular expovariate".split()
    names = """random randint uniform choice choices sample gauss normalvariate randrange betavariate
    getrandbits triangular expovariate""".split()
    chosen = {"randrange": one_of("randrange", range), "randint": one_of("randint", lambda a, b: range(a, b + 1)),
              "choice": one_of("choice", lambda seq: seq)}  # fmt: skip
    return {**{n: draw(n) for n in names}, **chosen, "shuffle": shuffle, "seed": do_nothing, "Random": lambda *_a: Unknown("random.Random() is random"),
            "getstate": draw("getstate"), "setstate": do_nothing}  # fmt: skip


@stdlib_module("uuid")
def _uuid() -> dict[str, Any]:
    import uuid

    def draw(*_args: Any, **_kwargs: Any) -> Any:
        return Unknown("the identifier is random", session.current().place(), term=SOMETHING)

    names = "UUID uuid3 uuid5 NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500".split()
    return {**{name: getattr(uuid, name) for name in names}, "uuid1": draw, "uuid4": draw, "getnode": draw}


@stdlib_module("time")
def _time() -> dict[str, Any]:
    def clock(*_args: Any) -> Any:
        return Unknown("the time is unknown", session.current().place(), term=SOMETHING)

    names = "time perf_counter monotonic process_time time_ns perf_counter_ns strftime localtime gmtime ctime".split()
    return {**dict.fromkeys(names, clock), "sleep": do_nothing}


@stdlib_module("datetime")
def _datetime() -> dict[str, Any]:
    import datetime

    def clock(*_args: Any, **_kwargs: Any) -> Any:
        return Unknown("the time is unknown", session.current().place(), term=SOMETHING)

    def with_unknown_clock(cls: type, *methods: str) -> type:
        return type(cls.__name__, (cls,), {"__module__": "datetime", **{name: staticmethod(clock) for name in methods}})

    table = {
        name: getattr(datetime, name) for name in ("timedelta", "timezone", "time", "tzinfo", "MINYEAR", "MAXYEAR")
    }
    return {
        **table,
        "date": with_unknown_clock(datetime.date, "today", "fromtimestamp"),
        "datetime": with_unknown_clock(datetime.datetime, "now", "today", "utcnow", "fromtimestamp"),
    }
