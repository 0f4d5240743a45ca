"""The modules that hold modules: `Sequential`, `ModuleList`, `ModuleDict`."""

from __future__ import annotations

import itertools
import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cutaway.core import session
from cutaway.core.fault import TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.loop.series import Iterations, Plan, Repeat, Series, refuse_differing
from cutaway.core.size.dim import Dim, symbol
from cutaway.core.unknown import Undecidable, Unknown, decisions
from cutaway.knowledge.base import attribute
from cutaway.knowledge.torch.nn.module import Module, layer

CALLS_AS_LIBRARY = True  # functions of the target are called exactly as the library does


@layer
class Container(Module):
    """The old base class of modules with children given by keyword."""

    __module__ = "torch.nn.modules.container"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        for key, value in kwargs.items():
            self.add_module(key, value)


class _Indexed(Module):
    """What `Sequential` and `ModuleList` share: children named by their position."""

    def __len__(self) -> int:
        self._follow_each()
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        self._follow_each()
        return iter(self._modules.values())

    def _follow_each(self) -> None:
        """Give up where there is a symbolic number of modules, or some of them are not known."""
        refuse_incomplete(self)
        if "_repeated" in self.__dict__:
            series = self.as_series()
            assert series is not None
            series.refuse()

    def as_series(self) -> Series | None:
        """Return the modules, where there is a symbolic number of them; None where there is not."""
        repeated = self.__dict__.get("_repeated")
        if repeated is None:
            return None
        parts: list[Any] = []
        last: Any = None
        for name, module in self._modules.items():
            group = repeated.get(name)
            if group is None:
                parts.append(module)
            elif group is last:
                parts[-1] = Repeat((*parts[-1].items, module), group.count, group.index)
            else:
                parts.append(Repeat((module,), group.count, group.index))
            last = group
        return Series(parts)

    def repeat_children(self, before: list[str], count: Any, index: str) -> bool:
        added = [name for name in self._modules if name not in before]
        if not added:
            return True
        rest = [self._modules.pop(name) for name in added]
        series = self.as_series()
        start = len(self._modules) if series is None else series.length
        group = Repeat((), count, index)
        for at, module in enumerate(rest):
            name = f"{{{start + len(rest) * symbol(index, 0) + at}}}"
            self._modules[name] = module
            self.__dict__.setdefault("_repeated", {})[name] = group
        return True

    def _add(self, modules: Any) -> None:
        """Add modules behind the last, some of which may come a symbolic number of times."""
        for part in modules.parts if isinstance(modules, Series) else modules:
            if isinstance(part, Repeat):
                before = list(self._modules)
                for at, module in enumerate(part.items):
                    self.add_module(f"{len(before)}+{at}", module)
                self.repeat_children(before, part.count, part.index)
            else:
                self.append(part)

    def __dir__(self) -> list[str]:
        return [key for key in super().__dir__() if not key.isdigit()]

    def _renumber(self) -> None:
        self._modules = OrderedDict((str(i), module) for i, module in enumerate(self._modules.values()))

    def append(self, module: Any) -> Any:
        self.add_module(numbered(self), module)
        return self

    def pop(self, key: Any) -> Any:
        value = self[key]  # type: ignore[index]
        del self[key]
        return value


