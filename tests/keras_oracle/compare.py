"""One layer made and called in both worlds: what each says of it, as plain data."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.session import Session
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import load, lookup
from tests.keras_oracle.samples import INTEGERS, NAMED_CALLS, TEXTS, Sample


def ours(name: str, sample: Sample) -> dict[str, Any]:
    """Make and call the modelled layer."""
    load("keras")
    with session.installed(Session(recording=False)):
        try:
            return _described(_Modelled(), name, sample)
        except (Fault, ValueError, TypeError, IndexError) as error:
            return {"error": f"{type(error).__name__}: {error}"}
        except Undecidable as undecidable:
            return {"unknown": undecidable.unknown.reason}


def theirs(name: str, sample: Sample) -> dict[str, Any]:
    """Make and call the real layer."""
    import keras

    keras.utils.clear_session()
    try:
        return _described(keras, name, sample)
    except Exception as error:  # whatever the backend raises, it refuses
        return {"error": f"{type(error).__name__}: {error}"}


class _Modelled:
    """The modelled names, as attributes."""

    def __init__(self, start: str = "keras") -> None:
        self._start = start

    def __getattr__(self, name: str) -> Any:
        found = lookup(f"{self._start}.{name}")
        if isinstance(found, Unknown):
            raise AttributeError(found.reason)
        return found


def _described(keras: Any, name: str, sample: Sample) -> dict[str, Any]:
    arguments = {key: _value(keras, key, value) for key, value in sample.arguments.items()}
    layer = getattr(keras.layers, name)(**arguments)
    dtype = "int32" if name in INTEGERS else "string" if name in TEXTS else "float32"

    def tensor(shape: Any) -> Any:
        return keras.KerasTensor(shape, dtype=dtype)

    if name in NAMED_CALLS:
        outputs = layer(**{key: tensor(shape) for key, shape in sample.shapes.items()})
    elif isinstance(sample.shapes, list):
        outputs = layer([tensor(shape) for shape in sample.shapes])
    else:
        outputs = layer(tensor(sample.shapes))
    flat = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    if any(isinstance(output, Unknown) or isinstance(output.shape, Unknown) for output in flat):
        return {"unknown": str(flat)}
    return {
        "name": layer.name,
        "outputs": [(tuple(output.shape), str(output.dtype)) for output in flat],
        "weights": [
            (weight.path, tuple(weight.shape), str(weight.dtype), bool(weight.trainable)) for weight in layer.weights
        ],
    }


def _value(keras: Any, key: str, value: Any) -> Any:
    if key in ("layer", "cell") and isinstance(value, str):
        return eval(f"layers.{value}", {"layers": keras.layers})
    return value


def difference(name: str, sample: Sample) -> str | None:
    """Return how the two differ, None where they agree or ours does not know."""
    mine, real = ours(name, sample), theirs(name, sample)
    if "unknown" in mine:
        return None
    if ("error" in mine) != ("error" in real):
        return f"{name}({sample.arguments}) on {sample.shapes}: ours {mine}, real {real}"
    if "error" in mine or _same(mine, real):
        return None
    return f"{name}({sample.arguments}) on {sample.shapes}:\n  ours {mine}\n  real {real}"


def _same(mine: dict[str, Any], real: dict[str, Any]) -> bool:
    """Tell whether two descriptions agree; a size that Keras leaves open may be known here."""
    if (
        mine["weights"] != real["weights"]
        or mine["name"] != real["name"]
        or len(mine["outputs"]) != len(real["outputs"])
    ):
        return False
    return all(
        dtype == other and len(shape) == len(expected) and all(b is None or a == b for a, b in zip(shape, expected))
        for (shape, dtype), (expected, other) in zip(mine["outputs"], real["outputs"])
    )
