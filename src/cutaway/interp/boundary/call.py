"""Calls of values of the target."""

from __future__ import annotations

import enum
import types
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from inspect import Parameter
from typing import Any

from cutaway.core import session
from cutaway.core.admission import ADDRESS, CHECKS, admit
from cutaway.core.nesting import NESTING, bounded
from cutaway.core.open_sizes import is_open, is_open_string, unknown_of
from cutaway.core.protocols import is_module, is_module_class
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import MoreItems, Undecidable, Unknown, assumed, derived_unknown
from cutaway.interp.boundary.attributes import class_namespace
from cutaway.interp.boundary.gate import is_host_class, is_model, is_own_function, may_call
from cutaway.interp.boundary.host_calls import ITERATING, call_native, unknown_or_raise
from cutaway.interp.boundary.joining import any_number_of_times
from cutaway.interp.boundary.losing import lose_contents, lose_parts
from cutaway.interp.boundary.string_limits import without_traces
from cutaway.interp.run.budget import build
from cutaway.interp.run.choice import drawn
from cutaway.interp.run.frame import Frame
from cutaway.interp.run.function import WRAPPER, invoke, record_of
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.iteration import counted, in_order
from cutaway.interp.run.origin import Operation, note, note_own
from cutaway.interp.run.truth import settled
from cutaway.knowledge.base.registry import CONSTRUCTORS, DEVICE_TYPES, is_shared
from cutaway.syntax import resolve

CONVERSIONS: dict[Any, Callable[..., Any]] = {}
"""What is called in place of a built-in type, whose argument may be unknown or symbolic."""


PYTHON_FUNCTIONS: dict[int, str] = {}
"""The names of built-in functions that compute something, by the identity of what the target sees in their place."""


SLOTS: dict[str, Callable[[Any, Callable[[], Any]], Any]] = {}
"""Special methods in C whose results differ from run to run: takes the object and what the method returns."""


_FunctionType, _MethodType, _BuiltinType = types.FunctionType, types.MethodType, types.BuiltinMethodType

_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
PRESUMES = "__cutaway_presumes__"
"""The attribute of a class that has what is presumed where it is called."""

_LONG = 1 << 10


