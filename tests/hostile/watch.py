"""What a hostile target does to the host, seen through the interpreter's own audit events."""

from __future__ import annotations

import os
import sys
import types
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from cutaway.core.unknown import Unknown
from cutaway.interp.stdlib.builtins import BUILTINS

# What an analysis has no business to do, whatever its target is.
_ACTS = (
    "os.system os.exec os.fork os.forkpty os.posix_spawn os.spawn os.startfile os.kill os.putenv os.unsetenv os.chdir "
    "os.remove os.rename os.rmdir os.mkdir os.link os.symlink os.truncate os.chmod os.chown os.utime subprocess.Popen "
    "socket.__new__ socket.connect socket.bind socket.getaddrinfo urllib.Request ctypes.dlopen ctypes.dlsym "
    "pickle.find_class shutil.copyfile shutil.move shutil.rmtree tempfile.mkstemp "
    "tempfile.mkdtemp sys._getframe.target webbrowser.open pty.spawn code.__new__ function.__new__ "
    "builtins.input builtins.breakpoint"
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
MARK = "hostile_mark"
"""A word that stands in whatever text a target tries to have executed or imported."""

_FORBIDDEN = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType)
_UNBOUND = ("__getattribute__", "__subclasses__", "__reduce_ex__", "__globals__", "__code__", "__closure__", "gi_frame")


@dataclass
class Watch:
    """The acts of one analysis and the host objects that its target got hold of."""

    acts: list[str] = field(default_factory=list)
    loot: list[Any] = field(default_factory=list)

    def heard(self, event: str, args: tuple[Any, ...]) -> None:
        """Note an audit event if it is an act."""
        if event == "open":
            path, mode, flags = args
            if (isinstance(mode, str) and any(c in mode for c in "wax+")) or (
                isinstance(flags, int) and flags & _WRITING
            ):
                self.acts.append(f"open {path} for writing")
            elif isinstance(path, (str, bytes)) and os.fsdecode(path).endswith(("/etc/passwd", "/link")):
                self.acts.append(f"open {path!r} for reading")
        elif event == "import" and MARK in str(args[0]):
            self.acts.append(f"import {args[0]}")
        elif event == "exec" and _mentions(args[0]):
            self.acts.append(f"execution of {args[0]}")
        elif event in _ACTS.split():
            self.acts.append(f"{event} {args}")

    def escaped(self) -> list[str]:
        """Return the things among the loot that a target must never hold."""
        different = {id(item): item for item in self.loot}
        return [object.__repr__(item)[:120] for item in different.values() if _is_forbidden(item)]


def _mentions(code: Any) -> bool:
    """Tell whether compiled code was made from text of the target."""
    parts = (*code.co_names, *code.co_varnames, *code.co_consts)
    return any(_mentions(p) if isinstance(p, types.CodeType) else MARK in str(p) for p in parts)


def _is_forbidden(item: Any, depth: int = 4) -> bool:
    """Judge by the real class, and by methods of the built-in types: nothing of the target is asked."""
    kind = type(item)
    if kind is Unknown:
        return False
    home = type.__getattribute__(kind, "__module__")
    if type(home) is str and home.startswith(_INNER):
        return not hasattr(item, "__path__") and kind.__name__ != "SourceModule"
    if issubclass(kind, _FORBIDDEN) or (kind in (str, bytes) and _is_secret(item)):
        return True
    if issubclass(kind, dict):
        return _is_forbidden_dict(item)
    if issubclass(kind, (list, tuple, set)):
        base: Any = next(each for each in (list, tuple, set) if issubclass(kind, each))
        parts = [*base.__iter__(item)]
        return (depth > 0 and any(_is_forbidden(part, depth - 1) for part in parts)) or (
            len(parts) > 60 and all(issubclass(type(i), type) for i in parts)
        )
    if issubclass(kind, types.BuiltinFunctionType):
        owner = item.__self__
        if isinstance(owner, types.ModuleType):
            return owner.__name__ in ("builtins", "posix", "nt", "sys", "_io", "marshal", "_imp", "_thread", "_socket")
        return item.__name__ in _UNBOUND
    return issubclass(kind, _DESCRIPTORS) and item.__name__ in _UNBOUND


_INNER = ("cutaway.interp.modules.loader", "cutaway.interp.run.frame", "cutaway.interp.run.function")
_DESCRIPTORS = (
    types.WrapperDescriptorType, types.MethodWrapperType, types.MethodDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType,
)  # fmt: skip


def _is_forbidden_dict(item: Any) -> bool:
    if type(item) is dict and "bytes of memory" in item:
        return "uint8" in repr(item)
    if type(item) is dict and "read from memory" in item:
        return _has_numbers(item["read from memory"])
    if dict.get(item, "__name__") is None:
        return False  # the namespace of a module has a name
    if any(item is getattr(module, "__dict__", None) for module in list(sys.modules.values())):
        return True
    return issubclass(type(dict.get(item, "__builtins__")), (dict, types.ModuleType))


def _is_secret(text: str | bytes) -> bool:
    """Tell whether a string is from a file that no target may read."""
    words = text if isinstance(text, str) else text.decode("latin-1")
    return words == "escaped" or "token" in words or "root:" in words or words in ("/etc/hostname", "hostname")


def _has_numbers(item: Any) -> bool:
    """Tell whether something is more than an unknown, or an array without numbers."""
    return not isinstance(item, Unknown) and not repr(item).startswith("array(shape=")


_watching: Watch | None = None


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if _watching is not None:
        _watching.heard(event, args)


_hooked = False


@contextmanager
def watching() -> Iterator[Watch]:
    """Watch the host while an analysis runs; its target can hand what it got to `loot(...)`."""
    global _watching, _hooked
    if not _hooked:
        sys.addaudithook(_hook)
        _hooked = True
    watch = Watch()
    BUILTINS["loot"] = watch.loot.append
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    _watching = watch
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield watch
    finally:
        _watching = None
        sys.dont_write_bytecode = bytecode
        del BUILTINS["loot"]
