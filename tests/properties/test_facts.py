"""Facts: what is learned about symbols is used so that nothing is said that contradicts the integers for which it holds."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from cutaway.core.size.bounds import bounds
from cutaway.core.size.dim import equal, floordiv, less, mod, rewritten, substitute, symbol
from cutaway.core.size.facts import Facts, holds, holds_at
from cutaway.core.size.parser import evaluate
from cutaway.core.size.relation import Relation

A, B, C = (symbol(name) for name in "abc")
GRID = [dict(zip("abc", values)) for values in itertools.product(range(1, 25), range(1, 9), (1, 2, 6))]

numbers = st.integers(1, 8)
names = st.sampled_from([A, B, C])


def _linear(first: Any, times: int, second: Any, number: int) -> Any:
    return times * first + second + number


plain = st.one_of(
    names, st.builds(_linear, names, st.integers(-3, 3), st.one_of(names, st.just(0)), st.integers(-6, 6))
)
sizes = st.one_of(
    plain,
    st.builds(floordiv, plain, numbers),
    st.builds(mod, plain, numbers),
    st.builds(mod, names, names),
    st.builds(lambda size, name: size * name, st.builds(floordiv, plain, numbers), names),
    st.builds(lambda size, by, then: floordiv(floordiv(size, by) + then, 2), plain, numbers, st.integers(-2, 2)),
    st.builds(lambda size, by, name, other: size * name - floordiv(size, by) * by * floordiv(name, other) * other,
              names, numbers, names, numbers),
)  # fmt: skip
relations = st.builds(
    Relation,
    st.sampled_from(["==", "==", "==", "!=", "<", "<=", ">", ">="]),
    sizes,
    st.one_of(st.integers(0, 6), sizes),
)


def _learned(given_relations: list[Relation]) -> tuple[Facts, list[dict[str, int]], bool]:
    """Learn relations one after the other; return the values for which all that could be learned hold."""
    facts = Facts()
    kept = list(GRID)
    possible = True
    with facts.used():
        for relation in given_relations:
            here = [values for values in kept if holds_at(relation, values)]
            if not facts.learn(relation):
                possible = False
                assert not here, f"{relation} is possible, with {here[0]}"
                break
            kept = here
    return facts, kept, possible


@given(st.lists(relations, min_size=1, max_size=3), sizes)
@settings(max_examples=300, deadline=None)
def test_a_size_means_the_same_when_it_is_rewritten(given_relations: list[Relation], size: Any) -> None:
    facts, kept, possible = _learned(given_relations)
    with facts.used():
        if possible:
            new = rewritten(size)
            low, high = bounds(new)
            for values in kept:
                expected = substitute(size, values)
                assert substitute(new, values) == expected
                assert (low is None or low <= expected) and (high is None or expected <= high)


@given(st.lists(relations, min_size=1, max_size=3), sizes, sizes)
@settings(max_examples=300, deadline=None)
def test_comparisons_hold_wherever_the_facts_do(given_relations: list[Relation], left: Any, right: Any) -> None:
    facts, kept, possible = _learned(given_relations)
    with facts.used():
        if possible:
            for kind, answer in (("==", equal(left, right)), ("<", less(left, right))):
                seen = {holds_at(Relation(kind, left, right), values) for values in kept}
                assert answer is None or seen <= {answer}


@given(st.lists(relations, min_size=1, max_size=2))
@example([Relation("==", A, 1), Relation("==", (B + C) % 2, 2)])
@settings(max_examples=200, deadline=None)
def test_what_was_learned_is_known(given_relations: list[Relation]) -> None:
    facts, kept, _ = _learned(given_relations)
    with facts.used():
        for fact in facts.learned:
            assert holds(fact.relation) is not False or not kept


@given(st.lists(relations, max_size=2), sizes)
@settings(max_examples=200, deadline=None)
def test_text_means_what_the_size_means(given_relations: list[Relation], size: Any) -> None:
    facts, kept, possible = _learned(given_relations)
    with facts.used():
        new = rewritten(size) if possible else size
        for values in kept[:40]:
            assert evaluate(str(new), values) == substitute(size, values)
