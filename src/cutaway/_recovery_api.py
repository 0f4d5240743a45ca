"""`recover`: the code of a target, by reading it, or by running it where that is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from cutaway._api import as_inputs, request_of, show, show_here
from cutaway.core.architecture import Architecture, Value
from cutaway.core.error import CutawayError
from cutaway.recover.result import Recovered
from cutaway.recovery import recovered
from cutaway.syntax.inputs import given_inputs


def recover(
    target: Any,
    *,
    to: str = "torch",
    input: str | Iterable[str] | Iterable[int] | Mapping[str, Any] = (),
    path: str | Iterable[str] = (),
    weights: str | None = None,
    weights_file: BinaryIO | None = None,
    checkpoint: str | None = None,
    live: bool = False,
    timeout: float | None = 120.0,
    origin: str | None = None,
) -> Recovered:
    """Return code that builds a network, written for one of the frameworks; nothing is run unless `live` is asked for.

    Args:
        target: whatever `show` reads: a saved file, or source. Or a running network, which is saved and recovered.
        to: the framework of the code, "torch" or "keras".
        input: the inputs of the forward pass, as for `show`.
        path: folders to search first for imports.
        weights: the name of a safetensors file that the code loads its weights from.
        weights_file: where these weights are written to, under the names of the code.
        checkpoint: a file with the weights of a network that is read from source.
        live: import and run the target, and recover the network that it makes.
        timeout: seconds after which reading the target, and reading the code again, is given up.
        origin: what the code says it is recovered from; the target, if it is not given.
    """
    options: dict[str, Any] = {"to": to, "weights": weights, "weights_file": weights_file, "timeout": timeout}
    if live or not isinstance(target, (str, os.PathLike)):
        with saved_network(target, as_inputs(input), path) as file:
            return recover(file, **options, origin=origin or (target if live else type(target).__name__))

    def read_again(source: str, name: str, inputs: tuple[Value, ...]) -> Architecture:
        shapes = [
            f"{'x'.join(map(str, value.shape)) or '()'}:{value.dtype}"
            for value in inputs
            if value.shape is not None and None not in value.shape
        ]
        request = request_of(
            f"-::{name}",
            input=tuple(shapes) if len(shapes) == len(inputs) else (),
            set=None,
            path=(),
            arguments=None,
            assume=(),
            train=False,
            argv=None,
            stdin=source.encode(),
            timeout=timeout,
        )
        return show_here(request, False)[0]

    def original() -> Architecture:
        return show(target, input=input, path=path, isolated=False, timeout=timeout)[0]

    return recovered(os.fspath(target), to, original, read_again, weights, weights_file, checkpoint, origin)


@contextmanager
def saved_network(target: Any, input: Any, path: str | Iterable[str] = ()) -> Iterator[str]:
    """RUN a target, save the network that it makes, and yield the file for as long as it is used."""
    try:
        from cutaway.live.saving import saved  # late: it imports the framework
    except ModuleNotFoundError as error:
        raise CutawayError(f"a network that runs needs {error.name} installed: pip install 'cutaway[live]'") from None
    paths = (path,) if isinstance(path, str) else tuple(path)
    with TemporaryDirectory() as folder:
        yield saved(target, given_inputs(input), paths, folder)


def check_recovered(
    target: str,
    *,
    to: str = "torch",
    input: Any = (),
    path: str | Iterable[str] = (),
    checkpoint: str | None = None,
    live: bool = False,
    timeout: float | None = 120.0,
) -> float:
    """RUN recovered code and the file that it is from on random numbers, and return the largest relative difference."""
    from cutaway.live.recovered_run import largest_difference  # late: it imports the frameworks

    if live:
        with saved_network(target, as_inputs(input), path) as file:
            return check_recovered(file, to=to, timeout=timeout)
    paths = (path,) if isinstance(path, str) else tuple(path)
    network = show(target, input=input, path=path, isolated=False, timeout=timeout)[0]
    with TemporaryDirectory() as folder:
        weights = os.path.join(folder, "weights.safetensors")
        with open(weights, "wb") as file:
            result = recover(
                target,
                to=to,
                input=input,
                path=path,
                weights=weights,
                weights_file=file,
                checkpoint=checkpoint,
                timeout=timeout,
            )
        return largest_difference(target, network, result, weights, paths, checkpoint)
