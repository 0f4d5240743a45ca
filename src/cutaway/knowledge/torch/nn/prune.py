"""`torch.nn.utils.prune`: weights multiplied by a mask before each call."""

from __future__ import annotations

import numbers
from typing import Any

from cutaway.knowledge.base import attribute
from cutaway.knowledge.base.registry import KnownModule, row
from cutaway.knowledge.torch.nn.traversal import parts
from cutaway.knowledge.torch.tensor.tensor import new

torch = KnownModule("torch")
_PACKAGE = "torch.nn.utils.prune"


@row(f"{_PACKAGE}.BasePruningMethod")
class BasePruningMethod:
    """A hook that keeps `<name>_orig` and `<name>_mask` and sets `<name>` to their product."""

    PRUNING_TYPE = "unstructured"
    _tensor_name: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __call__(self, module: Any, inputs: Any) -> None:
        attribute.put(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Which weights go depends on their numbers; the mask's shape is all that is known."""
        return new(default_mask.shape, default_mask.dtype)

    def apply_mask(self, module: Any) -> Any:
        mask = attribute.get(module, f"{self._tensor_name}_mask")
        original = attribute.get(module, f"{self._tensor_name}_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any) -> Any:
        previous = [
            key
            for key, hook in module._forward_pre_hooks.items()
            if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
        ]
        method = cls(*args, **kwargs)
        method._tensor_name = name
        for key in previous:
            container = PruningContainer(module._forward_pre_hooks.pop(key))
            container.add_pruning_method(method)
            method = container
        if not previous:
            original = module._parameters.pop(name)
            module.register_parameter(f"{name}_orig", original)
            mask = torch.ones_like(original)
        else:
            original = attribute.get(module, f"{name}_orig")
            mask = attribute.get(module, f"{name}_mask")
        mask = method.compute_mask(original, default_mask=mask)
        module.register_buffer(f"{name}_mask", mask)
        attribute.put(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        mask = torch.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(t if importance_scores is None else importance_scores, default_mask=mask)

    def remove(self, module: Any) -> None:
        name = self._tensor_name
        if attribute.has(module, name):
            attribute.delete(module, name)
        original = module._parameters.pop(f"{name}_orig")
        del module._buffers[f"{name}_mask"]
        attribute.put(module, name, original)


@row(f"{_PACKAGE}.PruningContainer")
class PruningContainer(BasePruningMethod):
    """Several pruning methods of one weight."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]


@row(f"{_PACKAGE}.Identity")
class Identity(BasePruningMethod):
    """A mask of ones."""

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask


class _Amount(BasePruningMethod):
    def __init__(self, amount: Any, *options: Any, **named: Any) -> None:
        if not isinstance(amount, numbers.Real):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        if float(amount) < 0 or (not isinstance(amount, numbers.Integral) and float(amount) > 1):
            raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")
        self.amount = amount


@row(f"{_PACKAGE}.RandomUnstructured")
class RandomUnstructured(_Amount):
    """Drops random weights."""


@row(f"{_PACKAGE}.L1Unstructured")
class L1Unstructured(_Amount):
    """Drops the smallest weights."""


@row(f"{_PACKAGE}.RandomStructured")
class RandomStructured(_Amount):
    """Drops random channels."""

    PRUNING_TYPE = "structured"


@row(f"{_PACKAGE}.LnStructured")
class LnStructured(_Amount):
    """Drops the channels of smallest norm."""

    PRUNING_TYPE = "structured"


@row(f"{_PACKAGE}.CustomFromMask")
class CustomFromMask(BasePruningMethod):
    """A mask that the caller gives."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask * self.mask.to(dtype=default_mask.dtype)


@row(f"{_PACKAGE}.identity")
def identity(module, name):
    Identity.apply(module, name)
    return module


@row(f"{_PACKAGE}.random_unstructured")
def random_unstructured(module, name, amount):
    RandomUnstructured.apply(module, name, amount)
    return module


@row(f"{_PACKAGE}.l1_unstructured")
def l1_unstructured(module, name, amount, importance_scores=None):
    L1Unstructured.apply(module, name, amount)
    return module


@row(f"{_PACKAGE}.random_structured")
def random_structured(module, name, amount, dim):
    RandomStructured.apply(module, name, amount, dim)
    return module


@row(f"{_PACKAGE}.ln_structured")
def ln_structured(module, name, amount, n, dim, importance_scores=None):
    LnStructured.apply(module, name, amount, n, dim)
    return module


@row(f"{_PACKAGE}.custom_from_mask")
def custom_from_mask(module, name, mask):
    CustomFromMask.apply(module, name, mask)
    return module


@row(f"{_PACKAGE}.global_unstructured")
def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    for module, name in parameters:
        pruning_method.apply(module, name, **kwargs)


@row(f"{_PACKAGE}.remove")
def remove(module, name):
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


@row(f"{_PACKAGE}.is_pruned")
def is_pruned(module):
    return any(
        isinstance(hook, BasePruningMethod) for part in parts(module) for hook in part._forward_pre_hooks.values()
    )
