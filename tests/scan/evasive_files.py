"""Hostile files that exploit what a scanner may read otherwise than the loader does. No payload is ever run."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import pickle
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator

from tests.scan.hostile_files import CANARY, archive, keras, objects, protocol_0, protocol_2, protocol_4, short, text

COMMAND = f"touch {CANARY}"
PAYLOAD = protocol_4("os", "system", COMMAND)
PLAIN = protocol_2("os", "system", COMMAND)
CALL = short("os") + short("system") + b"\x93" + short(COMMAND) + b"\x85R"
"""The instructions of a call, without a protocol before and an end behind them."""
LARGE = b"\x80\x02" + (b"X" + struct.pack("<I", 1 << 20) + b" " * (1 << 20)) + b"0" + PLAIN[2:]


def beginnings() -> Iterator[tuple[str, bytes]]:
    """Pickles need no mark at their beginning, and may begin with any value."""
    values = {
        "a short string": short("x"), "a string": text("x"), "bytes": b"C\x01x", "a number": b"K\x01", "a long": b"\x8a\x01\x01",
        "a float": b"G" + bytes(8), "an image": b"GIF89a\x01\x00\x01", "true": b"\x88", "a set": b"\x8f", "a frame": b"\x95" + struct.pack("<Q", 60),
        "none": b"N", "a tuple": b")", "an old string": b"U\x01x", "a line": b"I1\n", "a binary string": b"T\x01\x00\x00\x00x",
        "a byte array": b"\x96" + struct.pack("<Q", 1) + b"x", "a word": b"M\x01\x00", "an integer": b"J\x01\x00\x00\x00",
    }  # fmt: skip
    for name, value in values.items():
        yield f"begins with {name}.bin", value + b"0" + CALL + b"."
    yield "begins with a name.bin", CALL + b"."


def nested() -> Iterator[tuple[str, bytes]]:
    """Bytes that a function of torch's unpickles, written in each way that a pickle has for bytes."""
    load = b"\x80\x03ctorch.storage\n_load_from_bytes\n"

    def sized(content: bytes) -> bytes:
        return b"B" + struct.pack("<I", len(content)) + content

    latin = PLAIN.decode("latin-1").encode()
    encoded = b"c_codecs\nencode\nX" + struct.pack("<I", len(latin)) + latin + text("latin1") + b"\x86R"
    large = LARGE.decode("latin-1").encode()
    yield "nested, encoded.pkl", load + encoded + b"\x85R."
    yield "nested, large.pkl", load + sized(LARGE) + b"\x85R."
    yield (
        "nested, large and encoded.pkl",
        load + b"c_codecs\nencode\nX" + struct.pack("<I", len(large)) + large + text("latin1") + b"\x86R\x85R.",
    )
    yield "nested, an archive.pkl", load + sized(archive(PAYLOAD)) + b"\x85R."
    yield "nested, a byte array.pkl", load + b"cbuiltins\nbytearray\n" + sized(PAYLOAD) + b"\x85R\x85R."
    yield "nested, memory.pkl", load + sized(PAYLOAD) + b"q\x000h\x00\x85R.".replace(b"0", b"")
    yield (
        "nested, list of numbers.pkl",
        (load + b"cbuiltins\nbytes\n(" + b"".join(b"K" + bytes([each]) for each in PAYLOAD) + b"l\x85R\x85R."),
    )
    yield "nested, no mark.pkl", load + sized(CALL + b".") + b"\x85R."


def streams() -> Iterator[tuple[str, bytes]]:
    """Several compressed streams are read as one, and several pickles follow each other."""
    for name, compress in {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}.items():
        yield f"two streams.{name}", compress(PAYLOAD[:20]) + compress(PAYLOAD[20:])
        yield f"an empty stream first.{name}", compress(b"") + compress(PAYLOAD)
    yield "lzma.pkl", lzma.compress(PAYLOAD, format=lzma.FORMAT_ALONE)
    small = [{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 16}]
    yield "lzma, small.pkl", lzma.compress(PAYLOAD, format=lzma.FORMAT_ALONE, filters=small)
    yield "zlib, stored.z", zlib.compress(PAYLOAD, 0)
    yield "lz4.joblib", b"\x04\x22\x4d\x18" + bytes(60)
    yield "zstd.pkl", b"\x28\xb5\x2f\xfd" + bytes(60)
    magic = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}."
    yield "legacy, no mark.pt", magic + CALL + b"."
    yield "legacy, the keys.pt", magic + b"\x80\x02}." + b"N0" + CALL + b"."
    yield "legacy, the magic number.pt", CALL + b"0" + magic[2:]


def _member(content: bytes, kind: int) -> bytes:
    return archive(content, compression=kind)


