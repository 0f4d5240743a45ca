"""Graphs of TensorFlow as text."""

from __future__ import annotations

import re
from typing import BinaryIO

from cutaway.formats import protobuf_text
from cutaway.formats.beginnings import GRAPH_TEXT

_TYPES = {
    "DT_FLOAT": 1, "DT_DOUBLE": 2, "DT_INT32": 3, "DT_UINT8": 4, "DT_INT16": 5, "DT_INT8": 6, "DT_STRING": 7,
    "DT_COMPLEX64": 8, "DT_INT64": 9, "DT_BOOL": 10, "DT_QINT8": 11, "DT_QUINT8": 12, "DT_QINT32": 13, "DT_BFLOAT16": 14,
    "DT_QINT16": 15, "DT_QUINT16": 16, "DT_UINT16": 17, "DT_COMPLEX128": 18, "DT_HALF": 19, "DT_RESOURCE": 20,
    "DT_VARIANT": 21, "DT_UINT32": 22, "DT_UINT64": 23,
}  # fmt: skip

_MESSAGES: dict[str, dict[str, tuple[int, str]]] = {
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
        "list": (1, "List"), "s": (2, "text"), "i": (3, "int"), "f": (4, "float"), "b": (5, "bool"), "type": (6, "type"),
        "shape": (7, "Shape"), "tensor": (8, "Tensor"), "func": (10, "Call"),
    },
    "List": {
        "s": (2, "text"), "i": (3, "int"), "f": (4, "float"), "b": (5, "bool"), "type": (6, "type"), "shape": (7, "Shape"),
        "func": (9, "Call"),
    },
    "Call": {"name": (1, "text"), "attr": (2, "Attributes")},
    "Shape": {"dim": (2, "Dim"), "unknown_rank": (3, "bool")},
    "Dim": {"size": (1, "int"), "name": (2, "text")},
    "Tensor": {
        "dtype": (1, "type"), "tensor_shape": (2, "Shape"), "tensor_content": (4, "text"), "float_val": (5, "float"),
        "double_val": (6, "double"), "int_val": (7, "int"), "string_val": (8, "text"), "int64_val": (10, "int"),
        "bool_val": (11, "bool"), "half_val": (13, "int"), "uint32_val": (16, "int"), "uint64_val": (17, "int"),
    },
}  # fmt: skip
_REFERENCE = 100
SCHEMA = protobuf_text.Schema(
    _MESSAGES, {"type": {**_TYPES, **{f"{name}_REF": code + _REFERENCE for name, code in _TYPES.items()}}}
)


def sniff(head: bytes) -> bool:
    """Tell whether a text that begins like this is a graph."""
    return GRAPH_TEXT.match(head) is not None


def encoded(file: BinaryIO) -> tuple[str, bytes]:
    """Return which message a text is, and its binary form."""
    content = protobuf_text.content(file)
    found = GRAPH_TEXT.match(content)
    start = re.findall(rb"\w+", found[0])[-1].decode() if found is not None else ""
    kind = (
        "SavedModel"
        if start in ("saved_model_schema_version", "meta_graphs")
        else "MetaGraphDef"
        if start in ("meta_info_def", "graph_def")
        else "GraphDef"
    )
    return kind, protobuf_text.encoded(content, kind, SCHEMA)