@layer
class Sequential(_Indexed):
    """Modules called one after the other."""

    __module__ = "torch.nn.modules.container"

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for key, module in args[0].items():
                self.add_module(key, module)
        elif any(isinstance(part, Repeat) for part in args):
            self._add(args)
        else:
            for index, module in enumerate(args):
                self.add_module(str(index), module)

    takes_series = __init__

    def _get_item_by_idx(self, iterator: Iterable[Any], idx: Any) -> Any:
        size = len(self)
        idx = operator.index(idx)
        if not -size <= idx < size:
            raise IndexError(f"index {idx} is out of range")
        return next(itertools.islice(iterator, idx % size, None))

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, Dim) or "_repeated" in self.__dict__:
            return at_symbolic(self, idx)
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._get_item_by_idx(self._modules.values(), idx)

    def __setitem__(self, idx: Any, module: Any) -> None:
        attribute.put(self, self._get_item_by_idx(self._modules.keys(), idx), module)

    def __delitem__(self, idx: Any) -> None:
        if isinstance(idx, slice):
            for key in list(self._modules)[idx]:
                attribute.delete(self, key)
        else:
            attribute.delete(self, self._get_item_by_idx(self._modules.keys(), idx))
        self._renumber()

    def __add__(self, other: Any) -> Any:
        self._check_addend(other)
        return Sequential().extend(self).extend(other)

    def __iadd__(self, other: Any) -> Any:
        self._check_addend(other)
        offset = len(self)
        for i, module in enumerate(list(other)):
            self.add_module(str(i + offset), module)
        return self

    def __mul__(self, other: Any) -> Any:
        self._check_factor(other)
        session.current().limit_parts(other * len(self), "modules")
        combined = Sequential()
        for offset, module in enumerate(list(self) * other):
            combined.add_module(str(offset), module)
        return combined

    __rmul__ = __mul__

    def __imul__(self, other: Any) -> Any:
        self._check_factor(other)
        session.current().limit_parts(other * len(self), "modules")
        size = len(self)
        for copy in range(1, other):
            for i in range(size):
                self.add_module(str(copy * size + i), self._modules[str(i)])
        return self

    def _check_addend(self, other: Any) -> None:
        if isinstance(other, Unknown):
            raise Undecidable(other)
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")

    def _check_factor(self, other: Any) -> None:
        if isinstance(other, Unknown):
            raise Undecidable(other)
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")

    def insert(self, index: Any, module: Any) -> Any:
        if not isinstance(module, (Module, Unknown)):
            raise AssertionError(f"module should be of type: {Module}")
        size = len(self._modules)
        if not -size <= index <= size:
            raise IndexError(f"Index out of range: {index}")
        if index < 0:
            index += size
        for i in range(size, index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module
        return self

    def extend(self, sequential: Any) -> Any:
        self._add(sequential)
        return self

    def forward(self, input: Any) -> Any:
        if "_repeated" in self.__dict__:
            return run(self.as_series(), input)
        for module in self:
            input = module(input)
        return input


@layer
class ModuleList(_Indexed):
    """A list of modules."""

    __module__ = "torch.nn.modules.container"

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def _get_abs_string_index(self, idx: Any) -> str:
        return position(self, idx)

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, Dim) or "_repeated" in self.__dict__:
            return at_symbolic(self, idx)
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[self._get_abs_string_index(idx)]

    def __setitem__(self, idx: Any, module: Any) -> None:
        attribute.put(self, self._get_abs_string_index(idx), module)

    def __delitem__(self, idx: Any) -> None:
        if isinstance(idx, slice):
            for i in range(len(self._modules))[idx]:
                attribute.delete(self, str(i))
        else:
            attribute.delete(self, self._get_abs_string_index(idx))
        self._renumber()

    def __iadd__(self, modules: Any) -> Any:
        return self.extend(modules)

    def __add__(self, other: Any) -> Any:
        combined = ModuleList()
        for i, module in enumerate(itertools.chain(self, other)):
            combined.add_module(str(i), module)
        return combined

    def insert(self, index: Any, module: Any) -> None:
        for i in range(len(self._modules), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module

    def extend(self, modules: Any) -> Any:
        if not isinstance(modules, Iterable):
            text = f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}"
            raise TypeFault(text, FaultCode.WRONG_TYPE) if isinstance(modules, Module) else TypeError(text)
        if isinstance(modules, Series) or "_repeated" in self.__dict__:
            self._add(modules)
            return self
        offset = len(self)
        for i, module in enumerate(modules):
            self.add_module(str(offset + i), module)
        return self


