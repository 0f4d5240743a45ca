"""An inert machine for pickles: it follows every instruction and builds descriptions, never objects.

What a pickle would import is a `Name`, what it would call is a `Made`; nothing is imported and nothing is called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from cutaway.formats.pickle_instructions import instructions

MOST = 4_000_000
"""Instructions beyond which a pickle is not followed."""


class Damaged(ValueError):
    """A pickle that can't be followed; the message says at which byte, and what was expected."""


@dataclass(frozen=True, slots=True)
class Name:
    """What would be imported."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(frozen=True, slots=True, eq=False)
class Persistent:
    """Something that is kept outside of the pickle, by what identifies it."""

    key: Any


@dataclass(slots=True, eq=False)
class Table:
    """A dict, as its pairs in order: keys are never hashed, for a target chooses them."""

    pairs: list[tuple[Any, Any]] = field(default_factory=list)

    def named(self) -> dict[str, Any]:
        """Return the values under their keys as strings; of two alike the later counts.

        Numbers, and tuples of numbers and strings, are keys too: of layers, of parameters in an optimizer.
        """
        return {text: value for key, value in self.pairs if (text := _as_text(key)) is not None}


def _as_text(key: Any) -> str | None:
    if type(key) is str:
        return key
    if type(key) in (int, bool, float) or key is None:
        return repr(key) if type(key) is not int or abs(key) < 1 << 64 else None
    if type(key) is bytes:
        return key[:200].decode("latin-1")
    if type(key) is tuple and len(key) <= 8:
        parts = [_as_text(part) if type(part) is not tuple else None for part in key]
        return None if None in parts else ".".join(part for part in parts if part is not None)
    return None


@dataclass(slots=True, eq=False)
class Made:
    """What would be made by calling `maker`, and what would be put into it then."""

    maker: Any
    arguments: tuple[Any, ...]
    state: Any = None
    items: list[Any] = field(default_factory=list)
    pairs: Table = field(default_factory=Table)


class _Mark:
    """Where on the stack a group begins."""


_MARK = _Mark()


def load(file: BinaryIO) -> Any:
    """Return a description of the pickle that a file goes on with; the file is left behind its end."""
    machine = Machine()
    start = file.tell()
    count, offset = 0, 0
    try:
        for name, argument, position in instructions(file):
            offset = position - start
            count += 1
            if count > MOST:
                raise Damaged("it is larger than the description of a network's weights can be")
            if name == "STOP":
                return machine.pop()
            machine.step(name, argument)
    except Damaged as error:
        raise Damaged(f"byte {offset} of its pickle: {error}") from None
    except EOFError:
        raise Damaged("its pickle does not end") from None
    except (ValueError, IndexError, OverflowError, UnicodeError) as error:
        words = " ".join(str(error).split())[:200]
        raise Damaged(f"its pickle can't be read behind byte {offset}: {words}") from None
    raise Damaged("its pickle does not end")


class Machine:
    """The stack and the memory of a pickle."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memory: dict[int, Any] = {}

    def pop(self) -> Any:
        if not self.stack or self.stack[-1] is _MARK:
            raise Damaged("an instruction takes more than there is")
        return self.stack.pop()

    def top(self) -> Any:
        if not self.stack or self.stack[-1] is _MARK:
            raise Damaged("an instruction needs something that is not there")
        return self.stack[-1]

    def group(self) -> list[Any]:
        """Take what was put there since the last mark."""
        for at in range(len(self.stack) - 1, -1, -1):
            if self.stack[at] is _MARK:
                taken = self.stack[at + 1 :]
                del self.stack[at:]
                return taken
        raise Damaged("a group ends that has not begun")

    def target(self, name: str) -> Any:
        """Return what an instruction is about to change; None where it changes nothing."""
        if name in ("BUILD", "APPEND", "SETITEM"):
            depth = 3 if name == "SETITEM" else 2
            return self.stack[-depth] if len(self.stack) >= depth else None
        if name in ("APPENDS", "SETITEMS", "ADDITEMS"):
            at = next((at for at in range(len(self.stack) - 1, 0, -1) if self.stack[at] is _MARK), 0)
            return self.stack[at - 1] if at else None
        return None

    def step(self, name: str, argument: Any) -> None:
        """Follow one instruction."""
        act = _ACTS.get(name)
        if act is not None:
            act(self, argument)
        elif name in _VALUES:
            self.stack.append(argument)
        elif name in _CONSTANTS:
            self.stack.append(_CONSTANTS[name])
        elif name not in _NOTHING:
            raise Damaged(f"there is no meaning for the instruction {name}")


