"""Construction code from a saved graph: the code, its weights, and what of it was compared with the original."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import BinaryIO

from cutaway.core.architecture import Architecture, Value
from cutaway.core.contents import Contents, Stored
from cutaway.core.error import CutawayError, one_line
from cutaway.formats import dispatch
from cutaway.recover.graph import Graph
from cutaway.recover.layout import settle_layouts
from cutaway.recover.proof import differences
from cutaway.recover.raising.pattern import raise_early, raise_patterns
from cutaway.recover.result import Recovered
from cutaway.recover.sizes import settle
from cutaway.recover.sources.keras import lowering as keras
from cutaway.recover.sources.onnx import lowering as onnx
from cutaway.recover.sources.torch import lowering as torch
from cutaway.recover.structure.scopes import dissolve_layers, name_scopes
from cutaway.recover.targets.dialect import Dialect
from cutaway.recover.targets.keras.dialect import KerasDialect
from cutaway.recover.targets.keras.rewriting import to_keras
from cutaway.recover.targets.program import Program, write_program
from cutaway.recover.targets.torch.dialect import TorchDialect
from cutaway.recover.weights import write_weights


def recovered(
    target: str,
    to: str,
    read: Callable[[], Architecture],
    read_again: Callable[[str, str, tuple[Value, ...]], Architecture],
    weights_path: str | None = None,
    weights_file: BinaryIO | None = None,
    checkpoint: str | None = None,
    origin: str | None = None,
) -> Recovered:
    """Return the code that builds a network; its weights are written to a file if there is one.

    `read` returns the network of the target, `read_again` that of recovered source, given the name of its class and its
    inputs. `checkpoint` is a file that has the weights of a network whose source has none. `origin` is what the code is said to
    be recovered from, the target where it is not given.
    """
    file = os.path.basename(weights_path or "")
    origin = f"Recovered from {os.path.basename(origin or target)}."
    with ExitStack() as opened:
        contents = opened.enter_context(dispatch.contents(target))
        original = None
        if contents is not None:
            graph = onnx.lowered(contents)
        else:
            original = read()
            stored = opened.enter_context(dispatch.stored(checkpoint or target, original))
            if checkpoint is not None:
                _demand(checkpoint, original, stored)
            graph = _graph(original, stored, dispatch.names_operations(target))
        program = written(graph, to, origin, file)
        if weights_file is not None:
            write_weights(weights_file, program.weights)
    try:
        original = original or read()
        again = read_again(program.source, program.class_name, original.inputs)
        different = tuple(differences(original, again, program.weights))
    except CutawayError as error:
        different = (f"the recovered code can't be read again: {error}",)
    shapes = {name: tensor.shape for name, tensor in program.weights.items()}
    return Recovered(
        program.source, program.class_name, shapes, tuple(program.inputs), tuple(program.missing), different
    )


def _demand(path: str, network: Architecture, stored: Mapping[str, Stored]) -> None:
    """Refuse a checkpoint that does not have the weights of a network."""
    own = {weight.name: weight for weight in network.weights if weight.persistent}
    lacking = [name for name in own if name not in stored]
    if lacking:
        more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
        raise CutawayError(f"{path}: it does not have {one_line(lacking[0])}{more} of {network.name}")
    for name, weight in own.items():
        if weight.shape is not None and tuple(weight.shape) != stored[name].shape:
            raise CutawayError(
                f"{path}: {one_line(name)} has the shape {stored[name].shape}, that of {network.name} {weight.shape}"
            )


def _graph(architecture: Architecture, stored: Mapping[str, Stored], is_named_by_file: bool) -> Graph:
    """Return the graph of a network that was read as an `Architecture`, whose operations a file may have named as it likes."""
    reader = _READERS.get(architecture.framework)
    if reader is None:
        raise CutawayError(f"{architecture.target}: code can't be recovered from {architecture.framework or 'it'}")
    if not architecture.ops:
        raise CutawayError(f"{architecture.target}: there is no forward pass in it, only weights")
    return reader(architecture, stored, is_named_by_file)


_READERS: dict[str, Callable[[Architecture, Mapping[str, Stored], bool], Graph]] = {
    "pytorch": torch.lowered,
    "keras": keras.lowered,
}
"""How the operations of a framework are read."""


def program_of(contents: Contents, origin: str, weights_path: str | None = None) -> Program:
    """Return the program that builds a saved graph."""
    return written(onnx.lowered(contents), "torch", f"Recovered from {origin}.", os.path.basename(weights_path or ""))


def written(graph: Graph, to: str, origin: str, weights_file: str) -> Program:
    """Return the program that builds a graph."""
    raise_early(graph)
    settle_layouts(graph)
    raise_patterns(graph)
    if to == "keras":
        to_keras(graph)
    dissolve_layers(graph)
    settle(graph)
    name_scopes(graph)
    dialect: Dialect = KerasDialect() if to == "keras" else TorchDialect()
    return write_program(graph, dialect, origin, weights_file)
