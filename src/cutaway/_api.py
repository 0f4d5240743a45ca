"""The public functions that `cutaway/__init__.py` exports."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cutaway.core import disk
from cutaway.core.architecture import Architecture, Note, OtherMode, depending_on
from cutaway.core.condition import IS_TRAINING
from cutaway.core.error import CutawayError, describe_error, internal, place_of
from cutaway.core.import_path import WithoutWorkingFolder
from cutaway.core.record import dataclass, replace
from cutaway.core.size.dim import symbols
from cutaway.core.unknown import Exhausted, Undecidable
from cutaway.interp.analysis.options import Options
from cutaway.isolation.channel import CHANNEL
from cutaway.limits import analysis_seconds, interrupted_after
from cutaway.passes.cost import with_totals
from cutaway.syntax.inputs import Input, given_inputs, with_numbers
from cutaway.syntax.target import OptionError, Target, parse_assumption, parse_target

if TYPE_CHECKING:
    from cutaway.core.variant import Folded, Variant
    from cutaway.formats.description import Description
    from cutaway.hub.folder import Folder
    from cutaway.hub.pipeline import Component
    from cutaway.report.model_summary import Summary
    from cutaway.weight_search import Match


def show(
    target: str | os.PathLike[str],
    *,
    input: str | Iterable[str] | Iterable[int] | Mapping[str, Any] = (),
    set: Mapping[str, int] | None = None,
    path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    arguments: str | None = None,
    timeout: float | None = 120.0,
    live: bool = False,
    device: str | None = None,
    via: str = "calls",
    cache: bool = False,
    assume: str | Iterable[str] = (),
    train: bool | None = None,
    isolated: bool = True,
    argv: Iterable[str] | None = None,
) -> tuple[Architecture, ...]:
    """Return the networks that a target names, read from source without running it.

    Args:
        target: `model.py`, `model.py::Net`, `"model.py::make(3)"`, `package.module:Net`, a saved file, or `-`.
        input: forward's inputs, as `"1x3x224x224"`, `(1, 3, 224, 224)`, `["x=1x3x32x32", "mask=1x16:bool"]`, or values by the names of
            arguments: `{"batch": {"image": "1x3x32x32"}, "n": 3}`.
        set: numbers in place of named sizes: `{"H": 224, "W": 224}`.
        path: folders in which imports are looked for first.
        arguments: a target whose value forward is called with instead: one tensor, a tuple or list of them, or a
            dict of keyword arguments.
        timeout: seconds after which what is not yet known is reported as unknown.
        live: import and run the target's code instead, and read off the networks that it builds.
        device: where they are built and run then; on "meta" they take no memory.
        assume: values of arguments that are not given, and whether conditions hold: `["use_dropout=True", "width=64"]`.
        train: show them in training mode (True) or in evaluation mode (False), whatever the program says. Where it is not
            given, a mode that the program sets is kept, and evaluation is assumed otherwise.
        argv: the arguments that the program is started with, `["--arch", "resnet18"]`; none, if they are not given.
        via: how their operations are observed then: "calls" of the API, "export", "onnx", or "hooks", which see none.
        cache: store a result that took long on disk, and reuse it while nothing that it depends on has changed.
        isolated: analyse in a process of its own that the system keeps from doing harm. Without it, a flaw in Cutaway
            that a hostile target exploits is one in your process, and only `timeout` bounds what a target takes.

    Raises:
        CutawayError: if the target can't be analysed at all; the message says why.
    """
    target = os.fspath(target)
    reading: dict[str, Any] = {
        "input": as_inputs(input),
        "set": set,
        "path": os.fspath(path) if isinstance(path, (str, os.PathLike)) else tuple(map(os.fspath, path)),
        "arguments": arguments,
        "assume": assume if isinstance(assume, str) else tuple(assume),
        "train": train,
        "argv": None if argv is None else tuple(argv),
        "stdin": sys.stdin.buffer.read() if target == "-" or target.startswith("-::") else None,
    }
    if live:
        return _show_live(request_of(target, **reading), device, via)
    with WithoutWorkingFolder():
        reading["timeout"] = timeout
        if isolated:
            return _show_isolated(target, reading, cache)
        if CHANNEL.is_open:  # this process ends with it
            return show_here(request_of(target, **reading), cache)
        from cutaway.interp.analysis.abstract_classes import restored  # late: it loads the boundary

        with restored():
            return show_here(request_of(target, **reading), cache)


def as_inputs(input: Any) -> str | tuple[str, ...] | Mapping[str, Any]:
    """Return inputs as they are written on the command line; a tuple of sizes is one, and may be an item of several."""
    if isinstance(input, (str, Mapping)):
        return input
    items = tuple(input)
    if items and all(isinstance(size, int) for size in items):
        return "x".join(map(str, items))
    return tuple(item if isinstance(item, str) else "x".join(map(str, item)) for item in items)


def summary(
    model: Any,
    input_size: Sequence[int] | Sequence[Sequence[int]] | None = None,
    input_data: Any = None,
    *,
    depth: int | None = 3,
    col_names: Sequence[str] = ("output", "params", "macs"),
    verbose: int = 1,
    **options: Any,
) -> Summary:
    """Print and return a table of a running network, or of a target that is read without running it.

    Args:
        model: a network of PyTorch or Keras, which is called once, or a target as `show` takes it.
        input_size: the shape of its input, or a list of shapes.
        input_data: what a running network is called with: a tensor, a list or tuple of arguments, or a dict of keyword
            arguments.
        depth: how many levels of modules are listed.
        col_names: the columns, under the names of `cutaway show --columns` or of torchinfo.
        verbose: 0 does not print.
        options: more arguments of `show`, for a target.
    """
    # late: they load the reports
    from cutaway.report.columns import COLUMNS
    from cutaway.report.model_summary import NAMES, Summary

    for name in col_names:
        if NAMES.get(name, name) not in COLUMNS:
            raise CutawayError(f"{name!r} is not a column: the columns are {', '.join((*COLUMNS, *NAMES))}")
    several = input_size is not None and any(not isinstance(size, int) for size in input_size)
    shapes: list[Any] = [] if input_size is None else list(input_size) if several else [input_size]
    if isinstance(model, (str, os.PathLike)):
        if input_data is not None:
            raise CutawayError("input_data is for a running network; give a target input_size, or input=...")
        networks = show(model, **{"input": shapes, **options})
    else:
        networks = (_observe_with(model, shapes, input_data),)
    made = Summary(networks, col_names, depth)
    if verbose:
        print(made)
    return made


def _observe_with(model: Any, shapes: Sequence[Sequence[int]], input_data: Any) -> Architecture:
    if input_data is None and shapes:
        from cutaway.live.example_inputs import zeros  # late: it imports the framework

        return observe(model, *(zeros(model, shape) for shape in shapes))
    if isinstance(input_data, Mapping):
        return observe(model, **input_data)
    if isinstance(input_data, (list, tuple)):
        return observe(model, *input_data)
    return observe(model) if input_data is None else observe(model, input_data)


@dataclass(frozen=True, slots=True)
class _Request:
    """What is asked: a target, how it is analysed, and numbers that replace symbols in the result."""

    target: str
    options: Options
    values: Mapping[str, int]
    symbolic_inputs: tuple[Input, ...]
    timeout: float | None = None


def request_of(
    target: str,
    *,
    input: str | Iterable[str] | Mapping[str, Any],
    set: Mapping[str, int] | None,
    path: str | Iterable[str],
    arguments: str | None,
    assume: str | Iterable[str],
    train: bool | None,
    argv: Iterable[str] | None = None,
    stdin: bytes | None = None,
    timeout: float | None = None,
) -> _Request:
    symbolic_inputs = given_inputs(input)
    assumed = dict(parse_assumption(text) for text in ([assume] if isinstance(assume, str) else assume))
    train = _asked_mode(target, assumed, train)
    options = Options(
        paths=(path,) if isinstance(path, str) else tuple(path),
        inputs=tuple(with_numbers(each, set or {}) for each in symbolic_inputs),
        seconds=analysis_seconds(timeout),
        stdin=stdin,
        arguments=None if arguments is None else parse_target(arguments),
        assumed=assumed,
        train=train,
        argv=None if argv is None else tuple(argv),
    )
    return _Request(target, options, dict(set or {}), tuple(symbolic_inputs), timeout)


def cache_entry(target: str, **reading: Any) -> str | None:
    """Return the file that a result would be cached in, None where it is not: standard input is not read twice."""
    if target == "-" or target.startswith("-::"):
        return None
    from cutaway import cache  # late: --no-cache needs none of it

    return cache.entry_path(cache.key(target, request_of(target, **reading).options))


def show_here(request: _Request, cache: bool) -> tuple[Architecture, ...]:
    """Analyse in this process."""
    target, options = request.target, request.options
    try:
        with interrupted_after(request.timeout):
            architectures = _read_saved(target, options)
            if architectures is None:
                architectures = _cached(target, options) if cache else _analyse_recorded(target, options)[0]
            return _with_values(architectures, request.values, request.symbolic_inputs)
    except CutawayError:
        raise
    except (Undecidable, Exhausted) as undecidable:
        raise CutawayError(f"{target}: {undecidable.unknown.reason}") from None
    except MemoryError:
        raise CutawayError(f"{target}: there is not enough memory to analyse it") from None
    except Exception as error:
        if (place := place_of(error)) is not None:  # of a special method that Cutaway has not expected to be called
            raise CutawayError(f"{place}: the code raises {describe_error(error)}, which ends the analysis") from error
        if isinstance(error, OSError) and error.strerror:  # of a device, or of a disk that fails
            raise CutawayError(f"{target}: a file can't be read ({error.strerror})") from error
        raise internal(error) from error
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and not CHANNEL.sealed:
            raise  # it may be the user's
        raise CutawayError(f"{target}: its code raises {describe_error(error)}, which ends it") from None


def _show_isolated(target: str, reading: dict[str, Any], cache: bool) -> tuple[Architecture, ...]:
    """Analyse in a process of its own; what that returns is read as data."""
    # late: an analysis in this process needs none of it
    from cutaway.isolation.call import call
    from cutaway.report.json import MalformedDocument, loads

    result = call(_show_behind_the_wall, target, reading, cache, seconds=reading["timeout"])
    try:
        return loads(result)
    except (MalformedDocument, RecursionError) as error:
        raise CutawayError(f"{target}: the analysis returned something else than a result ({error})") from None


def _show_behind_the_wall(target: str, reading: dict[str, Any], cache: bool) -> bytes:
    """Be the child: raise the wall, analyse, and return the result as text."""
    # late: only a child needs them
    from cutaway.isolation import child
    from cutaway.isolation.readable import rights
    from cutaway.report.json import dumps_briefly

    request = request_of(target, **reading)
    entry = cache_entry(target, **reading) if cache else None
    if entry is not None:
        CHANNEL.name_entry(entry)
    named = [target] if reading["arguments"] is None else [target, reading["arguments"]]
    child.enter(rights(named, request.options.paths, CHANNEL.entries), reading["timeout"])
    return dumps_briefly(show_here(request, cache)).encode()


def _asked_mode(target: str, assumed: dict[str, Any], train: bool | None) -> bool | None:
    """Return the mode that the user asks for; an assumption about it is no other way to decide a condition."""
    if IS_TRAINING not in assumed:
        return train
    asked = assumed.pop(IS_TRAINING)
    if type(asked) is not bool or train not in (None, asked):
        raise CutawayError(f"{target}: {IS_TRAINING} is assumed to be {asked}: use --train or --eval instead")
    return asked


def _with_values(
    architectures: Sequence[Architecture], values: Mapping[str, int], inputs: Iterable[Input]
) -> tuple[Architecture, ...]:
    """Replace the remaining symbols by numbers; each name has to be that of a size."""
    if not values:
        return tuple(architectures)
    from cutaway.passes.substitute import evaluate, names  # late: only where symbols are given numbers

    known = {
        symbol.name for each in inputs for tensor in each.tensors() for size in tensor.shape for symbol in symbols(size)
    }
    remaining = {name for architecture in architectures for name in names(architecture)}
    for name, value in values.items():
        if name not in known | remaining:
            known_names = ", ".join(sorted(known | remaining))
            alternatives = f"the names of sizes are {known_names}" if known_names else "no size has a name"
            raise CutawayError(f"--set {name}={value}: no size has that name; {alternatives}")
    return (
        tuple(evaluate(architecture, values) for architecture in architectures)
        if remaining & values.keys()
        else tuple(architectures)
    )


def _analyse_recorded(target: str, options: Options) -> tuple[tuple[Architecture, ...], disk.Recording]:
    with disk.recorded() as recording:
        return tuple(with_totals(architecture) for architecture in _analyse(target, options)), recording


def _cached(target: str, options: Options) -> tuple[Architecture, ...]:
    """Return the cached result; analyse and store it where there is none."""
    from cutaway import cache  # late: --no-cache needs none of it

    key = cache.key(target, options)
    architectures = cache.find(key)
    if architectures is None:
        started = time.process_time()
        architectures, recording = _analyse_recorded(target, options)
        if time.process_time() - started > cache.MIN_SECONDS:
            cache.store(key, recording, architectures)
    return architectures


def _read_saved(target: str, options: Options) -> tuple[Architecture, ...] | None:
    """Return the networks of a saved file; None where the target is not one. It is not cached: reading takes little."""
    path = target.partition("::")[0]
    if path.endswith(".py") or not os.path.exists(path):
        return None
    # late: programs need none of the formats
    from cutaway import saved_program
    from cutaway.formats import dispatch

    programs = saved_program.read(target, options, _analysed)
    networks = dispatch.read(target) if programs is None else programs
    if networks is None:
        return None
    if programs is None:
        networks = [_of_source(each, options) if isinstance(each, Architecture) else each for each in networks]
    described = [each if isinstance(each, Architecture) else _analyse_description(each, options) for each in networks]
    return tuple(with_totals(architecture) for architecture in described)


def _analysed(program: Target, options: Options) -> list[Architecture]:
    """Interpret a program, with its open conditions folded into one network."""
    from cutaway.interp.analysis.pipeline import analyse  # late: a graph is read without the interpreter

    return analyse(program, options, _fold, _other_mode, _known_share)


def _of_source(network: Architecture, options: Options) -> Architecture:
    """Return a file's network as the source has it, if there are folders of that, else as it was saved."""
    from cutaway import saved_program  # late: programs need none of the formats

    found = saved_program.with_source(network, options, network_files, _analysed) if options.paths else network
    return _with_unused(found, options) if found is network or not found.ops else found


