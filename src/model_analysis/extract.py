"""`extract_unique_modules` and `extract_pytorch_ops`: from functions that make a network and its inputs to files."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from cutaway.commands.output import write
from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError
from cutaway.knowledge.torch import public_names
from cutaway.passes.cost import with_totals
from cutaway.passes.unique_modules import FULL
from cutaway.report.inventory import NUMBERED, Origin, dumps, modules_document, ops_document

Loader = Callable[[], Any]
Progress = Callable[[str], None]


def extract_unique_modules(
    load_fn: Loader,
    get_sample_input: Loader,
    output_path: str | os.PathLike[str] | None = "unique_modules.json",
    *,
    key: str = FULL,
    ids: str = NUMBERED,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Run a network on its sample input and return its unique modules; they are written to `output_path` too.

    Args:
        load_fn: returns the network.
        get_sample_input: returns one tensor, a tuple or list of positional arguments, or a dict of keyword arguments.
        output_path: the file to write, whole or not at all; None for none.
        key: "full" merges only what is the same in everything; "tt" merges by class, shapes and a few attributes.
        ids: "numbered" for `mod_004` and `(root)`, "named" for `mod_004_conv1` and `full_model`.
        progress: is told what is being done.
    """
    architecture = observed(load_fn, get_sample_input, progress)
    document = modules_of(architecture, origin_of(load_fn), key=key, ids=ids)
    save(document, output_path)
    return document


def extract_pytorch_ops(
    modules_json_path: str | os.PathLike[str],
    load_fn: Loader,
    get_sample_input: Loader,
    output_path: str | os.PathLike[str] | None = "pytorch_ops.json",
    *,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Run a network and return its unique operations, by the modules that were extracted before; see above."""
    modules = read_modules(modules_json_path)
    architecture = observed(load_fn, get_sample_input, progress)
    document = ops_of(architecture, modules, os.fspath(modules_json_path))
    save(document, output_path)
    return document


def modules_of(architecture: Architecture, origin: Origin, *, key: str = FULL, ids: str = NUMBERED) -> dict[str, Any]:
    """Return the document of unique modules."""
    return modules_document(architecture, origin, key=key, ids=ids, expand=public_names.as_attributes)


def ops_of(architecture: Architecture, modules: dict[str, Any], source: str) -> dict[str, Any]:
    """Return the document of unique operations; `source` is the file of the modules."""
    public_names.load()
    try:
        return ops_document(architecture, modules, source=os.path.basename(source), public=public_names.public_name)
    except (KeyError, TypeError, ValueError) as error:
        raise CutawayError(f"{source}: it is no list of this network's modules ({error})") from None


def observed(load_fn: Loader, get_sample_input: Loader, progress: Progress | None = None) -> Architecture:
    """Make a network and its input, call it, and return what is seen; what fails is raised with the user's traceback."""
    from cutaway.live.construction import observed as constructions
    from cutaway.live.failure import LiveError, failed
    from cutaway.live.framework_detection import TORCH, framework_of
    from cutaway.live.load import as_network, called
    from cutaway.live.restore import undisturbed
    from cutaway.live.show import as_arguments
    from cutaway.live.torch_inspection import inspected

    tell = progress or (lambda _text: None)
    location = origin_of(load_fn).location
    with undisturbed():
        tell("making the network")
        with constructions():
            network = as_network(called(load_fn, location), location)
        if framework_of(network) != TORCH:
            raise LiveError(f"{location}: it gives a {type(network).__name__} of Keras, not a torch.nn.Module")
        tell("making the inputs")
        given = origin_of(get_sample_input).location
        arguments = as_arguments(called(get_sample_input, given), given)
        tell(f"running {type(network).__name__}, {sum(1 for _ in network.modules())} modules")
        architecture, error = inspected(network, arguments, name=type(network).__name__, target=location)
    if error is not None:
        fault = architecture.diagnostics[-1]
        where = "; ".join(note.text for note in fault.notes)
        raise failed(f"{type(network).__name__}, {where}, on what {given} gives,", error) from error
    return with_totals(architecture)


def origin_of(load_fn: Loader, source: str = "live") -> Origin:
    """Return where a function is: its file, as the user would write it, and its name."""
    name = getattr(load_fn, "__name__", type(load_fn).__name__)
    file = "<unknown>"
    with suppress(TypeError):
        file = inspect.getsourcefile(inspect.unwrap(load_fn)) or file
        near = os.path.relpath(file)
        file = file if near.startswith("..") else near
    return Origin(f"{file}:{name}", name, source)


def read_modules(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a file of unique modules, in either dialect of ids."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        if not all({"id", "class_name", "occurrences"} <= record.keys() for record in document["modules"]):
            raise KeyError("modules")
    except OSError as error:
        raise CutawayError(f"{os.fspath(path)}: can't be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CutawayError(f"{os.fspath(path)}: it is no file of unique modules") from None
    return dict(document)


def save(document: dict[str, Any], path: str | os.PathLike[str] | None) -> None:
    """Write a document to a file, whole or not at all."""
    if path is not None:
        write(dumps(document) + "\n", os.fspath(path))
