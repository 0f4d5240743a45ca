"""What decisions change in generated programs: numbers, containers, layers, functions, and where these are kept.

Each function returns a state whose layers take the trunk, four features wide, to itself; names end in the part's number.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.soundness.writing import Lines, Part, State, block

Maker = Callable[[Part, int], State]


def _bottleneck(width: str, i: int) -> tuple[Lines, Lines]:
    """Return layers through a width, and how they are called."""
    build = [f"self.up_{i} = nn.Linear(4, {width})", f"self.down_{i} = nn.Linear({width}, 4)"]
    return build, [f"x = self.down_{i}(torch.relu(self.up_{i}(x)))"]


def _numbered(name: str, place: str, i: int, changes: dict[str, Lines] | None = None, **rest: object) -> State:
    """Return a state that is a width under an expression that can be assigned to."""
    build, forward = _bottleneck(place, i)
    own = {"assign": [f"{place} = 16"], "augment": [f"{place} *= 2"], "by an open number": [f"{place} = 4 * §"]}
    return State(name, {**own, **(changes or {})}, build=build, forward=forward, **rest)  # type: ignore[arg-type]


def local(part: Part, i: int) -> State:
    """A local variable of `__init__`."""
    return _numbered("local variable", f"width_{i}", i, setup=[f"width_{i} = 8"], rebinds=f"width_{i}")


def attribute(part: Part, i: int) -> State:
    """An attribute of the network."""
    changes = {
        "setattr": [f'setattr(self, "width_{i}", 16)'],
        "__dict__": [f'self.__dict__["width_{i}"] = 16'],
        "vars": [f"vars(self).update(width_{i}=16)"],
    }
    setup = [f"self.width_{i} = 8"]
    return _numbered("attribute", f"self.width_{i}", i, changes, setup=setup, objects=("self",))


def class_attribute(part: Part, i: int) -> State:
    """An attribute of a class."""
    top = block(f"class Defaults_{i}:", ["width = 8"])
    alias = [f"alias_{i} = Defaults_{i}", f"alias_{i}.width = 16"]
    changes = {"through an alias": alias, "setattr": [f'setattr(Defaults_{i}, "width", 16)']}
    return _numbered(
        "class attribute", f"Defaults_{i}.width", i, changes, top=top, site=part.rng.choice(["init", "module"])
    )


def own_class_attribute(part: Part, i: int) -> State:
    """An attribute of the network's own class."""
    return _numbered(
        "own class attribute",
        f"type(self).width_{i}",
        i,
        {"self.__class__": [f"self.__class__.width_{i} = 16"]},
        members=[f"width_{i} = 8"],
        objects=("self",),
    )


def global_number(part: Part, i: int) -> State:
    """A global variable."""
    site = part.rng.choice(["init", "module"])
    rebinds = f"WIDTH_{i}"
    changes = {"globals()": [f'globals()["WIDTH_{i}"] = 16']}
    return _numbered("global variable", f"WIDTH_{i}", i, changes, top=[f"WIDTH_{i} = 8"], site=site, rebinds=rebinds)


def config_object(part: Part, i: int) -> State:
    """An attribute of an object, through aliases and methods."""
    cfg = f"config_{i}"
    top = part.rng.choice(
        [
            ["@dataclasses.dataclass", *block(f"class Config_{i}:", ["width: int = 8", "depth: int = 1"])],
            block(f"class Config_{i}:", block("def __init__(self):", ["self.width = 8"])),
            block(f"class Config_{i}(types.SimpleNamespace):", ["pass"]),
        ]
    )
    methods = [*block("def widen(self, by=2):", ["self.width *= by"]), *block("def get(self):", ["self.width = 16"])]
    top = [*top, *[f"    {line}" for line in methods]]
    make = f"Config_{i}(width=8)" if "Namespace" in top[0] else f"Config_{i}()"
    changes = {
        "through an alias": [f"alias_{i} = {cfg}", f"alias_{i}.width = 16"],
        "through a list": [f"for each_{i} in [{cfg}]:", f"    each_{i}.width = 16"],
        "setattr": [f'setattr({cfg}, "width", 16)'],
        "method": [f"{cfg}.widen()"],
        "method called get": [f"{cfg}.get()"],
        "bound method": [f"act_{i} = {cfg}.widen", f"act_{i}(3)"],
        "vars": [f"vars({cfg})['width'] = 16"],
    }
    return _shared(
        part, "object", cfg, make, i, top, changes, f"{cfg}.width", "lambda given: setattr(given, 'width', 16)"
    )


