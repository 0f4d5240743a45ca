"""Large files: a sparse safetensors and a sparse GGUF file of 20 GB, and GGUF files with large vocabularies.

    python -m benchmarks.torch_files.large [--repeat 5] [--python PYTHON]

`cutaway show` is started as a process of its own on each file; the least of several runs counts, seconds of the processor and
of the clock, and the memory at most. The gguf package, if it is installed, reads the same files in a process of its own, and a
row has the ratio of the processor's seconds.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_BLOCK, _BLOCKS = 1 << 28, 20
_NAMES = ("q_proj", "k_proj", "v_proj", "o_proj")
_READ_WITH_GGUF = "import sys, gguf; reader = gguf.GGUFReader(sys.argv[1]); print(len(reader.tensors))"


def write_safetensors(path: Path) -> None:
    """Write a file of 20 GB whose tensors are holes."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    at = 0
    for block in range(_BLOCKS):
        for name in _NAMES:
            shape = [8192, _BLOCK // 8192 // 2]
            header[f"model.layers.{block}.self_attn.{name}.weight"] = {
                "dtype": "F16", "shape": shape, "data_offsets": [at, at + _BLOCK],
            }  # fmt: skip
            at += _BLOCK
    data = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(data)) + data)
        file.truncate(8 + len(data) + at)


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def write_gguf(path: Path, tokens: int, blocks: int) -> None:
    """Write a file with a vocabulary, and tensors that are holes."""
    fields: list[bytes] = [_text("general.architecture") + struct.pack("<I", 8) + _text("llama")]
    for name, number in {"block_count": blocks, "context_length": 4096, "embedding_length": 4096}.items():
        fields.append(_text(f"llama.{name}") + struct.pack("<II", 4, number))
    words = b"".join(_text(f"token{n}") for n in range(tokens))
    fields.append(_text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, tokens) + words)
    fields.append(_text("tokenizer.ggml.scores") + struct.pack("<IIQ", 9, 6, tokens) + bytes(4 * tokens))
    merges = b"".join(_text(f"to ken{n}") for n in range(tokens))
    fields.append(_text("tokenizer.ggml.merges") + struct.pack("<IIQ", 9, 8, tokens) + merges)
    tensors, at = [], 0
    for block in range(blocks):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            shape = struct.pack("<IQQ", 2, 8192, _BLOCK // 8192 // 2)
            tensors.append(_text(f"blk.{block}.{name}.weight") + shape + struct.pack("<IQ", 1, at))
            at += _BLOCK
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(fields)) + b"".join(fields) + b"".join(tensors)
    with path.open("wb") as file:
        file.write(head)
        file.truncate((len(head) + 31) // 32 * 32 + at)


def measured(command: list[str], repeat: int) -> tuple[float, float, int] | None:
    """Return the least seconds of the processor and of the clock, and the least peak of memory in MB; None if it fails."""
    best: list[tuple[float, float, int]] = []
    # Compiled files of the package are written by the first run, as they are where a user installs it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(repeat):
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
        if status != 0:
            return None
        best.append((used.ru_utime + used.ru_stime, time.perf_counter() - started, used.ru_maxrss >> 10))
    return min(each[0] for each in best), min(each[1] for each in best), min(each[2] for each in best)


def _write(home: Path) -> None:
    write_safetensors(home / "large.safetensors")
    write_gguf(home / "large.gguf", 32_000, _BLOCKS)
    write_gguf(home / "vocabulary-128k.gguf", 128_000, 1)
    write_gguf(home / "vocabulary-256k.gguf", 256_000, 1)


def main() -> int:
    """Print a row for each file; return 1 if one takes too long or too much."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--python", default=sys.executable, help="the Python that `cutaway` runs with")
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        writer = multiprocessing.Process(target=_write, args=(home,))
        writer.start()  # a process that is started by a large one counts its memory, too
        writer.join()
        print(f"{'':24}{'bytes':>16}{'processor':>12}{'clock':>10}{'memory':>10}{'gguf package':>14}{'ratio':>8}")
        for path in sorted(home.iterdir()):
            ours = measured([options.python, "-m", "cutaway", "show", "--no-cache", str(path)], options.repeat)
            theirs = measured([sys.executable, "-c", _READ_WITH_GGUF, str(path)], 1) if path.suffix == ".gguf" else None
            if ours is None:
                print(f"{path.name:24} it fails")
                failed = True
                continue
            failed |= ours[0] > 0.3 or ours[2] > 60
            ratio = ("", "") if theirs is None else (f"{theirs[0]:.2f} s", f"{theirs[0] / ours[0]:.1f}")
            size = path.stat().st_size
            print(
                f"{path.name:24}{size:>16,}{ours[0]:>10.2f} s{ours[1]:>8.2f} s{ours[2]:>7} MB{ratio[0]:>14}{ratio[1]:>8}"
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