def _with_unused(network: Architecture, options: Options) -> Architecture:
    """Note the options that say how a program is called: a file that has none is shown as it was saved."""
    given = {"--input": options.inputs, "--arguments": options.arguments, "--assume": options.assumed}
    notes = [Note(f"{name} has no effect: the file is shown as it was saved") for name, value in given.items() if value]
    return replace(network, assumptions=(*network.assumptions, *notes)) if notes else network


def _analyse_description(description: Description, options: Options) -> Architecture:
    """Interpret the configuration in a file; its weights are those that the file has."""
    # late: only files with a configuration need them
    from cutaway.formats.stored_weights import KEEPS_SHAPES, confirms_kept_shapes, with_stored, without_forward
    from cutaway.hub.keras_program import target as configuration_target

    named = description.target, description.path, description.text, description.config, options.paths
    try:
        (architecture,) = _analysed(configuration_target(*named), options)
        lost = not all(value.shape for value in architecture.outputs) or not architecture.outputs
        if lost and any("Lambda" in note.text for note in architecture.unknowns):
            (other,) = _analysed(configuration_target(*named, keeps_shapes=True), options)
            if confirms_kept_shapes(other, description):
                other = replace(other, assumptions=(*other.assumptions, Note(KEEPS_SHAPES)))
                architecture = depending_on(other, KEEPS_SHAPES)
    except OptionError:
        raise
    except CutawayError as error:
        architecture = without_forward(description, str(error))
    return with_stored(architecture, description)


