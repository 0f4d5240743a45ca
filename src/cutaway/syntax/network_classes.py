"""Classes and functions of a file that may make networks: their arguments, and the attributes that networks get."""

from __future__ import annotations

import ast
import operator
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from cutaway.core import disk
from cutaway.core.record import dataclass
from cutaway.syntax import source


@dataclass(frozen=True, slots=True)
class NetworkClass:
    """A class, or a function that returns one's object, with the defaults of its arguments.

    Arguments without a default are in `needed`. Where `configuration` names a class, all arguments are those of an object of
    it, which is the one argument of the network.
    """

    file: str
    name: str
    defaults: Mapping[str, Any]
    needed: tuple[str, ...]
    attributes: frozenset[str]
    configuration: str = ""


def network_classes(path: str) -> Iterator[NetworkClass]:
    """Yield the classes at the top of a file that have a constructor, and the functions that say which of them they return."""
    tree = source.parse(source.read(path), path)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    found: dict[str, NetworkClass] = {}
    for name, node in classes.items():
        chain = _chain(node, classes)
        functions = [f for each in chain for f in each.body if isinstance(f, ast.FunctionDef)]
        constructor = next((f for f in functions if f.name == "__init__"), None)
        if constructor is None or not node.bases:
            continue
        defaults, needed = _arguments(constructor.args, 1)
        attributes = _attributes(functions)
        found[name] = NetworkClass(path, name, defaults, needed, attributes)
        for configuration in _configurations(constructor, chain) if len(needed) == 1 else ():
            described = _described(configuration, classes, tree, path)
            if described is not None:
                yield NetworkClass(path, name, described, (), attributes, configuration)
                break
        else:
            yield found[name]
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.returns is not None:
            returned = found.get(ast.unparse(statement.returns).strip("'\""))
            if returned is not None:
                yield _function(statement, returned)


def _chain(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> list[ast.ClassDef]:
    """Return a class and its base classes in the same file."""
    chain: list[ast.ClassDef] = []
    waiting = [node]
    while waiting and len(chain) < 16:
        each = waiting.pop(0)
        chain.append(each)
        waiting += [classes[b.id] for b in each.bases if isinstance(b, ast.Name) and b.id in classes]
    return chain


def _attributes(functions: Iterable[ast.FunctionDef]) -> frozenset[str]:
    """Return the attributes that methods set, and the modules that they add by name."""
    found: set[str] = set()
    for function in functions:
        for node in ast.walk(function):
            match node:
                case ast.Assign(targets):
                    found.update(each.attr for target in targets for each in _parts(target) if _is_own(each))
                case ast.AnnAssign(ast.Attribute(ast.Name("self"), name)):
                    found.add(name)
                case ast.Call(ast.Attribute(_, "add_module" | "register_module"), [ast.Constant(str(name)), *_]):
                    found.add(name)
    return frozenset(found)


def _parts(target: ast.expr) -> Iterator[Any]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for each in target.elts:
            yield from _parts(each)
    else:
        yield target


def _is_own(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"


def _arguments(arguments: ast.arguments, first: int) -> tuple[dict[str, Any], tuple[str, ...]]:
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)][first:]
    defaults: dict[str, Any] = {}
    given = arguments.defaults[-len(names) :] if names else []
    pairs = [*zip(names[len(names) - len(given) :], given)]
    pairs += [(a.arg, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults) if d is not None]
    for name, default in pairs:
        try:
            defaults[name] = _literal(default)
        except ValueError:
            continue  # an expression: it is left as it is
    without = names[: len(names) - len(given)]
    without += [a.arg for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults) if d is None]
    return defaults, tuple(without)


def _literal(node: ast.expr) -> Any:
    """Return the value of an expression of constants; raise ValueError for others."""
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        left, right = _literal(node.left), _literal(node.right)
        if all(type(each) in (int, float) and abs(each) < _LARGEST for each in (left, right)):
            try:
                return _ARITHMETIC[type(node.op)](left, right)
            except ZeroDivisionError:
                raise ValueError("a division by zero") from None
    return ast.literal_eval(node)


_LARGEST = 1 << 40
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}


def _function(node: ast.FunctionDef, returned: NetworkClass) -> NetworkClass:
    """Return a function that builds a network; what it passes on, it takes too, but for what it sets itself."""
    defaults, needed = _arguments(node.args, 0)
    if node.args.kwarg is not None:
        own = {keyword.arg for each in ast.walk(node) if isinstance(each, ast.Call) for keyword in each.keywords}
        defaults |= {name: value for name, value in returned.defaults.items() if name not in own | defaults.keys()}
    return NetworkClass(returned.file, node.name, defaults, needed, returned.attributes)


def _configurations(constructor: ast.FunctionDef, chain: Iterable[ast.ClassDef]) -> list[str]:
    """Return the classes that the one argument that a constructor needs may be of, as the class says it."""
    arguments = [*constructor.args.args, *constructor.args.kwonlyargs][1:]
    name = arguments[0].arg if arguments else ""
    hints = [arguments[0].annotation] if arguments else []
    for node in chain:
        for statement in node.body:
            match statement:
                case ast.AnnAssign(ast.Name(own), annotation) if own == name:
                    hints.append(annotation)
                case ast.Assign([ast.Name("config_class")], value):
                    hints.append(value)
    words = [ast.unparse(hint).strip("'\"") for hint in hints if hint is not None]
    return [word for word in words if word.isidentifier() and word[:1].isupper()]


def _described(name: str, classes: Mapping[str, ast.ClassDef], tree: ast.Module, path: str) -> dict[str, Any] | None:
    """Return the defaults of a configuration: of a class in the file, or in one that is imported from beside it."""
    if name not in classes:
        for statement in tree.body:
            match statement:
                case ast.ImportFrom(str(module), imported, 1) if any(each.name == name for each in imported):
                    beside = os.path.join(os.path.dirname(path), *module.split(".")) + ".py"
                    if disk.is_file(beside):
                        other = source.parse(source.read(beside), beside)
                        classes = {node.name: node for node in other.body if isinstance(node, ast.ClassDef)}
    if name not in classes:
        return None
    defaults: dict[str, Any] = {}
    for node in reversed(_chain(classes[name], classes)):
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
                try:
                    defaults[statement.target.id] = _literal(statement.value)
                except ValueError:
                    continue  # an expression: it is left as it is
            elif isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
                defaults |= _arguments(statement.args, 1)[0]
    return defaults or None
