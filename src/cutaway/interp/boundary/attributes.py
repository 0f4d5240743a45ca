"""What the target may reach: the attributes of host objects, read, written and deleted.

The target computes with host objects, and a few of their attributes would lead out of its world: a
function's globals, a frame, a module, the real `builtins`. Names that always do are refused as they
are read; a few more are read by a way of their own; and no module, frame or code object comes out of
any read. The host's own classes and functions can't be changed.
"""

from __future__ import annotations

import dataclasses
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown, other_than_truth
from cutaway.interp.boundary.code_objects import Activation, described, encloses, set_defaults
from cutaway.interp.boundary.namespace import Namespace, every_name
from cutaway.interp.boundary.operators import beyond
from cutaway.interp.boundary.text_limits import is_wide
from cutaway.interp.run.annotations import function_attribute
from cutaway.interp.run.frame import Pending
from cutaway.interp.run.function import record_of
from cutaway.interp.run.interpreter import interpreter
from cutaway.knowledge.base import registry

DENIED = frozenset(
    """__globals__ __code__ __closure__ __builtins__ __subclasses__ __loader__ __spec__ __reduce__ __reduce_ex__
    __forward_code__ __forward_value__ __annotate__ __annotate_func__ gi_frame gi_code gi_yieldfrom cr_frame cr_code
    cr_origin cr_await ag_frame ag_code ag_await f_globals f_locals f_builtins f_back f_code f_trace tb_frame tb_next
    co_code co_consts __array_interface__ __array_struct__ __cutaway__""".split()
)
_CODE_ATTRIBUTES = frozenset(("co_code", "co_consts"))


def _beyond(name: str) -> Unknown:
    return session.current().unknown(f"the attribute {name} is out of reach of the target")


def _refuse(what: str) -> Callable[..., Any]:
    def call(*_args: Any, **_kwargs: Any) -> Any:
        return session.current().unknown(f"{what} is not called: it would act outside the analysis")

    return call


def _is(value: Any, kind: Any) -> bool:
    """`isinstance` by the real class: asking an object itself would run a `__getattribute__` of the target's."""
    return issubclass(type(value), kind)


def denied_attribute(value: Any, name: str) -> Any:
    """Return what stands for an attribute that the target must not have."""
    if type(value) is Unknown:
        return other_than_truth(value)
    if type(value) is Activation and name in vars(value):
        return vars(value)[name]

    record = record_of(getattr(value, "__func__", value))
    if record is not None:
        if name == "__globals__":
            return visible(record.globals)
        if name == "__code__":
            return described(record)
        if name == "__closure__" and not encloses(record):
            return None
    if name in _CODE_ATTRIBUTES and isinstance(value, types.SimpleNamespace):
        return _beyond(name)
    if name in ("__loader__", "__spec__"):
        return None
    return _beyond(name)


def visible(namespace: dict[str, Any]) -> Any:
    """Return the namespace of a module of the target as the target sees it."""
    state = namespace.get("__cutaway__")
    return namespace if state is None else Namespace(state)


def get_attribute(value: Any, name: Any) -> Any:
    """Return `value.name` for a target, which may have chosen the name at run time."""
    if type(name) is not str:
        if not _is(name, str):
            raise TypeError("attribute name must be string")
        name = str.__str__(name)
    if type(value) is Unknown:
        return other_than_truth(value)
    if name in DENIED:
        return denied_attribute(value, name)
    if type(value) is Unknown:
        return other_than_truth(value)
    special = SPECIAL.get(name)
    found = getattr(value, name)
    return admit(found) if special is None else special(value, name, found)


def admit(found: Any) -> Any:
    """Return an object of the host as the target may have it."""
    check = CHECKED.get(type(found))
    return found if check is None else check(found)


# What is not let through as it is, by its type. Every read of an attribute and every result of a
# host function is looked up here, so the table is small and asks for nothing but the type.


def _out_of_reach(found: Any) -> Any:
    return session.current().unknown(f"a {type(found).__name__} of the host is out of reach of the target")


_INNOCENT = frozenset((list, dict, str, tuple, set, int, float, bytes, type, types.SimpleNamespace))
_PURE_HOMES = frozenset(
    """math cmath itertools _operator _functools _collections _bisect _heapq _struct _random _statistics zlib binascii
    unicodedata array _csv _json _weakref _sre _hashlib _md5 _sha1 _sha2 _sha256 _sha512 _sha3 _blake2""".split()
)


def _native_function(found: Any) -> Any:
    owner = found.__self__
    if type(owner) in _INNOCENT:
        return found
    if _is(owner, types.ModuleType):
        return found if owner.__name__ in _PURE_HOMES else _out_of_reach(found)
    if hasattr(type(owner), "__array_finalize__") or hasattr(type(owner), "__array_wrap__"):
        from cutaway.knowledge.numpy.call import method

        return method(found)
    return found


