"""Attributes, items and slices."""

from __future__ import annotations

import ast
from typing import Any

from cutaway.core.admission import CHECKS, admit
from cutaway.core.open_sizes import is_open_string, unknown_of, why_not_found
from cutaway.core.protocols import has_no_numbers, is_tensor
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Undecidable, Unknown, assumed, derived_unknown
from cutaway.interp.boundary.attributes import GUARDED, check_name, get_attribute
from cutaway.interp.boundary.unknown_raises import may_raise
from cutaway.interp.compile.scope_compiler import ScopeCompiler
from cutaway.interp.run.choice import UNDECIDED, chosen_key, drawn
from cutaway.interp.run.frame import Evaluate, Frame
from cutaway.interp.run.function import unknown_decorator_of
from cutaway.interp.run.origin import Operation, note, note_own
from cutaway.interp.run.truth import training_mode
from cutaway.knowledge.base.framework import is_mode
from cutaway.knowledge.base.registry import ARRAYS, KnownModule


class Access(ScopeCompiler):
    """Compiles reads of attributes and items."""

    def _Attribute(self, node: ast.Attribute) -> Evaluate:
        in_chain = self.in_chain
        value = self.part_of_chain(node.value) if in_chain else self.expression(node.value)
        name = self.mangle(node.attr)
        if name in GUARDED or name.startswith("__"):
            return lambda frame: get_attribute(value(frame), name)
        if self.in_condition and is_mode(name):
            text = ast.unparse(node)
            return lambda frame: training_mode(admit(getattr(value(frame), name)), text, frame)

        def evaluate(frame: Frame) -> Any:
            owner = value(frame)
            if type(owner) is Unknown:
                if owner.usual is None and owner.term is None and not in_chain:
                    may_raise(owner, node, frame)
                return admit(Unknown.__getattr__(owner, name))  # its own attributes are not the program's
            try:
                attribute = getattr(owner, name)
            except AttributeError as error:
                if (unknown_decorator := unknown_decorator_of(owner)) is not None:
                    return unknown_decorator
                if error.obj is owner and error.name == name:
                    note(error, Operation.ATTRIBUTE, owner, name)
                raise
            if type(attribute) is Unknown and type(owner) is KnownModule:
                check_name(owner, name)
            check = CHECKS[type(attribute)]
            return attribute if check is None else check(attribute)

        return evaluate

    def _Subscript(self, node: ast.Subscript) -> Evaluate:
        value, key = self.expression(node.value), self.expression(node.slice)
        constant = node.slice.value if isinstance(node.slice, ast.Constant) else None

        def evaluate(frame: Frame) -> Any:
            container = value(frame)
            index = constant if constant is not None else key(frame)
            if type(index) is int and (type(container) is tuple or type(container) is list):
                try:
                    item = container[index]
                except IndexError as error:
                    note_own(error, Operation.ITEM, container, index)
                    raise
            elif type(container) is Unknown or type(index) is Unknown:
                item = _unknown_item(assumed(container), assumed(index), node, frame)
            elif type(container) is str and is_open_string(container):
                return unknown_of(container)
            elif isinstance(index, Dim) and isinstance(container, (list, tuple, str)):
                return Unknown(f"the element at index {index} of a sequence")
            elif type(container) in ARRAYS:
                return array_item(container, index)
            elif isinstance(container, dict) and (unknown := why_not_found(index, container)) is not None:
                item = _unknown_item(container, unknown, node, frame)
            else:
                item = _item(container, index)
            check = CHECKS[type(item)]
            return item if check is None else check(item)

        return evaluate

    def _Slice(self, node: ast.Slice) -> Evaluate:
        parts = [self.expression(part) if part else None for part in (node.lower, node.upper, node.step)]
        return lambda frame: slice(*(drawn(part(frame)) if part else None for part in parts))

    def _Starred(self, node: ast.Starred) -> Evaluate:  # x[*index]
        return self.expression(node.value)


def _unknown_item(container: Any, index: Any, node: ast.Subscript, frame: Frame) -> Any:
    """`container[index]`, where one of them may be unknown."""
    if type(container) is Unknown:
        may_raise(container, node, frame)
    elif type(index) is Unknown and not is_tensor(container):
        may_raise(index, node, frame)
        if type(container) in (dict, list, tuple):
            chosen = chosen_key(container, index, node.slice, frame)
            if chosen is not UNDECIDED:
                return container[chosen]
        if index.kind is None or not (type(container) in ARRAYS or has_no_numbers(container)):
            return derived_unknown(index)
    return array_item(container, index) if type(container) in ARRAYS else _item(container, index)


def _item(container: Any, index: Any) -> Any:
    """`container[index]`, unknown where that can't be determined."""
    try:
        return container[index]
    except Undecidable as undecidable:
        return undecidable.unknown
    except KeyError as error:
        if isinstance(container, dict) and any(type(stored_key) is Unknown for stored_key in container):
            return Unknown("an item of a dict that has an unknown key")
        note_own(error, Operation.ITEM, container, index)
        raise
    except IndexError as error:
        note_own(error, Operation.ITEM, container, index)
        raise
    except TypeError as error:
        if (unknown_decorator := unknown_decorator_of(container)) is not None:
            return unknown_decorator
        note_own(error, Operation.ITEM, container, index)
        raise


def array_item(array: Any, index: Any) -> Any:
    """`array[index]`, for arrays of a library whose operators have size limits."""
    from cutaway.knowledge.numpy.call import item  # late: numpy is imported only if a target needs it

    return item(array, index)
