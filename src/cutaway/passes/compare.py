"""A static result against what is true, fact by fact: equal, unknown or wrong.

A fact that the static result leaves open is unknown, and so is what `open_parts` says may be there besides what is listed.
Whatever it states is equal or wrong. What is true ends where the network raised: nothing is known of the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from cutaway.core.architecture import EITHER, Architecture, Module, Op, Quantity, Shape, Value, Weight
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Dim
from cutaway.passes.cost import was_followed
from cutaway.passes.hierarchy import children
from cutaway.passes.open_parts import OpenParts
from cutaway.passes.unique_modules import canonical

EQUAL, UNKNOWN, WRONG = "equal", "unknown", "wrong"
FACTS = ("tree", "configuration", "weights", "inputs", "outputs", "calls", "operations", "attributes", "macs", "faults")
"""The kinds of facts, in the order in which they are reported."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact: its kind, what it is about, the verdict, and what the two sides say where they differ."""

    kind: str
    subject: str
    verdict: str
    detail: str = ""


Common = Callable[[Iterable[Op]], Iterable[tuple[str, Shape]]]
"""Operations -> those that both sides have a word for, as what they are in common and the shape that they make."""


def compare(static: Architecture, true: Architecture, common: Common | None = None) -> list[Fact]:
    """Return every fact of a static result with its verdict; `common` where operations have other names on the true side."""
    open_parts, ended = OpenParts(static), was_followed(true)
    facts = [*_tree(static, true, open_parts), *_weights(static, true, open_parts)]
    facts += _values("inputs", static.inputs, true.inputs, was_followed(static) and ended)
    facts += _values("outputs", static.outputs, true.outputs, was_followed(static) and ended)
    facts += _calls(static, true, open_parts, ended)
    if ended:
        facts += (Fact("faults", fault.code, WRONG, f"{fault.message}, but it returns") for fault in static.diagnostics)
    if common is not None:
        followed = open_parts.is_followed and not any(op.condition for op in static.ops)
        return [*facts, *_in_common(list(common(static.ops)), list(common(true.ops)), followed, ended)]
    facts += _operations(static, true, open_parts, ended)
    if true.ops:
        facts.append(_macs(static, true))
    return facts


def counted(facts: Iterable[Fact]) -> dict[str, Counter[str]]:
    """Return how often each verdict was given, by the kind of fact."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in FACTS}
    for fact in facts:
        counts[fact.kind][fact.verdict] += 1
    return counts


def shape_verdict(static: Shape, true: Shape) -> str:
    """Return whether a shape is right; sizes that are no numbers are unknown."""
    if static is None or true is None:
        return EQUAL if static == true else UNKNOWN
    if len(static) != len(true):
        return WRONG
    if any(isinstance(size, int) and size != real for size, real in zip(static, true)):
        return WRONG
    return EQUAL if static == true else UNKNOWN


def _tree(static: Architecture, true: Architecture, open_parts: OpenParts) -> Iterable[Fact]:
    stated = {module.path: module for module in static.modules}
    expected = {module.path: module for module in true.modules}
    for path, real in expected.items():
        module = stated.get(path)
        subject = path or "the root"
        if module is None:
            verdict = UNKNOWN if open_parts.may_have_module(path) else WRONG
            yield Fact("tree", subject, verdict, f"{real.class_name} is missing")
            continue
        if module.class_name == real.class_name:
            yield Fact("tree", subject, EQUAL)
            yield from _configuration(subject, module, real)
        else:
            verdict = UNKNOWN if open_parts.is_conditional(path) else WRONG
            yield Fact("tree", subject, verdict, f"{module.class_name}, is {real.class_name}")
    for path in stated.keys() - expected.keys():
        verdict = UNKNOWN if open_parts.is_conditional(path) else WRONG
        yield Fact("tree", path, verdict, f"{stated[path].class_name} is not there")
    below, truly = children(stated, static.separator), children(expected, true.separator)
    for path in stated.keys() & expected.keys():
        if open_parts.is_settled(path) and not same_order(below[path], truly[path]):
            yield Fact("tree", f"the order of modules in {path or 'the root'}", WRONG, "differs")


def same_order(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether two lists have in the same order what both of them have."""
    return [each for each in one if each in other] == [each for each in other if each in one]