_INTERNAL = frozenset(
    (type, types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.GeneratorType, types.CoroutineType,
     types.AsyncGeneratorType, types.CodeType, types.FrameType, types.TracebackType, types.ModuleType, types.CellType,
     BaseException, dataclasses.Field)
)  # fmt: skip
_ACCESSORS = frozenset(
    "__getattribute__ __getattr__ __setattr__ __delattr__ __subclasses__ __reduce__ __reduce_ex__".split()
)
_REFUSED_METHODS = frozenset("tofile dump dumps resize setflags ctypes fromfile __setstate__".split())


def _descriptor(found: Any) -> Any:
    """A member of a class as it stands in the class: those of the interpreter's own types would read anything."""
    if found.__objclass__ in _INTERNAL or found.__name__ in DENIED:
        return _beyond(found.__name__)
    return found


def _slot(found: Any) -> Any:
    name = found.__name__
    if name in _ACCESSORS:
        return _beyond(name)
    if name in _REFUSED_METHODS:
        return _refuse(found.__qualname__)
    return found


def _bound_slot(found: Any) -> Any:
    """An operator of an object by its name, such as `x.__add__`."""
    if type(found.__self__) in registry.ARRAYS:
        from cutaway.knowledge.numpy.call import method

        return method(found)
    return found


def _namespace(found: dict[str, Any]) -> Any:
    """A dict: the namespace of a module of the host is one that has an import specification."""
    return _out_of_reach(found) if "__spec__" in found and "__loader__" in found and "__builtins__" in found else found


CHECKED: dict[type, Callable[[Any], Any]] = {
    Pending: lambda found: found.resolve(),
    types.ModuleType: _out_of_reach,
    types.FrameType: _out_of_reach,
    types.CodeType: _out_of_reach,
    types.TracebackType: lambda found: None,
    types.BuiltinFunctionType: _native_function,
    types.GetSetDescriptorType: _descriptor,
    types.MemberDescriptorType: _descriptor,
    types.WrapperDescriptorType: _slot,
    types.MethodDescriptorType: _slot,
    types.ClassMethodDescriptorType: _slot,
    types.MethodWrapperType: _bound_slot,
    dict: _namespace,
}


# Attributes that are read by a way of their own: each function gets the object, the name and what was found.


def _dict(value: Any, name: str, found: Any) -> Any:
    """`__dict__`: of a host's class a copy without what is out of reach; of a host's function a copy."""
    if type(found) is dict and "__cutaway__" in found:
        return every_name(value)
    if type(value) is registry.KnownModule:
        return {key: getattr(value, key) for key in dir(value)}
    if _is(value, type) and is_host_class(value):
        kept = {}
        for key, item in dict(found).items():
            if key in DENIED or type(item) in _UNSEEN or key in _ACCESSORS:
                continue
            kept[key] = SPECIAL[key](value, key, item) if key in SPECIAL else item
        return types.MappingProxyType(kept)
    if _is(value, types.FunctionType) and not is_targets(value):
        return dict(found)
    return found


_UNSEEN = (types.GetSetDescriptorType, types.MemberDescriptorType, types.ModuleType)


def variables_of(value: Any) -> Any:
    """`vars(value)`."""
    return _dict(value, "__dict__", vars(value))


def _reader(value: Any, name: str, found: Any) -> Any:
    """`__getattribute__` and `__getattr__`: what they return is checked like any attribute."""
    if is_targets(found):
        return found

    def read(*args: Any) -> Any:
        *owner, wanted = args
        if not _is(wanted, str):
            raise TypeError("attribute name must be string")
        wanted = str.__str__(wanted)
        holder = owner[0] if owner else getattr(found, "__self__", value)
        if wanted in ("__reduce__", "__reduce_ex__") and not is_host_class(type(holder)):
            return found(*owner, wanted)  # how a plain object of the target is copied
        if wanted in DENIED:
            return denied_attribute(holder, wanted)
        special = SPECIAL.get(wanted)
        got = found(*owner, wanted)
        return admit(got) if special is None else special(holder, wanted, got)

    return read


def _writer(value: Any, name: str, found: Any) -> Any:
    """`__setattr__` and `__delattr__`: the host's own objects stay as they are."""
    if is_targets(found):
        return found
    count = 2 if name == "__setattr__" else 1

    def write(*args: Any) -> Any:
        owner, rest = args[: len(args) - count], args[len(args) - count :]
        if not rest or not _is(rest[0], str):
            return None
        wanted = str.__str__(rest[0])
        if _may_change(owner[0] if owner else getattr(found, "__self__", value), wanted):
            return found(*owner, wanted, *rest[1:])
        return None

    return write


