"""Find the class and arguments of state dicts: models of torchvision, timm and transformers at random sizes.

    python -m benchmarks.torch_files.fit [--only TEXT] [--seed 0...] [--seconds 120] [--python PYTHON] [--part K N]

Each model is built by the real library, its state dict saved, and `cutaway fit` is given the file and the source of the model's
family. It is right if the class is, and all weights fit. Seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import importlib
import random
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from benchmarks.zoo.live import Late, alarm

Sizes = dict[str, Any]
_TORCHVISION = """
resnet:resnet18 resnet:resnet50 resnet:wide_resnet50_2 vgg:vgg11 vgg:vgg13_bn alexnet:alexnet densenet:densenet121
squeezenet:squeezenet1_0 squeezenet:squeezenet1_1 mobilenetv2:mobilenet_v2 mobilenetv3:mobilenet_v3_small mnasnet:mnasnet1_0
shufflenetv2:shufflenet_v2_x1_0 efficientnet:efficientnet_b0 convnext:convnext_tiny regnet:regnet_y_400mf
swin_transformer:swin_t
""".split()
_TIMM = """
resnet:resnet18 resnet:resnet26d densenet:densenet121 vgg:vgg11 xception:xception inception_v3:inception_v3 dla:dla34
hrnet:hrnet_w18_small ghostnet:ghostnet_100 cspnet:cspresnet50 regnet:regnetx_002 nfnet:nf_regnet_b0
""".split()
_KINDS = "bert gpt2 llama mistral qwen2 distilbert roberta electra vit deit opt gpt_neox gemma falcon bart albert beit phi".split()


def subjects(chance: random.Random) -> Iterator[tuple[str, Path, Callable[[], Any]]]:
    """Yield the name of each model, the file of its source, and what builds it."""
    importlib.import_module("benchmarks.zoo.torchvision_import")
    for home, names in (("torchvision.models", _TORCHVISION), ("timm.models", _TIMM)):
        for name in names:
            module = importlib.import_module(f"{home}.{name.partition(':')[0]}")
            make = getattr(module, name.partition(":")[2])
            classes = chance.randrange(2, 300)
            yield f"{home}.{name}", Path(str(module.__file__)), lambda make=make, n=classes: make(num_classes=n)
    vit = importlib.import_module("torchvision.models.vision_transformer")
    heads, depth = chance.choice((2, 4)), chance.randrange(1, 6)
    sizes: Sizes = {
        "image_size": 32,
        "patch_size": 8,
        "num_layers": depth,
        "num_heads": heads,
        "hidden_dim": 16 * heads,
    }
    sizes |= {"mlp_dim": chance.randrange(20, 90), "num_classes": chance.randrange(2, 99)}
    yield "torchvision VisionTransformer", Path(str(vit.__file__)), lambda: vit.VisionTransformer(**sizes)
    mixer = importlib.import_module("timm.models.mlp_mixer")
    blocks = {"num_blocks": chance.randrange(1, 6), "embed_dim": 16 * chance.randrange(1, 6), "num_classes": 7}
    yield "timm MlpMixer", Path(str(mixer.__file__)), lambda: mixer.MlpMixer(img_size=64, patch_size=16, **blocks)
    deep = importlib.import_module("timm.models.vision_transformer")
    tall = {
        "depth": chance.randrange(1, 6),
        "embed_dim": 24 * chance.randrange(1, 5),
        "num_classes": chance.randrange(2, 50),
    }
    yield (
        "timm VisionTransformer",
        Path(str(deep.__file__)),
        lambda: deep.VisionTransformer(img_size=64, num_heads=3, **tall),
    )
    yield from _transformers(chance)


def _transformers(chance: random.Random) -> Iterator[tuple[str, Path, Callable[[], Any]]]:
    transformers = importlib.import_module("transformers")
    for kind in _KINDS:
        configuration = transformers.CONFIG_MAPPING[kind]
        known = configuration().to_dict()
        heads = chance.choice((2, 4))
        wanted = {
            "hidden_size": 16 * heads, "n_embd": 16 * heads, "dim": 16 * heads, "d_model": 16 * heads,
            "num_attention_heads": heads, "n_head": heads, "n_heads": heads, "num_key_value_heads": heads,
            "encoder_attention_heads": heads, "decoder_attention_heads": heads,
            "num_hidden_layers": chance.randrange(1, 5), "n_layer": chance.randrange(1, 5), "n_layers": chance.randrange(1, 5),
            "encoder_layers": chance.randrange(1, 4), "decoder_layers": chance.randrange(1, 4),
            "vocab_size": chance.randrange(60, 900), "intermediate_size": chance.randrange(20, 90),
            "hidden_dim": chance.randrange(20, 90), "ffn_dim": chance.randrange(20, 90),
        }  # fmt: skip
        given = {name: value for name, value in wanted.items() if isinstance(known.get(name), int)}
        given |= {name: 1 for name in ("pad_token_id", "bos_token_id", "eos_token_id") if known.get(name) is not None}
        model = transformers.MODEL_MAPPING[configuration]
        model = model[0] if isinstance(model, tuple) else model
        file = Path(str(importlib.import_module(model.__module__).__file__))
        yield f"transformers {model.__name__}", file, lambda c=configuration, m=model, g=given: m(c(**g))


def judged(name: str, source: Path, build: Callable[[], Any], options: argparse.Namespace) -> tuple[bool, str]:
    """Return whether the right class is found with arguments that fit, by the command that a user would type."""
    model = build()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "weights.pt"
        torch.save(model.state_dict(), path)
        command = [options.python, "-m", "cutaway", "fit", str(path), str(source), "--timeout", str(options.seconds)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = result.stdout.splitlines() or [result.stderr.strip() or "nothing fits"]
    target = lines[0].rpartition("::")[2]
    found = target.partition("(")[0]
    module = importlib.import_module(type(model).__module__)
    is_factory = found.islower() and callable(getattr(module, found, None))
    is_right = found == type(model).__name__ or name.endswith(f":{found}") or is_factory
    return result.returncode == 0 and is_right, target if result.returncode == 0 else f"{target} {' '.join(lines[1:])}"


def _child_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Print a line for each model; return 1 if one is not found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, nargs="+", default=[0], help="several are one run")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--python", default=sys.executable, help="the Python that the command runs with")
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), help="every Nth model from the Kth on: K N")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    right = count = 0
    first, step = options.part
    every = ((seed, subject) for seed in options.seed for subject in subjects(random.Random(seed)))
    for at, (seed, (name, source, build)) in enumerate(every):
        if options.only not in name or at % step != first:
            continue
        started = _child_seconds()
        try:
            with alarm(30 * options.seconds):
                is_right, detail = judged(name, source, build, options)
        except (Exception, Late) as error:
            is_right, detail = False, f"{type(error).__name__}: {error}"
        count += 1
        right += is_right
        elapsed = _child_seconds() - started
        print(f"{'right' if is_right else 'WRONG'} {elapsed:6.1f} s {seed} {name}: {detail}"[:300], flush=True)
    print(f"{right} of {count} are right")
    return 0 if right == count else 1


if __name__ == "__main__":
    sys.exit(main())
