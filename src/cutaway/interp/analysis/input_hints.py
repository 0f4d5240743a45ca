"""What a program says of an input that nobody gives: in forward, in its documentation, where it calls its networks."""

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
from cutaway.syntax.input_descriptions import Described, annotated, calls, documented, images

_MOST_FILES = 64
_LARGEST = 1 << 18


def hints(network: Any, record: Record | None, name: str) -> list[Described]:
    """Return what is said of one of forward's arguments, what is to be trusted most first."""
    return [] if record is None else list(_hints(network, record, name))


def _hints(network: Any, record: Record, name: str) -> Iterator[Described]:
    node = record.code.node
    arguments = [] if isinstance(node, ast.Lambda) else [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    argument = next((each for each in arguments if each.arg == name), None)
    said = None if argument is None else annotated(argument.annotation, record.place)
    if said is not None and said.sizes is None:
        yield said
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        for text in (ast.get_docstring(node), type(network).__dict__.get("__doc__")):
            documentation = documented(text if isinstance(text, str) else None, name, record.place)
            if documentation is not None:
                yield documentation
    if said is not None and said.sizes is not None:
        yield said
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
    """Yield the programs beside a file, and itself, that mention a name."""
    folder = os.path.dirname(file)
    beside = [os.path.join(folder, name) for name in disk.names(folder or ".", ".py")]
    for path in dict.fromkeys([file, *beside[:_MOST_FILES]]):
        try:
            text = source.read(path)
            if len(text) <= _LARGEST and mentioned.encode() in text:
                yield path, source.parse(text, path)
        except CutawayError:
            continue  # another program that can't be read says nothing of this one
