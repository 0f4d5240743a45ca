"""`torch.nn.modules.padding`."""

from __future__ import annotations

from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.torch.nn.batchnorm import require_rank
from cutaway.knowledge.torch.nn.module import Module, layer
from cutaway.knowledge.torch.nn.sizes import ntuple

F = KnownModule("torch.nn.functional")
HOME = "torch.nn.modules.padding"


@layer
class _CircularPadNd(Module):
    """What circular pads share."""

    __module__ = HOME
    __constants__ = ["padding"]

    def _check_input_dim(self, input):
        raise NotImplementedError

    def forward(self, input):
        self._check_input_dim(input)
        return F.pad(input, self.padding, "circular")


@layer
class _ConstantPadNd(Module):
    """What constant pads share."""

    __module__ = HOME
    __constants__ = ["padding", "value"]

    def __init__(self, value):
        super().__init__()
        self.value = value

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)


@layer
class _ReflectionPadNd(Module):
    """What reflection pads share."""

    __module__ = HOME
    __constants__ = ["padding"]

    def forward(self, input):
        return F.pad(input, self.padding, "reflect")


@layer
class _ReplicationPadNd(Module):
    """What replication pads share."""

    __module__ = HOME
    __constants__ = ["padding"]

    def forward(self, input):
        return F.pad(input, self.padding, "replicate")


def _pad(base: type, n: int) -> type:
    """Make a pad over `n` dimensions that takes only the amounts."""
    several = ntuple(2 * n)

    def __init__(self, padding):
        Module.__init__(self)
        self.padding = several(padding)

    members: dict[str, object] = {"__init__": __init__}
    if base is _CircularPadNd:

        def _check_input_dim(self, input):
            require_rank(self, input, n + 1, n + 2)

        members["_check_input_dim"] = _check_input_dim
    return _made(base, f"{base.__name__[1:-2]}{n}d", n, members)


def _constant_pad(n: int) -> tuple[type, type]:
    """Make `ConstantPad` and `ZeroPad` over `n` dimensions."""
    several = ntuple(2 * n)

    def constant(self, padding, value):
        _ConstantPadNd.__init__(self, value)
        self.padding = several(padding)

    def zero(self, padding):
        constant(self, padding, 0.0)

    base = _made(_ConstantPadNd, f"ConstantPad{n}d", n, {"__init__": constant})
    return base, _made(base, f"ZeroPad{n}d", n, {"__init__": zero})


def _made(base: type, name: str, n: int, members: dict[str, object]) -> type:
    doc = f"Pads the last {n} dimension(s)."
    return layer(type(name, (base,), {"__doc__": doc, "__module__": HOME, **members}))


CircularPad1d, CircularPad2d, CircularPad3d = (_pad(_CircularPadNd, n) for n in (1, 2, 3))
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = (_pad(_ReflectionPadNd, n) for n in (1, 2, 3))
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = (_pad(_ReplicationPadNd, n) for n in (1, 2, 3))
(ConstantPad1d, ZeroPad1d), (ConstantPad2d, ZeroPad2d), (ConstantPad3d, ZeroPad3d) = map(_constant_pad, (1, 2, 3))
