"""Targets that replace parts of objects of the standard library, or hand it objects that answer oddly."""

from __future__ import annotations

from tests.hostile.protocol_roads import _GRAB

_NAMES = "('__globals__', '__self__', '__func__', 'gi_frame', '__dict__', '__subclasses__', 'system')"
_FEW = f"{_GRAB}NAMES = {_NAMES}\n"

_ROADS: dict[str, str] = {
    "text wrapper with own patterns": """
import textwrap
class Pattern:
    def split(self, *args): grab(*args); return ['__globals__']
    def match(self, *args): grab(*args); return self
    search = sub = match
    def start(self, *a): return grab
    group = end = start
w = textwrap.TextWrapper()
w.wordsep_re = w.wordsep_simple_re = w.sentence_end_re = Pattern()
w.unicode_whitespace_trans = Grabber()
each(lambda: w.wrap('a b. c'), lambda: w.fill('a b'), lambda: w._split('a b'), lambda: w._split_chunks(grab), lambda: w._wrap_chunks([grab]), lambda: w._munge_whitespace(grab), lambda: w._handle_long_word([grab], [], 1, 1))
textwrap.TextWrapper.wordsep_re = Pattern()
textwrap.TextWrapper.x = 1
type(w).fix_sentence_endings = 1
""",
    "text wrapper subclass": """
import textwrap
class W(textwrap.TextWrapper):
    fix_sentence_endings = property(grab)
    def _split_chunks(self, text): grab(self, text); return [grab]
    def _wrap_chunks(self, chunks): grab(chunks); return super()._wrap_chunks(chunks)
    def __setattr__(self, name, value): grab(name, value); object.__setattr__(self, name, value)
each(lambda: W(width=grab), lambda: W().wrap('a b c'), lambda: W().fill(grab), lambda: textwrap.shorten('a b c', 3, placeholder=Grabber()), lambda: textwrap.fill('a', **{'__class__': dict}), lambda: textwrap.wrap('a b', tabsize=Grabber(), max_lines=Grabber()))
""",
    "template with own pattern object": """
import string
class P:
    flags = 0; pattern = '(?P<named>a)'
    def sub(self, convert, text): grab(convert); loot(convert); return convert(self) if convert else ''
    def finditer(self, text): return iter([self])
    def group(self, *a): return '__globals__'
    def groups(self): return (grab,)
    groupindex = {'invalid': 1}
    def start(self, *a): return 0
T = string.Template
class U(T): pass
U.pattern = P()
t = T('$a'); t.pattern = P(); t.template = Grabber(); t.delimiter = grab; t.idpattern = 'x'
each(lambda: U('$a').substitute({'a': grab}), lambda: U('$a').safe_substitute(grab), lambda: t.substitute(a=1), lambda: t.safe_substitute(a=grab), lambda: U('x').get_identifiers(), lambda: t.is_valid(), lambda: t._invalid(P()), lambda: T._invalid(U('x'), P()))
""",
    "template subclass hooks": """
import string
class M(type):
    def __getattr__(cls, name): return grab(name)
class T(string.Template, metaclass=M):
    def __init_subclass__(cls, **k): grab(cls, k); super().__init_subclass__(**k)
    delimiter = property(grab); idpattern = property(grab); braceidpattern = grab; flags = grab
class S(str):
    def __init__(self, *a): grab(*a)
class T2(string.Template):
    delimiter = S('%'); idpattern = S('(?P<x>a)'); flags = 1
class Map:
    def __getitem__(self, key): grab(key); return grab
    def keys(self): return [grab]
    def __contains__(self, k): return grab(k)
each(lambda: T('$a').substitute(Map()), lambda: T2('%a').substitute(Map()), lambda: string.Template('$a ${b} $$ $').safe_substitute(Map()), lambda: string.capwords(S('a b'), Grabber()), lambda: string.Template.__init_subclass__.__func__(dict), lambda: string.Template.__init_subclass__.__func__(nn.Linear))
""",
    "pretty printer internals": """
import pprint, reprlib
class P(pprint.PrettyPrinter):
    _dispatch = {}
    def _format(self, object, stream, *args): grab(object, stream, *args); return super()._format(object, stream, *args)
    def _safe_repr(self, *a): grab(*a); return ('x', True, False)
    def _repr(self, *a): grab(*a); return 'x'
class O:
    __repr__ = pprint.PrettyPrinter.__init__
    def write(self, text): grab(text)
class D(dict):
    __repr__ = dict.__repr__
    def items(self): grab(self); return [(grab, grab)]
class L(list):
    __repr__ = list.__repr__
    def __iter__(self): return iter([grab, nn])
p = pprint.PrettyPrinter(stream=O())
p._dispatch[object.__repr__] = grab
p._stream = O()
p._width = grab; p._depth = Grabber()
each(lambda: P().pformat([grab]), lambda: p.pprint([1]), lambda: pprint.pformat(D(a=1)), lambda: pprint.pformat([L([1])] * 30), lambda: p.format(D(a=1), {}, 1, 1), lambda: pprint.saferepr(O()), lambda: p.isreadable(D()), lambda: pprint._safe_key(grab), lambda: pprint._builtin_scalars, lambda: pprint.PrettyPrinter._dispatch.get(dict.__repr__)(p, {}, O(), 1, 1, {}, 1), lambda: pprint.pp(1, stream=O()))
""",
    "repr limits": """
import reprlib
class R(reprlib.Repr):
    def repr1(self, x, level): grab(self, x, level); return 'x'
    def repr_instance(self, x, level): grab(x); return super().repr_instance(x, level)
    def repr_function(self, x, level): grab(x); return 'x'
class T:
    __name__ = '__class__'
class O:
    @property
    def __class__(self): return T()
    @reprlib.recursive_repr(fillvalue=grab)
    def __repr__(self): return repr(self)
r = R(); r.maxlevel = grab; r.maxother = Grabber(); r.fillvalue = grab
each(lambda: r.repr([grab]), lambda: r.repr(grab), lambda: reprlib.repr(O()), lambda: reprlib.Repr().repr1(O(), 3), lambda: reprlib.Repr()._repr_iterable([1], 1, '', '', grab), lambda: reprlib.aRepr.repr_str('x' * 100, Grabber()), lambda: reprlib.recursive_repr()(O.__repr__)(O()), lambda: reprlib.aRepr.__dict__.update(maxlist=0), lambda: setattr(reprlib.aRepr, 'maxlist', 0), lambda: vars(reprlib.aRepr).clear(), lambda: reprlib.aRepr.__init__(maxlist=0))
""",
    "sorter of a graph": """
import graphlib
class N:
    def __hash__(self): return grab(self) or 1
    def __eq__(self, o): grab(o); return False
t = graphlib.TopologicalSorter({N(): [N(), N()]})
t._node2info = Grabber(); t._ready_nodes = [grab]
each(lambda: t.prepare(), lambda: list(t.static_order()), lambda: t.get_ready(), lambda: t.done(N()), lambda: t.add(N(), N()), lambda: t._get_nodeinfo(1), lambda: t._find_cycle(), lambda: graphlib.CycleError(1, [grab]).args, lambda: graphlib._NodeInfo)
u = graphlib.TopologicalSorter(); u.add('a', 'b'); each(lambda: u._node2info['a'].__class__, lambda: type(u._node2info['a']).__init__.__globals__, lambda: u._get_nodeinfo.__func__)
""",
    "csv readers and writers replaced": """
import csv, io
class F:
    def write(self, s): grab(s); return grab
    def __iter__(self): return self
    def __next__(self): grab(self); return 'a,b'
    line_num = property(grab)
r = csv.DictReader(io.StringIO('a,b\\n1,2')); w = csv.DictWriter(F(), ['a'])
r.reader = F(); w.writer = F(); w.fieldnames = Grabber(); r.restkey = grab; r._fieldnames = Grabber()
class D(csv.Dialect):
    delimiter = property(grab); quotechar = Grabber(); lineterminator = 'x'; quoting = grab
class S(csv.Sniffer):
    preferred = [grab]
    def _guess_delimiter(self, *a): grab(*a); return grab, grab
each(lambda: next(r), lambda: r.fieldnames, lambda: w.writeheader(), lambda: w.writerow({'a': grab}), lambda: w.writerows([grab]), lambda: csv.reader(F(), D), lambda: csv.reader(F(), D()), lambda: S().sniff('a,b\\n1,2\\n'), lambda: S().has_header('a,b\\n1,2'), lambda: csv.Sniffer()._guess_quote_and_delimiter('a', None), lambda: csv.get_dialect('excel').__reduce__(), lambda: csv.Dialect._validate(D()), lambda: csv.writer(F(), dialect=csv.excel()).dialect.__class__(), lambda: csv.QUOTE_ALL.__class__, lambda: csv.writer(F()).writerows(Grabber()))
""",
    "statistics with odd numbers": """
import statistics
class N:
    def __init__(self, v=1): self.v = v
    def as_integer_ratio(self): grab(self); return (1, grab)
    def __float__(self): grab(self); return 1.0
    def is_integer(self): return grab
    numerator = denominator = property(grab)
    def __lt__(self, o): grab(o); return True
    def __sub__(self, o): grab(o); return self
    __add__ = __radd__ = __mul__ = __rmul__ = __truediv__ = __rsub__ = __rtruediv__ = __sub__
    def __eq__(self, o): grab(o); return False
    __hash__ = object.__hash__
ns = [N(), N(), N()]
each(*[lambda f=f: f(ns) for f in (statistics.mean, statistics.fmean, statistics.median, statistics.median_grouped, statistics.mode, statistics.multimode, statistics.pstdev, statistics.variance, statistics.harmonic_mean, statistics.geometric_mean, statistics.quantiles, statistics.median_low)],
     lambda: statistics.correlation(ns, ns), lambda: statistics.linear_regression(ns, ns), lambda: statistics.NormalDist(N(), N()).cdf(N()), lambda: statistics.NormalDist.from_samples(ns), lambda: statistics.NormalDist(1, 2) + N(), lambda: statistics._sum(ns), lambda: statistics._exact_ratio(N()), lambda: statistics._coerce(N, N), lambda: statistics._convert(1, N), lambda: statistics.NormalDist.__new__(N), lambda: statistics.NormalDist._mu.__set__(N(), 1))
""",
    "rational numbers by their slots": """
import fractions, numbers
class Q(fractions.Fraction):
    __slots__ = ('_numerator', '_denominator', 'x')
    def __new__(cls, *a, **k): grab(cls, *a); return super().__new__(cls, 1, 2)
class R(numbers.Rational):
    numerator = property(grab); denominator = property(grab)
    def __getattribute__(self, n): grab(n); return object.__getattribute__(self, n)
    __abs__ = __add__ = __ceil__ = __eq__ = __floor__ = __floordiv__ = __le__ = __lt__ = __mod__ = __mul__ = __neg__ = __pos__ = __pow__ = __radd__ = __rfloordiv__ = __rmod__ = __rmul__ = __round__ = __rpow__ = __rtruediv__ = __truediv__ = __trunc__ = lambda *a: grab(*a)
class Liar:
    __class__ = fractions.Fraction
    _numerator = _denominator = property(grab)
each(lambda: Q() + 1, lambda: fractions.Fraction(R()), lambda: fractions.Fraction.__add__(Liar(), 1), lambda: fractions.Fraction._operator_fallbacks(grab, grab), lambda: fractions.Fraction._add(R(), R()), lambda: fractions.Fraction.forward, lambda: fractions.Fraction.limit_denominator(Liar()), lambda: fractions.Fraction.__copy__(Liar()), lambda: fractions.Fraction('1/2').__reduce__(), lambda: hash(Liar()), lambda: fractions.Fraction._numerator.__set__(fractions.Fraction(1), grab), lambda: complex(R()), lambda: float(R()), lambda: divmod(R(), R()), lambda: numbers.Rational.__float__(R()))
""",
    "decimals with contexts": """
import decimal
class C(decimal.Context):
    prec = property(grab)
class D(decimal.Decimal):
    def __new__(cls, *a): grab(cls, *a); return super().__new__(cls, 1)
    def __format__(self, s): grab(s); return 'x'
c = decimal.getcontext()
each(lambda: setattr(c, 'prec', 1), lambda: c.clear_flags(), lambda: c.traps.update({decimal.Inexact: True}), lambda: decimal.localcontext(C()).__enter__(), lambda: decimal.setcontext(C()), lambda: decimal.DefaultContext.prec, lambda: setattr(decimal.DefaultContext, 'prec', 2), lambda: setattr(decimal.ExtendedContext, 'prec', 2), lambda: decimal.Decimal('1').__reduce__(), lambda: D('1').exp(C()), lambda: decimal.Decimal(1).quantize(1, context=Grabber()), lambda: decimal.Decimal.from_float.__self__, lambda: c.create_decimal(1), lambda: decimal.getcontext().copy().__reduce__(), lambda: decimal.decimal, lambda: decimal.Decimal(1).fma(D(1), D(1)))
""",
    "dates with zones": """
import datetime
class Z(datetime.tzinfo):
    def utcoffset(self, d): grab(self, d); return datetime.timedelta(1)
    def dst(self, d): grab(d); return grab
    def tzname(self, d): grab(d); return Grabber()
    def fromutc(self, d): grab(d); return grab
    def __reduce__(self): return grab, ()
    def __getinitargs__(self): return (grab,)
class T(datetime.datetime):
    def __new__(cls, *a, **k): grab(cls, *a); return super().__new__(cls, 2020, 1, 1)
    def replace(self, *a, **k): grab(*a); return grab
    @classmethod
    def fromtimestamp(cls, *a): return grab(*a)
t = datetime.datetime(2020, 1, 1, tzinfo=Z())
each(lambda: t.utcoffset(), lambda: str(t), lambda: t.astimezone(Z()), lambda: t.strftime('%Z %z'), lambda: T.now(Z()), lambda: T.combine(datetime.date(2020, 1, 1), datetime.time(1)), lambda: t.__reduce_ex__(4), lambda: datetime.datetime(b'\\x07\\xe4\\x01\\x01\\0\\0\\0\\0\\0\\0', Z()), lambda: f'{t:%Z{Grabber()}}', lambda: t - datetime.datetime(2020, 1, 1, tzinfo=Z()), lambda: hash(t), lambda: T.strptime('2020', '%Y'), lambda: datetime.datetime.strptime('2020 UTC', '%Y %Z'), lambda: datetime.datetime_CAPI, lambda: datetime.sys, lambda: t.timetuple().__class__, lambda: datetime.timezone(datetime.timedelta(1), Grabber()), lambda: pickle_of(t))
""",
    "heaps and bisections on own sequences": """
import heapq, bisect
class L(list):
    def __len__(self): return 10**6
    def insert(self, *a): grab(*a)
    def __getitem__(self, i): grab(i); return self
    def pop(self, *a): return grab
    def append(self, x): grab(x)
class S:
    def __len__(self): return 5
    def __getitem__(self, i): return grab
    def insert(self, i, x): grab(i, x)
class K:
    def __lt__(self, o): grab(o); l.clear(); return True
l = [K(), K(), K(), K()]
each(lambda: heapq.heappush(L(), 1), lambda: heapq.heappop(l), lambda: heapq.heapify(l), lambda: heapq.heapreplace([K()], K()), lambda: heapq.heappushpop([K()], K()), lambda: bisect.insort(S(), 1, key=grab), lambda: bisect.bisect(S(), grab), lambda: heapq.merge(L(), L(), key=grab), lambda: list(heapq.merge([K()], [K()], key=grab)), lambda: heapq.nsmallest(2, S(), key=grab), lambda: heapq._heapify_max(l), lambda: heapq.nlargest(Grabber(), [1]), lambda: bisect.bisect_left([1], 1, Grabber(), Grabber()))
""",
    "sorting that changes the list": """
l = []
class K:
    def __init__(self, v): self.v = v
    def __lt__(self, o): l.append(grab); l.sort(); return True
    def __del__(self): grab(self)
l.extend(K(i) for i in range(4))
def key(x): l.clear(); grab(x); return x
each(lambda: l.sort(), lambda: l.sort(key=key), lambda: sorted(l, key=key), lambda: list.sort(l, key=lambda x: l), lambda: min(l, key=key, default=grab))
d = {}
class H:
    def __hash__(self): return 1
    def __eq__(self, o): d.clear(); d.update({i: i for i in range(50)}); grab(o); return False
each(lambda: d.update({H(): 1}), lambda: d.setdefault(H(), 1), lambda: d.setdefault(H(), grab), lambda: d.pop(H(), None), lambda: {H(), H(), H()} - {H()}, lambda: d == {H(): 1}, lambda: dict.fromkeys([H(), H()]), lambda: {H(): 1} | {H(): 2}, lambda: {H()}.symmetric_difference_update([H(), H()]), lambda: [H()].remove(H()), lambda: [H()].index(H()))
""",
    "buffers that change under a view": """
import array, io, struct
b = bytearray(b'x' * 64); m = memoryview(b); a = array.array('q', [1, 2, 3]); ma = memoryview(a)
class I:
    def __index__(self):
        for f in (b.clear, lambda: a.append(1), m.release, ma.release, lambda: io_.close()):
            try: f()
            except Exception as e: grab(e)
        return 3
    __len__ = __int__ = __index__
io_ = io.BytesIO(b'x' * 64); g = io_.getbuffer()
each(lambda: b.__setitem__(I(), I()), lambda: b.insert(I(), I()), lambda: m.__setitem__(slice(I(), 10), b'x'), lambda: m[I()], lambda: m[I():], lambda: struct.pack_into('q', b, I(), I()), lambda: struct.unpack_from('q', m, I()), lambda: a.__setitem__(I(), I()), lambda: a.insert(I(), 3), lambda: b.pop(I()), lambda: b.extend([I(), I()]), lambda: bytearray([I(), I()]), lambda: io_.read(I()), lambda: io_.seek(I()), lambda: io_.readinto(m), lambda: m.cast('B', [I(), I()]), lambda: m.cast('P'), lambda: bytes(I()), lambda: b.__init__(b), lambda: a.frombytes(m), lambda: b.find(b'x', I(), I()), lambda: b.__iadd__(m), lambda: memoryview(a).__setitem__(0, I()), lambda: a.buffer_info(), lambda: a.__reduce_ex__(3), lambda: array.array('u', 'x').tounicode(), lambda: array._array_reconstructor(array.array, 'q', 1, b'1'), lambda: a.tofile(open('HERE/new', 'wb')), lambda: a.fromfile(open('HERE/link', 'rb'), 3))
""",
    "struct with odd formats": """
import struct
class F(str):
    def encode(self, *a): return grab(*a)
class B(bytes):
    def __buffer__(self, flags): return grab(flags)
each(lambda: struct.pack(F('P'), grab), lambda: struct.unpack('P', b'\\0\\0\\0\\0\\0\\0\\1\\0'), lambda: struct.unpack('O', b'x' * 8), lambda: struct.pack('n', Grabber()), lambda: struct.Struct('P').unpack_from(bytearray(8), Grabber()), lambda: struct.Struct.__init__(struct.Struct('i'), '1000000q'), lambda: struct.iter_unpack('i', b'1234').__reduce__(), lambda: struct._clearcache(), lambda: struct.calcsize(F('i')), lambda: struct.pack('s', B(b'x')), lambda: struct.Struct('q').pack_into(bytearray(8), -2**63, 1), lambda: struct.pack_into('q', bytearray(8), 2**62, 1), lambda: struct.Struct.__new__(struct.Struct).pack(1), lambda: struct.Struct.__new__(struct.Struct).size)
""",
    "uninitialised objects of C": """
import itertools, functools, re, struct, io, csv, collections, weakref, types, operator, contextvars, decimal, datetime, array, random
kinds = [itertools.chain, itertools.islice, itertools.groupby, itertools.tee, itertools.product, itertools.count, itertools.cycle, itertools.accumulate, functools.partial, struct.Struct, io.BytesIO, io.StringIO, collections.deque, collections.OrderedDict, collections.defaultdict, weakref.ref, types.SimpleNamespace, types.GenericAlias, types.MappingProxyType, types.MethodType, operator.itemgetter, operator.attrgetter, operator.methodcaller, property, staticmethod, classmethod, super, memoryview, map, filter, zip, enumerate, reversed, range, slice, type, BaseException, StopIteration, UnicodeDecodeError, UnicodeEncodeError, OSError, ImportError, SyntaxError, contextvars.ContextVar, datetime.timezone, array.array, decimal.Decimal]
for kind in kinds:
    made = None
    for way in (lambda: kind.__new__(kind), lambda: object.__new__(kind), lambda: kind.__new__(kind, 1), lambda: type.__call__(kind)):
        try: made = way()
        except Exception as e: grab(e); continue
        each(lambda: repr(made), lambda: next(made), lambda: len(made), lambda: made(), lambda: made[0], lambda: iter(made), lambda: made.__reduce__(), lambda: hash(made), lambda: made == made, lambda: bool(made), lambda: str(made), lambda: made.__init__(), lambda: list(made), lambda: dir(made), lambda: made.obj, lambda: made.__func__, lambda: made.__self__, lambda: made.__get__(1, int), lambda: made.append(1), lambda: made.read(), lambda: made.size, lambda: made.func)
""",
    "errors with odd parts": """
class S(str):
    def __getitem__(self, i): return grab
    def __len__(self): return 10**9
    def __str__(self): return grab
each(lambda: str(UnicodeDecodeError('utf-8', b'x', 2**40, -5, 'y')), lambda: str(UnicodeEncodeError('utf-8', 'x', 2**40, -5, 'y')), lambda: str(UnicodeTranslateError('x', 5, 9, 'y')), lambda: UnicodeDecodeError('utf-8', b'x', 0, 1, S('y')).__str__(),
     lambda: str(SyntaxError(S('a'), (S('/etc/passwd'), 1, 1, S('x')))), lambda: SyntaxError('a', ('/etc/passwd', 1, 2, None)).text, lambda: SyntaxError('x').print_file_and_line, lambda: OSError(2, 'x', '/etc/passwd').filename, lambda: OSError(grab, grab).__reduce__(), lambda: str(ImportError('x', name=grab, path=grab)), lambda: StopIteration(grab).value, lambda: SystemExit(grab).code, lambda: KeyError(Grabber()).__str__(), lambda: AttributeError('x', obj=nn, name='__globals__').obj, lambda: NameError('x', name='y').name, lambda: BaseExceptionGroup('x', [ValueError(grab)]).exceptions, lambda: ExceptionGroup(S('x'), [ValueError()]).split(grab), lambda: ExceptionGroup('x', [ValueError()]).derive(Grabber()), lambda: UnicodeDecodeError.__init__(UnicodeDecodeError.__new__(UnicodeDecodeError), 'a', b'b', 1, 2, 'c'), lambda: str(UnicodeDecodeError.__new__(UnicodeDecodeError)), lambda: OSError.__new__(OSError).characters_written, lambda: BlockingIOError(1, 'x', 5).characters_written)
""",
    "exception groups and except*": """
class E(Exception):
    def __instancecheck__(cls, o): return grab(o)
class M(type):
    def __instancecheck__(cls, o): grab(o); return True
    def __subclasscheck__(cls, o): grab(o); return True
class G(ExceptionGroup):
    def derive(self, excs): grab(excs); return G('x', excs)
    def split(self, *a): grab(*a); return self, self
    exceptions = property(grab)
try:
    exec('''
try:
    raise ExceptionGroup('x', [ValueError(1), G('y', [TypeError(2)])])
except* ValueError as e:
    grab(e, e.__traceback__, e.__context__)
except* E as e:
    grab(e)
''')
except BaseException as e:
    grab(e)
class X(Exception, metaclass=M): pass
try:
    1 / 0
except X as e:
    grab(e)
except Exception as e:
    grab(e)
class T:
    def __iter__(self): return iter([grab])
for kind in (T(), (X, T), [ValueError], 'x', dict, None, (ValueError, (KeyError, (grab,)))):
    try:
        try: raise ValueError
        except kind: pass
    except BaseException as e: grab(e, e.__context__)
""",
    "exceptions that are hostile everywhere": """
class E(Exception):
    def __str__(self): grab(self); return grab
    __repr__ = __str__
    def __eq__(self, o): grab(o); return True
    def __hash__(self): grab(self); return 1
    @property
    def __class__(self): grab(self); return KeyError
    @property
    def args(self): grab(self); return grab
    @property
    def __traceback__(self): grab(self); return grab
    @property
    def __cause__(self): return grab
    @property
    def __context__(self): return grab
    @property
    def __notes__(self): return [grab]
    __suppress_context__ = property(grab)
    def __getattribute__(self, name): grab(name); return object.__getattribute__(self, name)
    def __reduce__(self): return grab, ()
def f(): raise E('a')
def g():
    try: f()
    finally: f()
import contextlib, functools
each(f, g, lambda: sorted([1, 2], key=lambda x: f()), lambda: list(map(lambda x: f(), [1])), lambda: functools.reduce(lambda a, b: f(), [1, 2]), lambda: max([1, 2], key=lambda x: f()))
with contextlib.suppress(E): f()
class Layer(nn.Module):
    def forward(self, x): f()
each(lambda: Layer()(1), lambda: nn.Sequential(Layer())(torch.zeros(1)), lambda: torch.utils.checkpoint.checkpoint(f), lambda: isinstance(E(), KeyError))
class Net2(nn.Module):
    def __init__(self):
        super().__init__(); self.l = Layer()
    def forward(self, x): return self.l(x)
net2 = Net2()
""",
    "abstract class hook set later": """
import collections.abc, numbers, typing
class A(collections.abc.MutableMapping): pass
A.__subclasshook__ = classmethod(lambda cls, o: True)
type.__setattr__(A, '__subclasshook__', classmethod(lambda cls, o: True))
class B(numbers.Integral): pass
setattr(B, '__subclasshook__', staticmethod(lambda o: True))
class C(A): pass
class Meta(type(A)): pass
D = Meta('D', (A,), {})
Meta.__subclasscheck__ = lambda cls, o: True
Meta.__instancecheck__ = lambda cls, o: True
for o in (int, str, list, float, tuple):
    for b in (collections.abc.MutableMapping, collections.abc.Mapping, collections.abc.Sized, numbers.Integral, numbers.Number, A, B, C, D):
        isinstance(o, b), issubclass(o, b)
""",
    "runtime protocols on host": """
import typing, collections.abc
@typing.runtime_checkable
class P(typing.Protocol):
    def keys(self): ...
@typing.runtime_checkable
class Q(P, collections.abc.Sized, typing.Protocol):
    x: int
class M(type(typing.Protocol)):
    def __init__(cls, *a, **k): grab(cls, *a); super().__init__(*a, **k)
    def __call__(cls, *a): return grab(*a)
class R2(typing.Protocol, metaclass=M):
    def __init__(self): grab(self)
class I(P):
    def __getattr__(self, n): return grab(n)
each(lambda: isinstance({}, P), lambda: isinstance(I(), Q), lambda: issubclass(dict, P), lambda: R2(), lambda: P.__init__(I()), lambda: P.__protocol_attrs__, lambda: setattr(P, '__protocol_attrs__', Grabber()), lambda: isinstance(nn, P), lambda: setattr(typing.Protocol, 'x', 1), lambda: typing._ProtocolMeta, lambda: type(P).register(P, int), lambda: P.__subclasshook__(int), lambda: typing.SupportsInt.register(str), lambda: isinstance('a', typing.SupportsInt), lambda: P.__non_callable_proto_members__, lambda: typing.runtime_checkable(typing.Sized))
""",
    "typing caches": """
import typing
class K:
    def __hash__(self): grab(self); return 5
    def __eq__(self, o): grab(o); return True
class S(str):
    def __hash__(self): return hash('int')
    def __eq__(self, o): grab(o); return True
    def __call__(self): pass
each(lambda: typing.List[K()], lambda: typing.Union[int, K()], lambda: typing.Dict[S('int'), K], lambda: typing.Literal[K(), S('a')], lambda: typing.Optional[K()], lambda: typing.Annotated[int, K()] == typing.Annotated[int, 3], lambda: typing.Tuple[K, ...], lambda: typing.Callable[[K], K()], lambda: typing.Type[K()], lambda: typing.Union[K, S].__args__, lambda: typing._cleanups, lambda: typing._tp_cache, lambda: typing.List[int].__class_getitem__, lambda: typing.Concatenate[K, ...], lambda: typing.TypeVar('T', K, S).__constraints__)
g = [typing.List[int], typing.Union[int, str], typing.Literal[1], typing.Optional[float], typing.Tuple[int, ...]]
for a in g:
    for n in ('__args__', '__origin__', '_name', '_inst', '__parameters__', '__metadata__', '_nparams'):
        each(lambda: setattr(a, n, grab), lambda: object.__setattr__(a, n, grab), lambda: a.__dict__.__setitem__(n, grab), lambda: vars(a).update({n: 1}), lambda: delattr(a, n))
""",
    "typing classes made by hand": """
import typing
for way in (lambda: typing.NamedTuple('N', [('a', grab), ('b', 1)]), lambda: typing.TypedDict('T', {'a': grab, '__class__': int}), lambda: typing.NamedTupleMeta('X', (typing.NamedTuple,), {'__annotations__': {'a': int}}), lambda: type(typing.TypedDict('T', {}))('Y', (dict,), {'__annotations__': {'a': '__import__("os")'}}), lambda: typing.TypeVar('T', bound=grab).__bound__, lambda: typing.ParamSpec('P').__call__(), lambda: typing.NewType('N', grab)(nn), lambda: typing.NewType.__init__(typing.NewType('A', int), Grabber(), int), lambda: typing.TypeVarTuple('Ts').__iter__().__next__().__class__, lambda: typing.Generic.__class_getitem__.__func__(dict, int), lambda: typing.Generic.__init_subclass__.__func__(dict), lambda: typing._GenericAlias(grab, (int,))(), lambda: typing._SpecialForm(grab)[1], lambda: typing._SpecialForm.__getitem__(Grabber(), 1), lambda: typing.Any.__new__(typing.Any), lambda: typing.cast('__import__("os")', 1), lambda: typing.get_type_hints(typing.NamedTuple('N', [('a', '__import__("os").system("touch HERE/new")')])), lambda: typing.assert_type(grab, 1), lambda: typing.reveal_type(grab), lambda: typing.get_origin(Grabber()), lambda: typing.get_args(Grabber()), lambda: typing.is_typeddict(Grabber()), lambda: typing.dataclass_transform()(grab)):
    each(way)
class A(typing.Any): pass
class B(typing.Generic[typing.TypeVar('T')]):
    def __class_getitem__(cls, k): grab(cls, k); return super().__class_getitem__(k)
    def __init_subclass__(cls): grab(cls)
class C(B[int]): pass
each(lambda: A(), lambda: B[int]().__orig_class__, lambda: setattr(B[int], 'x', grab), lambda: C.__orig_bases__[0].__mro_entries__((1,)), lambda: B[int].__call__.__func__, lambda: B[int].__getattr__('__globals__'), lambda: B[int].__init_subclass__)
""",
    "generic aliases with hooks": """
import types, typing
class O:
    def __call__(self, *a): grab(*a); return O2()
    def __getattr__(self, n): grab(n); return grab
    def __mro_entries__(self, b): return (dict,)
    __parameters__ = property(grab)
    def __typing_subst__(self, x): grab(x); return grab
    def __typing_prepare_subst__(self, *a): grab(*a); return [grab]
    def __eq__(self, o): grab(o); return True
    def __hash__(self): return 1
    def __iter__(self): return iter([grab])
class O2:
    def __setattr__(self, n, v): grab(n, v)
a = types.GenericAlias(O(), (O(), typing.TypeVar('T')))
each(lambda: a(1), lambda: a.foo, lambda: a[int], lambda: a == a, lambda: hash(a), lambda: a.__parameters__, lambda: list(a), lambda: a | int, lambda: a.__unpacked__, lambda: a.__copy__(), lambda: a.__dir__(), lambda: repr(a), lambda: isinstance(1, a), lambda: a.__instancecheck__(1), lambda: type.__call__(types.GenericAlias, O(), O())(), lambda: types.GenericAlias(len, ())([1]), lambda: types.GenericAlias(getattr, ())(len, '__self__'), lambda: types.GenericAlias(vars, ())(nn), lambda: types.GenericAlias(type, ())(nn), lambda: types.GenericAlias(object.__getattribute__, ())(len, '__self__'), lambda: types.GenericAlias(print, ()).__self__, lambda: types.GenericAlias(torch, ()).__dict__, lambda: types.GenericAlias(grab, ()).__code__, lambda: types.UnionType)
class B(a): pass
grab(B)
""",
}

LIBRARY_ROADS: dict[str, str] = {name: _FEW + text for name, text in _ROADS.items()}
