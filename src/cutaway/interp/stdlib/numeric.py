"""Modules that compute with numbers and iterators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown, derived_unknown
from cutaway.interp.boundary.attributes import get_attribute
from cutaway.interp.boundary.call import call
from cutaway.interp.boundary.operators import BINARY, COMPARE, IN_PLACE, contains
from cutaway.interp.run.budget import BITS, ELEMENTS
from cutaway.interp.run.iteration import counted, in_order, is_iterable
from cutaway.interp.stdlib.allow_list import public_names
from cutaway.interp.stdlib.builtins import propagate_unknown
from cutaway.interp.stdlib.modules import stdlib_module


@stdlib_module("math")
def _math() -> dict[str, Any]:
    table = public_names("math")
    table.update({n: propagate_unknown(f) for n, f in table.items() if callable(f)})
    table.update({name: _returning_float(table[name]) for name in _FLOATS if name in table})
    for name in ("factorial", "comb", "perm"):
        table[name] = _limit_arguments(name, table[name])
    prod = table["prod"]

    def product(items: Any, *, start: Any = 1) -> Any:
        if type(items) is Unknown:
            return derived_unknown(items)
        values = list(counted(items))
        if all(isinstance(v, (int, float)) for v in values) and len(values) < 64:
            return prod(values, start=start)
        for value in values:
            start = BINARY["Mult"](start, value)
            if type(start) is Unknown:
                break
        return start

    def limited(name: str) -> Callable[..., Any]:
        function = table[name]

        def call(*numbers: Any) -> Any:
            if sum(n.bit_length() for n in numbers if isinstance(n, int)) > BITS:
                return session.current().unknown(f"math.{name}() of numbers that large is not computed")
            return function(*numbers)

        return call

    def rounding(name: str) -> Callable[[Any], Any]:
        function = table[name]

        def call(x: Any) -> Any:
            if type(x) is Unknown and x.ratio is not None:
                return getattr(x, f"__{name}__")()
            return x if isinstance(x, Dim) else function(x)

        return call

    table.update(
        lcm=limited("lcm"),
        gcd=limited("gcd"),
        prod=product,
        floor=rounding("floor"),
        ceil=rounding("ceil"),
        trunc=rounding("trunc"),
    )
    return table


_FLOATS = (
    "acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh degrees erf erfc exp exp2 expm1 fabs fmod fsum gamma "
    "hypot ldexp lgamma log log10 log1p log2 nextafter pow radians remainder sin sinh sqrt tan tanh ulp"
).split()
"""The functions that return a float, whatever they are called with."""


def _returning_float(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        result = function(*args)
        is_open = type(result) is Unknown and result.draw is None
        return Unknown(result.reason, result.place, kind=float) if is_open else result

    return call


def _limit_arguments(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        if any(isinstance(a, int) and a > 1000 for a in args):
            return session.current().unknown(f"math.{name}() of a large number is not computed")
        return function(*args)

    return call


@stdlib_module("itertools")
def _itertools() -> dict[str, Any]:
    import itertools

    table = public_names("itertools")
    for name in ("count", "repeat"):
        table[name] = lambda *args, _make=getattr(itertools, name), **kwargs: iter(counted(_make(*args, **kwargs)))
    for name in "cycle product permutations combinations combinations_with_replacement".split():
        table[name] = _pooling(getattr(itertools, name))

    def tee(items: Any, n: Any = 2) -> Any:
        if isinstance(n, int) and n > _MAX_COPIES:
            return session.current().unknown(f"{n} copies of an iterator are not created")
        return itertools.tee(in_order(items), n)

    return {**table, "tee": tee}


_MAX_COPIES = 10_000


def _pooling(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return an iterator that first collects the items of its arguments."""

    def iterate(*args: Any, **kwargs: Any) -> Any:
        pools = [list(counted(value)) if is_iterable(value) else value for value in args]
        repeat = kwargs.get("repeat", 1)
        size = sum(len(pool) for pool in pools if type(pool) is list)
        if isinstance(repeat, int) and size * repeat > ELEMENTS:
            return session.current().unknown(f"itertools.{make.__name__}() of that many items is not computed")
        return iter(counted(make(*pools, **kwargs)))

    return iterate


@stdlib_module("operator")
def _operator() -> dict[str, Any]:
    import operator

    table = public_names("operator")
    functions = """add=Add sub=Sub mul=Mult truediv=Div floordiv=FloorDiv mod=Mod pow=Pow lshift=LShift rshift=RShift or_=BitOr
    xor=BitXor and_=BitAnd matmul=MatMult concat=Add"""
    for pair in functions.split():
        name, _, kind = pair.partition("=")
        table[name] = BINARY[kind]
        table[f"i{name.rstrip('_')}"] = IN_PLACE[kind]
    for name, kind in (("eq", "Eq"), ("ne", "NotEq"), ("lt", "Lt"), ("le", "LtE"), ("gt", "Gt"), ("ge", "GtE")):
        table[name] = COMPARE[kind]
    for name in ("countOf", "indexOf"):
        search = getattr(operator, name)
        table[name] = lambda items, item, _search=search: _search(counted(items), item)
    table["contains"] = lambda container, item: contains(item, container)

    def attrgetter(*names: str) -> Callable[[Any], Any]:
        def read(value: Any, path: str) -> Any:
            for part in path.split("."):
                value = get_attribute(value, part)
            return value

        return lambda value: read(value, names[0]) if len(names) == 1 else tuple(read(value, p) for p in names)

    def methodcaller(name: str, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        return lambda value: call(get_attribute(value, name), list(args), dict(kwargs))

    table["call"] = lambda function, /, *args, **kwargs: call(function, list(args), kwargs)
    table.update(attrgetter=attrgetter, methodcaller=methodcaller, itemgetter=operator.itemgetter)
    return table
