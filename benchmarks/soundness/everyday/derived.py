"""Idioms in which one part of a network follows from another that is open: sizes, names, counts and types are read back."""

from __future__ import annotations

from benchmarks.soundness.everyday.writer import Idiom, Writer, idiom


def _open_layer(w: Writer, i: int) -> str:
    test = w.test()
    return w.rng.choice(
        [
            f"self.first{i} = nn.Linear(4, 6 if {test} else 8)",
            f"self.first{i} = nn.Linear(4, 6)\nif {test}:\n    self.first{i} = nn.Linear(4, 8, bias=False)",
            f"self.first{i} = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 8))[-1 if {test} else 0]\n"
            f"if self.first{i}.in_features != 4:\n    self.first{i} = nn.Linear(4, 7)",
        ]
    )


@idiom
def reads_features(w: Writer, i: int) -> Idiom:
    """A layer that takes what another one gives."""
    read = w.rng.choice(
        [
            f"self.first{i}.out_features",
            f"self.first{i}.weight.shape[0]",
            f"self.first{i}.weight.size(0)",
            f"len(self.first{i}.weight)",
        ]
    )
    init = f"{_open_layer(w, i)}\nself.second{i} = nn.Linear({read}, 4)"
    return Idiom("", "", init, f"x = self.second{i}(self.first{i}(x))")


@idiom
def counts_parameters(w: Writer, i: int) -> Idiom:
    """A width that is computed from how many parameters there are."""
    count = w.rng.choice(
        [
            f"sum(p.numel() for p in self.first{i}.parameters()) // 8",
            f"len(list(self.first{i}.parameters())) * 3",
            f"len(self.first{i}.state_dict()) + 3",
            "sum(1 for _ in self.modules()) + 2",
            f"max(p.shape[0] for p in self.first{i}.parameters())",
            "sum(p.requires_grad for p in self.parameters()) + 3",
        ]
    )
    init = f"{_open_layer(w, i)}\nself.back{i} = nn.Linear(self.first{i}.out_features, 4)\nself.side{i} = nn.Linear(4, {count})"
    return Idiom("", "", init, f"x = self.back{i}(self.first{i}(x))\nself.side{i}(x)")


@idiom
def by_name(w: Writer, i: int) -> Idiom:
    """A class that is looked up by an open name."""
    how = w.rng.choice(
        [
            (("ReLU", "GELU", "Tanh"), "getattr(nn, {})()"),
            (("ReLU", "GELU"), "{{'ReLU': nn.ReLU, 'GELU': nn.GELU}}[{}]()"),
            (("ReLU", "missing"), "{{'ReLU': nn.ReLU}}.get({}, nn.Identity)()"),
            (
                ("LayerNorm", "Linear"),
                "(lambda kind: getattr(nn, kind)(4) if kind != 'Linear' else nn.Linear(4, 4))({})",
            ),
            (("Small", "Large"), f"globals()[{{}} + '{i}']()"),
            (("ReLU", "Tanh"), "next(c for c in (nn.ReLU, nn.Tanh) if c.__name__ == {})()"),
        ]
    )
    words, text = how
    top = f"class Small{i}(nn.Linear):\n    def __init__(self):\n        super().__init__(4, 4)\n\n\nclass Large{i}(nn.Sequential):\n    def __init__(self):\n        super().__init__(nn.Linear(4, 9), nn.Linear(9, 4))\n"
    return Idiom(top, "", f"self.act{i} = {text.format(w.word(*words))}", f"x = self.act{i}(x)")


@idiom
def functional_by_name(w: Writer, i: int) -> Idiom:
    """A function that is looked up by an open name and called in forward."""
    name = w.word("relu", "tanh", "softmax")
    forward = f"f{i} = getattr(torch, self.f{i})\nx = self.fc{i}(f{i}(x, dim=1) if self.f{i} == 'softmax' else f{i}(x))"
    return Idiom("", "", f"self.f{i} = {name}\nself.fc{i} = nn.Linear(4, 4)", forward)


@idiom
def freezes_by_name(w: Writer, i: int) -> Idiom:
    """Weights that are frozen by what their names contain."""
    part = w.word("weight", "bias", "0")
    init = f"""
self.body{i} = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 4))
for name, p in self.body{i}.named_parameters():
    if {part} in name:
        p.requires_grad = False
"""
    return Idiom("", "", init, f"x = self.body{i}(x)")


