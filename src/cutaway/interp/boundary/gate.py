"""The gate: which values of the host enter the target's world.

Attributes, results of calls, items, and arguments of callbacks all pass `admit`. It allows instead of refusing: a value is
admitted if it belongs to the target, to a modelled library, or to a type of the table in `natives.py`; a function of the
host only if the table names it. Everything else is seen as an unknown.
"""

from __future__ import annotations

import abc
import copy
import functools
import re
import sys
import types
import typing
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from cutaway.core import nesting, session
from cutaway.core.admission import ADDRESS, CHECKS, HELD, Check, admit, is_deaf
from cutaway.core.nesting import NESTING, bounded
from cutaway.core.unknown import Unknown
from cutaway.interp.boundary import natives
from cutaway.interp.run.frame import Pending
from cutaway.interp.run.function import WRAPPER
from cutaway.interp.run.origin import Operation, note_own
from cutaway.knowledge.base import registry

__all__ = [
    "CHECKS",
    "admit",
    "forget",
    "is_abstract_of_host",
    "is_host_class",
    "is_model",
    "is_writable_kind",
    "may_call",
]

DENIED = frozenset(
    """__globals__ __code__ __closure__ __builtins__ __subclasses__ __loader__ __spec__ __reduce__ __reduce_ex__
    __forward_code__ __forward_value__ __annotate__ __annotate_func__ gi_frame gi_code gi_yieldfrom cr_frame cr_code
    cr_origin cr_await ag_frame ag_code ag_await f_globals f_locals f_builtins f_back f_code f_trace tb_frame tb_next
    co_code co_consts __array_interface__ __array_struct__ __cutaway__ __getstate__ __setstate__ __slotnames__
    _abc_impl""".split()
)
"""Attributes that are never read from an object of the host."""

_HEAP_TYPE, _IMMUTABLE_TYPE = 1 << 9, 1 << 8


def is_instance(value: Any, kind: Any) -> bool:
    """`isinstance` by the real class: reading `__class__` would run a `__getattribute__` of the target."""
    return issubclass(type(value), kind)


def is_host_class(cls: Any) -> bool:
    """Tell whether a class belongs to the host: the module that it names contains it, or a row of ours is made of it.

    A class of the target may name any module, so that alone says nothing.
    """
    if not is_instance(cls, type):
        return False
    if not cls.__flags__ & _HEAP_TYPE or cls.__flags__ & _IMMUTABLE_TYPE:
        return True
    module = sys.modules.get(type_attribute(cls, "__module__"))
    if module is None:
        return False
    member: Any = module
    for part in type_attribute(cls, "__qualname__").split("."):
        member = getattr(member, part, None)
    if member is cls:
        return True
    # A class may be known under another name, or only as the base of one, as those of named tuples are.
    others = (each for each in list(vars(module).values()) if is_instance(each, type))
    if any(cls is base for each in others for base in type.__getattribute__(each, "__mro__")):
        return True
    # A row that is named after a library is none, whether the library itself is loaded or not.
    return registry.is_row_class(cls) and not registry.models(module.__name__)


def is_abstract_of_host(cls: Any) -> bool:
    """Tell whether a class is an abstract one of the host that says something of other classes, or derives from one."""
    if not is_instance(cls, abc.ABCMeta):
        return False
    return any(
        is_instance(base, abc.ABCMeta) and is_host_class(base) and base is not abc.ABC and not is_model(base)
        for base in type.__getattribute__(cls, "__mro__")
    )


def is_model(cls: type) -> bool:
    """Tell whether a class is one of Cutaway's own."""
    return is_host_class(cls) and type_attribute(cls, "__module__").startswith("cutaway.")


def type_attribute(cls: type, name: str) -> str:
    """Return an attribute of a class as its own namespace has it, without asking its metaclass."""
    value = type.__getattribute__(cls, name)
    return str.__str__(value) if is_instance(value, str) else ""


def full_name(cls: type) -> str:
    """Return the name of a class of the host with its module."""
    return f"{type_attribute(cls, '__module__')}.{type_attribute(cls, '__qualname__')}"


def hidden(value: Any) -> Unknown:
    """Record that a value is not available to the target."""
    return session.current().unknown(f"a {type(value).__name__} of the host is not available to the analysed code")


def _denied(owner: str, name: str) -> Unknown:
    return Unknown(f"{owner}.{name} is not available to the analysed code", session.current().place())


# Classes.

