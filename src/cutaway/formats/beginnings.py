"""How files begin whose readers import much: asked of every file, so a reader is imported only for files of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from cutaway.formats import event_records, torch_beginning

HDF5 = b"\x89HDF\r\n\x1a\n"
GGUF = b"GGUF"
NUMPY = b"\x93NUMPY"
ZIP = torch_beginning.ZIP
ORT, TFLITE, EXECUTORCH = b"ORTM", b"TFL3", b"ET12"
SAFETENSORS_LENGTH = 8
SAFETENSORS_LARGEST = 100_000_000  # the format's own limit for a header
_KERAS_MEMBERS = (b"metadata.json", b"config.json", b"model.weights.h5", b"assets/")
_INDEX_ENTRY = re.compile(
    rb"(?s:[\x80-\xff]{0,3}[\x01-\x7f](?:[\x10-\xec]|\xf0.|\xf4..))?\0\0[\x02-\x1f][\x08\x10\x1a]"
)
"""A block may be compressed: then its length comes first, and the length of what is not repeated."""
GRAPH_TEXT = re.compile(
    rb"(?:\s|#[^\n]*\n)*(?:node|library|versions|version|saved_model_schema_version|meta_graphs|meta_info_def|graph_def)\s*[:{]"
)
SAVED_MODEL = re.compile(
    rb"\x08[\x00-\x08]\x12(?s:[\x80-\xff]+[\x00-\x7f]|[\x02-\x7f])[\x0a\x12\x1a\x22\x2a\x32\x3a]"
    rb"|\x12(?s:[\x80-\xff]+[\x00-\x7f]|[\x02-\x7f])\x0a(?s:[\x80-\xff]*[\x01-\x7f])\x12(?s:[\x80-\xff]*[\x01-\x7f])\x0a"
)
"""A version and a graph with what it uses, or that alone."""
GRAPH = re.compile(rb"\x0a(?s:[\x80-\xff]*[\x00-\x7f])\x0a(?s:[\x80-\xff]*[\x01-\x7f])[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
_META = re.compile(rb"\x0a(?s:[\x80-\xff]*[\x00-\x7f])[\x12\x2a\x22](?s:[\x80-\xff]*[\x00-\x7f])[\x0a]?")
FUNCTIONS_FIRST = re.compile(rb"\x12(?s:[\x80-\xff]*[\x00-\x7f])\x0a(?s:[\x80-\xff]*[\x00-\x7f])\x0a")


def keras_file(head: bytes) -> bool:
    """Tell whether a file that begins like this is an HDF5 file, or an archive whose first file is one of Keras's."""
    return head.startswith(HDF5) or (head.startswith(ZIP) and head[30:].startswith(_KERAS_MEMBERS))


def safetensors(head: bytes) -> bool:
    """Tell whether a file that begins like this is one of safetensors."""
    length = int.from_bytes(head[:SAFETENSORS_LENGTH], "little")
    return head[SAFETENSORS_LENGTH : SAFETENSORS_LENGTH + 1] == b"{" and length <= SAFETENSORS_LARGEST


def gguf(head: bytes) -> bool:
    """Tell whether a file that begins like this is one of GGUF."""
    return head.startswith(GGUF)


def numpy_file(head: bytes) -> bool:
    """Tell whether a file that begins like this is an array of numpy."""
    return head.startswith(NUMPY)


def ort(head: bytes) -> bool:
    """Tell whether a file that begins like this is a model of ONNX Runtime."""
    return head[4:8] == ORT


def tflite(head: bytes) -> bool:
    """Tell whether a file that begins like this is a model of TensorFlow Lite."""
    return head[4:8] == TFLITE


def executorch(head: bytes) -> bool:
    """Tell whether a file begins as a program of ExecuTorch does."""
    return head[4:8] == EXECUTORCH


def tf_checkpoint(head: bytes) -> bool:
    """Tell whether a file that begins like this is an index: its first entry, without a key, is the header."""
    return len(head) > 8 and _INDEX_ENTRY.match(head) is not None


def saved_model(head: bytes) -> bool:
    """Tell whether a file that begins like this is a graph of TensorFlow."""
    return any(form.match(head) for form in (GRAPH_TEXT, SAVED_MODEL, GRAPH, _META, FUNCTIONS_FIRST))


BEGINNINGS: Mapping[str, Callable[[bytes], bool]] = {
    "tensorboard": event_records.is_records,
    "keras_file": keras_file,
    "torch_save": torch_beginning.sniff,
    "safetensors": safetensors,
    "gguf": gguf,
    "numpy_file": numpy_file,
    "ort": ort,
    "tflite": tflite,
    "executorch": executorch,
    "tf_checkpoint": tf_checkpoint,
    "saved_model": saved_model,
}
"""What tells whether a file is for a reader, by the reader's name; the other readers have a `sniff` of their own."""
