"""What kind of value an argument of forward is: by its annotation, its default, or what forward does with it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, Protocol

from cutaway.core.record import dataclass, field


class Kind(Enum):
    """A kind of value, as messages name it."""

    TENSOR = "a tensor"
    INTEGER = "an integer"
    NUMBER = "a number"
    FLAG = "True or False"
    TEXT = "a string"
    SEQUENCE = "a list"
    MAPPING = "a dict"
    OBJECT = "an object"
    FUNCTION = "a function"
    OTHER = "an object of a class of its own"


PLAIN = frozenset((Kind.INTEGER, Kind.NUMBER, Kind.FLAG, Kind.TEXT))
"""Kinds of single values that are not tensors."""


@dataclass(frozen=True, slots=True)
class Use:
    """What an argument, or a part of one, is; the kind is None where nothing says so.

    `parts` are the items that forward takes from a dict, or the attributes of an object, or the items of a list that it
    unpacks. `reason` says how the kind is known. `indexed` is one more than the largest number that it is indexed with.
    """

    kind: Kind | None
    reason: str = ""
    parts: dict[str, Use] = field(default_factory=dict)
    is_annotated: bool = False
    indexed: int = 0


UNDETERMINED = Use(None)
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Context(Protocol):
    """What is known of the names in a function."""

    def callee(self, function: ast.expr) -> Callee | Kind | None:
        """Return what a call calls; a kind where that takes only values of this kind; None where nothing is known."""

    def item_kind(self, container: ast.expr) -> Kind | None:
        """Return the kind of the keys of a list or dict of modules."""

    def is_tensor_attribute(self, name: str) -> bool:
        """Tell whether tensors have an attribute."""


@dataclass(frozen=True, slots=True)
class Callee:
    """A function that is called, with the names of the parameters that arguments are bound to by position."""

    function: Function
    positional: tuple[str, ...]
    context: Context


class NoContext:
    """Nothing is known but the function itself; `has` tells whether tensors have an attribute."""

    def __init__(self, has: Callable[[str], bool]) -> None:
        self.is_tensor_attribute = has

    def callee(self, function: ast.expr) -> None:
        """Nothing is known of what is called."""

    def item_kind(self, container: ast.expr) -> None:
        """Nothing is known of containers."""


def argument_use(function: Function, name: str, context: Context, depth: int = 0) -> Use:
    """Return what an argument of a function is."""
    argument, default = _declaration(function, name)
    annotated = None if argument is None else annotated_use(argument.annotation)
    if annotated is not None and annotated.kind is not None and annotated.parts:
        return annotated
    by_default = _kind_of_constant(default)
    if by_default is not None and (annotated is None or annotated.kind is None):
        return Use(by_default, "its default says so")
    if annotated is not None and annotated.kind not in (None, Kind.MAPPING, Kind.OTHER):
        return annotated
    used = _Uses(function, context, depth).of(name)
    if annotated is None or annotated.kind is None or used.kind in (Kind.MAPPING, Kind.OBJECT, Kind.FUNCTION):
        return used
    return annotated


def names_of(function: Function) -> list[str]:
    """Return the parameters of a function that take one argument each."""
    arguments = function.args
    return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _declaration(function: Function, name: str) -> tuple[ast.arg | None, ast.expr | None]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    pairs = [*zip(positional, [*defaults, *arguments.defaults]), *zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return next(((argument, default) for argument, default in pairs if argument.arg == name), (None, None))


_BY_TYPE = {bool: Kind.FLAG, int: Kind.INTEGER, float: Kind.NUMBER, str: Kind.TEXT}


def _kind_of_constant(node: ast.expr | None) -> Kind | None:
    if isinstance(node, ast.UnaryOp):
        return _kind_of_constant(node.operand)
    return _BY_TYPE.get(type(node.value)) if isinstance(node, ast.Constant) else None


# -- annotations ------------------------------------------------------------------------------------------------------

_ANNOTATIONS = {
    **dict.fromkeys(("int",), Kind.INTEGER),
    **dict.fromkeys(("float",), Kind.NUMBER),
    **dict.fromkeys(("bool",), Kind.FLAG),
    **dict.fromkeys(("str", "LiteralString"), Kind.TEXT),
    **dict.fromkeys(("list", "List", "tuple", "Tuple", "Sequence", "Iterable", "Collection", "Size"), Kind.SEQUENCE),
    **dict.fromkeys(("dict", "Dict", "Mapping", "MutableMapping", "OrderedDict"), Kind.MAPPING),
    **dict.fromkeys(("Callable",), Kind.FUNCTION),
}
_TENSORS = ("Tensor", "LongTensor", "IntTensor", "BoolTensor", "FloatTensor", "HalfTensor", "ByteTensor", "Parameter")
_UNINFORMATIVE = ("Any", "object", "Optional", "Union")
_WRAPPERS = ("Optional", "Annotated", "Final", "Required", "NotRequired")
_BY_ANNOTATION = "its annotation says so"


def annotated_use(node: ast.expr | None) -> Use | None:
    """Return what an annotation says; one without a kind says nothing that helps, and one of another class is OTHER."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            return None
    match node:
        case None | ast.Constant():
            return None
        case ast.BinOp(left, ast.BitOr(), right):
            return _union([left, right])
        case ast.Subscript(value, inner):
            return _parametrised(_last(value), inner)
    name = _last(node)
    if not name or name in _UNINFORMATIVE or len(name) == 1:
        return UNDETERMINED
    if name in _TENSORS:
        return Use(Kind.TENSOR, _BY_ANNOTATION, is_annotated=True)
    return Use(_ANNOTATIONS.get(name, Kind.OTHER), _BY_ANNOTATION, is_annotated=True)


