"""Pickles: what they would import and call, followed by the inert machine as far as Python would follow them."""

from __future__ import annotations

import base64
import io
import pickletools
import re
from collections.abc import Callable
from typing import Any, BinaryIO

from cutaway.formats.pickle_instructions import Skipped, instructions
from cutaway.formats.pickle_machine import Damaged, Machine, Made, Name, Persistent, Table
from cutaway.formats.pickled_module import class_of
from cutaway.scan import allow_list, joblib_array
from cutaway.scan.finding import IMPORTS, RECONSTRUCTS, RUNS, Report

RULE = "pickle"
_MOST = 2_000_000
_DEEPEST = 6
_MOST_PICKLES = 64
_CALLING = frozenset(["REDUCE", "OBJ", "INST"])
_MAKING = frozenset(["NEWOBJ", "NEWOBJ_EX"])
_FILLING = frozenset(["SETITEM", "SETITEMS", "APPEND", "APPENDS", "ADDITEMS"])
_NAMING = frozenset(["GLOBAL", "STACK_GLOBAL", "EXT1", "EXT2", "EXT4"])
_TEXTS = ("UNICODE", "STRING")
_ARRAY = "NumpyArrayWrapper"
_LONGEST = 120
_FIRST, _LATEST = 2, 5
_HEAD = 16
_SHORTEST = 12
_MOST_BYTES = 1 << 32
_BUILT_IN = ("builtins.", "__builtin__.", "collections.")
_UFUNCS = ("numpy.core._ufunc_reconstruct", "numpy._core._ufunc_reconstruct")
_ARRANGES = re.compile(
    r"(\s*def _parse_args(_rvs|_stats)?\(self, [\w\s,=.'*-]*\):\s*\n\s+return (\(|self\._argcheck_rvs\()[\w\s,=.'()*-]*)*\s*"
)
"""The source of functions that pass their arguments on."""
_QUALIFIED = re.compile(r"[^\W\d]\w*(\.\w+)*")


def looks_like_pickle(head: bytes) -> bool:
    """Tell whether bytes begin as pickles of protocol 2 and later do."""
    return head[:1] == b"\x80" and len(head) > 1 and head[1] <= 64


Nested = Callable[[Any, bytes, str, int], "Report | None"]
"""What scans bytes in a pickle that are another file: given these, how they begin, where they are and how deep."""


def scan(file: BinaryIO, report: Report, inner: str, depth: int = 0, nested: Nested | None = None) -> bool:
    """Enter what the pickles that a file goes on with would do; return whether the first one was read to its end."""
    whole = False
    for number in range(_MOST_PICKLES):
        start = file.tell()
        head = file.read(2)
        file.seek(start)
        if not head or (number and not _continues(head)):
            return whole
        ended = _Follower(file, report, inner, depth, nested).follow()
        whole = ended if number == 0 else whole
        if not ended or file.tell() == start:
            return whole
    return whole


def attack(file: BinaryIO, inner: str, depth: int = _DEEPEST) -> Report | None:
    """Follow the one pickle that a file goes on with; return what it would do if it ends, and imports and runs something.

    Numbers that begin like a pickle do not.
    """
    report = Report("")
    ended = _Follower(file, report, inner, depth).follow()
    runs = any(finding.level == RUNS for finding in report.findings)
    imports = any(finding.text.startswith("imports ") for finding in report.findings)
    return report if ended and runs and imports else None


def _continues(head: bytes) -> bool:
    return looks_like_pickle(head) or head[:1] in _STARTS


_STARTS = frozenset(
    opcode.code.encode("latin-1")
    for opcode in pickletools.opcodes
    if not opcode.stack_before and "GET" not in opcode.name
)
"""Instructions that a pickle may begin with: they need nothing before them."""


def is_plausible(content: bytes) -> bool:
    """Tell whether bytes without a mark of their own are pickles of the first protocols: they end, or call something."""
    if content[:1] not in _STARTS:
        return False
    report = Report("")
    ended = scan(io.BytesIO(content), report, "", _DEEPEST)
    return bool(report.findings) and (ended or any(finding.level == RUNS for finding in report.findings))


