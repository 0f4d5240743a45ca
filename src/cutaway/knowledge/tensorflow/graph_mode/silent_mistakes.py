"""Mistakes that TensorFlow computes without complaint: they are looked for in what a program runs."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Unknown
from cutaway.knowledge.keras.tensors.op import tensors
from cutaway.knowledge.keras.tensors.shape import text
from cutaway.knowledge.keras.tensors.tensor import Tensor, Variable


def look(entries: list[Any], fresh: dict[int, Any], is_trained: bool) -> None:
    """Look through calls that lead to what is fetched, with the sizes of what is fed; report each mistake once."""
    makers = {id(tensor): entry for entry in entries for tensor in tensors(entry[3])}
    trained: set[int] = set()
    for entry in entries:
        call, args, kwargs, made, place = entry
        given = [*args, *kwargs.values()]
        if any(_is_trained(tensor, trained) for tensor in tensors(given)):
            trained.update(id(tensor) for tensor in tensors(made))
        name = call.__row__.name.rpartition(".")[2]
        if name == "equal":
            _always_equal(given[:2], makers, fresh, place)
        elif is_trained and name in ("subtract", "squared_difference"):
            _crossed(name, given[:2], trained, fresh, place)


def _is_trained(tensor: Any, trained: set[int]) -> bool:
    return id(tensor) in trained or (isinstance(tensor, Variable) and bool(tensor.trainable))


def _shape(tensor: Any, fresh: dict[int, Any]) -> Any:
    return fresh.get(id(tensor), tensor)._shape


def _always_equal(operands: list[Any], makers: dict[int, Any], fresh: dict[int, Any], place: Any) -> None:
    """The largest of one number is always the first: comparing two such places tells nothing."""
    shapes = []
    for operand in operands:
        entry = makers.get(id(operand))
        if entry is None or entry[0].__row__.name.rpartition(".")[2] not in ("argmax", "argmin"):
            return
        shape, chosen = _shape(entry[1][0], fresh), operand._shape
        axis = entry[2].get("axis", entry[2].get("dimension", entry[1][1] if len(entry[1]) > 1 else 0))
        if isinstance(shape, Unknown) or isinstance(chosen, Unknown) or not isinstance(axis, int) or shape[axis] != 1:
            return
        shapes.append(text(shape))
    if len(shapes) == 2:
        _report(
            f"equal: both sides are argmax over a dimension of size 1, of {shapes[0]} and {shapes[1]}: always 0, and equal",
            FaultCode.ALWAYS_EQUAL,
            place,
        )


def _crossed(name: str, operands: list[Any], trained: set[int], fresh: dict[int, Any], place: Any) -> None:
    """A vector and a column of the same length are broadcast to a square: each target meets each prediction."""
    if len(operands) != 2 or not all(isinstance(operand, Tensor) for operand in operands):
        return
    if sum(_is_trained(operand, trained) for operand in operands) != 1:
        return
    left, right = (_shape(operand, fresh) for operand in operands)
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return
    vector, column = (left, right) if len(left) < len(right) else (right, left)
    if len(vector) != 1 or len(column) != 2 or not isinstance(vector[0], int) or vector[0] < 2:
        return
    if tuple(column) == (vector[0], 1):
        _report(
            f"{name}: shapes {text(left)} and {text(right)} of a loss are broadcast to {text((vector[0], vector[0]))}: "
            "each target meets each prediction",
            FaultCode.SILENT_BROADCAST,
            place,
        )


def _report(message: str, code: FaultCode, place: Any) -> None:
    session.current().report(Fault(message, code), place)
