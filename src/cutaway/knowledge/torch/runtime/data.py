"""`torch.utils.data`: datasets, samplers and loaders, as far as their lengths and shapes are known."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size import dim
from cutaway.core.size.dim import unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import KnownModule, register, row
from cutaway.knowledge.torch.runtime.inert import Inert, always, register_all
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.knowledge.torch.tensor.tensor import Tensor, new

torch = KnownModule("torch")
T = TypeVar("T")
CALLS_AS_LIBRARY = True  # functions of the target are called exactly as the library does
_DATA = "torch.utils.data"


@row(f"{_DATA}.Dataset", f"{_DATA}.dataset.Dataset")
class Dataset(Generic[T]):
    """Samples by index."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Any) -> Any:
        return ConcatDataset([self, other])


@row(f"{_DATA}.IterableDataset", f"{_DATA}.dataset.IterableDataset")
class IterableDataset(Dataset[T]):
    """Samples one after the other."""


@row(f"{_DATA}.TensorDataset", f"{_DATA}.dataset.TensorDataset")
class TensorDataset(Dataset[Any]):
    """Samples along the first dimension of tensors."""

    def __init__(self, *tensors: Any) -> None:
        for tensor in tensors:
            if dim.equal(tensor.shape[0], tensors[0].shape[0]) is False:
                raise Fault(
                    f"TensorDataset: tensors have {tensors[0].shape[0]} and {tensor.shape[0]} samples, but must agree",
                    FaultCode.DIFFERENT_LENGTHS,
                )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> Any:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


@row(f"{_DATA}.ConcatDataset", f"{_DATA}.dataset.ConcatDataset")
class ConcatDataset(Dataset[Any]):
    """Several datasets one after the other."""

    def __init__(self, datasets: Any) -> None:
        self.datasets = list(datasets)

    @property
    def cumulative_sizes(self) -> list[int]:
        return list(itertools.accumulate(len(dataset) for dataset in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: Any) -> Any:
        ends = self.cumulative_sizes
        index = index + ends[-1] if index < 0 else index
        which = bisect.bisect_right(ends, index)
        return self.datasets[which][index - (ends[which - 1] if which else 0)]


@row(f"{_DATA}.ChainDataset", f"{_DATA}.dataset.ChainDataset")
class ChainDataset(IterableDataset[Any]):
    """Several streams one after the other."""

    def __init__(self, datasets: Any) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain.from_iterable(self.datasets)


@row(f"{_DATA}.Subset", f"{_DATA}.dataset.Subset")
class Subset(Dataset[Any]):
    """Some samples of a dataset."""

    def __init__(self, dataset: Any, indices: Any) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> Any:
        return self.dataset[self.indices[idx]]

    def __len__(self) -> int:
        return len(self.indices)


@row(f"{_DATA}.random_split", f"{_DATA}.dataset.random_split")
def random_split(dataset, lengths, generator=None):
    """Split at random; which sample goes where is not known, how many is."""
    total = len(dataset)
    if sum(lengths) <= 1 and any(isinstance(length, float) for length in lengths):
        counts = [int(total * fraction) for fraction in lengths]
        for i in range(total - sum(counts)):
            counts[i % len(counts)] += 1
        lengths = counts
    if sum(lengths) != total:
        raise ArgumentFault(
            f"random_split: the lengths add up to {sum(lengths)}, but the data set has {total} samples",
            FaultCode.DIFFERENT_LENGTHS,
        )
    starts = itertools.accumulate(lengths, initial=0)
    return [Subset(dataset, range(start, start + length)) for start, length in zip(starts, lengths)]


@row(f"{_DATA}.Sampler", f"{_DATA}.sampler.Sampler")
class Sampler(Generic[T]):
    """An order of samples."""

    def __init__(self, data_source: Any = None, *_args: Any, **_kwargs: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[Any]:
        raise Undecidable(Unknown("the order that a sampler gives is not known"))

    def __len__(self) -> int:
        return len(self.data_source)


for _name in ("RandomSampler", "SubsetRandomSampler", "WeightedRandomSampler", "BatchSampler", "DistributedSampler"):
    _sampler = type(_name, (Sampler,), {"set_epoch": lambda self, epoch: None})
    register(f"{_DATA}.{_name}", _sampler)
    register(f"{_DATA}.{'distributed' if _name == 'DistributedSampler' else 'sampler'}.{_name}", _sampler)


@row(f"{_DATA}.SequentialSampler", f"{_DATA}.sampler.SequentialSampler")
class SequentialSampler(Sampler[int]):
    """The order of the dataset itself."""

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))


