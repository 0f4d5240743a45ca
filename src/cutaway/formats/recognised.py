"""Files that are recognised and not supported: they are refused by the name of their format."""

from __future__ import annotations

import re
import struct
from typing import BinaryIO

from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError

LFS = "a Git LFS pointer in place of the file: `git lfs pull` fetches it"

_BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (b"version https://git-lfs.github.com/spec/", LFS),
    (b"RKNN", "an RKNN model of Rockchip"),
    (b"ptrt", "an engine of TensorRT"),
    (b"ftrt", "an engine of TensorRT"),
    (b"GGUF", "a GGUF file of llama.cpp"),
    (b"lmgg", "a GGML file of llama.cpp"),
    (b"fmgg", "a GGML file of llama.cpp"),
    (b"tjgg", "a GGML file of llama.cpp"),
    (b"7767517\n", "a network of ncnn"),
    (b"7767517\r\n", "a network of ncnn"),
    (struct.pack("<i", 7767517), "a network of ncnn"),
    (b"\x12\x01\0\0\0\0\0\0", "parameters of MXNet"),
    (b"B\0C\0N\0", "a network of CNTK"),
    (b"\x01HEF", "an executable of Hailo"),
    (b"IMOD", "an offline model of Ascend"),
    (b"DLC\0", "a deep learning container of Qualcomm"),
    (b"[net]", "a network of Darknet"),
    (struct.pack("<3i", 0, 1, 0), "weights of Darknet"),
    (struct.pack("<3i", 0, 2, 0), "weights of Darknet"),
    (b"\x93NUMPY", "an array of numpy"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
)
"""How files of a format begin -> what they are."""

_IDENTIFIERS: dict[bytes, str] = {b"MNN\0": "a model of MNN"}
"""The four bytes after the first offset of a flatbuffer -> what it is."""

_PATTERNS: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"\s*(<\?xml[^>]*\?>\s*)?<net\s"), "a network of OpenVINO"),
    (re.compile(rb'\s*(#[^\n]*\n\s*)*name:\s*"[^"]*"\s+(layers?|input|input_dim)\b'), "a network of Caffe"),
    (re.compile(rb"\x0a[\x01-\x30][ -~]{1,48}\xa2\x06"), "a network of Caffe"),
    (re.compile(rb"\x08[\x01-\x20]\x12[\x02-\xff]{1,3}\x0a[\x02-\xff]{1,2}\x0a.[ -~]+", re.S), "a model of Core ML"),
    (
        re.compile(rb"(\x08[\x80-\xff]*[\x00-\x7f])*\x10[\x01-\x1a][\x22\x2a\x32\x3a\x42\x4a\x52\x5a]"),
        "a tensor of ONNX",
    ),
)


ENDINGS = (".onnx", ".ort", ".tflite", ".lite", ".pb", ".pbtxt", ".meta", ".index", ".h5", ".hdf5", ".keras")
"""What names of saved models end in: such a file is not a program, whatever is in it."""


def sniff(head: bytes) -> bool:
    """Tell whether a file that begins like this is of a format that is known by name alone."""
    return name(head) is not None


def name(head: bytes) -> str | None:
    """Return what a file is that begins like this."""
    for beginning, text in _BEGINNINGS:
        if head.startswith(beginning):
            return text
    if head[4:8] in _IDENTIFIERS:
        return _IDENTIFIERS[head[4:8]]
    return next((text for pattern, text in _PATTERNS if pattern.match(head)), None)


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Refuse a file by the name of its format."""
    head = file.read(64)
    text = name(head)
    if text is None:
        raise CutawayError(f"{path}: {'its content is not that of a saved model' if head else 'it is empty'}")
    raise CutawayError(f"{path}: it is {text}{'' if text == LFS else ', which is not supported'}")
