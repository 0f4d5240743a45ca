"""How generated programs come to a change or not: branches, loops, handlers, calls and callbacks on an open decision.

Each function takes the lines of a change and returns lines that make it, or not, as something open decides.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from benchmarks.soundness import decisions
from benchmarks.soundness.writing import Lines, Part, State, block

Control = Callable[[Part, State, Lines, str], Lines]


def function(part: Part, state: State, body: Lines, site: str) -> tuple[Lines, str]:
    """Return the definition of a function that does what a body does, and a call of it."""
    places = ["nested"]
    declared = _declared(state, body, site)
    if site == "init" and set(state.objects) == {"self"} and not declared:
        places += ["method", "method"]
    if state.objects and not declared and not _unreachable(state, body):
        places += ["module", "module"]
    place = "nested" if site == "module" else part.rng.choice(places)
    name = part.name("change")
    part.tag(f"call: {'module' if site == 'module' else place} function")
    if place == "nested":
        return block(f"def {name}():", [*declared, *body]), f"{name}()"
    if place == "method":
        part.members += block(f"def {name}(self):", body)
        return [], f"self.{name}()"
    taken = ", ".join(state.objects)
    part.top += block(f"def {name}({taken}):", body)
    return [], f"{name}({taken})"


def _declared(state: State, body: Lines, site: str) -> Lines:
    """Return the declaration that a function needs to rebind what a body rebinds."""
    names = rebound(state, body)
    if not names:
        return []
    return [f"{'global' if site == 'module' or is_global(state, names[0]) else 'nonlocal'} {', '.join(names)}"]


def is_global(state: State, name: str) -> bool:
    """Tell whether a name is bound at the top of the module."""
    return name.isupper() or any(line.startswith(f"{name} = ") for line in state.top)


def rebound(state: State, body: Lines) -> list[str]:
    """Return the names of a state that a body rebinds."""
    bound = _bound("\n".join(body))
    return sorted(bound & {state.rebinds, *state.objects})


def _bound(text: str) -> set[str]:
    nodes = ast.walk(ast.parse(text))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _unreachable(state: State, body: Lines) -> bool:
    """Tell whether a body reads local names that a function at the top of the module is not given."""
    text = "\n".join(body)
    bound = _bound(text)
    read = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)} - bound
    known = {
        "nn",
        "torch",
        "setattr",
        "vars",
        "next",
        "range",
        "list",
        "map",
        "hasattr",
        "dict",
        "functools",
        "importlib",
    }
    known |= {
        "print",
        "logging",
        "warnings",
        "len",
        "random",
        "time",
        "os",
        "socket",
        "platform",
        "datetime",
        "getpass",
        "id",
        "hash",
        "object",
        "bool",
        "pathlib",
    }
    return any(name not in known and name not in state.objects and not name[:1].isupper() for name in read)


def branch(part: Part, state: State, body: Lines, site: str) -> Lines:
    """`if`."""
    return block(f"if {part.test(site)}:", body)


def either(part: Part, state: State, body: Lines, site: str) -> Lines:
    """`else`."""
    return [*block(f"if {part.test(site)}:", ["pass"]), *block("else:", body)]


def branch_on_call(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A function that is called in a branch."""
    lines, call = function(part, state, body, site)
    return [*lines, *block(f"if {part.test(site)}:", [call])]


