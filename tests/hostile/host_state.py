"""Targets that try to change objects which the host shares with them."""

from __future__ import annotations

CHANGES: dict[str, str] = {
    "a class of the standard library": "import collections\ncollections.Counter.update = 1",
    "a class by setattr": "import collections\nsetattr(collections.Counter, 'update', 1)",
    "a class by object's setattr": "import collections\ntype.__setattr__(collections.Counter, 'update', 1)",
    "a class by super": """
import collections
class Meta(type):
    def change(cls):
        super().__setattr__('update', 1)
super(type, type).__setattr__
Meta.change(collections.Counter)
""",
    "a class by delattr": "import collections\ndel collections.Counter.update\ntype.__delattr__(collections.Counter, 'update')",
    "a class by argparse": """
import argparse, collections
parser = argparse.ArgumentParser()
parser.add_argument('--x', dest='update', default=1)
parser.parse_args([], namespace=collections.Counter)
parser.set_defaults(**{'most_common': 1})
parser.parse_known_args([], namespace=collections.Counter)
""",
    "a class by update_wrapper": """
import collections, functools
class Fake:
    update = 1
functools.update_wrapper(collections.Counter, Fake, assigned=['update'], updated=[])
""",
    "a class by dataclass": "import collections, dataclasses\ndataclasses.dataclass(collections.Counter)",
    "a class by total_ordering": "import collections, functools\nfunctools.total_ordering(collections.UserString)\nfunctools.total_ordering(collections.UserDict)",
    "a class by unique": "import enum, collections\nenum.global_enum(collections.Counter)",
    "a class by runtime_checkable": "import typing, collections\ntyping.final(collections.Counter)\ntyping.no_type_check(collections.Counter)",
    "a class by set_name": """
import collections, functools
functools.cached_property(lambda self: 1).__set_name__(collections.Counter, 'update')
""",
    "a class by augmented assignment": "import collections\ncollections.Counter.__doc__ += 'x'",
    "a class by the dict of its type": "import collections\ncollections.Counter.__dict__['update'] = 1\nvars(collections.Counter).update(update=1)",
    "a class's annotations": "import string\nstring.Template.__annotations__ = {}\nstring.Template.flags = 1",
    "an abstract class's registry": "import collections.abc\ncollections.abc.Mapping.register(int)",
    "an abstract class's registry by its type": "import abc, collections.abc\nabc.ABCMeta.register(collections.abc.Mapping, int)",
    "an abstract class's registry by name": "import collections.abc\ngetattr(collections.abc.Mapping, 'reg' + 'ister')(int)",
    "a number's registry": "import numbers\nnumbers.Integral.register(str)",
    "what an abstract class has been told": """
import collections.abc, numbers
class Liar(collections.abc.Mapping):
    @classmethod
    def __subclasshook__(cls, other):
        return True
class Number(numbers.Integral):
    __subclasshook__ = classmethod(lambda cls, other: True)
isinstance(5, collections.abc.Mapping), issubclass(str, numbers.Integral), isinstance('a', numbers.Number)
""",
    "what an abstract class has been told by a metaclass": """
import abc, collections.abc, numbers
class Meta(abc.ABCMeta):
    def __subclasscheck__(cls, other):
        return True
    __instancecheck__ = __subclasscheck__
class Liar(collections.abc.Mapping, metaclass=Meta):
    pass
Number = Meta('Number', (numbers.Integral,), {})
isinstance(5, collections.abc.Mapping), issubclass(str, numbers.Integral), isinstance('a', numbers.Number)
""",
    "abstract methods": "import abc, collections.abc\nabc.update_abstractmethods(collections.abc.Mapping)\ncollections.abc.Mapping.__abstractmethods__ = frozenset()",
    "a function of the standard library": "import textwrap\ntextwrap.dedent.__defaults__ = (1,)\ntextwrap.dedent.hostile = 1",
    "a function's keyword defaults": "import statistics\nstatistics.quantiles.__kwdefaults__['n'] = 1\nstatistics.quantiles.__kwdefaults__.clear()",
    "a function's annotations": "import functools\nfunctools.wraps.__annotations__['hostile'] = 1",
    "a function's dict": "import textwrap\ntextwrap.dedent.__dict__['hostile'] = 1",
    "a list of the standard library": "import keyword\nkeyword.kwlist.clear()",
    "a dict of the standard library": "import string, calendar, base64\nstring.Template.__dict__\ncalendar.day_name.__class__",
    "the standard output": "import contextlib\ncontextlib.redirect_stdout(None).__enter__()",
    "the standard output by a stack": "import contextlib\nstack = contextlib.ExitStack()\nstack.enter_context(contextlib.redirect_stderr(None))",
    "the working folder": "import contextlib, os\ncontextlib.chdir('/').__enter__()\nos.chdir('/')",
    "the environment": "import os\nos.environ['HOSTILE'] = '1'\nos.putenv('HOSTILE', '1')\nos.environ.update(HOSTILE='1')\nos.unsetenv('PATH')\nos.environ.clear()",
    "the recursion limit": "import sys\nsys.setrecursionlimit(50)",
    "the hooks": "import sys\nsys.excepthook = None\nsys.settrace(print)\nsys.setprofile(print)\nsys.stdout = None\nsys.unraisablehook = None\nsys.displayhook = None",
    "the collector": "import gc\ngc.disable()\ngc.set_threshold(0)",
    "the locale": "import locale\nlocale.setlocale(locale.LC_ALL, 'C')",
    "the decimal context": "import decimal\ndecimal.getcontext().prec = 3\ndecimal.setcontext(decimal.Context(prec=3))",
    "the length of integers": "import sys\nsys.set_int_max_str_digits(0)",
    "warnings": "import warnings\nwarnings.simplefilter('error')\nwarnings.filters.clear()\nwarnings.showwarning = None",
    "numpy's state": "import numpy as np\nnp.seterr(all='raise')\nnp.set_printoptions(precision=1)\nnp.ndarray.hostile = 1\nnp.zeros = 1\nnp.random.seed(1)",
    "numpy's error state": "import numpy as np\nnp.errstate(all='raise').__enter__()",
    "numpy's print options": "import numpy as np\nnp.printoptions(precision=1).__enter__()",
    "the csv module": "import csv\ncsv.field_size_limit(1)\ncsv.register_dialect('hostile', delimiter=':')\ncsv.unregister_dialect('excel')",
    "the re cache": "import re\nre.purge()\nre.compile = None",
    "json's encoder": "import json\njson.JSONEncoder.default = None\njson.JSONEncoder.item_separator = 'x'",
    "argparse's classes": "import argparse\nargparse.ArgumentParser.error = None\nargparse.Action.__call__ = None\nargparse.Namespace.__eq__ = None",
    "enum's classes": "import enum\nenum.Enum.hostile = 1\nenum.Enum._generate_next_value_ = None\nenum.EnumMeta.__call__ = None",
    "pathlib's classes": "import pathlib\npathlib.PurePath.joinpath = None\npathlib.PurePosixPath.__truediv__ = None",
    "typing's classes": "import typing\ntyping.NamedTuple.hostile = 1\ntyping.Generic.__class_getitem__ = None\ntyping.Protocol.__init_subclass__ = None",
    "nn.Module": "nn.Module.__call__ = None\nnn.Module.hostile = 1\nnn.Linear.__init__ = None\nnn.Linear = None\ntorch.relu = None\nnn.functional.relu = None",
    "nn.Module by its type": "type.__setattr__(nn.Module, '__call__', None)\nobject.__setattr__(nn, 'Linear', None)\nvars(nn)['Linear'] = None\nnn.__dict__['Linear'] = None\ntorch.__dict__.clear()",
    "nn.Module by __class__": "class Evil:\n    pass\ntorch.__class__ = Evil\nnn.__class__ = Evil\nobject.__setattr__(nn, '__class__', Evil)",
    "nn.Module's bases": "class Evil:\n    pass\nnn.Linear.__bases__ = (Evil,)\nnn.Module.__name__ = 'Evil'\nnn.Module.__qualname__ = 'Evil'\nnn.Module.__module__ = 'evil'",
    "a function of torch": "torch.relu.hostile = 1\ntorch.relu.__name__ = 'evil'\ntorch.nn.functional.relu.__defaults__ = ()\ntorch.nn.functional.relu.__kwdefaults__ = {}",
    "a dtype": "torch.float32.hostile = 1\ntorch.float32.name = 'evil'\nobject.__setattr__(torch.float32, 'name', 'evil')\ntorch.float32.itemsize = 1",
    "the default dtype": "torch.set_default_dtype(torch.float64)\ntorch.set_default_device('meta')\ntorch.set_grad_enabled(False)\ntorch.set_num_threads(1)",
    "a global hook of torch": "nn.modules.module.register_module_forward_hook(print)\nnn.modules.module.register_module_forward_pre_hook(print)",
    "einops": "import einops\neinops.rearrange = None\neinops.layers.torch.Rearrange.__init__ = None",
    "a logger": "import logging\nlogging.getLogger().handlers.append(1)\nlogging.Logger.hostile = 1\nlogging.getLogger().name = 'evil'",
    "the built-ins": "import builtins\nbuiltins.len = None\nbuiltins.range = None\nsetattr(builtins, 'isinstance', None)\nbuiltins.__dict__['print'] = None\nglobals()['__builtins__'] = {}",
    "a built-in function": "len.hostile = 1\nlen.__name__ = 'evil'\nlen.__defaults__ = (1,)\nlen.__code__ = (lambda: 1).__code__\nrange.hostile = 1\nrange.__class__.__call__ = None",
    "a built-in type": "int.hostile = 1\ntype.__setattr__(int, 'hostile', 1)\ndict.get = None",
    "unknown values": "import nowhere\nnowhere.__class__.__eq__ = None\nnowhere.x.reason = 'evil'\nobject.__setattr__(nowhere, 'reason', 'evil')\ntype(nowhere).hostile = 1",
    "exceptions": "ValueError.hostile = 1\nimport json\njson.JSONDecodeError.__init__ = None",
}
