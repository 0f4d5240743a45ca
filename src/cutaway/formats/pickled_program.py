"""A pickled module as a program of Python: it builds the object from the classes of the source, with the file's attributes."""

from __future__ import annotations

import keyword
import math
import textwrap
from dataclasses import dataclass, field
from typing import Any

from cutaway.core.dtype import KINDS
from cutaway.formats import pickle_machine
from cutaway.formats.pickle_machine import Made, Name, Table
from cutaway.formats.pickled_module import class_of, is_module, non_persistent, state_of, unwrapped
from cutaway.formats.pickled_tensor import Stored, tensor

_HEADER = "import collections\nimport torch\nimport what_the_file_does_not_hold as _missing"
_INTERNAL = frozenset(
    """_parameters _buffers _modules _non_persistent_buffers_set _backward_pre_hooks _backward_hooks _is_full_backward_hook
    _forward_hooks _forward_hooks_with_kwargs _forward_hooks_always_called _forward_pre_hooks
    _forward_pre_hooks_with_kwargs _state_dict_hooks _state_dict_pre_hooks _load_state_dict_pre_hooks
    _load_state_dict_post_hooks __annotations__ _backend _compiled_call_impl""".split()
)
_MOST = 200_000
_DEEPEST = 12
_TRACED = "torch.fx.graph_module"


def program(root: Made) -> str | None:
    """Return the program that builds a module; `_network()` returns it. None where it would be too long."""
    writer = _Writer()
    variable = writer.object(root)
    if len(writer.lines) > _MOST:
        return None
    body = "\n    ".join([*writer.lines, f"return {variable}"])
    return "\n".join([_HEADER, *writer.imports.values(), *writer.classes, f"def _network():\n    {body}\n"])


