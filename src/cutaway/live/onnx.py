"""Operations of a network as `torch.onnx` exports it, read back from the file's own bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import torch

from cutaway.core.architecture import Op, Quantity, Setting, Shape, Value
from cutaway.core.error import describe_error
from cutaway.core.size.parser import read_size
from cutaway.formats import protobuf
from cutaway.live.arguments import Arguments
from cutaway.live.failure import LiveError
from cutaway.live.restore import in_shown_mode, undisturbed

# Numbers of fields: of ModelProto, GraphProto, NodeProto, AttributeProto, ValueInfoProto and TensorProto.
_GRAPH = 7
_NODE, _INITIALIZER, _INPUT, _OUTPUT, _VALUE_INFO = 1, 5, 11, 12, 13
_NODE_INPUT, _NODE_OUTPUT, _OP_TYPE, _ATTRIBUTE, _DOMAIN = 1, 2, 4, 5, 7
_FLOAT, _INT, _TEXT, _INTS = 2, 3, 4, 8
_KINDS = "undefined float32 uint8 int8 uint16 int16 int32 int64 string bool float16 float64 uint32 uint64".split()


def exported(network: torch.nn.Module, arguments: Arguments, train: bool | None = None) -> tuple[tuple[Op, ...], str]:
    """Return the operations of the exported network and how they were got."""
    with undisturbed(), in_shown_mode(network, train):
        try:
            program = torch.onnx.export(network, arguments.positional, kwargs=dict(arguments.named), verbose=False)
        except Exception as error:
            missing = f": pip install {error.name}" if isinstance(error, ModuleNotFoundError) else ""
            raise LiveError(f"torch.onnx.export raised {describe_error(error)}{missing}") from error
    return tuple(read(program.model_proto.SerializeToString())), "operations are those of torch.onnx.export"


def read(model: bytes) -> Iterator[Op]:
    """Yield the nodes of an ONNX model."""
    graph = protobuf.grouped(protobuf.grouped(model)[_GRAPH][0])
    values: dict[str, Value] = {}
    for number in (_INPUT, _OUTPUT, _VALUE_INFO):
        for entry in graph.get(number, ()):
            value = _value(entry)
            values[value.name] = value
    for entry in graph.get(_INITIALIZER, ()):
        value = _tensor(entry)
        values[value.name] = value
    for entry in graph.get(_NODE, ()):
        node = protobuf.grouped(entry)
        domain = node.get(_DOMAIN, [b""])[0].decode()
        name = node.get(_OP_TYPE, [b""])[0].decode()
        yield Op(
            f"{domain or 'onnx'}.{name}",
            dict(_attribute(each) for each in node.get(_ATTRIBUTE, ())),
            tuple(_named(each, values) for each in node.get(_NODE_INPUT, ()) if each),
            tuple(_named(each, values) for each in node.get(_NODE_OUTPUT, ()) if each),
            macs=None,
        )


def _named(name: bytes, values: dict[str, Value]) -> Value:
    return values.get(name.decode(), Value(name.decode(), None, None))


def _value(entry: bytes) -> Value:
    info = protobuf.grouped(entry)
    name = info.get(1, [b""])[0].decode()
    tensor = protobuf.grouped(protobuf.grouped(info[2][0]).get(1, [b""])[0]) if 2 in info else {}
    shape: Shape = None
    if 2 in tensor:
        shape = tuple(_dim(dim) for dim in protobuf.grouped(tensor[2][0]).get(1, ()))
    return Value(name, shape, _kind(tensor.get(1, [0])[0]))


def _dim(entry: bytes) -> Quantity:
    dim = protobuf.grouped(entry)
    return protobuf.signed(dim[1][0]) if 1 in dim else read_size(dim[2][0].decode()) if 2 in dim else None


def _tensor(entry: bytes) -> Value:
    tensor = protobuf.grouped(entry)
    sizes: list[int] = []
    for each in tensor.get(1, ()):
        sizes.extend(_packed(each))
    return Value(tensor.get(8, [b""])[0].decode(), tuple(sizes), _kind(tensor.get(2, [0])[0]))


def _kind(number: int) -> str | None:
    if number == 16:
        return "bfloat16"
    return _KINDS[number] if 0 < number < len(_KINDS) else None


def _packed(value: Any) -> list[int]:
    """Return numbers that are written one by one, or together."""
    if isinstance(value, int):
        return [protobuf.signed(value)]
    numbers, at = [], 0
    while at < len(value):
        number, at = protobuf.varint(value, at)
        numbers.append(protobuf.signed(number))
    return numbers


def _attribute(entry: bytes) -> tuple[str, Setting]:
    found = protobuf.grouped(entry)
    name = found.get(1, [b""])[0].decode()
    if _INTS in found:
        return name, [number for each in found[_INTS] for number in _packed(each)]
    if _INT in found:
        return name, protobuf.signed(found[_INT][0])
    if _FLOAT in found:
        return name, float(struct.unpack("<f", found[_FLOAT][0])[0])
    if _TEXT in found:
        return name, found[_TEXT][0].decode(errors="replace")
    return name, None
