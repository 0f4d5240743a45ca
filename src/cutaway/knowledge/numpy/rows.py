"""Which of numpy's names a target may use, and how large the results of each can be."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from cutaway.knowledge.base import registry
from cutaway.knowledge.base.registry import register
from cutaway.knowledge.numpy import size
from cutaway.knowledge.numpy.argument import ELEMENTS, too_large, unknown_in
from cutaway.knowledge.numpy.call import bounded
from cutaway.knowledge.numpy.shaped import Array

# The result is as large as the arguments broadcast together.
_ELEMENTWISE = """abs absolute clip where round around round_ rint fix real imag angle real_if_close nan_to_num isclose
sinc i0 interp heaviside iscomplex isreal isneginf isposinf nan_to_num unwrap select choose piecewise"""
# The result is at most as large as the arguments together.
_REDUCING = """sum prod mean std var max min amax amin argmax argmin any all alltrue sometrue cumsum cumprod cumulative_sum
cumulative_prod median average ptp percentile quantile count_nonzero nonzero argwhere flatnonzero sort argsort unique
nansum nanprod nanmean nanstd nanvar nanmax nanmin nanargmax nanargmin nanmedian nanpercentile nanquantile nancumsum
nancumprod reshape ravel transpose permute_dims matrix_transpose swapaxes moveaxis rollaxis squeeze expand_dims flip
fliplr flipud rot90 roll diff ediff1d gradient trace diagonal copy array asarray asanyarray ascontiguousarray
asfortranarray asarray_chkfinite require astype atleast_1d atleast_2d atleast_3d concatenate concat stack hstack vstack
row_stack dstack column_stack block split hsplit vsplit dsplit append insert delete take take_along_axis put_along_axis
compress extract searchsorted digitize in1d isin intersect1d union1d setdiff1d setxor1d tril triu trim_zeros shape ndim
size isscalar array_equal array_equiv allclose iscomplexobj isrealobj result_type promote_types can_cast issubdtype
min_scalar_type common_type mintypecode dtype isdtype iterable lexsort partition argpartition cross trapz trapezoid
zeros_like ones_like empty_like full_like broadcast_arrays broadcast_shapes unravel_index ravel_multi_index packbits
frombuffer array_str array_repr array2string copyto place put putmask fill_diagonal histogram_bin_edges polyval polyder
polyint polyadd polysub polymul"""
_BOUNDS: dict[str, tuple[str, size.Bound]] = {
    "makers": ("zeros ones empty full", size.shape),
    "windows": ("hamming hanning bartlett blackman kaiser", size.shape),
    "squares": ("eye identity tri tril_indices triu_indices diag_indices", size.square),
    "steps": ("arange", size.steps),
    "samples": ("linspace logspace geomspace", size.samples),
    "repetitions": ("repeat tile", size.repetition),
    "paddings": ("pad", size.padding),
    "outer": ("outer kron ix_ convolve correlate", size.outer),
    "contractions": ("dot matmul inner vdot vecdot tensordot", size.contraction),
    "shapes": ("broadcast_to resize", size.new_shape),
    "diagonals": ("diag diagflat", size.diagonal),
    "indices": ("indices", size.indices),
    "grids": ("meshgrid", size.grid),
    "counts": ("bincount", size.largest_value),
    "sums of products": ("einsum", size.sum_of_products),
}
_SCALARS = "ndarray generic dtype finfo iinfo"
_SMALL = 1 << 18  # elements of a matrix whose decomposition is computed
_LINALG = """norm inv pinv det slogdet solve lstsq matrix_rank matrix_power eig eigh eigvals eigvalsh svd qr cholesky cond
multi_dot tensorsolve tensorinv matrix_norm vector_norm"""
_FFT = "fftfreq rfftfreq fftshift ifftshift"
_TRANSFORMS = "fft ifft rfft irfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn"


class Unchanged:
    """`errstate` and `printoptions`: contexts that change nothing of the host."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_exc: object) -> None:
        pass

    def __call__(self, function: Any) -> Any:
        return function


