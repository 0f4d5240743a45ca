"""The whole program: imports, a class for each kind of block, the network, and a function that loads its weights."""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.error import CutawayError, one_line
from cutaway.core.record import dataclass, field
from cutaway.core.size.dim import symbols
from cutaway.core.size.parser import evaluate
from cutaway.recover.graph import Graph, Tensor
from cutaway.recover.structure.blocks import Block, Layer, blocks, rename_reserved
from cutaway.recover.structure.classes import MISSING, BlockClass, Classes
from cutaway.recover.structure.names import identifier, unused
from cutaway.recover.targets.construction import construction, repeated, sequence_entries, sequence_text
from cutaway.recover.targets.dialect import Dialect
from cutaway.recover.targets.forward import Forward, Missing
from cutaway.recover.targets.gate import Foreign, demand_own_names
from cutaway.recover.targets.lines import WIDTH, wrapped
from cutaway.recover.targets.literal import literal

_MOST_PLACES = 3
_SAMPLE = 64


@dataclass(slots=True)
class Program:
    """Recovered source, the name of its network's class, its weights by name, and what it does not have."""

    source: str
    class_name: str
    weights: dict[str, Tensor] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def write_program(graph: Graph, dialect: Dialect, origin: str, weights_file: str = "") -> Program:
    """Return the program that builds a graph; `origin` says where the graph is from."""
    prefix = dialect.layer_prefix
    root = blocks(
        graph,
        {
            name
            for name, form in dialect.forms.items()
            if not form.function.partition(".")[2] or form.function.startswith(prefix)
        },
    )
    rename_reserved(root, dialect.attributes)
    classes = Classes(graph, root, dialect)
    writer = _Writer(graph, classes)
    body: list[str] = []
    for entry in classes.all:
        body += ["", "", *writer.class_lines(entry, entry.block is root)]
    name = classes.of[id(root)][0].name
    loader = dialect.loader(name, weights_file, _samples(graph)) if weights_file else []
    functions = writer.missing.lines(dialect.annotation)
    lines = [
        f'"""{_sentence(origin)}"""',
        "",
        *dialect.imports([*body, *functions, *loader]),
        *functions,
        *body,
        *loader,
    ]
    source = "\n".join(lines) + "\n"
    try:
        demand_own_names(source)
    except Foreign as error:
        raise CutawayError(f"code can't be written: {one_line(str(error))}") from None
    weights = dict(_weights(graph, root, ""))
    missing = [node.missing for node in graph.nodes if node.missing]
    return Program(source, name, weights, root.inputs, missing)


