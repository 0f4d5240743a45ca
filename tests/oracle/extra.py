"""Samples for rows that neither torch's op database nor its documentation calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy
import torch

from .check import Call

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def t(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Return a tensor with small, different, non-zero numbers."""
    count = 1
    for size in shape:
        count *= size
    return ((torch.arange(count) % 7 + 1) * (0.25 if dtype.is_floating_point else 1)).to(dtype).reshape(shape)


def a(*args: Any, **kwargs: Any) -> Arguments:
    """Return call arguments as they are written in a call."""
    return args, kwargs


_MATRICES = [t(3, 4), t(6, 2), t(5, 3, 2), t(8, 4, 3, 3)]
_TENSORS = [
    t(),
    t(3),
    t(2, 3),
    t(2, 3, dtype=torch.int64),
    t(0, 3),
    t(2, 2, dtype=torch.bool),
    t(2, dtype=torch.complex64),
]
_PLAIN = (
    "nelement ndimension is_set_to is_same_size get_device is_floating_point is_complex is_signed is_inference "
    "is_distributed is_conj is_neg is_pinned is_shared is_coalesced numpy __array__ is_nonzero retain_grad pin_memory "
    "share_memory_ detach detach_ detach_copy __reversed__ view_as_real_copy"
).split()
_INIT = (
    "ones_ zeros_ _no_grad_zero_ eye_ dirac_ xavier_uniform_ xavier_normal_ kaiming_normal_ kaiming_uniform_ orthogonal_ "
    "trunc_normal_ uniform_ normal_"
).split()
_WINDOWS = "hann bartlett blackman hamming kaiser".split()


def _rnn(
    gates: int, cell_state: bool, bidirectional: bool = False, batch_first: bool = False, layers: int = 2
) -> Arguments:
    hidden, size, ways = 5, 3, 2 if bidirectional else 1
    weights: list[torch.Tensor] = []
    for layer in range(layers):
        for _ in range(ways):
            width = size if layer == 0 else hidden * ways
            weights += [t(gates * hidden, width), t(gates * hidden, hidden), t(gates * hidden), t(gates * hidden)]
    state = t(layers * ways, 4, hidden)
    start = (state, state.clone()) if cell_state else state
    shape = (4, 7, size) if batch_first else (7, 4, size)
    return a(t(*shape), start, weights, True, layers, 0.0, False, bidirectional, batch_first)


def _cell(gates: int, cell_state: bool) -> Arguments:
    state = t(4, 5)
    start = (state, state.clone()) if cell_state else state
    return a(t(4, 3), start, t(gates * 5, 3), t(gates * 5, 5), t(gates * 5), t(gates * 5))