def _shared(
    part: Part,
    name: str,
    variable: str,
    make: str,
    i: int,
    top: Lines,
    changes: dict[str, Lines],
    read: str,
    effect: str,
) -> State:
    """Return a state that is a width in an object, which is made in `__init__` or at the top of the module."""
    at_top = part.rng.random() < 0.5
    made = [f"{variable} = {make}"]
    build, forward = _bottleneck(read, i)
    return State(
        name,
        changes,
        setup=[] if at_top else made,
        top=[*top, *(made if at_top else [])],
        build=build,
        forward=forward,
        site=part.rng.choice(["init", "module"]) if at_top else "init",
        objects=(variable,),
        unseen=(variable, effect),
    )


def dictionary(part: Part, i: int) -> State:
    """An item of a dict."""
    cfg = f"settings_{i}"
    changes = {
        "item": [f'{cfg}["width"] = 16'],
        "open item": [f'{cfg}["width" if § > 1 else "other"] = 16'],
        "update": [f"{cfg}.update(width=16)"],
        "|=": [f'{cfg} |= {{"width": 16}}'],
        "pop": [f'{cfg}.pop("width", None)'],
        "popitem": [f"{cfg}.popitem()"],
        "del": [f'if "width" in {cfg}:', f'    del {cfg}["width"]'],
        "clear": [f"{cfg}.clear()"],
        "setdefault": [f'{cfg}.setdefault("scale", 2)'],
        "through an alias": [f"alias_{i} = {cfg}", f'alias_{i}["width"] = 16'],
        "through a dict": [f'{{"a": {cfg}}}["a"]["width"] = 16'],
    }
    read = f'{cfg}.get("width", 12) * {cfg}.get("scale", 1)'
    if part.rng.random() < 0.3:
        changes.pop("|=")
        make = "collections.OrderedDict(width=8)"
    else:
        make = '{"width": 8}'
    return _shared(part, "dict", cfg, make, i, [], changes, read, "lambda given: given.update(width=16)")


def numbers(part: Part, i: int) -> State:
    """A list of widths, read in full."""
    sizes = f"sizes_{i}"
    changes = {
        "item": [f"{sizes}[1] = 16"],
        "open index": [f"{sizes}[§] = 5"],
        "append": [f"{sizes}.append(4)"],
        "insert": [f"{sizes}.insert(1, 6)"],
        "open insert": [f"{sizes}.insert(§, 7)"],
        "extend": [f"{sizes}.extend([5, 4])"],
        "+=": [f"{sizes} += [6, 4]"],
        "pop": [f"{sizes}.pop(1)"],
        "open pop": [f"{sizes}.pop(§)"],
        "remove": [f"if 8 in {sizes}:", f"    {sizes}.remove(8)"],
        "slice": [f"{sizes}[1:2] = [5, 6]"],
        "del": [f"del {sizes}[1]"],
        "reverse": [f"{sizes}.reverse()"],
        "sort": [f"{sizes}.sort()"],
        "sort by key": [f"{sizes}.sort(key=lambda size: -size)"],
        "clear": [f"{sizes}.clear()"],
        "through an alias": [f"alias_{i} = {sizes}", f"alias_{i}.append(9)"],
        "through a dict": [f'store_{i} = {{"sizes": {sizes}}}', f'store_{i}["sizes"][1] = 10'],
    }
    if part.rng.random() < 0.3:
        made = f"{sizes} = collections.deque([8, 6, 10])"
        changes = {
            name: changes[name] for name in ("item", "append", "extend", "reverse", "remove", "through an alias")
        }
        changes["appendleft"] = [f"{sizes}.appendleft(5)"]
        changes["rotate"] = [f"{sizes}.rotate(1)"]
    else:
        made = f"{sizes} = [8, 6, 10]"
    build = [
        f"all_{i} = [4, *{sizes}, 4]",
        f"self.body_{i} = nn.Sequential(*[nn.Linear(a, b) for a, b in zip(all_{i}, all_{i}[1:])])",
    ]
    return State(
        "list of numbers",
        changes,
        setup=[made],
        build=build,
        forward=[f"x = self.body_{i}(x)"],
        objects=(sizes,),
        unseen=(sizes, "lambda given: given.append(9)"),
    )


def layers(part: Part, i: int) -> State:
    """A list of layers."""
    stack = f"stack_{i}"
    changes = {
        "item": [f"{stack}[1] = nn.Tanh()"],
        "open index": [f"{stack}[§ - 1] = nn.Tanh()"],
        "append": [f"{stack}.append(nn.Linear(4, 4))"],
        "insert": [f"{stack}.insert(0, nn.LayerNorm(4))"],
        "open insert": [f"{stack}.insert(§ - 1, nn.LayerNorm(4))"],
        "extend": [f"{stack}.extend([nn.Linear(4, 5), nn.Linear(5, 4)])"],
        "+=": [f"{stack} += [nn.Dropout(0.1)]"],
        "pop": [f"{stack}.pop()"],
        "open pop": [f"{stack}.pop(§ - 1)"],
        "slice": [f"{stack}[1:] = [nn.Identity(), nn.Sigmoid()]"],
        "del": [f"del {stack}[0]"],
        "reverse": [f"{stack}.reverse()"],
        "through an alias": [f"alias_{i} = {stack}", f"alias_{i}.append(nn.Linear(4, 4))"],
        "through a tuple": [f"pair_{i} = ({stack}, 1)", f"pair_{i}[0].append(nn.Linear(4, 4))"],
    }
    return State(
        "list of layers",
        changes,
        setup=[f"{stack} = [nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4, bias=False)]"],
        build=[f"self.body_{i} = nn.Sequential(*{stack})"],
        forward=[f"x = self.body_{i}(x)"],
        objects=(stack,),
        unseen=(stack, "lambda given: given.append(nn.Linear(4, 4))"),
    )


