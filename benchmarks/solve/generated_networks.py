"""Small random networks whose forward takes numbers, flags, strings, lists, dicts, lengths, masks or ids."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

WIDTH = 8
_LAYERS = f"nn.Linear({WIDTH}, {WIDTH})"


@dataclass(slots=True)
class Network:
    """A network in the making: the arguments of forward, the layers and the lines."""

    rng: random.Random
    arguments: list[str] = field(default_factory=lambda: ["x"])
    layers: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    examples: dict[str, str] = field(default_factory=dict)
    star: str = ""

    def layer(self, text: str = _LAYERS) -> str:
        """Add a layer and return what it is called."""
        name = f"l{len(self.layers)}"
        self.layers.append(f"self.{name} = {text}")
        return f"self.{name}"

    def argument(self, name: str, annotation: str, example: str) -> str:
        """Add an argument, annotated or not, with a value that fits, and return its name."""
        name = f"{name}{len(self.arguments)}"
        self.arguments.append(f"{name}: {annotation}" if annotation and self.rng.random() < 0.5 else name)
        self.examples[name] = example
        return name

    def source(self) -> str:
        """Return the program."""
        parameters = ", ".join(["self", *self.arguments] + ([self.star] if self.star else []))
        return "\n".join(
            [
                "import torch",
                "import torch.nn.functional as F",
                "from torch import nn",
                "",
                "",
                "class Net(nn.Module):",
                "    def __init__(self):",
                "        super().__init__()",
                *(f"        {line}" for line in self.layers),
                *self.methods,
                "",
                f"    def forward({parameters}):",
                *(f"        {line}" for line in self.lines),
                "        return h",
                "",
            ]
        )


def _number(net: Network) -> None:
    n = net.argument("n", "int", "3")
    net.lines += net.rng.choice(
        [
            lambda: [f"for _ in range({n}):", f"    h = {net.layer()}(h)"],
            lambda: [f"h = h + h[:, :{n}].sum(1, keepdim=True)"],
            lambda: [f"h = torch.stack([h] * {n}).mean(0)"],
            lambda: [f"h = h + torch.zeros({n}, 1, {WIDTH}).sum(0)"],
            lambda: [f"if {n} > 2:", f"    h = {net.layer()}(h)"],
            lambda: [f"h = h.unsqueeze(1).expand(-1, {n}, -1).mean(1)"],
            lambda: [f"h = self.repeated(h, {n})"] if _repeated(net) else [],
            lambda: [f"h = {_choices(net)}[{n} % 2](h)"],
        ]
    )()


def _repeated(net: Network) -> bool:
    layer = net.layer()
    method = ["", "    def repeated(self, h, times):", "        for _ in range(times):", f"            h = {layer}(h)"]
    if not net.methods:
        net.methods += [*method, "        return h"]
    return True


def _choices(net: Network) -> str:
    return net.layer(f"nn.ModuleList([{_LAYERS}, {_LAYERS}])")


def _float(net: Network) -> None:
    s = net.argument("s", "float", "0.5")
    net.lines += net.rng.choice(
        [
            [f"h = h * {s}"],
            [f"h = {s} * h + 1"],
            [f"h = h * (1 - {s})"],
            [f"if {s} > 0.25:", f"    h = h / {s}"],
            [f"h = F.dropout(h, {s})"],
            [f"h = F.leaky_relu(h, {s})"],
            [f"h = torch.clamp(h, max={s})"],
        ]
    )


def _flag(net: Network) -> None:
    f = net.argument("f", "bool", "True")
    layer = net.layer()
    net.lines += net.rng.choice(
        [
            [f"if {f}:", f"    h = {layer}(h)"],
            [f"h = {layer}(h) if not {f} else h"],
            [f"h = h + {layer}(h) if {f} else h"],
            [f"if {f} and h.shape[0] > 0:", f"    h = {layer}(h)"],
        ]
    )


def _text(net: Network) -> None:
    m = net.argument("m", "str", "'wide'")
    layer = net.layer()
    table = net.layer(f"nn.ModuleDict({{'wide': {_LAYERS}, 'deep': {_LAYERS}}})")
    net.lines += net.rng.choice(
        [
            [f"if {m} == 'wide':", f"    h = {layer}(h)"],
            [f"if {m} in ('deep', 'wide'):", f"    h = {layer}(h)"],
            [f"h = {layer}(h) if {m}.startswith('w') else h"],
            [f"h = {table}[{m}](h)"],
        ]
    )


def _list(net: Network) -> None:
    tensor = f"torch.zeros(2, {WIDTH})"
    xs = net.argument("xs", "list[torch.Tensor]", f"[{tensor}, {tensor}]")
    first, second = net.layer(), net.layer()
    net.lines += net.rng.choice(
        [
            [f"h = h + sum({first}(t) for t in {xs})"],
            [f"a, b = {xs}", f"h = h + {first}(a) * {second}(b)"],
            [f"h = h + torch.stack({xs}).sum(0)"],
            [f"for t in {xs}:", f"    h = h + {first}(t)"],
            [f"h = h + {first}({xs}[0]) + {second}({xs}[1])"],
        ]
    )


def _dict(net: Network) -> None:
    image, ids = f"torch.zeros(2, {WIDTH})", "torch.zeros(2, dtype=torch.int64)"
    layer, words = net.layer(), net.layer(f"nn.Embedding(5, {WIDTH})")
    example = f"{{'image': {image}, 'ids': {ids}, 'inner': {{'mask': {image} > 0}}}}"
    d = net.argument("d", "dict", example)
    net.lines += net.rng.choice(
        [
            [f"h = h + {layer}({d}['image'])"],
            [f"h = h + {words}({d}['ids'])"],
            [f"h = h + {layer}({d}['image']) + {words}({d}['ids'])"],
            [f"h = h.masked_fill({d}['inner']['mask'], 0.0)"],
            [f"if 'scale' in {d}:", f"    h = h * {d}['scale']", f"h = h + {layer}({d}['image'])"],
            [f"y = {d}['image']", f"h = h + {layer}(y)"],
            [f"h = h if {d}.get('extra') is None else h * 2", f"h = h + {layer}({d}['image'])"],
        ]
    )


def _object(net: Network) -> None:
    o = net.argument("o", "", f"SimpleNamespace(image=torch.zeros(2, {WIDTH}))")
    net.lines.append(f"h = h + {net.layer()}({o}.image)")


def _lengths(net: Network) -> None:
    name = net.argument("lengths", "", "torch.ones(2, dtype=torch.int64)")
    rnn = net.layer(f"nn.LSTM({WIDTH}, {WIDTH}, batch_first=True)")
    is_sorted = net.rng.choice(("True", "False"))
    net.lines += [
        f"p = nn.utils.rnn.pack_padded_sequence(h.unsqueeze(1), {name}, batch_first=True, enforce_sorted={is_sorted})",
        f"h = h + {rnn}(p)[1][0][0]",
    ]


def _mask(net: Network) -> None:
    mask = net.argument("mask", "torch.Tensor", f"torch.ones(2, {WIDTH}, dtype=torch.bool)")
    net.lines += net.rng.choice(
        [
            [f"h = h.masked_fill({mask}, 0.0)"],
            [f"h = torch.where({mask}, h, 0.0)"],
            [f"h = h.masked_fill(~{mask}, 0.0)"],
            [f"h = h * {mask}"],
        ]
    )


def _ids(net: Network) -> None:
    ids = net.argument("ids", "torch.LongTensor", "torch.zeros(2, dtype=torch.int64)")
    words = net.layer(f"nn.Embedding(5, {WIDTH})")
    net.lines += net.rng.choice(
        [
            [f"h = h + {words}({ids})"],
            [f"h = h + F.embedding({ids}, {words}.weight)"],
            [f"h = h + F.one_hot({ids}, {WIDTH})"],
        ]
    )


def _keywords(net: Network) -> None:
    if not net.star:
        net.star = "**kw"
        net.examples["image"] = f"torch.zeros(2, {WIDTH})"
        net.lines.append(f"h = h + {net.layer()}(kw['image'])")


def _function(net: Network) -> None:
    act = net.argument("act", "", "torch.relu")
    net.lines.append(f"h = {act}(h)")


PIECES: tuple[Callable[[Network], None], ...] = (
    _number, _float, _flag, _text, _list, _dict, _object, _lengths, _mask, _ids, _keywords, _function,
)  # fmt: skip


def generate(seed: int) -> Network:
    """Return a network with one to three arguments beside its first; in every eighth, layers do not fit together."""
    rng = random.Random(seed)
    net = Network(rng)
    net.examples["x"] = f"torch.zeros(2, {WIDTH})"
    net.lines.append(f"h = {net.layer()}(x)")
    for _ in range(rng.randint(1, 3)):
        rng.choice(PIECES)(net)
    if rng.random() < 0.125:
        net.lines.append(f"h = {net.layer(f'nn.Linear({WIDTH + 1}, 3)')}(h)")
    return net
