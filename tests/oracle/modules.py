"""`python -m tests.oracle.modules [NAME...]`: our module classes against torch's, on samples of its `module_db`."""

from __future__ import annotations

import contextlib
import copy as copies
import inspect
import os
import random
import sys
import traceback
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.testing._internal.common_modules import module_db

from cutaway.core.size.dim import substitute
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import TABLE

from . import rows
from .calls import spread
from .check import ACCEPTED_ERRORS, quiet, recording, show
from .mutate import change
from .samples import SHAPE, SYMBOLIC, VALUES, Comparison, Converter, Different, Unconvertible, copy, dtype_name

MUTATIONS = 12
"""Changed constructors and inputs for each class."""


@dataclass(frozen=True)
class Sample:
    """Constructor arguments of a module class, the arguments of one call of it, and train or eval mode."""

    cls: type
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    forward_args: tuple[Any, ...] | None
    forward_kwargs: dict[str, Any]
    training: bool
    source: str = "module_db"

    def __str__(self) -> str:
        def listed(args: Any, kwargs: Any) -> str:
            return ", ".join([show(a) for a in args] + [f"{k}={show(v)}" for k, v in kwargs.items()])

        call = "" if self.forward_args is None else f"({listed(self.forward_args, self.forward_kwargs)})"
        mode = "training" if self.training else "eval"
        return f"{self.cls.__name__}({listed(self.args, self.kwargs)}){call} in {mode}, {self.source}"


def infos() -> dict[str, Any]:
    """Return torch's ModuleInfos by the class's name, those that we have a row for."""
    rows.load()
    known = {}
    for info in module_db:
        name = f"{info.module_cls.__module__}.{info.module_cls.__name__}"
        if name in TABLE or f"torch.nn.{info.module_cls.__name__}" in TABLE:
            known[info.name] = info
    return known


def class_names() -> list[str]:
    """Return the rows that stand for module classes of torch."""
    rows.load()
    known = ((name, rows.real(name)) for name in sorted(TABLE) if name.startswith("torch.nn."))
    return [name for name, real in known if isinstance(real, type) and issubclass(real, torch.nn.Module)]


def ours(cls: type) -> Any:
    """Return our class for a real one."""
    return TABLE.get(f"{cls.__module__}.{cls.__name__}") or TABLE[f"torch.nn.{cls.__name__}"]


def samples(name: str, limit: int = 1000) -> Iterator[Sample]:
    """Yield at most `limit` samples of one ModuleInfo, in both modes, then changed ones."""
    info = infos()[name]
    found = []
    for training in (True, False):
        with quiet():
            inputs = info.module_inputs_func(
                info, device="cpu", dtype=torch.float32, requires_grad=False, training=training
            )
        for made in inputs:
            build, call = made.constructor_input, made.forward_input
            found.append(
                Sample(
                    info.module_cls, tuple(build.args), build.kwargs,
                    None if call is None else tuple(call.args), {} if call is None else call.kwargs, training,
                )
            )  # fmt: skip
    yield from spread(found, limit)
    rng = random.Random(zlib.crc32(name.encode()))
    for _ in range(MUTATIONS if found else 0):
        base = rng.choice(found)
        args, kwargs = copy((list(base.args), dict(base.kwargs)))
        if rng.random() < 0.7:
            args, kwargs = change(rng, args, kwargs, plain=True)
        call_args, call_kwargs = copy((list(base.forward_args or ()), dict(base.forward_kwargs)))
        if rng.random() < 0.6:
            call_args, call_kwargs = change(rng, call_args, call_kwargs)
        forward = None if base.forward_args is None else tuple(call_args)
        yield Sample(base.cls, tuple(args), kwargs, forward, call_kwargs, base.training, "mutated")


