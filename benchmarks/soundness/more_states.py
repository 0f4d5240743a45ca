"""States of generated programs that are kept in functions, classes, iterators, and in `forward`."""

from __future__ import annotations

from benchmarks.soundness.states import Maker
from benchmarks.soundness.writing import Part, State, block


def factory(part: Part, i: int) -> State:
    """A function that makes a layer, under a name that is rebound."""
    top = [
        *block(f"def small_{i}():", ["return nn.Linear(4, 4)"]),
        *block(f"def large_{i}():", ["return nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 4))"]),
    ]
    return State(
        "function in a variable",
        {
            "rebind": [f"make_{i} = large_{i}"],
            "lambda": [f"make_{i} = lambda: nn.Tanh()"],
            "partial": [f"make_{i} = functools.partial(nn.Linear, 4, 4, bias=False)"],
        },
        top=top,
        setup=[f"make_{i} = small_{i}"],
        build=[f"self.block_{i} = make_{i}()"],
        forward=[f"x = self.block_{i}(x)"],
        rebinds=f"make_{i}",
    )


def registry(part: Part, i: int) -> State:
    """A table of classes at the top of a module, and a decorator that enters them."""
    table = f"REGISTRY_{i}"
    top = [
        f"{table} = {{}}",
        *block(
            f"def register_{i}(name):",
            [*block("def enter(cls):", [f"{table}[name] = cls", "return cls"]), "return enter"],
        ),
        f'@register_{i}("plain")',
        *block(
            f"class Plain_{i}(nn.Linear):",
            block("def __init__(self):", ["super().__init__(4, 4)"]),
        ),
    ]
    decorated = [
        f'@register_{i}("plain")',
        *block(f"class Wide_{i}(nn.Linear):", block("def __init__(self):", ["super().__init__(4, 4, bias=False)"])),
    ]
    return State(
        "registry",
        {
            "item": [f'{table}["plain"] = nn.Identity'],
            "decorated class": decorated,
            "another entry": [f'{table}["more"] = nn.Tanh'],
            "pop": [f'{table}.pop("plain", None)'],
        },
        top=top,
        build=[f"self.body_{i} = nn.Sequential(*[make() for make in {table}.values()])"],
        forward=[f"x = self.body_{i}(x)"],
        site="module",
        objects=(table,),
    )


def default_argument(part: Part, i: int) -> State:
    """A mutable default argument."""
    top = block(
        f"def widths_{i}(more=None, kept=[8]):", [*block("if more is not None:", ["kept.append(more)"]), "return kept"]
    )
    return State(
        "default argument",
        {"call": [f"widths_{i}(6)"], "result": [f"widths_{i}().append(5)"], "__defaults__": [f"widths_{i}(more=7)"]},
        top=top,
        build=[
            f"all_{i} = [4, *widths_{i}(), 4]",
            f"self.body_{i} = nn.Sequential(*[nn.Linear(a, b) for a, b in zip(all_{i}, all_{i}[1:])])",
        ],
        forward=[f"x = self.body_{i}(x)"],
    )


def closure(part: Part, i: int) -> State:
    """A variable that only closures can reach."""
    top = block(
        f"def counter_{i}():",
        [
            "count = 8",
            *block("def grow():", ["nonlocal count", "count += 4"]),
            *block("def read():", ["return count"]),
            "return grow, read",
        ],
    )
    return State(
        "closure",
        {"call": [f"grow_{i}()"], "as an argument": [f"list(map(lambda act: act(), [grow_{i}]))"]},
        top=top,
        setup=[f"grow_{i}, read_{i} = counter_{i}()"],
        build=[f"self.up_{i} = nn.Linear(4, read_{i}())", f"self.down_{i} = nn.Linear(read_{i}(), 4)"],
        forward=[f"x = self.down_{i}(self.up_{i}(x))"],
        objects=(f"grow_{i}",),
    )


def iterator(part: Part, i: int) -> State:
    """The position of an iterator or a generator."""
    start = part.rng.choice(["iter([8, 16, 24, 32, 40])", "itertools.count(5)", "(n * n for n in range(3, 9))"])
    return State(
        "iterator",
        {"next": [f"next(widths_{i})"], "for": ["for _ in range(2):", f"    next(widths_{i})"]},
        setup=[f"widths_{i} = {start}"],
        build=[
            f"size_{i} = next(widths_{i})",
            f"self.up_{i} = nn.Linear(4, size_{i})",
            f"self.down_{i} = nn.Linear(size_{i}, 4)",
        ],
        forward=[f"x = self.down_{i}(self.up_{i}(x))"],
        objects=(f"widths_{i}",),
    )


