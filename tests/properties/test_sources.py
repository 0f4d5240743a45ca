"""Any source gives a result or one message: nothing crashes, nothing hangs."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cutaway
from cutaway.core.error import InternalError
from tests.properties.programs import MODELS, disturbed, programs

_LIMIT = 30

quietly = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@contextmanager
def soon() -> Iterator[None]:
    """Fail if what is inside takes far longer than its own time budget."""

    def late(*_args: Any) -> None:
        raise AssertionError(f"it takes more than {_LIMIT} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(_LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def show(folder: Path, text: bytes, **options: str) -> None:
    """Show a source; the only error that it may end in is one that says what is wrong with it, in one line."""
    path = folder / "model.py"
    path.write_bytes(text)
    with soon():
        try:
            networks = cutaway.show(str(path), timeout=1.0, **options)
        except InternalError:
            raise
        except cutaway.CutawayError as error:
            assert str(path) in str(error) or str(error).startswith("--input"), error
            assert "\n" not in str(error)
            return
        assert cutaway.loads(cutaway.dumps(networks)) == networks


@quietly
@given(st.binary(max_size=300))
def test_any_bytes(tmp_path: Path, text: bytes) -> None:
    show(tmp_path, text)


@quietly
@given(st.text(max_size=300))
def test_any_text(tmp_path: Path, text: str) -> None:
    show(tmp_path, text.encode("utf-8", "surrogatepass"))


@quietly
@given(disturbed())
def test_a_model_with_some_disturbance(tmp_path: Path, text: str) -> None:
    show(tmp_path, text.encode())


@quietly
@given(disturbed(), st.sampled_from(["1x3x16x16", "1x8x16", "2x3", "x=1x8x16", "()", "1x8x16:bool"]))
def test_a_disturbed_model_with_an_input(tmp_path: Path, text: str, shape: str) -> None:
    show(tmp_path, text.encode(), input=shape)


@quietly
@given(programs)
def test_a_program_that_may_do_anything(tmp_path: Path, text: str) -> None:
    show(tmp_path, text.encode())


@pytest.mark.parametrize("text", MODELS, ids=["convolutions", "attention"])
def test_the_models_are_read_when_nothing_disturbs_them(tmp_path: Path, text: str) -> None:
    (tmp_path / "model.py").write_text(text)
    (network,) = cutaway.show(str(tmp_path / "model.py"))
    assert not any("the program stops" in note.text for note in network.unknowns)
