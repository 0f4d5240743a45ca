"""`torch.nn.modules.utils` and `torch.nn.common_types`: one size, or one per dimension."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any, TypeVar

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import register, row
from cutaway.knowledge.torch.tensor.tensor import Tensor

T = TypeVar("T")


@row("torch.nn.modules.utils._ntuple", "torch.nn.modules.padding._ntuple")
def ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that repeats a single value `n` times and makes a tuple of several."""

    def parse(x: Any) -> tuple[Any, ...]:
        if isinstance(x, Iterable) and not isinstance(x, Unknown):
            return tuple(x)
        return tuple(repeat(x, n))

    parse.__name__ = name
    return parse


single, pair, triple, quadruple = (
    ntuple(n, name) for n, name in enumerate(("_single", "_pair", "_triple", "_quadruple"), start=1)
)

for _home, _parsers in {
    "utils": (single, pair, triple, quadruple),
    "conv": (single, pair, triple),
    "pooling": (single, pair, triple),
    "padding": (pair, quadruple),
}.items():
    for _parser in _parsers:
        register(f"torch.nn.modules.{_home}.{_parser.__name__}", _parser)


@row("torch.nn.modules.utils._reverse_repeat_tuple", "torch.nn.modules.conv._reverse_repeat_tuple")
def reverse_repeat_tuple(t: Any, n: int) -> tuple[Any, ...]:
    """Reverse a tuple and repeat each element, as `F.pad` wants it."""
    return tuple(x for x in reversed(t) for _ in range(n))


@row("torch.nn.modules.utils._list_with_default")
def list_with_default(out_size: Any, defaults: Any) -> Any:
    """Replace each None by the size that the input has there."""
    if not isinstance(out_size, (tuple, list)):
        return out_size
    if len(defaults) <= len(out_size):
        raise ArgumentFault(
            f"the input has {len(defaults)} dimensions, but an output of {len(out_size)} sizes needs "
            f"at least {len(out_size) + 1}",
            FaultCode.WRONG_RANK,
        )
    return [d if v is None else v for v, d in zip(out_size, defaults[-len(out_size) :])]


@row("torch.nn.modules.utils.consume_prefix_in_state_dict_if_present")
def consume_prefix_in_state_dict_if_present(state_dict: Any, prefix: str) -> None:
    """Strip a prefix from the keys of a state dict, in place."""
    for key in list(state_dict.keys()):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None) or {}
    for key in list(metadata):
        if key and (key == prefix.replace(".", "") or key.startswith(prefix)):
            metadata[key[len(prefix) :]] = metadata.pop(key)


def _alias(element: Any, count: int | None) -> Any:
    several = tuple[element, ...] if count is None else tuple[(element,) * count]  # type: ignore[misc]
    return element | several


for _kind, _element, _counts in (
    ("scalar_or_tuple_{}_t", T, (None, 1, 2, 3, 4, 5, 6)),
    ("size_{}_t", int, (None, 1, 2, 3, 4, 5, 6)),
    ("size_{}_opt_t", int | None, (None, 2, 3)),
    ("ratio_{}_t", float, (None, 2, 3)),
):
    for _count in _counts:
        _text = "any" if _count is None else _count
        register(f"torch.nn.common_types._{_kind.format(_text)}", _alias(_element, _count))
register("torch.nn.common_types.T", T)
register("torch.nn.common_types._tensor_list_t", _alias(Tensor, None))
register("torch.nn.common_types._maybe_indices_t", _alias(Tensor, 2))