def _parametrised(name: str, inner: ast.expr) -> Use | None:
    items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name == "Union":
        return _union(items)
    if name in _WRAPPERS:
        return annotated_use(items[0])
    if name == "Literal":
        kinds = {_kind_of_constant(item) for item in items}
        return Use(kinds.pop() if len(kinds) == 1 else None, _BY_ANNOTATION, is_annotated=True)
    if name in ("tuple", "Tuple") and not any(isinstance(item, ast.Constant) for item in items):
        parts = {str(at): annotated_use(item) or UNDETERMINED for at, item in enumerate(items)}
        return Use(Kind.SEQUENCE, _BY_ANNOTATION, parts, True)
    if name in _ANNOTATIONS:
        return Use(_ANNOTATIONS[name], _BY_ANNOTATION, is_annotated=True)
    # an annotation of shapes, such as Float[Tensor, "b c"], or a generic class
    return Use(Kind.TENSOR, _BY_ANNOTATION, is_annotated=True) if _last(items[0]) in _TENSORS else UNDETERMINED


def _union(items: list[ast.expr]) -> Use | None:
    """Return what a union says: its only member that is not None, or a tensor if there may be one."""
    members = [use for item in items if not _is_none(item) and (use := annotated_use(item)) is not None]
    kinds = {use.kind for use in members}
    if len(kinds) == 1:
        return members[0]
    return next((use for use in members if use.kind is Kind.TENSOR), UNDETERMINED)


def _is_none(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and node.value is None) or _last(node) == "NoneType"


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


# -- uses -------------------------------------------------------------------------------------------------------------

_MAX_DEPTH = 4
_MAPPING_METHODS = frozenset(("get", "items", "keys", "values", "pop", "update", "setdefault"))
_TEXT_METHODS = frozenset(("lower", "upper", "startswith", "endswith", "strip", "lstrip", "rstrip", "format", "encode"))
_SEQUENCE_METHODS = frozenset(("append", "extend", "insert"))
_ITERATING = frozenset(("enumerate", "zip", "list", "tuple", "reversed", "iter", "map", "filter", "set"))
_ORDER = (Kind.TENSOR, Kind.INTEGER, Kind.TEXT, Kind.SEQUENCE, Kind.FUNCTION, Kind.NUMBER, Kind.FLAG)
_TESTS = (ast.If, ast.IfExp, ast.While, ast.Assert)

Path = tuple[str, ...]


@dataclass(slots=True)
class _Evidence:
    """What the uses of one value say: a reason for each kind, and its items and attributes.

    `optional` are items that forward asks for, or sets itself, so that it does without them.
    """

    kinds: dict[Kind, str] = field(default_factory=dict)
    items: list[str] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    optional: set[str] = field(default_factory=set)
    unpacked: int | None = None
    indexed: int = 0


