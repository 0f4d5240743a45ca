"""Graph models of TensorFlow.js: a graph in JSON, encoded as its binary form, with small constants from the files beside it."""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError, one_line
from cutaway.formats import protobuf, saved_model
from cutaway.formats.graph_def.text_form import SCHEMA
from cutaway.formats.protobuf import Malformed

_START = re.compile(rb'"modelTopology"\s*:\s*\{\s*"(?:node|library|versions)"\s*:|"format"\s*:\s*"graph-model"')
_LARGEST = 64 << 20
_DEEPEST = 60
_MOST_NUMBERS = 64
_WIDTHS = {"float32": 4, "int32": 4, "bool": 1, "complex64": 8, "uint8": 1, "uint16": 2, "float16": 2}
_WHOLE = {"DT_INT32": "int32", "DT_BOOL": "bool"}
_CONTENTS = [name for name in SCHEMA.messages["Tensor"] if name.endswith(("_content", "_val"))]
_MAPS = ("Attributes", "Signatures", "Infos", "Texts")


def sniff(head: bytes) -> bool:
    """Tell whether a text in JSON that begins like this is a graph model."""
    return _START.search(head) is not None


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read the network of a graph model."""
    text = file.read(_LARGEST + 1)
    if len(text) > _LARGEST:
        raise CutawayError(f"{path}: a text of more than {_LARGEST:,} bytes")
    try:
        document = json.loads(text)
        graph = document.get("modelTopology") if isinstance(document, dict) else None
        if not isinstance(graph, dict) or not isinstance(graph.get("node"), list):
            raise Malformed("it has no list of nodes")
        _fill(graph, _constants(document, os.path.dirname(path)))
        signature = document.get("signature")
        whole = protobuf.text(2, _message(graph, "GraphDef", 0))
        if isinstance(signature, dict) and signature.get("outputs"):
            whole += protobuf.text(5, _message({"key": "serving_default", "value": signature}, "Signatures", 0))
        return saved_model.read_meta_graph(whole, path)
    except (ValueError, RecursionError) as error:  # of JSON, and of what is in it
        raise CutawayError(f"{path}: it is a damaged graph model of TensorFlow.js: {one_line(str(error))}") from None


def _message(value: Any, kind: str, depth: int) -> bytes:
    """Return the binary form of a message in JSON, by the fields that are known."""
    if not isinstance(value, dict) or depth > _DEEPEST:
        raise Malformed(f"{kind} is not an object, or nested too deeply")
    parts = []
    for name, (number, inner) in SCHEMA.messages[kind].items():
        given = value.get(name, value.get(_camel(name)))
        if given is None:
            continue
        if inner in _MAPS and isinstance(given, dict) and "key" not in given:
            given = [{"key": key, "value": each} for key, each in given.items()]
        if inner == "text" and isinstance(given, list) and given and all(_is_byte(each) for each in given):
            given = base64.b64encode(bytes(given)).decode()  # older converters write bytes as a list of numbers
        for each in given if isinstance(given, list) else [given]:
            parts.append(_field(number, inner, each, kind, depth))
    return b"".join(parts)


def _field(number: int, inner: str, value: Any, kind: str, depth: int) -> bytes:
    if inner in SCHEMA.messages:
        return protobuf.text(number, _message(value, inner, depth + 1))
    if inner == "text":
        if not isinstance(value, str):
            raise Malformed(f"{value!r} in {kind} is not a string")
        return protobuf.text(number, _bytes(value) if kind in ("AttrValue", "List", "Tensor") else value)
    if inner in SCHEMA.words and isinstance(value, str):
        return protobuf.number(number, SCHEMA.words[inner].get(value, 0))
    if inner in ("int", "bool", *SCHEMA.words):
        if isinstance(value, str) and not re.fullmatch(r"-?\d{1,20}", value):
            raise Malformed(f"{value!r} in {kind} is not a number")
        if not isinstance(value, (int, str)):
            raise Malformed(f"{value!r} in {kind} is not a number")
        return protobuf.number(number, int(value))
    if inner in ("float", "double"):
        if not isinstance(value, (int, float, str)):
            raise Malformed(f"{value!r} in {kind} is not a number")
        return protobuf.single(number, float(value)) if inner == "float" else protobuf.double(number, float(value))
    raise Malformed(f"{inner} in {kind}")


def _is_byte(value: Any) -> bool:
    return type(value) is int and 0 <= value < 256


def _bytes(value: str) -> bytes:
    """Return bytes, which JSON has in base 64."""
    try:
        return base64.b64decode(value, validate=True)
    except binascii.Error:
        return value.encode()


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _fill(graph: Mapping[str, Any], constants: Mapping[str, bytes | None]) -> None:
    """Put the numbers of small constants into a graph; one whose numbers are not there is a tensor with unknown content."""
    functions = graph.get("library", {}).get("function", ()) if isinstance(graph.get("library"), dict) else ()
    inner = [each.get("nodeDef", ()) for each in functions if isinstance(each, dict)]
    for node in (node for nodes in (graph["node"], *inner) for node in nodes if isinstance(node, dict)):
        attributes = node.get("attr")
        if node.get("op") != "Const" or not isinstance(attributes, dict):
            continue
        value = attributes.get("value")
        tensor = value.get("tensor") if isinstance(value, dict) else None
        if not isinstance(tensor, dict) or any(tensor.get(name, tensor.get(_camel(name))) for name in _CONTENTS):
            continue
        content = constants.get(str(node.get("name"))) if _is_whole(tensor.get("dtype")) else None
        if content is None:
            del attributes["value"]
            attributes["shape"] = {"shape": tensor.get("tensorShape", {})}
        else:
            tensor["tensorContent"] = base64.b64encode(content).decode()


def _is_whole(kind: Any) -> bool:
    """Tell whether an element type, by its name or number, has whole numbers, of which shapes are made."""
    return kind in _WHOLE or kind in [SCHEMA.words["type"][name] for name in _WHOLE]


def _constants(document: Mapping[str, Any], folder: str) -> dict[str, bytes]:
    """Return the content of small constants that are whole numbers, from the files of weights in the same folder."""
    found: dict[str, bytes] = {}
    groups = document.get("weightsManifest")
    for group in groups if isinstance(groups, list) else ():
        if not isinstance(group, dict):
            continue
        shards = _Shards([str(name) for name in group.get("paths") or ()], folder)
        for name, kind, start, length in _layout(group.get("weights") or ()):
            if kind in _WHOLE.values() and length <= _MOST_NUMBERS * _WIDTHS[kind]:
                content = shards.bytes_at(start, length)
                if content is not None:
                    found[name] = content
    return found


def _layout(weights: Any) -> Iterator[tuple[str, str, int, int]]:
    """Yield the name, element type, first byte and number of bytes of each weight of a group."""
    at = 0
    for weight in weights if isinstance(weights, list) else ():
        if not isinstance(weight, dict):
            return
        quantization = weight.get("quantization")
        kind = quantization.get("dtype") if isinstance(quantization, dict) else weight.get("dtype")
        shape = weight.get("shape")
        if not isinstance(kind, str) or kind not in _WIDTHS or not isinstance(shape, list):
            return  # strings have no fixed length: where the next one begins is not known
        if not all(isinstance(size, int) and 0 <= size < 1 << 40 for size in shape):
            return
        length = _WIDTHS[kind]
        for size in shape:
            length *= size
        yield str(weight.get("name")), str(weight.get("dtype")) if not quantization else "", at, length
        at += length


class _Shards:
    """Files that follow each other; they are opened when something in them is asked for, in one folder only."""

    def __init__(self, names: list[str], folder: str) -> None:
        self._files = [(os.path.join(folder, name), _size(folder, name)) for name in names]

    def bytes_at(self, start: int, length: int) -> bytes | None:
        """Return some bytes; None where a file is missing, or they are in two."""
        for path, size in self._files:
            if size is None:
                return None
            if start < size:
                return _part(path, start, length) if start + length <= size else None
            start -= size
        return b"" if not length else None


def _size(folder: str, name: str) -> int | None:
    if os.path.basename(name) != name or name in ("", ".", ".."):
        return None
    try:
        return os.path.getsize(os.path.join(folder, name))
    except OSError:
        return None


def _part(path: str, start: int, length: int) -> bytes | None:
    try:
        with open(path, "rb") as file:
            file.seek(start)
            content = file.read(length)
    except OSError:
        return None
    return content if len(content) == length else None
