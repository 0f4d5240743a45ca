"""`tf.data`: pipelines as the shapes of their elements; no data flows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Dim, ceildiv, equal
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import register, row
from cutaway.knowledge.keras.tensors.shape import TensorShape, seen, symbolic
from cutaway.knowledge.keras.tensors.tensor import convert, new
from cutaway.knowledge.keras.tensors.tree import flatten, map_structure
from cutaway.knowledge.tensorflow.graph_mode.graph import build
from cutaway.knowledge.tensorflow.graph_mode.session import Step
from cutaway.knowledge.tensorflow.names import TensorSpec

register("tensorflow.data.AUTOTUNE", -1)
register("tensorflow.data.experimental.AUTOTUNE", -1)


def _typed(types: Any, shapes: Any) -> Any:
    """Return tensors of types in their structure, with the shapes that stand beside them, if any do."""
    if isinstance(types, dict):
        return {key: _typed(kind, shapes[key] if shapes else None) for key, kind in types.items()}
    if isinstance(types, (list, tuple)):
        return tuple(_typed(kind, shapes[at] if shapes else None) for at, kind in enumerate(types))
    unknown = Unknown("the shape of what a generator yields is not given")
    return new(unknown if shapes is None else symbolic(list(shapes), "x"), types)


class Elements:
    """An iterator of TensorFlow 1: what it gives next is a part of the graph."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        self.initializer = Step()

    def get_next(self, name: Any = None) -> Any:
        build()
        return map_structure(lambda t: new(t._shape, t._dtype), self.dataset.element)

    def make_initializer(self, dataset: Any, name: Any = None) -> Any:
        return self.initializer

    @staticmethod
    def from_structure(output_types: Any, output_shapes: Any = None, *_args: Any, **_kwargs: Any) -> Elements:
        return Elements(Dataset(_typed(output_types, output_shapes)))


register("tensorflow.data.Iterator", Elements)


@row("tensorflow.data.make_one_shot_iterator", "tensorflow.data.make_initializable_iterator")
def make_iterator(dataset: Any, *_args: Any, **_kwargs: Any) -> Any:
    return dataset if isinstance(dataset, Unknown) else Elements(dataset)


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
                    f"from_tensor_slices: the tensors have {counts[0]} and {count} elements",
                    FaultCode.DIFFERENT_LENGTHS,
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
        if output_signature is None and output_types is not None:
            return Dataset(_typed(output_types, output_shapes))
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

    @property
    def output_shapes(self) -> Any:
        return map_structure(lambda t: TensorShape(seen(t._shape)), self.element)

    @property
    def output_types(self) -> Any:
        return map_structure(lambda t: t._dtype, self.element)

    def make_one_shot_iterator(self) -> Elements:
        return Elements(self)

    def make_initializable_iterator(self, shared_name: Any = None) -> Elements:
        return Elements(self)

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
