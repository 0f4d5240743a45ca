"""Targets that answer the host's protocols: hooks of classes, numbers, copies, containers and libraries that call back.

Each grabs what it is handed, follows every name that leads out of its world, and runs a command with what it finds.
"""

from __future__ import annotations

_GRAB = """
NAMES = ('__globals__', '__builtins__', '__code__', '__closure__', '__self__', '__func__', '__wrapped__', 'f_globals', 'f_back',
         'f_builtins', 'f_locals', 'gi_frame', 'cr_frame', 'ag_frame', 'tb_frame', 'tb_next', '__traceback__', '__context__',
         '__subclasses__', '__mro__', '__base__', '__bases__', '__dict__', '__loader__', '__spec__', '__init__', '__class__',
         '__module__', 'func', 'args', 'keywords', 'gi_code', '__reduce_ex__', '__get__', '__call__', '_modules', 'system')
def act(value):
    try:
        value['__import__']('os').system('touch HERE/new')
    except BaseException:
        pass
    try:
        value['os'].system('touch HERE/new')
    except BaseException:
        pass
    try:
        value('touch HERE/new')
    except BaseException:
        pass
BUSY = []
def grab(*values, depth=1, **more):
    if len(BUSY) > 2:
        return None
    BUSY.append(1)
    for value in (*values, *more.values()):
        loot(value)
        act(value)
        for name in NAMES if depth else ():
            try:
                loot(getattr(value, name))
            except BaseException:
                pass
    BUSY.pop()
    return None
class Grabber:
    def __init__(self, *args, **kwargs):
        grab(*args, **kwargs)
    def __call__(self, *args, **kwargs):
        return grab(*args, **kwargs)
    def __getattr__(self, name):
        if name[:2] == '__':
            raise AttributeError(name)
        return grab
def each(*steps):
    for step in steps:
        try:
            grab(step())
        except Exception as error:
            grab(error)
"""

