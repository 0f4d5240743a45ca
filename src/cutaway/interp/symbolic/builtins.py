"""Built-in functions for sequences of symbolic length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core.loop.series import Series, numbers, zipped
from cutaway.core.size.dim import Dim, less
from cutaway.core.unknown import Unknown
from cutaway.interp.symbolic.symbolic_loop import series_of


def symbolic_range(start: Any, stop: Any = None, step: Any = 1) -> Any:
    """Return a `range` of symbolic length; unknown where it may or may not be empty."""
    if stop is None:
        start, stop = 0, start
    sizes = (int, Dim)
    if type(step) is int and step and isinstance(start, sizes) and isinstance(stop, sizes):
        low, high = (start, stop) if step > 0 else (stop, start)
        if less(high, low) is not True:
            return numbers(start, stop, step)
    return Unknown(f"a range of symbolic length {stop}")


def _enumerated(items: Any, start: Any = 0) -> Any:
    series = series_of(items)
    return None if series is None else series.mapped(lambda item, at: (at + start, item))


def _zipped(*sequences: Any) -> Any:
    series_list = [series_of(one) for one in sequences]
    if not any(series is not None for series in series_list):
        return None
    result = zipped([one if series is None else series for one, series in zip(sequences, series_list)])
    return Unknown("sequences of symbolic lengths that may differ") if result is None else result


def _copied(items: Any = ()) -> Any:
    series = series_of(items)
    return None if series is None else Series(series.parts, series.reason)


def _backwards(items: Any) -> Any:
    series = series_of(items)
    return None if series is None else series.backwards()


OF_SERIES: dict[Any, Callable[..., Any]] = {
    enumerate: _enumerated,
    zip: _zipped,
    list: _copied,
    tuple: _copied,
    reversed: _backwards,
}
"""What a built-in type does with an argument of symbolic length; each returns None for other arguments."""
