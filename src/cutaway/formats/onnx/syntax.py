"""ONNX's own syntax for models, as `onnx.printer` writes it: parsed to the model that a binary file gives."""

from __future__ import annotations

import ast
import re
from typing import Any

from cutaway.core.size.dim import product
from cutaway.formats.graph.model import (
    Attribute,
    Declared,
    Function,
    Graph,
    Model,
    Node,
    Reference,
    Tensor,
    Type,
    ordered,
)
from cutaway.formats.onnx.messages import DEEPEST, DTYPES, domain_of
from cutaway.formats.protobuf import Malformed

_TOKEN = re.compile(
    r"""\s+|\#[^\n]*|(?P<text>"(?:[^"\\]|\\.)*")|(?P<number>[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|inf\b|nan\b))"""
    r"""|(?P<word>[A-Za-z_]\w*)|(?P<mark>=>|[<>(){}\[\],:=.?@|-])"""
)
_KINDS = {
    "float": "float32", "double": "float64", "float8e4m3fn": "float8_e4m3fn", "float8e4m3fnuz": "float8_e4m3fnuz",
    "float8e5m2": "float8_e5m2", "float8e5m2fnuz": "float8_e5m2fnuz", "float4e2m1": "float4_e2m1fn",
    "float8e8m0": "float8_e8m0fnu",
    **{name: name for name in DTYPES if name is not None and not name.startswith("float8")},
}  # fmt: skip
_CONTAINERS = {"seq": "sequence", "optional": "optional", "map": "map", "sparse_tensor": "sparse"}


