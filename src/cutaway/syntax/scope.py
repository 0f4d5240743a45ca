"""Which names a function binds, and where a name that it reads is bound."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_DEFINITIONS = frozenset((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
_PLAIN = frozenset((ast.Assign, ast.Expr, ast.Call, ast.Attribute, ast.If, ast.Return, ast.keyword, ast.Compare))
"""The most frequent nodes that bind nothing themselves."""
_VALUES = frozenset(ast.expr.__subclasses__()) - {ast.Name, ast.Tuple, ast.List, ast.Starred}
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Scope:
    """The names of one function, class or module body, private ones as their class has them.

    `kind` is "module", "class", "function" or "comprehension". Functions do not see the names of an
    enclosing class body, so it is left out of the chain of parents.
    """

    def __init__(self, kind: str, parent: Scope | None, bound: set[str], outer: dict[str, str]) -> None:
        self.kind = kind
        self.parent = parent
        self.bound = bound
        self.declared = outer  # names declared `global` or `nonlocal`

    @property
    def enclosing(self) -> Scope | None:
        """The nearest scope around this one whose variables it can see."""
        scope = self.parent
        while scope is not None and scope.kind == "class":
            scope = scope.parent
        return scope if scope is not None and scope.kind != "module" else None

    def depth_of(self, name: str) -> int | None:
        """Return how many activations out a name is bound: 0 here, None for a global."""
        declared = self.declared.get(name)
        if declared == "global":
            return None
        if name in self.bound and declared is None:
            return 0
        depth, scope = 1, self.enclosing
        while scope is not None:
            if scope.declared.get(name) == "global":
                return None
            if name in scope.bound and scope.declared.get(name) is None:
                return depth
            depth, scope = depth + 1, scope.enclosing
        return None


def mangle(owner: str, name: str) -> str:
    """Return a name as it is bound inside the class `owner`: private ones carry the class's name."""
    if owner and name.startswith("__") and not name.endswith("__") and owner.strip("_") and "." not in name:
        return f"_{owner.lstrip('_')}{name}"
    return name


def _scope(kind: str, parent: Scope, bound: set[str], declared: dict[str, str], owner: str) -> Scope:
    if owner:
        bound = {mangle(owner, name) for name in bound}
        declared = {mangle(owner, name): where for name, where in declared.items()}
    return Scope(kind, parent, bound, declared)


def of_function(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, parent: Scope, owner: str = "") -> Scope:
    """Return the scope of a function's body."""
    arguments = node.args
    bound = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    bound.update(a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None)
    declared: dict[str, str] = {}
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    _collect(body, bound, declared)
    return _scope("function", parent, bound, declared, owner)


def of_class(node: ast.ClassDef, parent: Scope) -> Scope:
    """Return the scope of a class body."""
    bound: set[str] = set()
    declared: dict[str, str] = {}
    _collect(node.body, bound, declared)
    return _scope("class", parent, bound, declared, node.name)


def of_comprehension(generators: list[ast.comprehension], parent: Scope, owner: str = "") -> Scope:
    """Return the scope of a comprehension: its loop variables."""
    bound: set[str] = set()
    for generator in generators:
        bound.update(targets(generator.target))
    return _scope("comprehension", parent, bound, {}, owner)


def targets(node: ast.AST) -> Iterator[str]:
    """Yield the names that an assignment target binds."""
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, (ast.Store, ast.Del)):
            yield child.id


def assigned(body: Iterable[ast.AST], in_expressions: bool = True) -> set[str]:
    """Return the names that statements bind, without those of nested functions.

    A source without `:=` binds nothing `in_expressions`, which need not be searched then.
    """
    bound: set[str] = set()
    _collect(body, bound, {}, in_expressions)
    return bound


def _collect(body: Iterable[ast.AST], bound: set[str], declared: dict[str, str], in_expressions: bool = True) -> None:
    stack: list[Any] = list(body)
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is ast.Name:
            if type(node.ctx) is not ast.Load:
                bound.add(node.id)
        elif not in_expressions and kind in _VALUES:
            continue
        elif kind in _PLAIN:
            push_children(node, stack)
        elif kind in _DEFINITIONS:
            bound.add(node.name)
            stack.extend(node.decorator_list)
            if kind is ast.ClassDef:
                stack.extend((*node.bases, *node.keywords))
            else:
                stack.extend(d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None)
        elif kind in COMPREHENSIONS:
            bound.update(n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr))
        elif kind is not ast.Lambda:
            _bind(node, bound, declared)
            push_children(node, stack)


def _bind(node: Any, bound: set[str], declared: dict[str, str]) -> None:
    """Add the names that a statement or a pattern itself binds."""
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        declared.update(dict.fromkeys(node.names, type(node).__name__.lower()))
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        bound.update((a.asname or a.name.partition(".")[0]) for a in node.names if a.name != "*")
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        bound.add(node.name)
    elif isinstance(node, ast.MatchMapping) and node.rest:
        bound.add(node.rest)


_FIELDS: dict[type, tuple[str, ...]] = {}
"""Kind of node -> its fields that may hold nodes, apart from contexts; filled as kinds are met."""
_TEXT = frozenset("arg attr asname conversion ctx id is_async kind level module name simple type_comment".split())


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """Return the fields of a kind of node that may hold nodes, apart from contexts and what a constant holds."""
    named = () if kind is ast.Constant else kind._fields
    is_text = _TEXT - {"name"} if kind.__name__ == "TypeAlias" else _TEXT
    fields = _FIELDS[kind] = tuple(field for field in named if field not in is_text)
    return fields


def push_children(node: ast.AST, stack: list[ast.AST]) -> None:
    """Push the child nodes, without contexts, and without constants of a field of their own.

    `ast.iter_child_nodes` takes twice as long, and every function of a target needs this.
    """
    fields = _FIELDS.get(type(node))
    for field in _fields(type(node)) if fields is None else fields:
        value = getattr(node, field, None)
        if value is None:
            continue
        if type(value) is list:
            stack += [item for item in value if isinstance(item, ast.AST)]
        elif type(value) is not ast.Constant and isinstance(value, ast.AST):
            stack.append(value)


def walk(node: ast.AST) -> list[ast.AST]:
    """Return a node and those below it, in the order of `ast.walk`, without what `push_children` leaves out."""
    nodes = [node]
    for each in nodes:
        push_children(each, nodes)
    return nodes


def walk_body(function: Any) -> list[ast.AST]:
    """Return the nodes of the body of a function, which is parsed if it was not."""
    body = function.body
    return [node for part in (body if isinstance(body, list) else [body]) for node in walk(part)]


def dotted_name(node: ast.AST) -> str | None:
    """Return a dotted name that an expression is, None for any other."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    return ".".join([node.id, *parts]) if isinstance(node, ast.Name) else None


def yields(node: ast.AST) -> bool:
    """Tell whether a node contains a yield that belongs to the function around it."""
    stack: list[ast.AST] = [node]
    while stack:
        child = stack.pop()
        if isinstance(child, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(child, (*FUNCTIONS, ast.ClassDef)):
            push_children(child, stack)
    return False
