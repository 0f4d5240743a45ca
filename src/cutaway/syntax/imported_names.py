"""Under which names a file refers to something that another file defines: only those that it imports from there."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator

from cutaway.syntax.resolve import package_root


def names_in(tree: ast.Module, file: str, home: str, name: str) -> set[str]:
    """Return the dotted names by which a file refers to a name of the file `home`; none where it does not import it."""
    if os.path.abspath(file) == os.path.abspath(home):
        return {name}
    modules = _module_names(file, home)
    return {found for node in ast.walk(tree) for found in _imported(node, modules, name)}


def _module_names(file: str, home: str) -> set[str]:
    """Return how a file may import another one: absolutely, from where imports start, or relatively."""
    path = os.path.abspath(home)[: -len(".py")].removesuffix(os.sep + "__init__")
    names: set[str] = set()
    for root in (os.path.dirname(os.path.abspath(file)), package_root(file)[0], package_root(home)[0]):
        inside = os.path.relpath(path, root)
        if not inside.startswith(os.pardir):
            names.add(inside.replace(os.sep, "."))
    folder, dots = os.path.dirname(os.path.abspath(file)), "."
    while True:
        inside = os.path.relpath(path, folder)
        if not inside.startswith(os.pardir):
            names.add(dots + ("" if inside == os.curdir else inside.replace(os.sep, ".")))
            return names
        folder, dots = os.path.dirname(folder), f"{dots}."


def _imported(node: ast.AST, modules: set[str], name: str) -> Iterator[str]:
    """Yield the names that an import statement binds to a name of one of these modules."""
    match node:
        case ast.ImportFrom(module, aliases, level):
            home = "." * (level or 0) + (module or "")
            for alias in aliases:
                if home in modules and alias.name in (name, "*"):
                    yield alias.asname or name
                elif f"{home}.{alias.name}" in modules or (not module and f"{home}{alias.name}" in modules):
                    yield f"{alias.asname or alias.name}.{name}"
        case ast.Import(aliases):
            for alias in aliases:
                if alias.name in modules:
                    yield f"{alias.asname or alias.name}.{name}"
