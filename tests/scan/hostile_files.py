"""Hostile files, made by combination: what would run, in which pickle, hidden by which trick, in which container.

No payload is ever run: each would create the file of the canary.
"""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator

CANARY = "canary-of-the-scan"


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value.encode())) + value.encode()


def short(value: str) -> bytes:
    return b"\x8c" + bytes([len(value.encode())]) + value.encode()


PAYLOADS: dict[str, tuple[str, str, str]] = {
    "system": ("os", "system", f"touch {CANARY}"),
    "posix": ("posix", "system", f"touch {CANARY}"),
    "eval": ("builtins", "eval", f"open('{CANARY}', 'w')"),
    "exec": ("builtins", "exec", f"open('{CANARY}', 'w')"),
    "popen": ("subprocess", "getoutput", f"touch {CANARY}"),
    "run": ("runpy", "run_path", CANARY),
    "import": ("importlib", "import_module", CANARY),
    "open": ("builtins", "open", CANARY),
    "torch": ("torch.serialization", "load", CANARY),
    "deep name": ("torch", "serialization.os.system", f"touch {CANARY}"),
    "numpy": ("numpy.testing._private.utils", "runstring", f"open('{CANARY}', 'w')"),
    "timeit": ("timeit", "timeit", f"open('{CANARY}', 'w')"),
    "pip": ("pip._internal.cli.main", "main", CANARY),
    "pydoc": ("pydoc", "pipepager", CANARY),
    "bdb": ("bdb", "Bdb.run", f"open('{CANARY}', 'w')"),
    "unlink": ("os", "unlink", CANARY),
    "socket": ("socket", "create_connection", CANARY),
    "webbrowser": ("webbrowser", "open", CANARY),
    "dill": ("dill._dill", "_create_function", CANARY),
    "cloudpickle": ("cloudpickle.cloudpickle", "_make_function", CANARY),
    "inductor": ("torch._inductor.codecache", "compile_file", CANARY),
    "hub": ("torch.hub", "load", CANARY),
}


def protocol_0(module: str, name: str, argument: str) -> bytes:
    return f"c{module}\n{name}\n(V{argument}\ntR.".encode()


def protocol_2(module: str, name: str, argument: str) -> bytes:
    return b"\x80\x02c" + f"{module}\n{name}\n".encode() + text(argument) + b"\x85R."


def protocol_4(module: str, name: str, argument: str) -> bytes:
    body = short(module) + b"\x94" + short(name) + b"\x94\x93" + short(argument) + b"\x85R."
    return b"\x80\x04\x95" + struct.pack("<Q", len(body)) + body


def instance(module: str, name: str, argument: str) -> bytes:
    return f"(V{argument}\ni{module}\n{name}\n.".encode()


def object_(module: str, name: str, argument: str) -> bytes:
    return b"\x80\x02(c" + f"{module}\n{name}\n".encode() + text(argument) + b"o."


PICKLES: dict[str, Callable[[str, str, str], bytes]] = {
    "protocol 0": protocol_0,
    "protocol 2": protocol_2,
    "protocol 4": protocol_4,
    "INST": instance,
    "OBJ": object_,
}


def nested(content: bytes) -> bytes:
    call = b"ctorch.storage\n_load_from_bytes\n" + b"B" + struct.pack("<I", len(content)) + content + b"\x85R."
    return b"\x80\x03" + call


def through_memory(content: bytes) -> bytes:
    """Take the names of what is imported from the memory, in another order."""
    module, name = content.split(b"\n")[0].partition(b"c")[2].decode(), content.split(b"\n")[1].decode()
    argument = f"touch {CANARY}"
    body = short(name) + b"q\x050" + short(module) + b"q\x060" + b"h\x06h\x05\x93" + short(argument) + b"\x85R."
    return b"\x80\x04" + body


TRICKS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda content: content,
    "no end": lambda content: content[:-1],
    "damaged behind it": lambda content: content[:-1] + b"\xff\xff\xff",
    "an error behind it": lambda content: content[:-1] + b"h\xfa.",
    "popped": lambda content: content[:-1] + b"0N.",
    "in a pickle": nested,
    "in a pickle in a pickle": lambda content: nested(nested(content)),
    "behind another pickle": lambda content: b"\x80\x02}." + content,
    "an extension": lambda _content: b"\x80\x02\x82\x01(tR.",
    "a protocol that there is not": lambda content: b"\x80\x07" + (content[2:] if content[0] == 0x80 else content),
}


