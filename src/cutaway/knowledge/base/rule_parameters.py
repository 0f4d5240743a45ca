"""The parameters of a rule: what a record of its call names arguments by."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def layout(rule: Callable[..., Any]) -> tuple[set[str], list[str], str | None, dict[str, Any]]:
    """Return a rule's parameter names, its positional ones, its `*` parameter, and its defaults.

    Read off the code object: thousands of rules are registered at start, too many for `inspect`.
    """
    while hasattr(rule, "__wrapped__") and not hasattr(rule, "__signature__"):
        rule = rule.__wrapped__
    if hasattr(rule, "__signature__"):
        return _inspected_layout(rule)
    code = rule.__code__
    count, keywords = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames
    positional = list(names[:count])
    given = rule.__defaults__ or ()
    defaults = dict(zip(positional[count - len(given) :], given))
    defaults.update(rule.__kwdefaults__ or {})
    star = names[count + keywords] if code.co_flags & inspect.CO_VARARGS else None
    return {*names[: count + keywords]}, positional, star, defaults


def _inspected_layout(rule: Callable[..., Any]) -> tuple[set[str], list[str], str | None, dict[str, Any]]:
    parameters = inspect.signature(rule).parameters
    positional = [p for p, v in parameters.items() if v.kind in (v.POSITIONAL_ONLY, v.POSITIONAL_OR_KEYWORD)]
    star = next((p for p, v in parameters.items() if v.kind is v.VAR_POSITIONAL), None)
    return {*parameters}, positional, star, {p: v.default for p, v in parameters.items() if v.default is not v.empty}
