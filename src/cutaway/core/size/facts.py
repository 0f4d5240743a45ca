"""What is known about the symbols of sizes, and where it was learned: bounds, equalities, divisibility.

While a store of facts is in use, `equal`, `less`, `bounds` and `rewritten` answer by it. A fact is learned from a
`Relation` that a program relies on: what it asserts, the branch that it takes, what an operation needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from cutaway.core.place import Place
from cutaway.core.record import dataclass, field
from cutaway.core.size import bounds as limits
from cutaway.core.size import dim
from cutaway.core.size.atom import FLOORDIV, MOD, QUOTIENT, Atom, Func, Monomial, Symbol
from cutaway.core.size.bounds import Bounds
from cutaway.core.size.dim import Dim, Size, equal, less, primitive, quotient, rewritten
from cutaway.core.size.polynomial import Polynomial
from cutaway.core.size.relation import Relation, Several, Statement

_MOST_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation that is taken to hold, where that was learned, and why it has to.

    One that is `supposed` need not hold for the program to run, but what is said of the program is said for that case.
    One that is `needed` is listed at the end, together with others that say the same of the symbols.
    """

    relation: Relation
    place: Place | None = None
    why: str = ""
    supposed: bool = False
    needed: bool = False

    def __str__(self) -> str:
        return described(self.relation)