def _table() -> dict[str, list[Arguments]]:
    table: dict[str, list[Arguments]] = {}
    for name in _PLAIN:
        for owner in ("torch", "torch.Tensor"):
            table[f"{owner}.{name}"] = [a(x.clone()) for x in _TENSORS] + [a(x.clone(), t(2, 3)) for x in _TENSORS]
    for name in _INIT:
        table[f"torch.nn.init.{name}"] = [a(x.clone()) for x in _MATRICES]
    table["torch.nn.init._no_grad_uniform_"] = table["torch.nn.init._no_grad_normal_"] = [a(t(3, 4), 0.0, 1.0)]
    table["torch.nn.init._no_grad_trunc_normal_"] = [a(t(3, 4), 0.0, 1.0, -2.0, 2.0)]
    table["torch.nn.init._no_grad_fill_"] = [a(t(3, 4), 2.5), a(t(0), 1.0)]
    table["torch.nn.init.sparse_"] = [a(t(6, 4), 0.5), a(t(6, 4), sparsity=0.1, std=0.1), a(t(3), 0.1)]
    for name in _WINDOWS:
        table[f"torch.{name}_window"] = [
            *(a(n) for n in (0, 1, 2, 5, 8)), *(a(n, False) for n in (1, 4, 7)), a(6, dtype=torch.float64),
            a(window_length=5, periodic=True), a(4, dtype=torch.int64),
        ]  # fmt: skip
    table["torch.range"] = [a(0, 4), a(1, 5, 2), a(0, 1, 0.25), a(5, 1, -2), a(0, 4, dtype=torch.int64), a(2.5, 2)]
    for owner in ("torch", "torch._VF"):
        for name, gates, pair in (("lstm", 4, True), ("gru", 3, False), ("rnn_tanh", 1, False), ("rnn_relu", 1, False)):
            table[f"{owner}.{name}"] = [
                _rnn(gates, pair), _rnn(gates, pair, bidirectional=True), _rnn(gates, pair, batch_first=True),
                _rnn(gates, pair, layers=1),
            ]  # fmt: skip
            table[f"{owner}.{name}_cell"] = [_cell(gates, pair)]
    for rank, shape in ((1, (2, 3, 9)), (2, (2, 3, 9, 8)), (3, (2, 3, 9, 8, 7))):
        x = t(*shape)
        pools = [a(x, 3), a(x, 2, 1), a(x, 3, 2, 1), a(x, 3, 2, 0, 2), a(x, 2, 3, ceil_mode=True), a(x[0], 2)]
        for owner in ("torch.nn.functional", "torch", "torch._C._nn"):
            table[f"{owner}.max_pool{rank}d_with_indices"] = pools
        table[f"torch.nn.functional.lp_pool{rank}d"] = [
            a(x, 2, 3), a(x, 2, 3, 2), a(x, norm_type=1.0, kernel_size=2, stride=3, ceil_mode=True), a(x, float("inf"), 2),
        ]  # fmt: skip
        table[f"torch.nn.functional.adaptive_max_pool{rank}d_with_indices"] = [
            a(x, 3), a(x, (2,) * rank), a(x, 5, True), a(x[0], 3), a(x, (None,) * rank),
        ]  # fmt: skip
        if rank > 1:
            table[f"torch.nn.functional.fractional_max_pool{rank}d_with_indices"] = [
                a(x, 2, output_size=3), a(x, 2, output_ratio=0.5), a(x, 2, output_ratio=(0.5,) * rank), a(x, 2),
            ]  # fmt: skip
        pairs = [0] * rank
        weights = t(6, 3, *([3] * rank))
        base = (x, weights, None, [2] * rank, [1] * rank, [1] * rank)
        table.setdefault("torch.convolution", []).extend(
            [
                a(*base, False, pairs, 1),
                a(x, t(3, 4, *([3] * rank)), t(4), [2] * rank, pairs, [1] * rank, True, [1] * rank, 1),
            ]
        )
        table.setdefault("torch._convolution", []).append(a(*base, False, pairs, 1, False, False, True, True))
        size = (2, 3, *range(4, 4 + rank))
        theta = t(2, rank, rank + 1)
        if rank > 1:
            table.setdefault("torch.nn.functional.affine_grid", []).extend([a(theta, size), a(theta, size, True)])
            table.setdefault("torch.affine_grid_generator", []).append(a(theta, size, False))
            table.setdefault("torch.grid_sampler", []).append(a(x, t(2, *range(4, 4 + rank), rank) / 2, 0, 0, False))
        table.setdefault("torch.nn.functional.upsample", []).extend(
            [
                a(x, scale_factor=2),
                a(x, tuple(range(4, 4 + rank))),
                a(x, size=6, mode="nearest"),
                a(x, scale_factor=1.5),
            ]
        )
    for name in ("torch.conv_tbc", "torch.nn.functional.conv_tbc"):
        table[name] = [a(t(7, 2, 3), t(3, 3, 5), t(5)), a(t(7, 2, 3), t(3, 3, 5), t(5), 1)]
    table["torch.nn.functional.fold"] = [
        a(t(1, 12, 12), (4, 5), 2), a(t(1, 12, 12), output_size=(4, 5), kernel_size=(2, 2)), a(t(12, 12), (4, 5), 2),
        a(t(2, 8, 16), (8, 8), 2, 1, 0, 2), a(t(2, 8, 25), (8, 8), 2, 1, 1, 2), a(t(2, 9, 9), (5, 5), 3),
    ]  # fmt: skip
    for name in (
        "torch.nn.functional.dropout1d",
        "torch.feature_dropout",
        "torch.feature_dropout_",
        "torch.native_dropout",
    ):
        table[name] = [
            a(t(2, 3, 4), 0.5, True),
            a(t(2, 3, 4), 0.0, False),
            a(t(3, 4), 0.5, False),
            a(t(2, 3, 4), 1.5, True),
        ]
    for name in ("torch.nn.functional.grouped_mm", "torch._grouped_mm"):
        table[name] = [a(t(2, 8, 16, dtype=torch.bfloat16), t(2, 16, 8, dtype=torch.bfloat16))]
    table["torch._embedding_bag"] = [
        a(t(10, 3), t(6, dtype=torch.int64), torch.tensor([0, 4]), False, m) for m in (0, 1, 2)
    ]
    table["torch.embedding_renorm_"] = [a(t(10, 3), torch.tensor([1, 2]), 1.0, 2.0)]
    table["torch.norm_except_dim"] = [a(t(3, 4, 5), 2, d) for d in (0, -1, 2)]
    table["torch._weight_norm"] = [a(t(3, 4), t(3, 1), 0), a(t(3, 4), t(1, 4), 1)]
    table["torch._weight_norm_interface"] = [a(t(3, 4), t(3, 1), 0)]
    table["torch.binomial"] = [a(t(2, 3), t(2, 3) / 4), a(t(3), t(3) / 4)]
    for name in ("torch.frobenius_norm", "torch.nuclear_norm"):
        table[name] = [a(t(3, 4), [0, 1]), a(t(3, 4), [0, 1], True), a(t(2, 3, 4), dim=(1, 2), keepdim=False)]
    for owner in ("torch", "torch.Tensor"):
        table[f"{owner}.unsafe_split_with_sizes"] = [a(t(7, 2), [3, 4]), a(t(2, 7), (1, 2, 4), -1), a(t(7), [3, 3])]
    table["torch.slice_copy"] = [a(t(7, 2), 0, 1, 5, 2), a(t(7, 2), 1), a(t(7, 2))]
    table["torch.select_copy"] = [a(t(7, 2), 0, 3), a(t(7, 2), -1, -1), a(t(7), 0, 9)]
    table["torch.split_copy"] = [a(t(7, 2), 3), a(t(2, 7), 2, 1)]
    table["torch.view_as_complex_copy"] = [a(t(3, 2)), a(t(4, 3))]
    table["torch.Tensor.type_as"] = [a(t(3), t(2, dtype=d)) for d in (torch.int64, torch.float64, torch.float32)]
    table["torch.Tensor.__idiv__"] = [a(t(2, 3), 2), a(t(2, 3), t(3)), a(t(2, dtype=torch.int64), 2)]
    table["torch.Tensor.set_"] = [a(t(2, 3), t(4)), a(t(3), t(3)), a(t(2), t(2, 0))]
    table["torch.Tensor.new"] = [a(t(2), 3, 4), a(t(2, dtype=torch.float64), 2), a(t(2))]
    table["torch.from_numpy"] = [
        a(numpy.arange(6).reshape(2, 3)),
        a(numpy.zeros((2, 0), "float32")),
        a(numpy.ones(3, bool)),
    ]
    table["torch.frombuffer"] = [a(bytearray(16), dtype=torch.float32), a(bytearray(16), dtype=torch.int64, offset=8)]
    for name in ("torch.svd_lowrank", "torch.pca_lowrank", "torch._lowrank.svd_lowrank", "torch._lowrank.pca_lowrank"):
        table[name] = [a(t(9, 7)), a(t(2, 9, 7), q=3)]
    return table