_TAKE_SIZES = frozenset("view expand repeat new_zeros new_ones new_empty new_full unflatten".split())
"""Methods of tensors, in any library, that take sizes one by one; `reshape` may be a function that takes a tensor first."""


def _is_negative(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


class _Uses:
    """Finds what a function does with its arguments."""

    def __init__(self, function: Function, context: Context, depth: int) -> None:
        self._context, self._depth = context, depth
        body = function.body if isinstance(function.body, list) else [function.body]
        self._nodes = [node for part in body for node in _in_order(part)]
        self._parents = {child: node for node in self._nodes for child in ast.iter_child_nodes(node)}
        self._evidence: dict[Path, _Evidence] = {}
        self._nested: dict[Path, list[Use]] = {}

    def of(self, name: str) -> Use:
        """Return what an argument is."""
        self._collect(name, (), end=self._rebound(name))
        return self._use((), name)

    def _collect(
        self, name: str, path: Path, start: tuple[float, float] = (0, 0), end: tuple[float, float] = (float("inf"), 0)
    ) -> None:
        """Collect the uses of a variable from where it is bound to the value at `path` to where it no longer is."""
        for node in self._nodes:
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                if start <= (node.lineno, node.col_offset) <= end:
                    self._climb(node, path)

    def _rebound(self, name: str, start: tuple[float, float] = (0, 0)) -> tuple[float, float]:
        """Return where the first statement ends that binds a variable again, after some place."""
        ends = [
            self._statement_end(node)
            for node in self._nodes
            if isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Store)
            and (node.lineno, node.col_offset) > start
        ]
        return min(ends, default=(float("inf"), 0))

    def _statement_end(self, node: ast.AST) -> tuple[float, float]:
        while not isinstance(node, (ast.stmt, ast.comprehension)) and node in self._parents:
            if isinstance(node, ast.NamedExpr):
                break
            node = self._parents[node]
        if isinstance(node, (ast.For, ast.AsyncFor)):
            node = node.iter
        if isinstance(node, ast.comprehension):
            return (float("inf"), 0)  # a variable of its own
        return (getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0))

    def _climb(self, node: ast.expr, path: Path) -> None:
        """Follow items and attributes that are taken from a value, and note how the result is used."""
        evidence = self._evidence.setdefault(path, _Evidence())
        parent = self._parents.get(node)
        match parent:
            case ast.Subscript(value, ast.Constant(str() as key), ctx) if value is node:
                if not isinstance(ctx, ast.Load):
                    evidence.optional.add(key)
                elif key not in evidence.items:
                    evidence.items.append(key)
                self._climb(parent, (*path, key))
            case ast.Subscript(value, index) if value is node:
                self._note_index(index, evidence)
            case ast.Attribute(value, attribute) if value is node:
                self._note_attribute(parent, attribute, path, evidence)
            case ast.Assign([ast.Name(alias)], value) if value is node and self._is_bound_once(alias):
                self._collect(alias, path, self._statement_end(node))
            case _:
                self._note(node, parent, path, evidence)

    def _is_bound_once(self, name: str) -> bool:
        stores = [n for n in self._nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)]
        return len(stores) == 1

    def _note_index(self, index: ast.expr, evidence: _Evidence) -> None:
        if isinstance(index, ast.Constant) and type(index.value) is int and index.value >= 0:
            evidence.indexed = max(evidence.indexed, index.value + 1)
        elif isinstance(index, ast.Tuple) or (isinstance(index, ast.Constant) and index.value is Ellipsis):
            evidence.kinds.setdefault(Kind.TENSOR, "it is indexed as a tensor")

    def _note_attribute(self, node: ast.Attribute, attribute: str, path: Path, evidence: _Evidence) -> None:
        parent = self._parents.get(node)
        is_called = isinstance(parent, ast.Call) and parent.func is node
        for methods, kind in (
            (_MAPPING_METHODS, Kind.MAPPING),
            (_TEXT_METHODS, Kind.TEXT),
            (_SEQUENCE_METHODS, Kind.SEQUENCE),
        ):
            if is_called and attribute in methods:
                evidence.kinds.setdefault(kind, f"{attribute}() is called on it")
                return
        if self._context.is_tensor_attribute(attribute):
            evidence.kinds.setdefault(Kind.TENSOR, f"its attribute {attribute} is that of a tensor")
            return
        if attribute not in evidence.attributes:
            evidence.attributes.append(attribute)
        self._climb(node, (*path, attribute))

    def _note(self, node: ast.expr, parent: ast.AST | None, path: Path, evidence: _Evidence) -> None:
        for kind, reason in self._kinds(node, parent):
            evidence.kinds.setdefault(kind, reason)
        match parent:
            case ast.Compare(ast.Constant(str() as key), [ast.In() | ast.NotIn()]):
                evidence.optional.add(key)
            case ast.Assign([ast.Tuple(elts) | ast.List(elts)], value) if value is node:
                if not any(isinstance(each, ast.Starred) for each in elts):
                    evidence.unpacked = len(elts)
                for at, each in enumerate(elts):
                    if isinstance(each, ast.Name):
                        start = self._statement_end(node)
                        self._collect(each.id, (*path, str(at)), start, self._rebound(each.id, start))
            case ast.Call() if node is not parent.func:
                position = next((at for at, each in enumerate(parent.args) if each is node), None)
                self._note_call(parent, position, None, path)
            case ast.keyword(arg=str() as name):
                call = self._parents.get(parent)
                if isinstance(call, ast.Call):
                    self._note_call(call, None, name, path)

    def _note_call(self, call: ast.Call, position: int | None, keyword: str | None, path: Path) -> None:
        """Note what a function does with the argument that is passed to it."""
        if self._depth >= _MAX_DEPTH:
            return
        callee = self._context.callee(call.func)
        if isinstance(callee, Kind):
            if position == 0 and not any(isinstance(each, ast.Starred) for each in call.args):
                reason = f"{ast.unparse(call.func)} takes {callee.value}"
                self._nested.setdefault(path, []).append(Use(callee, reason))
            return
        if callee is None or any(isinstance(each, ast.Starred) for each in call.args):
            return
        name = keyword
        if position is not None and position < len(callee.positional):
            name = callee.positional[position]
        if name is not None and name in names_of(callee.function):
            self._nested.setdefault(path, []).append(
                argument_use(callee.function, name, callee.context, self._depth + 1)
            )

    def _kinds(self, node: ast.expr, parent: ast.AST | None) -> Iterator[tuple[Kind, str]]:
        """Yield the kinds that one use of a value implies, each with a reason."""
        match parent:
            case ast.Call(func) if func is node:
                yield Kind.FUNCTION, "it is called"
            case ast.Call(ast.Name("range"), args) if node in args:
                yield Kind.INTEGER, "range() takes it"
            case ast.Call(ast.Name(name)) if name in _ITERATING:
                yield Kind.SEQUENCE, f"{name}() takes it"
            case ast.Starred() | ast.For(iter=_) | ast.comprehension() if _iterates(parent, node):
                yield Kind.SEQUENCE, "forward iterates over it"
            case ast.Assign([ast.Tuple() | ast.List()]):
                yield Kind.SEQUENCE, "forward unpacks it"
            case ast.keyword(arg=None):
                yield Kind.MAPPING, "forward unpacks it with **"
            case ast.Slice():
                yield Kind.INTEGER, "it is a bound of a slice"
            case ast.Subscript(container, index) if index is node:
                kind = self._context.item_kind(container)
                if kind is not None:
                    yield kind, f"it is an index of {ast.unparse(container)}"
            case ast.Call() | ast.BinOp() | ast.keyword() if self._is_size(node):
                yield Kind.INTEGER, "it is a size of a tensor"
            case ast.BinOp(left, ast.Mult(), right) if isinstance(left, ast.List) or isinstance(right, ast.List):
                yield Kind.INTEGER, "a list is repeated with it"
            case ast.BinOp(_, ast.MatMult()):
                yield Kind.TENSOR, "it is an operand of @"
            case ast.Compare():
                yield from self._kinds_in_comparison(node, parent)
            case ast.BoolOp() | ast.UnaryOp(ast.Not()):
                yield Kind.FLAG, "forward tests it"
            case ast.If(test) | ast.IfExp(test) | ast.While(test) | ast.Assert(test) if test is node:
                yield Kind.FLAG, "forward tests it"

    def _is_size(self, node: ast.expr) -> bool:
        """Tell whether a value, or what is computed from it, is passed as a size of a tensor."""
        parent = self._parents.get(node)
        while isinstance(parent, ast.BinOp):
            node, parent = parent, self._parents.get(parent)
        match parent:
            case ast.Call(ast.Attribute(_, name), args) if name in _TAKE_SIZES and len(args) > 1:
                return any(each is node for each in args)
            case ast.Call(ast.Attribute(_, "reshape"), args) if len(args) > 2 or (args and _is_negative(args[0])):
                return any(each is node for each in args)
            case ast.keyword(str()):
                call = self._parents.get(parent)
                function = call.func if isinstance(call, ast.Call) else None
                return getattr(function, "attr", getattr(function, "id", None)) == "rearrange"
        return False

    def _kinds_in_comparison(self, node: ast.expr, comparison: ast.Compare) -> Iterator[tuple[Kind, str]]:
        sides = [comparison.left, *comparison.comparators]
        constants = [item for side in sides if side is not node for item in _constants(side)]
        if any(isinstance(operator, (ast.In, ast.NotIn)) for operator in comparison.ops) and node is sides[-1]:
            if any(isinstance(constant, str) for constant in constants):
                yield Kind.MAPPING, "forward asks for a key in it"
        elif any(isinstance(constant, str) for constant in constants):
            yield Kind.TEXT, "it is compared with a string"
        elif any(type(constant) in (int, float) for constant in constants) and self._is_tested(comparison):
            yield Kind.NUMBER, "it is compared with a number"

    def _is_tested(self, node: ast.AST) -> bool:
        """Tell whether a program decides by an expression."""
        parent = self._parents.get(node)
        while isinstance(parent, (ast.BoolOp, ast.UnaryOp)):
            node, parent = parent, self._parents.get(parent)
        return isinstance(parent, _TESTS) and parent.test is node

    def _use(self, path: Path, name: str) -> Use:
        """Combine what is known of the value at a path."""
        evidence = self._evidence.get(path, _Evidence())
        for nested in self._nested.get(path, ()):
            if nested.kind is not None:
                evidence.kinds.setdefault(nested.kind, nested.reason)
        items = [key for key in evidence.items if key not in evidence.optional]
        parts = {key: self._use((*path, key), key) for key in (*items, *evidence.attributes)}
        for nested in self._nested.get(path, ()):
            for key, use in nested.parts.items():
                if parts.get(key, UNDETERMINED).kind is None:
                    parts[key] = use
        kinds = evidence.kinds
        if evidence.items and evidence.attributes:
            return Use(Kind.OTHER, "it has items and attributes")
        if evidence.items or Kind.MAPPING in kinds:
            return Use(
                Kind.MAPPING, kinds.get(Kind.MAPPING, f"its item {next(iter(parts))!r} is used" if parts else ""), parts
            )
        if evidence.attributes or Kind.OBJECT in kinds:
            return Use(
                Kind.OBJECT,
                kinds.get(Kind.OBJECT, f"its attribute {next(iter(parts))} is used" if parts else ""),
                parts,
            )
        kind = next((each for each in _ORDER if each in kinds), None)
        if kind is Kind.SEQUENCE and evidence.unpacked is not None:
            parts = {str(at): self._use((*path, str(at)), f"{name}.{at}") for at in range(evidence.unpacked)}
        return Use(kind, kinds[kind] if kind else "", parts if kind is Kind.SEQUENCE else {}, indexed=evidence.indexed)


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree as they are written."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


def _iterates(parent: Any, node: ast.expr) -> bool:
    return isinstance(parent, ast.Starred) or parent.iter is node


def _constants(node: ast.expr) -> list[Any]:
    """Return the constants in an operand of a comparison."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return [constant for item in node.elts for constant in _constants(item)]
    if isinstance(node, ast.UnaryOp):
        return _constants(node.operand)
    return [node.value] if isinstance(node, ast.Constant) else []
