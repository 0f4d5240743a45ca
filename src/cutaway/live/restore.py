"""What running a network would change for those who run after it: random numbers, modes, training flags."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put back the state of all random generators and the defaults of torch, if that is imported."""
    numpy: Any = sys.modules.get("numpy")
    python_state = random.getstate()
    numpy_state = numpy.random.get_state() if numpy is not None else None
    try:
        with _torch_undisturbed() if "torch" in sys.modules else nullcontext():
            yield
    finally:
        random.setstate(python_state)
        if numpy_state is not None:
            numpy.random.set_state(numpy_state)


@contextmanager
def _torch_undisturbed() -> Iterator[None]:
    import torch

    dtype = torch.get_default_dtype()
    grad = torch.is_grad_enabled()
    devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else range(0)
    try:
        with torch.random.fork_rng(devices=list(devices)):
            yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(grad)


@contextmanager
def counting_anew() -> Iterator[None]:
    """Have Keras name layers as in a program that has just begun, and go on afterwards where it was."""
    if "keras" not in sys.modules:
        yield
        return
    from keras.src.backend.common import global_state

    before = global_state.get_global_attribute(_COUNTERS)
    global_state.set_global_attribute(_COUNTERS, None)
    try:
        yield
    finally:
        global_state.set_global_attribute(_COUNTERS, before)


_COUNTERS = "object_name_uids"


@contextmanager
def in_shown_mode(network: Any, train: bool | None) -> Iterator[str | None]:
    """Run a network without gradients in the mode that it is shown in, then give each module its own mode back.

    What the mode assumes is given to those who run it.
    """
    import torch

    from cutaway.knowledge.torch.nn.mode import choose  # late: a network of Keras needs none of it

    modes = [(module, module.training) for module in network.modules()]
    assumption = choose(network, train)
    with ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        try:
            yield assumption
        finally:
            for module, mode in modes:
                module.training = mode
