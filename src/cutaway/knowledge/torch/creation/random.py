"""Random tensors, the generators behind them, and seeds; their numbers are never known."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import register, row
from cutaway.knowledge.torch.elementwise.rows import refuse, refuse_filled, rule_of, shape_of, tensor
from cutaway.knowledge.torch.tensor.op import Out, inplace_op, op
from cutaway.knowledge.torch.tensor.options import device_of, dtype_of, size, sizes
from cutaway.knowledge.torch.tensor.tensor import Tensor, new
from cutaway.knowledge.torch.tensor.types import CPU, default_dtype, int64, uint8
from cutaway.ops.elementwise import broadcast


def _uniform(name: str) -> None:
    """Enter `rand` or `randn`, and its `_like`."""

    def make(
        *size, generator=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, **named
    ):
        dtype = dtype_of(dtype, default_dtype())
        _refuse_whole(name, dtype)
        return Out(sizes(name, size, named), dtype, device=device_of(device), requires_grad=requires_grad)

    def like(
        input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
        memory_format=None,
    ):  # fmt: skip
        dtype = dtype_of(dtype, input.dtype)
        _refuse_whole(f"{name}_like", dtype)
        return Out(input.shape, dtype, device=device_of(device), requires_grad=requires_grad)

    op(f"torch.{name}")(make)
    op(f"torch.{name}_like")(like)


def _refuse_whole(name: str, dtype: Any) -> None:
    refuse(name, dtype, "bi")


_uniform("rand")
_uniform("randn")


@op("torch.randint")
def randint(
    low=0, high=None, size=None, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False,
    pin_memory=False,
):  # fmt: skip
    if isinstance(high, (tuple, list)):
        high, size, low = low, high, 0
    elif high is None:
        high, low = low, 0
    if isinstance(low, int) and isinstance(high, int) and low >= high:
        raise Fault(f"randint: low is {low}, but must be less than high, which is {high}", FaultCode.INVALID_ARGUMENT)
    shape = sizes("randint", (size,))
    return Out(shape, dtype_of(dtype, int64), device=device_of(device), requires_grad=requires_grad)


@op("torch.randint_like")
def randint_like(
    input, low=0, high=None, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False,
    pin_memory=False, memory_format=None,
):  # fmt: skip
    return Out(input.shape, dtype_of(dtype, input.dtype), device=device_of(device), requires_grad=requires_grad)


@op("torch.randperm")
def randperm(n, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    return Out((size("randperm", n),), dtype_of(dtype, int64), device=device_of(device), requires_grad=requires_grad)


@op("torch.normal")
def normal(mean, std=1.0, size=None, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False):
    if size is not None:
        return Out(sizes("normal", (size,)), dtype_of(dtype, default_dtype()), device=device_of(device))
    like = tensor("normal", mean if isinstance(mean, Tensor) else std, "mean")
    shape = broadcast("normal", shape_of(mean), shape_of(std))
    return Out(shape, like.dtype)


@op("torch.bernoulli")
def bernoulli(input, p=None, *, generator=None):
    if p is None:
        refuse_filled("bernoulli", tensor("bernoulli", input), "bic")
    return Out(input.shape, input.dtype)


@op("torch.Tensor.bernoulli")
def bernoulli_method(self, p=None, *, generator=None):
    return rule_of(bernoulli)(self, p)


@op("torch.poisson")
def poisson(input, generator=None):
    refuse("poisson", input.dtype, "bic")
    return Out(input.shape, input.dtype)


@op("torch.binomial")
def binomial(count, prob, generator=None):
    return Out(broadcast("binomial", count.shape, prob.shape), count.dtype)


@op("torch.multinomial", "torch.Tensor.multinomial")
def multinomial(input, num_samples, replacement=False, *, generator=None):
    refuse("multinomial", input.dtype, "bic")
    rank = len(input.shape)
    if rank not in (1, 2):
        raise Fault(f"multinomial: needs 1 or 2 dimensions, but the input has {rank}", FaultCode.WRONG_RANK)
    available = input.shape[-1]
    if replacement is False and isinstance(available, int) and isinstance(num_samples, int) and num_samples > available:
        raise Fault(
            f"multinomial: {num_samples} samples without replacement are more than the {available} categories",
            FaultCode.INVALID_ARGUMENT,
        )
    return Out((*input.shape[:-1], size("multinomial", num_samples)), int64)


# In place


def _drawn(name: str, rule: Any, refused: str = "") -> None:
    def check(self, *args, **kwargs):
        rule(self, *args, **kwargs)
        refuse_filled(name, tensor(name, self, "self"), refused)
        return Out(self.shape, self.dtype)

    check.__wrapped__ = rule  # type: ignore[attr-defined]
    inplace_op(f"torch.Tensor.{name}")(check)


_drawn("normal_", lambda self, mean=0, std=1, *, generator=None: None, "bi")
_drawn("uniform_", lambda self, from_=0, to=1, *, generator=None, **named: None, "bi")
_drawn("random_", lambda self, from_=0, to=None, *, generator=None, **named: None, "c")
_drawn("bernoulli_", lambda self, p=0.5, *, generator=None: None, "c")
_drawn("exponential_", lambda self, lambd=1, *, generator=None: None, "bic")
_drawn("geometric_", lambda self, p, *, generator=None: None, "bc")
_drawn("cauchy_", lambda self, median=0, sigma=1, *, generator=None: None, "bic")
_drawn("log_normal_", lambda self, mean=1, std=2, *, generator=None: None, "bic")


# Generators and seeds


@row("torch.Generator", "torch._C.Generator")
class Generator:
    """A `torch.Generator`; it decides nothing that can be known."""

    def __init__(self, device: Any = "cpu") -> None:
        self.device = device_of(device) or CPU

    def manual_seed(self, seed: Any) -> Generator:
        """Seed it."""
        return self

    def set_state(self, new_state: Any) -> None:
        """Restore its state."""

    def get_state(self) -> Any:
        """Return its state."""
        return new((5056,), uint8)

    def seed(self) -> Any:
        """Seed it from the system."""
        return Unknown("a random seed")

    initial_seed = seed

    def clone_state(self) -> Generator:
        """Return another generator in the same state."""
        return Generator(self.device)


_default = Generator()
register("torch.default_generator", _default)
register("torch.random.default_generator", _default)


def manual_seed(seed):
    return _default


def initial_seed():
    return _default.seed()


def get_rng_state():
    return _default.get_state()


def set_rng_state(new_state):
    return None


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type=None) -> Iterator[None]:
    yield


for _name, _function in {
    "manual_seed": manual_seed,
    "seed": initial_seed,
    "initial_seed": initial_seed,
    "get_rng_state": get_rng_state,
    "set_rng_state": set_rng_state,
}.items():
    register(f"torch.{_name}", _function)
    register(f"torch.random.{_name}", _function)
register("torch.random.fork_rng", fork_rng)