_OWN = (
    "cutaway.knowledge.",
    "cutaway.core.",
    "cutaway.interp.stdlib.",
    "cutaway.interp.boundary.",
    "cutaway.interp.symbolic.",
    "cutaway.interp.modules.registries",
)
_OWN_CLASSES = frozenset(
    "cutaway.interp.modules.module.SourceModule cutaway.interp.run.frame.Pending cutaway.interp.run.gradual.Gradual".split()
)
_INTERNAL = ("cutaway.core.session.", "cutaway.core.context.", "cutaway.core.disk.", "cutaway.core.program_state.")


def _is_visible_class(cls: type) -> bool:
    """Tell whether the target may hold a class and its instances."""
    if not is_host_class(cls):
        return registry.is_row_class(cls) or not _is_deceptive(cls)
    if issubclass(cls, BaseException):
        return True
    name = full_name(cls)
    if name.startswith("cutaway."):
        return (name.startswith(_OWN) and not name.startswith(_INTERNAL)) or name in _OWN_CLASSES
    return name in natives.TYPES


_COMPARING = ("__eq__", "__hash__")


def _is_deceptive(cls: type) -> bool:
    """Tell whether a class of the target could be taken for another one, or one of its attributes for another.

    Tables of Cutaway have classes as keys, which a metaclass compares; and a name in a class that is not exactly a
    string is compared by the target. The name of a class's module is read in many places.
    """
    variables = type.__getattribute__(cls, "__dict__")
    if any(type(name) is not str for name in variables) or type(variables.get("__module__", "")) is not str:
        return True
    bases = type.__getattribute__(cls, "__mro__")
    if type not in bases:
        return False
    own = (base for base in bases[: bases.index(type)] if not is_host_class(base))
    return any(name in type.__getattribute__(base, "__dict__") for base in own for name in _COMPARING)


_VISIBLE: dict[type, bool] = {}
"""Classes that were met, and whether the target may hold them."""


def _check_class(cls: Any) -> Any:
    visible = _VISIBLE.get(cls)
    if visible is None:
        _note_held(cls)
        visible = _VISIBLE[cls] = _is_visible_class(cls)
        _disarm(cls)
    return cls if visible else _denied(type_attribute(cls, "__module__"), type_attribute(cls, "__qualname__"))


def _judge(kind: type) -> Check | None:
    """Decide how values of a type enter the target's world."""
    if issubclass(kind, type):
        return _check_class
    if issubclass(kind, types.ModuleType):
        return hidden
    _note_held(kind)
    _disarm(kind)
    return None if _is_visible_class(kind) else hidden


FORBIDDEN_CLASS_ATTRIBUTES = frozenset(("__del__", ADDRESS, "__array_struct__"))
"""Attributes that no class of the target has: the host would call them at any time, or read memory they point to."""
READERS = frozenset(("__getattr__", "__getattribute__"))


class NoAddress:
    """The attribute of classes of the target that numpy meets in place of an address, in `__dict__` of their objects too."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        raise AttributeError(ADDRESS)

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(ADDRESS)


NO_ADDRESS = NoAddress()


def reader(value: Any) -> Any:
    """Return what a class has as `__getattr__` in place of something that is not a function: it is not asked for addresses."""
    if is_instance(value, (types.FunctionType, types.WrapperDescriptorType, Unknown)):
        return value

    def read(self: Any, name: Any) -> Any:
        if name == ADDRESS:
            raise AttributeError(ADDRESS)
        bind = getattr(type(value), "__get__", None)
        return (value if bind is None else bind(value, self, type(self)))(name)

    return read


def _disarm(cls: type) -> None:
    """Take from a class of the target what the host would call or believe; some are made by functions of the host."""
    if is_host_class(cls) or registry.is_row_class(cls):
        return _deafen(cls)
    variables = type.__getattribute__(cls, "__dict__")
    for name in FORBIDDEN_CLASS_ATTRIBUTES:
        if name in variables and variables[name] is not NO_ADDRESS:
            type.__delattr__(cls, name)
    for name in READERS:
        if name in variables and (function := reader(variables[name])) is not variables[name]:
            type.__setattr__(cls, name, function)
    bases = type.__getattribute__(cls, "__mro__")
    if is_abstract_of_host(cls):
        _ANSWERING.append(cls)
    if typing.Protocol in bases and variables.get("_is_protocol") is True:
        return  # it would be one of the names that the protocol asks for
    if type in bases:
        type.__setattr__(cls, "__hash__", type.__hash__)  # whatever a base of it is given later
    elif not is_deaf(cls):
        type.__setattr__(cls, ADDRESS, NO_ADDRESS)
    return None


def _deafen(cls: type) -> None:
    """Give a class of Cutaway's own the attribute, too: the target may set variables of its instances."""
    is_own = type_attribute(cls, "__module__").startswith("cutaway.") or registry.is_shared(cls)
    if is_own and cls.__dictoffset__ and not issubclass(cls, type) and not is_deaf(cls):
        type.__setattr__(cls, ADDRESS, NO_ADDRESS)