def archive(content: bytes, name: str = "archive/data.pkl", **options: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", **options) as file:  # type: ignore[arg-type]
        file.writestr(name, content)
        file.writestr("archive/version", "3")
    return made.getvalue()


def tarred(content: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as file:
        entry = tarfile.TarInfo("model/weights.bin")
        entry.size = len(content)
        file.addfile(entry, io.BytesIO(content))
    return made.getvalue()


def objects(content: bytes) -> bytes:
    header = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content


def wrong_checksum(content: bytes) -> bytes:
    made = bytearray(archive(content))
    at = made.index(b"PK\x01\x02") + 16
    made[at : at + 4] = b"\1\2\3\4"
    made[14:18] = b"\1\2\3\4"
    return bytes(made)


def encrypted_mark(content: bytes) -> bytes:
    made = bytearray(archive(content))
    made[made.index(b"PK\x01\x02") + 8] |= 1
    return bytes(made)


def other_name(content: bytes) -> bytes:
    return archive(content).replace(b"archive/data.pkl", b"archive/data.txt", 1)


CONTAINERS: dict[str, Callable[[bytes], bytes]] = {
    "a file": lambda content: content,
    "zip": archive,
    "zip, packed": lambda content: archive(content, compression=zipfile.ZIP_DEFLATED),
    "zip, under another name": lambda content: archive(content, "archive/readme.txt"),
    "zip in zip": lambda content: archive(archive(content), "archive/inner.bin"),
    "zip with a wrong checksum": wrong_checksum,
    "zip that says it is encrypted": encrypted_mark,
    "zip with two names": other_name,
    "zip behind something": lambda content: b"GIF89a" + archive(content),
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zlib": zlib.compress,
    "tar": tarred,
    "tar.gz": lambda content: gzip.compress(tarred(content)),
    "array of objects": objects,
    "npz": lambda content: archive(objects(content), "a.npy"),
}


def duplicated() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("archive/data.pkl", b"\x80\x02}.")
        file.writestr("archive/Data.pkl", b"\x80\x02}.")
    return made.getvalue()


def keras(config: object) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("config.json", json.dumps({"class_name": "Sequential", "config": {"layers": [config]}}))
    return made.getvalue()


def template(words: str) -> bytes:
    return json.dumps({"chat_template": f"{{% for m in messages %}}{{{{ {words} }}}}{{% endfor %}}"}).encode()


OTHERS: dict[str, bytes] = {
    "collision.pt": duplicated(),
    "lambda.keras": keras({"class_name": "Lambda", "config": {"function": "x"}}),
    "bytecode.keras": keras(
        {
            "class_name": "Dense",
            "config": {"f": {"class_name": "__lambda__", "config": {"code": base64.b64encode(b"c").decode()}}},
        }
    ),
    "function.keras": keras({"module": "os", "class_name": "function", "config": "system"}),
    "lambda.h5": b"\x89HDF\r\n\x1a\n" + b'model_config{"class_name": "Lambda", "config": {}}',
    "saved_model.pb": b"\x08\x01\x0a\x0bserve\x0a\x05fetch\x12\x06PyFunc",
    "write.pb": b"\x08\x01serve\x0a\x05fetch\x12\x09WriteFile",
    "external.onnx": b"\x08\x07\x6a\x14\x0a\x08location\x12\x0c../../secret",
    "absolute.onnx": b"\x08\x07\x6a\x14\x0a\x08location\x12\x0b/etc/passwd",
    "tokenizer_config.json": template("''.__class__.__mro__[1].__subclasses__()"),
    "attribute.json": template("m|attr('\\x5f\\x5fclass\\x5f\\x5f')"),
    "cycler.json": template("cycler.__init__.__globals__.os.popen('id').read()"),
    "model.7z": b"7z\xbc\xaf\x27\x1c" + bytes(100),
    "script.pt": archive(b"def f(x):\n  torch.save(x, 'a')\n", "archive/code/__torch__.py"),
    "outside.zip": archive(b"", "../../evil.py"),
    "attributes.pkl": b"\x80\x02cbuiltins\ngetattr\ncos\npath\nX\x04\x00\x00\x00join\x86R.",
    "build.pkl": b"\x80\x02ctorch.nn\nModule\n}X\x01\x00\x00\x00aK\x01sb.",
}


def hostile_files() -> Iterator[tuple[str, bytes]]:
    """Yield hostile files by name."""
    payload = PAYLOADS["system"]
    for name, (module, function, argument) in PAYLOADS.items():
        for kind, make in PICKLES.items():
            yield f"{name}, {kind}.pkl", make(module, function, argument)
    for trick, hide in TRICKS.items():
        for kind, make in PICKLES.items():
            yield f"{trick}, {kind}.bin", hide(make(*payload))
    yield "through the memory.pkl", through_memory(protocol_2(*payload))
    for container, wrap in CONTAINERS.items():
        for kind in ("protocol 2", "protocol 4"):
            for name in ("system", "eval"):
                yield f"{container}, {kind}, {name}.pt", wrap(PICKLES[kind](*PAYLOADS[name]))
    for ending in ("safetensors", "txt", "json", "onnx", "h5", "npy", "md"):
        yield f"a pickle.{ending}", protocol_4(*payload)
    yield from OTHERS.items()
