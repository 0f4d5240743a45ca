"""`torch.nn.utils.rnn`: sequences of different lengths, padded or packed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size import dim
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import KnownModule, row
from cutaway.knowledge.torch.tensor.op import Out, compute, op
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import int64
from cutaway.ops.elementwise import written

torch = KnownModule("torch")
_PACKAGE = "torch.nn.utils.rnn"


@row(f"{_PACKAGE}.PackedSequence_")
class PackedSequence_(NamedTuple):
    """The fields of a packed sequence."""

    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


@row(f"{_PACKAGE}.PackedSequence")
class PackedSequence(PackedSequence_):
    """The steps of all sequences one after the other, and how many sequences each step has."""

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> Any:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            data, batch_sizes = data
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> Any:
        return type(self)(self.data.to(*args, **kwargs), *self[1:])

    def _move(self, *_args: Any, **_kwargs: Any) -> Any:
        return self

    cuda = cpu = pin_memory = _move

    def double(self) -> Any:
        return self.to(dtype=torch.double)

    def float(self) -> Any:
        return self.to(dtype=torch.float)

    def half(self) -> Any:
        return self.to(dtype=torch.half)

    def long(self) -> Any:
        return self.to(dtype=torch.long)

    def int(self) -> Any:
        return self.to(dtype=torch.int)

    @property
    def is_cuda(self) -> bool:
        return bool(self.data.is_cuda)


def count(batch_sizes: Any) -> Any:
    """Return how many sequences a packed sequence holds.

    That is the first of `batch_sizes`, and it stays known where the lengths are not: packing puts
    every sequence into the first step.
    """
    if hasattr(batch_sizes, "sequences"):
        return batch_sizes.sequences
    if batch_sizes.values_ is not None:
        return int(batch_sizes.array()[0])
    return dim.unknown_size()


@row(f"{_PACKAGE}.invert_permutation")
def invert_permutation(permutation: Any) -> Any:
    if permutation is None:
        return None
    return torch.argsort(permutation)


@op("torch._pack_padded_sequence", "torch._VF._pack_padded_sequence")
def _pack_padded_sequence(input, lengths, batch_first):
    batch, steps = (input.shape[0], input.shape[1]) if batch_first else (input.shape[1], input.shape[0])
    if dim.equal(lengths.shape[0], batch) is False:
        raise Fault(
            f"pack_padded_sequence: lengths has {lengths.shape[0]} entries, but the input has a batch of {batch}",
            FaultCode.SHAPE_MISMATCH,
        )
    total: dim.Size
    longest: dim.Size
    if lengths.values_ is None:
        total, longest = dim.unknown_size(), dim.unknown_size()
    else:
        known = lengths.array()
        if (known <= 0).any():
            raise Fault(
                f"pack_padded_sequence: every length must be positive, but one is {known.min()}",
                FaultCode.INVALID_ARGUMENT,
            )
        if (known[1:] > known[:-1]).any():
            raise Fault(
                "pack_padded_sequence: lengths are not in decreasing order; pass enforce_sorted=False",
                FaultCode.INVALID_ARGUMENT,
            )
        # A length beyond the padded input is not an error: the missing steps are left out of the data.
        present = known if not isinstance(steps, int) else known.clip(max=steps)
        total, longest = int(present.sum()), int(known[0])
    sizes = compute(lambda np, n: (n[None, :] > np.arange(n[0])[:, None]).sum(1), lengths)
    return Out((total, *input.shape[2:]), input.dtype), Out((longest,), int64, sizes)


@op("torch._pad_packed_sequence", "torch._VF._pad_packed_sequence", strided=True)
def _pad_packed_sequence(data, batch_sizes, batch_first, padding_value, total_length):
    sequences = count(batch_sizes)
    outer = (sequences, total_length) if batch_first else (total_length, sequences)
    lengths = compute(lambda np, sizes: (sizes[None, :] > np.arange(sizes[0])[:, None]).sum(1), batch_sizes)
    return Out((*outer, *data.shape[1:]), data.dtype), Out((sequences,), int64, lengths)


@op("torch._C._nn.pad_sequence")
def _pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    if not sequences:
        raise Fault("pad_sequence: received an empty list of sequences", FaultCode.INVALID_ARGUMENT)
    if padding_side not in ("left", "right"):
        raise Fault(
            f'pad_sequence: padding_side is {padding_side!r}, but must be "left" or "right"', FaultCode.INVALID_ARGUMENT
        )
    trailing = sequences[0].shape[1:]
    longest: dim.Size = 0
    for sequence in sequences:
        longest = dim.maximum(longest, sequence.shape[0])
        rest = sequence.shape[1:]
        if len(rest) != len(trailing) or any(dim.equal(a, b) is False for a, b in zip(rest, trailing)):
            raise Fault(
                "pad_sequence: sequences differ in more than their first dimension: "
                f"{written(sequences[0].shape)} and {written(sequence.shape)}",
                FaultCode.SHAPE_MISMATCH,
            )
    outer = (len(sequences), longest) if batch_first else (longest, len(sequences))
    return Out((*outer, *trailing), sequences[0].dtype)


def _require_lengths(input: Any, lengths: Any, batch_dim: int) -> None:
    """Require one length for each sequence of a batch.

    With fewer of them, torch packs some of the sequences, if it sorts them; a size that is open is not assumed to be so.
    """

    def require() -> None:
        batch, count = input.shape[batch_dim], lengths.shape[0]
        if dim.equal(count, batch) is False and not (isinstance(count, int) and isinstance(batch, int)):
            raise Fault(
                f"pack_padded_sequence: lengths has {count} entries, but the input has a batch of {batch}",
                FaultCode.SHAPE_MISMATCH,
            )

    if isinstance(input.shape, Unknown) or isinstance(lengths.shape, Unknown):
        return
    if len(lengths.shape) != 1:
        raise Fault(
            f"pack_padded_sequence: lengths must have one dimension, but has {len(lengths.shape)}", FaultCode.WRONG_RANK
        )
    if len(input.shape) <= batch_dim:
        return
    solver = session.current().solver
    if solver is None:
        require()
    else:
        solver.attempt(require, (), {})


@row(f"{_PACKAGE}.pack_padded_sequence")
def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    if isinstance(lengths, Tensor) and lengths.dtype.is_floating_point:
        session.current().meant_dtypes[lengths._number] = int64.name  # torch converts them, and rounds down
    lengths = torch.as_tensor(lengths, dtype=int64)
    batch_dim = 0 if batch_first else 1
    sorted_indices = None
    _require_lengths(input, lengths, batch_dim)
    sequences = input.shape[batch_dim]
    if not enforce_sorted:
        lengths, sorted_indices = torch.sort(lengths, descending=True)
        input = input.index_select(batch_dim, sorted_indices)
    data, batch_sizes = _pack_padded_sequence(input, lengths, batch_first)
    batch_sizes.sequences = sequences
    return PackedSequence(data, batch_sizes, sorted_indices, None)


@row(f"{_PACKAGE}.pad_packed_sequence")
def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    steps = sequence.batch_sizes.shape[0]
    if total_length is not None:
        if dim.less(total_length, steps) is True:
            raise ArgumentFault(
                f"pad_packed_sequence: total_length is {total_length}, but the longest sequence has {steps} steps",
                FaultCode.SHAPE_MISMATCH,
            )
        steps = total_length
    padded, lengths = _pad_packed_sequence(sequence.data, sequence.batch_sizes, batch_first, padding_value, steps)
    unsorted_indices = sequence.unsorted_indices
    if unsorted_indices is not None:
        return padded.index_select(0 if batch_first else 1, unsorted_indices), lengths[unsorted_indices]
    return padded, lengths


@row(f"{_PACKAGE}.pad_sequence")
def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    if not isinstance(sequences, Iterable):
        raise Fault(
            f"pad_sequence: expected an iterable of sequences, but got {type(sequences).__name__}", FaultCode.WRONG_TYPE
        )
    return _pad_sequence(tuple(sequences), batch_first, padding_value, padding_side)


@row(f"{_PACKAGE}.unpad_sequence")
def unpad_sequence(padded_sequences, lengths, batch_first=False):
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    if lengths.values_ is None:
        sizes = [dim.unknown_size() for _ in range(len(lengths))]
        return [_unpad(part, size) for part, size in zip(padded_sequences, sizes)]
    return [part[: int(size)] for part, size in zip(padded_sequences, lengths.array())]


@op(f"{_PACKAGE}.unpad_one")
def _unpad(sequence, length):
    return Out((length, *sequence.shape[1:]), sequence.dtype)


@row(f"{_PACKAGE}.pack_sequence")
def pack_sequence(sequences, enforce_sorted=True):
    lengths = torch.as_tensor([part.shape[0] for part in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


@row(f"{_PACKAGE}.unpack_sequence")
def unpack_sequence(packed_sequences):
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
