"""Files that are recognised and not supported: they are refused by the name of their format."""

from __future__ import annotations

import os
import re
import struct
from typing import BinaryIO

from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError

LFS = "a Git LFS pointer in place of the file: `git lfs pull` fetches it"
HEAD = 1 << 16
_MODEL = "a model of "

_BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (b"version https://git-lfs.github.com/spec/", LFS),
    (b"oid sha256:", LFS),
    (b"RKNN", "an RKNN model of Rockchip"),
    (b"ptrt", "an engine of TensorRT"),
    (b"ftrt", "an engine of TensorRT"),
    (b"GGUF", "a GGUF file of llama.cpp"),
    (b"lmgg", "a GGML file of llama.cpp"),
    (b"fmgg", "a GGML file of llama.cpp"),
    (b"tjgg", "a GGML file of llama.cpp"),
    (b"algg", "a GGML file of llama.cpp"),
    (b"7767517\n", "a network of ncnn"),
    (b"7767517\r\n", "a network of ncnn"),
    (struct.pack("<i", 7767517), "a network of ncnn"),
    (b"\x12\x01\0\0\0\0\0\0", "a file of parameters of MXNet"),
    (b"B\0C\0N\0", "a network of CNTK"),
    (b"\x01HEF", "an executable of Hailo"),
    (b"IMOD", "an offline model of Ascend"),
    (b"PICO", "an offline model of Ascend"),
    (b"DLC\0", "a deep learning container of Qualcomm"),
    (b"[net]", "a network of Darknet"),
    (b"[network]", "a network of Darknet"),
    (b"\x93NUMPY", "an array of numpy"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"CBM1", "a model of CatBoost"),
    (b"tree\nversion=", "a model of LightGBM"),
    (b"tree\r\nversion=", "a model of LightGBM"),
    (b"binf", "a model of XGBoost"),
    (b"bs64", "a model of XGBoost"),
    (b"{L\0\0\0\0\0\0\0\x07learner", "a model of XGBoost"),
    (b"booster[0]:", "a model of XGBoost, as text"),
    (b"\x04\0\0\0\x01\0\0\0\x03\0\0\0V 1", "a file of Torch 7"),
    (b"4\n1\n3\nV 1\n", "a file of Torch 7, as text"),
    (b"KMDL", "a model of Kendryte"),
    (b"LDMK", "a model of Kendryte"),
    (b"EDL2", "a model of ESP-DL"),
    (b"ML\xefR", "bytecode of MLIR"),
    (b"mgb0001", "a model of MegEngine"),
    (b"mgb0000", "a model of MegEngine"),
    (b"mgbtest0", "a model of MegEngine"),
    (b"MGBS", "a model of MegEngine"),
    (b"LITERTLM", "a language model of LiteRT"),
    (b"\x02\0\xbc\xfa", "a file of parameters of TNN"),
    (b"\x04\0\xbc\xfa", "a file of parameters of TNN"),
    (b"CviModel", "a model of Sophgo"),
    (b"\xee\xaa\x55\xff", "a model of Sophgo"),
    (b"\x7fMEF", "a model of Cambricon"),
    (b"cambricon_offline", "a model of Cambricon"),
    (b"STEF", "a model of SenseTime"),
    (b"NNC3", "a model of NNC"),
    (b"BCNN", "a model of BCNN"),
    (b"HDLMODEL", "a model of HALCON"),
    (b"EZMODEL", "a model of Optimium"),
    (b"\0BNNet", "a network of Kaldi"),
    (b"\0B<", "a network of Kaldi"),
    (b"<Nnet", "a network of Kaldi"),
    (b"\xac\xed\0\x05", "serialized objects of Java"),
    (b"Salted__", "encrypted data"),
    (b"\x7fELF", "a compiled program"),
    (b"SQLite format 3\0", "a database"),
    (b"\x89PNG", "an image"),
    (b"\x1f\x8b", "a gzip archive: unpack it first"),
    (b"\x04\x22\x4d\x18", "an lz4 archive: unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive: unpack it first"),
    (b"BZh", "a bzip2 archive: unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive: unpack it first"),
    (b"\xfd7zXZ\0", "an xz archive: unpack it first"),
)
"""How files of a format begin -> what they are."""

