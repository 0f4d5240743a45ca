"""The weights of a module of torch, by their names: of one that is interpreted, and of one that runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from cutaway.core.unknown import Unknown
from cutaway.knowledge.torch.nn.traversal import known_items, named_parts


class NamedTensor(NamedTuple):
    """A parameter or buffer; `tied_to` is the first name of a tensor that has several."""

    tensor: Any
    name: str
    kind: str
    tied_to: str | None
    persistent: bool


def named_tensors(network: Any, remove_duplicate: bool = False) -> Iterator[NamedTensor]:
    """Yield the parameters of a module, and then its buffers."""
    first: dict[int, str] = {}
    parameters = list(known_items(network.named_parameters(remove_duplicate=remove_duplicate)))
    buffers = list(known_items(network.named_buffers(remove_duplicate=remove_duplicate)))
    unsaved = {
        f"{path}.{name}" if path else name
        for path, module in named_parts(network, remove_duplicate=remove_duplicate)
        for name in module.__dict__.get("_non_persistent_buffers_set", ())
    }
    for kind, tensors in (("parameter", parameters), ("buffer", buffers)):
        for name, tensor in tensors:
            tied = name if type(tensor) is Unknown else first.setdefault(id(tensor), name)
            yield NamedTensor(tensor, name, kind, None if tied == name else tied, name not in unsaved)
