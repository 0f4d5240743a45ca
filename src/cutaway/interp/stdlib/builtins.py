"""Built-in names as the target sees them."""

from __future__ import annotations

import builtins
import functools
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any

from cutaway.core import session
from cutaway.core.admission import ADDRESS, admit
from cutaway.core.condition import SOMETHING
from cutaway.core.open_sizes import is_open_string, unknown_of, why_not_distinct
from cutaway.core.protocols import is_tensor
from cutaway.core.size.dim import Dim, fraction, maximum, minimum
from cutaway.core.unknown import Opaque, Undecidable, Unknown, derived_unknown
from cutaway.interp.boundary.attributes import (
    class_namespace,
    delete_attribute,
    get_attribute,
    set_attribute,
    variables_of,
)
from cutaway.interp.boundary.call import CONVERSIONS, PYTHON_FUNCTIONS, SLOTS
from cutaway.interp.boundary.gate import DENIED, is_model
from cutaway.interp.boundary.host_calls import check_codec
from cutaway.interp.boundary.namespace import FunctionNamespace, Namespace, module_namespace
from cutaway.interp.boundary.operators import BINARY, as_index, power, too_large_result
from cutaway.interp.boundary.string_limits import size_in_string, text_of
from cutaway.interp.modules import loader
from cutaway.interp.modules.module import SourceModule
from cutaway.interp.run.budget import BITS, ELEMENTS, build, tick
from cutaway.interp.run.function import record_of
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.iteration import counted, has_random_order, in_order
from cutaway.interp.run.origin import Operation, note
from cutaway.interp.run.raising import caught, may_raise_anyway
from cutaway.interp.run.truth import converted, truth
from cutaway.interp.stdlib.evaluation import builtin_eval, builtin_exec
from cutaway.interp.stdlib.filesystem import streams
from cutaway.interp.stdlib.formatting import format_template
from cutaway.interp.stdlib.identity import differing, hash_of, identity_of
from cutaway.interp.stdlib.modules import ModuleType, NativeModule
from cutaway.interp.stdlib.ranges import LongRange, Range
from cutaway.interp.symbolic.builtins import OF_SERIES
from cutaway.interp.symbolic.symbolic_loop import series_of
from cutaway.knowledge.base.registry import CONSTRUCTORS, KnownModule, is_shared, own
from cutaway.syntax import resolve

CALLS_AS_LIBRARY = True  # functions of the target are called exactly as Python does


