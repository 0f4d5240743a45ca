"""Statements to closures."""

from __future__ import annotations
import __future__

import ast
import builtins
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from cutaway.core import session
from cutaway.core.condition import ENVIRONMENT, Decision
from cutaway.core.fault import Fault
from cutaway.core.loop.series import Repeat, Series
from cutaway.core.place import Place
from cutaway.core.unknown import Undecidable, Unknown, holding
from cutaway.interp.compile.class_body import define_class
from cutaway.interp.compile.expression import (
    ExpressionCompiler,
    assign_target,
    by_data,
    call,
    is_own,
    located,
    truth_of,
    unbound_local,
)
from cutaway.interp.compile.pattern import compile_pattern
from cutaway.interp.compile.scope import assigned
from cutaway.interp.compile.type_params import alias
from cutaway.interp.modules import imports
from cutaway.interp.run.boundary import blur, delete_attribute, get_attribute, is_instance_of_targets, set_attribute
from cutaway.interp.run.budget import tick
from cutaway.interp.run.frame import BREAK, CONTINUE, HANDLING, RETURN, UNKNOWN_CALLS, Execute, Frame
from cutaway.interp.run.function import define, record_of, written_by
from cutaway.interp.run.host_call import taint
from cutaway.interp.run.set_order import in_order
from cutaway.interp.run.size_limits import IN_PLACE
from cutaway.interp.symbolic.numeric_loop import repetition
from cutaway.interp.symbolic.symbolic_loop import Loop, follow, series_of

OURS = (Undecidable, KeyboardInterrupt)
"""What passes through a target's handlers; everything else that is raised is the target's own."""

_INTERRUPTIONS = (KeyboardInterrupt, GeneratorExit)

# Methods that leave a container or a module as it is.
_HARMLESS = frozenset(
    """get keys values items copy index count train eval zero_grad parameters named_parameters modules named_modules
    children named_children buffers named_buffers state_dict forward""".split()
)
_INNER = frozenset(("__dict__", "_modules", "_parameters", "_buffers"))
_LEAVES = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom)