def differences(sample: Sample, tally: Counter[str] | None = None) -> list[str]:
    """Return a line for each way in which our class contradicts torch's on this sample; count the rest in `tally`."""
    found: list[str] = []
    tally = Counter() if tally is None else tally
    for mode in (SHAPE, VALUES, SYMBOLIC):
        try:
            found += [f"{mode}: {line}" for line in _differences(sample, mode, tally) if line not in " ".join(found)]
        except Unconvertible as reason:
            tally[f"skipped for {reason}"] += 1
            return found
    return found


def _differences(sample: Sample, mode: str, tally: Counter[str]) -> Iterator[str]:
    build = Converter(SHAPE)
    with quiet():
        theirs, error = _attempt(lambda: sample.cls(*copy(sample.args), **copy(sample.kwargs)))
    args, kwargs = build((sample.args, sample.kwargs))
    with recording() as here:
        mine, raised = _attempt(lambda: ours(sample.cls)(*args, **kwargs))
        verdict = _raising(error, raised, "constructor")
        if verdict is not None:
            tally["constructor raises"] += 1
            if verdict:
                yield verdict
            return
        if mine is None:
            tally["constructor unknown"] += 1
            return
        theirs.train(sample.training)
        mine.train(sample.training)
        yield from structure(mine, theirs)
        if mode == SHAPE:
            yield from _attributes(mine, theirs)
            duplicate, raised = _attempt(lambda: copies.deepcopy(mine))
            if raised is not None:
                yield f"deepcopy: {_line(raised)}"
            elif duplicate is not None:
                yield from structure(duplicate, theirs, "deepcopy: ")
        if sample.forward_args is None:
            return
        counted = None if mode == VALUES else _real_flops(sample, theirs)
        call_args, call_kwargs = copy((sample.forward_args, sample.forward_kwargs))
        with quiet():
            result, error = _attempt(lambda: theirs(*call_args, **call_kwargs))
        converter = Converter(mode)
        call_args, call_kwargs = converter((sample.forward_args, sample.forward_kwargs))
        here.operations.clear()
        output, raised = _attempt(lambda: mine(*call_args, **call_kwargs))
        verdict = _raising(error, raised, "forward")
        if verdict is not None:
            tally["forward raises" if raised is not None else "forward lenient"] += 1
            if verdict:
                yield verdict
            return
        if output is None and result is not None:
            tally[f"forward unknown, {mode}"] += 1
            return
        comparison = Comparison(converter)
        try:
            comparison.compare(output, result)
        except (Different, Unconvertible) as difference:
            yield f"forward: {difference}"
        tally[f"forward unknown, {mode}" if comparison.unknown else f"forward known, {mode}"] += 1
        if counted is not None and not comparison.unknown and not here.unknowns:
            macs = substitute(sum(operation.macs for operation in here.operations), converter.sizes)
            if isinstance(macs, int) and macs * 2 != counted:
                yield f"flops: {macs * 2} instead of {counted}"


def structure(mine: Any, theirs: torch.nn.Module, prefix: str = "") -> Iterator[str]:
    """Compare parameters, buffers and submodules by name, in order."""
    weights = [
        (n, tuple(w.shape), dtype_name(w.dtype), w.requires_grad)
        for n, w in (*theirs.named_parameters(), *theirs.named_buffers())
        if not isinstance(w, torch.nn.parameter.UninitializedTensorMixin)
    ]
    tables: list[tuple[str, Any, Any]] = []
    uninitialised = any(isinstance(w, torch.nn.parameter.UninitializedTensorMixin) for w in theirs.parameters())
    if not uninitialised:
        found = [
            (n, tuple(w.shape), w.dtype.name, w.requires_grad)
            for n, w in (*mine.named_parameters(), *mine.named_buffers())
        ]
        tables.append(("weights", found, weights))
        tables.append(("state_dict names", list(mine.state_dict()), list(theirs.state_dict())))
    tables.append(
        (
            "modules",
            [(n, type(m).__name__, m.training) for n, m in mine.named_modules()],
            [(n, type(m).__name__, m.training) for n, m in theirs.named_modules()],
        )
    )
    for what, found, expected in tables:
        if found != expected:
            wrong = [x for x in found if x not in expected] or found
            missing = [x for x in expected if x not in found] or expected
            yield f"{prefix}{what}: {wrong} instead of {missing}"


