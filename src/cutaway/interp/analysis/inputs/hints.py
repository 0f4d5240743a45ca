"""What a program says about an input that is not given: in forward, in its documentation, in calls of its networks."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cutaway.core import disk, session
from cutaway.core.error import CutawayError
from cutaway.interp.modules import loader
from cutaway.interp.run.function import Record
from cutaway.knowledge.base.image_datasets import IMAGES
from cutaway.syntax import source
from cutaway.syntax.imported_names import names_in
from cutaway.syntax.input_descriptions import InputDescription, annotated, calls, documented, images
from cutaway.syntax.scope import walk

_MAX_FILES = 64
_MAX_BYTES = 1 << 18


_Programs = Sequence[tuple[str, Sequence[ast.AST], set[str]]]
"""Files with the nodes of their syntax trees, and what each of them calls the network's class."""


def descriptions(network: Any, record: Record | None, names: Iterable[str]) -> dict[str, list[InputDescription]]:
    """Return what is said about each of forward's arguments, the most trustworthy first."""
    if record is None:
        return {name: [] for name in names}
    place = record.place
    is_own = place is not None and _is_own(place.file)
    programs = list(_programs(_home(network) or place.file, type(network).__name__)) if place and is_own else []
    return {name: list(_descriptions(network, record, name, programs)) for name in names}


def _descriptions(network: Any, record: Record, name: str, programs: _Programs) -> Iterator[InputDescription]:
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
    if argument is None:
        return
    position = arguments.index(argument) - 1  # without self
    for file, nodes, constructors in programs:
        yield from calls(nodes, constructors, name, position, file)
    for file, nodes, _ in programs if position == 0 else ():
        yield from images(nodes, IMAGES, file)


def _is_own(file: str) -> bool:
    """Tell whether a file belongs to the user's own project."""
    return any(state.file == file and state.is_own for state in loader.current().states.values())


def _home(network: Any) -> str | None:
    """Return the file that a network's class is defined in, if it is one of the user's own."""
    state = loader.current().states.get(type(network).__module__)
    return state.file if state is not None and state.is_own else None


def _programs(file: str, name: str) -> Iterator[tuple[str, Sequence[ast.AST], set[str]]]:
    """Yield a file, and those of its folder that import a name from it, with what they call it."""
    folder = os.path.dirname(file)
    is_alone = not session.current().looks_beside
    beside = [] if is_alone else [os.path.join(folder, name) for name in disk.names(folder or ".", ".py")]
    for path in dict.fromkeys([file, *beside[:_MAX_FILES]]):
        try:
            text = source.read(path)
            if len(text) > _MAX_BYTES or name.encode() not in text:
                continue
            tree = source.parse(text, path)
            names = names_in(tree, path, file, name)
            if names:
                yield path, walk(tree), names
        except CutawayError:
            continue  # a file that can't be read says nothing about this one
