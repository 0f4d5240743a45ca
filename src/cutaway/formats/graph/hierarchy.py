"""The modules that the nodes of a graph belong to, as far as the file tells: by notes, by names, by the names of weights."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cutaway.core.architecture import ModuleCall, Shape
from cutaway.core.record import dataclass, field
from cutaway.formats.graph.model import Node

SCOPES, CLASSES = "pkg.torch.onnx.name_scopes", "pkg.torch.onnx.class_hierarchy"
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_DEEPEST = 64
_GENERATED = re.compile(r"^\w*::")


@dataclass(slots=True)
class Naming:
    """How a file names modules: what stands between their names, and the classes that it states.

    Where `weights_tell`, the names of weights begin with the paths of modules.
    """

    separator: str
    classes: dict[str, str] = field(default_factory=dict)
    weights_tell: bool = False

    def module(self, node: Node, scope: Sequence[str]) -> str:
        """Return the path of the module that a node belongs to; empty where the file does not tell."""
        if SCOPES in node.notes:
            return self._noted(node)
        around = [part for label in scope for part in _parts(label)]
        return _path([*around, *_parts(node.name)[:-1]], self.separator)

    def _noted(self, node: Node) -> str:
        paths = [first or second for first, second in _QUOTED.findall(node.notes[SCOPES])][:-1][:_DEEPEST]
        classes = [first or second for first, second in _QUOTED.findall(node.notes.get(CLASSES, ""))][:-1]
        for path, qualified in zip(paths, classes):
            self.classes.setdefault(path, qualified)
        return paths[-1] if paths else ""

    def owner(self, weight: str) -> str:
        """Return the path of the module that a weight belongs to by its name."""
        if _GENERATED.match(weight):
            return ""
        return weight.rpartition(self.separator)[0]


def naming(nodes: Iterable[Node], weights: Iterable[str]) -> Naming:
    """Return how a file names modules: with slashes, unless its nodes or weights are named as those of torch are."""
    slashes = False
    for node in nodes:
        if SCOPES in node.notes or node.name.startswith("/"):
            return Naming(".", weights_tell=True)
        slashes = slashes or "/" in node.name
    return Naming("/" if slashes and not any("." in name for name in weights) else ".")


def _parts(name: str) -> list[str]:
    name = name.partition(";")[0]  # a fused operation lists the names of all that it consists of
    return name.strip("/").split("/")[:_DEEPEST] if "/" in name else [name]


def _path(parts: Iterable[str], separator: str) -> str:
    """Join the names of nested scopes; one that repeats the one around it, `layer1/layer1.0`, replaces it."""
    path: list[str] = []
    for part in parts:
        if not part:
            continue
        if path and part.startswith(f"{path[-1]}."):
            path[-1] = part
        else:
            path.append(part)
    return separator.join(path)


def ancestors(path: str, separator: str) -> list[str]:
    """Return a path and those of the modules around it, the root first."""
    parts = path.split(separator)
    chain = [separator.join(parts[: at + 1]) for at in range(len(parts))]
    return chain if not chain[0] else ["", *chain]  # a path that starts with its separator has the root among its parts


class Flow:
    """What goes into modules and comes out of them, collected from the values that operations make and read."""

    def __init__(self, separator: str) -> None:
        self.separator = separator
        self.made: dict[str, tuple[list[str], Shape, str | None]] = {}
        self.inputs: dict[str, dict[str, tuple[Shape, str | None]]] = {}
        self.outputs: dict[str, dict[str, tuple[Shape, str | None]]] = {}

    def given(self, name: str, shape: Shape, dtype: str | None) -> None:
        """Note a value that comes from outside."""
        self.made[name] = ([], shape, dtype)

    def make(self, name: str, module: str, shape: Shape, dtype: str | None) -> None:
        """Note a value that an operation in a module makes."""
        self.made[name] = (ancestors(module, self.separator), shape, dtype)

    def read(self, name: str, module: str | None) -> None:
        """Note that an operation in a module reads a value; None is what is outside of the network."""
        if name not in self.made:
            return
        makers, shape, dtype = self.made[name]
        readers = [] if module is None else ancestors(module, self.separator)
        for path in makers:
            if path not in readers:
                self.outputs.setdefault(path, {}).setdefault(name, (shape, dtype))
        for path in readers:
            if path not in makers:
                self.inputs.setdefault(path, {}).setdefault(name, (shape, dtype))

    def calls(self, path: str) -> tuple[ModuleCall, ...]:
        """Return the call of a module; none where nothing goes in and nothing comes out."""
        inputs, outputs = self.inputs.get(path, {}), self.outputs.get(path, {})
        if not inputs and not outputs:
            return ()
        return (
            ModuleCall(
                tuple(shape for shape, _ in inputs.values()),
                tuple(shape for shape, _ in outputs.values()),
                tuple(dtype for _, dtype in inputs.values()),
                tuple(dtype for _, dtype in outputs.values()),
            ),
        )
