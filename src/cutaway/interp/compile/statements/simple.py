"""Simple statements: assignments, deletions, returns, imports."""

from __future__ import annotations
import __future__

import ast
from collections.abc import Callable
from typing import Any

from cutaway.core.protocols import has_no_numbers, is_module
from cutaway.core.unknown import Undecidable, Unknown, derived_unknown
from cutaway.interp.boundary.attributes import delete_attribute, get_attribute, set_attribute
from cutaway.interp.boundary.losing import lose_contents
from cutaway.interp.boundary.operators import IN_PLACE
from cutaway.interp.compile.assignment import assign_target
from cutaway.interp.compile.definitions.type_params import type_alias
from cutaway.interp.compile.statements.undecided import UndecidedCode
from cutaway.interp.compile.variables import binding_namespace, unbound_local
from cutaway.interp.modules import imports
from cutaway.interp.run.choice import UNDECIDED, chosen_key
from cutaway.interp.run.frame import BREAK, CONTINUE, RETURN, Execute, Frame
from cutaway.knowledge.base.registry import ARRAYS


class SimpleStatements(UndecidedCode):
    """Compiles simple statements."""

    def _Expr(self, node: ast.Expr) -> Execute:
        value, line = self.expression(node.value), node.lineno

        def execute(frame: Frame) -> None:
            frame.line = line
            value(frame)

        return execute

    def _Assign(self, node: ast.Assign) -> Execute:
        value, line = self.expression(node.value), node.lineno
        assigns = [assign_target(self, target) for target in node.targets]
        if len(assigns) == 1:
            assign = assigns[0]

            def execute_one(frame: Frame) -> None:
                frame.line = line
                assign(frame, value(frame))

            return execute_one

        def execute(frame: Frame) -> None:
            frame.line = line
            result = value(frame)
            for assign in assigns:
                assign(frame, result)

        return execute

    def _AnnAssign(self, node: ast.AnnAssign) -> Execute:
        store = self.statement(_as_assignment(node)) if node.value is not None else None
        if self.scope.kind != "class" or not isinstance(node.target, ast.Name):
            return store or (lambda frame: None)
        name, annotation = node.target.id, self.expression(node.annotation)

        def execute(frame: Frame) -> None:
            annotations = frame.vars.setdefault("__annotations__", {})
            if frame.globals.get("annotations") is __future__.annotations:
                annotations[name] = ast.unparse(node.annotation)
            else:
                annotations[name] = annotation(frame)
            if store is not None:
                store(frame)

        return execute

    def _AugAssign(self, node: ast.AugAssign) -> Execute:
        operate, line = IN_PLACE[type(node.op).__name__], node.lineno
        value = self.expression(node.value)
        target = node.target
        if isinstance(target, ast.Name):
            read = self.load(self.mangle(target.id))
            assign = assign_target(self, target)

            def execute(frame: Frame) -> None:
                frame.line = line
                assign(frame, _operate_in_place(operate, read(frame), value(frame)))

            return execute
        if isinstance(target, ast.Attribute):
            owner, name = self.expression(target.value), self.mangle(target.attr)

            def execute_attribute(frame: Frame) -> None:
                frame.line = line
                holder = owner(frame)
                set_attribute(holder, name, _operate_in_place(operate, get_attribute(holder, name), value(frame)))

            return execute_attribute
        assert isinstance(target, ast.Subscript)
        container, key = self.expression(target.value), self.expression(target.slice)

        def execute_item(frame: Frame) -> None:
            frame.line = line
            holder, index = container(frame), key(frame)
            holder[index] = _operate_in_place(operate, holder[index], value(frame))

        return execute_item

    def _Return(self, node: ast.Return) -> Execute:
        line = node.lineno
        value = self.expression(node.value) if node.value else None

        def execute(frame: Frame) -> object:
            frame.line = line
            frame.value = value(frame) if value else None
            return RETURN

        return execute

    def _Pass(self, node: ast.Pass) -> Execute:
        return lambda frame: None

    _Global = _Nonlocal = _Pass

    def _Break(self, node: ast.Break) -> Execute:
        return lambda frame: BREAK

    def _Continue(self, node: ast.Continue) -> Execute:
        return lambda frame: CONTINUE

    def _Delete(self, node: ast.Delete) -> Execute:
        deletes = [self._delete(target) for target in node.targets]
        line = node.lineno

        def execute(frame: Frame) -> None:
            frame.line = line
            for delete in deletes:
                delete(frame)

        return execute

    def _delete(self, node: ast.expr) -> Callable[[Frame], None]:
        if isinstance(node, ast.Name):
            name = self.mangle(node.id)
            holder, is_local = binding_namespace(self.scope, name), self.scope.kind in ("function", "comprehension")

            def delete_name(frame: Frame) -> None:
                names = holder(frame)
                if name in names:
                    del names[name]
                elif names is frame.globals or not is_local:
                    raise NameError(f"name '{name}' is not defined", name=name)
                else:
                    raise unbound_local(name)

            return delete_name
        if isinstance(node, ast.Attribute):
            owner, attribute = self.expression(node.value), self.mangle(node.attr)
            return lambda frame: delete_attribute(owner(frame), attribute)
        if isinstance(node, ast.Subscript):
            container, key = self.expression(node.value), self.expression(node.slice)

            def delete_item(frame: Frame) -> None:
                holder, index = container(frame), key(frame)
                if type(index) is Unknown and (isinstance(holder, (list, dict)) or is_module(holder)):
                    unknown, index = index, chosen_key(holder, index, node.slice, frame)
                    if index is UNDECIDED:
                        return lose_contents(holder, unknown)
                try:
                    del holder[index]
                except Undecidable as undecidable:
                    lose_contents(holder, undecidable.unknown)
                return None

            return delete_item
        deletes = [self._delete(element) for element in getattr(node, "elts", [])]

        def delete_each(frame: Frame) -> None:
            for delete in deletes:
                delete(frame)

        return delete_each

    def _Import(self, node: ast.Import) -> Execute:
        names = [(alias.name, alias.asname, alias.asname or alias.name.partition(".")[0]) for alias in node.names]
        assigns = [assign_target(self, ast.Name(bound, ast.Store())) for _, _, bound in names]
        line, in_try = node.lineno, self.in_try
        lazy = self.scope.kind == "module" and not in_try

        def execute(frame: Frame) -> None:
            frame.line = line
            for (name, alias_name, bound), assign in zip(names, assigns):
                resolve, settled = imports.importing(frame, name, whole=alias_name is not None, strict=in_try)
                assign(frame, imports.pending(frame, bound, resolve, name) if lazy and not settled else resolve())

        return execute

    def _ImportFrom(self, node: ast.ImportFrom) -> Execute:
        module, level = node.module or "", node.level
        names = [(alias.name, alias.asname or alias.name) for alias in node.names]
        assigns = [assign_target(self, ast.Name(bound, ast.Store())) for _, bound in names]
        line, in_try = node.lineno, self.in_try
        lazy = self.scope.kind == "module" and not in_try
        if module == "__future__":
            return _import_features([name for name, _ in names])

        def execute(frame: Frame) -> None:
            frame.line = line
            for (name, bound), assign in zip(names, assigns):
                if name == "*":
                    imports.import_star(frame, module, level, strict=in_try)
                    continue
                resolve, settled = imports.importing_from(frame, module, level, name, strict=in_try)
                if lazy and not settled:
                    assign(frame, imports.pending_from(frame, bound, resolve, module, level, name))
                else:
                    assign(frame, resolve())

        return execute

    def _TypeAlias(self, node: Any) -> Execute:
        make_alias, assign = type_alias(self, node), assign_target(self, node.name)

        def execute(frame: Frame) -> None:
            frame.line = node.lineno
            assign(frame, make_alias(frame))

        return execute


def _operate_in_place(operate: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Apply an in-place operator; a container that is extended by an unknown becomes unknown."""
    if type(right) is Unknown and isinstance(left, (list, dict, set, bytearray)):
        lose_contents(left, right)
        return derived_unknown(right)
    made = operate(left, right)
    if has_no_numbers(made) and (type(left) in ARRAYS or has_no_numbers(left)):
        made.require_room_in(left)
    return made


def _import_features(names: list[str]) -> Execute:
    def execute(frame: Frame) -> None:
        frame.vars.update({name: getattr(__future__, name, None) for name in names})

    return execute


def _as_assignment(node: ast.AnnAssign) -> ast.Assign:
    assert node.value is not None
    return ast.copy_location(ast.Assign([node.target], node.value), node)
