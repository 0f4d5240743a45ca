"""Graphs that reach outside of themselves: operators that read, write or run, paths that leave the folder, custom code."""

from __future__ import annotations

from collections.abc import Iterator

from tests.scan.attacks.archives import zipped
from tests.scan.attacks.pickles import pickle


def field(number: int, value: bytes | str | int) -> bytes:
    """Return a field of a protobuf message."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    data = b""
    while value > 127:
        data += bytes([value & 127 | 128])
        value >>= 7
    return data + bytes([value])


def _external(path: str, **more: str) -> bytes:
    entries = {"location": path, **more}
    words = b"".join(field(13, field(1, key) + field(2, value)) for key, value in entries.items())
    return field(1, 4) + field(2, 1) + field(8, "w") + words + field(14, 1)


def _model(graph: bytes, *more: bytes) -> bytes:
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17)) + b"".join(more)


def _node(kind: str, domain: str = "", *attributes: bytes) -> bytes:
    named = field(1, "x") + field(2, "y") + field(3, "n") + field(4, kind)
    return named + b"".join(field(5, each) for each in attributes) + (field(7, domain) if domain else b"")


def onnx_attacks() -> Iterator[tuple[str, bytes]]:
    """Yield ONNX files."""
    for title, path in {
        "parent": "../../../etc/passwd", "absolute": "/etc/passwd", "windows": "C:\\Windows\\x", "backslash": "..\\..\\x",
        "hidden_parent": "a/../../b", "url": "http://host/x", "file_url": "file:///etc/passwd", "share": "\\\\host\\share\\x",
        "dot_parent": "./../x", "home": "~/x",
    }.items():  # fmt: skip
        yield f"external_{title}.onnx", _model(field(2, "g") + field(5, _external(path)))
    tensor = field(1, "value") + field(5, _external("../x")) + field(20, 4)
    yield "external_in_constant.onnx", _model(field(1, _node("Constant", "", tensor)) + field(2, "g"))
    inner = field(5, _external("../x")) + field(2, "inner")
    branch = field(1, "then_branch") + field(6, inner) + field(20, 5)
    yield "external_in_branch.onnx", _model(field(1, _node("If", "", branch)) + field(2, "g"))
    function = field(1, "F") + field(7, _node("Constant", "", tensor)) + field(10, "local")
    yield "external_in_function.onnx", _model(field(2, "g"), field(25, function))
    sparse = field(1, _external("../x")) + field(2, _external("../y"))
    yield "external_in_sparse.onnx", _model(field(2, "g") + field(15, sparse))
    yield "external_in_training.onnx", _model(field(2, "g"), field(20, field(1, field(5, _external("../x")))))
    yield "external_in_training_algorithm.onnx", _model(field(2, "g"), field(20, field(2, field(5, _external("../x")))))
    tensors = field(1, "values") + field(10, _external("../x")) + field(20, 9)
    yield "external_in_tensors.onnx", _model(field(1, _node("Odd", "", tensors)) + field(2, "g"))
    doubled = _external("weights.bin") + field(13, field(1, "location") + field(2, "../x"))
    yield "external_twice.onnx", _model(field(2, "g") + field(5, doubled))
    yield "custom_operator.onnx", _model(field(1, _node("Evil", "com.evil")) + field(2, "g"))
    yield "python_operator.onnx", _model(field(1, _node("PyOp", "ai.onnx.contrib")) + field(2, "g"))
    text = field(1, "module") + field(4, "os") + field(20, 3)
    yield "python_operator_pyop.onnx", _model(field(1, _node("PyOp", "pyopmulti_1", text)) + field(2, "g"))
    context = field(1, "ep_cache_context") + field(4, "../../x.so") + field(20, 3)
    yield "cached_context.onnx", _model(field(1, _node("EPContext", "com.microsoft", context)) + field(2, "g"))


def _graph(*operations: str) -> bytes:
    return b"".join(field(1, field(1, f"n{at}") + field(2, kind)) for at, kind in enumerate(operations)) + field(
        4, field(1, 1)
    )


def _saved_model(graph: bytes) -> bytes:
    return field(1, 1) + field(2, field(1, field(4, "serve")) + field(2, graph))


def tensorflow_attacks() -> Iterator[tuple[str, bytes]]:
    """Yield graphs of TensorFlow and TFLite."""
    for kind in (
        "PyFunc", "EagerPyFunc", "PyFuncStateless", "ReadFile", "WriteFile", "MatchingFiles", "DebugIdentityV2",
        "TFRecordDataset", "LoadDataset", "SaveDatasetV2", "CustomOpOfMine", "RpcCall", "ImmutableConst",
        "CreateSummaryFileWriter", "TextLineDataset", "FixedLengthRecordDatasetV2", "SqlDataset", "LMDBDataset",
        "DatasetFromFilesOfMine", "DebugIdentityV3", "DebugNumericSummary", "ExperimentalSqlDataset", "GenerateVocabRemapping",
        "RegisterDatasetV2",
    ):  # fmt: skip
        yield f"{kind}_saved_model.pb", _saved_model(_graph("Placeholder", kind))
    yield "graph.pb", _graph("Placeholder", "PyFunc", "WriteFile")
    library = field(2, field(1, field(1, field(1, "f")) + field(3, field(1, "n") + field(2, "WriteFile"))))
    yield "in_function.pb", _saved_model(_graph("Placeholder") + library)
    yield "meta_graph.meta", field(1, field(4, "train")) + field(2, _graph("Placeholder", "PyFunc"))
    yield (
        "graph.pbtxt",
        b'node { name: "a" op: "Placeholder" }\nnode { name: "x" op: "PyFunc" }\nversions { producer: 1 }\n',
    )
    yield "graph_single_quotes.pbtxt", b"node { name: 'a' op: 'Placeholder' }\nnode < name: 'x' op: 'Write' 'File' >\n"
    yield (
        "saved_model.pbtxt",
        (b'saved_model_schema_version: 1\nmeta_graphs { graph_def { node { name: "x" op: "WriteFile" } } }\n'),
    )
    metadata = '{"class_name":"Lambda","config":{"function":{"class_name":"__tuple__","items":["4wEAAAA=",null,null]}}}'
    nodes = field(1, field(2, 1) + field(3, "root.l") + field(4, "_tf_keras_layer") + field(5, metadata))
    yield "keras_metadata.pb", nodes


_SCRIPT = """class M(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  def forward(self: __torch__.M, x: Tensor) -> Tensor:
{body}    return x
"""


def torchscript_attacks() -> Iterator[tuple[str, bytes]]:
    """Yield archives of TorchScript whose code calls what it should not."""
    for title, line in {
        "from_file": "_0 = torch.from_file('/etc/passwd', True, 10)",
        "save": "torch.save(x, '/tmp/x')",
        "ops_save": "ops.aten.save(x, '/tmp/x')",
        "custom_operator": "x = ops.evil.run(x, 'touch x')",
        "custom_class": "_0 = __torch__.torch.classes.evil.Runner.__new__(__torch__.torch.classes.evil.Runner)",
        "remote_call": "_0 = ops.prim.rpc_async('host', x)",
        "alias": "f = ops.evil\n    x = f.run(x)",
        "getattr": "x = getattr(ops, 'evil').run(x)",
        "python_op": "x = ^PythonFunction(x)",
        "file_write": "_0 = ops.image.write_file('/tmp/x', x)",
        "file_read": "x = ops.image.read_file('/etc/passwd')",
        "stream": "_0 = ops.torchaudio.sox_io_save_audio_file('/tmp/x', x)",
        "second_statement": "x = torch.relu(x); x = ops.evil.run(x)",
        "spaces": "x = ops . evil . run(x)",
        "line_break": "x = (ops.\n      evil.run)(x)",
    }.items():
        code = _SCRIPT.format(body=f"    {line}\n").encode()
        yield f"script_{title}.pt", _script(code)
    yield (
        "script_in_other_file.pt",
        _script(
            _SCRIPT.format(body="").encode(),
            ("s/code/__torch__/deep/er.py", b"def f(x: Tensor) -> Tensor:\n  return ops.evil.run(x)\n"),
        ),
    )
    yield (
        "script_lite_bytecode.ptl",
        zipped(
            [
                ("s/bytecode.pkl", pickle(b"(" + b"\x8c\x09evil::run" + b"\x8c\x00" + b"t")),
                ("s/data.pkl", pickle(b"}")),
                ("s/version", b"3"),
            ]
        ),
    )


def _script(code: bytes, *more: tuple[str, bytes]) -> bytes:
    data = b"\x80\x02c__torch__\nM\n)\x81}X\x08\0\0\0training\x89sb."
    members = [
        ("s/data.pkl", data),
        ("s/code/__torch__.py", code),
        ("s/constants.pkl", b"\x80\x02)."),
        ("s/version", b"3\n"),
        *more,
    ]
    return zipped(members)


def graph_attacks() -> Iterator[tuple[str, bytes]]:
    """Yield all of them."""
    yield from onnx_attacks()
    yield from tensorflow_attacks()
    yield from torchscript_attacks()
