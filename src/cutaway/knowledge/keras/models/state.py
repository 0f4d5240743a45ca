"""What Keras keeps for a whole program: counters of names, open name scopes, the layer that is being called."""

from __future__ import annotations

import re
from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.loop.series import Plan, replan
from cutaway.core.program_state import Key
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Undecidable, Unknown, decisions
from cutaway.knowledge.base.registry import row

_SCOPES: Key[list[Any]] = Key(list)  # open name scopes
_TENSORS: Key[dict[str, int]] = Key(dict)  # how many symbolic tensors have a name
_DATA_FORMAT: Key[Any] = Key(lambda: "channels_last")
TRAINING: Key[Any] = Key(lambda: None)
"""Whether the layer that is being called is called for training."""
AUTOCAST: Key[Any] = Key(lambda: None)
"""The element type that the layer that is being called computes in."""


def snake_case(name: str) -> str:
    """Return a class's name as layers of it are called."""
    name = re.sub(r"\W+", "", name)
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()


@row("keras.src.utils.naming.auto_name")
def auto_name(prefix: str) -> str:
    """Return a name that is new to the program: `conv2d`, `conv2d_1`."""
    return uniquify(snake_case(prefix))


@row("keras.src.utils.naming.uniquify")
def uniquify(name: str) -> str:
    """Return a name with a number behind it, unless it is new."""
    here = session.current()
    seen = here.counters.get(name)
    if seen is None and here.iterations:  # the first of them has another name
        key = here.iterations[-1].key
        replan(key, decisions().plans.get(key, Plan()).after_first())
    here.counters[name] = (seen or 0) + 1
    if seen is None:
        return name
    return f"{name}_{{{seen}}}" if isinstance(seen, Dim) else f"{name}_{seen}"


@row("keras.backend.get_uid", "keras.src.backend.get_uid", "keras.src.utils.naming.get_uid")
def get_uid(prefix: str = "") -> int:
    counts = session.current().counters
    counts[prefix] = counts.get(prefix, 0) + 1
    return int(counts[prefix])


@row("keras.utils.clear_session", "keras.backend.clear_session", "keras.src.backend.common.global_state.clear_session")
def clear_session(free_memory: bool = True) -> None:
    reset_uids()
    _SCOPES.set([])


@row("keras.backend.reset_uids", "keras.src.utils.naming.reset_uids")
def reset_uids() -> None:
    session.current().counters.clear()
    _TENSORS.set({})


def tensor_name() -> str:
    """Return the next name of a symbolic tensor, which no loop hands on."""
    counts = _TENSORS.get()
    number = counts["next"] = counts.get("next", -1) + 1
    return f"keras_tensor_{number}" if number else "keras_tensor"


@row(
    "keras.name_scope",
    "keras.backend.name_scope",
    "keras.src.backend.name_scope",
    "keras.src.backend.common.name_scope",
)
class name_scope:
    """A part of the paths of the variables that are made inside."""

    def __init__(
        self, name: Any, caller: Any = None, deduplicate: bool = True, override_parent: str | None = None
    ) -> None:
        if type(name) is Unknown:
            raise Undecidable(name)
        if not isinstance(name, str) or ("/" in name and caller is None):  # a layer's name is checked when it is made
            raise ArgumentFault(
                f"name_scope: name must be a text without '/', but is {name!r}", FaultCode.INVALID_ARGUMENT
            )
        self.name = name
        self.caller = caller
        self.deduplicate = deduplicate
        self.override_parent = override_parent
        parent = getattr(caller, "_parent_path", None)
        if override_parent is None and deduplicate and parent is not None:
            self.override_parent = parent
        self._pushed = False

    def __enter__(self) -> Any:
        scopes = _SCOPES.get()
        if self.deduplicate and scopes and self.caller is not None:
            if scopes[-1].caller is self.caller and scopes[-1].name == self.name:
                return self
        scopes.append(self)
        self._pushed = True
        return self

    def __exit__(self, *_exc: object) -> None:
        scopes = _SCOPES.get()
        if self._pushed and scopes:
            scopes.pop()


def current_path() -> str:
    """Return the path of the open name scopes."""
    parts: list[str] = []
    for scope in _SCOPES.get():
        if scope.override_parent is not None:
            parts = [part for part in scope.override_parent.split("/") if part]
        parts.append(scope.name)
    return "/".join(parts)


@row("keras.config.image_data_format", "keras.backend.image_data_format", "keras.src.backend.image_data_format")
def image_data_format() -> str:
    return str(_DATA_FORMAT.get())


@row(
    "keras.config.set_image_data_format",
    "keras.backend.set_image_data_format",
    "keras.src.backend.set_image_data_format",
)
def set_image_data_format(data_format: Any) -> None:
    _DATA_FORMAT.set(data_format)


def standardize_data_format(data_format: Any) -> str:
    """Return the order of dimensions that an argument asks for."""
    if data_format is None:
        return image_data_format()
    if type(data_format) is Unknown:
        raise Undecidable(data_format)
    text = str(data_format).lower()
    if text not in ("channels_last", "channels_first"):
        raise ArgumentFault(
            f"data_format must be 'channels_first' or 'channels_last', but is {data_format!r}",
            FaultCode.INVALID_ARGUMENT,
        )
    return text
