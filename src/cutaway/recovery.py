"""Construction code from a saved graph: the code, its weights, and what of it was compared with the original."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import BinaryIO

from cutaway.core.architecture import Architecture, Value
from cutaway.core.contents import Contents
from cutaway.core.error import CutawayError
from cutaway.formats import dispatch
from cutaway.recover.onnx.lowering import lowered
from cutaway.recover.proof import differences
from cutaway.recover.raising.pattern import raise_patterns
from cutaway.recover.result import Recovered
from cutaway.recover.sizes import settle
from cutaway.recover.structure.scopes import name_scopes
from cutaway.recover.torch.program import Program, write_program
from cutaway.recover.weights import write_weights


def recovered(
    target: str,
    read: Callable[[], Architecture],
    read_again: Callable[[str, str, tuple[Value, ...]], Architecture],
    weights_path: str | None = None,
    weights_file: BinaryIO | None = None,
) -> Recovered:
    """Return the code that builds the network of a file; its weights are written to a file if there is one.

    `read` returns the network of the file, `read_again` that of recovered source, given the name of its class and its inputs.
    """
    with dispatch.contents(target) as contents:
        program = program_of(contents, os.path.basename(target), weights_path)
        if weights_file is not None:
            write_weights(weights_file, program.weights)
    try:
        original = read()
        again = read_again(program.source, program.class_name, original.inputs)
        different = tuple(differences(original, again, program.weights))
    except CutawayError as error:
        different = (f"the recovered code can't be read again: {error}",)
    shapes = {name: tensor.shape for name, tensor in program.weights.items()}
    return Recovered(
        program.source, program.class_name, shapes, tuple(program.inputs), tuple(program.missing), different
    )


def program_of(contents: Contents, origin: str, weights_path: str | None = None) -> Program:
    """Return the program that builds a saved graph."""
    graph = lowered(contents)
    raise_patterns(graph)
    settle(graph)
    name_scopes(graph)
    return write_program(graph, f"Recovered from {origin}.", os.path.basename(weights_path or ""))
