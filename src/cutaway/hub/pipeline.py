"""Pipelines: a folder of networks and auxiliary components, combined into one tree."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from cutaway.core import disk
from cutaway.core.architecture import Architecture, Module, Note, Op, Value, Weight
from cutaway.core.place import Place
from cutaway.core.record import dataclass, replace
from cutaway.hub.folder import CONFIG, Folder, HubError, read

_KINDS = {
    "scheduler_config.json": "a scheduler",
    "tokenizer_config.json": "a tokenizer",
    "preprocessor_config.json": "a preprocessor",
    "processor_config.json": "a preprocessor",
}
"""The kind of a component that is not a network, by the file that it has."""


@dataclass(frozen=True, slots=True)
class Component:
    """A part of a pipeline: its library and class, and its folder if it is a network."""

    name: str
    library: str
    class_name: str
    line: int
    folder: Folder | None
    note: str = ""

    @property
    def module(self) -> Module:
        """The component as a module of the tree, where nothing else is known about it."""
        return Module(self.name, self.class_name, f"{self.library}.{self.class_name}", complete=self.folder is None)


def components(pipeline: Folder) -> list[Component]:
    """Return the components that a pipeline names, in its order."""
    result: list[Component] = []
    for name, value in pipeline.settings.items():
        if name.startswith("_") or not isinstance(value, list) or len(value) != 2:
            continue
        library, class_name = value
        if isinstance(library, str) and isinstance(class_name, str):
            result.append(_component(pipeline, name, library, class_name))
    if not result:
        raise HubError(f"{pipeline.file}: does not name any component: none of its settings is a library and a class")
    return result


def _component(pipeline: Folder, name: str, library: str, class_name: str) -> Component:
    path = os.path.join(pipeline.path, name)
    line = pipeline.line(name)
    is_below = os.path.basename(name) == name and name not in ("", ".", "..")  # else it is a path to somewhere else
    if is_below and disk.is_file(os.path.join(path, CONFIG)) and not _is_auxiliary(path):
        settings = read(os.path.join(pipeline.text, name), path, CONFIG)
        return Component(name, library, class_name, line, _named(settings, class_name))
    files = [file for file in _KINDS if is_below and disk.is_file(os.path.join(path, file))]
    kind = next((_KINDS[file] for file in files), None)
    if kind is not None:
        return Component(name, library, class_name, line, None, f"{name} ({class_name}) is {kind}: it has no weights")
    problem = f"has no {CONFIG}" if is_below and disk.is_folder(path) else "does not exist"
    return Component(name, library, class_name, line, None, f"{name} ({class_name}) is omitted: its folder {problem}")


def _is_auxiliary(path: str) -> bool:
    """Tell whether a folder is that of a tokenizer or the like, whatever else it contains."""
    weights = any(file.endswith((".safetensors", ".bin", ".msgpack")) for file in disk.names(path))
    return not weights and any(disk.is_file(os.path.join(path, file)) for file in _KINDS)


def _named(folder: Folder, class_name: str) -> Folder:
    """Return a component's folder with the class that the pipeline names for it."""
    settings = dict(folder.settings)
    settings["_class_name" if "_class_name" in settings else "architectures"] = (
        class_name if "_class_name" in settings else [class_name]
    )
    return replace(folder, settings=settings)


def combine(pipeline: Folder, parts: Sequence[tuple[Component, Architecture | str]]) -> Architecture:
    """Put the networks of a pipeline into one tree, each below its name; a string says why there is none."""
    name = pipeline.settings.get("_class_name")
    name = name if isinstance(name, str) else "pipeline"
    networks = [(part.name, result) for part, result in parts if isinstance(result, Architecture)]
    failures = [
        Note(result, Place(pipeline.file, part.line)) for part, result in parts if isinstance(result, str) and result
    ]
    modules = [Module("", name, f"diffusers.{name}", complete=not failures)]
    for part, result in parts:
        modules += [_below(part.name, m) for m in result.modules] if isinstance(result, Architecture) else [part.module]
    notes = [Note(part.note, Place(pipeline.file, part.line)) for part, _ in parts if part.note]
    once = Note("each network of the pipeline is called once, by itself; the pipeline calls some of them repeatedly")
    return Architecture(
        name=name,
        target=pipeline.text,
        framework=next((result.framework for _, result in networks), ""),
        inputs=tuple(_value(prefix, value) for prefix, result in networks for value in result.inputs),
        outputs=tuple(_value(prefix, value) for prefix, result in networks for value in result.outputs),
        modules=tuple(modules),
        weights=tuple(_weight(prefix, weight) for prefix, result in networks for weight in result.weights),
        ops=tuple(_op(prefix, op) for prefix, result in networks for op in result.ops),
        unknowns=(*failures, *_notes((prefix, result.unknowns) for prefix, result in networks)),
        assumptions=(*notes, once, *_notes((prefix, result.assumptions) for prefix, result in networks)),
        diagnostics=tuple(diagnostic for _, result in networks for diagnostic in result.diagnostics),
    )


def _path(prefix: str, path: str) -> str:
    return f"{prefix}.{path}" if path else prefix


def _below(prefix: str, module: Module) -> Module:
    return replace(module, path=_path(prefix, module.path))


def _value(prefix: str, value: Value) -> Value:
    return replace(value, name=_path(prefix, value.name))


def _weight(prefix: str, weight: Weight) -> Weight:
    tied = None if weight.tied_to is None else _path(prefix, weight.tied_to)
    return replace(weight, name=_path(prefix, weight.name), tied_to=tied, module=_path(prefix, weight.module or ""))


def _op(prefix: str, op: Op) -> Op:
    inputs = tuple(_value(prefix, value) for value in op.inputs)
    outputs = tuple(_value(prefix, value) for value in op.outputs)
    return replace(op, module=_path(prefix, op.module), inputs=inputs, outputs=outputs)


def _notes(groups: Iterable[tuple[str, Sequence[Note]]]) -> list[Note]:
    """Return the notes of the networks, each with its module; a note that concerns several is listed once."""
    prefixed: list[tuple[str, Note]] = [(prefix, note) for prefix, notes in groups for note in notes]
    counts = Counter((note.text, note.place) for _, note in prefixed)
    result: dict[Any, Note] = {}
    for prefix, note in prefixed:
        is_shared = counts[note.text, note.place] > 1
        module = None if is_shared else _path(prefix, note.module or "")
        result.setdefault((note.text, note.place, module), Note(note.text, note.place, module))
    return list(result.values())
