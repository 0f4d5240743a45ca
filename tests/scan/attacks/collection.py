"""All attacks, and which of them depend on code that is not in the file."""

from __future__ import annotations

from tests.scan.attacks.archives import stream_attacks, zip_attacks
from tests.scan.attacks.configurations import instantiated_attacks, keras_attacks, text_attacks
from tests.scan.attacks.graphs import graph_attacks
from tests.scan.attacks.other_formats import named_code_attacks, operator_attacks, packed_attacks
from tests.scan.attacks.pickles import other_pickles, running_pickles
from tests.scan.attacks.restored import restoring_pickles

NEED_CODE = frozenset(
    """
    CustomOpOfMine_saved_model.pb DatasetFromFilesOfMine_saved_model.pb compiled.pyc config.json custom_operator.onnx
    diffusers_custom.json egg.egg extra_file.pt json_custom_class.json json_dtype_policy.json json_registered.json
    keras_custom_class.keras keras_dtype_policy.keras keras_registered.keras model_index.json modules_custom.json mx-symbol.json
    delegate.pte native.so operator.pte processor_map.json python_backend.pbtxt remote_config.json runtime_model.ort script_custom_class.pt script_custom_operator.pt script_in_other_file.pt
    script_lite_bytecode.ptl script_second_statement.pt script_spaces.pt tokenizer_auto.json
    """.split()
)
"""Attacks that depend on code which is not in the file: a library of operators, a module of the user, trust in remote code."""

RUNNING = {f"{name}.pkl": content for name, content in running_pickles()}
"""Pickles whose command Python runs when it loads them."""


def attacks() -> dict[str, bytes]:
    """Return the content of every attack, by its name."""
    groups = (
        other_pickles, restoring_pickles, zip_attacks, stream_attacks, packed_attacks, keras_attacks, text_attacks,
        instantiated_attacks,
        named_code_attacks, graph_attacks, operator_attacks,
    )  # fmt: skip
    return {**RUNNING, **{name: content for group in groups for name, content in group()}}