def _configuration(subject: str, static: Module, true: Module) -> Iterable[Fact]:
    if not true.config:
        return
    for name, real in true.config.items():
        value = static.config.get(name)
        if name not in static.config or _is_open(value):
            verdict = UNKNOWN
        else:
            verdict = EQUAL if _same(value, real) else WRONG
        detail = "" if verdict == EQUAL else f"{value!r}, is {real!r}"
        yield Fact("configuration", f"{subject}.{name}", verdict, detail)


def _same(value: Any, real: Any) -> bool:
    """Tell whether two settings agree; of an object that only its class is told of, the class counts."""
    if _class_of(value) is not None or _class_of(real) is not None:
        return _class_of(value) == _class_of(real) or (
            isinstance(real, Mapping) and str(real.get("dataclass")).rpartition(".")[2] == _class_of(value)
        )
    if isinstance(value, list) and isinstance(real, list):
        return len(value) == len(real) and all(map(_same, value, real))
    if isinstance(value, Mapping) and isinstance(real, Mapping):
        return value.keys() == real.keys() and all(_same(value[key], real[key]) for key in value)
    if isinstance(value, str) and isinstance(real, str) and real.startswith(_TENSOR):
        return _same_tensor(value.removeprefix(_TENSOR), real.removeprefix(_TENSOR))
    return canonical({"": value}) == canonical({"": real})


_TENSOR = "<tensor "


def _same_tensor(value: str, real: str) -> bool:
    """Tell whether two tensors are described alike; a running network has no name for a size that it leaves open."""
    (sizes, _, dtype), (true_sizes, _, true_dtype) = value.partition(" "), real.partition(" ")
    pairs = list(zip(sizes.split("x"), true_sizes.split("x")))
    alike = sizes.count("x") == true_sizes.count("x") and dtype == true_dtype
    return alike and all(a == b or (b == "?" and not a.isdigit()) for a, b in pairs)


def _class_of(value: Any) -> str | None:
    described = isinstance(value, str) and value.startswith("<") and value.endswith(">") and " " not in value
    return value[1:-1].rpartition(".")[2] if described else None


def _is_open(value: Any) -> bool:
    """Tell whether a setting, or a part of it, is unknown, symbolic or depends on a condition."""
    if isinstance(value, Mapping):
        return "unknown" in value or "if" in value or any(map(_is_open, value.values()))
    return isinstance(value, Dim) or (isinstance(value, list) and any(map(_is_open, value)))


def _weights(static: Architecture, true: Architecture, open_parts: OpenParts) -> Iterable[Fact]:
    stated = {weight.name: weight for weight in static.weights}
    expected = {weight.name: weight for weight in true.weights}
    for name, real in expected.items():
        weight = stated.get(name)
        if weight is None:
            verdict = UNKNOWN if open_parts.may_have_weight(name, real.module or "") else WRONG
            yield Fact("weights", name, verdict, "is missing")
            continue
        verdict = _weight_verdict(weight, real)
        if weight.tied_to != real.tied_to and verdict != WRONG:
            verdict = UNKNOWN if _may_be_tied(weight, real, stated, expected, open_parts) else WRONG
        if verdict == WRONG and (weight.condition is not None or open_parts.is_conditional(weight.module or "")):
            verdict = UNKNOWN
        detail = "" if verdict == EQUAL else f"{_weight(weight)}, is {_weight(real)}"
        yield Fact("weights", name, verdict, detail)
    for name in stated.keys() - expected.keys():
        held = stated[name]
        sometimes = held.condition is not None or open_parts.is_conditional(held.module or "")
        yield Fact("weights", name, UNKNOWN if sometimes else WRONG, "is not there")
    owned, truly = _by_owner(static), _by_owner(true)
    for path in owned.keys() & truly.keys():
        if open_parts.is_settled(path) and not same_order(owned[path], truly[path]):
            yield Fact("weights", f"the order of weights in {path or 'the root'}", WRONG, "differs")


