"""How modules are made: the arguments that their constructors are called with, seen while the user's code runs.

A module does not keep the arguments of its constructor. A profile function sees each `__init__` as it is
entered, when its variables are still its arguments. Nor does it keep whether the program has set its mode, which is seen
likewise. What is seen is kept in the module itself, so that a copy of a module has it too, and is taken out again at the
end.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from cutaway.core.place import Place
from cutaway.core.record import dataclass
from cutaway.knowledge.torch.nn.mode import IS_SET
from cutaway.live import framework_detection
from cutaway.live.user_line import place_of_frame

_KEPT = "__cutaway_construction__"
_MODULE = "torch.nn.modules.module"


@dataclass(frozen=True, slots=True)
class Construction:
    """The arguments of a constructor by name, and where it was called."""

    arguments: dict[str, Any]
    place: Place | None

    def __deepcopy__(self, memo: object) -> Construction:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Construction, ({}, self.place)


@contextmanager
def observed() -> Iterator[None]:
    """Keep how each module is constructed inside."""
    before: Any = sys.getprofile()

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            if frame.f_code.co_name == "__init__":
                _see(frame)
            elif frame.f_code.co_name == "__setattr__" and frame.f_globals.get("__name__") == _MODULE:
                _see_mode(frame)
        if callable(before):
            before(frame, event, argument)

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(before)


def taken(modules: Iterable[Any]) -> dict[int, Construction]:
    """Return how modules were constructed, by their identity, and forget it in the modules themselves."""
    found = {}
    for module in modules:
        construction = module.__dict__.pop(_KEPT, None)
        if construction is not None:
            found[id(module)] = construction
    return found


def forget_modes(modules: Iterable[Any]) -> None:
    """Forget which modules the program has set the mode of."""
    for module in modules:
        module.__dict__.pop(IS_SET, None)


def from_attributes(module: Any) -> dict[str, Any]:
    """Return what a module made elsewhere tells of its constructor's arguments: its attributes of their names."""
    try:
        parameters = inspect.signature(type(module).__init__).parameters.values()
    except (TypeError, ValueError):
        return {}
    known = {}
    for parameter in list(parameters)[1:]:
        if parameter.name in module.__dict__:
            known[parameter.name] = module.__dict__[parameter.name]
        elif parameter.name == "bias" and "bias" in module._parameters:
            known["bias"] = module._parameters["bias"] is not None
    return known


def _see(frame: FrameType) -> None:
    code = frame.f_code
    if not code.co_argcount:
        return
    values = dict(frame.f_locals)
    made = values.get(code.co_varnames[0])
    if isinstance(made, framework_detection.bases()) and _KEPT not in made.__dict__:
        made.__dict__[_KEPT] = Construction(_arguments(code, values), place_of_frame(frame.f_back))


def _see_mode(frame: FrameType) -> None:
    """Keep in a module that the program sets its mode, rather than the framework for its own purposes."""
    if frame.f_locals.get("name") != "training":
        return
    caller = frame.f_back
    while caller is not None and caller.f_code.co_name in ("__setattr__", "train", "eval"):
        caller = caller.f_back
    if caller is not None and not str(caller.f_globals.get("__name__")).startswith("torch."):
        frame.f_locals["self"].__dict__[IS_SET] = True


def _arguments(code: CodeType, values: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call that has just begun, in the order of the signature."""
    names = code.co_varnames
    count = code.co_argcount + code.co_kwonlyargcount
    star = names[count] if code.co_flags & inspect.CO_VARARGS else None
    named = {name: values[name] for name in names[1 : code.co_argcount] if name in values}
    if star is not None and values.get(star):
        named[star] = values[star]
    named.update((name, values[name]) for name in names[code.co_argcount : count] if name in values)
    if code.co_flags & inspect.CO_VARKEYWORDS:
        named.update(values.get(names[count + (star is not None)], {}))
    return named
