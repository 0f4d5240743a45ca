"""Constants, names, f-strings and container displays."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from typing import Any

from cutaway.core.open_sizes import why_not_distinct, why_not_stored
from cutaway.core.pattern import pattern
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Undecidable, Unknown, derived_unknown
from cutaway.interp.boundary.string_limits import is_wide, join_strings, size_in_string, text_of
from cutaway.interp.compile.scope_compiler import ScopeCompiler
from cutaway.interp.run.budget import ELEMENTS
from cutaway.interp.run.choice import drawn
from cutaway.interp.run.frame import Evaluate, Frame
from cutaway.interp.run.iteration import counted, is_iterable
from cutaway.interp.run.truth import mode_argument
from cutaway.knowledge.base.framework import is_mode_argument

_NOT_ITERABLE = "Value after * must be an iterable, not {}"


_NAME_CHARACTERS = pattern(r"\w*", re.ASCII)


_PLAIN = frozenset((str, int, float, bool))
"""Types whose strings are the same everywhere."""


class Literals(ScopeCompiler):
    """Compiles literals and displays."""

    def _Constant(self, node: ast.Constant) -> Evaluate:
        value = node.value
        if type(value) is str and _NAME_CHARACTERS.fullmatch(value):
            value = sys.intern(value)  # as Python does, so that `is` holds for equal strings
        return lambda frame: value

    def _Name(self, node: ast.Name) -> Evaluate:
        name = self.mangle(node.id)
        load = self.load(name)
        return (
            (lambda frame: mode_argument(load(frame), name, frame))
            if self.in_condition and is_mode_argument(name)
            else load
        )

    def _JoinedStr(self, node: ast.JoinedStr) -> Evaluate:
        parts = [self.expression(value) for value in node.values]

        def evaluate(frame: Frame) -> Any:
            strings = [part(frame) for part in parts]
            for string in strings:
                if type(string) is Unknown:
                    return derived_unknown(string)
            return join_strings(strings)

        return evaluate

    def _FormattedValue(self, node: ast.FormattedValue) -> Evaluate:
        value = self.expression(node.value)
        spec = self.expression(node.format_spec) if node.format_spec else None
        conversions: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}
        convert = conversions.get(node.conversion)

        def evaluate(frame: Frame) -> Any:
            item = drawn(value(frame))
            if type(item) is Unknown:
                return Unknown("a string built from an unknown value")
            if convert is not None:
                item = text_of(convert, item)
                if type(item) is Unknown:
                    return item
            style = spec(frame) if spec else ""
            if type(style) is Unknown or (style and is_wide(style)):
                return Unknown("a string with an unknown or too wide format")
            if isinstance(item, Dim):
                return size_in_string(item) if not style else Unknown("a formatted string of a symbolic size")
            return format(item, style) if type(item) in _PLAIN else text_of(lambda item: format(item, style), item)

        return evaluate

    def _List(self, node: ast.List) -> Evaluate:
        return self._display(node.elts, list)

    def _Tuple(self, node: ast.Tuple) -> Evaluate:
        return self._display(node.elts, tuple)

    def _Set(self, node: ast.Set) -> Evaluate:
        return self._display(node.elts, set)

    def _display(self, elements: list[ast.expr], make: Callable[[Any], Any]) -> Evaluate:
        if any(isinstance(element, ast.Starred) for element in elements):
            spread = self.spread(elements, "'{}' object is not iterable" if make is set else _NOT_ITERABLE)

            def display(frame: Frame) -> Any:
                try:
                    return make(spread(frame))
                except Undecidable as undecidable:
                    return undecidable.unknown

            return display
        items = [self.expression(element) for element in elements]
        if make is tuple and len(items) == 2:
            first, second = items
            return lambda frame: (first(frame), second(frame))
        if make is set:
            return lambda frame: _as_set([item(frame) for item in items])
        return lambda frame: make([item(frame) for item in items])

    def spread(self, elements: list[ast.expr], message: str = _NOT_ITERABLE) -> Callable[[Frame], list[Any]]:
        """Return the closure that evaluates elements, some of which are starred."""
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
                if not is_iterable(source):
                    raise TypeError(message.format(type(source).__name__))
                items.extend(counted(source))
                if len(items) > ELEMENTS:
                    raise Undecidable(Unknown("a sequence would be too large to build", frame.place))
            return items

        return evaluate

    def _Dict(self, node: ast.Dict) -> Evaluate:
        parts = [(self.expression(k) if k else None, self.expression(v)) for k, v in zip(node.keys, node.values)]

        def evaluate(frame: Frame) -> Any:
            pairs = [(None if key is None else key(frame), value(frame)) for key, value in parts]
            result: dict[Any, Any] = {}
            try:
                for (key, _), (name, value) in zip(parts, pairs):
                    if key is not None:
                        if result and (unknown := why_not_stored(name, result)) is not None:
                            return unknown
                        result[name] = value
                    elif type(value) is Unknown or hasattr(value, "keys"):
                        result.update(value)
                    else:
                        raise TypeError(f"'{type(value).__name__}' object is not a mapping")
            except Undecidable as undecidable:
                return undecidable.unknown
            return result

        return evaluate


def _as_set(items: list[Any]) -> Any:
    """Return a set, unknown where one of its items is."""
    try:
        unknown = why_not_distinct(items)
        return set(items) if unknown is None else unknown
    except Undecidable as undecidable:
        return undecidable.unknown
