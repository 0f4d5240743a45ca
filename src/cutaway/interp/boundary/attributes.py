"""Attributes of host objects as the target may read, set and delete them.

The target computes with host objects, and a few of their attributes would give it access to the host:
a function's globals, a frame, a module, the real `builtins`. Names that always do are denied; a few
more are read by special functions; and no read returns a module, a frame or a code object of the host.
Classes and functions of the host can't be modified.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.admission import ADDRESS, admit, is_deaf
from cutaway.core.condition import SOMETHING
from cutaway.core.pattern import pattern
from cutaway.core.protocols import is_module, is_tensor
from cutaway.core.unknown import Undecidable, Unknown, assumed, derived_unknown
from cutaway.interp.boundary.code_objects import FrameView, code_view, may_have_closure, set_defaults
from cutaway.interp.boundary.gate import (
    DENIED,
    FORBIDDEN_CLASS_ATTRIBUTES,
    NO_ADDRESS,
    READERS,
    is_abstract_of_host,
    is_host_class,
    is_instance,
    is_model,
    is_own_function,
    is_writable_kind,
    reader,
)
from cutaway.interp.boundary.losing import lose, lose_parts
from cutaway.interp.boundary.namespace import FunctionNamespace, Namespace, SimpleNamespace, module_namespace
from cutaway.interp.boundary.operators import too_large_result
from cutaway.interp.boundary.string_limits import is_wide
from cutaway.interp.run.annotations import function_attribute
from cutaway.interp.run.function import record_of
from cutaway.interp.run.interpreter import interpreter, is_idle
from cutaway.interp.run.origin import Operation, note
from cutaway.interp.run.truth import is_own
from cutaway.knowledge.base import registry
from cutaway.knowledge.base.attribute import ACCESS
from cutaway.knowledge.base.framework_names import lacks, missing_name

_OURS = "__cutaway"
"""How the names of what Cutaway notes on objects of the target begin."""
_CODE_ATTRIBUTES = frozenset(("co_code", "co_consts"))


def _denied(name: str) -> Unknown:
    return session.current().unknown(f"attribute {name} is not available to the analysed code")


def _refuse(owner: Any, name: str) -> Callable[..., Any]:
    """Return what is called in place of a method that is refused; what it would have made of its object is unknown."""

    def call(*_args: Any, **_kwargs: Any) -> Any:
        reason = f"{name}() is not called: it would have an effect outside the analysis"
        unknown = session.current().unknown(reason)
        if type(owner) in registry.ARRAYS:
            lose([owner], unknown)
        return unknown

    return call


def denied_attribute(value: Any, name: str) -> Any:
    """Return what the target sees in place of an attribute that it is denied."""
    if type(value) is Unknown:
        return derived_unknown(value)
    if type(value) is FrameView and name in vars(value):
        return vars(value)[name]

    record = record_of(getattr(value, "__func__", value))
    if record is not None:
        if name == "__globals__":
            return target_namespace(record.globals)
        if name == "__code__":
            return code_view(record)
        if name == "__closure__" and not may_have_closure(record):
            return None
    if name in _CODE_ATTRIBUTES and isinstance(value, types.SimpleNamespace):
        return _denied(name)
    return _denied(name)


def target_namespace(namespace: dict[str, Any]) -> Any:
    """Return the namespace of a module of the target as the target sees it."""
    state = namespace.get("__cutaway__")
    return namespace if state is None else Namespace(state)


def get_attribute(value: Any, name: Any) -> Any:
    """Return `value.name`; the target may have computed the name at run time."""
    if type(name) is not str:
        if not is_instance(name, str):
            raise TypeError("attribute name must be string")
        name = str.__str__(name)
    value = assumed(value)
    if type(value) is Unknown:
        return derived_unknown(value)
    if name in DENIED:
        return denied_attribute(value, name)
    if name.startswith(_OURS):
        raise AttributeError(f"'{type(value).__name__}' object has no attribute '{name}'", name=name, obj=value)
    special = SPECIAL.get(name)
    try:
        attribute = getattr(value, name)
    except AttributeError as error:
        if error.obj is value and error.name == name:
            note(error, Operation.ATTRIBUTE, value, name)
        raise
    if type(attribute) is Unknown and type(value) is registry.KnownModule:
        check_name(value, name)
    return admit(attribute) if special is None else special(value, name, attribute)


def check_name(owner: registry.KnownModule, name: str) -> None:
    """Raise where the user's own code asks a framework for a name that the modelled version does not have."""
    stack = interpreter().stack
    if stack and is_own(stack[-1]) and lacks(owner.__name__, name):
        error = AttributeError(missing_name(owner.__name__, name), name=name, obj=owner)
        raise note(error, Operation.ATTRIBUTE, owner, name)


