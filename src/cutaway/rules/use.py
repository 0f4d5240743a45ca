"""Which parts of its classes a program mentions: what it mentions may be used in ways that were not followed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.architecture import Architecture
from cutaway.core.place import Place
from cutaway.core.program import Program
from cutaway.core.record import dataclass

_REFLECTION = frozenset(
    """getattr __getattr__ __dict__ vars eval children named_children modules named_modules parameters named_parameters
    _modules _parameters get_submodule get_parameter layers weights trainable_weights""".split()
)
"""What reaches parts of an object without naming them."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A class of the program."""

    file: str
    node: ast.ClassDef

    def assignment(self, name: str) -> Place | None:
        """Return where the class sets an attribute of itself first."""
        for node in _own(self.node):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr == name:
                return Place(self.file, node.lineno)
        return None

    def attribute(self, line: int) -> str:
        """Return the attribute of itself that the class sets in a line, an empty string where there is none."""
        for node in ast.walk(self.node):
            if isinstance(node, ast.Assign) and node.lineno <= line <= (node.end_lineno or node.lineno):
                targets = [each for each in node.targets if isinstance(each, ast.Attribute)]
                if len(targets) == 1 == len(node.targets):
                    return targets[0].attr
        return ""

    def methods(self) -> Iterator[ast.FunctionDef]:
        """Yield the methods but the constructor."""
        return (
            node
            for node in self.node.body
            if isinstance(node, ast.FunctionDef) and node.name not in ("__init__", "build")
        )


def classes_of(program: Program) -> dict[str, Definition]:
    """Return the classes that a program defines once, by name."""
    found: dict[str, list[ast.ClassDef]] = {}
    for node in program.nodes(ast.ClassDef):
        found.setdefault(node.name, []).append(node)
    return {name: Definition(program.file, nodes[0]) for name, nodes in found.items() if len(nodes) == 1}


def is_followed(network: Architecture) -> bool:
    """Tell whether all of a network's forward pass is known."""
    if network.unknowns or network.causes or not network.outputs or not network.modules:
        return False
    return all(module.complete for module in network.modules)


def is_read(definition: Definition, program: Program, name: str) -> bool:
    """Tell whether the program may use an attribute of a class: a method names it, or reaches parts without naming them.

    Where the attribute is set, and where its weights are initialised, in the constructor, it is not used.
    """
    for method in definition.methods():
        for node in ast.walk(method):
            if isinstance(node, ast.Attribute) and (node.attr == name or node.attr in _REFLECTION):
                return True
            if isinstance(node, ast.Name) and node.id in _REFLECTION:
                return True
    own = set(map(id, ast.walk(definition.node)))
    return any(
        node.attr == name and isinstance(node.ctx, ast.Load) and id(node) not in own
        for node in program.nodes(ast.Attribute)
    )


def _own(node: ast.ClassDef) -> list[ast.AST]:
    return sorted(ast.walk(node), key=lambda each: getattr(each, "lineno", 0))
