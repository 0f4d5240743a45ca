"""The program that builds the network of a Keras configuration: one call, and imports of the classes that are not Keras's."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cutaway.core import disk
from cutaway.core.error import CutawayError
from cutaway.syntax import source
from cutaway.syntax.target import Program, Target

_DEFINITION = re.compile(r"^(?:class|def)\s+(\w+)", re.MULTILINE)
_MOST_FILES = 2000
_NAMES = ("class_name", "registered_name", "activation", "recurrent_activation", "function", "config")


_IDENTITY = """class Lambda(keras.layers.Layer):
    def __init__(self, name=None, **settings):
        super().__init__(name=name)
    def call(self, inputs):
        return inputs"""
"""A layer in place of those whose code is in the file, under the assumption that they keep the shape."""


def target(
    text: str, path: str, json_text: str, config: Mapping[str, Any], paths: Sequence[str], keeps_shapes: bool = False
) -> Target:
    """Return the target that a configuration stands for; classes of its own are looked for in `paths`.

    Where it `keeps_shapes`, that is assumed of functions whose code is in the file.
    """
    homes = dict(_homes(set(_names(config)), paths))
    statements = ["import keras", *(f"from {module} import {name}" for name, module in homes.items())]
    if keeps_shapes and "Lambda" not in homes:
        statements.append(_IDENTITY)
        homes["Lambda"] = ""
    objects = ", ".join(f"{name!r}: {name}" for name in homes)
    program = Program(
        text="\n".join(statements) + f"\nnetwork = keras.models.model_from_json({json_text!r}, {{{objects}}})\n",
        file=path,
        folder=os.path.dirname(os.path.abspath(path)) or ".",
        name="keras",
        home="keras",
    )
    return Target(text, path, None, "(network)", program)


def _names(config: Any) -> Iterator[str]:
    """Yield the names of classes and functions in a configuration."""
    waiting = [config]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            for key, value in each.items():
                if key in _NAMES and isinstance(value, str) and len(value) < 200:
                    yield value.rpartition(">")[2]
                elif isinstance(value, (dict, list)):
                    waiting.append(value)
        elif isinstance(each, list):
            waiting.extend(item for item in each if isinstance(item, (dict, list)))


def _homes(names: set[str], paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield which of the names are defined in files below the folders, and in which module."""
    seen: set[str] = set()
    for folder in paths:
        for at, file in enumerate(_files(folder)):
            if at >= _MOST_FILES:
                raise CutawayError(f"{folder}: has more than {_MOST_FILES:,} Python files; name a folder inside of it")
            try:
                defined = _DEFINITION.findall(source.content(file).decode("utf-8", "replace"))
            except source.SourceError:
                continue  # the folder is only searched; a file that can't be read defines nothing here
            module = os.path.relpath(file, folder)[: -len(".py")].replace(os.sep, ".")
            module = module.removesuffix(".__init__")
            if not all(part.isidentifier() for part in module.split(".")):
                continue
            for name in defined:
                if name in names and name not in seen:
                    seen.add(name)
                    yield name, module


def _files(folder: str) -> Iterator[str]:
    paths = disk.matching(os.path.join(glob.escape(folder), "**", "*.py"), True)
    yield from (path for path in paths if "__pycache__" not in path)
