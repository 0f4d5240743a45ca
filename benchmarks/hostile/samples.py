"""Small files of every kind that Cutaway reads, as bytes, from which damaged ones are made."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from tests.unit.formats import test_other_weights as other
from tests.unit.formats import test_weights as weights
from tests.unit.formats.test_tensorboard import event_file

Sample = tuple[str, bytes]
"""The name of a file, and its content."""

_ROOT = Path(__file__).parents[2]
_LONGEST = 30_000
_WRITE_WITH_TORCH = """
import sys, torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))
    def forward(self, x):
        if x.shape[0] > 3:
            x = x + 1
        return self.body(x)
net, x = Net(), torch.zeros(1, 1, 4, 4)
torch.jit.save(torch.jit.script(net), sys.argv[1] + "/scripted.pt")
torch.jit.save(torch.jit.trace(net.body, x), sys.argv[1] + "/traced.pt")
torch.export.save(torch.export.export(net.body, (x,)), sys.argv[1] + "/exported.pt2")
torch.save(net.body, sys.argv[1] + "/whole.pt")
torch.save(net.body, sys.argv[1] + "/legacy.pt", _use_new_zipfile_serialization=False)
torch.save({"a": net.state_dict(), "b": [torch.zeros(2)], "epoch": 3}, sys.argv[1] + "/checkpoint.pt")
"""


def samples() -> list[Sample]:
    """Return a file of each kind; those that only PyTorch can write, if it is installed."""
    folders = (_ROOT / "tests" / "saved_graphs", _ROOT / "tests" / "unit" / "formats" / "files")
    stored = [path for folder in folders for path in sorted(folder.rglob("*.*")) if path.suffix != ".py"]
    return [
        *_weights(),
        *((path.name, path.read_bytes()) for path in stored if path.stat().st_size < _LONGEST),
        *_of_torch(),
    ]


def _weights() -> list[Sample]:
    pickle = weights.state_dict()
    tensors = {"blk.0.attn_q.weight": ((256, 64), 12), "norm.weight": ((256,), 0)}
    entries = [("general.architecture", 8, other.words("llama", "<", 3)), ("n", 4, b"\1\0\0\0")]
    index = {"metadata": {"total_size": 3}, "weight_map": {"a.weight": "model-00001-of-00002.safetensors"}}
    return [
        ("model.safetensors.index.json", json.dumps(index).encode()),
        ("model.safetensors", weights.safetensors(weights.entries())),
        ("weights.pt", weights.archive(pickle)),
        ("bare.pkl", pickle),
        ("events.out.tfevents.1", event_file()),
        ("model.gguf", other.gguf(tensors, entries, 3, "<")[:400]),
        ("one.npy", other.array("<f4", (3, 4))),
        ("many.npz", zipped({"a/w.npy": other.array("<f4", (3, 4)), "b.npy": other.array("|O", ())})),
        ("flax.msgpack", other.packed({"params": {"kernel": ((3, 4), "float32", 48), "n": 3}})),
        ("old.tar", _tar({"pickle": pickle, "tensors": b"\x80\x02K\x01.", "storages": b"\x80\x02K\x01."})),
    ]


def configurations() -> list[Sample]:
    """Return files that describe a network of another package, which takes long to read."""
    hub = {
        "model_type": "bert", "architectures": ["BertModel"], "hidden_size": 8, "num_attention_heads": 2,
        "num_hidden_layers": 1, "intermediate_size": 16, "vocab_size": 10, "auto_map": {"AutoModel": "modeling.Net"},
    }  # fmt: skip
    return [("config.json", json.dumps(hub).encode())]


def _of_torch() -> list[Sample]:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "write.py"  # a file, because TorchScript reads the source
        script.write_text(_WRITE_WITH_TORCH)
        ended = subprocess.run([sys.executable, str(script), folder], capture_output=True, check=False)
        script.unlink()
        files = sorted(path for path in Path(folder).iterdir() if path.is_file())
        if ended.returncode:
            print(f"only {len(files)} files of PyTorch: {ended.stderr.decode(errors='replace').splitlines()[-1]}")
        return [(path.name, path.read_bytes()) for path in files]


def zipped(members: dict[str, bytes]) -> bytes:
    """Return an archive with these members."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    return made.getvalue()


def unzipped(content: bytes) -> dict[str, bytes]:
    """Return the members of an archive; none if it is not one."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            return {name: file.read(name) for name in file.namelist()}
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return {}


def _tar(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as file:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            file.addfile(member, io.BytesIO(content))
    return made.getvalue()
