"""What the operations of a network need of the sizes of its input, in words: `H is divisible by 16`, `H >= 63`."""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.place import Place
from cutaway.core.size.atom import Symbol
from cutaway.core.size.dim import Dim, Size, divide, rewritten, symbols
from cutaway.core.size.facts import Fact, Facts, holds, is_basic


def premises(facts: Facts) -> Iterator[tuple[str, Place | None]]:
    """Yield what is needed, and where: what symbols have to be, and what else has to hold between sizes.

    These facts have to be in use.
    """
    needed = [fact for fact in facts.learned if fact.needed and fact.relation.kind == "=="]
    names = dict.fromkeys(symbol for fact in needed for symbol in sorted(_symbols(fact), key=str))
    basic = Facts(rules={atom: value for atom, value in facts.rules.items() if is_basic(atom)})
    with basic.used():
        said = {symbol: _equation(symbol) for symbol in names}
        alone = [fact for fact in needed if holds(fact.relation) is not True]
    for symbol, text in said.items():
        last = [fact for fact in needed if symbol in _symbols(fact)][-1]
        if text:
            yield f"{text}: {last.why} needs it", last.place
    for fact in alone:
        yield f"{fact}: {fact.why} needs it", fact.place
    yield from _ranges(facts)


def _equation(symbol: Symbol) -> str:
    """Return what a symbol has to be; nothing where it may be anything."""
    itself = Dim({((symbol, 1),): 1})
    value = rewritten(itself)
    if value == itself:
        return ""
    return f"{symbol} is divisible by {_divisor(value)}" if str(value) == symbol.name else f"{symbol} == {value}"


def _divisor(value: Size) -> Size:
    """Return what a quotient is multiplied by to give the symbol itself."""
    assert isinstance(value, Dim)
    (monomial,) = value.terms
    quotient = next(Dim({((atom, 1),): 1}) for atom, _ in monomial if not isinstance(atom, Symbol))
    return divide(value, quotient)[0]


def _ranges(facts: Facts) -> Iterator[tuple[str, Place | None]]:
    for of, (low, high) in facts.ranges.items():
        if not isinstance(of, Symbol) or of.anonymous or isinstance(rewritten(Dim({((of, 1),): 1})), int):
            continue
        needed = [fact for fact in facts.learned if fact.needed and fact.relation.kind == ">=" and of in _symbols(fact)]
        if low is not None and (of.least is None or low > of.least) and needed:
            upper = "" if high is None else f" and {of} <= {high}"
            yield f"{of} >= {low}{upper}: smaller sizes are too small for {needed[-1].why}", needed[-1].place


def _symbols(fact: Fact) -> set[Symbol]:
    return symbols(fact.relation.left) | symbols(fact.relation.right)