def _sentence(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode().replace("\\", "/").replace('"', "'")


class _Writer:
    """The lines of classes."""

    def __init__(self, graph: Graph, classes: Classes) -> None:
        self.graph = graph
        self.classes = classes
        self.dialect = classes.dialect
        self.missing = Missing()

    def class_lines(self, entry: BlockClass, is_root: bool) -> list[str]:
        """Return the lines of a class."""
        block = entry.block
        texts = iter(entry.texts)
        if entry.is_sequence and not is_root:
            return self._sequence_lines(entry, texts)
        construct = self._constructor(entry, block, texts)
        names = self._input_names(block) if is_root else None
        forward = Forward(self.graph, self.dialect, block, texts, names, entry.optional, self.missing)
        statements = forward.statements()
        kind = self.dialect.annotation
        typed = f": {kind}" if kind else ""
        arguments = ", ".join(["self", *(f"{name}{typed}" for name in forward.arguments)])
        results = len(block.outputs)
        returned = kind if results == 1 else f"tuple[{', '.join([kind] * results)}]" if results else "None"
        returned = f" -> {returned}" if kind else ""
        lines = [f"class {entry.name}({self.dialect.bases[is_root]}):"]
        if not is_root:
            lines += [f'    """{_places(entry)}"""', ""]
        lines += construct
        lines += ["", *wrapped(f"def {self.dialect.forward}({arguments}){returned}:", 4)]
        for statement in self._looped(block, statements):
            lines += wrapped_statement(statement)
        return lines

    def _sequence_lines(self, entry: BlockClass, texts: Iterator[str]) -> list[str]:
        """Return the lines of a class that is a sequence."""
        base = self.dialect.sequential
        text = sequence_text(self.dialect, sequence_entries(self.classes, entry.block, texts)).removeprefix(base)
        lines = [f"class {entry.name}({base}):", f'    """{_places(entry)}"""', ""]
        return [*lines, *self._signature(entry), *wrapped(f"super().__init__{text}", 8)]

    def _signature(self, entry: BlockClass) -> list[str]:
        arguments = []
        for argument in entry.arguments:
            kinds = {type(value).__name__ for value in argument.values}
            kind = kinds.pop() if len(kinds) == 1 else "int | tuple[int, ...]" if kinds <= {"int", "tuple"} else "float"
            kind = {"tuple": "tuple[int, ...]"}.get(kind, kind)
            default = "" if argument.default is MISSING else f" = {literal(argument.default)}"
            arguments.append(f"{argument.name}: {kind}{default}")
        return wrapped(f"def __init__({', '.join(['self', *arguments])}) -> None:", 4)

    def _constructor(self, entry: BlockClass, block: Block, texts: Iterator[str]) -> list[str]:
        lines = [*self._signature(entry), " " * 8 + "super().__init__()"]
        kept = {text.rpartition("self.")[2].split()[0] for text in entry.texts if "self." in text}
        for argument in entry.arguments:
            if argument.name in kept or (
                entry.optional and not entry.optional.part and argument.name == entry.optional.flag
            ):
                lines.append(" " * 8 + f"self.{argument.name} = {argument.name}")
        lists: dict[str, list[str]] = {}
        for name, part in block.parts.items():
            text = construction(self.classes, part, texts)
            outer, dot, _ = name.partition(".")
            if dot:
                lists.setdefault(outer, []).append(text)
                if len(lists[outer]) == len(block.lists[outer]):
                    elements = repeated(lists[outer], self.dialect.identity)
                    lines += wrapped(f"self.{outer} = {self.dialect.list_of(elements)}", 8)
            elif entry.optional is not None and name == entry.optional.part:
                typed = ": nn.Module" if self.dialect.annotation else ""
                lines.append(" " * 8 + f"self.{name}{typed} = {self.dialect.identity}")
                lines.append(" " * 8 + f"if {entry.optional.flag}:")
                lines += wrapped(f"self.{name} = {text}", 12)
            else:
                lines += wrapped(f"self.{name} = {text}", 8)
        for name, own in block.parameters.items():
            lines += wrapped(self._parameter(name, own, texts), 8)
        return lines

    def _parameter(self, name: str, own: str, texts: Iterator[str]) -> str:
        tensor = self.graph.tensors[name]
        return self.dialect.parameter(own, [next(texts) for _ in tensor.shape], tensor)

    def _input_names(self, block: Block) -> list[str]:
        if len(block.inputs) == 1:
            return ["x"]
        taken: set[str] = set()
        return [unused(identifier(name, "x"), taken) for name in block.inputs]

    def _looped(self, block: Block, statements: list[str]) -> list[str]:
        """Return statements with calls of all modules of a list as a loop."""
        result: list[str] = []
        at = 0
        while at < len(statements):
            loop = _loop(block, statements, at)
            if loop is None:
                result.append(statements[at])
                at += 1
            else:
                text, count = loop
                result.append(text)
                at += count
        return result


def _loop(block: Block, statements: list[str], at: int) -> tuple[str, int] | None:
    for name, parts in block.lists.items():
        first = f"self.{name}[{parts[0].partition('.')[2]}]"
        if first not in statements[at] or len(parts) < 2:
            continue
        body = statements[at].replace(first, "layer")
        if body.startswith("return "):
            return None
        for place, part in enumerate(parts):
            own = f"self.{name}[{part.partition('.')[2]}]"
            statement = statements[at + place] if at + place < len(statements) else ""
            if statement.startswith("return "):
                statement = f"{body.partition(' = ')[0]} = {statement.removeprefix('return ')}"
            if statement.replace(own, "layer") != body:
                return None
        text = f"for layer in self.{name}:\n    {body}"
        if statements[at + len(parts) - 1].startswith("return "):
            text += f"\nreturn {body.partition(' = ')[0]}"
        return text, len(parts)
    return None


def wrapped_statement(statement: str) -> list[str]:
    """Return the lines of a statement in a method."""
    lines = []
    for line in statement.split("\n"):
        inner = len(line) - len(line.lstrip())
        lines += wrapped(line.lstrip(), 8 + inner)
    return lines


def _samples(graph: Graph) -> list[tuple[tuple[int, ...], str]] | None:
    """Return shapes and element types that the network can be called with; None where one is not known."""
    samples = []
    for name in graph.inputs:
        fact = graph.fact(name)
        if fact.shape is None or any(size is None for size in fact.shape):
            return None
        numbers = (
            size
            if isinstance(size, int)
            else evaluate(size, {symbol.name: _SAMPLE if at else 1 for symbol in symbols(size)})
            for at, size in enumerate(fact.shape)
        )
        samples.append((tuple(int(number) for number in numbers), fact.dtype or "float32"))
    return samples


def _places(entry: BlockClass) -> str:
    """Return where the blocks of a class are, as many as one line has room for."""
    paths = [".".join(block.path) for block in entry.blocks]
    safe = [
        "".join(sign if sign.isascii() and (sign.isalnum() or sign in "._/-") else "_" for sign in p)[:60]
        for p in paths
    ]
    for listed in range(min(_MOST_PLACES, len(safe)), 0, -1):
        more = len(safe) - listed
        text = f"{', '.join(safe[:listed])}{f' and {more} more' if more else ''}."
        if len(text) <= WIDTH - 10:
            break
    return text


def _weights(graph: Graph, block: Block, prefix: str) -> Iterator[tuple[str, Tensor]]:
    """Yield the weights of a block by their names in the code."""
    for name, part in block.parts.items():
        if isinstance(part, Layer):
            for own, tensor in part.node.weights.items():
                yield f"{prefix}{name}.{own}", tensor
        else:
            yield from _weights(graph, part, f"{prefix}{name}.")
    for name, own in block.parameters.items():
        yield f"{prefix}{own}", graph.tensors[name]
