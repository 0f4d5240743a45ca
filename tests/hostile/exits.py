"""Programs that leave by an exception from every special method that the host calls on their behalf."""

from __future__ import annotations

ENDINGS = (
    "SystemExit(0)",
    "SystemExit",
    "KeyboardInterrupt",
    "GeneratorExit",
    "Own()",
    "RecursionError",
    "MemoryError",
)
"""What they raise."""

_METHODS: dict[str, str] = {
    "__eq__": "Bad() == 1\nBad() in [1]\n[1].index(Bad())\n{Bad(): 1}.get(1)",
    "__ne__": "Bad() != 1",
    "__lt__": "sorted([Bad(), Bad()])\nmin(Bad(), Bad())\nBad() < 1",
    "__hash__": "hash(Bad())\n{Bad()}\n{Bad(): 1}\nfunctools.lru_cache(len)(Bad())",
    "__repr__": "repr(Bad())\nf'{Bad()!r}'\nstr([Bad()])\n'%r' % Bad()\nraise ValueError(Bad())",
    "__str__": "str(Bad())\nprint(Bad())\nf'{Bad()}'\n'%s' % Bad()\n''.join(map(str, [Bad()]))",
    "__format__": "f'{Bad():x}'\nformat(Bad(), 'x')\n'{}'.format(Bad())",
    "__bool__": "if Bad():\n    pass\nnot Bad()\nany([Bad()])\nlist(filter(None, [Bad()]))",
    "__len__": "len(Bad())\nbool(Bad())\nlist(Bad())",
    "__iter__": "list(Bad())\nfor item in Bad():\n    pass\na, b = Bad()\nprint(*Bad())\ndict(Bad())\nmax(Bad())\nzip(Bad())",
    "__next__": "next(Bad())\nlist(iter(Bad, 1))",
    "__getitem__": "Bad()[0]\nlist(Bad())\noperator.itemgetter(0)(Bad())\nfor item in Bad():\n    pass",
    "__setitem__": "Bad()[0] = 1",
    "__delitem__": "del Bad()[0]",
    "__contains__": "1 in Bad()",
    "__getattr__": "Bad().name\ngetattr(Bad(), 'name', 1)\nhasattr(Bad(), 'name')\ncopy.copy(Bad())",
    "__getattribute__": "Bad().name\nisinstance(Bad(), int)\nhasattr(Bad(), 'name')\ncopy.deepcopy(Bad())",
    "__setattr__": "Bad().name = 1\nsetattr(Bad(), 'name', 1)",
    "__delattr__": "del Bad().name\ndelattr(Bad(), 'name')",
    "__call__": "Bad()()\nlist(map(Bad(), [1]))\nsorted([1], key=Bad())\nfunctools.reduce(Bad(), [1, 2])",
    "__enter__": "with Bad():\n    pass\ncontextlib.ExitStack().enter_context(Bad())",
    "__exit__": "Bad.__enter__ = lambda self: self\nwith Bad():\n    pass\nwith Bad():\n    raise ValueError",
    "__index__": "[1][Bad()]\nrange(Bad())\n'a' * Bad()\nhex(Bad())",
    "__int__": "int(Bad())\n'%d' % Bad()",
    "__float__": "float(Bad())\nmath.sqrt(Bad())",
    "__add__": "Bad() + 1\nsum([Bad(), Bad()], Bad())",
    "__radd__": "1 + Bad()\nsum([Bad()])",
    "__mul__": "Bad() * 2",
    "__neg__": "-Bad()",
    "__reversed__": "list(reversed(Bad()))",
    "__copy__": "copy.copy(Bad())",
    "__deepcopy__": "copy.deepcopy(Bad())\ncopy.deepcopy([Bad()])",
    "__reduce_ex__": "copy.copy(Bad())\ncopy.deepcopy(Bad())",
    "__fspath__": "os.path.join(Bad(), 'x')\nopen(Bad())\npathlib.Path(Bad())",
    "__instancecheck__": "isinstance(1, Bad())",
    "__subclasscheck__": "issubclass(int, Bad())",
    "__del__": "Bad()\nbad = Bad()\ndel bad",
    "__init__": "Bad()",
    "__new__": "Bad()",
    "__missing__": "type('D', (dict,), {'__missing__': Bad.__missing__})()[1]",
    "__get__": "type('O', (), {'name': Bad()})().name\ntype('O', (), {'name': Bad()}).name",
    "__set__": "type('O', (), {'name': Bad()})().name = 1",
    "__set_name__": "type('O', (), {'name': Bad()})\nclass Owner:\n    name = Bad()",
    "__mro_entries__": "class Derived(Bad()):\n    pass",
    "__class_getitem__": "Bad[0]\nlist[Bad]",
    "__dir__": "dir(Bad())",
    "__sizeof__": "Bad().__sizeof__()",
    "__array__": "np.array(Bad())\nnp.add(Bad(), 1)\ntorch.tensor(Bad())",
    "__length_hint__": "list(Bad())\noperator.length_hint(Bad())",
    "__torch_function__": "torch.relu(Bad())",
    "__await__": "async def wait():\n    await Bad()\nwait()",
    "__round__": "round(Bad())",
    "__bytes__": "bytes(Bad())",
    "__complex__": "complex(Bad())",
    "__matmul__": "Bad() @ 1",
    "__iadd__": "bad = Bad()\nbad += 1",
}