_VALUES = frozenset(
    """INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT STRING BINSTRING SHORT_BINSTRING UNICODE BINUNICODE
    SHORT_BINUNICODE BINUNICODE8 BINBYTES SHORT_BINBYTES BINBYTES8 BYTEARRAY8""".split()
)
_NOTHING = frozenset(["PROTO", "FRAME", "READONLY_BUFFER"])
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}

_Act = Callable[[Machine, Any], None]


def _taken(count: int) -> _Act:
    def act(machine: Machine, _argument: Any) -> None:
        parts = [machine.pop() for _ in range(count)]
        machine.stack.append(tuple(reversed(parts)))

    return act


def _grouped(make: Callable[[list[Any]], Any]) -> _Act:
    return lambda machine, _argument: machine.stack.append(make(machine.group()))


def _pairs(items: list[Any]) -> list[tuple[Any, Any]]:
    if len(items) % 2:
        raise Damaged("a key has no value")
    return list(zip(items[::2], items[1::2]))


def _append(machine: Machine, items: list[Any]) -> None:
    target = machine.top()
    if isinstance(target, list):
        target.extend(items)
    elif isinstance(target, Made):
        target.items.extend(items)
    else:
        raise Damaged("items are added to what holds none")


def _set(machine: Machine, pairs: list[tuple[Any, Any]]) -> None:
    target = machine.top()
    if isinstance(target, Table):
        target.pairs.extend(pairs)
    elif isinstance(target, Made):
        target.pairs.pairs.extend(pairs)
    else:
        raise Damaged("entries are added to what holds none")


def _set_one(machine: Machine, _argument: Any) -> None:
    value, key = machine.pop(), machine.pop()
    _set(machine, [(key, value)])


def _put(machine: Machine, key: Any) -> None:
    if key < 0:
        raise Damaged("what is remembered has a number below 0")
    machine.memory[key] = machine.top()


def _get(machine: Machine, key: Any) -> None:
    if key not in machine.memory:
        raise Damaged(f"what it remembers as {key} was never put there")
    machine.stack.append(machine.memory[key])


def _global(machine: Machine, argument: Any) -> None:
    machine.stack.append(Name(*argument))


def _stack_global(machine: Machine, _argument: Any) -> None:
    name, module = machine.pop(), machine.pop()
    if type(name) is not str or type(module) is not str:
        raise Damaged("a name is no text")
    machine.stack.append(Name(module, name))


def _reduce(machine: Machine, _argument: Any) -> None:
    arguments, maker = machine.pop(), machine.pop()
    if isinstance(maker, Name) and maker.module.split(".")[0] == "__torch__" and not isinstance(arguments, tuple):
        arguments = (arguments,)  # TorchScript restores a member of an enumeration from its bare value
    machine.stack.append(Made(maker, _as_arguments(arguments)))


def _new_with_keywords(machine: Machine, _argument: Any) -> None:
    keywords, arguments, maker = machine.pop(), machine.pop(), machine.pop()
    machine.stack.append(Made(maker, (*_as_arguments(arguments), keywords)))


def _object(machine: Machine, _argument: Any) -> None:
    parts = machine.group()
    if not parts:
        raise Damaged("an object has no class")
    machine.stack.append(Made(parts[0], tuple(parts[1:])))


def _instance(machine: Machine, argument: Any) -> None:
    machine.stack.append(Made(Name(*argument), tuple(machine.group())))


def _as_arguments(arguments: Any) -> tuple[Any, ...]:
    if not isinstance(arguments, tuple):
        raise Damaged("the arguments of a call are no tuple")
    return arguments


def _build(machine: Machine, _argument: Any) -> None:
    state = machine.pop()
    target = machine.top()
    if isinstance(target, Made):
        target.state = state
    elif not isinstance(target, (Table, list)):
        raise Damaged("a state is given to what has none")