@layer
class ModuleDict(Module):
    """A dictionary of modules, in order of insertion."""

    __module__ = "torch.nn.modules.container"

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, Unknown):
            return key
        return self._modules[key]

    def __setitem__(self, key: Any, module: Any) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: Any) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        refuse_incomplete(self)
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        refuse_incomplete(self)
        return iter(self._modules)

    def __contains__(self, key: Any) -> bool:
        if isinstance(key, Unknown):
            raise Undecidable(key)
        if key not in self._modules:
            refuse_incomplete(self)
        return key in self._modules

    def clear(self) -> None:
        self._modules.clear()

    def pop(self, key: Any) -> Any:
        value = self[key]
        del self[key]
        return value

    def keys(self) -> Any:
        refuse_incomplete(self)
        return self._modules.keys()

    def items(self) -> Any:
        refuse_incomplete(self)
        return self._modules.items()

    def values(self) -> Any:
        refuse_incomplete(self)
        return self._modules.values()

    def update(self, modules: Any) -> None:
        for key, module in pairs(modules, "ModuleDict", (Mapping, ModuleDict)):
            self[key] = module


def refuse_incomplete(container: Any) -> None:
    """Give up on going through modules not all of which are known."""
    missing = container.__dict__.get("_incomplete")
    if missing is not None:
        raise Undecidable(missing)


def numbered(container: Any) -> str:
    """Return the name of the module that is added next."""
    series = container.as_series()
    if series is None:
        return str(len(container._modules))
    return f"{{{series.length}}}" if isinstance(series.length, Dim) else str(series.length)


def at_symbolic(container: Any, idx: Any) -> Any:
    """Return the module at an index, where the index or the number of modules is symbolic."""
    series = container.as_series()
    if isinstance(idx, int):
        return Series.__getitem__(series, idx) if series is not None else container._modules[position(container, idx)]
    turns = session.current().iterations
    name = f"{{{idx}}}"
    repeated = container.__dict__.get("_repeated", {})
    if name in repeated and turns and repeated[name].count == turns[-1].count:
        return container._modules[name]
    raise Undecidable(Unknown(f"the module at {idx} of a symbolic number of modules"))


def run(series: Any, input: Any) -> Any:
    """Call modules one after the other; what those that repeat hand on has a closed form."""
    for part in series.parts:
        input = _run_repeated(part, input) if isinstance(part, Repeat) else part(input)
    return input


def _run_repeated(part: Repeat, input: Any) -> Any:
    here = session.current()
    if part.index in {turns.index for turns in here.iterations}:
        for module in part.items:
            refuse_differing(module, part.index)
    key = decisions().loop_key(here.place())
    plan = decisions().plans.get(key, Plan())
    if plan.lost or plan.first or not decisions().follows or not decisions().active:
        raise Undecidable(Unknown(f"what {part.count} modules make of a shape that each of them changes"))
    turns = Iterations(key, part.count, part.index)

    def turn(values: dict[str, Any]) -> dict[str, Any]:
        value = values["input"]
        with here.iterating(turns):
            for module in part.items:
                value = module(value)
        return {"input": value}

    from cutaway.core.loop.recurrence import Carried  # late: only loops of symbolic length need it

    carried = Carried(key, plan, turns, {"input": input})
    if plan.trial:
        carried.try_turns(turn)
    return carried.check(turn(carried.before()))["input"]


def position(container: Any, idx: Any) -> str:
    """Return the name of the item at an index, which may count from the end."""
    idx = operator.index(idx)
    if not -len(container) <= idx < len(container):
        raise IndexError(f"index {idx} is out of range")
    return str(idx + len(container) if idx < 0 else idx)


def pairs(entries: Any, owner: str, mappings: tuple[type, ...]) -> Iterator[tuple[Any, Any]]:
    """Yield the keys and values of a mapping, or of a sequence of pairs, which `dict.update` takes too."""
    if not isinstance(entries, Iterable):
        raise TypeError(
            f"{owner}.update should be called with an iterable of key/value pairs, but got {type(entries).__name__}"
        )
    if isinstance(entries, mappings):
        yield from entries.items()  # type: ignore[attr-defined]
        return
    for j, entry in enumerate(entries):
        if not isinstance(entry, Iterable):
            raise TypeError(f"{owner} update sequence element #{j} should be Iterable; is{type(entry).__name__}")
        if len(entry) != 2:  # type: ignore[arg-type]
            raise ValueError(f"{owner} update sequence element #{j} has length {len(entry)}; 2 is required")  # type: ignore[arg-type]
        yield entry[0], entry[1]  # type: ignore[index]
