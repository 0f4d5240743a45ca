"""Landlock: files are read-only and only in given folders, there is no network, and no other process gets signals.

Each version of the kernel's interface (ABI) knows more rights than the one before it. All that it knows are taken away;
those to read are given back for the given folders and files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress

from cutaway.isolation.kernel import Kernel, KernelError

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # on every processor
_ASK_VERSION = 1
_PATH_BENEATH = 1

READ_FILE, READ_FOLDER = 1 << 2, 1 << 3
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""ABI -> how many rights to files it knows, each a bit: the first 13 are to execute, write, read, remove and make."""
_NETWORK_SINCE, _NETWORK = 4, 0b11  # to bind and to connect TCP sockets
_SCOPES_SINCE, _SCOPES = 6, 0b11  # abstract Unix sockets of other processes, and signals to them


def version(kernel: Kernel) -> int:
    """Return the version of the interface, 0 where the kernel has none or it is switched off."""
    try:
        return kernel.syscall(_CREATE_RULESET, 0, 0, _ASK_VERSION)
    except KernelError:
        return 0


def has_network(abi: int) -> bool:
    """Tell whether a version refuses TCP connections."""
    return abi >= _NETWORK_SINCE


def has_scopes(abi: int) -> bool:
    """Tell whether a version refuses signals to other processes, and their abstract Unix sockets."""
    return abi >= _SCOPES_SINCE


def restrict(kernel: Kernel, readable: Iterable[tuple[str, int]]) -> int:
    """Take all rights from this process but those to read, as given by path; return the version of the interface, or 0."""
    abi = version(kernel)
    if not abi:
        return 0
    rights = max(count for since, count in _FILE_RIGHTS.items() if since <= abi)
    words = [(1 << rights) - 1]
    if has_network(abi):
        words.append(_NETWORK)
    if has_scopes(abi):
        words.append(_SCOPES)
    attributes = b"".join(word.to_bytes(8, sys.byteorder) for word in words)
    ruleset = kernel.syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    try:
        for path, right in readable:
            with suppress(OSError, ValueError):  # it is not there: then nothing can be read from it
                _allow(kernel, ruleset, path, right)
        kernel.syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return abi


def _allow(kernel: Kernel, ruleset: int, path: str, right: int) -> None:
    opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = right.to_bytes(8, sys.byteorder) + opened.to_bytes(4, sys.byteorder)
        kernel.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
    finally:
        os.close(opened)
