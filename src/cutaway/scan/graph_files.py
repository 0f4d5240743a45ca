"""Graphs in protocol buffers: operators that run Python or touch files, and external data outside of the folder."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from cutaway.core.error import one_line
from cutaway.formats import protobuf
from cutaway.formats.graph_def import outputs, text_form
from cutaway.formats.protobuf import Message
from cutaway.scan import keras_code
from cutaway.scan.finding import IMPORTS, NOTHING, RUNS, Report
from cutaway.scan.streams import chunks

TENSORFLOW, ONNX = "tensorflow", "onnx"
_EFFECTS = {
    "runs a function of Python": "PyFunc PyFuncStateless EagerPyFunc",
    "writes files": "WriteFile DebugIdentityV2 DebugIdentityV3 ExperimentalDatasetToTFRecord DistributedSave SaveDataset SaveDatasetV2 DatasetToTFRecord DatasetToTFRecordV2"
    " CacheDataset CacheDatasetV2 SnapshotDataset SnapshotDatasetV2 CreateSummaryFileWriter CreateSummaryDbWriter",
    "reads files": "ReadFile WholeFileReader WholeFileReaderV2 LoadAndRemapMatrix CSVDataset CSVDatasetV2 TextLineDataset"
    " TextLineReader TextLineReaderV2 FixedLengthRecordDataset FixedLengthRecordDatasetV2 FixedLengthRecordReader"
    " FixedLengthRecordReaderV2 TFRecordDataset TFRecordDatasetV2 TFRecordReader TFRecordReaderV2 LMDBDataset LMDBReader"
    " SqlDataset ImmutableConst LoadDataset BigQueryReader ExperimentalCSVDataset ExperimentalLMDBDataset"
    " ExperimentalSqlDataset GenerateVocabRemapping SnapshotDatasetReader SnapshotNestedDatasetReader",
    "looks for files": "MatchingFiles MatchingFilesDataset ExperimentalMatchingFilesDataset ListSnapshotChunksDataset",
    "sends values to an address": "DebugIdentity DebugNanCount DebugNumericSummary",
    "calls another machine": "RegisterDataset RegisterDatasetV2 RemoteCall RpcCall RpcClient DataServiceDataset DataServiceDatasetV2 DataServiceDatasetV3"
    " DataServiceDatasetV4",
}
_OPERATORS = {name.encode(): effect for effect, names in _EFFECTS.items() for name in names.split()}
_NODE = re.compile(
    # The field `op` of a node: its length may be written in more bytes than it needs. And the same in words.
    rb"\x12(?:[\x01-\x7f]|[\x80-\xff]\x80*\x00)(%s)(?![A-Za-z0-9])|\bop\s*:\s*['\"](%s)['\"]"
    % ((b"|".join(sorted(_OPERATORS, reverse=True)),) * 2)  # a name before those that it begins with
)
_PRINTING = re.compile(rb"output_stream.{0,40}file://", re.DOTALL)
_LOCATION = re.compile(rb"\x0a\x08location\x12(.)", re.DOTALL)
_MOST = 1_000_000
_MOST_NAMED = 20
_LONGEST_PATH = 1000
_OPERATOR = re.compile(r"(?:\w+>)?_?[A-Z]\w+")
_DOMAINS = re.compile(
    r"(ai\.onnx(\.ml|\.training|\.preview(\.training)?)?|com\.microsoft(\.\w+)*|pkg\..*|org\.pytorch\.\w+|com\.ms\.internal\.nhwc"
    r"|onnxscript.*|this)?"
)
"""Domains of operators that runtimes have, and of functions that exporters write into the file."""


def effect(operator: str) -> str | None:
    """Return what an operator of TensorFlow does beside computing."""
    return _OPERATORS.get(operator.encode())


def is_known_domain(domain: str) -> bool:
    """Tell whether runtimes of ONNX have the operators of a domain."""
    return _DOMAINS.fullmatch(domain) is not None


def scan_tensorflow(file: Any, report: Report, inner: str) -> None:
    """Enter the operators of a SavedModel or a graph that do more than compute, and the layers of Keras beside it."""
    file.seek(0)
    if text_form.sniff(file.read(4096)):
        file.seek(0)
        try:
            file = io.BytesIO(text_form.encoded(file)[1])
        except (ValueError, RecursionError):
            report.add(NOTHING, TENSORFLOW, "the graph is damaged", inner)
    keras_code.scan_bytes(file, report, inner)
    file.seek(0)
    try:
        for name in sorted(_unknown_operators(Message(protobuf.opened(file))))[:_MOST_NAMED]:
            report.add(IMPORTS, TENSORFLOW, f"has the operator {one_line(name)}, which needs a library", inner)
    except (ValueError, IndexError, RecursionError):
        report.add(NOTHING, TENSORFLOW, "the graph is damaged", inner)
    for content in chunks(file):
        for match in _NODE.finditer(content):
            operator = match[1] or match[2]
            if match[2] is None and match[0][1] & 0x7F != len(operator):
                continue  # a longer name that begins so
            report.add(RUNS, TENSORFLOW, f"has the operator {operator.decode()}, which {_OPERATORS[operator]}", inner)
        if _PRINTING.search(content):
            report.add(RUNS, TENSORFLOW, "has the operator PrintV2, which writes files", inner)


def _unknown_operators(model: Message) -> set[str]:
    """Return the operators of a SavedModel, a MetaGraph or a graph that TensorFlow does not have, nor the graph's functions."""
    metas = _each(model, 2)
    operators: set[str] = set()
    functions: set[str] = set()
    for graph in [model, *metas, *(graph for meta in metas for graph in _each(meta, 2))]:
        operators.update(_text(node, 2) for node in _each(graph, 1))
        for library in _each(graph, 2):
            for function in _each(library, 1):
                functions.update(_text(signature, 1) for signature in _each(function, 1))
                operators.update(_text(node, 2) for node in _each(function, 3))
    return {name for name in operators - functions if _OPERATOR.fullmatch(name) and not outputs.is_known(name)}


