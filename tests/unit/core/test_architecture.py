"""The representation is frozen data that refuses what can't be."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

from cutaway.core import architecture
from cutaway.core.architecture import Architecture, Totals, Weight

RECORDS = [
    record
    for _, record in inspect.getmembers(architecture, dataclasses.is_dataclass)
    if record.__module__ == architecture.__name__
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_every_record_is_frozen_and_slotted(record: type) -> None:
    field = dataclasses.fields(record)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(object.__new__(record), field, None)
    assert "__slots__" in vars(record)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_every_record_says_what_it_is(record: type) -> None:
    assert record.__doc__ and not record.__doc__.startswith(f"{record.__name__}(")


def test_a_weight_is_a_parameter_or_a_buffer() -> None:
    with pytest.raises(ValueError, match="'parameter', 'buffer' or 'tensor', not 'constant'"):
        Weight("w", (1,), "float32", "constant")


def test_nothing_is_known_of_an_architecture_that_has_only_a_name() -> None:
    empty = Architecture("Net")
    assert empty.modules == empty.weights == empty.ops == ()
    assert empty.totals == Totals(None, None, None, None, None, None, None)


def test_equal_parts_make_equal_architectures(residual: Architecture) -> None:
    assert dataclasses.replace(residual) == residual
    assert dataclasses.replace(residual, name="Other") != residual


def test_the_representation_of_a_network_is_one_line(residual: Architecture) -> None:
    size = f"<Architecture {residual.name}: {len(residual.modules)} modules, parameters: "
    assert repr(residual) == f"{size}{residual.totals.parameters:,}>"
    assert repr(dataclasses.replace(residual, totals=Totals())) == f"{size}unknown>"
