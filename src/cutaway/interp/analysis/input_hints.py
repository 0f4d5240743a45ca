"""What a program says about an input that is not given: in forward, in its documentation, in calls of its networks."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from typing import Any

from cutaway.core import disk
from cutaway.core.error import CutawayError
from cutaway.interp.modules import loader
from cutaway.interp.run.function import Record
from cutaway.knowledge.base.image_datasets import IMAGES
from cutaway.syntax import source
from cutaway.syntax.input_descriptions import InputDescription, annotated, calls, documented, images

_MAX_FILES = 64
_MAX_BYTES = 1 << 18


def descriptions(network: Any, record: Record | None, name: str) -> list[InputDescription]:
    """Return what is said about one of forward's arguments, the most trustworthy first."""
    return [] if record is None else list(_descriptions(network, record, name))


def _descriptions(network: Any, record: Record, name: str) -> Iterator[InputDescription]:
    node = record.code.node
    arguments = [] if isinstance(node, ast.Lambda) else [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    argument = next((each for each in arguments if each.arg == name), None)
    annotation = None if argument is None else annotated(argument.annotation, record.place)
    if annotation is not None and annotation.sizes is None:
        yield annotation
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        for text in (ast.get_docstring(node), type(network).__dict__.get("__doc__")):
            documentation = documented(text if isinstance(text, str) else None, name, record.place)
            if documentation is not None:
                yield documentation
    if annotation is not None and annotation.sizes is not None:
        yield annotation
    place = record.place
    if argument is None or place is None or not _is_own(place.file):
        return
    position = arguments.index(argument) - 1  # without self
    trees = list(_programs(place.file, type(network).__name__))
    for file, tree in trees:
        yield from calls(tree, type(network).__name__, name, position, file)
    for file, tree in trees if position == 0 else ():
        yield from images(tree, IMAGES, file)


def _is_own(file: str) -> bool:
    """Tell whether a file belongs to the user's own project."""
    return any(state.file == file and state.is_own for state in loader.current().states.values())


def _programs(file: str, mentioned: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield the files of a file's folder, itself first, that mention a name."""
    folder = os.path.dirname(file)
    beside = [os.path.join(folder, name) for name in disk.names(folder or ".", ".py")]
    for path in dict.fromkeys([file, *beside[:_MAX_FILES]]):
        try:
            text = source.read(path)
            if len(text) <= _MAX_BYTES and mentioned.encode() in text:
                yield path, source.parse(text, path)
        except CutawayError:
            continue  # a file that can't be read says nothing about this one