def _text(message: Message, field: int) -> str:
    values = message.fields.get(field, ())
    return "" if any(isinstance(value, int) for value in values) else message.text(field)


def scan_onnx(file: Any, report: Report, inner: str) -> None:
    """Enter external data that lies outside of the folder, and operators that run Python or need a library."""
    try:
        model = Message(protobuf.opened(file))
        local = {_text(function, 10) for function in _each(model, 25)}
        for path, domain in _references(model):
            _check_path(path, report, inner)
            if domain not in local and not _DOMAINS.fullmatch(domain):
                report.add(IMPORTS, ONNX, f"has operators of {one_line(domain)[:100]}, which need a library", inner)
    except (ValueError, IndexError, RecursionError):
        pass  # what is damaged is still looked at as bytes
    for content in chunks(file):
        for match in _LOCATION.finditer(content):
            length = match[1][0]
            _check_path(content[match.end() : match.end() + length].decode("utf-8", "replace"), report, inner)
        _custom_operators(content, report, inner)


def _references(model: Message) -> Iterator[tuple[str, str]]:
    """Yield the paths of the files that tensors of a model lie in, and the domains of operators, in graphs at any depth."""
    waiting = [*_each(model, 7)]
    for training in _each(model, 20):
        waiting += [*_each(training, 1), *_each(training, 2)]
    nodes = [node for function in _each(model, 25) for node in _each(function, 7)]
    count = 0
    while (waiting or nodes) and count < _MOST:
        count += 1
        tensors: list[Message] = []
        if waiting:
            graph = waiting.pop()
            tensors += _each(graph, 5)
            tensors += [part for sparse in _each(graph, 15) for at in (1, 2) for part in _each(sparse, at)]
            nodes += _each(graph, 1)
        else:
            node = nodes.pop()
            yield "", _text(node, 7)
            for attribute in _each(node, 5):
                tensors += [*_each(attribute, 5), *_each(attribute, 10)]
                waiting += [*_each(attribute, 6), *_each(attribute, 11)]
                if _text(attribute, 1) == "ep_cache_context":
                    yield _text(attribute, 4)[:_LONGEST_PATH], ""
        for tensor in tensors:
            for entry in _each(tensor, 13):
                if entry.text(1) == "location":
                    yield entry.text(2), ""


def _each(message: Message, field: int) -> list[Message]:
    """Return the messages of a field; those that are none are left out."""
    found = []
    for value in message.fields.get(field, ()):
        if not isinstance(value, int):
            try:
                found.append(Message(message.data, value))
            except ValueError:
                continue
    return found


def _check_path(path: str, report: Report, inner: str) -> None:
    parts = path.replace("\\", "/").split("/")
    if ".." in parts or path.startswith(("/", "\\", "~")) or (len(path) > 1 and path[1] == ":") or "://" in path:
        report.add(RUNS, ONNX, f"reads {one_line(path)[:200]}, which is outside of its folder", inner)


def _custom_operators(content: bytes, report: Report, inner: str) -> None:
    for name in (b"PyOp", b"PythonOp"):
        if b"\x22" + bytes([len(name)]) + name in content:
            report.add(RUNS, ONNX, f"has the operator {name.decode()}, which runs Python", inner)
    if b"ai.onnx.contrib" in content:
        report.add(IMPORTS, ONNX, "has operators of ai.onnx.contrib, which need a library", inner)
