"""The command `tt-model-analysis`."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Sequence
from typing import Any

from cutaway.core.error import CutawayError, internal
from cutaway.passes.unique_modules import FULL, KEYS
from cutaway.report.inventory import IDS, NUMBERED, Origin

MODULES, OPS = "unique_modules.json", "pytorch_ops.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write both files and return the exit code: 0 written, 2 it could not be done."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except CutawayError as error:
        print(f"tt-model-analysis: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("tt-model-analysis: interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        if os.environ.get("CUTAWAY_DEBUG"):
            raise
        print(f"tt-model-analysis: {internal(error)}", file=sys.stderr)
    return 2


def entry() -> None:
    """Run as a program of its own."""
    sys.exit(main())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tt-model-analysis",
        description="Extract the unique modules and operations of a PyTorch network.",
        epilog="exit code: 0 if both files were written, 2 on error (neither file is written)",
    )
    where = "as file.py::function_name"
    parser.add_argument(
        "--model-path", required=True, metavar="FILE::FN", help=f"the function that returns the network, {where}"
    )
    parser.add_argument(
        "--inputs-path", required=True, metavar="FILE::FN", help=f"the function that returns its inputs, {where}"
    )
    parser.add_argument("--dir", metavar="DIR", help="output directory (default: ./<ModelClassName>/)")
    parser.add_argument("--static", action="store_true", help="read both functions from source; run nothing")
    parser.add_argument("--key", choices=KEYS, default=FULL, help="when modules count as the same (default: full)")
    parser.add_argument(
        "--ids",
        choices=IDS,
        default=NUMBERED,
        help="numbered: mod_004, (root); named: mod_004_conv1, full_model (default: numbered)",
    )
    return parser


def _run(options: argparse.Namespace) -> int:
    from cutaway.commands.output import write
    from model_analysis.extract import modules_of, ops_of

    for text, option in ((options.model_path, "--model-path"), (options.inputs_path, "--inputs-path")):
        _check(text, option)
    started = time.monotonic()
    architecture = _static(options) if options.static else _live(options)
    _tell("collecting unique modules and operations")
    file, _, function = options.model_path.partition("::")
    origin = Origin(f"{file}:{function}", function, "static" if options.static else "live")
    modules = modules_of(architecture, origin, key=options.key, ids=options.ids)
    ops = ops_of(architecture, modules, MODULES)
    folder = options.dir or os.path.join(".", _folder_name(modules["metadata"]["model_class"]))
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise CutawayError(f"{folder}: the directory can't be created ({error.strerror})") from None
    _save_both(folder, modules, ops, write)
    counts = modules["metadata"]
    print(f"{counts['unique_modules']} unique modules of {counts['total_modules']}: {os.path.join(folder, MODULES)}")
    counts = ops["metadata"]
    print(f"{counts['unique_ops']} unique operations of {counts['total_ops']}: {os.path.join(folder, OPS)}")
    _tell(f"done in {time.monotonic() - started:.1f} s")
    return 0


def _folder_name(title: str) -> str:
    """Return the name of a class as the name of a folder: a program may give its class any name, a path too."""
    name = re.sub(r"[^\w-]", "_", title)[:100]
    return name if name.strip("_") else "model"


def _check(text: str, option: str) -> None:
    file, separator, function = text.partition("::")
    if not separator or not file or not function.isidentifier():
        raise CutawayError(f"{option} {text}: write it as file.py::function_name")
    if not os.path.isfile(file):
        raise CutawayError(f"{option} {text}: file {file} does not exist")


def _static(options: argparse.Namespace) -> Any:
    from cutaway._api import show

    _tell(f"reading {options.model_path} without running it")
    (architecture,) = show(options.model_path, arguments=options.inputs_path)
    if architecture.diagnostics:
        fault = architecture.diagnostics[0]
        notes = "".join(f"\n  {note.text}" for note in fault.notes)
        raise CutawayError(f"{options.model_path}: the network fails at {fault.place}: {fault.message}{notes}")
    for note in architecture.unknowns:
        _tell(f"unknown: {note.text}" + (f" ({note.place})" if note.place else ""))
    return architecture


def _live(options: argparse.Namespace) -> Any:
    from cutaway.syntax.target import parse_target

    try:
        from cutaway.live import torch_inspection  # noqa: F401 - it needs the framework
        from cutaway.live.load import function, imported
    except ModuleNotFoundError as error:
        raise CutawayError(f"{error.name} is not installed: pip install 'cutaway[live]', or pass --static") from None
    from model_analysis.extract import observed

    model, inputs = parse_target(options.model_path), parse_target(options.inputs_path)
    _tell(f"running the code of {options.model_path} and {options.inputs_path}")
    with imported(model) as home:
        load_fn = function(home, model.expression, options.model_path)
        if inputs.file == model.file:
            return observed(load_fn, function(home, inputs.expression, options.inputs_path), _tell)
        with imported(inputs) as other:
            return observed(load_fn, function(other, inputs.expression, options.inputs_path), _tell)


def _save_both(folder: str, modules: dict[str, Any], ops: dict[str, Any], write: Any) -> None:
    from cutaway.report.inventory import dumps

    paths = [os.path.join(folder, name) for name in (MODULES, OPS)]
    texts = [dumps(document) + "\n" for document in (modules, ops)]
    kept = [_content(path) for path in paths]
    try:
        for path, text in zip(paths, texts):
            write(text, path)
    except BaseException:
        for path, content in zip(paths, kept):  # neither is left half done
            if content is None and os.path.exists(path):
                os.unlink(path)
            elif content is not None:
                write(content, path)
        raise


def _content(path: str) -> bytes | None:
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def _tell(text: str) -> None:
    print(f"tt-model-analysis: {text}", file=sys.stderr, flush=True)
