"""The command line."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

from cutaway import __version__
from cutaway.core.error import CutawayError, InternalError, internal
from cutaway.limits import FAILED, INTERRUPTED, alarmed, supervised

CLEAN, FAULTS = 0, 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 clean, 1 faults found, 2 it could not be done."""
    return _run(_parse(sys.argv[1:] if arguments is None else arguments))


def entry() -> NoReturn:
    """Run as a program of its own."""
    try:
        options = _parse(sys.argv[1:])
        code = supervised(lambda: _run(options), options.timeout)
    except KeyboardInterrupt:
        _complain("interrupted")
        code = INTERRUPTED
    os._exit(code)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line; `-::Net` looks like an option but is a target, so it goes behind all options."""
    targets = [text for text in arguments if text.startswith("-::")]
    rest = [text for text in arguments if not text.startswith("-::")]
    return _parser().parse_args([*rest, "--", *targets] if targets else rest)


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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cutaway", description="Show what is inside a neural network without running it."
    )
    parser.add_argument("--version", action="version", version=f"cutaway {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    show = commands.add_parser(
        "show",
        help="the architecture of a network",
        description="Show the architecture of a network, read from its source. Nothing of the target is run.",
        epilog="exit code: 0 shown, 1 shown and faults were found in it, 2 could not be shown",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    show.add_argument(
        "target",
        metavar="TARGET",
        help="model.py, model.py::Net, 'model.py::make(3, width=64)', package.module:Net, or - for standard input",
    )
    show.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="[NAME=]SHAPE[:DTYPE]",
        help="an input of forward, such as 1x3x224x224 or mask=1x16:bool; once for each input",
    )
    show.add_argument(
        "--path", action="append", default=[], metavar="DIR", help="a folder where imports are looked for first"
    )
    show.add_argument("--format", choices=("table", "tree", "json"), default="table", help="default: table")
    show.add_argument("--output", metavar="FILE", help="write to a file instead of standard output")
    show.add_argument("--depth", type=_positive, metavar="N", help="show only N levels of modules")
    show.add_argument("--no-fold", action="store_true", help="show repeated modules one by one")
    show.add_argument("--timeout", type=_seconds, default=120.0, metavar="SECONDS", help="default: 120")
    show.set_defaults(run=_show)
    return parser


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of levels: give 1 or more")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds: give one above 0")
    return seconds


def _show(options: argparse.Namespace) -> int:
    from cutaway._api import show

    with alarmed(options.timeout):
        architectures = show(options.target, input=options.input, path=options.path, timeout=options.timeout)
    _write(_render(architectures, options), options.output)
    return FAULTS if any(architecture.diagnostics for architecture in architectures) else CLEAN


def _render(architectures: Any, options: argparse.Namespace) -> str:
    if options.format == "json":
        from cutaway.report import json

        return json.dumps(architectures) + "\n"
    from cutaway.report import table, terminal, tree

    seen = terminal.detect(sys.stdout)
    if options.output:
        seen = terminal.Terminal(seen.width, False, True)
    render = tree.render if options.format == "tree" else table.render
    return render(
        architectures,
        width=seen.width,
        colour=seen.colour,
        unicode=seen.unicode,
        depth=options.depth,
        fold=not options.no_fold,
    )


def _write(text: str, path: str | None) -> None:
    """Write the report: to standard output, or to a file that is there whole or not at all."""
    if path is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        _write_file(text, os.path.realpath(path))
    except OSError as error:
        raise CutawayError(f"{path}: can't be written ({error.strerror})") from None


def _write_file(text: str, path: str) -> None:
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "w", encoding="utf-8") as device:  # such as /dev/null, which must not be replaced
            device.write(text)
        return
    import tempfile

    descriptor, beside = tempfile.mkstemp(dir=os.path.dirname(path))
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(beside, os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o666 & ~_umask())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
