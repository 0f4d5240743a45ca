"""`torch.utils.data`: datasets, samplers and loaders, as far as their lengths and shapes are known."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size import dim
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import KnownModule, register, row
from cutaway.knowledge.torch.runtime.inert import Inert, always, register_all
from cutaway.knowledge.torch.tensor.tensor import Tensor, new

torch = KnownModule("torch")
T = TypeVar("T")
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
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
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
    """Batches of a dataset. Over tensors their shapes are known; of another dataset nothing is."""

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

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        samples = len(self.dataset if self.sampler is None else self.sampler)
        if self.batch_size is None:
            return samples
        size: int = self.batch_size
        return samples // size if self.drop_last else -(-samples // size)

    def __iter__(self) -> Iterator[Any]:
        plain = self.sampler is None and self.batch_sampler is None and self.collate_fn is None
        if not isinstance(self.dataset, TensorDataset) or not plain or self.batch_size is None:
            raise Undecidable(Unknown("the data that a DataLoader gives are not known"))
        total = len(self.dataset)
        for start in range(0, len(self) * self.batch_size, self.batch_size):
            stop = min(start + self.batch_size, total)
            yield [
                new((stop - start, *tensor.shape[1:]), tensor.dtype) if self.shuffle else tensor[start:stop]
                for tensor in self.dataset.tensors
            ]


register(f"{_DATA}.get_worker_info", always(None))
register_all(_DATA, "_utils.worker.get_worker_info", always(None))
register_all(_DATA, "backward_compatibility.worker_init_fn", Inert)
