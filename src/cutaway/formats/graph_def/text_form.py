"""Graphs as text: parsed by small tables of fields, and encoded as the binary form, which one reader then reads."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO

from cutaway.formats import protobuf
from cutaway.formats.protobuf import Malformed

_LARGEST = 256 << 20
_DEEPEST = 60
_START = re.compile(
    rb"(?:\s|#[^\n]*\n)*(?:node|library|versions|version|saved_model_schema_version|meta_graphs|meta_info_def|graph_def)\s*[:{]"
)
_TOKEN = re.compile(
    rb"""\s+|\#[^\n]*|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<mark>[{}<>:;,\[\]])|(?P<word>[A-Za-z0-9_.+/-]+)"""
)

_TYPES = {
    "DT_FLOAT": 1, "DT_DOUBLE": 2, "DT_INT32": 3, "DT_UINT8": 4, "DT_INT16": 5, "DT_INT8": 6, "DT_STRING": 7,
    "DT_COMPLEX64": 8, "DT_INT64": 9, "DT_BOOL": 10, "DT_QINT8": 11, "DT_QUINT8": 12, "DT_QINT32": 13, "DT_BFLOAT16": 14,
    "DT_QINT16": 15, "DT_QUINT16": 16, "DT_UINT16": 17, "DT_COMPLEX128": 18, "DT_HALF": 19, "DT_RESOURCE": 20,
    "DT_VARIANT": 21, "DT_UINT32": 22, "DT_UINT64": 23,
}  # fmt: skip

_SCHEMA: dict[str, dict[str, tuple[int, str]]] = {
    "SavedModel": {"saved_model_schema_version": (1, "int"), "meta_graphs": (2, "MetaGraphDef")},
    "MetaGraphDef": {"meta_info_def": (1, "MetaInfo"), "graph_def": (2, "GraphDef"), "signature_def": (5, "Signatures")},
    "MetaInfo": {"tags": (4, "text"), "tensorflow_version": (5, "text")},
    "Signatures": {"key": (1, "text"), "value": (2, "SignatureDef")},
    "SignatureDef": {"inputs": (1, "Infos"), "outputs": (2, "Infos"), "method_name": (3, "text")},
    "Infos": {"key": (1, "text"), "value": (2, "TensorInfo")},
    "TensorInfo": {"name": (1, "text"), "dtype": (2, "type"), "tensor_shape": (3, "Shape")},
    "GraphDef": {"node": (1, "NodeDef"), "library": (2, "Library"), "versions": (4, "Versions")},
    "Versions": {"producer": (1, "int")},
    "Library": {"function": (1, "FunctionDef")},
    "FunctionDef": {
        "signature": (1, "OpDef"), "node_def": (3, "NodeDef"), "ret": (4, "Texts"), "attr": (5, "Attributes"),
    },
    "OpDef": {"name": (1, "text"), "input_arg": (2, "Argument"), "output_arg": (3, "Argument")},
    "Argument": {"name": (1, "text"), "type": (3, "type"), "type_attr": (4, "text"), "number_attr": (5, "text")},
    "Texts": {"key": (1, "text"), "value": (2, "text")},
    "NodeDef": {"name": (1, "text"), "op": (2, "text"), "input": (3, "text"), "attr": (5, "Attributes")},
    "Attributes": {"key": (1, "text"), "value": (2, "AttrValue")},
    "AttrValue": {
        "list": (1, "List"), "s": (2, "text"), "i": (3, "int"), "b": (5, "bool"), "type": (6, "type"), "shape": (7, "Shape"),
        "tensor": (8, "Tensor"), "func": (10, "Call"),
    },
    "List": {
        "s": (2, "text"), "i": (3, "int"), "b": (5, "bool"), "type": (6, "type"), "shape": (7, "Shape"), "func": (9, "Call"),
    },
    "Call": {"name": (1, "text"), "attr": (2, "Attributes")},
    "Shape": {"dim": (2, "Dim"), "unknown_rank": (3, "bool")},
    "Dim": {"size": (1, "int"), "name": (2, "text")},
    "Tensor": {
        "dtype": (1, "type"), "tensor_shape": (2, "Shape"), "tensor_content": (4, "text"), "int_val": (7, "int"),
        "string_val": (8, "text"), "int64_val": (10, "int"), "bool_val": (11, "bool"),
    },
}  # fmt: skip
"""The fields of messages that are read: their numbers, and what is in them. Others are left out."""


