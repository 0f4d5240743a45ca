"""Targets that tell numpy an address by the variables of an object, where no name says so.

What has variables is a dict, which compares its keys by their hashes and by `__eq__`: a key that is no string, or a string of
a class of the target's, can be equal to the name of the address. And a class whose metaclass compares it is taken for another.
"""

from __future__ import annotations

from tests.hostile.addresses import _MEET

_KEYS = """
import collections, string, contextlib, enum, weakref, io, typing, copy, abc
class H:
    __hash__ = K.__hash__
    def __eq__(self, other): return True
class S(str):
    __hash__ = K.__hash__
    def __eq__(self, other): return True
class BY(bytes):
    __hash__ = bytes.__hash__
    def __eq__(self, other): return True
class R(weakref.ref):
    __hash__ = weakref.ref.__hash__
    def __eq__(self, other): return True
class T(str): pass
t = T(K)
KEYS = [H(), S('zzz'), S(K), BY(K.encode()), R(t), collections.UserString(K), T(K), K]
def f(): pass
def each(*ways):
    for way in ways:
        try: meet(way())
        except Exception: pass
"""
_WAYS: dict[str, str] = {
    "UserDict over variables": """
u = collections.UserDict()
ns = types.SimpleNamespace()
for o in (f, ns, Exception(), A(), argparse.Namespace()):
    for k in KEYS:
        try:
            u.data = o.__dict__
            u[k] = I
            u.update({k: I})
            u.setdefault(k, I)
        except Exception: pass
        meet(o)
""",
    "ChainMap over variables": """
for o in (f, types.SimpleNamespace(), Exception(), A(), argparse.Namespace(), functools.partial(f)):
    for k in KEYS:
        try:
            c = collections.ChainMap(vars(o))
            c[k] = I
            c.update({k: I})
            c.maps[0][k] = I
        except Exception: pass
        meet(o)
""",
    "exec in variables": """
for o in (f, types.SimpleNamespace(), Exception(), A(), argparse.Namespace(), functools.partial(f)):
    for d in (o.__dict__, vars(o)):
        for s in ('__array_interface__ = I', 'global __array_interface__\\n__array_interface__ = I', 'def __array_interface__(): pass', 'for __array_interface__ in [I]: pass', 'import types as __array_interface__', 'with x as __array_interface__: pass', '__array_interface__: dict = I'):
            try: exec(s, d, {'I': I})
            except Exception: pass
            try:
                d['I'] = I
                exec(s, d)
            except Exception: pass
            try: exec(s, {'I': I}, d)
            except Exception: pass
            meet(o)
""",
    "targets of assignment": """
for o in (f, types.SimpleNamespace(), A(), argparse.Namespace()):
  for k in KEYS:
    d = o.__dict__
    for d[k] in [I]: pass
    meet(o)
    (d[k], x) = I, 1
    meet(o)
    [*d[k]] = [I]
    meet(o)
    with contextlib.nullcontext(I) as d[k]: pass
    meet(o)
    d[k] |= I
    meet(o)
    [0 for d[k] in [I]]
    meet(o)
    d[k]: dict = I
    meet(o)
""",
    "variables by C": """
import operator
for o in (f, types.SimpleNamespace(), A(), argparse.Namespace(), Exception()):
  for k in KEYS:
    for way in (lambda d: operator.setitem(d, k, I), lambda d: list(map(operator.setitem, [d], [k], [I])), lambda d: list(map(d.__setitem__, [k], [I])), lambda d: list(map(dict.__setitem__, [d], [k], [I])), lambda d: functools.reduce(lambda a, b: a, [1], d.update({k: I})), lambda d: functools.partial(d.__setitem__, k)(I), lambda d: operator.ior(d, {k: I}), lambda d: d.__init__({k: I}), lambda d: dict.__init__(d, {k: I}), lambda d: dict.update(d, [(k, I)]), lambda d: dict.setdefault(d, k, I), lambda d: sorted([1], key=lambda z: d.setdefault(k, I)), lambda d: operator.methodcaller('update', {k: I})(d), lambda d: collections.OrderedDict.__setitem__(d, k, I), lambda d: collections.Counter.update(d, {k: I}), lambda d: dict.__ior__(d, {k: I}), lambda d: d.update(zip([k], [I])), lambda d: d.update(iter([(k, I)]))):
        try: way(o.__dict__)
        except Exception: pass
        meet(o)
""",
    "variables that are given": """
for k in KEYS:
    for make in (lambda: f, lambda: types.SimpleNamespace(), lambda: A(), lambda: argparse.Namespace(), lambda: Exception(), lambda: functools.partial(f), lambda: string.Template('x'), lambda: collections.Counter()):
        for d in ({k: I}, collections.OrderedDict({k: I}), collections.defaultdict(int, {k: I}), type('D', (dict,), {})({k: I})):
            for way in (lambda o: setattr(o, '__dict__', d), lambda o: object.__setattr__(o, '__dict__', d), lambda o: type(o).__setattr__(o, '__dict__', d), lambda o: o.__setattr__('__dict__', d), lambda o: o.__dict__.update(d), lambda o: operator.setattr, lambda o: vars(type(o))['__dict__'].__set__(o, d), lambda o: copy.copy(o).__dict__.update(d)):
                try:
                    o = make()
                    way(o)
                except Exception: continue
                meet(o)
        try:
            o = make()
            d = {}
            o.__dict__ = d
            d[k] = I
        except Exception: continue
        meet(o)
""",
    "names by an argument parser": """
for k in (S('zzz'), S(K), T(K), K, 'x'):
    for space in (Exception(), collections.Counter(), A(), None, string.Template('x'), collections.OrderedDict(), f, weakref.proxy(A())):
        for way in (lambda p: p.set_defaults(**{k: I}), lambda p: p.add_argument('--a', dest=k, default=I), lambda p: p.add_argument('--' + k, default=I), lambda p: p.add_argument(k, nargs='?', default=I), lambda p: p.add_subparsers(dest=k)):
            try:
                p = argparse.ArgumentParser()
                way(p)
                meet(p.parse_args([], space))
                meet(space)
                meet(p.parse_known_args([])[0])
            except Exception: pass
""",
    "classes with odd names": """
for k in KEYS:
    each(lambda: type('B', (), {k: I})(), lambda: type('B', (), {k: I}), lambda: type.__new__(type, 'B', (), {k: I}), lambda: type.__new__(type, 'B', (), {k: I})(), lambda: types.new_class('B', (), {}, lambda n: n.update({k: I}))(), lambda: types.new_class('B', (), {}, lambda n: n.update({k: I})), lambda: abc.ABCMeta('B', (), {k: I})(), lambda: abc.ABCMeta('B', (), {k: I}), lambda: type('B', (type,), {k: I}), lambda: type('B', (type,), {k: I})('C', (), {}), lambda: enum.Enum('E', {k: I}), lambda: list(enum.Enum('E', {k: I}))[0], lambda: type('X', (Exception,), {k: I})(), lambda: type('X', (types.SimpleNamespace,), {k: I})(), lambda: type('X', (dict,), {k: I})(), lambda: dataclasses.make_dataclass('D', ['a'], namespace={k: I})(1), lambda: collections.namedtuple('N', 'a')._replace(a=1))
""",
    "class bodies with odd names": """
for k in KEYS:
    class P(type):
        def __prepare__(*a): return {k: I}
    class P2(type):
        def __new__(m, n, b, ns): return type.__new__(m, n, b, {**ns, k: I})
    class P3(type):
        def __new__(m, n, b, ns):
            ns[k] = I
            return super().__new__(m, n, b, ns)
    for m in (P, P2, P3):
        try:
            class B(metaclass=m): pass
            meet(B)
            meet(B())
        except Exception: pass
    try:
        class C:
            locals()[k] = I
            vars()[k] = I
        meet(C())
        meet(C)
    except Exception: pass
""",
    "hooks that see a class early": """
for k in KEYS:
    class Base:
        def __init_subclass__(cls):
            meet(cls)
            meet(object.__new__(cls))
    class N:
        def __set_name__(self, o, n):
            meet(o)
            meet(object.__new__(o))
    class M(type):
        def mro(cls):
            meet(cls)
            return type.mro(cls)
        def __init__(cls, *a):
            meet(cls)
            meet(object.__new__(cls))
    each(lambda: type('B', (Base,), {k: I}), lambda: type('B', (), {k: I, 'n': N()}), lambda: M('B', (), {k: I}), lambda: M('B', (Base,), {k: I, '__getattr__': {K: I}.get, 'n': N()}))
""",
    "a module that answers": """
import model
def __getattr__(name): return I
meet(model)
import sys
meet(sys.modules[__name__])
model.__getattr__ = {K: I}.get
meet(model)
globals()['__getattr__'] = lambda n: I
meet(model)
for k in KEYS:
    globals()[k] = I
    meet(model)
    model.__dict__[k] = I
    meet(model)
    vars(model).update({k: I})
    meet(model)
""",
    "a module of its own": """
for k in KEYS:
    m = types.ModuleType('m')
    m.__getattr__ = lambda n: I
    meet(m)
    m.__dict__[k] = I
    meet(m)
    vars(m).update({k: I})
    meet(m)
    m.__dict__ = {k: I}
    meet(m)
class MM(types.ModuleType):
    def __getattr__(self, n): return I
meet(MM('x'))
""",
    "parts of a network": """
for k in KEYS:
    for kind in (nn.Module, nn.Linear, nn.Sequential, nn.ModuleDict, nn.ParameterDict):
        for name in ('_modules', '_buffers', '_parameters', '_non_persistent_buffers_set', '__dict__', '_forward_hooks'):
            try:
                n = kind(2, 2) if kind is nn.Linear else kind()
                getattr(n, name)[k] = I
            except Exception: continue
            meet(n)
        for way in (lambda n: n.register_buffer(k, I), lambda n: n.register_parameter(k, I), lambda n: n.add_module(k, I), lambda n: n.register_module(k, I), lambda n: n.__setattr__(k, I), lambda n: nn.Module.__setattr__(n, k, I), lambda n: setattr(n, '_modules', {k: I}), lambda n: setattr(n, '_buffers', {k: I}), lambda n: setattr(n, '_parameters', collections.defaultdict(lambda: I)), lambda n: n.__dict__.update(_buffers={k: I}), lambda n: n.update({k: I}), lambda n: n.load_state_dict({k: I})):
            try:
                n = kind(2, 2) if kind is nn.Linear else kind()
                way(n)
            except Exception: continue
            meet(n)
""",
    "parts of a network that answer": """
class D(dict):
    def __contains__(self, k): return True
    def __getitem__(self, k): return I
    def get(self, *a): return I
class N(nn.Module):
    pass
for name in ('_modules', '_buffers', '_parameters'):
    for d in (D(), collections.defaultdict(lambda: I), types.MappingProxyType(D()), collections.ChainMap(D()), collections.UserDict({K: I})):
        n = N()
        object.__setattr__(n, name, d)
        meet(n)
        n.__dict__[name] = d
        meet(n)
        class Q(nn.Module): pass
        setattr(Q, name, d)
        q = Q()
        vars(q).pop(name, None)
        meet(q)
        meet(Q.__new__(Q))
""",
    "a layer of Keras that answers": """
import keras
for k in KEYS:
    for o in (keras.layers.Dense(2), keras.Sequential(), keras.Model(), keras.Variable([1.0]), keras.KerasTensor((2,)), keras.optimizers.Adam(), keras.losses.MeanSquaredError(), keras.metrics.Mean()):
        for way in (lambda: setattr(o, k, I), lambda: o.__dict__.update({k: I}), lambda: vars(o).__setitem__(k, I), lambda: setattr(o, '_tracker', I), lambda: setattr(o, '__dict__', {k: I})):
            try: way()
            except Exception: pass
            meet(o)
""",
    "a protocol without an object": """
@typing.runtime_checkable
class P(typing.Protocol):
    x: int
for k in KEYS:
    for way in (lambda: object.__new__(P), lambda: P.__new__(P), lambda: type('Q', (P,), {})()):
        try:
            p = way()
            p.__dict__[k] = I
        except Exception: continue
        meet(p)
        p.__array_interface__ = I
        meet(p)
class G(typing.Protocol):
    def __getattr__(self, n): return I
meet(object.__new__(G))
P.__array_interface__ = I
meet(object.__new__(P))
P.__getattr__ = lambda s, n: I
meet(object.__new__(P))
""",
    "proxies and aliases": """
a = A()
for o in (weakref.proxy(a), types.GenericAlias(f, ()), types.MethodType(f, 1), super(A, a), staticmethod(f), classmethod(f), functools.partialmethod(f), functools.cached_property(f), property(f), functools.lru_cache(f), functools.singledispatch(f), contextlib.contextmanager(f), io.StringIO(), typing.List[int], typing.TypeVar('T'), typing.NewType('N', int)):
    for k in KEYS:
        for way in (lambda: o.__dict__.__setitem__(k, I), lambda: vars(o).update({k: I}), lambda: setattr(o, k, I), lambda: setattr(o, '__dict__', {k: I}), lambda: setattr(o, '__wrapped__', I), lambda: setattr(o, '__origin__', I)):
            try: way()
            except Exception: pass
            meet(o)
            meet(f)
            meet(a)
""",
    "subclasses of host classes": """
bases = [argparse.Namespace, types.SimpleNamespace, Exception, dict, list, tuple, str, int, float, set, frozenset, bytes, bytearray, functools.partial, collections.Counter, collections.OrderedDict, collections.UserDict, collections.deque, io.StringIO, io.BytesIO, weakref.ref, string.Template, enum.Enum, nn.Module, torch.Tensor, types.ModuleType, property, staticmethod, classmethod, super, contextlib.ExitStack, typing.Generic, collections.abc.Mapping if hasattr(collections, 'abc') else dict, memoryview, argparse.ArgumentParser]
for base in bases:
    for k in KEYS:
        try:
            class B(base):
                def __getattr__(self, n): return I
                def __getattribute__(self, n): return I
            meet(object.__new__(B))
        except Exception: pass
        try:
            class C(base): pass
            c = C()
            c.__dict__[k] = I
            meet(c)
            c.__dict__ = {k: I}
            meet(c)
        except Exception: pass
""",
    "readers that are inherited": """
class R1:
    def __getattr__(self, n): return I
class R2(R1): pass
class R3(Exception, R1): pass
class R4(dict, R1): pass
class R5(nn.Module, R1): pass
class R6(types.SimpleNamespace, R1): pass
class R7(types.ModuleType, R1): pass
class R8(R1, torch.Tensor): pass
class MG(type):
    __getattr__ = lambda c, n: I
    __getattribute__ = lambda c, n: I
class R9(metaclass=MG): pass
each(R2, R3, R4, R5, R6, lambda: R7('x'), lambda: object.__new__(R8), R9, lambda: R9, lambda: R1, lambda: MG)
R1.__getattr__ = {K: I}.get
each(R2, R3, R4, R5, R6, lambda: R7('x'))
R1.__getattribute__ = functools.partial(lambda *a: I)
each(R2, R3, R4, R5, R6)
object.__setattr__
type.__setattr__(R1, '__getattr__', types.MethodType(lambda *a: I, 1))
each(R2, R3, R4, R5, R6, R1)
""",
    "descriptors that answer": """
class D:
    def __get__(self, o, k): return I
    def __set__(self, o, v): pass
    def __set_name__(self, o, n): setattr(o, K, self)
class B:
    a = D()
for name in (K, T(K)):
    try: setattr(B, name, D())
    except Exception: pass
    try: type.__setattr__(B, name, D())
    except Exception: pass
    meet(B())
    meet(B)
for way in (lambda: functools.cached_property(lambda s: I).__set_name__(B, K), lambda: setattr(functools.cached_property(lambda s: I), 'attrname', K), lambda: enum.property(lambda s: I).__set_name__(B, K), lambda: delattr(B, K), lambda: type.__delattr__(B, K), lambda: B.__dict__.copy().pop(K), lambda: setattr(B, '__bases__', (types.SimpleNamespace,)), lambda: setattr(B, '__mro__', (object,)), lambda: setattr(B(), '__class__', Exception)):
    try: way()
    except Exception: pass
    meet(B())
""",
    "a class that becomes another": """
class X1: pass
class X2: pass
class X3(X1): pass
x = X3()
x.__dict__['z'] = I
for way in (lambda: setattr(X3, '__bases__', (X2,)), lambda: setattr(x, '__class__', types.SimpleNamespace), lambda: setattr(x, '__class__', argparse.Namespace), lambda: setattr(types.SimpleNamespace(), '__class__', X1), lambda: setattr(x, '__class__', nn.Module), lambda: object.__setattr__(x, '__class__', type('Y', (), {K: I}))):
    try: way()
    except Exception: pass
    for k in KEYS:
        try: x.__dict__[k] = I
        except Exception: pass
        meet(x)
""",
    "the namespaces of the host": """
for cls in (types.SimpleNamespace, argparse.Namespace):
    for base in cls.__mro__ + (type(cls()),):
        for k in (S('zzz'), S(K), T(K), K):
            try: meet(base(**{k: I}))
            except Exception: pass
            try:
                o = base.__new__(base)
                base.__init__(o, **{k: I})
                meet(o)
                o.__dict__[k] = I
                meet(o)
                meet(copy.copy(o))
                meet(copy.deepcopy(o))
                meet(copy.replace(o, **{k: I}))
            except Exception: pass
import sys, importlib.util
for o in (sys.implementation, sys.flags, f.__code__, sys._getframe(), importlib.util.find_spec('model'), __import__('threading').local()):
    for k in KEYS:
        try: vars(o)[k] = I
        except Exception: pass
        meet(o)
        try: meet(type(o).__mro__[1](**{k: I}))
        except Exception: pass
""",
    "copies that set variables": """
class C1:
    def __reduce_ex__(self, v): return (lambda: f, (), {S('zzz'): I, K: I, T(K): I})
class C2:
    def __reduce_ex__(self, v): return (types.SimpleNamespace, (), {S('zzz'): I, S(K): I})
class C3:
    def __reduce_ex__(self, v): return (Exception, (), (None, {S('zzz'): I, S(K): I}))
class C4:
    def __reduce_ex__(self, v): return (collections.UserDict, (), {H(): I})
class C5:
    def __reduce_ex__(self, v): return (lambda: f.__dict__, (), None, None, iter([(k, I) for k in KEYS]))
for c in (C1, C2, C3, C4, C5):
    for g in (copy.copy, copy.deepcopy):
        try: meet(g(c()))
        except Exception: pass
        meet(f)
""",
    "wrappers that copy variables": """
class W:
    __name__ = __qualname__ = __module__ = __doc__ = 'x'
    def __init__(self, k): self.k = k
    @property
    def __dict__(self): return {self.k: I}
for k in KEYS:
    for o in (lambda: (lambda: 1), lambda: functools.partial(f), lambda: types.SimpleNamespace(), lambda: Exception(), A):
        for way in (lambda t: functools.update_wrapper(t, W(k)), lambda t: functools.update_wrapper(t, W(k), [], ['__dict__']), lambda t: functools.wraps(W(k))(t), lambda t: functools.update_wrapper(t, types.SimpleNamespace(**{'__dict__': {k: I}}), [k], []), lambda t: functools.lru_cache(t).__dict__.update({k: I})):
            try: t = o(); r = way(t); meet(t); meet(r)
            except Exception: pass
""",
}