def hooked(part: Part, i: int) -> State:
    """An object whose class intercepts attributes and items."""
    top = block(
        f"class Bag_{i}:",
        [
            *block("def __init__(self):", ['object.__setattr__(self, "data", {"width": 8})']),
            *block("def __getattr__(self, name):", ["return self.data.get(name, 12)"]),
            *block("def __setattr__(self, name, value):", ["self.data[name] = value"]),
            *block("def __setitem__(self, name, value):", ["self.data[name] = value"]),
            *block("def __delattr__(self, name):", ["self.data.pop(name, None)"]),
            *block("def __iadd__(self, other):", ['self.data["width"] += other', "return self"]),
            *block("def __call__(self):", ['self.data["width"] = 20']),
            *block("def __enter__(self):", ['self.data["width"] = 24', "return self"]),
            *block("def __exit__(self, *_):", ["return False"]),
            "@property",
            *block("def wide(self):", ['self.data["width"] = 28', "return True"]),
        ],
    )
    bag = f"bag_{i}"
    return State(
        "object with hooks",
        {
            "__setattr__": [f"{bag}.width = 16"],
            "__setitem__": [f'{bag}["width"] = 16'],
            "__delattr__": [f"del {bag}.width"],
            "__iadd__": [f"{bag} += 4"],
            "__call__": [f"{bag}()"],
            "with": [f"with {bag}:", "    pass"],
            "property": [f"{bag}.wide"],
        },
        top=top,
        setup=[f"{bag} = Bag_{i}()"],
        build=[f"self.up_{i} = nn.Linear(4, {bag}.width)", f"self.down_{i} = nn.Linear({bag}.width, 4)"],
        forward=[f"x = self.down_{i}(self.up_{i}(x))"],
        objects=(bag,),
    )


def method(part: Part, i: int) -> State:
    """A method that is replaced on the instance."""
    members = [
        *block(f"def _make_{i}(self):", ["return nn.Linear(4, 4)"]),
        *block(f"def _other_{i}(self):", ["return nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 4))"]),
    ]
    return State(
        "method of the instance",
        {
            "another method": [f"self._make_{i} = self._other_{i}"],
            "lambda": [f"self._make_{i} = lambda: nn.Tanh()"],
            "of the class": [f"type(self)._make_{i} = type(self)._other_{i}"],
        },
        members=members,
        build=[f"self.block_{i} = self._make_{i}()"],
        forward=[f"x = self.block_{i}(x)"],
        objects=("self",),
    )


def named_layer(part: Part, i: int) -> State:
    """A string that becomes the name of a layer."""
    name = f"name_{i}"
    return State(
        "name of a layer",
        {
            "assign": [f'{name} = "proj_{i}"'],
            "append": [f'{name} += "x"'],
            "format": [f'{name} = f"layer{{§}}_{i}"'],
        },
        setup=[f'{name} = "fc_{i}"'],
        build=[
            part.rng.choice([f"setattr(self, {name}, nn.Linear(4, 4))", f"self.add_module({name}, nn.Linear(4, 4))"]),
            f"self.chosen_{i} = {name}",
        ],
        forward=[f"x = getattr(self, self.chosen_{i})(x)"],
        rebinds=name,
    )


def base_class(part: Part, i: int) -> State:
    """A class whose base, or body, is decided."""
    top = [
        *block(f"class Thin_{i}(nn.Linear):", block("def __init__(self):", ["super().__init__(4, 4, bias=False)"])),
        *block(f"class Thick_{i}(nn.Linear):", block("def __init__(self):", ["super().__init__(4, 4)"])),
        f"Base_{i} = Thin_{i}",
    ]
    build = [
        *block(f"class Chosen_{i}(Base_{i}):", ["width = 8"]),
        f"self.block_{i} = Chosen_{i}()",
    ]
    return State(
        "base class",
        {"rebind": [f"Base_{i} = Thick_{i}"], "another method": [f"Base_{i}.extra_repr = lambda self: ''"]},
        top=top,
        build=build,
        forward=[f"x = self.block_{i}(x)"],
        site="module",
        rebinds=f"Base_{i}",
    )


def flowing(part: Part, i: int) -> State:
    """The tensor itself, in `forward`."""
    return State(
        "tensor in forward",
        {
            "layer": [f"x = self.extra_{i}(x)"],
            "function": ["x = torch.tanh(x)"],
            "layer twice": [f"x = self.extra_{i}(self.extra_{i}(x))"],
            "through a list": [
                f"layers_{i} = [self.extra_{i}, torch.tanh]",
                f"for layer_{i} in layers_{i}:",
                f"    x = layer_{i}(x)",
            ],
            "unused": [f"y_{i} = self.extra_{i}(x)"],
            "method": [f"x = self.extra_{i}.forward(x)"],
        },
        setup=[f"self.extra_{i} = nn.Linear(4, 4)", f"self.fc_{i} = nn.Linear(4, 4)"],
        forward=[f"x = self.fc_{i}(x)"],
        site="forward",
        rebinds="x",
    )


