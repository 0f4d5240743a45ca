"""A sample of real packages, one model of each family: every fact equals that of the live model.

The whole is `python -m benchmarks.zoo torchvision`, and likewise `timm`, `transformers` and `keras`.
"""

from __future__ import annotations

import functools
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pytest

from benchmarks.zoo.compare import EQUAL
from benchmarks.zoo.measure import measure, read_truth

VERSIONS = {"torchvision": "0.28.0", "timm": "1.0.30", "keras": "3.15.1", "transformers": "5.22.2"}
MODELS = {
    "torchvision": """
        alexnet:alexnet convnext:convnext_tiny densenet:densenet121 googlenet:googlenet inception:inception_v3
        maxvit:maxvit_t mobilenetv3:mobilenet_v3_small regnet:regnet_y_400mf resnet:resnet50
        shufflenetv2:shufflenet_v2_x0_5 swin_transformer:swin_v2_t vision_transformer:vit_b_16
        detection.faster_rcnn:fasterrcnn_resnet50_fpn optical_flow.raft:raft_small
        quantization.mobilenetv2:mobilenet_v2 segmentation.lraspp:lraspp_mobilenet_v3_large video.mvit:mvit_v2_s
    """,
    "timm": """
        byoanet:botnet50ts_256 convit:convit_small cspnet:darknet53 deit:deit_small_distilled_patch16_224
        efficientnet:efficientnet_b2_pruned eva:vit_small_patch16_rope_mixed_224 inception_next:inception_next_atto
        maxxvit:coatnet_1_224 mobilenetv3:mobilenetv4_hybrid_medium_075 nfnet:nf_regnet_b2 pit:pit_xs_224
        swin_transformer_v2_cr:swinv2_cr_base_ns_224 tiny_vit:tiny_vit_11m_224 xcit:xcit_tiny_24_p16_384
    """,
}
SAMPLE = [(zoo, f"{zoo}.models.{name}") for zoo, names in MODELS.items() for name in names.split()]
SAMPLE += [
    ("keras", f"keras.applications:{name}")
    for name in """ConvNeXtTiny DenseNet121 EfficientNetB0 EfficientNetV2B0
InceptionV3 MobileNetV2 MobileNetV3Small NASNetMobile ResNet50 ResNet50V2 VGG16 Xception""".split()
]
SAMPLE += [
    ("transformers", f"transformers:{name}") for name in "GPT2Model ChineseCLIPVisionModel Tipsv2TextModel".split()
]


@functools.cache
def rows(zoo: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in read_truth(zoo):
        found.setdefault(row["target"], row)  # others of the same target have other arguments
    return found


def installed(zoo: str) -> str | None:
    """Return the version of the package whose source is there; it need not be importable."""
    try:
        return version(zoo).partition("+")[0]
    except PackageNotFoundError:
        return None


@pytest.mark.parametrize(("zoo", "target"), SAMPLE, ids=[target for _, target in SAMPLE])
def test_every_fact_is_the_live_models(zoo: str, target: str) -> None:
    if installed(zoo) != VERSIONS[zoo]:
        pytest.skip(
            f"the source of {zoo} {VERSIONS[zoo]} is not installed: pip install --no-deps {zoo}=={VERSIONS[zoo]}"
        )
    result = measure(rows(zoo)[target])
    differing = {fact: verdict for fact, verdict in result["verdicts"].items() if verdict[0] != EQUAL}
    assert not differing, "\n".join(map(str, [*differing.items(), *result["unknowns"][:5]]))
