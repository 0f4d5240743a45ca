"""One call made in the real torch and in our tables, and the verdict on ours."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.session import Session
from cutaway.core.size.dim import product, substitute
from cutaway.core.size.facts import holds_at
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import TABLE
from cutaway.knowledge.torch.tensor.tensor import Tensor

from .rows import real
from .samples import SHAPE, SYMBOLIC, VALUES, Comparison, Converter, Different, Unconvertible, copy

PASS, UNKNOWN, FAIL, LENIENT, RAISES, SKIP = "pass", "unknown", "fail", "lenient", "raises", "skip"
ACCEPTED_ERRORS = (Fault, TypeError, ValueError, IndexError, NotImplementedError, RuntimeError)
"""What ours may raise where torch raises; anything else is a crash of ours."""


@dataclass(frozen=True)
class Call:
    """A row's name with real arguments, and where the sample comes from."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    source: str

    def __str__(self) -> str:
        parts = [show(a) for a in self.args] + [f"{k}={show(v)}" for k, v in self.kwargs.items()]
        return f"{self.name}({', '.join(parts)})"


@dataclass
class Outcome:
    """The verdict on one call, by mode, with a line of explanation for each failure."""

    call: Call
    modes: dict[str, str] = field(default_factory=dict)
    details: list[str] = field(default_factory=list)
    numbers: int = 0

    @property
    def verdict(self) -> str:
        """Return the verdict of the whole; a call is unknown if its result stays so with all numbers given."""
        seen = set(self.modes.values())
        for verdict in (FAIL, SKIP, LENIENT, RAISES):
            if verdict in seen:
                return verdict
        return UNKNOWN if self.modes.get(VALUES) == UNKNOWN else PASS


def show(value: Any) -> str:
    """Write an argument briefly: `float32[2, 3]` for a tensor."""
    if isinstance(value, torch.Tensor):
        text = str(value.dtype).removeprefix("torch.") + str(list(value.shape))
        small = value.layout is torch.strided and 0 < value.numel() <= 4 and not value.is_floating_point()
        return f"{text}={value.tolist()}" if small and value.device.type == "cpu" else text
    if isinstance(value, torch.Size):
        return str(tuple(value))
    if isinstance(value, (tuple, list)):
        text = ", ".join(map(show, value))
        return f"({text},)" if isinstance(value, tuple) else f"[{text}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {show(v)}" for k, v in value.items()) + "}"
    return repr(value)


def check(call: Call, modes: tuple[str, ...] = (SHAPE, VALUES, SYMBOLIC), flops: bool = False) -> Outcome:
    """Make the call in both worlds, abstracting the arguments in each of the modes."""
    outcome = Outcome(call)
    try:
        for mode in modes:
            Converter(mode)((call.args, call.kwargs))
    except Unconvertible as reason:
        outcome.modes["convert"] = SKIP
        outcome.details.append(f"skip: {reason}")
        return outcome
    args, kwargs = copy((call.args, call.kwargs))
    theirs: Any = None
    error: Exception | None = None
    with quiet():
        try:
            theirs = real(call.name)(*args, **kwargs)
            if theirs is NotImplemented:
                raise TypeError("unsupported operands")
        except Exception as raised:
            error = raised
    for mode in modes:
        _one_mode(call, mode, outcome, theirs, error, args)
    if flops and error is None:
        _flops(call, outcome)
    return outcome


def _one_mode(call: Call, mode: str, outcome: Outcome, theirs: Any, error: Exception | None, written: Any) -> None:
    converter = Converter(mode)
    args, kwargs = converter((call.args, call.kwargs))
    comparison = Comparison(converter)
    with recording() as here:
        try:
            with time_limit(20):
                ours = TABLE[call.name](*args, **kwargs)
        except Undecidable:
            outcome.modes[mode] = UNKNOWN
            return
        except Exception as raised:
            _raised(outcome, mode, error, raised)
            return
        if error is not None:
            outcome.modes[mode] = LENIENT if not isinstance(ours, Unknown) else UNKNOWN
            if mode == SHAPE:
                outcome.details.append(f"torch raises {_line(error)}")
            return
        try:
            if _supposed(here, converter):
                outcome.modes[mode] = UNKNOWN
                return
            if not call.name.endswith("__setitem__"):  # Python discards what it returns
                comparison.compare(ours, theirs)
            _written(call, comparison, args, written)
            _identity(ours, theirs, args, written, mode)
        except Different as difference:
            outcome.modes[mode] = FAIL
            outcome.details.append(f"{mode}: {difference}")
        except Undecidable:
            outcome.modes[mode] = UNKNOWN
        except Unconvertible as reason:
            outcome.modes[mode] = SKIP
            outcome.details.append(f"skip: {reason}")
        else:
            outcome.modes[mode] = UNKNOWN if comparison.unknown else PASS
            outcome.numbers += comparison.numbers