class _Follower:
    """Follows one pickle, and enters what it meets."""

    def __init__(self, file: BinaryIO, report: Report, inner: str, depth: int, nested: Nested | None = None) -> None:
        self._file, self._report, self._inner, self._depth = file, report, inner, depth
        self._nested_file = nested
        self._machine: Machine | None = Machine()
        self._texts: list[str] = []
        self._named: set[Name] = set()
        self._protocol: int | None = None
        self._has_extensions = False  # pickles without a mark are of protocols that have none

    def follow(self) -> bool:
        """Follow the pickle to its end, and tell whether that was reached."""
        count = frame_end = 0
        try:
            for name, argument, position in instructions(self._file):
                count += 1
                if position < frame_end < self._file.tell():
                    self._enter(
                        RUNS, "an instruction goes beyond the end of its frame, which Python reads in several ways"
                    )
                if name == "FRAME":
                    frame_end = self._file.tell() + argument
                if count > _MOST:
                    self._enter(RUNS, "it is too long to be followed to its end")
                    return False
                if name == "STOP":
                    return True
                self._step(name, argument)
        except (ValueError, EOFError, IndexError, OverflowError, UnicodeError, MemoryError, RecursionError):
            return False
        return False

    def _step(self, name: str, argument: Any) -> None:
        if isinstance(argument, str):
            self._texts.append(argument)
            self._text(argument)
        elif isinstance(argument, (bytes, Skipped)):
            self._bytes(argument)
        if name == "PROTO" and _FIRST <= argument <= _LATEST:
            self._has_extensions = True
        elif name == "PROTO":
            self._protocol = argument  # numbers that look like the beginning of a pickle have no names in them
        if self._machine is None:
            self._name_only(name, argument)
            return
        changed = self._machine.target(name)
        if isinstance(changed, Name):
            self._enter(RUNS, f"changes {changed}")
        try:
            self._machine.step(name, argument)
        except (Damaged, ValueError, TypeError, AttributeError):
            # Python may see more in it than the machine: what it names from here on is entered without its arguments.
            self._machine = None
            self._name_only(name, argument)
            return
        if not self._machine.stack:
            return
        top = self._machine.stack[-1]
        if name in _NAMING and isinstance(top, Name):
            self._import(top)
        elif name in _CALLING and isinstance(top, Made):
            self._call(top, made=False)
        elif name in _MAKING and isinstance(top, Made):
            self._call(top, made=True)
        elif name == "BUILD":
            self._build(top)
        elif name in _FILLING and isinstance(top, Made):
            self._fill(top)

    def _name_only(self, name: str, argument: Any) -> None:
        if name in ("GLOBAL", "INST") and isinstance(argument, tuple):
            self._import(Name(*argument))
        elif name == "STACK_GLOBAL" and len(self._texts) > 1:
            self._import(Name(self._texts[-2], self._texts[-1]))

    def _import(self, name: Name) -> None:
        if name in self._named or not _QUALIFIED.fullmatch(name.module):
            return
        self._named.add(name)
        if self._protocol is not None and name.module != "copyreg":
            self._enter(RUNS, f"imports {name}, and says that it is of protocol {self._protocol}, which none has")
        if name.module == "copyreg" and name.name.startswith("extension "):
            if not self._has_extensions:
                return
            self._enter(RUNS, f"uses {name.name} of the extension registry")
        elif allow_list.is_call(name.module, name.name) or allow_list.is_class(name.module, name.name):
            self._report.add(RECONSTRUCTS, RULE, "puts data together with functions of the libraries that saved it", "")
        elif allow_list.is_function(name.module, name.name):
            return  # a call of it is entered
        elif str(name) in ("builtins.getattr", "__builtin__.getattr"):
            return  # what it gets is entered where it is called
        elif str(name) == "_codecs.encode":
            return
        elif allow_list.is_own(name.module) and "." not in name.name:
            self._enter(IMPORTS, f"imports {name}")
        else:
            self._enter(RUNS, f"imports {name}")

    def _call(self, value: Made, made: bool) -> None:
        maker = _resolved(value.maker)
        arguments = value.arguments
        if isinstance(maker, Persistent):
            return
        if not isinstance(maker, Name):
            self._enter(RUNS, f"calls what a call returns, with {in_words(arguments)}")
            return
        full = str(maker)
        if full in ("builtins.getattr", "__builtin__.getattr"):
            self._get_attribute(value)
        elif full == "_codecs.encode":
            plain = len(arguments) in (1, 2) and isinstance(arguments[0], (str, Skipped))
            if not plain or (len(arguments) == 2 and arguments[1] not in ("latin1", "latin-1", "ascii", "utf-8")):
                self._enter(RUNS, f"calls {full}{in_words(arguments)}")
            self._bytes(value)
        elif full == "torch.storage._load_from_bytes":
            self._load(arguments)
        elif full in _UFUNCS and _is_ufunc(arguments):
            self._import(Name("numpy", "dtype"))
        elif self._is_kept_model(maker, arguments):
            return  # what it loads was followed where its bytes are
        elif not made and self._calls_another(full, arguments):
            self._enter(RUNS, f"calls {full}{in_words(arguments)}")
        elif (
            allow_list.is_call(maker.module, maker.name)
            or (
                made
                and (
                    allow_list.is_class(maker.module, maker.name)
                    or (allow_list.is_own(maker.module) and not allow_list.is_other_class(maker.module))
                )
            )
            or (not made and allow_list.is_class(maker.module, maker.name) and _is_enumeration(maker, arguments))
        ):
            self._import(maker)
        else:
            what = "makes an object of" if made else "calls"
            self._enter(RUNS, f"{what} {full}{in_words(arguments)}")

    def _calls_another(self, full: str, arguments: tuple[Any, ...]) -> bool:
        """Tell whether a function that only puts data together would call what it is given, or never end."""
        at = allow_list.CALLED.get(full)
        if at is not None and len(arguments) > at and not isinstance(arguments[at], str):
            given = _resolved(arguments[at])
            if not isinstance(given, Name) or not allow_list.is_called(full, given.module, given.name):
                return True
        if not full.startswith(_BUILT_IN):
            return False
        if full.endswith((".bytes", ".bytearray")) and arguments and type(arguments[0]) is int:
            return int(arguments[0]) > _MOST_BYTES
        return any(isinstance(each, Made) and str(each.maker).startswith("itertools.") for each in arguments)

    def _is_kept_model(self, maker: Name, arguments: tuple[Any, ...]) -> bool:
        """Tell whether a model of Keras is loaded from an archive in the pickle, which has been scanned."""
        is_keras = maker.module.startswith("keras.") and maker.name.endswith("._unpickle_model")
        if not is_keras or self._nested_file is None or len(arguments) != 1:
            return False
        given = arguments[0]
        return isinstance(given, Made) and str(given.maker) in ("_io.BytesIO", "io.BytesIO")

    def _text(self, value: str) -> None:
        """Enter what a pickle in a text would do."""
        if len(value) < _SHORTEST or self._nested_file is None:
            return
        content = value.encode("latin-1", "replace")
        if content[:2] == b"gA":
            try:
                content = base64.b64decode(content, validate=True)
            except ValueError:
                return
        elif content[:1] not in (b"c", b"("):
            return
        found = attack(io.BytesIO(content), f"{self._inner}!text", self._depth + 1)
        for finding in found.findings if found is not None else ():
            self._report.add(finding.level, finding.rule, finding.text, finding.inner)

    def _bytes(self, value: Any) -> None:
        """Enter what a pickle in the bytes of this one would do: a function of the library may load it."""
        if self._depth >= _DEEPEST:
            return
        position = self._file.tell()  # the content may be a part of the same file
        content = joblib_array.content(value, self._file)
        found = None
        head = content.read(_HEAD) if content is not None else b""
        if content is not None and (looks_like_pickle(head) or head[:1] in (b"c", b"(")):
            content.seek(0)
            found = attack(content, f"{self._inner}!bytes", self._depth + 1)
        elif content is not None and self._nested_file is not None:
            content.seek(0)
            found = self._nested_file(content, head, f"{self._inner}!bytes", self._depth + 1)
        self._file.seek(position)
        for finding in found.findings if found is not None else ():
            self._report.add(finding.level, finding.rule, finding.text, finding.inner)

    def _get_attribute(self, value: Made) -> None:
        target = _resolved(value)
        if isinstance(target, Name) and (
            allow_list.is_call(target.module, target.name)
            or (target.name.count(".") == 1 and allow_list.is_class(target.module, target.name.partition(".")[0]))
        ):
            return
        owner = class_of(value.arguments[0]) if value.arguments and isinstance(value.arguments[0], Made) else None
        if (
            owner is not None
            and allow_list.is_class(owner.module, owner.name)
            and isinstance(value.arguments[-1], str)
            and not value.arguments[-1].startswith("__")
        ):
            return  # a method that an object keeps: a call of it is entered
        if (
            isinstance(target, Name)
            and allow_list.is_own(target.module)
            and not target.name.rpartition(".")[2].startswith("_")
        ):
            self._enter(IMPORTS, f"imports {target}")
            return
        self._enter(RUNS, f"calls getattr{in_words(value.arguments)}")

    def _load(self, arguments: tuple[Any, ...]) -> None:
        """Follow what torch would load from bytes that are in the pickle."""
        name = "torch.storage._load_from_bytes"
        position = self._file.tell()  # the content may be a part of the same file
        content = joblib_array.content(arguments[0], self._file) if arguments else None
        head = content.read(2) if content is not None else b""
        if content is None or head == b"PK":
            self._enter(RUNS, f"calls {name}{in_words(arguments)}, of which it can't be determined what it loads")
            self._file.seek(position)
            return
        self._report.add(RECONSTRUCTS, RULE, "puts data together with functions of the libraries that saved it", "")
        content.seek(0)
        self._nested(content, name)
        self._file.seek(position)

    def _build(self, target: Any) -> None:
        made = class_of(target) if isinstance(target, Made) else None
        if isinstance(target, Made) and made is not None and made.name == _ARRAY:
            self._array(target)
        elif made is not None and allow_list.is_distribution(made.module, made.name):
            self._distribution(target)

    def _fill(self, target: Made) -> None:
        """Enter that items are set of an object whose class may do anything with them."""
        made = class_of(target)
        if (
            made is not None
            and allow_list.is_application(made.module)
            and not allow_list.is_call(made.module, made.name)
        ):
            self._enter(RUNS, f"sets items of an object of {made}, which may do anything with them")

    def _distribution(self, value: Made) -> None:
        """Enter the source of functions in the state of a distribution, if it does more than arrange arguments."""
        pairs = value.state.pairs if isinstance(value.state, Table) else []
        for key, source in pairs:
            if key == "_parse_arg_template" and not (isinstance(source, str) and _ARRANGES.fullmatch(source)):
                self._enter(RUNS, f"executes {in_words(source)}")

    def _array(self, value: Made) -> None:
        """Pass over the numbers of an array that joblib has put into the stream; objects are a pickle of their own."""
        array = joblib_array.described(value)
        if array is None:
            self._enter(RUNS, "has an array in the stream whose end can't be determined")
        elif array.has_objects:
            _Follower(self._file, self._report, f"{self._inner}!objects of an array", self._depth + 1).follow()
        else:
            joblib_array.skip(self._file, array)

    def _nested(self, content: Any, where: str) -> None:
        if self._depth >= _DEEPEST:
            self._enter(RUNS, "has pickles in pickles, too deep to be followed")
            return
        scan(content, self._report, f"{self._inner}!{where}", self._depth + 1)

    def _enter(self, level: str, text: str) -> None:
        self._report.add(level, RULE, text, self._inner)


