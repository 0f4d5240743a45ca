"""What a result leaves open: the modules, weights, calls and operations that there may be besides those that it lists.

A module that is not complete may have more below it. A forward that is not known to its end may call and do more. A part
that is there under a condition, or many times, may be there another number of times. Everything else is stated: where it
differs from what is true, it is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.core.architecture import Architecture
from cutaway.core.pattern import pattern
from cutaway.passes.cost import not_understood, was_followed
from cutaway.passes.hierarchy import ancestors

_ALTERNATIVE = pattern(r"#\d+")


class OpenParts:
    """What one result leaves open."""

    def __init__(self, architecture: Architecture) -> None:
        self._separator = architecture.separator
        self._modules = {module.path: module for module in architecture.modules}
        self._incomplete = {module.path for module in architecture.modules if not module.complete}
        self._doubtful = not_understood(architecture)
        if not was_followed(architecture):
            self._doubtful.add("")
        self._repeated = {path.rpartition(self._separator)[0] for path in self._modules if self._is_repeated(path)}
        looping = [op.module for op in architecture.ops if op.repeat != 1]
        self._looped = {path for each in looping for path in ancestors(each, self._separator) if path or not each}
        self._names = {weight.name for weight in architecture.weights if weight.condition is not None}
        self._names.update(alias.name for weight in architecture.weights for alias in weight.otherwise)
        self._paths = {alias.name for module in architecture.modules for alias in module.otherwise}
        self._paths.update(_ALTERNATIVE.sub("", path) for path in self._modules if _ALTERNATIVE.search(path))

    def _is_repeated(self, path: str) -> bool:
        return self._modules[path].repeat != 1 or "{" in path

    def _above(self, path: str) -> Iterable[str]:
        """Return the paths that contain a path, the root's last; the root's own for the root."""
        return ancestors(path.rpartition(self._separator)[0], self._separator)

    def may_have_module(self, path: str) -> bool:
        """Tell whether there may be a module that is not listed under this path."""
        above = list(self._above(path))
        if any(each in self._incomplete or each in self._repeated or each in self._paths for each in above):
            return True
        return path in self._paths or any(self.is_conditional(each) for each in above)

    def may_have_weight(self, name: str, owner: str) -> bool:
        """Tell whether a module may have a weight that is not listed."""
        if name in self._names or owner in self._incomplete or self.is_conditional(owner):
            return True
        return self.may_have_module(owner)

    def is_conditional(self, path: str) -> bool:
        """Tell whether a module is there, or more than once, only where a condition holds."""
        around = [self._modules[each] for each in ancestors(path, self._separator) if each in self._modules]
        return any(module.condition is not None or module.repeat != 1 or module.otherwise for module in around)

    def is_settled(self, path: str) -> bool:
        """Tell whether a module's parts, and their order, are all listed."""
        return not (
            self.is_conditional(path)
            or any(each in self._incomplete or each in self._repeated for each in ancestors(path, self._separator))
        )

    def may_be_called_again(self, path: str) -> bool:
        """Tell whether a module may be called more often than is listed: by one that contains it, or in a loop."""
        return path in self._looped or any(each in self._doubtful for each in self._above(path))

    def may_do_more(self, path: str) -> bool:
        """Tell whether more operations may take place in a module than are listed."""
        return path in self._looped or any(each in self._doubtful for each in ancestors(path, self._separator))

    @property
    def is_followed(self) -> bool:
        """Whether everything that the network does is listed, each as often as it takes place."""
        return not self._doubtful and not self._looped
