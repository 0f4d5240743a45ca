"""Which exceptions of the target are certain, so that they are faults: those that nothing but the program itself raises.

An exception is certain if the program's own code raises it with values that are known, on a way that is known. What is
raised by a model of a library, on an unknown or assumed value, or in code that may not run, stays unknown.

Where the program asked for something that is not known, or runs on inputs that the user has not given, only that is
certain which holds whatever the answer: a statement that is always reached, and a name that nothing in the source sets.
"""

from __future__ import annotations

import ast
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable
from typing import Any

from cutaway.core import session
from cutaway.core.condition import CONFIGURATION, Decision, negated
from cutaway.core.error import describe_error, one_line
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.place import Place
from cutaway.core.protocols import has_no_numbers, is_module, is_module_class, is_tensor
from cutaway.core.suggestions import suggestion
from cutaway.core.unknown import Opaque, Unknown, decisions
from cutaway.interp.boundary.call import PYTHON_FUNCTIONS
from cutaway.interp.boundary.gate import is_host_class
from cutaway.interp.boundary.reachability import (
    compares_numbers,
    is_always_reached,
    is_called_none,
    never_binds,
    never_sets,
)
from cutaway.interp.run.frame import MODULE_STATE, Frame
from cutaway.interp.run.function import record_of
from cutaway.interp.run.origin import Operation, Origin, origin_of
from cutaway.interp.run.truth import is_own
from cutaway.knowledge.base import registry
from cutaway.knowledge.base.framework_names import class_names, lacks, missing_name
from cutaway.syntax import resolve

_PLAIN = frozenset(
    (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, range, OrderedDict, defaultdict, deque)
)
_FORMER_OF_ARRAYS = frozenset(("ptp", "itemset", "newbyteorder", "tostring"))
"""What numpy has removed from its arrays."""
_MOST_KEYS = 8
_TYPE_TESTS = frozenset(("isinstance", "issubclass"))


class CertainFailure(Fault):
    """An exception that the program certainly raises."""


def certain_failure(error: BaseException) -> Fault | None:
    """Return the fault that an exception is which nothing caught; None where it is not certain."""
    if isinstance(error, Fault):
        return None if session.CHOSEN_ARGUMENTS in session.current().doubts else error
    origin = origin_of(error)
    if origin is None or origin.is_open or not origin.path or not is_own(origin.path[-1][0]) or _is_relayed(error):
        return None
    if origin.operation is Operation.BINDING and session.CHOSEN_ARGUMENTS in session.current().doubts:
        return None
    here = decisions()
    conditions = [one for text, one in here.taken.items() if text not in here.given]
    always = is_always_reached(origin.path)
    is_doubtful = _is_doubtful(origin, conditions)
    if (is_doubtful and not always) or _is_passed_otherwise(origin, conditions, always, is_doubtful):
        return None
    described = _DESCRIBE[origin.operation](error, origin, is_doubtful)
    if described is None:
        return None
    code, message = described
    if conditions and not always and not here.follows:
        words = [one.text if one.holds else negated(one.text) for one in conditions]
        message = f"{message} [if {' and '.join(words)}]"
    return CertainFailure(message, code)


def _is_passed_otherwise(origin: Origin, conditions: list[Decision], always: bool, is_doubtful: bool) -> bool:
    """Tell whether a check of the program's own fails here that it may pass in another run."""
    if origin.operation is Operation.ASSERTION:
        return bool(conditions) or is_doubtful
    return origin.operation is Operation.RAISE and bool(conditions) and not always


def _is_doubtful(origin: Origin, conditions: list[Decision]) -> bool:
    """Tell whether the program may take another way, or meet other values, than it did here."""
    unwritten = decisions().unwritten
    if origin.chosen_inputs is not None or any(o.kind == CONFIGURATION or o.text in unwritten for o in conditions):
        return True
    is_check = origin.operation in (Operation.RAISE, Operation.ASSERTION)
    ignored = (
        () if is_check and not compares_numbers(*origin.path[-1]) else (session.VERSIONS, session.LIBRARY_PACKAGES)
    )
    return any(doubt not in ignored for doubt in origin.doubts)


_PACKAGE = __file__.rpartition("interp")[0]
_LANGUAGE = tuple(f"{_PACKAGE}{part}" for part in ("interp", "core", "solve"))
_STANDARD_LIBRARY = f"{_PACKAGE}interp/stdlib"
_PASSED_THROUGH = frozenset(("contextlib", "functools"))