_ACCESSORS = frozenset(
    "__getattribute__ __getattr__ __setattr__ __delattr__ __subclasses__ __reduce__ __reduce_ex__".split()
)
_REFUSED_METHODS = frozenset("tofile dump dumps resize setflags ctypes fromfile __setstate__".split())


# Special readers: each gets the owner of an attribute, its name and its value.


def _dict_attribute(owner: Any, name: str, value: Any) -> Any:
    """`__dict__`: for a class of the host, a copy without denied members; for a function of the host, a copy."""
    if type(value) is dict and "__cutaway__" in value:
        return module_namespace(owner)
    if is_instance(owner, BaseException):
        for key in [key for key in value if type(key) is str and key.startswith(_OURS)]:
            del value[key]  # if it is raised again, this is noted again
        return value if is_deaf(type(owner)) else types.MappingProxyType(value)
    if type(owner) is registry.KnownModule:
        return {key: getattr(owner, key) for key in dir(owner)}
    if is_instance(owner, type):
        return _class_dict(owner, value)
    if is_instance(owner, types.FunctionType):
        if is_of_target(owner):
            return FunctionNamespace(value)
        return {key: item for key, item in value.items() if key not in _OF_ROWS}
    is_kept = type(value) is dict and (not is_deaf(type(owner)) or _belongs_to_host(owner))
    return types.MappingProxyType(value) if is_kept else value


def _class_dict(owner: Any, value: Any) -> Any:
    if not is_host_class(owner):
        added = {ADDRESS: NO_ADDRESS, "__hash__": type.__hash__}
        if not any(value.get(name) is item for name, item in added.items()):
            return value
        return types.MappingProxyType({key: item for key, item in dict(value).items() if item is not added.get(key)})
    members = {}
    for key, item in dict(value).items():
        if key in DENIED or type(item) in _HIDDEN_MEMBERS or key in _ACCESSORS:
            continue
        members[key] = SPECIAL[key](owner, key, item) if key in SPECIAL else item
    return types.MappingProxyType(members)


_PARTIAL = frozenset(("_partialmethod", "__partialmethod__"))
_OF_ROWS = frozenset(("__row__", "__wrapped__", "__signature__")) | _PARTIAL
"""Attributes of functions that are Cutaway's, or lead to what it shares with all analyses."""


def _belongs_to_host(owner: Any) -> bool:
    """Tell whether an object may be there for all analyses."""
    kind = type(owner)
    if not is_writable_kind(kind) or registry.is_constant(owner) or kind is functools._lru_cache_wrapper:
        return True
    return is_model(kind) and kind is not SimpleNamespace and not is_module(owner) and not is_tensor(owner)


def _row_attribute(owner: Any, name: str, value: Any) -> Any:
    """`__wrapped__` and the like: a function of a library does not have those of the function that models it."""
    function = getattr(owner, "__func__", owner)
    is_of_host = is_instance(function, types.FunctionType) and not is_of_target(function)
    if is_of_host and (name in _PARTIAL or is_own_function(function)):
        raise AttributeError(f"'function' object has no attribute '{name}'", name=name, obj=owner)
    return admit(value)


