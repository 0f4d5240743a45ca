"""Compilation of all statements of Python to closures."""

from __future__ import annotations

from cutaway.interp.compile.statements.branches import Branches
from cutaway.interp.compile.statements.definitions import Definitions
from cutaway.interp.compile.statements.exceptions import Exceptions
from cutaway.interp.compile.statements.loops import Loops
from cutaway.interp.compile.statements.simple import SimpleStatements


class StatementCompiler(SimpleStatements, Definitions, Branches, Loops, Exceptions):
    """Compiles the statements of one scope of one file."""
