"""`torch.distributions`: the shapes of their samples, densities and moments; the numbers are random."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base import attribute
from cutaway.knowledge.base.registry import KnownModule, register, row
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.knowledge.torch.tensor.promote import result_type
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import Size, default_dtype, int64
from cutaway.ops.elementwise import broadcast

torch = KnownModule("torch")
_HOME = "torch.distributions"


@op(f"{_HOME}.sample")
def _sample(*parameters, distribution, shape, dtype):
    """Draw; `parameters` are the tensors that the result depends on."""
    return Out(shape, dtype)


@op(f"{_HOME}.log_prob")
def _log_prob(value, *parameters, distribution, shape, dtype):
    return Out(shape, dtype)


@op(f"{_HOME}.statistic")
def _statistic(*parameters, distribution, statistic, shape, dtype):
    return Out(shape, dtype)


@row(f"{_HOME}.Distribution", f"{_HOME}.distribution.Distribution")
class Distribution:
    """A batch of distributions over events of one shape."""

    has_rsample = False
    _discrete = False
    _parameters: tuple[Any, ...] = ()
    _dtype: Any = None

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: Any = None) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)

    @staticmethod
    def set_default_validate_args(value: Any) -> None:
        """Whether arguments are checked changes nothing here."""

    @property
    def batch_shape(self) -> Any:
        return self._batch_shape

    @property
    def event_shape(self) -> Any:
        return self._event_shape

    def _extended_shape(self, sample_shape: Any = ()) -> Any:
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _name(self) -> str:
        return type(self).__name__

    def sample(self, sample_shape: Any = ()) -> Any:
        return _sample(
            *self._parameters,
            distribution=self._name(),
            shape=self._extended_shape(sample_shape),
            dtype=self._sample_dtype(),
        )

    def rsample(self, sample_shape: Any = ()) -> Any:
        if not self.has_rsample:
            raise NotImplementedError
        return Distribution.sample(self, sample_shape)

    def sample_n(self, n: Any) -> Any:
        return self.sample((n,))

    def _sample_dtype(self) -> Any:
        return self._dtype or default_dtype()

    def log_prob(self, value: Any) -> Any:
        rank = len(self._event_shape)
        given = tuple(value.shape[: len(value.shape) - rank])
        shape = broadcast(f"{self._name()}.log_prob", given, tuple(self._batch_shape))
        dtype = self._dtype or default_dtype()
        return _log_prob(value, *self._parameters, distribution=self._name(), shape=shape, dtype=dtype)

    cdf = icdf = log_prob

    def _moment(self, name: str, shape: Any) -> Any:
        return _statistic(
            *self._parameters,
            distribution=self._name(),
            statistic=name,
            shape=shape,
            dtype=self._dtype or default_dtype(),
        )

    @property
    def mean(self) -> Any:
        return self._moment("mean", self._extended_shape())

    @property
    def variance(self) -> Any:
        return self._moment("variance", self._extended_shape())

    @property
    def stddev(self) -> Any:
        return self._moment("stddev", self._extended_shape())

    @property
    def mode(self) -> Any:
        return self._moment("mode", self._extended_shape())

    def entropy(self) -> Any:
        return self._moment("entropy", self._batch_shape)

    def perplexity(self) -> Any:
        return self._moment("perplexity", self._batch_shape)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._batch_shape = Size(batch_shape)
        return made


def _broadcast_all(*values: Any) -> list[Any]:
    """Make every parameter a tensor of the common shape."""
    tensors = [value for value in values if isinstance(value, Tensor)]
    dtype = result_type(*tensors) if tensors else default_dtype()
    made = [v if isinstance(v, (Tensor, Unknown)) else torch.tensor(v, dtype=dtype) for v in values]
    return list(torch.broadcast_tensors(*made)) if len(made) > 1 else made


def _univariate(name: str, parameters: dict[str, Any], reparametrized: bool) -> type:
    """Make a class of scalar events whose parameters broadcast; a value of `...` is required."""
    required = [p for p, default in parameters.items() if default is ...]

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        kwargs.pop("validate_args", None)
        given = {**parameters, **dict(zip(parameters, args)), **kwargs}
        missing = [p for p in required if given[p] is ...]
        if missing:
            raise TypeError(f"{name}.__init__() missing required argument: '{missing[0]}'")
        tensors = _broadcast_all(*given.values())
        for parameter, tensor in zip(given, tensors):
            attribute.put(self, parameter, tensor)
        self._parameters = tuple(tensors)
        self._dtype = tensors[0].dtype
        Distribution.__init__(self, tensors[0].shape)

    return type(name, (Distribution,), {"__init__": __init__, "has_rsample": reparametrized})


_UNIVARIATE: dict[str, tuple[dict[str, Any], bool]] = {
    "Normal": ({"loc": ..., "scale": ...}, True),
    "LogNormal": ({"loc": ..., "scale": ...}, True),
    "Laplace": ({"loc": ..., "scale": ...}, True),
    "Cauchy": ({"loc": ..., "scale": ...}, True),
    "Gumbel": ({"loc": ..., "scale": ...}, True),
    "Uniform": ({"low": ..., "high": ...}, True),
    "Beta": ({"concentration1": ..., "concentration0": ...}, True),
    "Gamma": ({"concentration": ..., "rate": ...}, True),
    "InverseGamma": ({"concentration": ..., "rate": ...}, True),
    "Exponential": ({"rate": ...}, True),
    "HalfNormal": ({"scale": ...}, True),
    "HalfCauchy": ({"scale": ...}, True),
    "Chi2": ({"df": ...}, True),
    "StudentT": ({"df": ..., "loc": 0.0, "scale": 1.0}, True),
    "FisherSnedecor": ({"df1": ..., "df2": ...}, True),
    "Pareto": ({"scale": ..., "alpha": ...}, True),
    "Weibull": ({"scale": ..., "concentration": ...}, True),
    "Kumaraswamy": ({"concentration1": ..., "concentration0": ...}, True),
    "VonMises": ({"loc": ..., "concentration": ...}, False),
    "Poisson": ({"rate": ...}, False),
}
_FILES = {
    "HalfCauchy": "half_cauchy", "HalfNormal": "half_normal", "InverseGamma": "inverse_gamma",
    "LogNormal": "log_normal", "StudentT": "studentT", "VonMises": "von_mises",
}  # fmt: skip
for _title, (_parameters_of, _reparametrized) in _UNIVARIATE.items():
    _made = _univariate(_title, _parameters_of, _reparametrized)
    _made.__module__ = f"{_HOME}.{_FILES.get(_title, _title.lower())}"
    register(f"{_HOME}.{_title}", _made)
    register(f"{_made.__module__}.{_title}", _made)


class _Odds(Distribution):
    """Given by `probs` or by `logits`, each of which can be read."""

    def _take(self, probs: Any, logits: Any, rank: int = 0) -> Any:
        if (probs is None) == (logits is None):
            raise ArgumentFault(
                f"{self._name()}: give either probs or logits, not both and not neither", FaultCode.ARGUMENT_CONFLICT
            )
        given = probs if logits is None else logits
        if not isinstance(given, (Tensor, Unknown)):
            given = torch.tensor(given, dtype=default_dtype())
        self._given = "probs" if logits is None else "logits"
        if given.ndim < rank:
            raise ArgumentFault(f"{self._name()}: {self._given} must have at least one dimension", FaultCode.WRONG_RANK)
        self._parameters = (given,)
        self._dtype = given.dtype
        return given

    def _read(self, which: str) -> Any:
        given = self._parameters[0]
        return given if which == self._given else self._moment(which, given.shape)

    @property
    def probs(self) -> Any:
        return self._read("probs")

    @property
    def logits(self) -> Any:
        return self._read("logits")

    @property
    def param_shape(self) -> Any:
        return self._parameters[0].shape


def _register(cls: type, home: str) -> None:
    cls.__module__ = f"{_HOME}.{home}"
    register(f"{_HOME}.{cls.__name__}", cls)
    register(f"{_HOME}.{home}.{cls.__name__}", cls)


class Bernoulli(_Odds):
    """A coin."""

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        super().__init__(self._take(probs, logits).shape)


class Geometric(Bernoulli):
    """How many failures come before a success."""


class ContinuousBernoulli(Bernoulli):
    """A continuous coin."""

    has_rsample = True


class Binomial(_Odds):
    """How many of several coins are heads."""

    def __init__(self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        self.total_count, given = _broadcast_all(total_count, self._take(probs, logits))
        super().__init__(given.shape)


class NegativeBinomial(_Odds):
    """How many successes come before a number of failures."""

    def __init__(self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        self.total_count, given = _broadcast_all(total_count, self._take(probs, logits))
        super().__init__(given.shape)


class Categorical(_Odds):
    """One of several classes, by its index."""

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        given = self._take(probs, logits, rank=1)
        self._num_events = given.shape[-1]
        super().__init__(given.shape[:-1])

    def _sample_dtype(self) -> Any:
        return int64

    @property
    def mode(self) -> Any:
        return self.probs.argmax(dim=-1)


class OneHotCategorical(_Odds):
    """One of several classes, as a vector with a single one."""

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        shape = self._take(probs, logits, rank=1).shape
        super().__init__(shape[:-1], shape[-1:])


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """The same with a gradient."""

    has_rsample = True


class Multinomial(_Odds):
    """How often each class comes up in several draws."""

    def __init__(self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        self.total_count = total_count
        shape = self._take(probs, logits, rank=1).shape
        super().__init__(shape[:-1], shape[-1:])


for _class, _file in (
    (Bernoulli, "bernoulli"),
    (Geometric, "geometric"),
    (ContinuousBernoulli, "continuous_bernoulli"),
    (Binomial, "binomial"),
    (NegativeBinomial, "negative_binomial"),
    (Categorical, "categorical"),
    (OneHotCategorical, "one_hot_categorical"),
    (Multinomial, "multinomial"),
):
    _register(_class, _file)
register(f"{_HOME}.OneHotCategoricalStraightThrough", OneHotCategoricalStraightThrough)


class _Relaxed:
    """A temperature in front of the odds."""

    has_rsample = True

    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        self.temperature = temperature
        super().__init__(probs, logits)  # type: ignore[call-arg]


class RelaxedBernoulli(_Relaxed, Bernoulli):
    """A coin with a gradient."""


class RelaxedOneHotCategorical(_Relaxed, OneHotCategorical):
    """A choice with a gradient."""


_register(RelaxedBernoulli, "relaxed_bernoulli")
_register(RelaxedOneHotCategorical, "relaxed_categorical")


@row(f"{_HOME}.Dirichlet", f"{_HOME}.dirichlet.Dirichlet")
class Dirichlet(Distribution):
    """Probabilities that add up to one."""

    has_rsample = True

    def __init__(self, concentration: Any, validate_args: Any = None) -> None:
        self.concentration = concentration
        self._parameters = (concentration,)
        self._dtype = concentration.dtype
        super().__init__(concentration.shape[:-1], concentration.shape[-1:])


@row(f"{_HOME}.MultivariateNormal", f"{_HOME}.multivariate_normal.MultivariateNormal")
class MultivariateNormal(Distribution):
    """A Gaussian vector."""

    has_rsample = True

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: Any = None,
    ) -> None:
        given = [m for m in (covariance_matrix, scale_tril, precision_matrix) if m is not None]
        if len(given) != 1:
            raise ArgumentFault(
                "MultivariateNormal: give exactly one of covariance_matrix, precision_matrix and scale_tril",
                FaultCode.ARGUMENT_CONFLICT,
            )
        self._parameters = (loc, given[0])
        self._dtype = loc.dtype
        batch = broadcast("MultivariateNormal", tuple(given[0].shape[:-2]), tuple(loc.shape[:-1]))
        self.loc = loc.expand(*batch, -1)
        super().__init__(batch, loc.shape[-1:])
        matrix = given[0].expand(*batch, -1, -1)
        for name, value in zip(
            ("covariance_matrix", "precision_matrix", "scale_tril"), (covariance_matrix, precision_matrix, scale_tril)
        ):
            attribute.put(self, name, matrix if value is not None else self._moment(name, matrix.shape))


@row(f"{_HOME}.Independent", f"{_HOME}.independent.Independent")
class Independent(Distribution):
    """Another distribution, the last dimensions of whose batch belong to the event."""

    def __init__(self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: Any = None) -> None:
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self._parameters = base_distribution._parameters
        self._dtype = base_distribution._dtype
        batch = base_distribution.batch_shape
        split = len(batch) - reinterpreted_batch_ndims
        super().__init__(batch[:split], (*batch[split:], *base_distribution.event_shape))

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return bool(self.base_dist.has_rsample)

    def _sample_dtype(self) -> Any:
        return self.base_dist._sample_dtype()


@row(f"{_HOME}.kl_divergence", f"{_HOME}.kl.kl_divergence")
def kl_divergence(p, q):
    shape = broadcast("kl_divergence", tuple(p.batch_shape), tuple(q.batch_shape))
    return _statistic(
        *p._parameters, *q._parameters, distribution=p._name(), statistic="kl_divergence", shape=shape, dtype=p._dtype
    )


register(f"{_HOME}.kl.register_kl", lambda type_p, type_q: lambda function: function)
register(f"{_HOME}.register_kl", lambda type_p, type_q: lambda function: function)
