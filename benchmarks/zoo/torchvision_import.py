"""Importing this first lets torchvision's Python code import beside a build of torch that its compiled operators do not fit."""

from __future__ import annotations

import torch

_SIZES = "SymInt pooled_height, SymInt pooled_width"
_REGIONS = f"Tensor input, Tensor rois, float spatial_scale, {_SIZES}"
_BACK = "SymInt batch_size, SymInt channels, SymInt height, SymInt width"
_BACK_REGIONS = f"Tensor rois, float spatial_scale, {_SIZES}"
_MAPPED = f"Tensor rois, Tensor channel_mapping, float spatial_scale, {_SIZES}"
_STEPS = ", ".join(f"SymInt {name}_{axis}" for name in ("stride", "pad", "dilation") for axis in "hw")
_DEFORM = f"Tensor weight, Tensor offset, Tensor mask, Tensor bias, {_STEPS}, SymInt groups, SymInt offset_groups, bool use_mask"

# The operators for which torchvision registers Python implementations while it is imported.
_OPERATORS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    f"roi_align({_REGIONS}, int sampling_ratio, bool aligned) -> Tensor",
    f"roi_pool({_REGIONS}) -> (Tensor, Tensor)",
    f"ps_roi_align({_REGIONS}, int sampling_ratio) -> (Tensor, Tensor)",
    f"ps_roi_pool({_REGIONS}) -> (Tensor, Tensor)",
    f"deform_conv2d(Tensor input, {_DEFORM}) -> Tensor",
    f"_roi_align_backward(Tensor grad, {_BACK_REGIONS}, {_BACK}, int sampling_ratio, bool aligned) -> Tensor",
    f"_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, float spatial_scale, {_SIZES}, {_BACK}) -> Tensor",
    f"_ps_roi_align_backward(Tensor grad, {_MAPPED}, int sampling_ratio, {_BACK}) -> Tensor",
    f"_ps_roi_pool_backward(Tensor grad, {_MAPPED}, {_BACK}) -> Tensor",
    f"_deform_conv2d_backward(Tensor grad, Tensor input, {_DEFORM}) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
)


def _declare() -> torch.library.Library:
    """Declare each operator that the compiled part has not declared."""
    library = torch.library.Library("torchvision", "FRAGMENT")
    for schema in _OPERATORS:
        if not hasattr(torch.ops.torchvision, schema.partition("(")[0]):
            library.define(schema)
    return library


DECLARED = _declare()
