"""Programs of ExecuTorch: operators and their tensors, from the plan that a device carries out.

The classes of modules and the places in the source are not in such a file; what a delegate computes is known to its backend alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from cutaway.core.architecture import Architecture, Module, ModuleCall, Note, Op, Setting, Value, Weight
from cutaway.core.error import CutawayError, one_line
from cutaway.core.place import Place
from cutaway.formats import protobuf, weights
from cutaway.formats.exported_cost import macs
from cutaway.formats.flatbuffer import Damaged, Flatbuffer, Table
from cutaway.formats.pickled_tensor import Stored

DELEGATED = "what the backend {} computes is not in the program"
BOUNDED = "sizes that may change are unknown: the program has their upper bounds alone"
_DTYPES = {
    0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 7: "float64", 11: "bool",
    12: "qint8", 13: "quint8", 14: "qint32", 15: "bfloat16", 16: "quint4x2", 17: "quint2x4", 23: "float8_e5m2",
    24: "float8_e4m3fn", 25: "float8_e5m2fnuz", 26: "float8_e4m3fnuz", 27: "uint16", 28: "uint32", 29: "uint64",
}  # fmt: skip
_INT, _BOOL, _DOUBLE, _TENSOR, _STRING, _INTS, _DOUBLES, _BOOLS, _TENSORS, _OPTIONAL = range(2, 12)
_KERNEL, _DELEGATE, _MOVE = 1, 2, 3
_MOST_ITEMS = 64
_MOST_SIZES = 64


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read the methods of a program, each as a network."""
    try:
        plans = list(Flatbuffer(protobuf.opened(file)).root().tables(1))
        name = os.path.basename(path)
        networks = []
        for plan in plans:
            own = one_line(plan.text(0))
            is_only = len(plans) == 1
            described = _Plan(plan, path).architecture(name if is_only else own, path if is_only else f"{path}::{own}")
            networks.append(described)
    except (Damaged, ValueError) as error:
        raise CutawayError(f"{path}: it is not a complete program of ExecuTorch: {one_line(str(error))}") from None
    if not networks:
        raise CutawayError(f"{path}: there is no method in the program")
    return [each for each in networks if each.ops or each.inputs] or networks  # others return settings


