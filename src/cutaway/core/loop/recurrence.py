"""What the iterations of a loop of symbolic length hand on, in closed form.

How a value grows is seen in three iterations that are followed by themselves, one after the other; the loop is then followed
once more from the start, with the form that was seen, and that one iteration leaves the next one what the form says is the proof of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from cutaway.core import session
from cutaway.core.loop.growth import Form, form_of, grown, is_grown, is_size
from cutaway.core.loop.series import Iterations, Plan, Restart, Series, replan
from cutaway.core.protocols import is_resizable, is_tensor
from cutaway.core.record import replace
from cutaway.core.size.dim import Dim, Size, rewritten, symbol
from cutaway.core.size.relation import Relation
from cutaway.core.unknown import Unknown

Values = dict[str, Any]
_TURNS = 3


class Carried:
    """The values that one loop hands on from iteration to iteration, by name, and the forms in which they are known."""

    def __init__(self, key: str, plan: Plan, turns: Iterations, start: Mapping[str, Any]) -> None:
        self.key, self.plan, self.turns, self.start = key, plan, turns, dict(start)
        self.forms: dict[str, Form] = dict(plan.forms)

    def before(self) -> Values:
        """Return the values before any iteration."""
        index = symbol(self.turns.index, 0)
        return {name: self._at(name, index) for name in self.start}

    def check(self, now: Mapping[str, Any], added: bool = False) -> Values:
        """See that an iteration leaves the values as the next one needs them, and return those after the last iteration.

        Lists may be longer where what is `added` to them is seen to elsewhere.
        """
        kept = {name: was for name, was in self.start.items() if not (added and isinstance(was, (list, Series)))}
        changed = [name for name, was in kept.items() if name not in self.forms and not is_same(was, now[name])]
        if changed and not self.plan.forms:
            replan(self.key, replace(self.plan, trial=True))
        after = symbol(self.turns.index, 0) + 1
        if changed or not all(is_grown(form, self.start[n], after, now[n]) for n, form in self.forms.items()):
            self.give_up()
        return {name: self._at(name, self.turns.count) if name in self.forms else now[name] for name in self.start}

    def give_up(self) -> NoReturn:
        """Try the other way of rounding, if that was not tried, or else give the loop up."""
        replan(self.key, Plan(lost=True) if self.plan.up else replace(self.plan, trial=True, forms=(), up=True))

    def try_turns(self, iteration: Callable[[Values], Values]) -> NoReturn:
        """Follow the first iterations by themselves, and start again with the forms that are seen in what they hand on.

        What an iteration can't be followed for, or raises, says nothing: there may not be so many of them.
        """
        here = session.current()
        values = dict(self.start)
        seen: dict[str, list[Any]] = {name: [value] for name, value in values.items()}
        for number in range(_TURNS):
            outer, here.facts = here.facts, here.facts.copy()
            try:
                with here.facts.used():
                    here.facts.learn(Relation("==", symbol(self.turns.index, 0), number))
                    values = {name: _settled(value) for name, value in iteration(values).items()}
            except Restart:
                raise
            except Exception:
                replan(self.key, self.plan.after_first())
            finally:
                here.facts = outer
            for name, value in values.items():
                seen[name].append(value)
        forms: list[tuple[str, Form]] = []
        for name, sequence in seen.items():
            if all(is_same(sequence[0], value) for value in sequence[1:]):
                continue
            form = form_of(sequence, self.plan.up)
            if form is None:
                replan(self.key, self.plan.after_first())
            forms.append((name, form))
        replan(self.key, replace(self.plan, trial=False, forms=tuple(forms), lost=not forms))

    def _at(self, name: str, iteration: Size | None) -> Any:
        form = self.forms.get(name)
        if form is None:
            return self.start[name]
        if iteration is None:
            return session.current().unknown("what a loop of unknown length counts")
        return grown(form, self.start[name], iteration)


def _settled(value: Any) -> Any:
    """Return a value in whose sizes everything is put in that is known of them now."""
    if is_size(value):
        return rewritten(value)
    if is_resizable(value) and isinstance(value.reference().shape, tuple):
        shape = value.reference().shape
        known = tuple(rewritten(size) for size in shape)
        return value if known == tuple(shape) else value.with_sizes(known)
    return value


_ATOMS = (bool, int, float, str, bytes, type(None))


def is_same(was: Any, now: Any) -> bool:
    """Tell whether an iteration leaves a variable as it was: the same object, or a tensor of the same shape and type."""
    if was is now or (type(was) is Unknown and type(now) is Unknown):
        return True
    if type(was) is not type(now):
        return False
    if isinstance(was, (*_ATOMS, Dim)):
        return bool(was == now)
    if is_tensor(was):
        one, other = was.reference(), now.reference()
        if isinstance(one.shape, Unknown) or isinstance(other.shape, Unknown):
            return isinstance(one.shape, Unknown) and isinstance(other.shape, Unknown)
        return tuple(one.shape) == tuple(other.shape) and one.dtype == other.dtype
    if type(was) is tuple:
        return len(was) == len(now) and all(is_same(a, b) for a, b in zip(was, now))
    return False
