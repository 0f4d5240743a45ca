"""`cutaway memory`: whether a network fits, to run it and to train it."""

from __future__ import annotations

import argparse
import copy
import json
from typing import Any

from cutaway.commands.options import add_output, add_target, architectures, only
from cutaway.commands.output import exit_code, write
from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError

_DTYPES = ("fp32", "bf16", "fp16", "int8", "int4")
_OPTIMIZERS = ("sgd", "momentum", "adam")


def add(commands: Any) -> None:
    """Enter the command into the parser."""
    memory = commands.add_parser(
        "memory",
        help="estimate the memory to run and to train a network",
        description="Estimate the memory that a network takes: weights, the activations that are alive at once, a cache of "
        "keys and values, and for training gradients, optimizer states and the activations kept for the backward pass.",
        epilog="exit code: 0 on success, 1 if the network has faults or, with --strict, unknowns, 2 on error",
    )
    add_target(memory)
    memory.add_argument("--dtype", choices=_DTYPES, help="one element type in detail (default: a row for each)")
    memory.add_argument("--optimizer", choices=_OPTIMIZERS, default="adam", help="default: adam")
    memory.add_argument(
        "--context", type=_tokens, metavar="TOKENS", help="add the cache of keys and values for so many tokens"
    )
    memory.add_argument("--format", choices=("table", "json"), default="table", help="default: table")
    add_output(memory)
    memory.set_defaults(run=_run)


def _tokens(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of tokens: give 1 or more")
    return int(text)


def _run(options: argparse.Namespace) -> int:
    # late: --help needs none of it
    from cutaway.passes.example_sizes import example_sizes
    from cutaway.passes.memory import cached_tokens, estimate
    from cutaway.report import memory_text

    running = only(architectures(options, options.target), options.target)
    sizes = example_sizes(running)
    if options.context is not None and cached_tokens(running, sizes) is None:
        raise CutawayError(f"{options.target}: --context needs scaled_dot_product_attention, which it does not call")
    trained = _in_training(options)
    names = [options.dtype] if options.dtype else _DTYPES
    rows = [
        estimate(running, trained, sizes, dtype=name, optimizer=options.optimizer, context=options.context)
        for name in names
    ]
    if options.format == "json":
        document = memory_text.document(running, rows, sizes, options.optimizer, options.context)
        text = json.dumps(document, indent=1) + "\n"
    else:
        text = memory_text.text(running, rows, sizes, options.optimizer, options.context)
    write(text, options.output)
    return exit_code(options, [running])


def _in_training(options: argparse.Namespace) -> Architecture | None:
    """Return the network in training mode; None where a target can't be shown so, such as a saved file."""
    if options.train is False:
        return None
    training = copy.copy(options)
    training.train = True
    try:
        return only(architectures(training, options.target), options.target)
    except CutawayError:
        return None