def network_files(folder: str) -> list[str] | None:
    """Return the files of a repository that may define networks or build some; None where a folder is another target."""
    # late: only a folder needs them
    from cutaway.formats.dispatch import is_saved
    from cutaway.hub.folder import find
    from cutaway.knowledge.base.framework_names import MENTION
    from cutaway.syntax.repository import network_files as files_of

    is_repository = os.path.isdir(folder) and find(folder) is None and not is_saved(folder)
    return files_of(folder, MENTION) if is_repository else None


def fit(weights: str, place: str, *, path: Iterable[str] = (), timeout: float | None = 120.0) -> list[Match]:
    """Return the classes in a file or folder that weights may belong to, with their arguments, the best first."""
    from cutaway.weight_search import matches  # late: only this needs it

    seconds = 60.0 if timeout is None else timeout * 0.8
    (file, *others) = show(weights, isolated=False)
    if others:
        names = ", ".join(each.name for each in (file, *others)[:8])
        raise CutawayError(f"{weights}: there are {len(others) + 1} networks in it; name one of {names}")
    files = (network_files(place) or []) if os.path.isdir(place) else [place]
    return matches(file, files, Options(paths=tuple(path), seconds=seconds, call=False))


def _analyse(text: str, options: Options) -> list[Architecture]:
    """Analyse a program, or a model folder from the hub."""
    folder = None
    if os.path.isdir(text) or text.endswith(".json"):
        # late: only a folder from the hub needs them
        from cutaway.hub.folder import PIPELINE, find
        from cutaway.hub.program import target as folder_target

        folder = find(text)
    if folder is None and text.endswith(".json") and os.path.isfile(text):
        raise CutawayError(f"{text}: it is JSON that does not describe a network of a known kind")
    if folder is None:
        return _analysed(parse_target(text), options)
    if folder.name == PIPELINE:
        return [_analyse_pipeline(folder, options)]
    return _analysed(folder_target(folder, options.paths), options)


