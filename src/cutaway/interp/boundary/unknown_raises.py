"""Exceptions that an expression with an unknown value may raise, where the program would catch them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from types import FunctionType
from typing import Any

from cutaway.core import session
from cutaway.core.condition import ENVIRONMENT
from cutaway.core.unknown import Unknown, UnknownRaised, decisions
from cutaway.interp.boundary.joining import may_have_raised
from cutaway.interp.run.frame import Frame
from cutaway.interp.run.function import record_of
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.raising import RAISING
from cutaway.interp.run.truth import can_choose, is_own


def check_call(result: Unknown, callee: Any, args: Iterable[Any], node: ast.expr, frame: Frame) -> None:
    """Raise an exception in the runs in which a call with an unknown result does so.

    Functions of the target raise by themselves. Those that are modelled do not, if they know their arguments.
    """
    if not interpreter().guarded or record_of(getattr(callee, "__func__", callee)) is not None:
        return
    if callee is bool:
        return  # a test is taken to have an answer
    if (callee is int or callee is float) and all(type(one) is Unknown and one.kind is not None for one in args):
        return  # a number can be converted
    if (
        type(callee) is Unknown
        or (type(callee) is FunctionType and callee in RAISING)
        or any(type(value) is Unknown for value in args)
    ):
        may_raise(result, node, frame)


def may_raise(unknown: Unknown, node: ast.expr, frame: Frame) -> None:
    """Raise an exception in the runs in which an expression with an unknown value does so.

    Only where the program handles exceptions: elsewhere such a run ends, and has nothing to show.
    """
    if not interpreter().guarded or not can_choose():
        return
    what = ast.unparse(node)
    raises = decisions().occurrence(f"raises({what})", ENVIRONMENT, frame.place, prefer=False)
    if raises:
        raise UnknownRaised(what, unknown)
    if raises is None and is_own(frame):
        may_have_raised(frame, UnknownRaised(what, unknown), unknown)


def import_may_fail(error: ImportError, frame: Frame) -> None:
    """Raise the exception of an import in the runs in which it fails, where the program would catch that."""
    if not interpreter().guarded or not can_choose():
        return
    text = f"raises(import {error.name})"
    known = decisions().taken.get(text)
    fails = known.holds if known is not None else decisions().occurrence(text, ENVIRONMENT, frame.place, prefer=False)
    if fails:
        raise error
    if fails is None and is_own(frame):
        may_have_raised(frame, error, Unknown(f"whether {error.name} can be imported is unknown", frame.place))
    elif fails is None:
        session.current().presume(f"{error.name} can be imported where the program runs", frame.place)
