"""An option that a saved file's program can't follow is an error, as it is for source; it doesn't cost the result."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway

torch = pytest.importorskip("torch")


@pytest.fixture
def saved(tmp_path: Path) -> str:
    path = str(tmp_path / "model.pt")
    torch.jit.script(torch.nn.Sequential(torch.nn.Linear(4, 2))).save(path)
    return path


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"assume": "deep=True"}, "nothing depends on 'deep'"),
        ({"input": "image=2x4"}, "it has no argument image"),
        ({"arguments": "nowhere.py::inputs"}, "nowhere.py: no such file"),
    ],
)
def test_an_option_that_can_not_be_followed_is_an_error(saved: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(cutaway.CutawayError, match=message):
        cutaway.show(saved, isolated=False, **options)  # type: ignore[arg-type]
