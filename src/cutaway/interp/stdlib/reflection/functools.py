"""Functions of `functools` that would otherwise read or evaluate more than the target may."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown, derived_unknown
from cutaway.interp.boundary.attributes import get_attribute, set_attribute
from cutaway.interp.boundary.gate import is_host_class
from cutaway.interp.boundary.joining import either_value
from cutaway.interp.run.frame import Frame
from cutaway.interp.run.function import record_of
from cutaway.interp.run.heap import Possible
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.memory.contents import Results
from cutaway.syntax.scope import Scope

_ASSIGNED = functools.WRAPPER_ASSIGNMENTS
_UPDATED = functools.WRAPPER_UPDATES


def update_wrapper(wrapper: Any, wrapped: Any, assigned: Any = _ASSIGNED, updated: Any = _UPDATED) -> Any:
    """`functools.update_wrapper`."""
    if type(wrapper) is Unknown or type(wrapped) is Unknown:
        return derived_unknown(wrapper)
    for name in assigned:
        if name == "__annotations__" and _annotate(wrapper, wrapped):
            continue
        try:
            value = get_attribute(wrapped, name)
        except AttributeError:
            continue
        if type(value) is Unknown and name in ("__name__", "__qualname__"):
            session.current().suppose(f"nothing depends on the {name} that a wrapper copies: {value.reason}")
        else:
            set_attribute(wrapper, name, value)
    for name in updated:
        try:
            value = get_attribute(wrapped, name)
        except AttributeError:
            continue
        if type(value) is not Unknown:
            get_attribute(wrapper, name).update(value)
    set_attribute(wrapper, "__wrapped__", wrapped)
    return wrapper


def _annotate(wrapper: Any, wrapped: Any) -> bool:
    """Give a function the annotations of another one without evaluating them."""
    wrapper_record, wrapped_record = record_of(wrapper), record_of(wrapped)
    if wrapper_record is None or wrapped_record is None or wrapped.__annotations__:
        return False
    wrapper.__annotations__ = {}
    wrapper_record.annotations_from = wrapped_record.annotations_from or wrapped_record
    return True


def wraps(wrapped: Any, assigned: Any = _ASSIGNED, updated: Any = _UPDATED) -> Callable[[Any], Any]:
    """`functools.wraps`."""
    return lambda wrapper: update_wrapper(wrapper, wrapped, assigned, updated)


def total_ordering(cls: Any) -> Any:
    """`functools.total_ordering`, for classes of the target only."""
    return cls if type(cls) is Unknown or is_host_class(cls) else functools.total_ordering(cls)


class singledispatch:
    """`functools.singledispatch`; an annotation that is a string is not evaluated."""

    def __init__(self, func: Any) -> None:
        self.registry: dict[Any, Any] = {object: func}
        copy_name(self, func)

    def dispatch(self, cls: Any) -> Any:
        """Return the function that is registered for a class, or for the nearest of its bases."""
        for kind in getattr(cls, "__mro__", (cls, object)):
            if kind in self.registry:
                return self.registry[kind]
        return next((f for kind, f in self.registry.items() if issubclass(cls, kind)), self.registry[object])

    def register(self, cls: Any, func: Any = None) -> Any:
        """Register a function for a class, or for the class that its first argument is annotated with."""
        if func is None and isinstance(cls, type):
            return lambda f: self.register(cls, f)
        if func is None:
            cls, func = _first_annotation(cls), cls
        if isinstance(cls, type):
            self.registry[cls] = func
        else:
            session.current().unknown("a function is registered for an unknown class")
        return func

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not args:
            raise TypeError("a generic function requires at least 1 positional argument")
        return args[0] if type(args[0]) is Unknown else self.dispatch(type(args[0]))(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)


class _CachedFunction:
    """A function with a cache of its results, which can be seen: what a branch or a run has cached is undone with it."""

    def __init__(self, function: Any, maxsize: int | None, typed: bool) -> None:
        self._results: Any = Results()
        self._parameters = {"maxsize": maxsize, "typed": typed}
        self._hits = self._misses = 0
        copy_name(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        function, most, results = self.__wrapped__, self._parameters["maxsize"], self._results  # type: ignore[attr-defined]
        if type(results) is Unknown:
            return results
        key: Any = (args, tuple(kwargs.items()))
        if self._parameters["typed"]:
            key = (*key, tuple(map(type, args)), tuple(map(type, kwargs.values())))
        if key in results:
            value = results.pop(key)
            if type(value) is Possible:
                cached, frame = value, interpreter().stack[-1]
                value = either_value(
                    frame, lambda _frame: cached.value, lambda _frame: function(*args, **kwargs), cached.unknown
                )
            self._hits += 1
        else:
            value = function(*args, **kwargs)
            self._misses += 1
            if most is not None and len(results) >= most > 0:
                del results[next(iter(results))]
        if most != 0:
            results[key] = value
        return value

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def cache_clear(self) -> None:
        """Forget all results."""
        self._results.clear()
        self._hits = self._misses = 0

    def cache_info(self) -> Any:
        """Return how often there was a result, and how many there are."""
        return functools._CacheInfo(self._hits, self._misses, self._parameters["maxsize"], len(self._results))

    def cache_parameters(self) -> dict[str, Any]:
        """Return the arguments of `lru_cache`."""
        return dict(self._parameters)


def lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:
    """`functools.lru_cache`."""
    if callable(maxsize):
        return _CachedFunction(maxsize, 128, typed)
    return lambda function: _CachedFunction(function, None if maxsize is None else max(maxsize, 0), typed)


def cache(user_function: Any) -> Any:
    """`functools.cache`."""
    return _CachedFunction(user_function, None, False)


def copy_name(wrapper: Any, wrapped: Any) -> Any:
    """Give a wrapper of the interpreter the name of the function that it wraps."""
    for name in ("__name__", "__qualname__", "__doc__"):
        value = getattr(wrapped, name, None)
        if isinstance(value, str):
            setattr(wrapper, name, value)
    wrapper.__wrapped__ = wrapped
    return wrapper


def _first_annotation(function: Any) -> Any:
    """Return the class that the first argument of an interpreted function is annotated with."""
    record = record_of(function)
    if record is None:
        return None
    arguments = record.code.node.args
    annotations = [a.annotation for a in (*arguments.posonlyargs, *arguments.args) if a.annotation is not None]
    if not annotations:
        return None
    frame = Frame({}, record.globals, record.code.file, None, None)
    scope = Scope("module", None, set(), {})
    return record.code.compiler.expression(annotations[0], scope, record.code.file)(frame)


class singledispatchmethod:
    """`functools.singledispatchmethod`."""

    def __init__(self, func: Any) -> None:
        self.dispatcher = singledispatch(func)
        self.func = func

    def register(self, cls: Any, method: Any = None) -> Any:
        """Register a function for a class."""
        return self.dispatcher.register(cls, method)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        def method(*args: Any, **kwargs: Any) -> Any:
            if args and type(args[0]) is Unknown:
                return args[0]
            chosen = self.dispatcher.dispatch(type(args[0]))
            return chosen.__get__(instance, owner)(*args, **kwargs)

        return method