_ROADS: dict[str, str] = {
    # Classes that are made.
    "a namespace that is prepared": """
class Space(dict):
    def __setitem__(self, key, value):
        grab(key, value)
        dict.__setitem__(self, key, value)
    def __missing__(self, key):
        grab(key)
        raise KeyError(key)
class Meta(type):
    @classmethod
    def __prepare__(mcls, name, bases, **kwargs):
        grab(mcls, name, bases, **kwargs)
        return Space()
    def __new__(mcls, *args, **kwargs):
        grab(*args)
        return super().__new__(mcls, *args)
class A(metaclass=Meta, x=1):
    y = 2
each(lambda: Meta('B', (), Space()), lambda: type(A)('C', (A,), {}), lambda: A.__class__.__prepare__('D', ()))
""",
    "bases that are replaced": """
class Entry:
    def __init__(self, *bases):
        self.bases = bases
    def __mro_entries__(self, bases):
        grab(bases)
        return self.bases
import argparse, string, enum, abc, typing, functools, collections
for base in (string.Formatter, argparse._AttributeHolder, type, abc.ABCMeta, enum.EnumMeta, functools.partial, typing.Generic):
    try:
        class A(Entry(base)):
            pass
        grab(A, A.__orig_bases__)
        for one in A.__mro__:
            grab(one)
    except Exception as error:
        grab(error)
""",
    "names that are set in classes": """
class Field:
    def __set_name__(self, owner, name):
        grab(owner, name)
        owner.other = Field()
        type.__setattr__(owner, '__getattr__', grab)
class A:
    a, b = Field(), Field()
each(lambda: type('B', (A,), {'c': Field()}), lambda: Field().__set_name__(dict, 'x'), lambda: Field().__set_name__(nn.Linear, 'forward'))
""",
    "subclasses that are initialised": """
class A:
    def __init_subclass__(cls, **kwargs):
        grab(cls, **kwargs)
        super().__init_subclass__()
class B(A, x=lambda: 1):
    pass
each(lambda: object.__init_subclass__.__self__, lambda: nn.Module.__init_subclass__(), lambda: type('C', (A,), {}, y=grab),
     lambda: A.__init_subclass__.__func__(dict))
""",
    "items of classes": """
class A:
    def __class_getitem__(cls, item):
        grab(cls, item)
        return cls
A[int], A['x'], A[A]
import types, typing, collections
alias = types.GenericAlias(Grabber, (grab,))
each(lambda: alias(1), lambda: alias.__origin__, lambda: alias.__mro_entries__(()), lambda: alias[int], lambda: alias.__reduce__(),
     lambda: types.GenericAlias(dict, (int,)).__origin__.__subclasses__(), lambda: typing.Generic.__class_getitem__.__func__,
     lambda: typing.List[Grabber](), lambda: collections.deque[int].__origin__, lambda: types.GenericAlias(len, 1)([]),
     lambda: types.GenericAlias(type, ())('X', (), {}), lambda: types.GenericAlias(types.GenericAlias, ()) .__class__)
""",
    "type with three arguments": """
import textwrap
each(lambda: type('A', (), {'__call__': grab, '__get__': grab, '__getattribute__': lambda s, n: grab(s, n)})().x,
     lambda: type('A', (type,), {'mro': lambda cls: [cls, type, object]})('B', (), {}).mro(),
     lambda: type('A', (type(textwrap),), {})('m').__dict__, lambda: type(grab)(grab.__code__, {}), lambda: type(grab)((lambda: 1).__code__, {}),
     lambda: type((lambda: 1).__code__)(), lambda: type(type)('A', (), {'__slots__': ('__dict__', '__weakref__')})().__dict__,
     lambda: type(iter([]))(), lambda: type(grab.__get__)(grab), lambda: type(nn)('x'), lambda: type(len)(), lambda: type(type.__dict__)({}))
""",
    "an order of classes that lies": """
class Meta(type):
    def mro(cls):
        grab(cls)
        return (cls, nn.Module, dict, object)
for bases in ((), (dict,), (nn.Module,)):
    try:
        A = Meta('A', bases, {})
        grab(A(), A.__mro__, super(A, A()), A().__init__)
    except BaseException as error:
        grab(error)
""",
    "a class that is replaced": """
class A:
    pass
a = A()
for target in (dict, nn.Module, type(grab), type(nn), type, Exception, property, type(len)):
    for way in (lambda: setattr(a, '__class__', target), lambda: object.__setattr__(a, '__class__', target),
                lambda: setattr(nn.Linear(1, 1), '__class__', A), lambda: setattr(A, '__class__', target),
                lambda: setattr(A, '__bases__', (target,)), lambda: setattr(nn, '__class__', A)):
        each(way, lambda: a.__dict__, lambda: type(a), lambda: a.__globals__)
""",
    "super that is turned": """
class A(nn.Module):
    def reach(self):
        each(lambda: super().__init__.__globals__, lambda: super().__self__, lambda: super().__thisclass__, lambda: super(nn.Module, self).__reduce_ex__(2),
             lambda: super(type, type).__subclasses__(), lambda: super(A, A).__init_subclass__, lambda: super().__getattribute__('__class__'),
             lambda: super(object, self), lambda: super().__get__(1), lambda: super.__init__(super(), nn.Module, self), lambda: super().forward,
             lambda: super(A, type(self)).__subclasses__(), lambda: super().__setattr__('__class__', dict), lambda: super().__dir__())
A().reach()
each(lambda: super(type, A).__subclasses__, lambda: super(A).__get__(A()).__init__.__func__, lambda: super(type, nn.Linear).__call__(1, 1))
""",
    # Descriptors and attributes.
    "descriptors that are asked": """
class D:
    def __get__(self, instance, owner):
        grab(instance, owner)
        return grab
    def __set__(self, instance, value):
        grab(instance, value)
    def __delete__(self, instance):
        grab(instance)
class A(nn.Module):
    forward = training = _modules = __call__ = __dict__ = __class__ = D()
    state_dict = parameters = children = named_modules = D()
net = A()
each(lambda: net.forward, lambda: net._modules, lambda: net(1), lambda: list(net.children()), lambda: setattr(net, 'training', 1))
net2 = A()
""",
    "properties of the host on others": """
import types, functools, inspect
def f():
    yield 1
g = f()
for owner in (types.FunctionType, types.GeneratorType, types.CoroutineType, types.MethodType, types.TracebackType, type, property,
              functools.partial, types.BuiltinFunctionType, types.ModuleType, BaseException, types.CodeType, types.FrameType, super):
    for name in NAMES:
        for value in (f, g, grab, nn, f.__get__(1), Exception('x'), functools.partial(f), property(f), type, super):
            try:
                grab(vars(owner)[name].__get__(value), depth=1)
            except Exception:
                pass
            try:
                grab(owner.__dict__[name].__get__(value, type(value)), depth=0)
            except Exception:
                pass
each(lambda: inspect.getattr_static(f, '__globals__'), lambda: inspect.getattr_static(types.FunctionType, '__globals__').__get__(f),
     lambda: object.__getattribute__(f, '__globals__'), lambda: type.__getattribute__(types.FunctionType, '__dict__'))
""",
    "slots of others": """
class A:
    __slots__ = ('a', '__dict__')
class B:
    __slots__ = ('b',)
each(lambda: A.a.__get__(B()), lambda: A.a.__set__(B(), 1), lambda: A.a.__get__(grab), lambda: A.a.__objclass__, lambda: A.__dict__['__dict__'].__get__(nn),
     lambda: A.__dict__['__dict__'].__get__(grab), lambda: vars(A)['__dict__'].__set__(A(), vars(nn)), lambda: vars(type)['__dict__'].__get__(dict)['get'])
""",
    # Functions.
    "generators' frames": """
def g():
    grab((yield 1))
x = g()
next(x)
async def c():
    pass
async def ag():
    yield 1
k, y = c(), ag()
each(lambda: x.gi_frame.f_back.f_globals, lambda: getattr(x, 'gi_' + 'frame'), lambda: x.gi_code, lambda: x.gi_yieldfrom, lambda: x.send(grab), lambda: k.cr_frame,
     lambda: y.ag_frame, lambda: k.cr_code, lambda: type(x).gi_frame.__get__(x), lambda: vars(type(x))['gi_frame'].__get__(x), lambda: k.__await__().__reduce__(),
     lambda: x.throw(ValueError), lambda: (i for i in [1]).gi_frame.f_builtins, lambda: '{0.gi_frame.f_globals}'.format(x), lambda: k.send(None), lambda: y.asend(1).send(None))
""",
    "frames of errors": """
import sys, traceback, types
def f():
    raise ValueError
try:
    f()
except ValueError as error:
    e = error
each(lambda: e.__traceback__.tb_frame.f_globals, lambda: e.with_traceback(None).__traceback__, lambda: sys.exc_info()[2], lambda: traceback.extract_tb(e.__traceback__)[0].locals,
     lambda: traceback.TracebackException.from_exception(e, capture_locals=True).stack[0].locals, lambda: list(traceback.walk_tb(e.__traceback__)), lambda: sys._getframe(),
     lambda: list(traceback.walk_stack(None))[0], lambda: e.__reduce__(), lambda: e.__setstate__({'__traceback__': 1}), lambda: sys.exception().__traceback__,
     lambda: vars(BaseException)['__traceback__'].__get__(e), lambda: types.TracebackType(None, None, 0, 0), lambda: e.add_note(grab), lambda: e.__notes__)
class E(Exception):
    def __init__(self, *args):
        grab(*args)
    def __setattr__(self, name, value):
        grab(name, value)
    __traceback__ = property(grab, grab)
    def with_traceback(self, tb):
        grab(tb)
        return self
try:
    raise E(1) from E(2)
except E as error:
    grab(error, error.__cause__, error.__context__)
""",
    "contexts that leave": """
import contextlib
class C:
    def __enter__(self):
        return self
    def __exit__(self, *args):
        grab(*args)
        return True
with C():
    1 / 0
with C():
    [][3]
with contextlib.ExitStack() as stack:
    stack.push(lambda *args: grab(*args) or True)
    stack.callback(grab, stack)
    stack.enter_context(C())
    torch.zeros(2) @ torch.zeros(3)
each(lambda: stack.pop_all().__dict__, lambda: contextlib.ContextDecorator._recreate_cm(C()), lambda: contextlib.contextmanager(lambda: iter([grab]))().gen,
     lambda: contextlib.contextmanager(lambda: (yield 1))().func.__globals__, lambda: contextlib.AbstractContextManager.__subclasshook__(C))
""",
    "decorators and wrappers": """
import functools
class W:
    __wrapped__ = property(grab)
    __name__ = __qualname__ = __doc__ = __module__ = property(lambda self: grab)
    __dict__ = property(lambda self: {'__globals__': 1, '__code__': 2})
    def __call__(self, *args, **kwargs):
        return grab(*args, **kwargs)
each(lambda: functools.wraps(W())(lambda: 1), lambda: functools.update_wrapper(grab, W(), ('__code__', '__globals__', '__defaults__'), ('__dict__',)),
     lambda: functools.update_wrapper(nn.Linear, W()), lambda: functools.wraps(len)(grab), lambda: functools.lru_cache(W())(1), lambda: functools.cache(grab)(1).cache_info,
     lambda: functools.singledispatch(W())(1), lambda: functools.singledispatchmethod(W()).__get__(1), lambda: functools.partialmethod(W(), 1).__get__(1),
     lambda: functools.cached_property(W()).__get__(W(), W), lambda: functools.total_ordering(W), lambda: functools.reduce(W(), [nn, len, grab]),
     lambda: functools.partial(W(), nn).__reduce__(), lambda: functools.partial.__setstate__(functools.partial(grab), (exec, ('1',), {}, {})),
     lambda: functools.cmp_to_key(W())(1) < functools.cmp_to_key(W())(2), lambda: functools.partial(getattr, grab)('__globals__'), lambda: functools.WRAPPER_ASSIGNMENTS)
""",
    "operators by name": """
import operator
each(lambda: operator.attrgetter('__globals__')(grab), lambda: operator.attrgetter('__class__.__base__.__subclasses__')(1)(), lambda: operator.methodcaller('__subclasses__')(object),
     lambda: operator.methodcaller('__getattribute__', '__globals__')(grab), lambda: operator.itemgetter('__builtins__')(globals()), lambda: operator.call(type.__subclasses__, object),
     lambda: operator.attrgetter('__init__.__globals__')(nn.Module), lambda: operator.attrgetter('a', '__globals__')(grab), lambda: operator.setitem(vars(nn), 'Linear', 1),
     lambda: operator.iadd(nn.__all__, [1]), lambda: operator.ior(vars(torch), {}), lambda: operator.delitem(vars(nn), 'Linear'), lambda: operator.methodcaller('__reduce_ex__', 2)(grab),
     lambda: map(operator.attrgetter('__globals__'), [grab]).__next__(), lambda: sorted([grab], key=operator.attrgetter('__globals__')), lambda: operator.index.__self__, lambda: operator.__dict__)
""",
    # Formatting and text.
    "formats that are asked": """
import string
class F:
    def __format__(self, spec):
        grab(spec)
        return 'x'
    def __str__(self):
        return grab and 'x'
    def __getitem__(self, key):
        return grab
class S(str):
    def format(self, *args):
        return grab(*args)
    def __mod__(self, other):
        return grab(other)
class T(string.Template):
    pattern = '(?P<named>[a-z.]+)|(?P<escaped>$)|(?P<braced>$)|(?P<invalid>$)'
    def substitute(self, *args, **kwargs):
        return super().substitute(*args, **kwargs)
class M(string.Formatter):
    def get_value(self, key, args, kwargs):
        return grab
    def get_field(self, name, args, kwargs):
        grab(name, args, kwargs)
        return super().get_field(name, args, kwargs)
    def convert_field(self, value, conversion):
        return grab
each(lambda: f'{F():{F()}}', lambda: '{0.__class__.__init__.__globals__}'.format(F()), lambda: '{0[__globals__]}'.format(F()), lambda: '{a.__globals__}'.format(a=grab),
     lambda: '{a.__globals__[loot]}'.format_map({'a': grab}), lambda: S('%s') % grab, lambda: M().format('{0.__globals__}', grab), lambda: M().vformat('{0.__globals__}', [grab], {}),
     lambda: string.Formatter().get_field('0.__globals__', [grab], {}), lambda: T('a.b').substitute(grab), lambda: M().parse('{a!r:{b}}'), lambda: string.Formatter.format.__globals__,
     lambda: '%(a)s' % F(), lambda: '{:{}}'.format(F(), F()), lambda: str.format('{0.__self__}', len), lambda: format(F(), F()), lambda: '{0.__init__.__globals__}'.format(nn.Module))
""",
    "patterns that call back": """
import re
class P(str):
    pass
each(lambda: re.sub('.', grab, 'abc'), lambda: re.sub('.', Grabber(), 'abc'), lambda: re.compile('.').sub(lambda m: grab(m, m.re, m.string) or '', 'abc'), lambda: re.Scanner([('.', grab)]).scan('abc'),
     lambda: re.match('.', P('a')).string, lambda: re.match('(.)', 'a').expand(Grabber()), lambda: re.compile(Grabber()), lambda: re.template('.'), lambda: re._cache, lambda: re.sre_compile,
     lambda: re.match('.', 'a').__copy__(), lambda: re.compile('.').__deepcopy__({}), lambda: re.compile('.').scanner('abc').match(), lambda: re.enum, lambda: re.functools.__globals__)
""",
    "codecs": """
import codecs
def search(name):
    grab(name)
    return codecs.CodecInfo(grab, grab, grab, grab, name='hostile_mark')
each(lambda: codecs.register(search), lambda: 'x'.encode('hostile_mark'), lambda: codecs.lookup('hostile_mark'), lambda: codecs.register_error('hostile_mark', grab),
     lambda: '\\udc80'.encode('ascii', 'hostile_mark'), lambda: codecs.open('HERE/new', 'w'), lambda: codecs.lookup('utf-8').encode, lambda: codecs.getreader('utf-8')(Grabber()).read(),
     lambda: codecs.encode(b'x', 'zlib'), lambda: codecs.decode(b'x', 'unicode_escape'), lambda: b'x'.decode('idna'), lambda: codecs.iterencode([grab], 'utf-8'), lambda: codecs.builtins,
     lambda: codecs.StreamReaderWriter(Grabber(), grab, grab).read(), lambda: codecs.EncodedFile(Grabber(), 'utf-8').read(), lambda: codecs.lookup_error('strict'), lambda: codecs.sys)
""",
    # Data.
    "copies": """
import copy, copyreg
class C:
    def __reduce_ex__(self, version):
        return grab, (version,), {'a': 1}, iter([1]), iter([(1, 2)]), grab
    def __copy__(self):
        return grab
class D:
    def __deepcopy__(self, memo):
        grab(memo)
        return memo
    def __getnewargs_ex__(self):
        return (grab,), {}
    def __setstate__(self, state):
        grab(state)
    def __getstate__(self):
        return {'__class__': nn.Module, '__dict__': {}}
class R:
    def __reduce__(self):
        return getattr, (grab, '__globals__')
class X:
    def __reduce__(self):
        return exec, ("open('HERE/new', 'w')",)
class Y:
    def __reduce_ex__(self, version):
        return copyreg.__newobj__, (dict,)
each(lambda: copy.copy(C()), lambda: copy.deepcopy(C()), lambda: copy.deepcopy(D()), lambda: copy.copy(R()), lambda: copy.deepcopy([R()]), lambda: copy.copy(X()), lambda: copy.deepcopy(X()), lambda: copy.copy(Y()),
     lambda: copy._reconstruct(1, {}, grab, ()), lambda: copyreg.pickle(C, grab), lambda: copyreg.dispatch_table, lambda: copyreg.constructor(grab), lambda: copy._deepcopy_dispatch, lambda: copy.replace(C(), a=1),
     lambda: copyreg._reconstructor(dict, object, None), lambda: copyreg.__newobj_ex__(dict, (), {}), lambda: copyreg._slotnames(C), lambda: copyreg.add_extension('a', 'b', 1), lambda: copy.Error.__init__.__globals__)
""",
    "pickles": """
import pickle, io, shelve, marshal
evil = b"cos\\nsystem\\n(S'touch HERE/new'\\ntR."
class U(pickle.Unpickler):
    def find_class(self, module, name):
        grab(module, name)
        return super().find_class(module, name)
    def persistent_load(self, pid):
        return grab(pid)
class P:
    def __reduce__(self):
        return exec, ('1',)
each(lambda: pickle.loads(evil), lambda: pickle.load(io.BytesIO(evil)), lambda: U(io.BytesIO(evil)).load(), lambda: pickle._loads(evil), lambda: pickle.dumps(P()), lambda: pickle.Pickler(io.BytesIO()).dump(P()),
     lambda: marshal.loads(marshal.dumps(1)), lambda: torch.load(io.BytesIO(evil), weights_only=False), lambda: torch.load('HERE/keep', pickle_module=pickle), lambda: shelve.open('HERE/new'), lambda: pickle.whichmodule(grab, 'x'),
     lambda: pickle._Unpickler(io.BytesIO(evil)).load(), lambda: pickle.Unpickler.find_class(U(io.BytesIO(b'')), 'os', 'system'), lambda: torch.save(P(), 'HERE/new'), lambda: pickle.decode_long.__globals__)
""",
    "JSON that calls back": """
import json
class D(dict):
    def __init__(self, *args):
        grab(*args)
        super().__init__(*args)
class E(json.JSONEncoder):
    def default(self, o):
        grab(o, self)
        return 1
    def iterencode(self, o, _one_shot=False):
        grab(o)
        return super().iterencode(o, _one_shot)
class L(json.JSONDecoder):
    def decode(self, s):
        grab(s, self.scan_once, self.parse_object, self.memo)
        return super().decode(s)
text = '{"a": [1, 2.5, NaN, {"b": null}]}'
each(lambda: json.loads(text, object_hook=grab), lambda: json.loads(text, object_pairs_hook=D), lambda: json.loads(text, parse_int=grab, parse_float=grab, parse_constant=grab), lambda: json.loads(text, cls=L),
     lambda: json.dumps({1: grab}, default=grab), lambda: json.dumps(object(), cls=E), lambda: json.load(Grabber()), lambda: json.dump({}, Grabber()), lambda: json.JSONDecoder(object_hook=grab).decode(text),
     lambda: json.encoder.c_make_encoder(None, grab, grab, None, ':', ',', False, False, True)({}, 0), lambda: json.decoder.scanstring('"a"', 1), lambda: json.scanner.py_make_scanner(Grabber()), lambda: json.codecs,
     lambda: json.JSONEncoder(default=grab).default(1), lambda: json.loads(Grabber()), lambda: json.dumps({Grabber(): 1}), lambda: json.decoder.JSONDecodeError('a', 'b', 0).__reduce__())
""",
    "YAML that calls back": """
import yaml
text = "a: !!python/object/apply:os.system ['touch HERE/new']\\nb: !x {c: 1}\\n"
class L(yaml.SafeLoader):
    pass
class Y(yaml.YAMLObject):
    yaml_tag, yaml_loader = '!x', L
    @classmethod
    def from_yaml(cls, loader, node):
        grab(loader, node)
        return loader.construct_mapping(node)
def construct(loader, *args):
    grab(loader, *args)
    return 1
each(lambda: yaml.add_constructor('!x', construct, L), lambda: L.add_constructor('!x', construct), lambda: L.add_multi_constructor('', construct), lambda: yaml.load(text, L), lambda: yaml.load(text, yaml.UnsafeLoader),
     lambda: yaml.load(text, yaml.Loader), lambda: yaml.unsafe_load(text), lambda: yaml.full_load(text), lambda: yaml.load(text, Loader=Grabber), lambda: yaml.safe_load(Grabber()), lambda: list(yaml.load_all(text, L)),
     lambda: yaml.dump(Grabber()), lambda: yaml.dump({}, Grabber()), lambda: yaml.add_representer(Grabber, grab), lambda: yaml.add_implicit_resolver('!y', grab, None, L), lambda: yaml.SafeLoader.yaml_constructors,
     lambda: yaml.SafeLoader.add_constructor('!z', construct), lambda: yaml.constructor.Constructor, lambda: L('x').__dict__, lambda: list(yaml.scan(text)), lambda: yaml.compose(text), lambda: yaml.load('!x [1]', Y.yaml_loader))
""",
    "an argument parser that calls back": """
import argparse
class A(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        grab(parser, namespace, values, self.container)
        setattr(namespace, '__class__', dict)
class N(argparse.Namespace):
    def __setattr__(self, name, value):
        grab(name, value)
        super().__setattr__(name, value)
class H(argparse.HelpFormatter):
    def __init__(self, *args, **kwargs):
        grab(*args, **kwargs)
        super().__init__(*args, **kwargs)
p = argparse.ArgumentParser(formatter_class=H, fromfile_prefix_chars='@', conflict_handler='resolve')
each(lambda: p.add_argument('--a', type=grab, action=A, nargs='?', default='x'), lambda: p.add_argument('--b', type=Grabber, default='x'), lambda: p.register('type', 'int', grab), lambda: p.register('action', 'store', A),
     lambda: p.add_argument('--c', action='store'), lambda: p.parse_args(['--a', '1', '--b', '2', '--c', '3']), lambda: p.parse_args([], N()), lambda: p.parse_known_args(['@HERE/link']), lambda: p.parse_args(['-h']),
     lambda: p.format_help(), lambda: p.print_help(Grabber()), lambda: p.add_subparsers(parser_class=Grabber).add_parser('x'), lambda: p.set_defaults(func=grab), lambda: p._registries, lambda: p._get_value(Grabber(), 'x'),
     lambda: argparse.FileType('w')('HERE/new'), lambda: p.exit(0, 'bye'), lambda: p.error('x'), lambda: p._actions[0].container, lambda: p.add_argument('--d', action='version', version=Grabber()), lambda: p.parse_args(['--d']))
""",
    "data classes with hooks": """
import dataclasses, typing
class T:
    def __get__(self, instance, owner):
        grab(instance, owner)
        return 1
    def __set__(self, instance, value):
        grab(instance, value)
@dataclasses.dataclass
class A:
    a: int = dataclasses.field(default_factory=lambda: grab)
    b: 'typing.ClassVar[__import__("os").system("touch HERE/new")]' = 1
    c: 'dataclasses.InitVar[exec("1")]' = 2
    def __post_init__(self, *args):
        grab(*args)
for name in ('__globals__', '_a) or open("HERE/new", "w") or (', 'a=open("HERE/new","w")', '__builtins__', 'BUILTINS', '__dataclass_self__', 'self'):
    each(lambda: dataclasses.make_dataclass('B', [name])(1), lambda: dataclasses.make_dataclass('B', [(name, 'int', 3)]), lambda: dataclasses.make_dataclass(name, ['a'], namespace={name: grab}))
each(lambda: dataclasses.make_dataclass('B', ['a'], bases=(dict,))(1), lambda: dataclasses.fields(A)[0].__set_name__(A, 'x'), lambda: dataclasses.replace(A(), a=grab), lambda: dataclasses.asdict(A(), dict_factory=grab),
     lambda: dataclasses.astuple(A(), tuple_factory=grab), lambda: dataclasses._create_fn('f', [], ['return open("HERE/new", "w")'])(), lambda: dataclasses.dataclass(nn.Linear), lambda: A.__init__.__globals__,
     lambda: dataclasses.field(default=grab).type, lambda: dataclasses.dataclass(type('C', (), {'__annotations__': {'a b': int}})), lambda: dataclasses.fields(A)[0].__class__, lambda: A.__match_args__, lambda: dataclasses.sys)
""",
    "enumerations with hooks": """
import enum
class A(enum.Enum):
    def _generate_next_value_(name, start, count, last):
        grab(name, start, count, last)
        return grab
    @classmethod
    def _missing_(cls, value):
        grab(cls, value)
        return cls.x
    _ignore_ = ['y']
    x = enum.auto()
class M(enum.EnumMeta):
    def __new__(mcls, name, bases, classdict, **kwargs):
        grab(mcls, bases, classdict, classdict._member_names)
        return super().__new__(mcls, name, bases, classdict, **kwargs)
    def __call__(cls, *args, **kwargs):
        grab(cls, *args)
        return super().__call__(*args, **kwargs)
each(lambda: A('nothing'), lambda: M('B', (enum.Enum,), enum._EnumDict()), lambda: enum.Enum('C', 'a b', module='os', qualname='system', type=Grabber), lambda: enum.Enum('D', {'__init__': grab}), lambda: A._member_map_,
     lambda: A.x._value_, lambda: A.x.__reduce_ex__(2), lambda: enum.Enum._convert_('E', 'os', lambda name: True), lambda: enum.IntEnum._convert_('E', '__main__', grab), lambda: enum.property(grab).__get__(None, A), lambda: enum.unique(Grabber),
     lambda: enum.global_enum(A), lambda: A.__members__, lambda: A.x.__objclass__, lambda: enum.EnumMeta.__prepare__('F', (enum.Enum,)), lambda: enum.Flag._missing_.__func__.__globals__, lambda: enum.bltns, lambda: enum._make_class_unpicklable(nn.Linear))
""",
    "named tuples with hooks": """
import collections, typing
for name in ('a, b=open("HERE/new", "w")', '__globals__', '_asdict', '_make', 'class', '_tuple_new'):
    each(lambda: collections.namedtuple('A', [name], rename=True)(1), lambda: collections.namedtuple(name, 'a'), lambda: typing.NamedTuple('B', [(name, int)]), lambda: collections.namedtuple('A', 'a', defaults=[grab], module=name))
A = collections.namedtuple('A', 'a b')
class B(A):
    def __new__(cls, *args):
        grab(cls, *args)
        return tuple.__new__(cls, args)
each(lambda: A.__new__.__globals__, lambda: A._make(Grabber()), lambda: B._make([1, 2]), lambda: A(1, 2)._replace(a=grab), lambda: A._field_defaults, lambda: A.__new__.__builtins__, lambda: vars(A)['a'].__reduce__(), lambda: A.a.__doc__)
""",
    "containers that call back": """
import collections, heapq, bisect, itertools
class K:
    def __init__(self, n):
        self.n = n
    def __hash__(self):
        grab(self)
        return 1
    def __eq__(self, other):
        grab(other)
        return False
    def __lt__(self, other):
        grab(other)
        return True
    def __iter__(self):
        return iter([grab])
    def __index__(self):
        return 1
    def __missing__(self, key):
        return grab(key)
class D(dict):
    def __missing__(self, key):
        grab(key)
        return self
each(lambda: {K(1): 1, K(2): 2}, lambda: sorted([K(1), K(2)], key=lambda k: grab(k) or 1), lambda: heapq.heappush([K(1)], K(2)), lambda: bisect.insort([K(1)], K(2), key=grab), lambda: collections.Counter([K(1)]) & collections.Counter([K(2)]),
     lambda: collections.ChainMap(D())['x'], lambda: collections.defaultdict(grab)['x'], lambda: collections.OrderedDict(a=K(1)) == {'a': K(2)}, lambda: min(K(1), K(2), key=grab), lambda: list(itertools.groupby([K(1)], grab)),
     lambda: list(itertools.accumulate([1, 2], grab)), lambda: collections.UserDict(D())['x'], lambda: collections.UserList(K(1)).data, lambda: D()['a'].__missing__('b'), lambda: list(map(grab, [nn])), lambda: next(iter(grab, 1)), lambda: set([K(1)]) - {K(2)})
""",
    "weak references that call back": """
import weakref
class A:
    pass
a = A()
each(lambda: weakref.ref(a, grab).__callback__, lambda: weakref.proxy(grab).__globals__, lambda: weakref.proxy(a).__class__, lambda: weakref.finalize(a, grab, a).peek(), lambda: weakref.WeakMethod(a.__init__)(), lambda: weakref.WeakKeyDictionary({a: 1}).data,
     lambda: weakref.WeakValueDictionary(a=a)._remove, lambda: weakref.WeakSet([a])._remove.__globals__, lambda: weakref.getweakrefs(dict), lambda: weakref.finalize._registry, lambda: weakref.ref(nn.Linear)().__init__.__globals__, lambda: weakref.atexit)
del a
""",
    "numbers that call back": """
import math, fractions, decimal, statistics, random
class N(float):
    def __float__(self):
        return grab(self) or 1.0
    __index__ = __int__ = __trunc__ = __floor__ = __ceil__ = lambda self: grab(self) or 1
    def __round__(self, *args):
        return grab(*args)
    def __add__(self, other):
        return grab(other)
    __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __pow__ = __rpow__ = __divmod__ = __rdivmod__ = __matmul__ = __rmatmul__ = __add__
    def as_integer_ratio(self):
        return grab, grab
    numerator = denominator = property(grab)
n = N(2)
each(lambda: math.sqrt(n), lambda: math.floor(n), lambda: sum([n, n]), lambda: round(n, n), lambda: divmod(n, n), lambda: pow(n, n, n), lambda: fractions.Fraction(n), lambda: decimal.Decimal(n), lambda: statistics.mean([n]), lambda: range(n), lambda: [1][n],
     lambda: torch.zeros(n), lambda: torch.zeros(2) @ n, lambda: torch.zeros(2) + n, lambda: nn.Linear(n, n), lambda: nn.Conv2d(n, n, n)(n), lambda: 'a' * n, lambda: bytes(n), lambda: slice(n, n, n).indices(n), lambda: int(n), lambda: random.choice([n]), lambda: math.prod([n, grab]))
""",
    # Typing.
    "annotations that are evaluated": """
import typing, inspect, functools
def f(a: 'open("HERE/new", "w")', b: '__import__("os").system("touch HERE/new")') -> 'grab(globals())':
    pass
class A:
    x: 'open("HERE/new", "w")'
    y: typing.ForwardRef('grab')
class V:
    __annotations__ = property(grab)
    __globals__ = {'__builtins__': {}}
    __wrapped__ = property(grab)
    __signature__ = property(grab)
each(lambda: typing.get_type_hints(f), lambda: typing.get_type_hints(A), lambda: typing.get_type_hints(V()), lambda: inspect.get_annotations(f, eval_str=True), lambda: inspect.signature(f, eval_str=True), lambda: inspect.signature(V()),
     lambda: typing.ForwardRef('open("HERE/new", "w")')._evaluate({}, {}, frozenset()), lambda: eval(typing.ForwardRef('1').__forward_code__), lambda: typing.List['open("HERE/new", "w")'].__args__[0].__forward_code__,
     lambda: typing._eval_type(typing.ForwardRef('1'), {}, {}), lambda: functools.singledispatch(grab).register(f), lambda: typing.get_type_hints(A, globalns={}, localns=Grabber()), lambda: typing.NamedTuple('N', [('a', 'open("HERE/new", "w")')]),
     lambda: typing.TypeVar('T', bound='open("HERE/new", "w")').__bound__, lambda: typing.overload(grab), lambda: typing.get_overloads(grab), lambda: typing.runtime_checkable(Grabber), lambda: typing.sys, lambda: typing.ParamSpec('P').args.__origin__)
""",
    "protocols that ask": """
import typing, abc, collections.abc
@typing.runtime_checkable
class P(typing.Protocol):
    __globals__: dict
    __subclasses__: object
    def __array_interface__(self): ...
class H(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other):
        grab(cls, other)
        return True
class M(abc.ABCMeta):
    def __instancecheck__(cls, instance):
        grab(instance)
        return True
    def __subclasscheck__(cls, other):
        grab(other)
        return True
class A(metaclass=M):
    pass
each(lambda: isinstance(grab, P), lambda: issubclass(dict, H), lambda: isinstance(nn, A), lambda: issubclass(nn.Module, A), lambda: H.register(dict), lambda: collections.abc.Mapping.register(A), lambda: abc.ABCMeta.__subclasscheck__(H, type),
     lambda: collections.abc.Mapping.__subclasshook__(H), lambda: isinstance(H, collections.abc.Callable), lambda: P.__subclasshook__, lambda: H._abc_impl, lambda: abc._get_dump(H), lambda: abc.ABCMeta._dump_registry(H, Grabber()),
     lambda: typing.Protocol.__init_subclass__.__func__.__globals__, lambda: P._is_protocol, lambda: typing._get_protocol_attrs(P), lambda: H.__abstractmethods__, lambda: abc.update_abstractmethods(dict))
""",
    # Networks.
    "hooks of modules": """
class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
        self.register_forward_hook(grab)
        self.fc.register_forward_pre_hook(grab, with_kwargs=True)
        self.fc.register_full_backward_hook(grab)
        self.register_state_dict_pre_hook(grab)
        self._register_load_state_dict_pre_hook(grab, with_module=True)
        self._register_state_dict_hook(grab)
        self.register_load_state_dict_post_hook(grab)
        self.fc.weight.register_hook(grab)
    def forward(self, x):
        return self.fc(x)
    def _apply(self, fn):
        return grab(fn)
    def __setattr__(self, name, value):
        grab(name, value)
        super().__setattr__(name, value)
    def _load_from_state_dict(self, *args):
        grab(*args)
    def get_extra_state(self):
        return grab
net = A()
each(lambda: net.apply(grab), lambda: net._apply(grab), lambda: net.load_state_dict(Grabber()), lambda: net.state_dict(destination=Grabber()), lambda: net.get_parameter('__init__.__globals__'), lambda: net.get_submodule('__class__.__init__'),
     lambda: net.set_submodule('fc.__class__.x', nn.ReLU()), lambda: net.get_buffer('__dict__.x'), lambda: net.register_module('__class__', nn.ReLU()), lambda: net.add_module('__init__', None), lambda: net.register_parameter('__dict__', None),
     lambda: net._call_impl.__globals__, lambda: nn.Module.__call__(Grabber(), 1), lambda: nn.Module.apply(Grabber(), grab), lambda: nn.Module.state_dict(Grabber()), lambda: nn.Module.__getattr__(Grabber(), '__globals__'), lambda: nn.Module.get_parameter(Grabber(), 'a.__globals__'),
     lambda: nn.utils.parametrize.register_parametrization(net.fc, 'weight', A()), lambda: nn.utils.prune.custom_from_mask(net.fc, '__class__', 1), lambda: nn.utils.weight_norm(net.fc, '__dict__'), lambda: nn.utils.spectral_norm(net.fc, '__init__'))
""",
    "functions of torch that call back": """
class T:
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return grab(func, types, *args)
class S(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        grab(cls, func, types, *args)
        return super().__torch_function__(func, types, args, kwargs or {})
    @staticmethod
    def __new__(cls, *args):
        return grab(*args)
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        grab(ctx, x, ctx.__dict__)
        return x
    backward = setup_context = staticmethod(grab)
each(lambda: torch.add(T(), 1), lambda: torch.zeros(2).as_subclass(S) + 1, lambda: S([1]), lambda: F.apply(torch.zeros(2)), lambda: torch.utils.checkpoint.checkpoint(grab, torch.zeros(2)), lambda: torch.func.vmap(grab)(torch.zeros(2)), lambda: torch.compile(grab)(1),
     lambda: torch.jit.script(grab), lambda: torch.jit.trace(grab, torch.zeros(2)), lambda: torch.fx.symbolic_trace(grab), lambda: torch.ops.aten.add.__globals__, lambda: torch.ops.load_library('HERE/keep'), lambda: torch.classes.load_library('HERE/keep'),
     lambda: torch.utils.cpp_extension.load('x', ['HERE/keep']), lambda: torch.hub.load('HERE', 'x', source='local'), lambda: torch.hub.download_url_to_file('file:///etc/passwd', 'HERE/new'), lambda: torch.utils.data.DataLoader(Grabber(), collate_fn=grab, num_workers=2).__iter__(),
     lambda: torch.library.custom_op('a::b', mutates_args=())(grab), lambda: torch.overrides.get_overridable_functions(), lambda: torch.package.PackageImporter('HERE/keep'), lambda: torch.from_file('HERE/keep', True, 4), lambda: torch.UntypedStorage.from_file('HERE/new', True, 8), lambda: torch.zeros(2).data_ptr())
""",
    "layers from configurations": """
import keras
class L(keras.layers.Layer):
    def __init__(self, **kwargs):
        grab(**kwargs)
        super().__init__(**kwargs)
    def build(self, shape):
        grab(shape)
    def call(self, x, **kwargs):
        grab(x, **kwargs)
        return x
    def get_config(self):
        return {'__class__': grab, 'fn': grab}
    @classmethod
    def from_config(cls, config):
        grab(cls, config)
        return cls()
    def compute_output_shape(self, shape):
        return grab(shape)
each(lambda: keras.layers.deserialize({'class_name': 'os.system', 'config': {}}), lambda: keras.layers.deserialize({'module': 'os', 'class_name': 'system', 'config': 'touch HERE/new', 'registered_name': None}), lambda: L.from_config({}), lambda: keras.Sequential([L()]).get_config(),
     lambda: keras.models.clone_model(keras.Sequential([L()]), clone_function=grab), lambda: keras.layers.Lambda(grab)(keras.Input((2,))), lambda: keras.layers.Lambda.from_config({'function': ['x', None, None]}), lambda: keras.saving.deserialize_keras_object({'class_name': 'function', 'config': 'system', 'module': 'os'}),
     lambda: keras.utils.get_registered_object('x', {'x': grab}), lambda: keras.saving.register_keras_serializable()(L), lambda: keras.utils.custom_object_scope({'L': grab}).__enter__(), lambda: keras.config.enable_unsafe_deserialization(), lambda: keras.models.load_model('HERE/keep', safe_mode=False),
     lambda: keras.utils.get_file('x', 'file:///etc/passwd'), lambda: keras.activations.get(grab)(1), lambda: keras.activations.deserialize('__globals__'), lambda: keras.initializers.get(grab), lambda: keras.layers.TFSMLayer('HERE'), lambda: keras.layers.serialize(L()), lambda: keras.Model.from_config.__func__.__globals__)
""",
    "rows called on others": """
class Fake:
    def __getattr__(self, name):
        return grab
    def __iter__(self):
        return iter([grab, nn])
    def __getitem__(self, key):
        return grab
    shape = dtype = device = property(grab)
    _modules = _parameters = _buffers = {'a': grab}
    training = True
    reference = mark_incomplete = with_sizes = without_numbers = repeat_children = array = values_ = _values = grab
fake = Fake()
for kind in (nn.Module, nn.Linear, nn.Sequential, nn.ModuleList, nn.LSTM, torch.Tensor, nn.Parameter):
    for name in dir(kind):
        try:
            method = getattr(kind, name)
        except Exception:
            continue
        for args in ((fake,), (fake, '__globals__'), (fake, grab), (fake, '__init__.__globals__', grab)):
            try:
                grab(method(*args), depth=0)
            except Exception:
                pass
""",
    "modules that say they are ours": """
class Ours:
    __module__ = 'cutaway.knowledge.torch.nn.module'
    __qualname__ = 'Module'
    __array_interface__ = {'shape': (4,), 'typestr': '|u1', 'data': (4096, True), 'version': 3}
    def __getattr__(self, name):
        return grab
class Row(nn.Module):
    __module__ = 'cutaway.interp.stdlib.builtins'
class C:
    __module__ = 'itertools'
    __qualname__ = 'chain'
    def __del__(self):
        grab(self)
import numpy as np
for kind in (Ours, Row, C):
    a = kind()
    a.x = 1
    kind.__module__ = 'cutaway.core.session'
    kind.hostile = 1
    each(lambda: [np.ones(2)] == [a], lambda: sum([np.ones(2), a]), lambda: np.asarray(a), lambda: vars(kind), lambda: a.__dict__, lambda: kind.__init__, lambda: getattr(a, '__class__'), lambda: kind.__subclasses__())
Ours.__module__ = Ours.__qualname__ = Grabber()
""",
    # numpy.
    "an address by every protocol": """
import numpy as np
I = {'shape': (4,), 'typestr': '|u1', 'data': (4096, True), 'version': 3}
class A:
    __array_priority__ = 1000
    def __array__(self, *args, **kwargs):
        grab(*args, **kwargs)
        return I
    def __array_ufunc__(self, ufunc, method, *args, **kwargs):
        return grab(ufunc, method, *args, **kwargs)
    def __array_function__(self, func, types, args, kwargs):
        return grab(func, types, *args)
    def __array_wrap__(self, *args):
        return grab(*args)
    def __array_prepare__(self, *args):
        return grab(*args)
    def __array_finalize__(self, obj):
        grab(obj)
    def __buffer__(self, flags):
        return memoryview(b'1234')
    def __dlpack__(self, **kwargs):
        return grab
    def __array_namespace__(self, **kwargs):
        return grab
    dtype = property(grab)
    __len__ = lambda self: 3
    __getitem__ = grab
    __float__ = __int__ = lambda self: 1
class S(np.ndarray):
    __array_interface__ = property(lambda self: I)
    __array_struct__ = property(grab)
    def __array_finalize__(self, obj):
        grab(obj)
    def __new__(cls, *args, **kwargs):
        return super().__new__(cls, (2,))
a = A()
each(lambda: np.asarray(a), lambda: np.array([a, 1]), lambda: np.add(a, 1), lambda: np.concatenate([a, a]), lambda: np.ones(2) + a, lambda: a + np.ones(2), lambda: np.float64(1) * a, lambda: np.ones(2)[a], lambda: np.from_dlpack(a), lambda: np.frombuffer(a), lambda: np.asarray(S()),
     lambda: np.ones(2).view(S), lambda: S().view(np.ndarray), lambda: np.array(S(), copy=False), lambda: np.asarray(S().__array_interface__), lambda: np.zeros(2).astype(a), lambda: np.dtype(a), lambda: np.frompyfunc(grab, 1, 1)([1]), lambda: np.vectorize(grab)([1]), lambda: np.apply_along_axis(grab, 0, [[1]]))
""",
    "memory of arrays": """
import numpy as np
x = np.arange(8)
o = np.array([grab, object()], dtype=object)
def bytes_of(value):
    grab({'read from memory': value})
for way in (lambda: np.lib.stride_tricks.as_strided(x, (100000,), (8,)), lambda: np.ndarray((100000,), dtype='i8', buffer=x, strides=(8,)), lambda: np.ndarray((1,), dtype=object, buffer=(4096).to_bytes(8, 'little')),
            lambda: x.view(object), lambda: o.view('i8'), lambda: np.frombuffer(o, 'i8'), lambda: np.frombuffer(b'12345678', dtype=object), lambda: np.frombuffer(x, dtype=[('a', 'O')]), lambda: x.view([('a', 'O')]), lambda: o.view([('a', 'i8')]),
            lambda: np.ndarray((1,), [('a', 'O')], (4096).to_bytes(8, 'little')), lambda: o.tobytes(), lambda: np.fromstring('12345678', dtype=object), lambda: memoryview(o).tobytes(), lambda: memoryview(o).hex(), lambda: o.data.cast('B'), lambda: np.ndarray.view(o, 'i8'),
            lambda: o.astype('i8'), lambda: np.array(o, dtype='i8'), lambda: np.lib.stride_tricks.sliding_window_view(o, 1).view('i8'), lambda: np.recarray((1,), dtype=[('a', 'O')], buf=(4096).to_bytes(8, 'little')), lambda: np.rec.fromstring(b'12345678', dtype=[('a', 'O')]),
            lambda: np.empty(100, dtype='i8'), lambda: np.empty_like(x), lambda: np.ndarray((100,)), lambda: np.resize(x, 3).base, lambda: x.ctypes.data, lambda: x.__array_interface__['data'], lambda: x.__array_struct__, lambda: np.byte_bounds(x), lambda: np.core.multiarray._reconstruct(np.ndarray, (1,), 'O'),
            lambda: np.require(o, 'i8'), lambda: np.copyto(np.zeros(2, 'i8'), o, casting='unsafe'), lambda: np.put(x, [10**6], 1, mode='raise'), lambda: np.lib.format.read_array(Grabber()), lambda: np.ctypeslib.as_array(x), lambda: np.ma.array(o).view('i8'), lambda: np.matrix(o).view('i8')):
    try:
        value = way()
        grab(value, depth=1)
        if list(value) != list(x):
            bytes_of(value)
    except Exception as error:
        grab(error)
try:
    x.strides = (1 << 40,)
    x.dtype = object
    bytes_of(x)
    x.shape = (1 << 40,)
    bytes_of(x)
    x.setflags(write=True)
    x.__setstate__((1, (1 << 20,), np.dtype('i8'), False, b''))
    bytes_of(x)
except Exception as error:
    grab(error)
""",
    "files and code of numpy": """
import numpy as np
each(lambda: np.fromfile('HERE/link', 'u1'), lambda: np.load('HERE/link', allow_pickle=True), lambda: np.save('HERE/new', [1]), lambda: np.savetxt('HERE/new', [1]), lambda: np.memmap('HERE/new', mode='w+', shape=(1,)), lambda: np.genfromtxt('/etc/passwd', converters={0: grab}), lambda: np.loadtxt('HERE/link', converters=grab),
     lambda: np.ones(2).tofile('HERE/new'), lambda: np.ones(2).dump('HERE/new'), lambda: np.DataSource('HERE').open('x'), lambda: np.f2py.compile('x'), lambda: np.ctypeslib.load_library('x', '.'), lambda: np.testing.runstring('open("HERE/new", "w")', {}), lambda: np.lib.utils.safe_eval('1'), lambda: np.array([lambda: 1]).dumps(),
     lambda: np.show_config(), lambda: np.set_string_function(grab), lambda: np.seterrcall(grab), lambda: np.setbufsize(16), lambda: np.set_printoptions(formatter={'all': grab}), lambda: np.array2string(np.ones(2), formatter={'all': grab}), lambda: np.fromiter(Grabber(), float), lambda: np.fromfunction(grab, (2,)), lambda: np.piecewise(1, [1], [grab]),
     lambda: np.histogram_bin_edges([1], bins=Grabber()), lambda: np.einsum('i', Grabber()), lambda: np.nditer([np.ones(2)]).operands, lambda: np.random.Generator(Grabber()), lambda: np.random.RandomState(Grabber()).__reduce__(), lambda: np.ufunc.__reduce__(np.add), lambda: np.add.reduce([grab]), lambda: np.add.__reduce__(), lambda: np.dtype([('a', 'O')]).__reduce__(),
     lambda: np.dtype('i4', metadata={'a': grab}).metadata, lambda: np.core._internal, lambda: np.sys, lambda: np.compat.os, lambda: np.lib.npyio.os, lambda: np.__config__, lambda: np.__builtins__, lambda: np.ones.__globals__, lambda: np.linalg.inv.__wrapped__.__globals__, lambda: np.__getattr__('os'), lambda: np.__loader__)
""",
    # Names and modules.
    "built-in names": """
import builtins
each(lambda: __builtins__, lambda: globals()['__builtins__'], lambda: builtins.__dict__['eval'], lambda: vars(builtins), lambda: builtins.__import__('os').system('touch HERE/new'), lambda: __import__('os', {}, {}, ['system'], 0).system('touch HERE/new'), lambda: builtins.exec('open("HERE/new", "w")', {}),
     lambda: eval('open("HERE/new", "w")', {'__builtins__': {}}), lambda: exec(compile('open("HERE/new", "w")', 'x', 'exec')), lambda: eval(compile('grab(globals())', 'x', 'eval'), Grabber()), lambda: builtins.__build_class__(lambda: 1, 'x', metaclass=grab), lambda: __build_class__(grab, 'A'), lambda: breakpoint(), lambda: help(), lambda: exit(),
     lambda: copyright(), lambda: license(), lambda: __loader__, lambda: __spec__, lambda: builtins.__loader__, lambda: type(__spec__), lambda: __debug__, lambda: builtins.open.__self__, lambda: print.__self__, lambda: (lambda: 0).__builtins__, lambda: locals().get('__builtins__'), lambda: dir(builtins), lambda: getattr(builtins, 'ex' + 'ec')('1'))
exec('import os\\nos.system("touch HERE/new")')
exec('grab(__builtins__)', {'__builtins__': builtins, 'grab': grab})
eval('__import__("os").system("touch HERE/new")', {'__builtins__': vars(builtins)})
""",
    "modules of modules": """
import os, sys, importlib, types, pathlib, tempfile, logging, inspect, threading, socket, subprocess, ctypes, multiprocessing, site, runpy, zipimport, pkgutil, gc, atexit, signal, code, asyncio, concurrent.futures, webbrowser, urllib.request, shutil
each(lambda: os.path.os.system('touch HERE/new'), lambda: pathlib.os.system('touch HERE/new'), lambda: tempfile._os.system('x'), lambda: inspect.sys.modules['os'], lambda: logging.os, lambda: types.FunctionType, lambda: importlib.util.spec_from_file_location('x', 'HERE/keep').loader.exec_module(types.ModuleType('x')), lambda: importlib.machinery.SourceFileLoader('hostile_mark', 'HERE/hostile_mark.py').load_module(),
     lambda: runpy.run_path('HERE/hostile_mark.py'), lambda: pkgutil.resolve_name('os:system')('touch HERE/new'), lambda: gc.get_objects(), lambda: gc.get_referrers(grab), lambda: gc.callbacks.append(grab), lambda: atexit.register(grab), lambda: signal.signal(2, grab), lambda: threading.Thread(target=grab).start(), lambda: threading.settrace(grab), lambda: sys.settrace(grab), lambda: sys.setprofile(grab), lambda: sys.addaudithook(grab),
     lambda: sys.modules['os'], lambda: sys.meta_path.insert(0, Grabber()), lambda: sys.path_hooks.append(grab), lambda: sys.path_importer_cache, lambda: sys._current_frames(), lambda: sys.breakpointhook(), lambda: code.InteractiveInterpreter().runsource('1'), lambda: asyncio.run(asyncio.create_subprocess_shell('touch HERE/new')), lambda: concurrent.futures.ThreadPoolExecutor().submit(grab, 1).result(), lambda: multiprocessing.Process(target=grab).start(),
     lambda: ctypes.CDLL(None).system(b'touch HERE/new'), lambda: ctypes.string_at(id(grab)), lambda: ctypes.cast(id(grab), ctypes.py_object), lambda: subprocess.run(['touch', 'HERE/new']), lambda: socket.socket(), lambda: urllib.request.urlopen('file:///etc/passwd').read(), lambda: shutil.copy('/etc/passwd', 'HERE/new'), lambda: webbrowser.open('x'), lambda: site.addsitedir('HERE'), lambda: zipimport.zipimporter('HERE/keep'))
""",
    "loggers and warnings that call back": """
import logging, warnings, logging.config, logging.handlers
class H(logging.Handler):
    def emit(self, record):
        grab(record, record.__dict__, record.exc_info)
class F(logging.Formatter):
    def format(self, record):
        grab(record)
        return 'x'
class L(logging.Logger):
    def makeRecord(self, *args, **kwargs):
        grab(*args)
        return super().makeRecord(*args, **kwargs)
each(lambda: logging.getLogger('x').addHandler(H()), lambda: logging.getLogger('x').error('%s', Grabber()), lambda: logging.setLoggerClass(L), lambda: logging.FileHandler('HERE/new'), lambda: logging.basicConfig(filename='HERE/new'), lambda: logging.config.dictConfig({'version': 1, 'handlers': {'a': {'()': 'os.system', 'command': 'touch HERE/new'}}}),
     lambda: logging.config.fileConfig('HERE/keep'), lambda: logging.setLogRecordFactory(grab), lambda: logging.addLevelName(10, grab), lambda: logging.Formatter('{0.__globals__}', style='{').format(grab), lambda: logging.makeLogRecord({'__class__': dict}), lambda: logging.getLogger().manager.loggerDict, lambda: logging._handlers, lambda: logging.root.handlers,
     lambda: warnings.warn_explicit('x', UserWarning, 'x', 1, module_globals={'__loader__': Grabber(), '__name__': 'x'}), lambda: warnings.warn(Grabber()), lambda: setattr(warnings, 'showwarning', grab), lambda: warnings.catch_warnings(record=True).__enter__(), lambda: warnings.filters, lambda: warnings.formatwarning(Grabber(), Grabber(), 'x', 1), lambda: warnings._showwarnmsg)
""",
    "asynchronous code": """
import asyncio
class A:
    def __await__(self):
        grab(self)
        yield grab
    async def __aenter__(self):
        return grab
    async def __aexit__(self, *args):
        grab(*args)
        return True
    def __aiter__(self):
        return self
    async def __anext__(self):
        raise StopAsyncIteration(grab)
async def f():
    grab(await A())
    async with A() as a:
        grab(a)
        1 / 0
    async for x in A():
        grab(x)
    return [y async for y in A()]
c = f()
each(lambda: asyncio.run(f()), lambda: c.send(None), lambda: c.throw(ValueError), lambda: c.cr_frame.f_globals, lambda: asyncio.new_event_loop().run_until_complete(f()), lambda: asyncio.get_event_loop_policy(), lambda: asyncio.Task(f()), lambda: asyncio.current_task(), lambda: asyncio.sys, lambda: asyncio.run_coroutine_threadsafe(f(), None), lambda: asyncio.Future().add_done_callback(grab))
c.close()
""",
    "type aliases and parameters": """
import typing
T = typing.TypeVar('T')
source = 'type A[X: __import__("os").system("touch HERE/new")] = open("HERE/new", "w")\\ngrab(A.__value__, A.__type_params__, A)'
each(lambda: exec(source), lambda: typing.TypeAliasType('A', grab).__value__, lambda: exec('def f[X: (grab(1), 2)](a: X): pass\\ngrab(f.__type_params__[0].__constraints__)'), lambda: exec('class C[X]: pass\\ngrab(C.__orig_bases__, C[int].__origin__)'), lambda: T.__typing_subst__(grab), lambda: T.__class__.__init__,
     lambda: typing.Generic[T].__origin__.__init_subclass__, lambda: typing.Annotated[int, grab].__metadata__, lambda: typing.Unpack[grab], lambda: typing.Literal[grab].__args__, lambda: (int | str).__args__, lambda: typing.Union[int, 'x'].__args__, lambda: typing.cast(grab, 1), lambda: typing.NewType('N', grab).__supertype__, lambda: typing.NewType('N', int).__call__.__func__.__globals__, lambda: typing.Callable[[grab], grab].__reduce__())
""",
    "patterns of match": """
class P:
    __match_args__ = ('__globals__', '__class__', '__dict__')
    def __getattr__(self, name):
        return grab(name)
class Meta(type):
    def __instancecheck__(cls, other):
        grab(other)
        return True
class Any(metaclass=Meta):
    __match_args__ = ('__globals__', '__subclasses__', '__builtins__')
for value in (grab, nn, len, dict, P(), Exception('x'), (lambda: 1), nn.Linear(1, 1)):
    try:
        match value:
            case Any(a, b, c):
                grab(a, b, c)
            case Any(__globals__=a):
                grab(a)
    except Exception as error:
        grab(error)
    try:
        match value:
            case Any(__init__=a):
                grab(a)
            case {'__builtins__': b, **rest}:
                grab(b, rest)
            case [*items]:
                grab(*items)
    except Exception as error:
        grab(error)
""",
    "names that are deleted and restored": """
import types
class A(dict):
    def __getitem__(self, key):
        grab(key)
        return grab
exec('x = y\\ngrab(x, open)', {'grab': grab}, A())
exec('global z\\nz = open', A(), {})
namespace = types.SimpleNamespace(**{'__class__': 1, '__dict__': 2})
each(lambda: namespace.__dict__, lambda: vars(namespace)['__dict__'], lambda: globals().update({'__name__': 'os', '__builtins__': {}, '__file__': '/etc/passwd'}), lambda: globals().pop('__builtins__'), lambda: locals().clear(), lambda: vars(type(namespace)), lambda: types.ModuleType('os').__dict__, lambda: types.ModuleType('x').__spec__, lambda: __file__)
__builtins__ = {}
__file__ = '/etc/passwd'
__path__ = ['/etc']
__loader__ = __spec__ = Grabber()
from . import passwd
import importlib.resources
each(lambda: importlib.resources.files('x').joinpath('passwd').read_text(), lambda: __loader__.get_data('/etc/passwd'))
""",
}
ROADS: dict[str, str] = {name: _GRAB + text for name, text in _ROADS.items()}
