"""Idioms of ordinary code: configurations, registries, decorators, closures, descriptors, exceptions, loops."""

from __future__ import annotations

from benchmarks.soundness.everyday.writer import Idiom, Writer, idiom


def _widths(i: int, width: str) -> str:
    return f"self.up{i} = nn.Linear(4, {width})\nself.down{i} = nn.Linear({width}, 4)"


def _through(i: int) -> str:
    return f"x = self.down{i}(torch.tanh(self.up{i}(x)))"


@idiom
def config_dict(w: Writer, i: int) -> Idiom:
    """A configuration that is a dict, updated by another one."""
    top = f"""
DEFAULTS{i} = {{"hidden": 8, "norm": False, "layers": [4, 4]}}
def load_config{i}(overrides=None):
    config = dict(DEFAULTS{i})
    if {w.test()}:
        config.update(overrides or {{"hidden": 12}})
    return config
"""
    how = w.rng.choice(
        [f"load_config{i}()", f'load_config{i}({{"hidden": 6, "norm": True}})', f"{{**load_config{i}(), 'x': 1}}"]
    )
    init = f"""
cfg{i} = {how}
{_widths(i, f'cfg{i}["hidden"]')}
self.norm{i} = nn.LayerNorm(4) if cfg{i}["norm"] else nn.Identity()
"""
    return Idiom(top, "", init, f"{_through(i)}\nx = self.norm{i}(x)")


@idiom
def shared_default(w: Writer, i: int) -> Idiom:
    """A mutable default argument that calls share."""
    top = f"""
def collect{i}(width, seen=[]):
    seen.append(width)
    return seen
"""
    init = f"""
collect{i}(8)
if {w.test()}:
    collect{i}(6)
sizes = [4, *collect{i}(5), 4]
self.body{i} = nn.Sequential(*[nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])])
"""
    return Idiom(top, "", init, f"x = self.body{i}(x)")


@idiom
def registry(w: Writer, i: int) -> Idiom:
    """A registry that a decorator fills, perhaps."""
    how = w.rng.choice(["if", "flag", "over"])
    head = f"""
BLOCKS{i} = {{}}
def register{i}(name, enabled=True):
    def wrap(cls):
        if enabled:
            BLOCKS{i}[name] = cls
        return cls
    return wrap

@register{i}("plain")
class Plain{i}(nn.Linear):
    pass
"""
    wide = f"""
class Wide{i}(nn.Sequential):
    def __init__(self, a, b):
        super().__init__(nn.Linear(a, 7), nn.ReLU(), nn.Linear(7, b))
"""
    if how == "if":
        body = f'if {w.test()}:\n    @register{i}("plain")\n' + "\n".join(
            f"    {line}" for line in wide.strip().splitlines()
        )
    elif how == "flag":
        body = f'@register{i}("wide", {w.test()})' + wide
    else:
        body = wide + f'\nif {w.test()}:\n    register{i}("plain")(Wide{i})'
    name = '"plain"' if how != "flag" else f'"wide" if "wide" in BLOCKS{i} else "plain"'
    return Idiom(f"{head}\n{body}", "", f"self.block{i} = BLOCKS{i}[{name}](4, 4)", f"x = self.block{i}(x)")


@idiom
def class_counter(w: Writer, i: int) -> Idiom:
    """A class attribute that instances count in."""
    top = f"""
class Layer{i}(nn.Module):
    made = 0
    def __init__(self):
        super().__init__()
        Layer{i}.made += 1
        self.fc = nn.Linear(4, 4 * Layer{i}.made)
        self.back = nn.Linear(4 * Layer{i}.made, 4)
    def forward(self, x):
        return self.back(self.fc(x))
"""
    init = f"""
if {w.test()}:
    Layer{i}()
self.a{i} = Layer{i}()
self.b{i} = Layer{i}()
"""
    return Idiom(top, "", init, f"x = self.b{i}(self.a{i}(x))")


@idiom
def closure_counter(w: Writer, i: int) -> Idiom:
    """A closure that counts in a cell."""
    top = f"""
def counter{i}(start):
    count = start
    def step(by=1):
        nonlocal count
        count += by
        return count
    return step
"""
    init = f"""
step{i} = counter{i}(4)
if {w.test()}:
    step{i}(2)
{_widths(i, f"step{i}()")}
"""
    return Idiom(top, "", init, _through(i))


@idiom
def property_width(w: Writer, i: int) -> Idiom:
    """A property that depends on private state."""
    members = f"""
@property
def width{i}(self):
    return self._width{i} * (2 if self._wide{i} else 1)
@width{i}.setter
def width{i}(self, value):
    self._width{i} = value
"""
    init = f"""
self._wide{i} = {w.test()}
self.width{i} = 5
{_widths(i, f"self.width{i}")}
"""
    return Idiom("", members, init, _through(i))


