"""Sizes of one network under the names that another one has for them."""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.architecture import Architecture, Quantity, Shape, Value
from cutaway.core.record import replace
from cutaway.core.size.dim import Dim, Size, substitute, symbols


def with_names(network: Architecture, other: Architecture) -> Architecture:
    """Return a network whose free sizes are those of another one, by name or number, where its inputs show which is which."""
    names: dict[str, Size] = {}
    for own, theirs in paired_inputs(network, other):
        for size, named in zip(own.shape or (), theirs.shape or ()):
            found = _symbol(size)
            if found and (isinstance(named, int) or (isinstance(named, Dim) and _symbol(named))):
                names.setdefault(found, named)
    if not names:
        return network

    def renamed(shape: Shape) -> Shape:
        return None if shape is None else tuple(_substituted(size, names) for size in shape)

    def values(listed: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(replace(value, shape=renamed(value.shape)) for value in listed)

    modules = tuple(
        replace(
            module,
            calls=tuple(
                replace(
                    call,
                    inputs=None if call.inputs is None else tuple(map(renamed, call.inputs)),
                    outputs=None if call.outputs is None else tuple(map(renamed, call.outputs)),
                )
                for call in module.calls
            ),
        )
        for module in network.modules
    )
    ops = tuple(
        replace(op, macs=_substituted(op.macs, names), repeat=_substituted(op.repeat, names)) for op in network.ops
    )
    return replace(network, inputs=values(network.inputs), outputs=values(network.outputs), modules=modules, ops=ops)


def paired_inputs(network: Architecture, other: Architecture) -> Iterator[tuple[Value, Value]]:
    """Yield the inputs of two networks that are the same: by name, or by their place if no name is."""
    theirs = {value.name: value for value in other.inputs}
    named = [(value, theirs[value.name]) for value in network.inputs if value.name in theirs]
    same_count = len(network.inputs) == len(other.inputs)
    yield from named or (zip(network.inputs, other.inputs) if same_count else ())


def _symbol(size: Quantity) -> str:
    """Return the name of a size that is nothing but a name; empty where it is anything else."""
    if not isinstance(size, Dim):
        return ""
    held = list(symbols(size))
    return held[0].name if len(held) == 1 and str(size) == held[0].name else ""


def _substituted(size: Quantity, names: dict[str, Size]) -> Quantity:
    return substitute(size, names) if isinstance(size, Dim) else size