class StatementCompiler(ExpressionCompiler):
    """Compiles the statements of one scope of one file."""

    guarded = False  # inside a `try` that handles exceptions
    repeats = False  # inside a loop that is known as a whole

    def statement(self, node: ast.stmt) -> Execute:
        """Return the closure that executes `node`."""
        compile_node: Callable[[Any], Execute] | None = getattr(self, f"_{type(node).__name__}", None)
        if compile_node is None:
            reason = f"{type(node).__name__.lower()} statements are not interpreted"

            def unsupported(frame: Frame) -> None:
                raise Undecidable(Unknown(reason, frame.place))

            return unsupported
        return compile_node(node)

    def block(self, nodes: Iterable[ast.stmt]) -> Execute:
        """Return the closure that executes statements in order."""
        statements = [self.statement(node) for node in nodes if not _is_documentation(node)]
        if not statements:
            return lambda frame: None
        if len(statements) == 1:
            return statements[0]

        def execute(frame: Frame) -> object | None:
            for statement in statements:
                signal = statement(frame)
                if signal is not None:
                    return signal
            return None

        return execute

    # Simple statements

    def _Expr(self, node: ast.Expr) -> Execute:
        value, line = self.expression(node.value), node.lineno

        def execute(frame: Frame) -> None:
            frame.line = line
            try:
                value(frame)
            except Undecidable as undecidable:
                self._unchanged(frame, node, undecidable)

        return execute

    def _unchanged(self, frame: Frame, node: ast.stmt, undecidable: Undecidable) -> None:
        """Go on behind a statement of which only a change to a container can't be told."""
        if undecidable.container is None:
            raise undecidable
        self._forget(frame, [node], undecidable.unknown)
        taint(undecidable.container, undecidable.unknown)

    def _Assign(self, node: ast.Assign) -> Execute:
        value, line = self.expression(node.value), node.lineno
        assigns = [assign_target(self, target) for target in node.targets]
        if len(assigns) == 1:
            assign = assigns[0]

            def execute_one(frame: Frame) -> None:
                frame.line = line
                try:
                    assign(frame, value(frame))
                except Undecidable as undecidable:
                    self._unchanged(frame, node, undecidable)

            return execute_one

        def execute(frame: Frame) -> None:
            frame.line = line
            try:
                result = value(frame)
                for assign in assigns:
                    assign(frame, result)
            except Undecidable as undecidable:
                self._unchanged(frame, node, undecidable)

        return execute

    def _AnnAssign(self, node: ast.AnnAssign) -> Execute:
        store = self.statement(_as_assignment(node)) if node.value is not None else None
        if self.scope.kind != "class" or not isinstance(node.target, ast.Name):
            return store or (lambda frame: None)
        name, meaning = node.target.id, self.expression(node.annotation)

        def execute(frame: Frame) -> None:
            annotations = frame.vars.setdefault("__annotations__", {})
            if frame.globals.get("annotations") is __future__.annotations:
                annotations[name] = ast.unparse(node.annotation)
            else:
                annotations[name] = meaning(frame)
            if store is not None:
                store(frame)

        return execute

    def _AugAssign(self, node: ast.AugAssign) -> Execute:
        operate, line = IN_PLACE[type(node.op).__name__], node.lineno
        value = self.expression(node.value)
        target = node.target
        if isinstance(target, ast.Name):
            read = self.load(self._mangle(target.id))
            assign = assign_target(self, target)

            def execute(frame: Frame) -> None:
                frame.line = line
                assign(frame, _combined(operate, read(frame), value(frame)))

            return execute
        if isinstance(target, ast.Attribute):
            owner, name = self.expression(target.value), self._mangle(target.attr)

            def execute_attribute(frame: Frame) -> None:
                frame.line = line
                holder = owner(frame)
                set_attribute(holder, name, _combined(operate, get_attribute(holder, name), value(frame)))

            return execute_attribute
        assert isinstance(target, ast.Subscript)
        container, key = self.expression(target.value), self.expression(target.slice)

        def execute_item(frame: Frame) -> None:
            frame.line = line
            holder, index = container(frame), key(frame)
            holder[index] = _combined(operate, holder[index], value(frame))

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
            try:
                for delete in deletes:
                    delete(frame)
            except Undecidable as undecidable:
                self._unchanged(frame, node, undecidable)

        return execute

    def _delete(self, node: ast.expr) -> Callable[[Frame], None]:
        if isinstance(node, ast.Name):
            name = self._mangle(node.id)
            holder, is_local = located(self.scope, name), self.scope.kind in ("function", "comprehension")

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
            owner, attribute = self.expression(node.value), self._mangle(node.attr)
            return lambda frame: delete_attribute(owner(frame), attribute)
        if isinstance(node, ast.Subscript):
            container, key = self.expression(node.value), self.expression(node.slice)

            def delete_item(frame: Frame) -> None:
                holder, index = container(frame), key(frame)
                if type(index) is Unknown and isinstance(holder, (list, dict)):
                    raise Undecidable(index, holder)
                del holder[index]

            return delete_item
        deletes = [self._delete(element) for element in getattr(node, "elts", [])]

        def delete_each(frame: Frame) -> None:
            for delete in deletes:
                delete(frame)

        return delete_each

    def _Assert(self, node: ast.Assert) -> Execute:
        test, line = self.expression(node.test), node.lineno
        message = self.expression(node.msg) if node.msg else None

        def execute(frame: Frame) -> None:
            frame.line = line
            with holding():
                truth = truth_of(test(frame))
            if truth is True:
                return
            if isinstance(truth, Unknown):
                why = f"`{ast.unparse(node.test)}` holds, as it is asserted"
                session.current().rely_on(truth, why, frame.place)
                return
            raise AssertionError(*([message(frame)] if message else []))

        return execute

    def _Raise(self, node: ast.Raise) -> Execute:
        line = node.lineno
        error = self.expression(node.exc) if node.exc else None
        cause = self.expression(node.cause) if node.cause else None

        def execute(frame: Frame) -> None:
            frame.line = line
            if error is None:
                if not HANDLING:
                    raise RuntimeError("No active exception to reraise")
                raise HANDLING[-1]
            value = error(frame)
            if type(value) is Unknown:
                raise Undecidable(value)
            if isinstance(value, _INTERRUPTIONS) or value in _INTERRUPTIONS:
                raise Undecidable(Unknown("the program interrupts itself here", frame.place))
            if cause is not None:
                raise value from cause(frame)
            raise value

        return execute

    # Imports

    def _Import(self, node: ast.Import) -> Execute:
        names = [(alias.name, alias.asname, alias.asname or alias.name.partition(".")[0]) for alias in node.names]
        assigns = [assign_target(self, ast.Name(bound, ast.Store())) for _, _, bound in names]
        line, guarded = node.lineno, self.guarded
        lazy = self.scope.kind == "module" and not guarded

        def execute(frame: Frame) -> None:
            frame.line = line
            for (name, other, bound), assign in zip(names, assigns):
                resolve, settled = imports.importing(frame, name, whole=other is not None, strict=guarded)
                assign(frame, imports.pending(frame, bound, resolve) if lazy and not settled else resolve())

        return execute

    def _ImportFrom(self, node: ast.ImportFrom) -> Execute:
        module, level = node.module or "", node.level
        names = [(alias.name, alias.asname or alias.name) for alias in node.names]
        assigns = [assign_target(self, ast.Name(bound, ast.Store())) for _, bound in names]
        line, guarded = node.lineno, self.guarded
        lazy = self.scope.kind == "module" and not guarded
        if module == "__future__":
            return _import_features([name for name, _ in names])

        def execute(frame: Frame) -> None:
            frame.line = line
            for (name, bound), assign in zip(names, assigns):
                if name == "*":
                    imports.import_star(frame, module, level, strict=guarded)
                    continue
                resolve, settled = imports.importing_from(frame, module, level, name, strict=guarded)
                assign(frame, imports.pending(frame, bound, resolve) if lazy and not settled else resolve())

        return execute

    # Definitions

    def _FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Execute:
        make = define(self, node)
        assign = assign_target(self, ast.Name(node.name, ast.Store()))
        decorators = [self.expression(d) for d in node.decorator_list]
        line = node.lineno

        def execute(frame: Frame) -> None:
            frame.line = line
            decorating = [decorator(frame) for decorator in decorators]
            function = make(frame)
            for decorate in reversed(decorating):
                made = decorate if isinstance(decorate, Unknown) else call(decorate, [function], {})
                if isinstance(made, Unknown):
                    # What an unknown decorator returns is unknown; the plain function is an assumption.
                    session.current().assume(f"a decorator leaves {node.name} as it is: {made.reason}", frame.place)
                    if (record := record_of(function)) is not None:
                        record.doubt = made
                    continue
                function = made
            assign(frame, function)

        return execute

    _AsyncFunctionDef = _FunctionDef

    def _TypeAlias(self, node: Any) -> Execute:
        make, assign = alias(self, node), assign_target(self, node.name)

        def execute(frame: Frame) -> None:
            frame.line = node.lineno
            assign(frame, make(frame))

        return execute

    def _ClassDef(self, node: ast.ClassDef) -> Execute:
        return define_class(self, node)

    # Control flow

    def _If(self, node: ast.If) -> Execute:
        checks = _raises(node.body) or _raises(node.orelse)
        test, line = (self.expression if checks else self.test)(node.test), node.lineno
        body, orelse = self.block(node.body), self.block(node.orelse)

        def execute(frame: Frame) -> object | None:
            frame.line = line
            truth = truth_of(test(frame))
            if truth is True:
                return body(frame)
            if truth is False:
                return orelse(frame)
            return self._undecided_branch(frame, node, truth, body, orelse)

        def check(frame: Frame) -> object | None:
            with holding():
                frame.line = line
                truth = truth_of(test(frame))
            if isinstance(truth, Unknown):
                return self._undecided_branch(frame, node, truth, body, orelse)
            return body(frame) if truth else orelse(frame)

        return check if checks else execute

    def _undecided_branch(
        self, frame: Frame, node: ast.If, truth: Unknown, body: Execute, orelse: Execute
    ) -> object | None:
        """Go on behind a branch whose condition can't be told."""
        here = session.current()
        if _raises(node.body):
            here.rely_on(truth, f"`{ast.unparse(node.test)}` is false, as it would raise", frame.place, holds=False)
            return orelse(frame)
        if node.orelse and _raises(node.orelse):
            here.rely_on(truth, f"`{ast.unparse(node.test)}` is true, as it would raise otherwise", frame.place)
            return body(frame)
        holds = by_data(truth, node.test, frame)
        if holds is not None:
            return body(frame) if holds else orelse(frame)
        self._forget(frame, [*node.body, *node.orelse], truth)
        return None

    def _forget(self, frame: Frame, nodes: list[ast.stmt], reason: Unknown) -> None:
        """Make everything unknown that statements which may or may not run would have set."""
        if any(isinstance(child, _LEAVES) for node in nodes for child in ast.walk(node)):
            raise Undecidable(Unknown(reason.reason, reason.place or frame.place))
        here = session.current()
        placed = reason if reason.place is not None else Unknown(reason.reason, frame.place)
        unknown = here.note(placed, here.modules[-1] if here.modules else None)
        self.forget(frame, nodes, unknown)

    def forget(self, frame: Frame, nodes: list[ast.stmt], unknown: Unknown) -> None:
        """Make what statements would have bound or changed unknown."""
        for name in assigned(nodes):
            assign_target(self, ast.Name(name, ast.Store()))(frame, unknown)
        changed = [child for node in nodes for child in ast.walk(node)]
        for child in changed:
            if isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store):
                if self._present(frame, child.value) is not None:  # not so for `self` of a class that is defined here
                    assign_target(self, child)(frame, unknown)
            elif isinstance(child, ast.Subscript) and isinstance(child.ctx, (ast.Store, ast.Del)):
                self._forget_object(frame, child.value, unknown)
                self._forget_numbers(frame, child.value)
        self._forget_calls(frame, changed, unknown)

    def _forget_calls(self, frame: Frame, nodes: Iterable[ast.AST], unknown: Unknown) -> None:
        """Make unknown what calls that may or may not be made would have changed."""
        for child in nodes:
            if isinstance(child, ast.Call):
                if isinstance(child.func, ast.Attribute) and child.func.attr not in _HARMLESS:
                    self._forget_object(frame, child.func.value, unknown, child.func.attr)
                    if _writes(child.func.attr):
                        self._forget_numbers(frame, child.func.value)
                elif isinstance(child.func, ast.Name) and child.func.id in ("setattr", "delattr") and child.args:
                    blur(self._present(frame, child.args[0]), unknown)
                name = getattr(child.func, "attr", getattr(child.func, "id", ""))
                for argument in child.args:
                    self._forget_object(frame, argument, unknown)
                    if _writes(name):
                        self._forget_numbers(frame, argument)

    def skip(self, frame: Frame, node: ast.expr, unknown: Unknown) -> None:
        self._forget_calls(frame, list(ast.walk(node)), unknown)

    def forget_rest(self, frame: Frame, nodes: list[ast.stmt], unknown: Unknown) -> None:
        """Make unknown what the rest of a function that can't be followed would have changed outside of it."""
        start = frame.line
        every = [child for node in nodes for child in ast.walk(node)]
        for child in every:
            if isinstance(child, (ast.For, ast.While)) and child.lineno <= frame.line <= (child.end_lineno or 0):
                start = min(start, child.lineno)
        for child in every:
            if getattr(child, "lineno", 0) < start:
                continue
            if isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store):
                owner = self._present(frame, child.value)
                if owner is not None and not hasattr(type(owner), "mark_incomplete"):
                    with suppress(Exception):
                        set_attribute(owner, self._mangle(child.attr), unknown)
            elif isinstance(child, ast.Subscript) and isinstance(child.ctx, ast.Store):
                taint(self._present(frame, child.value), unknown)
            elif isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
                if child.func.attr not in _HARMLESS:
                    taint(self._present(frame, child.func.value), unknown)
            elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                if self.scope.declared.get(self._mangle(child.id)):
                    assign_target(self, child)(frame, unknown)

    def _present(self, frame: Frame, node: ast.expr) -> Any:
        """Return what a name, or an attribute of what has one, means now; None where it means nothing."""
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
        """An object on which a method may or may not have been called is no longer known, if it can change."""
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return
        value = self._present(frame, node)
        if isinstance(node, ast.Attribute) and node.attr in _INNER:
            blur(self._present(frame, node.value), unknown)
        elif hasattr(type(value), "mark_incomplete"):
            if not session.current().modules:
                value.mark_incomplete(unknown)
        elif isinstance(value, (list, dict, set, bytearray)):
            if _is_being_made(frame, value):
                raise Undecidable(unknown)
            taint(value, unknown)
            target = ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), "ctx": ast.Store()}), node)
            with suppress(AttributeError):  # a property that gives a new list each time
                assign_target(self, target)(frame, unknown)
        elif method and is_instance_of_targets(value):
            blur(value, unknown, written_by(type(value), method))

    def _forget_numbers(self, frame: Frame, node: ast.expr) -> None:
        """What may or may not have been written into an array leaves its sizes as they are."""
        forget = getattr(type(value := self._present(frame, node)), "forget_numbers", None)
        if forget is not None:
            forget(value)

    def _While(self, node: ast.While) -> Execute:
        test, line = self.test(node.test), node.lineno
        body, orelse = self.block(node.body), self.block(node.orelse)

        def execute(frame: Frame) -> object | None:
            here = session.current()
            while True:
                tick()
                frame.line = line
                with holding():
                    truth = truth_of(test(frame))
                if truth is False:
                    return orelse(frame)
                if truth is not True:
                    if not self._turned(frame, node, truth, body):
                        self._forget(frame, node.body, truth)
                    return None
                signal = body(frame)
                if here.settled is not None:
                    self._settle(frame, node.body, here)
                    return None
                if signal is not None:
                    if signal is BREAK:
                        return None
                    if signal is RETURN:
                        return signal

        return execute

    def _turned(self, frame: Frame, node: ast.While, truth: Unknown, body: Execute) -> bool:
        """Follow one turn of a loop for all of them; how often it turns is not known. False where it can't be."""
        if truth.term is None or not is_own(frame):
            return False
        here = session.current()
        text = ast.unparse(node.test)
        try:
            follow(
                self, Loop(node.body), frame, Series([Repeat((None,), None)], truth.reason), lambda _item: body(frame)
            )
        except Undecidable as undecidable:
            if type(undecidable) is not Undecidable:
                raise
            return False
        here.conditions.setdefault(text, Decision(text, truth.term.kind, frame.place, None, True))
        return True

    def _For(self, node: ast.For) -> Execute:
        source, line = self.expression(node.iter), node.lineno
        assign = assign_target(self, node.target)
        known = None if self.repeats else repetition(node, self.scope)
        before, self.repeats = self.repeats, self.repeats or known is not None
        body, orelse = self.block(node.body), self.block(node.orelse)
        self.repeats = before
        loops: list[Loop] = []

        def turn(frame: Frame, item: Any) -> object | None:
            tick()
            assign(frame, item)
            return body(frame)

        def over(frame: Frame, series: Series) -> object | None:
            if not loops:
                loops.append(Loop(node.body, node.target))
            signal = follow(self, loops[0], frame, series, partial(turn, frame))
            if signal is not None:
                return None if signal is BREAK else signal
            return orelse(frame)

        def execute(frame: Frame) -> object | None:
            frame.line = line
            finish = None
            try:
                found = source(frame)
                series = series_of(found)
                if series is not None:
                    return over(frame, series)
                if known is not None:
                    finish = known.start(frame, found, each)
                    if finish is None:
                        return None
                ordered = in_order(found)
                items = iter(ordered)
            except Undecidable as undecidable:
                if type(undecidable) is not Undecidable:
                    raise
                assign(frame, undecidable.unknown)
                self._forget(frame, node.body, undecidable.unknown)
                return None
            if ordered is not found:
                with session.current().in_any_order():
                    return each(frame, items, finish)
            return each(frame, items, finish)

        def each(frame: Frame, items: Iterator[Any], finish: Callable[[], None] | None) -> object | None:
            here = session.current()
            for item in items:
                tick()
                assign(frame, item)
                signal = body(frame)
                if here.settled is not None:
                    self._settle(frame, node.body, here)
                    return None
                if signal is not None:
                    if signal is BREAK:
                        return None
                    if signal is RETURN:
                        return signal
            if finish is not None:
                finish()
            return orelse(frame)

        return execute

    def _settle(self, frame: Frame, body: list[ast.stmt], here: session.Session) -> None:
        """End a loop that goes on as it began: what it counts and collects is unknown, anything else stays as it is."""
        unknown, here.settled = here.settled, None
        assert unknown is not None
        for name in assigned(body):
            if isinstance(self._present(frame, ast.Name(name, ast.Load())), (int, float, str, list, dict, set, tuple)):
                assign_target(self, ast.Name(name, ast.Store()))(frame, unknown)

    def _With(self, node: ast.With) -> Execute:
        execute = self.block(node.body)
        for item in reversed(node.items):
            execute = self._managed(item, execute, node.lineno)
        return execute

    def _managed(self, item: ast.withitem, body: Execute, line: int) -> Execute:
        context = self.expression(item.context_expr)
        assign = assign_target(self, item.optional_vars) if item.optional_vars else None

        def execute(frame: Frame) -> object | None:
            frame.line = line
            manager = context(frame)
            if isinstance(manager, Unknown):
                if assign is not None:
                    assign(frame, manager)
                return body(frame)
            leave, value = enter(manager)
            try:
                if assign is not None:
                    assign(frame, value)
                signal = body(frame)
            except OURS:
                leave(None)
                raise
            except BaseException as error:
                if not leave(error):
                    raise
                return None
            returned = frame.value
            leave(None)
            frame.value = returned
            return signal

        return execute

    def _Try(self, node: ast.Try) -> Execute:
        outer, self.guarded = self.guarded, self.guarded or bool(node.handlers)
        body = _guarded(self.block(node.body)) if node.handlers else self.block(node.body)
        self.guarded = outer
        handlers = [
            (self.expression(h.type) if h.type else None, self.caught(h.name), self.block(h.body))
            for h in node.handlers
        ]
        orelse, final = self.block(node.orelse), self.block(node.finalbody) if node.finalbody else None

        fallbacks = [s for h in node.handlers if not _raises(h.body) for s in h.body]
        bound = assigned(fallbacks)
        sought = _imported(node) if any(_names_import_error(h.type) for h in node.handlers) else ""

        def attempt(frame: Frame) -> object | None:
            before = UNKNOWN_CALLS[0]
            try:
                signal = body(frame)
                if sought and is_own(frame):
                    _settle(sought, Place(frame.file, node.lineno), True)
            except OURS:
                raise
            except BaseException as error:
                if sought and isinstance(error, ImportError) and is_own(frame):
                    _settle(sought, Place(frame.file, node.lineno), False)
                for kinds, caught, handle in handlers:
                    if kinds is None or matches(error, kinds(frame)):
                        return _handle(frame, error, caught, handle)
                raise
            if bound and UNKNOWN_CALLS[0] != before:
                unknown = Unknown(
                    "whether a function that is not known raises an exception", Place(frame.file, node.lineno)
                )
                for name in bound:
                    assign_target(self, ast.Name(name, ast.Store()))(frame, unknown)
            return orelse(frame) if signal is None else signal

        return attempt if final is None else finally_do(attempt, final)

    def caught(self, name: str | None) -> Caught | None:
        """Return what binds the name of a caught exception, and unbinds it behind the handler."""
        if name is None:
            return None
        bound = self._mangle(name)
        return located(self.scope, bound), bound

    def _TryStar(self, node: Any) -> Execute:
        body, orelse = self.block(node.body), self.block(node.orelse)
        handlers = [(self.expression(h.type), self.caught(h.name), self.block(h.body)) for h in node.handlers]
        final = self.block(node.finalbody) if node.finalbody else None

        def attempt(frame: Frame) -> object | None:
            try:
                signal = body(frame)
            except OURS:
                raise
            except BaseException as error:
                left = handle_group(frame, error, handlers)
                if left is error:
                    raise
                if left is not None:
                    raise left from None
                return None
            return orelse(frame) if signal is None else signal

        return attempt if final is None else finally_do(attempt, final)

    def _Match(self, node: ast.Match) -> Execute:
        subject, line = self.expression(node.subject), node.lineno
        cases = [
            (
                compile_pattern(self, case.pattern),
                self.expression(case.guard) if case.guard else None,
                self.block(case.body),
            )
            for case in node.cases
        ]

        def execute(frame: Frame) -> object | None:
            frame.line = line
            value = subject(frame)
            if isinstance(value, Unknown):
                self._forget(frame, [s for case in node.cases for s in case.body], value)
                return None
            for matches, guard, body in cases:
                if matches(frame, value):
                    truth = truth_of(guard(frame)) if guard else True
                    if isinstance(truth, Unknown):
                        raise Undecidable(truth)
                    if truth:
                        return body(frame)
            return None

        return execute


