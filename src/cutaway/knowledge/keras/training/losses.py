"""The losses of Keras: how they are named, what targets they take, and the functions."""

from __future__ import annotations

import re
from typing import Any

from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.program_state import Key
from cutaway.core.size.dim import equal
from cutaway.core.unknown import Unknown
from cutaway.knowledge.keras.tensors.op import Out, op
from cutaway.knowledge.keras.tensors.shape import text
from cutaway.knowledge.keras.tensors.tensor import Tensor, convert
from cutaway.ops.elementwise import broadcast

_BROADCAST = """mean_squared_error mean_absolute_error mean_absolute_percentage_error mean_squared_logarithmic_error
huber log_cosh hinge squared_hinge categorical_hinge kl_divergence poisson cosine_similarity""".split()
_EQUAL = "categorical_crossentropy binary_crossentropy binary_focal_crossentropy".split()
_SPARSE = "sparse_categorical_crossentropy"
_OTHERS = "categorical_focal_crossentropy categorical_generalized_cross_entropy circle ctc dice tversky loss".split()
_SHORT = {
    "mse": "mean_squared_error",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "msle": "mean_squared_logarithmic_error",
    "bce": "binary_crossentropy",
    "kld": "kl_divergence",
}
_MODULE = "keras.src.losses"
_CHOSEN = ("crossentropy", "ce")
"""Names for the cross entropy that suits the shapes."""
_WITH_LOGITS = (*_EQUAL, _SPARSE)

REGISTERED: Key[bool] = Key(lambda: False)
"""Whether the program registers names of its own, which may be those of losses and metrics."""


def is_name(identifier: str) -> bool:
    """Tell whether Keras knows a loss by a name."""
    return identifier.lower() in _CHOSEN or bool(loss_name(identifier)) or REGISTERED.get()


def loss_name(loss: Any) -> str:
    """Return the name of the function that a loss of Keras's own computes; an empty string for another one."""
    if isinstance(loss, str):
        name = _snake(loss)
        name = _SHORT.get(name, name)
        return name if name in (*_BROADCAST, *_EQUAL, _SPARSE, *_OTHERS) else ""
    if type(loss).__module__ == _MODULE:
        return _snake(type(loss).__name__)
    return next((name for name, function in FUNCTIONS.items() if loss is function), "")


def takes_logits(loss: Any) -> Any:
    """Return whether a loss of Keras's own takes scores instead of probabilities."""
    arguments = getattr(loss, "_arguments", None)
    if arguments is None:
        return False
    positional, named = arguments
    return named.get("from_logits", positional[0] if positional else False)


def compute(loss: Any, target: Tensor, output: Tensor) -> None:
    """Compute a loss of Keras's own; what another one takes is not known."""
    name = loss_name(loss)
    if name:
        suits(name, target, output, type(loss).__name__ if type(loss).__module__ == _MODULE else name)
    if name in _WITH_LOGITS:
        FUNCTIONS[name](target, output, takes_logits(loss))


def suits(name: str, target: Any, output: Any, shown: str) -> None:
    """Raise where targets do not suit an output under a loss of Keras's own."""
    if not isinstance(output, Tensor) or isinstance(output._shape, Unknown) or isinstance(target._shape, Unknown):
        return
    wanted, have = tuple(output._shape[1:]), tuple(target._shape[1:])
    if len(have) == len(wanted) + 1 and equal(have[-1], 1) is True and name != _SPARSE:
        have = have[:-1]
    elif len(have) == len(wanted) - 1 and equal(wanted[-1], 1) is True and name != _SPARSE:
        have = (*have, 1)
    if name == _SPARSE:
        inner = wanted[:-1]
        fits = _equal(have, inner) or _equal(have, (*inner, 1))
    elif name in _EQUAL:
        fits = _equal(have, wanted)
    elif name not in _BROADCAST:
        return
    else:
        if len(have) == len(wanted) - 1:
            have = (*have, 1)
        try:
            broadcast("loss", have, wanted)
            fits = True
        except Fault:
            fits = False
    if not fits:
        raise ArgumentFault(
            f"{shown}: the targets have shape {text(target._shape)}, but the output of the model is {text(output._shape)}",
            FaultCode.SHAPE_MISMATCH,
        )


def _equal(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    return len(left) == len(right) and all(equal(a, b) is not False for a, b in zip(left, right))


def _snake(name: str) -> str:
    """Return a name of a class, or in capitals, as Keras spells that of a function."""
    if name.isupper() or "_" in name:
        return name.lower()
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("k_l_", "kl_").replace("kldiv", "kl_div")


def _function(name: str, with_logits: bool) -> Any:
    def compare(y_true: Any, y_pred: Any) -> Out:
        target, output = convert(y_true), convert(y_pred)
        suits(name, target, output, name)
        shape = output._shape
        return Out(shape if isinstance(shape, Unknown) else shape[:-1], output._dtype)

    def plain(y_true: Any, y_pred: Any, **options: Any) -> Out:
        return compare(y_true, y_pred)

    def of_scores(y_true: Any, y_pred: Any, from_logits: Any = False, **options: Any) -> Out:
        return compare(y_true, y_pred)

    return op(f"keras.losses.{name}")(of_scores if with_logits else plain)


FUNCTIONS = {name: _function(name, name in _WITH_LOGITS) for name in (*_BROADCAST, *_EQUAL, _SPARSE)}
"""The functions of losses by their names."""
