"""Compilation of assignment targets to closures: names, attributes, items, and sequences of them."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Any

from cutaway.core.admission import CHECKS, admit, names_address
from cutaway.core.open_sizes import why_not_stored
from cutaway.core.protocols import is_module
from cutaway.core.unknown import Undecidable, Unknown, assumed, derived_unknown
from cutaway.interp.boundary.attributes import set_attribute
from cutaway.interp.boundary.losing import lose_contents
from cutaway.interp.compile.scope_compiler import ScopeCompiler
from cutaway.interp.compile.variables import assign_name
from cutaway.interp.run.budget import ELEMENTS
from cutaway.interp.run.choice import UNDECIDED, chosen_key, has_keys
from cutaway.interp.run.frame import Frame
from cutaway.interp.run.iteration import counted, is_iterable
from cutaway.interp.run.origin import Operation, note, note_own
from cutaway.knowledge.base.registry import ARRAYS


def assign_target(compiler: ScopeCompiler, node: ast.expr) -> Callable[[Frame, Any], None]:
    """Return the closure that stores a value into an assignment target."""
    if isinstance(node, ast.Name):
        return assign_name(compiler.scope, compiler.mangle(node.id))
    if isinstance(node, ast.Attribute):
        owner, name = compiler.expression(node.value), compiler.mangle(node.attr)

        def assign_attribute(frame: Frame, value: Any) -> None:
            set_attribute(owner(frame), name, value)

        return assign_attribute
    if isinstance(node, ast.Subscript):
        container, key = compiler.expression(node.value), compiler.expression(node.slice)

        def assign_item(frame: Frame, value: Any) -> None:
            holder, index = container(frame), assumed(key(frame))
            if type(index) is Unknown and (isinstance(holder, (list, dict, deque)) or is_module(holder)):
                unknown, index = index, _position(holder, index, node.slice, frame)
                if index is UNDECIDED:
                    return lose_contents(holder, derived_unknown(unknown))
            if type(index) is slice and isinstance(holder, (list, bytearray)) and is_iterable(value):
                value = list(counted(value))
                if len(holder) + len(value) > ELEMENTS:
                    raise Undecidable(Unknown("a sequence would be too large to build", frame.place))
            try:
                if type(holder) in ARRAYS:
                    assign_array_item(holder, index, value)
                elif type(index) is int or not names_address(index):
                    if isinstance(holder, dict) and (reason := why_not_stored(index, holder)) is not None:
                        return lose_contents(holder, reason)
                    holder[index] = value
            except Undecidable as undecidable:
                lose_contents(holder, undecidable.unknown)
            except (TypeError, IndexError) as error:
                note_own(error, Operation.ITEM, holder, index)
                raise
            return None

        return assign_item
    if isinstance(node, ast.Starred):
        return assign_target(compiler, node.value)
    if isinstance(node, (ast.Tuple, ast.List)):
        return _unpack(compiler, node.elts)
    raise SyntaxError(f"cannot assign to {type(node).__name__.lower()}")


def _position(holder: Any, index: Unknown, node: ast.expr, frame: Frame) -> Any:
    """Return the index at which an item is set in this run; an unknown key may be a new one."""
    return UNDECIDED if has_keys(holder) else chosen_key(holder, index, node, frame)


def _unpack(compiler: ScopeCompiler, elements: list[ast.expr]) -> Callable[[Frame, Any], None]:
    assigns = [assign_target(compiler, element) for element in elements]
    star = next((i for i, element in enumerate(elements) if isinstance(element, ast.Starred)), None)
    count = len(assigns)

    def unpack(frame: Frame, value: Any) -> None:
        if type(value) is tuple and len(value) == count and star is None:
            for assign, item in zip(assigns, value):
                assign(frame, item)
            return
        if type(value) is Unknown:
            for assign in assigns:
                assign(frame, derived_unknown(value))
            return
        if not is_iterable(value):
            message = f"cannot unpack non-iterable {type(value).__name__} object"
            raise note(TypeError(message), Operation.UNPACKING, value)
        items = list(value if star is not None else islice(iter(value), count + 1))
        if star is None:
            if len(items) < count:
                message = f"not enough values to unpack (expected {count}, got {len(items)})"
                raise note(ValueError(message), Operation.UNPACKING, value)
            if len(items) > count:
                raise note(ValueError(f"too many values to unpack (expected {count})"), Operation.UNPACKING, value)
        else:
            after = count - star - 1
            if len(items) < count - 1:
                message = f"not enough values to unpack (expected at least {count - 1}, got {len(items)})"
                raise note(ValueError(message), Operation.UNPACKING, value)
            items[star : len(items) - after] = [list(map(admit, items[star : len(items) - after]))]
        for assign, item in zip(assigns, items):
            check = CHECKS[type(item)]
            assign(frame, item if check is None else check(item))

    return unpack


def assign_array_item(array: Any, index: Any, value: Any) -> None:
    """`array[index] = value`, for arrays of a library whose operators have size limits."""
    from cutaway.knowledge.numpy.call import assign  # late: numpy is imported only if a target needs it

    unknown = assign(array, index, value)
    if type(unknown) is Unknown:
        raise Undecidable(unknown)
