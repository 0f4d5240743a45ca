"""The command line."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module

from cutaway import __version__
from cutaway.core.error import CutawayError, InternalError, internal
from cutaway.limits import FAILED, INTERRUPTED

COMMANDS = {"show": "show", "unique": "unique", "ops": "ops", "verify": "verify", "diff": "diff", "fingerprint": "diff"}
"""The modules of `commands` that enter each command; only that of the command in hand is imported."""
CLEAN = 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 clean, 1 faults found, 2 it could not be done."""
    return _run(_parse(sys.argv[1:] if arguments is None else arguments))


def program(bounded: Callable[[float], None]) -> int:
    """Run as a program of its own, and say how long that may take: the user's own code, if it is run, has no bounds."""
    try:
        options = _parse(sys.argv[1:])
        if not getattr(options, "live", False):
            bounded(options.timeout)
        return _run(options)
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line; `-::Net` looks like an option but is a target, so it goes behind all options."""
    targets = [text for text in arguments if text.startswith("-::")]
    rest = [text for text in arguments if not text.startswith("-::")]
    named = next((text for text in rest if not text.startswith("-")), "")
    return _parser(named).parse_args([*rest, "--", *targets] if targets else rest)


def _run(options: argparse.Namespace) -> int:
    collecting = gc.isenabled()
    gc.disable()  # one command makes little garbage and ends; collecting would cost more than it frees
    try:
        return int(options.run(options))
    except CutawayError as error:
        if isinstance(error, InternalError) and os.environ.get("CUTAWAY_DEBUG"):
            raise
        _complain(str(error))
        return FAILED
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLEAN
    except MemoryError:
        _complain("there is not enough memory to show this")
        return FAILED
    except Exception as error:
        if os.environ.get("CUTAWAY_DEBUG"):
            raise
        _complain(str(internal(error)))
        return FAILED
    finally:
        if collecting:
            gc.enable()


def _complain(message: str) -> None:
    """Say what went wrong, in whatever letters the error stream can write."""
    encoding = getattr(sys.stderr, "encoding", None) or "ascii"
    with suppress(OSError, ValueError):
        print(f"cutaway: {message}".encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)


class _Parser(argparse.ArgumentParser):
    """A parser that knows how wide the terminal is: argparse imports much to find that out."""

    def _get_formatter(self) -> argparse.HelpFormatter:
        return self.formatter_class(prog=self.prog, width=_columns() - 2)  # type: ignore[call-arg]


def _columns() -> int:
    with suppress(OSError, ValueError):
        return int(os.environ.get("COLUMNS", "")) or 80
    with suppress(OSError, ValueError):
        return os.get_terminal_size().columns or 80
    return 80


def _parser(named: str) -> argparse.ArgumentParser:
    """Return a parser for the command that is named, or for all where it is none of them."""
    parser = _Parser(prog="cutaway", description="Show what is inside a neural network without running it.")
    parser.add_argument("--version", action="version", version=f"cutaway {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", prog="cutaway")
    for module in [COMMANDS[named]] if named in COMMANDS else dict.fromkeys(COMMANDS.values()):
        import_module(f"cutaway.commands.{module}").add(commands)
    return parser
