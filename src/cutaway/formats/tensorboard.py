"""The graph in an event file of TensorBoard: read from what `add_graph` writes, and written for TensorBoard to show.

Such a file has scopes, operations, what they read and the shapes that they make. It has neither element types nor the
shapes of weights, and only the modules that were called.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from cutaway.core.architecture import Architecture, Module, Note, Op, Setting, Shape, Value, Weight, symbolic
from cutaway.core.error import CutawayError
from cutaway.core.place import Place
from cutaway.core.record import replace
from cutaway.formats import event_contents, event_records, keras_file, protobuf, saved_model
from cutaway.formats.description import Description

# Numbers of fields: of Event, GraphDef, NodeDef, AttrValue and TensorShapeProto.
_WALL_TIME, _FILE_VERSION, _GRAPH = 1, 3, 4
_NODE, _VERSIONS, _PRODUCER = 1, 4, 1
_NAME, _OP, _INPUT, _ATTR = 1, 2, 3, 5
_LIST, _TEXT, _LIST_SHAPE = 1, 2, 7
_DIM, _SIZE, _UNKNOWN_RANK = 2, 1, 3

_SHAPES, _SETTINGS = "_output_shapes", "attr"
_IO = "IO Node"
_FRAMEWORKS = {"prim": "pytorch", "aten": "pytorch", "torch": "pytorch", "keras": "keras"}
_TRACED = ("prim::", "aten::", _IO, "Parameter", "torch.", "keras.", "either")
"""How operations begin in graphs that a trace of a network gives, or `write`."""
_WEIGHT = "Parameter"
_SCOPE = re.compile(r"([^\[\]/]+)\[([^\[\]]+)\]")
_LITERAL = re.compile(r"^\{ value : (.*)\}$")
VERSION = "brain.Event:2"


@dataclass(frozen=True, slots=True)
class _Node:
    name: str
    op: str
    inputs: tuple[str, ...]
    settings: str
    shapes: tuple[Shape, ...]


def read(file: BinaryIO, path: str) -> list[Architecture | Description]:
    """Read the networks of an event file: its graphs, and the configurations that Keras writes."""
    try:
        contents = event_contents.read(file)
        found = list(_networks(contents, path))
    except (protobuf.Malformed, UnicodeDecodeError) as error:
        raise CutawayError(f"{path}: {error}") from None
    if not found and contents.damage:
        raise CutawayError(f"{path}: {contents.damage}")
    if not found:
        raise CutawayError(f"{path}: there is no graph in it: write one with SummaryWriter.add_graph")
    if contents.damage:
        note = Note(f"it is read up to where it is damaged: {contents.damage}", Place(path))
        found = [replace(each, unknowns=(*each.unknowns, note)) for each in found]
    return _with_names(found, path)


def names_operations(file: BinaryIO) -> bool:
    """Tell whether a file names its operations itself: all do."""
    return True


def _networks(contents: event_contents.Contents, path: str) -> Iterator[Any]:
    """Yield what each graph and configuration describes, those that are written twice once."""
    for text in dict.fromkeys(contents.configurations):
        description = keras_file.description(text, path)
        if description is not None:
            yield description
    for graph in dict.fromkeys(contents.meta_graphs):
        yield from saved_model.read_meta_graph(graph, path)
    known = [data for meta in contents.meta_graphs for data in protobuf.grouped(meta).get(2, ())]
    for graph in dict.fromkeys(contents.graphs):
        nodes = [_node(value) for number, value in protobuf.fields(graph) if number == _NODE]
        if any(node.op.startswith(_TRACED) for node in nodes) or not nodes:
            yield _architecture(nodes, path)
        elif graph not in known:
            yield saved_model.read_graph(graph, path)


def _with_names(found: list[Any], path: str) -> list[Architecture | Description]:
    """Name each network; several are told apart by their names."""
    if len(found) == 1:
        return [replace(found[0], target=path)]
    taken: dict[str, int] = {}
    made = []
    for each in found:
        taken[each.name] = taken.get(each.name, 0) + 1
        name = each.name if taken[each.name] == 1 else f"{each.name}_{taken[each.name]}"
        made.append(replace(each, name=name, target=f"{path}::{name}"))
    return made


def write(architecture: Architecture) -> bytes:
    """Return an event file with the graph of a network."""
    graph = b"".join(protobuf.text(_NODE, _written(node)) for node in _nodes(architecture))
    graph += protobuf.text(_VERSIONS, protobuf.number(_PRODUCER, 22))
    started = protobuf.double(_WALL_TIME, 0.0)
    events = (started + protobuf.text(_FILE_VERSION, VERSION), started + protobuf.text(_GRAPH, graph))
    return b"".join(event_records.written(event) for event in events)


def _node(data: bytes) -> _Node:
    found = protobuf.grouped(data)
    attributes = {}
    for entry in found.get(_ATTR, ()):
        pair = protobuf.grouped(entry)
        attributes[pair[1][0].decode()] = protobuf.grouped(pair[2][0]) if 2 in pair else {}
    listed = attributes.get(_SHAPES, {}).get(_LIST, [b""])[0]
    return _Node(
        found.get(_NAME, [b""])[0].decode(),
        found.get(_OP, [b""])[0].decode(),
        tuple(value.decode() for value in found.get(_INPUT, ())),
        attributes.get(_SETTINGS, {}).get(_TEXT, [b""])[0].decode(),
        tuple(_shape(value) for number, value in protobuf.fields(listed) if number == _LIST_SHAPE),
    )


def _shape(data: bytes) -> Shape:
    found = protobuf.grouped(data)
    if found.get(_UNKNOWN_RANK, [0])[0]:
        return None
    sizes = [protobuf.signed(protobuf.grouped(dim).get(_SIZE, [0])[0]) for dim in found.get(_DIM, ())]
    return tuple(None if size < 0 else size for size in sizes)


def _architecture(nodes: Sequence[_Node], path: str) -> Architecture:
    by_name = {node.name: node for node in nodes}
    constants: dict[str, Setting] = {}
    for node in nodes:
        if node.op == "prim::Constant":
            constants[node.name] = _constant(node.settings)
        elif node.op in ("prim::ListConstruct", "prim::TupleConstruct") and all(i in constants for i in node.inputs):
            constants[node.name] = [constants[name] for name in node.inputs]
    modules: dict[str, str] = {}
    ops: list[Op] = []
    inputs: list[Value] = []
    outputs: list[Value] = []
    for node in nodes:
        scope, home = _scope(node.name)
        if node.op == _IO:
            side = outputs if node.inputs else inputs
            side.append(Value("" if node.inputs else node.name.rpartition("/")[2], _first(node), None))
            continue
        modules.update(scope)
        if node.op in ("prim::Constant", "prim::ListConstruct", "prim::TupleConstruct", "prim::GetAttr", _WEIGHT):
            continue
        ops.append(_operation(node, home, by_name, constants, path))
    modules = {"": modules.get("", "network"), **modules}
    listed = [Module(each, kind, kind, complete=False) for each, kind in modules.items()]
    return Architecture(
        name=modules[""],
        target=path,
        framework=_framework(nodes),
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        modules=tuple(listed),
        weights=tuple(weight for node in nodes if (weight := _weight(node)) is not None),
        ops=tuple(ops),
        unknowns=(Note("an event file has no shapes of weights and no element types", Place(path)),),
    )


def _framework(nodes: Iterable[_Node]) -> str:
    """Return the framework that the names of operations are those of."""
    for node in nodes:
        start = node.op.partition("::")[0] if "::" in node.op else node.op.partition(".")[0]
        if start in _FRAMEWORKS:
            return _FRAMEWORKS[start]
    return ""


def _operation(node: _Node, home: str, by_name: Mapping[str, _Node], constants: Mapping[str, Setting], path: str) -> Op:
    attributes: dict[str, Setting] = {str(at): constants[n] for at, n in enumerate(node.inputs) if n in constants}
    attributes.update(_stated(node.settings))
    read = [_value(name, by_name) for name in node.inputs if name not in constants]
    shapes = node.shapes or (None,)
    made = [Value(node.name if not at else f"{node.name}:{at}", shape, None) for at, shape in enumerate(shapes)]
    return Op(node.op, attributes, tuple(read), tuple(made), home, Place(path), None)


def _value(name: str, by_name: Mapping[str, _Node]) -> Value:
    base, _, number = name.partition(":")
    node = by_name.get(base)
    if node is None:
        return Value(name, None, None)
    at = int(number) if number.isdigit() else 0
    shape = node.shapes[at] if at < len(node.shapes) else None
    if node.op in ("prim::GetAttr", _WEIGHT):
        own = _text_setting(node.settings) or node.name.rpartition("/")[2]
        home = _scope(node.name)[1]
        return Value(f"{home}.{own}" if home else own, shape, None)
    return Value(node.name.rpartition("/")[2] if node.op == _IO else name, shape, None)


def _weight(node: _Node) -> Weight | None:
    """Return a weight, if a node tells its kind, as those that `write` makes do."""
    stated = _stated(node.settings)
    kind, dtype = stated.get("kind"), stated.get("dtype")
    if node.op != _WEIGHT or kind not in ("parameter", "buffer"):
        return None
    home, own = _scope(node.name)[1], node.name.rpartition("/")[2]
    named = f"{home}.{own}" if home else own
    return Weight(named, _first(node), dtype if isinstance(dtype, str) else None, str(kind))


def _scope(name: str) -> tuple[dict[str, str], str]:
    """Return the modules around a node, path by path, and the path of the innermost."""
    head, *parts = name.split("/")
    modules = {"": head}
    path = ""
    for part in parts:
        found = _SCOPE.fullmatch(part)
        if found is None:
            break
        path = f"{path}.{found[2]}" if path else found[2]
        modules[path] = found[1]
    return modules, path


def _first(node: _Node) -> Shape:
    return node.shapes[0] if node.shapes else None


def _constant(settings: str) -> Setting:
    found = _LITERAL.match(settings)
    if found is None:
        return None
    try:
        value: Setting = json.loads(found[1])
    except ValueError:
        return found[1].strip()
    return value


def _stated(settings: str) -> dict[str, Setting]:
    """Return attributes that were written as JSON, as `write` does."""
    try:
        found = json.loads(settings) if settings not in ("", "{}") else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _text_setting(settings: str) -> str | None:
    found = re.match(r"^\{ name :\s+(\S+) ?\}$", settings)
    return found[1] if found else None


def _nodes(architecture: Architecture) -> Iterable[_Node]:
    """Yield the nodes of a network's graph, each under a name of its own."""
    classes = {module.path: module.class_name for module in architecture.modules}
    root = re.sub(r"[^A-Za-z0-9_.]", "_", classes.get("", architecture.name)) or "network"
    names: dict[str, str] = {}
    taken: dict[str, int] = {}
    for value in architecture.inputs:
        names[value.name] = _unique(f"input/{_clean(value.name)}", taken)
        yield _Node(names[value.name], _IO, (), "", (value.shape,))
    used = {value.name for op in architecture.ops for value in op.inputs}
    for weight in architecture.weights:
        if weight.name in used and weight.tied_to is None:
            home = weight.module or ""
            own = weight.name[len(home) + 1 :] if home and weight.name.startswith(home) else weight.name
            names[weight.name] = _unique(f"{_scoped(home, root, classes, architecture.separator)}/{_clean(own)}", taken)
            settings = json.dumps({"kind": weight.kind, "dtype": weight.dtype})
            yield _Node(names[weight.name], _WEIGHT, (), settings, (weight.shape,))
    for op in architecture.ops:
        scope = _scoped(op.module, root, classes, architecture.separator)
        name = _unique(f"{scope}/{_clean(op.op.rpartition('.')[2])}", taken)
        read = tuple(names[value.name] for value in op.inputs if value.name in names)
        for at, value in enumerate(op.outputs):
            names[value.name] = name if not at else f"{name}:{at}"
        yield _Node(
            name, op.op, read, json.dumps(_plain(op.attributes), default=symbolic), tuple(v.shape for v in op.outputs)
        )
    last = architecture.ops[-1].outputs if architecture.ops else ()
    for at, value in enumerate(architecture.outputs):
        made = [names[v.name] for v in last if v.shape == value.shape][:1]
        yield _Node(_unique(f"output/{_clean(value.name or str(at))}", taken), _IO, tuple(made), "", (value.shape,))


