"""huggingface_hub: what it would download is not known.

Its functions look for tokens, ask servers and keep a cache on disk; none of that is done. What they would give is a path,
and nothing of a network depends on which.
"""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import row


@row("huggingface_hub.file_download.hf_hub_download")
def hf_hub_download(repo_id: Any, filename: Any = None, **_options: Any) -> Any:
    """Downloads nothing."""
    return _absent(repo_id, filename)


@row("huggingface_hub._snapshot_download.snapshot_download")
def snapshot_download(repo_id: Any, **_options: Any) -> Any:
    """Downloads nothing."""
    return _absent(repo_id, None)


@row("huggingface_hub.file_download.try_to_load_from_cache")
def try_to_load_from_cache(repo_id: Any, filename: Any = None, *_args: Any, **_options: Any) -> Any:
    """Finds nothing: the cache is the user's own, and belongs to no project."""
    return _absent(repo_id, filename)


def _absent(repo_id: Any, filename: Any) -> Unknown:
    for given in (repo_id, filename):
        if isinstance(given, Unknown):
            return given
    what = f"{filename} of {repo_id}" if isinstance(filename, str) else f"{repo_id}"
    return Unknown(f"{what} is not here, and nothing is downloaded", session.current().place())