def _is_relayed(error: BaseException) -> bool:
    """Tell whether a model of a library has called the code that raised, which the library itself may not do."""
    trace = error.__traceback__
    is_relaying = False
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.startswith(_LANGUAGE) and not name.startswith(_STANDARD_LIBRARY):
            if is_relaying:
                return True
        elif "CALLS_AS_LIBRARY" not in trace.tb_frame.f_globals:
            is_relaying = is_relaying or trace.tb_frame.f_globals.get("__name__") not in _PASSED_THROUGH
        trace = trace.tb_next
    return False


Described = tuple[FaultCode, str] | None
"""The code and the message of a fault, None where the exception is not certain."""


def _name(error: BaseException, origin: Origin, is_doubtful: bool) -> Described:
    (name,) = origin.operands
    frame = origin.path[-1][0]
    if (is_doubtful or not _starts_in_program(origin)) and not never_binds(frame, name):
        return None
    known = [each for each in (*frame.vars, *frame.globals) if type(each) is str and not each.startswith("__")]
    return FaultCode.UNDEFINED_NAME, f"{one_line(str(error))}{_similar(name, known)}"


def _attribute(error: BaseException, origin: Origin, is_doubtful: bool) -> Described:
    owner, name = origin.operands
    kind = owner if isinstance(owner, type) else type(owner)
    if owner is None:
        return None  # a stand-in may have returned it
    if type(owner) is registry.KnownModule:
        if not lacks(owner.__name__, name):
            return None
        return FaultCode.NO_SUCH_NAME, missing_name(owner.__name__, name)
    if any(owner is given for given in origin.chosen_inputs or ()):
        return None
    if kind in _PLAIN or _lacks_as_array(owner, name):
        if is_doubtful:
            return None
        kind = owner.__class__
        return FaultCode.NO_SUCH_ATTRIBUTE, f"'{kind.__name__}' has no attribute '{name}'{_similar(name, dir(kind))}"
    if _may_have(kind, name):
        return None
    is_base = bool(type.__subclasses__(kind))  # what it lacks may be set by the classes that derive from it
    if (is_doubtful or is_base) and not registry.is_shared(kind) and not never_sets(origin.path[-1][0], name):
        return None
    known = [*_own_names(owner), *(class_names(kind) or ())]
    known += [each for base in kind.__mro__ if not registry.is_shared(base) for each in vars(base)]
    shown = [each for each in known if not each.startswith("_")]
    return FaultCode.NO_SUCH_ATTRIBUTE, f"'{kind.__name__}' has no attribute '{name}'{_similar(name, shown)}"


def _lacks_as_array(owner: Any, name: str) -> bool:
    """Tell whether a value is an array of numpy, which has never had an attribute."""
    is_array = has_no_numbers(owner) or type(owner) in registry.ARRAYS
    return is_array and name not in dir(owner.__class__) and name not in _FORMER_OF_ARRAYS


def _starts_in_program(origin: Origin) -> bool:
    """Tell whether the program itself makes the calls on a way: what Cutaway calls may need names that are set later."""
    first = origin.path[0][0]
    return first.function is None and not first.file.startswith("<")


def _own_names(owner: Any) -> list[str]:
    """Return the attributes of an object, with the parts of a module."""
    variables = getattr(owner, "__dict__", {})
    tables = [table for key, table in variables.items() if is_module(owner) and isinstance(table, dict)]
    return [*variables, *(name for table in tables for name in table if type(name) is str)]


def _may_have(kind: type, name: str) -> bool:
    """Tell whether an instance of a class may have an attribute that was not found."""
    listed_classes = [base for base in kind.__mro__ if class_names(base) is not None]
    for base in kind.__mro__:
        if base is object or any(cls is not base and issubclass(cls, base) for cls in listed_classes):
            continue  # what a class inherits is in its list
        if issubclass(base, Opaque) or name in vars(base):
            return True
        listed = class_names(base)
        if listed is not None:
            if name in listed or name.startswith("_"):
                return True
        elif registry.is_shared(base) or not _is_complete(base):
            return True
    return False


def _is_complete(cls: type) -> bool:
    """Tell whether what a class has is known in full: it is the program's own, or one of Python's."""
    if any(hook in vars(cls) for hook in ("__getattr__", "__getattribute__")):
        return False
    if is_host_class(cls):
        return resolve.is_standard(cls.__module__) and not cls.__module__.startswith("cutaway")
    return _is_own_class(cls)


def _is_own_class(cls: type) -> bool:
    """Tell whether a class is defined in the user's own project."""
    for value in vars(cls).values():
        record = record_of(getattr(value, "__func__", value))
        if record is not None:
            state = record.globals.get(MODULE_STATE)
            return state is not None and state.is_own and state.name == cls.__module__
    from cutaway.interp.run.interpreter import interpreter  # late: few classes have no method

    state = interpreter().modules.states.get(cls.__module__)
    return state is not None and bool(state.is_own)


