"""The program: `python -m cutaway`, and the command `cutaway`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from cutaway.limits import supervised


def entry() -> NoReturn:
    """Run the command line in a process that bounds it."""
    supervised(_program)


def _program(bounded: Callable[[float], None]) -> int:
    import gc

    gc.disable()  # what is imported stays
    from cutaway import cli  # late: only in the child

    return cli.program(bounded)


if __name__ == "__main__":
    entry()
