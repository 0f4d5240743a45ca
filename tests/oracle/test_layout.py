"""How tensors lie in memory, against torch: random chains of views and elementwise operations."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from cutaway.core import session  # noqa: E402
from cutaway.core.session import Session  # noqa: E402
from cutaway.knowledge.base import registry  # noqa: E402
from cutaway.knowledge.torch.tensor.tensor import new, strides_of  # noqa: E402

Step = tuple[str, Callable[[Any], Any]]


def cat(tensor: Any, dim: int) -> Any:
    """Return a tensor beside itself."""
    join = torch.cat if isinstance(tensor, torch.Tensor) else registry.TABLE["torch.cat"]
    return join([tensor, tensor], dim)


def steps(shape: tuple[int, ...], rng: random.Random) -> Step:
    """Return something to do to a tensor of this shape, by methods that both kinds of tensors have."""
    rank = len(shape)
    first, second = rng.randrange(rank), rng.randrange(rank)
    order = rng.sample(range(rank), rank)
    kinds: list[Step] = [
        (f"transpose({first}, {second})", lambda t: t.transpose(first, second)),
        (f"permute({order})", lambda t: t.permute(order)),
        (f"unsqueeze({first})", lambda t: t.unsqueeze(first)),
        ("t[..., None]", lambda t: t[..., None]),
        ("contiguous()", lambda t: t.contiguous()),
        ("t + t", lambda t: t + t),
        ("t + 1", lambda t: t + 1),
        ("relu()", lambda t: t.relu()),
        (f"cat({first})", lambda t: cat(t, first)),
        ("softmax(-1)", lambda t: t.softmax(-1)),
        ("t + t.contiguous()", lambda t: t + t.contiguous()),
        ("reshape(-1)", lambda t: t.reshape(-1)),
        (
            f"flatten({min(first, second)}, {max(first, second)})",
            lambda t: t.flatten(min(first, second), max(first, second)),
        ),
        (f"t[{first} full]", lambda t: t[(slice(None),) * first + (slice(0, shape[first]),)]),
    ]
    if rank > 1:
        kinds.append((f"select({first}, 0)", lambda t: t.select(first, 0)))
        kinds.append((f"unbind({first})[0]", lambda t: t.unbind(first)[0]))
    if shape[first] > 1:
        kinds.append((f"t[{first}, 1:]", lambda t: t[(slice(None),) * first + (slice(1, None),)]))
        kinds.append((f"chunk(2, {first})[0]", lambda t: t.chunk(2, first)[0]))
    if shape[first] == 1:
        kinds.append((f"squeeze({first})", lambda t: t.squeeze(first) if rank > 1 else t))
        wider = [*shape[:first], 3, *shape[first + 1 :]]
        kinds.append((f"expand({wider})", lambda t: t.expand(*wider)))
    halves = [at for at, size in enumerate(shape) if size % 2 == 0]
    if halves and rank < 6:
        at = rng.choice(halves)
        wanted = [*shape[:at], 2, shape[at] // 2, *shape[at + 1 :]]
        kinds.append((f"reshape({wanted})", lambda t: t.reshape(*wanted)))
    return rng.choice(kinds)


@pytest.mark.parametrize("seed", range(300))
def test_strides_are_those_of_torch(seed: int) -> None:
    registry.load("torch")
    rng = random.Random(seed)
    shape = tuple(rng.choice((1, 2, 3, 4)) for _ in range(rng.randint(1, 4)))
    real, ours = torch.zeros(shape), new(shape)
    done = [f"zeros{shape}"]
    with session.installed(Session()):
        for _ in range(8):
            name, step = steps(tuple(real.shape), rng)
            done.append(name)
            real, ours = step(real), step(ours)
            assert tuple(ours.shape) == tuple(real.shape), done
            if ours._contiguous or strides_of(ours) is not None:
                assert ours._contiguous == real.is_contiguous(), done


@pytest.mark.parametrize("seed", range(200))
def test_what_einsum_makes_of_two_lies_as_in_torch(seed: int) -> None:
    registry.load("torch")
    rng = random.Random(seed)
    extent = {letter: rng.randint(2, 5) for letter in "abcde"}
    left, right = rng.sample("abcde", rng.randint(1, 4)), rng.sample("abcde", rng.randint(1, 4))
    # An index of one operand alone that is summed is summed before; how that lies is not followed.
    kept = [i for i in sorted({*left, *right}) if (i in left) != (i in right) or rng.random() < 0.6]
    rng.shuffle(kept)
    equation = f"{''.join(left)},{''.join(right)}->{''.join(kept)}"
    for index in kept:
        extent[index] = rng.randint(1, 4)
    shapes = [tuple(extent[letter] for letter in labels) for labels in (left, right)]
    real = torch.einsum(equation, *map(torch.zeros, shapes))
    with session.installed(Session()):
        ours = registry.TABLE["torch.einsum"](equation, *map(new, shapes))
        assert ours._contiguous == real.is_contiguous(), equation


@pytest.mark.parametrize("seed", range(200))
def test_what_is_repeated_lies_as_in_torch(seed: int) -> None:
    registry.load("torch")
    rng = random.Random(seed)
    shape = tuple(rng.choice((1, 1, 2, 3)) for _ in range(rng.randint(1, 4)))
    wide = [rng.choice((2, 3)) if size == 1 and rng.random() < 0.5 else size for size in shape]
    order = rng.sample(range(len(shape)), len(shape))
    real = torch.zeros(shape).expand(wide).permute(order)[..., None] * 2
    with session.installed(Session()):
        ours = new(shape).expand(*wide).permute(*order)[..., None] * 2
        known = strides_of(ours)
        if known is not None:
            assert [s for s, n in zip(known, real.shape) if n > 1] == [
                s for s, n in zip(real.stride(), real.shape) if n > 1
            ]
