"""Expressions to closures."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator
from typing import Any

from cutaway.core.dim import Dim
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp import scope as scopes
from cutaway.interp.builtins import CONVERSIONS
from cutaway.interp.budget import tick
from cutaway.interp.frame import Evaluate, Frame
from cutaway.interp.function import WRAPPER, invoke
from cutaway.interp.guard import (
    BINARY,
    COMPARE,
    DENIED,
    UNARY,
    Pending,
    contains,
    denied_attribute,
    identical,
    set_attribute,
)
from cutaway.interp.native import call_native
from cutaway.interp.scope import Scope

_FunctionType, _MethodType, _BuiltinType = types.FunctionType, types.MethodType, types.BuiltinMethodType


class ExpressionCompiler:
    """Compiles the expressions of one scope of one file."""

    def __init__(self, scope: Scope, file: str, owner: str = "") -> None:
        self.scope = scope
        self.file = file
        self.owner = owner  # the class whose body this is in, for private names

    def expression(self, node: ast.expr) -> Evaluate:
        """Return the closure that evaluates `node`."""
        compile_node: Callable[[Any], Evaluate] | None = getattr(self, f"_{type(node).__name__}", None)
        if compile_node is None:
            return _unsupported(f"{type(node).__name__.lower()} expressions are not interpreted")
        return compile_node(node)

    def _mangle(self, name: str) -> str:
        if self.owner and name.startswith("__") and not name.endswith("__"):
            return f"_{self.owner.lstrip('_')}{name}"
        return name

    # Atoms

    def _Constant(self, node: ast.Constant) -> Evaluate:
        value = node.value
        return lambda frame: value

    def _Name(self, node: ast.Name) -> Evaluate:
        return self.load(self._mangle(node.id))

    def load(self, name: str) -> Evaluate:
        """Return the closure that reads a variable."""
        depth = self.scope.depth_of(name) if self.scope.kind != "module" else None
        if depth is None:
            return _load_global(name)
        if self.scope.kind == "class":
            return _load_class_variable(name) if depth == 0 else _load_enclosing(name, depth)
        return _load_local(name) if depth == 0 else _load_enclosing(name, depth)

    def _JoinedStr(self, node: ast.JoinedStr) -> Evaluate:
        parts = [self.expression(value) for value in node.values]

        def evaluate(frame: Frame) -> Any:
            texts = [part(frame) for part in parts]
            for text in texts:
                if type(text) is Unknown:
                    return text
            return "".join(texts)

        return evaluate

    def _FormattedValue(self, node: ast.FormattedValue) -> Evaluate:
        value = self.expression(node.value)
        spec = self.expression(node.format_spec) if node.format_spec else None
        convert = {115: str, 114: repr, 97: ascii}.get(node.conversion)

        def evaluate(frame: Frame) -> Any:
            item = value(frame)
            if type(item) is Unknown:
                return Unknown("text made of an unknown value")
            if convert is not None:
                item = convert(item)
            style = spec(frame) if spec else ""
            if type(style) is Unknown or any(len(digits) > 5 for digits in _numbers(style)):
                return Unknown("text of unknown layout")
            if isinstance(item, Dim):
                item = str(item)
            return format(item, style)

        return evaluate

    def _List(self, node: ast.List) -> Evaluate:
        return self._display(node.elts, list)

    def _Tuple(self, node: ast.Tuple) -> Evaluate:
        return self._display(node.elts, tuple)

    def _Set(self, node: ast.Set) -> Evaluate:
        return self._display(node.elts, set)

    def _display(self, elements: list[ast.expr], make: Callable[[Any], Any]) -> Evaluate:
        if any(isinstance(element, ast.Starred) for element in elements):
            spread = self._spread(elements)
            return lambda frame: make(spread(frame))
        items = [self.expression(element) for element in elements]
        return lambda frame: make([item(frame) for item in items])

    def _spread(self, elements: list[ast.expr]) -> Callable[[Frame], list[Any]]:
        """Evaluate elements some of which are starred."""
        parts = [
            (True, self.expression(element.value)) if isinstance(element, ast.Starred) else (False, self.expression(element))
            for element in elements
        ]

        def evaluate(frame: Frame) -> list[Any]:
            items: list[Any] = []
            for starred, part in parts:
                if starred:
                    items.extend(part(frame))
                else:
                    items.append(part(frame))
            return items

        return evaluate

    def _Dict(self, node: ast.Dict) -> Evaluate:
        parts = [(self.expression(k) if k else None, self.expression(v)) for k, v in zip(node.keys, node.values)]

        def evaluate(frame: Frame) -> Any:
            made: dict[Any, Any] = {}
            for key, value in parts:
                if key is None:
                    made.update(value(frame))
                else:
                    made[key(frame)] = value(frame)
            return made

        return evaluate

    # Operators

    def _BinOp(self, node: ast.BinOp) -> Evaluate:
        left, right = self.expression(node.left), self.expression(node.right)
        operate = BINARY[type(node.op).__name__]
        return lambda frame: operate(left(frame), right(frame))

    def _UnaryOp(self, node: ast.UnaryOp) -> Evaluate:
        operand = self.expression(node.operand)
        if isinstance(node.op, ast.Not):

            def negate(frame: Frame) -> Any:
                value = operand(frame)
                if type(value) is Unknown:
                    return value
                try:
                    return not value
                except Undecidable as undecidable:
                    return undecidable.unknown

            return negate
        operate = UNARY[type(node.op).__name__]
        return lambda frame: operate(operand(frame))

    def _BoolOp(self, node: ast.BoolOp) -> Evaluate:
        values = [self.expression(value) for value in node.values]
        stop_at = isinstance(node.op, ast.Or)

        def evaluate(frame: Frame) -> Any:
            unknown: Unknown | None = None
            value: Any = None
            for part in values:
                value = part(frame)
                truth = truth_of(value)
                if isinstance(truth, Unknown):
                    unknown = unknown or truth
                elif truth is stop_at:
                    # What decides the whole stands even behind an unknown, if its value is a plain truth.
                    return value if unknown is None or isinstance(value, bool) else unknown
            return value if unknown is None else unknown

        return evaluate

    def _Compare(self, node: ast.Compare) -> Evaluate:
        first = self.expression(node.left)
        rest = [(_comparison(op), self.expression(right)) for op, right in zip(node.ops, node.comparators)]
        if len(rest) == 1:
            compare, second = rest[0]
            return lambda frame: compare(first(frame), second(frame))

        def evaluate(frame: Frame) -> Any:
            left = first(frame)
            result: Any = True
            for compare, second in rest:
                right = second(frame)
                result = compare(left, right)
                if truth_of(result) is False:
                    return result
                left = right
            return result

        return evaluate

    def _IfExp(self, node: ast.IfExp) -> Evaluate:
        test, body, orelse = self.expression(node.test), self.expression(node.body), self.expression(node.orelse)

        def evaluate(frame: Frame) -> Any:
            truth = truth_of(test(frame))
            if truth is True:
                return body(frame)
            if truth is False:
                return orelse(frame)
            return merge(body(frame), orelse(frame), truth)

        return evaluate

    def _NamedExpr(self, node: ast.NamedExpr) -> Evaluate:
        value = self.expression(node.value)
        name = node.target.id
        scope, hops = self.scope, 0
        while scope.kind == "comprehension" and scope.parent is not None:
            scope, hops = scope.parent, hops + 1
        globally = scope.kind == "module" or scope.declared.get(name) == "global"

        def evaluate(frame: Frame) -> Any:
            result = value(frame)
            target = frame
            for _ in range(hops):
                if target.parent is not None:
                    target = target.parent
            (target.globals if globally else target.vars)[name] = result
            return result

        return evaluate

    # Access

    def _Attribute(self, node: ast.Attribute) -> Evaluate:
        value = self.expression(node.value)
        name = self._mangle(node.attr)
        if name in DENIED:
            return lambda frame: denied_attribute(value(frame), name)
        if name.startswith("__"):
            from cutaway.interp.guard import get_attribute

            return lambda frame: get_attribute(value(frame), name)

        def evaluate(frame: Frame) -> Any:
            found = getattr(value(frame), name)
            return found.resolve() if type(found) is Pending else found

        return evaluate

    def _Subscript(self, node: ast.Subscript) -> Evaluate:
        value, key = self.expression(node.value), self.expression(node.slice)

        def evaluate(frame: Frame) -> Any:
            container, index = value(frame), key(frame)
            if isinstance(index, Unknown) and not hasattr(container, "reference"):
                return index
            if isinstance(index, Dim) and isinstance(container, (list, tuple, str)):
                return Unknown(f"the element at {index} of a sequence")
            found = container[index]
            return found.resolve() if type(found) is Pending else found

        return evaluate

    def _Slice(self, node: ast.Slice) -> Evaluate:
        parts = [self.expression(part) if part else None for part in (node.lower, node.upper, node.step)]
        return lambda frame: slice(*(part(frame) if part else None for part in parts))

    def _Starred(self, node: ast.Starred) -> Evaluate:  # x[*index]
        return self.expression(node.value)

    # Calls

    def _Call(self, node: ast.Call) -> Evaluate:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and not node.keywords:
            return self._super()
        line = node.lineno
        function = self.expression(node.func)
        plain = not any(isinstance(a, ast.Starred) for a in node.args) and all(k.arg for k in node.keywords)
        if plain and not node.keywords:
            return _call_positional(function, [self.expression(a) for a in node.args], line)
        if plain:
            positional = [self.expression(a) for a in node.args]
            named = [(str(k.arg), self.expression(k.value)) for k in node.keywords]

            def evaluate(frame: Frame) -> Any:
                callee = function(frame)
                args = [a(frame) for a in positional]
                kwargs = {name: value(frame) for name, value in named}
                frame.line = line
                return call(callee, args, kwargs)

            return evaluate
        spread = self._spread(node.args)
        keywords = [(k.arg, self.expression(k.value)) for k in node.keywords]

        def evaluate_spread(frame: Frame) -> Any:
            callee = function(frame)
            args = spread(frame)
            kwargs: dict[str, Any] = {}
            for name, value in keywords:
                if name is None:
                    mapping = value(frame)
                    if type(mapping) is Unknown:
                        raise Undecidable(mapping)
                    for key in mapping.keys():
                        if key in kwargs:
                            raise TypeError(f"got multiple values for keyword argument '{key}'")
                        kwargs[key] = mapping[key]
                else:
                    kwargs[name] = value(frame)
            frame.line = line
            return call(callee, args, kwargs)

        return evaluate_spread

    def _super(self) -> Evaluate:
        def evaluate(frame: Frame) -> Any:
            method = frame
            while method.function is None or method.function.cell is None:
                if method.parent is None:
                    raise RuntimeError("super(): no arguments")
                method = method.parent
            function = method.function
            return super(function.cell[0], method.vars[function.code.positional[0]])  # type: ignore[misc]

        return evaluate

    def _Lambda(self, node: ast.Lambda) -> Evaluate:
        from cutaway.interp.function import define

        return define(self, node)

    # Comprehensions

    def _ListComp(self, node: ast.ListComp) -> Evaluate:
        return self._comprehension(node, list)

    def _SetComp(self, node: ast.SetComp) -> Evaluate:
        return self._comprehension(node, set)

    def _GeneratorExp(self, node: ast.GeneratorExp) -> Evaluate:
        return self._comprehension(node, _located)

    def _DictComp(self, node: ast.DictComp) -> Evaluate:
        return self._comprehension(node, dict)

    def _comprehension(self, node: Any, make: Callable[[Iterator[Any]], Any]) -> Evaluate:
        inner = type(self)(scopes.of_comprehension(node.generators, self.scope), self.file, self.owner)
        first = self.expression(node.generators[0].iter)
        loops = [
            (
                None if index == 0 else inner.expression(generator.iter),
                assign_target(inner, generator.target),
                [inner.expression(test) for test in generator.ifs],
            )
            for index, generator in enumerate(node.generators)
        ]
        if isinstance(node, ast.DictComp):
            key, value = inner.expression(node.key), inner.expression(node.value)

            def element(frame: Frame) -> Any:
                return key(frame), value(frame)

        else:
            element = inner.expression(node.elt)
        in_class = self.scope.kind == "class"

        def produce(frame: Frame, source: Any, level: int) -> Iterator[Any]:
            _, assign, tests = loops[level]
            for item in source:
                tick()
                assign(frame, item)
                if all(decide(test(frame)) for test in tests):
                    if level + 1 < len(loops):
                        deeper = loops[level + 1][0]
                        assert deeper is not None
                        yield from produce(frame, deeper(frame), level + 1)
                    else:
                        yield element(frame)

        def evaluate(frame: Frame) -> Any:
            source = first(frame)
            if type(source) is Unknown:
                return source
            parent = frame.parent if in_class else (None if frame.vars is frame.globals else frame)
            child = Frame({}, frame.globals, frame.file, parent, None)
            child.line = frame.line
            try:
                return make(produce(child, iter(source), 0))
            except Undecidable as undecidable:
                if type(undecidable) is Undecidable:
                    return undecidable.unknown
                raise

        return evaluate


def _located(produced: Iterator[Any]) -> Iterator[Any]:
    return produced


def _numbers(text: str) -> list[str]:
    digits = "".join(c if c.isdigit() else " " for c in text)
    return digits.split()


def truth_of(value: Any) -> bool | Unknown:
    """Return the truth of a value, or the unknown that it hangs on."""
    if value is True or value is False:
        return value
    if type(value) is Unknown:
        return value
    try:
        return bool(value)
    except Undecidable as undecidable:
        if type(undecidable) is not Undecidable:
            raise
        return undecidable.unknown


def decide(value: Any) -> bool:
    """Return the truth of a value or raise `Undecidable`."""
    truth = truth_of(value)
    if isinstance(truth, Unknown):
        raise Undecidable(truth)
    return truth


def merge(first: Any, second: Any, condition: Unknown) -> Any:
    """Return the value of an expression of which either side may have been taken."""
    if first is second:
        return first
    if type(first) is type(second) and isinstance(first, (int, float, str, bool, tuple)) and first == second:
        return first
    return Unknown(condition.reason, condition.place)


def call(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a value of the target; interpreted functions are entered directly."""
    kind = type(function)
    if kind is _FunctionType:
        if function.__code__ is WRAPPER:
            return invoke(function.__closure__[0].cell_contents, args, kwargs)
    elif kind is _MethodType:
        inner = function.__func__
        if type(inner) is _FunctionType and inner.__code__ is WRAPPER:
            return invoke(inner.__closure__[0].cell_contents, [function.__self__, *args], kwargs)
    elif kind is Unknown:
        return function
    elif kind is _BuiltinType:
        return call_native(function, args, kwargs)
    elif function in CONVERSIONS if isinstance(function, type) else False:
        if args and not kwargs:
            return CONVERSIONS[function](*args)
    return function(*args, **kwargs)


