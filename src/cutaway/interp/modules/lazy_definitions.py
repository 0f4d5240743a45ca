"""Which definitions of a module can be evaluated when their names are first used.

A definition can wait if nothing can observe when it is evaluated: it only binds names that nothing else
in the module binds, and what it reads while it is evaluated never changes. That holds for constants,
for names bound once, and for what is read from imported modules; it does not hold for an element or
an attribute of an object that the module creates, nor for a subclass of a class that may be notified of it.
An `if` that only chooses what a name is, by environment variables, waits too; they are read before they change.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections import Counter
from collections.abc import Callable

from cutaway.core.pattern import pattern
from cutaway.core.record import dataclass, field
from cutaway.knowledge.base import registry
from cutaway.syntax.scope import assigned

_GLOBAL = pattern(rb"\bglobal[ \t]+((?:\\\r?\n|[^\n;#\\])+)")
_PLAIN_DECORATORS = frozenset(("property", "staticmethod", "classmethod", "abstractmethod", "setter", "getter"))
_PLAIN_HOMES = frozenset(("abc", "typing", "typing_extensions", "collections", "enum", "builtins"))


def deferrable(
    body: list[ast.stmt], text: bytes, is_bare: Callable[[str, int, str], bool], is_fixed: Callable[[str], bool]
) -> dict[int, set[str]]:
    """Return the positions of the statements that can wait, each with the names that it binds.

    `is_bare` tells for a module's dotted name, as an import has it, and a name in it whether that is a class that
    inherits from nothing and is not notified of its subclasses; `is_fixed` tells for a dotted name in this module whether
    it means the same whenever it is read.
    """
    in_expressions = b":=" in text
    names = [assigned([node], in_expressions) for node in body]
    bound = Counter(name for deferred in names for name in deferred)
    by_statements = Counter(bound)
    for declared in _GLOBAL.findall(text) if b"global" in text else ():
        bound.update(re.split(r"[\s,\\]+", unicodedata.normalize("NFKC", declared.decode(errors="replace"))))
    known = _Names(bound, b"import *" in text, is_bare, is_fixed)
    deferred: dict[int, set[str]] = {}
    for index, node in enumerate(body):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            known.add_import(node)
        elif names[index] and all(known.is_single(name) for name in names[index]) and known.can_wait(node):
            deferred[index] = names[index]
            if isinstance(node, ast.ClassDef):
                known.plain.add(node.name)
        elif isinstance(node, ast.If) and (name := known.chosen_name([node])) and by_statements[name] == 1:
            deferred[index] = {name}  # a function that assigns it replaces it
    return deferred


@dataclass
class _Names:
    """The names of a module: how often they are bound, and which are imported from where."""

    bound: Counter[str]
    has_star: bool
    is_bare: Callable[[str, int, str], bool]
    is_fixed: Callable[[str], bool]
    homes: dict[str, tuple[str, int, list[str]]] = field(default_factory=dict)  # module, level, names in it
    imported: set[str] = field(default_factory=set)
    plain: set[str] = field(default_factory=set)  # classes that are not notified of their subclasses

    def add_import(self, node: ast.Import | ast.ImportFrom) -> None:
        """Record what an import binds."""
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            home = (
                (alias.name if isinstance(node, ast.Import) else node.module or "")
                if not getattr(node, "level", 0)
                else ""
            )
            self.imported.add(name)
            if isinstance(node, ast.ImportFrom):
                self.homes[name] = (node.module or "", node.level, [alias.name])
            else:
                self.homes[name] = (alias.name if alias.asname else name, 0, [])
            if registry.models(home) or home.partition(".")[0] in _PLAIN_HOMES:
                self.plain.add(name)

    def is_single(self, name: str) -> bool:
        """Tell whether a name is bound once, so that it may be bound late."""
        return self.bound[name] == 1 and not name.startswith("__")

    def can_wait(self, node: ast.stmt) -> bool:
        """Tell whether a statement can be evaluated at any time."""
        if isinstance(node, ast.FunctionDef):
            return not node.decorator_list and self._has_constant_defaults(node)
        if isinstance(node, ast.ClassDef):
            plain = not node.decorator_list and not node.keywords and all(self._is_plain_base(b) for b in node.bases)
            return plain and all(self._can_wait_in_class(member) for member in node.body)
        if isinstance(node, ast.Assign):
            return all(isinstance(target, ast.Name) for target in node.targets) and self._is_constant(node.value)
        return False

    def _is_plain_base(self, node: ast.expr) -> bool:
        attributes: list[str] = []
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            attributes[:0] = [node.attr] if isinstance(node, ast.Attribute) else []
            node = node.value
        if not isinstance(node, ast.Name) or self.bound[node.id] > 1:
            return False
        if node.id in self.plain or node.id == "object":
            return True
        module, level, names = self.homes.get(node.id, ("", 0, []))
        *inner, last = [*names, *attributes] or [""]
        return bool(last) and self.is_bare(".".join([module, *inner] if module else inner), level, last)

    def _can_wait_in_class(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.FunctionDef):
            is_hook = node.name in ("__init_subclass__", "__set_name__", "__class_getitem__")
            return not is_hook and all(_is_plain(d) for d in node.decorator_list) and self._has_constant_defaults(node)
        if isinstance(node, ast.Expr):
            return isinstance(node.value, ast.Constant)
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            parts = [node.value] if isinstance(node, ast.Assign) else [node.value, node.annotation]
            return all(part is None or self._is_constant(part) for part in parts)
        return isinstance(node, ast.Pass)

    def _has_constant_defaults(self, node: ast.FunctionDef) -> bool:
        defaults = [*node.args.defaults, *node.args.kw_defaults]
        return all(default is None or self._is_constant(default) for default in defaults)

    def _is_constant(self, node: ast.expr) -> bool:
        """Tell whether an expression has the same value whenever it is evaluated."""
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Name):
            return self.bound[node.id] <= 1 and (not self.has_star or node.id in self.imported)
        if isinstance(node, ast.Attribute):
            return self._is_imported(node)
        if isinstance(node, ast.Subscript):
            return self._is_imported(node.value) and self._is_constant(node.slice)
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            return all(self._is_constant(item) for item in node.elts)
        if isinstance(node, ast.Dict):
            return all(item is not None and self._is_constant(item) for item in (*node.keys, *node.values))
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.operand, ast.Constant)
        if isinstance(node, ast.BinOp):
            return all(self._is_number(side) or self._is_imported(side) for side in (node.left, node.right))
        return False

    def chosen_name(self, block: list[ast.stmt]) -> str:
        """Return the name that a block binds and does nothing else, whichever settings it finds; an empty string for
        any other block."""
        if len(block) != 1 or not isinstance(node := block[0], (ast.If, ast.Assign)):
            return ""
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            is_single = len(node.targets) == 1 and isinstance(target, ast.Name) and self._is_setting(node.value)
            return target.id if is_single and isinstance(target, ast.Name) else ""
        name = self.chosen_name(node.body)
        return name if name == self.chosen_name(node.orelse) and self._is_setting(node.test) else ""

    def _is_setting(self, node: ast.expr) -> bool:
        """Tell whether an expression consists of constants and environment variables."""
        match node:
            case ast.Constant():
                return True
            case ast.Attribute():
                return self._is_imported(node)
            case ast.Subscript():
                return self._is_setting(node.value) and self._is_setting(node.slice)
            case ast.Compare():
                return all(map(self._is_setting, [node.left, *node.comparators]))
            case ast.BoolOp():
                return all(map(self._is_setting, node.values))
            case ast.UnaryOp():
                return self._is_setting(node.operand)
            case ast.Tuple() | ast.List():
                return all(map(self._is_setting, node.elts))
            case ast.Call(ast.Name(name), args, []):
                return (
                    name in ("bool", "int", "float", "str")
                    and not self.bound[name]
                    and all(map(self._is_setting, args))
                )
            case ast.Call(ast.Attribute(value, method) as function, args, []):
                is_known = method in ("get", "lower", "upper", "strip") and self._is_setting(value)
                return (is_known or (method == "getenv" and self._is_imported(function))) and all(
                    map(self._is_setting, args)
                )
        return False

    def _is_number(self, node: ast.expr) -> bool:
        if isinstance(node, ast.BinOp):
            return self._is_number(node.left) and self._is_number(node.right)
        return isinstance(node, ast.Constant)

    def _is_imported(self, node: ast.expr) -> bool:
        """Tell whether something is read from what an import binds."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.imported or self.bound[node.id] != 1:
            return False
        return self.is_fixed(".".join([node.id, *attributes]))


def _is_plain(decorator: ast.expr) -> bool:
    name = decorator.id if isinstance(decorator, ast.Name) else getattr(decorator, "attr", "")
    return name in _PLAIN_DECORATORS
