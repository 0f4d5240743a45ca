"""Compilation of `match` patterns to closures."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cutaway.core.unknown import Unknown, derived_unknown
from cutaway.interp.boundary.attributes import get_attribute
from cutaway.interp.boundary.operators import COMPARE, identical
from cutaway.interp.compile.assignment import assign_target
from cutaway.interp.compile.scope_compiler import ScopeCompiler
from cutaway.interp.run.frame import Frame
from cutaway.interp.run.truth import decide
from cutaway.interp.stdlib.builtins import builtin_isinstance

Matches = Callable[[Frame, Any], bool]

_SELF_MATCHING = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def compile_pattern(compiler: ScopeCompiler, node: ast.pattern) -> Matches:
    """Return the closure that matches a value and binds the pattern's names."""
    if isinstance(node, ast.MatchValue):
        expected = compiler.expression(node.value)
        return lambda frame, value: decide(COMPARE["Eq"](value, expected(frame)), node, frame)
    if isinstance(node, ast.MatchSingleton):
        constant = node.value
        return lambda frame, value: decide(identical(value, constant), node, frame)
    if isinstance(node, ast.MatchAs):
        return _as(compiler, node)
    if isinstance(node, ast.MatchOr):
        options = [compile_pattern(compiler, option) for option in node.patterns]
        return lambda frame, value: any(option(frame, value) for option in options)
    if isinstance(node, ast.MatchSequence):
        return _unless_unknown(compiler, node, _sequence(compiler, node))
    if isinstance(node, ast.MatchMapping):
        return _unless_unknown(compiler, node, _mapping(compiler, node))
    if isinstance(node, ast.MatchClass):
        return _class(compiler, node)
    raise SyntaxError(f"unknown pattern {type(node).__name__}")


def _unless_unknown(compiler: ScopeCompiler, node: ast.pattern, matches: Matches) -> Matches:
    """Return the closure that decides whether an unknown value matches; what it binds then is unknown, too."""
    parts = list(ast.walk(node))
    names = [part.name for part in parts if isinstance(part, (ast.MatchAs, ast.MatchStar))]
    names += [part.rest for part in parts if isinstance(part, ast.MatchMapping)]
    binds = [_bind_name(compiler, name) for name in names]

    def matches_unknown(frame: Frame, value: Any) -> bool:
        if type(value) is not Unknown:
            return matches(frame, value)
        if not decide(derived_unknown(value), node, frame):
            return False
        for bind in binds:
            bind(frame, derived_unknown(value))
        return True

    return matches_unknown


def _bind_name(compiler: ScopeCompiler, name: str | None) -> Callable[[Frame, Any], None]:
    if name is None:
        return lambda frame, value: None
    return assign_target(compiler, ast.Name(name, ast.Store()))


def _as(compiler: ScopeCompiler, node: ast.MatchAs) -> Matches:
    inner = compile_pattern(compiler, node.pattern) if node.pattern else None
    bind = _bind_name(compiler, node.name)

    def matches(frame: Frame, value: Any) -> bool:
        if inner is not None and not inner(frame, value):
            return False
        bind(frame, value)
        return True

    return matches


def _sequence(compiler: ScopeCompiler, node: ast.MatchSequence) -> Matches:
    star = next((i for i, p in enumerate(node.patterns) if isinstance(p, ast.MatchStar)), None)
    patterns = [None if isinstance(p, ast.MatchStar) else compile_pattern(compiler, p) for p in node.patterns]
    starred = node.patterns[star] if star is not None else None
    bind = _bind_name(compiler, starred.name if isinstance(starred, ast.MatchStar) else None)

    def matches(frame: Frame, value: Any) -> bool:
        if not isinstance(value, Sequence) or isinstance(value, (str, bytes, bytearray)):
            return False
        items = list(value)
        if star is None:
            return len(items) == len(patterns) and all(p(frame, i) for p, i in zip(patterns, items) if p)
        after = len(patterns) - star - 1
        if len(items) < len(patterns) - 1:
            return False
        middle = items[star : len(items) - after]
        items[star : len(items) - after] = [middle]
        for pattern, item in zip(patterns, items):
            if pattern is None:
                bind(frame, item)
            elif not pattern(frame, item):
                return False
        return True

    return matches


def _mapping(compiler: ScopeCompiler, node: ast.MatchMapping) -> Matches:
    entries = [(compiler.expression(k), compile_pattern(compiler, p)) for k, p in zip(node.keys, node.patterns)]
    bind = _bind_name(compiler, node.rest)

    def matches(frame: Frame, value: Any) -> bool:
        if not isinstance(value, Mapping):
            return False
        rest = dict(value)
        for evaluate_key, pattern in entries:
            key = evaluate_key(frame)
            if key not in value or not pattern(frame, value[key]):
                return False
            rest.pop(key)
        bind(frame, rest)
        return True

    return matches


def _class(compiler: ScopeCompiler, node: ast.MatchClass) -> Matches:
    kind = compiler.expression(node.cls)
    positional = [compile_pattern(compiler, p) for p in node.patterns]
    named = [(name, compile_pattern(compiler, p)) for name, p in zip(node.kwd_attrs, node.kwd_patterns)]

    def matches(frame: Frame, value: Any) -> bool:
        cls = kind(frame)
        if not isinstance(cls, type):
            raise TypeError(f"called match pattern must be a {'class' if sys.version_info >= (3, 12) else 'type'}")
        if not decide(builtin_isinstance(value, cls), node, frame):
            return False
        if (
            positional
            and any(issubclass(cls, builtin) for builtin in _SELF_MATCHING)
            and not hasattr(cls, "__match_args__")
        ):
            if len(positional) > 1:
                raise TypeError(f"{cls.__name__}() accepts 1 positional sub-pattern ({len(positional)} given)")
            if not positional[0](frame, value):
                return False
            return _attributes(frame, value, named)
        names = getattr(cls, "__match_args__", ())
        if len(positional) > len(names):
            plural = "s" * (len(names) != 1)
            raise TypeError(
                f"{cls.__name__}() accepts {len(names)} positional sub-pattern{plural} ({len(positional)} given)"
            )
        attributes = [*zip(names, positional), *named]
        return _attributes(frame, value, attributes)

    return matches


def _attributes(frame: Frame, value: Any, attributes: list[tuple[str, Matches]]) -> bool:
    for name, pattern in attributes:
        try:
            attribute = get_attribute(value, name)
        except AttributeError:
            return False
        if not pattern(frame, attribute):
            return False
    return True
