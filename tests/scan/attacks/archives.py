"""Archives, arrays and compressed files that carry a pickle or code, under disguises of the container."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator

from tests.scan.attacks.pickles import EVIL, SYSTEM, call, name, pickle, text

_HARMLESS = pickle(b"}")
_CODE = b"import os\nos.system('touch canary-of-the-scan')\n"


def zipped(members: list[tuple[str, bytes]], method: int = zipfile.ZIP_STORED) -> bytes:
    """Return a zip archive."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for path, content in members:
            archive.writestr(path, content)
    return data.getvalue()


def tarred(members: list[tuple[str, bytes]], mode: str = "w") -> bytes:
    """Return a tar archive."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:
        for path, content in members:
            info = tarfile.TarInfo(path)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return data.getvalue()


def _torch(pickled: bytes, *others: tuple[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    return zipped([("m/data.pkl", pickled), ("m/version", b"3\n"), *others], method)


def _patched(data: bytes, local: dict[int, bytes], central: dict[int, bytes], which: bytes) -> bytes:
    """Return a zip with fields of the headers of one member replaced, at their distance from the header's start."""
    content = bytearray(data)
    for magic, changes, name_at in ((b"PK\x03\x04", local, 30), (b"PK\x01\x02", central, 46)):
        at = content.find(magic)
        while at >= 0:
            if content[at + name_at : at + name_at + len(which)] == which:
                for distance, value in changes.items():
                    content[at + distance : at + distance + len(value)] = value
            at = content.find(magic, at + 1)
    return bytes(content)


def zip_attacks() -> Iterator[tuple[str, bytes]]:
    """Yield zip archives that readers of different strictness open differently."""
    yield "plain.pt", _torch(EVIL)
    yield "deflated.pt", _torch(EVIL, method=zipfile.ZIP_DEFLATED)
    yield "bzip2.zip", _torch(EVIL, method=zipfile.ZIP_BZIP2)
    yield "lzma.zip", _torch(EVIL, method=zipfile.ZIP_LZMA)
    yield "duplicate_last.pt", _torch(_HARMLESS, ("m/data.pkl", EVIL))
    yield "duplicate_first.pt", _torch(EVIL, ("m/data.pkl", _HARMLESS))
    yield "case.pt", _torch(_HARMLESS, ("m/DATA.PKL", EVIL))
    yield "slashes.pt", _torch(_HARMLESS, ("m//data.pkl", EVIL))
    yield "dots.pt", _torch(_HARMLESS, ("m/./data.pkl", EVIL))
    yield "backslash.pt", _torch(_HARMLESS, ("m\\data.pkl", EVIL))
    yield "leaves_folder.pt", _torch(_HARMLESS, ("../../../../tmp/evil.py", _CODE))
    yield "absolute.pt", _torch(_HARMLESS, ("/tmp/evil.pkl", EVIL))
    yield "bad_checksum.pt", _patched(_torch(EVIL), {14: b"\1\2\3\4"}, {16: b"\1\2\3\4"}, b"m/data.pkl")
    yield "encrypted_flag.pt", _patched(_torch(EVIL), {6: b"\1\0"}, {8: b"\1\0"}, b"m/data.pkl")
    yield "encrypted_in_directory.pt", _patched(_torch(EVIL), {}, {8: b"\1\0"}, b"m/data.pkl")
    yield "method_differs.pt", _patched(_torch(EVIL), {8: b"\x08\0"}, {}, b"m/data.pkl")
    yield "method_differs_in_directory.pt", _patched(_torch(EVIL), {}, {10: b"\x08\0"}, b"m/data.pkl")
    yield "method_unknown.pt", _patched(_torch(EVIL), {8: b"\x63\0"}, {10: b"\x63\0"}, b"m/data.pkl")
    yield "local_name_differs.pt", _patched(_torch(EVIL), {30: b"m/data.txt"}, {}, b"m/data.pkl")
    yield "directory_name_differs.pt", _patched(_torch(EVIL), {}, {46: b"m/data.txt"}, b"m/data.pkl")
    yield "size_differs.pt", _patched(_torch(EVIL), {}, {24: struct.pack("<I", 4)}, b"m/data.pkl")
    yield "directory_flag.pt", _patched(_torch(EVIL), {}, {38: b"\x10\0\0\0"}, b"m/data.pkl")
    yield "no_end_record.pt", _torch(EVIL)[:-22]
    yield "comment_behind.pt", _torch(EVIL) + b"x" * 100
    yield "other_archive_behind.pt", _torch(_HARMLESS) + _torch(EVIL)
    yield "other_archive_before.pt", _torch(EVIL) + _torch(_HARMLESS)
    yield "prefixed.pt", b"#!/bin/sh\nexit\n" + _torch(EVIL)
    yield "pickle_then_zip.pt", EVIL + _torch(_HARMLESS)
    yield "zip_then_pickle.pt", _torch(_HARMLESS) + EVIL
    yield "nested.zip", zipped([("inner.zip", zipped([("model.pt", _torch(EVIL))]))])
    yield (
        "nested_deflated.zip",
        zipped([("inner.bin", zipped([("x", EVIL)], zipfile.ZIP_DEFLATED))], zipfile.ZIP_DEFLATED),
    )
    yield "member_without_extension.zip", zipped([("weights", EVIL)])
    yield "member_with_picture_name.zip", zipped([("cat.png", EVIL)])
    yield "member_in_folder_data.pt", _torch(_HARMLESS, ("m/data/0", EVIL))
    yield "constants.pt", _torch(_HARMLESS, ("m/constants.pkl", EVIL), ("m/code/__torch__.py", b""))
    yield "extra_file.pt", _torch(_HARMLESS, ("m/extra/hook.py", _CODE))
    yield (
        "native_library.pt2",
        zipped([("m/data/aotinductor/model/c.so", b"\x7fELF\x02\x01\x01" + b"\0" * 90), ("m/version", b"1")]),
    )
    yield "byteorder.pt", _torch(_HARMLESS, ("m/byteorder", EVIL))
    yield "in_comment.pt", _with_comment(_torch(_HARMLESS), EVIL)
    yield "with_data.pt", _torch(EVIL, ("m/data/0", b"\0" * 8))
    yield "zip64.pt", _zip64(EVIL)
    yield "data_descriptor.pt", _streamed(EVIL)
    yield "many_members.zip", zipped([*((f"data/{n}", b"\0") for n in range(3000)), ("data/zzz", EVIL)])
    yield "mar.mar", zipped([("MAR-INF/MANIFEST.json", b'{"model":{"handler":"h.py"}}'), ("h.py", _CODE)])
    yield (
        "package.pt",
        zipped([("p/.data/extern_modules", b"os\n"), ("p/models/net.py", _CODE), ("p/models/net.pkl", _HARMLESS)]),
    )
    yield (
        "skops.skops",
        zipped(
            [
                (
                    "schema.json",
                    b'{"__class__":"system","__module__":"os","__loader__":"FunctionNode","content":"touch x"}',
                )
            ]
        ),
    )
    yield "npz_object.npz", zipped([("a.npy", npy("|O", EVIL))])
    yield "npz_structured_object.npz", zipped([("a.npy", npy([("x", "<i4"), ("y", "|O")], EVIL))])
    yield "npz_other_suffix.npz", zipped([("a.txt", npy("|O", EVIL))])
    yield "egg.egg", zipped([("pkg/__init__.py", _CODE), ("EGG-INFO/PKG-INFO", b"Name: x")])
    yield "compiled.zip", zipped([("pkg/__init__.pyc", b"\xa7\r\r\n" + b"\0" * 12 + b"\xe3" + b"\0" * 40)])