def _supposed(here: Session, converter: Converter) -> bool:
    """Tell whether something was supposed that is not so here; what a row says that it needs has to be so."""
    untrue = [fact for fact in here.facts.learned if holds_at(fact.relation, converter.sizes) is False]
    for fact in untrue:
        if not fact.supposed:
            raise Different(f"{fact} is said to be needed, but torch does without")
    return bool(untrue)


def _raised(outcome: Outcome, mode: str, error: Exception | None, raised: Exception) -> None:
    where = traceback.extract_tb(raised.__traceback__)[-1]
    place = f"{os.path.basename(where.filename)}:{where.lineno}"
    if error is None:
        outcome.modes[mode] = FAIL
        outcome.details.append(f"{mode}: ours raises {_line(raised)} ({place}), torch does not")
    elif not isinstance(raised, (*ACCEPTED_ERRORS, type(error))):
        outcome.modes[mode] = FAIL
        outcome.details.append(f"{mode}: ours crashes with {_line(raised)} ({place}) where torch raises {_line(error)}")
    else:
        outcome.modes[mode] = RAISES


def _written(call: Call, comparison: Comparison, ours: Any, theirs: Any) -> None:
    """Compare the arguments after the call: an in-place operation changes them, others must not."""
    for index, (mine, his) in enumerate(zip(ours, theirs)):
        if isinstance(his, torch.Tensor) and his.layout is torch.strided:
            comparison.compare(mine, his, f"argument {index} afterwards")


def _identity(ours: Any, theirs: Any, our_args: Any, their_args: Any, mode: str) -> None:
    """An in-place operation returns its argument; a view of an argument whose numbers are known must say so."""
    if not (isinstance(theirs, torch.Tensor) and isinstance(ours, Tensor)):
        return
    for mine, his in zip(our_args, their_args):
        if theirs is his and isinstance(mine, Tensor) and ours is not mine and ours._storage is not mine._storage:
            raise Different("result: a new tensor instead of the argument itself")
        if (
            mode == VALUES
            and isinstance(his, torch.Tensor)
            and isinstance(mine, Tensor)
            and theirs.numel()
            and ours.values_ is not None
            and theirs.untyped_storage().data_ptr() == his.untyped_storage().data_ptr()
            and ours._storage is not mine._storage
        ):
            raise Different("result: shares memory with the argument in torch, not in ours (view=True is missing)")


def _flops(call: Call, outcome: Outcome) -> None:
    """Compare twice our multiply-accumulates with torch's own count, where it counts any."""
    theirs = real_flops(call)
    if theirs is None:
        return
    for mode in (SHAPE, SYMBOLIC):
        converter = Converter(mode)
        args, kwargs = converter((call.args, call.kwargs))
        with recording() as here:
            try:
                result = TABLE[call.name](*args, **kwargs)
            except (Undecidable, Exception):
                return
            if isinstance(result, Unknown):
                continue
            macs = substitute(sum(operation.macs for operation in here.operations), converter.sizes)
        uncounted = theirs == 0 and (call.name.endswith("_") or _is_dot(here))
        if macs * 2 != theirs and not uncounted:
            outcome.modes[f"flops {mode}"] = FAIL
            outcome.details.append(f"flops {mode}: {macs * 2} instead of {theirs}")


def _is_dot(here: Session) -> bool:
    """Torch computes a product with a single result by `dot`, which its counter does not count; nor in-place forms."""
    return all(product(out.shape) == 1 for operation in here.operations for out in operation.outputs)


def real_flops(call: Call) -> int | None:
    """Return what `FlopCounterMode` counts for the call on the meta device, or None if it does not run there."""
    from torch.utils.flop_counter import FlopCounterMode

    def to_meta(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.detach().to("meta")
        if type(value) in (tuple, list):
            return type(value)(map(to_meta, value))
        if isinstance(value, dict):
            return {k: to_meta(v) for k, v in value.items()}
        return value

    counter = FlopCounterMode(display=False)
    with quiet():
        try:
            args, kwargs = to_meta((call.args, call.kwargs))
            with counter:
                real(call.name)(*args, **kwargs)
        except Exception:
            return None
    return counter.get_total_flops()


@contextlib.contextmanager
def recording() -> Iterator[Session]:
    """Install a fresh session for the duration."""
    with session.installed(Session()) as here:
        yield here


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Run the real torch reproducibly and without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.default_generator.manual_seed(0)
        yield


class Endless(Exception):
    """A rule of ours did not come to an end in time."""


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise `Endless` in the body after so many seconds."""

    def stop(*_: Any) -> None:
        raise Endless(f"still running after {seconds} s")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def _line(error: Exception) -> str:
    text = re.sub(r"\s+", " ", str(error))
    return f"{type(error).__name__}: {text[:160]}"
