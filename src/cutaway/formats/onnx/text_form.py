"""Files of ONNX in the text form of Protocol Buffers."""

from __future__ import annotations

import re
from typing import BinaryIO

from cutaway.formats import protobuf_text

_START = re.compile(
    rb"(?:\s|#[^\n]*\n)*(?:ir_version|producer_name|producer_version|model_version|doc_string|domain)\s*:"
    rb"|(?:\s|#[^\n]*\n)*(?:graph|opset_import)\s*:?\s*[{<]"
)

_KINDS = {
    "FLOAT": 1, "INT": 2, "STRING": 3, "TENSOR": 4, "GRAPH": 5, "FLOATS": 6, "INTS": 7, "STRINGS": 8, "TENSORS": 9,
    "GRAPHS": 10, "SPARSE_TENSOR": 11, "SPARSE_TENSORS": 12, "TYPE_PROTO": 13, "TYPE_PROTOS": 14,
}  # fmt: skip

_MESSAGES: dict[str, dict[str, tuple[int, str]]] = {
    "Model": {
        "ir_version": (1, "int"), "producer_name": (2, "text"), "producer_version": (3, "text"), "domain": (4, "text"),
        "model_version": (5, "int"), "doc_string": (6, "text"), "graph": (7, "Graph"), "opset_import": (8, "Opset"),
        "metadata_props": (14, "Entry"), "training_info": (20, "Training"), "functions": (25, "Function"),
    },
    "Opset": {"domain": (1, "text"), "version": (2, "int")},
    "Entry": {"key": (1, "text"), "value": (2, "text")},
    "Training": {"initialization": (1, "Graph"), "algorithm": (2, "Graph")},
    "Graph": {
        "node": (1, "Node"), "name": (2, "text"), "initializer": (5, "Tensor"), "doc_string": (10, "text"),
        "input": (11, "Value"), "output": (12, "Value"), "value_info": (13, "Value"), "sparse_initializer": (15, "Sparse"),
        "metadata_props": (16, "Entry"),
    },
    "Node": {
        "input": (1, "text"), "output": (2, "text"), "name": (3, "text"), "op_type": (4, "text"),
        "attribute": (5, "Attribute"), "doc_string": (6, "text"), "domain": (7, "text"), "overload": (8, "text"),
        "metadata_props": (9, "Entry"),
    },
    "Attribute": {
        "name": (1, "text"), "f": (2, "float"), "i": (3, "int"), "s": (4, "text"), "t": (5, "Tensor"), "g": (6, "Graph"),
        "floats": (7, "float"), "ints": (8, "int"), "strings": (9, "text"), "tensors": (10, "Tensor"),
        "graphs": (11, "Graph"), "tp": (14, "Type"), "type_protos": (15, "Type"), "type": (20, "kind"),
        "ref_attr_name": (21, "text"), "sparse_tensor": (22, "Sparse"), "sparse_tensors": (23, "Sparse"),
    },
    "Value": {"name": (1, "text"), "type": (2, "Type"), "doc_string": (3, "text")},
    "Type": {
        "tensor_type": (1, "TensorType"), "sequence_type": (4, "Sequence"), "map_type": (5, "Map"), "denotation": (6, "text"),
        "opaque_type": (7, "Opaque"), "sparse_tensor_type": (8, "TensorType"), "optional_type": (9, "Sequence"),
    },
    "TensorType": {"elem_type": (1, "int"), "shape": (2, "Shape")},
    "Sequence": {"elem_type": (1, "Type")},
    "Map": {"key_type": (1, "int"), "value_type": (2, "Type")},
    "Opaque": {"domain": (1, "text"), "name": (2, "text")},
    "Shape": {"dim": (1, "Dimension")},
    "Dimension": {"dim_value": (1, "int"), "dim_param": (2, "text"), "denotation": (3, "text")},
    "Tensor": {
        "dims": (1, "int"), "data_type": (2, "int"), "float_data": (4, "float"), "int32_data": (5, "int"),
        "string_data": (6, "text"), "int64_data": (7, "int"), "name": (8, "text"), "raw_data": (9, "text"),
        "double_data": (10, "double"), "uint64_data": (11, "int"), "external_data": (13, "Entry"),
        "data_location": (14, "location"),
    },
    "Sparse": {"values": (1, "Tensor"), "indices": (2, "Tensor"), "dims": (3, "int")},
    "Function": {
        "name": (1, "text"), "input": (4, "text"), "output": (5, "text"), "attribute": (6, "text"), "node": (7, "Node"),
        "doc_string": (8, "text"), "opset_import": (9, "Opset"), "domain": (10, "text"),
        "attribute_proto": (11, "Attribute"), "value_info": (12, "Value"), "overload": (13, "text"),
    },
}  # fmt: skip
_SCHEMA = protobuf_text.Schema(_MESSAGES, {"kind": _KINDS, "location": {"DEFAULT": 0, "EXTERNAL": 1}})


def sniff(head: bytes) -> bool:
    """Tell whether a text that begins like this is a model."""
    return _START.match(head) is not None


def encoded(file: BinaryIO) -> bytes:
    """Return the binary form of a text."""
    return protobuf_text.encoded(protobuf_text.content(file), "Model", _SCHEMA)
