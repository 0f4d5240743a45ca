"""numpy: its pure functions, called on known values; everything random, large or on disk is unknown.

The rows are numpy's own functions behind a check of their arguments, so that there is nothing to
keep in step with numpy. Results stay numpy arrays and numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from cutaway.core import session
from cutaway.core.dim import Dim
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.registry import register

_ELEMENTS = 1 << 22
_ACTING = frozenset(
    """load save savez savez_compressed fromfile memmap loadtxt savetxt genfromtxt fromregex open_memmap lib
    set_printoptions seterr seterrcall setbufsize test show_config info source lookfor frompyfunc vectorize
    get_include byte_bounds getbufsize DataSource deprecate apply_along_axis apply_over_axes
    fromfunction piecewise ctypeslib f2py distutils testing typing random core _core ma polynomial char rec""".split()
)
_MAKERS = frozenset("zeros ones empty full eye identity arange linspace logspace tile repeat kron".split())


def _unknown_in(value: Any) -> Unknown | None:
    if type(value) is Unknown:
        return value
    if isinstance(value, Dim):
        return Unknown(f"numpy is not computed with the symbolic size {value}", session.current().place())
    if isinstance(value, (list, tuple)):
        return next((found for item in value if (found := _unknown_in(item)) is not None), None)
    if hasattr(value, "reference"):
        return Unknown("numpy is not computed with a tensor", session.current().place()) if value.values_ is None else None
    return None


def _plain(value: Any) -> Any:
    """A tensor whose numbers are known counts as the array of them."""
    if hasattr(value, "reference"):
        return value.array()
    if isinstance(value, (list, tuple)) and any(hasattr(item, "reference") for item in value):
        return type(value)(_plain(item) for item in value)
    return value


def pure(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that gives an unknown for unknown arguments and for results that are too large."""

    def call(*args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            found = _unknown_in(value)
            if found is not None:
                return found
        if name in _MAKERS and _size(name, args, kwargs) > _ELEMENTS:
            return session.current().unknown(f"numpy.{name} of so many elements is not computed")
        try:
            with numpy.errstate(all="ignore"):
                return function(*map(_plain, args), **{key: _plain(value) for key, value in kwargs.items()})
        except Undecidable as undecidable:
            if type(undecidable) is not Undecidable:
                raise
            return undecidable.unknown

    call.__name__ = name.rpartition(".")[2]
    call.__module__ = "numpy"
    return call


def _size(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> float:
    if name in ("linspace", "logspace"):
        return float(args[2] if len(args) > 2 else kwargs.get("num", 50))
    if name == "arange":
        numbers = [float(a) for a in args]
        if len(numbers) == 1:
            return numbers[0]
        step = numbers[2] if len(numbers) > 2 else float(kwargs.get("step", 1))
        return abs((numbers[1] - numbers[0]) / step) if len(numbers) > 1 and step else 0.0
    size = 1.0
    for value in (*args[:2], *kwargs.values()):
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, (int, numpy.integer)):
                size *= max(1, int(item))
            elif isinstance(item, numpy.ndarray):
                size *= max(1, item.size)
    return size


def _random(name: str) -> Callable[..., Unknown]:
    return lambda *_args, **_kwargs: Unknown(f"numpy.random.{name} is random", session.current().place())


def _register_namespace(prefix: str, module: Any) -> None:
    for name in dir(module):
        if name.startswith("_") or name in _ACTING:
            continue
        value = getattr(module, name)
        if isinstance(value, type(numpy)):
            continue
        if isinstance(value, type) or not callable(value):
            register(f"{prefix}.{name}", value)
        else:
            register(f"{prefix}.{name}", pure(f"{prefix}.{name}".partition(".")[2], value))


_register_namespace("numpy", numpy)
_register_namespace("numpy.linalg", numpy.linalg)
_register_namespace("numpy.fft", numpy.fft)
register("numpy.__version__", numpy.__version__)
for _name in """rand randn randint random uniform normal choice shuffle permutation random_sample beta gamma binomial
poisson RandomState default_rng Generator standard_normal exponential""".split():
    register(f"numpy.random.{_name}", _random(_name))
register("numpy.random.seed", lambda *_args: None)
