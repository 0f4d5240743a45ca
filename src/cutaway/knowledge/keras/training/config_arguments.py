"""Which of the arguments in a configuration differ from a class's defaults, and which it does not take."""

from __future__ import annotations

import inspect
from typing import Any

from cutaway.core import session
from cutaway.knowledge.base import attribute
from cutaway.knowledge.base.registry import TABLE

AREAS = ("initializers", "regularizers", "constraints")
_OF_EVERY_LAYER = frozenset("name trainable dtype activity_regularizer autocast input_shape batch_input_shape".split())
_WITHOUT_EFFECT = frozenset(  # arguments that say nothing of shapes or weights
    """implementation softmax_robust_masking query_shape key_shape value_shape ragged sparse fused
    virtual_batch_size adjustment input_dim input_length batch_shape build_config compile_config
    renorm_clipping renorm_momentum synchronized experimental_autocast seed quantization_config
    beta_constraint gamma_constraint unit_forget_bias flash_attention dynamic
    zero_output_for_mask vocabulary_size oov_method""".split()
)
_OF_TRAINING = ("_initializer", "_regularizer", "_constraint")
_DEFAULTS = {
    "minval": -0.05, "maxval": 0.05, "mean": 0.0, "stddev": 0.05, "gain": 1.0, "seed": None, "input_axes": None,
    "output_axes": None, "dtype": "float32",
}  # fmt: skip
"""What arguments of initializers are where nothing is given."""


def chosen_arguments(cls: Any, arguments: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments that differ from a class's defaults, and those that it does not take."""
    try:
        parameters = dict(session.current().signature(cls.__init__).parameters)
    except (TypeError, ValueError):
        return arguments, []
    chosen: dict[str, Any] = {}
    strange = []
    for key, value in arguments.items():
        parameter = parameters.get(key)
        if parameter is None and key not in _OF_EVERY_LAYER and getattr(cls, "SETTINGS_KEEP_SHAPES", False):
            chosen[key] = value
        elif parameter is None and key not in _OF_EVERY_LAYER:
            neutral = key in _WITHOUT_EFFECT or key.endswith(_OF_TRAINING) or (key == "groups" and value == 1)
            if not neutral and value not in (None, False, (), {}):
                strange.append(key)
        elif (
            key in ("batch_input_shape", "input_shape")
            or (key == "trainable" and value is True)
            or (key == "dtype" and value in (None, "float32"))
        ):
            continue
        elif parameter is None or not _same(value, parameter.default):
            chosen[key] = value
    return chosen, strange


def _same(value: Any, default: Any) -> bool:
    """Tell whether an argument of a configuration says what a class's default says."""
    if default is inspect.Parameter.empty:
        return False
    if isinstance(default, str) and isinstance(value, object) and not isinstance(value, (str, int, float, tuple, dict)):
        named = next(
            (TABLE.get(f"keras.{area}.{default}") for area in AREAS if f"keras.{area}.{default}" in TABLE), None
        )
        is_bare = all(key in _DEFAULTS and each == _DEFAULTS[key] for key, each in _config_of(value).items())
        return isinstance(named, type) and type(value) is named and is_bare
    if default is None and value in ("linear", "channels_last"):
        return True
    if isinstance(default, tuple) and isinstance(value, int):
        return all(value == each for each in default)
    if isinstance(value, tuple) and isinstance(default, int) and not isinstance(default, bool):
        return bool(value) and all(each == default for each in value)
    return type(value) is type(default) and bool(value == default)


def _config_of(value: Any) -> dict[str, Any]:
    arguments: Any = attribute.get(value, "_arguments", ((), {}))
    return dict(arguments[1])