_HIDDEN_MEMBERS = (types.GetSetDescriptorType, types.MemberDescriptorType, types.ModuleType)


def variables_of(value: Any) -> Any:
    """`vars(value)`."""
    return _dict_attribute(value, "__dict__", vars(value))


def _attribute_getter(owner: Any, name: str, value: Any) -> Any:
    """`__getattribute__` and `__getattr__`: their results are checked like any attribute."""
    if is_of_target(value):
        return value

    def read(*args: Any) -> Any:
        *owners, attribute = args
        if not is_instance(attribute, str):
            raise TypeError("attribute name must be string")
        attribute = str.__str__(attribute)
        holder = owners[0] if owners else getattr(value, "__self__", owner)
        if attribute in ("__reduce__", "__reduce_ex__") and not is_host_class(type(holder)):
            return value(*owners, attribute)  # needed to copy a plain object of the target
        if attribute in DENIED:
            return denied_attribute(holder, attribute)
        special = SPECIAL.get(attribute)
        result = value(*owners, attribute)
        return admit(result) if special is None else special(holder, attribute, result)

    return read


def _attribute_setter(owner: Any, name: str, value: Any) -> Any:
    """`__setattr__` and `__delattr__`: objects of the host are not modified."""
    if is_of_target(value):
        return value
    count = 2 if name == "__setattr__" else 1

    def write(*args: Any) -> Any:
        owners, rest = args[: len(args) - count], args[len(args) - count :]
        if not rest or not is_instance(rest[0], str):
            return None
        attribute = str.__str__(rest[0])
        if _may_change(owners[0] if owners else getattr(value, "__self__", owner), attribute):
            holder = owners[0] if owners else getattr(value, "__self__", owner)
            return value(*owners, attribute, *(_settable(holder, attribute, item) for item in rest[1:]))
        return None

    return write


def _function_metadata(owner: Any, name: str, value: Any) -> Any:
    """`__defaults__`, `__kwdefaults__`, `__annotations__`: those of the target, or a copy for a function of the host."""
    function = getattr(owner, "__func__", owner)
    if not is_instance(function, types.FunctionType):
        is_of_target_class = is_instance(owner, type) and not is_host_class(owner)
        if name == "__annotations__" and is_instance(owner, type) and (is_model(owner) or registry.is_shared(owner)):
            return _unlike_library(name)
        return admit(value) if is_of_target_class or not is_instance(value, dict) else dict(value)
    record = record_of(function)
    if record is not None:
        return value or function_attribute(record, name)
    if value is None:
        return None
    return dict(value) if name == "__annotations__" else _denied(name)


def _traceback_attribute(owner: Any, name: str, value: Any) -> Any:
    return None if value is None else admit(value)


def _class_attribute(owner: Any, name: str, value: Any) -> Any:
    return owner if type(owner) is Unknown else value


def _register_method(owner: Any, name: str, value: Any) -> Any:
    """`register` of an abstract class: those of the host are not modified."""
    import abc

    if getattr(value, "__func__", value) is not abc.ABCMeta.register:
        return admit(value)

    def register(*args: Any) -> Any:
        cls = args[0] if len(args) == 2 else value.__self__
        if is_host_class(cls) or is_abstract_of_host(cls):
            session.current().unknown(
                f"{cls.__qualname__} is, or derives from, a class of the host, which is not modified"
            )
            return args[-1]
        return value(*args)

    return register


def _refused_method(owner: Any, name: str, value: Any) -> Any:
    """Methods of host objects that write to disk or expose memory."""
    if is_instance(value, (types.BuiltinFunctionType, types.MethodDescriptorType, types.GetSetDescriptorType)):
        return _refuse(owner, name)
    if name == "ctypes" and type(value).__module__.startswith("numpy"):
        return _denied(name)
    return admit(value)