@dataclass(slots=True, eq=False)
class Facts:
    """What was learned about sizes, in the order in which it was.

    `rules` says what atoms are, `ranges` between which integers sizes and atoms lie; `contradiction` is the fact that
    can't hold together with those before it. The symbols that are `kept` are replaced by others last.
    """

    learned: list[Fact] = field(default_factory=list)
    rules: dict[Atom, Size] = field(default_factory=dict)
    ranges: dict[Polynomial | Atom, Bounds] = field(default_factory=dict)
    contradiction: Fact | None = None
    kept: set[str] = field(default_factory=set)

    @contextmanager
    def used(self) -> Iterator[Facts]:
        """Answer by these facts inside."""
        before = self.install()
        try:
            yield self
        finally:
            dim.use(before[0])
            limits.replace(before[1])

    def install(self) -> tuple[dict[Atom, Size], dict[Polynomial | Atom, Bounds]]:
        """Answer by these facts from now on, and return the rules and ranges that were in use before."""
        return dim.use(self.rules), limits.replace(self.ranges)

    def copy(self) -> Facts:
        """Return the same facts, to learn more on another path."""
        return Facts([*self.learned], {**self.rules}, {**self.ranges}, self.contradiction, self.kept)

    def learn(self, statement: Statement, place: Place | None = None, why: str = "") -> bool:
        """Take a statement to hold from now on. These facts have to be in use.

        Returns False where it can't hold; it is then remembered as the contradiction.
        """
        if isinstance(statement, Relation):
            return self.add(Fact(statement, place, why))
        if statement.every:
            return all(self.learn(part, place, why) for part in statement.parts if part is not None)
        open_ones = [part for part in statement.parts if part is None or holds(part) is not False]
        only = open_ones[0] if len(open_ones) == 1 else None
        return self.learn(only, place, why) if only is not None else bool(open_ones)

    def add(self, fact: Fact) -> bool:
        """Take a fact to be one from now on; False where it can't be."""
        answer = holds(fact.relation)
        if answer is True:
            return True
        known = set(self.rules)
        if answer is False or not self._apply(fact.relation):
            self.contradiction = self.contradiction or fact
            return False
        if fact not in self.learned:
            self.learned.append(fact)
        if len(self.learned) > 1 and any(is_basic(atom) for atom in self.rules.keys() - known) and not self._settle():
            self.learned.remove(fact)
            self.contradiction = self.contradiction or fact
            return False
        return True

    def _settle(self) -> bool:
        """Look at all equalities again, now that more is known of the symbols themselves: it may say more."""
        for _ in range(_MOST_ROUNDS):
            before = dict(self.rules)
            for atom in before:
                if not is_basic(atom):
                    del self.rules[atom]
            self.install()
            for fact in self.learned:
                difference = fact.relation.left - fact.relation.right
                if fact.relation.kind == "==" and not self._solve(difference):
                    return False
            if self.rules == before:
                break
        return True

    @contextmanager
    def below(self, index: Dim, count: Size) -> Iterator[None]:
        """Take what counts a repeat to stay below how often it comes, inside; these facts have to be in use."""
        parts = primitive(count - 1 - index) if isinstance(count, Dim) else None
        if parts is None:
            yield
            return
        part, factor, constant = parts
        before = self.ranges.get(part)
        limits.learn(part, *_unscaled(0, None, factor, constant))
        try:
            yield
        finally:
            if before is None:
                self.ranges.pop(part, None)
            else:
                self.ranges[part] = before
            self.install()

    def _apply(self, relation: Relation) -> bool:
        difference = rewritten(relation.left - relation.right)
        assert isinstance(difference, Dim), "a relation of numbers holds or not"
        match relation.kind:
            case "==":
                return self._narrow(difference, 0, 0) and self._solve(relation.left - relation.right)
            case "<":
                return self._bound(difference, None, -1)
            case "<=":
                return self._bound(difference, None, 0)
            case ">":
                return self._bound(difference, 1, None)
            case ">=":
                return self._bound(difference, 0, None)
        low, high = limits.bounds(difference)
        if low == 0:
            return self._bound(difference, 1, None)
        return self._bound(difference, None, -1) if high == 0 else True

    def _bound(self, difference: Dim, low: int | None, high: int | None) -> bool:
        """Take a size to lie between two integers; where they leave one value, it is that."""
        if not self._narrow(difference, low, high):
            return False
        low, high = limits.bounds(difference)
        if low is None or low != high:
            return True
        return self._solve(difference - low)

    def _narrow(self, size: Dim, low: int | None, high: int | None) -> bool:
        """Take a size to lie between two integers, and what it is made of as far as follows."""
        parts = primitive(size)
        assert parts is not None, "a size that is not a number has a part that is not one"
        part, factor, constant = parts
        low, high = _unscaled(low, high, factor, constant)
        if not limits.learn(part, low, high):
            return False
        atom = dim.as_atom(part)
        if atom is None:
            return self._narrow_factors(part, low)
        if not limits.learn(atom, low, high):
            return False
        if isinstance(atom, Symbol) or atom.kind != FLOORDIV or not isinstance(atom.right, int):
            return True
        below, above = atom.right, atom.left
        inner = (None if low is None else low * below), (None if high is None else high * below + below - 1)
        return not isinstance(above, Dim) or self._narrow(above, *inner)

    def _narrow_factors(self, part: Dim, low: int | None) -> bool:
        """A product of sizes that is above 0 has no factor that is 0."""
        if low is None or low < 1 or len(part.terms) != 1:
            return True
        (monomial,) = part.terms
        sizes = [Dim({((atom, 1),): 1}) for atom, _ in monomial]
        if any(less(size, 0) is not False for size in sizes):
            return True
        return all(self._narrow(size, 1, None) for size in sizes)

    def _basically(self, size: Size) -> Size:
        """Return a size with what is known of the symbols themselves put into it, and nothing else."""
        rules = dim.use({atom: value for atom, value in self.rules.items() if is_basic(atom)})
        try:
            return rewritten(size)
        finally:
            dim.use(rules)

    def _solve(self, zero: Size) -> bool:
        """Say what an atom is, now that a size is known to be 0, if an atom can be told from the others."""
        difference, plain = rewritten(zero), self._basically(zero)
        if isinstance(difference, int):
            return difference == 0
        remainders = _divisible(plain) if isinstance(plain, Dim) else []
        if not remainders:
            remainders = _divisible(difference)
        for each in remainders:
            left = rewritten(each.left)
            if isinstance(left, Dim):
                whole = quotient(left, each.right)
                alone = [atom for atom in _alone(left) if not _mentions(whole, atom, True)]
                if not self._solve_for(left - each.right * whole, alone):
                    return False
                if each.rounded is not None:
                    self.rules[each.rounded] = whole
                    self.install()
        return bool(remainders) or self._solve_for(difference, _alone(difference))

    def _solve_for(self, difference: Size, candidates: list[Atom]) -> bool:
        if not isinstance(difference, Dim):
            return difference == 0
        for atom in sorted(candidates, key=lambda atom: (atom.order not in self.kept, _preference(atom)), reverse=True):
            coefficient = difference.terms[((atom, 1),)]
            value, rest = dim.divide(Dim({((atom, 1),): coefficient}) - difference, coefficient)
            if rest == 0:
                self.rules[atom] = value
                self.install()
                break
        return True


def holds_at(relation: Relation, values: Mapping[str, int]) -> bool | None:
    """Tell whether a relation holds for some values of its symbols; None where they leave that open."""
    left, right = (dim.substitute(side, values) for side in (relation.left, relation.right))
    if not isinstance(left, int) or not isinstance(right, int):
        return None
    return holds(Relation(relation.kind, left, right))


def holds(statement: Statement) -> bool | None:
    """Tell whether a statement holds for all, for no, or for some values of the symbols (None)."""
    if isinstance(statement, Several):
        answers = [None if part is None else holds(part) for part in statement.parts]
        decided = not statement.every
        if decided in answers:
            return decided
        return None if None in answers else statement.every
    relation = statement
    left, right = relation.left, relation.right
    match relation.kind:
        case "==":
            return equal(left, right)
        case "!=":
            return _not(equal(left, right))
        case "<":
            return less(left, right)
        case ">=":
            return _not(less(left, right))
        case ">":
            return less(right, left)
        case "<=":
            return _not(less(right, left))
    raise ValueError(f"{relation.kind} is not a kind of relation")


