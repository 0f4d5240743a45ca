"""Compilation of all expressions of Python to closures."""

from __future__ import annotations

from cutaway.interp.compile.expressions.access import Access
from cutaway.interp.compile.expressions.calls import Calls
from cutaway.interp.compile.expressions.comprehensions import Comprehensions
from cutaway.interp.compile.expressions.literals import Literals
from cutaway.interp.compile.expressions.operators import Operators


class ExpressionCompiler(Literals, Operators, Access, Calls, Comprehensions):
    """Compiles the expressions of one scope of one file."""