def propagate_unknown(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a host function that returns an unknown for unknown arguments."""

    def call(*args: Any, **kwargs: Any) -> Any:
        for argument in args:
            if type(argument) is Unknown:
                return derived_unknown(argument)
        try:
            return function(*args, **kwargs)
        except Undecidable as undecidable:
            return undecidable.unknown

    call.__name__ = getattr(function, "__name__", "call")
    return call


Range.__name__ = Range.__qualname__ = "range"
Range.__module__ = "builtins"
own(Range)


def builtin_getattr(*args: Any) -> Any:
    """`getattr`."""
    value, name = args[0], args[1]
    if type(value) is Unknown or type(name) is Unknown:
        if type(value) is Unknown and type(name) is str and len(args) == 2:
            return getattr(value, name, value)
        return derived_unknown(value if type(value) is Unknown else name)
    if len(args) == 2:
        return get_attribute(value, name)
    try:
        with caught():
            return get_attribute(value, name)
    except AttributeError:
        return args[2]


def builtin_hasattr(value: Any, name: Any) -> Any:
    """`hasattr`; unknown if the name is missing from the model of a library."""
    if type(value) is Unknown or type(name) is Unknown:
        return derived_unknown(value if type(value) is Unknown else name)
    try:
        with caught():
            attribute = get_attribute(value, name)
            if type(attribute) is Unknown and name in DENIED:
                getattr(value, name)  # it is not shown where there is one, nor where there is none
    except AttributeError:
        return False
    if isinstance(attribute, Unknown) and isinstance(value, (KnownModule, NativeModule)):
        return derived_unknown(attribute)
    return True


def _flatten_classes(kind: Any) -> Iterator[Any]:
    if isinstance(kind, tuple):
        for item in kind:
            yield from _flatten_classes(item)
    elif isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        for item in typing.get_args(kind):
            yield from _flatten_classes(item)
    else:
        yield kind


def builtin_isinstance(value: Any, kinds: Any) -> Any:
    """`isinstance`; a symbolic size is an `int`."""
    if isinstance(kinds, type) and type(value) is not Unknown and type(value) is not Dim:
        return isinstance(value, kinds)
    unknown: Unknown | None = value if type(value) is Unknown else None
    for kind in _flatten_classes(kinds):
        if type(kind) is Unknown:
            unknown = kind if unknown is None else unknown
        elif type(value) is Unknown:
            if kind is object:
                return True
        elif isinstance(value, Dim):
            if kind is Dim or (isinstance(kind, type) and issubclass(int, kind)):
                return True
        elif isinstance(value, kind):
            return True
    return unknown if unknown is not None else False


def builtin_issubclass(cls: Any, kinds: Any) -> Any:
    """`issubclass`."""
    if type(cls) is Unknown:
        return derived_unknown(cls)
    known_classes = [kind for kind in _flatten_classes(kinds) if type(kind) is not Unknown]
    if issubclass(cls, tuple(known_classes)):
        return True
    unknown = next((kind for kind in _flatten_classes(kinds) if type(kind) is Unknown), None)
    return False if unknown is None else unknown


def _max_or_min(pick: Callable[[Any, Any], Any], native: Callable[..., Any]) -> Callable[..., Any]:
    """`max` and `min`, over symbolic sizes too."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if any(type(a) is Unknown for a in args):
            return next(a for a in args if type(a) is Unknown)
        items = list(counted(args[0], ordered=bool(kwargs))) if len(args) == 1 else list(args)
        unknown = next((i for i in items if type(i) is Unknown), None)
        if unknown is not None:
            return unknown
        if not kwargs and any(isinstance(i, Dim) for i in items) and all(isinstance(i, (int, Dim)) for i in items):
            result = items[0]
            for item in items[1:]:
                result = pick(result, item)
            return result
        return propagate_unknown(native)(items, **kwargs)

    return call


def builtin_sum(items: Any, start: Any = 0) -> Any:
    """`sum`."""
    if type(items) is Unknown:
        return derived_unknown(items)
    if isinstance(start, (str, bytes, bytearray)):
        return sum((), start)  # type: ignore[arg-type]
    result, add = start, BINARY["Add"]
    values = []
    for item in items:
        tick()
        values.append(item)
    if all(type(item) is float or type(item) is int for item in values) and type(start) in (int, float):
        return sum(values, start)  # rounds less than repeated addition
    for item in values:
        result = add(result, item)
    return result


def builtin_len(value: Any) -> Any:
    """`len`; the length of a tensor may be symbolic."""
    if type(value) is Unknown:
        return derived_unknown(value)
    series = series_of(value)
    if series is not None:
        return series.length
    if type(value) is str and is_open_string(value):
        return unknown_of(value)
    if is_tensor(value):
        shape = value.shape
        if isinstance(shape, Unknown):
            return derived_unknown(shape)
        if shape and isinstance(shape[0], Dim):
            return shape[0]
    return propagate_unknown(len)(value)


def builtin_globals() -> Any:
    """`globals`."""
    namespace = interpreter().stack[-1].globals
    state = namespace.get("__cutaway__")
    return namespace if state is None else Namespace(state)


def builtin_locals() -> Any:
    """`locals`."""
    return {name: value for name, value in interpreter().stack[-1].vars.items() if name != "__cutaway__"}


def builtin_vars(value: Any = None) -> Any:
    """`vars`."""
    if value is None:
        return builtin_locals()
    if isinstance(value, SourceModule):
        return module_namespace(value)
    return value if type(value) is Unknown else variables_of(value)


def builtin_dir(value: Any = None) -> Any:
    """`dir`."""
    if value is None:
        return sorted(interpreter().stack[-1].vars)
    if isinstance(value, SourceModule):
        names = module_namespace(value)
        return sorted(names["__dir__"]() if "__dir__" in names else names)
    if isinstance(value, type) and (is_model(value) or is_shared(value)):
        return Unknown(f"not all names of {value.__name__} are modelled", session.current().place())
    if type(value) is Unknown:
        return value
    has_address = hasattr(type(value), "__array_finalize__")  # as nothing but arrays has
    return [name for name in dir(value) if has_address or name != ADDRESS]


def builtin_import(name: Any, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    """`__import__`."""
    if type(name) is Unknown:
        return derived_unknown(name)
    if level:
        name = resolve.absolute(interpreter().stack[-1].globals.get("__package__") or "", name, level)
    modules = loader.current()
    module = modules.load(name, strict=True)
    modules.evaluate_import(name)
    return modules.load(name if fromlist else name.partition(".")[0]) if not isinstance(module, Unknown) else module


def builtin_open(path: Any, mode: str = "r", *_args: Any, **_kwargs: Any) -> Any:
    """`open`: text files of the project can be read; nothing is written."""
    from cutaway.interp.stdlib.filesystem.open_files import read_text  # late: few programs read files

    return read_text(path, mode)


may_raise_anyway(builtin_open)


def has_effects(name: str) -> Callable[..., Any]:
    """Return a stand-in for a function with effects outside the analysis: a call returns an unknown."""

    def call(*_args: Any, **_kwargs: Any) -> Any:
        session.current().doubts.setdefault("what is not called")
        return session.current().unknown(f"{name}() is not called: it would have an effect outside the analysis")

    call.__name__ = name
    return may_raise_anyway(call)


def depends_on_machine(name: str, raises: bool = False) -> Callable[..., Any]:
    """Return a stand-in for a function whose result depends on the machine: unknown, which matters only if it is used.

    `raises` tells that it may also raise an exception.
    """

    def call(*_args: Any, **_kwargs: Any) -> Any:
        reason = f"{name}() is not called: its result depends on the machine"
        return Unknown(reason, session.current().place(), term=SOMETHING)

    call.__name__ = name
    return may_raise_anyway(call) if raises else call


def builtin_round(number: Any, ndigits: Any = None) -> Any:
    """`round`."""
    if type(number) is Unknown:
        return derived_unknown(number)
    if isinstance(number, Dim) and type(ndigits) is not Unknown:
        return round(number, ndigits)
    if isinstance(number, int) and isinstance(ndigits, int) and ndigits < -BITS:
        return session.current().unknown("a number rounded to that many digits is not computed")
    return round(number) if ndigits is None else propagate_unknown(round)(number, ndigits)


def builtin_next(*args: Any) -> Any:
    """`next`."""
    if type(args[0]) is Unknown:
        return derived_unknown(args[0])
    if len(args) == 1:
        return next(args[0])
    with caught():
        return next(*args)


_COLLECTIONS = frozenset((list, tuple, set, frozenset))
_ITERATING = frozenset((dict, enumerate, zip))


def _conversion(kind: Any) -> Callable[..., Any]:
    def convert(*args: Any) -> Any:
        first = args[0]
        if type(first) is Unknown:
            return converted(kind, first)
        if isinstance(first, Dim):
            if kind is int:
                return first
            if kind is float:
                return fraction(first, 1)
            if kind is str:
                return size_in_string(first)
            return Unknown(f"{kind.__name__}() of the symbolic size {first}")
        if type(first) is str and kind not in (str, bool) and is_open_string(first):
            return unknown_of(first)
        if kind in OF_SERIES:
            result = OF_SERIES[kind](*args)
            if result is not None:
                return result
        try:
            if kind in _COLLECTIONS:
                made = kind(counted(first, ordered=kind is list or kind is tuple), *args[1:])
                unknown = None if kind is list or kind is tuple else why_not_distinct(made)
                return made if unknown is None else unknown
            return kind(*map(in_order, args)) if kind in _ITERATING else kind(*args)
        except Undecidable as undecidable:
            return undecidable.unknown

    return convert


for _kind in (int, float, str, bool, list, tuple, set, frozenset, dict, complex, enumerate, zip, reversed):
    CONVERSIONS[_kind] = _conversion(_kind)


def _with_modelled_constructor(kind: Any) -> Callable[..., Any]:
    """`map`, `filter` and `partial`: a class with a modelled constructor is replaced by that constructor."""

    def make(function: Any, *args: Any, **kwargs: Any) -> Any:
        if type(function) is type and function in CONSTRUCTORS:
            function = CONSTRUCTORS[function]
        if kind is map or kind is filter:
            args = tuple(map(in_order, args))
        if kind is filter and args:
            test = truth if function is None else lambda item: truth(function(item))
            return filter(test, *args)
        return kind(function, *args, **kwargs)

    return make


def _applying(kind: Any) -> Callable[..., Any]:
    """`map` and `filter`: an unknown function is called with what it would be applied to."""
    make = _conversion(_with_modelled_constructor(kind))
    return lambda function, *args: function(*args) if type(function) is Unknown else make(function, *args)


CONVERSIONS[map], CONVERSIONS[filter] = _applying(map), _applying(filter)
CONSTRUCTORS[functools.partial] = _with_modelled_constructor(functools.partial)


class OpaqueSuper:
    """`super()` where a base class is unknown: attributes that the known bases lack may come from it."""

    __slots__ = ("_known", "_reason")

    def __init__(self, known_super: Any, reason: Unknown) -> None:
        self._known, self._reason = known_super, reason

    def __getattribute__(self, name: str) -> Any:
        try:
            return getattr(object.__getattribute__(self, "_known"), name)
        except AttributeError:
            if name.startswith("__"):
                raise
            return object.__getattribute__(self, "_reason")


def builtin_super(*args: Any) -> Any:
    """`super(cls, object)`."""
    try:
        result = super(*args)
    except TypeError as error:
        raise note(error, Operation.CALL, super, *args) from None
    if len(args) == 2 and isinstance(args[0], type) and issubclass(args[0], Opaque):
        return OpaqueSuper(result, args[0]._opaque_reason)
    return result


CONSTRUCTORS[super] = builtin_super


_PLAIN = frozenset((str, int, float, bool, Unknown))


def _decoding(kind: Any) -> Callable[..., Any]:
    """`str`, `bytes` and `bytearray`, which take the name of an encoding."""
    convert = _conversion(kind)

    def make(*args: Any) -> Any:
        if len(args) > 1:
            check_codec(args[1:], {})
        elif kind is str and type(args[0]) not in _PLAIN:
            return text_of(convert, args[0])
        return convert(*args)

    return make


CONVERSIONS[str] = _decoding(str)


def _bytes_conversion(kind: Any) -> Callable[..., Any]:
    def make(*args: Any) -> Any:
        if args and (kind is bytearray or not hasattr(type(args[0]), "__bytes__")):
            args = (as_index(args[0]), *args[1:])
        if args and isinstance(args[0], int) and args[0] > ELEMENTS:
            return session.current().unknown("a byte string would be too large to build")
        if args and isinstance(args[0], int):
            build(args[0])
        return _decoding(kind)(*args)

    return make


CONVERSIONS[bytes], CONVERSIONS[bytearray] = _bytes_conversion(bytes), _bytes_conversion(bytearray)


def _int_conversion(*args: Any) -> Any:
    if isinstance(args[0], (str, bytes, bytearray)) and len(args[0]) > BITS:
        return session.current().unknown("an integer would be too large to build")
    return _conversion(int)(*args)


CONVERSIONS[int] = _int_conversion


def builtin_type(*args: Any) -> Any:
    """`type` with one argument; with three it creates a class."""
    if len(args) == 1:
        kind = type(args[0])
        if kind is types.FunctionType and record_of(args[0]) is None:
            return Unknown("whether a function of a library is written in Python is unknown", session.current().place())
        return args[0] if kind is Unknown else _VISIBLE_TYPES.get(kind, kind)
    if len(args) == 3 and isinstance(args[2], dict):
        args = (*args[:2], class_namespace(args[2]))
    return admit(type(*args))


_VISIBLE_TYPES: dict[type, type] = {
    Dim: int,
    Namespace: dict,
    FunctionNamespace: dict,
    range: Range,
    LongRange: Range,
    **dict.fromkeys((SourceModule, NativeModule, KnownModule), ModuleType),
}
"""The types that the target sees for values of the interpreter's own types."""


CONVERSIONS[type] = builtin_type
SLOTS.update(
    __hash__=lambda value, read: differing(value, read()),
    __iter__=lambda value, read: iter(in_order(value)) if has_random_order(value) else read(),
    **dict.fromkeys(("__repr__", "__str__", "__format__"), lambda value, read: text_of(lambda _value: read(), value)),
)


def builtin_sorted(items: Any, *, key: Any = None, reverse: bool = False) -> Any:
    return (
        items
        if type(items) is Unknown
        else propagate_unknown(sorted)(list(counted(items, ordered=key is not None)), key=key, reverse=reverse)
    )


def _all_or_any(function: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """`all` and `any`."""

    def test(items: Any) -> Any:
        if type(items) is Unknown:
            return derived_unknown(items)
        return propagate_unknown(function)(truth(item) for item in counted(items, ordered=False))

    return test


def builtin_iter(*args: Any) -> Any:
    """`iter`; an iterator that calls a function until it returns a sentinel counts its calls."""
    iterator = propagate_unknown(iter)(in_order(args[0]), *args[1:]) if args else propagate_unknown(iter)()
    return iter(counted(iterator)) if len(args) == 2 and type(iterator) is not Unknown else iterator


def builtin_format(value: Any, style: Any = "") -> Any:
    """`format`."""
    return format_template("{0:{1}}", (value, style), {}) if style else text_of(propagate_unknown(format), value)


def _text_function(function: Callable[[Any], str]) -> Callable[[Any], Any]:
    """`repr` and `ascii`."""
    convert = propagate_unknown(function)

    def text(obj: Any, /) -> Any:
        return text_of(convert, obj)

    text.__name__ = function.__name__
    return text


def builtin_divmod(left: Any, right: Any) -> Any:
    """`divmod`."""
    too_large = too_large_result("FloorDiv", left, right)
    return propagate_unknown(divmod)(left, right) if too_large is None else too_large


def builtin_pow(base: Any, exponent: Any, modulus: Any = None) -> Any:
    """`pow`."""
    if modulus is None:
        return power(base, exponent)
    if any(isinstance(value, int) and value.bit_length() > BITS for value in (base, exponent, modulus)):
        return session.current().unknown("a power of integers that large is not computed")
    return propagate_unknown(pow)(base, exponent, modulus)


_PLAIN_NAMES = """ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
BrokenPipeError BufferError BytesWarning ConnectionError DeprecationWarning EOFError Ellipsis EnvironmentError
Exception ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit
IOError ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError
KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented
NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError
RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration
SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True TypeError UnboundLocalError
UnicodeDecodeError UnicodeEncodeError UnicodeError UserWarning ValueError Warning ZeroDivisionError
bool bytearray bytes classmethod complex dict enumerate filter float frozenset id int list map memoryview object
property reversed set slice staticmethod str super tuple type zip __debug__ __build_class__""".split()

BUILTINS: dict[str, Any] = {name: getattr(builtins, name) for name in _PLAIN_NAMES if hasattr(builtins, name)}
BUILTINS.pop("__build_class__")
for _name in "abs bin callable chr hex oct ord".split():
    BUILTINS[_name] = propagate_unknown(getattr(builtins, _name))
for _name in ("ascii", "repr"):
    BUILTINS[_name] = _text_function(getattr(builtins, _name))
BUILTINS.update(
    id=identity_of,
    hash=hash_of,
    getattr=builtin_getattr,
    hasattr=builtin_hasattr,
    setattr=set_attribute,
    delattr=delete_attribute,
    isinstance=builtin_isinstance,
    issubclass=builtin_issubclass,
    max=_max_or_min(maximum, max),
    min=_max_or_min(minimum, min),
    sum=builtin_sum,
    len=builtin_len,
    range=Range,
    round=builtin_round,
    sorted=builtin_sorted,
    next=builtin_next,
    pow=builtin_pow,
    all=_all_or_any(all),
    any=_all_or_any(any),
    iter=builtin_iter,
    format=builtin_format,
    divmod=builtin_divmod,
    print=streams.write,
    eval=builtin_eval,
    exec=builtin_exec,
    globals=builtin_globals,
    locals=builtin_locals,
    vars=builtin_vars,
    dir=builtin_dir,
    open=builtin_open,
    __import__=builtin_import,
)
NUMBER_FUNCTIONS: dict[int, Callable[[Any], Any]] = {id(BUILTINS["abs"]): abs}
"""Functions of one number that need no size limits, by the identity of the function that the target sees."""
for _name in "isinstance issubclass max min sum len range round sorted all any iter divmod abs".split():
    PYTHON_FUNCTIONS[id(BUILTINS[_name])] = _name
for _name in "compile input breakpoint exit quit".split():
    BUILTINS[_name] = has_effects(_name)
