"""`torch.cond`: one of two functions, as a tensor says."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.condition import DATA
from cutaway.core.unknown import Undecidable, decisions
from cutaway.knowledge.torch.tensor.op import composite


@composite("torch.cond", "torch._higher_order_ops.cond.cond")
def cond(pred: Any, true_fn: Any, false_fn: Any, operands: Any = ()) -> Any:
    """Call the function that the predicate asks for; where it depends on numbers, that is a condition."""
    try:
        holds = bool(pred)
    except Undecidable:
        decided = decisions().occurrence("torch.cond(...)", DATA, session.current().place())
        if decided is None:
            raise
        holds = decided
    return (true_fn if holds else false_fn)(*operands)