_IDENTIFIERS: dict[bytes, str] = {
    b"MNN\0": "a model of MNN",
    b"CIR0": "a model of Circle",
    b"MSL0": "a model of MindSpore Lite",
    b"MSL1": "a model of MindSpore Lite",
    b"MSL2": "a model of MindSpore Lite",
    b"MSL3": "a model of MindSpore Lite",
    b"TOSA": "a model of TOSA",
    b"KaNN": "a model of KaNN",
    b"ENNC": "a model of NNC",
    b"NVDA": "a loadable of NVDLA",
    b"mgv2": "a model of MegEngine",
    b"ODTC": "a training checkpoint of ONNX Runtime",
    b"ARMN": "a model of Arm NN",
}
"""The four bytes after the first offset of a flatbuffer -> what it is."""

_PATTERNS: tuple[tuple[bytes, str], ...] = (
    (rb"\s*(<\?xml[^>]*\?>\s*)?<net\s", "a network of OpenVINO"),
    (rb"(?s)\s*(<\?xml[^>]*\?>\s*)?(<!--.*?-->\s*)?<PMML\b", "a model in PMML"),
    (rb"\s*(<\?xml[^>]*\?>\s*)?<opencv_storage\b", "data of OpenCV"),
    (rb"\s*(<\?xml[^>]*\?>\s*)?<[A-Za-z!]", "XML that is not a network of a known kind"),
    (rb"(?:\s*#[^\n]*\n)*\s*(?:\[\w+\][^\[]*)*\[(?:net|network)\]", "a network of Darknet"),
    (rb"\0\0\0\0[\x01-\x05]\0\0\0[\x00-\x09]\0\0\0", "a file of weights of Darknet"),
    (rb'\s*(?:#[^\n]*\n\s*)*(?:name:\s*"[^"]*"\s*)?(?:layers?\s*\{|(?:input|input_dim)\s*:|input_shape\s*\{|force_backward\s*:)', "a network of Caffe"),
    (rb'\s*(?:#[^\n]*\n\s*)*(?:train_net|net|test_iter|base_lr)\s*:', "settings of a solver of Caffe"),
    (rb'(?s)\s*(?:#[^\n]*\n\s*)*(?:(?:name|platform|backend|default_model_filename)\s*:\s*"[^"]*"\s*|max_batch_size\s*:\s*\d+\s*|version_policy\b)+.*?(?:input|output|instance_group|max_batch_size|parameters|ensemble_scheduling|model_transaction_policy|$)', "a configuration of the Triton server"),
    (rb'(?s)\s*(?:#[^\n]*\n\s*)*(?:(?:input|output)_(?:stream|side_packet)\s*:|node\s*[{:].{0,4000}?calculator\s*:)', "a graph of MediaPipe"),
    (rb'(?s)\s*(?:#[^\n]*\n\s*)*(?:name:\s*"[^"]*"\s*)?op\s*\{.{0,4000}?type\s*:', "a network of Caffe2"),
    (rb"\s*item\s*\{", "a map of labels"),
    (rb"(?s)\s*model\s*\{\s*(?:ssd|faster_rcnn|center_net)\b", "settings of the Object Detection API"),
    (rb"model_checkpoint_path\s*:", "the list of checkpoints in a folder: name one of them"),
    (rb"\x0a[\x01-\x30][ -~]{1,48}\xa2\x06", "a network of Caffe"),
    (rb"\x0a[\x01-\x3f][ -~]{1,63}\x12(?s:[\x80-\xff]*[\x00-\x7f]){1}(?s:[\x0a\x12\x1a\x22])", "a network of Caffe2, or another one that no reader is for"),
    (rb"\x0a(?s:[\x80-\xff]*[\x00-\x7f])\x08\x00\x10(?s:[\x80-\xff]*[\x00-\x7f])\x1a", "a program of PaddlePaddle"),
    (rb"\x0a(?s:.){0,3}\x0a[\x01-\x10](?:<unk>|<pad>|<s>|\xe2\x96\x81)", "a vocabulary of SentencePiece"),
    (rb"\x08[\x01-\x20]\x12(?s:[\x80-\xff]*[\x01-\x7f])\x0a(?s:.)", "a model of Core ML"),
    (rb"(\x08[\x80-\xff]*[\x00-\x7f])*\x10[\x01-\x1a][\x22\x2a\x32\x3a\x42\x4a\x52\x5a]", "a tensor of ONNX"),
    (rb'\s*(?://[^\n]*\n\s*)*(?:#\w+\s*=[^\n]*\n\s*)*(?:module\b[^{]*\{|func\.func\b|"builtin\.module"|func\s+@)', "a program of MLIR"),
    (rb"\s*program\s*\(\s*\d", "a program of Core ML"),
    (rb"\s*version\s+[\d.]+\s*;", "a network of NNEF"),
    (rb"\s*(?:strict\s+)?(?:di)?graph\b[^{]*\{", "a drawing of Graphviz"),
    (rb'"\d+ \d+ \d+[^"]*"', "a network of TNN"),
    (rb"(?i)\s*<!doctype html|\s*<html", "a web page: the download may have failed"),
)  # fmt: skip

