"""The table of what is native is complete, and nothing in it does more than its reason says."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Iterator

from benchmarks.hostile.inventory import Inventory, reason
from benchmarks.hostile.shared import lasting_changes
from cutaway.core.record import compile_initialisers
from cutaway.interp.boundary import natives
from cutaway.interp.boundary.gate import full_name
from tests.hostile.apart import apart
from tests.hostile.snapshot import changed, state

_POWERFUL = frozenset("eval exec open compile __import__ vars _getframe import_module globals attrgetter".split())
_ACCESSORS = frozenset(("getattr", "setattr", "delattr"))
REVIEWED = {
    "argparse.__init__": "a Namespace sets attributes of itself, a parser of its own parts",
    "argparse.__contains__": "reads the dict of a Namespace",
    "argparse.__eq__": "reads the dicts of two Namespaces",
    "argparse._get_kwargs": "reads the dict of a Namespace",
    "ast.parse": "compiles to a tree, which is not run",
    "collections.__copy__": "copies the dict of a UserDict to its copy",
    "dataclasses.fields": "the name is a constant of the module",
    "enum.__call__": "asks for the caller's module only by name",
    "enum.__dir__": "lists names",
    "enum.__new__": "builds the class of the enumeration, which is the target's",
    "enum.__setattr__": "refuses to rebind members; `setattr` is checked before",
    "functools.__get__": "that of cached_property is refused, that of partialmethod sets nothing",
    "inspect.isabstract": "reads the flag of methods, and returns a truth value",
    "reprlib.repr1": "the name starts with repr_, and is looked up in the printer itself",
    "string.__init_subclass__": "compiles the pattern of a template",
    "typing.__init__": "a ForwardRef compiles an expression, which is not run",
    "typing.__init_subclass__": "reads the class that is being defined",
    "typing.__instancecheck__": "reads names that a protocol of the target lists, and returns a truth value",
    "typing.__new__": "builds a class of the target",
    "typing.NamedTuple": "names the module of the class",
    "typing.TypedDict": "names the module of the class",
}
"""Functions in the table that compute names of attributes, or use a powerful function -> why that is harmless."""


def _reached() -> tuple[dict[str, str], dict[str, str], list[str]]:
    compile_initialisers()
    before = state()
    inventory = Inventory().walk()
    return inventory.callables, inventory.classes, changed(before, state())


def test_everything_native_that_is_reached_is_in_the_table() -> None:
    callables, classes, changes = apart(_reached, seconds=200)
    assert len(callables) > 2000
    assert {name: way for name, way in callables.items() if reason(name) is None} == {}
    assert {name: way for name, way in classes.items() if name not in natives.TYPES and not _is_exception(name)} == {}
    assert changes == []


def _is_exception(name: str) -> bool:
    home, _, last = name.rpartition(".")
    cls = getattr(__import__(home, fromlist=["_"]), last, None)
    return isinstance(cls, type) and issubclass(cls, BaseException)


def _python_functions() -> Iterator[tuple[str, types.FunctionType]]:
    """Yield the functions of the table that are written in Python, each with its name there."""
    for module in {name.rpartition(".")[0] for name in natives.FUNCTIONS}:
        members = vars(__import__(module, fromlist=["_"]))
        classes = [value for value in members.values() if isinstance(value, type) and full_name(value) in natives.TYPES]
        for owner in (members, *map(vars, classes)):
            for value in owner.values():
                function = getattr(value, "__func__", value)
                if isinstance(function, types.FunctionType):
                    name = f"{function.__globals__['__name__']}.{function.__code__.co_name}"
                    if name in natives.FUNCTIONS:
                        yield name, function


def _is_powerful(function: types.FunctionType) -> bool:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError, IndentationError):
        return False  # frozen modules have no source: abc, os, _collections_abc
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name(name), [_, ast.Constant(), *_]) if name in _ACCESSORS:
                continue
            case ast.Call(ast.Name(name)) if name in _ACCESSORS or name in _POWERFUL:
                return True
            case ast.Attribute(_, ("__dict__" | "_getframe" | "__globals__" | "import_module")):
                return True
    return False


def test_functions_in_python_do_not_read_what_data_names() -> None:
    powerful = {name for name, function in _python_functions() if _is_powerful(function)}
    assert powerful - set(REVIEWED) == set()


def test_nothing_that_a_target_changes_outlives_its_analysis() -> None:
    assert apart(lasting_changes, seconds=200) == {}
