"""Which framework a running network is of, among those that the user's code has imported."""

from __future__ import annotations

import functools
import os
import sys
from typing import Any

TORCH, KERAS = "pytorch", "keras"
_PACKAGES = ("torch", "keras", "tensorflow")


def bases() -> tuple[type, ...]:
    """Return the classes of networks and their parts, of each framework that is imported by now."""
    torch, keras = sys.modules.get("torch"), sys.modules.get("keras")
    found = (getattr(getattr(torch, "nn", None), "Module", None), getattr(keras, "Layer", None))
    return tuple(each for each in found if each is not None)


def is_network(value: Any) -> bool:
    """Tell whether a value is a network; Keras's own layers are what networks are made of."""
    keras = sys.modules.get("keras")
    if keras is not None and isinstance(value, keras.Layer) and not isinstance(value, keras.Model):
        return not type(value).__module__.startswith("keras.")
    return isinstance(value, bases())


def framework_of(network: Any) -> str:
    """Return the framework that a network is of."""
    keras = sys.modules.get("keras")
    return KERAS if keras is not None and isinstance(network, keras.Layer) else TORCH


def parts(network: Any) -> list[Any]:
    """Return a network and the modules or layers in it."""
    if framework_of(network) == KERAS:
        return [network, *network._flatten_layers(include_self=False)]
    return list(network.modules())


def homes() -> tuple[str, ...]:
    """Return the folders of the frameworks that are imported by now."""
    return _homes(tuple(name for name in _PACKAGES if name in sys.modules))


@functools.cache
def _homes(names: tuple[str, ...]) -> tuple[str, ...]:
    files = [getattr(sys.modules[name], "__file__", None) for name in names]
    return tuple(os.path.dirname(os.path.abspath(file)) + os.sep for file in files if file)
