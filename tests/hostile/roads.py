"""Targets that take roads through code of the host which reads, sets, calls or opens what data names."""

from __future__ import annotations

_WALK = """
def run(globals_):
    names = globals_ if isinstance(globals_, dict) else {}
    for name in ('os', '_os', 'sys', '_sys', 'builtins'):
        loot(names.get(name))
    builtins = names.get('__builtins__')
    loot(builtins)
    try:
        builtins['open']('HERE/new', 'w')
    except Exception:
        pass
    try:
        builtins['__import__']('os').system('touch HERE/new')
    except Exception:
        pass
    try:
        names['os'].system('touch HERE/new')
    except Exception:
        pass
    try:
        names['sys'].modules['os'].system('touch HERE/new')
    except Exception:
        pass
"""

READS_BY_NAME: dict[str, str] = {
    "the formatter behind the formatter": _WALK
    + """
import string, textwrap
base = string.Formatter.__mro__[1]
loot(base)
value, _ = base().get_field('0.__globals__', (textwrap.dedent,), {})
loot(value)
run(value)
value, _ = base().get_field('0.__globals__[re].sys.modules[os]', (textwrap.dedent,), {})
value.system('touch HERE/new')
""",
    "the formatter by its bases": _WALK
    + """
import string, textwrap
for base in (string.Formatter.__bases__ + (string.Formatter.__base__,)):
    try:
        run(base().get_field('0.__globals__', (textwrap.dedent,), {})[0])
    except Exception:
        pass
""",
    "the formatter's unbound method by super": _WALK
    + """
import string, textwrap
class Mine(string.Formatter):
    def reach(self, name, args):
        return super(string.Formatter, self).get_field(name, args, {})[0]
run(Mine().reach('0.__globals__', (textwrap.dedent,)))
""",
    "a format with attributes of a class": """
import string, textwrap
class Mine(string.Formatter):
    def format_field(self, value, spec):
        loot(value)
        return 'x'
    def convert_field(self, value, conversion):
        loot(value)
        return value
Mine().format('{0.__globals__}', textwrap.dedent)
Mine().format('{0.__globals__[re].sys}', textwrap.dedent)
""",
    "fields of a tree": _WALK
    + """
import ast, textwrap
class Node(ast.AST):
    _fields = ('__globals__', '__code__', '__closure__')
def read(owner):
    class Fake:
        _fields = ('__globals__', '__code__')
        def __getattr__(self, name):
            return getattr(owner, name)
    return list(ast.iter_fields(Fake()))
for name, value in read(textwrap.dedent):
    loot(value)
    run(value)
textwrap.dedent._fields = ('__globals__',)
for name, value in ast.iter_fields(textwrap.dedent):
    loot(value)
    run(value)
""",
    "fields of a tree of a class": """
import ast
class Meta(type):
    _fields = ('__subclasses__', '__dict__', 'mro')
class C(metaclass=Meta):
    pass
for name, value in ast.iter_fields(C):
    loot(value)
    loot(value())
    for cls in value():
        loot(cls)
""",
    "fields of a generator": """
import ast
class Fields:
    pass
def g():
    yield 1
class Lister:
    pass
import functools
part = functools.partial(g)
part._fields = ('func', '__reduce_ex__')
for name, value in ast.iter_fields(part):
    loot(value)
""",
    "a visitor of trees": """
import ast, textwrap
class Visit(ast.NodeVisitor):
    def visit(self, node):
        loot(node)
class Node(ast.AST):
    pass
node = Node()
node._fields = ('__class__', '__reduce_ex__', '__init_subclass__')
Visit().generic_visit(node)
ast.dump(node)
ast.copy_location(textwrap.dedent, node)
""",
    "a data class with a special field": """
import dataclasses
@dataclasses.dataclass
class Data:
    __globals__: int = 0
    __subclasses__: int = 0
    __class__: int = 0
loot(dataclasses.asdict(Data()))
""",
    "as a dict by its fields": _WALK
    + """
import dataclasses, textwrap
field = dataclasses.field()
field.name = '__globals__'
field._field_type = dataclasses.fields(dataclasses.make_dataclass('D', ['x']))[0]._field_type
class Fake:
    __dataclass_fields__ = {'x': field}
    def __init__(self, owner):
        self.owner = owner
    def __getattr__(self, name):
        return getattr(self.owner, name)
class Function:
    __dataclass_fields__ = {'x': field}
for value in (Fake(textwrap.dedent), Function()):
    try:
        made = dataclasses.astuple(value)
        loot(made)
        run(made[0])
    except Exception:
        pass
textwrap.dedent.__dataclass_fields__ = {'x': field}
""",
    "the methods of a data class on another object": _WALK
    + """
import dataclasses, textwrap
@dataclasses.dataclass(order=True, frozen=True)
class Data:
    __globals__: object = None
    __code__: object = None
class Seen:
    def __eq__(self, other):
        loot(other)
        run(other)
        return True
loot(Data.__repr__(textwrap.dedent))
loot(Data.__hash__(textwrap.dedent))
made = Data(Seen(), Seen())
Data.__eq__.__get__(made)(made)
class Both:
    __globals__ = Seen()
    __code__ = Seen()
Both.__class__ = type(textwrap.dedent)
""",
    "the fields of a data class in a pattern": """
import textwrap
class Any(type):
    def __instancecheck__(cls, value):
        return True
class P(metaclass=Any):
    __match_args__ = ('__globals__', '__code__')
match textwrap.dedent:
    case P(a, b):
        loot(a)
        loot(b)
match textwrap.dedent:
    case P(__globals__=a):
        loot(a)
""",
    "an enumeration by name": _WALK
    + """
import enum, textwrap
reader = getattr(enum, 'pickle_by_enum_name', None)
class Fake:
    def __init__(self, owner, name):
        self._name_ = name
        self.owner = owner
loot(reader)
result = reader(Fake(textwrap.dedent, '__globals__'), 4)
loot(result)
call, args = result
loot(call(textwrap.dedent, '__globals__'))
run(call(textwrap.dedent, '__globals__'))
""",
    "an enumeration's reduction": """
import enum
class Colour(enum.Enum):
    __reduce_ex__ = enum.pickle_by_enum_name
    RED = 1
import copy
copy.copy(Colour.RED)
loot(Colour.RED.__reduce_ex__(4)[0])
loot(getattr(Colour.RED, '__reduce_ex__')(4)[0])
""",
    "getstate with slot names": """
class Meta(type):
    __slotnames__ = ['__subclasses__', 'mro', '__dict__']
class C(metaclass=Meta):
    pass
state = object.__getstate__(C)
loot(state)
loot(state[1]['__subclasses__']())
for part in state:
    loot(part)
for cls in state[1]['__subclasses__'].__self__.__mro__[-1].__subclasses__():
    loot(cls)
""",
    "getstate of a method": """
class Owner:
    __slotnames__ = ['__init_subclass__', '__reduce_ex__', '__sizeof__']
value = Owner()
state = value.__getstate__()
loot(state[1]['__reduce_ex__'](2)[0])
loot(state[1]['__reduce_ex__'](2))
""",
    "copy by reduce_ex": """
import copy, builtins
class C:
    def __reduce_ex__(self, version):
        return (getattr, (copy.copy, '__globals__'))
loot(copy.copy(C()))
class D:
    def __reduce_ex__(self, version):
        return (eval, ('__import__("os").system("touch HERE/new")',))
loot(copy.deepcopy(D()))
""",
    "copy by reduce_ex that sets state": """
import copy, textwrap, collections
class C:
    def __reduce_ex__(self, version):
        return (lambda: textwrap.dedent, (), (None, {'__defaults__': (1,), 'hostile': 1}))
copy.copy(C())
class D:
    def __reduce_ex__(self, version):
        return (lambda: collections.OrderedDict, (), {'hostile_mark': 1})
copy.copy(D())
class E:
    def __reduce_ex__(self, version):
        return (lambda: collections.UserDict, (), (None, {'get': 1}))
copy.deepcopy(E())
""",
    "copy of an object that reads its slots": """
import copy, textwrap
class C:
    __slots__ = ('x',)
class Meta(type):
    pass
class D(metaclass=Meta):
    __slotnames__ = ['__reduce_ex__', '__class__']
class Seen(D):
    def __setattr__(self, name, value):
        loot(value)
        try:
            loot(value(2)[0])
        except Exception:
            pass
copy.copy(Seen())
copy.deepcopy(Seen())
""",
    "operator.call": """
import operator
call = operator.call
loot(operator.call(getattr, object, '__subclasses__')())
list(map(operator.call, [print]))
""",
    "operator.methodcaller by super": """
import operator
loot(operator.methodcaller('__subclasses__')(object))
loot(operator.attrgetter('__class__.__base__.__subclasses__')(())())
loot(operator.methodcaller.__mro__)
loot(type(operator.itemgetter(1)).__mro__)
loot(operator.itemgetter('os')(vars(operator)))
""",
    "a forward reference": """
import typing
ref = typing.ForwardRef('__import__("os").system("touch HERE/new")')
for name in ('_evaluate', 'evaluate', '__forward_code__', '__code__'):
    loot(getattr(ref, name, None))
try:
    ref._evaluate({}, {}, recursive_guard=frozenset())
except Exception:
    pass
try:
    ref._evaluate({}, {}, frozenset())
except Exception:
    pass
try:
    typing.get_type_hints(ref)
except Exception:
    pass
""",
    "a forward reference's slots": """
import typing, copy, ast
ref = typing.ForwardRef('hostile_mark')
class Getter:
    code = typing.ForwardRef.__dict__.get('__forward_code__')
loot(typing.ForwardRef.__getstate__(ref))
state = object.__getstate__(ref)
loot(state)
loot(state[1]['__forward_code__'])
for part in state[1].values():
    loot(part)
""",
    "a typed class that evaluates its annotations": """
import typing
class T(typing.TypedDict):
    x: '__import__("os").system("touch HERE/new")'
class N(typing.NamedTuple):
    x: '__import__("os").system("touch HERE/new")'
loot(typing.get_type_hints(T))
loot(typing.get_type_hints(N))
V = typing.TypeVar('V', bound='__import__("os").system("touch HERE/new")')
loot(typing.List['__import__("os").system("touch HERE/new")'])
loot(typing.Optional['open("HERE/new", "w")'])
""",
    "a generic alias with names": """
import typing, textwrap
alias = typing.List[int]
loot(alias.__origin__)
loot(alias.copy_with)
made = alias.copy_with((textwrap.dedent,))
loot(typing.Generic.__class_getitem__)
class Sub(typing.Generic[typing.TypeVar('T')]):
    pass
bad = Sub[int]
bad.__origin__ = textwrap.dedent
loot(bad.__globals__)
loot(getattr(bad, '__globals__'))
loot(bad._name)
typing._x = 1
""",
    "an alias around a function": _WALK
    + """
import types, textwrap, typing
alias = types.GenericAlias(textwrap.dedent, (int,))
loot(alias.__globals__)
run(alias.__globals__)
loot(alias.__code__)
loot(getattr(alias, '__globals__', None))
made = type(typing.List[int])(textwrap.dedent, (int,))
loot(made.__globals__)
run(made.__globals__)
made.hostile_mark = 1
""",
    "an alias around a class": """
import types
alias = types.GenericAlias(object, (int,))
loot(alias.__subclasses__)
loot(alias.__subclasses__())
loot(types.GenericAlias(type, (int,)).__subclasses__(object))
""",
    "get_parameter of an object of the target's": _WALK
    + """
from torch import nn
import textwrap
class Fake:
    def get_submodule(self, path):
        return textwrap.dedent
    def get_parameter(self, path):
        return textwrap.dedent
run(nn.Module.get_parameter(Fake(), 'x.__globals__'))
loot(nn.Module.get_parameter(Fake(), 'x.__globals__'))
loot(nn.Module.get_buffer(Fake(), 'x.__globals__'))
loot(nn.Module.get_submodule(textwrap.dedent, '__globals__'))
loot(nn.Module.get_submodule(len, '__self__.open'))
loot(nn.Module.get_submodule(len, '__self__.exec'))
nn.Module.get_submodule(len, '__self__.open')('HERE/new', 'w')
""",
    "set_submodule of an object of the target's": """
from torch import nn
import textwrap
class Fake:
    def get_submodule(self, path):
        return textwrap.dedent
nn.Module.set_submodule(Fake(), 'x.hostile_mark', nn.Linear(1, 1))
nn.Module.set_submodule(Fake(), 'x.__defaults__', (1, 2))
nn.Module.set_submodule(len, '__self__.hostile_mark', nn.Linear(1, 1))
nn.Module.set_submodule(len, '__self__.len', nn.Linear(1, 1))
""",
    "getattr by the rows of containers": """
from torch import nn
import textwrap
class Fake:
    def _get_abs_string_index(self, index):
        return '__globals__'
    def _key_to_attr(self, key):
        return '__subclasses__'
for row in (nn.ParameterList.__getitem__, nn.ParameterDict.__getitem__):
    class Function(Fake):
        pass
    loot(row(Function(), 0))
class Meta(type):
    def _key_to_attr(cls, key):
        return '__subclasses__'
    def _get_abs_string_index(cls, key):
        return '__subclasses__'
class C(metaclass=Meta):
    pass
loot(nn.ParameterDict.__getitem__(C, 0)())
loot(nn.ParameterList.__getitem__(C, 0)())
""",
    "weights of an object by name": """
from torch import nn
import textwrap
from torch.nn.utils import weight_norm, parametrize
loot(weight_norm(textwrap.dedent, '__globals__'))
class Net(nn.Module):
    pass
net = Net()
net.__class__ = Net
loot(weight_norm(net, '__class__'))
loot(weight_norm(Net, '__subclasses__'))
loot(nn.utils.prune.identity(textwrap.dedent, '__globals__'))
""",
    "an RNN with names of weights": """
from torch import nn
class R(nn.LSTM):
    pass
r = R(2, 3)
r._all_weights = [['__class__', '__reduce_ex__', '__init_subclass__']]
r._flat_weights_names = ['__reduce_ex__', '__subclasshook__']
for names in r.all_weights:
    for value in names:
        loot(value)
        try:
            loot(value(2))
        except Exception:
            pass
""",
    "a configuration read by name": """
import textwrap, transformers
loot(transformers.AutoConfig.for_model('bert', **{'__class__': 1}))
""",
    "partial with callables": """
import functools
p = functools.partial(getattr, object)
loot(p('__subclasses__')())
p.__setstate__((type.__call__, (), {}, {}))
loot(p.__reduce__)
loot(functools.partial(type.__getattribute__, object)('__subclasses__'))
loot(functools.partial(object.__getattribute__, print)('__globals__'))
""",
    "partialmethod and descriptors": """
import functools, textwrap
class C:
    reach = functools.partialmethod(getattr, '__globals__')
    get = property(object.__getattribute__)
loot(C().reach)
loot(functools.partialmethod(textwrap.dedent).__get__)
class D:
    __wrapped__ = textwrap.dedent
loot(functools.partialmethod.__dict__)
for name, value in vars(functools.partialmethod).items():
    loot(getattr(value, '__globals__', None))
""",
    "reduce with getattr": """
import functools
loot(functools.reduce(getattr, ['__class__', '__base__', '__subclasses__'], ()))
loot(functools.reduce(getattr, ['__globals__', '__builtins__'], functools.wraps))
""",
    "cached_property of a host object": """
import functools, textwrap
class Wrapped:
    __doc__ = 'x'
    __module__ = 'x'
c = functools.cached_property(lambda self: 1)
c.__set_name__(textwrap.dedent, 'hostile_mark')
c.__get__(textwrap.dedent)
c.__get__(functools.cached_property, functools.cached_property)
c2 = functools.cached_property(lambda self: loot(self))
c2.attrname = '__globals__'
c2.__get__(textwrap.dedent)
import collections
c3 = functools.cached_property(lambda self: 1)
c3.attrname = 'hostile_mark'
c3.__get__(collections.namedtuple)
c3.__get__(collections.OrderedDict)
""",
    "total_ordering and singledispatch": """
import functools, textwrap
@functools.singledispatch
def f(x):
    pass
loot(f.register.__globals__)
loot(f.dispatch.__closure__)
loot(f.registry)
class Meta(type):
    @property
    def __mro__(cls):
        return (textwrap.dedent.__globals__,)
class C(metaclass=Meta):
    pass
loot(f.dispatch(C))
loot(functools.singledispatchmethod(f).dispatcher.__closure__)
""",
    "a cache of results": """
import functools, textwrap
c = functools.lru_cache(maxsize=None)(lambda x: 1)
loot(c.__wrapped__.__globals__)
loot(c.cache_parameters.__globals__)
loot(functools.lru_cache(textwrap.dedent).__wrapped__.__globals__)
loot(functools.lru_cache(getattr)(object, '__subclasses__')())
""",
    "context managers": """
import contextlib, textwrap
class C:
    pass
stack = contextlib.ExitStack()
loot(stack.push.__func__.__globals__)
loot(stack._exit_callbacks)
stack.callback(getattr, textwrap.dedent, '__globals__')
for is_sync, callback in stack._exit_callbacks:
    loot(callback)
    loot(callback.__globals__)
    loot(callback.__wrapped__)
@contextlib.contextmanager
def m():
    yield 1
manager = m()
loot(manager.gen.gi_frame)
loot(manager.func.__globals__)
loot(manager._recreate_cm.__globals__)
contextlib.closing.__exit__(C)
contextlib.chdir('/')
with contextlib.redirect_stdout(None):
    pass
base = contextlib.redirect_stdout
loot(getattr(contextlib, '_RedirectStream', None))
""",
    "nullcontext as redirection": """
import contextlib
class Stream:
    _stream = 'path'
class Fake:
    _stream = 'hostile_mark'
    _new_target = 1
    _old_targets = []
for cls in contextlib.suppress.__mro__ + contextlib.ExitStack.__mro__:
    loot(cls)
redirect = getattr(contextlib, '_RedirectStream', None)
redirect.__enter__(Fake())
""",
    "UserDict over a host object": """
import collections, textwrap
class U(collections.UserDict):
    pass
u = U()
u.data = textwrap.dedent
u.__dict__['data'] = vars(collections)
loot(u['sys'] if 'sys' in u else None)
loot(u['_sys'] if '_sys' in u else None)
collections.UserDict.__setitem__(u, 'hostile_mark', 1)
u.data = collections.OrderedDict.__dict__
for key in u:
    loot(u[key])
m = collections.ChainMap(vars(collections), vars(textwrap))
for name in m:
    loot(m[name])
""",
    "namedtuple with hostile names": """
import collections
for names in ('x=__import__("os").system("touch HERE/new")', ['x', 'hostile_mark=1'], 'a,b):hostile_mark'):
    try:
        collections.namedtuple('T', names)
    except Exception:
        pass
class Name(str):
    def isidentifier(self):
        return True
    def __str__(self):
        return 'x=hostile_mark'
    def startswith(self, *a):
        return False
for make in (lambda: collections.namedtuple('T', [Name('x=hostile_mark')]),
             lambda: collections.namedtuple(Name('T'), 'x'),
             lambda: collections.namedtuple('T', 'x', module=Name('os')),
             lambda: collections.namedtuple('T', 'x', defaults=[1])):
    try:
        loot(make().__new__.__globals__)
    except Exception:
        pass
T = collections.namedtuple('T', 'x')
loot(T.__new__.__builtins__)
loot(T._make.__func__.__globals__)
loot(T._replace.__globals__)
""",
    "namedtuple whose fields are read": """
import collections, textwrap
T = collections.namedtuple('T', 'x')
class Fake(tuple):
    _fields = ('__globals__',)
loot(T._asdict(Fake((1,))))
loot(T.__repr__(textwrap.dedent))
loot(T.x.__get__(textwrap.dedent))
""",
    "UserString and templates": """
import string, collections, textwrap
t = string.Template('${x}')
class M(string.Template):
    pattern = '(?P<escaped>a)(?P<named>b)(?P<braced>c)(?P<invalid>d)'
loot(M.pattern)
loot(collections.UserString('{0.__globals__}').format(textwrap.dedent))
class S(collections.UserString):
    def __init__(self, data):
        self.data = data
loot(S('{0.__globals__}').format_map({'0': textwrap.dedent}))
loot(collections.UserString.format(S('{0.__globals__[re]}'), textwrap.dedent))
""",
    "argparse reads and sets by name": """
import argparse, textwrap, collections
p = argparse.ArgumentParser()
p.add_argument('--x', dest='__defaults__', default=(1,))
p.add_argument('--hostile', dest='hostile_mark', default=1)
for space in (textwrap.dedent, collections.UserDict, argparse.Action, argparse):
    try:
        p.parse_args([], space)
    except Exception:
        pass
    try:
        p.parse_known_args([], space)
    except Exception:
        pass
""",
    "argparse one step up": """
import argparse, textwrap, collections
base = argparse.ArgumentParser.__mro__[1]
loot(base)
p = base(fromfile_prefix_chars='@')
p.add_argument('x', nargs='*', default=1)
loot(p.parse_args(['@/etc/passwd']))
p.parse_args([], collections.UserDict)
p.print_help()
p.exit(3, 'hello')
""",
    "argparse by its own methods": """
import argparse, collections, textwrap
p = argparse.ArgumentParser(fromfile_prefix_chars='@')
base = super(type(p), p)
loot(base._read_args_from_files(['@/etc/passwd']))
base.parse_known_args([], collections.UserDict)
a = p.add_argument('--hostile_mark', action='store_true')
for action in p._actions:
    action(p, collections.UserDict, 1)
    action(p, textwrap.dedent, 1)
for cls in type(a).__mro__:
    loot(cls)
argparse._StoreAction
p._get_values(a, [])
p.set_defaults(hostile_mark=1)
p._registries['type']['x'] = 1
loot(p._get_formatter().__init__.__globals__)
loot(p.format_help.__globals__)
argparse.Namespace.__init__(collections.UserDict, hostile_mark=1)
""",
    "an unbound initialiser on another class": """
import argparse, types, collections, enum, contextlib, typing, ast
targets = [collections.UserDict, collections.OrderedDict, enum.Enum, enum.auto, contextlib.ExitStack, typing.Generic]
for init in (argparse.Namespace.__init__, types.SimpleNamespace.__init__, collections.UserDict.__init__,
             collections.ChainMap.__init__, contextlib.closing.__init__, contextlib.nullcontext.__init__, ast.AST.__init__):
    for target in targets:
        for options in ({'hostile_mark': 1}, {}):
            try:
                init(target, **options)
            except Exception:
                pass
            try:
                init(target, 1, **options)
            except Exception:
                pass
""",
    "unbound methods that write on host classes": """
import enum, typing, contextlib, weakref, collections, graphlib, pprint, reprlib, csv, html.parser, string, textwrap, abc
class Fields:
    pass
for cls in (enum.auto, enum.property, contextlib.suppress, contextlib.ExitStack, collections.ChainMap, collections.UserList,
            collections.UserString, graphlib.TopologicalSorter, pprint.PrettyPrinter, reprlib.Repr, textwrap.TextWrapper,
            string.Template, csv.Sniffer, csv.DictReader, csv.DictWriter, weakref.WeakValueDictionary):
    for other in (collections.UserDict, enum.Enum, textwrap.TextWrapper, reprlib.Repr):
        for args in ((), (1,), ('a', 'b'), ([], 2)):
            try:
                cls.__init__(other, *args)
            except Exception:
                pass
            try:
                cls.__enter__(other)
            except Exception:
                pass
            try:
                cls.__set_name__(other, collections.UserDict, 'hostile_mark')
            except Exception:
                pass
""",
    "writes through typing aliases": """
import typing, collections.abc, re, contextlib
for alias in (typing.List, typing.Dict, typing.OrderedDict, typing.Counter, typing.ChainMap, typing.Pattern, typing.Iterable,
              typing.ContextManager, typing.DefaultDict, typing.Deque, typing.Type, typing.Callable, typing.Mapping):
    for name in ('hostile_mark', '__hash__', '__iter__', 'get', 'update'):
        try:
            setattr(alias, name, 1)
        except Exception:
            pass
        try:
            alias.__setattr__(name, 1)
        except Exception:
            pass
        try:
            type(alias).__setattr__(alias, name, 1)
        except Exception:
            pass
    alias.hostile_mark = 1
typing.ChainMap.hostile_mark = 1
typing.ChainMap[int, int].hostile_mark = 1
typing.Mapping.register(int)
typing.Mapping[int, int].register(int)
""",
    "writes to members of enumerations": """
import re, enum, inspect, uuid
for member in (re.IGNORECASE, re.NOFLAG, enum.STRICT, inspect.Parameter.POSITIONAL_ONLY, enum.FlagBoundary.STRICT):
    for name in ('hostile_mark', '_value_', '_name_'):
        try:
            setattr(member, name, 99)
        except Exception:
            pass
        try:
            member.__dict__[name] = 99
        except Exception:
            pass
        try:
            vars(member)[name] = 99
        except Exception:
            pass
        try:
            object.__setattr__(member, name, 99)
        except Exception:
            pass
re.RegexFlag._member_map_['hostile_mark'] = 1
re.RegexFlag.__members__['x'] = 1
""",
    "caches of abstract classes": """
import collections.abc, numbers, abc
class Fake:
    def __subclasshook__(cls):
        return True
    @property
    def __class__(self):
        return dict
for cls in (collections.abc.Mapping, numbers.Integral):
    for method in ('register', '_abc_registry_clear', '_abc_caches_clear', '_dump_registry'):
        try:
            getattr(cls, method)(int)
        except Exception:
            pass
        try:
            getattr(abc.ABCMeta, method)(cls, int)
        except Exception:
            pass
        try:
            getattr(type(cls), method)(cls, str)
        except Exception:
            pass
abc.ABCMeta.register(collections.abc.Mapping, int)
vars(abc.ABCMeta)['register'](numbers.Integral, str)
super(abc.ABCMeta, abc.ABCMeta).__setattr__('hostile_mark', 1)
collections.abc.Mapping.__abstractmethods__ = frozenset()
""",
    "writes to what sys shows": """
import sys
sys.implementation.name = 'hostile_mark'
sys.implementation.hostile_mark = 1
vars(sys.implementation)['hostile_mark'] = 1
sys.implementation.__dict__['cache_tag'] = 'hostile'
type(sys.implementation).__init__(sys.implementation, hostile_mark=1)
sys.implementation.__init__(hostile_mark=2)
sys.flags.hostile = 1
""",
    "the loader's state": """
loot(vars(globals()))
loot(globals().__dict__)
loot(globals().state)
loot(getattr(globals(), 'state', None))
g = globals()
for name in dir(g):
    if not name.startswith('__'):
        loot(getattr(g, name))
loot(object.__getattribute__(g, 'state'))
import copy
loot(copy.copy(g))
""",
    "the loader's state by its class": """
import sys
def f():
    pass
g = f.__globals__
loot(g.state.loader)
g.state.loader.folders.append('/')
loot(sys.modules[__name__].__dict__.state)
loot(type(g).__getitem__.__globals__)
""",
    "subclasses": """
class Meta(type):
    pass
for cls in (object, type, Meta, int, dict):
    for way in (lambda: cls.__subclasses__(), lambda: type.__subclasses__(cls), lambda: type.__dict__['__subclasses__'](cls),
                lambda: type.__getattribute__(cls, '__subclasses__')(), lambda: super(Meta, Meta).__subclasses__(cls)):
        try:
            found = way()
            loot(found)
            for one in found:
                loot(one.__init__.__globals__)
        except Exception:
            pass
""",
    "frames of generators": """
def g():
    yield 1
i = g()
for name in ('gi_frame', 'gi_code', 'gi_yieldfrom', 'gi_running'):
    loot(getattr(i, name, None))
    loot(object.__getattribute__(i, name))
    loot(type(i).__dict__[name].__get__(i))
loot(i.gi_frame.f_back.f_globals)
c = (x for x in [1])
loot(c.gi_frame)
loot(type(c).gi_frame.__get__(c))
""",
    "frames of tracebacks": """
try:
    1 / 0
except Exception as e:
    error = e
loot(error.__traceback__)
loot(BaseException.__traceback__.__get__(error))
loot(error.with_traceback(None).__traceback__)
import sys
loot(sys.exc_info())
loot(BaseException.__getstate__)
loot(error.__reduce__())
loot(error.__context__)
def f():
    raise ValueError
try:
    list(map(f, [1]))
except TypeError as e:
    loot(e.__traceback__.tb_frame)
    loot(object.__getattribute__(e, '__traceback__'))
""",
    "what exceptions carry": """
import textwrap, copy, json, string
for act in (lambda: textwrap.nothing, lambda: json.loads('{'), lambda: copy.copy(copy.nothing), lambda: (1).nothing,
            lambda: string.Formatter().format('{0.nothing}', textwrap), lambda: next(iter([])), lambda: {}['x'],
            lambda: ''.nothing, lambda: sorted([1, 'a']), lambda: int('x'), lambda: textwrap.dedent(1)):
    try:
        act()
    except Exception as e:
        for name in ('obj', 'name', 'args', '__context__', '__cause__', '__traceback__', 'value', 'object', 'msg', 'filename'):
            loot(getattr(e, name, None))
        while e is not None:
            loot(getattr(e, 'obj', None))
            e = e.__context__
""",
    "callbacks of weak references": """
import weakref, textwrap
class C:
    def __call__(self, *args):
        for a in args:
            loot(a)
c = C()
r = weakref.ref(c, C())
weakref.WeakMethod
w = weakref.WeakValueDictionary()
loot(w.data)
loot(w._remove)
loot(w._remove.__globals__)
loot(w._remove.__defaults__)
loot(w._remove.__closure__)
s = weakref.WeakSet()
loot(s._remove.__globals__)
loot(s._remove.__closure__)
weakref.finalize(c, print)
p = weakref.proxy(textwrap.dedent)
loot(p.__globals__)
loot(getattr(p, '__globals__'))
loot(weakref.ref(textwrap)())
""",
    "a proxy of a host object": _WALK
    + """
import weakref, textwrap, collections
p = weakref.proxy(textwrap.dedent)
run(p.__globals__)
p.hostile_mark = 1
q = weakref.proxy(collections.UserDict)
q.hostile_mark = 1
setattr(q, 'hostile_mark', 1)
loot(q.__subclasses__())
loot(weakref.getweakrefs(textwrap.dedent))
""",
    "another class": """
import textwrap, collections
class C:
    pass
c = C()
for cls in (dict, type(textwrap.dedent), collections.UserDict, type(c), object):
    try:
        c.__class__ = cls
    except Exception:
        pass
C.__bases__ = (collections.UserDict,)
collections.UserDict.__bases__ = (C,)
class F(collections.UserDict):
    pass
u = collections.UserDict()
u.__class__ = F
object.__setattr__(u, '__class__', F)
textwrap.TextWrapper.__class__ = type
""",
    "warnings": """
import warnings, textwrap
class W(UserWarning):
    def __init__(self, *args):
        for a in args:
            loot(a)
warnings.warn('x', W)
warnings.filters.append(1)
warnings.showwarning = print
loot(warnings.catch_warnings().__enter__)
loot(warnings._showwarnmsg)
loot(warnings.sys)
""",
    "codecs": """
import codecs
codecs.register(lambda name: loot(name))
'x'.encode('hostile_mark')
b'x'.decode('hostile_mark')
codecs.register_error('hostile_mark', lambda error: ('', error.end))
str(b'x', 'hostile_mark')
bytes('x', 'hostile_mark')
'x'.encode('utf-8', 'hostile_mark')
loot(codecs.lookup('utf-8'))
'x'.encode('os')
'x'.encode('..os')
'x'.encode('hostile_mark.x')
""",
    "sys.modules": """
import sys
for name in ('os', 'builtins', 'posix', 'cutaway', 'subprocess', '__main__', 'importlib._bootstrap'):
    try:
        module = sys.modules[name]
        loot(module)
        loot(module.__dict__)
        loot(module.system)
        module.system('touch HERE/new')
    except Exception:
        pass
    loot(sys.modules.get(name))
for value in sys.modules.values():
    loot(value)
loot(vars(sys.modules))
""",
    "logging": """
import logging
logging.FileHandler('HERE/new').emit(1)
logging.basicConfig(filename='HERE/new')
logging.getLogger('x').warning('%s', 1)
loot(logging.getLogger().manager)
loot(logging.root.handlers)
logging.config.fileConfig('HERE/keep')
loot(logging.Logger.info.__globals__)
loot(logging.getLogger('x').info.__globals__)
""",
    "json with hooks": """
import json, textwrap
loot(json.loads.__globals__)
class E(json.JSONEncoder):
    def default(self, value):
        return vars(value)
loot(json.dumps(textwrap, cls=E))
loot(E().iterencode.__func__.__globals__)
class D:
    def __init__(self, **kwargs):
        loot(kwargs)
    def decode(self, text):
        return 1
loot(json.loads('{}', cls=D))
loot(json.JSONEncoder.__init__.__globals__)
class Fake:
    def __getattr__(self, name):
        loot(name)
json.JSONEncoder.__init__(json.JSONEncoder, skipkeys='hostile_mark')
""",
    "properties of host objects": """
import textwrap, enum, types
getter = property(lambda self: loot(self))
loot(getter.fget.__globals__)
loot(enum.property(getattr).__get__)
loot(types.DynamicClassAttribute(textwrap.dedent).fget.__globals__)
class C:
    x = enum.property(lambda self: 1)
d = types.DynamicClassAttribute(getattr)
loot(d.__get__(textwrap.dedent, 1))
p = property(type.__subclasses__)
loot(p.__get__(object))
q = property(type.__dict__.get('__subclasses__'))
""",
    "bound methods": """
import types, textwrap
m = types.MethodType(getattr, textwrap.dedent)
loot(m('__globals__'))
m2 = types.MethodType(type.__call__, type)
loot(m2('x', (), {'__del__': lambda self: loot(self)}))
loot(types.MethodType(textwrap.dedent, 1).__globals__)
loot(types.MethodType(textwrap.dedent, 1).__func__.__globals__)
m3 = types.MethodType(object.__getattribute__, textwrap.dedent)
loot(m3('__globals__'))
loot(len.__self__)
loot(print.__self__)
loot([].append.__self__)
loot(dict.fromkeys.__self__)
""",
    "built-in functions by their home": """
import math, itertools, operator, functools, re, struct, zlib, binascii
for f in (math.sqrt, functools.reduce, re.compile('x').match, struct.pack, zlib.crc32, binascii.hexlify, itertools.tee,
          operator.add, functools.partial, struct.calcsize, zlib.adler32, functools.cmp_to_key):
    loot(getattr(f, '__self__', None))
    loot(getattr(f, '__module__', None))
    loot(getattr(f, '__globals__', None))
    try:
        loot(f.__self__.__loader__)
        loot(f.__self__.__spec__)
    except Exception:
        pass
""",
    "codecs of files": """
import io
io.StringIO().__class__.__mro__
for cls in io.StringIO.__mro__ + io.BytesIO.__mro__:
    loot(cls)
    loot(getattr(cls, 'open', None))
io.open_code('HERE/keep')
io.TextIOWrapper
loot(io.BytesIO(b'x').getbuffer())
loot(io.StringIO('x').__reduce_ex__(2))
loot(io.StringIO.__getstate__)
""",
    "csv reads objects": """
import csv, textwrap
class D(csv.Dialect):
    delimiter = ','
    quotechar = '"'
csv.register_dialect('hostile_mark', D)
class W:
    def write(self, text):
        loot(text)
w = csv.writer(W())
w.writerow([textwrap.dedent])
csv.DictWriter(W(), ['x']).writerow({'x': textwrap})
loot(csv.writer.__self__)
loot(csv.DictReader.__init__.__globals__)
csv.Dialect.delimiter = 'hostile'
csv.excel.delimiter = 'hostile'
""",
    "pretty printing": """
import pprint, reprlib, textwrap
class P(pprint.PrettyPrinter):
    def format(self, value, *args):
        loot(value)
        return 'x', True, False
P().pprint([textwrap])
loot(pprint.PrettyPrinter._dispatch)
pprint.PrettyPrinter._dispatch['hostile_mark'] = 1
r = reprlib.Repr()
r.maxlist = 3
class Type:
    pass
Type.__name__ = 'globals__'
reprlib.aRepr.hostile_mark = 1
reprlib.aRepr.maxstring = 0
reprlib.repr.__self__.maxdict = 0
loot(reprlib.recursive_repr()(textwrap.dedent).__globals__)
""",
    "context variables": """
import contextvars
context = contextvars.copy_context()
for variable in context:
    loot(variable)
    value = context[variable]
    loot(value)
    loot(value.interpreter)
    variable.set(None)
for value in context.values():
    loot(value)
    loot(value.session)
for name, value in context.items():
    loot(value)
context.run(lambda: loot(1))
loot(contextvars.Context().run(getattr, object, '__subclasses__'))
""",
    "an array of a chosen address": """
import numpy as np
class L(list):
    @property
    def __array_interface__(self):
        return {'data': (id(self), False), 'shape': (64,), 'typestr': '|u1', 'version': 3}
class A:
    __array_interface__ = {'data': (140000, False), 'shape': (64,), 'typestr': '|u1', 'version': 3}
class B(list):
    def __getattr__(self, name):
        if name == '__array_interface__':
            return {'data': (140000, False), 'shape': (4,), 'typestr': '|u1', 'version': 3}
        raise AttributeError(name)
class C(tuple):
    def __getattribute__(self, name):
        if name.startswith('__array'):
            return {'data': (140000, False), 'shape': (4,), 'typestr': '|u1', 'version': 3}
        return tuple.__getattribute__(self, name)
class D(dict):
    __array_interface__ = A.__dict__.get('__array_interface__')
class Meta(type):
    def __getattribute__(cls, name):
        if name == '__array_interface__':
            return {'data': (140000, False), 'shape': (4,), 'typestr': '|u1', 'version': 3}
        return type.__getattribute__(cls, name)
class E(list, metaclass=Meta):
    pass
for make in (L, A, B, C, D, E):
    for read in (np.array, np.asarray, np.sum, np.concatenate, np.stack, lambda v: np.zeros(4) + v, lambda v: np.array([v]),
                 lambda v: np.dot(v, v), lambda v: np.zeros(4)[v], lambda v: np.zeros(3).__add__(v)):
        try:
            loot({'bytes of memory': read(make())})
        except Exception:
            pass
""",
    "arrays that are asked for": """
import numpy as np, torch
class L(list):
    def __array__(self, *args, **kwargs):
        loot(args)
        return np.zeros(3)
    def __array_function__(self, function, types, args, kwargs):
        loot(function)
        loot(function.__globals__)
        return 1
    def __array_ufunc__(self, ufunc, method, *args, **kwargs):
        loot(ufunc)
        return 1
    __array_priority__ = 100
    def __array_finalize__(self, other):
        loot(other)
    def __array_wrap__(self, *args):
        loot(args)
    def __buffer__(self, flags):
        loot(flags)
        return memoryview(b'x')
    def __dlpack__(self, **kwargs):
        return 1
for f in (np.array, np.sum, np.concatenate, np.add.reduce, torch.tensor, torch.as_tensor, torch.from_numpy, np.frombuffer,
          np.from_dlpack, np.stack, np.zeros):
    try:
        loot(f(L([1, 2])))
    except Exception:
        pass
""",
    "numpy's ways out": """
import numpy as np
for name in ('memmap', 'fromfile', 'load', 'save', 'DataSource', 'genfromtxt', 'loadtxt', 'lib', 'ctypeslib', 'f2py', 'distutils',
             'testing', 'set_printoptions', 'seterr', 'seterrcall', 'setbufsize', 'frompyfunc', 'vectorize', 'nditer', 'core', '_core'):
    loot(getattr(np, name, None))
a = np.zeros(3)
for name in ('ctypes', 'data', 'base', '__array_interface__', '__array_struct__', 'tofile', 'dump', 'setfield', 'view', 'getfield',
             '__reduce__', '__setstate__', '__array_finalize__', 'flags', 'strides', '__dlpack__', '__buffer__'):
    loot(getattr(a, name, None))
a.strides = (1 << 40,)
a.flags.writeable = True
a.dtype = object
np.ndarray((3,), buffer=b'abc', strides=(1 << 30,))
np.lib.stride_tricks.as_strided(a, (1 << 20,), (8,))
loot({'read from memory': np.lib.stride_tricks.as_strided(a, (64,), (8,))})
np.seterr(all='raise')
np.set_printoptions(precision=1)
""",
    "numpy with objects": """
import numpy as np, textwrap
loot(np.array([textwrap.dedent], dtype=object))
class K:
    dtype = object
loot(np.dtype(K))
loot(np.array([1], dtype=K))
class T(type):
    @property
    def dtype(cls):
        loot(cls)
        return np.dtype('f8')
class D(metaclass=T):
    pass
np.zeros(3, dtype=D)
np.vectorize(getattr)
np.frompyfunc(getattr, 2, 1)(object, '__subclasses__')
np.apply_along_axis(lambda a: loot(a), 0, np.zeros((2, 2)))
np.array('x').astype(object)
np.fromiter((textwrap for _ in range(3)), dtype=object)
np.char.add
np.rec.fromrecords
""",
}

