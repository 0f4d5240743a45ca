"""The version of TensorFlow and of Keras that a program asks for."""

from __future__ import annotations

from typing import Any

from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import register


class Version(str):
    """The version that is modelled. Whether a program runs with exactly another one is not decided."""

    __slots__ = ()

    def __eq__(self, other: object) -> Any:
        return str.__eq__(self, other) is True or Unknown(f"whether the version is {other} is not known")

    def __ne__(self, other: object) -> Any:
        return Unknown(f"whether the version is {other} is not known")

    def __hash__(self) -> int:
        return str.__hash__(self)


register("tensorflow.__version__", Version("2.21.0"))
register("tensorflow.version.VERSION", Version("2.21.0"))
register("keras.__version__", Version("3.15.1"))