_KEYS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("nodes", "arg_nodes", "heads"), "a network of MXNet"),
    (("nodes", "arg_nodes", "node_row_ptr"), "a graph of TVM"),
    (("learner", "version"), "a model of XGBoost"),
    (("features_info", "model_info"), "a model of CatBoost"),
    (("tree_info", "feature_names"), "a model of LightGBM"),
    (("base_code", "program"), "a program of PaddlePaddle"),
    (("sourceType", "oplists"), "a model of MNN"),
    (("model.cpp", "graph"), "a model of Qualcomm"),
    (("rootModelIdentifier", "itemInfoEntries"), "the manifest of a Core ML package"),
    (("inputIds", "outputIds", "layers"), "a model of Arm NN"),
    (("subgraphs", "operator_codes"), "a model of TFLite written as JSON"),
    (("opsetImport", "graph"), "a model of ONNX written as JSON"),
    (("confs", "backpropType"), "a network of Deeplearning4j"),
    (("vertices", "networkInputs"), "a network of Deeplearning4j"),
    (("engine_kind", "graph"), "a graph of oneDNN"),
    (("MetaData", "Layers"), "a network of Acuity"),
    (("traceEvents",), "a trace of events"),
    (("added_tokens", "model"), "a tokenizer"),
    (("cells", "nbformat"), "a notebook: its name has to end in .ipynb"),
    (("storage", "layers"), "a network of Espresso"),
)  # fmt: skip
"""Keys that an object in JSON has -> what it is."""

_ENTRIES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("TransformerChain/", "TransformerChain\\", "TrainingInfo/Version.txt", "TrainingInfo\\Version.txt"), "a model of ML.NET"),
    (("dlc.metadata", "model.params"), "a deep learning container of Qualcomm"),
    (("MAR-INF/",), "an archive of TorchServe: unpack it, the model is inside"),
    (("configuration.json", "coefficients.bin"), "a network of Deeplearning4j"),
    (("network.nntxt", "nnp_version.txt"), "a network of NNabla"),
    (("Manifest.json", "Data/com.apple.CoreML/"), "a package of Core ML"),
    (("model.espresso.net",), "a network of Espresso"),
    (("saved_model.pb",), "an archive with a SavedModel: unpack it first"),
)  # fmt: skip
"""Files in a zip archive -> what it is."""