def _function_part(value: Any, name: str, found: Any) -> Any:
    """`__defaults__`, `__kwdefaults__`, `__annotations__`: the target's own, or a copy of the host's."""
    function = getattr(value, "__func__", value)
    if not _is(function, types.FunctionType):
        return dict(found) if _is(found, dict) and is_host_class(value) else admit(found)
    record = record_of(function)
    if record is not None:
        return found or function_attribute(record, name)
    if found is None:
        return None
    return dict(found) if name == "__annotations__" else _beyond(name)


def _traceback(value: Any, name: str, found: Any) -> Any:
    return None if _is(value, BaseException) else admit(found)


def _class(value: Any, name: str, found: Any) -> Any:
    return value if type(value) is Unknown else found


def _register(value: Any, name: str, found: Any) -> Any:
    """`register` of an abstract class: those of the host stay as they are."""
    import abc

    if getattr(found, "__func__", found) is not abc.ABCMeta.register:
        return admit(found)

    def register(*args: Any) -> Any:
        cls = args[0] if len(args) == 2 else found.__self__
        if is_host_class(cls):
            session.current().unknown(f"{cls.__qualname__} is the host's own class: it is not changed")
            return args[-1]
        return found(*args)

    return register


def _method(value: Any, name: str, found: Any) -> Any:
    """Methods of host objects that write to disk or hand out memory."""
    if type(found) in (types.BuiltinFunctionType, types.MethodDescriptorType, types.GetSetDescriptorType):
        return _refuse(name)
    if name == "ctypes" and type(found).__module__.startswith("numpy"):
        return _beyond(name)
    return admit(found)


def _acting(value: Any, name: str, found: Any) -> Any:
    """Methods of host classes that evaluate text or reach into modules of the host."""
    function = getattr(found, "__func__", found)
    if _is(function, types.FunctionType) and not is_targets(function):
        if function.__module__ in ("typing", "enum", "annotationlib", "inspect", "functools", "typing_extensions"):
            return _refuse(name)
    return admit(found)


_OPERATORS = {
    "__add__": "Add", "__iadd__": "Add", "__radd__": "Add", "__mul__": "Mult", "__imul__": "Mult", "__rmul__": "Mult",
    "__pow__": "Pow", "__rpow__": "Pow", "__lshift__": "LShift", "__rlshift__": "LShift", "__mod__": "Mod",
    "__rmod__": "Mod", "__floordiv__": "FloorDiv", "__rfloordiv__": "FloorDiv", "__divmod__": "FloorDiv",
}  # fmt: skip


def _operator(value: Any, name: str, found: Any) -> Any:
    """An operator called by its name, under the limits that it has as an operator."""
    if type(found) not in (types.MethodWrapperType, types.WrapperDescriptorType) or type(value) in registry.ARRAYS:
        return admit(found)

    def operate(*args: Any) -> Any:
        operands = (found.__self__, *args) if type(found) is types.MethodWrapperType else args
        if len(operands) >= 2:
            left, right = reversed(operands[:2]) if name.startswith("__r") else operands[:2]
            too_large = beyond(_OPERATORS[name], left, right)
            if too_large is not None:
                return too_large
        return found(*args)

    return operate


def _layout(value: Any, name: str, found: Any) -> Any:
    """`__format__` and `__round__`, called with a width that the target chose."""
    if is_targets(found) or not callable(found):
        return admit(found)

    def lay_out(*args: Any) -> Any:
        if args and is_wide(str(args[-1])):
            return session.current().unknown(f"{name} of that size is not computed")
        return found(*args)

    return lay_out


def _members(value: Any, name: str, found: Any) -> Any:
    """The tables of an enumeration: those of the host's are copies."""
    return type(found)(found) if _is(found, (dict, list)) and is_host_class(value) else found


Special = Callable[[Any, str, Any], Any]
"""Gets an object, the name of an attribute and its value, and returns the value that the target sees."""

SPECIAL: dict[str, Special] = {
    "__dict__": _dict,
    "__class__": _class,
    "__getattribute__": _reader,
    "__getattr__": _reader,
    "__setattr__": _writer,
    "__delattr__": _writer,
    "__defaults__": _function_part,
    "__kwdefaults__": _function_part,
    "__annotations__": _function_part,
    "__traceback__": _traceback,
    "register": _register,
    "__format__": _layout,
    "__round__": _layout,
    **dict.fromkeys(_OPERATORS, _operator),
    **dict.fromkeys(_REFUSED_METHODS, _method),
    **dict.fromkeys(("_evaluate", "evaluate", "_convert_", "_convert", "from_callable"), _acting),
    **dict.fromkeys(("_member_map_", "_value2member_map_", "_member_names_"), _members),
}

