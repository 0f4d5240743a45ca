"""Small packages whose modules fill a registry as they are imported: each kind of registry, imported in each way."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.checkouts.targets import Job
from benchmarks.soundness.packages import REGISTRIES, Registry

_HEAD = "from torch import nn\n\nfrom .table import {exported}\n\n\n"
_CLASS = "{above}class {name}({base}nn.{layer}):\n    def __init__(self):\n        super().__init__({arguments})\n\n\n{below}\n"
_BLOCK = "class Block(nn.Linear):\n    def __init__(self):\n        super().__init__(4, 4)\n"
_META = """class Meta(type):
    known = []

    def __init__(cls, name, bases, body):
        super().__init__(name, bases, body)
        Meta.known.append(cls)


class Base(metaclass=Meta):
    pass
"""
_HELPER = "BLOCKS = []\n\n\ndef enter(cls):\n    _append(cls)\n    return cls\n\n\ndef _append(cls):\n    BLOCKS.append(cls)\n"
_LOWER = "BLOCKS = {}\n\n\ndef enter(cls):\n    BLOCKS[cls.__name__.lower()] = cls\n    return cls\n"
_INSTANCE = (
    "class Table:\n    def __init__(self):\n        self.blocks = {}\n\n    def enter(self, cls):\n"
    "        self.blocks[cls.__name__] = cls\n        return cls\n\n\nTABLE = Table()\n"
)
KINDS = {
    **REGISTRIES,
    "module attribute": Registry("WIDTHS = (4,)", "WIDTHS", "[Block for _ in table.WIDTHS]", "from . import table\n"
                                 "table.WIDTHS += (4,)"),
    "function": Registry(_HELPER, "enter", "table.BLOCKS", above="@enter\n"),
    "computed key": Registry(_LOWER, "enter", '[table.BLOCKS["pl" + "ain"]]', above="@enter\n"),
    "metaclass": Registry(_META, "Base", "[cls for cls in table.Meta.known if issubclass(cls, nn.Module)]", base="Base, "),
    "instance": Registry(_INSTANCE, "TABLE", "table.TABLE.blocks.values()", above="@TABLE.enter\n"),
    "setdefault": Registry("BLOCKS = {}", "BLOCKS", "table.BLOCKS.values()",
                           'BLOCKS.setdefault("{name}", {name})'),
}  # fmt: skip
"""Registries by their names: those of the generator of programs, and more."""

IMPORTS = {
    "package": "import zoo\nfrom zoo import table",
    "table": "from zoo import table",
    "module": "import zoo.extra\nfrom zoo import table",
    "submodule": "from zoo import extra, table",
    "importlib": 'import importlib\n\nimportlib.import_module("zoo.extra")\nfrom zoo import table',
    "__import__": '__import__("zoo.extra")\nfrom zoo import table',
    "later": "from zoo import table\n\nlen(dir(table))\nimport zoo.extra",
}
_PROGRAM = """{imports}
from torch import nn

from zoo.table import *


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(*[make() for make in {read}])

    def forward(self, x):
        return self.body(x)
"""


def files_of(registry: Registry, imports: str, folder: str, all_imported: bool) -> dict[str, str]:
    """Return a package with two modules that fill a registry, and a program that reads it."""
    files = {
        "__init__.py": "from . import plain, extra\n" if all_imported else "from . import plain\n",
        "table.py": f"from torch import nn\n\n{registry.table}\n\n\n{_BLOCK}",
    }
    for module, name, layer, arguments in (("plain", "Plain", "Linear", "4, 4"), ("extra", "Extra", "LayerNorm", "4")):
        files[f"{module}.py"] = _HEAD.format(exported=registry.exported) + _CLASS.format(
            above=registry.above.format(name=name),
            name=name,
            base=registry.base,
            layer=layer,
            arguments=arguments,
            below=registry.below.format(name=name),
        )
    program = {"model.py": _PROGRAM.format(imports=imports, read=registry.read)}
    return program | {f"{folder}/zoo/{path}": text for path, text in files.items()}


def registry_jobs() -> Iterator[Job]:
    """Yield a program for each kind of registry, each way of importing, and a package here and installed."""
    for kind, registry in KINDS.items():
        for way, imports in IMPORTS.items():
            for folder in ("site-packages", "libraries"):
                for all_imported in (False, True):
                    name = f"{kind}, {way}, {folder}{', all' if all_imported else ''}"
                    files = files_of(registry, imports, folder, all_imported)
                    yield Job(name, "model.py::Net", ["2x4"], files, path=[folder])