def _weight_verdict(static: Weight, true: Weight) -> str:
    """Return whether a weight is right, whatever it is tied to."""
    rest = (static.kind, static.dtype or true.dtype, static.trainable)
    if rest != (true.kind, true.dtype, true.trainable):
        return WRONG
    verdict = shape_verdict(static.shape, true.shape)
    return UNKNOWN if verdict == EQUAL and static.dtype is None else verdict


def _may_be_tied(
    weight: Weight, real: Weight, stated: Mapping[str, Weight], expected: Mapping[str, Weight], open_parts: OpenParts
) -> bool:
    """Tell whether a weight is open to be tied as it is: to one that is not listed, though it may be there."""
    if weight.tied_to is not None or real.tied_to is None or real.tied_to in stated:
        return False
    return open_parts.may_have_weight(real.tied_to, expected[real.tied_to].module or "")


def _by_owner(architecture: Architecture) -> dict[str, list[str]]:
    owned: dict[str, list[str]] = {}
    for weight in architecture.weights:
        owned.setdefault(weight.module or "", []).append(weight.name)
    return owned


def _weight(weight: Weight) -> str:
    tied = f" tied to {weight.tied_to}" if weight.tied_to else ""
    return f"{weight.kind} {shape_text(weight.shape)} {weight.dtype}{'' if weight.trainable else ' frozen'}{tied}"


def _values(kind: str, static: Sequence[Value], true: Sequence[Value], followed: bool) -> Iterable[Fact]:
    """Compare inputs or outputs; one without a shape may be any nested value, one with a condition may not be there."""
    open_ended = not followed or any(value.shape is None or value.condition is not None for value in static)
    if len(static) != len(true):
        verdict = UNKNOWN if open_ended else WRONG
        yield Fact(kind, f"the number of {kind}", verdict, f"{len(static)}, is {len(true)}")
        return
    for value, real in zip(static, true):
        verdict = _tensor_verdict((value.shape, value.dtype), (real.shape, real.dtype))
        if value.name != real.name:
            verdict = WRONG
        if verdict == WRONG and open_ended and (value.name != real.name or value.condition is not None):
            verdict = UNKNOWN
        detail = "" if verdict == EQUAL else f"{value.name} {_text(value)}, is {real.name} {_text(real)}"
        yield Fact(kind, real.name or kind, verdict, detail)


def _tensor_verdict(static: tuple[Shape, str | None], true: tuple[Shape, str | None]) -> str:
    verdict = shape_verdict(static[0], true[0])
    if verdict == WRONG or (None not in (static[1], true[1]) and static[1] != true[1]):
        return WRONG
    return UNKNOWN if static[1] is None and true[1] is not None else verdict


def _calls(static: Architecture, true: Architecture, open_parts: OpenParts, ended: bool) -> Iterable[Fact]:
    stated = {module.path: module for module in static.modules}
    for real in true.modules:
        module = stated.get(real.path)
        if module is None:
            continue
        subject = real.path or "the root"
        if len(module.calls) != len(real.calls):
            is_open = _may_be_as_many(module, len(real.calls), open_parts.may_be_called_again(real.path), ended)
            detail = f"{len(module.calls)} calls, are {len(real.calls)}"
            yield Fact("calls", subject, UNKNOWN if is_open else WRONG, detail)
            continue
        for at, (call, truth) in enumerate(zip(module.calls, real.calls)):
            name = subject if len(real.calls) == 1 else f"{subject} call {at + 1}"
            sides = (
                ("inputs", call.inputs, truth.inputs, call.input_dtypes, truth.input_dtypes),
                ("outputs", call.outputs, truth.outputs, call.output_dtypes, truth.output_dtypes),
            )
            for side, shapes, true_shapes, dtypes, true_dtypes in sides:
                yield _flow(f"{name} {side}", shapes, true_shapes, dtypes, true_dtypes)


