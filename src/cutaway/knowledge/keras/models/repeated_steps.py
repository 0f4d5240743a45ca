"""Steps that repeat: a cell is followed once, and what it costs counts as often as there are steps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cutaway.core import session
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.tensors.op import Out, op


@contextmanager
def repeated(times: Any) -> Iterator[None]:
    """Count the operations inside as often as they are repeated."""
    here = session.current()
    first = len(here.operations)
    yield
    for operation in here.operations[first:]:
        if operation.macs is not None:
            operation.macs = operation.macs * times


@op("keras.src.backend.rnn")
def rnn(output, steps):
    """Put the outputs of all steps after one another, along axis 1."""
    x = known_rank(output)
    return Out((x._shape[0], steps, *x._shape[1:]), x._dtype)
