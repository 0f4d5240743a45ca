"""Classes of a file that may be networks: their arguments, and the attributes that they set."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from cutaway.core.record import dataclass
from cutaway.syntax import source


@dataclass(frozen=True, slots=True)
class NetworkClass:
    """A class with the defaults of its arguments; those without one are in `needed`."""

    file: str
    name: str
    defaults: Mapping[str, Any]
    needed: tuple[str, ...]
    attributes: frozenset[str]


def network_classes(path: str) -> Iterator[NetworkClass]:
    """Yield the classes at the top of a file that have a constructor of their own or of a base class in the file."""
    tree = source.parse(source.read(path), path)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for name, node in classes.items():
        chain: list[ast.ClassDef] = []
        waiting = [node]
        while waiting and len(chain) < 16:
            each = waiting.pop(0)
            chain.append(each)
            waiting += [classes[b.id] for b in each.bases if isinstance(b, ast.Name) and b.id in classes]
        functions = [f for each in chain for f in each.body if isinstance(f, ast.FunctionDef)]
        constructor = next((f for f in functions if f.name == "__init__"), None)
        if constructor is None or not node.bases:
            continue
        attributes = {
            target.attr
            for function in functions
            for statement in ast.walk(function)
            if isinstance(statement, (ast.Assign, ast.AnnAssign))
            for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
        }
        defaults, needed = _arguments(constructor.args)
        yield NetworkClass(path, name, defaults, needed, frozenset(attributes))


def _arguments(arguments: ast.arguments) -> tuple[dict[str, Any], tuple[str, ...]]:
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)][1:]
    defaults: dict[str, Any] = {}
    given = arguments.defaults[-len(names) :] if names else []
    pairs = [*zip(names[len(names) - len(given) :], given)]
    pairs += [(a.arg, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults) if d is not None]
    for name, default in pairs:
        try:
            defaults[name] = ast.literal_eval(default)
        except ValueError:
            continue  # an expression: it is left as it is
    without = names[: len(names) - len(given)]
    without += [a.arg for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults) if d is None]
    return defaults, tuple(without)