_SETTING = """
for key in (KEYS[0], KEYS[1], KEYS[6], K):
    for way in (lambda a: a.__dict__.__setitem__(key, I), lambda a: vars(a).update({key: I}), lambda a: setattr(a, key, I),
                lambda a: object.__setattr__(a, key, I), lambda a: setattr(a, '__dict__', {key: I}), lambda a: vars(a).__ior__({key: I}),
                lambda a: type(a).__init__(a, **{key: I}), lambda a: a.__dict__.setdefault(key, I), lambda a: setattr(type(a), key, I)):
        for make in (MAKERS):
            try:
                a = make()
                way(a)
                meet(a)
            except Exception:
                pass
"""
_OBJECTS = (
    "types.SimpleNamespace()",
    "argparse.Namespace()",
    "f",
    "lambda: 1",
    "Exception()",
    "X()",
    "functools.partial(f)",
    "collections.Counter()",
    "collections.OrderedDict()",
    "collections.UserDict()",
    "collections.UserList()",
    "collections.UserString('a')",
    "collections.ChainMap()",
    "string.Template('a')",
    "textwrap.TextWrapper()",
    "contextlib.ExitStack()",
    "contextlib.nullcontext()",
    "contextlib.closing(io.StringIO())",
    "E.a",
    "enum.auto()",
    "csv.DictReader([])",
    "graphlib.TopologicalSorter()",
    "reprlib.Repr()",
    "json.JSONEncoder()",
    "typing.TypeVar('T')",
    "typing.NewType('N', int)",
    "io.StringIO()",
    "io.BytesIO()",
    "argparse.ArgumentParser()",
    "argparse.ArgumentParser().add_argument('--x')",
    "functools.cached_property(f)",
    "functools.partialmethod(f)",
    "functools.lru_cache(f)",
    "weakref.WeakSet()",
    "weakref.WeakValueDictionary()",
    "contextlib.suppress()",
    "typing.List[int]",
    "typing.ForwardRef('x')",
    'type("Q", (typing.Any,), {})()',
    "inspect.signature(f)",
    "nn.Linear(2, 2)",
    "torch.zeros(2)",
    "nn.Parameter(torch.zeros(2))",
    "torch.float32",
    "torch.device('cpu')",
    "staticmethod(f)",
    "classmethod(f)",
    "property(f)",
    "functools.singledispatch(f)",
    "H().__eq__",
    "dataclasses.field()",
    "torch",
    "types.ModuleType('x')",
    "__import__('pathlib').Path('x')",
    "torch.Generator()",
    "torch.Size([1])",
    "string.Formatter()",
    "__import__('model')",
    "globals()",
    '__import__("random").Random()',
    "torch.optim.SGD([nn.Parameter(torch.zeros(1))], 0.1)",
    "torch.utils.data.DataLoader([1])",
    "torch.finfo(torch.float32)",
    '__import__("keras").layers.Dense(2)',
    '__import__("logging").getLogger("x")',
    'type("D", (datetime.date,), {})(2020,1,1)',
    "torch.distributions.Normal(0, 1)",
    "contextlib.contextmanager(g)()",
    '__import__("re").compile("a")',
    "torch.fx.symbolic_trace(nn.Linear(1,1))",
    "collections.defaultdict(int)",
)
_MORE = """
import textwrap, csv, graphlib, reprlib, json, datetime, pathlib, fractions, statistics, uuid, array, itertools, inspect
class E(enum.Enum):
    a = 1
def g(): yield
class X(Exception): pass
"""
_AT_ONCE = 4

