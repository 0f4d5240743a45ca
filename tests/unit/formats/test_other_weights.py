"""GGUF, arrays of numpy and msgpack of flax: what their headers say, without reading numbers."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

import cutaway

ARRAY = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }"


def gguf(
    tensors: dict[str, tuple[tuple[int, ...], int]], entries: list[tuple[str, int, bytes]], version: int, order: str
) -> bytes:
    wide = "I" if version == 1 else "Q"

    def text(words: str) -> bytes:
        return struct.pack(f"{order}{wide}", len(words.encode())) + words.encode()

    made = b"GGUF" + struct.pack(f"{order}I{wide}{wide}", version, len(tensors), len(entries))
    for key, kind, value in entries:
        made += text(key) + struct.pack(f"{order}I", kind) + value
    for name, (sizes, kind) in tensors.items():
        made += text(name) + struct.pack(f"{order}I{len(sizes)}{wide}IQ", len(sizes), *sizes, kind, 0)
    return made + bytes(-len(made) % 32) + bytes(1 << 14)


def words(text: str, order: str, version: int) -> bytes:
    return struct.pack(f"{order}{'I' if version == 1 else 'Q'}", len(text)) + text.encode()


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("order", ["<", ">"])
def test_gguf_of_every_version_and_byte_order(version: int, order: str, tmp_path: Path) -> None:
    wide = "I" if version == 1 else "Q"
    tokens = b"".join(words(f"token{at}", order, version) for at in range(300))
    entries = [
        ("general.architecture", 8, words("llama", order, version)),
        ("llama.attention.head_count", 4, struct.pack(f"{order}I", 32)),
        ("tokenizer.ggml.tokens", 9, struct.pack(f"{order}I{wide}", 8, 300) + tokens),
        ("llama.rope", 9, struct.pack(f"{order}I{wide}2f", 6, 2, 0.5, 2.0)),
    ]
    tensors = {"blk.0.attn_q.weight": ((256, 64), 12), "norm.weight": ((256,), 0)}
    (tmp_path / "model.gguf").write_bytes(gguf(tensors, entries, version, order))
    (found,) = cutaway.show(str(tmp_path / "model.gguf"))
    assert {w.name: (w.shape, w.dtype) for w in found.weights} == {
        "blk.0.attn_q.weight": ((64, 256), "q4_k"),
        "norm.weight": ((256,), "float32"),
    }
    assert found.totals.weight_bytes == 64 * 144 + 1024
    assert found.modules[0].class_name == "llama"
    assert found.modules[0].config == {
        "general.architecture": "llama",
        "llama.attention.head_count": 32,
        "tokenizer.ggml.tokens": {"length": 300, "of": "strings"},
        "llama.rope": [0.5, 2.0],
    }


def test_every_cut_of_gguf_gives_one_clear_error(tmp_path: Path) -> None:
    whole = gguf({"a": ((256, 64), 12)}, [("k", 4, struct.pack("<I", 1))], 3, "<")
    for end in range(5, 120, 3):
        (tmp_path / "model.gguf").write_bytes(whole[:end])
        with pytest.raises(cutaway.CutawayError, match=r"model\.gguf: "):
            cutaway.show(str(tmp_path / "model.gguf"), isolated=False)


def array(dtype: str, shape: tuple[int, ...]) -> bytes:
    header = (ARRAY % (dtype, shape)).encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header


def test_arrays_of_numpy_are_read_from_their_headers(tmp_path: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("encoder/w.npy", array("<f4", (3, 4)))
        file.writestr("encoder/b.npy", array("|b1", ()))
        file.writestr("objects.npy", array("|O", (2,)))
    (tmp_path / "model.npz").write_bytes(made.getvalue())
    (found,) = cutaway.show(str(tmp_path / "model.npz"))
    assert {w.name: (w.shape, w.dtype) for w in found.weights} == {
        "encoder/w": ((3, 4), "float32"),
        "encoder/b": ((), "bool"),
        "objects": ((2,), None),
    }
    (tmp_path / "one.npy").write_bytes(array(">i8", (7,)))
    (found,) = cutaway.show(str(tmp_path / "one.npy"))
    assert [(w.name, w.shape, w.dtype) for w in found.weights] == [("one", (7,), "int64")]


def packed(value: Any) -> bytes:
    if isinstance(value, dict):
        return bytes([0x80 | len(value)]) + b"".join(packed(key) + packed(each) for key, each in value.items())
    if isinstance(value, str):
        return bytes([0xA0 | len(value)]) + value.encode()
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return bytes([value])
    shape, dtype, count = value
    inner = b"\x93" + bytes([0x90 | len(shape)]) + bytes(shape) + packed(dtype) + b"\xc5" + struct.pack(">H", count)
    inner += bytes(count)
    return b"\xc8" + struct.pack(">H", len(inner)) + b"\x01" + inner


def test_parameters_of_flax_are_read_and_large_ones_put_together(tmp_path: Path) -> None:
    chunked = {
        "__msgpack_chunked_array__": True,
        "shape": {"0": 6, "1": 2},
        "chunks": {"0": ((6,), "float32", 24), "1": ((6,), "float32", 24)},
    }
    kept = {"params": {"Dense_0": {"kernel": ((3, 4), "float32", 48), "bias": ((4,), "bfloat16", 8)}, "table": chunked}}
    (tmp_path / "flax_model.msgpack").write_bytes(packed(kept))
    (found,) = cutaway.show(str(tmp_path / "flax_model.msgpack"))
    assert {w.name: (w.shape, w.dtype) for w in found.weights} == {
        "params/Dense_0/kernel": ((3, 4), "float32"),
        "params/Dense_0/bias": ((4,), "bfloat16"),
        "params/table": ((6, 2), "float32"),
    }
    assert found.framework == "flax"
