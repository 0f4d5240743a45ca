"""Where sample calls come from: torch's own op database, and the examples in its documentation."""

from __future__ import annotations

import contextlib
import doctest
import functools
import io
import itertools
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.testing._internal.common_methods_invocations import op_db

from cutaway.knowledge.base.registry import TABLE

from .check import Call, quiet
from .extra import from_extra
from .rows import callables, names_of_real, real
from .samples import copy

DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64)
SAMPLES = 24
"""Samples per operation and dtype."""


@functools.cache
def infos() -> dict[str, Any]:
    """Return torch's OpInfos by name."""
    return {op.name + (f"-{op.variant_test_name}" if op.variant_test_name else ""): op for op in op_db}


@functools.cache
def names_of(label: str) -> tuple[str, ...]:
    """Return the rows that an OpInfo's samples can be given to as they are."""
    info = infos()[label]
    functions = [
        info.op,
        info.method_variant,
        info.inplace_variant,
        info.operator_variant,
        info.inplace_operator_variant,
    ]
    functions += [v for alias in info.aliases for v in (alias.op, alias.method_variant, alias.inplace_variant)]
    found: dict[str, None] = {}
    for function in functions:
        for name in _names(function):
            found.setdefault(name)
    for bare in (info.name, *(alias.name for alias in info.aliases)):
        for name in _names_by_tail().get(tail(bare), ()):
            found.setdefault(name)
    return tuple(found)


_OPERATIONS = {
    "torch", "torch.Tensor", "torch.functional", "torch.nn.functional", "torch._C._nn", "torch.linalg", "torch.fft",
    "torch.special", "torch._VF",
}  # fmt: skip


@functools.cache
def _names_by_tail() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in callables():
        if name.rpartition(".")[0] in _OPERATIONS:
            found.setdefault(tail(name), []).append(name)
    return found


def _names(function: Any) -> list[str]:
    try:
        return names_of_real().get(function, [])
    except TypeError:
        return []


class Capture(TorchFunctionMode):
    """Collects the calls of modelled functions that code makes, with copies of their arguments."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source
        self.calls: list[Call] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        for name in _names(func):
            with contextlib.suppress(Exception):
                self.calls.append(Call(name, *copy((tuple(args), kwargs)), self.source))
        return func(*args, **kwargs)


def from_op_db(label: str, limit: int = SAMPLES, dtypes: tuple[Any, ...] = DTYPES) -> Iterator[Call]:
    """Yield the calls that one OpInfo's samples make: each of its variants, and what wrappers call inside."""
    info = infos()[label]
    names = names_of(label)
    direct = set(names)
    for dtype in dtypes:
        if dtype not in info.dtypes:
            continue
        with quiet():
            samples = spread(info.sample_inputs("cpu", dtype, requires_grad=False), limit)
        for number, sample in enumerate(samples):
            source = f"op_db {label} {str(dtype).removeprefix('torch.')} #{number}"
            for name in names:
                if "." in name and name.split(".")[-1].endswith("_") and sample.broadcasts_input:
                    continue
                yield Call(name, (sample.input, *sample.args), sample.kwargs, source)
            with quiet(), Capture(source) as capture, contextlib.suppress(Exception):
                info.op(*copy((sample.input, *sample.args)), **copy(sample.kwargs))
            yield from (call for call in capture.calls if call.name not in direct)


def errors_from_op_db(label: str) -> Iterator[Call]:
    """Yield calls that torch is known to reject."""
    info = infos()[label]
    if info.error_inputs_func is None:
        return
    with quiet():
        try:
            inputs = list(itertools.islice(info.error_inputs("cpu"), 60))
        except Exception:
            return
    for number, error in enumerate(inputs):
        sample = error.sample_input
        for name in names_of(label):
            if name.split(".")[-1].endswith("_") and not name.endswith("__"):
                continue
            yield Call(name, (sample.input, *sample.args), sample.kwargs, f"op_db {label} error #{number}")


