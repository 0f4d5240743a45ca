"""What calling a function or a class can change, or read, of the variables of modules: an analysis of its source.

It is conservative. A definition has no effect if all that it names outside of itself is a function or class without one,
a constant, or something of a library. What it does to its arguments and to what it creates concerns its caller.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from cutaway.core.pattern import pattern
from cutaway.core.record import dataclass, field
from cutaway.interp.modules.called_parts import (
    keep_called_methods,
    remove_uncalled,
    with_called_methods,
    without_strings,
)
from cutaway.interp.modules.name_resolution import BUILTIN, LIBRARY, MODULE, UNKNOWN, VARIABLE, Meaning, Names
from cutaway.interp.modules.variable_bindings import is_constant, is_registry, value_text
from cutaway.syntax.outline import CLASS, FUNCTION, header
from cutaway.syntax.scope import FUNCTIONS, push_children, targets, walk

ACTING_BUILTINS = frozenset("exec eval compile setattr delattr __import__ globals vars locals breakpoint".split())
READING_BUILTINS = frozenset(
    "len sorted list tuple set frozenset dict iter enumerate bool str repr print isinstance min max sum any all zip map"
    " filter reversed type id hasattr getattr".split()
)
READING_METHODS = frozenset("get items keys values copy index count format join split startswith endswith".split())
_FILLING_METHODS = frozenset(("setdefault", "add", "update"))
ACTING_LIBRARY = ("importlib.import_module", "importlib.reload", "sys.path", "sys.meta_path", "sys.modules",
                  "os.putenv", "os.environ.setdefault", "os.environ.update", "os.environ.pop", "os.environ.clear", "runpy.", "pkgutil.", "random.seed")  # fmt: skip
"""Parts of the standard library that change what a program sees elsewhere, or import more."""


@dataclass(slots=True)
class Effect:
    """What evaluating something does outside of itself.

    `reason` says what it does that can't be bounded. `states` are modules whose variables it may change, and classes, after
    a colon; `reads` are variables of modules that it only reads; `fills` are the registries that it enters something into,
    by module and name: True where the keys are words of its source.
    """

    reason: str | None = None
    states: dict[str, str] = field(default_factory=dict)
    reads: dict[tuple[str, str], str] = field(default_factory=dict)
    fills: dict[tuple[str, str], bool] = field(default_factory=dict)

    def add(self, other: Effect) -> None:
        """Add what something else does."""
        self.reason = self.reason or other.reason
        self.states.update(other.states)
        self.reads.update(other.reads)
        for registry, by_word in other.fills.items():
            self.fill(registry, by_word)

    def __bool__(self) -> bool:
        return bool(self.reason or self.states or self.reads or self.fills)

    def fill(self, registry: tuple[str, str], by_word: bool) -> None:
        """Add a registry that is filled."""
        self.fills[registry] = by_word and self.fills.get(registry, True)


_NAME = pattern(rb"[A-Za-z_]\w*")
_TELLING_WORDS = frozenset(
    b"global nonlocal import setattr delattr exec eval globals locals vars compile __import__ cls mcs __class__"
    b" __dict__ modules environ".split()
)
_HELD = pattern(rb"\n[ \t]+\w+(?:[ ]*:[^=\n]*)?[ ]*=[ ]*(?:\[|\{|dict\(|list\(|set\(|\w*[dD]ict\()")


class DefinitionEffects:
    """The effects of functions and classes, each analysed once."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._known: dict[tuple[str, str], Effect] = {}
        self._running: list[int] = []  # for each analysis in progress, the first one in progress that it relies on
        self._incomplete: dict[tuple[str, str], int] = {}  # the first analysis in progress that an effect relies on
        self.imports_act: Callable[[str, str | None], bool] = lambda module, attribute: True

    def of(self, meaning: Meaning, methods: frozenset[str] = frozenset(), calls: int = 2) -> Effect:
        """Return the effect of calling a function, or of creating instances of a class and calling some methods.

        Two `calls` mean that what the function returns is called, too, as a decorator with arguments is.
        """
        variant = calls if meaning.kind == FUNCTION else ",".join(sorted(methods))
        key = meaning.module, f"{meaning.name}:{meaning.chunk.start if meaning.chunk else 0}:{variant}"
        return self._once(key, lambda: self._analyse(meaning, methods, calls))

    def _once(self, key: tuple[str, str], analyse: Callable[[], Effect]) -> Effect:
        """Return the effect of a definition, analysed if it is not known.

        Definitions that call each other in a circle are analysed from the first one on, which gets the effects of all.
        Those of the others are incomplete where they rely on one that is still being analysed, and are analysed again when
        they are asked for later.
        """
        known = self._known.get(key)
        if known is not None:
            if self._running:
                self._running[-1] = min(self._running[-1], self._incomplete.get(key, self._running[-1]))
            return known
        effect = self._known[key] = Effect()
        depth = len(self._running)
        self._incomplete[key] = depth
        self._running.append(depth)
        effect.add(analyse())
        first = self._running.pop()
        if first < depth:
            self._incomplete[key] = first
            self._running[-1] = min(self._running[-1], first)
            return effect
        for other in [other for other, relied_on in self._incomplete.items() if relied_on >= depth]:
            del self._incomplete[other]
            if effect and other != key:
                del self._known[other]
        return effect

    def of_maker(self, meaning: Meaning) -> Effect | None:
        """Return the effect of calling a variable that a call of a function has made; None for any other variable."""
        state = self._names.state(meaning.module)
        if state is None or meaning.chunk is None or len(self._names.outline(state).names[meaning.name]) > 1:
            return None
        head, call, _ = value_text(self._names.outline(state).source(meaning.chunk)).partition(b"(")
        dotted = head.decode(errors="replace").strip()
        meanings = self._names.meanings(state, dotted) if call and dotted.replace(".", "").isidentifier() else []
        if not meanings or any(inner.kind not in (FUNCTION, CLASS, LIBRARY) for inner, _ in meanings):
            return None
        effect = Effect()
        for inner, attributes in meanings:
            effect.add(self.of_call(inner, attributes, state.name))
        return effect

    def only_enters(self, module: str, function: str, registry: tuple[str, str]) -> bool:
        """Tell whether a function that has been analysed does nothing with a registry but to enter something into it."""
        effects = [e for (home, key), e in self._known.items() if home == module and key.partition(":")[0] == function]
        return bool(effects) and all(
            registry in e.fills and registry not in e.reads and module not in e.states for e in effects
        )

    def of_subclass(self, meaning: Meaning) -> Effect:
        """Return the effect of deriving from a class: of what is notified of it."""
        state = self._names.state(meaning.module)
        if state is None or meaning.chunk is None:
            return Effect(f"the class {meaning.name} is not known")
        whole = self._names.outline(state)
        above = header(whole.text, meaning.chunk) or b""
        if (
            b"__init_subclass__" in whole.source(meaning.chunk)
            or b"metaclass" in above
            or b"__set_name__" in whole.text
        ):
            return self.of(meaning)
        return self._once((meaning.module, f"class {meaning.name}"), lambda: self.of_bases(state, above))

    def of_bases(self, state: Any, above: bytes) -> Effect:
        """Return the effect of the bases and keywords of a class, given its header."""
        inside = above.partition(b"(")[2].rpartition(b")")[0].strip()
        effect = Effect()
        if not inside:
            return effect
        if b"(" in inside or b"=" in inside or b"#" in inside or b"[" in inside:
            tree = parsed(above + b": pass")
            if tree is None:
                return Effect("a class can't be read")
            node: Any = tree.body[0]
            bases = [ast.unparse(b.value if isinstance(b, ast.Subscript) else b) for b in node.bases]
            for keyword in node.keywords:
                if keyword.arg == "metaclass":
                    for meaning, _ in self._names.meanings(state, ast.unparse(keyword.value)):
                        if meaning.kind == CLASS:
                            effect.add(self.of(meaning))
                        elif meaning.kind not in (LIBRARY, BUILTIN):
                            effect.reason = f"its metaclass is {meaning.name}"
        else:
            bases = [base.strip().decode(errors="replace") for base in inside.split(b",") if base.strip()]
        for base in bases:
            if not base.replace(".", "").replace("_", "").isalnum():
                head = base.partition("(")[0]
                if not all(m.kind in (LIBRARY, BUILTIN) for m, _ in self._names.meanings(state, head)):
                    return Effect(f"it derives from {base}")
                continue
            for meaning, attributes in self._names.meanings(state, base):
                if meaning.kind == CLASS and not attributes:
                    effect.add(self.of_subclass(meaning))
                elif meaning.kind not in (LIBRARY, BUILTIN):
                    effect.reason = effect.reason or f"it derives from {base}"
        return effect

    def _is_plain(self, state: Any, source: bytes, is_class: bool) -> bool:
        """Tell by its words alone whether a definition has no effect: it names nothing that has one."""
        words = set(_NAME.findall(without_strings(source)))
        if not words.isdisjoint(_TELLING_WORDS) or (is_class and _HELD.search(source) is not None):
            return False
        bound = self._names.outline(state).names
        for name in (word.decode() for word in words):
            if name not in bound:
                continue
            for meaning in self._names.bound(state, name):
                if meaning.kind == VARIABLE:
                    if not is_constant(self._names, meaning):
                        return False
                elif (
                    meaning.kind in (MODULE, UNKNOWN)
                    or (meaning.kind in (FUNCTION, CLASS) and self.of(meaning))
                    or (
                        meaning.kind == LIBRARY
                        and meaning.name.partition(".")[0]
                        in (
                            "sys",
                            "importlib",
                            "random",
                            "pkgutil",
                        )
                    )
                ):
                    return False
        return not (self._names.outline(state).stars or self._names.outline(state).type_checking_stars)

    def _analyse(self, meaning: Meaning, methods: frozenset[str], calls: int) -> Effect:
        state = self._names.state(meaning.module)
        assert state is not None and meaning.chunk is not None
        whole = self._names.outline(state)
        source = whole.source(meaning.chunk)
        if meaning.kind == CLASS:
            source = with_called_methods(whole.text, meaning.chunk, methods)
        if self._is_plain(state, source, meaning.kind == CLASS):
            return Effect()
        tree = parsed(_dedented(source))
        if tree is None or not tree.body:
            return Effect(f"{meaning.module}.{meaning.name} can't be read")
        effect = Effect()
        node: Any = tree.body[0]
        if isinstance(node, ast.ClassDef):
            effect.add(self.of_bases(state, header(whole.text, meaning.chunk) or b""))
            called = keep_called_methods(node, methods)
            for base in node.bases:
                for inherited, attributes in self._names.meanings(state, ast.unparse(base)):
                    if inherited.kind == CLASS and not attributes:
                        effect.add(self.of(inherited, called))
        else:
            remove_uncalled(node, calls)
        _Walk(self, self._names, state, meaning, node, effect).run()
        return effect

    def of_call(self, meaning: Meaning, attributes: list[str], caller: str) -> Effect:
        """Return the effect of naming something, or calling it, in a definition of the module `caller`."""
        if meaning.kind in (FUNCTION, CLASS):
            return self.of(meaning, frozenset(attributes))
        if meaning.kind == LIBRARY:
            acts = meaning.name.startswith(ACTING_LIBRARY)
            if acts and meaning.name.startswith("sys.modules.") and meaning.name.rpartition(".")[2] in READING_METHODS:
                return Effect(reads={("sys", "modules"): "it reads sys.modules"})
            return Effect(f"it uses {meaning.name}" if acts else None)
        if meaning.kind == BUILTIN:
            return Effect(f"it calls {meaning.name}" if meaning.name in ACTING_BUILTINS else None)
        return Effect()