class Grid:
    """`mgrid`, `ogrid`, `r_` and `c_`: arrays by way of indexing."""

    def __init__(self, name: str, real: Any) -> None:
        self._name = name
        self._real = real

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        total = 1.0
        for part in parts:
            found = unknown_in([part.start, part.stop, part.step] if isinstance(part, slice) else part)
            if found is not None:
                return found
            total *= self._length(part) + 1
        return too_large(self._name) if total > ELEMENTS else self._real[key]

    @staticmethod
    def _length(part: Any) -> float:
        if not isinstance(part, slice):
            return size.elements(part)
        if isinstance(part.step, complex):
            return abs(part.step)
        return size.steps(part.start or 0, part.stop or 0, part.step or 1)


def _ndindex(*shape: Any) -> Any:
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    found = unknown_in(list(sizes))
    if found is not None or size.count(list(sizes)) > ELEMENTS:
        return found or too_large("ndindex")
    return itertools.product(*(range(int(s)) for s in sizes))


def _names() -> Iterator[tuple[str, size.Bound]]:
    for name in dir(numpy):
        if isinstance(getattr(numpy, name, None), numpy.ufunc):
            yield name, size.broadcast
    for name in _ELEMENTWISE.split():
        yield name, size.broadcast
    for name in _REDUCING.split():
        yield name, size.total
    for names, bound in _BOUNDS.values():
        for name in names.split():
            yield name, bound


def _without_memory(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose arrays have no numbers: they would be what happens to be in the memory of the host."""

    @functools.wraps(make)
    def call(*args: Any, **kwargs: Any) -> Any:
        array = make(*args, **kwargs)
        is_filled = len(args) > 2 or "buffer" in kwargs if make.__name__ == "ndarray" else False
        if type(array) is not numpy.ndarray or not array.size or is_filled:
            return array
        return Array(array.shape, array.dtype, "the numbers in an array that is not filled are not known")

    return call


def _register_functions() -> None:
    seen: set[str] = set()
    for name, bound in _names():
        value = getattr(numpy, name, None)
        if value is not None and name not in seen and not isinstance(value, type):
            seen.add(name)
            function = bounded(name, value, bound)
            register(f"numpy.{name}", _without_memory(function) if name in ("empty", "empty_like") else function)
    for prefix, names, bound, most in (
        ("linalg", _LINALG, size.total, _SMALL),
        ("fft", _FFT, size.total, ELEMENTS),
        ("fft", _TRANSFORMS, size.transform, ELEMENTS),
    ):
        home = getattr(numpy, prefix)
        for name in names.split():
            if hasattr(home, name):
                register(f"numpy.{prefix}.{name}", bounded(f"{prefix}.{name}", getattr(home, name), bound, most))
    for name in ("mgrid", "ogrid", "r_", "c_"):
        register(f"numpy.{name}", Grid(name, getattr(numpy, name)))


def _register_classes() -> None:
    """Enter the classes; an instance is made by a bounded call."""
    for name in dir(numpy):
        value = getattr(numpy, name, None)
        if value in (numpy.object_, numpy.void):
            continue
        if isinstance(value, type) and (name in _SCALARS.split() or issubclass(value, numpy.generic)):
            register(f"numpy.{name}", value)
            bound = size.shape if value is numpy.ndarray else size.broadcast
            make = bounded(name, value, bound)
            registry.CONSTRUCTORS.setdefault(value, _without_memory(make) if value is numpy.ndarray else make)
    registry.ARRAYS.add(numpy.ndarray)
    register("numpy.linalg.LinAlgError", numpy.linalg.LinAlgError)


def _register_constants() -> None:
    for name in ("pi", "e", "inf", "Inf", "nan", "NaN", "newaxis", "euler_gamma", "PINF", "NINF", "s_", "index_exp"):
        if name in vars(numpy):
            register(f"numpy.{name}", vars(numpy)[name])
    register("numpy.__version__", numpy.__version__)
    register("numpy.errstate", Unchanged)
    register("numpy.printoptions", Unchanged)
    register("numpy.ndindex", _ndindex)
    for name in ("seterr", "set_printoptions"):
        register(f"numpy.{name}", lambda *_args, **_kwargs: None)


_register_functions()
_register_classes()
_register_constants()