def spread(samples: Any, limit: int) -> list[Any]:
    """Return at most `limit` of the samples, spread over the whole; the first always among them."""
    found = list(itertools.islice(samples, 400))
    if len(found) <= limit:
        return found
    step = len(found) / limit
    return [found[int(i * step)] for i in range(limit)]


_UNSAFE = (
    "save(",
    "load(",
    "distributed",
    "multiprocessing",
    "cuda",
    "xpu",
    "compile(",
    "profiler",
    "open(",
    "onnx",
    "jit",
    "set_default",
    "set_num_threads",
    "use_deterministic",
    "set_printoptions",
    "set_flush_denormal",
    "set_float32",
    "manual_seed",
    "set_rng_state",
    "inference_mode",
)


def has_examples(name: str) -> bool:
    """Tell whether the real object's docstring has examples."""
    return ">>>" in (getattr(real(name), "__doc__", None) or "")


@contextlib.contextmanager
def _elsewhere() -> Iterator[None]:
    """Work in a folder that is removed afterwards."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


@functools.cache
def from_documentation(name: str) -> tuple[Call, ...]:
    """Return the modelled calls made by the examples in the real object's docstring."""
    if not has_examples(name):
        return ()
    try:
        examples = doctest.DocTestParser().get_examples(real(name).__doc__)
    except ValueError:
        return ()
    scope: dict[str, Any] = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "math": __import__("math")}
    capture = Capture(f"documentation of {name}")
    silent = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    with quiet(), silent[0], silent[1], _elsewhere():  # some examples write files
        for example in examples:
            if any(word in example.source for word in _UNSAFE):
                continue
            with contextlib.suppress(Exception, SystemExit), capture:
                exec(compile(example.source, "<example>", "exec"), scope)
    return tuple(capture.calls)


def every_source(wanted: Callable[[str], bool]) -> Iterator[Call]:
    """Yield the calls of all sources whose row name is wanted."""
    from .mutate import mutations

    names = [name for name in TABLE if wanted(name) and callable(real(name))]
    tails = {tail(name) for name in names}
    for label, info in infos().items():
        if not any(map(wanted, names_of(label))) and tail(info.name) not in tails:
            continue
        calls = [call for call in from_op_db(label) if wanted(call.name)]
        yield from calls
        yield from (call for call in errors_from_op_db(label) if wanted(call.name))
        yield from mutations(calls)
    for name in names:
        yield from (call for call in from_documentation(name) if wanted(call.name))
        extra = list(from_extra(name))
        yield from extra
        yield from mutations(extra)


def tail(name: str) -> str:
    """Return the bare name of an operation: `add` for `torch.Tensor.add_` and `torch.Tensor.__radd__`."""
    last = name.rpartition(".")[2]
    if last.startswith("__") and last.endswith("__"):
        return _OPERATORS.get(last[2:-2], last[2:-2])
    return last.rstrip("_")


_OPERATORS = {"truediv": "div", "itruediv": "div", "rtruediv": "rdiv", "floordiv": "floor_divide", "mod": "remainder"}
_OPERATORS |= {"imod": "remainder", "ifloordiv": "floor_divide", "and": "bitwise_and", "or": "bitwise_or"}
_OPERATORS |= {"xor": "bitwise_xor", "iand": "bitwise_and", "ior": "bitwise_or", "ixor": "bitwise_xor"}
_OPERATORS |= {"invert": "bitwise_not", "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift"}
_OPERATORS |= {"ilshift": "bitwise_left_shift", "irshift": "bitwise_right_shift", "rfloordiv": "floor_divide"}
_OPERATORS |= {"rlshift": "bitwise_left_shift", "rrshift": "bitwise_right_shift", "setitem": "getitem"}
_OPERATORS |= {f"i{name}": name for name in ("add", "sub", "mul", "pow")}
"""Operators of Python -> the operation whose samples suit them."""


warnings.filterwarnings("ignore")