def read_text(content: bytes) -> Model:
    """Return the model of a text."""
    try:
        parser = _Parser(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Malformed(f"byte {error.start}: it is not encoded in UTF-8") from None
    return parser.model()


class _Parser:
    """Reads the tokens of a text, one after the other."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str, int]] = []
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise Malformed(f"character {at}: unexpected {text[at]!r}")
            at = found.end()
            if found.lastgroup is not None:
                self.tokens.append((found.lastgroup, found[0], found.start()))
        self.tokens += [("end", "", at)] * 2  # some decisions look at the token after the next
        self.place = 0
        self.depth = 0

    # Tokens

    def sees(self, *marks: str) -> bool:
        """Tell whether the next token is one of some."""
        return self.tokens[self.place][0] != "text" and self.tokens[self.place][1] in marks

    def accepts(self, mark: str) -> bool:
        """Pass over a token, if it is the next one."""
        found = self.sees(mark)
        self.place += found
        return found

    def expect(self, mark: str) -> None:
        """Pass over a token that has to be there."""
        if not self.accepts(mark):
            _, token, at = self.tokens[self.place]
            raise Malformed(f"character {at}: {mark!r} was expected, not {token or 'the end'!r}")

    def name(self) -> str:
        """Return a name, which may be in quotes."""
        kind, token, at = self.tokens[self.place]
        if kind not in ("word", "text", "number"):
            raise Malformed(f"character {at}: a name was expected, not {token or 'the end'!r}")
        self.place += 1
        return _unquoted(token, at) if kind == "text" else token

    def number(self) -> int | float:
        """Return a number."""
        kind, token, at = self.tokens[self.place]
        if kind != "number":
            raise Malformed(f"character {at}: a number was expected, not {token or 'the end'!r}")
        self.place += 1
        return int(token) if re.fullmatch(r"[-+]?\d{1,40}", token) else float(token)

    def listed(self, end: str, item: Any) -> list[Any]:
        """Return what is in a list up to its end, which is passed over."""
        found = []
        while not self.accepts(end):
            found.append(item())
            if not self.accepts(","):
                self.expect(end)
                break
        return found

    # What a model consists of

    def model(self) -> Model:
        """Read a whole text."""
        settings = self.settings()
        graph = self.graph()
        functions = {}
        while not self.sees(""):
            function = self.function()
            functions[function.domain, function.name, function.overload] = function
        version = settings.get("ir_version")
        producer = settings.get("producer_name")
        return Model(
            graph,
            settings.get("opset_import") or {},
            functions,
            producer if isinstance(producer, str) else "",
            version if isinstance(version, int) else 0,
        )

    def settings(self) -> dict[str, Any]:
        """Read the settings of a model or a function."""
        found: dict[str, Any] = {}
        if self.accepts("<"):
            for key, value in self.listed(">", self.setting):
                found[key] = value
        return found

    def setting(self) -> tuple[str, Any]:
        """Read one setting: a number, a text, or a list of pairs."""
        key = self.name()
        self.expect(":")
        if self.accepts("["):
            return key, dict(self.listed("]", self.pair))
        return key, self.number() if self.tokens[self.place][0] == "number" else self.name()

    def pair(self) -> tuple[str, Any]:
        """Read a name with what belongs to it."""
        key = self.name()
        self.expect(":")
        return domain_of(key), self.number() if self.tokens[self.place][0] == "number" else self.name()

    def graph(self) -> Graph:
        """Read a graph: its inputs, outputs, tensors and nodes."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise Malformed(f"graphs are nested more than {DEEPEST} deep")
        name = self.name()
        self.expect("(")
        inputs, stored = self.declarations(")")
        self.expect("=>")
        self.expect("(")
        outputs, _ = self.declarations(")")
        values: list[Declared] = []
        if self.accepts("<"):
            values, more = self.declarations(">")
            stored += more
        nodes = self.nodes()
        self.depth -= 1
        return Graph(name, tuple(inputs), tuple(outputs), tuple(values), tuple(stored), ordered(nodes))

    def declarations(self, end: str) -> tuple[list[Declared], list[Tensor]]:
        """Read values, some of which may be tensors with their numbers."""
        values: list[Declared] = []
        tensors: list[Tensor] = []
        for each in self.listed(end, self.declaration):
            if isinstance(each, Tensor):
                tensors.append(each)
            else:
                values.append(each)
        return values, tensors

    def declaration(self) -> Declared | Tensor:
        """Read a value: its type and its name, and its numbers."""
        following = self.tokens[self.place + 1][1] if self.place + 1 < len(self.tokens) else ""
        stated = None if following in (",", ")", ">") else self.type()
        name = self.name()
        if self.accepts("="):
            return self.tensor(stated, name)
        return Declared(name, stated)

    def type(self) -> Type:
        """Read a type; one without brackets is a scalar, one with empty brackets has any number of dimensions."""
        word = self.name()
        if word in _CONTAINERS:
            self.expect("(")
            self.depth += 1
            if self.depth > DEEPEST:
                raise Malformed(f"types are nested more than {DEEPEST} deep")
            inner = self.listed(")", self.type)
            self.depth -= 1
            last = inner[-1] if inner else None
            if word == "sparse_tensor" and last is not None:
                return Type("sparse", last.dtype, last.dims)
            return Type(_CONTAINERS[word], element=last)
        if word not in _KINDS:
            raise Malformed(f"character {self.tokens[self.place - 1][2]}: there is no element type {word!r}")
        dims: tuple[int | str | None, ...] | None = ()
        if self.accepts("["):
            dims = tuple(self.listed("]", self.size)) or None
        return Type("tensor", _KINDS[word], dims)

    def size(self) -> int | str | None:
        """Read a size: a number, a name, or a question mark."""
        if self.accepts("?"):
            return None
        found = self.number() if self.tokens[self.place][0] == "number" else self.name()
        return int(found) if isinstance(found, float) else found

    def tensor(self, stated: Type | None, name: str) -> Tensor:
        """Read the numbers of a tensor, or where they are."""
        dims = tuple(size for size in (stated.dims if stated is not None else None) or () if isinstance(size, int))
        dtype = None if stated is None else stated.dtype
        if self.accepts("["):
            entries = dict(self.listed("]", self.pair))
            return Tensor(name, dtype, dims, location=str(entries.get("location", "")))
        self.expect("{")
        numbers = self.listed("}", self.element)
        if dtype == "bool":
            numbers = [bool(number) for number in numbers]
        known = numbers if len(numbers) == product(dims) else None
        return Tensor(name, dtype, dims, lambda most: None if known is None else known[:most])

    def element(self) -> Any:
        """Read one element of a tensor or of a list."""
        return self.number() if self.tokens[self.place][0] == "number" else self.name()

    def nodes(self) -> list[Node]:
        """Read the nodes between braces."""
        self.expect("{")
        found = []
        while not self.accepts("}"):
            found.append(self.node())
        return found

    def node(self) -> Node:
        """Read a node: its outputs, its operator, and its inputs and attributes in either order."""
        label = ""
        if self.accepts("["):
            label = self.name()
            self.expect("]")
        outputs: list[str] = []
        while not self.accepts("="):
            outputs.append("" if self.sees(",") else self.name())
            if not self.accepts(","):
                self.expect("=")
                break
        words = [self.name()]
        while self.accepts("."):
            words.append(self.name())
        overload = self.name() if self.accepts(":") else ""
        attributes = self.attributes()
        self.expect("(")
        inputs = self.listed(")", lambda: "" if self.sees(",", ")") else self.name())
        attributes = {**attributes, **self.attributes()}
        domain = domain_of(".".join(words[:-1]))
        return Node(words[-1], domain, label, tuple(inputs), tuple(outputs), attributes, overload)

    def attributes(self) -> dict[str, Attribute]:
        """Read the attributes of a node, if there are any."""
        return dict(self.listed(">", self.attribute)) if self.accepts("<") else {}

    def attribute(self) -> tuple[str, Attribute]:
        """Read an attribute: a number, a text, a tensor, a graph, a type, a list of these, or a reference."""
        name = self.name()
        kind = self.name() if self.accepts(":") else ""
        self.expect("=")
        if self.accepts("@"):
            return name, Reference(self.name())
        if self.accepts("["):
            return name, self.listed("]", lambda: self.value(kind.removesuffix("s")))
        return name, self.value(kind)

    def value(self, kind: str) -> Any:
        """Read the value of an attribute."""
        sort = self.tokens[self.place][0]
        if kind == "graph" or (not kind and sort == "word" and self.tokens[self.place + 1][1] == "("):
            return self.graph()
        if kind == "type_proto":
            return self.type()
        if sort == "word" and self.tokens[self.place][1] in _KINDS:
            stated = self.type()
            return self.tensor(stated, "" if self.sees("{", "[") else self.name())
        found = self.element()
        return float(found) if kind == "float" and isinstance(found, int) else found

    def function(self) -> Function:
        """Read an operator that the file defines."""
        settings = self.settings()
        name = self.name()
        defaults: dict[str, Attribute] = {}
        if self.accepts("<"):
            for each in self.listed(">", self.parameter):
                defaults.update(each)
        self.expect("(")
        inputs = [each.name for each in self.listed(")", self.declaration)]
        self.expect("=>")
        self.expect("(")
        outputs = [each.name for each in self.listed(")", self.declaration)]
        if self.accepts("<"):
            self.declarations(">")
        domain = domain_of(str(settings.get("domain", "")))
        overload = str(settings.get("overload", ""))
        opsets = settings.get("opset_import") or {}
        return Function(
            name, domain, overload, tuple(inputs), tuple(outputs), defaults, tuple(ordered(self.nodes())), opsets
        )

    def parameter(self) -> dict[str, Attribute]:
        """Read an attribute of a function, with its default or without."""
        following = self.tokens[self.place + 1][1]
        if following in (",", ">"):
            self.name()
            return {}
        return dict([self.attribute()])


def _unquoted(token: str, at: int) -> str:
    try:
        return str(ast.literal_eval(token.replace("\n", "\\n")))
    except (ValueError, SyntaxError):
        raise Malformed(f"character {at}: a string has an escape that does not exist") from None