def sniff(head: bytes) -> bool:
    """Tell whether a text that begins like this is a graph."""
    return _START.match(head) is not None


def encoded(file: BinaryIO, path: str) -> tuple[str, bytes]:
    """Return which message a text is, and its binary form."""
    content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise Malformed(f"a text of more than {_LARGEST:,} bytes")
    found = _START.match(content)
    start = re.findall(rb"\w+", found[0])[-1].decode() if found is not None else ""
    kind = (
        "SavedModel"
        if start in ("saved_model_schema_version", "meta_graphs")
        else "MetaGraphDef"
        if start in ("meta_info_def", "graph_def")
        else "GraphDef"
    )
    return kind, _message(_tokens(content), kind)


def _tokens(content: bytes) -> Iterator[tuple[str, bytes, int]]:
    at = 0
    while at < len(content):
        found = _TOKEN.match(content, at)
        if found is None:
            raise Malformed(f"byte {at}: unexpected {content[at : at + 1]!r}")
        at = found.end()
        if found.lastgroup is not None:
            yield found.lastgroup, found[0], found.start()


def _message(tokens: Iterator[tuple[str, bytes, int]], kind: str) -> bytes:
    """Encode a message; inner messages are encoded when they end."""
    stack: list[tuple[str, int, bytearray]] = [(kind, 0, bytearray())]
    name = ""
    listed = False
    for sort, token, at in tokens:
        schema, _, content = stack[-1]
        if sort == "mark":
            if token in b"{<":
                number, inner = _SCHEMA.get(schema, {}).get(name, (0, ""))
                if len(stack) > _DEEPEST:
                    raise Malformed(f"byte {at}: messages are nested too deeply")
                stack.append((inner if inner in _SCHEMA else "", number, bytearray()))
                name = ""
            elif token in b"}>":
                if len(stack) == 1:
                    raise Malformed(f"byte {at}: a message ends that has not begun")
                _, number, inner_content = stack.pop()
                if number:
                    stack[-1][2].extend(protobuf.text(number, bytes(inner_content)))
                name = ""
            elif token == b"[":
                listed = True
            elif token == b"]":
                listed = False
                name = ""
            continue
        if not name:
            if sort != "word":
                raise Malformed(f"byte {at}: the name of a field was expected")
            name = token.decode("ascii", "replace")
            continue
        number, value_kind = _SCHEMA.get(schema, {}).get(name, (0, ""))
        if number:
            content.extend(_scalar(number, value_kind, sort, token, at))
        if (not listed and sort != "text") or (sort == "text" and not listed):
            name = ""
    if len(stack) > 1:
        raise Malformed("the text is cut off")
    return bytes(stack[0][2])


def _scalar(number: int, kind: str, sort: str, token: bytes, at: int) -> bytes:
    if kind == "text":
        if sort != "text":
            raise Malformed(f"byte {at}: a string was expected")
        try:
            return protobuf.text(number, codecs.escape_decode(token[1:-1])[0])  # type: ignore[attr-defined]
        except ValueError:
            raise Malformed(f"byte {at}: a string has an escape that does not exist") from None
    word = token.decode("ascii", "replace")
    if kind == "bool":
        return protobuf.number(number, int(word in ("true", "True", "1", "t")))
    if kind == "type":
        base = word.removesuffix("_REF")
        code = _TYPES.get(base)
        return protobuf.number(number, 0 if code is None else code + (100 if word != base else 0))
    if kind == "int":
        if not re.fullmatch(r"-?\d{1,20}|-?0x[0-9a-fA-F]{1,16}", word):
            raise Malformed(f"byte {at}: a whole number was expected")
        return protobuf.number(number, int(word, 0 if "x" in word else 10))
    raise Malformed(f"byte {at}: a message was expected")