@idiom
def descriptor(w: Writer, i: int) -> Idiom:
    """A descriptor that clamps, or doubles, what is set."""
    top = f"""
class Clamped{i}:
    def __init__(self, most):
        self.most = most
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name, 4)
    def __set__(self, obj, value):
        if {w.test()}:
            value = min(value, self.most)
        setattr(obj, self.name, value)
class Options{i}:
    width = Clamped{i}(6)
"""
    init = f"""
options{i} = Options{i}()
options{i}.width = 9
{_widths(i, f"options{i}.width")}
"""
    return Idiom(top, "", init, _through(i))


@idiom
def metaclass(w: Writer, i: int) -> Idiom:
    """A metaclass that adds an attribute to classes."""
    top = f"""
class Meta{i}(type):
    def __new__(mcs, name, bases, space):
        if {w.test()}:
            space.setdefault("width", 10)
        return super().__new__(mcs, name, bases, space)
class Base{i}(metaclass=Meta{i}):
    pass
class Own{i}(Base{i}):
    {w.rng.choice(["pass", "width = 5"])}
"""
    return Idiom(top, "", _widths(i, f'getattr(Own{i}, "width", 7)'), _through(i))


@idiom
def missing_attribute(w: Writer, i: int) -> Idiom:
    """`__getattr__` that answers for what was not set."""
    top = f"""
class Options{i}:
    def __init__(self, **given):
        self.__dict__.update(given)
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return {{"hidden": 6}}.get(name, 4)
"""
    init = f"""
opts{i} = Options{i}(depth=1)
if {w.test()}:
    opts{i}.hidden = 11
{_widths(i, f"opts{i}.hidden")}
"""
    return Idiom(top, "", init, _through(i))


@idiom
def data_class(w: Writer, i: int) -> Idiom:
    """A dataclass with a factory, `__post_init__` and `replace`."""
    top = f"""
@dataclasses.dataclass
class Spec{i}:
    hidden: int = 8
    sizes: list = dataclasses.field(default_factory=lambda: [4, 6, 4])
    scale: int = 1
    def __post_init__(self):
        if {w.test()}:
            self.hidden *= 2
            self.sizes.append(4)
"""
    init = f"""
spec{i} = {w.rng.choice([f"Spec{i}()", f"Spec{i}(hidden=3)", f"dataclasses.replace(Spec{i}(), scale=2)"])}
{_widths(i, f"spec{i}.hidden * spec{i}.scale")}
self.body{i} = nn.Sequential(*[nn.Linear(a, b) for a, b in zip(spec{i}.sizes, spec{i}.sizes[1:])])
"""
    return Idiom(top, "", init, f"{_through(i)}\nx = self.body{i}(x)")


@idiom
def partials(w: Writer, i: int) -> Idiom:
    """`functools.partial` with keywords that a branch changes."""
    init = f"""
make{i} = functools.partial(nn.Linear, 4, bias=True)
if {w.test()}:
    make{i} = functools.partial(make{i}, bias=False)
self.fc{i} = make{i}(4)
norm{i} = functools.partial(nn.LayerNorm, eps=1e-6)
self.norms{i} = nn.ModuleList([norm{i}(4) for _ in range(2)])
"""
    return Idiom("", "", init, f"x = self.fc{i}(x)\nfor norm in self.norms{i}:\n    x = norm(x)")


@idiom
def sorted_callback(w: Writer, i: int) -> Idiom:
    """Layers in an order that a key decides."""
    key = w.rng.choice(
        [
            f"lambda pair: pair[1] if {w.test()} else -pair[1]",
            f"(lambda pair: pair[0]) if {w.test()} else (lambda pair: pair[1])",
        ]
    )
    init = f"""
pairs{i} = sorted([("b", 6), ("a", 9), ("c", 5)], key={key})
sizes{i} = [4] + [size for _, size in pairs{i}] + [4]
self.body{i} = nn.Sequential(*map(nn.Linear, sizes{i}[:-1], sizes{i}[1:]))
"""
    return Idiom("", "", init, f"x = self.body{i}(x)")


@idiom
def handled(w: Writer, i: int) -> Idiom:
    """An exception with a handler, an `else` and a `finally` that count."""
    call, error = w.failing()
    init = f"""
width{i} = 4
try:
    value = {call}
except {error}:
    width{i} += 1
else:
    width{i} += 2
finally:
    width{i} += 4
{_widths(i, f"width{i}")}
"""
    return Idiom("", "", init, _through(i))


