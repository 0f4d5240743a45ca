"""Code that may or may not run: what it would bind or change becomes unknown."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from cutaway.core import session
from cutaway.core.protocols import is_module
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.boundary.attributes import blur, is_target_instance, set_attribute
from cutaway.interp.boundary.host_calls import taint
from cutaway.interp.compile.assignment import assign_target
from cutaway.interp.compile.statements.block import BlockCompiler
from cutaway.interp.run.frame import Frame
from cutaway.interp.run.signature import attributes_assigned_by
from cutaway.knowledge.base.framework import holds_parts, only_reads
from cutaway.syntax.scope import assigned

_READING = frozenset("get keys values items copy index count".split())
"""Methods that leave a container as it is."""

_LEAVES = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom)


class UndecidedCode(BlockCompiler):
    """Makes unknown what statements that may or may not run would change."""

    def _forget(self, frame: Frame, nodes: list[ast.stmt], reason: Unknown) -> None:
        """Make unknown what statements that may or may not run would set; raise `Undecidable` if they may leave the block."""
        if any(isinstance(child, _LEAVES) for node in nodes for child in ast.walk(node)):
            raise Undecidable(Unknown(reason.reason, reason.place or frame.place))
        here = session.current()
        placed = reason if reason.place is not None else Unknown(reason.reason, frame.place)
        unknown = here.note(placed, here.modules[-1] if here.modules else None)
        self.forget(frame, nodes, unknown)

    def forget(self, frame: Frame, nodes: list[ast.stmt], unknown: Unknown) -> None:
        """Make unknown what statements would bind or change."""
        for name in assigned(nodes):
            assign_target(self, ast.Name(name, ast.Store()))(frame, unknown)
        changed = [child for node in nodes for child in ast.walk(node)]
        for child in changed:
            if isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store):
                if self.current_value(frame, child.value) is not None:  # None for `self` of a nested class
                    assign_target(self, child)(frame, unknown)
            elif isinstance(child, ast.Subscript) and isinstance(child.ctx, (ast.Store, ast.Del)):
                self._forget_object(frame, child.value, unknown)
                self._forget_numbers(frame, child.value)
        self._forget_calls(frame, changed, unknown)

    def _forget_calls(self, frame: Frame, nodes: Iterable[ast.AST], unknown: Unknown) -> None:
        """Make unknown what calls that may or may not happen would change."""
        for child in nodes:
            if isinstance(child, ast.Call):
                if isinstance(child.func, ast.Attribute) and not _only_reads(child.func.attr):
                    self._forget_object(frame, child.func.value, unknown, child.func.attr)
                    if _writes(child.func.attr):
                        self._forget_numbers(frame, child.func.value)
                elif isinstance(child.func, ast.Name) and child.func.id in ("setattr", "delattr") and child.args:
                    blur(self.current_value(frame, child.args[0]), unknown)
                name = getattr(child.func, "attr", getattr(child.func, "id", ""))
                for argument in child.args:
                    self._forget_object(frame, argument, unknown)
                    if _writes(name):
                        self._forget_numbers(frame, argument)

    def skip(self, frame: Frame, node: ast.expr, unknown: Unknown) -> None:
        self._forget_calls(frame, list(ast.walk(node)), unknown)

    def forget_rest(self, frame: Frame, nodes: list[ast.stmt], unknown: Unknown) -> None:
        """Make unknown what the rest of a function that is given up would change outside of it."""
        start = frame.line
        every = [child for node in nodes for child in ast.walk(node)]
        for child in every:
            if isinstance(child, (ast.For, ast.While)) and child.lineno <= frame.line <= (child.end_lineno or 0):
                start = min(start, child.lineno)
        for child in every:
            if getattr(child, "lineno", 0) < start:
                continue
            if isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store):
                owner = self.current_value(frame, child.value)
                if owner is not None and not is_module(owner):
                    with suppress(Exception):
                        set_attribute(owner, self.mangle(child.attr), unknown)
            elif isinstance(child, ast.Subscript) and isinstance(child.ctx, ast.Store):
                taint(self.current_value(frame, child.value), unknown)
            elif isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
                if not _only_reads(child.func.attr):
                    taint(self.current_value(frame, child.func.value), unknown)
            elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                if self.scope.declared.get(self.mangle(child.id)):
                    assign_target(self, child)(frame, unknown)

    def assign(self, node: ast.expr) -> Callable[[Frame, Any], None]:
        """Return the closure that stores a value into an assignment target."""
        return assign_target(self, node)

    def current_value(self, frame: Frame, node: ast.expr) -> Any:
        """Return the current value of a name or of an attribute of one; None if it is undefined or unknown."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return None
        try:
            value = self.expression(node)(frame)
        except (Exception, Undecidable):
            return None
        return None if type(value) is Unknown else value

    def _forget_object(self, frame: Frame, node: ast.expr, unknown: Unknown, method: str = "") -> None:
        """Make unknown an object on which a method may or may not have been called, if it is mutable."""
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return
        value = self.current_value(frame, node)
        if isinstance(node, ast.Attribute) and (node.attr == "__dict__" or holds_parts(node.attr)):
            blur(self.current_value(frame, node.value), unknown)
        elif is_module(value):
            if not session.current().modules:
                value.mark_incomplete(unknown)
        elif isinstance(value, (list, dict, set, bytearray)):
            if _is_being_made(frame, value):
                raise Undecidable(unknown)
            taint(value, unknown)
            target = ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), "ctx": ast.Store()}), node)
            with suppress(AttributeError):  # a property that returns a new list each time
                assign_target(self, target)(frame, unknown)
        elif method and is_target_instance(value):
            blur(value, unknown, attributes_assigned_by(type(value), method))

    def _forget_numbers(self, frame: Frame, node: ast.expr) -> None:
        """Make unknown the numbers of an array that may or may not have been written to; its sizes stay known."""
        forget = getattr(type(value := self.current_value(frame, node)), "forget_numbers", None)
        if forget is not None:
            forget(value)


def _writes(method: str) -> bool:
    """Tell by its name whether a function of arrays works in place."""
    return method.endswith("_") and not method.endswith("__")


def _is_being_made(frame: Frame, value: Any) -> bool:
    """Tell whether a value is the object that the current constructor initialises."""
    code = frame.function.code if frame.function is not None else None
    first = code.node.args.args[:1] if code is not None and code.name in ("__init__", "__post_init__") else []
    return bool(first) and frame.vars.get(first[0].arg) is value


def _only_reads(method: str) -> bool:
    """Tell by its name whether a method leaves a container or a module as it is."""
    return method in _READING or only_reads(method)


def raises(body: list[ast.stmt]) -> bool:
    """Tell whether statements end with a `raise`."""
    return bool(body) and isinstance(body[-1], ast.Raise)