def _fold(variants: Sequence[Variant], failed: Sequence[Mapping[str, bool]]) -> Folded:
    from cutaway.passes.variants import fold  # late: only networks with variants need it

    return fold(variants, failed)


def _other_mode(shown: Architecture, other: Architecture) -> OtherMode:
    from cutaway.passes.modes import other_mode  # late: only networks that test their mode need it

    return other_mode(shown, other)


def _known_share(architecture: Architecture) -> float:
    from cutaway.passes.provenance import Provenance  # late: only networks with missing arguments need it

    return Provenance(architecture).counted().share


def _analyse_pipeline(folder: Folder, options: Options) -> Architecture:
    """Analyse each network of a pipeline; one that can't be shown is noted, unless none can."""
    # late: only a pipeline needs it
    from cutaway.hub.pipeline import combine, components
    from cutaway.hub.program import target as folder_target
    from cutaway.interp.analysis.pipeline import analyse

    if options.inputs:
        raise CutawayError(
            f"{folder.text}: is a pipeline of several networks; give --input to one of them, such as {folder.text}/unet"
        )
    deadline = None if options.seconds is None else time.monotonic() + options.seconds
    parts: list[tuple[Component, Architecture | str]] = []
    errors: list[CutawayError] = []
    for component in components(folder):
        result: Architecture | str = ""
        if component.folder is not None:
            seconds_left = None if deadline is None else max(1.0, deadline - time.monotonic())
            try:
                bounded = replace(options, seconds=seconds_left)
                (result,) = analyse(folder_target(component.folder, options.paths), bounded)
            except CutawayError as error:
                errors.append(error)
                result = str(error)
        parts.append((component, result))
    if errors and not any(isinstance(result, Architecture) for _, result in parts):
        raise errors[0]
    return combine(folder, parts)