_ANSWERING: list[type] = []
"""Classes of the target that the host's abstract classes ask which classes derive from them."""


def _ask_no_longer(cls: type) -> None:
    """Take a class of an analysis that is over out of what abstract classes of the host ask, and keep, of others.

    They ask it as long as it exists, and its own cache answers first.
    """
    for holder in (cls, *type.__getattribute__(type(cls), "__mro__")):
        for name in ("__subclasshook__", "__subclasscheck__", "__instancecheck__"):
            if name in type.__getattribute__(holder, "__dict__") and not is_host_class(holder):
                type.__delattr__(holder, name)
    for base in type.__getattribute__(cls, "__mro__"):
        if is_instance(base, abc.ABCMeta):
            abc.ABCMeta._abc_caches_clear(base)  # type: ignore[attr-defined]
            if not is_host_class(base):
                abc.ABCMeta._abc_registry_clear(base)  # type: ignore[attr-defined]


_NOTED: set[type] = set()


def _note_held(cls: type) -> None:
    """Note the containers of a class that is met for the first time, and of its bases."""
    for base in type.__getattribute__(cls, "__mro__"):
        if base not in _NOTED and base.__flags__ & _HEAP_TYPE and (is_host_class(base) or registry.is_shared(base)):
            _NOTED.add(base)
            for value in list(vars(base).values()):
                hold(value)


def hold(value: Any, depth: int = 1) -> None:
    """Note a container that belongs to the host, with those in it."""
    if type(value) in CONTAINERS:
        HELD[id(value)] = value
        if depth:
            for part in list(value.values() if issubclass(type(value), dict) else value):
                hold(part, depth - 1)


def _check_container(value: Any) -> Any:
    return value if id(value) not in HELD else copy.copy(value)


def forget() -> None:
    """Forget the classes that an analysis has met."""
    for cls in _ANSWERING:
        _ask_no_longer(cls)
    _ANSWERING.clear()
    CHECKS.forget()
    _VISIBLE.clear()
    _METHODS.clear()
    _CALLABLE.clear()
    nesting.forget()


# Functions that are written in Python: the module that they are defined in decides, which nobody can change.

_HOMES: dict[int, str] = {}
"""Namespaces of modules that functions were met of, by their identity: modules are never unloaded."""
_ADMITTED = ""
_REAL_NAMES = {"collections.abc": "_collections_abc"}
_PARTS = {"pathlib._abc": "pathlib", "pathlib._local": "pathlib", "pathlib._os": "pathlib"}
"""Modules that some versions of Python split others into: what they define is in the table under the old name."""


def _home(function: types.FunctionType) -> str:
    names = function.__globals__
    home = _HOMES.get(id(names))
    if home is None:
        name = str(names.get("__name__", ""))
        module = sys.modules.get(_REAL_NAMES.get(name, name))
        if module is None or vars(module) is not names:
            # A named tuple's constructor is compiled in a namespace of its own.
            return name if name.startswith("namedtuple_") else "?"
        home = _HOMES[id(names)] = _ADMITTED if name.startswith(_OWN) else _PARTS.get(name, name)
    return home


def is_own_function(function: types.FunctionType) -> bool:
    """Tell whether a function is one of Cutaway's own."""
    return _home(function) == _ADMITTED


def _check_function(function: Any) -> Any:
    if function.__code__ is WRAPPER:
        return function
    home = _home(function)
    if home == _ADMITTED or home.startswith("namedtuple_"):
        return function if "." not in function.__qualname__ else _for_instances(function)
    if f"{home}.{function.__code__.co_name}" in natives.FUNCTIONS:
        name = function.__qualname__
        if f"{home}.{name}" not in natives.REFUSED:
            return _for_instances(function) if "." in name else function
    return _denied(home, function.__code__.co_name)