def _call_positional(function: Evaluate, arguments: list[Evaluate], line: int) -> Evaluate:
    nothing: dict[str, Any] = {}
    if not arguments:

        def call_none(frame: Frame) -> Any:
            callee = function(frame)
            frame.line = line
            return call(callee, [], nothing)

        return call_none

    def call_some(frame: Frame) -> Any:
        callee = function(frame)
        args = [a(frame) for a in arguments]
        frame.line = line
        return call(callee, args, nothing)

    return call_some


def _comparison(node: ast.cmpop) -> Callable[[Any, Any], Any]:
    name = type(node).__name__
    if name in COMPARE:
        return COMPARE[name]
    decided: dict[str, Callable[[Any, Any], Any]] = {
        "Is": identical,
        "IsNot": lambda a, b: _inverse(identical(a, b)),
        "In": contains,
        "NotIn": lambda a, b: _inverse(contains(a, b)),
    }
    return decided[name]


def _inverse(truth: Any) -> Any:
    return truth if type(truth) is Unknown else not truth


def _unsupported(reason: str) -> Evaluate:
    def evaluate(frame: Frame) -> Any:
        raise Undecidable(Unknown(reason, frame.place))

    return evaluate


def _load_local(name: str) -> Evaluate:
    def evaluate(frame: Frame) -> Any:
        try:
            return frame.vars[name]
        except KeyError:
            raise UnboundLocalError(
                f"cannot access local variable '{name}' where it is not associated with a value"
            ) from None

    return evaluate