def _pop_mark(machine: Machine, _argument: Any) -> None:
    machine.group()


def _pop(machine: Machine, _argument: Any) -> None:
    if not machine.stack:
        raise Damaged("an instruction takes more than there is")
    machine.stack.pop()


def _iterated(items: list[Any]) -> list[Any]:
    return list(items)


_ACTS: dict[str, _Act] = {
    "MARK": lambda machine, _: machine.stack.append(_MARK),
    "POP": _pop,
    "POP_MARK": _pop_mark,
    "DUP": lambda machine, _: machine.stack.append(machine.top()),
    "EMPTY_LIST": lambda machine, _: machine.stack.append([]),
    "EMPTY_DICT": lambda machine, _: machine.stack.append(Table()),
    "EMPTY_SET": lambda machine, _: machine.stack.append([]),
    "LIST": _grouped(_iterated),
    "TUPLE": _grouped(tuple),
    "FROZENSET": _grouped(_iterated),
    "DICT": _grouped(lambda items: Table(_pairs(items))),
    "TUPLE1": _taken(1),
    "TUPLE2": _taken(2),
    "TUPLE3": _taken(3),
    "APPEND": lambda machine, _: _append(machine, [machine.pop()]),
    "APPENDS": lambda machine, _: _append(machine, machine.group()),
    "ADDITEMS": lambda machine, _: _append(machine, machine.group()),
    "SETITEM": _set_one,
    "SETITEMS": lambda machine, _: _set(machine, _pairs(machine.group())),
    "PUT": _put,
    "BINPUT": _put,
    "LONG_BINPUT": _put,
    "MEMOIZE": lambda machine, _: _put(machine, len(machine.memory)),
    "GET": _get,
    "BINGET": _get,
    "LONG_BINGET": _get,
    "GLOBAL": _global,
    "STACK_GLOBAL": _stack_global,
    "REDUCE": _reduce,
    "NEWOBJ": _reduce,
    "NEWOBJ_EX": _new_with_keywords,
    "OBJ": _object,
    "INST": _instance,
    "BUILD": _build,
    "PERSID": lambda machine, key: machine.stack.append(Persistent(key)),
    "BINPERSID": lambda machine, _: machine.stack.append(Persistent(machine.pop())),
    "NEXT_BUFFER": lambda machine, _: machine.stack.append(Persistent("buffer")),
    "EXT1": lambda machine, code: machine.stack.append(Name("copyreg", f"extension {code}")),
    "EXT2": lambda machine, code: machine.stack.append(Name("copyreg", f"extension {code}")),
    "EXT4": lambda machine, code: machine.stack.append(Name("copyreg", f"extension {code}")),
}


def members(value: Any) -> list[Any]:
    """Return what a described list, tuple or set holds, however its protocol writes it; nothing for other values."""
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, Made) and str(value.maker) in _COLLECTIONS:
        return [*(members(value.arguments[0]) if value.arguments else ()), *value.items]
    return []


def entries(value: Any) -> dict[str, Any] | None:
    """Return what a described mapping holds under its keys; None for what is no mapping.

    Whatever is given entries is one, of whichever class: libraries have dicts of their own.
    """
    if isinstance(value, Table):
        return value.named()
    if isinstance(value, Made) and (str(value.maker) in _MAPPINGS or value.pairs.pairs):
        given = value.arguments[-1] if value.arguments and str(value.maker) in _MAPPINGS else ()
        listed = given if isinstance(given, (list, tuple)) else given.pairs if isinstance(given, Table) else ()
        first = [(pair[0], pair[1]) for pair in listed if isinstance(pair, (list, tuple)) and len(pair) == 2]
        return Table([*first, *value.pairs.pairs]).named()
    return None


_MAPPINGS = (
    "collections.OrderedDict",
    "collections.defaultdict",
    "collections.Counter",
    "builtins.dict",
    "__builtin__.dict",
    "types.MappingProxyType",
)
_COLLECTIONS = (
    "builtins.set",
    "builtins.frozenset",
    "builtins.list",
    "builtins.tuple",
    "__builtin__.set",
    "__builtin__.frozenset",
    "__builtin__.list",
    "__builtin__.tuple",
    "collections.deque",
    "torch.Size",
)