_PROGRAM = """
import contextlib, copy, functools, math, operator, os, pathlib
import numpy as np
import torch
from torch import nn

class Own(BaseException):
    pass

class Good(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)

    def forward(self, x):
        return self.fc(x)

good = Good()

class Bad:
    def METHOD(self, *args, **kwargs):
        raise ENDING

"""

_ELSEWHERE: dict[str, str] = {
    "a metaclass's __call__": "class Meta(type):\n    def __call__(cls, *args):\n        raise ENDING\nclass Net(nn.Module, metaclass=Meta):\n    pass\nnet = Net()",
    "a metaclass's __new__": "class Meta(type):\n    def __new__(*args):\n        raise ENDING\nclass Net(nn.Module, metaclass=Meta):\n    pass",
    "a metaclass's __init__": "class Meta(type):\n    def __init__(*args):\n        raise ENDING\nclass Net(nn.Module, metaclass=Meta):\n    pass",
    "a metaclass's __prepare__": "class Meta(type):\n    @classmethod\n    def __prepare__(*args):\n        raise ENDING\nclass Net(nn.Module, metaclass=Meta):\n    pass",
    "a metaclass's __getattribute__": "class Meta(type):\n    def __getattribute__(cls, name):\n        raise ENDING\nclass Net(nn.Module, metaclass=Meta):\n    def forward(self, x):\n        return x",
    "a metaclass's __instancecheck__": "class Meta(type):\n    def __instancecheck__(cls, value):\n        raise ENDING\n    __subclasscheck__ = __eq__ = __hash__ = __instancecheck__\nclass Net(nn.Module, metaclass=Meta):\n    def forward(self, x):\n        return x\nnet = Net()",
    "__init_subclass__": "class Base(nn.Module):\n    def __init_subclass__(cls):\n        raise ENDING\nclass Net(Base):\n    pass",
    "a decorator": "def decorate(function):\n    raise ENDING\n@decorate\nclass Net(nn.Module):\n    pass",
    "a module's __getattr__": "import model\ndef __getattr__(name):\n    raise ENDING\nmodel.missing",
    "a module's __dir__": "import model\ndef __dir__():\n    raise ENDING\ndir(model)\nfrom model import *",
    "a generator's close": "def generate():\n    try:\n        yield 1\n    finally:\n        raise ENDING\ng = generate()\nnext(g)\ng.close()\ndel g",
    "a generator's throw": "def generate():\n    try:\n        yield 1\n    except ValueError:\n        raise ENDING\ng = generate()\nnext(g)\ng.throw(ValueError())",
    "a property": "class Net(nn.Module):\n    @property\n    def forward(self):\n        raise ENDING\nnet = Net()",
    "a constructor": "class Net(nn.Module):\n    def __init__(self):\n        raise ENDING\nnet = Net()",
    "a forward": "class Net(nn.Module):\n    def forward(self, x):\n        raise ENDING\nnet = Net()",
    "a network's __getattr__": "class Net(nn.Module):\n    def __getattr__(self, name):\n        raise ENDING\n    def forward(self, x):\n        return x\nnet = Net()",
    "a network's __getattribute__": "class Net(nn.Module):\n    def __getattribute__(self, name):\n        raise ENDING\nnet = Net()",
    "a network's __setattr__": "class Net(nn.Module):\n    def __setattr__(self, name, value):\n        raise ENDING\nnet = Net()",
    "a network's __hash__": "class Net(nn.Module):\n    def __hash__(self):\n        raise ENDING\n    __eq__ = __repr__ = __str__ = __bool__ = __len__ = __hash__\n    def forward(self, x):\n        return x\nnet = Net()",
    "named_modules": "class Net(nn.Module):\n    def named_modules(self, *args, **kwargs):\n        raise ENDING\n    parameters = children = modules = state_dict = named_parameters = train = eval = extra_repr = named_modules\n    def forward(self, x):\n        return x\nnet = Net()",
    "a hook": "def hook(*args):\n    raise ENDING\ngood.register_forward_hook(hook)\ngood.fc.register_forward_pre_hook(hook)",
    "a key": "class Key(str):\n    def __eq__(self, other):\n        raise ENDING\n    __hash__ = __str__ = __eq__\nsetattr(good, Key('x'), nn.Linear(1, 1))\ngood.add_module(Key('y'), nn.Linear(1, 1))",
    "a size": "class Size(int):\n    def __index__(self):\n        raise ENDING\n    __int__ = __mul__ = __add__ = __eq__ = __hash__ = __lt__ = __index__\nlayer = nn.Linear(Size(2), Size(3))",
    "a default": "def default(value=[][0]):\n    pass\nraise ENDING",
    "a warning": "import warnings\nwarnings.showwarning = lambda *args: exit(0)\nwarnings.warn('x')\nraise ENDING",
    "exit": "exit(0)", "quit": "quit(0)", "os._exit": "os._exit(0)", "sys.exit": "import sys\nsys.exit(0)", "abort": "os.abort()",
    "a signal": "import signal\nsignal.raise_signal(signal.SIGKILL)\nos.kill(os.getpid(), 9)",
    "atexit": "import atexit\natexit.register(os._exit, 0)\nraise ENDING",
    "a thread": "import threading\ndef run():\n    raise ENDING\nthreading.Thread(target=run).start()\nrun()",
    "a context variable": "import contextvars\ndef run():\n    raise ENDING\ncontextvars.copy_context().run(run)",
    "an enumeration's _missing_": "import enum\nclass E(enum.Enum):\n    a = 1\n    @classmethod\n    def _missing_(cls, value):\n        raise ENDING\nE(3)",
    "a data class's __post_init__": "import dataclasses\n@dataclasses.dataclass\nclass D:\n    a: int = 1\n    def __post_init__(self):\n        raise ENDING\nD()",
    "a __subclasshook__": "import abc\nclass A(abc.ABC):\n    @classmethod\n    def __subclasshook__(cls, other):\n        raise ENDING\nisinstance(1, A)\nissubclass(int, A)",
    "a key of a sort": "sorted([2, 1], key=lambda item: [][item])\ndef key(item):\n    raise ENDING\nsorted([2, 1], key=key)",
    "a comparison in sort": "import functools\ndef compare(a, b):\n    raise ENDING\nsorted([2, 1], key=functools.cmp_to_key(compare))",
}  # fmt: skip


def programs() -> dict[str, str]:
    """Return programs by name; methods and what they raise take turns, so that each occurs often."""
    found = {}
    for at, (name, acts) in enumerate(_METHODS.items()):
        for ending in (ENDINGS[at % len(ENDINGS)], ENDINGS[(at + 3) % len(ENDINGS)]):
            statements = _separately(acts)
            found[f"{ending} from {name}"] = _PROGRAM.replace("METHOD", name).replace("ENDING", ending) + statements
    for at, (name, text) in enumerate(_ELSEWHERE.items()):
        ending = ENDINGS[at % 5]
        found[f"{ending} from {name}"] = (_PROGRAM.replace("METHOD", "nothing") + text).replace("ENDING", ending)
    return found


def _separately(acts: str) -> str:
    """Return statements that are all run, although each of them raises; the last one is not caught."""
    lines, blocks = acts.split("\n"), []
    for line in lines:
        if line.startswith(" "):
            blocks[-1] += "\n" + line
        else:
            blocks.append(line)
    caught = [
        "try:\n    " + block.replace("\n", "\n    ") + "\nexcept (ValueError, TypeError):\n    pass"
        for block in blocks[:-1]
    ]
    return "\n".join([*caught, blocks[-1]]) + "\n"
