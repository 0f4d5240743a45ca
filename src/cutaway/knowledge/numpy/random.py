"""`numpy.random`: arrays whose shape and type are known, and whose numbers are not."""

from __future__ import annotations

from typing import Any

import numpy

from cutaway.core import session
from cutaway.core.protocols import has_no_numbers, is_tensor
from cutaway.core.size.dim import Dim, unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import register
from cutaway.knowledge.numpy.shaped import Array, elementwise


def _drawn(name: str, size: Any, dtype: Any, *parameters: Any) -> Any:
    """Return what is drawn: an array of the size that is given, or of the parameters' own."""
    reason = f"numpy.random.{name} is random"
    if isinstance(size, Unknown):
        return Unknown(size.reason, size.place)
    if size is None:
        shaped = [p for p in parameters if hasattr(p, "shape") or isinstance(p, (list, tuple))]
        made = elementwise(name, lambda *_values: _values[0], *shaped) if shaped else None
        if made is NotImplemented or isinstance(made, Unknown):
            return Unknown(reason, session.current().place())
        if made is None or made.shape == ():
            kind = int if numpy.dtype(dtype).kind in "iu" else float
            return Unknown(reason, session.current().place(), kind=kind)
        return Array(made.shape, dtype, reason)
    sizes = size if isinstance(size, (list, tuple)) else size.tolist() if isinstance(size, numpy.ndarray) else (size,)
    return Array([_size(s) for s in sizes], dtype, reason)


def _size(size: Any) -> Any:
    if isinstance(size, Unknown):
        return unknown_size()
    return size if isinstance(size, Dim) else int(size)


class Source:
    """A source of random numbers: the module itself, `RandomState`, and the generator of `default_rng`."""

    def __init__(self, *_seed: Any, **_kwargs: Any) -> None:
        pass

    def rand(self, *sizes: Any) -> Any:
        return _drawn("rand", sizes or None, "float64")

    def randn(self, *sizes: Any) -> Any:
        return _drawn("randn", sizes or None, "float64")

    def random(self, size: Any = None, dtype: Any = "float64", out: Any = None) -> Any:
        return _drawn("random", size, dtype)

    random_sample = ranf = sample = random

    def standard_normal(self, size: Any = None, dtype: Any = "float64", out: Any = None) -> Any:
        return _drawn("standard_normal", size, dtype)

    standard_exponential = standard_normal

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return _drawn("uniform", size, "float64", low, high)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return _drawn("normal", size, "float64", loc, scale)

    laplace = logistic = gumbel = lognormal = vonmises = wald = normal

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:
        return _drawn("beta", size, "float64", a, b)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        return _drawn("gamma", size, "float64", shape, scale)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        return _drawn("exponential", size, "float64", scale)

    rayleigh = exponential

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Any:
        return _drawn("poisson", size, "int64", lam)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        return _drawn("binomial", size, "int64", n, p)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = "int64") -> Any:
        return _drawn("randint", size, dtype, low, high)

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = "int64", endpoint: Any = False
    ) -> Any:
        return _drawn("integers", size, dtype, low, high)

    random_integers = randint

    def multivariate_normal(self, mean: Any, cov: Any, size: Any = None, **_kwargs: Any) -> Any:
        width = len(mean)
        sizes = () if size is None else size if isinstance(size, (list, tuple)) else (size,)
        return _drawn("multivariate_normal", (*sizes, width), "float64")

    def choice(self, a: Any, size: Any = None, *_args: Any, **_kwargs: Any) -> Any:
        if isinstance(a, (int, Dim)):
            return _drawn("choice", size, "int64")
        dtype = getattr(a, "dtype", None)
        if dtype is None and isinstance(a, (list, tuple, range)) and a:
            kinds = {type(item) for item in a}
            dtype = numpy.int64 if kinds == {int} else numpy.float64 if kinds <= {int, float} else None
        if dtype is None or len(getattr(a, "shape", (1,))) != 1:
            return Unknown("numpy.random.choice is random", session.current().place())
        return _drawn("choice", size, dtype)

    def permutation(self, x: Any, *_args: Any, **_kwargs: Any) -> Any:
        if isinstance(x, (int, Dim)):
            return _drawn("permutation", (x,), "int64")
        if hasattr(x, "shape") and hasattr(x, "dtype") and not is_tensor(x):
            return Array(x.shape, x.dtype, "numpy.random.permutation is random")
        return Unknown("numpy.random.permutation is random", session.current().place())

    permuted = permutation

    def shuffle(self, x: Any, *_args: Any, **_kwargs: Any) -> None:
        if not has_no_numbers(x):
            raise Undecidable(Unknown("numpy.random.shuffle is random", session.current().place()), x)

    def seed(self, *_args: Any, **_kwargs: Any) -> None:
        """Nothing that is random is known anyway."""

    def get_state(self, *_args: Any, **_kwargs: Any) -> Unknown:
        return Unknown("the state of a source of random numbers is not known")

    set_state = seed

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *_args, **_kwargs: Unknown(f"numpy.random.{name} is random", session.current().place())


_MODULE = Source()
for _name in [name for name in vars(Source) if not name.startswith("_")]:
    register(f"numpy.random.{_name}", getattr(_MODULE, _name))
for _name in ("dirichlet", "multinomial", "geometric", "triangular", "chisquare"):
    register(f"numpy.random.{_name}", getattr(_MODULE, _name))
for _name in ("RandomState", "default_rng", "Generator"):
    register(f"numpy.random.{_name}", Source)
