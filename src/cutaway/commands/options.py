"""The options that commands share, and the networks that they name."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError
from cutaway.core.message import print_message

TARGET = (
    "model.py, model.py::Net, 'model.py::make(3, width=64)', package.module:Net, "
    "a model folder, a saved file, or - for standard input"
)

LIVE = "live:"
"""What precedes a target of `diff` that is to be run."""


def add_target(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add the target and how it is read."""
    parser.add_argument("target", metavar="TARGET", help=TARGET, nargs="+" if several else None)
    add_reading(parser)


def add_reading(parser: argparse.ArgumentParser, *, live: bool = True) -> None:
    """Add how a target is read: its inputs, where imports are looked for, and whether it may be run."""
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="[NAME=]VALUE",
        help="an input of forward: a tensor, such as 1x3x224x224, mask=1x16:bool or batch.image=1x3x32x32, "
        "or n=3, flag=true, sizes=[1,2]; repeat for each input",
    )
    parser.add_argument(
        "--arguments",
        metavar="FILE::FN",
        help="a function that returns the inputs of forward: a tensor, a tuple or list, or a dict of keyword arguments",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        type=setting,
        metavar="SIZE=NUMBER",
        help="replace a symbolic size by a number, such as H=224; repeat for each size",
    )
    parser.add_argument(
        "--assume",
        action="append",
        default=[],
        metavar="CONDITION=VALUE",
        help="decide a condition or set an argument, such as use_dropout=True; repeat for each",
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--train",
        action="store_true",
        default=None,
        help="show the network in training mode (default: in evaluation mode, unless the program says otherwise)",
    )
    mode.add_argument(
        "--eval",
        action="store_false",
        dest="train",
        help="show the network in evaluation mode, whatever the program says",
    )
    parser.add_argument(
        "--path", "--source", action="append", default=[], metavar="DIR", help="a folder to search first for imports"
    )
    if live:
        parser.add_argument(
            "--live", action="store_true", help="import and RUN the target, and inspect the running network"
        )
        parser.add_argument(
            "--via",
            choices=("calls", "export", "onnx", "hooks"),
            default="calls",
            help="with --live: observe operations as API calls (default), through torch.export or torch.onnx, or not at all",
        )
    parser.add_argument(
        "--device", metavar="DEVICE", help="where a target that is run is built and run; meta allocates no memory"
    )
    parser.add_argument("--strict", action="store_true", help="exit with code 1 if something in the result is unknown")
    parser.add_argument("--no-cache", action="store_true", help="neither read nor write the cache on disk")
    parser.add_argument(
        "--timeout", type=seconds, default=120.0, metavar="SECONDS", help="time limit of the analysis (default: 120)"
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add where the result is written to, and what else is printed."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of standard output")
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing but the result and errors")


def architectures(options: argparse.Namespace, target: str, live: bool | None = None) -> tuple[Architecture, ...]:
    """Return the networks of a target, as the options say."""
    from cutaway._api import show  # late: --help needs none of it

    if options.live if live is None else live:
        if not getattr(options, "quiet", False):
            print_message(f"running the code of {target}")
        return show(
            target,
            **reading_arguments(options),
            live=True,
            device=options.device,
            via=getattr(options, "via", "calls"),
        )
    isolated = getattr(options, "isolated", False)
    return show(
        target, **reading_arguments(options), timeout=options.timeout, cache=not options.no_cache, isolated=isolated
    )


def reading_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of the API that say how a target is read."""
    return {
        "input": options.input,
        "set": dict(options.set),
        "path": options.path,
        "assume": options.assume,
        "train": options.train,
        "arguments": options.arguments,
        "argv": options.argv,
    }


def setting(text: str) -> tuple[str, int]:
    """Read a name and a number."""
    name, _, number = (part.strip() for part in text.partition("="))
    if not name.isidentifier() or not number.isdecimal() or not 0 < int(number) < 1 << 63:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size and its number: write H=224")
    return name, int(number)


def seconds(text: str) -> float:
    """Read a number of seconds."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds: give one above 0")
    return number


def only(found: Sequence[Architecture], target: str) -> Architecture:
    """Return the one network that a target names, the main one of a saved file.

    Instances that a program makes of a class stand behind that.
    """
    from cutaway.formats.dispatch import is_saved  # late: --help needs none of it

    if len(found) > 1 and "::" not in target and is_saved(target):
        print_message(f"{target}: there are {len(found)} networks in it; {found[0].name} is taken")
    elif len(found) != 1 and "::" not in target:
        names = ", ".join(each.name for each in found[:8])
        raise CutawayError(f"{target}: there are {len(found)} networks in it; name one of {names}")
    return found[0]
