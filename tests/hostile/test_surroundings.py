"""What a program asks of its surroundings decides nothing that is stated without an assumption."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

import cutaway
from tests.hostile.apart import apart
from tests.hostile.surroundings import PROGRAM, QUESTIONS

_SOME = 7
"""One question of so many is asked in each run of the tests, and all of them in the campaign."""
_INPUT, _MODE = "the input x is", "evaluation mode"


def answers(questions: dict[str, str]) -> list[str]:
    """Return the questions on whose answer a plain fact depends."""
    return [name for name, question in questions.items() if apart(_is_plain_fact, question)]


def _is_plain_fact(question: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.py"
        model.write_text(PROGRAM.replace("{question}", question))
        try:
            network = cutaway.show(f"{model}::net", isolated=False, timeout=30)[0]
        except cutaway.CutawayError as error:
            return "raises" in str(error)
    if not network.weights or network.weights[0].assumed:
        return False
    others = [note.text for note in network.assumptions if _INPUT not in note.text and _MODE not in note.text]
    return str(network.weights[0].shape) in ("(5, 2)", "(7, 2)") and not others


@pytest.mark.parametrize("start", range(0, _SOME, 3))
def test_no_plain_fact_depends_on_an_answer(start: int) -> None:
    some = dict(list(QUESTIONS.items())[start * 11 % _SOME :: _SOME * 3])
    assert answers(some) == []


def test_a_program_without_questions_has_plain_facts() -> None:
    assert apart(_is_plain_fact, "1 + 1 == 2")
