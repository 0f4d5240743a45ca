"""The models of each zoo: how the live one is built, what it is called with, and the target that names it."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Shape = list[int]


@dataclass(frozen=True)
class Subject:
    """A model: its target, how to build it, and the shapes to call it with, of float32 if not said."""

    target: str
    build: Callable[[], Any]
    inputs: Callable[[Any], list[Shape] | list[str]]
    arguments: str = ""
    dtypes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def _imported(name: str) -> Any:
    """Import a package that may need torchvision, whose compiled part may not fit."""
    importlib.import_module("benchmarks.zoo.torchvision_import")
    return importlib.import_module(name)


def torchvision_models() -> Iterator[Subject]:
    """Yield every registered model of torchvision, without downloaded weights."""
    models = _imported("torchvision.models")
    for name in models.list_models():
        make = models.get_model_builder(name)
        # These download weights of their backbone unless they are told not to.
        downloads = any(part in make.__module__ for part in ("detection", "segmentation"))
        given: dict[str, Any] = {"weights_backbone": None} if downloads else {}
        yield Subject(
            f"{make.__module__}:{make.__name__}",
            lambda make=make, given=given: make(**given),
            lambda model, name=name, home=make.__module__: _torchvision_inputs(name, home),
            ", ".join(f"{key}={value!r}" for key, value in given.items()),
        )


def _torchvision_inputs(name: str, home: str) -> list[Shape]:
    if "optical_flow" in home:
        return [[1, 3, 128, 128], [1, 3, 128, 128]]
    if "video" in home:
        return [[1, 3, 16, 224, 224]]
    size = 299 if name == "inception_v3" else 224
    return [[2, 3, size, size]]


def timm_models() -> Iterator[Subject]:
    """Yield every registered model of timm, without downloaded weights."""
    timm = _imported("timm")
    for name in timm.list_models():
        make = timm.model_entrypoint(name)
        yield Subject(
            f"{make.__module__}:{make.__name__}",
            make,
            lambda model: [[2, *getattr(model, "pretrained_cfg", {}).get("input_size", (3, 224, 224))]],
        )


_LAYERS = ("num_hidden_layers", "num_layers", "n_layer", "n_layers", "encoder_layers", "decoder_layers")


def transformers_models() -> Iterator[Subject]:
    """Yield the base model of each kind in transformers that takes tokens, images or sound, with its own sizes and two layers."""
    transformers = _imported("transformers")
    logging = _imported("transformers.utils.logging")
    logging.set_verbosity(logging.CRITICAL)
    for kind in transformers.CONFIG_MAPPING:
        try:
            config_class = transformers.CONFIG_MAPPING[kind]
            model_class = transformers.MODEL_MAPPING[config_class]
            model_class = model_class[0] if isinstance(model_class, tuple) else model_class
            config = config_class()
            names = _first_inputs(model_class)
        except Exception:  # it needs another package, or has no base model of its own
            continue
        known = config.to_dict()
        given = {name: 2 for name in _LAYERS if isinstance(known.get(name), int) and name in config.__dict__}
        arguments = ", ".join(f"{name}={value}" for name, value in given.items())
        if not names:
            continue
        yield Subject(
            f"{model_class.__module__}:{model_class.__name__}",
            lambda model_class=model_class, config_class=config_class, given=given: model_class(config_class(**given)),
            lambda model, names=names: [_default_shape(name, model.config) for name in names],
            f"{config_class.__name__}({arguments})",
            tuple("int64" if name.endswith("_ids") else "float32" for name in names),
            names,
        )


def transformers_defaults() -> Iterator[Subject]:
    """Yield the base model of every configuration of transformers, with that configuration's own defaults."""
    transformers = _imported("transformers")
    for config in transformers.MODEL_MAPPING.keys():  # noqa: SIM118 - it is no dictionary
        try:
            found = transformers.MODEL_MAPPING[config]
        except ValueError:  # it is listed, but not exported
            continue
        make = found[0] if isinstance(found, (list, tuple)) else found
        names = _first_inputs(make)
        yield Subject(
            f"transformers:{make.__name__}",
            lambda make=make, config=config: make(config()),
            lambda model, names=names: [_default_shape(name, model.config) for name in names],
            f"{config.__name__}()",
            tuple("int64" if name.endswith("_ids") else "float32" for name in names),
            names,
        )


def _first_inputs(model_class: Any) -> tuple[str, ...]:
    """Return what a model's forward takes first: token ids, else an image, else a waveform."""
    try:
        taken = inspect.signature(model_class.forward).parameters
    except ImportError:  # it needs another package, and says so when it is built
        return ()
    if "input_ids" in taken:
        return tuple(name for name in ("input_ids", "decoder_input_ids") if name in taken)
    return next(((name,) for name in ("pixel_values", "input_values") if name in taken), ())


def _default_shape(name: str, config: Any) -> Shape:
    if name != "pixel_values":
        return [2, 16000] if name == "input_values" else [2, 16]
    size = getattr(config, "image_size", 224)
    sides = list(size) if isinstance(size, (list, tuple)) else [size, size]
    return [2, getattr(config, "num_channels", 3), *sides]


_LLAMA = {
    "vocab_size": 128256,
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "max_position_embeddings": 8192,
}


def llama() -> Iterator[Subject]:
    """Yield Llama 3 with 8 billion parameters, called with 128 tokens."""
    home = "transformers.models.llama.modeling_llama"
    module = _imported(home)
    yield Subject(
        f"{home}:LlamaForCausalLM",
        lambda: module.LlamaForCausalLM(module.LlamaConfig(**_LLAMA)),
        lambda model: [[1, 128]],
        f"LlamaConfig({', '.join(f'{name}={value}' for name, value in _LLAMA.items())})",
        ("int64",),
        ("input_ids",),
    )


ZOOS: dict[str, Callable[[], Iterator[Subject]]] = {
    "torchvision": torchvision_models,
    "timm": timm_models,
    "transformers": transformers_models,
    "llama": llama,
}
