"""A running network as a file of its framework: what its code is recovered from."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from cutaway.core.error import describe_error
from cutaway.live import framework_detection
from cutaway.live.arguments import Arguments
from cutaway.live.failure import LiveError
from cutaway.live.load import imported, networks
from cutaway.live.restore import in_shown_mode, undisturbed
from cutaway.live.show import arguments_of
from cutaway.syntax.inputs import Input
from cutaway.syntax.target import parse_target


def saved(target: Any, inputs: Sequence[Input], paths: Sequence[str], folder: str) -> str:
    """Return the file that a network is saved to: one that runs, or the first that a target makes."""
    if not isinstance(target, (str, os.PathLike)):
        return _saved(target, type(target).__name__, inputs, folder)
    text = os.fspath(target)
    parsed = parse_target(text)
    with undisturbed(), imported(parsed, paths) as module:
        found, lost = networks(module, parsed)
        if not found:
            raise LiveError(f"{text}: {lost[0] if lost else 'no network is made in it'}")
        return _saved(found[0].network, text, inputs, folder)


def _saved(network: Any, text: str, inputs: Sequence[Input], folder: str) -> str:
    if framework_detection.framework_of(network) == framework_detection.KERAS:
        path = os.path.join(folder, "network.keras")
        try:
            network.save(path)
        except Exception as error:  # whatever its layers raise when they are asked for their configuration
            raise LiveError(f"{text}: saving it raised {describe_error(error)}") from error
        return path
    arguments = arguments_of(network, inputs)
    if arguments is None:
        raise LiveError(f"{text}: --input is needed to see what the network does")
    return _exported(network, arguments, text, folder)


def _exported(network: Any, arguments: Arguments, text: str, folder: str) -> str:
    """Return the exported program of a network, whose first sizes are open where they may be; or its trace."""
    import torch  # late: networks of Keras do without it

    reasons = []
    path = os.path.join(folder, "network.pt2")
    with undisturbed(), in_shown_mode(network, False):
        named: Mapping[str, Any] = arguments.named
        for size in (torch.export.Dim.AUTO, None):
            try:
                positional, keywords = (
                    [_open(each, size) for each in group] for group in (arguments.positional, named.values())
                )
                shapes = None if size is None else (*positional, *keywords)
                program = torch.export.export(
                    network, arguments.positional, dict(named), dynamic_shapes=shapes, strict=False
                )
                torch.export.save(program, path)
                return path
            except Exception as error:  # many networks can't be exported, for as many reasons
                reasons.append(f"torch.export.export raised {describe_error(error)}")
        try:
            path = os.path.join(folder, "network.pt")
            torch.jit.trace(
                network, arguments.positional, example_kwarg_inputs=dict(named) or None, check_trace=False
            ).save(path)
            return path
        except Exception as error:
            reasons.append(f"torch.jit.trace raised {describe_error(error)}")
    raise LiveError(f"{text}: {'; '.join(dict.fromkeys(reasons))}")


def _open(value: Any, size: Any) -> Any:
    """Return which sizes of an argument are open: the first."""
    return {0: size} if size is not None and getattr(value, "dim", lambda: 0)() else None