@idiom
def slices(w: Writer, i: int) -> Idiom:
    """A stack that is cut at an open number."""
    number = w.number()
    cut = w.rng.choice([f"[:{number}]", f"[-{number}:]", f"[::{number}]", f"[{number}:]", f"[{number} - 1]"])
    made = w.rng.choice(["nn.Sequential({})", "nn.ModuleList([{}])"]).format(
        "nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4), nn.Tanh()"
    )
    made = made if "Sequential" in made or "- 1]" not in cut else "nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Tanh())"
    init = f"self.body{i} = {made}{cut}"
    if "ModuleList" in made:
        return Idiom("", "", init, f"for part in self.body{i}:\n    x = part(x)")
    return Idiom("", "", init, f"x = self.body{i}(x)")


@idiom
def formatted_names(w: Writer, i: int) -> Idiom:
    """Names that are made of open numbers and strings."""
    number = w.number()
    init = w.rng.choice(
        [
            f"self.table{i} = nn.ModuleDict({{f'stage{{k}}': nn.Linear(4, 4) for k in range({number})}})",
            f"n{i} = {number}\nself.table{i} = nn.ModuleDict()\nself.table{i}[f'last{{n{i}}}'] = nn.Linear(4, 4)",
            f"n{i} = {number}\nself.table{i} = nn.ModuleDict([('a', nn.Linear(4, 4)), ('b' * n{i}, nn.ReLU())])",
        ]
    )
    return Idiom("", "", init, f"for part in self.table{i}.values():\n    x = part(x)")


@idiom
def ordered(w: Writer, i: int) -> Idiom:
    """A `Sequential` of an `OrderedDict` whose items are moved."""
    test = w.test()
    edit = w.rng.choice(
        [
            f"parts{i}.move_to_end('a')",
            f"parts{i}['c'] = nn.Tanh()",
            f"parts{i}.popitem(last=False)",
            f"parts{i}['a'] = nn.Linear(4, 4, bias=False)",
            f"parts{i} = collections.OrderedDict(reversed(list(parts{i}.items())))",
        ]
    )
    init = f"""
parts{i} = collections.OrderedDict(a=nn.Linear(4, 4), b=nn.ReLU())
if {test}:
    {edit}
self.body{i} = nn.Sequential(parts{i})
"""
    return Idiom("", "", init, f"x = self.body{i}(x)")


@idiom
def asks_itself(w: Writer, i: int) -> Idiom:
    """Structure that depends on what is already there."""
    test = w.test()
    question = w.rng.choice(
        [
            f"hasattr(self, 'extra{i}')",
            f"'extra{i}' in self._modules",
            f"'extra{i}' in dict(self.named_children())",
            "len(list(self.children())) > 2 and isinstance(list(self.children())[-1], nn.ReLU)",
            "any(isinstance(m, nn.ReLU) for m in self.modules())",
            f"'extra{i}' in vars(self)['_modules']",
        ]
    )
    init = f"""
if {test}:
    self.extra{i} = nn.ReLU()
if {question}:
    self.more{i} = nn.Linear(4, 4)
else:
    self.less{i} = nn.Linear(4, 4, bias=False)
"""
    forward = f"x = self.more{i}(x) if hasattr(self, 'more{i}') else self.less{i}(x)"
    return Idiom("", "", init, forward)


@idiom
def state_dicts(w: Writer, i: int) -> Idiom:
    """State dicts that are copied between layers, as far as they fit."""
    init = f"""
{_open_layer(w, i)}
self.other{i} = nn.Linear(4, 6)
own = self.other{i}.state_dict()
fits = {{k: v for k, v in self.first{i}.state_dict().items() if k in own and v.shape == own[k].shape}}
self.other{i}.load_state_dict(fits, strict=False)
self.used{i} = nn.Linear(len(fits) + 1, 4)
self.back{i} = nn.Linear(self.first{i}.out_features, 4)
"""
    return Idiom("", "", init, f"x = self.back{i}(self.first{i}(x))")


@idiom
def forward_counter(w: Writer, i: int) -> Idiom:
    """State that forward keeps."""
    init = f"self.calls{i} = 0\nself.fc{i} = nn.Linear(4, 4)\nself.alt{i} = nn.Linear(4, 4)"
    forward = f"""
if {w.test(True)}:
    self.calls{i} += 1
for _ in range(self.calls{i}):
    x = self.fc{i}(x)
x = self.alt{i}(x)
"""
    return Idiom("", "", init, forward)


