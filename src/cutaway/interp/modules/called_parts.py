"""Which parts of a function or a class run when it is called: what its effects depend on."""

from __future__ import annotations

import ast
from typing import Any

from cutaway.core.pattern import pattern
from cutaway.syntax.outline import DECORATOR, FUNCTION, Chunk, inner_chunks
from cutaway.syntax.scope import FUNCTIONS, walk

_STRING = pattern(rb"""\"(?:[^"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'""")
_FORMATTED = pattern(rb"\b[rR]?[fFtT][rR]?[\"']")


def without_strings(source: bytes) -> bytes:
    """Return a source without the contents of its strings, unless some of them contain expressions."""
    return source if _FORMATTED.search(source) else _STRING.sub(b'""', source)


_CONSTRUCTORS = frozenset(
    "__init__ __new__ __post_init__ __init_subclass__ __set_name__ __call__ __prepare__ __getattr__ __getattribute__"
    " __setattr__ __enter__ __exit__ __class_getitem__".split()
)


_ATTRIBUTE = pattern(rb"\.\s*([A-Za-z_]\w*)")


def with_called_methods(text: bytes, cls: Chunk, methods: frozenset[str]) -> bytes:
    """Return the source of a class without most of the methods that `keep_called_methods` removes: it parses faster."""
    members = inner_chunks(text, cls)
    if not members:
        return text[cls.start : cls.end]
    bodies: dict[str, list[bytes]] = {}
    for member in members:
        if member.kind == FUNCTION:
            bodies.setdefault(member.name, []).append(text[member.start : member.end])
    called: set[str] = set()
    pending = {*_CONSTRUCTORS, *methods}
    while pending:
        called |= pending
        named = {name for called_name in pending for b in bodies.get(called_name, ()) for name in _ATTRIBUTE.findall(b)}
        pending = {name.decode() for name in named} - called
    parts, decorators = [text[cls.start : members[0].start]], b""
    for member in members:
        part = text[member.start : member.end]
        if member.kind == DECORATOR:
            decorators += part
            continue
        if member.kind != FUNCTION or member.name in called:
            parts.append(decorators + part)
        decorators = b""
    first = text[members[0].start : members[0].end]
    parts.append(first[: len(first) - len(first.lstrip())] + b"pass\n")
    return b"".join(parts)


def keep_called_methods(node: ast.ClassDef, methods: frozenset[str]) -> frozenset[str]:
    """Remove the methods of a class that creating an instance and calling some methods can't call; return the others."""
    own = {s.name: s for s in node.body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))}
    called: set[str] = set()
    pending = {*_CONSTRUCTORS, *methods}
    while pending:
        called |= pending
        bodies = [own[name] for name in pending if name in own]
        named = {inner.attr for body in bodies for inner in walk(body) if isinstance(inner, ast.Attribute)}
        pending = named - called
    node.body = [s for s in node.body if not isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef)) or s.name in called]
    return frozenset(called & own.keys() | methods | _CONSTRUCTORS)


def remove_uncalled(node: Any, calls: int) -> None:
    """Empty the functions inside of a function that are only returned, more often than what it returns is called."""
    nodes = walk(node)
    nested = [inner for inner in nodes if isinstance(inner, ast.FunctionDef) and inner is not node]
    if not nested:
        return
    parents = {child: inner for inner in nodes for child in ast.iter_child_nodes(inner)}
    for inner in nested:
        level = 0
        above = parents.get(inner)
        while above is not None:
            level += isinstance(above, FUNCTIONS)
            above = parents.get(above)
        uses = [n for n in walk(node) if isinstance(n, ast.Name) and n.id == inner.name]
        if level >= calls and all(isinstance(parents[use], (ast.Return, ast.Attribute)) for use in uses):
            inner.body = [ast.Pass()]
