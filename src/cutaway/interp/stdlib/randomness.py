"""Modules whose results differ from run to run: random numbers, identifiers, clocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.stdlib.modules import quiet, standard


@standard("random")
def _random() -> dict[str, Any]:
    def draw(name: str) -> Callable[..., Any]:
        kind = int if name in ("randint", "randrange", "getrandbits") else float if name in numbers else None
        return lambda *_args, **_kwargs: Unknown(f"random.{name} is random", session.current().place(), kind=kind)

    def only(name: str, choices: Callable[..., Any]) -> Callable[..., Any]:
        """A choice is not random where there is but one."""

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                found = choices(*args, **kwargs)
                return found[0] if len(found) == 1 else draw(name)()
            except (TypeError, ValueError):
                return draw(name)()

        return call

    def shuffle(items: Any, *_args: Any) -> None:
        raise Undecidable(Unknown("random.shuffle is random", session.current().place()), items)

    numbers = "random uniform gauss normalvariate betavariate triangular expovariate".split()
    names = """random randint uniform choice choices sample gauss normalvariate randrange betavariate
    getrandbits triangular expovariate""".split()
    chosen = {"randrange": only("randrange", range), "randint": only("randint", lambda a, b: range(a, b + 1)),
              "choice": only("choice", lambda seq: seq)}  # fmt: skip
    return {**{n: draw(n) for n in names}, **chosen, "shuffle": shuffle, "seed": quiet, "Random": lambda *_a: Unknown("random.Random is random"),
            "getstate": draw("getstate"), "setstate": quiet}  # fmt: skip


@standard("uuid")
def _uuid() -> dict[str, Any]:
    import uuid

    def draw(*_args: Any, **_kwargs: Any) -> Any:
        return Unknown("an identifier is drawn at random", session.current().place())

    names = "UUID uuid3 uuid5 NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500".split()
    return {**{name: getattr(uuid, name) for name in names}, "uuid1": draw, "uuid4": draw, "getnode": draw}


@standard("time")
def _time() -> dict[str, Any]:
    def clock(*_args: Any) -> Any:
        return Unknown("the time is not known")

    names = "time perf_counter monotonic process_time time_ns perf_counter_ns strftime localtime gmtime ctime".split()
    return {**dict.fromkeys(names, clock), "sleep": quiet}


@standard("datetime")
def _datetime() -> dict[str, Any]:
    import datetime

    def clock(*_args: Any, **_kwargs: Any) -> Any:
        return Unknown("the time is not known", session.current().place())

    def made(cls: type, *asking: str) -> type:
        return type(cls.__name__, (cls,), {"__module__": "datetime", **{name: staticmethod(clock) for name in asking}})

    table = {
        name: getattr(datetime, name) for name in ("timedelta", "timezone", "time", "tzinfo", "MINYEAR", "MAXYEAR")
    }
    return {
        **table,
        "date": made(datetime.date, "today"),
        "datetime": made(datetime.datetime, "now", "today", "utcnow"),
    }
