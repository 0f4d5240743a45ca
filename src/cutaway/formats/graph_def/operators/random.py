"""Numbers that are drawn at random, and the generators that they come from."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.formats.graph_def.operators.registry import Call, Open, Out, rule

_PLACES = {
    **dict.fromkeys(
        """RandomUniform RandomStandardNormal TruncatedNormal RandomUniformInt StatelessRandomUniform StatelessRandomNormal
        StatelessTruncatedNormal StatelessRandomUniformV2 StatelessRandomNormalV2 StatelessTruncatedNormalV2
        StatelessRandomUniformInt StatelessRandomUniformIntV2 StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2
        StatelessRandomBinomial StatelessRandomGammaV2 StatelessRandomGammaV3 StatelessRandomPoisson
        StatelessParameterizedTruncatedNormal ParameterizedTruncatedNormal NonDeterministicInts Empty""".split(),
        0,
    ),
    "StatefulStandardNormal": 1,
    **dict.fromkeys(
        """StatefulUniform StatefulUniformFullInt StatefulUniformInt StatefulStandardNormalV2 StatefulTruncatedNormal
        StatefulRandomBinomial""".split(),
        2,
    ),
}
"""Which input is the shape of the result."""


@rule(*_PLACES)
def random(call: Call) -> Sequence[Out]:
    """Draw numbers of a shape that is given."""
    sizes = call.value(_PLACES[call.name]).sizes()
    if sizes is None:
        raise Open("the shape is not known")
    return [Out(tuple(sizes), call.node.type("dtype") or call.node.type("Tout") or "float32")]


@rule("RandomGamma", "RandomPoisson", "RandomPoissonV2")
def distributed(call: Call) -> Sequence[Out]:
    """Draw numbers of a shape that is given for each parameter."""
    return [Out((*call.sizes(0), *call.shape(1)), call.node.type("R") or call.value(1).dtype)]


@rule("Multinomial", "StatelessMultinomial")
def multinomial(call: Call) -> Sequence[Out]:
    """Draw samples for each row."""
    return [Out((call.shape(0)[0], call.sizes(1)[0]), call.node.type("output_dtype") or "int64")]


@rule("StatelessRandomGetKeyCounter")
def key_counter(_call: Call) -> Sequence[Out]:
    """Return a key and a counter of a generator."""
    return [Out((1,), "uint64"), Out((2,), "uint64")]


@rule("StatelessRandomGetAlg")
def algorithm(_call: Call) -> Sequence[Out]:
    """Return the number of an algorithm."""
    return [Out((), "int32")]
