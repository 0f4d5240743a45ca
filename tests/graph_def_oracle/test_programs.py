"""The programs of `benchmarks/formats_tf/programs.py`, run at two sizes by TensorFlow."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway
from cutaway.formats import dispatch

tf = pytest.importorskip("tensorflow")

from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2  # noqa: E402

from benchmarks.formats_tf.judge import SIZES, imported, judged  # noqa: E402
from benchmarks.formats_tf.programs import PROGRAMS, traced  # noqa: E402

WITHOUT_INPUTS = {"examples": "made-up strings are not examples"}


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in WITHOUT_INPUTS])
def test_no_output_contradicts_a_run(name: str, tmp_path: Path) -> None:
    frozen = convert_variables_to_constants_v2(traced(name), lower_control_flow=False)
    path = tmp_path / "frozen.pb"
    path.write_bytes(frozen.graph.as_graph_def().SerializeToString())
    (network,) = cutaway.show(str(path), isolated=False)
    graph = imported(tf, path)
    for size in SIZES:
        compared, wrong = judged(tf, graph, network, size)
        assert compared and not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "int32", "int64", "uint8", "uint32", "uint64", "bool"]
)
def test_numbers_in_a_text_are_those_of_the_graph(dtype: str, tmp_path: Path) -> None:
    graph = tf.Graph()
    with graph.as_default():
        value = tf.constant([True] if dtype == "bool" else [3], dtype, name="value")
        tf.identity(tf.stack([value, value]), name="output")
    tf.io.write_graph(graph, str(tmp_path), "graph.pbtxt", as_text=True)
    with dispatch.contents(str(tmp_path / "graph.pbtxt")) as contents:
        assert contents is not None
        stored = contents.tensors["value"]
        assert stored.pieces is not None
        content = b"".join(stored.pieces())
    with tf.compat.v1.Session(graph=graph) as session:
        assert content == session.run("value:0").tobytes()
