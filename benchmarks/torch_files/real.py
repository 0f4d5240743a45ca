"""Files of weights from anywhere: each is opened or refused in one line, and its tensors are those that the real loader gives.

    python -m benchmarks.torch_files.real FOLDER [--details] [--seconds 20]

The loaders are torch with `weights_only`, `torch.jit.load`, safetensors, numpy and gguf. A file that its loader refuses counts
as not compared.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import cutaway
from benchmarks.zoo.live import Late, alarm
from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError

Tensors = Counter[tuple[tuple[int, ...], str]]
_NUMPY_WORDS = {"str", "object", "bytes", "void", "datetime64", "timedelta64"}


def torch_tensors(path: Path) -> Tensors:
    import torch

    try:
        module = torch.jit.load(path, map_location="cpu")
    except Exception:  # another kind of file
        value = torch.load(path, map_location="cpu", weights_only=True)
        return Counter(_all_tensors(value, set()))
    return Counter(_described(each) for each in module.state_dict().values())


def _described(each: Any) -> tuple[tuple[int, ...], str]:
    return tuple(each.shape), str(each.dtype).removeprefix("torch.")


def _all_tensors(value: Any, seen: set[int]) -> Iterator[tuple[tuple[int, ...], str]]:
    import torch

    if isinstance(value, torch.Tensor):
        yield _described(value)
    elif isinstance(value, (Mapping, list, tuple)) and id(value) not in seen:
        seen.add(id(value))
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _all_tensors(each, seen)


def safetensors_tensors(path: Path) -> Tensors:
    from safetensors import safe_open

    with safe_open(str(path), "pt") as file:
        return Counter(_described(file.get_tensor(key)) for key in file.keys())  # noqa: SIM118 - it is no dict


def numpy_tensors(path: Path) -> Tensors:
    import numpy

    loaded = numpy.load(path, allow_pickle=False)
    arrays = [loaded[key] for key in loaded.files] if hasattr(loaded, "files") else [loaded]
    return Counter((tuple(each.shape), each.dtype.name) for each in arrays)


def gguf_tensors(path: Path) -> Tensors:
    import gguf

    reader = gguf.GGUFReader(path)
    return Counter((tuple(int(n) for n in reversed(t.shape)), t.tensor_type.name.lower()) for t in reader.tensors)


LOADERS: dict[str, Callable[[Path], Tensors]] = {
    ".safetensors": safetensors_tensors,
    ".gguf": gguf_tensors,
    ".npz": numpy_tensors,
    ".npy": numpy_tensors,
}


def stated(networks: list[Architecture], path: Path) -> Tensors:
    """Return the tensors that are shown, and for a checkpoint those that training keeps beside networks."""
    found: Tensors = Counter()
    for network in networks:
        found += Counter((weight.shape, weight.dtype or "?") for weight in network.weights if weight.shape is not None)
    return found


def compared(path: Path, networks: list[Architecture]) -> str:
    """Return whether the tensors of a file are those that its loader gives."""
    load = LOADERS.get(path.suffix.lower(), torch_tensors)
    try:
        with alarm(60):
            true = load(path)
    except (Exception, Late) as error:
        return f"not compared: {type(error).__name__}"
    found = stated(networks, path)
    if load is gguf_tensors:  # the type of a block is named as llama.cpp does
        found = Counter(
            (shape, dtype.lower().replace("float", "f").replace("int", "i")) for shape, dtype in found.elements()
        )
        true = Counter((shape, dtype) for shape, dtype in true.elements())
    if found == true:
        return "exact"
    if not found - true:
        return "a part"  # what is no network is left out, such as the state of an optimizer
    return f"WRONG: too many {list((found - true).elements())[:3]}, missing {list((true - found).elements())[:3]}"


def judged(path: Path, seconds: int) -> tuple[str, str]:
    """Return what became of a file, and in one line why."""
    started = time.perf_counter()
    try:
        with alarm(seconds):
            networks = cutaway.show(str(path), isolated=False)
    except CutawayError as error:
        text = str(error)
        return ("refused", text) if "\n" not in text else ("CRASH", text)
    except Late:
        return "HANG", f"{seconds} seconds"
    except Exception as error:  # the benchmark is to find these
        return "CRASH", f"{type(error).__name__}: {error}"
    elapsed = time.perf_counter() - started
    verdict = compared(path, networks)
    return verdict.partition(":")[0], f"{verdict} {elapsed:.2f} s"


def main() -> int:
    """Print the figures; return 1 if a file makes a crash, or is read wrongly."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    counts: Counter[str] = Counter()
    for path in sorted(each for each in options.folder.rglob("*") if each.is_file()):
        verdict, detail = judged(path, options.seconds)
        counts[verdict] += 1
        if options.details or verdict.isupper():
            print(f"{verdict:13} {path.relative_to(options.folder)}: {detail}"[:300], flush=True)
    print(f"{sum(counts.values())} files: {', '.join(f'{number} {what}' for what, number in counts.most_common())}")
    return 1 if any(verdict.isupper() for verdict in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
