"""Write the outputs of all operations of the installed TensorFlow to `src/cutaway/formats/graph_def/outputs.txt`.

usage: python scripts/write_op_outputs.py

Each line is an operation and its outputs, each a name, a colon and an element type: one of its own, or the attribute
that states it. `*N` is a list with as many tensors as the attribute says, `+` one whose attribute lists their types.
"""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf
from tensorflow.python.framework import op_def_registry

FILE = Path(__file__).parents[1] / "src" / "cutaway" / "formats" / "graph_def" / "outputs.txt"
LEFT_OUT = ("XlaSparse", "RetrieveTPU", "LoadTPU", "Experimental", "BoostedTrees", "UniformQuantized")


def main() -> None:
    """Write the file."""
    lines = []
    for name in sorted(dir(tf.raw_ops)):
        definition = op_def_registry.get(name) if name[0].isupper() and not name.startswith(LEFT_OUT) else None
        if definition is not None:
            lines.append(" ".join([name, *map(_output, definition.output_arg)]))
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _output(argument) -> str:
    if argument.type_list_attr:
        return f"{argument.name}:{argument.type_list_attr}+"
    kind = argument.type_attr or tf.dtypes.as_dtype(argument.type).base_dtype.name
    return f"{argument.name}:{kind}" + (f"*{argument.number_attr}" if argument.number_attr else "")


if __name__ == "__main__":
    main()