@idiom
def custom_error(w: Writer, i: int) -> Idiom:
    """An exception of the program's own that carries a value through calls."""
    top = f"""
class Found{i}(Exception):
    def __init__(self, width):
        super().__init__(width)
        self.width = width
def search{i}(sizes):
    for size in sizes:
        if size > 5 and {w.test()}:
            raise Found{i}(size)
    return 4
"""
    init = f"""
try:
    width{i} = search{i}([4, 6, 8])
except Found{i} as found:
    width{i} = found.width
{_widths(i, f"width{i}")}
"""
    return Idiom(top, "", init, _through(i))


@idiom
def while_else(w: Writer, i: int) -> Idiom:
    """`while` with `else`."""
    init = f"""
width{i} = 3
while width{i} < 12:
    width{i} += 3
    if {w.test()}:
        break
else:
    width{i} = 5
{_widths(i, f"width{i}")}
"""
    return Idiom("", "", init, _through(i))


@idiom
def matching(w: Writer, i: int) -> Idiom:
    """`match` on a tuple, a dict or a class."""
    pick = w.word("relu", "gelu", "none")
    init = f"""
match {{"act": {pick}, "width": 8}}:
    case {{"act": "relu", "width": int(n)}}:
        self.act{i}, width{i} = nn.ReLU(), n
    case {{"act": "gelu", **rest}} if len(rest) == 1:
        self.act{i}, width{i} = nn.GELU(), rest["width"] + 1
    case _:
        self.act{i}, width{i} = nn.Identity(), 5
{_widths(i, f"width{i}")}
"""
    return Idiom("", "", init, f"{_through(i)}\nx = self.act{i}(x)")


@idiom
def walrus(w: Writer, i: int) -> Idiom:
    """An assignment in a condition that is used after it."""
    init = f"""
sizes{i} = [5, 6, 7]
if (extra{i} := {w.test()}) and (last{i} := sizes{i}.pop()) > 3:
    sizes{i}.insert(0, last{i})
{_widths(i, f"sizes{i}[0] + len(sizes{i}) + (2 if extra{i} else 0)")}
"""
    return Idiom("", "", init, _through(i))


@idiom
def star_arguments(w: Writer, i: int) -> Idiom:
    """`*args` and `**kwargs` that are built up."""
    top = f"""
def stack{i}(*sizes, act=nn.ReLU, last=None, **options):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b, **options), act()]
    if last is not None:
        layers[-1] = last()
    return nn.Sequential(*layers)
"""
    init = f"""
args{i}, kwargs{i} = [4, 6], {{}}
if {w.test()}:
    args{i}.append(5)
    kwargs{i}["bias"] = False
if {w.test()}:
    kwargs{i}.update(last=nn.Identity)
self.body{i} = stack{i}(*args{i}, 4, **kwargs{i})
"""
    return Idiom(top, "", init, f"x = self.body{i}(x)")


@idiom
def comprehension(w: Writer, i: int) -> Idiom:
    """Comprehensions with conditions."""
    test = w.test()
    text = w.rng.choice(
        [
            f"nn.ModuleList([nn.Linear(4, 4) for k in range(4) if k % 2 == 0 or {test}])",
            f"nn.ModuleList(nn.Linear(4, 4, bias=k > 1) if {test} else nn.ReLU() for k in range(3))",
            f"nn.ModuleDict({{f'l{{k}}': nn.Linear(4, 4) for k in range(3) if k or not {test}}})",
            f"nn.ModuleList([nn.Linear(4, 4) for a in ({{1, 2}} if {test} else {{3}}) for b in range(2)])",
        ]
    )
    loop = f"self.parts{i}.values()" if "ModuleDict" in text else f"self.parts{i}"
    return Idiom("", "", f"self.parts{i} = {text}", f"for part in {loop}:\n    x = part(x)")


@idiom
def tied(w: Writer, i: int) -> Idiom:
    """Weights that are tied under a condition."""
    init = f"""
self.enc{i} = nn.Linear(4, 4, bias=False)
self.dec{i} = nn.Linear(4, 4, bias=False)
if {w.test()}:
    self.dec{i}.weight = self.enc{i}.weight
"""
    return Idiom("", "", init, f"x = self.dec{i}(self.enc{i}(x))")


