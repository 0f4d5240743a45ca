"""Pipelines: a folder of networks and of what works beside them, put together as one tree."""

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
"""What a component without a network's settings is, by the file that it has instead."""


@dataclass(frozen=True, slots=True)
class Component:
    """A part of a pipeline: the library and class it is of, and its folder if it is a network."""

    name: str
    library: str
    class_name: str
    line: int
    folder: Folder | None
    remark: str = ""

    @property
    def module(self) -> Module:
        """The component as a module of the tree, where nothing more is known of it."""
        return Module(self.name, self.class_name, f"{self.library}.{self.class_name}", complete=self.folder is None)


def components(pipeline: Folder) -> list[Component]:
    """Return the components that a pipeline names, in its order; those that it leaves out are not there."""
    found: list[Component] = []
    for name, stated in pipeline.settings.items():
        if name.startswith("_") or not isinstance(stated, list) or len(stated) != 2:
            continue
        library, class_name = stated
        if isinstance(library, str) and isinstance(class_name, str):
            found.append(_component(pipeline, name, library, class_name))
    if not found:
        raise HubError(f"{pipeline.file}: names no components: none of its settings is a library and a class")
    return found


def _component(pipeline: Folder, name: str, library: str, class_name: str) -> Component:
    path = os.path.join(pipeline.path, name)
    line = pipeline.line(name)
    if disk.is_file(os.path.join(path, CONFIG)) and not _is_beside(path):
        settings = read(os.path.join(pipeline.text, name), path, CONFIG)
        return Component(name, library, class_name, line, _named(settings, class_name))
    kind = next((kind for file, kind in _KINDS.items() if disk.is_file(os.path.join(path, file))), None)
    if kind is not None:
        return Component(name, library, class_name, line, None, f"{name} ({class_name}) is {kind}: it has no weights")
    what = f"has no {CONFIG}" if disk.is_folder(path) else "is not there"
    return Component(name, library, class_name, line, None, f"{name} ({class_name}) is left out: its folder {what}")


def _is_beside(path: str) -> bool:
    """Tell whether a folder is one of a tokenizer and the like, whatever else lies in it."""
    weights = any(file.endswith((".safetensors", ".bin", ".msgpack")) for file in disk.names(path))
    return not weights and any(disk.is_file(os.path.join(path, file)) for file in _KINDS)


def _named(folder: Folder, class_name: str) -> Folder:
    """Return a component's folder with the class that the pipeline names for it."""
    settings = dict(folder.settings)
    settings["_class_name" if "_class_name" in settings else "architectures"] = (
        class_name if "_class_name" in settings else [class_name]
    )
    return replace(folder, settings=settings)


def joined(pipeline: Folder, parts: Sequence[tuple[Component, Architecture | str]]) -> Architecture:
    """Put the networks of a pipeline into one tree, each below its name; a text says why there is none."""
    name = pipeline.settings.get("_class_name")
    name = name if isinstance(name, str) else "pipeline"
    networks = [(part.name, found) for part, found in parts if isinstance(found, Architecture)]
    lost = [Note(found, Place(pipeline.file, part.line)) for part, found in parts if isinstance(found, str) and found]
    modules = [Module("", name, f"diffusers.{name}", complete=not lost)]
    for part, found in parts:
        modules += [_below(part.name, m) for m in found.modules] if isinstance(found, Architecture) else [part.module]
    remarks = [Note(part.remark, Place(pipeline.file, part.line)) for part, _ in parts if part.remark]
    once = Note("each network of the pipeline is called once, by itself; the pipeline calls some of them repeatedly")
    return Architecture(
        name=name,
        target=pipeline.text,
        framework=next((found.framework for _, found in networks), ""),
        inputs=tuple(_value(at, value) for at, found in networks for value in found.inputs),
        outputs=tuple(_value(at, value) for at, found in networks for value in found.outputs),
        modules=tuple(modules),
        weights=tuple(_weight(at, weight) for at, found in networks for weight in found.weights),
        ops=tuple(_op(at, op) for at, found in networks for op in found.ops),
        unknowns=(*lost, *_notes((at, found.unknowns) for at, found in networks)),
        assumptions=(*remarks, once, *_notes((at, found.assumptions) for at, found in networks)),
        diagnostics=tuple(diagnostic for _, found in networks for diagnostic in found.diagnostics),
    )


def _path(at: str, path: str) -> str:
    return f"{at}.{path}" if path else at


def _below(at: str, module: Module) -> Module:
    return replace(module, path=_path(at, module.path))


def _value(at: str, value: Value) -> Value:
    return replace(value, name=_path(at, value.name))


def _weight(at: str, weight: Weight) -> Weight:
    tied = None if weight.tied_to is None else _path(at, weight.tied_to)
    return replace(weight, name=_path(at, weight.name), tied_to=tied, module=_path(at, weight.module or ""))


def _op(at: str, op: Op) -> Op:
    inputs = tuple(_value(at, value) for value in op.inputs)
    outputs = tuple(_value(at, value) for value in op.outputs)
    return replace(op, module=_path(at, op.module), inputs=inputs, outputs=outputs)


def _notes(groups: Iterable[tuple[str, Sequence[Note]]]) -> list[Note]:
    """Return what is remarked about the networks, each with its name; what concerns several is said once."""
    noted: list[tuple[str, Note]] = [(at, note) for at, notes in groups for note in notes]
    often = Counter((note.text, note.place) for _, note in noted)
    made: dict[Any, Note] = {}
    for at, note in noted:
        shared = often[note.text, note.place] > 1
        module = None if shared else _path(at, note.module or "")
        made.setdefault((note.text, note.place, module), Note(note.text, note.place, module))
    return list(made.values())
