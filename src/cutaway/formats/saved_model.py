"""SavedModels, frozen graphs and meta graphs of TensorFlow, in binary form and as text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from cutaway.core.architecture import Architecture, Note
from cutaway.core.error import CutawayError, one_line
from cutaway.core.place import Place
from cutaway.core.record import replace
from cutaway.formats.beginnings import FUNCTIONS_FIRST, GRAPH, SAVED_MODEL
from cutaway.formats.graph_def import saved_objects, text_form
from cutaway.formats.graph_def.messages import (
    Fields,
    Graph,
    ToldShape,
    decoded,
    dtype,
    entries,
    graph,
    messages,
    number,
    parse,
    shape,
    text,
)
from cutaway.formats.protobuf import Malformed, viewed

if TYPE_CHECKING:
    from cutaway.core.contents import Contents
    from cutaway.formats.graph_def.architecture import Network

_MAIN = "serving_default"
_INITIAL = "__saved_model_init_op"
_SINKS = frozenset(
    """NoOp Assert SaveV2 Save MergeV2Checkpoints Assign AssignVariableOp AssignAdd AssignSub InitializeTableV2
    ScalarSummary HistogramSummary MergeSummary ImageSummary ShardedFilename RestoreV2 Restore ControlTrigger""".split()
)
_SOURCES = frozenset(["Placeholder", "Const", "VarHandleOp", "VariableV2", "Variable", "PlaceholderV2"])


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read the networks of a file: one for each signature, the one that is served by default first."""
    with _refusing(path):
        networks, notes = _networks(file, path)
        found = _described(networks)
    return [replace(each, assumptions=(*each.assumptions, *notes)) for each in found] if notes else found


def contents(file: BinaryIO, path: str, name: str) -> Contents:
    """Return what one of the networks of a file contains, the first one without a name."""
    # late: which reader a file is for is asked of all of them
    from cutaway.formats.graph_def.contents import contents as contained

    with _refusing(path):
        networks, _ = _networks(file, os.path.join(path, os.path.basename(file.name)) if os.path.isdir(path) else path)
        chosen = next((each for each in networks if each.name == name), networks[0])
        return contained(chosen)


@contextmanager
def _refusing(path: str) -> Iterator[None]:
    try:
        yield
    except Malformed as error:
        raise CutawayError(
            f"{path}: it is not a graph of operations, or it is damaged: {one_line(str(error))}"
        ) from None
    except RecursionError:
        raise CutawayError(f"{path}: its messages are nested too deeply") from None


def _networks(file: BinaryIO, path: str) -> tuple[list[Network], list[Note]]:
    """Return the networks of a file, and what is to be noted of all of them."""
    head = file.read(64)
    file.seek(0)
    data: Any
    if text_form.sniff(head):
        kind, data = text_form.encoded(file)
    else:
        data = viewed(file)
        kind = _kind(head, data)
    if kind == "SavedModel":
        return _saved_model(parse(data), path)
    if kind == "MetaGraphDef":
        return _meta_graph(parse(data), path, None), []
    return [_bare_graph(graph(data), path, os.path.basename(path))], []


def read_graph(data: bytes, path: str) -> Architecture:
    """Describe a graph that is part of a file."""
    return _described([_bare_graph(graph(memoryview(data)), path, os.path.basename(path))])[0]


def read_meta_graph(data: bytes, path: str) -> list[Architecture]:
    """Describe a graph with signatures that is part of a file."""
    return _described(_meta_graph(parse(memoryview(data)), path, None))


def _kind(head: bytes, data: Any) -> str:
    if SAVED_MODEL.match(head):
        return "SavedModel"
    if GRAPH.match(head) or FUNCTIONS_FIRST.match(head):
        try:
            first = parse(parse(data)[1][0]) if head[:1] == b"\x0a" else {}
        except (Malformed, KeyError, TypeError):
            raise Malformed("its first message can't be read") from None
        is_node = 1 in first and 2 in first and not isinstance(first[2][-1], int)
        if head[:1] != b"\x0a" or (is_node and re.fullmatch(r"[A-Za-z_>][A-Za-z0-9_>./]*", decoded(first[2][-1]))):
            return "GraphDef"
    return "MetaGraphDef"


def _saved_model(fields: Fields, path: str) -> tuple[list[Network], list[Note]]:
    graphs = messages(fields, 2)
    if not graphs:
        raise CutawayError(f"{path}: it is a SavedModel without a graph")
    tags = [[decoded(tag) for tag in _information(each).get(4, ())] for each in graphs]
    chosen = next((each for each, names in zip(graphs, tags) if "serve" in names), graphs[0])
    found = _meta_graph(chosen, path, os.path.dirname(path))
    if len(graphs) > 1:
        others = ", ".join("+".join(names) or "no tags" for each, names in zip(graphs, tags) if each is not chosen)
        return found, [Note(f"it has other graphs, which are not shown: {others}", Place(path))]
    return found, []


def _information(fields: Fields) -> Fields:
    return parse(fields[1][-1]) if 1 in fields else {}