@dataclass(slots=True)
class _Writer:
    """Writes the statements that build objects, each once."""

    lines: list[str] = field(default_factory=list)
    imports: dict[Name, str] = field(default_factory=dict)
    classes: list[str] = field(default_factory=list)
    objects: dict[int, str] = field(default_factory=dict)
    tensors: dict[Any, str] = field(default_factory=dict)
    names: dict[Name, str] = field(default_factory=dict)

    def name(self, name: Name) -> str:
        """Return the variable that an imported name is bound to."""
        parts = [*name.module.split("."), *name.name.split(".")]
        if not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
            return "_missing.a_name"
        if name not in self.names:
            first, _, rest = name.name.partition(".")
            variable = f"_n{len(self.names)}"
            home = "builtins" if name.module == "__builtin__" else name.module
            self.imports[name] = f"from {home} import {first} as {variable}"
            self.names[name] = f"{variable}.{rest}" if rest else variable
        return self.names[name]

    def object(self, value: Made, depth: int = 0) -> str:
        """Write what builds an object, and return the variable that holds it."""
        if id(value) in self.objects:
            return self.objects[id(value)]
        kind, state = class_of(value), state_of(value)
        if kind is None or len(self.lines) > _MOST or depth > _DEEPEST * 4:
            return "_missing.an_object"
        variable = f"m{len(self.objects)}"
        self.objects[id(value)] = variable
        own = self._traced(state or {}) if kind.module == _TRACED else self.name(kind)
        self.lines.append(f"{variable} = {own}.__new__({own})")
        if is_module(value):
            self._module(variable, state or {}, depth)
        for name, each in (state or {}).items():
            if name in _INTERNAL or (name.startswith("_graph") and kind.module == _TRACED):
                continue
            if name == "training" and each is True:
                continue  # as every module is that was made and not put into a mode
            if name.isidentifier():
                self.lines.append(f"{variable}.{name} = {self.value(each, depth + 1)}")
        return variable

    def _traced(self, state: dict[str, Any]) -> str:
        """Return a class with the code that torch.fx has written into the file."""
        code = state.get("_code")
        variable = f"_Traced{len(self.classes)}"
        body = textwrap.indent(code, "    ") if isinstance(code, str) else "    pass"
        self.classes.append(f"from torch import device, inf, nan\nclass {variable}(torch.nn.Module):\n{body}\n")
        return variable

    def _module(self, variable: str, state: dict[str, Any], depth: int) -> None:
        self.lines.append(f"torch.nn.Module.__init__({variable})")
        passing = non_persistent(state)
        for name, each in (pickle_machine.entries(state.get("_parameters")) or {}).items():
            stored = tensor(each)
            made = "None" if each is None else self._tensor(stored, True) if stored else "_missing.a_parameter"
            self.lines.append(f"{variable}.register_parameter({name!r}, {made})")
        for name, each in (pickle_machine.entries(state.get("_buffers")) or {}).items():
            stored = tensor(each)
            made = "None" if each is None else self._tensor(stored, False) if stored else "_missing.a_buffer"
            kept = name not in passing
            self.lines.append(f"{variable}.register_buffer({name!r}, {made}, persistent={kept})")
        for name, each in (pickle_machine.entries(state.get("_modules")) or {}).items():
            made = self.object(each, depth + 1) if isinstance(each, Made) else "None"
            self.lines.append(f"{variable}.add_module({name!r}, {made})")

    def value(self, value: Any, depth: int = 0) -> str:
        """Return an expression for an attribute."""
        stored = tensor(value)
        if stored is not None:
            return self._tensor(stored, None)
        if value is None or type(value) in (bool, int, str, bytes, float):
            return f'float("{value}")' if type(value) is float and not math.isfinite(value) else repr(value)
        if depth > _DEEPEST:
            return "_missing.a_nested_attribute"
        if isinstance(value, Name) or unwrapped(value) is not None:
            return self.name(unwrapped(value) or value)
        if isinstance(value, (list, tuple)):
            items = ", ".join(self.value(each, depth + 1) for each in value)
            return f"[{items}]" if isinstance(value, list) else f"({items},)" if value else "()"
        if isinstance(value, Table):
            return self._pairs(value.pairs, depth)
        return self._made(value, depth) if isinstance(value, Made) else "_missing.an_attribute"

    def _pairs(self, pairs: list[tuple[Any, Any]], depth: int) -> str:
        written = (f"{self.value(key, depth + 1)}: {self.value(each, depth + 1)}" for key, each in pairs)
        return "{" + ", ".join(written) + "}"

    def _made(self, value: Made, depth: int) -> str:
        maker = str(value.maker)
        arguments = ", ".join(self.value(each, depth + 1) for each in value.arguments)
        if maker in ("collections.OrderedDict", "collections.defaultdict", "builtins.dict", "__builtin__.dict"):
            held = pickle_machine.entries(value) or {}
            return f"collections.OrderedDict({self._pairs(list(held.items()), depth)})"
        if maker in (
            "builtins.set",
            "__builtin__.set",
            "builtins.frozenset",
            "torch.Size",
            "torch.device",
            "builtins.slice",
        ):
            return f"{maker.removeprefix('builtins.').removeprefix('__builtin__.')}({arguments})"
        if maker == "functools.partial":
            return self._partial(value, depth)
        if state_of(value) is not None and class_of(value) is not None:
            return self.object(value, depth)
        if isinstance(value.maker, Name) and value.state is None and not value.items and not value.pairs.pairs:
            return f"{self.name(value.maker)}({arguments})"  # such as a member of an enumeration
        return "_missing.an_attribute"

    def _partial(self, value: Made, depth: int) -> str:
        state = value.state
        if not isinstance(state, tuple) or len(state) < 3 or not isinstance(state[1], tuple):
            return "_missing.a_partial_function"
        parts = [self.value(state[0], depth + 1), *(self.value(each, depth + 1) for each in state[1])]
        for name, each in (pickle_machine.entries(state[2]) or {}).items():
            parts.append(f"{name}={self.value(each, depth + 1)}")
        return f"{self.name(Name('functools', 'partial'))}({', '.join(parts)})"

    def _tensor(self, stored: Stored, parameter: bool | None) -> str:
        key = stored.identity or id(stored)
        if key not in self.tensors:
            variable = f"t{len(self.tensors)}"
            self.tensors[key] = variable
            made = "_missing.a_tensor_of_another_kind"
            if stored.shape is not None and stored.dtype in KINDS:
                made = f"torch.empty({stored.shape!r}, dtype=torch.{stored.dtype})"
            if parameter:
                made = f"torch.nn.Parameter({made}, requires_grad={stored.trainable is not False})"
            self.lines.append(f"{variable} = {made}")
        return self.tensors[key]