FILES: dict[str, str] = {
    "a link out of the project": "text = open('HERE/link').read()\nloot(text)",
    "a link by pathlib": "from pathlib import Path\ntext = Path('HERE/link').read_text()\nloot(text)",
    "a link by its resource": """
import pkgutil, importlib.resources
text = importlib.resources.files(__name__).joinpath('link').read_text()
loot(text)
""",
    "a linked folder": "text = open('HERE/folder/passwd').read()\nloot(text)",
    "a module that is linked": "import linked\nloot(linked.secret)",
    "a hidden file": "text = open('HERE/.secret').read()\nloot(text)",
    "a file in a hidden folder": "text = open('HERE/.git/config').read()\nloot(text)",
    "a module's name that is a path": """
import importlib
for name in ('/etc/passwd', '../../../../etc/passwd', 'HERE/.secret', '..', './link', 'a/../link', 'link\\0', '.'):
    for load in (importlib.import_module, __import__):
        try:
            module = load(name)
            loot(module.__file__)
        except Exception:
            pass
""",
    "a path set by the target": """
import sys
__path__ = ['/etc', '/']
try:
    from . import passwd
    loot(passwd)
except Exception:
    pass
""",
    "a package's path set by the target": """
import importlib, sys
this = sys.modules[__name__]
this.__path__ = ['OUTSIDE']
this.__package__ = __name__
this.__file__ = 'OUTSIDE/secret.py'
globals()['__path__'] = ['OUTSIDE']
for load in (lambda: importlib.import_module(__name__ + '.secret'), lambda: __import__(__name__ + '.secret')):
    try:
        load()
        loot(load().secret)
    except Exception:
        pass
""",
    "files next to a forged module": """
import pkgutil, sys, types, importlib.resources, inspect
m = types.ModuleType('m')
m.__file__ = '/etc/x.py'
sys.modules['m'] = m
for read in (lambda: pkgutil.get_data('m', 'passwd'), lambda: importlib.resources.read_text(m, 'passwd'),
             lambda: (importlib.resources.files(m) / 'passwd').read_text(), lambda: inspect.getsource(m)):
    try:
        text = read()
        loot(text)
    except Exception:
        pass
""",
    "files outside by every reader": """
import os, glob, pathlib, io, json, yaml, numpy as np, configparser, tomllib, csv
for read in (lambda: open('/etc/passwd').read(), lambda: pathlib.Path('/etc/passwd').read_text(), lambda: io.open('/etc/passwd').read(),
             lambda: glob.glob('/etc/*'), lambda: os.listdir('/etc'), lambda: list(os.walk('/etc')), lambda: list(pathlib.Path('/etc').iterdir()),
             lambda: yaml.safe_load(open('/etc/passwd')), lambda: np.loadtxt('/etc/passwd', dtype=str), lambda: os.path.getsize('/etc/passwd'),
             lambda: open('HERE/../../../../../../etc/passwd').read(), lambda: pathlib.Path('/etc').glob('*'), lambda: os.path.exists('/etc/shadow'),
             lambda: os.path.realpath('HERE/link'), lambda: os.readlink('HERE/link'), lambda: pathlib.Path('HERE/link').resolve()):
    try:
        loot(read())
    except Exception:
        pass
""",
}