def _item(error: BaseException, origin: Origin, is_doubtful: bool) -> Described:
    container, index = origin.operands
    if is_tensor(container) and isinstance(error, TypeError) and not hasattr(type(container), "__setitem__"):
        return None if is_doubtful else (FaultCode.WRONG_TYPE, one_line(str(error)))
    if is_doubtful or type(container) not in _PLAIN or not _is_plain(index):
        return None
    if isinstance(error, KeyError) and type(container) is dict:
        names = [key for key in container if type(key) is str]
        similar = _similar(index, names) if type(index) is str else ""
        keys = ", ".join(map(_short, list(container)[:_MOST_KEYS])) or "no keys"
        more = ", ..." if len(container) > _MOST_KEYS else ""
        return FaultCode.MISSING_KEY, f"the dict has no key {_short(index)}, only {keys}{more}{similar}"
    if isinstance(error, IndexError):
        count = len(container)
        items = f"{count} item{'s' * (count != 1)}"
        return (
            FaultCode.INDEX_OUT_OF_RANGE,
            f"index {index} is out of range: the {type(container).__name__} has {items}",
        )
    return (FaultCode.WRONG_TYPE, one_line(str(error))) if isinstance(error, TypeError) else None


def _operator(error: BaseException, origin: Origin, is_doubtful: bool) -> Described:
    if is_doubtful or not all(map(_is_plain_kind, origin.operands)):
        return None
    if isinstance(error, ZeroDivisionError):
        return FaultCode.DIVISION_BY_ZERO, f"{one_line(str(error))}: {' and '.join(map(_short, origin.operands))}"
    return (FaultCode.WRONG_TYPE, one_line(str(error))) if isinstance(error, TypeError) else None


def _construction(error: BaseException, origin: Origin, is_doubtful: bool) -> Described:
    """Describe what the constructor of a framework's layer raises, which has its arguments only from the program."""
    cls, *arguments = origin.operands
    if class_names(cls) is None or not is_module_class(cls) or not isinstance(error, TypeError):
        return None
    text = one_line(str(error))
    if "argument" not in text:
        is_certain = not is_doubtful and all(map(_is_plain, arguments))
        return (FaultCode.WRONG_TYPE, f"{cls.__name__}: {text}") if is_certain else None
    if not _starts_in_program(origin) and any(_takes_any(frame) for frame, _ in origin.path):
        return None  # what Cutaway calls without arguments may be meant to pass some on
    return FaultCode.WRONG_CALL, f"{cls.__name__}.__init__() {text.partition('() ')[2]}" if "() " in text else text


def _call(error: BaseException, origin: Origin, is_doubtful: bool) -> Described:
    callee, *arguments = origin.operands
    if isinstance(callee, type) and registry.is_shared(callee):
        return _construction(error, origin, is_doubtful)
    if is_doubtful:
        return None
    if isinstance(error, TypeError) and (_is_foreign_super(callee, arguments) or _lacks_instance(callee, arguments)):
        return FaultCode.WRONG_CALL, one_line(str(error))
    if callee is None and is_called_none(*origin.path[-1]):
        return FaultCode.WRONG_TYPE, one_line(str(error))
    if _is_plain_kind(callee) and isinstance(error, TypeError):
        return FaultCode.WRONG_TYPE, one_line(str(error))
    if not _fails_on(callee, arguments):
        return None
    if isinstance(error, IndexError):
        return FaultCode.INDEX_OUT_OF_RANGE, one_line(str(error))
    if isinstance(error, KeyError):
        return FaultCode.MISSING_KEY, f"the key {one_line(str(error))} is not there"
    if isinstance(error, ValueError):
        return FaultCode.INVALID_ARGUMENT, one_line(str(error))
    return (FaultCode.WRONG_TYPE, one_line(str(error))) if isinstance(error, TypeError) else None


def _fails_on(callee: Any, arguments: list[Any]) -> bool:
    """Tell whether a function of Python is called, on values that are what they seem to be."""
    if PYTHON_FUNCTIONS.get(id(callee)) in _TYPE_TESTS:
        kinds = arguments[1] if len(arguments) > 1 else None
        return any(_is_plain(kind) or is_module(kind) for kind in (kinds if type(kinds) is tuple else (kinds,)))
    is_method = type(callee) is types.BuiltinFunctionType and type(callee.__self__) in _PLAIN
    return (callee is int or callee is float or is_method or id(callee) in PYTHON_FUNCTIONS) and all(
        map(_is_plain, arguments)
    )


