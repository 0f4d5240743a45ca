"""The weights that a file stores, entered into the network that its configuration describes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cutaway.core.architecture import Architecture, ModuleCall, Note, Shape, Weight
from cutaway.core.place import Place
from cutaway.core.record import replace
from cutaway.formats import weights
from cutaway.formats.description import Description, StoredLayer
from cutaway.formats.pickled_tensor import Stored

_FRAMEWORK, _SEPARATOR = "keras", "/"


def without_forward(description: Description, reason: str) -> Architecture:
    """Return a network of which only the stored weights are known, and why."""
    named = {name: stored for layer in description.layers or () for name, stored in layer.weights}
    made = weights.architecture(
        named,
        name=description.name,
        target=description.target,
        framework=_FRAMEWORK,
        unknowns=(Note(reason, Place(description.path)),),
    )
    kind = str(description.config.get("class_name") or "")
    root = replace(made.modules[0], class_name=kind, qualified_name=kind, complete=False)
    return replace(made, modules=(root, *made.modules[1:]), unknowns=made.unknowns[1:] if named else made.unknowns)


def with_stored(architecture: Architecture, description: Description) -> Architecture:
    """Return a network with the weights that its file has, under the file's names where it has names."""
    architecture = replace(
        _without_lines(architecture, description.path), name=description.name, target=description.target
    )
    architecture = replace(architecture, unknowns=(*architecture.unknowns, *description.unknowns))
    if description.layers is None or not architecture.modules[0].qualified_name.startswith(_FRAMEWORK):
        return architecture
    matched, contradictions, names = _matched(architecture, description)
    notes = tuple(Note(text, Place(description.path)) for text in contradictions)
    ops = architecture.ops
    if any(old != new for old, new in names.items()):
        ops = tuple(
            replace(op, inputs=tuple(replace(v, name=names[v.name]) if v.name in names else v for v in op.inputs))
            for op in ops
        )
    return replace(architecture, weights=tuple(matched), ops=ops, unknowns=(*architecture.unknowns, *notes))


def by_name(architecture: Architecture, description: Description) -> Iterator[tuple[str, Stored]]:
    """Yield what a file stores of the weights of a network that was read from it, by their names in the network."""
    for layer in description.layers or ():
        at = _weights_of(layer, architecture, description.are_named)
        if _fits(at, layer.weights, architecture.weights):
            for index, (_, stored) in zip(at, layer.weights):
                yield architecture.weights[index].name, stored


KEEPS_SHAPES = (
    "Lambda layers, whose code is in the file and is never run, keep the shape of their input: the weights fit"
)


def confirms_kept_shapes(architecture: Architecture, description: Description) -> bool:
    """Tell whether stored weights confirm that Lambda layers keep shapes: all of them fit, and one depends on all sizes."""
    if description.layers is None or not architecture.ops:
        return False
    matched, contradictions, _ = _matched(architecture, description)
    if contradictions or len(matched) != len(architecture.weights) or any(w.kind == "tensor" for w in matched):
        return False
    inputs = [call.inputs for m in architecture.modules if m.class_name == "Lambda" for call in m.calls]
    flattened = [call.inputs for m in architecture.modules if m.class_name == "Flatten" for call in m.calls]
    is_flat = all(shape is not None and len(shape) <= 2 for shapes in inputs for shape in shapes)
    return bool(matched) and (is_flat or any(shape is not None and len(shape) > 2 for s in flattened for shape in s))


def _without_lines(architecture: Architecture, path: str) -> Architecture:
    """Drop places in the program that stands for the configuration; inputs get the shape that they are given."""
    inputs = {value.name: value for value in architecture.inputs}
    modules = []
    for module in architecture.modules:
        value = inputs.get(module.path)
        calls = module.calls
        if value is not None and not calls:
            calls = (ModuleCall((), (value.shape,), (), (value.dtype,)),)
        is_own = module.source is None or module.source.file == path
        modules.append(replace(module, source=None if is_own else module.source, calls=calls))
    ops = tuple(replace(op, source=None) if op.source and op.source.file == path else op for op in architecture.ops)
    return replace(architecture, modules=tuple(modules), ops=ops)


def _matched(architecture: Architecture, description: Description) -> tuple[list[Weight], list[str], dict[str, str]]:
    """Return the weights as they are stored, what of that contradicts the configuration, and new names by former ones."""
    result = dict(enumerate(architecture.weights))
    contradictions: list[str] = []
    extra: list[Weight] = []
    assert description.layers is not None
    paths = {module.path for module in architecture.modules}
    for layer in description.layers:
        at = _weights_of(layer, architecture, description.are_named)
        if _fits(at, layer.weights, architecture.weights):
            for index, (name, stored) in zip(at, layer.weights):
                result[index] = _as_stored(architecture.weights[index], name, stored, description)
            continue
        if not layer.weights:
            continue
        former = _in_former_layout(at, layer, architecture.weights)
        if former and len(former) == len(at):
            for index, (name, stored) in zip(at, layer.weights):
                result[index] = _as_stored(architecture.weights[index], name, stored, description)
            continue
        where = _SEPARATOR.join(layer.path) or layer.weights[0][0].rpartition("/")[0]
        if at and not former:
            contradictions.append(_contradiction(where, at, layer, architecture))
        home = _SEPARATOR.join(layer.path)
        home = home if home in paths else layer.path[0] if layer.path and layer.path[0] in paths else ""
        for index in at:
            result.pop(index, None)
        if former:
            extra += [_as_stored(weight, *each, description) for weight, each in zip(former, layer.weights)]
            continue
        extra += [
            Weight(name, stored.shape, stored.dtype, "tensor", None, None, home) for name, stored in layer.weights
        ]
    if not any(layer.path for layer in description.layers) and not description.are_named:
        matched, contradictions = _by_shape(architecture, description)
        return matched, contradictions, {}
    names = {architecture.weights[at].name: weight.name for at, weight in result.items()}
    return [*result.values(), *_distinct(extra, result.values())], contradictions, names


