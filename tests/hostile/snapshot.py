"""The state of the host that no target may change, taken before and after an analysis."""

from __future__ import annotations

import os
import signal
import sys
import types
import warnings
from abc import ABCMeta
from collections.abc import Mapping
from numbers import Integral
from typing import Any

_MODULES = (
    "abc argparse ast base64 builtins calendar collections collections.abc contextlib copy csv dataclasses enum "
    "fractions functools inspect itertools json json.encoder keyword numbers operator os pathlib re statistics string sys "
    "textwrap types typing weakref numpy"
)
# Caches, counters and what the interpreter itself writes.
_MOVING = frozenset(
    "__warningregistry__ __abstractmethods__ __dict__ __weakref__ _abc_impl __slotnames__ __parameters__ last_traceback "
    "last_type last_value modules path_importer_cache _cache _b32tab2 _b32rev warnoptions __doc__ loot __array_interface__".split()
)


def state() -> dict[str, Any]:
    """Return what is shared, by a name for each part."""
    found: dict[str, Any] = {
        "environment": dict(os.environ),
        "working folder": os.getcwd(),
        "streams": (id(sys.stdout), id(sys.stderr), id(sys.stdin)),
        "recursion limit": sys.getrecursionlimit(),
        "hooks": (sys.excepthook, sys.unraisablehook, sys.displayhook, sys.gettrace()),
        "alarm": signal.getsignal(signal.SIGALRM),
        "import path": (list(sys.path), list(sys.meta_path)),
        "warnings": list(warnings.filters),
        "registries": (issubclass(int, Mapping), issubclass(str, Integral)),
        "longest integer": getattr(sys, "get_int_max_str_digits", lambda: None)(),
    }
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        found["numpy"] = (numpy.geterr(), {k: v for k, v in numpy.get_printoptions().items() if k != "formatter"})
    csv = sys.modules.get("csv")
    if csv is not None:
        found["csv"] = (csv.field_size_limit(), csv.list_dialects())
    for name, module in list(sys.modules.items()):
        if name in _MODULES.split() or name.startswith(("cutaway.", "enum")):
            _module(found, name, module)
    return found


def _module(found: dict[str, Any], name: str, module: Any) -> None:
    own = name.startswith("cutaway.")
    for key, value in list(vars(module).items()):
        if key in _MOVING or getattr(value, "__module__", name) != name:
            continue
        if isinstance(value, type):
            found[f"{name}.{key}"] = {k: id(v) for k, v in vars(value).items() if k not in _MOVING and v != {}}
            found[f"{name}.{key} itself"] = (id(value), value.__name__, value.__qualname__, value.__bases__)
        elif isinstance(value, types.FunctionType):
            found[f"{name}.{key}"] = _function(value)
        elif isinstance(value, (list, dict, set)) and not own:
            found[f"{name}.{key}"] = list(value)


def _function(value: types.FunctionType) -> Any:
    keywords = dict(value.__kwdefaults__) if value.__kwdefaults__ is not None else None
    notes = dict(value.__annotations__)
    return (id(value), id(value.__code__), value.__name__, value.__defaults__, keywords, dict(vars(value)), notes)


def changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return the names of the parts that differ; what was loaded in between is no change."""
    return [name for name, value in before.items() if name not in after or after[name] != value]


_ = ABCMeta