GUARDED = {*DENIED, *SPECIAL}
"""Names that are read by `get_attribute`; of all others only what is found is checked."""


def read_specially(*names: str) -> Callable[[Special], Special]:
    """Have attributes of these names read by the decorated function."""

    def enter(read: Special) -> Special:
        SPECIAL.update(dict.fromkeys(names, read))
        GUARDED.update(names)
        return read

    return enter


# Changes.

_STRUCTURE = frozenset(
    "__bases__ __name__ __qualname__ __module__ __class__ __dict__ __abstractmethods__ __defaults__ __kwdefaults__ "
    "__annotations__ __type_params__ __new__ __getattribute__ __subclasshook__ __instancecheck__".split()
)


def is_targets(value: Any) -> bool:
    """Tell whether a function or a bound method is the target's own."""
    return record_of(getattr(value, "__func__", value)) is not None


def is_host_class(cls: Any) -> bool:
    """Tell whether a class is the host's: it is found in the module that it names."""
    if not _is(cls, type):
        return False
    if not cls.__flags__ & _HEAP:
        return True
    home = sys.modules.get(_raw(cls, "__module__"))
    if home is None:
        return False
    if home.__name__.startswith("cutaway."):
        return True
    found: Any = home
    for part in _raw(cls, "__qualname__").split("."):
        found = getattr(found, part, None)
    return found is cls


_HEAP = 1 << 9


def _raw(cls: type, name: str) -> str:
    value = type.__getattribute__(cls, name)
    return value if _is(value, str) else ""


_OURS: set[type] = set()


def hide(*classes: type) -> None:
    """Keep objects of the interpreter's own classes from the target, and from being changed by it."""
    for cls in classes:
        _OURS.add(cls)
        CHECKED[cls] = _out_of_reach


def _may_change(owner: Any, name: str) -> bool:
    """Tell whether the target may set or delete an attribute; what it changes in a modelled library is undone."""
    if name in DENIED or name in UNWANTED:
        return False
    kind = type(owner)
    if kind is Unknown:
        return False
    if registry.is_shared(owner):
        if name not in _STRUCTURE:
            session.current().change(owner, name)
            return True
    elif _is(owner, type):
        if not is_host_class(owner):
            return True
    elif kind is types.FunctionType:
        if is_targets(owner):
            return True
    elif kind is not dataclasses.Field and kind not in _OURS and not registry.is_constant(owner):
        return True
    if name == "__doc__":
        return False  # nothing hangs on a text that explains
    title = getattr(owner, "__qualname__", None) or getattr(owner, "__name__", kind.__name__)
    session.current().unknown(f"{title}.{name} is the host's own: it is not changed")
    return False


def class_namespace(given: dict[str, Any]) -> dict[str, Any]:
    """Return the namespace of a class that is made by a call, as the class of the module that calls."""
    home = interpreter().stack[-1].globals.get("__name__", "") if interpreter().stack else ""
    return {"__module__": home, **{name: value for name, value in given.items() if name not in UNWANTED}}


UNWANTED = frozenset(("__del__", "__array_interface__", "__array_struct__"))
"""What no class of the target has: the host would call it at times of its own, or read memory where it points."""


_DEFAULTS = ("__defaults__", "__kwdefaults__")


def set_attribute(owner: Any, name: Any, value: Any) -> None:
    """`owner.name = value`, unless `owner` is the host's own."""
    if type(name) is not str:
        if type(name) is Unknown:
            return blur(owner, name)
        name = str.__str__(name)
    if _may_change(owner, name):
        if name in _DEFAULTS and is_targets(owner):
            return set_defaults(owner, name, value)
        setattr(owner, name, value)


def delete_attribute(owner: Any, name: Any) -> None:
    """`del owner.name`, unless `owner` is the host's own."""
    if type(name) is not str:
        if type(name) is Unknown:
            return blur(owner, name)
        name = str.__str__(name)
    if _may_change(owner, name):
        delattr(owner, name)


def blur(owner: Any, unknown: Unknown, names: Iterable[str] | None = None) -> None:
    """Make attributes of an object of the target unknown, all of them where it is not known which have changed."""
    if hasattr(type(owner), "mark_incomplete"):
        owner.mark_incomplete(unknown)
        return
    variables = owner.__dict__ if is_instance_of_targets(owner) else None
    if type(variables) is dict:
        for name in list(variables) if names is None else names:
            variables[name] = unknown


def is_instance_of_targets(value: Any) -> bool:
    """Tell whether a value is an object of one of the target's own classes."""
    kind = type(value)
    return bool(kind.__flags__ & _HEAP) and not is_host_class(kind) and "__dict__" in dir(kind)
