"""Running a program of the tests natively and through the interpreter, and what each made of it."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.analysis.options import Options
from cutaway.interp.analysis.single_run import _new_analysis
from cutaway.interp.boundary.namespace import FunctionNamespace
from cutaway.interp.modules.loader import current
from cutaway.interp.run.frame import Pending
from cutaway.syntax.resolve import Location

MAIN = "program.py"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The value of `result` in a form that can be compared, or the exception that ended the program."""

    result: str | None = None
    error: str | None = None

    def __str__(self) -> str:
        return f"raises {self.error}" if self.error is not None else str(self.result)


def native(files: Mapping[str, str], folder: Path) -> Outcome:
    """Import the program, which is the tests' own, and read its `result`."""
    write(files, folder)
    try:
        with _importable(folder, {name.split("/")[0].removesuffix(".py") for name in files}):
            return Outcome(result=canonical(importlib.import_module("program").result))
    except Exception as error:
        return Outcome(error=described(error))


def interpreted(files: Mapping[str, str], folder: Path, installed: bool = False) -> Outcome:
    """Interpret the program and read its `result`; whatever is unknown in the end is an error.

    It is the user's own program, or a package that is installed and of which something is used.
    """
    write(files, folder)
    with _new_analysis(Options(seconds=30)) as gathered:
        if installed:
            current().folders.insert(0, str(folder))
            state = current().add("user", Location("user.py"), b"import program\nresult = program.result\n")
        else:
            current().add_own(str(folder))
            state = current().add("program", Location(str(folder / MAIN)))
        try:
            state.run(strict=True)
            value = state.lookup("result")
            text = canonical(value.resolve() if type(value) is Pending else value)
        except Undecidable as undecidable:
            return Outcome(error=f"Unknown: {undecidable.unknown.reason} at {undecidable.unknown.place}")
        except Exception as error:
            return Outcome(error=described(error))
        if gathered.unknowns:
            return Outcome(error="; ".join(f"Unknown: {note.text} at {note.place}" for note in gathered.unknowns))
        return Outcome(result=text)


def write(files: Mapping[str, str], folder: Path) -> None:
    """Put the files of a program into a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@contextmanager
def _importable(folder: Path, names: set[str]) -> Iterator[None]:
    """Make the modules in a folder importable, and forget them afterwards."""
    before = dict(sys.modules)
    for name in names & set(before):
        del sys.modules[name]
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = written
        for name in set(sys.modules) - set(before):
            if str(getattr(sys.modules[name], "__file__", None) or folder).startswith(str(folder)):
                del sys.modules[name]
        sys.modules.update({name: before[name] for name in names & set(before)})


_PLAIN = (int, float, complex, str, bytes, bytearray, bool, type(None), type(...), type(NotImplemented), range, slice)


def canonical(value: Any) -> str:
    """Return a text that is equal for two values exactly if a program could not tell them apart."""
    kind = type(value)
    if kind is Unknown:
        raise Undecidable(value)
    if kind is list:
        return f"[{', '.join(map(canonical, value))}]"
    if kind is tuple:
        return f"({''.join(canonical(item) + ', ' for item in value)})"
    if kind is dict or kind is FunctionNamespace:
        return f"{{{', '.join(f'{canonical(k)}: {canonical(v)}' for k, v in value.items())}}}"
    if kind in (set, frozenset):
        return f"{kind.__name__}({', '.join(sorted(map(canonical, value)))})"
    if kind in _PLAIN:
        return repr(value)
    if isinstance(value, type):
        return f"<class {value.__module__}.{value.__qualname__}>"
    if isinstance(value, BaseException):
        return f"{kind.__name__}{canonical(value.args)}"
    return f"{kind.__name__}:{re.sub(r' at 0x[0-9a-f]+', '', repr(value))}"


def described(error: BaseException) -> str:
    """Return the type and the message of an exception."""
    return f"{type(error).__name__}: {error}"
