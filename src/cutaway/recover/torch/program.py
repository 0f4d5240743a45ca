"""The whole program: imports, a class for each kind of block, the network, and a function that loads its weights."""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.record import dataclass, field
from cutaway.recover.graph import Graph, Tensor
from cutaway.recover.structure.blocks import Block, Layer, blocks
from cutaway.recover.structure.classes import MISSING, BlockClass, Classes
from cutaway.recover.structure.names import identifier, unused
from cutaway.recover.torch.construction import construction, repeated, sequence_entries, sequence_text
from cutaway.recover.torch.expression import literal
from cutaway.recover.torch.forward import Forward
from cutaway.recover.torch.lines import WIDTH, wrapped

_MOST_PLACES = 3


@dataclass(slots=True)
class Program:
    """Recovered source, the name of its network's class, its weights by name, and what it does not have."""

    source: str
    class_name: str
    weights: dict[str, Tensor] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def write_program(graph: Graph, origin: str, weights_file: str = "") -> Program:
    """Return the program that builds a graph; `origin` says where the graph is from."""
    root = blocks(graph)
    classes = Classes(graph, root)
    writer = _Writer(graph, classes)
    body: list[str] = []
    for entry in classes.all:
        body += ["", "", *writer.class_lines(entry, entry.block is root)]
    name = classes.of[id(root)][0].name
    lines = [f'"""{_sentence(origin)}"""', "", *_imports(body), *body]
    lines += _loader(name, weights_file) if weights_file else []
    weights = dict(_weights(graph, root, ""))
    missing = [node.missing for node in graph.nodes if node.missing]
    return Program("\n".join(lines) + "\n", name, weights, root.inputs, missing)


def _sentence(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode().replace("\\", "/").replace('"', "'")


def _imports(body: list[str]) -> list[str]:
    text = "\n".join(body)
    lines = ["import torch"] if "torch." in text.replace("torch.Tensor", "") else []
    if "F." in text:
        lines.append("import torch.nn.functional as F")
    if "OrderedDict(" in text:
        lines.insert(0, "")
        lines.insert(0, "from collections import OrderedDict")
    return [*lines, "from torch import Tensor, nn"]


def _loader(name: str, weights_file: str) -> list[str]:
    return [
        "",
        "",
        f"def load(path: str = {literal(weights_file)}) -> {name}:",
        '    """Return the network with its weights, in evaluation mode."""',
        "    from safetensors.torch import load_file",
        "",
        f"    network = {name}()",
        "    network.load_state_dict(load_file(path))",
        "    return network.eval()",
    ]


class _Writer:
    """The lines of classes."""

    def __init__(self, graph: Graph, classes: Classes) -> None:
        self.graph = graph
        self.classes = classes

    def class_lines(self, entry: BlockClass, is_root: bool) -> list[str]:
        """Return the lines of a class."""
        block = entry.block
        texts = iter(entry.texts)
        if entry.is_sequence and not is_root:
            return self._sequence_lines(entry, texts)
        construct = self._constructor(entry, block, texts)
        names = self._input_names(block) if is_root else None
        forward = Forward(self.graph, block, texts, names, entry.optional)
        statements = forward.statements()
        arguments = ", ".join(["self", *(f"{name}: Tensor" for name in forward.arguments)])
        results = len(block.outputs)
        returned = "Tensor" if results == 1 else f"tuple[{', '.join(['Tensor'] * results)}]" if results else "None"
        lines = [f"class {entry.name}(nn.Module):"]
        if not is_root:
            lines += [f'    """{_places(entry)}"""', ""]
        lines += construct
        lines += ["", *wrapped(f"def forward({arguments}) -> {returned}:", 4)]
        for statement in self._looped(block, statements):
            lines += wrapped_statement(statement)
        return lines

    def _sequence_lines(self, entry: BlockClass, texts: Iterator[str]) -> list[str]:
        """Return the lines of a class that is a sequence."""
        text = sequence_text(sequence_entries(self.classes, entry.block, texts)).removeprefix("nn.Sequential")
        lines = [f"class {entry.name}(nn.Sequential):", f'    """{_places(entry)}"""', ""]
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
                    elements = repeated(lists[outer])
                    one = elements[0][1:] if len(elements) == 1 and elements[0].startswith("*") else None
                    lines += wrapped(f"self.{outer} = nn.ModuleList({one or '[' + ', '.join(elements) + ']'})", 8)
            elif entry.optional is not None and name == entry.optional.part:
                lines.append(" " * 8 + f"self.{name}: nn.Module = nn.Identity()")
                lines.append(" " * 8 + f"if {entry.optional.flag}:")
                lines += wrapped(f"self.{name} = {text}", 12)
            else:
                lines += wrapped(f"self.{name} = {text}", 8)
        for name, own in block.parameters.items():
            lines += wrapped(self._parameter(name, own, texts), 8)
        return lines

    def _parameter(self, name: str, own: str, texts: Iterator[str]) -> str:
        tensor = self.graph.tensors[name]
        sizes = [next(texts) for _ in tensor.shape]
        shape = ", ".join(sizes) if sizes else "()"
        kind = "" if tensor.dtype == "float32" else f", dtype=torch.{tensor.dtype}"
        if not tensor.constant and "float" in tensor.dtype:
            return f"self.{own} = nn.Parameter(torch.zeros({shape}{kind}))"
        return f'self.register_buffer("{own}", torch.zeros({shape}{kind}))'

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
