"""Networks of torchvision that `benchmarks.formats.pairs` saves as ONNX, and changed ones that are not the same."""

from __future__ import annotations

import torchvision


def resnet18():
    return torchvision.models.resnet18()


def resnet18_channel():
    return torchvision.models.resnet18(num_classes=1001)


def resnet18_missing():
    return torchvision.models.ResNet(torchvision.models.resnet.BasicBlock, [2, 2, 2, 1])


def mobilenet_v3_small():
    return torchvision.models.mobilenet_v3_small()


def mobilenet_v3_small_channel():
    return torchvision.models.mobilenet_v3_small(width_mult=1.25)


def vit():
    return torchvision.models.VisionTransformer(64, 16, 2, 4, 64, 128, num_classes=10)


def vit_missing():
    return torchvision.models.VisionTransformer(64, 16, 1, 4, 64, 128, num_classes=10)


def vit_kernel():
    return torchvision.models.VisionTransformer(64, 16, 2, 4, 64, 129, num_classes=10)


NETWORKS = {
    resnet18: (resnet18_channel, resnet18_missing),
    mobilenet_v3_small: (mobilenet_v3_small_channel,),
    vit: (vit_missing, vit_kernel),
}
"""A network -> changed ones."""
