"""Modules whose results differ from run to run: random numbers, identifiers, clocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.condition import SOMETHING
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.stdlib.modules import do_nothing, stdlib_module


@stdlib_module("random")
def _random() -> dict[str, Any]:
    def draw(name: str) -> Callable[..., Any]:
        kind = int if name in ("randint", "randrange", "getrandbits") else float if name in numbers else None
        return lambda *_args, **_kwargs: Unknown(
            f"random.{name}() is random", session.current().place(), kind=kind, term=SOMETHING
        )

    def unless_single_option(name: str, options: Callable[..., Any]) -> Callable[..., Any]:
        """A choice is not random if there is only one option."""

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                values = options(*args, **kwargs)
                return values[0] if len(values) == 1 else draw(name)()
            except (TypeError, ValueError):
                return draw(name)()

        return call

    def shuffle(items: Any, *_args: Any) -> None:
        raise Undecidable(Unknown("random.shuffle() is random", session.current().place()), items)

    numbers = "random uniform gauss normalvariate betavariate triangular expovariate".split()
    names = """random randint uniform choice choices sample gauss normalvariate randrange betavariate
    getrandbits triangular expovariate""".split()
    chosen = {"randrange": unless_single_option("randrange", range), "randint": unless_single_option("randint", lambda a, b: range(a, b + 1)),
              "choice": unless_single_option("choice", lambda seq: seq)}  # fmt: skip
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
        "date": with_unknown_clock(datetime.date, "today"),
        "datetime": with_unknown_clock(datetime.datetime, "now", "today", "utcnow"),
    }
