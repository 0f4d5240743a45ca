"""Short hostile programs: a few objects with special methods, handed to what a target can reach, in many forms."""

from __future__ import annotations

import random
import re

_WAY = re.compile(r"[A-Za-z_]\w*(?:\.\w+|\(\.\.\.\))*")
_METHODS = (
    "__init__ __call__ __getattr__ __getattribute__ __setattr__ __delattr__ __eq__ __ne__ __lt__ __hash__ __repr__ __str__ __bytes__ "
    "__len__ __length_hint__ __iter__ __next__ __reversed__ __bool__ __getitem__ __setitem__ __delitem__ __contains__ __missing__ "
    "__enter__ __exit__ __new__ __get__ __set__ __delete__ __set_name__ __init_subclass__ __class_getitem__ __index__ __int__ __float__ "
    "__complex__ __round__ __trunc__ __add__ __radd__ __iadd__ __mul__ __rmul__ __matmul__ __mod__ __pow__ __lshift__ __or__ __and__ "
    "__neg__ __invert__ __divmod__ __format__ __dir__ __sizeof__ __instancecheck__ __subclasscheck__ __subclasshook__ __prepare__ "
    "__mro_entries__ mro __del__ __reduce__ __reduce_ex__ __getstate__ __setstate__ __getnewargs__ __copy__ __deepcopy__ __replace__ "
    "__fspath__ __buffer__ __array__ __array_interface__ __array_function__ __array_ufunc__ __array_priority__ __torch_function__ "
    "__class__ __dict__ __doc__ __module__ __name__ __qualname__ __slots__ __match_args__ __annotations__ __abstractmethods__ "
    "__wrapped__ __self__ __func__ __code__ __globals__ __closure__ __defaults__ __signature__ __text_signature__ __path__ __file__ "
    "__loader__ __spec__ __bases__ __mro__ __await__ __aiter__ __anext__ __aenter__ keys items values read write fileno close send throw "
    "_fields _asdict _missing_ _generate_next_value_ _value_ __members__ __origin__ __args__ __parameters__ __post_init__ "
    "__dataclass_fields__ __dataclass_params__ __forward_arg__ __type_params__ __static_attributes__ __firstlineno__ forward "
    "parameters state_dict named_modules _modules _parameters __jit_unused_properties__ extra_repr shape dtype device __dlpack__"
).split()  # fmt: skip
_BASES = (
    "", "", "", "", "list", "dict", "str", "tuple", "int", "float", "bytes", "set", "type", "Exception", "BaseException", "property",
    "nn.Module", "torch.Tensor", "metaclass=M", "list, metaclass=M", "enum.Enum", "abc.ABC", "typing.Generic[T]", "typing.NamedTuple",
    "typing.Protocol", "collections.abc.Mapping", "collections.OrderedDict", "np.ndarray", "torch.nn.Parameter", "Old",
    "types.SimpleNamespace", "string.Template", "functools.partial", "collections.UserDict", "threading.local", "io.StringIO",
)  # fmt: skip
_RESULTS = (
    "args[-1] if args else self", "self", "args", "None", "NotImplemented", "1", "-1", "0", "True", "''", "'__globals__'", "[]", "{}", "()",
    "type(self)", "object", "type", "lambda *a, **k: loot(a)", "iter([self])", "Old()", "super()", "10**9", "float('nan')", "loot",
    "{'shape': (4,), 'typestr': '|u1', 'data': (4096, False), 'version': 3}", "(type, ('X', (), {}))", "(getattr, (object, '__subclasses__'))",
    "__import__", "globals()", "locals()", "self.__class__", "[args, kwargs]", "(yield)", "len", "torch.zeros(2)", "np.zeros(2)", "b'\\x80\\x04.'",
)  # fmt: skip
_ARGUMENTS = (
    "o", "p", "C", "o", "p", "D", "[o]", "(o, p)", "{'a': o}", "{o: 1} if 0 else o", "iter([o, p])", "lambda *a, **k: (loot(a), loot(k))[0]",
    "'__globals__'", "'{0.__class__.__mro__}'", "'os'", "'x'", "b'x'", "1", "0", "-1", "2**64", "None", "object", "type", "len", "loot", "print",
    "nn.Linear", "nn.Linear(2, 2)", "torch.zeros(2)", "np.zeros(3)", "(i for i in (o, p))", "functools.partial(o, p)", "map(o, [p])", "...",
    "range(3)", "slice(o, p)", "'a.b.c'", "'%s %(x)s'", "memoryview(b'abc')", "bytearray(4)", "C.__dict__", "vars(o)", "globals()", "__builtins__",
    "super", "property(o)", "staticmethod(o)", "classmethod(o)", "Exception(o)", "float('inf')", "1j", "frozenset([1])", "'/etc/passwd'", "'HERE/x'",
    "open", "exec", "eval", "compile", "getattr", "setattr", "__import__", "'__import__(\"os\").system(\"touch HERE/x\")'", "__name__", "__file__",
    "importlib", "sys", "sys.modules", "typing.Any", "typing.List[int]", "T", "collections.deque([o])", "weakref.ref(C)", "re.compile('(a+)+$')",
)  # fmt: skip
_FORMS = (
    "{a}.{m}", "{a}.{m}({b})", "{a}[{b}]", "{a} + {b}", "{a} @ {b}", "{a} % {b}", "{a} | {b}", "{a} in {b}", "{a} == {b}", "{a} < {b} < {a}",
    "not {a}", "-{a}", "~{a}", "[*{a}]", "{{**{a}}}", "f(*{a}, **{b})", "{a}({b})", "{a}(**{b})", "f'{{{a}!r:>{{{b}}}}}'", "f'{{{a}:{{{b}}}}}'",
    "[x for x in {a} if {b}]", "{{x: y for x, y in {a}}}", "{a} if {b} else f", "(lambda x={a}: x.{m})()", "getattr({a}, {b})", "setattr({a}, {b}, f)",
    "isinstance({a}, {b})", "issubclass({a}, {b})", "type({a})({b})", "type('Z', ({a},), {{}})", "type('Z', (), {b})", "'{{0.{m}}}'.format({a})",
    "'%s' % ({a},)", "format({a}, {b})", "copy.copy({a})", "copy.deepcopy({a})", "sorted([{a}, {b}])", "{a}.__class__", "{a}.__dict__", "vars({a})",
    "operator.attrgetter('{m}')({a})", "operator.methodcaller('{m}', {b})({a})", "next({a})", "{a}.__reduce_ex__(4)", "type({a}).{m}({a}, {b})",
    "functools.reduce({a}, {b})", "dir({a})", "help({a})", "inspect.signature({a})", "eval({b}, {a})", "exec({b}, {a})", "super(C, {a}).{m}",
    "torch.as_tensor({a})", "np.asarray({a})", "np.array([{a}], dtype={b})", "torch.cat([{a}, {b}])", "nn.Sequential({a}, {b})", "list({a})", "dict({a})",
    "nn.Module.__setattr__({a}, '{m}', {b})", "object.__getattribute__({a}, '{m}')", "type.__getattribute__(C, '{m}')", "typing.get_type_hints({a})",
    "dataclasses.make_dataclass('Z', {b}, bases=({a},))", "enum.Enum('Z', {b}, type={a})", "collections.namedtuple('Z', {b})", "string.Formatter().vformat({b}, {a}, {a})",
)  # fmt: skip
_STATEMENTS = (
    "for x in {a}:\n        loot(x)", "with {a} as x:\n        loot(x)", "del {a}.{m}", "del {a}[{b}]", "{a}.{m} = {b}", "{a}[{b}] = {a}", "x, *y = {a}\n    loot(y)",
    "raise {a} from {b}", "assert {a}, {b}", "import {i}", "from {i} import *\n    loot(globals())", "from {i} import {m}\n    loot({m})", "o += {a}", "o @= {a}",
    "match {a}:\n        case C(x):\n            loot(x)\n        case {{'k': x, **y}}:\n            loot(y)\n        case [x, *y]:\n            loot(x)",
    "class Z({a}, {k}={b}):\n        {m} = {b}\n    loot(Z)", "@{a}\n    def z(x: {b} = f) -> {a}:\n        return x\n    loot(z(o))", "@{a}\n    class Z:\n        x = {b}\n    loot(Z)",
    "try:\n        raise {a}\n    except {b} as e:\n        loot(e.__traceback__)\n        loot(e.__context__)", "{a}.__class__ = {b}", "C.{m} = {a}", "C.__bases__ = ({a},)",
    "def z():\n        yield from {a}\n    for x in z():\n        loot(x)", "g = (x for x in {a})\n    loot(g.{m})\n    g.throw({b})", "global loot\n    loot = {a}", "return_ = [loot(i) for i in zip({a}, {b})]",
    "async def z():\n        async with {a} as x:\n            loot(x)\n    loot(z().{m})", "type X = {a}\n    loot(X.{m})", "def z[T: {a}](x: T = {b}):\n        return T\n    loot(z())",
)  # fmt: skip
_IMPORTED = (
    "abc collections copy dataclasses enum functools importlib inspect io operator re string sys threading types typing weakref torch"
).split()  # fmt: skip
_HEAD = (
    "from torch import nn",
    "T = typing.TypeVar('T')",
    "f = lambda *a, **k: loot(a)",
    "class Old: pass",
    "class M(type): pass",
)


