"""Hypothesis strategies for small Python programs: every one of them terminates, many of them raise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from hypothesis import strategies as st

Draw: TypeAlias = Callable[[Any], Any]
Lines: TypeAlias = list[str]

NAMES = ("a", "b", "c")
_CONSTANTS = (
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7",
    "1.5",
    "True",
    "False",
    "None",
    "'x'",
    "'ab'",
    "''",
    "[]",
    "()",
    "{}",
    "(1, 2)",
    "[3, 1]",
)
_BINARY = ("+", "-", "*", "//", "%", "/", "&", "|", "^", "@")
_COMPARE = ("<", "<=", "==", "!=", ">", ">=", "is", "is not", "in", "not in")


@dataclass(frozen=True)
class Context:
    """Where a statement stands: how deep nesting may go, and what may leave it."""

    depth: int = 3
    loop: bool = False
    function: bool = True
    generator: bool = False
    names: tuple[str, ...] = NAMES

    def deeper(self, **changes: Any) -> Context:
        return replace(self, depth=self.depth - 1, **changes)


def indented(lines: Lines) -> Lines:
    """Shift a block one level to the right."""
    return [f"    {line}" for line in lines]


def one_of(draw: Draw, *choices: Any) -> Any:
    """Draw one of some values."""
    return draw(st.sampled_from(choices))


def several(draw: Draw, make: Callable[[], Any], least: int = 0, most: int = 3) -> list[Any]:
    """Draw a few values."""
    return [make() for _ in range(draw(st.integers(least, most)))]


# Expressions


def expression(draw: Draw, at: Context) -> str:
    """Draw an expression over the names in scope."""
    if at.depth <= 0:
        return one_of(draw, *_CONSTANTS, *at.names)
    inner = at.deeper()

    def part() -> str:
        return expression(draw, inner)

    kind = draw(st.integers(0, 17))
    if kind <= 2:
        return one_of(draw, *_CONSTANTS, *at.names)
    if kind == 3:
        return f"({part()} {one_of(draw, *_BINARY)} {part()})"
    if kind == 4:
        return (
            f"({part()}" + "".join(f" {one_of(draw, *_COMPARE)} {part()}" for _ in range(draw(st.integers(1, 2)))) + ")"
        )
    if kind == 5:
        return f"({part()} {one_of(draw, 'and', 'or')} {part()})"
    if kind == 6:
        return f"({one_of(draw, 'not ', '-', '+', '~')}{part()})"
    if kind == 7:
        return f"({part()} if {part()} else {part()})"
    if kind == 8:
        stars = several(draw, lambda: one_of(draw, "", "", "*") + part())
        return "[" + ", ".join(stars) + "]"
    if kind == 9:
        return "(" + "".join(f"{one_of(draw, '', '', '*')}{part()}, " for _ in range(draw(st.integers(0, 3)))) + ")"
    if kind == 10:
        return "{" + ", ".join(several(draw, lambda: f"{part()}: {part()}", 0, 2)) + "}"
    if kind == 11:
        return f"{part()}[{index(draw, inner)}]"
    if kind == 12:
        return comprehension(draw, at)
    if kind == 13:
        return f"note({part()})"
    if kind == 14:
        return f"({one_of(draw, *at.names)} := {part()})" if at.function else part()
    if kind == 15:
        return "f'" + "".join(formatted(draw, at) for _ in range(draw(st.integers(1, 2)))) + "'"
    if kind == 16:
        return f"(lambda {one_of(draw, *NAMES)}={part()}, *r: {expression(draw, replace(inner, function=False))})({part()})"
    return f"{one_of(draw, 'len', 'str', 'list', 'sorted', 'sum', 'bool', 'tuple', 'abs', 'repr')}({part()})"


def index(draw: Draw, at: Context) -> str:
    """Draw what stands between the brackets of a subscript."""
    if one_of(draw, True, False):
        return expression(draw, at)
    parts = [one_of(draw, "", "", "0", "1", "-1", "2", "-2") for _ in range(draw(st.integers(2, 3)))]
    return ":".join(parts)


def formatted(draw: Draw, at: Context) -> str:
    """Draw a replacement field of a formatted string."""
    name = one_of(draw, *at.names)
    return (
        "{"
        + name
        + one_of(draw, "", "!r", "!s", "=", ":>5", ":.1f", ":03d", "!r:^9", ":,")
        + "}"
        + one_of(draw, "", "-")
    )


def comprehension(draw: Draw, at: Context) -> str:
    """Draw a comprehension or a generator expression that is used up at once."""
    inner = replace(at.deeper(), function=False)
    loops = ""
    for _ in range(draw(st.integers(1, 2))):
        source = one_of(draw, "range(3)", "'ab'", "[1, 2]", expression(draw, inner))
        loops += f" for {one_of(draw, *NAMES)} in {source}"
        if one_of(draw, True, False):
            loops += f" if {expression(draw, inner)}"
    value = expression(draw, inner)
    form = draw(st.integers(0, 3))
    if form == 0:
        return f"[{value}{loops}]"
    if form == 1:
        return f"list({value}{loops})"
    if form == 2:
        return "{" + f"{one_of(draw, *NAMES)}: {value}{loops}" + "}"
    return f"tuple({value}{loops})"


# Statements


def block(draw: Draw, at: Context) -> Lines:
    """Draw a block of one to three statements."""
    lines: Lines = []
    for _ in range(draw(st.integers(1, 3))):
        lines += statement(draw, at)
    return lines


def statement(draw: Draw, at: Context) -> Lines:
    """Draw a statement."""
    if at.depth > 0 and draw(st.integers(0, 2)):
        return compound(draw, at)
    return simple(draw, at)


def simple(draw: Draw, at: Context) -> Lines:
    """Draw a statement without a body."""
    inner = replace(at, depth=min(at.depth, 2))
    name = one_of(draw, *at.names)
    kind = draw(st.integers(0, 11))
    if kind <= 1:
        return [f"{name} = {expression(draw, inner)}"]
    if kind == 2:
        return [f"{name} {one_of(draw, *_BINARY)}= {expression(draw, inner)}"]
    if kind == 3:
        targets = one_of(draw, "a, b", "a, *b", "*a, b", "(a, b), c", "[a]", "a, (b, *c)")
        return [f"{targets} = {expression(draw, inner)}"]
    if kind == 4:
        return [f"{name}[{index(draw, at.deeper())}] = {expression(draw, inner)}"]
    if kind == 5:
        return [f"del {name}"] if at.function else ["pass"]
    if kind == 6:
        return [f"assert {expression(draw, inner)}, {expression(draw, inner.deeper())}"]
    if kind == 7:
        error = one_of(draw, "ValueError", "KeyError", "Mine", "TypeError")
        return [f"raise {error}({expression(draw, inner.deeper())}){one_of(draw, '', '', ' from None')}"]
    if kind == 8 and at.loop:
        return [one_of(draw, "break", "continue")]
    if kind == 9 and at.function:
        return [f"return {expression(draw, inner)}"]
    if kind == 10 and at.generator:
        return [
            one_of(
                draw,
                f"{name} = yield {expression(draw, inner)}",
                f"yield from {one_of(draw, '[1, 2]', 'range(2)', name)}",
            )
        ]
    return [f"note({expression(draw, inner)})"]


def compound(draw: Draw, at: Context) -> Lines:
    """Draw a statement with a body."""
    inner = at.deeper()
    kind = draw(st.integers(0, 8))
    if kind == 0:
        lines = [f"if {expression(draw, inner)}:", *indented(block(draw, inner))]
        if one_of(draw, True, False):
            lines += [f"elif {expression(draw, inner)}:", *indented(block(draw, inner))]
        return lines + (["else:", *indented(block(draw, inner))] if one_of(draw, True, False) else [])
    if kind == 1:
        target = one_of(draw, "a", "b", "a, b", "c")
        source = one_of(draw, "range(3)", "'ab'", "[(1, 2), (3, 4)]", "{1: 2}.items()", expression(draw, inner))
        lines = [f"for {target} in {source}:", *indented(block(draw, replace(inner, loop=True)))]
        return lines + (["else:", *indented(block(draw, inner))] if one_of(draw, True, False) else [])
    if kind == 2:
        body = ["fuel()", *block(draw, replace(inner, loop=True))]
        lines = [f"while {expression(draw, inner)}:", *indented(body)]
        return lines + (["else:", *indented(block(draw, inner))] if one_of(draw, True, False) else [])
    if kind in (3, 4):
        return attempt(draw, inner)
    if kind == 5:
        how = one_of(draw, "", "'swallow'", "'raise'")
        return [f"with Manager({how}) as {one_of(draw, *at.names)}:", *indented(block(draw, inner))]
    if kind == 6:
        return match(draw, inner)
    if kind == 7:
        return closure(draw, inner)
    return ["note('block')", *block(draw, inner)]


def attempt(draw: Draw, at: Context) -> Lines:
    """Draw a `try` statement."""
    lines = ["try:", *indented(block(draw, at))]
    handlers = several(
        draw, lambda: one_of(draw, "ValueError", "(KeyError, TypeError)", "Mine", "Exception", "LookupError"), 0, 2
    )
    for kind in handlers:
        name = one_of(draw, "", " as e", " as a")
        body = [*block(draw, at), *one_of(draw, [], ["raise"], ["note(type(e).__name__)"] if name == " as e" else [])]
        lines += [f"except {kind}{name}:", *indented(body)]
    if handlers and one_of(draw, True, False):
        lines += ["else:", *indented(block(draw, at))]
    if not handlers or one_of(draw, True, False):
        lines += ["finally:", *indented(["note('finally')", *block(draw, at)])]
    return lines


def pattern(draw: Draw, depth: int) -> str:
    """Draw a pattern that binds nothing but `b`, and that once."""
    if depth <= 0:
        return one_of(draw, "1", "'x'", "None", "True", "_", "int()", "str()", "[]", "{}", "list()")
    inner = depth - 1
    kind = draw(st.integers(0, 6))
    if kind == 0:
        return f"[{pattern(draw, inner)}, {pattern(draw, inner)}]"
    if kind == 1:
        return f"[{pattern(draw, inner)}, *_]"
    if kind == 2:
        return "{'k': " + pattern(draw, inner) + "}"
    if kind == 3:
        return f"({pattern(draw, 0)} | {pattern(draw, 0)})".replace("_ |", "1 |")
    if kind == 4:
        return f"Point({pattern(draw, inner)}, y={pattern(draw, inner)})"
    if kind == 5:
        return f"(*_, {pattern(draw, inner)})"
    return pattern(draw, 0)


def match(draw: Draw, at: Context) -> Lines:
    """Draw a `match` statement."""
    subject = one_of(draw, "a", "[1, 'x']", "{'k': 1}", "Point(1, 'x')", "(a, b)", "'x'", expression(draw, at))
    lines = [f"match {subject}:"]
    for _ in range(draw(st.integers(1, 3))):
        name = one_of(draw, "", "", " as b")
        guard = one_of(draw, "", "", f" if {expression(draw, at)}")
        found = pattern(draw, 2)
        if found == "_" and (not guard or name):
            found = "int()"
        lines += indented([f"case {found}{name}{guard}:", *indented(block(draw, at))])
    return lines


def closure(draw: Draw, at: Context) -> Lines:
    """Draw a nested function and a call of it."""
    scope = (
        one_of(draw, [], [f"nonlocal {one_of(draw, *NAMES)}"], ["global g"])
        if at.function
        else one_of(draw, [], ["global g"])
    )
    declared = {line.split()[1] for line in scope}
    parameter = one_of(draw, *(name for name in NAMES if name not in declared))
    inside = Context(depth=min(at.depth, 1), names=(*NAMES, "g"))
    body = [*scope, *block(draw, inside)]
    default = expression(draw, at.deeper())
    lines = [f"def inner({parameter}={default}):", *indented(body)]
    return [*lines, f"note(inner({one_of(draw, '', expression(draw, at.deeper()))}))"]


PRELUDE = """
log = []
spent = 0
g = "global"

