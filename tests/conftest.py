"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the commands that tests run away from the user's results."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUTAWAY_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
