"""The public functions, behind `cutaway/__init__.py`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cutaway.core import disk
from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError, internal
from cutaway.core.record import replace
from cutaway.core.size.dim import symbols
from cutaway.core.unknown import Exhausted, Undecidable
from cutaway.interp.analysis.pipeline import Options, analyse
from cutaway.passes.cost import with_totals
from cutaway.syntax.target import Input, Target, parse_assumption, parse_input, parse_target, with_numbers

if TYPE_CHECKING:
    from cutaway.core.variant import Folded, Variant
    from cutaway.hub.folder import Folder
    from cutaway.hub.pipeline import Component


def show(
    target: str,
    *,
    input: str | Iterable[str] = (),
    set: Mapping[str, int] | None = None,
    path: str | Iterable[str] = (),
    arguments: str | None = None,
    timeout: float | None = 120.0,
    live: bool = False,
    device: str | None = None,
    via: str = "calls",
    cache: bool = False,
    assume: str | Iterable[str] = (),
) -> tuple[Architecture, ...]:
    """Return the networks that a target names, read from source without running it.

    Args:
        target: `model.py`, `model.py::Net`, `"model.py::make(3)"`, `package.module:Net`, a saved file, or `-`.
        input: shapes of forward's inputs, as `"1x3x224x224"` or `["x=1x3x32x32", "mask=1x16:bool"]`.
        set: numbers in place of sizes that have names: `{"H": 224, "W": 224}`.
        path: folders in which imports are looked for first.
        arguments: a target whose value forward is called with instead: one tensor, a tuple or list of them, or a
            dict of keyword arguments.
        timeout: seconds after which what is not yet known is reported as unknown.
        live: import and run the target's code instead, and read off the networks that it makes.
        device: where they are built and run then; on "meta" they take no memory.
        assume: arguments that are not given, and whether conditions hold: `["use_dropout=True", "width=64"]`.
        via: how their operations are seen then: "calls" of the API, "export", "onnx", or "hooks", which see none.
        cache: keep a result that took long on disk, and give it back while nothing that it was made from has changed.

    Raises:
        CutawayError: if the target can't be analysed at all; the message says why.
    """
    texts = (input,) if isinstance(input, str) else tuple(input)
    named = tuple(parse_input(text) for text in texts)
    inputs = tuple(with_numbers(each, set or {}) for each in named)
    paths = (path,) if isinstance(path, str) else tuple(path)
    given = None if arguments is None else parse_target(arguments)
    stdin = sys.stdin.buffer.read() if target == "-" or target.startswith("-::") else None
    if live:
        if os.path.isdir(target):
            raise CutawayError(
                f"{target}: a folder is read, not run; leave out --live, or name a program that loads it"
            )
        from cutaway.formats import dispatch  # late: Python files that are analysed need none of it

        if dispatch.is_saved(target):
            raise CutawayError(f"{target}: a saved file is read; there is no code in it to run")
        found = _show_live(parse_target(target), inputs, paths, given, device, stdin, via)
        return _evaluated(found, set, named) if set else found
    assumed = dict(parse_assumption(text) for text in ([assume] if isinstance(assume, str) else assume))
    options = Options(paths=paths, inputs=inputs, seconds=timeout, stdin=stdin, arguments=given, assumed=assumed)
    try:
        saved = _saved(target)
        if saved is None:
            saved = _kept(target, options) if cache else _analysed(target, options)[0]
        return _evaluated(saved, set, named) if set else saved
    except CutawayError:
        raise
    except (Undecidable, Exhausted) as undecidable:
        raise CutawayError(f"{target}: {undecidable.unknown.reason}") from None
    except MemoryError:
        raise CutawayError(f"{target}: there is not enough memory to analyse it") from None
    except Exception as error:
        raise internal(error) from error


def _evaluated(
    found: Sequence[Architecture], values: Mapping[str, int], inputs: Iterable[Input]
) -> tuple[Architecture, ...]:
    """Put numbers in place of the symbols that are left; each of them has to be the name of a size."""
    from cutaway.passes.substitute import evaluate, names  # late: only where symbols are given numbers

    known = {symbol.name for each in inputs for size in each.shape for symbol in symbols(size)}
    left = {name for architecture in found for name in names(architecture)}
    for name, value in values.items():
        if name not in known | left:
            those = f"those that have one are {', '.join(sorted(known | left))}" if known | left else "none has one"
            raise CutawayError(f"--set {name}={value}: no size has that name; {those}")
    return tuple(evaluate(architecture, values) for architecture in found) if left & values.keys() else tuple(found)


def _analysed(target: str, options: Options) -> tuple[tuple[Architecture, ...], disk.Recording]:
    with disk.recorded() as recording:
        return tuple(with_totals(architecture) for architecture in _analyse(target, options)), recording


def _kept(target: str, options: Options) -> tuple[Architecture, ...]:
    """Return the result that was kept; make and keep it where there is none."""
    from cutaway import cache  # late: --no-cache needs none of it

    key = cache.key(target, options)
    found = cache.find(key)
    if found is None:
        started = time.process_time()
        found, recording = _analysed(target, options)
        if time.process_time() - started > cache.WORTH_SECONDS:
            cache.keep(key, recording, found)
    return found


def _saved(target: str) -> tuple[Architecture, ...] | None:
    """Return the networks of a saved file; None where a target is none. It is read anew each time: that takes little."""
    if target.partition("::")[0].endswith(".py"):
        return None
    from cutaway.formats import dispatch  # late: Python files need none of the formats

    found = dispatch.read(target)
    return None if found is None else tuple(with_totals(architecture) for architecture in found)


def _analyse(text: str, options: Options) -> list[Architecture]:
    """Analyse a program, or a folder as it comes from the hub."""
    folder = None
    if os.path.isdir(text) or text.endswith(".json"):
        # late: only a folder from the hub needs them
        from cutaway.hub.folder import PIPELINE, find
        from cutaway.hub.program import target as folder_target

        folder = find(text)
    if folder is None:
        return analyse(parse_target(text), options, _fold)
    if folder.name == PIPELINE:
        return [_analyse_pipeline(folder, options)]
    return analyse(folder_target(folder, options.paths), options, _fold)


def _fold(variants: Sequence[Variant]) -> Folded:
    from cutaway.passes.variants import fold  # late: only networks with variants need it

    return fold(variants)


def _analyse_pipeline(folder: Folder, options: Options) -> Architecture:
    """Analyse each network of a pipeline; one that can't be shown is remarked, unless it is none of them."""
    # late: only a pipeline needs them
    from cutaway.hub.pipeline import components, joined
    from cutaway.hub.program import target as folder_target

    if options.inputs:
        raise CutawayError(
            f"{folder.text}: is a pipeline of several networks; give --input to one, as {folder.text}/unet"
        )
    deadline = None if options.seconds is None else time.monotonic() + options.seconds
    parts: list[tuple[Component, Architecture | str]] = []
    errors: list[CutawayError] = []
    for component in components(folder):
        found: Architecture | str = ""
        if component.folder is not None:
            left = None if deadline is None else max(1.0, deadline - time.monotonic())
            try:
                (found,) = analyse(folder_target(component.folder, options.paths), replace(options, seconds=left))
            except CutawayError as error:
                errors.append(error)
                found = str(error)
        parts.append((component, found))
    if errors and not any(isinstance(found, Architecture) for _, found in parts):
        raise errors[0]
    return joined(folder, parts)


def observe(network: Any, *args: Any, **kwargs: Any) -> Architecture:
    """Call a running network and return what it is and what the call does; the network is left as it was.

    Without arguments it is not called. A call that raises gives everything up to there, and a diagnostic.
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


def _show_live(
    target: Target,
    inputs: tuple[Input, ...],
    paths: tuple[str, ...],
    arguments: Target | None,
    device: str | None,
    stdin: bytes | None,
    via: str,
) -> tuple[Architecture, ...]:
    try:
        from cutaway.live.show import show as show_live  # late: it imports the framework
    except ModuleNotFoundError as error:
        raise CutawayError(f"--live needs {error.name} installed: pip install 'cutaway[live]'") from None
    found = show_live(target, inputs=inputs, arguments=arguments, paths=paths, device=device, stdin=stdin, via=via)
    return tuple(with_totals(architecture) for architecture in found)
