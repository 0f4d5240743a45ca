"""The contents of a graph in a file, for what needs more than its `Architecture`: recovered code and its weights."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cutaway.core.contents import Contents, Fact, Operation, Stored
from cutaway.core.error import CutawayError
from cutaway.core.place import Place
from cutaway.core.size.dim import Dim, is_known
from cutaway.core.size.parser import detached
from cutaway.formats.graph.architecture import inferred, nodes_of, tensors_of
from cutaway.formats.graph.hierarchy import naming
from cutaway.formats.graph.inference import Inference, Step
from cutaway.formats.graph.model import Graph, Model, Tensor
from cutaway.formats.graph.value import Known, Rule

_PIECE = 1 << 22


def contents(model: Model, path: str, rules: Mapping[tuple[str, str], Rule], framework: str) -> Contents:
    """Return what a model contains; its tensors can be read while its file is open."""
    inference, _ = inferred(model, rules, [], Place(path))
    names = naming(nodes_of(model.graph), (tensor.name for tensor in model.graph.tensors))
    facts: dict[str, Fact] = {}
    tensors = {tensor.name: _stored(tensor, path) for tensor in tensors_of(model.graph)}
    aliases = _Aliases(model, inference)
    operations = []
    for step in inference.steps:
        for name, known in (*step.inputs, *step.outputs):
            if name not in facts or facts[name].numbers is None:
                facts[name] = _fact(known)
        if not aliases.is_call(step):
            operations.append(_operation(step, names.module(step.node, step.scope), framework, model, path, aliases))
    for name, known in (*inference.inputs, *inference.outputs):
        facts.setdefault(name, _fact(known))
    return Contents(
        os.path.splitext(os.path.basename(path))[0],
        framework,
        tuple(name for name, _ in inference.inputs),
        tuple(aliases.resolved(name) for name, _ in inference.outputs),
        tuple(operations),
        facts,
        tensors,
        names.classes,
        names.separator,
        tuple(dict.fromkeys(step.problem for step in inference.steps if step.problem)),
    )


def _operation(step: Step, module: str, framework: str, model: Model, path: str, aliases: _Aliases) -> Operation:
    node = step.node
    read = iter(step.inputs)
    inputs = tuple(aliases.resolved(next(read)[0]) if name else "" for name in node.inputs)
    made = iter(step.outputs)
    outputs = tuple(next(made)[0] if name else "" for name in node.outputs)
    return Operation(
        f"{node.domain or framework}.{node.op}",
        inputs,
        outputs,
        {name: _attribute(value, path) for name, value in step.attributes.items()},
        module,
        node.version or model.opsets.get(node.domain, 1),
        step.condition,
        step.repeat,
        step.problem,
    )


class _Aliases:
    """The values that are others under the names of a function's inputs and outputs, or of a branch that is always taken."""

    def __init__(self, model: Model, inference: Inference) -> None:
        self.functions = model.functions
        self.names: dict[str, str] = {}
        steps = [step for step in inference.steps if self.is_call(step)]
        for step in steps:
            node = step.node
            if node.op == "If":
                self._branch(step)
                continue
            function = self.functions[node.domain, node.op, node.overload]
            label = node.name or next((name for name in node.outputs if name), node.op)
            outer = "".join(f"{each}/" for each in step.scope)
            read = iter(step.inputs)
            given = [next(read)[0] if name else "" for name in node.inputs]
            prefix = f"{outer}{label}/"
            for inner, name in zip(function.inputs, given):
                if name:
                    self.names[prefix + inner] = name
            made = iter(step.outputs)
            for name, inner in zip(node.outputs, function.outputs):
                if name:
                    self.names[next(made)[0]] = prefix + inner

    def is_call(self, step: Step) -> bool:
        """Tell whether a step only stands for others, which are steps of their own."""
        node = step.node
        return (node.domain, node.op, node.overload) in self.functions or self._decided(step) is not None

    def resolved(self, name: str) -> str:
        """Return the name under which a value is made."""
        while name in self.names:
            name = self.names[name]
        return name

    def _decided(self, step: Step) -> bool | None:
        if step.node.op != "If" or step.node.domain or not step.inputs:
            return None
        numbers = step.inputs[0][1].numbers
        decided = numbers[0] if numbers is not None and len(numbers) == 1 else None
        return decided if isinstance(decided, bool) else None

    def _branch(self, step: Step) -> None:
        branch = step.attributes.get("then_branch" if self._decided(step) else "else_branch")
        if isinstance(branch, Graph):
            for (name, _), inner in zip(step.outputs, branch.outputs):
                self.names[name] = inner.name


def _attribute(value: Any, path: str) -> Any:
    if isinstance(value, Tensor):
        return _stored(value, path)
    if isinstance(value, list):
        return [_attribute(each, path) for each in value]
    return value if isinstance(value, (bool, int, float, str)) else None


def _fact(known: Known) -> Fact:
    if known.kind != "tensor":
        return Fact()
    shape = None if known.shape is None else tuple(map(_size, known.shape))
    numbers = None if known.numbers is None else tuple(_number(each) for each in known.numbers)
    return Fact(shape, known.dtype, numbers)


def _size(size: Any) -> Any:
    return detached(size) if isinstance(size, Dim) and is_known(size) else size


def _number(number: Any) -> Any:
    if isinstance(number, Dim):
        return _size(number)
    return number if isinstance(number, (bool, int, float, str)) else None


def _stored(tensor: Tensor, path: str) -> Stored:
    dtype = tensor.dtype or "unknown"
    if tensor.sparse:
        return Stored(tensor.name, dtype, tensor.dims, None, "it is stored in a sparse form")
    if tensor.location is None:
        return Stored(tensor.name, dtype, tensor.dims, tensor.pieces)
    normal = os.path.normpath(tensor.location.replace("\\", "/"))
    if os.path.isabs(normal) or normal.split("/")[0] == ".." or "\0" in normal:
        return Stored(tensor.name, dtype, tensor.dims, None, f"{tensor.location!r} is not in the folder of the file")
    folder = os.path.dirname(os.path.abspath(path))
    place = os.path.join(folder, normal)
    if os.path.commonpath([os.path.realpath(folder), os.path.realpath(place)]) != os.path.realpath(folder):
        return Stored(
            tensor.name, dtype, tensor.dims, None, f"{tensor.location!r} is a link out of the folder of the file"
        )
    return Stored(tensor.name, dtype, tensor.dims, _outside(place, tensor.offset, tensor.name))


def _outside(place: str, offset: int, name: str) -> Callable[[], Iterator[bytes]]:
    """Return a function that yields bytes of another file from an offset on; the reader stops where the tensor ends."""

    def pieces() -> Iterator[bytes]:
        try:
            with open(place, "rb") as file:
                file.seek(offset)
                while piece := file.read(_PIECE):
                    yield piece
        except OSError as error:
            raise CutawayError(f"{place}: the numbers of {name} can't be read ({error.strerror})") from None

    return pieces
