"""Small networks to disturb, and strategies for programs that may do anything."""

from __future__ import annotations

import io
import tokenize

from hypothesis import strategies as st

CONVOLUTIONS = """\
import math
import torch
from torch import nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, inner, outer, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(inner, outer, 3, stride=stride, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(outer)
        self.short = nn.Identity() if inner == outer and stride == 1 else nn.Conv2d(inner, outer, 1, stride)

    def forward(self, x):
        y = F.relu(self.norm(self.conv(x)))
        return y + self.short(x)


class Net(nn.Module):
    widths = (8, 16, 32)

    def __init__(self, classes=10, depth=2):
        super().__init__()
        layers = []
        before = 3
        for index, width in enumerate(self.widths):
            for number in range(depth):
                layers.append(Block(before, width, stride=2 if number == 0 and index else 1))
                before = width
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(before, classes)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.uniform_(module.weight, -1 / math.sqrt(before), 1 / math.sqrt(before))

    def forward(self, x):
        x = self.body(x)
        x = x.mean(dim=(2, 3))
        return self.head(x)


net = Net()
out = net(torch.zeros(1, 3, 16, 16))
assert out.shape == (1, 10)
"""

ATTENTION = """\
from dataclasses import dataclass
from functools import partial
from typing import Optional
import torch
from torch import nn, Tensor


@dataclass
class Config:
    width: int = 16
    heads: int = 4
    depth: int = 2
    dropout: float = 0.1


REGISTRY = {}


def register(name):
    def wrap(cls):
        REGISTRY[name] = cls
        return cls
    return wrap


@register("attention")
class Attention(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        assert config.width % config.heads == 0, f"{config.width} / {config.heads}"
        self.heads = config.heads
        self.qkv = nn.Linear(config.width, 3 * config.width)
        self.out = nn.Linear(config.width, config.width)

    def forward(self, x: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        a = (q @ k.transpose(-2, -1)) * (c // self.heads) ** -0.5
        if mask is not None:
            a = a.masked_fill(mask == 0, float("-inf"))
        return self.out((a.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))


class Encoder(nn.Module):
    def __init__(self, config: Config = Config()):
        super().__init__()
        norm = partial(nn.LayerNorm, eps=1e-6)
        rates = [x.item() for x in torch.linspace(0, config.dropout, config.depth)]
        self.layers = nn.ModuleList(
            [nn.ModuleDict({"norm": norm(config.width), "mix": REGISTRY["attention"](config)}) for _ in rates]
        )
        self.position = nn.Parameter(torch.zeros(1, 8, config.width))

    def forward(self, x):
        x = x + self.position[:, : x.size(1)]
        for layer in self.layers:
            try:
                x = x + layer["mix"](layer["norm"](x))
            except KeyError as error:
                raise RuntimeError("no such layer") from error
        return {"last": x, "pooled": x[:, 0]}


encoder = Encoder()
"""

MODELS = (CONVOLUTIONS, ATTENTION)


def tokens(text: str) -> list[str]:
    """Return a source as tokens with the white space in front of each."""
    found: list[str] = []
    lines = text.splitlines(keepends=True)
    row, column = 1, 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.ENDMARKER, tokenize.INDENT, tokenize.DEDENT) or token.start < (row, column):
            continue
        between = (
            lines[row - 1][column : token.start[1]]
            if token.start[0] == row
            else lines[token.start[0] - 1][: token.start[1]]
        )
        found.append(between + token.string)
        row, column = token.end
    return found


@st.composite
def disturbed(draw: st.DrawFn) -> str:
    """Return one of the models with a few lines or words taken out, doubled, exchanged or replaced."""
    text = draw(st.sampled_from(MODELS))
    parts = text.splitlines(keepends=True) if draw(st.booleans()) else tokens(text)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(parts) - 1))
        other = draw(st.integers(0, len(parts) - 1))
        change = draw(st.sampled_from(["drop", "double", "exchange", "replace"]))
        if change == "drop" and len(parts) > 1:
            del parts[place]
        elif change == "double":
            parts.insert(place, parts[place])
        elif change == "exchange":
            parts[place], parts[other] = parts[other], parts[place]
        elif change == "replace":
            parts[place] = draw(
                st.sampled_from(["0", "-1", "None", "x", "self", "()", "10**9", "''", "\n", "[]", "lambda: x", " "])
            )
    return "".join(parts)


# Programs from a grammar of their own: each production gives lines of text.