def _check_method(method: Any) -> Any:
    function = method.__func__
    if type(method.__self__) in NESTING or type(function) in NESTING:
        bound = bounded(method)
        if type(bound) is Unknown:
            return bound
    if type(function) is types.FunctionType:
        if function.__code__ is WRAPPER or _home(function) == _ADMITTED:
            return method
        if function.__name__ in _INITIALISERS and not _may_initialise(method.__self__):
            return _denied(type(method.__self__).__name__, function.__name__)
        admitted = _check_function(function)
        return admitted if type(admitted) is Unknown else method
    admitted = admit(function)
    return admitted if type(admitted) is Unknown else method


_INITIALISERS = frozenset(("__init__", "__init_subclass__", "__set_name__"))


def _may_initialise(value: Any) -> bool:
    """Tell whether an object may be initialised again: one that the host shares with the target, such as `typing.Any`, not."""
    return not is_host_class(value) if is_instance(value, type) else is_writable_kind(type(value))


_GUARDED: dict[Any, Any] = {}


def _for_instances(function: Any) -> Any:
    """Return a method that was read from its class: it is called with instances of the class only, as those in C are.

    It may set attributes of what it takes for its instance, which must not be an object of the host.
    """
    if "<locals>" in function.__qualname__:
        return function
    guarded = _GUARDED.get(function)
    if guarded is None:
        cls = _class_of(function)
        if cls is None:
            return function
        guarded = _GUARDED[function] = _guarded(function, cls)
    return guarded


def _class_of(function: Any) -> type | None:
    """Return the class of the host that defines a method, None where a function is not a method of one."""
    *path, name = function.__qualname__.split(".")
    owner: Any = sys.modules.get(function.__globals__.get("__name__", ""))
    for part in path:
        owner = vars(owner).get(part) if owner is not None and hasattr(owner, "__dict__") else None
    if not is_instance(owner, type) or vars(owner).get(name) is not function:
        return None
    return owner  # type: ignore[no-any-return]


def _guarded(function: Any, cls: type) -> Any:
    is_initialiser = function.__name__ in _INITIALISERS

    @functools.wraps(function)
    def method(*args: Any, **kwargs: Any) -> Any:
        if not args:
            try:
                return function(**kwargs)
            except TypeError as error:
                note_own(error, Operation.CALL, method, *kwargs.values())
                raise
        if not issubclass(type(args[0]), cls):
            if type(args[0]) is Unknown:
                return function(*args, **kwargs)
            name = f"{cls.__name__}.{function.__name__}"
            return session.current().unknown(f"{name}() is not called on an object of another class")
        if is_initialiser and not _may_initialise(args[0]):
            return session.current().unknown(
                f"{cls.__name__}.{function.__name__}() is not called on an object of the host"
            )
        return function(*args, **kwargs)

    return method


_CALLABLE: dict[type, bool] = {}


def may_call(kind: type) -> bool:
    """Tell whether objects of a class may be called: what a class of the host does then must be in the table."""
    verdict = _CALLABLE.get(kind)
    if verdict is None:
        method = next((vars(cls)["__call__"] for cls in kind.__mro__ if "__call__" in vars(cls)), None)
        is_python = type(method) is types.FunctionType and method.__code__ is not WRAPPER
        verdict = _CALLABLE[kind] = not is_python or type(_check_function(method)) is not Unknown
    return verdict


GUARD = _guarded(admit, object).__code__
"""The code of every method that is called on instances of its class only."""


# Functions and methods that are written in C.


def _check_builtin(function: Any) -> Any:
    owner, name = function.__self__, function.__name__
    kind = type(owner)
    if kind in NESTING:
        bound = bounded(function)
        if type(bound) is Unknown:
            return bound
    allowed = _METHODS.get(kind)
    if allowed is None:
        allowed = _methods_of(kind)
    if name in allowed:
        if kind is _CACHED and not _is_of_target(owner.__wrapped__):
            return _denied("a cache of the host", name)
        if kind in registry.ARRAYS or hasattr(kind, "__array_finalize__"):
            return _array_method(function)
        return function
    if kind is types.ModuleType:
        home = owner.__name__
        return function if f"{home}.{name}" in natives.FUNCTIONS else _denied(home, name)
    if issubclass(kind, type):
        return function if name in natives.CLASS_METHODS else _denied(owner.__name__, name)
    return _denied(kind.__name__, name)


_CACHED: Any = functools._lru_cache_wrapper


def _is_of_target(function: Any) -> bool:
    return type(function) is types.FunctionType and function.__code__ is WRAPPER


def _array_method(function: Any) -> Any:
    from cutaway.knowledge.numpy.call import method  # late: numpy is imported only if a target needs it

    return method(function)