def early_return(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A function that returns before the change."""
    test = part.test(site)
    if test not in [decision.text for decision in part.draft.decisions] or "x[" in test:
        return block(f"if {test}:", body)
    lines, call = function(part, state, [*block(f"if {test}:", ["return"]), *body], site)
    return [*lines, call]


def conjunction(part: Part, state: State, body: Lines, site: str) -> Lines:
    """`and` and `or` with a call."""
    lines, call = function(part, state, body, site)
    return [*lines, part.rng.choice([f"({part.test(site)}) and {call}", f"({part.test(site)}) or {call}"])]


def conditional_expression(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A conditional expression with a call."""
    lines, call = function(part, state, body, site)
    return [*lines, f"{call} if {part.test(site)} else None"]


def walrus(part: Part, state: State, body: Lines, site: str) -> Lines:
    """An assignment expression."""
    return block(f"if ({part.name('flag')} := {part.test(site)}):", body)


def negated_flag(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A flag that is bound in a branch, and tested later."""
    name = part.name("ready")
    return [f"{name} = False", *block(f"if {part.test(site)}:", [f"{name} = True"]), *block(f"if {name}:", body)]


def matching(part: Part, state: State, body: Lines, site: str) -> Lines:
    """`match`."""
    cases = [*block("case True:", body), *block("case _:", ["pass"])]
    return block(f"match bool({part.test(site)}):", cases)


def breaking(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A loop that ends before the change."""
    index = part.name("step")
    inner = [*block(f"if {part.test(site)}:", ["break"]), *block(f"if {index} == 0:", body)]
    return block(f"for {index} in range(2):", inner)


def continuing(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A loop that passes over the change."""
    index = part.name("step")
    inner = [*block(f"if {index} != 1:", ["continue"]), *block(f"if {part.test(site)}:", ["continue"]), *body]
    return block(f"for {index} in range(3):", inner)


def loop_else(part: Part, state: State, body: Lines, site: str) -> Lines:
    """The `else` of a loop."""
    inner = block(f"if {part.test(site)}:", ["break"])
    return [*block("for _ in range(1):", inner), *block("else:", body)]


def while_once(part: Part, state: State, body: Lines, site: str) -> Lines:
    """`while` with a test that is open."""
    return block(f"while {part.test(site)}:", [*body, "break"])


def open_range(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A loop whose number of iterations is open."""
    return block(f"for _ in range({part.count()} - 1):", body)


def open_list(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A loop over a list whose length is open."""
    items = part.name("items")
    return [f"{items} = [1] if {part.test(site)} else []", *block(f"for _ in {items}:", body)]


def handler(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A handler that is entered where a call raises."""
    decision = part.decide(decisions.failing(len(part.draft.decisions) + 1))
    return [*block("try:", [decision.text]), *block("except OSError:", body)]


def handler_else(part: Part, state: State, body: Lines, site: str) -> Lines:
    """The `else` of a handler."""
    decision = part.decide(decisions.failing(len(part.draft.decisions) + 1))
    return [*block("try:", [decision.text]), *block("except OSError:", ["pass"]), *block("else:", body)]


def after_failing(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A change that follows a call that may raise, in `try`."""
    decision = part.decide(decisions.failing(len(part.draft.decisions) + 1))
    return [*block("try:", [decision.text, *body]), *block("except Exception:", ["pass"])]


def raising(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A function that raises, in a branch, what is caught outside of it."""
    name = part.name("check")
    part.top += block(f"def {name}(flag):", block("if flag:", ['raise ValueError("not so")']))
    return [*block("try:", [f"{name}({part.test(site)})", *body]), *block("except ValueError:", ["pass"])]


def raising_handled(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A handler of what a function raises in a branch, with `finally`."""
    name = part.name("check")
    part.top += block(f"def {name}(flag):", [*block("if flag:", ['raise KeyError("absent")']), "return 1"])
    return [
        *block("try:", [f"{name}({part.test(site)})"]),
        *block("except (KeyError, TypeError) as error:", body),
        *block("finally:", ["pass"]),
    ]


def guarded_import(part: Part, state: State, body: Lines, site: str) -> Lines:
    """The handler of an import that may fail."""
    decision = part.decide(decisions.guarded_import(len(part.draft.decisions) + 1))
    if part.rng.random() < 0.5:
        return [*block("try:", [decision.text]), *block("except ImportError:", body)]
    name = part.name("HAS")
    part.top[:0] = [
        *block("try:", [decision.text, f"{name} = True"]),
        *block("except ImportError:", [f"{name} = False"]),
    ]
    return block(f"if {name}:", body)


def absent_file(part: Part, state: State, body: Lines, site: str) -> Lines:
    """The handler of a file that is absent."""
    decision = part.decide(decisions.absent_number(len(part.draft.decisions) + 1))
    name = part.name("count")
    if part.rng.random() < 0.5:
        return [*block("try:", [f"{name} = {decision.text}"]), *block("except OSError:", body)]
    return [*block("try:", [f"{name} = {decision.text}", *body]), *block("except FileNotFoundError:", [f"{name} = 0"])]


def suppressed(part: Part, state: State, body: Lines, site: str) -> Lines:
    """`contextlib.suppress` around a call that may raise."""
    decision = part.decide(decisions.failing(len(part.draft.decisions) + 1))
    return block("with contextlib.suppress(OSError):", [decision.text, *body])


def context_manager(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A context manager that swallows what is raised in a branch."""
    name = part.name("Guard")
    part.top += block(
        f"class {name}:",
        [
            *block("def __enter__(self):", ["return self"]),
            *block("def __exit__(self, kind, value, trace):", ["return kind is ValueError"]),
        ],
    )
    return block(f"with {name}():", [*block(f"if {part.test(site)}:", ["raise ValueError"]), *body])


def asserting(part: Part, state: State, body: Lines, site: str) -> Lines:
    """`assert` in `try`."""
    return [*block("try:", [f"assert {part.test(site)}", *body]), *block("except AssertionError:", ["pass"])]


def generator(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A generator that yields in a branch."""
    name = part.name("steps")
    part.top += block(f"def {name}(flag):", block("if flag:", ["yield 1"]))
    return block(f"for _ in {name}({part.test(site)}):", body)


def generator_effect(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A generator that makes the change between two values."""
    name = part.name("walk")
    inner = [*_declared(state, body, site), "yield 0", *body, "yield 1"]
    index = part.name("each")
    loop = block(f"for {index} in {name}():", block(f"if {part.test(site)}:", ["break"]))
    return [*block(f"def {name}():", inner), *loop]


def comprehension(part: Part, state: State, body: Lines, site: str) -> Lines:
    """The filter of a comprehension."""
    lines, call = function(part, state, body, site)
    return [*lines, f"[{call} for _ in range(1) if {part.test(site)}]"]


def mapped(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A callback of `map`, over a list that is open."""
    lines, call = function(part, state, body, site)
    return [*lines, f"list(map(lambda _: {call}, [1] if {part.test(site)} else []))"]


def keyed(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A callback of `sorted`, `filter`, `max` or `reduce` that makes the change in a branch."""
    lines, call = function(part, state, body, site)
    key = part.name("key")
    callback = block(f"def {key}(item, *_):", [*block(f"if {part.test(site)}:", [call]), "return item"])
    use = part.rng.choice(
        [
            f"sorted([1], key={key})",
            f"list(filter({key}, [1]))",
            f"max([1], key={key})",
            f"functools.reduce({key}, [1, 2])",
            f"functools.partial({key}, 1)()",
            f"any({key}(item) for item in [1, 2])",
        ]
    )
    return [*lines, *callback, use]


def table_of_functions(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A function that is chosen from a table by something open."""
    lines, call = function(part, state, body, site)
    test = part.test(site)
    use = part.rng.choice(
        [
            f"[lambda: None, lambda: {call}][int(bool({test}))]()",
            f"{{True: lambda: {call}, False: lambda: None}}[bool({test})]()",
            f'{{"yes": lambda: {call}}}.get("yes" if {test} else "no", lambda: None)()',
        ]
    )
    return [*lines, use]


def argument(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A function that branches on an argument."""
    name = part.name("apply")
    inner = [*_declared(state, body, site), *block("if wanted:", body)]
    return [*block(f"def {name}(wanted, *rest):", inner), f"{name}({part.test(site)})"]


def recursion(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A recursion that ends where something open says so."""
    name = part.name("descend")
    ends = block(f"if level == 0 or {part.test(site)}:", ["return"])
    inner = [*_declared(state, body, site), *ends, *body, f"{name}(level - 1)"]
    return [*block(f"def {name}(level):", inner), f"{name}(1)"]


def decorated(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A decorator that calls what it decorates, or not."""
    name = part.name("when")
    part.top += block(
        f"def {name}(flag):",
        [*block("def wrap(action):", ["return action if flag else (lambda: None)"]), "return wrap"],
    )
    action = part.name("action")
    inner = [*_declared(state, body, site), *body]
    return [f"@{name}({part.test(site)})", *block(f"def {action}():", inner), f"{action}()"]


def loop_closures(part: Part, state: State, body: Lines, site: str) -> Lines:
    """Closures that are made in a loop and called later."""
    lines, call = function(part, state, body, site)
    acts = part.name("acts")
    return [
        *lines,
        f"{acts} = []",
        *block("for wanted in (False, True):", [f"{acts}.append(lambda wanted=wanted: {call} if wanted else None)"]),
        *block(f"if {part.test(site)}:", [f"{acts}.pop()"]),
        *block(f"for act in {acts}:", ["act()"]),
    ]


def never(part: Part, state: State, body: Lines, site: str) -> Lines:
    """A decision that changes nothing: the change is made in any case."""
    name = part.name("note")
    return [f'{name} = "a" if {part.test(site)} else "b"', *body]


def both(part: Part, state: State, body: Lines, site: str) -> Lines:
    """Both sides of a branch make the same change."""
    test = part.test(site)
    return [*block(f"if {test}:", body), *block("else:", body)]


SIMPLE: list[Control] = [branch, either, walrus, negated_flag, matching, never, both]
LOOPS: list[Control] = [breaking, continuing, loop_else, while_once, open_range, open_list, generator, generator_effect]
HANDLERS: list[Control] = [
    handler,
    handler_else,
    after_failing,
    raising,
    raising_handled,
    guarded_import,
    absent_file,
    suppressed,
    context_manager,
    asserting,
]
CALLS: list[Control] = [
    branch_on_call,
    early_return,
    conjunction,
    conditional_expression,
    comprehension,
    mapped,
    keyed,
    table_of_functions,
    argument,
    recursion,
    decorated,
    loop_closures,
]
FAMILIES = [SIMPLE, LOOPS, HANDLERS, CALLS]
