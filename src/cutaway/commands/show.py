"""`cutaway show`: the architecture of a network."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from cutaway.commands.options import add_output, add_target, architectures
from cutaway.commands.output import exit_code, write
from cutaway.core.error import CutawayError

_PICTURES = ("svg", "png", "mermaid", "dot")
_SHEETS = ("table", "csv", "markdown")
FORMATS = ("table", "tree", "summary", "json", "csv", "markdown", "html", *_PICTURES, "tensorboard")


def add(commands: Any) -> None:
    """Enter the command into the parser."""
    show = commands.add_parser(
        "show",
        help="show the architecture of a network",
        description="Show the architecture of a network, read from source. The target is not run unless you pass --live.",
        epilog="exit code: 0 on success, 1 if the network has faults or, with --strict, unknowns, 2 on error",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_target(show, several=True)
    show.add_argument("--format", choices=FORMATS, default="table", help="default: table")
    add_output(show)
    show.add_argument("--depth", type=_positive, metavar="N", help="show only N levels of modules")
    show.add_argument(
        "--explain",
        action="store_true",
        help="show the causes of unknowns, and how much of the network depends on each",
    )
    show.add_argument(
        "--columns",
        type=_columns,
        default=(),
        metavar="NAME,...",
        help="the columns of a table: input, output, kernel, params, share, trainable, dtype, macs, flops, activations, memory",
    )
    show.add_argument("--sort", choices=_SORTS, metavar="NAME", help="list the modules with the largest figure first")
    show.add_argument(
        "--by", choices=("module", "op"), default="module", help="a row for each module (default) or operation"
    )
    colour = show.add_mutually_exclusive_group()
    colour.add_argument(
        "--color", action="store_true", default=None, help="colour the output, also where it is no terminal"
    )
    colour.add_argument("--no-color", action="store_false", dest="color", help="don't colour the output")
    show.add_argument("--width", type=_width, metavar="COLUMNS", help="lay the output out for so many columns")
    show.add_argument("--compact", action="store_true", help="with --format json: in one line, without provenance")
    show.add_argument("--no-fold", action="store_true", help="list repeated modules one by one")
    show.set_defaults(run=_run, destination=_destination)


_SORTS = ("params", "trainable", "macs", "flops", "activations", "memory")


def _columns(text: str) -> tuple[str, ...]:
    from cutaway.report.columns import COLUMNS  # late: only where columns are named

    names = tuple(name.strip().lower() for name in text.split(","))
    for name in names:
        if name not in COLUMNS:
            raise argparse.ArgumentTypeError(f"{name!r} is not a column: the columns are {', '.join(COLUMNS)}")
    return names


def _check_options(options: argparse.Namespace) -> None:
    """Refuse options that would have no effect on the output."""
    shape = options.format
    useless = [
        ("--columns", options.columns and (shape not in _SHEETS or options.by == "op")),
        ("--sort", options.sort and (shape not in _SHEETS or options.by == "op")),
        ("--by op", options.by == "op" and shape not in _SHEETS),
        ("--no-fold", options.no_fold and shape not in ("table", "tree", "csv", "markdown")),
        ("--depth", options.depth and shape in ("html", "tensorboard")),
        ("--explain", options.explain and shape != "table"),
        ("--compact", options.compact and shape != "json"),
        ("--width", options.width and shape not in ("table", "tree", "summary")),
        ("--color", options.color and shape not in ("table", "tree", "summary")),
    ]
    for name, is_useless in useless:
        if is_useless:
            raise CutawayError(
                f"{name} has no effect with --format {shape}" + (" and --by op" if options.by == "op" else "")
            )


def _run(options: argparse.Namespace) -> int:
    _check_options(options)
    if len(options.target) > 1:
        return _run_several(options)
    (options.target,) = options.target
    if os.path.isdir(options.target) and not options.live:
        from cutaway._api import network_files  # late: only a folder needs it

        paths = network_files(options.target)
        if paths is not None:
            return _list_networks(options, paths)
    networks = architectures(options, options.target)
    if options.format == "tensorboard":
        _write_events(networks, options)
    else:
        write(_render(networks, options), options.output, _terminal(options).colour)
    return exit_code(options, networks)


def _run_several(options: argparse.Namespace) -> int:
    """Show the networks of several targets; as a table, each is a row."""
    networks = [network for target in options.target for network in architectures(options, target)]
    if options.format == "tensorboard":
        raise CutawayError("--format tensorboard names one network")
    if (
        options.format in _SHEETS
        and options.by == "module"
        and not (options.columns or options.sort or options.explain)
    ):
        from cutaway.report import sheet  # late: only several targets need it

        write(_sheets([("", sheet.overview(networks))], options), options.output)
    else:
        write(_render(networks, options), options.output, _terminal(options).colour)
    return exit_code(options, networks)


def _sheets(sheets: Sequence[tuple[str, Any]], options: argparse.Namespace) -> str:
    """Return tables in the form that is asked for."""
    if options.format in ("csv", "markdown"):
        text: str = import_module(f"cutaway.report.{options.format}").render(sheets)
        return text
    from cutaway.report import sheet  # late: only tables of operations and of several targets need it

    seen = _terminal(options)
    return "\n".join((f"{name}\n\n" if name else "") + sheet.text(each, seen) for name, each in sheets)


def _terminal(options: argparse.Namespace) -> Any:
    """Return what the output is written to."""
    from cutaway.report import terminal  # late: JSON needs no terminal

    seen = terminal.detect(sys.stdout)
    colour = seen.colour and not options.output if options.color is None else options.color
    return terminal.Terminal(options.width or seen.width, colour, seen.unicode or bool(options.output))


def _list_networks(options: argparse.Namespace, paths: Sequence[str]) -> int:
    """List the networks of a repository."""
    # late: only a repository needs them
    from cutaway.commands.repository import read_files, saved_files
    from cutaway.report import listing

    if not paths:
        saved = saved_files(options.target)
        rest = f"but it has saved files; name one, such as {saved[0]}" if saved else "and it has no config.json"
        raise CutawayError(f"{options.target}: no file in it defines a network, {rest}")
    files = read_files(options, paths)
    networks = [network for file in files for network in file.networks]
    if options.format == "table" and not options.explain:
        write(listing.render(options.target, files), options.output)
    else:
        write(_render(networks, options), options.output, _terminal(options).colour)
    return exit_code(options, networks, otherwise=0 if networks else CutawayError.exit_code)


def _write_events(networks: Any, options: argparse.Namespace) -> None:
    """Write an event file; into a folder, under a name that TensorBoard looks for."""
    from cutaway.formats import tensorboard  # late: only this output form needs it

    if options.output is None or len(networks) != 1:
        what = "names one network" if options.output else "needs --output: a folder of runs, or a file"
        raise CutawayError(f"{options.target}: --format tensorboard {what}")
    write(tensorboard.write(networks[0]), _destination(options))


def _destination(options: argparse.Namespace) -> str | None:
    """Return where the result is written to; in a folder, it gets a name that TensorBoard looks for."""
    path: str | None = options.output
    if options.format == "png":
        from cutaway.report import png  # late: only this output form needs it

        png.rasterizer()
        if path is None and sys.stdout.isatty():
            raise CutawayError("--format png needs --output, because a terminal can't show it")
    if path is None or options.format != "tensorboard" or not os.path.isdir(path):
        return path
    return os.path.join(path, f"events.out.tfevents.{int(time.time())}.cutaway")


def _render(networks: Any, options: argparse.Namespace) -> str | bytes:
    if options.format == "json":
        from cutaway.report import json  # late: only this output form needs it

        return json.dumps(networks, compact=options.compact, depth=options.depth)
    if options.format == "html":
        from cutaway.report import page  # late: only this output form needs it

        return page.render(networks)
    if options.format in _PICTURES:
        picture = import_module(f"cutaway.report.{options.format}")
        drawn: str | bytes = picture.render(networks, depth=options.depth)
        return drawn
    if options.by == "op" or options.format in ("csv", "markdown"):
        from cutaway.report import sheet  # late: only these output forms need it

        sizes: dict[str, int] | None = {} if options.format == "csv" else None  # programs get formulas

        def rows(network: Any) -> Any:
            if options.by == "op":
                return sheet.operations(network, sizes)
            return sheet.modules(
                network,
                columns=options.columns,
                sort=options.sort,
                depth=options.depth,
                fold=not options.no_fold,
                sizes=sizes,
            )

        return _sheets([(network.name, rows(network)) for network in networks], options)
    seen = _terminal(options)
    if options.explain:
        from cutaway.report import causes  # late: only --explain needs it

        return causes.render(networks, width=seen.width, colour=seen.colour, unicode=seen.unicode)
    form = import_module(f"cutaway.report.{options.format}")
    more = {"columns": options.columns, "sort": options.sort} if options.format == "table" else {}
    text: str = form.render(
        networks,
        width=seen.width,
        colour=seen.colour,
        unicode=seen.unicode,
        depth=options.depth,
        fold=not options.no_fold,
        **more,
    )
    return text


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of levels: give 1 or more")
    return int(text)


def _width(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of columns: give 1 or more")
    return int(text)
