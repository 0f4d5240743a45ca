"""Saved files that hold a program, or belong to one: it is interpreted, and its results are put into the file's tree."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, BinaryIO

from cutaway.core.architecture import Architecture, Diagnostic, Module, Note, Op, depending_on
from cutaway.core.error import CutawayError
from cutaway.core.place import Place
from cutaway.core.record import replace
from cutaway.formats import torch_beginning
from cutaway.interp.analysis.options import Options
from cutaway.syntax.target import OptionError, Program, Target, parse_target

Analyse = Callable[[Target, Options], list[Architecture]]
_EXPRESSION = "_network()"


def read(text: str, options: Options, analyse: Analyse) -> list[Architecture] | None:
    """Return the network of a file that has a program in it, or is of a class whose source there is; None for others."""
    path, _, name = text.partition("::")
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        if not torch_beginning.sniff(file.read(64)):
            return None
        file.seek(0)
        from cutaway.formats import torch_save, torchscript  # late: other files need none of it

        with torch_save.told(path):
            script = torchscript.read(file, os.path.basename(path), path) if not name else None
            if script is None:
                return _whole_modules(file, path, name, options, analyse)
    if not script.program:
        return [script.network]
    return [_with_program(script.network, script.program, path, options, analyse)]


def _whole_modules(
    file: BinaryIO, path: str, name: str, options: Options, analyse: Analyse
) -> list[Architecture] | None:
    """Return the networks of a file that was saved with its modules, computed by the source of their classes."""
    # late: other files need none of it
    from cutaway.formats import checkpoint, exported_program, pickle_machine, pickled_program, torch_save

    file.seek(0)
    if exported_program.is_archive(file):
        return None
    file.seek(0)
    try:
        parts = checkpoint.parts(torch_save.content(file)[0])
    except pickle_machine.Damaged:
        return None  # the reader of the file says what is wrong with it
    if not any(part.module is not None for part in parts):
        return None
    file.seek(0)
    networks = []
    modules = {part.key or os.path.basename(path): part.module for part in parts}
    for network in torch_save.read(file, path):
        module = modules.get(network.name)
        if (name and network.name != name) or module is None:
            networks += [network] if not name or network.name == name else []
            continue
        text = pickled_program.program(module)
        networks.append(network if text is None else _with_program(network, text, path, options, analyse))
    return networks or None


def _with_program(network: Architecture, text: str, path: str, options: Options, analyse: Analyse) -> Architecture:
    """Return a file's network with what its program computes; a program that fails costs nothing else."""
    folder = os.path.dirname(os.path.abspath(path))
    program = Program(text, path, folder, "_network", "builtins")
    try:
        (found,) = analyse(Target(path, path, None, _EXPRESSION, program), options)
    except OptionError:
        raise
    except CutawayError as error:
        note = Note(f"what is computed is unknown: {error}", Place(path))
        return replace(network, unknowns=(*network.unknowns, note))
    return _merged(network, found, path)


def with_source(
    network: Architecture, options: Options, files_of: Callable[[str], list[str] | None], analyse: Analyse
) -> Architecture:
    """Return a file of weights as the network in the folders of the source that has just these weights.

    Another class might have them too, so everything that is shown then rests on the assumption that it is this one.
    """
    if network.ops or any(module.class_name for module in network.modules):
        return network
    from cutaway.weight_search import matches  # late: only weights with a folder of source need it

    files = [file for path in options.paths for file in ((files_of(path) or []) if os.path.isdir(path) else [path])]
    seconds = 60.0 if options.seconds is None else options.seconds / 2
    found = matches(network, files, Options(paths=options.paths, seconds=seconds, call=False))
    if not found or not found[0].is_exact:
        nearest = f"; {found[0].target} is nearest: {'; '.join(found[0].fit.lines())}" if found else ""
        words = f"no class in {', '.join(options.paths)} has just these weights{nearest}"
        return replace(network, unknowns=(*network.unknowns, Note(words, Place(network.target))))
    best = found[0]
    verdict = "; ".join(best.fit.lines())
    note = f"the weights are those of {best.target}: {verdict}"
    try:
        (built,) = analyse(parse_target(best.target), options)
    except OptionError:
        raise
    except CutawayError as error:
        unknown = Note(f"what is computed is unknown: {error}", Place(network.target))
        return replace(network, unknowns=(*network.unknowns, unknown))
    shown = replace(built, name=network.name, target=network.target, assumptions=(Note(note), *built.assumptions))
    return depending_on(shown, note)


def _merged(network: Architecture, found: Architecture, path: str) -> Architecture:
    """Put calls and operations into the tree that the file has; their places are in the file as a whole."""
    from cutaway.formats import pickled_module  # late: other files need none of it

    calls = {module.path: module for module in found.modules}
    modules = tuple(_called(module, calls.get(module.path)) for module in network.modules)
    return replace(
        found,
        name=network.name,
        target=network.target,
        modules=modules,
        weights=network.weights,
        ops=tuple(_placed(op, path) for op in found.ops),
        unknowns=(
            *(n for n in network.unknowns if n.text != pickled_module.NOT_CALLED),
            *(_placed(note, path) for note in found.unknowns),
        ),
        assumptions=(*network.assumptions, *(_placed(note, path) for note in found.assumptions)),
        diagnostics=tuple(_diagnostic(each, path) for each in found.diagnostics),
        causes=tuple(_placed(cause, path) for cause in found.causes),
        conditions=tuple(_placed(each, path) for each in found.conditions),
    )


def _called(module: Module, found: Module | None) -> Module:
    if found is None:
        return module
    return replace(module, calls=found.calls, complete=module.complete and found.complete)


def _placed(entry: Any, path: str) -> Any:
    """Return an entry at the place of the file: lines of the program that was made of it are no lines of the user's."""
    field = "source" if isinstance(entry, Op) else "place"
    place = getattr(entry, field)
    return entry if place is None or place.file != path else replace(entry, **{field: Place(path)})


def _diagnostic(entry: Diagnostic, path: str) -> Diagnostic:
    placed: Diagnostic = _placed(entry, path)
    return replace(placed, notes=tuple(_placed(note, path) for note in entry.notes))
