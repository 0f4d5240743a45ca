"""Networks of timm and transformers with random weights, each saved as an ONNX file, a trace or an exported program.

    python -m benchmarks.recover.zoo FOLDER [--form onnx|dynamo|pt|pt2] [--from timm|transformers] [NAME ...]

The networks of transformers are small ones, from configurations. Files that are there already are kept.
"""

from __future__ import annotations

import argparse
import gc
import inspect
import warnings
from pathlib import Path
from typing import Any

import torch

import benchmarks.zoo.torchvision_import  # noqa: F401  before timm
from benchmarks.recover.export import randomise

TIMM = (
    "resnet18 resnext50_32x4d seresnet18 mobilenetv3_small_050 efficientnet_lite0 convnext_atto convnextv2_atto vit_tiny_patch16_224 "
    "deit_tiny_patch16_224 swin_tiny_patch4_window7_224 mixer_s32_224 resmlp_12_224 poolformer_s12 edgenext_xx_small "
    "mobilevit_xxs ghostnet_050 regnetx_002 res2net50_14w_8s hrnet_w18_small densenet121 xcit_nano_12_p16_224 levit_128s "
    "repvgg_a0 fastvit_t8 cait_xxs24_224 maxvit_rmlp_pico_rw_256 eva02_tiny_patch14_224 coat_lite_tiny"
)
_TEXT = {"vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
_KEYS = {**_TEXT, "num_key_value_heads": 2}
_IMAGE = {"image_size": 32, "patch_size": 8, **_TEXT}
TRANSFORMERS: dict[str, tuple[str, dict[str, Any]]] = {
    "bert": ("BertModel", _TEXT),
    "bert_classifier": ("BertForSequenceClassification", _TEXT),
    "roberta": ("RobertaModel", _TEXT),
    "distilbert": ("DistilBertModel", {"vocab_size": 99, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48}),
    "albert": ("AlbertModel", {**_TEXT, "embedding_size": 16}),
    "electra": ("ElectraModel", {**_TEXT, "embedding_size": 16}),
    "mpnet": ("MPNetModel", _TEXT),
    "deberta_v2": ("DebertaV2Model", {**_TEXT, "relative_attention": True, "pos_att_type": ["p2c", "c2p"]}),
    "gpt2": ("GPT2Model", {"vocab_size": 99, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64}),
    "gpt_neox": ("GPTNeoXModel", _TEXT),
    "opt": ("OPTModel", {**_TEXT, "ffn_dim": 48, "word_embed_proj_dim": 32}),
    "bloom": ("BloomModel", {"vocab_size": 99, "hidden_size": 32, "n_layer": 2, "n_head": 4}),
    "llama": ("LlamaForCausalLM", _KEYS),
    "mistral": ("MistralModel", _KEYS),
    "qwen2": ("Qwen2Model", _KEYS),
    "gemma": ("GemmaModel", {**_KEYS, "head_dim": 8}),
    "phi": ("PhiModel", _TEXT),
    "t5_encoder": ("T5EncoderModel", {"vocab_size": 99, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}),
    "vit": ("ViTModel", _IMAGE),
    "deit": ("DeiTModel", _IMAGE),
    "beit": ("BeitModel", _IMAGE),
    "dinov2": ("Dinov2Model", _IMAGE),
    "convnext": ("ConvNextModel", {"depths": [1, 1, 2, 1], "hidden_sizes": [8, 16, 24, 32]}),
    "segformer": ("SegformerModel", {"depths": [1, 1, 1, 1], "hidden_sizes": [8, 16, 24, 32], "num_attention_heads": [1, 2, 2, 4]}),
    "clip_vision": ("CLIPVisionModel", {**_IMAGE, "projection_dim": 16}),
    "resnet": ("ResNetModel", {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 2], "layer_type": "basic"}),
}  # fmt: skip


class Plain(torch.nn.Module):
    """A network of transformers that takes one tensor and returns a tuple of tensors."""

    def __init__(self, network: torch.nn.Module, argument: str) -> None:
        super().__init__()
        self.network = network
        self.argument = argument

    def forward(self, x: Any) -> Any:
        result = self.network(**{self.argument: x}, return_dict=False, **self.extra())
        return tuple(each for each in result if isinstance(each, torch.Tensor))

    def extra(self) -> dict[str, Any]:
        """Return what keeps a network from returning its cache."""
        return {"use_cache": False} if hasattr(self.network.config, "use_cache") else {}


def network_of(source: str, name: str) -> tuple[torch.nn.Module, tuple[Any, ...]]:
    """Return a network with random weights, and its inputs."""
    torch.manual_seed(0)
    if source == "timm":
        import timm

        network = timm.create_model(name, pretrained=False, num_classes=10, exportable=True).eval()
        inputs: tuple[Any, ...] = (torch.randn(2, *network.default_cfg["input_size"]),)
    else:
        import transformers

        kind, settings = TRANSFORMERS[name]
        model = getattr(transformers, kind)
        config = model.config_class(**settings, attn_implementation="eager")
        network = model(config).eval()
        argument = "input_ids" if "input_ids" in inspect.signature(network.forward).parameters else "pixel_values"
        size = getattr(config, "image_size", 64)
        inputs = (torch.randint(3, 90, (2, 7)),) if argument == "input_ids" else (torch.randn(2, 3, size, size),)
        network = Plain(network, argument)
    randomise(network)
    return network, inputs


def save(network: torch.nn.Module, inputs: tuple[Any, ...], form: str, path: Path) -> None:
    """Write a network in a form, with an open batch."""
    batch = torch.export.Dim("batch")
    if form == "pt":
        torch.jit.trace(network, inputs, check_trace=False).save(str(path))
    elif form == "pt2":
        torch.export.save(torch.export.export(network, inputs, dynamic_shapes=tuple({0: batch} for _ in inputs)), path)
    elif form == "dynamo":
        shapes = tuple({0: batch} for _ in inputs)
        torch.onnx.export(network, inputs, str(path), dynamo=True, dynamic_shapes=shapes, external_data=False, verbose=False)  # fmt: skip
    else:
        torch.onnx.export(network, inputs, str(path), dynamo=False, input_names=["input"], dynamic_axes={"input": {0: "batch"}})  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("name", nargs="*")
    parser.add_argument("--form", choices=("onnx", "dynamo", "pt", "pt2"), default="onnx")
    parser.add_argument("--from", dest="source", choices=("timm", "transformers"), default="timm")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    options.folder.mkdir(parents=True, exist_ok=True)
    ending = {"pt": ".pt", "pt2": ".pt2"}.get(options.form, ".onnx")
    for name in options.name or (TIMM.split() if options.source == "timm" else TRANSFORMERS):
        path = options.folder / f"{name}{ending}"
        if path.exists():
            continue
        try:
            with torch.no_grad():
                save(*network_of(options.source, name), options.form, path)
            print(name, flush=True)
        except Exception as error:
            path.unlink(missing_ok=True)
            print(f"{name}: {type(error).__name__}: {str(error)[:200]}", flush=True)
        gc.collect()


if __name__ == "__main__":
    main()
