"""Expressions to closures."""

from __future__ import annotations

import ast
import re
import sys
import types
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, cast

from cutaway.core import session
from cutaway.core.condition import CONFIGURATION, MODE, Decision, Term
from cutaway.core.loop.series import Series
from cutaway.core.size.dim import Dim, equal, undecided
from cutaway.core.size.relation import Relation, Several
from cutaway.core.unknown import Undecidable, Unknown, decisions, other_than_truth
from cutaway.interp.compile import scope as scopes
from cutaway.interp.compile.scope import Scope
from cutaway.interp.run.boundary import CHECKED, GUARDED, Pending, get_attribute, set_attribute
from cutaway.interp.run.budget import ELEMENTS, build, counted, tick
from cutaway.interp.run.frame import STACK, UNKNOWN_CALLS, Evaluate, Frame, place
from cutaway.interp.run.function import WRAPPER, doubt_of, invoke
from cutaway.interp.run.host_call import call_native, reason_of
from cutaway.interp.run.set_order import in_order
from cutaway.interp.run.size_limits import BINARY, COMPARE, PLAIN, UNARY, contains, identical
from cutaway.interp.stdlib.builtins import CONVERSIONS, make_super
from cutaway.interp.stdlib.formatting import is_wide, joined, symbolic_text
from cutaway.interp.symbolic.symbolic_loop import collect, series_of
from cutaway.knowledge.base.registry import ARRAYS, CONSTRUCTORS
from cutaway.syntax import resolve

_NOTHING = object()
_NO_ITERABLE = "Value after * must be an iterable, not {}"
_FunctionType, _MethodType, _BuiltinType = types.FunctionType, types.MethodType, types.BuiltinMethodType