@idiom
def outputs(w: Writer, i: int) -> Idiom:
    """Blocks that return tuples, dicts or None, as something says."""
    returned = w.rng.choice(
        ["(x, y) if {} else (x,)", "{{'x': x, 'y': y}} if {} else {{'x': x}}", "[x, y, y] if {} else [x]"]
    )
    top = f"""
class Multi{i}(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.fy = nn.Linear(4, 3)
    def forward(self, x):
        x, y = self.fc(x), self.fy(x)
        return {returned.format(w.test(True))}
"""
    forward = f"""
result{i} = self.multi{i}(x)
if len(result{i}) > 1:
    extras["more{i}"] = result{i}["y" if isinstance(result{i}, dict) else 1]
x = result{i}["x" if isinstance(result{i}, dict) else 0]
"""
    return Idiom(top, "", f"self.multi{i} = Multi{i}()", forward)


@idiom
def tensor_arithmetic(w: Writer, i: int) -> Idiom:
    """Widths that tensors compute."""
    test = w.test()
    text = w.rng.choice(
        [
            f"int(torch.tensor([5, 9 if {test} else 6]).max())",
            f"torch.tensor([4, 2]).sum().item() + (2 if {test} else 1)",
            f"[int(v) for v in torch.linspace(4, 8, 3)][1 if {test} else 2]",
            f"torch.arange(5 if {test} else 7).numel()",
            f"torch.zeros(3, 5 if {test} else 6).shape[-1]",
            f"torch.where(torch.tensor(bool({test})), torch.tensor(5), torch.tensor(6)).item()",
        ]
    )
    init = f"width{i} = {text}\nself.up{i} = nn.Linear(4, width{i})\nself.down{i} = nn.Linear(width{i}, 4)"
    return Idiom("", "", init, f"x = self.down{i}(self.up{i}(x))")


@idiom
def nested_functions(w: Writer, i: int) -> Idiom:
    """Functions that are defined, and defined again, in branches."""
    init = f"""
def make{i}(width):
    return nn.Linear(4, width)
if {w.test()}:
    old{i} = make{i}
    def make{i}(width, inner=old{i}):
        return nn.Sequential(inner(width), nn.Linear(width, width))
self.part{i} = make{i}(4)
"""
    return Idiom("", "", init, f"x = self.part{i}(x)")


@idiom
def patched(w: Writer, i: int) -> Idiom:
    """A method, or a class's attribute, that is replaced from outside."""
    top = f"""
class Block{i}(nn.Module):
    scale = 1
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, self.width())
        self.back = nn.Linear(self.width(), 4)
    def width(self):
        return 5 * self.scale
    def forward(self, x):
        return self.back(self.fc(x))
def patch{i}():
    {w.rng.choice([f"Block{i}.width = lambda self: 7", f"setattr(Block{i}, 'scale', 2)", f"Block{i}.forward = lambda self, x: x", f"del Block{i}.scale; Block{i}.scale = 3"])}
if {w.test()}:
    patch{i}()
"""
    return Idiom(top, "", f"self.block{i} = Block{i}()", f"x = self.block{i}(x)")


@idiom
def instance_forward(w: Writer, i: int) -> Idiom:
    """A method that is bound to one instance."""
    init = f"""
self.fc{i} = nn.Linear(4, 4)
self.gate{i} = nn.Linear(4, 4)
if {w.test()}:
    self.step{i} = lambda x: self.gate{i}(self.fc{i}(x))
else:
    self.step{i} = self.fc{i}
"""
    return Idiom("", "", init, f"x = self.step{i}(x)")


@idiom
def operators(w: Writer, i: int) -> Idiom:
    """Objects with operators, comparisons and truth of their own."""
    top = f"""
class Width{i}:
    def __init__(self, value):
        self.value = value
    def __add__(self, other):
        return Width{i}(self.value + getattr(other, "value", other))
    __radd__ = __add__
    def __bool__(self):
        return self.value > 5
    def __lt__(self, other):
        return self.value < other.value
    def __index__(self):
        return self.value
    def __eq__(self, other):
        return isinstance(other, Width{i}) and self.value == other.value
    def __hash__(self):
        return hash(self.value)
"""
    test = w.test()
    text = w.rng.choice(
        [
            f"sum([Width{i}(2), Width{i}(4 if {test} else 3)], 1).value",
            f"max(Width{i}(5), Width{i}(7 if {test} else 3)).value",
            f"(Width{i}(6 if {test} else 4) or Width{i}(9)).value",
            f"len({{Width{i}(4), Width{i}(4 if {test} else 5)}}) + 4",
            f"[4, 5, 6, 7][Width{i}(1 if {test} else 3)]",
        ]
    )
    init = f"width{i} = {text}\nself.up{i} = nn.Linear(4, width{i})\nself.down{i} = nn.Linear(width{i}, 4)"
    return Idiom(top, "", init, f"x = self.down{i}(self.up{i}(x))")


