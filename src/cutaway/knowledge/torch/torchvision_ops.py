"""The operations that torchvision implements in C++; its Python code around them is interpreted."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.base.registry import register
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import DType, int32, int64
from cutaway.ops import regions

register("torch.ops.load_library", lambda path: None)
register("torch.ops.torchvision._cuda_version", lambda: -1)


def _nms(name: str) -> None:
    @op(f"torch.ops.torchvision.{name}")
    def nms(dets, scores, iou_threshold):
        return Out(regions.kept_boxes(dets.shape, scores.shape, name), int64)


for _name in ("nms", "qnms"):
    _nms(_name)


def _same_dtype(name: str, input: Tensor, rois: Tensor) -> DType:
    if input.dtype is not rois.dtype:
        raise Fault(f"{name}: input is {input.dtype}, but rois are {rois.dtype}", FaultCode.DTYPE_MISMATCH)
    return input.dtype


@op("torch.ops.torchvision.roi_align")
def roi_align(input, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned):
    shape = regions.pooled(input.shape, rois.shape, pooled_height, pooled_width, "roi_align")
    return Out(shape, _same_dtype("roi_align", input, rois))


@op("torch.ops.torchvision.roi_pool")
def roi_pool(input, rois, spatial_scale, pooled_height, pooled_width):
    shape = regions.pooled(input.shape, rois.shape, pooled_height, pooled_width, "roi_pool")
    return Out(shape, _same_dtype("roi_pool", input, rois)), Out(shape, int32)


def _position_sensitive(name: str, input: Tensor, rois: Tensor, height: Any, width: Any) -> tuple[Out, Out]:
    shape = regions.position_sensitive(input.shape, rois.shape, height, width, name)
    return Out(shape, _same_dtype(name, input, rois)), Out(shape, int32)


@op("torch.ops.torchvision.ps_roi_align")
def ps_roi_align(input, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio):
    return _position_sensitive("ps_roi_align", input, rois, pooled_height, pooled_width)


@op("torch.ops.torchvision.ps_roi_pool")
def ps_roi_pool(input, rois, spatial_scale, pooled_height, pooled_width):
    return _position_sensitive("ps_roi_pool", input, rois, pooled_height, pooled_width)


@op("torch.ops.torchvision.deform_conv2d")
def deform_conv2d(
    input, weight, offset, mask, bias, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups, offset_groups,
    use_mask,
):  # fmt: skip
    shape = regions.deformable(
        input.shape,
        weight.shape,
        offset.shape,
        mask.shape if use_mask else None,
        (stride_h, stride_w),
        (pad_h, pad_w),
        (dilation_h, dilation_w),
        groups,
        offset_groups,
        "deform_conv2d",
    )
    return Out(shape, input.dtype)
