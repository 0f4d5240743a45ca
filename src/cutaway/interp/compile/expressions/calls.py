"""Calls and lambdas."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from cutaway.core.loop.series import Series
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.boundary.call import NUMBER_TYPES, call
from cutaway.interp.boundary.unknown_raises import check_call
from cutaway.interp.compile.definitions.function import define_function
from cutaway.interp.compile.scope_compiler import ScopeCompiler
from cutaway.interp.compile.variables import load_class
from cutaway.interp.run.budget import ELEMENTS
from cutaway.interp.run.frame import Evaluate, Frame
from cutaway.interp.run.iteration import counted, is_iterable
from cutaway.interp.stdlib.builtins import NUMBER_FUNCTIONS, builtin_super


class Calls(ScopeCompiler):
    """Compiles calls and lambdas."""

    def _Call(self, node: ast.Call) -> Evaluate:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and not node.keywords:
            return self._super()
        line = node.lineno
        written, self.in_chain = None if self.in_chain else node, False
        function = self.part_of_chain(node.func)
        is_plain = not any(isinstance(a, ast.Starred) for a in node.args) and all(k.arg for k in node.keywords)
        if is_plain and not node.keywords:
            is_conversion = isinstance(node.func, ast.Name) and node.func.id in _CONVERSIONS and len(node.args) == 1
            compile_argument = self.part_of_chain if is_conversion else self.expression
            return _call_positional(function, [compile_argument(a) for a in node.args], line, written)
        if is_plain:
            positional = [self.expression(a) for a in node.args]
            named = [(str(k.arg), self.expression(k.value)) for k in node.keywords]

            def evaluate(frame: Frame) -> Any:
                callee = function(frame)
                args = [a(frame) for a in positional]
                kwargs = {name: value(frame) for name, value in named}
                frame.line = line
                return _checked(call(callee, args, kwargs), callee, (*args, *kwargs.values()), written, frame)

            return evaluate
        return self._spread_call(node, function, written)

    def _spread_call(self, node: ast.Call, function: Evaluate, written: ast.Call | None) -> Evaluate:
        """Return the closure of a call some of whose arguments are unpacked."""
        evaluate_arguments = self._arguments(node.args)
        evaluate_keywords = self._keywords(node.keywords)
        line = node.lineno

        def evaluate(frame: Frame) -> Any:
            callee = function(frame)
            try:
                args, kwargs = evaluate_arguments(frame, callee), evaluate_keywords(frame, callee)
            except Undecidable as undecidable:
                if not isinstance(callee, type):
                    raise
                return undecidable.unknown  # an object whose constructor gets unknown arguments
            frame.line = line
            return _checked(call(callee, args, kwargs), callee, (*args, *kwargs.values()), written, frame)

        return evaluate

    def _keywords(self, nodes: list[ast.keyword]) -> Callable[[Frame, Any], dict[str, Any]]:
        keywords = [(k.arg, self.expression(k.value)) for k in nodes]

        def evaluate(frame: Frame, callee: Any) -> dict[str, Any]:
            kwargs: dict[str, Any] = {}
            for name, value in keywords:
                if name is not None:
                    mapping = {name: value(frame)}
                else:
                    mapping = value(frame)
                    if type(mapping) is Unknown:
                        raise Undecidable(mapping)
                    if not hasattr(mapping, "keys"):
                        raise TypeError(
                            f"{_callable_name(callee)} argument after ** must be a mapping, not {type(mapping).__name__}"
                        )
                for key in mapping.keys():  # noqa: SIM118 - a mapping need not iterate over its keys
                    if not isinstance(key, str):
                        raise TypeError("keywords must be strings")
                    if key in kwargs:
                        raise TypeError(f"{_callable_name(callee)} got multiple values for keyword argument '{key}'")
                    kwargs[key] = mapping[key]
            return kwargs

        return evaluate

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
                elif is_iterable(value):
                    items.extend(counted(value))
                    if len(items) > ELEMENTS:
                        raise Undecidable(Unknown("a sequence would be too large to build", frame.place))
                else:
                    raise TypeError(
                        f"{_callable_name(callee)} argument after * must be an iterable, not {type(value).__name__}"
                    )
            return items

        return evaluate

    def _super(self) -> Evaluate:
        def evaluate(frame: Frame) -> Any:
            method: Frame | None = frame
            while method is not None and method.function is None:  # in a comprehension
                method = method.parent
            if method is None or not method.function.code.positional:
                raise RuntimeError("super(): no arguments")
            first = method.function.code.positional[0]
            if first not in method.vars:
                raise RuntimeError("super(): arg[0] deleted")
            return builtin_super(load_class(method), method.vars[first])

        return evaluate

    def _Lambda(self, node: ast.Lambda) -> Evaluate:
        return define_function(self, node)


_CONVERSIONS = frozenset(("int", "float", "str"))


def _checked(result: Any, callee: Any, args: Iterable[Any], node: ast.Call | None, frame: Frame) -> Any:
    """Return the result of a call, unless something unknown in it raises an exception in this run."""
    if type(result) is Unknown and node is not None:
        check_call(result, callee, args, node, frame)
    return result


def _call_positional(function: Evaluate, arguments: list[Evaluate], line: int, node: ast.Call | None) -> Evaluate:
    no_keywords: dict[str, Any] = {}
    if not arguments:

        def call_none(frame: Frame) -> Any:
            callee = function(frame)
            frame.line = line
            return _checked(call(callee, [], no_keywords), callee, (), node, frame)

        return call_none

    if len(arguments) == 1:
        only = arguments[0]

        def call_one(frame: Frame) -> Any:
            callee, args = function(frame), [only(frame)]
            if id(callee) in NUMBER_FUNCTIONS and type(args[0]) in NUMBER_TYPES:
                return NUMBER_FUNCTIONS[id(callee)](args[0])
            frame.line = line
            return _checked(call(callee, args, no_keywords), callee, args, node, frame)

        return call_one

    def call_some(frame: Frame) -> Any:
        callee = function(frame)
        args = [a(frame) for a in arguments]
        frame.line = line
        return _checked(call(callee, args, no_keywords), callee, args, node, frame)

    return call_some


def _callable_name(function: Any) -> str:
    """Return the name of a callable as in Python's messages about wrong arguments."""
    name = getattr(function, "__qualname__", None)
    if not isinstance(name, str):
        return str(function)
    home = getattr(function, "__module__", None)
    return f"{home}.{name}()" if isinstance(home, str) and home != "builtins" else f"{name}()"
