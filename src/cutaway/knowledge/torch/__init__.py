"""PyTorch: what `torch` contains. Every file registers its own rows."""

from __future__ import annotations

LATER = frozenset(
    """data distributions fft linalg linalg_norm linear_solve lowrank optim resize triangular
    functional.classification functional.distance functional.loss nn.adaptive nn.distance nn.fold
    nn.linear_cross_entropy nn.loss nn.packed nn.parametrizations nn.parametrize nn.prune nn.quantized nn.rnn
    nn.rnn_cell nn.transformer nn.weight_norm""".split()
)
"""Files that few networks need: they are read when a name is not found in the others."""