def archives() -> Iterator[tuple[str, bytes]]:
    """Headers that contradict each other, and ways to pack that few look into."""
    yield "zip, bz2.npz", _member(PAYLOAD, zipfile.ZIP_BZIP2)
    yield "zip, lzma.npz", _member(PAYLOAD, zipfile.ZIP_LZMA)
    packed = bytearray(_member(PAYLOAD, zipfile.ZIP_DEFLATED))
    packed[8:10] = b"\0\0"
    yield "zip, the header says stored.pt", bytes(packed)
    stored = bytearray(archive(PAYLOAD))
    stored[8:10] = b"\x08\0"
    yield "zip, the header says packed.pt", bytes(stored)
    strange = bytearray(archive(PAYLOAD))
    at = strange.index(b"PK\x01\x02")
    strange[at + 10 : at + 12] = b"\x5d\0"
    yield "zip, an unknown way.pt", bytes(strange)
    yield "zip, twice.pt", archive(b"\x80\x02}.") + archive(PAYLOAD)
    yield "zip, the first of two.pt", archive(PAYLOAD) + archive(b"\x80\x02}.")
    yield "zip with a comment.pt", archive(PAYLOAD)[:-2] + struct.pack("<H", 22) + b"PK\x05\x06" + bytes(18)
    yield "zip behind a pickle.pt", b"\x80\x02}." + archive(PAYLOAD)
    yield "pickle before a zip.pt", PAYLOAD + archive(b"\x80\x02}.")
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as file:
        entry = tarfile.TarInfo("pickle")
        entry.size = len(PAYLOAD)
        file.addfile(entry, io.BytesIO(PAYLOAD))
    old = bytearray(made.getvalue())
    old[257:265] = bytes(8)
    old[148:156] = b" " * 8
    old[148:156] = b"%06o\0 " % sum(old[:512])
    yield "tar without a mark.pt", bytes(old)
    name = f"cos\nsystem\n(V{COMMAND}\ntR.".encode()
    tar = bytearray(made.getvalue())
    tar[:100] = name + bytes(100 - len(name))
    tar[148:156] = b" " * 8
    tar[148:156] = b"%06o\0 " % sum(tar[:512])
    yield "tar that is a pickle.tar", bytes(tar)
    yield "native code.pt2", archive(b"\x7fELF\x02\x01\x01" + bytes(60), "archive/data/aotinductor/model/a.bin")


def arrays() -> Iterator[tuple[str, bytes]]:
    """Arrays of objects that do not look like ones."""
    header = b"{'descr': [('a', '<i4'), ('b', '|O')], 'fortran_order': False, 'shape': (1,), }"
    yield "objects in a record.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + PAYLOAD
    header = b"{'descr': '|O', 'fortran_order': False, 'shape': (1L,), }"
    yield "an old header.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + PAYLOAD
    header = b"{'descr': 'object', 'fortran_order': False, 'shape': (1,), }"
    yield "a word for objects.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + PAYLOAD
    yield "without a mark.npy", objects(CALL + b".")
    yield from _joblib()


def _joblib() -> Iterator[tuple[str, bytes]]:
    wrapper = b"cjoblib.numpy_pickle\nNumpyArrayWrapper\n"
    dtype = b"cnumpy\ndtype\n(" + text("O8") + b"\x89\x88tR"
    record = b"cnumpy\ndtype\n(" + text("V8") + b"\x89\x88tR" + b"(K\x03" + text("|") + b"N" + text("a") + b"\x85"
    record += b"}" + text("a") + dtype + b"K\x00\x86s" + b"K\x08K\x01K\x3ftb"
    shapes = {"tuple": b"K\x01\x85", "list": b"](K\x01e"}
    for name, kind in {"objects": dtype, "record": record, "class": b"cnumpy.dtypes\nObjectDType\n)R"}.items():
        for form, shape in shapes.items():
            state = b"}(" + text("subclass") + b"cnumpy\nndarray\n" + text("shape") + shape + text("order") + text("C")
            state += text("dtype") + kind + text("allow_mmap") + b"\x89u"
            yield f"joblib, {name}, {form}.joblib", b"\x80\x02" + wrapper + b")\x81" + state + b"b" + PAYLOAD + b"."
    state = b"}(" + text("subclass") + b"cnumpy\nndarray\n" + text("shape") + b"K\x02\x85" + text("order") + text("C")
    state += text("dtype") + b"cnumpy\ndtype\n(" + text("i1") + b"\x89\x88tR" + text("allow_mmap") + b"\x89u"
    rebuilt = b"ccopy_reg\n_reconstructor\n(" + wrapper + b"c__builtin__\nobject\nNtR"
    yield "joblib, rebuilt.joblib", b"\x80\x02" + rebuilt + state + b"b" + b"N." + CALL + b"."


