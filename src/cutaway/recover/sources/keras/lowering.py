"""A network of Keras, read from source or a file, to a graph."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.core.architecture import Architecture, Op
from cutaway.core.contents import Stored
from cutaway.recover.graph import Graph
from cutaway.recover.sources.keras.recurrent import collapse_recurrent
from cutaway.recover.sources.keras.table import TABLE
from cutaway.recover.sources.traced import Table, traced


def lowered(architecture: Architecture, stored: Mapping[str, Stored], is_named_by_file: bool = False) -> Graph:
    """Return the graph of a network."""
    TABLE.load()
    architecture, layers = collapse_recurrent(architecture)
    graph = traced(architecture, stored, _key, layers=layers)
    separator = architecture.separator
    paths = {module.path for module in architecture.modules if module.path}
    outer = {path.rpartition(separator)[0] for path in paths} - set(layers)
    graph.layers = {tuple(path.split(separator)) for path in paths - outer}
    return graph


def _key(op: Op) -> tuple[Table, str]:
    return TABLE, op.op.removeprefix("keras.ops.").removeprefix("keras.src.")