def described(relation: Relation) -> str:
    """Return a relation in words where they are shorter: `H is divisible by 32`."""
    difference = relation.left - relation.right
    if relation.kind == "==" and isinstance(difference, Dim):
        divisible = _divisible(difference)
        if divisible:
            return " and ".join(f"{each.left} is divisible by {each.right}" for each in divisible)
    return str(relation)


@dataclass(frozen=True, slots=True)
class _Remainder:
    """What is left of `left` where it is divided by `right`: never below 0.

    `over` is the remainder, `variable` an atom that stands in it once. `rounded` is the atom for the quotient, if that
    is one.
    """

    left: Dim
    right: Size
    over: Size
    variable: Atom
    rounded: Func | None = None


def _divisible(difference: Dim) -> list[_Remainder]:
    """Return the remainders that have to be 0 for a size to be 0; nothing where the size is not a sum of such."""
    for size in (difference, Dim({m: -c for m, c in difference.terms.items()})):
        remainders: list[_Remainder] = []
        rest: Size = size
        for each in _remainders(size):
            times = _coefficient(rest, each.variable)
            if less(times, 1) is False:
                remainders.append(each)
                rest = rest - times * each.over
        if remainders and rest == 0:
            return remainders
        if len(remainders) == 1 and isinstance(rest, int):
            (only,) = remainders
            times = _coefficient(size, only.variable)
            if isinstance(times, int) and rest % times == 0:  # the remainder is not 0 but another number
                return [_Remainder(only.left + rest // times, only.right, only.over, only.variable)]
    return []


def _remainders(size: Dim) -> Iterator[_Remainder]:
    """Yield the remainders that may be part of a size."""
    atoms = list(dict.fromkeys(atom for monomial in size.terms for atom, _ in monomial))
    for atom in atoms:
        if not isinstance(atom, Func) or not isinstance(atom.left, Dim) or less(atom.right, 1) is not False:
            continue
        itself = Dim({((atom, 1),): 1})
        if atom.kind == MOD:
            yield _Remainder(atom.left, atom.right, itself, atom)
        if atom.kind != FLOORDIV:
            continue
        for variable in _alone(atom.left):
            if variable in atoms and atom.left.terms[((variable, 1),)] == 1:
                yield _Remainder(atom.left, atom.right, atom.left - atom.right * itself, variable, atom)
        for other in atoms:
            # floor(n/28) is floor(floor(n/4)/7).
            if isinstance(other, Func) and other.kind == FLOORDIV and isinstance(other.right, int):
                shift = atom.left - other.left
                if isinstance(atom.right, int) and atom.right % other.right == 0 and isinstance(shift, int):
                    left = Dim({((other, 1),): 1}) + shift // other.right
                    right = atom.right // other.right
                    if right > 1 and shift % other.right == 0:
                        yield _Remainder(left, right, left - right * itself, other, atom)


def _coefficient(size: Size, atom: Atom) -> Size:
    """Return what an atom is multiplied by in a size; 0 where it stands in it to a higher power."""
    if isinstance(size, int):
        return 0
    terms: dict[Monomial, int] = {}
    for monomial, coefficient in size.terms.items():
        powers = dict(monomial)
        if powers.pop(atom, 0) > 1:
            return 0
        if len(powers) < len(monomial):
            terms[tuple(powers.items())] = coefficient
    return terms[()] if set(terms) == {()} else Dim(terms) if terms else 0


def _alone(size: Dim) -> list[Atom]:
    """Return the atoms that stand in a size by themselves, to the first power, and nowhere else."""
    atoms = []
    for monomial in size.terms:
        if len(monomial) == 1 and monomial[0][1] == 1:
            atom = monomial[0][0]
            others = Dim({m: c for m, c in size.terms.items() if m != monomial})
            if not _mentions(others, atom):
                atoms.append(atom)
    return atoms


def _mentions(size: Size, atom: Atom, outside: bool = False) -> bool:
    """Tell whether an atom is part of a size; `outside` leaves out what stands inside of quotients."""
    if isinstance(size, int):
        return False
    for monomial in size.terms:
        for other, _ in monomial:
            if other == atom:
                return True
            if (
                isinstance(other, Func)
                and not outside
                and (_mentions(other.left, atom) or _mentions(other.right, atom))
            ):
                return True
    return False


def is_basic(atom: Atom) -> bool:
    """Tell whether an atom is a symbol or a part of one: what it is, all others are computed from."""
    return isinstance(atom, Symbol) or atom.kind == QUOTIENT


def _preference(atom: Atom) -> tuple[bool, bool, str]:
    """Order atoms by how readily they are replaced: functions before symbols, later names before earlier ones."""
    unnamed = isinstance(atom, Symbol) and atom.anonymous
    return unnamed, isinstance(atom, Func), atom.order


def _unscaled(low: int | None, high: int | None, factor: int, constant: int) -> Bounds:
    """Return the bounds of x where `factor*x + constant` lies between two integers."""
    if factor < 0:
        low, high = high, low
    # Rounded inwards, because x is an integer.
    under = None if low is None else -((constant - low) // factor)
    return under, None if high is None else (high - constant) // factor


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer
