"""Paths of modules, whatever the names in a file are."""

import itertools

import pytest

from cutaway.formats.graph.hierarchy import ancestors


@pytest.mark.parametrize("separator", [".", "/"])
def test_each_ancestor_is_longer_than_the_one_before(separator: str) -> None:
    for parts in itertools.product(["", "a"], repeat=4):
        path = separator.join(parts)
        chain = ancestors(path, separator)
        assert chain[0] == ""
        assert chain[-1] == path
        assert all(len(outer) < len(inner) for outer, inner in itertools.pairwise(chain))


def test_ancestors_of_an_ordinary_path() -> None:
    assert ancestors("blocks.1.attention", ".") == ["", "blocks", "blocks.1", "blocks.1.attention"]
    assert ancestors("", ".") == [""]