def _may_be_as_many(module: Module, count: int, again: bool, ended: bool) -> bool:
    """Tell whether a module may be called as often as it is, though another number of calls is listed."""
    certain = [call for call in module.calls if call.outputs is not None and call.condition is None]
    return (len(certain) <= count or not ended) and (len(module.calls) >= count or again)


def _flow(
    subject: str,
    shapes: Sequence[Shape] | None,
    true_shapes: Sequence[Shape] | None,
    dtypes: Sequence[str | None],
    true_dtypes: Sequence[str | None],
) -> Fact:
    if shapes is None or true_shapes is None:
        verdict = EQUAL if shapes is None and true_shapes is None else UNKNOWN
        return Fact("calls", subject, verdict, "" if verdict == EQUAL else "did not return")
    detail = f"{_shapes(shapes)}, is {_shapes(true_shapes)}"
    if len(shapes) != len(true_shapes):
        return Fact("calls", subject, UNKNOWN if None in shapes else WRONG, detail)
    kinds = list(dtypes) or [None] * len(shapes)
    true_kinds = list(true_dtypes) or [None] * len(shapes)
    pairs = zip(zip(shapes, kinds), zip(true_shapes, true_kinds))
    verdicts = {_tensor_verdict(left, right) for left, right in pairs}
    verdict = WRONG if WRONG in verdicts else UNKNOWN if UNKNOWN in verdicts else EQUAL
    if verdict == EQUAL:
        return Fact("calls", subject, EQUAL)
    if [*shapes] == [*true_shapes]:
        detail = f"{', '.join(map(str, kinds))}, is {', '.join(map(str, true_kinds))}"
    return Fact("calls", subject, verdict, detail)


def _operations(static: Architecture, true: Architecture, open_parts: OpenParts, ended: bool) -> Iterable[Fact]:
    """Compare the operations, as many as there are of each name and output; attributes where the order agrees too."""
    if not true.ops:
        return
    stated = [op for op in static.ops if op.op != EITHER]
    ordered = [_signature(op) for op in stated], [_signature(op) for op in true.ops]
    counts, expected = map(Counter, ordered)
    is_moved = counts == expected and ordered[0] != ordered[1]
    if [op.op for op in stated] == [op.op for op in true.ops] and not is_moved:
        for op, real in zip(stated, true.ops):
            yield from _operation(op, real)
        return
    yield from _counted(stated, true.ops, open_parts, ended)


def _counted(stated: Sequence[Op], real: Sequence[Op], open_parts: OpenParts, ended: bool) -> Iterable[Fact]:
    """Compare how many operations there are of each name and output in each module."""
    counts, expected = Counter(map(_placed_signature, stated)), Counter(map(_placed_signature, real))
    for (_, name, _), count in (expected & counts).items():
        yield from (Fact("operations", name, EQUAL) for _ in range(count))
    missing, surplus = expected - counts, counts - expected
    sometimes = Counter(_placed_signature(op) for op in stated if op.condition is not None or op.repeat != 1)
    for key, count in missing.items():
        path, name, shapes = key
        vague = [other for other in surplus if other[:2] == key[:2] and _may_make(other[2], shapes)]
        for other in vague:
            matched = min(count, surplus[other])
            yield from (Fact("operations", name, UNKNOWN, _makes(other)) for _ in range(matched))
            surplus[other] -= matched
            count -= matched
        if count:
            verdict = UNKNOWN if open_parts.may_do_more(path) else WRONG
            yield Fact("operations", name, verdict, f"missing {count} times: {_makes(key)}")
    for key, count in (+surplus).items():
        verdict = UNKNOWN if not ended or count <= sometimes[key] else WRONG
        yield Fact("operations", key[1], verdict, f"{count} too many: {_makes(key)}")


def _may_make(shapes: Sequence[Shape], real: Sequence[Shape]) -> bool:
    """Tell whether shapes that are stated leave open that they are the real ones."""
    if len(shapes) != len(real):
        return None in shapes
    return all(shape_verdict(shape, true) != WRONG for shape, true in zip(shapes, real))