def configurations() -> Iterator[tuple[str, bytes]]:
    """Configurations of Keras in other words, and functions of Keras that do harm."""
    bad = {"class_name": "Lambda", "config": {"function": "x"}}
    model = {"class_name": "Sequential", "config": {"layers": [bad]}}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("config.json", json.dumps(model).encode("utf-16"))
    yield "utf-16.keras", made.getvalue()
    function = {"module": "keras.config", "class_name": "function", "config": "enable_unsafe_deserialization"}
    yield "unsafe deserialization.keras", keras(function)
    yield "download.keras", keras({"module": "keras.utils", "class_name": "function", "config": "get_file"})
    yield "standard library.keras", keras({"module": "subprocess", "class_name": "Popen", "config": {}})
    lookup = {"class_name": "StringLookup", "module": "keras.layers", "config": {"vocabulary": "/etc/passwd"}}
    yield "a file as vocabulary.keras", keras(lookup)
    head = b"\x89HDF\r\n\x1a\n"
    yield "escaped.h5", head + b'{"class_name": "\\u004cambda", "config": {}}'
    yield "spaced.h5", head + b'{"class_name"\n :\n "Lambda", "config": {}}'
    yield "far away.h5", head + bytes(40 << 20) + b'{"class_name": "Lambda", "config": {}}'
    yield "lambda.yaml", b"class_name: Sequential\nconfig:\n- class_name: Lambda\n  config: {}\n"
    yield "object.yaml", b"a: !!python/object/apply:os.system [touch canary]\n"
    yield "long tag.yml", b"a: !<tag:yaml.org,2002:python/object/apply:os.system> [touch canary]\n"
    yield "shorthand.yaml", b"%TAG !p! tag:yaml.org,2002:python/\n---\na: !p!object/apply:os.system [touch canary]\n"
    yield "instantiated.yaml", b"model:\n  _target_: os.system\n  command: touch canary\n"
    yield "instantiated.json", json.dumps({"model": {"_target_": "builtins.eval", "_args_": ["1"]}}).encode()
    stored = json.dumps({"__metadata__": {"config": json.dumps({"_target_": "os.system"})}}).encode()
    yield "metadata.safetensors", struct.pack("<Q", len(stored)) + stored


def graphs() -> Iterator[tuple[str, bytes]]:
    """Graphs with lengths written in more bytes than they need, fields in another order, or in words."""
    yield "overlong.pb", b"\x08\x01serve\x0a\x05fetch\x12\x86\x80\x00PyFunc"
    yield "words.pbtxt", b'node {\n  name: "a"\n  op: "PyFunc"\n}\n'
    yield "spaced words.pbtxt", b"node {\n  name: 'a'\n  op :  'WriteFile'\n}\n"
    yield "far away.pb", b"\x08\x01serve" + bytes(40 << 20) + b"\x12\x06PyFunc"
    yield "printing.pb", b"\x08\x01serve\x12\x07PrintV2\x2a\x0foutput_stream\x12\x0dfile:///tmp/x"
    yield "database.pb", b"\x08\x01serve\x12\x0aSqlDataset"

    def field(number: int, content: bytes) -> bytes:
        length, size = b"", len(content)
        while size > 127:
            length += bytes([size & 127 | 128])
            size >>= 7
        return bytes([number << 3 | 2]) + length + bytes([size]) + content

    def model(entry: bytes, padding: int = 0) -> bytes:
        tensor = field(8, b"w") + field(13, entry)
        before = field(5, field(8, b"v") + field(9, bytes(padding))) if padding else b""
        return b"\x08\x07" + field(7, before + field(5, tensor))

    location, path = field(1, b"location"), field(2, b"../../secret")
    yield "other order.onnx", model(path + location)
    yield "far away.onnx", model(location + path, 40 << 20)
    yield "long path.onnx", model(location + field(2, b"a/" * 80 + b"../" * 90 + b"secret"))
    attribute = field(5, field(5, field(8, b"w") + field(13, path + location)))
    yield "in an attribute.onnx", b"\x08\x07" + field(7, field(1, attribute))


def templates() -> Iterator[tuple[str, bytes]]:
    """Templates that put names together, and keys that are written otherwise."""

    def tokenizer(words: str) -> bytes:
        return json.dumps({"chat_template": words}).encode()

    yield "joined.json", tokenizer("{{ ''['__cl' ~ 'ass__'] }}")
    yield "a string that ends code.json", tokenizer("{{ '}}' ~ ''.__class__.__base__ }}")
    yield "octal.json", tokenizer("{{ ''['\\137\\137class\\137\\137'] }}")
    yield "mapped.json", tokenizer("{{ [m]|map('attr', x)|list }}")
    yield "formatted.json", tokenizer("{{ m['%c%cclass%c%c'|format(95,95,95,95)] }}")
    yield "multiplied.json", tokenizer("{% set u = '_' * 2 %}{{ m[u ~ 'class' ~ u] }}")
    bad = "{{ ''.__class__ }}"
    yield "escaped key.json", json.dumps({"chat_template": bad}).replace("_template", "\\u005ftemplate").encode()
    yield "also a layer.json", json.dumps({"class_name": "x", "config": {}, "chat_template": bad}).encode()
    yield "named templates.json", json.dumps({"chat_template": [{"name": "a", "template": bad}]}).encode()
    yield "by name.json", json.dumps({"chat_template": {"default": bad}}).encode()
    yield "template.jinja", bad.encode()
    yield "model.gguf", _gguf(bad)
    yield "long.gguf", _gguf(" " * (2 << 20) + bad)


