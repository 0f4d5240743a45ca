"""The mutants of a program: one expression or statement is changed in each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """A changed program: what was changed, in which line, and its text."""

    kind: str
    line: int
    text: str


def mutants(source: str) -> Iterator[Mutant]:
    """Yield every mutant of a program."""
    tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def span(node: ast.AST) -> tuple[int, int]:
        return (
            starts[node.lineno - 1] + node.col_offset,  # type: ignore[attr-defined]
            starts[node.end_lineno - 1] + node.end_col_offset,  # type: ignore[attr-defined]
        )

    def replaced(kind: str, node: ast.AST, text: str) -> Mutant:
        first, last = span(node)
        return Mutant(kind, node.lineno, source[:first] + text + source[last:])  # type: ignore[attr-defined]

    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _of_call(node, source, span, replaced)
        if isinstance(node, ast.Assign) and _applies_layer(node):
            first, last = span(node)
            yield Mutant("dropped layer", node.lineno, source[:first] + "pass" + source[last:])


def _of_call(node: ast.Call, source: str, span, replaced) -> Iterator[Mutant]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    for argument in node.args:
        yield from _of_number(argument, "changed size", replaced)
        if isinstance(argument, ast.Tuple):
            for each in argument.elts:
                yield from _of_number(each, "changed size", replaced)
    for keyword in node.keywords:
        kind = "changed dim" if keyword.arg in ("dim", "axis") else "changed size"
        yield from _of_number(keyword.value, kind, replaced)
    for left, right in zip(node.args, node.args[1:]):
        (a, b), (c, d) = span(left), span(right)
        if source[a:b] != source[c:d] and not isinstance(left, ast.Starred) and not isinstance(right, ast.Starred):
            whole = ast.copy_location(ast.Tuple(elts=[left, right]), left)
            whole.end_lineno, whole.end_col_offset = right.end_lineno, right.end_col_offset
            yield replaced("swapped arguments", whole, source[c:d] + source[b:c] + source[a:b])
    if name == "Sequential":
        for at, argument in enumerate(node.args):
            if isinstance(argument, ast.Call):
                yield replaced("dropped layer", argument, "nn.Identity()" if at % 2 else "nn.ReLU()")
    if name in ("randn", "rand"):
        first, last = span(node)
        yield replaced("changed dtype", node, f"{source[first:last]}.double()")
        yield replaced("changed dtype", node, f"{source[first:last]}.long()")
    if name == "randint":
        first, last = span(node)
        yield replaced("changed dtype", node, f"{source[first:last]}.float()")
        yield replaced("changed label", node, f"{source[first:last]}.unsqueeze(-1)")
    if name == "flatten" and len(node.args) + len(node.keywords) > 0:
        first, last = span(node.args[0] if node.args else node)
        yield (
            replaced("dropped flatten", node, source[first:last])
            if _is_function(node)
            else replaced(
                "dropped flatten",
                node,
                ast.unparse(node.func.value),  # type: ignore[attr-defined]
            )
        )


def _is_function(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in ("torch", "F")


def _of_number(node: ast.AST, kind: str, replaced) -> Iterator[Mutant]:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        for value in dict.fromkeys((node.value + 1, node.value * 2, node.value - 1)):
            if value != node.value:
                yield replaced(kind, node, str(value))
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        yield replaced(kind, node, str(node.operand.value))


def _applies_layer(node: ast.Assign) -> bool:
    """Tell whether a statement has the form x = layer(x)."""
    if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name) or not isinstance(node.value, ast.Call):
        return False
    return any(isinstance(arg, ast.Name) and arg.id == node.targets[0].id for arg in node.value.args)
