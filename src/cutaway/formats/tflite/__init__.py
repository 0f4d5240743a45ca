"""Graphs in the format of TensorFlow Lite: every graph of the file, with its quantization, and shapes that are inferred."""

from __future__ import annotations

from typing import BinaryIO

from cutaway.core.architecture import Architecture
from cutaway.core.contents import Contents
from cutaway.core.error import CutawayError, one_line
from cutaway.formats import protobuf
from cutaway.formats.flatbuffer import Damaged, Flatbuffer


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read the graphs of a file: one for each signature, or for each graph that no other one runs."""
    # late: which reader a file is for is asked of all of them
    from cutaway.formats.graph.architecture import architecture
    from cutaway.formats.tflite.reader import read_models
    from cutaway.formats.tflite.table import RULES

    try:
        models = read_models(Flatbuffer(protobuf.opened(file)))
        return [architecture(model, path, RULES, "tflite", key if len(models) > 1 else "") for key, model in models]
    except (Damaged, protobuf.Malformed) as error:
        raise CutawayError(f"{path}: it is not a complete TFLite file: {one_line(str(error))}") from None


def contents(file: BinaryIO, path: str, name: str = "") -> Contents:
    """Return what one graph of a file contains, the first one without a name; its tensors can be read while it is open."""
    # late: which reader a file is for is asked of all of them
    from cutaway.formats.graph import contents as graph_contents
    from cutaway.formats.tflite.reader import read_models
    from cutaway.formats.tflite.table import RULES

    try:
        models = read_models(Flatbuffer(protobuf.opened(file)))
        model = next((each for key, each in models if key == name), models[0][1])
        return graph_contents.contents(model, path, RULES, "tflite")
    except (Damaged, protobuf.Malformed) as error:
        raise CutawayError(f"{path}: it is not a complete TFLite file: {one_line(str(error))}") from None
