"""The same operations in the words of other witnesses: exported graphs name what the API's calls do in their own way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cutaway.core.architecture import Op, Shape

_FAMILIES = {
    "convolution": """torch.nn.functional.conv1d torch.nn.functional.conv2d torch.nn.functional.conv3d torch.conv1d
        torch.conv2d torch.conv3d onnx.Conv aten.conv1d.default aten.conv2d.default aten.conv3d.default
        aten.conv2d.padding aten.conv1d.padding aten.convolution.default""",
    "transposed convolution": """torch.nn.functional.conv_transpose1d torch.nn.functional.conv_transpose2d
        torch.nn.functional.conv_transpose3d onnx.ConvTranspose aten.conv_transpose1d.default
        aten.conv_transpose2d.input aten.conv_transpose3d.input""",
    "maximum pooling": """torch.nn.functional.max_pool1d torch.nn.functional.max_pool2d torch.nn.functional.max_pool3d
        onnx.MaxPool aten.max_pool1d.default aten.max_pool2d.default aten.max_pool3d.default""",
    "product": """torch.nn.functional.linear torch.matmul torch.bmm torch.mm torch.addmm torch.Tensor.matmul onnx.Gemm
        onnx.MatMul aten.linear.default aten.matmul.default aten.bmm.default aten.mm.default aten.addmm.default""",
}
_FAMILY = {name: family for family, names in _FAMILIES.items() for name in names.split()}
_ATTENTION = ("torch.nn.functional.scaled_dot_product_attention", "aten.scaled_dot_product_attention.default")

FAMILIES = tuple(_FAMILIES)


def common(ops: Iterable[Op]) -> Iterator[tuple[str, Shape]]:
    """Yield the operations that every witness has: the family and the shape that comes out; attention as its products."""
    for op in ops:
        shape = op.outputs[0].shape if op.outputs else None
        if op.op in _ATTENTION:
            query, key = (value.shape for value in op.inputs[:2])
            yield "product", None if query is None or key is None else (*query[:-1], key[-2])
            yield "product", shape
        elif op.op in _FAMILY:
            yield _FAMILY[op.op], shape
