"""Regular expressions that are compiled when they are first used: a command uses few of those that its modules define."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split", "pattern")


class _Pattern:
    """Stands for a compiled expression; after the first use its attributes are those of that expression."""

    def __init__(self, source: Any, flags: int) -> None:
        self._arguments = source, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._arguments)
        vars(self).update((method, getattr(compiled, method)) for method in _METHODS)
        return getattr(compiled, name)


def pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression that is compiled when it is first used."""
    return cast("re.Pattern[AnyStr]", _Pattern(source, flags))
