"""The text of sizes."""

from __future__ import annotations

from cutaway.core.size.dim import floordiv, quotient, symbol


def test_a_quotient_times_its_divisor_is_grouped_like_the_sum_that_it_is() -> None:
    b, c = symbol("b"), symbol("c")
    assert str(floordiv(c * quotient(b - 1, c) + 1, 2)) == "ceil((b - 1)/2)"
    assert str(3 * c * quotient(b - 1, c)) == "3*b - 3"