@idiom
def list_edits(w: Writer, i: int) -> Idiom:
    """A `ModuleList` or `Sequential` that is edited."""
    kind = w.rng.choice(["nn.ModuleList([{}])", "nn.Sequential({})"])
    made = kind.format("nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4), nn.Tanh()")
    edits = [
        f"self.body{i}.insert({w.number()}, nn.LayerNorm(4))",
        f"self.body{i}.pop(-1)",
        f"del self.body{i}[1]",
        f"del self.body{i}[1:3]",
        f"self.body{i} = self.body{i}[:-1]",
        f"self.body{i} = self.body{i}[1:]",
        f"self.body{i}[-1] = nn.Linear(4, 4, bias=False)",
        f"self.body{i}.extend([nn.Linear(4, 4)])",
        f"self.body{i} += [nn.Sigmoid()]" if "List" in made else f"self.body{i} += nn.Sequential(nn.Sigmoid())",
        f'self.body{i}.add_module("4", nn.Linear(4, 4))',
        f"self.body{i}[0].bias = None",
    ]
    first, second = w.rng.sample(edits, 2)
    init = f"""
self.body{i} = {made}
if {w.test()}:
    {first}
else:
    {w.rng.choice([second, "pass"])}
"""
    forward = f"for layer in self.body{i}:\n    x = layer(x)" if "List" in made else f"x = self.body{i}(x)"
    return Idiom("", "", init, forward)


@idiom
def open_name(w: Writer, i: int) -> Idiom:
    """`add_module`, `setattr` and buffers under names that are open."""
    name = w.word("left", "right")
    how = w.rng.choice(
        [
            f'self.add_module(name{i} + "{i}", nn.Linear(4, 4))',
            f'setattr(self, f"{{name{i}}}{i}", nn.Linear(4, 4))',
            f'self.register_buffer(f"{{name{i}}}{i}", torch.ones(4))',
            f'self.register_parameter(name{i} + "{i}", nn.Parameter(torch.zeros(4)))',
            f'self._modules[name{i} + "{i}"] = nn.Linear(4, 4)',
        ]
    )
    use = (
        f'x = getattr(self, "left{i}", nn.Identity())(x)' if "Linear" in how else f'x = x + getattr(self, "left{i}", 0)'
    )
    return Idiom("", "", f"name{i} = {name}\n{how}\nself.end{i} = nn.Linear(4, 4)", f"{use}\nx = self.end{i}(x)")


@idiom
def buffers(w: Writer, i: int) -> Idiom:
    """Buffers that are there, persistent, or of another type, under conditions."""
    init = f"""
self.register_buffer("mean{i}", torch.zeros(4))
if {w.test()}:
    self.register_buffer("std{i}", torch.ones(4, dtype=torch.float64), persistent=False)
    self.mean{i} = self.mean{i}.double()
self.fc{i} = nn.Linear(4, 4)
"""
    return Idiom(
        "",
        "",
        init,
        f'x = self.fc{i}(x) - self.mean{i}.float()\nif hasattr(self, "std{i}"):\n    x = x / self.std{i}.float()',
    )


@idiom
def hook(w: Writer, i: int) -> Idiom:
    """A forward hook, perhaps."""
    hooks = w.rng.choice(
        [
            "lambda module, args, output: output * 2",
            "lambda module, args, output: output[:, :4].reshape(-1, 4)",
            "lambda module, args, output: None",
        ]
    )
    init = f"""
self.fc{i} = nn.Linear(4, 4)
if {w.test()}:
    self.fc{i}.register_forward_hook({hooks})
"""
    return Idiom("", "", init, f"x = self.fc{i}(x)")


@idiom
def deep_copies(w: Writer, i: int) -> Idiom:
    """Copies of a layer that is changed before or after."""
    init = f"""
proto{i} = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
if {w.test()}:
    proto{i}.append(nn.Linear(4, 4))
self.copies{i} = nn.ModuleList([copy.deepcopy(proto{i}) for _ in range(2)])
if {w.test()}:
    proto{i}.append(nn.Tanh())
self.last{i} = proto{i}
"""
    return Idiom("", "", init, f"for part in self.copies{i}:\n    x = part(x)\nx = self.last{i}(x)")


@idiom
def applied(w: Writer, i: int) -> Idiom:
    """`apply` with a function that freezes, or replaces, in a branch."""
    top = f"""
def visit{i}(module):
    if isinstance(module, nn.Linear) and {w.test()}:
        module.weight.requires_grad = False
        {w.rng.choice(["module.bias = None", "module.extra = nn.ReLU()", "pass"])}
"""
    init = f"""
self.body{i} = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
self.body{i}.apply(visit{i})
"""
    return Idiom(top, "", init, f"x = self.body{i}(x)")