_METACLASSES: dict[str, str] = {
    "m1": """
B = M('B', (), {K: I})
meet(B())
meet(B)
""",
    "m2": """
B = types.new_class('B', (), {'metaclass': M}, lambda n: n.update({K: I}))
meet(B())
meet(B)
""",
    "m3": """
class B(metaclass=M):
    locals()[K] = I
    vars()[K] = I
meet(B())
meet(B)
""",
    "m4": """
B = M('B', (), {'__getattr__': {K: I}.get})
meet(B())
meet(B)
""",
    "m5": """
B = M('B', (), {})
b = B()
b.__dict__[K] = I
vars(b).update({K: I})
meet(b)
""",
    "m6": """
B = M('B', (argparse.Namespace,), {})
meet(B(**{K: I}))
b = B()
b.__dict__ = {K: I}
meet(b)
b.__dict__[K] = I
meet(b)
""",
    "m7": """
B = dataclasses.make_dataclass('B', [(K, object, dataclasses.field(default=None))], bases=(M('Z', (), {}),))
meet(B(I))
""",
    "m8": """
class G:
    def __get__(self, a, b): return I
class B(metaclass=M): pass
type.__setattr__(B, K, I)
setattr(B, K, G())
object.__setattr__
meet(B())
""",
    "m9": """
B = M('B', (), {'__del__': loot, K: I})
meet(B())
del B
""",
    "m14": """
class B(metaclass=M):
    def __init__(self): self.__dict__[K] = I
meet(B())
loot(B.__subclasses__)
B.__del__ = loot
B()
""",
}

_COMPARED = """
class M(type):
    __hash__ = object.__hash__.__get__(KIND)
    __eq__ = [KIND].__contains__
"""


def _objects() -> dict[str, str]:
    """Return programs that set variables of some kinds of objects each."""
    programs = {}
    for start in range(0, len(_OBJECTS), _AT_ONCE):
        makers = ", ".join(f"lambda: {each}" for each in _OBJECTS[start : start + _AT_ONCE])
        name = f"the variables of {_OBJECTS[start]} and others"
        programs[name] = _MEET + _KEYS + _MORE + _SETTING.replace("MAKERS", f"{makers},")
    return programs


VARIABLES: dict[str, str] = {
    **{f"by {name}": _MEET + _KEYS + text for name, text in _WAYS.items()},
    **_objects(),
    **{
        f"a metaclass that compares with {kind}, {name}": _MEET + _COMPARED.replace("KIND", kind) + text
        for name, text in _METACLASSES.items()
        for kind in ("int", "object")
    },
}