def _dedented(source: bytes) -> bytes:
    """Return the source of a definition that may be in a block."""
    if not source[:1].isspace():
        return source
    from textwrap import dedent  # late: few definitions are in a block

    return dedent(source.decode(errors="replace")).encode()


def parsed(text: bytes) -> ast.Module | None:
    """Return the syntax tree of a part of a source; None where it is not one."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Walk:
    """The analysis of one definition."""

    def __init__(
        self, effects: DefinitionEffects, names: Names, state: Any, meaning: Meaning, node: Any, effect: Effect
    ) -> None:
        self.effects, self.names, self.state, self.meaning = effects, names, state, meaning
        self.node, self.effect = node, effect
        self.parents: dict[ast.AST, ast.AST] = {}
        self.nodes: list[ast.AST] = [node]
        for above in self.nodes:
            start = len(self.nodes)
            push_children(above, self.nodes)
            self.parents.update(dict.fromkeys(self.nodes[start:], above))
        self.functions = [inner for inner in self.nodes if isinstance(inner, FUNCTIONS)]
        self.parameters = {
            a.arg
            for f in self.functions
            for a in (*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs, f.args.vararg, f.args.kwarg)
            if a is not None
        }
        self.local = set(self.parameters)
        for inner in self.nodes:
            if isinstance(inner, ast.Name):
                if not isinstance(inner.ctx, ast.Load):
                    self.local.add(inner.id)
            elif isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
                if inner is not node:
                    self.local.add(inner.name)
            elif isinstance(inner, ast.ExceptHandler):
                self.local.add(inner.name or "")
            elif isinstance(inner, (ast.Import, ast.ImportFrom)):
                self.local |= {alias.asname or alias.name.partition(".")[0] for alias in inner.names}
        if isinstance(node, ast.ClassDef):
            self.held = set().union(*(targets(s) for s in node.body if isinstance(s, (ast.Assign, ast.AnnAssign))))
        else:
            self.held = set()

    def run(self) -> None:
        """Add the effects of everything that the definition names."""
        annotations = set(self._annotations())
        for node in self.nodes:
            if self.effect.reason is not None:
                return
            if node in annotations:
                continue
            if isinstance(node, ast.Global):
                self.effect.states[self.state.name] = f"{self.meaning.name} sets {', '.join(node.names)}"
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self._import(node)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in self.local:
                self._named(node)
            elif isinstance(node, ast.Attribute) and isinstance(self.node, ast.ClassDef):
                self._class_state(node)

    def _annotations(self) -> Iterator[ast.AST]:
        for function in self.functions:
            if isinstance(function, ast.Lambda):
                continue
            for annotation in [
                function.returns,
                *(a.annotation for a in walk(function.args) if isinstance(a, ast.arg)),
            ]:
                yield from walk(annotation) if annotation is not None else ()
        for node in self.nodes:
            if isinstance(node, ast.AnnAssign):
                yield from walk(node.annotation)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            imported: list[tuple[str, str | None]] = [(alias.name, None) for alias in node.names]
        else:
            full = self.state.absolute(node.module or "", node.level)
            imported = [(full, alias.name) for alias in node.names]
        for module, attribute in imported:
            if self.effects.imports_act(module, attribute):
                self.effect.reason = f"{self.meaning.name} imports {module}"

    def _class_state(self, node: ast.Attribute) -> None:
        """Note that a class changes, or lets others change, what all of its instances share."""
        root: Any = node.value
        if isinstance(root, ast.Call) and isinstance(root.func, ast.Name) and root.func.id == "type":
            shared = True
        else:
            shared = isinstance(root, ast.Name) and root.id in ("cls", "mcs", "metacls", self.meaning.name)
        if node.attr == "__class__" or shared or (node.attr in self.held and isinstance(root, ast.Name)):
            if self._is_changed(node):
                self.effect.states[f"{self.state.name}:{self.meaning.name}"] = (
                    f"{self.meaning.name} changes {node.attr}"
                )

    def _is_changed(self, node: ast.expr) -> bool:
        """Tell whether something, or a part of it, is assigned or changed by a method where it is named."""
        above = self.parents.get(node)
        if not isinstance(
            node.ctx if isinstance(node, (ast.Attribute, ast.Subscript, ast.Name)) else ast.Load(), ast.Load
        ):
            return True
        if isinstance(above, ast.Subscript) and above.value is node:
            return self._is_changed(above)
        if isinstance(above, ast.Attribute):
            call = self.parents.get(above)
            if isinstance(call, ast.Call) and call.func is above:
                return above.attr in _CHANGING_METHODS
            return self._is_changed(above)
        return isinstance(above, ast.AugAssign) and above.target is node

    def _named(self, node: ast.Name) -> None:
        dotted, top = [node.id], node
        above = self.parents.get(node)
        outer: Any = node
        while isinstance(above, ast.Attribute):
            dotted.append(above.attr)
            outer, above = above, self.parents.get(above)
        for meaning, attributes in self.names.meanings(self.state, ".".join(dotted)):
            if meaning.kind == VARIABLE:
                self._variable(meaning, self._node_of(top, len(dotted) - 1 - len(attributes)))
            elif meaning.kind == UNKNOWN:
                self.effect.reason = (
                    self.effect.reason or f"{self.meaning.name} uses {meaning.name}, which is not known"
                )
            elif (
                meaning.kind == LIBRARY
                and meaning.name == "sys.modules"
                and isinstance(above, ast.Subscript)
                and isinstance(above.ctx, ast.Load)
            ):
                continue  # the module of a function or class that it is given
            elif (
                meaning.kind == BUILTIN and meaning.name in ("setattr", "delattr") and self._sets_own(above, outer)
            ) or (meaning.kind == BUILTIN and meaning.name in ("vars", "locals", "compile")):
                continue
            elif meaning.kind == MODULE:
                self.effect.reason = self.effect.reason or f"{self.meaning.name} uses the module {meaning.module}"
            else:
                if meaning.kind == CLASS and (attributes or self._is_changed(outer)) and self._is_changed(outer):
                    self.effect.states[f"{meaning.module}:{meaning.name}"] = (
                        f"{self.meaning.name} changes {meaning.name}"
                    )
                if not (meaning.module == self.meaning.module and meaning.name == self.meaning.name):
                    self.effect.add(self.effects.of_call(meaning, attributes, self.state.name))

    def _node_of(self, node: Any, steps: int) -> Any:
        for _ in range(steps):
            node = self.parents[node]
        return node

    def _sets_own(self, call: Any, function: Any) -> bool:
        """Tell whether `setattr` is called on something that the definition creates or is given."""
        if not isinstance(call, ast.Call) or call.func is not function or not call.args:
            return False
        first = call.args[0]
        while isinstance(first, (ast.Attribute, ast.Subscript)):
            first = first.value
        is_class = isinstance(self.node, ast.ClassDef) and isinstance(first, ast.Name) and first.id == "cls"
        return isinstance(first, ast.Name) and first.id in self.local and not is_class

    def _variable(self, meaning: Meaning, node: Any) -> None:
        """Note what is done with a variable of a module, named at a node."""
        if is_constant(self.names, meaning):
            return
        key = self._entered_key(node)
        if key is not None and is_registry(self.names, meaning):
            self.effect.fill((meaning.module, meaning.name), self._is_word(key, set()))
        elif self._is_called(node):
            made = self.effects.of_maker(meaning)
            if made is None:
                self.effect.states[meaning.module] = f"{self.meaning.name} calls {meaning.name}"
            else:
                self.effect.add(made)
        elif not self._is_read(node):
            self.effect.states[meaning.module] = f"{self.meaning.name} uses {meaning.name}"
        elif not (is_registry(self.names, meaning) and self._is_tested(node)):
            self.effect.reads[meaning.module, meaning.name] = f"{self.meaning.name} reads {meaning.name}"

    def _is_called(self, node: Any) -> bool:
        above = self.parents.get(node)
        return isinstance(above, ast.Call) and above.func is node

    def _is_read(self, node: Any) -> bool:
        """Tell whether a value is only looked into where it is named."""
        above = self.parents.get(node)
        match above:
            case ast.Subscript() if above.value is node:
                return not self._is_changed(above) and self._is_read(above)
            case ast.Attribute():
                call = self.parents.get(above)
                if isinstance(call, ast.Call) and call.func is above:
                    return above.attr in READING_METHODS or above.attr in _LOGGING_METHODS
                return not self._is_changed(above)
            case ast.Call(ast.Name(name)):
                return name in READING_BUILTINS
            case (
                ast.Compare()
                | ast.BoolOp()
                | ast.UnaryOp()
                | ast.If()
                | ast.IfExp()
                | ast.BinOp()
                | ast.FormattedValue()
            ):
                return True
            case ast.For() | ast.comprehension():
                return True
            case ast.Call() | ast.keyword() | ast.Assign() | ast.Return():
                return isinstance(node, ast.Subscript)  # an item, which is taken for a constant
        return False

    def _entered_key(self, node: Any) -> ast.expr | None:
        """Return the key under which something is entered into a container."""
        above = self.parents.get(node)
        if isinstance(above, ast.Subscript) and above.value is node:
            if isinstance(above.ctx, ast.Store) and not isinstance(self.parents.get(above), ast.AugAssign):
                return above.slice
            return above.slice if self._is_changed(above) else None
        if isinstance(above, ast.Attribute) and above.attr in _FILLING_METHODS:
            call = self.parents.get(above)
            if isinstance(call, ast.Call) and call.func is above:
                return call.args[0] if call.args and above.attr != "update" else _ANY
        return None

    def _is_tested(self, node: Any) -> bool:
        """Tell whether a container is only asked for a key while something is entered, as to find a name taken."""
        above = self.parents.get(node)
        return isinstance(above, ast.Compare) and node in above.comparators

    def _is_word(self, key: ast.expr, seen: set[str]) -> bool:
        """Tell whether a key is, or has as a part between other characters, a word of the source of who registers."""
        match key:
            case ast.Constant(str()):
                return True
            case ast.Attribute(ast.Name(name), "__name__"):
                return name in self.parameters
            case ast.Name(name):
                if name in seen or name not in self.local:
                    return False
                values = list(self._values(name))
                return None not in values and all(self._is_word(v, seen | {name}) for v in values if v is not None)
            case ast.IfExp():
                return self._is_word(key.body, seen) and self._is_word(key.orelse, seen)
            case ast.BoolOp(ast.Or()):
                return all(self._is_word(value, seen) for value in key.values)
            case ast.Call(ast.Attribute(ast.Constant(str(separator)), "join"), [ast.List(parts) | ast.Tuple(parts)]):
                separates = bool(separator) and not any(c.isalnum() or c == "_" for c in separator)
                return separates and any(self._is_word(part, seen) for part in parts)
        return False

    def _values(self, name: str) -> Iterator[ast.expr | None]:
        """Yield what a name of the definition is bound to; None for what can't be followed."""
        for node in self.nodes:
            match node:
                case ast.Assign() if any(name in targets(t) for t in node.targets):
                    simple = all(isinstance(t, ast.Name) for t in node.targets if name in targets(t))
                    yield node.value if simple else None
                case ast.AugAssign(ast.Name(target)) if target == name:
                    yield None
                case ast.For() | ast.comprehension() if name in targets(node.target):
                    iterated = node.iter.func if isinstance(node.iter, ast.Call) and not node.iter.args else node.iter
                    while isinstance(iterated, ast.Attribute) and iterated.attr in ("items", "keys", "values"):
                        iterated = iterated.value
                    is_given = isinstance(iterated, ast.Name) and iterated.id in self.parameters
                    yield ast.Constant("") if is_given else None
                case ast.withitem() if node.optional_vars is not None and name in targets(node.optional_vars):
                    yield None


_ANY = ast.Constant(None)
_LOGGING_METHODS = frozenset("debug info warning error exception critical warn log isEnabledFor match search".split())
_CHANGING_METHODS = frozenset(
    "append add update extend insert setdefault pop popitem remove discard clear appendleft extendleft register sort"
    " reverse write __setitem__ __setattr__".split()
)
