"""The numbers of a graph's variables, in the checkpoint beside it."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator

from cutaway.core import disk
from cutaway.core.contents import Stored
from cutaway.formats import tf_checkpoint
from cutaway.formats.graph_def import kinds
from cutaway.formats.graph_def.messages import Graph
from cutaway.formats.graph_def.saved_objects import Objects
from cutaway.formats.graph_def.tensor_content import in_shard
from cutaway.formats.protobuf import Malformed

_NUMBERED = re.compile(r"(.+)_\d+")
_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"


def in_checkpoint(folder: str, graph: Graph, objects: Objects | None) -> dict[str, Stored]:
    """Return what is stored of the variables of a graph, by the names of their nodes; empty where there is no checkpoint."""
    index = os.path.join(folder, "variables", "variables.index")
    if not disk.is_file(index):
        return {}
    try:
        found, count = tf_checkpoint.entries(index)
        keys = dict(_keys(graph, objects, tf_checkpoint.tracked(index) if objects is not None else b"", set(found)))
    except (OSError, Malformed):
        return {}  # the weights of the network are then without numbers
    stored = {}
    for node, key in keys.items():
        entry = found[key]
        if entry.dtype is not None:
            path = tf_checkpoint.shard(index, entry.shard, count)
            pieces = in_shard(path, node, entry.start, entry.length)
            stored[node] = Stored(node, entry.dtype, entry.shape, pieces)
    return stored


def _keys(graph: Graph, objects: Objects | None, tracked: bytes, known: set[str]) -> Iterator[tuple[str, str]]:
    """Yield nodes of variables with their keys; those of one name are numbered in the order of the objects."""
    nodes = [node.name for node in graph.nodes if node.op in kinds.HANDLES or node.op in kinds.VARIABLES]
    waiting: dict[str, list[str]] = defaultdict(list)
    for name, key in objects.keys(tracked) if objects is not None and tracked else ():
        waiting[name].append(key)
    for node in nodes:
        match = _NUMBERED.fullmatch(node)
        name = node if waiting.get(node) or match is None else match.group(1)
        if waiting.get(name):
            key = waiting[name].pop(0)
            if key in known:
                yield node, key
        elif node in known:
            yield node, node
        elif f"{node}{_VALUE}" in known:
            yield node, f"{node}{_VALUE}"