def sequential(part: Part, i: int) -> State:
    """A container module that is changed in place."""
    body = f"self.body_{i}"
    changes = {
        "append": [f"{body}.append(nn.Linear(4, 4))"],
        "insert": [f"{body}.insert(0, nn.LayerNorm(4))"],
        "open insert": [f"{body}.insert(§ - 1, nn.LayerNorm(4))"],
        "extend": [f"{body}.extend([nn.Linear(4, 5), nn.Linear(5, 4)])"],
        "replace": [f"{body}[0] = nn.Linear(4, 4, bias=False)"],
        "open index": [f"{body}[§ - 1] = nn.Tanh()"],
        "del": [f"del {body}[0]"],
        "pop": [f"{body}.pop(1)"],
        "add_module": [f'{body}.add_module("extra", nn.Linear(4, 4))'],
        "add_module under an open name": [f'{body}.add_module(f"extra{{§}}", nn.Linear(4, 4))'],
        "through an alias": [f"alias_{i} = {body}", f"alias_{i}.append(nn.Tanh())"],
    }
    is_list = part.rng.random() < 0.4
    if is_list:
        changes = {name: lines for name, lines in changes.items() if name not in ("del", "pop")}
    kind = (
        "nn.ModuleList([nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4)])"
        if is_list
        else ("nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))")
    )
    forward = block(f"for layer_{i} in {body}:", [f"x = layer_{i}(x)"]) if is_list else [f"x = {body}(x)"]
    if is_list:
        changes.pop("add_module under an open name")
        changes.pop("add_module")
    return State(
        "container module",
        changes,
        setup=[f"{body} = {kind}"],
        forward=forward,
        objects=("self",),
        unseen=(body, "lambda given: given.append(nn.Linear(4, 4))"),
    )


def layer(part: Part, i: int) -> State:
    """A layer that is an attribute."""
    changes = {
        "replace": [f"self.act_{i} = nn.Linear(4, 4, bias=False)"],
        "None": [f"self.act_{i} = None"],
        "del": [f'if hasattr(self, "act_{i}"):', f"    del self.act_{i}"],
        "setattr": [f'setattr(self, "act_{i}", nn.Tanh())'],
        "add_module": [f'self.add_module("act_{i}", nn.Tanh())'],
        "register_module": [f'self.register_module("late_{i}", nn.Linear(4, 4))'],
        "another name": [f"self.late_{i} = nn.Linear(4, 4)"],
        "setattr under an open name": [f'setattr(self, f"act{{§}}_{i}", nn.Linear(4, 4))'],
        "add_module under an open name": [f'self.add_module(f"act{{§}}_{i}", nn.Linear(4, 4))'],
        "_modules": [f'self._modules["act_{i}"] = nn.Tanh()'],
        "the same layer twice": [f"self.late_{i} = self.act_{i}"],
    }
    forward = [
        *block(f'if getattr(self, "act_{i}", None) is not None:', [f"x = self.act_{i}(x)"]),
        *block(f'if hasattr(self, "late_{i}"):', [f"x = self.late_{i}(x)"]),
    ]
    return State(
        "layer",
        changes,
        setup=[f"self.act_{i} = nn.Linear(4, 4)"],
        forward=forward,
        objects=("self",),
        unseen=("self", f"lambda given: setattr(given, 'act_{i}', nn.Tanh())"),
    )


