"""What running a network would change for those who run after it: random numbers, modes, training flags."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put back the state of all random generators and the defaults of torch."""
    numpy: Any = sys.modules.get("numpy")
    python_state = random.getstate()
    numpy_state = numpy.random.get_state() if numpy is not None else None
    dtype = torch.get_default_dtype()
    grad = torch.is_grad_enabled()
    devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else range(0)
    try:
        with torch.random.fork_rng(devices=list(devices)):
            yield
    finally:
        random.setstate(python_state)
        if numpy_state is not None:
            numpy.random.set_state(numpy_state)
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(grad)


@contextmanager
def evaluating(network: torch.nn.Module) -> Iterator[None]:
    """Run a network in evaluation mode without gradients, then give each module its own mode back."""
    modes = [(module, module.training) for module in network.modules()]
    network.eval()
    with ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        try:
            yield
        finally:
            for module, mode in modes:
                module.training = mode