def _as_stored(weight: Weight, name: str, stored: Stored, description: Description) -> Weight:
    called = name if description.are_named else weight.name
    return replace(weight, name=called, shape=stored.shape, dtype=stored.dtype)


def _distinct(extra: Sequence[Weight], others: object) -> list[Weight]:
    taken = {weight.name for weight in others}  # type: ignore[attr-defined]
    made = []
    for weight in extra:
        name, number = weight.name, 1
        while name in taken:
            number += 1
            name = f"{weight.name}#{number}"
        taken.add(name)
        made.append(replace(weight, name=name))
    return made


def _weights_of(layer: StoredLayer, architecture: Architecture, whole: bool) -> list[int]:
    """Return which weights belong to a stored layer: with those of layers in it where it lists them as well.

    A file that lists names has trainable weights before others.
    """
    home = _SEPARATOR.join(layer.path)
    listed = architecture.weights
    if not whole:
        return [at for at, weight in enumerate(listed) if weight.module == home]
    inside = [at for at, w in enumerate(listed) if w.module == home or str(w.module).startswith(f"{home}{_SEPARATOR}")]
    return sorted(inside, key=lambda at: not _is_trainable(listed[at]))


def _is_trainable(weight: Weight) -> bool:
    return weight.name.rpartition("/")[2] not in ("moving_mean", "moving_variance") and weight.trainable is not False


def _fits(at: Sequence[int], stored: Sequence[tuple[str, Stored]], listed: Sequence[Weight]) -> bool:
    return len(at) == len(stored) and all(
        _may_be(listed[index].shape, each.shape) for index, (_, each) in zip(at, stored)
    )


def _in_former_layout(at: Sequence[int], layer: StoredLayer, listed: Sequence[Weight]) -> list[Weight]:
    """Return, for each stored tensor, the weight that Keras 1 stored in this form; nothing where the sizes do not agree.

    Its kernels had another order of dimensions, and a recurrent layer stored W, U and b of each gate.
    """
    gates, rest = divmod(len(layer.weights), len(at) or 1)
    if not at or rest or (gates > 1 and len(at) % 3):
        return []
    made = []
    for number, (_, stored) in enumerate(layer.weights):
        weight = listed[at[number if gates == 1 else 3 * (number // (3 * gates)) + number % 3]]
        sizes, other = weight.shape or (), stored.shape or ()
        if gates > 1:
            is_same = bool(other) and (*other[:-1], other[-1] * gates) == tuple(sizes)
        else:
            is_same = tuple(sizes) == tuple(other) or (
                min(len(sizes), len(other)) > 2 and _factors(sizes) == _factors(other)
            )
        if not is_same:
            return []
        made.append(weight)
    return made


def _factors(sizes: Sequence[object]) -> list[str]:
    return sorted(str(size) for size in sizes if size != 1)


def _may_be(shape: Shape, stored: Shape) -> bool:
    """Tell whether what is known of a shape agrees with a stored one."""
    return (
        shape is None
        or stored is None
        or (len(shape) == len(stored) and all(size in (None, other) for size, other in zip(shape, stored)))
    )


def _by_shape(architecture: Architecture, description: Description) -> tuple[list[Weight], list[str]]:
    """Compare the shapes of all weights, for a file that does not say which layer they belong to."""
    assert description.layers is not None
    rest = [(name, stored) for layer in description.layers for name, stored in layer.weights]
    made: list[Weight] = []
    missing = []
    for weight in architecture.weights:
        at = next((i for i, (_, each) in enumerate(rest) if _may_be(weight.shape, each.shape)), None)
        if at is None:
            missing.append(weight.name)
            made.append(weight)
        else:
            stored = rest.pop(at)[1]
            made.append(replace(weight, shape=stored.shape, dtype=stored.dtype))
    contradictions = [f"the file has no weight of the shape of {name}" for name in missing[:20]]
    extra = [Weight(name, each.shape, each.dtype, "tensor", None, None, "") for name, each in rest]
    return [*made, *_distinct(extra, made)], contradictions


def _contradiction(where: str, at: Sequence[int], layer: StoredLayer, architecture: Architecture) -> str:
    said = ", ".join(_sizes(architecture.weights[index].shape) for index in at[:4])
    stored = ", ".join(_sizes(each.shape) for _, each in layer.weights[:4])
    return f"{where}: by the configuration its weights are {said}, but {stored} are stored"


def _sizes(shape: object) -> str:
    return "?" if shape is None else "x".join(map(str, shape)) or "scalar"  # type: ignore[call-overload]