@idiom
def cached(w: Writer, i: int) -> Idiom:
    """`lru_cache`, `cached_property` and a dict that is a cache."""
    top = f"""
calls{i} = []
@functools.lru_cache(maxsize=None)
def width{i}(kind):
    calls{i}.append(kind)
    return 4 + len(calls{i})
"""
    init = f"""
width{i}("a")
if {w.test()}:
    width{i}({w.rng.choice(['"a"', '"b"', '"c"'])})
{_widths(i, f'width{i}("b")')}
"""
    return Idiom(top, "", init, _through(i))


@idiom
def iterators(w: Writer, i: int) -> Idiom:
    """Iterators that are advanced in a branch."""
    text = w.rng.choice(
        [
            "itertools.cycle([5, 6, 7])",
            "itertools.count(5)",
            "iter([5, 6, 7, 8])",
            "(n for n in range(5, 9))",
            "itertools.accumulate([5, 1, 1, 1])",
        ]
    )
    init = f"""
source{i} = {text}
if {w.test()}:
    next(source{i})
{_widths(i, f"next(source{i})")}
self.more{i} = nn.Linear(4, next(source{i}))
"""
    return Idiom("", "", init, f"{_through(i)}\nself.more{i}(x)")


@idiom
def numpy_choice(w: Writer, i: int) -> Idiom:
    """Widths that are computed with numpy."""
    test = w.test()
    text = w.rng.choice(
        [
            f"int(np.where({test}, 6, 9))",
            f"int(np.array([5, 7])[int(bool({test}))])",
            f"int(np.sum([4, 2 if {test} else 1]))",
            f"int(np.linspace(4, 8, 3)[-1 if {test} else 0])",
        ]
    )
    return Idiom("", "", _widths(i, text), _through(i))


@idiom
def generator_layers(w: Writer, i: int) -> Idiom:
    """A generator that yields layers."""
    top = f"""
def layers{i}(depth):
    for index in range(depth):
        yield nn.Linear(4, 4)
        if {w.test()}:
            {w.rng.choice(["return", "continue", "yield nn.ReLU()"])}
        yield nn.LayerNorm(4)
"""
    return Idiom(top, "", f"self.body{i} = nn.Sequential(*layers{i}(2))", f"x = self.body{i}(x)")


@idiom
def context(w: Writer, i: int) -> Idiom:
    """A context manager that changes a setting and puts it back, or not."""
    top = f"""
STATE{i} = {{"width": 5}}
@contextlib.contextmanager
def setting{i}(**values):
    before = dict(STATE{i})
    STATE{i}.update(values)
    try:
        yield STATE{i}
    finally:
        if {w.test()}:
            STATE{i}.clear()
            STATE{i}.update(before)
"""
    init = f"""
with setting{i}(width=9) as state:
    self.inner{i} = nn.Linear(4, state["width"])
{_widths(i, f'STATE{i}["width"]')}
"""
    return Idiom(top, "", init, f"self.inner{i}(x)\n{_through(i)}")


@idiom
def training_flag(w: Writer, i: int) -> Idiom:
    """Frozen parts, and modes that are set."""
    init = f"""
self.backbone{i} = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
self.frozen{i} = {w.test()}
if self.frozen{i}:
    for p in self.backbone{i}.parameters():
        p.requires_grad_(False)
"""
    forward = f"""
if self.training and not self.frozen{i}:
    x = x + 1
x = self.backbone{i}(x)
"""
    return Idiom("", "", init, forward)


@idiom
def global_state(w: Writer, i: int) -> Idiom:
    """A module of settings that functions change."""
    top = f"""
WIDTH{i} = 6
def configure{i}(width=None):
    global WIDTH{i}
    if width is not None:
        WIDTH{i} = width
    return WIDTH{i}
if {w.test()}:
    configure{i}(10)
"""
    return Idiom(top, "", _widths(i, w.rng.choice([f"WIDTH{i}", f"configure{i}()"])), _through(i))


@idiom
def subclass(w: Writer, i: int) -> Idiom:
    """A base class with hooks that subclasses fill, one of which is chosen."""
    top = f"""
class Base{i}(nn.Module):
    width = 5
    def __init__(self):
        super().__init__()
        self.build()
    def build(self):
        self.fc = nn.Linear(4, self.width)
        self.out = nn.Linear(self.width, 4)
    def forward(self, x):
        return self.out(self.fc(x))
class Deep{i}(Base{i}):
    width = 7
    def build(self):
        super().build()
        self.mid = nn.Linear(self.width, self.width)
    def forward(self, x):
        return self.out(self.mid(self.fc(x)))
Chosen{i} = Deep{i} if {w.test()} else Base{i}
"""
    use = w.rng.choice([f"Chosen{i}()", f"type('Mixed{i}', (Chosen{i},), {{'width': 6}})()"])
    return Idiom(top, "", f"self.part{i} = {use}", f"x = self.part{i}(x)")


