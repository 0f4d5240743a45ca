"""What a layer holds: the variables and layers that its attributes are set to, alone or in containers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cutaway.core.loop.series import Series
from cutaway.core.unknown import Unknown
from cutaway.knowledge.keras.tensors.tensor import Variable


class Tracker:
    """Lists variables and layers in the order in which a layer gets hold of them."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.trainable: list[Any] = []
        self.non_trainable: list[Any] = []
        self.layers: list[Any] = []
        self.metrics: list[Any] = []
        self._entered: set[int] = set()  # of objects that the lists keep alive

    def _enter(self, found: list[Any], value: Any) -> None:
        if id(value) not in self._entered or not any(held is value for held in found):
            self._entered.add(id(value))
            found.append(value)

    def track(self, value: Any) -> Any:
        """Enter what is in a value, and return it, with containers that go on entering what they get."""
        kind = type(value)
        if kind in (int, float, str, bool, type(None)):
            return value
        if isinstance(value, Variable):
            self._enter(self.trainable if value.__dict__["trainable"] else self.non_trainable, value)
        elif not isinstance(value, type) and getattr(value, "_is_keras_layer", False) is True:
            self._enter(self.metrics if getattr(value, "_is_metric", False) else self.layers, value)
        elif kind is Series:
            for item in value.every:
                self.track(item)
        elif kind is list:
            return TrackedList(value, self)
        elif kind is dict:
            return TrackedDict(value, self)
        elif isinstance(value, tuple) and not isinstance(value, TrackedList):
            items = [self.track(item) for item in value]
            if any(new is not old for new, old in zip(items, value)) and kind is tuple:
                return tuple(items)
        elif kind is Unknown and not self.owner.__class__.__module__.startswith("keras."):
            self.owner.mark_incomplete(value)
        return value


class TrackedList(list):  # type: ignore[type-arg]
    """A list that is the attribute of a layer."""

    def __init__(self, values: Iterable[Any] = (), tracker: Tracker | None = None) -> None:
        self._tracker = tracker
        super().__init__(self._tracked(value) for value in values)

    def _tracked(self, value: Any) -> Any:
        return self._tracker.track(value) if self._tracker is not None else value

    def append(self, value: Any) -> None:
        super().append(self._tracked(value))

    def insert(self, index: Any, value: Any) -> None:
        super().insert(index, self._tracked(value))

    def extend(self, values: Iterable[Any]) -> None:
        super().extend(self._tracked(value) for value in values)

    def __iadd__(self, values: Iterable[Any]) -> Any:  # type: ignore[misc]
        self.extend(values)
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            super().__setitem__(key, [self._tracked(item) for item in value])
        else:
            super().__setitem__(key, self._tracked(value))


class TrackedDict(dict):  # type: ignore[type-arg]
    """A dictionary that is the attribute of a layer."""

    def __init__(self, values: Any = (), tracker: Tracker | None = None) -> None:
        self._tracker = tracker
        super().__init__()
        self.update(values)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, self._tracker.track(value) if self._tracker is not None else value)

    def update(self, *others: Any, **named: Any) -> None:
        for key, value in dict(*others, **named).items():
            self[key] = value

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]
