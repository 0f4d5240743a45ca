"""`cutaway recover`: code that builds a network."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from cutaway.commands.options import TARGET, add_output, seconds
from cutaway.commands.output import write
from cutaway.core.error import CutawayError
from cutaway.core.message import print_message
from cutaway.isolation.sink import Sink

if TYPE_CHECKING:
    from cutaway.recover.result import Recovered

_TOLERANCE = 1e-4


def add(commands: Any) -> None:
    """Enter the command into the parser."""
    recover = commands.add_parser(
        "recover",
        help="write the code of a network from a saved file, a trace, or another framework's source",
        description="Write the code that builds a network: a class for each kind of block, layers for what was decomposed, and "
        "the weights of a file under the names of the code. The code is read again and compared with the original; what is not "
        "the same is printed.",
        epilog="exit code: 0 on success, 1 if an operation has no code or the code differs from the file, 2 on error",
    )
    recover.add_argument("target", metavar="TARGET", help=TARGET)
    recover.add_argument(
        "--input", action="append", default=[], metavar="[NAME=]VALUE", help="an input of forward, as for show"
    )
    recover.add_argument(
        "--path", "--source", action="append", default=[], metavar="DIR", help="a folder to search first for imports"
    )
    recover.add_argument(
        "--to", choices=("torch", "keras"), default="torch", help="the framework of the code (default: torch)"
    )
    recover.add_argument("--weights", metavar="FILE", help="write the weights to this safetensors file")
    recover.add_argument(
        "--checkpoint", metavar="FILE", help="a file with the weights of a network that is read from source"
    )
    recover.add_argument(
        "--live", action="store_true", help="import and RUN the target, and recover the network that it makes"
    )
    recover.add_argument(
        "--check",
        action="store_true",
        help="RUN the recovered code and the file in their frameworks, at two sizes, and compare what they return",
    )
    recover.add_argument(
        "--timeout", type=seconds, default=120.0, metavar="SECONDS", help="time limit of the analysis (default: 120)"
    )
    add_output(recover)
    recover.set_defaults(run=_run, prepare=_prepare, sink=None, no_cache=True, arguments=None)


def _prepare(options: argparse.Namespace) -> None:
    """Open the file for the weights, while that is possible."""
    if options.weights and options.sink is None:
        try:
            options.sink = Sink(options.weights)
        except OSError as error:
            raise CutawayError(f"{options.weights}: can't be written ({error.strerror})") from None


def _run(options: argparse.Namespace) -> int:
    from cutaway._recovery_api import recover  # late: --help needs none of it

    _prepare(options)
    sink = options.sink
    try:
        result = recover(
            options.target,
            to=options.to,
            input=options.input,
            path=options.path,
            weights=options.weights,
            weights_file=None if sink is None else sink.file,
            checkpoint=options.checkpoint,
            live=options.live,
            timeout=options.timeout,
        )
    except BaseException:
        if sink is not None:
            sink.abandon()
        raise
    if sink is not None and not sink.finish():
        raise CutawayError(f"{options.weights}: can't be written")
    write(result.source, options.output)
    _tell(result, options.quiet)
    differs = bool(result.missing or result.different)
    if options.check:
        differs = _check(options) > _TOLERANCE or differs
    return int(differs)


def _tell(result: Recovered, quiet: bool) -> None:
    """Print what the code lacks, and in what it differs from the original."""
    if quiet:
        return
    for text in dict.fromkeys(result.missing):
        times = result.missing.count(text)
        print_message(f"no code for {text}{f' ({times} times)' if times > 1 else ''}")
    for text in result.different:
        print_message(text)


def _check(options: argparse.Namespace) -> float:
    from cutaway._recovery_api import check_recovered  # late: only --check needs it

    gap = check_recovered(
        options.target,
        to=options.to,
        input=options.input,
        path=options.path,
        checkpoint=options.checkpoint,
        live=options.live,
        timeout=options.timeout,
    )
    verdict = "equal" if gap <= _TOLERANCE else "different"
    print_message(f"outputs are {verdict}: they differ by at most {gap:.1e}, relative to the largest")
    return gap