@idiom
def init_subclass(w: Writer, i: int) -> Idiom:
    """`__init_subclass__` that collects classes."""
    top = f"""
class Plugin{i}:
    known = []
    def __init_subclass__(cls, enabled=True, **rest):
        super().__init_subclass__(**rest)
        if enabled:
            Plugin{i}.known.append(cls)
class A{i}(Plugin{i}):
    width = 5
class B{i}(Plugin{i}, enabled={w.test()}):
    width = 6
"""
    init = f"""
sizes{i} = [4, *(plugin.width for plugin in Plugin{i}.known), 4]
self.body{i} = nn.Sequential(*[nn.Linear(a, b) for a, b in zip(sizes{i}, sizes{i}[1:])])
"""
    return Idiom(top, "", init, f"x = self.body{i}(x)")


@idiom
def wrapped_method(w: Writer, i: int) -> Idiom:
    """A decorator around a method that builds, or calls, twice."""
    top = f"""
def repeat{i}(method):
    @functools.wraps(method)
    def wrapper(self, *args, **kwargs):
        result = method(self, *args, **kwargs)
        if {w.test()}:
            result = method(self, *args, **kwargs)
        return result
    return wrapper
"""
    members = f"""
@repeat{i}
def grow{i}(self):
    self.sizes{i}.append(4 + len(self.sizes{i}))
    return self
"""
    init = f"""
self.sizes{i} = [4]
self.grow{i}().grow{i}()
pairs{i} = zip(self.sizes{i}, self.sizes{i}[1:] + [4])
self.body{i} = nn.Sequential(*[nn.Linear(a, b) for a, b in pairs{i}])
"""
    return Idiom(top, members, init, f"x = self.body{i}(x)")


@idiom
def optional_import(w: Writer, i: int) -> Idiom:
    """A package that may be missing, and what stands for it."""
    from benchmarks.soundness.program import CONSTANT, Decision, Raises, Stub

    number = len(w.decisions) + 1
    text = w.enter(Decision(f"import fusedlib{number}", (Raises("ImportError"), Stub()), CONSTANT, "missing package"))
    top = f"""
try:
    {text}
    FUSED{i} = True
except ImportError:
    FUSED{i} = False
"""
    init = f"""
if FUSED{i}:
    self.fc{i} = nn.Linear(4, 4, bias=False)
else:
    self.fc{i} = nn.Sequential(nn.Linear(4, 6), nn.Linear(6, 4))
"""
    return Idiom(top, "", init, f"x = self.fc{i}(x)")


@idiom
def package(w: Writer, i: int) -> Idiom:
    """A small package whose import has effects."""
    files = {
        f"plug{i}/__init__.py": f"from plug{i} import base\nfrom plug{i} import extra\nfrom plug{i}.base import TABLE, build\n",
        f"plug{i}/base.py": "import torch\nfrom torch import nn\nTABLE = {'linear': lambda: nn.Linear(4, 4)}\nORDER = []\n\n"
        "def build(name):\n    return TABLE[name]()\n",
        f"plug{i}/extra.py": "import os, random, socket, sys, time, platform, datetime, getpass, glob, importlib.util, pathlib, shutil, uuid\n"
        f"import numpy as np\nimport torch\nfrom torch import nn\nfrom plug{i}.base import TABLE, ORDER\nORDER.append('extra')\n"
        f"if {w.test()}:\n    TABLE['linear'] = lambda: nn.Sequential(nn.Linear(4, 5), nn.Linear(5, 4))\n    ORDER.append('more')\n",
    }
    init = f"""
self.first{i} = plug{i}.build("linear")
{_widths(i, f"4 + len(plug{i}.base.ORDER)")}
"""
    return Idiom(f"import plug{i}", "", init, f"x = self.first{i}(x)\n{_through(i)}", files)


@idiom
def early_exit(w: Writer, i: int) -> Idiom:
    """A stack that is left early, by the data or by something open."""
    init = f"self.steps{i} = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])"
    forward = w.rng.choice(
        [
            f"for step in self.steps{i}:\n    x = torch.relu(step(x))\n    if {w.test(True)}:\n        break",
            f"for k, step in enumerate(self.steps{i}):\n    if k == 1 and {w.test(True)}:\n        continue\n    x = step(x)",
            f"k = 0\nwhile k < 3 and not ({w.test(True)}):\n    x = self.steps{i}[k](x)\n    k += 1",
            f"x = self.steps{i}[0](x) if {w.test(True)} else self.steps{i}[1](self.steps{i}[2](x))",
            f"outs = [step(x) for step in self.steps{i} if {w.test(True)}]\nx = sum(outs, x)",
        ]
    )
    return Idiom("", "", init, forward)


