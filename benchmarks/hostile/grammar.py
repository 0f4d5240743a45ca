"""Random programs by a grammar: small, mostly meaningful, with odd values in odd places."""

from __future__ import annotations

import random

_NAMES = "a b c x y z self cls args f g h net layer items".split()
_VALUES = (
    "0 1 -1 2 7 10**6 2**70 0.5 float('nan') float('inf') None True False ... '' 'ab' 'a' * 99 b'x' [] {} () set() [1] (1,2) "
    "{'a':1} range(3) range(10**9) object() type int str len print torch.zeros(2) torch.zeros(1,2,3) nn.Linear(2,3) nn.ReLU() "
    "nn.Linear torch.float32 NotImplemented __name__ globals() iter([]) (i for i in a) lambda*a:a Net() Net super() id"
).split(" ")  # fmt: skip
_OPERATORS = "+ - * / // % ** @ << >> & | ^ == != < > <= >= is in and or".split()
_CALLS = (
    "len repr str hash sorted list tuple set dict sum min max abs round iter next zip map filter enumerate reversed any all bool "
    "int float isinstance getattr setattr hasattr type vars dir format callable super property staticmethod range slice "
    "torch.cat torch.stack torch.relu torch.zeros nn.Sequential nn.Conv2d nn.ModuleList F.relu F.linear copy.deepcopy "
    "functools.partial functools.reduce itertools.chain itertools.product re.match json.dumps math.sqrt np.array np.zeros"
).split()  # fmt: skip
_METHODS = "append extend pop get items keys format join split replace view reshape size shape permute forward __call__ __init__ add_module register_buffer".split()  # fmt: skip
_SPECIAL = "__init__ __call__ forward __getattr__ __eq__ __hash__ __repr__ __len__ __iter__ __bool__ __getitem__ __enter__ __exit__".split()
_HEAD = "import copy, functools, itertools, json, math, re\nimport numpy as np\nimport torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


class Writer:
    """Writes one program; `left` is how much may still be written."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.left = chance.randint(5, 60)

    def program(self) -> str:
        """Return a program with a network in it."""
        parts = [_HEAD, self._class("Net(nn.Module)", 0)]
        while self.left > 0:
            parts.append(self._statement(0))
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
            "f'{" + one.replace("'", '"').replace("{", "(").replace("}", ")").replace("\\", "") + "!r}'",
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
            self._class("C(Net)" if chance.random() < 0.3 else "C", indent),
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