@row(f"{_DATA}.default_collate", f"{_DATA}.dataloader.default_collate", f"{_DATA}._utils.collate.default_collate")
def default_collate(batch):
    first = batch[0]
    if isinstance(first, Tensor):
        return torch.stack(list(batch), 0)
    if isinstance(first, (bool, int, float)):
        return torch.tensor(list(batch), dtype=torch.float64 if isinstance(first, float) else None)
    if isinstance(first, dict):
        return type(first)((key, default_collate([sample[key] for sample in batch])) for key in first)
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(list(items)) for items in zip(*batch)))
    if isinstance(first, (list, tuple)):
        return [default_collate(list(items)) for items in zip(*batch)]
    return list(batch)


@row(f"{_DATA}.DataLoader", f"{_DATA}.dataloader.DataLoader")
class DataLoader(Generic[T]):
    """Batches of a dataset whose samples are alike."""

    def __init__(
        self,
        dataset: Any,
        batch_size: Any = 1,
        shuffle: Any = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: Any = 0,
        collate_fn: Any = None,
        pin_memory: Any = False,
        drop_last: Any = False,
        **_options: Any,
    ) -> None:
        self.dataset = dataset
        self.batch_size = batch_size
        self.shuffle = bool(shuffle)
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.num_workers = num_workers
        self.collate_fn = collate_fn
        self.pin_memory = pin_memory
        self.drop_last = drop_last

    def __getitem__(self, index: Any) -> Any:
        raise TypeFault("a DataLoader can't be indexed: iterate over it, or index its dataset", FaultCode.WRONG_TYPE)

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        samples = len(self.dataset if self.sampler is None else self.sampler)
        if self.batch_size is None:
            return samples
        size: int = self.batch_size
        return samples // size if self.drop_last else -(-samples // size)

    def __iter__(self) -> Iterator[Any]:
        counts, is_complete = self._batch_sizes()
        tensors = self._tensors()
        samples = self._samples(counts) if tensors is None and is_complete else None
        sample = None if tensors is not None or samples is not None else _sample(self.dataset, self._stacks_first_two())
        is_exact = self._is_ordered() and is_complete
        here = session.current()
        steps, start = here.training_steps, 0
        for at, size in enumerate(counts):
            is_skipped = is_complete and 1 < at < len(counts) - 1 and here.training_steps > steps
            if (
                is_skipped
            ):  # of a loop that trains, only a few iterations are followed: the last one is to be among them
                start += size
                continue
            if samples is not None:
                yield default_collate(samples[start : start + size])
            elif tensors is None:
                yield self._collate(sample, size)
            elif is_exact:
                yield [tensor[start : start + size] for tensor in tensors]
            else:
                yield [_some(tensor, size) for tensor in tensors]
            start = start + size if is_complete else 0
        if not is_complete:
            here.loop_exit = Unknown("how a loop over all data ends is not known", here.place())

    def _is_ordered(self) -> bool:
        """Tell whether the samples come in the order of the data set."""
        return not self.shuffle and self.sampler is None

    def _samples(self, counts: list[Any]) -> list[Any] | None:
        """Return all samples, where they are few and their numbers matter: these may decide what a loss accepts."""
        if (
            not self._is_ordered()
            or self.collate_fn is not None
            or isinstance(self.dataset, (IterableDataset, Unknown))
        ):
            return None
        if not all(type(count) is int for count in counts) or sum(counts) > _MOST_FOLLOWED:
            return None
        try:
            samples = [self.dataset[index] for index in range(sum(counts))]
        except Undecidable:
            return None
        parts = [list(_flat(sample)) for sample in samples]
        is_plain = all(type(part) in (int, float) or isinstance(part, Tensor) for part in itertools.chain(*parts))
        return samples if is_plain and all(_kind(sample) == _kind(samples[0]) for sample in samples) else None

    def _stacks_first_two(self) -> bool:
        """Tell whether the first two samples are in one batch, as parts of the same tensors."""
        return self._is_ordered() and self.collate_fn is None and type(self.batch_size) is int and self.batch_size > 1

    def _tensors(self) -> Any:
        """Return the tensors that batches are slices of, None where a data set is of another kind."""
        return self.dataset.tensors if isinstance(self.dataset, TensorDataset) and self.collate_fn is None else None

    def _batch_sizes(self) -> tuple[list[Any], bool]:
        """Return the sizes of batches, and whether these are all: of many, the first two and the last are followed."""
        if self.batch_sampler is not None or self.batch_size is None:
            raise Undecidable(Unknown("the batches that a sampler makes are not known"))
        try:
            total = len(self.dataset)
            if self.sampler is not None:
                raise Undecidable(Unknown("how many samples a sampler gives is not known"))
        except Undecidable:
            return [unknown_size(), unknown_size()], False
        size: int = self.batch_size
        full, rest = divmod(total, size)
        rests = [rest] if rest and not self.drop_last else []
        if full + len(rests) <= _MOST_BATCHES:
            return [size] * full + rests, True
        return [size, size, *(rests or [size])], False

    def _collate(self, sample: Any, size: Any) -> Any:
        if self.collate_fn is None:
            return _collated(sample, size)
        if not isinstance(size, int) or size > _MOST_SAMPLES:
            return Unknown("what a function makes of a batch is not known", session.current().place())
        return self.collate_fn([sample] * size)


