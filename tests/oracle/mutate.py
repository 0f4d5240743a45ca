"""Generated arguments: samples changed at random, so that rules meet what nobody picked by hand."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from .check import Call
from .samples import copy

PER_ROW = 60
"""Mutated calls for each row."""
_SIZES = (0, 1, 1, 2, 3, 4, 7)
_DTYPES = (
    torch.float32, torch.float64, torch.int64, torch.int32, torch.uint8, torch.bool, torch.float16, torch.bfloat16,
    torch.complex64,
)  # fmt: skip


CRASHES = {
    "lu_unpack": "pivots out of range are not checked",
    "_embedding_bag": "offsets out of range are not checked",
    "_weight_norm": "an empty weight ends in a null pointer",
    "_weight_norm_interface": "an empty weight ends in a null pointer",
} | dict.fromkeys(("lstm", "gru", "rnn_tanh", "rnn_relu"), "sizes of weights are not checked against each other")
"""Operations that are not mutated because torch itself then ends the process, not an exception."""


def mutations(calls: Iterable[Call], count: int = PER_ROW) -> Iterator[Call]:
    """Yield up to `count` changed calls for each row among `calls`, the same ones on every run."""
    by_name: dict[str, list[Call]] = {}
    for call in calls:
        by_name.setdefault(call.name, []).append(call)
    for name, samples in by_name.items():
        if name.rpartition(".")[2] in CRASHES:
            continue
        rng = random.Random(zlib.crc32(name.encode()))
        seen: set[str] = set()
        for _ in range(count):
            call = rng.choice(samples)
            args, kwargs = copy((list(call.args), dict(call.kwargs)))
            args, kwargs = change(rng, args, kwargs)
            made = Call(name, tuple(args), kwargs, f"mutated {call.source}")
            if str(made) not in seen:
                seen.add(str(made))
                yield made


def change(rng: random.Random, args: list[Any], kwargs: dict[str, Any], plain: bool = False) -> Any:
    """Return the arguments with one to three changes; `plain` leaves tensors as they are."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        args, kwargs = rng.choice(_PLAIN_MUTATIONS if plain else _MUTATIONS)(rng, args, kwargs)
    return args, kwargs


