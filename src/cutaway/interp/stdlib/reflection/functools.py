"""Functions of `functools` that would otherwise read or evaluate more than the target may."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown, derived_unknown
from cutaway.interp.boundary.attributes import get_attribute, set_attribute
from cutaway.interp.boundary.gate import is_host_class
from cutaway.interp.run.frame import Frame
from cutaway.interp.run.function import record_of
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
            session.current().suppose(f"the {name} of a wrapper does not matter: {value.reason}")
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


def singledispatch(function: Any) -> Any:
    """`functools.singledispatch`; an annotation that is a string is not evaluated."""
    registry: dict[Any, Any] = {object: function}

    def dispatch(cls: Any) -> Any:
        for kind in getattr(cls, "__mro__", (cls, object)):
            if kind in registry:
                return registry[kind]
        return next((f for kind, f in registry.items() if issubclass(cls, kind)), function)

    def register(cls: Any, func: Any = None) -> Any:
        if func is None and isinstance(cls, type):
            return lambda f: register(cls, f)
        if func is None:
            cls, func = _first_annotation(cls), cls
        if isinstance(cls, type):
            registry[cls] = func
        else:
            session.current().unknown("a function is registered for an unknown class")
        return func

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not args:
            raise TypeError("a generic function requires at least 1 positional argument")
        return args[0] if type(args[0]) is Unknown else dispatch(type(args[0]))(*args, **kwargs)

    wrapper.register, wrapper.dispatch = register, dispatch  # type: ignore[attr-defined]
    return copy_name(wrapper, function)


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
