"""The forward pass of a class: statements with names that a person would give, nested where that stays readable."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from cutaway.core.record import dataclass, field
from cutaway.recover.graph import Graph, Node
from cutaway.recover.structure.blocks import Block, Layer, Step
from cutaway.recover.structure.classes import Optional
from cutaway.recover.structure.names import identifier, snake, unused
from cutaway.recover.targets.dialect import Dialect
from cutaway.recover.targets.expression import POSTFIX
from cutaway.recover.targets.lines import wrapped

_LONGEST, _DEEPEST = 72, 3
_PLAIN = re.compile(
    r"(conv|bn|norm|relu|act|linear|fc|ln|dropout|drop|layer|proj|embed|batch_norm|group_norm|re_lu|leaky|dense|pool|max_pool|average_pool"
    r"|global_|pad|zero_pad|up_sampling|upsample|depthwise|separable|add|concat|multiply|subtract|flatten|reshape|activation)\w*"
)
"""The names of parts that say only what kind of layer they are: what these make has no name of its own."""
_BY_OP = {
    "F.scaled_dot_product_attention": "out", "ops.dot_product_attention": "out", "@": "scores", "torch.cat": "joined",
    "ops.concatenate": "joined", "nn.Softmax": "weights", "layers.Softmax": "weights",
}  # fmt: skip
_ATTENTION = ("F.scaled_dot_product_attention", "ops.dot_product_attention")
_CONDITIONAL = -1
_RESULTS = ("out", "y", "z", "u", "v", "w")
RECURRENT = ("nn.LSTM", "nn.GRU", "nn.RNN")


@dataclass(slots=True, eq=False)
class _Tree:
    """A step with the steps that are nested in it, by the place of the input that they make."""

    step: Step
    texts: list[str]
    nested: dict[str, _Tree] = field(default_factory=dict)

    def leaves(self) -> Iterator[str]:
        """Yield the values that it reads and that are not made in it."""
        for name in self.step.inputs:
            if name in self.nested:
                yield from self.nested[name].leaves()
            else:
                yield name


class Missing:
    """The functions that stand for operations without code; each raises, and says why."""

    def __init__(self) -> None:
        self.names: dict[tuple[str, bool], str] = {}

    def function(self, node: Node) -> str:
        """Return the name of the function for an operation."""
        key = node.missing, len([name for name in node.outputs if name]) > 1
        if key not in self.names:
            word = node.missing.partition(":")[0].rpartition(".")[2]
            name = f"missing_{snake(identifier(word, 'operation'))}"
            self.names[key] = unused(name, set(self.names.values()))
        return self.names[key]

    def lines(self, annotation: str) -> list[str]:
        """Return the functions."""
        lines: list[str] = []
        for (why, is_several), name in self.names.items():
            result = f"tuple[{annotation}, ...]" if is_several else annotation
            typed, returned = (f": {annotation}", f" -> {result}") if annotation else ("", "")
            lines += [
                "",
                "",
                f"def {name}(*inputs{typed}){returned}:",
                *wrapped(f"raise NotImplementedError({why!a})", 4),
            ]
        return lines


class Forward:
    """The statements of one block; `texts` are those of the numbers in its expressions, in order."""

    def __init__(
        self,
        graph: Graph,
        dialect: Dialect,
        block: Block,
        texts: Iterator[str],
        input_names: list[str] | None = None,
        optional: Optional | None = None,
        missing: Missing | None = None,
    ) -> None:
        self.missing = missing or Missing()
        self.graph = graph
        self.dialect = dialect
        self.block = block
        # A part that is not there is a module that does nothing; any other step is made only under a condition.
        self.optional = None if optional is None or optional.part else optional
        self.names: dict[str, str] = {}
        self.arguments = input_names or _argument_names(block)
        self.names.update(zip(block.inputs, self.arguments))
        for name, own in block.parameters.items():
            self.names[name] = f"self.{own}"
        self.roles = {
            name: role
            for step in block.steps
            if step.node is not None and step.node.op in _ATTENTION
            for name, role in zip(step.inputs, ("q", "k", "v"))
            if name not in block.inputs
        }
        self.trees = [_Tree(step, self._texts(step, texts)) for step in block.steps]

    def _texts(self, step: Step, texts: Iterator[str]) -> list[str]:
        if step.part or (step.node is not None and step.node.missing):
            return []
        taken: list[str] = []

        def write(hint: str, value: Any) -> str:
            taken.append(next(texts))
            return taken[-1]

        assert step.node is not None
        self.dialect.render(step.node, [("x", POSTFIX)] * len(step.node.inputs), write)
        return taken

    def statements(self) -> list[str]:
        """Return the statements, the last of which returns the outputs."""
        trees = self._nested()
        last: dict[str, int] = {}
        for at, tree in enumerate(trees):
            for name in tree.leaves():
                last[name] = at
        for name in self.block.outputs:
            last[name] = len(trees)
        lines: list[str] = []
        for at, tree in enumerate(trees):
            if not any(tree.step.outputs):
                continue
            text = self._text(tree)[0]
            is_last = at == len(trees) - 1 and self.block.outputs == [n for n in tree.step.outputs if n]
            if is_last and len(self.block.outputs) == 1 and not self._is_unpacked(tree):
                return [*lines, f"return {text}"]
            lines.append(f"{self._target(tree, at, last)} = {text}")
        results = ", ".join(self.names[name] for name in self.block.outputs)
        return [*lines, f"return {results}".rstrip()]

    # Nesting.

    def _nested(self) -> list[_Tree]:
        """Nest what is read once in what reads it, as long as the expression stays short."""
        uses: Counter[str] = Counter()
        for tree in self.trees:
            uses.update(tree.step.inputs)
        uses.update(self.block.outputs)
        trees: list[_Tree] = []
        made: dict[str, _Tree] = {}
        for tree in self.trees:
            for name in tree.step.inputs:
                inner = made.get(name)
                if inner is None or uses[name] != 1 or not self._may_nest(inner, tree, name):
                    continue
                tree.nested[name] = inner
                if self._depth(tree) > _DEEPEST or len(self._sketch(tree)) > _LONGEST:
                    del tree.nested[name]
                else:
                    trees.remove(inner)
            trees.append(tree)
            for name in tree.step.outputs:
                made[name] = tree
        return trees

    def _may_nest(self, inner: _Tree, outer: _Tree, name: str) -> bool:
        step, around = inner.step, outer.step
        if len(step.outputs) != 1 or self._is_unpacked(inner) or (step.node is not None and step.node.missing):
            return False
        if around.node is not None and around.node.missing:
            return False
        calls_block = bool(step.part) and isinstance(self.block.parts[step.part], Block)
        if around.part:
            outer_block = isinstance(self.block.parts[around.part], Block)
            return not calls_block and (bool(step.part) or not outer_block)
        if around.node is not None and around.node.sized and name in around.inputs[-around.node.sized :]:
            return False
        if calls_block and around.node is not None and not _takes_blocks(around.node.op):
            return False
        if self.optional is not None and around is self.block.steps[self.optional.step]:
            return False  # what is kept is written twice
        return around.inputs.count(name) == 1 and self._mentions(around, name) == 1

    def _mentions(self, step: Step, name: str) -> int:
        """Return how often an input is written in an expression."""
        assert step.node is not None
        mark = "\0"
        names = [(mark if each == name else "x", POSTFIX) for each in step.node.inputs]
        return self.dialect.render(step.node, names, lambda hint, value: "0")[0].count(mark)

    def _depth(self, tree: _Tree) -> int:
        own = (
            0
            if tree.step.node is not None and tree.step.node.op.startswith((".", "getitem")) and not tree.step.part
            else 1
        )
        return own + max((self._depth(inner) for inner in tree.nested.values()), default=0)

    def _sketch(self, tree: _Tree) -> str:
        return self._text(tree, lambda name: self.names.get(name, "hidden"))[0]

    # Text.

    def _text(self, tree: _Tree, named: Callable[[str], str] | None = None) -> tuple[str, int]:
        named = named or self.names.__getitem__
        step = tree.step

        def operand(name: str) -> tuple[str, int]:
            if name in tree.nested:
                return self._text(tree.nested[name], named)
            return named(name), POSTFIX

        if step.part:
            return self._call(step, [operand(name)[0] for name in step.inputs]), POSTFIX
        assert step.node is not None
        if step.node.missing:
            function = self.missing.function(step.node)
            return f"{function}({', '.join(operand(name)[0] for name in step.inputs)})", POSTFIX
        texts = iter(tree.texts)
        names = [operand(each) if isinstance(each, str) else ("", POSTFIX) for each in step.node.inputs]
        text = self.dialect.render(step.node, names, lambda hint, value: next(texts))
        if self.optional is not None and step is self.block.steps[self.optional.step]:
            kept = names[self.optional.kept][0]
            return f"{text[0]} if self.{self.optional.flag} else {kept}", _CONDITIONAL
        return text

    def _call(self, step: Step, arguments: list[str]) -> str:
        part = self.block.parts[step.part]
        name, dot, number = step.part.partition(".")
        target = f"self.{name}[{number}]" if dot else f"self.{name}" if not name.isdigit() else f"self[{name}]"
        return self.dialect.call(part.node.op if isinstance(part, Layer) else "", target, arguments)

    def _is_unpacked(self, tree: _Tree) -> bool:
        step = tree.step
        part = self.block.parts.get(step.part)
        return len(step.outputs) > 1 or (isinstance(part, Layer) and part.node.op in RECURRENT)

    # Names.

    def _target(self, tree: _Tree, at: int, last: dict[str, int]) -> str:
        step = tree.step
        part = self.block.parts.get(step.part)
        live = {self.names[name] for name, place in last.items() if place > at and name in self.names}
        freed = [
            self.names[name]
            for name in tree.leaves()
            if last[name] == at and not self.names[name].startswith("self.") and self.names[name] not in live
        ]
        if isinstance(part, Layer) and part.node.op in RECURRENT:
            return self._states(step, part.node.op, live, last)
        if len(step.outputs) > 1:
            chosen = self._several(step, live, last)
            return ", ".join(chosen)
        (name,) = step.outputs
        self.names[name] = self._one(step, freed, live)
        return self.names[name]

    def _one(self, step: Step, freed: list[str], live: set[str]) -> str:
        (output,) = step.outputs
        role = self.roles.get(output, "")
        if role and role not in live:
            return role
        if freed and freed[0] not in live:
            return freed[0]
        candidates = []
        if step.part:
            word = identifier(step.part.rpartition(".")[0] or step.part)
            if not _PLAIN.fullmatch(word) and not step.part.isdigit():
                candidates.append(word)
        elif step.node is not None and step.node.op in _BY_OP:
            candidates.append(_BY_OP[step.node.op])
        candidates += _RESULTS
        return _free(candidates, live)

    def _several(self, step: Step, live: set[str], last: dict[str, int]) -> list[str]:
        used = [name for name in step.outputs if name and name in last]
        words = {2: ["left", "right"], 3: ["q", "k", "v"]}.get(len(used), [])
        chosen = []
        taken = set(live)
        for name in step.outputs:
            if name in used:
                word = _free([*words, *_RESULTS], taken)
                taken.add(word)
                self.names[name] = word
                chosen.append(word)
            else:
                chosen.append("_")
        return chosen

    def _states(self, step: Step, op: str, live: set[str], last: dict[str, int]) -> str:
        names = [*step.outputs, "", ""][:3]
        words = []
        taken = set(live)
        for name, word in zip(names, ("out", "hidden", "cell")):
            if name and name in last:
                self.names[name] = _free([word, f"{word}_state", *_RESULTS], taken)
                taken.add(self.names[name])
                words.append(self.names[name])
            else:
                words.append("_")
        out, hidden, cell = words
        if op != "nn.LSTM":
            return f"{out}, {hidden}"
        return f"{out}, _" if hidden == cell == "_" else f"{out}, ({hidden}, {cell})"


def _takes_blocks(op: str) -> bool:
    """Tell whether the call of a block may stand inside of an operation: operators, methods and joins."""
    return op.startswith(".") or op in ("+", "-", "*", "getitem", "torch.cat", "ops.concatenate")


def _free(candidates: list[str], live: set[str]) -> str:
    for word in candidates:
        if word not in live:
            return word
    number = 2
    while f"{candidates[-1]}{number}" in live:
        number += 1
    return f"{candidates[-1]}{number}"


def _argument_names(block: Block) -> list[str]:
    return [*"xyzuvw", *(f"x{number}" for number in range(1, len(block.inputs)))][: len(block.inputs)]
