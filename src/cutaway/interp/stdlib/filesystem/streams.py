"""What the program prints: nothing is written, but to objects of the program itself."""

from __future__ import annotations

import io
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.boundary.call import call
from cutaway.interp.boundary.gate import is_host_class
from cutaway.interp.boundary.losing import lose
from cutaway.interp.modules import loader
from cutaway.interp.run.function import record_of


def is_programs_own(stream: Any) -> bool:
    """Tell whether a program can see what is done with an object that is given messages."""
    return isinstance(stream, io.StringIO) or not (type(stream) is Unknown or is_host_class(type(stream)))


def _stream() -> Any:
    return vars(loader.current().load("sys")).get("stdout")


def write(*values: Any, sep: Any = " ", end: Any = "\n", file: Any = None, **_options: Any) -> None:
    """`print`: objects of the program are asked for their text, and streams of the program are given it."""
    stream = _stream() if file is None else file
    is_followed = is_programs_own(stream) and hasattr(stream, "write")
    try:
        texts = [call(str, [one], {}) for one in values if is_followed or _has_own_text(one)]
    except Undecidable:
        session.current().presume("printing an object changes nothing")
        return
    if not is_followed:
        return
    parts = [" " if sep is None else sep] * (2 * len(texts) - 1) if texts else []
    parts[::2] = texts
    for part in (*parts, "\n" if end is None else end):
        if type(part) is Unknown and isinstance(stream, io.StringIO):
            lose([stream], part)
            session.current().presume("nothing depends on what the program prints to a stream of its own")
        else:
            call(stream.write, [part], {})


def _has_own_text(value: Any) -> bool:
    kind = type(value)
    return record_of(kind.__str__) is not None or record_of(kind.__repr__) is not None


class redirect:
    """`redirect_stdout` and `redirect_stderr`."""

    def __init__(self, stream: Any, name: str) -> None:
        self._stream, self._name = stream, name
        self._before: list[Any] = []

    def __enter__(self) -> Any:
        system = loader.current().load("sys")
        self._before.append(getattr(system, self._name))
        setattr(system, self._name, self._stream)
        return self._stream

    def __exit__(self, *_exc: object) -> None:
        setattr(loader.current().load("sys"), self._name, self._before.pop())