def _load_enclosing(name: str, depth: int) -> Evaluate:
    def evaluate(frame: Frame) -> Any:
        for _ in range(depth):
            frame = frame.parent  # type: ignore[assignment]
        try:
            return frame.vars[name]
        except KeyError:
            raise NameError(f"cannot access free variable '{name}' where it is not associated with a value") from None

    return evaluate


def _load_global(name: str) -> Evaluate:
    from cutaway.interp.loader import missing_global

    def evaluate(frame: Frame) -> Any:
        try:
            value = frame.globals[name]
        except KeyError:
            return missing_global(frame.globals, name)
        return value.resolve() if type(value) is Pending else value

    return evaluate


def _load_class_variable(name: str) -> Evaluate:
    outside = _load_global(name)

    def evaluate(frame: Frame) -> Any:
        try:
            value = frame.vars[name]
        except KeyError:
            outer = frame.parent
            while outer is not None:
                if name in outer.vars:
                    return outer.vars[name]
                outer = outer.parent
            return outside(frame)
        return value.resolve() if type(value) is Pending else value

    return evaluate


def assign_target(compiler: ExpressionCompiler, node: ast.expr) -> Callable[[Frame, Any], None]:
    """Return the closure that stores a value into an assignment target."""
    if isinstance(node, ast.Name):
        return _assign_name(compiler.scope, compiler._mangle(node.id))
    if isinstance(node, ast.Attribute):
        owner, name = compiler.expression(node.value), compiler._mangle(node.attr)
        if name in DENIED:
            return lambda frame, value: None

        def assign_attribute(frame: Frame, value: Any) -> None:
            set_attribute(owner(frame), name, value)

        return assign_attribute
    if isinstance(node, ast.Subscript):
        container, key = compiler.expression(node.value), compiler.expression(node.slice)

        def assign_item(frame: Frame, value: Any) -> None:
            container(frame)[key(frame)] = value

        return assign_item
    if isinstance(node, ast.Starred):
        return assign_target(compiler, node.value)
    if isinstance(node, (ast.Tuple, ast.List)):
        return _unpack(compiler, node.elts)
    raise SyntaxError(f"cannot assign to {type(node).__name__.lower()}")


