"""Exceptions of numpy itself about shapes: they are faults of the program, since numpy computes with what the program has."""

from __future__ import annotations

import os
import re

import numpy

from cutaway.core import session
from cutaway.core.error import one_line
from cutaway.core.fault import ArgumentFault, Fault, IndexFault
from cutaway.core.fault_code import FaultCode

_ABOUT_SHAPES = re.compile(
    r"broadcast|not aligned|mismatch|cannot reshape|dimensions? .*must match|all the input array|same shape", re.I
)
_HOMES = (os.path.dirname(os.path.abspath(numpy.__file__)), os.path.dirname(os.path.abspath(__file__)))


def fault_of(name: str, error: Exception) -> Exception:
    """Return the fault that an exception is which numpy raises; any other exception as it is."""
    if isinstance(error, Fault) or not _is_of_numpy(error):
        return error
    text = f"numpy.{name.removeprefix('ndarray ')}: {one_line(str(error))}"
    fault: Fault
    if isinstance(error, numpy.exceptions.AxisError):
        fault = IndexFault(text, FaultCode.DIMENSION_OUT_OF_RANGE)
    elif isinstance(error, ValueError) and _ABOUT_SHAPES.search(text):
        fault = ArgumentFault(text, FaultCode.SHAPE_MISMATCH)
    elif isinstance(error, IndexError):
        fault = IndexFault(text, FaultCode.INDEX_OUT_OF_RANGE)
    else:
        return error
    session.current().report(fault)
    return fault


def _is_of_numpy(error: Exception) -> bool:
    """Tell whether no function of the program has raised an exception."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code.co_filename.startswith(_HOMES)