@idiom
def shapes_in_forward(w: Writer, i: int) -> Idiom:
    """Shapes of forward that something open decides."""
    test = w.test(True)
    forward = w.rng.choice(
        [
            f"y = torch.cat([x, x], dim=1 if {test} else 0)\nx = y[: x.shape[0], :4]",
            f"pad{i} = 2 if {test} else 0\ny = torch.nn.functional.pad(x, (0, pad{i}))\nx = self.mix{i}(y[:, :4])\nextras['y{i}'] = y",
            f"if {test}:\n    x = x.unsqueeze(0)\n    x = self.mix{i}(x).squeeze(0)\nelse:\n    x = self.mix{i}(x)",
            f"parts = list(x.split(2, dim=1))\nif {test}:\n    parts.reverse()\nx = torch.cat(parts, 1)\nextras['n{i}'] = torch.stack(parts)",
            f"if {test}:\n    extras['aux{i}'] = self.mix{i}(x)\nx = x + 1",
            f"state{i} = {{}}\nif {test}:\n    state{i}['h'] = self.mix{i}(x)\nx = state{i}.get('h', x)",
        ]
    )
    return Idiom("", "", f"self.mix{i} = nn.Linear(4, 4)", forward)


@idiom
def lazy_layer(w: Writer, i: int) -> Idiom:
    """A layer that is made when it is first needed."""
    members = f"""
def layer{i}(self):
    if getattr(self, "_layer{i}", None) is None:
        self._layer{i} = nn.Linear(4, 6 if {w.test()} else 8)
    return self._layer{i}
"""
    return Idiom("", members, f"self.layer{i}()\nself.layer{i}()", f"self.layer{i}()(x)")


@idiom
def swapped(w: Writer, i: int) -> Idiom:
    """Layers that are replaced by walking over the network."""
    init = f"""
self.stem{i} = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Sequential(nn.Linear(4, 4), nn.ReLU()))
for name, module in list(self.stem{i}.named_modules()):
    if isinstance(module, nn.ReLU) and {w.test()}:
        owner, _, last = name.rpartition(".")
        parent = self.stem{i}.get_submodule(owner) if owner else self.stem{i}
        setattr(parent, last, nn.GELU())
"""
    return Idiom("", "", init, f"x = self.stem{i}(x)")


@idiom
def enumeration(w: Writer, i: int) -> Idiom:
    """An enum, and a table by its members."""
    top = f"""
class Kind{i}(enum.Enum):
    SMALL = 5
    LARGE = 9
    @classmethod
    def pick(cls):
        return cls.LARGE if {w.test()} else cls.SMALL
"""
    init = f"""
kind{i} = Kind{i}.pick()
{_widths(i, f"kind{i}.value")}
self.act{i} = {{Kind{i}.SMALL: nn.ReLU, Kind{i}.LARGE: nn.GELU}}[kind{i}]()
"""
    return Idiom(top, "", init, f"{_through(i)}\nx = self.act{i}(x)")


@idiom
def counted_loop(w: Writer, i: int) -> Idiom:
    """A depth that is an open number."""
    init = w.rng.choice(
        [
            f"self.body{i} = nn.Sequential(*[nn.Linear(4, 4) for _ in range({w.number()})])",
            f"self.body{i} = nn.Sequential()\nfor k in range({w.number()}):\n    self.body{i}.add_module(f'l{{k}}', nn.Linear(4, 4))",
            f"self.body{i} = nn.Sequential(nn.Linear(4, 4 * {w.number()}), nn.LazyLinear(4))",
            f"layers = [nn.Linear(4, 4)] * {w.number()}\nself.body{i} = nn.Sequential(*layers)",
        ]
    )
    return Idiom("", "", init, f"x = self.body{i}(x)")


@idiom
def named_tuple(w: Writer, i: int) -> Idiom:
    """A named tuple, replaced in a branch."""
    top = f"Size{i} = collections.namedtuple('Size{i}', 'inner outer', defaults=(4,))"
    init = f"""
size{i} = Size{i}(6)
if {w.test()}:
    size{i} = size{i}._replace(inner=10)
inner{i}, outer{i} = size{i}
self.up{i} = nn.Linear(4, inner{i})
self.down{i} = nn.Linear(inner{i}, outer{i})
"""
    return Idiom(top, "", init, _through(i))