class ExpressionCompiler:
    """Compiles the expressions of one scope of one file."""

    tests = False  # inside a condition

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

    def test(self, node: ast.expr) -> Evaluate:
        """Return the closure that evaluates a condition: there it is open whether a network is being trained."""
        outer, self.tests = self.tests, True
        try:
            return self.expression(node)
        finally:
            self.tests = outer

    def skip(self, frame: Frame, node: ast.expr, unknown: Unknown) -> None:
        """Make unknown what a part of an expression that may or may not be evaluated would have changed."""

    def _mangle(self, name: str) -> str:
        return scopes.mangle(self.owner, name) if self.owner else name

    # Atoms

    def _Constant(self, node: ast.Constant) -> Evaluate:
        value = node.value
        if type(value) is str and _NAME_CHARACTERS.fullmatch(value):
            value = sys.intern(value)  # as Python does, so that `is` finds equal ones
        return lambda frame: value

    def _Name(self, node: ast.Name) -> Evaluate:
        return self.load(self._mangle(node.id))

    def load(self, name: str) -> Evaluate:
        """Return the closure that reads a variable."""
        depth = self.scope.depth_of(name) if self.scope.kind != "module" else None
        if name == "__class__" and depth is None and self.owner:
            return _load_class
        if self.scope.kind == "class" and self.scope.declared.get(name) is None:
            return _load_class_variable(name, _load_enclosing(name, depth) if depth else _load_global(name))
        if depth is None:
            return _load_global(name)
        return _load_local(name) if depth == 0 else _load_enclosing(name, depth)

    def _JoinedStr(self, node: ast.JoinedStr) -> Evaluate:
        parts = [self.expression(value) for value in node.values]

        def evaluate(frame: Frame) -> Any:
            texts = [part(frame) for part in parts]
            for text in texts:
                if type(text) is Unknown:
                    return other_than_truth(text)
            return joined(texts)

        return evaluate

    def _FormattedValue(self, node: ast.FormattedValue) -> Evaluate:
        value = self.expression(node.value)
        spec = self.expression(node.format_spec) if node.format_spec else None
        conversions: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}
        convert = conversions.get(node.conversion)

        def evaluate(frame: Frame) -> Any:
            item = value(frame)
            if type(item) is Unknown:
                return Unknown("text made of an unknown value")
            if convert is not None:
                item = convert(item)
            style = spec(frame) if spec else ""
            if type(style) is Unknown or (style and is_wide(style)):
                return Unknown("text of unknown layout")
            if isinstance(item, Dim):
                return symbolic_text(item) if not style else Unknown("text of a size that is no number")
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
            spread = self._spread(elements, "'{}' object is not iterable" if make is set else _NO_ITERABLE)

            def display(frame: Frame) -> Any:
                try:
                    return make(spread(frame))
                except Undecidable as undecidable:
                    return _lost(undecidable)

            return display
        items = [self.expression(element) for element in elements]
        if make is tuple and len(items) == 2:
            first, second = items
            return lambda frame: (first(frame), second(frame))
        return lambda frame: make([item(frame) for item in items])

    def _spread(self, elements: list[ast.expr], fault: str = _NO_ITERABLE) -> Callable[[Frame], list[Any]]:
        """Evaluate elements some of which are starred."""
        parts = [
            (True, self.expression(element.value))
            if isinstance(element, ast.Starred)
            else (False, self.expression(element))
            for element in elements
        ]

        def evaluate(frame: Frame) -> list[Any]:
            items: list[Any] = []
            for starred, part in parts:
                if not starred:
                    items.append(part(frame))
                    continue
                source = part(frame)
                if not _is_iterable(source):
                    raise TypeError(fault.format(type(source).__name__))
                items.extend(counted(source))
                if len(items) > ELEMENTS:
                    raise Undecidable(Unknown("a sequence would be too large to build", frame.place))
            return items

        return evaluate

    def _Dict(self, node: ast.Dict) -> Evaluate:
        parts = [(self.expression(k) if k else None, self.expression(v)) for k, v in zip(node.keys, node.values)]

        def evaluate(frame: Frame) -> Any:
            made: dict[Any, Any] = {}
            pairs: list[tuple[Any, Any]] = []  # evaluated before one of them is stored
            for key, value in parts:
                if key is not None:
                    name = key(frame)
                    pairs.append((name, value(frame)))
                    continue
                made.update(pairs)
                pairs.clear()
                mapping = value(frame)
                if type(mapping) is Unknown:
                    return other_than_truth(mapping)
                if not hasattr(mapping, "keys"):
                    raise TypeError(f"'{type(mapping).__name__}' object is not a mapping")
                made.update(mapping)
            made.update(pairs)
            return made

        return evaluate

    # Operators

    def _BinOp(self, node: ast.BinOp) -> Evaluate:
        left, right = self.expression(node.left), self.expression(node.right)
        name = type(node.op).__name__
        operate, plain = BINARY[name], PLAIN.get(name)
        if plain is None:
            return lambda frame: operate(left(frame), right(frame))

        def evaluate(frame: Frame) -> Any:
            first, second = left(frame), right(frame)
            if type(first) is int and type(second) is int and -_SMALL < first < _SMALL and -_SMALL < second < _SMALL:
                return plain(first, second)
            return operate(first, second)

        return evaluate

    def _UnaryOp(self, node: ast.UnaryOp) -> Evaluate:
        operand = self.expression(node.operand)
        if isinstance(node.op, ast.Not):

            def negate(frame: Frame) -> Any:
                value = operand(frame)
                if type(value) is Unknown:
                    return opposite(value)
                truth = truth_of(value)
                return opposite(truth) if isinstance(truth, Unknown) else not truth

            return negate
        operate = UNARY[type(node.op).__name__]
        return lambda frame: operate(operand(frame))

    def _BoolOp(self, node: ast.BoolOp) -> Evaluate:
        values = [(self.expression(value), is_pure(value)) for value in node.values]
        stop_at = isinstance(node.op, ast.Or)

        def evaluate(frame: Frame) -> Any:
            unknown: Unknown | None = None
            value: Any = None
            for part, pure in values:
                if unknown is not None and not pure:
                    self.skip(frame, node, unknown)
                    return _together(unknown, None, not stop_at)
                value = part(frame)
                truth = truth_of(value)
                if isinstance(truth, Unknown):
                    unknown = _together(unknown, truth, not stop_at)
                elif truth is stop_at:
                    # What decides the whole stands even behind an unknown, if its value is a plain truth.
                    return value if unknown is None or isinstance(value, bool) else other_than_truth(unknown)
            return value if unknown is None else unknown

        return evaluate

    def _Compare(self, node: ast.Compare) -> Evaluate:
        first = self.expression(node.left)
        rest = [
            (_comparison(op), self.expression(right), is_pure(right)) for op, right in zip(node.ops, node.comparators)
        ]
        if len(rest) == 1:
            compare, second, _ = rest[0]
            if _asks_for_none(node) and self.scope.kind == "function":
                return lambda frame: compare(_absent(first(frame), node, frame), None)
            return lambda frame: compare(first(frame), second(frame))

        def evaluate(frame: Frame) -> Any:
            left = first(frame)
            unknown: Unknown | None = None
            result: Any = True
            for compare, second, pure in rest:
                if unknown is not None and not pure:
                    self.skip(frame, node, unknown)
                    return _together(unknown, None, True)
                right = second(frame)
                result = compare(left, right)
                truth = truth_of(result)
                if isinstance(truth, Unknown):
                    unknown = _together(unknown, truth, True)
                elif truth is False:
                    return result if unknown is None or isinstance(result, bool) else other_than_truth(unknown)
                left = right
            return result if unknown is None else unknown

        return evaluate

    def _IfExp(self, node: ast.IfExp) -> Evaluate:
        test, body, orelse = self.test(node.test), self.expression(node.body), self.expression(node.orelse)
        pure = is_pure(node.body) and is_pure(node.orelse)

        def evaluate(frame: Frame) -> Any:
            truth = truth_of(test(frame))
            if truth is True:
                return body(frame)
            if truth is False:
                return orelse(frame)
            holds = by_data(truth, node.test, frame)
            if holds is not None:
                return body(frame) if holds else orelse(frame)
            if not pure:
                self.skip(frame, node, truth)
                return Unknown(truth.reason, truth.place or frame.place)
            return merge(body(frame), orelse(frame), truth)

        return evaluate

    def _NamedExpr(self, node: ast.NamedExpr) -> Evaluate:
        value = self.expression(node.value)
        name = self._mangle(node.target.id)
        scope, hops = self.scope, 0
        while scope.kind == "comprehension" and scope.parent is not None:
            scope, hops = scope.parent, hops + 1
        if scope.kind == "module":
            scope = Scope("module", None, set(), {name: "global"})
        assign = _assign_name(scope, name)

        def evaluate(frame: Frame) -> Any:
            result = value(frame)
            target = frame
            for _ in range(hops):
                if target.parent is not None:
                    target = target.parent
            assign(target, result)
            return result

        return evaluate

    # Access

    def _Attribute(self, node: ast.Attribute) -> Evaluate:
        value = self.expression(node.value)
        name = self._mangle(node.attr)
        if name in GUARDED or name.startswith("__"):
            return lambda frame: get_attribute(value(frame), name)
        if name == "training" and self.tests:
            return lambda frame: mode(getattr(value(frame), name), frame)

        def evaluate(frame: Frame) -> Any:
            owner = value(frame)
            try:
                found = getattr(owner, name)
            except AttributeError:
                if (doubt := doubt_of(owner)) is not None:
                    return doubt
                raise
            check = CHECKED.get(type(found))
            return found if check is None else check(found)

        return evaluate

    def _Subscript(self, node: ast.Subscript) -> Evaluate:
        value, key = self.expression(node.value), self.expression(node.slice)
        constant = node.slice.value if isinstance(node.slice, ast.Constant) else None

        def evaluate(frame: Frame) -> Any:
            container = value(frame)
            index = constant if constant is not None else key(frame)
            if type(index) is int and (type(container) is tuple or type(container) is list):
                found = container[index]
                check = CHECKED.get(type(found))
                return found if check is None else check(found)
            if isinstance(index, Unknown) and not hasattr(container, "reference"):
                if index.kind is None or not (type(container) in ARRAYS or hasattr(container, "without_numbers")):
                    return other_than_truth(index)
            if isinstance(index, Dim) and isinstance(container, (list, tuple, str)):
                return Unknown(f"the element at {index} of a sequence")
            if type(container) in ARRAYS:
                return array_item(container, index)
            try:
                found = container[index]
            except Undecidable as undecidable:
                return _lost(undecidable)
            except KeyError:
                if isinstance(container, dict) and any(type(known) is Unknown for known in container):
                    return Unknown("an element of a table one of whose keys is not known")
                raise
            except TypeError:
                if (doubt := doubt_of(container)) is not None:
                    return doubt
                raise
            check = CHECKED.get(type(found))
            return found if check is None else check(found)

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
        spread = self._arguments(node.args)
        keywords = [(k.arg, self.expression(k.value)) for k in node.keywords]

        def evaluate_spread(frame: Frame) -> Any:
            callee = function(frame)
            try:
                args, kwargs = spread(frame, callee), gather(frame, callee)
            except Undecidable as undecidable:
                if type(undecidable) is not Undecidable or not isinstance(callee, type):
                    raise
                return undecidable.unknown  # an object made of what is not known
            frame.line = line
            return call(callee, args, kwargs)

        def gather(frame: Frame, callee: Any) -> dict[str, Any]:
            kwargs: dict[str, Any] = {}
            for name, value in keywords:
                if name is not None:
                    found = {name: value(frame)}
                else:
                    found = value(frame)
                    if type(found) is Unknown:
                        raise Undecidable(found)
                    if not hasattr(found, "keys"):
                        raise TypeError(
                            f"{_title(callee)} argument after ** must be a mapping, not {type(found).__name__}"
                        )
                for key in found.keys():  # noqa: SIM118 - a mapping need not iterate over its keys
                    if not isinstance(key, str):
                        raise TypeError("keywords must be strings")
                    if key in kwargs:
                        raise TypeError(f"{_title(callee)} got multiple values for keyword argument '{key}'")
                    kwargs[key] = found[key]
            return kwargs

        return evaluate_spread

    def _arguments(self, elements: list[ast.expr]) -> Callable[[Frame, Any], list[Any]]:
        parts = [
            (True, self.expression(element.value))
            if isinstance(element, ast.Starred)
            else (False, self.expression(element))
            for element in elements
        ]

        def evaluate(frame: Frame, callee: Any) -> list[Any]:
            items: list[Any] = []
            for starred, part in parts:
                value = part(frame)
                if not starred:
                    items.append(value)
                elif type(value) is Series and getattr(callee, "takes_series", value) is getattr(callee, "__init__", 0):
                    items.extend(value.parts)
                elif _is_iterable(value):
                    items.extend(counted(value))
                    if len(items) > ELEMENTS:
                        raise Undecidable(Unknown("a sequence would be too large to build", frame.place))
                else:
                    raise TypeError(
                        f"{_title(callee)} argument after * must be an iterable, not {type(value).__name__}"
                    )
            return items

        return evaluate

    def _super(self) -> Evaluate:
        def evaluate(frame: Frame) -> Any:
            method: Frame | None = frame
            while method is not None and method.function is None:  # a comprehension
                method = method.parent
            if method is None or not method.function.code.positional:
                raise RuntimeError("super(): no arguments")
            first = method.function.code.positional[0]
            if first not in method.vars:
                raise RuntimeError("super(): arg[0] deleted")
            return make_super(_load_class(method), method.vars[first])

        return evaluate

    def _Lambda(self, node: ast.Lambda) -> Evaluate:
        from cutaway.interp.run.function import define

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
        inner = type(self)(scopes.of_comprehension(node.generators, self.scope, self.owner), self.file, self.owner)
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
            element = inner.expression(node.elt)  # type: ignore[assignment]
        in_class = self.scope.kind == "class"

        def produce(frame: Frame, source: Any, level: int) -> Iterator[Any]:
            _, assign, tests = loops[level]
            for item in source:
                tick()
                assign(frame, item)
                if not tests or all(decide(test(frame)) for test in tests):
                    if level + 1 < len(loops):
                        deeper = loops[level + 1][0]
                        assert deeper is not None
                        yield from produce(frame, deeper(frame), level + 1)
                    else:
                        yield element(frame)

        is_single = len(loops) == 1 and not loops[0][2] and make in (list, _located)
        is_plain = is_single and make is list

        def turn(frame: Frame, item: Any) -> Any:
            tick()
            loops[0][1](frame, item)
            return element(frame)

        def plain(frame: Frame, source: Any) -> list[Any]:
            assign, made = loops[0][1], []
            for item in source:
                tick()
                assign(frame, item)
                made.append(element(frame))
            return made

        def evaluate(frame: Frame) -> Any:
            source = first(frame)
            if type(source) is Unknown:
                return other_than_truth(source)
            parent = frame.parent if in_class else (None if frame.vars is frame.globals else frame)
            child = Frame({}, frame.globals, frame.file, parent, None)
            child.line = frame.line
            series = series_of(source)
            try:
                if series is not None:
                    return collect(child, series, partial(turn, child)) if is_single else series.refuse()
                ordered = in_order(source)
                items = iter(ordered)
                if ordered is not source:
                    with session.current().in_any_order():
                        return plain(child, items) if is_plain else make(produce(child, items, 0))
                return plain(child, items) if is_plain else make(produce(child, items, 0))
            except Undecidable as undecidable:
                if type(undecidable) is Undecidable:
                    return undecidable.unknown
                raise

        return evaluate