@dataclass(slots=True)
class _Plan:
    """One method: its values by their numbers, and what is known of them so far."""

    plan: Table
    path: str
    values: list[tuple[int, Table | None]] = field(default_factory=list)
    weights: dict[int, Stored] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    unknowns: dict[str, None] = field(default_factory=dict)

    def architecture(self, name: str, target: str) -> Architecture:
        """Return the network that the method computes."""
        self.values = [(each.number(0, "B"), each.table(1)) for each in self.plan.tables(2)]
        inputs, outputs = self._tensors(self.plan.numbers(3) or ()), self._tensors(self.plan.numbers(4) or ())
        for at, index in enumerate(inputs):
            self.names.setdefault(index, f"input{at}")
        self._find_weights()
        operators = [f"{each.text(0).replace('::', '.')}.{each.text(1) or 'default'}" for each in self.plan.tables(6)]
        delegates = [one_line(each.text(0)) for each in self.plan.tables(7)]
        ops = []
        known = {*inputs, *self.weights}
        for chain in self.plan.tables(5):
            for instruction in chain.tables(2):
                op = self._op(instruction, operators, delegates, known)
                ops += [op] if op is not None else []
        given, made = [self._value(index) for index in inputs], [self._value(index) for index in outputs]
        named = {self.names[index]: stored for index, stored in self.weights.items()}
        call = ModuleCall(
            tuple(v.shape for v in given), tuple(v.shape for v in made),
            tuple(v.dtype for v in given), tuple(v.dtype for v in made),
        )  # fmt: skip
        listed = tuple(weights.listed([(own, stored, None) for own, stored in named.items()]))
        place = Place(self.path)
        return Architecture(
            name=name,
            target=target,
            framework="pytorch",
            inputs=tuple(given),
            outputs=tuple(_renamed(v, "" if len(made) == 1 else str(at)) for at, v in enumerate(made)),
            modules=(Module("", "", "", calls=(call,)), *_modules(listed)),
            weights=listed,
            ops=tuple(ops),
            unknowns=tuple(Note(text, place) for text in self.unknowns),
            assumptions=(Note(weights.ALIKE, place),) if listed else (),
        )

    def _table(self, index: int, kind: int) -> Table | None:
        """Return a value of a kind; None where it is of another, or not there."""
        if not 0 <= index < len(self.values) or self.values[index][0] != kind:
            return None
        return self.values[index][1]

    def _tensors(self, indices: Iterable[int]) -> list[int]:
        """Return the tensors among values, those in lists too."""
        found = []
        for index in indices:
            if self._table(index, _TENSOR) is not None:
                found.append(index)
            else:
                listed = self._table(index, _TENSORS) or self._table(index, _OPTIONAL)
                items = listed.numbers(0, "i", _MOST_ITEMS) or () if listed is not None else ()
                found += [each for each in items if self._table(each, _TENSOR) is not None]
        return found

    def _find_weights(self) -> None:
        """Keep the tensors whose numbers are stored: those that have a buffer and no place in the planned memory."""
        for index, (kind, table) in enumerate(self.values):
            if kind != _TENSOR or table is None or index in self.names:
                continue
            extra = table.table(9)
            name = one_line(extra.text(1)) if extra is not None else ""
            is_external = extra is not None and extra.number(2, "b") == 1
            if (table.number(5, "I") or is_external) and (table.table(6) is None or name):
                self.names[index] = name if name and name not in self.names.values() else f"constant{len(self.weights)}"
                self.weights[index] = Stored(self._shape(table), _DTYPES.get(table.number(0, "b")), None)

    def _shape(self, table: Table) -> Any:
        sizes = table.numbers(2, "i", _MOST_SIZES) or []
        if table.number(8, "b") and sizes:
            self.unknowns.setdefault(BOUNDED)
            return (None,) * len(sizes)
        return tuple(sizes)

    def _value(self, index: int) -> Value:
        table = self._table(index, _TENSOR)
        assert table is not None
        return Value(self.names.get(index, f"value{index}"), self._shape(table), _DTYPES.get(table.number(0, "b")))

    def _op(self, instruction: Table, operators: Sequence[str], delegates: Sequence[str], known: set[int]) -> Op | None:
        kind, about = instruction.number(0, "B"), instruction.table(1)
        if about is None or kind not in (_KERNEL, _DELEGATE):
            if kind == _MOVE:
                self.unknowns.setdefault("the program moves values, by a condition or in a loop")
            return None
        at, arguments = about.number(0, "i"), about.numbers(1) or []
        listed = operators if kind == _KERNEL else delegates
        if not 0 <= at < len(listed):
            raise Damaged(f"there is no operator {at}")
        name = listed[at] if kind == _KERNEL else f"delegate.{listed[at]}"
        if kind == _DELEGATE:
            self.unknowns.setdefault(DELEGATED.format(listed[at]))
        tensors = list(dict.fromkeys(self._tensors(arguments)))
        # The last argument of a kernel is what it returns. A delegate has its results behind what it is given.
        made = self._tensors(arguments[-1:]) if kind == _KERNEL else _behind_known(tensors, known)
        known.update(tensors)
        inputs = [self._value(each) for each in tensors if each not in made]
        outputs = [self._value(each) for each in made]
        plain = [index for index in arguments[:-1] if not self._tensors([index])]
        attributes = (
            {str(number): self._setting(index) for number, index in enumerate(plain)} if kind == _KERNEL else {}
        )
        cost = macs(name, inputs, outputs) if kind == _KERNEL else None
        return Op(name, attributes, tuple(inputs), tuple(outputs), "", None, cost)

    def _setting(self, index: int) -> Setting:
        if not 0 <= index < len(self.values):
            return None
        kind, table = self.values[index]
        if table is None:
            return None
        scalar = {_INT: "q", _BOOL: "?", _DOUBLE: "d"}.get(kind)
        if scalar is not None:
            return table.number(0, scalar)  # type: ignore[no-any-return]
        if kind == _INTS:  # numbers of values, each of which is a number
            items = table.numbers(0, "q", _MOST_ITEMS) or []
            return [self._setting(each) for each in items if self._table(each, _INT) is not None]
        if kind in (_DOUBLES, _BOOLS):
            return table.numbers(0, "d" if kind == _DOUBLES else "?", _MOST_ITEMS)
        return one_line(table.text(0)) if kind == _STRING else None


def _behind_known(tensors: Sequence[int], known: set[int]) -> list[int]:
    """Return the tensors behind the last one that was there before."""
    last = max((at for at, each in enumerate(tensors) if each in known), default=-1)
    return list(tensors[last + 1 :])


def _renamed(value: Value, name: str) -> Value:
    return Value(name, value.shape, value.dtype)


def _modules(listed: Iterable[Weight]) -> list[Module]:
    """Return the modules that names of weights tell of."""
    paths: dict[str, None] = {}
    for weight in listed:
        parts = (weight.module or "").split(".") if weight.module else []
        paths.update((".".join(parts[: at + 1]), None) for at in range(len(parts)))
    return [Module(path, "", "") for path in paths]
