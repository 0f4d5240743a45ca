"""Commands and code of the documents work in a new environment that has nothing but the package.

What needs another package comes after the line that installs it; `python -m benchmarks.documents` tries that, too.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.documents.steps import DOCUMENTS, ROOT, Step, checkout, environment, run, steps, wheel, why_not


def tried() -> list[tuple[Path, Step]]:
    """Return what needs no other package: all that a document says before it installs one."""
    found = []
    for document in DOCUMENTS:
        for step in steps(document):
            if step.installs is not None:
                if step.installs == ".":
                    continue
                break
            if why_not(step, ROOT) is None:
                found.append((document, step))
    return found


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the programs of a new environment, and a folder with the files of a new clone."""
    folder = tmp_path_factory.mktemp("fresh")
    files = folder / "files"
    files.mkdir()
    checkout(files)
    try:
        return environment(folder / "environment", wheel(folder)), files
    except OSError as error:
        pytest.skip(f"the package can't be built and installed here: {error}")


@pytest.mark.parametrize(
    "step",
    [step for _, step in tried()],
    ids=[f"{document.relative_to(ROOT)}:{step.line}" for document, step in tried()],
)
def test_works_where_only_the_package_is_installed(step: Step, fresh: tuple[Path, Path]) -> None:
    assert run(step, *fresh) is None