def _evaluating_method(owner: Any, name: str, value: Any) -> Any:
    """Methods of host classes that evaluate strings or access modules of the host."""
    function = getattr(value, "__func__", value)
    if is_instance(function, types.FunctionType) and not is_of_target(function):
        if function.__module__ in ("typing", "enum", "annotationlib", "inspect", "functools", "typing_extensions"):
            return _refuse(owner, name)
    return admit(value)


_OPERATORS = {
    "__add__": "Add", "__iadd__": "Add", "__radd__": "Add", "__mul__": "Mult", "__imul__": "Mult", "__rmul__": "Mult",
    "__pow__": "Pow", "__rpow__": "Pow", "__lshift__": "LShift", "__rlshift__": "LShift", "__mod__": "Mod",
    "__rmod__": "Mod", "__floordiv__": "FloorDiv", "__rfloordiv__": "FloorDiv", "__divmod__": "FloorDiv",
}  # fmt: skip


def _operator_method(owner: Any, name: str, value: Any) -> Any:
    """An operator that is called by its method name: the size limits of the operator apply."""
    if type(value) not in (types.MethodWrapperType, types.WrapperDescriptorType) or type(owner) in registry.ARRAYS:
        return admit(value)

    def operate(*args: Any) -> Any:
        operands = (value.__self__, *args) if type(value) is types.MethodWrapperType else args
        if len(operands) >= 2:
            left, right = reversed(operands[:2]) if name.startswith("__r") else operands[:2]
            too_large = too_large_result(_OPERATORS[name], left, right)
            if too_large is not None:
                return too_large
        return value(*args)

    return operate


def _format_method(owner: Any, name: str, value: Any) -> Any:
    """`__format__` and `__round__`: the width that the target asks for is limited."""
    if is_of_target(value) or not callable(value):
        return admit(value)

    def format_value(*args: Any) -> Any:
        if args and is_wide(str(args[-1])):
            return session.current().unknown(f"{name}() with such a large width is not computed")
        return value(*args)

    return format_value


def _version_attribute(owner: Any, name: str, value: Any) -> Any:
    """The version of a library or of Python: what the program does with it may differ where another one is installed."""
    here = session.current()
    here.doubts.setdefault(session.VERSIONS)
    title = getattr(type(owner), "__module__", "")
    if here.in_own_code() and isinstance(title, str) and title.startswith("cutaway."):
        module = getattr(owner, "__name__", "")
        version = (
            "{}.{}".format(*value[:2]) if isinstance(value, tuple) else f"{value:x}" if type(value) is int else value
        )
        here.assume(f"the version of {'Python' if module == 'sys' else module} is {version}")
    return admit(value)


_SPECIAL_METHOD = pattern(r"^(?:(?!.*<locals>).*\.)?__\w+__$")


def _library_text(owner: Any, name: str, value: Any) -> Any:
    """`__name__`, `__doc__` and the like: those of Cutaway's own functions and classes are not the library's."""
    kind = owner if is_instance(owner, type) else type(owner)
    if name in ("__name__", "__qualname__") and type(value) is str and _SPECIAL_METHOD.search(value):
        return value  # as `dataclasses` names what it generates, too
    if name == "__name__":
        if is_instance(owner, types.FunctionType) and not is_of_target(owner):
            return registry.last_name(owner) or _unlike_library(name)
        is_stand_in = is_instance(owner, type) and is_model(owner) and type(value) is str and value.startswith("_")
        return _unlike_library(name) if is_stand_in else admit(value)
    if is_instance(owner, types.FunctionType) and not is_of_target(owner):
        is_ours = owner.__globals__.get("__name__", "").startswith("cutaway.")
    elif is_instance(owner, type):
        is_ours = is_model(kind) or (name == "__doc__" and registry.is_shared(kind))
    else:
        is_ours = is_model(kind) and value is vars(kind).get(name)
    if is_ours or (type(value) is str and value.startswith("cutaway.")):
        return _unlike_library(name)
    return admit(value)


def _unlike_library(name: str) -> Unknown:
    return Unknown(f"{name} of something that is modelled is unknown", session.current().place())


