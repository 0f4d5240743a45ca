"""Saving and loading: files of weights are out of reach, and change nothing of a network's structure."""

from __future__ import annotations

from typing import Any

from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.keras.training.losses import REGISTERED


class Saving:
    """What a model offers to write itself to disk and to read weights."""

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is written."""

    save_weights = export = save

    def load_weights(self, *args: Any, **kwargs: Any) -> None:
        """Numbers of weights change nothing of the structure."""

    def to_json(self, **kwargs: Any) -> Unknown:
        return Unknown("a model as JSON is not modelled")


@row("keras.models.load_model", "keras.saving.load_model", "keras.src.saving.load_model")
def load_model(filepath: Any, *args: Any, **kwargs: Any) -> Unknown:
    """Give an unknown: what is in the file is not read."""
    return Unknown("a model that is loaded from a file is not read")


@row(
    "keras.saving.register_keras_serializable",
    "keras.utils.register_keras_serializable",
    "keras.src.saving.register_keras_serializable",
    "keras.src.saving.object_registration.register_keras_serializable",
)
def register_keras_serializable(package: Any = "Custom", name: Any = None) -> Any:
    """Return a decorator that leaves a class or function as it is."""
    REGISTERED.set(True)
    return lambda decorated: decorated


@row("keras.src.api_export.keras_export", "keras.utils.keras_export")
def keras_export(path: Any) -> Any:
    """Return a decorator that leaves a class or function as it is."""
    return lambda decorated: decorated


@row("keras.saving.serialize_keras_object", "keras.utils.serialize_keras_object")
def serialize_keras_object(obj: Any) -> Any:
    return obj


@row("keras.saving.deserialize_keras_object", "keras.utils.deserialize_keras_object")
def deserialize_keras_object(config: Any, *args: Any, **kwargs: Any) -> Any:
    return config


class _Scope:
    def __init__(self, *_objects: Any) -> None:
        REGISTERED.set(True)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_exc: object) -> None:
        return None


row(
    "keras.saving.custom_object_scope",
    "keras.saving.CustomObjectScope",
    "keras.utils.custom_object_scope",
    "keras.utils.CustomObjectScope",
)(_Scope)


@row("keras.saving.get_custom_objects", "keras.utils.get_custom_objects")
def get_custom_objects() -> dict[str, Any]:
    REGISTERED.set(True)
    return {}
