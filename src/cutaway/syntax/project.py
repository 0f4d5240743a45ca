"""The project that a file belongs to: its root, the folders that its imports start from, and its environments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from cutaway.core import disk
from cutaway.syntax import source

_MARKERS = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg")
_ENVIRONMENT_FOLDERS = (".venv", "venv", "env", ".env")
_ACTIVE = ("VIRTUAL_ENV", "CONDA_PREFIX")
"""The environment variables that name an environment which is active."""


def root(folder: str) -> str | None:
    """Return the root of the project that contains a folder, None where nothing marks one."""
    folder = os.path.abspath(folder)
    while not _is_too_wide(folder):
        if any(disk.exists(os.path.join(folder, marker)) for marker in _MARKERS):
            return folder
        folder = os.path.dirname(folder)
    return None


def import_folders(folder: str) -> list[str]:
    """Return the folders of a project that imports may start from, the nearest first.

    These are folders of scripts around the given one, the project's root, its `src`, and where the user stands.
    """
    folder, here = os.path.abspath(folder), os.getcwd()
    found = []
    top = root(folder)
    if top is not None:
        sources = os.path.join(top, "src")
        found = [top, sources] if disk.is_folder(sources) else [top]
    if (folder + os.sep).startswith(os.path.join(here, "")) and not _is_too_wide(here):
        found.append(here)
    return list(dict.fromkeys([*_script_folders(folder, found), *found]))


def _script_folders(folder: str, tops: Sequence[str]) -> Iterator[str]:
    """Yield the folders around one, inside of a project, that scripts may be started in: they are not packages."""
    while any(folder != top and (folder + os.sep).startswith(os.path.join(top, "")) for top in tops):
        names = disk.names(folder, ".py")
        if names and "__init__.py" not in names:
            yield folder
        folder = os.path.dirname(folder)


def package_folders(folder: str) -> list[str]:
    """Return where packages are installed for a project: in an environment that is active, or in one of its own.

    An environment that nobody has activated came with the project: nothing in it leads out of the project.
    """
    top = root(folder) or os.path.abspath(folder)
    own = _installed((os.path.join(top, name) for name in _ENVIRONMENT_FOLDERS), within=disk.real_path(top))
    return list(dict.fromkeys([*_installed(filter(None, active_environments())), *own]))


def active_environments() -> tuple[str, ...]:
    """Return the environments that the user has activated."""
    return tuple(os.environ.get(name, "") for name in _ACTIVE)


def library_folders() -> list[str]:
    """Return the folders of active environments that have one for the packages of each version of Python."""
    return [folder for home in active_environments() if home and disk.is_folder(folder := os.path.join(home, "lib"))]


def _installed(environments: Iterable[str], within: str = "") -> Iterator[str]:
    """Yield where environments have packages, and the folders that these refer to; all of them lie within a folder."""
    inside = os.path.join(within, "") if within else ""
    for home in environments:
        if not any(disk.exists(os.path.join(home, marker)) for marker in ("pyvenv.cfg", "conda-meta")):
            continue
        patterns = (os.path.join(home, "lib", "python3*", "site-packages"), os.path.join(home, "Lib", "site-packages"))
        for packages in [path for pattern in patterns for path in disk.matching(pattern, False)]:
            if disk.real_path(packages).startswith(inside):
                yield packages
                yield from (folder for folder in _linked(packages) if disk.real_path(folder).startswith(inside))


def _linked(packages: str) -> Iterator[str]:
    """Yield the folders that an installation refers to, as it does to a package that is installed in place."""
    for name in disk.names(packages, ".pth"):
        try:
            content = source.content(os.path.join(packages, name))
        except source.SourceError:  # Python ignores it, too
            continue
        for line in content.decode("utf-8", "replace").splitlines():
            if line.strip() and not line.startswith(("import ", "import\t", "#")):
                folder = os.path.join(packages, line.strip())
                if disk.is_folder(folder):
                    yield os.path.normpath(folder)


def _is_too_wide(folder: str) -> bool:
    """Tell whether a folder holds more than a project: the user's home, or everything."""
    return folder in (os.path.expanduser("~"), os.path.dirname(folder))
