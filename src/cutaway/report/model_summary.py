"""The summary of a network as notebooks know it: printed, with figures to read off, and a page in a notebook."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.architecture import Architecture, Quantity
from cutaway.report import table, terminal
from cutaway.report.notebook import as_html

NAMES = {
    "input_size": "input",
    "output_size": "output",
    "num_params": "params",
    "params_percent": "share",
    "kernel_size": "kernel",
    "mult_adds": "macs",
    "trainable": "trainable",
}
"""The names of columns in other summaries, with ours."""


class Summary:
    """A table of networks, with the totals of the first one."""

    def __init__(self, networks: Sequence[Architecture], columns: Sequence[str], depth: int | None) -> None:
        self.networks = tuple(networks)
        self.columns = tuple(NAMES.get(name, name) for name in columns)
        self.depth = depth

    @property
    def total_params(self) -> Quantity:
        """The number of parameters."""
        return self.networks[0].totals.parameters

    @property
    def trainable_params(self) -> Quantity:
        """The number of parameters that are trained."""
        return self.networks[0].totals.trainable_parameters

    @property
    def total_mult_adds(self) -> Quantity:
        """The number of multiply-accumulates."""
        return self.networks[0].totals.macs

    def __str__(self) -> str:
        return table.render(
            self.networks,
            width=terminal.PIPED_WIDTH,
            colour=False,
            unicode=True,
            depth=self.depth,
            columns=self.columns,
        ).rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(self.networks)
