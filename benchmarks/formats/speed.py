"""Processor time and memory of reading saved graphs, against the frameworks' own loaders, each as a whole process.

    python -m benchmarks.formats.speed FOLDER [--saved-model FOLDER] [--repeat 3]

FOLDER is where ONNX files of 496 MB and 14 MB are written. The middle of the repeats is printed; the programs take turns.
Cutaway's modules are compiled first, as those of an installed package are.
"""

from __future__ import annotations

import argparse
import compileall
import multiprocessing
import os
import statistics
import subprocess
import sys
from pathlib import Path

import cutaway

_ONNX = "import onnx, sys; onnx.load(sys.argv[1])"
_INFERENCE = "import onnx, sys; onnx.shape_inference.infer_shapes(onnx.load(sys.argv[1]))"
_LOADER = (
    "import sys; from tensorflow.python.saved_model import loader_impl; loader_impl.parse_saved_model(sys.argv[1])"
)
_PROTOS = (
    "import sys; from tensorflow.core.protobuf import saved_model_pb2; "
    "saved_model_pb2.SavedModel().ParseFromString(open(sys.argv[1] + '/saved_model.pb', 'rb').read())"
)


def main() -> None:
    """Print a line for each file and program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--saved-model", help="a folder with a SavedModel")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    compileall.compile_dir(os.path.dirname(cutaway.__file__), quiet=2)
    for name, layers, width in (("large.onnx", 31, 2000), ("small.onnx", 54, 256)):
        path = options.folder / name
        if not path.exists():
            writer = multiprocessing.Process(target=write, args=(path, layers, width))  # memory of its own
            writer.start()
            writer.join()
        commands = {
            f"cutaway show {name}": _command(path),
            f"onnx.load {name}": _python(_ONNX, path),
            f"onnx.load, infer_shapes {name}": _python(_INFERENCE, path),
        }
        _compare(commands, options.repeat)
    if options.saved_model:
        commands = {
            "cutaway show SavedModel": _command(options.saved_model),
            "TensorFlow's loader": _python(_LOADER, options.saved_model),
            "the protos alone": _python(_PROTOS, options.saved_model),
        }
        _compare(commands, options.repeat)


def _compare(commands: dict[str, list[str]], repeat: int) -> None:
    """Run programs in turns and print what each takes, in times of the first."""
    runs = [[measured(command) for command in commands.values()] for _ in range(repeat)]
    ours = None
    for name, figures in zip(commands, zip(*runs)):
        middle = statistics.median(time for time, _ in figures), statistics.median(peak for _, peak in figures)
        _print(name, middle, ours)
        ours = ours or middle


def write(path: Path, layers: int, width: int) -> None:
    """Write an ONNX file of a chain of matrices."""
    from onnx import TensorProto, helper, save  # late: only a file that is missing is written

    nodes, tensors, last = [], [], "x"
    for at in range(layers):
        content = bytes(4 * width * width)
        tensors.append(helper.make_tensor(f"layer{at}.weight", TensorProto.FLOAT, (width, width), content, raw=True))
        nodes.append(helper.make_node("MatMul", [last, f"layer{at}.weight"], [f"m{at}"], name=f"/layer{at}/MatMul"))
        nodes.append(helper.make_node("Relu", [f"m{at}"], [f"r{at}"], name=f"/layer{at}/Relu"))
        last = f"r{at}"
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["B", width]) for name in ("x", last)]
    graph = helper.make_graph(nodes, "chain", ends[:1], ends[1:], tensors)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]), str(path))


def measured(command: list[str]) -> tuple[float, float]:
    """Return the processor time in seconds and the peak of memory in MB of a process and those that it starts."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command[:4])} ... ends with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _command(path: object) -> list[str]:
    return [sys.executable, "-m", "cutaway", "show", str(path)]


def _python(text: str, path: object) -> list[str]:
    return [sys.executable, "-c", text, str(path)]


def _print(name: str, figures: tuple[float, float], ours: tuple[float, float] | None = None) -> None:
    ratio = f"   {figures[0] / ours[0]:.1f} times Cutaway's time" if ours else ""
    print(f"{name:36} {figures[0]:6.2f} s {figures[1]:8.0f} MB{ratio}", flush=True)


if __name__ == "__main__":
    main()