_UNMODELLED_ATTRIBUTES = {
    "has_uninitialized_params": "lazy modules are modelled in their own way",
    "initialize_parameters": "lazy modules are modelled in their own way",
}


def _attributes(mine: Any, theirs: torch.nn.Module) -> Iterator[str]:
    converter = Converter(SHAPE)
    for (path, real), (_, model) in zip(theirs.named_modules(), mine.named_modules()):
        for name, value in vars(real).items():
            if name.startswith("_") or name in _UNMODELLED_ATTRIBUTES:
                continue
            place = f"{path}.{name}" if path else name
            if not hasattr(model, name):
                yield f"attribute {place}: missing, torch has {show(value)}"
                continue
            found = getattr(model, name)
            try:
                expected = converter(value)
            except Unconvertible:
                continue
            if isinstance(value, torch.Tensor) or isinstance(found, Unknown):
                continue
            if callable(expected):
                if found is not expected and getattr(found, "__name__", 0) != getattr(expected, "__name__", 1):
                    yield f"attribute {place}: {found!r} instead of {value!r}"
            elif type(found) is not type(expected) or found != expected:
                yield f"attribute {place}: {found!r} instead of {value!r}"


def _attempt(action: Any) -> tuple[Any, BaseException | None]:
    try:
        return action(), None
    except Undecidable:
        return None, None
    except Exception as error:
        return None, error


def _raising(error: BaseException | None, raised: BaseException | None, what: str) -> str | None:
    """Judge exceptions: None if nobody raised, an empty text if that is fine, else what is wrong."""
    if raised is None:
        return None if error is None else ""
    if error is None:
        return f"{what}: ours raises {_line(raised)}, torch does not"
    if not isinstance(raised, (*ACCEPTED_ERRORS, type(error))):
        return f"{what}: ours crashes with {_line(raised)} where torch raises {_line(error)}"
    return ""


def _line(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}{place}"


def _real_flops(sample: Sample, module: torch.nn.Module) -> int | None:
    from torch.utils.flop_counter import FlopCounterMode

    def to_meta(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.detach().to("meta")
        if type(value) in (tuple, list):
            return type(value)(map(to_meta, value))
        return value

    counter = FlopCounterMode(display=False)
    with quiet(), contextlib.suppress(Exception):
        there = copies.deepcopy(module).to("meta")
        args = to_meta(sample.forward_args)
        kwargs = {k: to_meta(v) for k, v in sample.forward_kwargs.items()}
        with counter:
            there(*args, **kwargs)
        return counter.get_total_flops()
    return None


def bases(name: str) -> tuple[list[str], list[str]]:
    """Return the modelled bases of our class and of the real one, in method resolution order."""
    theirs = [f"{base.__module__}.{base.__qualname__}" for base in inspect.getmro(rows.real(name))]
    expected = [base for base in theirs if base in TABLE]
    mine = [f"{base.__module__}.{base.__qualname__}" for base in inspect.getmro(TABLE[name])]
    return [base for base in mine if base in expected], expected


def main() -> int:
    """Check the named classes, or all."""
    wanted = sys.argv[1:]
    failed = 0
    known = infos()
    for module, error in rows.BROKEN.items():
        print(f"cannot import {module}:\n{error}", file=sys.stderr)
    for name in known:
        if wanted and not any(w in (name, name.rpartition(".")[2]) for w in wanted):
            continue
        lines: dict[str, str] = {}
        tally: Counter[str] = Counter()
        for sample in samples(name):
            for line in differences(sample, tally):
                lines.setdefault(line, str(sample))
        counts = ", ".join(f"{count} {what}" for what, count in tally.items())
        print(f"{'fail' if lines else 'pass':5} {name}: {counts}")
        for line, where in list(lines.items())[:12]:
            print(f"    {line}\n        {where}")
        failed += bool(lines)
    print(f"{failed} of {len(known)} classes fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
