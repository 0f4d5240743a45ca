"""Whether the JSON of saved files keeps what docs/json.md promises, file by file.

    python -m benchmarks.formats.contract FOLDER...

Of each network: its target is the file, or the file and a key that names it; names of values are unique, and each is a
weight, an input, the result of an earlier operation, or a constant; sizes are numbers, formulas or null; weights belong to
modules that are listed; the free batch of a Keras layer is a symbol; what is written is read back equal. Of an ONNX file
that the onnx package reads: names, shapes and element types of weights, and the operators of its nodes, are the file's own.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cutaway
from cutaway.core.size.parser import parse
from cutaway.formats import dispatch


def violations(path: str) -> Iterator[str]:
    """Yield what the JSON of a file gets wrong."""
    networks = cutaway.show(path, isolated=False)
    text = cutaway.dumps(networks)
    if cutaway.dumps(cutaway.loads(text)) != text:
        yield "what is written is not read back equal"
    documents = json.loads(text)["architectures"]
    targets = [document["target"] for document in documents]
    if len(set(targets)) != len(targets):
        yield f"targets are not unique: {targets}"
    for document in documents:
        file, _, key = document["target"].partition("::")
        if file != path:
            yield f"target {document['target']}"
        elif key and cutaway.show(document["target"], isolated=False)[0].name != document["name"]:
            yield f"{document['target']} names another network"
        yield from _graph(document)
        yield from _sizes(document)
        yield from _modules(document)


def _graph(document: dict[str, Any]) -> Iterator[str]:
    made = [value["name"] for op in document["ops"] for value in op["outputs"]]
    for name, count in Counter(made).items():
        if count > 1:
            yield f"{count} operations make {name}"
    weights = [weight["name"] for weight in document["weights"]]
    for name, count in Counter(weights).items():
        if count > 1:
            yield f"{count} weights are called {name}"
    known = {*weights, *(value["name"] for value in document["inputs"])}
    later = set(made)
    for op in document["ops"]:
        for value in op["inputs"]:
            if value["name"] in later and value["name"] not in known and op.get("repeat", 1) == 1:
                yield f"{op['op']} reads {value['name']} before it is made"
        known.update(value["name"] for value in op["outputs"])


def _sizes(document: dict[str, Any]) -> Iterator[str]:
    values = [*document["inputs"], *document["outputs"], *document["weights"]]
    values += [value for op in document["ops"] for value in (*op["inputs"], *op["outputs"])]
    for size in {size for value in values for size in value["shape"] or ()}:
        if isinstance(size, str):
            parse(size)
        elif size is not None and (not isinstance(size, int) or size < 0):
            yield f"{size!r} is not a size"


def _modules(document: dict[str, Any]) -> Iterator[str]:
    paths = {module["path"] for module in document["modules"]}
    if "" not in paths:
        yield "there is no root"
    for weight in document["weights"]:
        if weight["module"] not in paths:
            yield f"{weight['name']} belongs to {weight['module']}, which is not listed"
    for module in document["modules"] if document["framework"] == "keras" else ():
        for shape in (module["calls"][0]["outputs"] or ()) if module["calls"] else ():
            if shape and shape[0] is None:
                yield f"the batch of {module['path']} is null"


def own_contents(path: str) -> Iterator[str]:
    """Yield where weights and operators of an ONNX file are not those that the onnx package finds."""
    import onnx  # late: only these files need it

    model = onnx.load(path, load_external_data=False)
    network = cutaway.show(path, isolated=False)[0]
    stored = {each.name: tuple(each.dims) for each in model.graph.initializer}
    shapes = {weight.name: weight.shape for weight in network.weights}
    for name, shape in stored.items():
        if shapes.get(name, shape) != shape or (name not in shapes and shape):
            yield f"{name} is {shapes.get(name)}, not {shape}"
    if any("the rest is not followed" in note.text for note in network.unknowns):
        return
    operators = Counter(node.op_type for node in model.graph.node if node.op_type != "Constant")
    listed = Counter(op.op.rpartition(".")[2] for op in network.ops)
    functions = {each.name for each in model.functions}
    for name, count in operators.items():
        if name not in functions and listed[name] < count:
            yield f"{name} is listed {listed[name]} times, and is there {count} times"


def main() -> int:
    """Print the files that break the contract, and the sums."""
    sums: Counter[str] = Counter()
    for folder in sys.argv[1:]:
        for path in sorted(map(str, Path(folder).rglob("*"))):
            if not Path(path).is_file() or not dispatch.is_saved(path):
                continue
            try:
                wrong = list(violations(path))
            except cutaway.CutawayError:
                sums["refused"] += 1
                continue
            if path.endswith(".onnx"):
                wrong += _of_package(path)
            sums["files"] += 1
            sums["broken"] += bool(wrong)
            for text in wrong[:4]:
                print(f"{path}: {text}", flush=True)
    print(dict(sums))
    return 1 if sums["broken"] else 0


def _of_package(path: str) -> list[str]:
    from google.protobuf.message import DecodeError  # late: only ONNX files need it

    try:
        return list(own_contents(path))
    except (DecodeError, UnicodeDecodeError):
        return []  # the package can't read it


if __name__ == "__main__":
    sys.exit(main())