def collected(part: Part, i: int) -> State:
    """A list of tensors, in `forward`, which is returned."""
    return State(
        "outputs in forward",
        {
            "append": [f"outs_{i}.append(self.aux_{i}(x))"],
            "insert": [f"outs_{i}.insert(0, self.aux_{i}(x))"],
            "item": [f"outs_{i}[0] = self.aux_{i}(x)"],
            "through an alias": [f"alias_{i} = outs_{i}", f"alias_{i}.append(torch.tanh(x))"],
            "clear": [f"outs_{i}.clear()"],
        },
        setup=[f"self.aux_{i} = nn.Linear(4, 6)"],
        opening=[f"outs_{i} = [x]"],
        forward=[f'extras["outs_{i}"] = outs_{i}'],
        site="forward",
        objects=(f"outs_{i}",),
    )


def named_outputs(part: Part, i: int) -> State:
    """A dict of tensors, in `forward`, which is returned."""
    return State(
        "named outputs in forward",
        {
            "item": [f'extras["aux_{i}"] = self.aux_{i}(x)'],
            "replace": [f'extras["main_{i}"] = self.aux_{i}(x)'],
            "update": [f"extras.update(late_{i}=self.aux_{i}(x))"],
            "pop": [f'extras.pop("main_{i}", None)'],
            "setdefault": [f'extras.setdefault("more_{i}", torch.relu(x))'],
        },
        setup=[f"self.aux_{i} = nn.Linear(4, 6)"],
        opening=[f'extras["main_{i}"] = x'],
        site="forward",
        objects=("extras",),
    )


def shaped(part: Part, i: int) -> State:
    """The shape of the tensor, in `forward`; it comes back to four features."""
    return State(
        "shape in forward",
        {
            "cat": ["x = torch.cat([x, x], dim=1)"],
            "layer": [f"x = self.wide_{i}(x)"],
            "flatten": ["x = torch.cat([x, x], dim=0)"],
        },
        setup=[f"self.wide_{i} = nn.Linear(4, 12)"],
        forward=[f'extras["shape_{i}"] = x', "x = inputs"],
        site="forward",
        rebinds="x",
    )


def remembered(part: Part, i: int) -> State:
    """An attribute that `forward` sets and reads."""
    return State(
        "attribute in forward",
        {
            "assign": [f"self.depth_{i} = 2"],
            "augment": [f"self.depth_{i} += 1"],
            "setattr": [f'setattr(self, "depth_{i}", 3)'],
        },
        setup=[f"self.depth_{i} = 1", f"self.fc_{i} = nn.Linear(4, 4)"],
        forward=block(f"for _ in range(self.depth_{i}):", [f"x = self.fc_{i}(x)"]),
        site="forward",
        objects=("self",),
    )


def harmless(part: Part, i: int) -> State:
    """Something that no layer depends on."""
    site = part.rng.choice(["init", "module", "forward"])
    top = [f"NOTES_{i} = []", *block(f"class Log_{i}:", ["lines = 0", "level = 1"])]
    return State(
        "something that no layer depends on",
        {
            "print": [f'print("part {i}")'],
            "logging": [f'logging.getLogger("part {i}").info("slow")'],
            "list": [f'NOTES_{i}.append("slow")'],
            "class attribute": [f"Log_{i}.lines += 1"],
            "seed": [f"random.seed({i})"],
            "warning": ['warnings.warn("slow")'],
            "threads": ["torch.set_num_threads(1)"],
        },
        top=top,
        setup=[f"self.up_{i} = nn.Linear(4, 8)", f"self.down_{i} = nn.Linear(8, 4)"],
        forward=[f"x = self.down_{i}(torch.relu(self.up_{i}(x)))"],
        site=site,
        objects=(f"NOTES_{i}",),
    )


def failure(part: Part, i: int) -> State:
    """Something that raises."""
    site = part.rng.choice(["init", "forward"])
    changes = {
        "raise": ['raise RuntimeError("not supported")'],
        "name": [f"undefined_{i}()"],
        "attribute": [f"self.absent_{i}"],
        "key": ['{"a": 1}["b"]'],
        "index": ["[1, 2][5]"],
        "division": ["1 // 0"],
        "type": ["len(5)"],
        "assert": ["assert 1 == 2"],
        "attribute of torch": ["torch.relus"],
    }
    if site == "forward":
        changes |= {
            "shapes": [f"x = self.odd_{i}(x)"],
            "cat": ["torch.cat([x, x[:, :2]], dim=0)"],
            "view": ["x.view(3, 3)"],
        }
    return State(
        f"failure in {site}",
        changes,
        setup=[f"self.odd_{i} = nn.Linear(5, 4)", f"self.fc_{i} = nn.Linear(4, 4)"],
        forward=[f"x = self.fc_{i}(x)"],
        site=site,
        objects=("self",),
        rebinds="x" if site == "forward" else "",
    )


MORE: list[Maker] = [
    factory,
    registry,
    default_argument,
    closure,
    iterator,
    hooked,
    method,
    named_layer,
    base_class,
    harmless,
    harmless,
    failure,
]
IN_FORWARD: list[Maker] = [flowing, collected, named_outputs, shaped, remembered]
