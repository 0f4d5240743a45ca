"""Random programs by a grammar: small, mostly meaningful, with odd values in odd places."""

from __future__ import annotations

import random

_NAMES = "a b c x y z self cls args f g h net layer items".split()
_VALUES = (
    "0; 1; -1; 2; 7; 10**6; 2**70; 0.5; float('nan'); float('inf'); None; True; ...; ''; 'ab'; 'a' * 99; b'x'; []; {}; (); set(); "
    "[1]; (1, 2); {'a': 1}; range(3); range(10**9); object(); type; int; str; len; print; torch.zeros(2); torch.zeros(1, 2, 3); "
    "nn.Linear(2, 3); nn.ReLU(); nn.Linear; torch.float32; NotImplemented; __name__; globals(); iter([]); (i for i in [1, 2]); "
    "(lambda *a: a); Net; super(); id; '__class__'; '__dict__'; '{0.__class__}'; np.ones(3); np.float32; slice(None); object; "
    "ValueError('x'); 'a' * 10**7; [[]] * 3; 1j; enum.Enum; typing.List[int]; frozenset([1]); map; property"
).split("; ")  # fmt: skip
_OPERATORS = "+ - * / // % ** @ << >> & | ^ == != < > <= >= is in and or".split()
_CALLS = (
    "len repr str hash sorted list tuple set dict sum min max abs round iter next zip map filter enumerate reversed any all bool "
    "int float isinstance issubclass getattr setattr delattr hasattr type vars dir format callable super property staticmethod "
    "classmethod range slice object bytes bytearray memoryview divmod pow chr ord eval exec compile open print "
    "torch.cat torch.stack torch.relu torch.zeros torch.tensor torch.arange torch.einsum nn.Sequential nn.Conv2d nn.ModuleList "
    "nn.ModuleDict nn.Parameter nn.LSTM nn.Module F.relu F.linear F.pad F.interpolate copy.deepcopy copy.copy functools.partial "
    "functools.reduce functools.wraps functools.lru_cache itertools.chain itertools.product itertools.islice re.match re.sub "
    "json.dumps json.loads math.sqrt math.prod np.array np.zeros np.concatenate enum.Enum dataclasses.make_dataclass "
    "dataclasses.fields collections.namedtuple collections.OrderedDict collections.deque typing.NamedTuple operator.attrgetter "
    "operator.add string.Template types.SimpleNamespace weakref.ref inspect.signature contextlib.contextmanager"
).split()  # fmt: skip
_METHODS = (
    "append extend pop get items keys update format join split replace view reshape size shape permute forward __call__ __init__ "
    "add_module register_buffer apply children named_parameters to __class__ __dict__ __getattribute__ __setattr__ __mro__ "
    "__new__ __reduce_ex__ __init_subclass__ __set_name__ __get__ send throw close mro sum mean T dtype encode"
).split()  # fmt: skip
_SPECIAL = (
    "__init__ __call__ forward __getattr__ __getattribute__ __setattr__ __eq__ __hash__ __repr__ __len__ __iter__ __next__ "
    "__bool__ __getitem__ __setitem__ __contains__ __enter__ __exit__ __new__ __get__ __set__ __set_name__ __init_subclass__ "
    "__class_getitem__ __index__ __add__ __radd__ __format__ __dir__ __instancecheck__ __prepare__ __missing__ __del__"
).split()  # fmt: skip
_WIDTHS = ("3", "x", "10000000000", "{x}", "%Y")
_BASES = ("C", "C(Net)", "C(list)", "C(dict)", "C(str)", "C(type)", "C(metaclass=type)", "C(Exception)", "C(enum.Enum)", "C(int)")  # fmt: skip
_HEAD = """import collections, contextlib, copy, dataclasses, enum, functools, inspect, itertools, json, math, operator, re, string
import types, typing, weakref
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
a, b, c = [1, 2], {'k': 2}, 'text'
f = g = h = lambda *args, **kwargs: args
x, y, z, items, args, layer = torch.zeros(1, 2), 3, (1, [2]), [a, b, f], (), nn.Linear(2, 2)
"""