def _described(networks: list[Network]) -> list[Architecture]:
    # late: which reader a file is for is asked of all of them
    from cutaway.formats.graph_def.architecture import architecture

    return [architecture(network) for network in networks]


def _meta_graph(fields: Fields, path: str, folder: str | None) -> list[Network]:
    # late: which reader a file is for is asked of all of them
    from cutaway.formats.graph_def.architecture import Network

    if 2 not in fields:
        raise CutawayError(f"{path}: it has no graph")
    whole = graph(fields[2][-1])
    objects = saved_objects.read(fields[7][-1], folder) if 7 in fields else None
    shapes = _checkpoint(folder) if folder is not None else {}
    signatures = {name: parse(data) for name, data in entries(fields, 5).items() if name != _INITIAL}
    named = os.path.basename(folder.rstrip(os.sep)) if folder else os.path.basename(path)
    made = []
    for name in sorted(signatures, key=lambda each: (each != _MAIN, each)):
        inputs = {key: _tensor_info(info) for key, info in sorted(entries(signatures[name], 1).items())}
        outputs = {key: _tensor_info(info)[0] for key, info in sorted(entries(signatures[name], 2).items())}
        if not outputs or not all(outputs.values()):
            continue
        target = f"{path}::{name}"
        made.append(Network(whole, name, target, path, inputs, outputs, objects, shapes, folder=folder))
    if made:
        first = made[0]
        return [replace(first, target=path if len(made) == 1 else first.target), *made[1:]]
    if objects is not None and objects.variables and not _has_body(whole):
        return [Network(whole, named, path, path, {}, {}, objects, shapes, folder=folder)]
    return [_bare_graph(whole, path, named, shapes, folder)]


def _has_body(whole: Graph) -> bool:
    """Tell whether a graph computes something outside of functions."""
    plain = ("VarHandleOp", "Placeholder", "Const", "StatefulPartitionedCall", "NoOp", "ReadVariableOp", "Identity")
    return any(node.op not in plain for node in whole.nodes)


def _tensor_info(data: Any) -> tuple[str, ToldShape, str | None]:
    fields = parse(data)
    return text(fields, 1), shape(fields[3][-1]) if 3 in fields else None, dtype(number(fields, 2))


def _checkpoint(folder: str) -> dict[str, tuple[ToldShape, str | None]]:
    """Return the shapes of variables in the checkpoint beside a graph."""
    from cutaway.formats import tf_checkpoint  # late: only graphs whose variables have no shape need it

    return tf_checkpoint.shapes(os.path.join(folder, "variables", "variables.index"))


def _bare_graph(
    whole: Graph,
    path: str,
    name: str,
    shapes: Mapping[str, tuple[ToldShape, str | None]] | None = None,
    folder: str | None = None,
) -> Network:
    """Return the network of a graph without signatures: from its placeholders to what nothing else reads."""
    # late: which reader a file is for is asked of all of them
    from cutaway.formats.graph_def.architecture import Network

    if not whole.nodes:
        raise CutawayError(f"{path}: its graph has no operations")
    if not any(node.op for node in whole.nodes):
        raise CutawayError(f"{path}: it is not a graph of TensorFlow: its nodes name no operation")
    read = {each.lstrip("^").partition(":")[0] for node in whole.nodes for each in node.inputs}
    training = _of_training(whole)
    ends = [n.name for n in whole.nodes if n.name not in read and n.op not in _SINKS and n.op not in _SOURCES]
    outputs = [each for each in ends if each not in training] or ends
    reached = _reached(whole, outputs)
    inputs = {
        node.name: (node.name, whole.placeholder_shape(node), node.type("dtype"))
        for node in whole.nodes
        if node.op in ("Placeholder", "PlaceholderV2") and (node.name in reached or not read)
    }
    every = [n.name for n in whole.nodes if n.op not in _SINKS and n.op not in _SOURCES and n.name not in training]
    named = {each: each for each in outputs}
    return Network(whole, name, path, path, inputs, named, None, shapes or {}, every, folder)


def _reached(whole: Graph, names: list[str]) -> set[str]:
    """Return the nodes that some depend on."""
    nodes = {node.name: node for node in whole.nodes}
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found and name in nodes:
            found.add(name)
            waiting += [each.partition(":")[0] for each in nodes[name].inputs if not each.startswith("^")]
    return found


def _of_training(whole: Graph) -> set[str]:
    """Return the nodes that only save, restore or initialise variables."""
    nodes = {node.name: node for node in whole.nodes}
    readers: dict[str, list[str]] = {}
    for node in whole.nodes:
        for each in node.inputs:
            readers.setdefault(each.lstrip("^").partition(":")[0], []).append(node.name)
    found = {
        name
        for name in nodes
        if nodes[name].op in _SINKS or name.startswith(("save/", "save_1/", "report_uninitialized"))
    }
    waiting = list(found)
    while waiting:
        name = waiting.pop()
        for each in nodes[name].inputs if name in nodes else ():
            below = each.lstrip("^").partition(":")[0]
            if below in nodes and below not in found and nodes[below].op not in _SOURCES:
                if all(reader in found for reader in readers.get(below, ())):
                    found.add(below)
                    waiting.append(below)
    return found