def _located(produced: Iterator[Any]) -> Iterator[Any]:
    return produced


def truth_of(value: Any) -> bool | Unknown:
    """Return the truth of a value, or the unknown that it hangs on."""
    if value is True or value is False:
        return value
    if type(value) is Unknown:
        return value if value.term is None else _decided(value)
    if type(value) is Dim:
        zero = equal(value, 0)
        return undecided(Relation("!=", value, 0)) if zero is None else not zero
    try:
        return bool(value)
    except Undecidable as undecidable:
        if type(undecidable) is not Undecidable:
            raise
        return undecidable.unknown


def _together(first: Unknown | None, second: Unknown | None, every: bool) -> Unknown:
    """Return the unknown truth of two conditions, of which every one has to hold or only one."""
    if first is None or second is None:
        known = first or second
        assert known is not None, "there is a condition"
        return known if first is None else other_than_truth(known)
    parts = (first.about, second.about)
    if parts == (None, None):
        return first
    return Unknown(first.reason, first.place, Several(every, parts))


def _decided(unknown: Unknown) -> bool | Unknown:
    """Return how a condition is decided in this run, or the unknown that it hangs on."""
    assert unknown.term is not None
    if unknown.term.relation and _recurs():
        return Unknown(f"{unknown.reason}: a recursion of symbolic depth", unknown.place)
    at = place()
    holds = decisions().decide(unknown.term, at)
    if holds is not None and unknown.about is not None:
        session.current().suppose(unknown.about if holds else unknown.about.negated(), at)
    return unknown if holds is None else holds