def _assign_name(scope: Scope, name: str) -> Callable[[Frame, Any], None]:
    depth = scope.depth_of(name) if scope.kind not in ("module", "class") else 0
    if scope.declared.get(name) == "global" or depth is None:

        def assign_global(frame: Frame, value: Any) -> None:
            frame.globals[name] = value

        return assign_global
    if scope.declared.get(name) == "nonlocal":
        hops = Scope.depth_of(scope, name) or 0

        def assign_enclosing(frame: Frame, value: Any) -> None:
            for _ in range(hops):
                frame = frame.parent  # type: ignore[assignment]
            frame.vars[name] = value

        return assign_enclosing

    def assign_local(frame: Frame, value: Any) -> None:
        frame.vars[name] = value

    return assign_local


def _unpack(compiler: ExpressionCompiler, elements: list[ast.expr]) -> Callable[[Frame, Any], None]:
    assigns = [assign_target(compiler, element) for element in elements]
    star = next((i for i, element in enumerate(elements) if isinstance(element, ast.Starred)), None)
    count = len(assigns)

    def unpack(frame: Frame, value: Any) -> None:
        if type(value) is Unknown:
            for assign in assigns:
                assign(frame, value)
            return
        items = list(value)
        if star is None:
            if len(items) != count:
                raise ValueError(
                    f"not enough values to unpack (expected {count}, got {len(items)})"
                    if len(items) < count
                    else f"too many values to unpack (expected {count})"
                )
        else:
            after = count - star - 1
            if len(items) < count - 1:
                raise ValueError(f"not enough values to unpack (expected at least {count - 1}, got {len(items)})")
            items[star : len(items) - after] = [items[star : len(items) - after]]
        for assign, item in zip(assigns, items):
            assign(frame, item)

    return unpack

