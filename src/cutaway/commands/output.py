"""Writing what a command made: to standard output, or to a file that is there whole or not at all."""

from __future__ import annotations

import os
import sys

from cutaway.core.error import CutawayError


def write(text: str | bytes, path: str | None) -> None:
    """Write a result to a file, or to standard output where no path is given."""
    if path is None:
        if isinstance(text, bytes):
            sys.stdout.buffer.write(text)
        else:
            sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        _write_file(text.encode() if isinstance(text, str) else text, os.path.realpath(path))
    except OSError as error:
        raise CutawayError(f"{path}: can't be written ({error.strerror})") from None


def _write_file(content: bytes, path: str) -> None:
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as device:  # such as /dev/null, which must not be replaced
            device.write(content)
        return
    import tempfile

    descriptor, beside = tempfile.mkstemp(dir=os.path.dirname(path))
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        os.chmod(beside, os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o666 & ~_umask())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
