"""Fourier transforms: `torch.fft`, `torch.stft` and `torch.istft`."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, less
from cutaway.knowledge.torch.tensor.op import Out, compute, op
from cutaway.knowledge.torch.tensor.promote import float_type, promote_types
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import DType, default_dtype
from cutaway.ops import fourier
from cutaway.ops.fourier import DOUBLED, FULL, HALVED
from cutaway.ops.reshape import axis, integer, text

# Transform -> what it does to the last dimension; whether its result is real.
_KINDS = {
    "fft": (FULL, False), "ifft": (FULL, False), "rfft": (HALVED, False), "irfft": (DOUBLED, True),
    "hfft": (DOUBLED, True), "ihfft": (HALVED, False),
}  # fmt: skip


def _dtype(name: str, input: Tensor, kind: str, real: bool) -> DType:
    dtype = float_type(input.dtype)
    if dtype.name not in ("float16", "float32", "float64", "complex32", "complex64", "complex128"):
        raise Fault(f"{name}: {dtype} is not supported", FaultCode.UNSUPPORTED_DTYPE)
    if kind == HALVED and dtype.is_complex:
        raise Fault(f"{name}: expects a real input, but got {dtype}", FaultCode.UNSUPPORTED_DTYPE)
    return dtype.to_real() if real else dtype.to_complex()


def _check_norm(name: str, norm: Any) -> None:
    if norm is not None and norm not in ("forward", "backward", "ortho"):
        raise Fault(
            f"{name}: norm must be 'forward', 'backward' or 'ortho', but it is {norm!r}", FaultCode.INVALID_ARGUMENT
        )


def _transforms(base: str, kind: str, real: bool) -> None:
    """Register a transform in its forms for one, two and any number of dimensions."""

    def many(name: str, input: Any, s: Any, dim: Any, norm: Any) -> Out:
        _check_norm(name, norm)
        dtype = _dtype(name, input, kind, real)
        s = [s] if isinstance(s, int) else s
        dim = [dim] if isinstance(dim, int) else dim
        return Out(fourier.transform_many(input.shape, s, dim, kind, name), dtype)

    @op(f"torch.fft.{base}", f"torch._C._fft.fft_{base}", strided=True)
    def one_dimension(input, n=None, dim=-1, norm=None):
        _check_norm(base, norm)
        dtype = _dtype(base, input, kind, real)
        return Out(fourier.transform(input.shape, n, dim, kind, base), dtype)

    @op(f"torch.fft.{base}2", f"torch._C._fft.fft_{base}2", strided=True)
    def two_dimensions(input, s=None, dim=(-2, -1), norm=None):
        return many(f"{base}2", input, s, dim, norm)

    @op(f"torch.fft.{base}n", f"torch._C._fft.fft_{base}n", strided=True)
    def dimensions(input, s=None, dim=None, norm=None):
        return many(f"{base}n", input, s, dim, norm)


for _base, (_kind, _real) in _KINDS.items():
    _transforms(_base, _kind, _real)


@op("torch.fft.fftfreq", "torch._C._fft.fft_fftfreq")
def fftfreq(n, d=1.0, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    return Out((n,), dtype or default_dtype(), compute(lambda np, n, d: np.fft.fftfreq(n, d), n, d))


@op("torch.fft.rfftfreq", "torch._C._fft.fft_rfftfreq")
def rfftfreq(n, d=1.0, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    return Out((n // 2 + 1,), dtype or default_dtype(), compute(lambda np, n, d: np.fft.rfftfreq(n, d), n, d))


def _shift(name: str) -> None:
    @op(f"torch.fft.{name}", f"torch._C._fft.fft_{name}", strided=True)
    def shift(input, dim=None):
        if not input.ndim:
            raise Fault(f"{name}: input must have at least 1 dimension, but it is a scalar", FaultCode.WRONG_RANK)
        dims = [dim] if isinstance(dim, int) else dim
        places = list(range(input.ndim)) if dims is None else [axis(d, input.ndim) for d in dims]
        values = compute(lambda np, a: getattr(np.fft, name)(a, axes=places), input)
        return Out(input.shape, input.dtype, values)


for _name in ("fftshift", "ifftshift"):
    _shift(_name)


@op("torch.stft", "torch.functional.stft", strided=True)
def stft(
    input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False,
    onesided=None, return_complex=None, align_to_window=None,
):  # fmt: skip
    return _stft(
        input, n_fft, hop_length, win_length, window, center, pad_mode, onesided, return_complex, align_to_window
    )


def _stft(
    input: Any,
    n_fft: Any,
    hop_length: Any,
    win_length: Any,
    window: Any,
    center: Any,
    pad_mode: Any,
    onesided: Any,
    return_complex: Any,
    align_to_window: Any,
) -> Out:
    if input.ndim not in (1, 2):
        raise Fault(f"stft: input must have 1 or 2 dimensions, but it is {text(input.shape)}", FaultCode.WRONG_RANK)
    if not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise Fault(f"stft: expects a floating or complex input, but got {input.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    is_complex = input.dtype.is_complex or (window is not None and window.dtype.is_complex)
    if return_complex is None:
        if not is_complex:
            raise Fault("stft: return_complex must be given for a real input", FaultCode.MISSING_ARGUMENT)
        return_complex = True
    if center and align_to_window is not None:
        raise Fault("stft: align_to_window may be given only with center=False", FaultCode.ARGUMENT_CONFLICT)
    n_fft, hop, window_size = _lengths("stft", n_fft, hop_length, win_length)
    length = input.shape[-1]
    if center:
        padding = n_fft // 2
        if pad_mode == "reflect" and less(padding, length) is False:
            raise Fault(
                f"stft: reflecting {padding} samples at each end needs a longer signal than {length}",
                FaultCode.PADDING_TOO_LARGE,
            )
        length = length + 2 * padding
    fourier.fits(n_fft, length, "stft")
    _check_windows("stft", n_fft, hop, window_size, window)
    onesided = not is_complex if onesided is None else onesided
    if onesided and is_complex:
        raise Fault("stft: onesided=True is not possible with a complex input or window", FaultCode.ARGUMENT_CONFLICT)
    count = fourier.frames(length, window_size if align_to_window else n_fft, hop)
    shape = [*input.shape[:-1], fourier.frequencies(n_fft, onesided), count]
    dtype = (input.dtype if window is None else promote_types(input.dtype, window.dtype)).to_complex()
    return Out(shape, dtype) if return_complex else Out([*shape, 2], dtype.to_real())


def _lengths(name: str, n_fft: Any, hop_length: Any, win_length: Any) -> tuple[Any, Any, Any]:
    """Return the lengths of a transform, of a step and of a window."""
    n_fft = integer(n_fft, f"{name}: n_fft")
    hop = n_fft // 4 if hop_length is None else integer(hop_length, f"{name}: hop_length")
    return n_fft, hop, n_fft if win_length is None else integer(win_length, f"{name}: win_length")


def _check_windows(name: str, n_fft: Any, hop: Any, window_size: Any, window: Any) -> None:
    if less(hop, 1) is True:
        raise Fault(f"{name}: hop_length must be positive, but it is {hop}", FaultCode.INVALID_ARGUMENT)
    if less(window_size, 1) is True or less(n_fft, window_size) is True:
        raise Fault(
            f"{name}: win_length is {window_size}, but must be between 1 and n_fft, {n_fft}", FaultCode.INVALID_ARGUMENT
        )
    if window is not None and (window.ndim != 1 or equal(window.shape[0], window_size) is False):
        raise Fault(
            f"{name}: window must have the shape [{window_size}] of win_length, but it is {text(window.shape)}",
            FaultCode.SHAPE_MISMATCH,
        )


@op("torch.istft", "torch.functional.istft", strided=True)
def istft(
    input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None,
    length=None, return_complex=False,
):  # fmt: skip
    return _istft(input, n_fft, hop_length, win_length, window, center, onesided, length, return_complex)


def _istft(
    input: Any,
    n_fft: Any,
    hop_length: Any,
    win_length: Any,
    window: Any,
    center: Any,
    onesided: Any,
    length: Any,
    return_complex: Any,
) -> Out:
    if not input.dtype.is_complex:
        raise Fault(f"istft: expects a complex input, but got {input.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    if input.ndim not in (2, 3):
        raise Fault(f"istft: input must have 2 or 3 dimensions, but it is {text(input.shape)}", FaultCode.WRONG_RANK)
    n_fft, hop, window_size = _lengths("istft", n_fft, hop_length, win_length)
    frequencies, count = input.shape[-2:]
    if onesided is None:
        whole_spectrum = equal(frequencies, n_fft)
        onesided = not (return_complex if whole_spectrum is None else whole_spectrum)
    fourier.has_frequencies(frequencies, n_fft, onesided, "istft")
    _check_windows("istft", n_fft, hop, window_size, window)
    if return_complex and onesided:
        raise Fault("istft: onesided=True is not possible with return_complex=True", FaultCode.ARGUMENT_CONFLICT)
    whole = n_fft + hop * (count - 1)
    samples = length if length is not None else (whole - n_fft // 2 * 2 if center else whole)
    dtype = input.dtype if window is None else promote_types(input.dtype, window.dtype)
    return Out([*input.shape[:-2], samples], dtype if return_complex else dtype.to_real())


@op("torch.Tensor.stft", strided=True)
def tensor_stft(
    self, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False,
    onesided=None, return_complex=None, align_to_window=None,
):  # fmt: skip
    return _stft(
        self, n_fft, hop_length, win_length, window, center, pad_mode, onesided, return_complex, align_to_window
    )


@op("torch.Tensor.istft", strided=True)
def tensor_istft(
    self, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None,
    length=None, return_complex=False,
):  # fmt: skip
    return _istft(self, n_fft, hop_length, win_length, window, center, onesided, length, return_complex)
