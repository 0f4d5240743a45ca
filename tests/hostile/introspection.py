"""Targets that look for a way out through the attributes of the objects they are given."""

from __future__ import annotations

ESCAPES: dict[str, str] = {
    "subclasses of object": "loot(().__class__.__base__.__subclasses__())",
    "subclasses by name": "loot(getattr(object, '__sub' + 'classes__')())",
    "subclasses of type": "loot(type.__subclasses__(object))",
    "subclasses from the dict of type": "loot(type.__dict__['__subclasses__'](object))",
    "subclasses from vars": "loot(vars(type)['__subclasses__'](object))",
    "subclasses by map": "loot(list(map(type.__dict__['__subclasses__'], [object])))",
    "subclasses by a metaclass": """
class Meta(type):
    def reach(cls):
        return super().__subclasses__()
loot(type.__subclasses__(object))
loot(Meta('C', (), {}).reach())
loot(super(Meta, object).__subclasses__())
""",
    "globals of its own function": "def f(): pass\nloot(f.__globals__['__builtins__'])",
    "globals of a built-in": "loot(print.__globals__)\nloot(len.__globals__)",
    "globals of a library's function": "import textwrap\nloot(textwrap.dedent.__globals__)",
    "globals by getattr": "import textwrap\nloot(getattr(textwrap.dedent, '__globals__'))",
    "globals by getattr with a default": "import textwrap\nloot(getattr(textwrap.dedent, '__globals__', None))",
    "globals by a sly name": """
import textwrap
class Name(str):
    def __hash__(self):
        return 1
    def __eq__(self, other):
        return False
loot(getattr(textwrap.dedent, Name('__globals__')))
""",
    "globals by object": "import textwrap\nloot(object.__getattribute__(textwrap.dedent, '__globals__'))",
    "globals by type": "import textwrap\nloot(type(textwrap.dedent).__getattribute__(textwrap.dedent, '__globals__'))",
    "globals by the dict of object": "import textwrap\nloot(object.__dict__['__getattribute__'](textwrap.dedent, '__globals__'))",
    "globals by get of the dict of object": "import textwrap\nloot(object.__dict__.get('__getattribute__')(textwrap.dedent, '__globals__'))",
    "globals by the items of object": """
import textwrap
for name, value in object.__dict__.items():
    loot(value)
    if name == '__getattribute__':
        loot(value(textwrap.dedent, '__globals__'))
for value in vars(object).values():
    loot(value)
""",
    "globals by a member descriptor": """
import textwrap
member = type(textwrap.dedent).__dict__['__globals__']
loot(member)
loot(member.__get__(textwrap.dedent))
""",
    "globals by a class's attribute": "import textwrap\nloot(type(textwrap.dedent).__globals__)\nloot(type(textwrap.dedent).__globals__.__get__(textwrap.dedent))",
    "globals by the dict of a dict": """
import textwrap
loot(type.__dict__['__dict__'].__get__(object))
loot(type.__dict__['__dict__'].__get__(object)['__getattribute__'](textwrap.dedent, '__globals__'))
""",
    "globals by type.__getattribute__": "loot(type.__getattribute__(object, '__subclasses__')())",
    "globals by the dict through type": "loot(type.__getattribute__(type, '__dict__')['__subclasses__'](object))",
    "globals by super": """
import textwrap
class C:
    def get(self, name):
        return super().__getattribute__(name)
loot(C.get(textwrap.dedent, '__globals__'))
loot(super(type(textwrap.dedent), textwrap.dedent).__getattribute__('__globals__'))
""",
    "globals by attrgetter": "import operator, textwrap\nloot(operator.attrgetter('__globals__')(textwrap.dedent))",
    "globals by a dotted attrgetter": "import operator, textwrap\nloot(operator.attrgetter('dedent.__globals__')(textwrap))",
    "globals by methodcaller": "import operator, textwrap\nloot(operator.methodcaller('__getattribute__', '__globals__')(textwrap.dedent))",
    "globals by reduce": "import functools, textwrap\nloot(functools.reduce(getattr, ['dedent', '__globals__'], textwrap))",
    "globals by partial": "import functools, textwrap\nloot(functools.partial(getattr, textwrap.dedent)('__globals__'))",
    "globals by map": "import textwrap\nloot(list(map(getattr, [textwrap.dedent], ['__globals__'])))",
    "globals by map of object": "import textwrap\nloot(list(map(object.__getattribute__, [textwrap.dedent], ['__globals__'])))",
    "globals by sorted's key": "import textwrap\nsorted([textwrap.dedent], key=lambda f: loot(f.__globals__))",
    "globals by inspect": """
import inspect, textwrap
for name, value in inspect.getmembers(textwrap.dedent):
    loot(value)
loot(inspect.getattr_static(textwrap.dedent, '__globals__'))
loot(inspect.getclosurevars(textwrap.dedent))
loot(inspect.getmodule(textwrap.dedent))
loot(inspect.currentframe())
loot(inspect.stack())
loot(inspect.getsource(textwrap.dedent))
""",
    "globals by update_wrapper": """
import functools, textwrap
class Catch:
    def __setattr__(self, name, value):
        loot(value)
functools.update_wrapper(Catch(), textwrap.dedent, assigned=['__globals__', '__code__'], updated=[])
""",
    "globals by update_wrapper's update": """
import functools, textwrap
class Catch:
    def update(self, found):
        loot(found)
class Wrapper:
    __dict__ = Catch()
    def __getattr__(self, name):
        return Catch()
functools.update_wrapper(Wrapper(), textwrap.dedent, assigned=[], updated=['__globals__'])
""",
    "globals by wraps": """
import functools, textwrap
class Catch:
    def __setattr__(self, name, value):
        loot(value)
functools.wraps(textwrap.dedent, assigned=['__globals__'])(Catch())
""",
    "globals by string.Formatter": """
import string, textwrap
loot(string.Formatter().get_field('0.__globals__', (textwrap.dedent,), {})[0])
""",
    "globals by str.format": """
import textwrap
class Catch:
    def __init__(self, thing):
        self.thing = thing
text = '{0.thing.__globals__}'.format(Catch(textwrap.dedent))
assert 'builtins' not in str(text), loot(textwrap)
""",
    "globals by a weak proxy": "import weakref, textwrap\nloot(weakref.proxy(textwrap.dedent).__globals__)",
    "globals by a weak method": "import weakref, textwrap\nloot(weakref.ref(textwrap.dedent)().__globals__)",
    "globals by a generic alias": """
import types, textwrap
loot(types.GenericAlias(textwrap.dedent, (int,)).__globals__)
loot(getattr(types.GenericAlias(textwrap.dedent, (int,)), '__globals__'))
""",
    "a frame by a generic alias": """
import typing
def generate():
    yield 1
running = generate()
next(running)
alias = type(typing.List[int])(running, (int,))
frame = alias.__getattr__('gi_frame')
loot(frame)
loot(type(typing.List[int])(frame, (int,)).__getattr__('f_globals'))
""",
    "a frame by a mock of a module": "import torch\nloot(torch.__getattr__('__globals__'))\nloot(torch.nn.__class__.__init__.__globals__)",
    "frame of a generator": "def g():\n    yield 1\nloot(g().gi_frame)\nloot(g().gi_code)\nloot(g().gi_yieldfrom)",
    "frame of a generator expression": "loot((x for x in [1]).gi_frame)\nloot(getattr((x for x in [1]), 'gi_' + 'frame'))",
    "frame of a generator by vars": "g = (x for x in [1])\nloot(type(g).__dict__['gi_frame'].__get__(g))",
    "frame of a coroutine": "async def f():\n    pass\nloot(f().cr_frame)",
    "frame of a traceback": """
try:
    1 / 0
except ZeroDivisionError as error:
    loot(error.__traceback__)
    loot(error.__traceback__.tb_frame)
    loot(getattr(error, '__trace' + 'back__'))
""",
    "frame of a traceback in __exit__": """
class Catch:
    def __enter__(self):
        return self
    def __exit__(self, kind, error, traceback):
        loot(traceback)
        return True
with Catch():
    1 / 0
""",
    "traceback from sys": "import sys\ntry:\n    1 / 0\nexcept Exception:\n    loot(sys.exc_info())",
    "frame from sys": "import sys\nloot(sys._getframe())\nloot(sys._current_frames())",
    "the object of an error": """
import textwrap
try:
    textwrap.re.nothing
except AttributeError as error:
    loot(error.obj)
""",
    "code of a lambda": "loot((lambda: 1).__code__)\nloot((lambda: 1).__closure__)",
    "code of a closure": "def f():\n    x = 1\n    return lambda: x\nloot(f().__closure__)\nloot(f().__code__.co_consts)",
    "code of a library's function": "import textwrap\nloot(textwrap.dedent.__code__)\nloot(nn.Module.__call__.__code__)",
    "defaults of a library's function": "import textwrap, weakref\nloot(textwrap.indent.__defaults__)\nloot(weakref.WeakValueDictionary.__init__.__kwdefaults__)",
    "globals of nn.Module.__init__": "loot(nn.Module.__init__.__globals__)",
    "globals of nn.Module's dict": "loot(nn.Module.__dict__['__call__'].__globals__)",
    "globals of a functional": "loot(torch.nn.functional.relu.__globals__)\nloot(torch.relu.__wrapped__.__globals__)",
    "vars of torch": "for value in list(vars(torch).values()):\n    loot(value)",
    "dict of nn": "for value in list(nn.__dict__.values()):\n    loot(value)",
    "module of torch": "loot(torch.__loader__)\nloot(torch.__spec__)\nloot(torch.sys)\nloot(torch.os)\nloot(torch.importlib)",
    "home of a built-in": "loot(print.__self__)\nloot(len.__self__)\nloot(abs.__self__)\nloot(sum.__self__)",
    "home of a library's built-in": "import math, zlib\nloot(math.floor.__self__)\nloot(zlib.crc32.__self__)\nloot(getattr(zlib.crc32, '__self__'))",
    "home by __reduce__": "import zlib\nloot(zlib.crc32.__reduce__())\nloot(object().__reduce_ex__(2))",
    "home of a numpy function": "import numpy as np\nloot(np.zeros.__globals__)\nloot(np.zeros.__self__)\nloot(np.add.__self__)\nloot(np.zeros.__wrapped__)",
    "numpy's modules": "import numpy as np\nloot(np.core)\nloot(np.lib)\nloot(np.sys)\nloot(np.os)\nloot(np.ndarray.__module__)\nloot(np.testing)",
    "numpy's array function": "import numpy as np\nloot(np.array.__array_function__)\nloot(np.zeros(1).__array_interface__)\nloot(np.zeros(1).__array_struct__)",
    "built-ins by name": "loot(__builtins__)\nloot(__loader__)\nloot(__spec__)\nloot(__build_class__)",
    "built-ins by globals": "loot(globals().get('__builtins__'))\nloot(globals()['__builtins__'])",
    "its own state": "for name, value in list(globals().items()):\n    assert 'cutaway' not in type(value).__module__ or loot(torch) or True\nloot(globals().get('__cutaway__').loader)\nloot(globals().state.loader)",
    "its own function's state": "def f():\n    pass\nloot(f.__globals__)\nloot(f.__globals__.get('__cutaway__'))\nloot([v for v in f.__globals__.values() if hasattr(v, 'loader')])",
    "import builtins": "import builtins\nloot(builtins.open.__self__)\nloot(builtins.exec)\nloot(builtins.__dict__['__import__'])\nloot(vars(builtins)['open'].__globals__)",
    "a property's getter": "import textwrap\nclass C:\n    @property\n    def x(self):\n        return 1\nloot(C.x.fget.__globals__['__builtins__'])\nloot(torch.Tensor.shape.fget.__globals__)",
    "a classmethod's function": "import collections\nloot(collections.OrderedDict.fromkeys.__self__)\nloot(collections.Counter.fromkeys.__func__.__globals__)",
    "a bound method's function": "loot(nn.Linear(1, 1).forward.__func__.__globals__)\nloot(nn.Linear(1, 1).forward.__self__.__init__.__func__.__globals__)",
    "a descriptor's get": "import textwrap\nloot(textwrap.dedent.__get__(1).__func__.__globals__)",
    "a method wrapper": "import textwrap\nloot(textwrap.dedent.__call__.__self__.__globals__)",
    "a partial": "import functools, textwrap\nloot(functools.partial(textwrap.dedent).func.__globals__)\nloot(functools.partial.__reduce__(functools.partial(print)))",
    "a cached function": "import functools\nloot(functools.lru_cache(print).__wrapped__.__globals__)",
    "a decorator of contextlib": "import contextlib\nloot(contextlib.contextmanager(print).__wrapped__.__globals__)\nloot(contextlib.contextmanager.__globals__)",
    "a contextmanager's generator": """
import contextlib
@contextlib.contextmanager
def manage():
    yield 1
loot(manage().gen.gi_frame)
loot(manage().func.__globals__['__builtins__'])
""",
    "a metaclass's prepare": """
class Meta(type):
    def __prepare__(name, bases):
        return {}
    def __getattribute__(cls, name):
        loot(super().__getattribute__(name))
        return super().__getattribute__(name)
class C(metaclass=Meta):
    pass
C.__dict__
C.__subclasses__
""",
    "__init_subclass__": """
class Base:
    def __init_subclass__(cls, **kwargs):
        loot(cls.__init_subclass__.__func__.__globals__['__builtins__'])
class C(Base):
    pass
""",
    "__getattr__ of a class of torch": "loot(nn.Linear(1, 1).__getattr__('__globals__'))\nloot(nn.Module.__getattribute__(nn.Linear(1, 1), '__class__').__subclasses__())",
    "a typing alias": "import typing\nloot(typing.List.__origin__.__subclasses__())\nloot(typing.Callable.__class__.__init__.__globals__)",
    "abc's internals": "import abc\nloot(abc.ABCMeta.register.__globals__)\nloot(abc.ABCMeta.__subclasses__(abc.ABCMeta))",
    "enum's internals": "import enum\nloot(enum.EnumMeta.__call__.__globals__)\nloot(enum.Enum.__new__.__globals__)",
    "a pattern match": """
match print:
    case object(__globals__=found):
        loot(found)
import textwrap
match textwrap.dedent:
    case object(__globals__=found, __code__=code):
        loot(found)
        loot(code)
""",
    "a class pattern's __match_args__": """
import textwrap
class Meta(type):
    def __instancecheck__(cls, value):
        return True
class Any(metaclass=Meta):
    __match_args__ = ('__globals__',)
match textwrap.dedent:
    case Any(found):
        loot(found)
""",
    "augmented attribute": """
import textwrap
class Catch:
    def __radd__(self, other):
        loot(other)
        return other
    def __ror__(self, other):
        loot(other)
        return other
textwrap.dedent.__code__ += Catch()
textwrap.dedent.__globals__ |= Catch()
""",
    "setting a function's code": "import textwrap\ntextwrap.dedent.__code__ = textwrap.indent.__code__\nsetattr(textwrap.dedent, '__code__', (lambda: 1).__code__)",
    "for over an attribute": "import textwrap\nfor textwrap.dedent.__code__ in [1]:\n    pass",
    "with as an attribute": "import contextlib, textwrap\nwith contextlib.nullcontext(1) as textwrap.dedent.__defaults__:\n    pass",
    "deleting an attribute": "import textwrap\ndel textwrap.dedent.__defaults__\ndelattr(textwrap.TextWrapper, 'wrap')",
    "memory by an array's interface": """
import functools, operator
import numpy as np
class Forged:
    def __init__(self):
        self.__dict__['__array_interface__'] = {'data': (id(self), False), 'shape': (8,), 'typestr': '|u1', 'version': 3}
forged, array = Forged(), np.zeros(8)
def assign():
    array[:] = forged
    return array.any()
for read in (lambda: np.asarray(forged), lambda: np.array([forged]), lambda: array + forged, lambda: np.float64(forged),
             lambda: array.dot(forged), lambda: array.__add__(forged), lambda: next(map(np.float64, [forged])),
             lambda: functools.partial(np.float64, forged)(), assign, lambda: array == forged, lambda: array @ forged,
             lambda: operator.add(array, forged), lambda: torch.tensor(forged), lambda: torch.as_tensor([forged]),
             lambda: np.clip(array, 0, forged), lambda: array[forged], lambda: np.dtype(forged)):
    try:
        loot({'read from memory': read()})
    except (TypeError, ValueError, IndexError, RuntimeError):
        pass
""",
    "a star import": "from textwrap import *\nloot(dedent.__globals__)",
    "importing what is not public": "from textwrap import re, _whitespace\nloot(re)\nfrom enum import sys\nloot(sys)\nfrom collections import _sys\nloot(_sys)\nfrom typing import sys as s\nloot(s)",
    "a submodule of the standard library": "import os.path, collections.abc, importlib.util\nloot(os.path.os)\nloot(os.path.genericpath)\nloot(collections.abc.sys)\nloot(importlib.util.sys)\nloot(os.sys)",
}
