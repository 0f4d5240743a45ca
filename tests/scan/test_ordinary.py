"""Files that people save every day: none is said to run code."""

from __future__ import annotations

import base64
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest

from cutaway.scan.files import scan_file
from cutaway.scan.finding import RUNS
from tests.scan.attacks.archives import zipped


def _arrays() -> Iterator[tuple[str, Any]]:
    yield "matrix", numpy.eye(2).view(numpy.matrix)
    yield "records", numpy.rec.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")])
    yield "dates", numpy.array(["2024-01-01"], dtype="M8[D]")


def _configurations() -> Iterator[tuple[str, bytes]]:
    yield (
        "speechbrain.yaml",
        b"model: !new:speechbrain.lobes.models.ECAPA\n  size: 4\nlr: !ref <seed>\nact: !name:torch.nn.ReLU\n",
    )
    yield "types.yaml", b"time: !!timestamp 2020-01-01\nset: !!set {a, b}\ntrust_remote_code: false\n"
    yield "model.gin", b"import my_models\nmy_models.Net.width = 64\nNet.act = @relu\n"
    yield "class_path.json", b'{"model":{"class_path":"torch.nn.Linear","init_args":{"in_features":2}}}'
    yield "paths.json", b'{"class_path": "data/classes", "filters": [64, 128], "format": "NHWC"}'
    template = "{% if q %}Question: {{ q|upper }}{% endif %}"
    yield "prompt.json", json.dumps({"template_format": "jinja2", "template": template}).encode()
    yield "shards.json", b'{"modelTopology":{},"weightsManifest":[{"paths":["group1-shard1of1.bin"],"weights":[]}]}'
    yield (
        ".zarray",
        b'{"zarr_format":2,"dtype":"<f4","compressor":{"id":"blosc"},"filters":[{"id":"delta","dtype":"<f4"}]}',
    )
    words = [base64.b64encode(f"nothing but a sentence, {number}".encode()).decode() for number in range(50)]
    yield "words.json", json.dumps({"words": [*words, "{{", "{%", "__init__"]}).encode()
    serialized = base64.b64encode(pickle.dumps({"weights": numpy.ones(2)})).decode()
    yield "agent.zip", zipped([("data", json.dumps({"policy": {":serialized:": serialized}}).encode())])
    yield "paths.pth", b"/opt/lib/python\n../src\n"


def _tables() -> Iterator[tuple[str, bytes]]:
    """Yield what pandas 3 writes of element types and of a frequency."""
    yield "strings.pkl", b"cpandas\nStringDtype\np0\n(Vpython\np1\nFnan\ntp2\nRp3\n."
    yield "periods.pkl", b"cpandas\nPeriodDtype\np0\n(Vperiod[Y-DEC]\np1\ntp2\nRp3\n."
    business = b"cpandas._libs.tslibs.offsets\nBusinessDay\np0\n(I1\nI00\ncdatetime\ntimedelta\np1\n(I0\nI0\nI0\ntp2\nRp3\ntp4\nRp5\n."
    yield "frequency.pkl", business


FILES = [*((f"{name}.pkl", pickle.dumps(value)) for name, value in _arrays()), *_configurations(), *_tables()]


@pytest.mark.parametrize(("name", "content"), FILES, ids=[name for name, _ in FILES])
def test_an_ordinary_file_does_not_run_code(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    report = scan_file(str(path))
    assert report.verdict != RUNS, [finding.text for finding in report.findings]