def _recurs() -> bool:
    """Tell whether the function that is being run has called itself."""
    running = STACK[-1].function if STACK else None
    return running is not None and any(
        frame.function is not None and frame.function.code is running.code for frame in STACK[:-1]
    )


def is_own(frame: Frame) -> bool:
    """Tell whether control is in a module of the user's own project."""
    from cutaway.interp.modules.loader import HIDDEN

    home = frame.globals.get(HIDDEN)
    return home is not None and home.is_own


def by_data(truth: Unknown, test: ast.expr, frame: Frame) -> bool | None:
    """Decide a condition of the user's own code that hangs on numbers in tensors; None where it is another one."""
    if truth.term is None or truth.term.text or not is_own(frame) or session.current().turns:
        return None
    return decisions().occurrence(ast.unparse(test), truth.term.kind, frame.place)


def _asks_for_none(node: ast.Compare) -> bool:
    """Tell whether a comparison is that of a variable with None."""
    (right,) = node.comparators
    is_none = isinstance(right, ast.Constant) and right.value is None
    return is_none and isinstance(node.left, ast.Name) and isinstance(node.ops[0], (ast.Is, ast.IsNot))


def _absent(value: Any, node: ast.Compare, frame: Frame) -> Any:
    """Return a value that is compared with None; one that forward was not given is a condition that is settled."""
    here = session.current()
    if value is None and here.absent and frame.function is not None:
        code, names = here.absent
        name = cast(ast.Name, node.left).id
        if name in names and frame.function.code is code and is_own(frame):
            text = f"{name} is None"
            here.conditions.setdefault(text, Decision(text, CONFIGURATION, frame.place, True, True))
    return value


