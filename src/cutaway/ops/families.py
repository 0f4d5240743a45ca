"""What an operation is in common words, by its name in any library: activations and pooling, which converters keep one for one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

RECTIFIER, SIGMOID, TANH, SOFTMAX, ERROR, POOLING = "rectifier", "sigmoid", "tanh", "softmax", "erf", "max pooling"

_FAMILIES: dict[str, tuple[str, ...]] = {
    "relu": (RECTIFIER,),
    "relun1to1": (RECTIFIER,),
    "relu6": (RECTIFIER,),
    "clip": (RECTIFIER,),
    "clipbyvalue": (RECTIFIER,),
    "hardtanh": (RECTIFIER,),
    "hardsigmoid": (RECTIFIER,),
    "hardswish": (RECTIFIER,),
    "hardsilu": (RECTIFIER,),
    "leakyrelu": (RECTIFIER,),
    "prelu": (RECTIFIER,),
    "sigmoid": (SIGMOID,),
    "logistic": (SIGMOID,),
    "silu": (SIGMOID,),
    "swish": (SIGMOID,),
    "tanh": (TANH,),
    "softmax": (SOFTMAX,),
    "dotproductattention": (SOFTMAX,),
    "scaleddotproductattention": (SOFTMAX,),
    "gelu": (ERROR,),
    "erf": (ERROR,),
    "erfc": (ERROR,),
    "flexerf": (ERROR,),
    "flexerfc": (ERROR,),
    "maxpool": (POOLING,),
}
_FUSED = ("activation", "fused_activation_function")
_FUSED_FAMILIES = {1: RECTIFIER, 2: RECTIFIER, 3: RECTIFIER, 4: TANH}
_RECURRENT = re.compile(r"(lstm|gru|rnn)(cell)?$")
_CONTAINERS = ("if", "loop", "scan", "while", "statelesswhile", "statelessif", "case")
_DIMENSIONS = re.compile(r"(?<=pool)[123]?d?$")


def families(name: str, attributes: Mapping[str, Any]) -> Iterator[str]:
    """Yield the families of an operation: of what it is, and of the activation that is fused into it."""
    yield from _FAMILIES.get(_plain(name), ())
    for key in _FUSED:
        fused = _FUSED_FAMILIES.get(attributes.get(key, 0)) if isinstance(attributes.get(key), int) else None
        if fused:
            yield fused


def is_recurrent(name: str) -> bool:
    """Tell whether an operation is a whole recurrent layer, with activations inside."""
    return _RECURRENT.search(_plain(name)) is not None


def is_container(name: str) -> bool:
    """Tell whether an operation runs others, which are listed beside it: a loop or a choice."""
    return _plain(name) in _CONTAINERS


def _plain(name: str) -> str:
    last = name.rpartition(".")[2].rpartition("::")[2].replace("_", "").lower().removesuffix("v2").removesuffix("v3")
    return _DIMENSIONS.sub("", last)