def _makes(key: tuple[str, str, tuple[Shape, ...]]) -> str:
    return f"makes {_shapes(key[2])} in {key[0] or 'the root'}"


def _in_common(
    stated: Sequence[tuple[str, Shape]], real: Sequence[tuple[str, Shape]], followed: bool, ended: bool
) -> Iterable[Fact]:
    """Compare operations by what they are in common and the shapes that they make, as many as there are of each."""
    counts, expected = Counter(stated), Counter(real)
    for (name, _), count in (expected & counts).items():
        yield from (Fact("operations", name, EQUAL) for _ in range(count))
    for (name, shape), count in (expected - counts).items():
        verdict = WRONG if followed and shape is not None else UNKNOWN
        yield Fact("operations", name, verdict, f"missing {count} times: makes {shape_text(shape)}")
    open_shapes = any(shape is None for _, shape in real)
    for (name, shape), count in (counts - expected).items():
        known = shape is not None and all(map(_is_int, shape)) and ended and followed and not open_shapes
        yield Fact("operations", name, WRONG if known else UNKNOWN, f"{count} too many: makes {shape_text(shape)}")


def _is_int(size: Quantity) -> bool:
    return isinstance(size, int)


def _operation(static: Op, true: Op) -> Iterable[Fact]:
    subject = f"{true.op} in {true.module or 'the root'}"
    outputs = _flow(subject, *_sides(static, true, "outputs"))
    inputs = _flow(subject, *_sides(static, true, "inputs"))
    worst = next((fact for fact in (outputs, inputs) if fact.verdict == WRONG), None)
    worst = worst or next((fact for fact in (outputs, inputs) if fact.verdict == UNKNOWN), outputs)
    if worst.verdict == EQUAL and static.module != true.module:
        worst = Fact("operations", subject, WRONG, f"in {static.module or 'the root'}")
    yield Fact("operations", subject, worst.verdict, worst.detail)
    for name, real in true.attributes.items():
        value = static.attributes.get(name)
        if name not in static.attributes or _is_open(value):
            verdict = UNKNOWN
        else:
            verdict = EQUAL if _same(value, real) else WRONG
        detail = "" if verdict == EQUAL else f"{value!r}, is {real!r}"
        yield Fact("attributes", f"{subject}: {name}", verdict, detail)


def _sides(static: Op, true: Op, side: str) -> tuple[Any, Any, Any, Any]:
    left, right = getattr(static, side), getattr(true, side)
    return (
        [value.shape for value in left],
        [value.shape for value in right],
        [value.dtype for value in left],
        [value.dtype for value in right],
    )


def _signature(op: Op) -> tuple[str, tuple[Shape, ...]]:
    return op.op, tuple(value.shape for value in op.outputs)


def _placed_signature(op: Op) -> tuple[str, str, tuple[Shape, ...]]:
    return op.module, *_signature(op)


def _macs(static: Architecture, true: Architecture) -> Fact:
    stated, real = static.totals.macs, true.totals.macs
    if not isinstance(stated, int) or not isinstance(real, int):
        return Fact("macs", "the network", UNKNOWN, f"{_quantity(stated)}, is {_quantity(real)}")
    detail = "" if stated == real else f"{stated:,}, is {real:,}"
    return Fact("macs", "the network", EQUAL if stated == real else WRONG, detail)


def _quantity(value: Quantity) -> str:
    return "unknown" if value is None else str(value)


def shape_text(shape: Shape) -> str:
    """Return a shape as `1x3x224x224`, with `?` for what is unknown."""
    if shape is None:
        return "?"
    return "x".join("?" if size is None else str(size) for size in shape) or "()"


def _shapes(shapes: Sequence[Shape]) -> str:
    return ", ".join(map(shape_text, shapes)) or "no tensor"


def _text(value: Value) -> str:
    return f"{shape_text(value.shape)} {value.dtype or '?'}"