def _layout(owner: Any, name: str, value: Any) -> Any:
    """How objects of a class lie in memory: that differs with the version of Python, and from the real library."""
    return Unknown(f"{name} of a class is unknown", session.current().place(), term=SOMETHING)


def _enum_table(owner: Any, name: str, value: Any) -> Any:
    """The tables of an enumeration: copies for enumerations of the host."""
    return type(value)(value) if is_instance(value, (dict, list)) and is_host_class(owner) else value


Special = Callable[[Any, str, Any], Any]
"""Takes the owner of an attribute, its name and its value; returns the value that the target sees."""

SPECIAL: dict[str, Special] = {
    "__dict__": _dict_attribute,
    "__class__": _class_attribute,
    "__getattribute__": _attribute_getter,
    "__getattr__": _attribute_getter,
    "__setattr__": _attribute_setter,
    "__delattr__": _attribute_setter,
    "__defaults__": _function_metadata,
    "__kwdefaults__": _function_metadata,
    "__annotations__": _function_metadata,
    "__traceback__": _traceback_attribute,
    **dict.fromkeys(("__name__", "__doc__", "__module__", "__qualname__"), _library_text),
    "register": _register_method,
    "__format__": _format_method,
    "__round__": _format_method,
    **dict.fromkeys(_OPERATORS, _operator_method),
    **dict.fromkeys(_REFUSED_METHODS, _refused_method),
    **dict.fromkeys(("_evaluate", "evaluate", "_convert_", "_convert", "from_callable"), _evaluating_method),
    **dict.fromkeys(_OF_ROWS, _row_attribute),
    **dict.fromkeys(("__version__", "version_info", "hexversion"), _version_attribute),
    **dict.fromkeys("__basicsize__ __itemsize__ __flags__ __dictoffset__ __weakrefoffset__".split(), _layout),
    **dict.fromkeys(("_member_map_", "_value2member_map_", "_member_names_"), _enum_table),
}

GUARDED = {*DENIED, *SPECIAL}
"""Attributes that only `get_attribute` may read; of all others only the value is checked."""


def special_reader(*names: str) -> Callable[[Special], Special]:
    """Register the decorated function as the reader of these attributes."""

    def register(read: Special) -> Special:
        SPECIAL.update(dict.fromkeys(names, read))
        GUARDED.update(names)
        return read

    return register


# Setting and deleting.

_STRUCTURAL_ATTRIBUTES = frozenset(
    "__bases__ __name__ __qualname__ __module__ __class__ __dict__ __abstractmethods__ __defaults__ __kwdefaults__ "
    "__annotations__ __type_params__ __new__ __getattribute__ __subclasshook__ __instancecheck__".split()
)


def is_of_target(value: Any) -> bool:
    """Tell whether a function or a bound method is defined by the target."""
    return record_of(getattr(value, "__func__", value)) is not None


def _may_change(owner: Any, name: str) -> bool:
    """Tell whether the target may set or delete an attribute; changes to a modelled library are recorded for undoing."""
    if name in DENIED or name in FORBIDDEN_CLASS_ATTRIBUTES or name.startswith(_OURS):
        return False
    if name == "__hash__" and is_instance(owner, type) and issubclass(owner, type):
        return False
    kind = type(owner)
    if kind is Unknown:
        return False
    if registry.is_shared(owner):
        if name not in _STRUCTURAL_ATTRIBUTES:
            session.current().save_attribute(owner, name)
            return True
    elif is_instance(owner, type):
        if not is_host_class(owner):
            return True
    elif kind is types.FunctionType:
        if is_of_target(owner):
            return True
    elif (is_writable_kind(kind) and not registry.is_constant(owner)) or _has_no_place_for(kind, name):
        if (is_host_class(kind) or registry.is_shared(kind)) and not is_module(owner):
            session.current().save_attribute(owner, name)  # others may hold it, too
        return True
    if name == "__doc__":
        return False  # no result depends on a docstring
    title = getattr(owner, "__qualname__", None) or getattr(owner, "__name__", kind.__name__)
    unknown = session.current().unknown(f"{title}.{name} belongs to the host: it is not modified")
    if kind in registry.ARRAYS:  # it belongs to the program; most that is refused belongs to the host
        lose([owner], unknown)
    return False