_BY_ENDING: dict[str, str] = {
    ".mlmodel": _MODEL + "Core ML", ".mlmodelc": _MODEL + "Core ML", ".caffemodel": "a network of Caffe",
    ".prototxt": "a text of protobuf that is not a network of a known kind", ".weights": "a file of weights of Darknet",
    ".param": "a network of ncnn", ".mnn": _MODEL + "MNN", ".engine": "an engine of TensorRT", ".plan": "an engine of TensorRT",
    ".trt": "an engine of TensorRT", ".rknn": "an RKNN model of Rockchip", ".nb": _MODEL + "Paddle Lite",
    ".pdmodel": "a program of PaddlePaddle", ".pdiparams": "a file of parameters of PaddlePaddle", ".pdparams": "a file of parameters of PaddlePaddle",
    ".pdopt": "the state of an optimizer of PaddlePaddle", ".om": "an offline model of Ascend",
    ".dlc": "a deep learning container of Qualcomm", ".kmodel": _MODEL + "Kendryte", ".tmfile": _MODEL + "Tengine",
    ".uff": _MODEL + "UFF", ".cntk": "a network of CNTK", ".dnn": "a network of CNTK", ".cmf": "a network of CNTK",
    ".t7": "a file of Torch 7", ".params": "a file of parameters of MXNet", ".mlir": "a program of MLIR", ".mlirbc": "bytecode of MLIR",
    ".mge": _MODEL + "MegEngine", ".ms": _MODEL + "MindSpore Lite", ".mindir": _MODEL + "MindSpore", ".armnn": _MODEL + "Arm NN",
    ".har": _MODEL + "Hailo", ".hn": _MODEL + "Hailo", ".hef": "an executable of Hailo", ".kgraph": _MODEL + "KaNN",
    ".cbm": _MODEL + "CatBoost", ".ubj": _MODEL + "XGBoost", ".xmodel": _MODEL + "Vitis AI", ".nn": _MODEL + "Barracuda",
    ".sentis": _MODEL + "Sentis", ".circle": _MODEL + "Circle", ".tosa": _MODEL + "TOSA", ".espdl": _MODEL + "ESP-DL",
    ".nnp": "a network of NNabla", ".nntxt": "a network of NNabla", ".tnnproto": "a network of TNN", ".tnnmodel": "a file of parameters of TNN",
    ".bson": _MODEL + "Flux", ".nnef": "a network of NNEF", ".mar": "an archive of a model server", ".dot": "a drawing of Graphviz",
    ".pmml": "a model in PMML", ".joblib": "a file of joblib", ".mlnet": _MODEL + "ML.NET", ".jax_export": "an exported function of JAX",
    ".npy": "an array of numpy", ".yaml": "YAML that does not describe a network of a known kind",
    ".yml": "YAML that does not describe a network of a known kind", ".pbz": "a compressed file of protobuf", ".dat": "data of no known format",
    ".bin": "data of no known format: weights of a network that another file describes?",
}  # fmt: skip
"""How the name of a file ends -> what it is, where its content says nothing."""

_NAMES: dict[str, str] = {
    "fingerprint.pb": "the fingerprint of the SavedModel beside it",
    "keras_metadata.pb": "what Keras stores of the SavedModel beside it: name the folder",
    "__model__": "a program of PaddlePaddle",
    "__params__": "a file of parameters of PaddlePaddle",
    "tfhub_module.pb": "a module of TensorFlow Hub: name the folder",
}
"""The name of a file -> what it is, where its content says nothing."""

ENDINGS = (
    ".onnx",
    ".ort",
    ".tflite",
    ".lite",
    ".pb",
    ".pbtxt",
    ".meta",
    ".index",
    ".h5",
    ".hdf5",
    ".keras",
    ".xml",
    *_BY_ENDING,
)
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
    if re.match(rb"\s*[\[{]", head):
        return next((text for keys, text in _KEYS if all(f'"{key}"'.encode() in head for key in keys)), None)
    if head.startswith(b"PK\x03\x04"):
        return _archived(head)
    return next((text for pattern, text in _PATTERNS if re.match(pattern, head)), None)


def _archived(head: bytes) -> str | None:
    """Return what an archive is by the names of its first files; those of the last ones are at its end."""
    for entries, text in _ENTRIES:
        if any(entry.encode() in head for entry in entries):
            return text
    return None


def name_of(path: str) -> str | None:
    """Return what a file is, by its content, or where that says nothing, by its name."""
    with open(path, "rb") as file:
        head = file.read(HEAD)
        if head.startswith(b"PK\x03\x04"):
            file.seek(max(0, file.seek(0, os.SEEK_END) - HEAD))
            head += file.read(HEAD)
    if not head:
        return None
    base = os.path.basename(path)
    return name(head) or _NAMES.get(base) or _BY_ENDING.get(os.path.splitext(base)[1].lower())


def refusal(path: str) -> CutawayError | None:
    """Return how a file is refused by the name of its format; None where that is not known."""
    text = name_of(path)
    if text is None:
        return None
    says_all = text == LFS or ":" in text or "no known" in text or "not a network" in text or "not describe" in text
    return CutawayError(f"{path}: it is {text}{'' if says_all else ', which is not supported'}")


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Refuse a file by the name of its format."""
    refused = refusal(path)
    if refused is None:
        empty = not file.read(1)
        refused = CutawayError(f"{path}: {'it is empty' if empty else 'its content is not that of a saved model'}")
    raise refused