class Fragments:
    """Writes short programs around what an inventory has reached, given by the ways that lead there."""

    def __init__(self, ways: list[str]) -> None:
        self._ways = sorted(way.replace("(...)", "(o)") for way in ways if _WAY.fullmatch(way))

    def program(self, chance: random.Random, attacks: int) -> str:
        """Return a program with some attacks, and a small network at its end."""
        both = attacks > 1
        parts = [_class("C", chance), _class("D", chance) if both else "D = C\n"]
        parts.append(_guarded("o = p = f", "o = C()", "p = D(o)" if both else "p = o"))
        imports: set[str] = set()
        for _ in range(attacks):
            parts.append(_guarded(self._attack(chance, imports)))
        text = "".join(parts) + "net = nn.Linear(2, 3)\n"
        words = {*re.findall(r"\w+", text)}
        head = [line for line in _HEAD if not line.startswith("T ") or "T" in words]
        imports |= words.intersection(_IMPORTED) | ({"typing"} if "T" in words else set())
        numpy = ["import numpy as np"] if "np" in words else []
        imports |= {"collections.abc"} if "collections" in imports else set()
        return "\n".join([*(f"import {name}" for name in sorted(imports)), *numpy, *head, text])

    def _attack(self, chance: random.Random, imports: set[str]) -> str:
        if chance.random() < 0.5 and self._ways:
            way = chance.choice(self._ways)
            imports.add(way.partition(".")[0].partition("(")[0])
            given = ", ".join(chance.choice(_ARGUMENTS) for _ in range(chance.choice((1, 1, 2, 2, 3))))
            return f"r = {way}({given})\nloot(r)\nfor x, _ in zip(r, range(9)):\n    loot(x)"
        statement = chance.random() < 0.4
        form = chance.choice(_STATEMENTS if statement else _FORMS)
        filled = form.format(
            a=chance.choice(_ARGUMENTS), b=chance.choice(_ARGUMENTS), m=chance.choice(_METHODS), k=chance.choice(("metaclass", "x")),
            i=chance.choice(("os", "sys", "importlib", "builtins", "model", "posix", "_io", "ctypes", "gc", "pickle", "hostile_mark", "marshal")),
        )  # fmt: skip
        return filled.replace("\n    ", "\n") if statement else f"r = {filled}\nloot(r)"


def _guarded(*lines: str) -> str:
    body = "\n".join(lines).replace("\n", "\n    ")
    return f"try:\n    {body}\nexcept Exception as e:\n    loot(e)\n"


def _class(name: str, chance: random.Random) -> str:
    """Return a class whose special methods keep what they get, and answer with something odd."""
    base = chance.choice(_BASES)
    lines = [f"class {name}({base}):" if base else f"class {name}:"]
    for method in chance.sample(_METHODS, chance.randint(1, 4)):
        result = chance.choice(_RESULTS)
        kind = chance.random()
        if kind < 0.25:
            lines.append(
                f"    {method} = {result.replace('self', 'Old').replace('args[-1]', 'Old') if 'yield' not in result else 1}"
            )
            continue
        if kind > 0.95:
            lines.append(f"    @{chance.choice(('property', 'staticmethod', 'classmethod', 'functools.cache'))}")
        lines.append(f"    def {method}(self, *args, **kwargs):\n        loot((args, kwargs))\n        return {result}")
    return _guarded("\n".join(lines)).replace(
        "except Exception as e:\n    loot(e)\n", f"except Exception:\n    {name} = Old\n"
    )