def _gguf(words: str) -> bytes:
    def string(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    return (
        b"GGUF"
        + struct.pack("<IQQ", 3, 0, 1)
        + string("tokenizer.chat_template")
        + struct.pack("<I", 8)
        + string(words)
    )


def scripts() -> Iterator[tuple[str, bytes]]:
    """Code of TorchScript, mobile code and exported programs."""
    yield "spaced.pt", archive(b"def f(x):\n  torch . save (x, 'a')\n", "archive/code/__torch__.py")
    yield "from a file.pt", archive(b"def f(x):\n  return torch.from_file('a', True, 3)\n", "archive/code/__torch__.py")
    yield "mobile.ptl", archive(pickle.dumps((5, ("f", (("ops", (("aten::save", ""),)),)))), "archive/bytecode.pkl")
    size = {"as_expr": {"expr_str": f"__import__('os').system('{COMMAND}')"}}
    graph = {"graph_module": {"graph": {"tensor_values": {"x": {"dtype": 7, "sizes": [size]}}}}}
    yield "a size that is code.pt2", archive(json.dumps(graph).encode(), "archive/models/model.json")
    yield "weights.pt2", archive(archive(PAYLOAD), "archive/data/weights/model.pt")
    yield "example inputs.pt2", archive(archive(PAYLOAD), "archive/data/sample_inputs/model.pt")


def pickles() -> Iterator[tuple[str, bytes]]:
    """Calls by way of others."""
    hidden = b"cos\nsystem\nV" + COMMAND.encode() + b"\n\x85R("
    frame = b"(\x95" + struct.pack("<Q", 2) + b"B\x07\x01\0\0\0\0" + hidden.ljust(261, b"N") + b"1."
    yield "beyond a frame.pkl", b"\x80\x05NV" + b"a" * 131_055 + b"\n0" + frame
    yield "partial.pkl", b"\x80\x02cfunctools\npartial\ncos\nsystem\n" + text(COMMAND) + b"\x86R)R."
    yield "a class called.pkl", protocol_0("pandas", "HDFStore", CANARY)
    yield "a file opened.pkl", protocol_0("tensorflow.io.gfile", "GFile", CANARY)
    yield "default factory.pkl", b"\x80\x02ccollections\ndefaultdict\ncos\nsystem\n\x85R."
    yield "method of a class.pkl", b"\x80\x04" + short("torch.nn") + short("Module.load_state_dict") + b"\x93)R."
    yield (
        "through a module.pkl",
        b"\x80\x04" + short("torch") + short("os.system") + b"\x93" + short(COMMAND) + b"\x85R.",
    )
    yield "set state.pkl", b"\x80\x02cbuiltins\n__dict__\n}" + text("x") + b"K\x01sb."
    yield "keywords.pkl", b"\x80\x04csubprocess\nPopen\n(" + text(COMMAND) + b"t}" + text("shell") + b"\x88s\x92."
    yield "operator.pkl", b"\x80\x02coperator\nattrgetter\n" + text("system") + b"\x85Rcos\n__dict__\n\x85R."
    yield "old module.pkl", protocol_0("commands", "getoutput", COMMAND)
    yield "numpy load.pkl", protocol_0("numpy", "load", CANARY)
    yield "pandas read.pkl", protocol_0("pandas.io.pickle", "read_pickle", CANARY)
    yield "joblib load.pkl", protocol_0("joblib", "load", CANARY)
    yield "logging.pkl", protocol_0("logging.config", "_resolve", "os.system")
    yield "ctypes.pkl", protocol_0("ctypes", "CDLL", CANARY)
    yield "code.pkl", b"\x80\x02ctypes\nCodeType\n)R."
    yield "marshal.pkl", protocol_0("marshal", "loads", CANARY)


FAMILIES = (beginnings, nested, streams, archives, arrays, configurations, graphs, templates, scripts, pickles)


def evasive_files() -> Iterator[tuple[str, bytes]]:
    """Yield all of them by name, which says the family too."""
    for family in FAMILIES:
        yield from ((f"{family.__name__}, {name}", content) for name, content in family())