class Mine(Exception):
    pass

class Stop(Exception):
    pass

class Point:
    __match_args__ = ("x", "y")
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __repr__(self):
        return "Point"

def note(value):
    if len(log) > 200:
        raise Stop("enough")
    log.append(value if isinstance(value, (int, str, float, tuple)) else repr(value))
    return value

def fuel():
    global spent
    spent += 1
    if spent > 20:
        raise Stop("out of fuel")

class Manager:
    def __init__(self, how=None):
        self.how = how
    def __repr__(self):
        return "Manager"
    def __enter__(self):
        note("enter")
        return self.how
    def __exit__(self, kind, value, traceback):
        note(("exit", kind.__name__ if kind else None))
        if self.how == "raise":
            raise KeyError("from exit")
        return self.how == "swallow"

def described(f, *args):
    try:
        return f(*args)
    except Exception as error:
        return type(error).__name__, str(error), type(error.__context__).__name__, type(error.__cause__).__name__
"""


@st.composite
def functions(draw: Draw) -> str:
    """Programs of one function of statements of every kind."""
    body = block(draw, Context(depth=4))
    start = ["a, b, c = 1, [2, 3], 'ab'"]
    lines = [PRELUDE, "def main():", *indented([*start, *body]), "result = described(main), log, g"]
    return "\n".join(lines) + "\n"


@st.composite
def generators(draw: Draw) -> str:
    """Programs of one generator that is resumed in every way."""
    body = block(draw, Context(depth=3, generator=True))
    start = ["a, b, c = 1, [2, 3], 'ab'", "a = yield 'start'"]
    lines = [PRELUDE, "def main():", *indented([*start, *body]), "it = main()", "log.append(described(next, it))"]
    for _ in range(draw(st.integers(1, 5))):
        step = one_of(
            draw,
            "next, it",
            "it.send, 5",
            "it.send, 'sent'",
            "it.throw, ValueError('thrown')",
            "it.throw, Mine('m')",
            "it.close",
        )
        lines.append(f"log.append(described({step}))")
    return "\n".join([*lines, "result = log, g"]) + "\n"


_PARAMETERS = ("p", "q", "r", "s")


@st.composite
def signatures(draw: Draw) -> str:
    """Programs that call a function of parameters of every kind with arguments that fit or do not."""
    names = list(_PARAMETERS[: draw(st.integers(0, 4))])
    cut = sorted(draw(st.lists(st.integers(0, len(names)), min_size=2, max_size=2)))
    parts: Lines = []
    defaulted = False
    for position, name in enumerate(names):
        if position == cut[0] and cut[0] > 0:
            parts.append("/")
        if position == cut[1]:
            parts.append(one_of(draw, "*", "*args"))
            defaulted = False
        defaulted = (defaulted and position < cut[1]) or one_of(draw, True, False)
        parts.append(f"{name}={position}" if defaulted else name)
    if "*" not in parts and "*args" not in parts and one_of(draw, True, False):
        parts.append("*args")
    if one_of(draw, True, False):
        parts.append("**kwargs")
    calls = []
    for _ in range(draw(st.integers(1, 5))):
        given = [str(10 + n) for n in range(draw(st.integers(0, 4)))]
        if one_of(draw, True, False):
            given.append(one_of(draw, "*[20]", "*()", "*'ab'"))
        named = draw(st.lists(st.sampled_from((*_PARAMETERS, "z")), max_size=3, unique=True))
        given += [f"{name}='{name}'" for name in named]
        if one_of(draw, True, False):
            extra = draw(st.lists(st.sampled_from((*_PARAMETERS, "z", "y")), max_size=2, unique=True))
            given.append("**{" + ", ".join(f"'{name}': 1" for name in extra) + "}")
        calls.append(f"attempt(lambda: f({', '.join(given)}))")
    lines = [
        "def attempt(call):",
        "    try:",
        "        return call()",
        "    except TypeError as error:",
        "        return str(error).partition('. Did you mean')[0]",
        f"def f({', '.join(parts)}):",
        "    return sorted(locals().items())",
        f"result = [{', '.join(calls)}]",
    ]
    return "\n".join(lines) + "\n"


@st.composite
def hierarchies(draw: Draw) -> str:
    """Programs of a few classes that inherit from each other, with methods that call `super()`."""
    lines = [
        "log = []",
        "def attempt(f):",
        "    try:",
        "        return f()",
        "    except Exception as error:",
        "        return type(error).__name__, str(error)",
        "class Root:",
        "    x = 'Root'",
        "    def f(self): return ['Root.f']",
        "    def __init__(self, *args, **kwargs): self.made = [('Root', args, kwargs)]",
        "    def __getattr__(self, name): return f'missing {name}' if name == 'm' else super().__getattribute__(name)",
    ]
    made = ["Root"]
    for name in "ABCD"[: draw(st.integers(1, 4))]:
        bases = draw(st.lists(st.sampled_from(made), min_size=1, max_size=2, unique=True))
        body: Lines = []
        for member in draw(st.lists(st.integers(0, 7), max_size=5, unique=True)):
            body += {
                0: [f"x = '{name}'"],
                1: ["def f(self): return [__class__.__name__ + '.f'] + super().f()"],
                2: ["@property", "def p(self): return __class__.__name__, getattr(super(), 'p', 'no p')"],
                3: ["@classmethod", "def k(cls): return cls.__name__, getattr(super(), 'x', None)"],
                4: [
                    "def __init__(self, *args, **kwargs):",
                    "    super().__init__(*args, **kwargs)",
                    f"    self.made.append('{name}')",
                ],
                5: [
                    "def __init_subclass__(cls, **kwargs):",
                    "    super().__init_subclass__(**kwargs)",
                    f"    log.append(('{name}', cls.__name__))",
                ],
                6: [f"__secret = '{name}'", "def s(self): return self.__secret"],
                7: [
                    "def __eq__(self, other): return ('eq', type(other).__name__)",
                    "def __add__(self, other): return NotImplemented",
                ],
            }[member]
        lines += [
            "try:",
            f"    class {name}({', '.join(bases)}):",
            *indented(indented(body or ["pass"])),
            "except TypeError as error:",
        ]
        lines += ["    log.append(str(error))", f"    {name} = Root"]
        made.append(name)
    last = made[-1]
    checks = ["x", "f()", "p", "k()", "s()", "made", "m", "nothing", "__class__.__name__"]
    reads = ", ".join(f"attempt(lambda: o.{check})" for check in checks)
    lines += [
        f"o = attempt(lambda: {last}(1, k=2))",
        f"result = [{reads}, [c.__name__ for c in {last}.__mro__], log, attempt(lambda: o == 1), attempt(lambda: o + 1), sorted(vars(o))]",
    ]
    return "\n".join(lines) + "\n"


@st.composite
def formats(draw: Draw) -> str:
    """Programs that format values in every way."""
    values = (
        "3",
        "-17",
        "2.5",
        "1e20",
        "'text'",
        "True",
        "None",
        "[1, 'a']",
        "1234567",
        "0.000123",
        "(1,)",
        "float('nan')",
    )
    pieces = []
    for _ in range(draw(st.integers(1, 6))):
        value = one_of(draw, *values)
        spec = one_of(draw, "", "*") + one_of(draw, "", "<", ">", "^", "=") if one_of(draw, True, False) else ""
        spec = spec if spec != "*" else ""
        spec += (
            one_of(draw, "", "+", " ", "#")
            + one_of(draw, "", "0")
            + one_of(draw, "", "8", "12")
            + one_of(draw, "", ",", "_")
        )
        spec += one_of(draw, "", ".2", ".0") + one_of(draw, "", "d", "f", "s", "e", "g", "x", "%", "b", "n", "q")
        conversion = one_of(draw, "", "!r", "!s", "!a")
        pieces += [
            f"attempt(lambda v={value}: f'{{v{conversion}:{spec}}}')",
            f"attempt(lambda v={value}: '{{0{conversion}:{spec}}}'.format(v))",
            f"attempt(lambda v={value}: '%{one_of(draw, '5', '-8', '+', '.3', '')}{one_of(draw, 'd', 's', 'r', 'f', 'g', 'x', 'i')}' % v)",
        ]
    lines = [
        "def attempt(f):",
        "    try:",
        "        return f()",
        "    except Exception as error:",
        "        return type(error).__name__, str(error)",
        f"result = [{', '.join(pieces)}]",
    ]
    return "\n".join(lines) + "\n"


@st.composite
def modules(draw: Draw) -> str:
    """Programs whose statements stand at module level, where names are globals."""
    body = block(draw, Context(depth=3, function=False))
    lines = [PRELUDE, "a, b, c = 1, [2, 3], 'ab'", "try:", *indented(body), "except Exception as error:"]
    lines += [
        "    log.append((type(error).__name__, str(error)))",
        "result = log, [repr(globals().get(n, 'unbound')) for n in 'abcg']",
    ]
    return "\n".join(lines) + "\n"
