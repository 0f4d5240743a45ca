"""What a network uses but does not have: modules in plain containers or made anew in each call, tensors that are not registered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.core.program import Part, Record
from cutaway.core.session import Session
from cutaway.core.unknown import Exhausted, Undecidable
from cutaway.interp.analysis.discovery import Network
from cutaway.knowledge.base.describe import class_name
from cutaway.knowledge.base.framework import Framework, holds_parts, is_bookkeeping

_CONSTRUCTION = "_construction"
_VIEWS = frozenset(
    """__getitem__ select narrow view reshape squeeze unsqueeze expand repeat transpose permute flatten contiguous clone detach
    t chunk split unbind""".split()
)
"""Operations whose results are where their argument is."""
_INDEXING = ("__getitem__", "index_select", "gather", "embedding", "take_along_dim", "index", "Tensor.new_tensor")
"""Operations whose indices may be elsewhere than what they index."""


def note_parts(network: Network, record: Record, session: Session) -> None:
    """Add the modules that a network uses, but does not have, to a record."""
    framework = network.framework
    try:
        parts = list(framework.parts(network.value))
    except (Exception, Undecidable, Exhausted):  # it is noted where the network is described
        return
    known = {id(part) for part in parts}
    for part in parts:
        for name, value in list(vars(part).items()):
            if not holds_parts(name) and not is_bookkeeping(name) and name != _CONSTRUCTION:
                for module in _held(framework, value):
                    if id(module) not in known and framework.has_weights(module):
                        record.unregistered.append(_described(module, f"{class_name(type(part))}.{name}"))


def note_tensors(network: Network, record: Record, session: Session) -> None:
    """Add the tensors that are not registered, and that a forward pass combines with others."""
    framework = network.framework
    try:
        parts = list(framework.parts(network.value))
    except (Exception, Undecidable, Exhausted):  # it is noted where the network is described
        return
    called = [call.module for call in session.calls if framework.is_network(call.module)]  # some may be in no variable
    tensors = [
        (tensor, (part, name))
        for part in {id(part): part for part in (*parts, *called)}.values()
        for name, tensor in framework.unregistered_tensors(part)
    ]
    if not tensors:
        return
    held = {tensor.reference().number: owner for tensor, owner in tensors}
    learnt = {tensor.reference().number for tensor, _ in tensors if getattr(tensor, "requires_grad", False) is True}
    for operation in session.operations:
        others = [value for value in operation.inputs if value.number not in held]
        short = operation.op.rpartition(".")[2]
        for at, value in enumerate(operation.inputs):
            if value.number not in held:
                continue
            if short in _VIEWS and not others:
                held.update({made.number: held[value.number] for made in operation.outputs})
            elif (others or value.number in learnt) and value.shape and not (at and operation.op.endswith(_INDEXING)):
                part, name = held.pop(value.number)
                text = f"{class_name(type(part))}.{name}"
                record.tensors.append(Part(operation.op, operation.place, text))


def note_untrained(network: Network, record: Record, session: Session) -> None:
    """Add what is not trained: modules that are newer than the optimizer, and a network that no optimizer has."""
    framework = network.framework
    try:
        untrained = list(framework.untrained(network.value))
        is_left = framework.is_left_to_itself(network.value)
    except (Exception, Undecidable, Exhausted):  # it is noted where the network is described
        return
    for path, part, place in untrained:
        described = _described(part, path)
        record.untrained.append(Part(described.class_name, described.place, path, place))
    in_training = any(call.module is network.value and call.training is True for call in session.calls)
    if is_left and in_training and not session.unknowns:
        record.unoptimized.append(_described(network.value, network.name))


def note_transient(networks: list[Network], record: Record, session: Session) -> None:
    """Add the modules that were made during a call, called there, and not kept."""
    known: set[int] = set()
    for network in networks:
        try:
            known.update(id(part) for part in network.framework.parts(network.value))
        except (Exception, Undecidable, Exhausted):  # it is noted where the network is described
            return
    for call in session.calls:
        construction = getattr(call.module, "__dict__", {}).get(_CONSTRUCTION)
        if construction is None or not construction.in_call or id(call.module) in known:
            continue
        if any(_has_weights(network, call.module) for network in networks):
            record.transient.append(_described(call.module, ""))


def _has_weights(network: Network, module: Any) -> bool:
    return network.framework.is_part(module) and network.framework.has_weights(module)


def _held(framework: Framework, value: Any) -> Iterator[Any]:
    """Yield the modules in a plain container."""
    if type(value) in (list, tuple):
        items = list(value)
    elif type(value) is dict:
        items = list(value.values())
    else:
        return
    for item in items:
        if framework.is_network(item):
            yield item


def _described(module: Any, text: str) -> Part:
    construction = module.__dict__.get(_CONSTRUCTION)
    return Part(class_name(type(module)), construction.place if construction else None, text)