def _has_no_place_for(kind: Any, name: str) -> bool:
    """Tell whether objects of a class have neither a dict nor such an attribute, so that setting it raises an error."""
    return (
        kind.__dictoffset__ == 0
        and kind.__setattr__ is object.__setattr__
        and not any(name in vars(cls) for cls in kind.__mro__)
    )


def _plain(name: Any) -> Any:
    """Return a name that is a string of a class of the target's as a plain string."""
    return str.__str__(name) if is_instance(name, str) else name


def class_namespace(namespace: dict[str, Any]) -> dict[str, Any]:
    """Return the namespace of a class that is created by a call; the class belongs to the module of the caller."""
    module = interpreter().stack[-1].globals.get("__name__", "") if interpreter().stack else ""
    return {
        "__module__": module,
        **{_plain(name): value for name, value in namespace.items() if _plain(name) not in FORBIDDEN_CLASS_ATTRIBUTES},
    }


_DEFAULTS = ("__defaults__", "__kwdefaults__")


def set_attribute(owner: Any, name: Any, value: Any) -> None:
    """`owner.name = value`, unless `owner` belongs to the host."""
    if type(name) is not str:
        if type(name) is Unknown:
            return lose_attributes(owner, name)
        name = str.__str__(name)
    if name == "__module__" and is_instance(owner, type) and type(value) is not str:
        session.current().unknown("the module of a class that is not a string is not followed")
        return None
    if _may_change(owner, name):
        if name in _DEFAULTS and is_of_target(owner):
            return set_defaults(owner, name, value)
        try:
            setattr(owner, name, _settable(owner, name, value))
        except Undecidable as undecidable:
            if undecidable.container is None:
                raise
            lose([undecidable.container], undecidable.unknown)
    return None


def _settable(owner: Any, name: str, value: Any) -> Any:
    """Return what an attribute is set to in place of a value by which numpy could be told an address."""
    if name in READERS:
        return reader(value)
    if name == "__dict__" and is_instance(value, dict):
        if is_deaf(type(owner)):
            dict.pop(value, ADDRESS, None)
        else:
            return {key: value[key] for key in value if type(key) is str and key != ADDRESS}
    return value


def delete_attribute(owner: Any, name: Any) -> None:
    """`del owner.name`, unless `owner` belongs to the host."""
    if type(name) is not str:
        if type(name) is Unknown:
            return lose_attributes(owner, name)
        name = str.__str__(name)
    if _may_change(owner, name):
        delattr(owner, name)


def lose_attributes(owner: Any, unknown: Unknown) -> None:
    """Make an object unknown one of whose attributes was set or deleted, it is unknown which."""
    if is_module(owner):
        return lose_parts(owner, unknown)
    variables = owner.__dict__ if is_target_instance(owner) else None
    if type(variables) is not dict:
        return lose([owner], unknown)
    for name in list(variables):
        variables[name] = derived_unknown(unknown)
    lose([owner], unknown)  # it may have further attributes
    return None


def is_target_instance(value: Any) -> bool:
    """Tell whether a value is an instance of a class of the target."""
    kind = type(value)
    return not is_host_class(kind) and "__dict__" in dir(kind)


def _read(owner: Any, name: Any) -> Any:
    """Read an attribute for a row; a network that runs live, outside of any analysis, has objects of its own."""
    return getattr(owner, name) if is_idle() else get_attribute(owner, name)


# Rows of libraries that compute the names of attributes read and set them as the target does.
ACCESS.read, ACCESS.write, ACCESS.remove = _read, set_attribute, delete_attribute