def mode(value: Any, frame: Frame) -> Any:
    """Return whether a network is being trained, as it is open in a condition of the user's own code."""
    here = decisions()
    if type(value) is not bool or not here.active or here.held or not session.current().modules or not is_own(frame):
        return value
    if not here.follows:
        here.wanted = True
        return value
    return Unknown("whether the network is being trained", frame.place, term=Term("self.training", MODE))


def opposite(unknown: Unknown) -> Unknown:
    """Return the truth of `not` something unknown."""
    about = None if unknown.about is None else unknown.about.negated()
    term = unknown.term.opposite() if unknown.term is not None and unknown.term.text else unknown.term
    return Unknown(unknown.reason, unknown.place, about, unknown.kind, term)


def decide(value: Any) -> bool:
    """Return the truth of a value or raise `Undecidable`."""
    truth = truth_of(value)
    if isinstance(truth, Unknown):
        raise Undecidable(truth)
    return truth


_PURE_CALLS = frozenset(
    """abs all any bool callable float frozenset getattr hasattr id int isinstance issubclass len list max min range repr
    round sorted str sum tuple type""".split()
)


def _lost(undecidable: Undecidable) -> Unknown:
    """Return what a value that hangs on a decision is, unless nothing more is to be interpreted."""
    if type(undecidable) is not Undecidable:
        raise undecidable
    return undecidable.unknown


