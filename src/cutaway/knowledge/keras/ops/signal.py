"""Fourier transforms and decompositions of matrices."""

from __future__ import annotations

from typing import Any

from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.tensors.dtypes import to_float
from cutaway.knowledge.keras.tensors.op import Out, op
from cutaway.ops import fourier, linalg
from cutaway.ops.window import windows


def _pair(x: Any) -> Any:
    real = known_rank(x[0] if isinstance(x, (list, tuple)) else x)
    return (Out(real._shape, real._dtype), Out(real._shape, real._dtype))


for _name in ("fft", "fft2", "ifft2"):
    op(f"keras.ops.{_name}")(lambda x: _pair(x))


@op("keras.ops.rfft")
def rfft(x, fft_length=None):
    x = known_rank(x)
    shape = fourier.transform(x._shape, fft_length, -1, fourier.HALVED, "rfft")
    return (Out(shape, x._dtype), Out(shape, x._dtype))


@op("keras.ops.irfft")
def irfft(x, fft_length=None):
    real = known_rank(x[0])
    return Out(fourier.transform(real._shape, fft_length, -1, fourier.DOUBLED, "irfft"), real._dtype)


@op("keras.ops.stft")
def stft(x, sequence_length, sequence_stride, fft_length, window="hann", center=True):
    x = known_rank(x)
    padded = x._shape[-1] + 2 * (fft_length // 2) if center else x._shape[-1]
    steps = windows(padded, fft_length, sequence_stride, 0, 0)
    shape = (*x._shape[:-1], steps, fft_length // 2 + 1)
    return (Out(shape, x._dtype), Out(shape, x._dtype))


@op("keras.ops.view_as_complex")
def view_as_complex(x):
    x = known_rank(x)
    return Out(x._shape[:-1], "complex64")


@op("keras.ops.view_as_real")
def view_as_real(x):
    x = known_rank(x)
    return Out((*x._shape, 2), "float32")


def _square(name: str) -> None:
    def rule(x: Any) -> Out:
        x = known_rank(x)
        linalg.square(x._shape, name)
        return Out(x._shape, to_float(x._dtype))

    op(f"keras.ops.{name}", f"keras.ops.linalg.{name}")(rule)


for _name in ("inv", "cholesky", "cholesky_inverse"):
    _square(_name)


@op("keras.ops.det", "keras.ops.linalg.det", "keras.ops.logdet")
def det(x):
    x = known_rank(x)
    batch, _ = linalg.square(x._shape, "det")
    return Out(batch, to_float(x._dtype))


@op("keras.ops.solve", "keras.ops.linalg.solve")
def solve(a, b):
    left, right = known_rank(a), known_rank(b)
    return Out(linalg.solve(left._shape, right._shape, "solve"), to_float(left._dtype))


@op("keras.ops.qr", "keras.ops.linalg.qr")
def qr(x, mode="reduced"):
    x = known_rank(x)
    first, second = linalg.qr(x._shape, mode, "qr")
    return (Out(first, to_float(x._dtype)), Out(second, to_float(x._dtype)))


@op("keras.ops.svd", "keras.ops.linalg.svd")
def svd(x, full_matrices=True, compute_uv=True):
    x = known_rank(x)
    made = tuple(Out(shape, to_float(x._dtype)) for shape in linalg.svd(x._shape, bool(full_matrices), "svd"))
    return made if compute_uv else made[1]


@op("keras.ops.eigh", "keras.ops.linalg.eigh")
def eigh(x):
    x = known_rank(x)
    linalg.square(x._shape, "eigh")
    return (Out(x._shape[:-1], to_float(x._dtype)), Out(x._shape, to_float(x._dtype)))


@op("keras.ops.pinv", "keras.ops.linalg.pinv")
def pinv(x, rcond=None):
    x = known_rank(x)
    return Out((*x._shape[:-2], x._shape[-1], x._shape[-2]), to_float(x._dtype))
