"""PyTorch: what `torch` contains. Every file registers its own rows."""

from __future__ import annotations

LATER = frozenset(
    """distributions fft torchvision_ops linalg.decomposition linalg.norm linalg.solve linalg.lowrank linalg.triangular
    runtime.custom_ops runtime.data runtime.optim shape.resize functional.attention functional.classification functional.distance functional.embedding functional.loss functional.padding
    functional.vision nn.adaptive nn.attention nn.channelshuffle nn.distance nn.fold nn.instancenorm
    nn.linear_cross_entropy nn.loss nn.packed nn.padding nn.parallel nn.parameter_container nn.parametrizations
    nn.parametrize nn.pixelshuffle nn.prune nn.quantized nn.rnn nn.rnn_cell nn.sparse nn.transformer nn.upsampling
    nn.weight_norm""".split()
)
"""Files that not every network needs: they are read when a name in them is not found in the others."""

WITHOUT_EFFECT = ("torch.fx.", "torch.jit.", "torch.library.", "torch.ops.")
"""Beginnings of the names of functions whose calls need not be made where they stand: they mark functions for tools, or
register operators, which are looked for in modules that wait."""