def _with_comment(data: bytes, comment: bytes) -> bytes:
    return data[:-2] + struct.pack("<H", len(comment)) + comment


def _zip64(content: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive, archive.open("m/data.pkl", "w", force_zip64=True) as member:
        member.write(content)
    return data.getvalue()


class _Unseekable(io.RawIOBase):
    def __init__(self) -> None:
        self.data = b""

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        self.data += bytes(data)  # type: ignore[arg-type, call-overload]
        return len(data)  # type: ignore[arg-type]


def _streamed(content: bytes) -> bytes:
    sink = _Unseekable()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[arg-type]
        archive.writestr("m/data.pkl", content)
    return sink.data


def npy(kind: object, content: bytes, version: tuple[int, int] = (1, 0)) -> bytes:
    """Return an array file of numpy with a content of our choice."""
    header = repr({"descr": kind, "fortran_order": False, "shape": (1,)}).encode() + b"\n"
    length = struct.pack("<H" if version == (1, 0) else "<I", len(header))
    return b"\x93NUMPY" + bytes(version) + length + header + content


def _joblib(content: bytes) -> bytes:
    """Return a file of joblib with an array of objects: their pickle follows the wrapper in the stream."""
    wrapper = name("joblib.numpy_pickle", "NumpyArrayWrapper") + b")\x81"
    dtype = call(name("numpy", "dtype"), text("O8"), b"\x89", b"\x88")
    fields = [
        (text("subclass"), name("numpy", "ndarray")), (text("shape"), b"K\x01\x85"), (text("order"), text("C")),
        (text("dtype"), dtype), (text("allow_mmap"), b"\x89"), (text("numpy_array_alignment_bytes"), b"K\x10"),
    ]  # fmt: skip
    state = b"}(" + b"".join(key + value for key, value in fields) + b"u"
    return b"\x80\x04" + wrapper + state + b"b" + content + b"."


def stream_attacks() -> Iterator[tuple[str, bytes]]:
    """Yield compressed streams, tar archives, arrays and files of pickling libraries."""
    for suffix, packed in {
        "gz": gzip.compress(EVIL), "bz2": bz2.compress(EVIL), "xz": lzma.compress(EVIL), "z": zlib.compress(EVIL),
        "lzma": lzma.compress(EVIL, lzma.FORMAT_ALONE),
    }.items():  # fmt: skip
        yield f"pickle.pkl.{suffix}", packed
        yield f"renamed_{suffix}.bin", packed
    yield "twice.gz", gzip.compress(bz2.compress(EVIL))
    yield "two_members.gz", gzip.compress(_HARMLESS) + gzip.compress(EVIL)
    yield "zip_in_gzip.gz", gzip.compress(_torch(EVIL))
    yield "zlib_level0.pkl", zlib.compress(EVIL, 0)
    for mode in ("", ":gz", ":bz2", ":xz"):
        yield f"archive{mode[1:]}.tar", tarred([("model.pkl", EVIL)], f"w{mode}")
    yield "model.nemo", tarred([("./model_config.yaml", b"a: 1\n"), ("./model_weights.ckpt", _torch(EVIL))], "w:gz")
    yield "target.nemo", tarred([("./model_config.yaml", b"_target_: os.system\ncommand: touch x\n")], "w:gz")
    yield "legacy_tar.pt", tarred([("storages", EVIL), ("tensors", _HARMLESS), ("pickle", _HARMLESS)])
    yield "tar_leaves_folder.tar", tarred([("../../../etc/cron.d/x", b"* * * * * root x\n")])
    yield "tar_link.tar", _tar_link()
    yield "tar_behind_end.tar", tarred([("a.txt", b"x")]) + tarred([("model.pkl", EVIL)])
    yield "objects.npy", npy("|O", EVIL)
    yield "objects_v3.npy", npy("|O", EVIL, (3, 0))
    yield "objects_structured.npy", npy([("x", "<f4"), ("y", [("z", "O")])], EVIL)
    yield "objects_subarray.npy", npy([("x", "|O", (2,))], EVIL)
    yield "wrapped_object.joblib", _joblib(EVIL)
    yield "wrapped_object_zlib.joblib", zlib.compress(_joblib(EVIL))
    yield "wrapped_object_gzip.joblib", gzip.compress(_joblib(EVIL))
    yield "wrapped_object_xz.joblib", lzma.compress(_joblib(EVIL))
    yield "wrapped_behind_array.joblib", _joblib(_HARMLESS)[:-1] + b"0" + SYSTEM + b"."
    yield (
        "dill_function.dill",
        pickle(call(name("dill._dill", "_create_function"), call(name("dill._dill", "_create_code"), b"C\x01x"), b"}")),
    )
    yield "dill_load_type.dill", pickle(call(name("dill._dill", "_load_type"), text("CodeType")))
    yield (
        "cloudpickle.pkl",
        pickle(
            call(
                name("cloudpickle.cloudpickle", "_make_function"),
                call(name("cloudpickle.cloudpickle", "_builtin_type"), text("CodeType")),
            )
        ),
    )
    yield "cloudpickle_subimport.pkl", pickle(call(name("cloudpickle.cloudpickle", "subimport"), text("os")))
    yield "legacy_torch.pt", _legacy(EVIL)
    yield "legacy_torch_late.pt", _legacy(_HARMLESS) + EVIL
    yield "r_promise.rds", gzip.compress(_rds(5))
    yield "r_bytecode.rds", _rds(21)
    yield "r_workspace.RData", gzip.compress(b"RDX3\n" + _rds(5))
    yield "lua_function.t7", _torch7()
    yield "compiled.pyc", b"\xa7\r\r\n" + b"\0" * 12 + b"\xe3" + b"\0" * 40
    yield "native.so", b"\x7fELF\x02\x01\x01" + b"\0" * 90
    yield "base64.pkl", base64.b64encode(EVIL)
    yield "seven.7z", b"7z\xbc\xaf\x27\x1c\0\4" + b"\0" * 60
    yield "rar.rar", b"Rar!\x1a\x07\x01\0" + b"\0" * 60
    yield "zstandard.pkl.zst", b"\x28\xb5\x2f\xfd\x24" + bytes([len(EVIL)]) + b"\x01\0\0" + EVIL
    yield "lz4.pkl", b"\x04\x22\x4d\x18\x64\x40\xa7" + struct.pack("<I", len(EVIL) | 1 << 31) + EVIL + b"\0\0\0\0"


def _tar_link() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        info = tarfile.TarInfo("weights")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc"
        archive.addfile(info)
    return data.getvalue()


def _legacy(content: bytes) -> bytes:
    numbers = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
    return (
        numbers
        + b"\x80\x02M\xe9\x03."
        + b"\x80\x02}q\0(X\x10\0\0\0protocol_versionq\1M\xe9\3u."
        + content
        + b"\x80\2]."
    )


def _rds(kind: int) -> bytes:
    """Return what R saves: a pairlist whose value is a promise (5) or bytecode (21), evaluated when it is used."""
    return (
        b"X\n"
        + struct.pack(">iii", 3, 0x040301, 0x030500)
        + struct.pack(">i", 5)
        + b"UTF-8"
        + struct.pack(">ii", kind, 254)
    )


def _torch7() -> bytes:
    dump = b"\x1bLJ\x02os.execute"
    return struct.pack("<iii", 8, 1, len(dump)) + dump + struct.pack("<i", 0)
