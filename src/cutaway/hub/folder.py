"""Finding and reading the JSON file that describes a folder's network."""

from __future__ import annotations

import json
import os
from typing import Any

from cutaway.core import disk
from cutaway.core.error import CutawayError, one_line
from cutaway.core.record import dataclass
from cutaway.syntax import source

PIPELINE, ADAPTER, CONFIG = "model_index.json", "adapter_config.json", "config.json"
FILES = (PIPELINE, ADAPTER, CONFIG)
"""The files that describe a folder; the first one that exists is used."""


class HubError(CutawayError):
    """The network of a folder can't be determined; the message is complete and says what to do."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder and the content of its JSON file; `text` is the path as the user wrote it."""

    text: str
    path: str
    name: str
    settings: dict[str, Any]
    lines: tuple[str, ...]

    @property
    def file(self) -> str:
        """The path of the JSON file."""
        return os.path.join(self.path, self.name)

    def line(self, *keys: str) -> int:
        """Return the line of the first of these keys that occurs, or the first line."""
        for key in keys:
            for number, line in enumerate(self.lines, 1):
                if f'"{key}"' in line:
                    return number
        return 1

    def has(self, name: str) -> bool:
        """Tell whether the folder contains a file."""
        return disk.is_file(os.path.join(self.path, name))


def find(text: str) -> Folder | None:
    """Return the folder that a path describes: a folder with one of the files, or one of the files itself."""
    if disk.is_folder(text):
        name = next((name for name in FILES if disk.is_file(os.path.join(text, name))), None)
        return read(text, text, name) if name is not None else None
    folder, name = os.path.split(text)
    return read(text, folder or ".", name) if name in FILES and disk.is_file(text) else None


def read(text: str, path: str, name: str) -> Folder:
    """Read one of the files."""
    file = os.path.join(path, name)
    content = source.read(file)
    try:
        decoded = content.decode("utf-8-sig")
        settings = json.loads(decoded)
    except UnicodeDecodeError:
        raise HubError(f"{file}: not JSON: it is not encoded in UTF-8") from None
    except json.JSONDecodeError as error:
        raise HubError(f"{file}:{error.lineno}: not JSON: {one_line(error.msg)}") from None
    except (RecursionError, ValueError) as error:
        raise HubError(f"{file}: can't be read as JSON ({one_line(str(error))})") from None
    if not isinstance(settings, dict):
        raise HubError(f"{file}: does not describe a network: it is {_kind(settings)}, not an object with settings")
    return Folder(text, path, name, settings, tuple(decoded.splitlines()))


def _kind(value: Any) -> str:
    return "a list" if isinstance(value, list) else "a string" if isinstance(value, str) else "a single value"