_NAMES = ("a", "b", "net", "x", "f", "C")
names = st.sampled_from(_NAMES)
atoms = st.one_of(
    names,
    st.integers(-3, 99).map(str),
    st.sampled_from(
        ["None", "True", "''", "'text'", "1.5", "[]", "{}", "()", "...", "nn", "torch", "10**7", "self", "range"]
    ),
)
_CALLS = (
    "len({0})", "list({0})", "str({0})", "int({0})", "sum({0})", "max({0}, {1})", "sorted({0})", "isinstance({0}, {1})",
    "type({0})", "range({0})", "zip({0}, {1})", "enumerate({0})", "map({0}, {1})", "getattr({0}, 'shape', {1})", "iter({0})",
    "next({0})", "repr({0})", "vars({0})", "dir({0})", "id({0})", "hash({0})", "tuple({0})", "set({0})", "dict({0})",
    "nn.Linear({0}, {1})", "nn.Conv2d({0}, {1}, 3)", "nn.Sequential({0}, {1})", "nn.ModuleList({0})", "nn.ReLU()",
    "torch.zeros({0}, {1})", "torch.arange({0})", "torch.cat([{0}, {1}])", "{0}.view({1})", "{0}.shape", "{0}.append({1})",
    "{0}.forward({1})", "{0}({1})", "{0}()", "{0}[{1}]", "{0}[{1}:]", "{0}.x", "super().__init__()", "torch.relu({0})",
)  # fmt: skip
_OPERATIONS = (
    "({0} + {1})", "({0} * {1})", "({0} - {1})", "({0} ** {1})", "({0} // {1})", "({0} % {1})", "({0} @ {1})", "({0} << {1})",
    "({0} == {1})", "({0} < {1})", "({0} in {1})", "({0} is {1})", "({0} and {1})", "({0} or {1})", "(not {0})", "(-{0})",
    "({0} if {1} else {0})", "[{0}, *{1}]", "({0}, {1})", "{{{0}: {1}}}", "{{{0}, {1}}}", "[{0} for x in {1}]",
    "(lambda x: {0})", "f'{{{0}}}'", "({0} for x in {1})", "{{**{0}}}", "(x := {0})", "'%s' % {0}", "'{{}}'.format({0})",
)  # fmt: skip
expressions = st.recursive(
    atoms,
    lambda below: st.builds(
        lambda form, one, two: form.format(one, two), st.sampled_from(_CALLS + _OPERATIONS), below, below
    ),
    max_leaves=5,
)
targets = st.one_of(names, st.sampled_from(["a.x", "a[0]", "net.layer", "a, b", "*a, b", "self.x", "C.x", "nn.Linear"]))


def _block(body: list[str]) -> list[str]:
    return [f"    {line}" for line in body] or ["    pass"]


def _compound(head: str, body: list[str], rest: list[str]) -> list[str]:
    lines = [head, *_block(body)]
    if head.startswith("try"):
        lines += ["except Exception as error:", *_block(rest)]
    elif head.startswith(("if", "while", "for")):
        lines += ["else:", *_block(rest)]
    return lines


_HEADS = (
    "if {0}:", "while {0}:", "for x in {0}:", "with {0} as a:", "try:", "def f(x, *a, b={0}, **c):", "class C({0}):",
    "class C(nn.Module):", "class C:", "def forward(self, x):", "def __init__(self):", "def g():", "@{0}\ndef f(x):",
)  # fmt: skip
simple = st.one_of(
    st.builds("{} = {}".format, targets, expressions),
    st.builds("{} {}= {}".format, names, st.sampled_from(["+", "*", "-", "**", "|", "@"]), expressions),
    expressions,
    st.builds("return {}".format, expressions),
    st.builds("yield {}".format, expressions),
    st.builds("raise {}".format, expressions),
    st.builds("assert {}".format, expressions),
    st.builds("del {}".format, names),
    st.builds("global {}".format, names),
    st.sampled_from(["pass", "break", "continue", "import math", "from torch import *", "import nowhere", "return"]),
)
statements = st.recursive(
    simple.map(lambda line: [line]),
    lambda below: st.builds(
        lambda head, value, body, rest: _compound(
            head.format(value), [x for s in body for x in s], [x for s in rest for x in s]
        ),
        st.sampled_from(_HEADS),
        expressions,
        st.lists(below, min_size=1, max_size=3),
        st.lists(below, max_size=2),
    ),
    max_leaves=12,
)
programs = st.lists(statements, min_size=1, max_size=8).map(
    lambda body: "\n".join(["import torch", "from torch import nn", *(line for s in body for line in s), ""])
)
"""Programs of which most are nonsense, but many of which parse."""
