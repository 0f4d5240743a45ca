"""`tf.data`: pipelines as the shapes of their elements; no data flows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.core.dim import Dim, ceildiv, equal
from cutaway.core.fault import ArgumentFault
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.keras.shape import seen, symbolic
from cutaway.knowledge.keras.tensor import convert, new
from cutaway.knowledge.keras.tree import flatten, map_structure
from cutaway.knowledge.registry import register, row
from cutaway.knowledge.tensorflow.names import TensorSpec

register("tensorflow.data.AUTOTUNE", -1)
register("tensorflow.data.experimental.AUTOTUNE", -1)


@row("tensorflow.data.Dataset")
class Dataset:
    """A pipeline: what one element of it is, and how many there are."""

    def __init__(self, element: Any, count: Any = None) -> None:
        self.element, self.count = element, count

    @staticmethod
    def from_tensor_slices(tensors: Any, name: Any = None) -> Dataset:
        whole = map_structure(convert, tensors)
        counts = [tensor._shape[0] for tensor in flatten(whole)]
        for count in counts[1:]:
            if equal(counts[0], count) is False:
                raise ArgumentFault(
                    f"from_tensor_slices: the tensors have {counts[0]} and {count} elements", "different-lengths"
                )
        return Dataset(map_structure(lambda t: new(t._shape[1:], t._dtype), whole), counts[0])

    @staticmethod
    def from_tensors(tensors: Any, name: Any = None) -> Dataset:
        return Dataset(map_structure(convert, tensors), 1)

    @staticmethod
    def from_generator(
        generator: Any, output_types: Any = None, output_shapes: Any = None, args: Any = None, output_signature: Any = None,
        name: Any = None,
    ) -> Any:  # fmt: skip
        if output_signature is None:
            return Unknown("what a generator of data yields is not known")
        return Dataset(map_structure(lambda spec: spec.made(), output_signature))

    @staticmethod
    def range(*args: Any, **_kwargs: Any) -> Dataset:
        return Dataset(new((), "int64"), len(range(*args)) if all(isinstance(a, int) for a in args) else None)

    @staticmethod
    def zip(*datasets: Any, **_kwargs: Any) -> Dataset:
        parts = datasets[0] if len(datasets) == 1 and isinstance(datasets[0], (list, tuple)) else datasets
        return Dataset(tuple(part.element for part in parts), parts[0].count)

    def batch(self, batch_size: Any, drop_remainder: Any = False, *_args: Any, **_kwargs: Any) -> Dataset:
        """Put elements together; the last batch may be smaller, so its size is left open unless the rest is dropped."""
        lead = batch_size if drop_remainder is True else symbolic((None,), "x")[0]
        made = map_structure(lambda t: new((lead, *t._shape), t._dtype), self.element)
        counted = isinstance(self.count, (int, Dim)) and isinstance(batch_size, int)
        return Dataset(made, ceildiv(self.count, batch_size) if counted else None)

    padded_batch = batch

    def unbatch(self) -> Dataset:
        return Dataset(map_structure(lambda t: new(t._shape[1:], t._dtype), self.element))

    def map(self, map_func: Any, *_args: Any, **_kwargs: Any) -> Dataset:
        made = map_func(*self.element) if isinstance(self.element, tuple) else map_func(self.element)
        return Dataset(made, self.count)

    def same(self, *_args: Any, **_kwargs: Any) -> Dataset:
        """Steps that change neither elements nor what is known of them."""
        return self

    shuffle = prefetch = cache = with_options = apply = same

    def fewer(self, *_args: Any, **_kwargs: Any) -> Dataset:
        """Steps after which another number of elements is left."""
        return Dataset(self.element)

    filter = take = skip = repeat = shard = concatenate = fewer

    @property
    def element_spec(self) -> Any:
        return map_structure(lambda t: TensorSpec(seen(t._shape), t._dtype), self.element)

    def cardinality(self) -> Any:
        return new((), "int64")

    def as_numpy_iterator(self) -> Iterator[Any]:
        return iter(self)

    def __iter__(self) -> Iterator[Any]:
        """Yield one element: all have the same shapes."""
        yield map_structure(lambda t: new(t._shape, t._dtype), self.element)

    def __len__(self) -> Any:
        if not isinstance(self.count, int):
            raise Undecidable(Unknown("the number of elements of a data set is not known"))
        return self.count