def call(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a value of the target; interpreted functions are entered directly, and empty the list of arguments."""
    kind = type(function)
    if kind is _FunctionType:
        if function.__code__ is WRAPPER:
            return invoke(function.__closure__[0].cell_contents, args, kwargs)  # type: ignore[index]
    elif kind is _MethodType:
        inner = function.__func__
        if type(inner) is _FunctionType and inner.__code__ is WRAPPER:
            args.insert(0, function.__self__)
            return invoke(inner.__closure__[0].cell_contents, args, kwargs)  # type: ignore[index]
    elif kind is Unknown:
        chosen = drawn(function)
        return _call_unknown(chosen, args, kwargs) if type(chosen) is Unknown else call(chosen, args, kwargs)
    if function is not bool:
        for at, argument in enumerate(args):
            if type(argument) is Unknown and (argument.usual is not None or argument.kind is bool):
                args[at] = argument_for(function, argument)
        for name, argument in kwargs.items():
            if type(argument) is Unknown and (argument.usual is not None or argument.kind is bool):
                kwargs[name] = argument_for(function, argument)
    if kind is _BuiltinType:
        result = admit(call_native(function, args, kwargs))
        if type(result) is Unknown:
            _call_back(function, args, kwargs, result)
        return without_traces(result) if type(result) is str else result
    elif kind is type:
        if function in CONVERSIONS:
            if args and not kwargs:
                return _call_conversion(function, args)
        elif function in CONSTRUCTORS:
            return CONSTRUCTORS[function](*args, **kwargs)
    return _call_directly(function, args, kwargs)


def _checks_itself(function: Any) -> bool:
    """Tell whether what is raised anywhere inside of a call is about its arguments: of built-in functions, and of layers."""
    return id(function) in PYTHON_FUNCTIONS or (is_module_class(function) and is_shared(function))


def argument_for(function: Any, argument: Unknown) -> Any:
    """Return what a class, or a function of the host, is called with for something that has a usual value.

    A library computes the same on every device, so the name of one is no assumption there. A flag that is unknown is
    decided before a library gets it.
    """
    usual = argument.usual
    if usual is None:
        holds = settled(argument) if is_of_library(function) else None
        return argument if holds is None else holds
    if usual is not None and usual.placement and (type(usual.value) is str or type(usual.value) in DEVICE_TYPES):
        if isinstance(function, type) and (
            function in DEVICE_TYPES or not (is_of_library(function) or is_host_class(function))
        ):
            return argument
        if is_of_library(function):
            return usual.value
    return assumed(argument)


def is_of_library(function: Any) -> bool:
    """Tell whether something that is called is a model of a library."""
    if isinstance(function, types.MethodType):
        function = function.__func__
    if isinstance(function, types.FunctionType):
        return is_own_function(function)
    cls = function if isinstance(function, type) else type(function)
    return is_model(cls) or is_shared(cls)


def _call_unknown(function: Unknown, args: list[Any], kwargs: dict[str, Any]) -> Unknown:
    interpreter().unknown_calls += 1
    return function(*args, **kwargs)


def _call_conversion(kind: Any, args: list[Any]) -> Any:
    """Call a built-in type; an undecided number is unknown."""
    try:
        result = CONVERSIONS[kind](*args)
        if type(result) is Unknown:
            _call_back(kind, args, {}, result)
            return _as_number(result, kind)
        return bounded(result, args) if kind in NESTING else result
    except Undecidable as undecidable:
        if kind not in NUMBER_TYPES:
            _call_back(kind, args, {}, undecidable.unknown)
            raise
        return _as_number(undecidable.unknown, kind)
    except (TypeError, ValueError) as error:
        note(error, Operation.CALL, kind, *args)
        raise


def _as_number(unknown: Unknown, kind: type) -> Unknown:
    """Return an unknown that is converted to a number: it is one of that type."""
    if kind not in (int, float) or unknown.kind is not None or unknown.draw is not None:
        return unknown
    return Unknown(unknown.reason, unknown.place, kind=kind, term=unknown.term)


def _call_slot(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a method in C of an object that is read from its class, or a special one that is read from the object."""
    name = function.__name__
    if type(function) is types.MethodWrapperType:
        owner = function.__self__
    else:
        owner = args[0] if args else None
        own = getattr(type(owner), name, None)
        if type(own) is _FunctionType and type(owner) is not Unknown and is_model(type(owner)):
            return _call_directly(
                own, args, kwargs
            )  # a model of a built-in container, which its base can't see through
    if type(function) is types.MethodDescriptorType and isinstance(owner, function.__objclass__):
        return call_native(function.__get__(owner), list(args[1:]), kwargs)
    if name not in SLOTS or type(owner) is Unknown:
        return _call_host(function, args, kwargs)
    return SLOTS[name](owner, lambda: _call_host(function, args, kwargs))


def _call_directly(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a class, a function of the knowledge base, or a callable object."""
    if isinstance(function, type):
        if (note := getattr(function, PRESUMES, None)) is not None:
            session.current().presume(note.text, note.place)
        if len(args) == 3 and isinstance(args[2], dict) and _makes_classes(function):
            args = [*args[:2], class_namespace(args[2])]
    kind = type(function)
    if kind in _SLOT_TYPES:
        return _call_slot(function, args, kwargs)
    if issubclass(kind, staticmethod):  # one that was never initialised would end the process
        return call(admit(staticmethod.__dict__["__func__"].__get__(function)), args, kwargs)
    if issubclass(kind, _ALIASES) and getattr(function, "_inst", True):
        return _call_alias(function, args, kwargs)
    if id(function) in ITERATING:
        args = list(map(in_order, args))
    if getattr(function, "__module__", None) == "re" and any(type(one) is str and is_open_string(one) for one in args):
        return unknown_of(args)
    if not may_call(kind):
        return Unknown(f"calling a {type(function).__name__} is not supported", session.current().place())
    return _call_host(function, args, kwargs)


_ALIASES = (types.GenericAlias, type(list[int]))


def _call_alias(alias: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call what an alias, such as `Own[int]`, stands for, and note the alias on an object of the target's only."""
    result = call(admit(alias.__origin__), args, kwargs)
    if type(result) is not Unknown and not is_host_class(type(result)) and not isinstance(result, type):
        with suppress(AttributeError):
            result.__orig_class__ = alias
    return result


def _makes_classes(cls: type) -> bool:
    """Tell whether calling a class makes one, by the constructor in C of `type`."""
    bases = type.__getattribute__(cls, "__mro__")
    constructors = (base for base in bases if "__new__" in type.__getattribute__(base, "__dict__"))
    return type in bases and next(constructors) is type


def _call_host(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if kwargs:
        kwargs.pop(ADDRESS, None)
    try:
        result = function(*args, **kwargs)
    except Undecidable as undecidable:
        owner = getattr(function, "__self__", None)
        _call_back(function, args, kwargs, undecidable.unknown)
        if type(undecidable) is MoreItems and _is_of_host(function):
            return undecidable.unknown  # it has seen all items that are known, and changes nothing itself
        if undecidable.container is not None:
            lose_contents(undecidable.container, undecidable.unknown)
        elif is_module(owner) and not session.current().modules:
            lose_parts(owner, undecidable.unknown)
        elif not isinstance(function, type):
            raise
        return undecidable.unknown  # an object whose construction, or whose change, could not be followed
    except MemoryError:
        if not _is_of_host(function):
            raise
        return session.current().unknown("a value does not fit into memory")
    except Exception as error:
        if isinstance(error, TypeError):
            noted = note if _checks_itself(function) else note_own
            noted(error, Operation.CALL, function, *args, *kwargs.values())
        if not _is_of_host(function) and not (isinstance(function, enum.EnumMeta) and any(map(is_open, args))):
            raise
        return unknown_or_raise(error, args, kwargs)
    return _checked(result, function, args, kwargs)


def _checked(result: Any, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Return the result of a call of the host as the target gets it."""
    kind = type(result)
    if kind is list and len(result) > _LONG:
        build(len(result))
    elif kind is Unknown and _calls_back(function):
        _call_back(function, args, kwargs, result)
    elif kind is Unknown and result.kind is not None and any(result is argument for argument in args):
        return derived_unknown(result)  # the result for an unknown number need not be a number
    elif kind is str:
        if any(type(each) is Dim for each in (*args, *kwargs.values())) and _is_of_host(function):
            return unknown_of([*args, *kwargs.values()])
        return without_traces(result)
    elif kind in NESTING:
        result = bounded(result, (*args, *kwargs.values()))
    check = CHECKS[type(result)]
    return result if check is None else check(result)


_SLOT_TYPES = frozenset((types.MethodWrapperType, types.WrapperDescriptorType, types.MethodDescriptorType))

_CALLERS = frozenset(
    """map filter sorted min max reduce sort takewhile dropwhile filterfalse starmap accumulate groupby nsmallest nlargest
    merge insort insort_left insort_right bisect bisect_left bisect_right sub subn""".split()
)
"""Functions and methods of the standard library that call a function which they are given."""


def _calls_back(function: Any) -> bool:
    return getattr(function, "__name__", "").removeprefix("builtin_") in _CALLERS and _is_of_host(function)


def _call_back(function: Any, args: list[Any], kwargs: dict[str, Any], unknown: Unknown) -> None:
    """Call the functions of the target that a function of the host calls: how often, and on what, is unknown."""
    stack = interpreter().stack
    if not stack or not _calls_back(function):
        return
    for callback in (*args, *kwargs.values()):
        may_be_called(stack[-1], callback, unknown)


def may_be_called(frame: Frame, function: Any, unknown: Unknown) -> None:
    """Join what a function of the target does, if it is one: how often it is called, and on what, is unknown."""
    if not _is_target_function(function):
        return
    parameters = session.current().signature(function).parameters.values()
    required = [one for one in parameters if one.default is one.empty and one.kind in _POSITIONAL]

    def call_once(_frame: Frame) -> None:
        result = call(function, [derived_unknown(unknown) for _ in required], {})
        if type(result) is types.GeneratorType:
            deque(counted(result), maxlen=0)  # it runs where it is iterated over

    any_number_of_times(frame, call_once, unknown)


def _is_target_function(value: Any) -> bool:
    return type(value) in (_FunctionType, _MethodType) and record_of(getattr(value, "__func__", value)) is not None


def _is_of_host(function: Any) -> bool:
    """Tell whether a callable belongs to the standard library as the target sees it."""
    owner = function if isinstance(function, (type, _FunctionType)) else type(function)
    name = getattr(owner, "__module__", None)
    return isinstance(name, str) and (resolve.is_standard(name) or name.startswith("cutaway.interp."))


NUMBER_TYPES = frozenset((int, float))
