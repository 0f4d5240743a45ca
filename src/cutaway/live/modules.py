"""What a running network's modules are described by: how they were made, and the signature of forward."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from cutaway.core.architecture import Module, Setting
from cutaway.core.session import Call
from cutaway.knowledge.base.describe import LazyMapping, describe
from cutaway.knowledge.base.read_off import module_record
from cutaway.live.construction import Construction


def running_modules(
    constructions: Mapping[int, Construction],
    arguments_of: Callable[[Any], Mapping[str, Any]],
    consists_of_arguments: Callable[[Any], bool] = lambda _value: True,
) -> Callable[[str, Any, list[Call]], Module]:
    """Return what describes the modules of a running network; `arguments_of` is for those not seen being made.

    `is_given` tells which arguments the program gave.
    """

    def record(path: str, module: Any, calls: list[Call]) -> Module:
        construction = constructions.get(id(module))
        arguments = arguments_of(module) if construction is None else construction.arguments
        arguments = {name: value for name, value in arguments.items() if consists_of_arguments(value)}
        place = None if construction is None else construction.place
        return module_record(module, path, calls, LazyMapping(partial(_config, arguments)), place)

    return record


def _config(arguments: Mapping[str, Any]) -> dict[str, Setting]:
    return {name: describe(value) for name, value in arguments.items()}


def signature_of(forward: Any) -> inspect.Signature:
    """Return the signature of a function, an empty one where it has none."""
    try:
        return inspect.signature(forward)
    except (TypeError, ValueError):
        return inspect.Signature()
