"""What importing a module does outside of the module, by an analysis of the statements that are not in functions.

A module may be left unevaluated until something of it is used, if nobody can notice that: its body changes nothing that
others see, and reads nothing that others change.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cutaway.core.pattern import pattern
from cutaway.interp.modules.definition_effects import (
    ACTING_BUILTINS,  # fmt: skip
    ACTING_LIBRARY,
    READING_METHODS,
    DefinitionEffects,
    Effect,
    parsed,
)
from cutaway.interp.modules.name_resolution import BUILTIN, LIBRARY, MODULE, UNKNOWN, VARIABLE, Meaning, Names
from cutaway.interp.modules.variable_bindings import is_constant, is_registry
from cutaway.interp.run.heap import Stateless
from cutaway.knowledge.base import registry
from cutaway.syntax import outline
from cutaway.syntax.outline import ASSIGNMENT, BLOCK, CLASS, DECORATOR, FUNCTION, IMPORT, Chunk, Import
from cutaway.syntax.scope import dotted_name, walk

if TYPE_CHECKING:
    from cutaway.interp.modules.module import ModuleState

_CHAINED = pattern(rb"\w+ *(?::[^=\n]*)?= *[\w.\[\]'\"]+ *=(?!=)")
_DOTTED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."
_NOTHING = (b'""', b'r""', b"pass", b"...")
_MAIN = pattern(rb"if[ \t]+__name__[ \t]*==")


class ModuleEffects(Effect):
    """The effect of a module's body, and what it imports: each with whether that must have no effect for it to wait."""

    __slots__ = ("imports",)

    def __init__(self) -> None:
        super().__init__()
        self.imports: list[tuple[Import, bool]] = []


class EffectAnalysis(Stateless):
    """The effects of the modules of an analysis."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.definitions = DefinitionEffects(names)
        self._known: dict[str, ModuleEffects] = {}

    def of_module(self, state: ModuleState) -> ModuleEffects:
        """Return what evaluating a module's body does outside of it; what its imports do is not included."""
        known = self._known.get(state.name)
        if known is None:
            known = self._known[state.name] = _Body(self, state).effects()
        return known