@idiom
def default_dict(w: Writer, i: int) -> Idiom:
    """`defaultdict`, `Counter` and `ChainMap`."""
    init = w.rng.choice(
        [
            f"table{i} = collections.defaultdict(lambda: 6)\nif {w.test()}:\n    table{i}['w'] += 3\n{_widths(i, f'table{i}[chr(119)]')}",
            f"count{i} = collections.Counter('aab')\nif {w.test()}:\n    count{i}.update('bbb')\n{_widths(i, f'count{i}.most_common(1)[0][1] + 3')}",
            f"over{i} = {{}}\nchain{i} = collections.ChainMap(over{i}, {{'w': 5}})\nif {w.test()}:\n    over{i}['w'] = 8\n{_widths(i, f'chain{i}[chr(119)]')}",
        ]
    )
    return Idiom("", "", init, _through(i))


@idiom
def exit_stack(w: Writer, i: int) -> Idiom:
    """Callbacks that run later, in an order."""
    init = f"""
sizes{i} = []
with contextlib.ExitStack() as stack:
    stack.callback(sizes{i}.append, 5)
    if {w.test()}:
        stack.callback(sizes{i}.append, 7)
    stack.callback(lambda: sizes{i}.append(6))
all{i} = [4, *sizes{i}, 4]
self.body{i} = nn.Sequential(*[nn.Linear(a, b) for a, b in zip(all{i}, all{i}[1:])])
"""
    return Idiom("", "", init, f"x = self.body{i}(x)")


@idiom
def bound_callback(w: Writer, i: int) -> Idiom:
    """A callback that an object keeps and calls later."""
    top = f"""
class Builder{i}:
    def __init__(self):
        self.actions, self.widths = [], [4]
    def on(self, action):
        self.actions.append(action)
        return self
    def widen(self):
        self.widths.append(self.widths[-1] + 2)
    def run(self):
        for action in self.actions:
            action()
        return self.widths + [4]
"""
    init = f"""
builder{i} = Builder{i}()
builder{i}.on(builder{i}.widen)
if {w.test()}:
    builder{i}.on(builder{i}.widen).on(lambda: builder{i}.widths.append(3))
sizes{i} = builder{i}.run()
self.body{i} = nn.Sequential(*[nn.Linear(a, b) for a, b in zip(sizes{i}, sizes{i}[1:])])
"""
    return Idiom(top, "", init, f"x = self.body{i}(x)")


@idiom
def casts(w: Writer, i: int) -> Idiom:
    """Types that depend on something."""
    test = w.test()
    init = w.rng.choice(
        [
            f"self.fc{i} = nn.Linear(4, 4, dtype=torch.float64 if {test} else torch.float32)",
            f"self.fc{i} = nn.Linear(4, 4)\nif {test}:\n    self.fc{i}.to(torch.float64)",
            f"self.fc{i} = nn.Linear(4, 4)\nself.fc{i} = self.fc{i}.double() if {test} else self.fc{i}",
        ]
    )
    return Idiom("", "", init, f"x = self.fc{i}(x.to(self.fc{i}.weight.dtype)).float()")


@idiom
def inherited_default(w: Writer, i: int) -> Idiom:
    """Arguments whose defaults are computed when the function is defined."""
    top = f"""
BASE{i} = 5
if {w.test()}:
    BASE{i} = 9
def make{i}(width=BASE{i}, *, bias=True):
    return nn.Linear(4, width, bias=bias), nn.Linear(width, 4)
BASE{i} = 6
"""
    return Idiom(top, "", f"self.up{i}, self.down{i} = make{i}()", _through(i))


@idiom
def alias(w: Writer, i: int) -> Idiom:
    """The same object under several names, one of which is changed."""
    init = f"""
shared{i} = [nn.Linear(4, 4), nn.ReLU()]
groups{i} = {{"a": shared{i}, "b": list(shared{i}), "c": (shared{i},)}}
if {w.test()}:
    {w.rng.choice([f'groups{i}["c"][0].append(nn.Linear(4, 4))', f'groups{i}["b"].pop()', f'groups{i}["a"].insert(0, nn.LayerNorm(4))', f'groups{i}["a"] += [nn.Tanh()]', f'groups{i}["a"] = groups{i}["a"] + [nn.Tanh()]', f'del groups{i}["a"][0]'])}
self.one{i} = nn.Sequential(*groups{i}["a"])
self.two{i} = nn.Sequential(*groups{i}["b"])
self.three{i} = nn.ModuleList(shared{i})
"""
    return Idiom("", "", init, f"x = self.two{i}(self.one{i}(x))\nfor part in self.three{i}:\n    x = part(x)")