def _map_tensors(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return change(value) if value.layout is torch.strided and not value.is_nested else value
    if type(value) in (tuple, list):
        return type(value)([_map_tensors(item, change) for item in value])
    if isinstance(value, dict):
        return {key: _map_tensors(item, change) for key, item in value.items()}
    return value


def _tensors(value: Any) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    _map_tensors(value, lambda t: found.append(t) or t)  # type: ignore[func-returns-value]
    return found


def filled(like: torch.Tensor, shape: Iterable[int]) -> torch.Tensor:
    """Return a tensor of another shape with the numbers of `like`, repeated as needed."""
    shape = tuple(shape)
    count = 1
    for size in shape:
        count *= size
    if count > 1 << 20:
        return like
    if like.numel() == 0:
        return torch.ones(shape, dtype=like.dtype)
    flat = like.reshape(-1)
    return flat.repeat(-(-count // flat.numel()) if count else 0)[:count].reshape(shape).clone()


def _resize_everywhere(rng: random.Random, args: Any, kwargs: Any) -> Any:
    """Give all dimensions of one size another size."""
    sizes = sorted({s for t in _tensors((args, kwargs)) for s in t.shape})
    if not sizes:
        return args, kwargs
    old, size = rng.choice(sizes), rng.choice(_SIZES)
    return _map_tensors((args, kwargs), lambda t: filled(t, [size if s == old else s for s in t.shape]))


def _change_one(rng: random.Random, args: Any, kwargs: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    found = _tensors((args, kwargs))
    if not found:
        return args, kwargs
    chosen = rng.choice(found)
    return _map_tensors((args, kwargs), lambda t: change(t) if t is chosen else t)


def _resize_one(rng: random.Random, args: Any, kwargs: Any) -> Any:
    """Give one dimension of one tensor another size, 1 more often than not."""

    def change(tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.ndim:
            return tensor
        shape = list(tensor.shape)
        shape[rng.randrange(len(shape))] = rng.choice(_SIZES)
        return filled(tensor, shape)

    return _change_one(rng, args, kwargs, change)


def _rank_one(rng: random.Random, args: Any, kwargs: Any) -> Any:
    """Add a leading dimension to one tensor, or take it away."""

    def change(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.ndim and rng.random() < 0.5:
            return filled(tensor, tensor.shape[1:])
        return filled(tensor, (rng.choice((1, 2, 3)), *tensor.shape))

    return _change_one(rng, args, kwargs, change)


def _rank_all(rng: random.Random, args: Any, kwargs: Any) -> Any:
    """Add a leading dimension to every tensor, or take it away."""
    if rng.random() < 0.5:
        return _map_tensors((args, kwargs), lambda t: filled(t, t.shape[1:]))
    size = rng.choice((1, 2, 3))
    return _map_tensors((args, kwargs), lambda t: filled(t, (size, *t.shape)))


def _retype_one(rng: random.Random, args: Any, kwargs: Any) -> Any:
    dtype = rng.choice(_DTYPES)
    return _change_one(rng, args, kwargs, lambda t: _to(t, dtype))


def _retype_all(rng: random.Random, args: Any, kwargs: Any) -> Any:
    """Give all tensors of one dtype another."""
    found = _tensors((args, kwargs))
    if not found:
        return args, kwargs
    old, dtype = rng.choice(found).dtype, rng.choice(_DTYPES)
    return _map_tensors((args, kwargs), lambda t: _to(t, dtype) if t.dtype == old else t)


def _to(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return (tensor.real if tensor.is_complex() and not dtype.is_complex else tensor).to(dtype)


def _renumber(rng: random.Random, args: Any, kwargs: Any) -> Any:
    """Change one plain number, flag or dtype among the arguments."""
    places = _places(args, kwargs)
    if not places:
        return args, kwargs
    container, key = rng.choice(places)
    value = container[key]
    container[key] = float(value) if type(value) is int and rng.random() < 0.1 else _other(rng, value)
    return args, kwargs


def _other(rng: random.Random, value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice((value + 1, value - 1, -value, -1, 0, 1, 2, bool(value % 2)))
    if isinstance(value, float):
        return rng.choice((-value, 0.0, 0.5, int(value) if abs(value) < 1e6 else 1, True))
    if isinstance(value, complex):
        return rng.choice((value.real, -value))
    if isinstance(value, torch.dtype):
        return rng.choice(_DTYPES)
    if type(value) in (tuple, list):
        changed = list(value)
        if changed and rng.random() < 0.3:
            changed.pop()
        elif changed:
            index = rng.randrange(len(changed))
            changed[index] = _other(rng, changed[index])
        return type(value)(changed)
    return value


def _places(args: Any, kwargs: Any) -> list[tuple[Any, Any]]:
    return [
        (container, key)
        for container, keys in ((args, range(len(args))), (kwargs, list(kwargs)))
        for key in keys
        if not _tensors(container[key]) and container[key] is not None and not isinstance(container[key], str)
    ]


def _default(rng: random.Random, args: Any, kwargs: Any) -> Any:
    """Leave out the last argument or one keyword."""
    if kwargs and (len(args) < 2 or rng.random() < 0.6):
        kwargs.pop(rng.choice(list(kwargs)))
    elif len(args) > 1:
        args.pop()
    return args, kwargs


_MUTATIONS = (
    _resize_everywhere, _resize_everywhere, _resize_one, _resize_one, _rank_one, _rank_all, _retype_one, _retype_all,
    _renumber, _renumber, _renumber, _default,
)  # fmt: skip
_PLAIN_MUTATIONS = (_renumber, _renumber, _default)