class _Body:
    """The analysis of one module's body."""

    def __init__(self, analysis: EffectAnalysis, state: ModuleState) -> None:
        self.names, self.definitions, self.state = analysis.names, analysis.definitions, state
        self.outline = analysis.names.outline(state)
        self.effect = ModuleEffects()
        self.executed: list[bytes] = []
        self.judged: set[str] = set()
        self.class_names: set[str] = set()
        self.seen: set[bytes] = set()
        self.statements: set[tuple[bytes, bool, bool]] = set()
        self.inert: dict[bytes, bool] = {}
        self.has_plain_builtins = self.outline.names.keys().isdisjoint(("property", "staticmethod", "classmethod"))

    def effects(self) -> ModuleEffects:
        """Return the effect of the body."""
        effect = self.effect
        if not self.outline.is_readable:
            effect.reason = "its statements can't be distinguished without parsing it"
            return effect
        self._chunks(self.outline.chunks, conditional=False)
        self._imported_variables()
        own = self.state.name
        effect.states = {key: reason for key, reason in effect.states.items() if key.partition(":")[0] != own}
        effect.fills = {key: by_word for key, by_word in effect.fills.items() if key[0] != own}
        effect.reads = {key: reason for key, reason in effect.reads.items() if key[0] != own}
        if effect.states and effect.reason is None:
            effect.reason = next(iter(effect.states.values()))
        return effect

    def _depend(self, meaning: Meaning, reason: str) -> None:
        self.effect.reads[meaning.module, meaning.name] = reason

    def _stop(self, reason: str) -> None:
        self.effect.reason = self.effect.reason or reason

    def _chunks(self, parts: list[Chunk], conditional: bool) -> None:
        text = self.outline.text
        for chunk in parts:
            if self.effect.reason is not None:
                return
            kind = chunk.kind
            if kind == IMPORT:
                self._import(chunk, conditional)
            elif kind == FUNCTION:
                above = None if outline.has_plain_header(text, chunk) else outline.header(text, chunk)
                if above is not None and above.count(b"(") > 1 and not self._calls(above.partition(b"(")[2]):
                    self._statement(above + b": pass", conditional)
            elif kind == CLASS:
                self._class(chunk, conditional)
            elif kind == DECORATOR:
                self._decorator(self.outline.source(chunk).strip()[1:], conditional)
            elif kind == ASSIGNMENT:
                self._assignment(self.outline.source(chunk), conditional)
            elif kind == BLOCK:
                self._block(chunk)
            else:
                self._statement(self.outline.source(chunk), conditional)

    def _decorator(self, source: bytes, conditional: bool) -> None:
        if b"(" in source and not source.endswith(b"()"):
            if not self._has_inert_calls(source):
                self._statement(source, conditional, decorates=True)
            return None
        is_called = source.endswith(b"()")
        dotted = source.partition(b"#")[0].partition(b"(")[0].strip().decode(errors="replace")
        if (
            is_called
            and not conditional
            and not dotted.rpartition(".")[2].startswith("register_")
            and source not in self.seen
        ):
            self.seen.add(source)
            return self._call(dotted, by_word=True, is_statement=False)
        if is_called:
            return None if source in self.seen else self._statement(source, conditional, decorates=True)
        if conditional or dotted not in self.judged:
            self.judged.add(dotted)
            self._decorate(dotted, not conditional)
        return None

    def _has_inert_calls(self, source: bytes) -> bool:
        """Tell whether all calls in an expression are of functions without any effect, whatever they are given."""
        for name in _called(source, or_method=True):
            inert = self.inert.get(name)
            if inert is None:
                meanings = self.names.meanings(self.state, name.decode())
                inert = self.inert[name] = all(
                    (m.kind in (FUNCTION, CLASS) and not self.definitions.of(m, frozenset(rest)))
                    or (m.kind == LIBRARY and not m.name.startswith(ACTING_LIBRARY) and "register" not in m.name)
                    for m, rest in meanings
                )
            if not inert:
                return False
        self.executed.append(source)
        return True

    def _import(self, chunk: Chunk, conditional: bool) -> None:
        source = self.outline.source(chunk)
        if b";" in source:
            return self._statement(source, conditional)
        is_late = bool(self.effect.fills)  # what it imports would come after what it has registered
        self.effect.imports += [
            (binding, conditional or is_late)
            for binding in self.outline.imports.get(chunk.start) or outline.imports(source)
        ]

    def _class(self, chunk: Chunk, conditional: bool) -> None:
        text = self.outline.text
        above = outline.header(text, chunk)
        if above is None:
            return self._statement(self.outline.source(chunk), conditional)
        if b"(" in above:
            self._add(self.definitions.of_bases(self.state, above))
        if self.has_plain_builtins and outline.has_plain_body(text, chunk):
            return None
        inner = outline.inner_chunks(text, chunk)
        self.class_names |= {member.name for member in inner if member.name}
        self._chunks(inner, conditional)
        return None

    def _block(self, chunk: Chunk) -> None:
        text = self.outline.text
        source = self.outline.source(chunk)
        if outline.TYPES_ONLY.match(source) or _MAIN.match(source):
            return
        above = outline.header(text, chunk)
        if above is None:
            _, _, rest = source.partition(b":")
            return self._statement(b"if 1:" + rest, conditional=True)
        self.executed.append(above)
        if not self._calls(above):
            self._stop("a condition can't be read")
        self._chunks(outline.inner_chunks(text, chunk), conditional=True)

    def _assignment(self, source: bytes, conditional: bool) -> None:
        self.executed.append(source)
        if b";" in source or _CHAINED.match(source) or (b"(" in source and not self._calls(source)):
            self._statement(source, conditional)

    def _calls(self, source: bytes) -> bool:
        """Add the effects of the calls in an expression; False where some of them may be words in a string or comment."""
        names = {head.decode() for head in set(_called(source))} - self.judged - _KEYWORDS
        for dotted in names:
            if any(m.kind == UNKNOWN and not rest for m, rest in self.names.meanings(self.state, dotted)):
                if dotted not in self.class_names:
                    return False
        for dotted in names:
            self.judged.add(dotted)
            self._call(dotted, by_word=False, is_statement=False)
        return True

    def _call(self, dotted: str, by_word: bool, is_statement: bool, calls: int = 2) -> None:
        """Add the effect of calling what a name means."""
        for meaning, attributes in self.names.meanings(self.state, dotted):
            if meaning.kind in (FUNCTION, CLASS):
                self._add(self.definitions.of(meaning, frozenset(attributes), calls), by_word)
            else:
                self._used(meaning, attributes, dotted, is_statement)

    def _used(self, meaning: Meaning, attributes: list[str], dotted: str, is_statement: bool) -> None:
        """Add the effect of calling something that is neither a function nor a class of the target."""
        kind = meaning.kind
        if kind == BUILTIN:
            if meaning.name in ACTING_BUILTINS:
                self._stop(f"it calls {dotted}")
        elif kind == LIBRARY:
            sets = is_statement and registry.models(meaning.name) and not registry.is_without_effect(meaning.name)
            if meaning.name.startswith("sys.modules.") and meaning.name.rpartition(".")[2] in READING_METHODS:
                self._depend(meaning, f"it reads {dotted}")
            elif sets or meaning.name.startswith(ACTING_LIBRARY):
                self._stop(f"it calls {dotted}")
        elif kind == VARIABLE:
            self._variable_used(meaning, attributes, dotted)
        elif kind == UNKNOWN and meaning.module == self.state.name and meaning.name in self.class_names:
            pass  # of the class whose body it is used in
        elif kind == UNKNOWN and meaning.module == self.state.name:
            pass  # a variable of a comprehension, a lambda expression or a loop, or a name that is not defined
        else:
            self._stop(f"it uses {dotted}")

    def _variable_used(self, meaning: Meaning, attributes: list[str], dotted: str) -> None:
        if meaning.module == self.state.name:
            if not (attributes and attributes[-1] in READING_METHODS) and not self._is_own(meaning, attributes):
                self._stop(f"it uses {dotted}, which may be of another module")
        elif not attributes and is_constant(self.names, meaning):
            pass
        elif not attributes and (made := self.definitions.of_maker(meaning)) is not None:
            self._add(made)
        elif attributes and attributes[-1] in READING_METHODS:
            if not is_constant(self.names, meaning):
                self._depend(meaning, f"it reads {dotted}")
        else:
            if (
                len(attributes) == 1
                and attributes[0] in ("setdefault", "update", "add")
                and is_registry(self.names, meaning)
            ):
                self.effect.fill((meaning.module, meaning.name), False)
            else:
                self._stop(f"it uses {dotted}")

    def _is_own(self, meaning: Meaning, methods: list[str] | None = None) -> bool:
        """Tell whether a variable of the module refers to something that the module creates."""
        assert meaning.chunk is not None
        for chunk in self.outline.names[meaning.name]:
            if isinstance(chunk, Import):
                return False
            value = self.outline.source(chunk).partition(b"=")[2].strip()
            if value[:1] in b"[{(\"'0123456789-":
                continue
            head = value.partition(b"(")[0]
            meanings = self.names.meanings(self.state, head.decode(errors="replace")) if b"(" in value else ()
            for inner, _ in meanings or [(Meaning(UNKNOWN, "", ""), [])]:
                if inner.kind == CLASS:
                    self._add(self.definitions.of(inner, frozenset(methods or ())))
                elif inner.kind == FUNCTION:
                    self._add(self.definitions.of(inner))
                elif inner.kind not in (LIBRARY, BUILTIN):
                    return False
        return True

    def _add(self, effect: Effect, by_word: bool = True) -> None:
        self.effect.reason = self.effect.reason or effect.reason
        self.effect.states.update(effect.states)
        self.effect.reads.update(effect.reads)
        for key, is_word in effect.fills.items():
            self.effect.fill(key, is_word and by_word)

    def _statement(self, source: bytes, conditional: bool, decorates: bool = False) -> None:
        """Add the effect of a statement that is parsed."""
        source = source.strip()
        if source in _NOTHING or (source, conditional, decorates) in self.statements:
            return None
        self.statements.add((source, conditional, decorates))
        tree = parsed(source)
        if tree is None:
            return self._stop("a statement can't be read")
        if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr) and isinstance(tree.body[0].value, ast.Constant):
            return None
        self.executed.append(source)
        for node in walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self._stop("it imports in a line with other statements")
            elif isinstance(node, ast.Call):
                self._called(node, conditional, decorates, tree)
            elif isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
                self._stored(node, tree, conditional)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                for meaning, _ in self.names.meanings(self.state, node.target.id):
                    if meaning.module != self.state.name or not self._is_own_list(meaning):
                        self._stop(f"it changes {node.target.id}")
        return None

    def _is_own_list(self, meaning: Meaning) -> bool:
        return meaning.name == "__all__" or (meaning.kind == VARIABLE and self._is_own(meaning))

    def _decorate(self, dotted: str, by_word: bool) -> None:
        first, _, last = dotted.rpartition(".")
        if last in ("setter", "getter", "deleter") and first not in self.outline.names:
            return  # of a property in the same class
        self._call(dotted, by_word, is_statement=False, calls=1)

    def _called(self, node: ast.Call, conditional: bool, decorates: bool, tree: ast.Module) -> None:
        dotted = dotted_name(node.func)
        if dotted is None:
            return None  # what it is called on is looked at by itself
        is_statement = isinstance(tree.body[0], ast.Expr) and tree.body[0].value is node and not decorates
        by_word = not conditional and all(map(self._is_literal, [*node.args, *(k.value for k in node.keywords)]))
        if decorates and dotted.rpartition(".")[2].startswith("register"):
            is_statement = True
        return self._call(dotted, by_word, is_statement)

    def _is_literal(self, node: ast.expr) -> bool:
        """Tell whether the strings in an argument are words of this source."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(name):
                return all(
                    m.kind in (FUNCTION, CLASS) or m.name == "__name__" for m in self.names.bound(self.state, name)
                )
            case ast.Tuple() | ast.List() | ast.Set():
                return all(map(self._is_literal, node.elts))
            case ast.Dict():
                return all(key is not None and self._is_literal(key) for key in node.keys) and all(
                    map(self._is_literal, node.values)
                )
        return False

    def _stored(self, node: ast.Attribute | ast.Subscript, tree: ast.Module, conditional: bool) -> None:
        """Add the effect of assigning to an attribute or an item."""
        root: Any = node
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        if ast.unparse(node).startswith("sys.modules[__name__]."):
            return None  # the module itself
        if not isinstance(root, ast.Name):
            return self._stop(f"it changes {ast.unparse(node)}")
        for meaning in self.names.bound(self.state, root.id):
            if meaning.module == self.state.name and (
                meaning.kind in (FUNCTION, CLASS) or (meaning.kind == VARIABLE and self._is_own(meaning))
            ):
                continue
            is_entry = (
                isinstance(node, ast.Subscript)
                and isinstance(node.ctx, ast.Store)
                and not isinstance(tree.body[0], ast.AugAssign)
            )
            entered = self.names.meanings(self.state, dotted_name(node.value) or "") if is_entry else []
            if entered and all(m.kind == VARIABLE and not rest and is_registry(self.names, m) for m, rest in entered):
                by_word = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and not conditional
                for target, _ in entered:
                    self.effect.fill((target.module, target.name), by_word)
            else:
                self._stop(f"it changes {ast.unparse(node)}")
        return None

    def _imported_variables(self) -> None:
        """Stop where the body reads a variable of another module that may change."""
        if self.effect.reason is not None:
            return
        executed = b"\n".join(self.executed)
        for binding, _ in self.effect.imports:
            name = binding.name.encode()
            if not name or binding.attribute == "*" or name not in executed:
                continue
            if not _is_mentioned(name, executed):
                continue
            for meaning in self.names.bound(self.state, binding.name):
                if (
                    meaning.kind == VARIABLE
                    and meaning.module != self.state.name
                    and not is_constant(self.names, meaning)
                ):
                    if (meaning.module, meaning.name) not in self.effect.fills and not _only_referred_to(
                        name, executed
                    ):
                        self._depend(meaning, f"it reads {binding.name}")
                elif meaning.kind == MODULE:
                    self._read_attributes(binding.name, executed)

    def _read_attributes(self, name: str, executed: bytes) -> None:
        for match in re.finditer(rb"(?<![\w.])%b\.([\w.]+)" % re.escape(name.encode()), executed):
            for meaning, _ in self.names.meanings(self.state, f"{name}.{match[1].decode()}"):
                is_filled = (meaning.module, meaning.name) in self.effect.fills
                if meaning.kind == VARIABLE and not is_filled and not is_constant(self.names, meaning):
                    self._depend(meaning, f"it reads {name}.{match[1].decode()}")


def _is_mentioned(name: bytes, source: bytes) -> bool:
    """Tell whether a variable's name occurs in a source."""
    at = source.find(name)
    while at >= 0:
        end = at + len(name)
        before, after = source[at - 1 : at], source[end : end + 1]
        if not (before == b"." or _is_word(before) or _is_word(after)):
            return True
        at = source.find(name, end)
    return False


def _only_referred_to(name: bytes, source: bytes) -> bool:
    """Tell whether a source only stores a value in variables and dicts, and does not look into it."""
    at = source.find(name)
    while at >= 0:
        end = at + len(name)
        if not (_is_word(source[at - 1 : at]) or _is_word(source[end : end + 1])):
            before, after = source[max(0, at - 80) : at].rstrip(b" ")[-1:], source[end : end + 80].lstrip(b" ")[:1]
            if before not in (b":", b"=") or after not in (b",", b"}", b"\n"):
                return False
        at = source.find(name, end)
    return True


def _is_word(character: bytes) -> bool:
    return character.isalnum() or character == b"_"


def _called(source: bytes, or_method: bool = False) -> Iterator[bytes]:
    """Yield the dotted names that are called in an expression, and methods of anything else where asked for."""
    for part in source.split(b"(")[:-1]:
        name = part[len(part.rstrip(_DOTTED)) :]
        if or_method:
            name = name.lstrip(b".0123456789")
        if name and not name[:1].isdigit() and name[:1] != b".":
            yield name


_KEYWORDS = frozenset(
    "if elif else and or not in is lambda for while return with except assert del yield await print".split()
)