def _resolved(value: Any) -> Any:
    """Return the name that `getattr(name, "attribute")` stands for; other values stay."""
    depth = 0
    parts: list[str] = []
    while isinstance(value, Made) and str(value.maker) in ("builtins.getattr", "__builtin__.getattr") and depth < 8:
        if len(value.arguments) != 2 or not isinstance(value.arguments[1], str):
            return value
        parts.insert(0, value.arguments[1])
        value = value.arguments[0]
        depth += 1
    if (
        isinstance(value, Persistent)
        and isinstance(value.key, tuple)
        and len(value.key) > 1
        and value.key[0] == "module"
    ):
        value = value.key[1]
    if isinstance(value, Name) and parts:
        return Name(value.module, ".".join([value.name, *parts]))
    return value


def _is_ufunc(arguments: tuple[Any, ...]) -> bool:
    """Tell whether a function is looked up in a module of numpy or scipy, by a plain name."""
    if len(arguments) != 2 or not all(isinstance(each, str) for each in arguments):
        return False
    module, name = str(arguments[0]), str(arguments[1])
    return module.startswith(("numpy", "scipy.special")) and name.isidentifier()


def _is_enumeration(maker: Name, arguments: tuple[Any, ...]) -> bool:
    """Tell whether a class is called as the members of enumerations are restored: with one plain value."""
    is_named = re.search(r"(Strategy|Type|Names?|Mode|Option|Kind|Enum|Format|Level|Task|Side|State)$", maker.name)
    return is_named is not None and len(arguments) == 1 and type(arguments[0]) in (str, int)


def in_words(value: Any, depth: int = 0) -> str:
    """Write the arguments of a call, shortened."""
    if isinstance(value, tuple):
        items = ", ".join(in_words(each, depth + 1) for each in value[:6]) + (", ..." if len(value) > 6 else "")
        text = f"({items})"
    elif isinstance(value, list) and depth < 4:
        text = "[" + ", ".join(in_words(each, depth + 1) for each in value[:6]) + "]"
    elif isinstance(value, Made):
        text = f"{value.maker}(...)" if depth > 3 else f"{value.maker}{in_words(value.arguments, depth + 1)}"
    elif isinstance(value, Table):
        text = "{...}" if value.pairs else "{}"
    elif isinstance(value, Skipped):
        text = f"<{value.length:,} bytes>"
    elif isinstance(value, (str, bytes, int, float, bool, type(None))):
        text = repr(value)
    else:
        text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