def weight(part: Part, i: int) -> State:
    """A parameter or buffer, its type, whether it trains, and what it is tied to."""
    changes = {
        "replace": [f"self.scale_{i} = nn.Parameter(torch.ones(1, 4))"],
        "None": [f"self.scale_{i} = None"],
        "requires_grad_": [f"self.proj_{i}.weight.requires_grad_(False)"],
        "freeze": [f"for p_{i} in self.proj_{i}.parameters():", f"    p_{i}.requires_grad = False"],
        "register_buffer": [f'self.register_buffer("mask_{i}", torch.ones(2))'],
        "register_parameter": [f'self.register_parameter("shift_{i}", nn.Parameter(torch.ones(4)))'],
        "double": [f"self.spare_{i}.double()"],
        "half": [f"self.spare_{i} = self.spare_{i}.half()"],
        "tie": [f"self.spare_{i}.weight = self.proj_{i}.weight"],
        "no bias": [f"self.proj_{i}.bias = None"],
        "apply": [f"self.spare_{i}.apply(lambda m: m.requires_grad_(False))"],
    }
    setup = [
        f"self.scale_{i} = nn.Parameter(torch.ones(4))",
        f"self.proj_{i} = nn.Linear(4, 4)",
        f"self.spare_{i} = nn.Linear(4, 4)",
    ]
    forward = [f"x = self.proj_{i}(x)", *block(f"if self.scale_{i} is not None:", [f"x = x * self.scale_{i}"])]
    return State("weight", changes, setup=setup, forward=forward, objects=("self",))


def kinds(part: Part, i: int) -> State:
    """A set that decides which layers there are."""
    names = f"kinds_{i}"
    changes = {
        "add": [f'{names}.add("norm")'],
        "discard": [f'{names}.discard("linear")'],
        "update": [f'{names}.update(["norm", "tanh"])'],
        "|=": [f'{names} |= {{"tanh"}}'],
        "clear": [f"{names}.clear()"],
        "through an alias": [f"alias_{i} = {names}", f'alias_{i}.add("tanh")'],
    }
    table = '{"linear": nn.Linear(4, 4), "norm": nn.LayerNorm(4), "tanh": nn.Tanh()}'
    return State(
        "set",
        changes,
        setup=[f'{names} = {{"linear"}}'],
        build=[
            f"chosen_{i} = {table}",
            f"self.body_{i} = nn.Sequential(*[chosen_{i}[name] for name in sorted({names})])",
        ],
        forward=[f"x = self.body_{i}(x)"],
        objects=(names,),
        unseen=(names, "lambda given: given.add('norm')"),
    )


def module_dict(part: Part, i: int) -> State:
    """A dict of layers, or a `ModuleDict`."""
    table = f"self.table_{i}"
    is_plain = part.rng.random() < 0.4
    if is_plain:
        table = f"table_{i}"
    changes = {
        "item": [f'{table}["b"] = nn.Linear(4, 4)'],
        "replace": [f'{table}["a"] = nn.Tanh()'],
        "update": [f'{table}.update({{"b": nn.ReLU(), "c": nn.Linear(4, 4)}})'],
        "pop": [f'{table}.pop("a")'],
        "del": [f'del {table}["a"]'],
        "clear": [f"{table}.clear()"],
        "open item": [f'{table}[f"k{{§}}"] = nn.Linear(4, 4)'],
        "through an alias": [f"alias_{i} = {table}", f'alias_{i}["z"] = nn.Tanh()'],
    }
    content = '{"a": nn.Linear(4, 4), "n": nn.ReLU()}'
    return State(
        "dict of layers",
        changes,
        setup=[f"{table} = {content}" if is_plain else f"{table} = nn.ModuleDict({content})"],
        build=[f"self.table_{i} = nn.ModuleDict(table_{i})"] if is_plain else [],
        forward=block(f"for layer_{i} in self.table_{i}.values():", [f"x = layer_{i}(x)"]),
        objects=(table,) if is_plain else ("self",),
        unseen=(table, "lambda given: given.update(b=nn.Linear(4, 4))"),
    )


def nested_lists(part: Part, i: int) -> State:
    """A list that is read through another container."""
    table = f"plan_{i}"
    changes = {
        "append inside": [f'{table}["widths"].append(5)'],
        "through a row": [f'row_{i} = {table}["widths"]', f"row_{i}[0] = 16"],
        "through a copy of the outer": [f"copy_{i} = dict({table})", f'copy_{i}["widths"].append(6)'],
        "another list": [f'{table}["widths"] = [5]'],
        "of a loop": [f"for row_{i} in {table}.values():", f"    row_{i}.insert(0, 9)"],
        "copy only": [f'list({table}["widths"]).append(7)'],
    }
    return State(
        "nested container",
        changes,
        setup=[f'{table} = {{"widths": [8, 6]}}'],
        build=[
            f'all_{i} = [4, *{table}["widths"], 4]',
            f"self.body_{i} = nn.Sequential(*[nn.Linear(a, b) for a, b in zip(all_{i}, all_{i}[1:])])",
        ],
        forward=[f"x = self.body_{i}(x)"],
        objects=(table,),
    )


ALL: list[Maker] = [
    local,
    attribute,
    class_attribute,
    own_class_attribute,
    global_number,
    config_object,
    dictionary,
    numbers,
    layers,
    sequential,
    layer,
    weight,
    kinds,
    module_dict,
    nested_lists,
]
