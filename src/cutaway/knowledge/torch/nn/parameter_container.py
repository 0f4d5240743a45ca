"""The modules that hold parameters: `ParameterList` and `ParameterDict`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base import attribute
from cutaway.knowledge.torch.nn.container import pairs, position
from cutaway.knowledge.torch.nn.module import Module, layer
from cutaway.knowledge.torch.nn.parameter import Parameter
from cutaway.knowledge.torch.tensor.tensor import Tensor


def _as_parameter(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


@layer
class ParameterList(Module):
    """A list of parameters; tensors put into it become parameters, anything else stays what it is."""

    __module__ = "torch.nn.modules.container"

    def __init__(self, values: Any = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _get_abs_string_index(self, idx: Any) -> str:
        return position(self, idx)

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            part = type(self)()
            for i in range(*idx.indices(len(self))):
                part.append(self[i])
            return part
        return attribute.get(self, self._get_abs_string_index(idx))

    def __setitem__(self, idx: Any, param: Any) -> None:
        attribute.put(self, self._get_abs_string_index(idx), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[i] for i in range(len(self)))

    def __iadd__(self, parameters: Any) -> Any:
        return self.extend(parameters)

    def __dir__(self) -> list[str]:
        return [key for key in super().__dir__() if not key.isdigit()]

    def append(self, value: Any) -> Any:
        session.current().tick()
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Any) -> Any:
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


@layer
class ParameterDict(Module):
    """A dictionary of parameters; tensors put into it become parameters."""

    __module__ = "torch.nn.modules.container"

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key: Any) -> str:
        if isinstance(key, Unknown):
            raise Undecidable(key)
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string "
                f"(type is '{type(key).__name__}')."
            )
        return key

    def __getitem__(self, key: Any) -> Any:
        return attribute.get(self, self._key_to_attr(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        self._keys[key] = None
        attribute.put(self, self._key_to_attr(key), _as_parameter(value))

    def __delitem__(self, key: Any) -> None:
        del self._keys[key]
        attribute.delete(self, self._key_to_attr(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: Any) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        return ParameterDict(OrderedDict((key, self[key]) for key in self._keys))

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        for key in list(self._keys):
            del self[key]

    def pop(self, key: Any) -> Any:
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key] if key in self else default  # noqa: SIM401

    def fromkeys(self, keys: Any, default: Any = None) -> ParameterDict:
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> Any:
        return self._keys.keys()

    def items(self) -> Any:
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Any:
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        entries = pairs(parameters, "ParameterDict", (Mapping, ParameterDict))
        # A plain mapping is entered in order of its keys; an ordered one keeps its order.
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            entries = iter(sorted(entries))
        for key, value in entries:
            self[key] = value

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: Any) -> ParameterDict:
        copy = self.copy()
        copy.update(other)
        return copy

    def __ror__(self, other: Any) -> Any:
        copy = other.copy()
        copy.update(self)
        return copy

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self
