"""Attributes of `torch.Tensor` that are not methods, ours against the real ones."""

from __future__ import annotations

import functools
import inspect

import torch

from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.torch.tensor.tensor import Tensor

from . import rows
from .extra import t
from .samples import SHAPE, SYMBOLIC, VALUES, Comparison, Converter, Different, Unconvertible

UNMODELLED = {
    "data": "the same memory with another history",
    "grad_fn": "the history of a tensor is not modelled",
    "output_nr": "the history of a tensor is not modelled",
}


@functools.cache
def names() -> list[str]:
    """Return the attributes that both tensors have."""
    rows.load()
    found = []
    for name in dir(torch.Tensor):
        if name.startswith("_") or name in UNMODELLED or not (hasattr(Tensor, name) or name in t(1).__dict__):
            continue
        if not callable(inspect.getattr_static(torch.Tensor, name)):
            found.append(name)
    return found


def differences(name: str) -> list[str]:
    """Return how our attribute differs on a few tensors."""
    found = []
    tensors = [t(), t(3), t(2, 3), t(0, 2), t(2, 3, 4), t(2, 2, dtype=torch.int64), t(2, 3, dtype=torch.complex64)]
    tensors += [t(3, dtype=torch.bool), t(2, dtype=torch.bfloat16), torch.nn.Parameter(t(2, 3))]
    for tensor in tensors:
        for mode in (SHAPE, VALUES, SYMBOLIC):
            converter = Converter(mode)
            try:
                theirs = getattr(tensor, name)
            except (RuntimeError, AttributeError):
                continue
            try:
                ours = getattr(converter(tensor), name)
                if not isinstance(ours, Unknown):
                    Comparison(converter).compare(ours, theirs)
            except Different as difference:
                found.append(f"{mode} {tuple(tensor.shape)} {tensor.dtype}: {difference}")
            except (Undecidable, Unconvertible):
                continue
            except Exception as error:
                found.append(
                    f"{mode} {tuple(tensor.shape)} {tensor.dtype}: ours raises {type(error).__name__}: {error}"
                )
    return found