def _plain(attributes: Mapping[str, Setting]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}


def _scoped(path: str, root: str, classes: Mapping[str, str], separator: str) -> str:
    parts, at = [root], ""
    for name in path.split(separator) if path else ():
        at = f"{at}{separator}{name}" if at else name
        parts.append(f"{_clean(classes.get(at, 'Module'))}[{_clean(name)}]")
    return "/".join(parts)


def _clean(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name) or "_"


def _unique(name: str, taken: dict[str, int]) -> str:
    number = taken.get(name, 0)
    taken[name] = number + 1
    return _unique(f"{name}_{number}", taken) if number else name


def _written(node: _Node) -> bytes:
    out = protobuf.text(_NAME, node.name) + protobuf.text(_OP, node.op)
    out += b"".join(protobuf.text(_INPUT, name) for name in node.inputs)
    listed = b"".join(protobuf.text(_LIST_SHAPE, _written_shape(shape)) for shape in node.shapes)
    for name, value in ((_SETTINGS, protobuf.text(_TEXT, node.settings)), (_SHAPES, protobuf.text(_LIST, listed))):
        out += protobuf.text(_ATTR, protobuf.text(1, name) + protobuf.text(2, value))
    return out


def _written_shape(shape: Shape) -> bytes:
    if shape is None:
        return protobuf.number(_UNKNOWN_RANK, 1)
    sizes = [size if isinstance(size, int) else -1 for size in shape]
    return b"".join(protobuf.text(_DIM, protobuf.number(_SIZE, size)) for size in sizes)