@idiom
def swaps(w: Writer, i: int) -> Idiom:
    """Values that are swapped, unpacked and deleted."""
    init = f"""
a{i}, b{i}, *c{i} = 5, 6, 7, 8
if {w.test()}:
    a{i}, b{i} = b{i}, a{i}
    {w.rng.choice([f"del c{i}[0]", f"c{i}, d{i} = [b{i}], c{i}", f"(a{i}, [*c{i}]) = (9, [4, 4])"])}
sizes{i} = [4, a{i}, *c{i}, b{i}, 4]
self.body{i} = nn.Sequential(*[nn.Linear(m, n) for m, n in zip(sizes{i}, sizes{i}[1:])])
"""
    return Idiom("", "", init, f"x = self.body{i}(x)")


@idiom
def string_parsing(w: Writer, i: int) -> Idiom:
    """Sizes that are parsed from an open string."""
    words = w.rng.choice([("6-5", "7", "8-8-8"), ("5,6", "9"), ("w7", "w5")])
    text = w.word(*words)
    parse = {"6": ".split('-')", "5": ".split(',')", "w": ".strip('w').split()"}[words[0][0]]
    init = f"""
sizes{i} = [4] + [int(part) for part in {text}{parse}] + [4]
self.body{i} = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes{i}, sizes{i}[1:]))
"""
    return Idiom("", "", init, f"for part in self.body{i}:\n    x = part(x)")


@idiom
def retries(w: Writer, i: int) -> Idiom:
    """A loop that tries again after an exception."""
    call, error = w.failing()
    init = f"""
width{i} = 4
for attempt in range(3):
    try:
        {call}
        width{i} += 1
        break
    except {error}:
        width{i} += 2
        {w.rng.choice(["continue", "pass", f"width{i} += attempt"])}
else:
    width{i} += 5
self.up{i} = nn.Linear(4, width{i})
self.down{i} = nn.Linear(width{i}, 4)
"""
    return Idiom("", "", init, f"x = self.down{i}(self.up{i}(x))")


@idiom
def shared_module(w: Writer, i: int) -> Idiom:
    """One module in several places, or copies of it."""
    init = f"""
block{i} = nn.Linear(4, 4)
self.a{i} = nn.Sequential(block{i}, nn.ReLU())
self.b{i} = nn.Sequential(block{i} if {w.test()} else copy.deepcopy(block{i}), nn.Tanh())
self.c{i} = {w.rng.choice([f"self.a{i}[0]", f"self.b{i}[0]", f"nn.ModuleList([self.a{i}, self.b{i}])[1]"])}
"""
    return Idiom("", "", init, f"x = self.c{i}(self.b{i}(self.a{i}(x)))")


@idiom
def training_script(w: Writer, i: int) -> Idiom:
    """What a script does to a network after it was built: freezing, replacing the head, moving."""
    top = f"""
def finetune{i}(net, classes):
    if {w.test()}:
        for p in net.parameters():
            p.requires_grad = False
    net[-1] = nn.Linear(net[-1].in_features, classes)
    if {w.test()}:
        net.append(nn.Identity())
    return net
"""
    init = f"self.tuned{i} = finetune{i}(nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 9)), 4)"
    return Idiom(top, "", init, f"x = self.tuned{i}(x)")


@idiom
def recursion(w: Writer, i: int) -> Idiom:
    """A tree of modules that is built by recursion."""
    top = f"""
class Tree{i}(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.below = Tree{i}(depth - 1) if depth > 0 and {w.test()} else None
    def forward(self, x):
        x = self.fc(x)
        return x if self.below is None else self.below(x)
"""
    return Idiom(top, "", f"self.tree{i} = Tree{i}(2)", f"x = self.tree{i}(x)")


@idiom
def convolution(w: Writer, i: int) -> Idiom:
    """Sizes of pictures that depend on strides and padding."""
    test = w.test()
    init = f"""
stride{i} = 2 if {test} else 1
self.conv{i} = nn.Conv1d(1, 3, 3, stride=stride{i}, padding=1)
self.fc{i} = nn.Linear(3 * ((4 - 1) // stride{i} + 1), 4)
"""
    return Idiom("", "", init, f"x = self.fc{i}(self.conv{i}(x.unsqueeze(1)).flatten(1))")
