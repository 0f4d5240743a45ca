"""`Tensor.grad`: None until something is differentiated, then a tensor of the same shape whose numbers are unknown."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.program_state import Key
from cutaway.core.record import dataclass
from cutaway.core.unknown import Unknown


@dataclass(slots=True)
class Differentiation:
    """How often the program has computed gradients, and whether it has cleared some since.

    An unknown takes its place where a loop that trains has run an unknown number of times.
    """

    count: int = 0
    is_cleared: bool = False


DIFFERENTIATION: Key[Differentiation | Unknown] = Key(Differentiation)


def backward_ran() -> None:
    """Note that gradients have been computed."""
    session.current().training_steps += 1
    here = DIFFERENTIATION.get()
    if type(here) is not Unknown:
        DIFFERENTIATION.set(Differentiation(here.count + 1))


def gradients_cleared() -> None:
    """Note that the gradients of some tensors have been removed."""
    here = DIFFERENTIATION.peek()
    if here is not None and type(here) is not Unknown and here.count:
        DIFFERENTIATION.set(Differentiation(here.count, True))


def gradient(tensor: Any, made: Any) -> Any:
    """Return the gradient of a tensor; `made` makes one of the same shape."""
    fields = tensor.__dict__
    value, since = fields.get("_gradient", (None, 0))
    here = DIFFERENTIATION.peek()
    if type(here) is Unknown:
        return here
    if value is None and (here is None or not here.count) and session.current().unknowns:
        return Unknown("whether something unknown has computed gradients", session.current().place())
    if here is None or here.count <= since or not (tensor.requires_grad or fields.get("_retains_grad")):
        return value
    if here.is_cleared:
        return Unknown("whether a gradient is there after some have been cleared", session.current().place())
    if value is None:
        text = "backward() reaches every tensor that requires a gradient"
        session.current().assume(text, session.current().place(), doubt=text)
        value = made()
    fields["_gradient"] = value, here.count
    return value


def set_gradient(tensor: Any, value: Any) -> None:
    """Set or remove the gradient of a tensor, as the program does it."""
    here = DIFFERENTIATION.peek()
    tensor.__dict__["_gradient"] = value, 0 if here is None or type(here) is Unknown else here.count