_METHODS: dict[type, frozenset[str]] = {}
"""The methods in C of each type that was met, as far as they are in the table."""


def _methods_of(kind: type) -> frozenset[str]:
    names: set[str] = set()
    if not issubclass(kind, type) and kind is not types.ModuleType:
        names.update(natives.PROTOCOL)
        for cls in kind.__mro__:
            if is_host_class(cls):
                names.update(natives.METHODS.get(full_name(cls), ()))
    _METHODS[kind] = methods = frozenset(names)
    return methods


def _check_descriptor(value: Any) -> Any:
    """A method or attribute in C that is read from its class."""
    cls, name = value.__objclass__, value.__name__
    if not is_host_class(cls):
        return value
    if not _is_visible_class(cls) or name in DENIED:
        return _denied(cls.__name__, name)
    if cls in _INTERNAL_TYPES:
        return _denied(cls.__name__, name)
    if type(value) in _DATA:
        return value
    if name in natives.PROTOCOL or name in natives.METHODS.get(full_name(cls), ()):
        return value
    return _denied(cls.__name__, name)


_DATA = frozenset((types.GetSetDescriptorType, types.MemberDescriptorType))
_SETTERS = frozenset(("__set__", "__delete__"))
_INTERNAL_TYPES = frozenset(
    (types.GetSetDescriptorType, types.MemberDescriptorType, types.CodeType, types.FrameType, types.TracebackType,
     types.ModuleType, types.CellType)
)  # fmt: skip


def _check_bound_slot(value: Any) -> Any:
    """An operator of an object by its name, such as `x.__add__`."""
    owner = value.__self__
    if type(owner) in NESTING:
        bound = bounded(value)
        if type(bound) is Unknown:
            return bound
    sets_host = value.__name__ in _SETTERS and type(owner) in _DATA and is_host_class(owner.__objclass__)
    if value.__name__ not in natives.PROTOCOL or sets_host:
        return _denied(type(owner).__name__, value.__name__)
    return _array_method(value) if type(value.__self__) in registry.ARRAYS else value


# Other values.


def _check_dict(value: dict[str, Any]) -> Any:
    """A dict: one with an import specification is the namespace of a module of the host."""
    if id(value) in HELD:
        return dict(value)
    return hidden(value) if "__spec__" in value and "__loader__" in value and "__builtins__" in value else value


def _check_partial(value: Any) -> Any:
    inner = admit(value.func)
    return inner if type(inner) is Unknown and type(value.func) is not Unknown else bounded(value)


def _untraced(_value: Any) -> Unknown:
    """A traceback: the target sees that there is one."""
    return Unknown("where an exception was raised is not available to the analysed code", session.current().place())


def _resolve(value: Pending) -> Any:
    return value.resolve()


_RULES: dict[type, Callable[[Any], Any]] = {
    **dict.fromkeys((property, staticmethod, classmethod, types.GenericAlias, types.UnionType), bounded),
    Pending: _resolve,
    types.ModuleType: hidden,
    types.FrameType: hidden,
    types.CodeType: hidden,
    types.CellType: hidden,
    types.TracebackType: _untraced,
    types.FunctionType: _check_function,
    types.MethodType: _check_method,
    types.BuiltinFunctionType: _check_builtin,
    type(re.compile("").fullmatch): _check_builtin,  # a method in C that knows its class has a type of its own
    types.GetSetDescriptorType: _check_descriptor,
    types.MemberDescriptorType: _check_descriptor,
    types.WrapperDescriptorType: _check_descriptor,
    types.MethodDescriptorType: _check_descriptor,
    types.ClassMethodDescriptorType: _check_descriptor,
    types.MethodWrapperType: _check_bound_slot,
    functools.partial: _check_partial,
    dict: _check_dict,
    type: _check_class,
}
CONTAINERS = frozenset((list, dict, set, bytearray, OrderedDict, defaultdict, deque))
CHECKS.update(dict.fromkeys(CONTAINERS, _check_container))
CHECKS.update(_RULES)
CHECKS.update(dict.fromkeys((int, float, bool, str, bytes, tuple, frozenset, type(None), Unknown)))
CHECKS.judge = _judge


def is_writable_kind(kind: type) -> bool:
    """Tell whether the target may set attributes of instances of a class: of its own classes, and of a few of the host."""
    if not is_host_class(kind) or issubclass(kind, BaseException):
        return True
    name = full_name(kind)
    if name.startswith("cutaway."):
        return _is_visible_class(kind)
    return name in natives.WRITABLE or name.startswith("argparse.")