def _combined(operate: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Combine two values in place; a container that is extended by something unknown is unknown."""
    if type(right) is Unknown and isinstance(left, (list, dict, set, bytearray)):
        taint(left, right)
        return right
    return operate(left, right)


def _import_features(names: list[str]) -> Execute:
    def execute(frame: Frame) -> None:
        frame.vars.update({name: getattr(__future__, name, None) for name in names})

    return execute


Caught = tuple[Callable[[Frame], "dict[str, Any]"], str]
"""The namespace that the name of a caught exception is bound in, and the name."""


def matches(error: BaseException, kinds: Any) -> bool:
    """Tell whether an `except` clause with these classes handles an exception."""
    unknown: Unknown | None = None
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if type(kind) is Unknown:
            unknown = kind if unknown is None else unknown
        elif not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
        elif isinstance(error, kind):
            return True
    if unknown is not None:
        raise Undecidable(unknown)
    return False


def _handle(frame: Frame, error: BaseException, caught: Caught | None, handle: Execute) -> object | None:
    if caught is not None:
        holder, name = caught
        holder(frame)[name] = error
    if isinstance(error, Fault) and session.current().modules:
        session.current().forgive(error)
    HANDLING.append(error)
    try:
        return handle(frame)
    finally:
        HANDLING.pop()
        if caught is not None:
            holder(frame).pop(name, None)


def handle_group(frame: Frame, error: BaseException, handlers: list[tuple[Any, Caught | None, Execute]]) -> Any:
    """Run the `except*` clauses that match a part of an exception; return what is left to raise."""
    group: Any = vars(builtins)["BaseExceptionGroup"]
    is_group = isinstance(error, group)
    rest: Any = error if is_group else group("", [error])
    raised: list[BaseException] = []
    for kinds, caught, handle in handlers:
        if rest is None:
            break
        wanted = kinds(frame)
        if type(wanted) is Unknown:
            raise Undecidable(wanted)
        found, rest = rest.split(wanted)
        if found is None:
            continue
        try:
            _handle(frame, found, caught, handle)
        except OURS:
            raise
        except BaseException as other:
            raised.append(other)
    if not raised:
        return rest if is_group or rest is None else error
    return group("", [*raised, *([rest] if rest is not None else [])])


def finally_do(attempt: Execute, final: Execute) -> Execute:
    """Return the closure that runs `final` behind `attempt`, however that ends."""

    def execute(frame: Frame) -> object | None:
        try:
            signal = attempt(frame)
        except OURS:
            final(frame)
            raise
        except BaseException:
            ending = final(frame)
            if ending is None:
                raise
            return ending
        value = frame.value
        ending = final(frame)
        if ending is not None:
            return ending
        frame.value = value
        return signal

    return execute


def enter(manager: Any) -> tuple[Callable[[BaseException | None], Any], Any]:
    """Enter a context; return what leaves it, with the exception that ends it or None, and its value."""
    kind: Any = type(manager)
    for needed in ("__enter__", "__exit__"):
        if not hasattr(kind, needed):
            raise _no_context(manager, needed)
    start, end = kind.__enter__, kind.__exit__

    def leave(error: BaseException | None) -> Any:
        if error is None:
            return end(manager, None, None, None)
        return end(manager, type(error), error, None)

    return leave, start(manager)


def _no_context(manager: Any, lacking: str) -> Exception:
    if sys.version_info < (3, 11):
        return AttributeError(lacking)
    text = f"'{type(manager).__name__}' object does not support the context manager protocol"
    return TypeError(text if lacking == "__enter__" else f"{text} (missed __exit__ method)")


def _is_documentation(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _as_assignment(node: ast.AnnAssign) -> ast.Assign:
    assert node.value is not None
    return ast.copy_location(ast.Assign([node.target], node.value), node)


def _imported(node: ast.Try) -> str:
    """Return what a `try` imports, in the words of a condition; nothing where it imports nothing."""
    found = [statement for statement in node.body if isinstance(statement, (ast.Import, ast.ImportFrom))]
    return ast.unparse(found[0]) if found else ""


def _names_import_error(node: ast.expr | None) -> bool:
    return node is not None and any(
        isinstance(child, ast.Name) and child.id in ("ImportError", "ModuleNotFoundError") for child in ast.walk(node)
    )


def _settle(text: str, place: Place, holds: bool) -> None:
    """Note a condition that the machine has decided."""
    session.current().conditions.setdefault(text, Decision(text, ENVIRONMENT, place, holds, holds))


def _writes(method: str) -> bool:
    """Tell by its name whether a function of arrays writes into one."""
    return method.endswith("_") and not method.endswith("__")


def _guarded(body: Execute) -> Execute:
    """Run statements whose exceptions the target handles, which whoever solves for sizes has to know."""

    def execute(frame: Frame) -> object | None:
        solving = session.current().solving
        if solving is None:
            return body(frame)
        solving.guarded += 1
        try:
            return body(frame)
        finally:
            solving.guarded -= 1

    return execute


def _raises(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise)


def _is_being_made(frame: Frame, value: Any) -> bool:
    """Tell whether a value is what the constructor in progress makes."""
    code = frame.function.code if frame.function is not None else None
    first = code.node.args.args[:1] if code is not None and code.name in ("__init__", "__post_init__") else []
    return bool(first) and frame.vars.get(first[0].arg) is value
