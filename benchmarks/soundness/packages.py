"""States of generated programs that are kept in other modules, and packages whose modules act where they are imported."""

from __future__ import annotations

from benchmarks.soundness.states import Maker
from benchmarks.soundness.writing import Part, State

_CLASS = """{above}class {name}({base}nn.{layer}):
    def __init__(self):
        super().__init__({arguments})
"""
_LAYERS = {"plain": ("Plain", "Linear", "4, 4"), "extra": ("Extra", "LayerNorm", "4")}
_BLOCK = """class Block(nn.Linear):
    def __init__(self):
        super().__init__(4, 4)
"""
_HOOK = """class Base:
    known = []

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        Base.known.append(cls)
"""
_DECORATOR = """BLOCKS = {}


def entered(name):
    def enter(cls):
        BLOCKS[name] = cls
        return cls

    return enter
"""


class Registry:
    """How the modules of a package enter something in a table of it.

    `table` defines it, `exported` is the name by which modules get at it. `below` is run behind a class and `above`
    stands before it, `base` among its bases. `read` are the classes that were entered.
    """

    def __init__(self, table: str, exported: str, read: str, below: str = "", above: str = "", base: str = "") -> None:
        self.table, self.exported, self.read = table, exported, read
        self.below, self.above, self.base = below, above, base


REGISTRIES = {
    "list": Registry("BLOCKS = []", "BLOCKS", "BLOCKS", "BLOCKS.append({name})"),
    "list, in place": Registry("BLOCKS = []", "BLOCKS", "BLOCKS", "BLOCKS += [{name}]"),
    "dict": Registry("BLOCKS = {}", "BLOCKS", "BLOCKS.values()", 'BLOCKS["{name}"] = {name}'),
    "dict, update": Registry("BLOCKS = {}", "BLOCKS", "BLOCKS.values()", "BLOCKS.update({name}={name})"),
    "set": Registry("BLOCKS = set()", "BLOCKS", "sorted(BLOCKS, key=lambda cls: cls.__name__)", "BLOCKS.add({name})"),
    "class attribute": Registry("class Known:\n    blocks = ()", "Known", "Known.blocks", "Known.blocks += ({name},)"),
    "setattr": Registry(
        "class Known:\n    pass",
        "Known",
        "[make for make in vars(Known).values() if isinstance(make, type)]",
        'setattr(Known, "{name}", {name})',
    ),
    "counter": Registry("COUNT = [1]", "COUNT", "[Block] * COUNT[0]", "COUNT[0] += 1"),
    "decorator": Registry(_DECORATOR, "BLOCKS, entered", "BLOCKS.values()", above='@entered("{name}")\n'),
    "subclass hook": Registry(_HOOK, "Base", "Base.known", base="Base, "),
}


def import_effect(part: Part, i: int) -> State:
    """A package whose modules enter something where they are imported."""
    package = f"zoo_{i}"
    name = part.rng.choice(list(REGISTRIES))
    registry = REGISTRIES[name]
    part.tag(f"registry: {name}")
    files = {
        "__init__.py": "from . import plain\n",
        "table.py": f"from torch import nn\n\n{registry.table}\n\n\n{_BLOCK}",
    }
    for module, (cls, layer, arguments) in _LAYERS.items():
        head = f"from torch import nn\n\nfrom .table import {registry.exported}\n\n\n"
        above = registry.above.format(name=cls)
        body = _CLASS.format(above=above, name=cls, base=registry.base, layer=layer, arguments=arguments)
        files[f"{module}.py"] = f"{head}{body}\n\n{registry.below.format(name=cls)}\n"
    if part.rng.random() < 0.3:
        files["__init__.py"] = "from . import plain, extra\n"
    folder = part.rng.choice(["", "site-packages/"])
    part.tag("package: installed" if folder else "package: own")
    exported = registry.exported.partition(",")[0]
    imports = part.rng.choice(
        [[f"import {package}", f"from {package}.table import {exported}"], [f"from {package}.table import {exported}"]]
    )
    return State(
        "import with an effect",
        {
            "from package": [f"from {package} import extra"],
            "of a module": [f"import {package}.extra"],
            "importlib": [f'importlib.import_module("{package}.extra")'],
            "__import__": [f'__import__("{package}.extra")'],
        },
        top=[*imports, f"from {package}.table import Block"],
        build=[f"self.body_{i} = nn.Sequential(*[make() for make in {registry.read}])"],
        forward=[f"x = self.body_{i}(x)"],
        site=part.rng.choice(["init", "module"]),
        files={f"{folder}{package}/{path}": source for path, source in files.items()},
    )


def settings_module(part: Part, i: int) -> State:
    """A variable of another module."""
    name = f"settings_{i}"
    source = "WIDTH = 8\nSIZES = [8, 6]\n\n\ndef widen():\n    global WIDTH\n    WIDTH = 16\n    SIZES.append(5)\n"
    return State(
        "variable of another module",
        {
            "assign": [f"{name}.WIDTH = 16"],
            "function": [f"{name}.widen()"],
            "append": [f"{name}.SIZES.append(7)"],
            "setattr": [f'setattr({name}, "WIDTH", 12)'],
        },
        top=[f"import {name}"],
        build=[
            f"all_{i} = [4, {name}.WIDTH, *{name}.SIZES, 4]",
            f"self.body_{i} = nn.Sequential(*[nn.Linear(a, b) for a, b in zip(all_{i}, all_{i}[1:])])",
        ],
        forward=[f"x = self.body_{i}(x)"],
        site=part.rng.choice(["init", "module"]),
        files={f"{name}.py": source},
    )


PACKAGES: list[Maker] = [import_effect, import_effect, settings_module]