def observe(network: Any, *args: Any, **kwargs: Any) -> Architecture:
    """Call a running network and return its description and what the call does; the network is left as it was.

    Without arguments it is not called. A call that raises gives everything up to that point, and a diagnostic.
    """
    # late: they import the framework
    from cutaway.live import framework_detection
    from cutaway.live.arguments import Arguments

    arguments = Arguments(args, kwargs) if args or kwargs else None
    if framework_detection.framework_of(network) == framework_detection.KERAS:
        from cutaway.live import keras_inspection  # late: it imports Keras

        return with_totals(keras_inspection.inspected(network, arguments)[0])
    from cutaway.live.torch_inspection import inspected  # late: it imports PyTorch

    return with_totals(inspected(network, arguments)[0])


def _show_live(request: _Request, device: str | None, via: str) -> tuple[Architecture, ...]:
    if os.path.isdir(request.target):
        raise CutawayError(f"{request.target}: a folder is read, not run; omit --live, or name a program that loads it")
    from cutaway.formats import dispatch  # late: Python files that are analysed need none of it

    if dispatch.is_saved(request.target):
        raise CutawayError(f"{request.target}: a saved file is read; it contains no code to run")
    target = parse_target(request.target)
    try:
        from cutaway.live.show import show as show_live  # late: it imports the framework
    except ModuleNotFoundError as error:
        raise CutawayError(f"--live needs {error.name} installed: pip install 'cutaway[live]'") from None
    options = request.options
    if options.argv is not None:
        sys.argv[1:] = options.argv
    architectures = show_live(
        target,
        inputs=options.inputs,
        arguments=options.arguments,
        paths=options.paths,
        device=device,
        stdin=options.stdin,
        via=via,
        train=options.train,
    )
    shown = tuple(with_totals(architecture) for architecture in architectures)
    return _with_values(shown, request.values, request.symbolic_inputs)
