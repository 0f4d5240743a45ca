"""`def` and `class` statements."""

from __future__ import annotations

import ast

from cutaway.core import session
from cutaway.core.session import Note
from cutaway.core.unknown import Unknown
from cutaway.interp.boundary.call import call
from cutaway.interp.compile.assignment import assign_target
from cutaway.interp.compile.definitions.class_body import define_class
from cutaway.interp.compile.definitions.function import define_function
from cutaway.interp.compile.statements.undecided import UndecidedCode
from cutaway.interp.run.frame import Execute, Frame
from cutaway.interp.run.function import record_of


class Definitions(UndecidedCode):
    """Compiles definitions."""

    def _FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Execute:
        make_function = define_function(self, node)
        assign = assign_target(self, ast.Name(node.name, ast.Store()))
        decorator_expressions = [self.expression(d) for d in node.decorator_list]
        line = node.lineno

        def execute(frame: Frame) -> None:
            frame.line = line
            decorators = [expression(frame) for expression in decorator_expressions]
            function = make_function(frame)
            for decorator in reversed(decorators):
                decorated = decorator if isinstance(decorator, Unknown) else call(decorator, [function], {})
                if isinstance(decorated, Unknown):
                    # What an unknown decorator returns is unknown; the undecorated function is an assumption.
                    note = Note(f"a decorator leaves {node.name} unchanged: {decorated.reason}", frame.place)
                    session.current().assume(note.text, note.place, doubt="what a decorator does")
                    if (record := record_of(function)) is not None:
                        record.unknown_decorator, record.presumes = decorated, note
                    continue
                function = decorated
            assign(frame, function)

        return execute

    _AsyncFunctionDef = _FunctionDef

    def _ClassDef(self, node: ast.ClassDef) -> Execute:
        return define_class(self, node)