def _is_foreign_super(callee: Any, arguments: list[Any]) -> bool:
    """Tell whether `super` is called with a class of the program that the object does not derive from."""
    return callee is super and len(arguments) == 2 and isinstance(arguments[0], type) and _is_complete(arguments[0])


def _lacks_instance(callee: Any, arguments: list[Any]) -> bool:
    """Tell whether a method of a framework is called on its class, without arguments."""
    if arguments or type(callee) is not types.FunctionType:
        return False
    return callee.__module__.startswith("cutaway.knowledge.") and "." in callee.__qualname__


def _binding(error: BaseException, origin: Origin, is_doubtful: bool) -> Described:
    (record,) = origin.operands
    state = record.globals.get(MODULE_STATE)
    if state is None or not state.is_own or record.unknown_decorator is not None:
        return None
    if not _starts_in_program(origin) and any(_takes_any(frame) for frame, _ in origin.path):
        return None  # what Cutaway calls without arguments is meant to be called with some
    return FaultCode.WRONG_CALL, f"{one_line(str(error))}; it is defined in line {record.code.line}"


def _takes_any(frame: Frame) -> bool:
    """Tell whether a function takes any number of arguments."""
    node = None if frame.function is None else frame.function.code.node
    return isinstance(node, ast.FunctionDef) and bool(node.args.vararg or node.args.kwarg)


def _unpacking(error: BaseException, origin: Origin, is_doubtful: bool) -> Described:
    (value,) = origin.operands
    if is_doubtful or not _has_certain_length(value):
        return None
    code = FaultCode.UNPACK_MISMATCH if isinstance(error, ValueError) else FaultCode.WRONG_TYPE
    return code, one_line(str(error))


def _has_certain_length(value: Any) -> bool:
    """Tell whether a value certainly has as many items as it has here; a shape has, and a tensor whose shape is known."""
    if is_tensor(value):
        return not isinstance(value.shape, Unknown) and type(next(iter(value.shape), None)) is int
    return _is_plain_kind(value)


def _iteration(error: BaseException, origin: Origin, is_doubtful: bool) -> Described:
    (value,) = origin.operands
    return None if is_doubtful or type(value) not in _PLAIN else (FaultCode.WRONG_TYPE, one_line(str(error)))


def _raise(error: BaseException, origin: Origin, is_doubtful: bool) -> Described:
    if isinstance(error, (ImportError, OSError, StopIteration, SystemExit, Warning)):
        return None  # of something outside of the program, or not an error at all
    if isinstance(error, NotImplementedError) and _is_abstract(origin):
        return None
    return FaultCode.CHECK_FAILED, describe_error(error)


def _is_abstract(origin: Origin) -> bool:
    """Tell whether a method of a class with subclasses raises, as one does that they are to replace."""
    frame = origin.path[-1][0]
    names = frame.function.code.positional if frame.function is not None else ()
    first = frame.vars.get(names[0]) if names else None
    return first is not None and bool(type.__subclasses__(first if isinstance(first, type) else type(first)))


_DESCRIBE = {
    Operation.NAME: _name,
    Operation.ATTRIBUTE: _attribute,
    Operation.ITEM: _item,
    Operation.OPERATOR: _operator,
    Operation.CALL: _call,
    Operation.BINDING: _binding,
    Operation.UNPACKING: _unpacking,
    Operation.ITERATION: _iteration,
    Operation.RAISE: _raise,
    Operation.ASSERTION: _raise,
}


def _is_plain_kind(value: Any) -> bool:
    """Tell whether a value is one of Python's own, or a tuple of a framework's, such as a shape."""
    return type(value) in _PLAIN or (isinstance(value, tuple) and registry.is_shared(type(value)))


def _is_plain(value: Any) -> bool:
    """Tell whether a value is one of Python's own, and so are its items."""
    if type(value) in (tuple, list, set, frozenset):
        return all(map(_is_plain, value))
    return type(value) in _PLAIN or value is None or type(value) is slice


def _similar(name: str, names: Iterable[str]) -> str:
    return suggestion(name, (each for each in names if each != name), quote="'")


def _short(value: Any) -> str:
    return one_line(repr(value))[:40] if _is_plain(value) else f"a {type(value).__name__}"


def report_certain(error: BaseException, fallback: Place | None) -> bool:
    """Record an exception that nothing caught as a fault, if it is certain."""
    fault = certain_failure(error)
    if fault is None:
        return False
    origin = origin_of(error)
    place = fallback
    if origin is not None and not isinstance(error, Fault):
        frame, line = origin.path[-1]
        place = Place(frame.file, line)
    session.current().report(fault, place)
    return True