def _einops() -> dict[str, list[Arguments]]:
    x = t(2, 6, 4, 5)
    rearrange = [
        a(x, "b c h w -> b (h w) c"), a(x, "b (c d) h w -> b d c (h w)", d=3), a(x, "b ... -> ... b"), a(x, "b c h w -> (b c h w)"),
        a(x, "b c (h p) (w q) -> b (c p q) h w", p=2, q=5), a([t(3, 4), t(3, 4)], "n a b -> a (n b)"), a(x, "b c h w -> b c h"),
        a(x, "b c h w -> b 1 c h w ()"), a(x, "b (c d) h w -> b c d h w", d=4), a(x, "b c -> c b"),
    ]  # fmt: skip
    repeat = [
        a(t(3, 4), "h w -> h w c", c=2),
        a(t(3, 4), "h w -> (h r) w", r=3),
        a(t(4), "d -> b n d", b=2, n=3),
        a(t(3), "h w -> h"),
    ]
    reduce = [
        a(x, "b c h w -> b c", "mean"), a(x, "b c (h p) w -> b c h w", "max", p=2), a(x, "b c h w -> b c 1 1", "sum"),
        a(x, "... w -> ...", "min"), a(t(2, 3, dtype=torch.int64), "a b -> a", "prod"), a(x, "b c h w -> ", "sum"),
    ]  # fmt: skip
    einsum = [a(t(2, 3), t(3, 4), "i j, j k -> i k"), a(x, t(5, 3), "b c h w, w o -> b c h o"), a(t(2, 3), "i j -> j")]
    pack = [a([t(2, 3, 4), t(2, 4), t(2, 5, 6, 4)], "b * d"), a([t(2), t(2)], "*"), a([t(2, 3), t(3, 3)], "a *")]
    unpack = [
        a(t(2, 7, 4), [(3,), (4,)], "b * d"),
        a(t(2, 7, 4), [(3,), ()], "b * d"),
        a(t(2, 6), [(2, 1), (-1,)], "b *"),
    ]
    table = {"rearrange": rearrange, "repeat": repeat, "reduce": reduce, "einsum": einsum}
    named = {f"{home}.{name}": found for name, found in table.items() for home in ("einops", "einops.einops")}
    for home in ("einops", "einops.packing"):
        named |= {f"{home}.pack": pack, f"{home}.unpack": unpack}
    return named


TABLES: tuple[Callable[[], dict[str, list[Arguments]]], ...] = (_table, _einops)


def table() -> dict[str, list[Arguments]]:
    """Return all extra arguments by row name."""
    return {name: found for make in TABLES for name, found in make().items()}


def from_extra(name: str) -> Iterator[Call]:
    """Yield the extra calls of one row."""
    for number, (args, kwargs) in enumerate(table().get(name, ())):
        yield Call(name, args, kwargs, f"extra #{number}")