_MOST_BATCHES = 8
_MOST_SAMPLES = 256
_MOST_FOLLOWED = 64
"""How many samples of a data set are computed one after the other."""


def _some(samples: Any, size: Any) -> Any:
    """Return some samples of a tensor, it is not known which."""
    low = high = None
    values = samples.values_
    if values is not None and not samples.dtype.is_floating_point:
        array = values.array()
        if array.size and array.dtype.kind in "iu":
            low, high = int(array.min()), int(array.max()) + 1
    return _drawn(samples, size, low, high)


@op(f"{_DATA}.drawn")
def _drawn(samples, size, low=None, high=None):
    return Out((size, *samples.shape[1:]), samples.dtype)


def _sample(dataset: Any, is_stacked: bool) -> Any:
    """Return a sample of a data set whose samples are alike; where the first two `is_stacked`, they must be."""
    if isinstance(dataset, (IterableDataset, Unknown)):
        raise Undecidable(Unknown("the data that a DataLoader gives are not known"))
    first = dataset[0]
    try:
        others = [dataset[index] for index in sorted({1, len(dataset) - 1} - {0}) if index < len(dataset)]
    except Undecidable:
        others = []
    if is_stacked and others:
        for one, other in zip(_flat(first), _flat(others[0])):
            if _differ(one, other):
                raise Fault(
                    f"DataLoader: the first batch has samples of shapes {tuple(one.shape)} and {tuple(other.shape)}, "
                    "which can't be stacked",
                    FaultCode.RAGGED_DATA,
                )
    if any(_kind(other) != _kind(first) for other in others):
        raise Undecidable(Unknown("samples of a data set differ in shape", session.current().place()))
    return first


def _flat(sample: Any) -> Iterator[Any]:
    """Yield the parts of a sample."""
    if isinstance(sample, (list, tuple)):
        for part in sample:
            yield from _flat(part)
    elif isinstance(sample, dict):
        for part in sample.values():
            yield from _flat(part)
    else:
        yield sample


def _differ(one: Any, other: Any) -> bool:
    """Tell whether two tensors certainly have different shapes."""
    if not isinstance(one, Tensor) or not isinstance(other, Tensor):
        return False
    shapes = one.shape, other.shape
    return all(not isinstance(shape, Unknown) and all(type(size) is int for size in shape) for shape in shapes) and (
        tuple(one.shape) != tuple(other.shape)
    )


def _kind(sample: Any) -> Any:
    """Return what samples that are put into one batch have in common."""
    if isinstance(sample, Unknown):
        return sample.kind
    if isinstance(sample, dict):
        return {key: _kind(value) for key, value in sample.items()}
    if isinstance(sample, (list, tuple)):
        return [_kind(value) for value in sample]
    return (getattr(sample, "shape", None), str(getattr(sample, "dtype", "")), type(sample))


def _collated(sample: Any, size: Any) -> Any:
    """Return a batch of samples that are alike; their numbers are not known."""
    if isinstance(sample, Unknown) and sample.kind is None:
        return sample
    if isinstance(sample, Tensor):
        return sample._shape if isinstance(sample._shape, Unknown) else new((size, *sample.shape), sample.dtype)
    kind = sample.kind if isinstance(sample, Unknown) else type(sample)
    if kind in (bool, int, float):
        return new((size,), {bool: torch.bool, int: torch.int64, float: torch.float64}[kind])
    if isinstance(sample, dict):
        return {key: _collated(value, size) for key, value in sample.items()}
    if isinstance(sample, tuple) and hasattr(sample, "_fields"):
        return type(sample)(*(_collated(value, size) for value in sample))
    if isinstance(sample, (list, tuple)):
        return [_collated(value, size) for value in sample]
    if isinstance(sample, (str, bytes)):
        return Unknown("a batch of strings", session.current().place())
    if hasattr(sample, "dtype") and hasattr(sample, "shape"):
        return _collated(torch.as_tensor(sample), size)
    return Unknown(f"a batch of {type(sample).__name__}", session.current().place())


register(f"{_DATA}.get_worker_info", always(None))
register_all(_DATA, "_utils.worker.get_worker_info", always(None))
register_all(_DATA, "backward_compatibility.worker_init_fn", Inert)