class Writer:
    """Writes one program; `left` is how much may still be written."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.left = chance.randint(5, 60)

    def program(self) -> str:
        """Return a program with a network in it."""
        parts = [_HEAD, self._class("Net(nn.Module)", 0)]
        while self.left > 0:
            is_guarded = self.chance.random() < 0.7  # so that what follows is reached
            parts.append(
                f"try:\n{self._statement(1)}except Exception:\n    pass\n" if is_guarded else self._statement(0)
            )
        return "".join(parts) + "net = Net()\n"

    def _name(self) -> str:
        return self.chance.choice(_NAMES)

    def _expression(self, depth: int = 0) -> str:
        self.left -= 1
        pick, chance = self.chance.randrange(16 if depth < 4 else 4), self.chance
        if pick < 2:
            return self._name()
        if pick < 4:
            return chance.choice(_VALUES)
        inner = [self._expression(depth + 1) for _ in range(chance.randint(1, 3))]
        one = inner[0]
        forms = (
            f"({one} {chance.choice(_OPERATORS)} {inner[-1]})",
            f"{chance.choice(_CALLS)}({', '.join(inner)})",
            f"{chance.choice(_CALLS)}({one})",
            f"{self._name()}.{chance.choice(_METHODS)}({', '.join(inner)})",
            f"({one}).{self._name()}",
            f"({one})[{inner[-1]}]",
            f"[{one} for {self._name()} in {inner[-1]}]",
            f"({one} if {inner[-1]} else {self._name()})",
            f"(lambda {self._name()}={inner[-1]}: {one})",
            f"f'{{{self._name()}.{self._name()}!r:>{chance.choice(_WIDTHS)}}}'",
            f"{{{one}: {inner[-1]}}}",
            f"[*{one}, {inner[-1]}]",
        )
        return forms[pick - 4]

    def _block(self, indent: int, count: int = 2) -> str:
        return "".join(self._statement(indent) for _ in range(self.chance.randint(1, count)))

    def _statement(self, indent: int) -> str:
        self.left -= 1
        pad, chance, one = "    " * indent, self.chance, self._expression
        pick = chance.randrange(14 if indent < 4 and self.left > 0 else 5)
        if pick < 2:
            return f"{pad}{self._name()} = {one()}\n"
        if pick < 3:
            return f"{pad}{one()}\n"
        if pick < 4:
            return f"{pad}{self._name()}.{self._name()} = {one()}\n"
        if pick < 5:
            return f"{pad}{self._name()} += {one()}\n"
        inner = self._block(indent + 1)
        forms = (
            f"{pad}if {one()}:\n{inner}{pad}else:\n{self._block(indent + 1)}",
            f"{pad}for {self._name()} in {one()}:\n{inner}",
            f"{pad}while {one()}:\n{inner}{pad}    break\n",
            f"{pad}try:\n{inner}{pad}except Exception as {self._name()}:\n{self._block(indent + 1)}",
            f"{pad}with {one()} as {self._name()}:\n{inner}",
            f"{pad}def {self._name()}({self._name()}, *args, **kwargs):\n{inner}{pad}    return {one()}\n",
            self._class(chance.choice(_BASES), indent),
            f"{pad}match {one()}:\n{pad}    case {chance.choice(('1', '[a, *b]', '{}', 'str()', '_'))}:\n{self._block(indent + 2)}",
            f"{pad}try:\n{inner}{pad}finally:\n{self._block(indent + 1)}",
        )
        return forms[pick - 5]

    def _class(self, title: str, indent: int) -> str:
        pad = "    " * indent
        text = f"{pad}class {title}:\n"
        for name in self.chance.sample(_SPECIAL, self.chance.randint(1, 3)):
            start = (
                f"{pad}        super().__init__()\n{pad}        self.layer = nn.Linear(2, 3)\n"
                if name == "__init__"
                else ""
            )
            text += (
                f"{pad}    def {name}(self, x=None, *args):\n{start}{self._block(indent + 2)}{pad}        return x\n"
            )
        return text


def program(chance: random.Random) -> str:
    """Return a random program."""
    return Writer(chance).program()
