"""The protocol that the abstract tensors of every framework share: a shape, a dtype, and sometimes the numbers."""

from __future__ import annotations

from typing import Any

from cutaway.core.protocols import TENSOR
from cutaway.core.session import Reference
from cutaway.knowledge.base.values import Lazy


@TENSOR
class AbstractTensor:
    """A tensor of which the shape and dtype are known, and sometimes the numbers.

    A framework's own class derives from it. `_dtype` has a `name`, `_number` is its value in the dataflow graph.
    """

    _shape: Any
    _dtype: Any
    _values: Lazy | None
    _number: int
    __array_priority__ = 1000  # numpy's operators leave it to this class

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return object.__new__(cls)

    @property
    def ndim(self) -> int:
        return len(self._shape)

    @property
    def values_(self) -> Lazy | None:
        """The numbers, None where they are not known."""
        return self._values

    def reference(self) -> Reference:
        """Return what the dataflow graph says of this tensor at the moment."""
        return Reference(self._number, self._shape, self._dtype.name)

    def array(self) -> Any:
        """Return the known numbers as a numpy array, or raise `Undecidable`."""
        raise NotImplementedError

    def forget_numbers(self) -> None:
        """Note that something may have been written into it, where its framework has tensors that can be written to."""

    def share(self, array: Any) -> None:
        """Note that an array of numpy lies in the same memory."""

    def __int__(self) -> int:
        return int(self.array())

    def __float__(self) -> float:
        return float(self.array())

    def __index__(self) -> int:
        return int(self.array().__index__())

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"tensor(shape={self._shape}, dtype={self._dtype})"

    def __format__(self, spec: str) -> str:
        if self.values_ is not None and isinstance(self._shape, tuple) and not self._shape:
            return format(self.array().item(), spec)
        return repr(self)