def is_pure(node: ast.expr) -> bool:
    """Tell whether evaluating an expression changes nothing."""
    for child in ast.walk(node):
        if isinstance(child, ast.Call):
            if not (isinstance(child.func, ast.Name) and child.func.id in _PURE_CALLS):
                return False
        elif isinstance(child, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)):
            return False
    return True


def merge(first: Any, second: Any, condition: Unknown) -> Any:
    """Return the value of an expression of which either side may have been taken."""
    if first is second:
        return first
    if type(first) is type(second) and isinstance(first, (int, float, str, bool, tuple)) and first == second:
        return first
    return Unknown(condition.reason, condition.place)


def array_item(array: Any, index: Any) -> Any:
    """`array[index]`, for arrays of a library that bounds its operators."""
    from cutaway.knowledge.numpy.call import item

    return item(array, index)


def array_assign(array: Any, index: Any, value: Any) -> None:
    """`array[index] = value`, for arrays of a library that bounds its operators."""
    from cutaway.knowledge.numpy.call import assign

    unknown = assign(array, index, value)
    if type(unknown) is Unknown:
        raise Undecidable(unknown)


_LONG = 1 << 10


def call(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a value of the target; interpreted functions are entered directly."""
    kind = type(function)
    if kind is _FunctionType:
        if function.__code__ is WRAPPER:
            return invoke(function.__closure__[0].cell_contents, args, kwargs)  # type: ignore[index]
    elif kind is _MethodType:
        inner = function.__func__
        if type(inner) is _FunctionType and inner.__code__ is WRAPPER:
            return invoke(inner.__closure__[0].cell_contents, [function.__self__, *args], kwargs)  # type: ignore[index]
    elif kind is Unknown:
        if any(hasattr(type(a), "mark_incomplete") or isinstance(a, (list, dict)) for a in (*args, *kwargs.values())):
            session.current().assume(f"a function that is not known changes none of its arguments: {function.reason}")
        UNKNOWN_CALLS[0] += 1
        return function
    elif kind is _BuiltinType:
        return call_native(function, args, kwargs)
    elif kind is type:
        if function in CONVERSIONS:
            if args and not kwargs:
                try:
                    return CONVERSIONS[function](*args)
                except Undecidable as undecidable:
                    if type(undecidable) is not Undecidable or function not in _NUMBERS:
                        raise
                    return undecidable.unknown
        elif function in CONSTRUCTORS:
            return CONSTRUCTORS[function](*args, **kwargs)
    try:
        result = function(*args, **kwargs)
    except Undecidable as undecidable:
        if type(undecidable) is not Undecidable or not isinstance(function, type):
            raise
        return undecidable.unknown  # an object whose making could not be followed
    except Exception as error:
        if not _is_hosts(function):
            raise
        return reason_of(error, args, kwargs)
    if type(result) is list and len(result) > _LONG:
        build(len(result))
    elif type(result) is Unknown and result.kind is not None and any(result is given for given in args):
        return other_than_truth(result)  # what is made of a number need not be one
    check = CHECKED.get(type(result))
    return result if check is None else check(result)


_SMALL = 1 << 60
_NUMBERS = frozenset({bool, complex, float, int})
_NAME_CHARACTERS = re.compile(r"\w*", re.ASCII)


def _is_hosts(function: Any) -> bool:
    """Tell whether a callable belongs to the standard library, as a target sees it."""
    home = function if isinstance(function, (type, _FunctionType)) else type(function)
    name = getattr(home, "__module__", None)
    return isinstance(name, str) and (resolve.is_standard(name) or name.startswith("cutaway.interp."))


_NUMBERS = frozenset((int, float))


def _call_positional(function: Evaluate, arguments: list[Evaluate], line: int) -> Evaluate:
    nothing: dict[str, Any] = {}
    if not arguments:

        def call_none(frame: Frame) -> Any:
            callee = function(frame)
            frame.line = line
            return call(callee, [], nothing)

        return call_none

    if len(arguments) == 1:
        from cutaway.interp.stdlib.builtins import AT_ONCE

        only = arguments[0]

        def call_one(frame: Frame) -> Any:
            callee, argument = function(frame), only(frame)
            if id(callee) in AT_ONCE and type(argument) in _NUMBERS:
                return AT_ONCE[id(callee)](argument)
            frame.line = line
            return call(callee, [argument], nothing)

        return call_one

    def call_some(frame: Frame) -> Any:
        callee = function(frame)
        args = [a(frame) for a in arguments]
        frame.line = line
        return call(callee, args, nothing)

    return call_some


def _is_iterable(value: Any) -> bool:
    kind = type(value)
    return kind is list or kind is tuple or hasattr(kind, "__iter__") or hasattr(kind, "__getitem__") or kind is Unknown


def _title(function: Any) -> str:
    """Return a function as Python names it where a call does not fit."""
    name = getattr(function, "__qualname__", None)
    if not isinstance(name, str):
        return str(function)
    home = getattr(function, "__module__", None)
    return f"{home}.{name}()" if isinstance(home, str) and home != "builtins" else f"{name}()"


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
    return opposite(truth) if type(truth) is Unknown else not truth


def _unsupported(reason: str) -> Evaluate:
    def evaluate(frame: Frame) -> Any:
        raise Undecidable(Unknown(reason, frame.place))

    return evaluate


_OLD = sys.version_info < (3, 11)
_UNBOUND = (
    "local variable '{}' referenced before assignment"
    if _OLD
    else "cannot access local variable '{}' where it is not associated with a value"
)
_UNBOUND_FREE = (
    "free variable '{}' referenced before assignment in enclosing scope"
    if _OLD
    else "cannot access free variable '{}' where it is not associated with a value in enclosing scope"
)


def unbound_local(name: str) -> UnboundLocalError:
    """Return the error of reading or deleting a local variable that has no value."""
    return UnboundLocalError(_UNBOUND.format(name))


def _load_local(name: str) -> Evaluate:
    def evaluate(frame: Frame) -> Any:
        try:
            return frame.vars[name]
        except KeyError:
            pass
        raise unbound_local(name)

    return evaluate


def _load_enclosing(name: str, depth: int) -> Evaluate:
    def evaluate(frame: Frame) -> Any:
        for _ in range(depth):
            frame = frame.parent  # type: ignore[assignment]
        try:
            return frame.vars[name]
        except KeyError:
            pass
        raise NameError(_UNBOUND_FREE.format(name), name=name)

    return evaluate


def _load_global(name: str) -> Evaluate:
    from cutaway.interp.modules.exports import missing_global
    from cutaway.interp.modules.loader import HIDDEN
    from cutaway.interp.stdlib.builtins import BUILTINS

    builtin = BUILTINS.get(name, _NOTHING)

    def evaluate(frame: Frame) -> Any:
        value = frame.globals.get(name, _NOTHING)
        if value is _NOTHING:
            home = frame.globals.get(HIDDEN)
            if builtin is not _NOTHING and (home is None or not home.stars):  # nothing else brings the name
                return builtin
            return missing_global(frame.globals, name)
        return value.resolve() if type(value) is Pending else value

    return evaluate


def _load_class_variable(name: str, outside: Evaluate) -> Evaluate:
    """Read a variable in a class body: its own, or the one of the function or module around it."""

    def evaluate(frame: Frame) -> Any:
        if name in frame.vars:
            return frame.vars[name]
        return outside(frame)

    return evaluate


_EMPTY = types.CellType()


def _load_class(frame: Frame) -> Any:
    """Return what `__class__` means in a method: the class whose body the method is written in."""
    around: Frame | None = frame
    while around is not None and (around.function is None or around.function.cell is None):
        around = around.parent
    if around is None:
        raise NameError("name '__class__' is not defined", name="__class__")
    if around.function.cell == _EMPTY:
        raise RuntimeError("super(): empty __class__ cell")
    return around.function.cell.cell_contents


def assign_target(compiler: ExpressionCompiler, node: ast.expr) -> Callable[[Frame, Any], None]:
    """Return the closure that stores a value into an assignment target."""
    if isinstance(node, ast.Name):
        return _assign_name(compiler.scope, compiler._mangle(node.id))
    if isinstance(node, ast.Attribute):
        owner, name = compiler.expression(node.value), compiler._mangle(node.attr)

        def assign_attribute(frame: Frame, value: Any) -> None:
            set_attribute(owner(frame), name, value)

        return assign_attribute
    if isinstance(node, ast.Subscript):
        container, key = compiler.expression(node.value), compiler.expression(node.slice)

        def assign_item(frame: Frame, value: Any) -> None:
            holder, index = container(frame), key(frame)
            if type(index) is Unknown and isinstance(holder, list):
                raise Undecidable(index, holder)
            if type(index) is slice and isinstance(holder, (list, bytearray)) and _is_iterable(value):
                value = list(counted(value))
                if len(holder) + len(value) > ELEMENTS:
                    raise Undecidable(Unknown("a sequence would be too large to build", frame.place))
            if type(holder) in ARRAYS:
                array_assign(holder, index, value)
            else:
                holder[index] = value

        return assign_item
    if isinstance(node, ast.Starred):
        return assign_target(compiler, node.value)
    if isinstance(node, (ast.Tuple, ast.List)):
        return _unpack(compiler, node.elts)
    raise SyntaxError(f"cannot assign to {type(node).__name__.lower()}")


def located(scope: Scope, name: str) -> Callable[[Frame], dict[str, Any]]:
    """Return the closure that finds the namespace in which a scope binds a name."""
    where = scope.declared.get(name)
    if where is None and scope.kind in ("module", "class"):
        return lambda frame: frame.vars
    depth = scope.depth_of(name)
    if where == "global" or depth is None:
        return lambda frame: frame.globals
    if depth == 0:
        return lambda frame: frame.vars

    def enclosing(frame: Frame) -> dict[str, Any]:
        for _ in range(depth):
            frame = frame.parent  # type: ignore[assignment]
        variables: dict[str, Any] = frame.vars
        return variables

    return enclosing


def _assign_name(scope: Scope, name: str) -> Callable[[Frame, Any], None]:
    if scope.declared.get(name) is None and (scope.kind != "comprehension" or name in scope.bound):

        def assign_local(frame: Frame, value: Any) -> None:
            frame.vars[name] = value

        return assign_local
    holder = located(scope, name)

    def assign(frame: Frame, value: Any) -> None:
        holder(frame)[name] = value

    return assign


def _unpack(compiler: ExpressionCompiler, elements: list[ast.expr]) -> Callable[[Frame, Any], None]:
    assigns = [assign_target(compiler, element) for element in elements]
    star = next((i for i, element in enumerate(elements) if isinstance(element, ast.Starred)), None)
    count = len(assigns)

    def unpack(frame: Frame, value: Any) -> None:
        if type(value) is Unknown:
            for assign in assigns:
                assign(frame, value)
            return
        if not _is_iterable(value):
            raise TypeError(f"cannot unpack non-iterable {type(value).__name__} object")
        items = list(value if star is not None else islice(iter(value), count + 1))
        if star is None:
            if len(items) < count:
                raise ValueError(f"not enough values to unpack (expected {count}, got {len(items)})")
            if len(items) > count:
                raise ValueError(f"too many values to unpack (expected {count})")
        else:
            after = count - star - 1
            if len(items) < count - 1:
                raise ValueError(f"not enough values to unpack (expected at least {count - 1}, got {len(items)})")
            items[star : len(items) - after] = [items[star : len(items) - after]]
        for assign, item in zip(assigns, items):
            assign(frame, item)

    return unpack
