"""The mode that a network is shown in: as the user or the program says, or evaluation, which is assumed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cutaway.core.protocols import is_module
from cutaway.core.unknown import Unknown
from cutaway.knowledge.torch.nn.traversal import known_items, named_parts

IS_SET = "_mode_is_set"
"""The attribute of a module that tells whether the program has set its mode: a new one is in training mode unasked."""

_MOST_NAMES = 5


def choose(network: Any, train: bool | None) -> str | None:
    """Put a network, interpreted or running, into the mode that it is shown in, and return what that assumes, if it does.

    `train` is the mode that the user asks for.
    """
    if train is not None:
        network.train(train)
        mode, method = ("training", "train") if train else ("evaluation", "eval")
        return f"the network is in {mode} mode: {method}() is called on it"
    modules = [module for _, module in _named_parts(network)]
    for module in modules:
        if isinstance(module.__dict__.get(IS_SET), Unknown):
            module.__dict__["training"] = module.__dict__[IS_SET]
    if network.__dict__.get(IS_SET) is True and network.training is True:
        return None  # what is added to a network that is being trained is being trained, too
    unset = [module for module in modules if module.__dict__.get(IS_SET, False) is False]
    if not unset:
        return None
    if len(unset) == len(modules):
        network.eval()
    else:
        _evaluate(network, {id(module) for module in unset})
    for module in unset:
        module.__dict__[IS_SET] = False
    return _assumption(network)


def _named_parts(network: Any) -> Iterable[tuple[str, Any]]:
    """Return the modules inside of a network with their paths; a running one has classes of the framework itself."""
    modules: Iterable[tuple[str, Any]] = named_parts(network) if is_module(network) else network.named_modules()
    return modules


def copy_mode(source: Any, target: Any) -> None:
    """Put a module into the mode of another that it replaces or is added to; the program has not asked for that."""
    for name in ("training", IS_SET):
        target.__dict__[name] = source.__dict__[name]


def _evaluate(module: Any, unset: set[int]) -> None:
    """Put a module and those below it into evaluation mode, where the program has not set their mode."""
    if all(id(part) in unset for _, part in _named_parts(module)):
        module.eval()
        return
    if id(module) in unset:
        module.__dict__["training"] = False
    for child in known_items(module.children()):
        _evaluate(child, unset)


def _assumption(network: Any) -> str:
    if network.training is not False:
        return "eval() is called on the network, which leaves it in training mode"
    others = [path for path, module in _named_parts(network) if module.training is not False]
    first = [path for path in others if path.rpartition(".")[0] not in others]
    if not first:
        return "the network is in evaluation mode"
    names = ", ".join(first[:_MOST_NAMES]) + (f" and {len(first) - _MOST_NAMES} more" if first[_MOST_NAMES:] else "")
    return f"the network is in evaluation mode, except {names}, whose mode the program sets"
