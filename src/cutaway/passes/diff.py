"""What changed from one network to another: modules, configurations, weights, wiring, and the effect on figures."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from cutaway.core.architecture import Architecture, Module, Op, Quantity, Setting, Weight, symbolic
from cutaway.core.record import dataclass
from cutaway.passes import conversion
from cutaway.passes.compare import shape_text
from cutaway.passes.hierarchy import name_below, owner, weight_below
from cutaway.passes.module_matching import Tree, has_classes, match
from cutaway.passes.object_settings import lists_objects
from cutaway.passes.same_setting import is_same_setting
from cutaway.passes.size_names import paired_inputs, with_names
from cutaway.passes.unique_modules import canonical
from cutaway.passes.weight_contents import is_constant, is_renamed

ADDED, REMOVED, RENAMED, CHANGED = "added", "removed", "renamed", "changed"


@dataclass(frozen=True, slots=True)
class Change:
    """One module that differs; `details` says in what, a line for each."""

    kind: str
    path: str
    class_name: str
    now: str = ""
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Effect:
    """A figure of the whole network before and after."""

    name: str
    before: Quantity
    after: Quantity


@dataclass(frozen=True, slots=True)
class Difference:
    """All that changed from one network to another; and what differs only because a format does not hold it."""

    changes: tuple[Change, ...]
    effects: tuple[Effect, ...]
    losses: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes)


def diff(before: Architecture, after: Architecture) -> Difference:
    """Return what changed from one network to another; with a file of weights, what it has is compared."""
    after = with_names(after, before)
    before = with_names(before, after)
    if _is_conversion(before, after):
        return _converted(before, after)
    by_weights = not (has_classes(before) and has_classes(after))
    left, right = Tree(before, by_weights), Tree(after, by_weights)
    pairs = match(left, right)
    retyped = _retyped(left, right, pairs)
    inputs = {own.name: theirs.name for own, theirs in paired_inputs(after, before)}
    operations = _operations(before, left, pairs), _operations(after, right, {b: b for b in right.modules}, inputs)
    has_forward = bool(_vocabulary(before) & _vocabulary(after))
    is_graph = any(each.ops and not has_classes(each) for each in (before, after))
    changes: list[Change] = []
    taken = set(pairs.values())
    for path, module in left.modules.items():
        if path not in pairs:
            if not _is_below(path, changes, REMOVED, left.separator) and not _only_contains(left, path, pairs):
                changes.append(Change(REMOVED, path, module.class_name, details=_contents(left, path, pairs)))
            continue
        other = pairs[path]
        details = [*_module_changes(module, right.modules[other])]
        details += _weight_changes(left, path, right, other, Ignored(by_weights, bool(retyped), is_graph))
        if retyped and not path:
            details.append(f"all weights {retyped}")
        if not path and not has_forward:
            details += conversion.work(before, after)
        if has_forward:
            details += _wiring_changes(operations[0].get(other, []), operations[1].get(other, []))
        moved = path != other and not _follows(path, other, pairs, left)
        if moved or details:
            changes.append(Change(RENAMED if moved else CHANGED, path, module.class_name, other, tuple(details)))
    for path, module in right.modules.items():
        if path in taken or _is_below(path, changes, ADDED, right.separator) or _only_contains(right, path, taken):
            continue
        changes.append(Change(ADDED, path, module.class_name, details=_contents(right, path, taken)))
    return Difference(tuple(changes), _effects(left, right, before, after, by_weights, has_forward))


def _effects(
    left: Tree, right: Tree, before: Architecture, after: Architecture, by_weights: bool, has_forward: bool
) -> tuple[Effect, ...]:
    names = ("parameters", "trainable_parameters", "buffers", "macs", "weight_bytes")
    effects = [Effect(name, getattr(before.totals, name), getattr(after.totals, name)) for name in names]
    if by_weights:
        effects = [Effect("stored_elements", _stored(left), _stored(right))]
    return tuple(effect for effect in effects if has_forward or effect.name != "macs")


def _is_conversion(before: Architecture, after: Architecture) -> bool:
    """Tell whether one of two networks is a graph, or a file of weights, in the words of another format."""
    for bare, whole in ((before, after), (after, before)):
        if not has_classes(bare) and is_renamed(bare, whole):
            return True
        is_graph = bool(bare.ops) and any(weight.kind == "tensor" for weight in bare.weights)
        if is_graph and whole.ops and not _vocabulary(bare) & _vocabulary(whole):
            return True
    return False


def _converted(before: Architecture, after: Architecture) -> Difference:
    """Compare networks that have names of their own for all that is in them: by what a conversion keeps."""
    found = conversion.compared(before, after)
    changes = [Change(CHANGED, "", before.name, "", tuple(found.details))] if found.details else []
    for kind, architecture, weights in ((REMOVED, before, found.missing), (ADDED, after, found.unexpected)):
        classes = {module.path: module.class_name for module in architecture.modules}
        homes: dict[str, list[Weight]] = {}
        for weight in weights:
            homes.setdefault(weight.module or "", []).append(weight)
        for path, held in homes.items():
            listed = tuple(f"{weight_below(path, weight.name)} {_weight(weight)}" for weight in held)
            changes.append(Change(kind, path, classes.get(path, ""), details=listed))
    effects = [Effect("macs", before.totals.macs, after.totals.macs)] if before.ops and after.ops else []
    return Difference(tuple(changes), tuple(effects), tuple(found.losses))


def _vocabulary(architecture: Architecture) -> set[str]:
    """Return which libraries the names of a network's operations are from; a graph in a file may have others than source."""
    return {op.op.partition("::")[0].partition(".")[0] for op in architecture.ops}


def _is_below(path: str, changes: Iterable[Change], kind: str, separator: str) -> bool:
    """Tell whether a module is part of one that is listed already."""
    return any(each.kind == kind and each.path and path.startswith(f"{each.path}{separator}") for each in changes)


def _only_contains(tree: Tree, path: str, matched: Collection[str]) -> bool:
    """Tell whether a module without a class or weights only stands around others that are matched."""
    bare = not tree.modules[path].class_name and not tree.weights[path]
    return bare and any(each in matched for each in tree.within(path))


def _follows(path: str, other: str, pairs: Mapping[str, str], left: Tree) -> bool:
    """Tell whether a module has another path only because one that contains it was renamed."""
    parent = owner(path.rpartition(left.separator)[0], left.modules, left.separator)
    return pairs.get(parent) == other.rpartition(left.separator)[0] and name_below(parent, path) == name_below(
        pairs[parent], other
    )


def _contents(tree: Tree, path: str, matched: Collection[str]) -> tuple[str, ...]:
    paths = [each for each in tree.within(path) if each not in matched]
    weights = [weight for each in paths for weight in tree.weights[each]]
    details = [f"{len(paths) - 1} modules below"] if len(paths) > 1 else []
    config = tree.modules[path].config
    if len(paths) == 1 and config:
        details.append(", ".join(f"{k}={_value(v)}" for k, v in config.items() if v is not None))
    return (*details, *(f"{weight_below(path, w.name)} {_weight(w)}" for w in weights[:4]))


def _module_changes(before: Module, after: Module) -> Iterable[str]:
    if before.class_name != after.class_name and before.class_name and after.class_name:
        yield f"class {before.class_name} -> {after.class_name}"
    if before.condition != after.condition:
        yield f"there if {before.condition or 'always'} -> {after.condition or 'always'}".replace("if always", "always")
    if before.repeat != after.repeat:
        yield f"how often: {_times(before)} -> {_times(after)}"
    yield from _config_changes(before, after)
    if before.calls and after.calls:
        if len(before.calls) != len(after.calls):
            yield f"called {len(before.calls)} times -> {len(after.calls)} times"
        left_shapes, right_shapes = before.calls[0].outputs, after.calls[0].outputs
        if left_shapes != right_shapes and set(left_shapes or ()) != set(right_shapes or ()):
            yield f"output {_shapes(left_shapes)} -> {_shapes(right_shapes)}"


def _config_changes(before: Module, after: Module) -> Iterable[str]:
    if not before.config or not after.config:
        return
    # Where the construction was not seen, the settings are those that a module keeps as attributes.
    seen = before.source is not None and after.source is not None
    names = dict.fromkeys([*before.config, *after.config])
    for name in names if seen else [name for name in names if name in before.config and name in after.config]:
        left, right = before.config.get(name, _ABSENT), after.config.get(name, _ABSENT)
        if (left is _ABSENT and right is None) or (right is _ABSENT and left is None):
            continue
        if not seen and (None in (left, right) or _spread(left, right)):
            continue
        if lists_objects(left) and lists_objects(right):
            continue  # modules are compared by themselves
        if canonical({"": _plain(left)}) != canonical({"": _plain(right)}) and not is_same_setting(left, right):
            yield f"{name} {_value(left)} -> {_value(right)}"


def _times(module: Module) -> str:
    return "not known" if module.repeat is None else str(module.repeat)


def _spread(left: Any, right: Any) -> bool:
    """Tell whether one is a number, and the other that number for each dimension, as modules keep it."""
    if isinstance(left, (list, tuple)):
        left, right = right, left
    return isinstance(right, (list, tuple)) and bool(right) and all(each == left for each in right)


_ABSENT: Any = object()


def _plain(value: Any) -> Any:
    return "absent" if value is _ABSENT else value


@dataclass(frozen=True, slots=True)
class Ignored:
    """What of weights is not compared: what files of weights do not have; types that all changed alike; numbers of a graph."""

    by_weights: bool = False
    dtype: bool = False
    constants: bool = False


def _retyped(left: Tree, right: Tree, pairs: Mapping[str, str]) -> str:
    """Return the change of the element type, if all floating-point weights made the same one."""
    changes = set()
    count = 0
    for path, other in pairs.items():
        after = {weight_below(other, weight.name): weight for weight in right.weights[other]}
        for weight in left.weights[path]:
            now = after.get(weight_below(path, weight.name))
            if now is not None and weight.dtype and now.dtype and weight.dtype.lstrip("b").startswith("float"):
                changes.add((weight.dtype, now.dtype))
                count += 1
    (was, now_is) = changes.pop() if len(changes) == 1 and count > 1 else ("", "")
    return f"{was} -> {now_is}" if was != now_is else ""


def _stored(tree: Tree) -> Quantity:
    """Return how many elements are in the weights, a tied one once; None where a size is unknown."""
    total = 0
    for weight in (weight for path in tree.weights for weight in tree.weights[path] if weight.tied_to is None):
        sizes = weight.shape
        if sizes is None or not all(isinstance(size, int) for size in sizes):
            return None
        total += math.prod(size for size in sizes if isinstance(size, int))
    return total


def _weight_changes(left: Tree, path: str, right: Tree, other: str, ignored: Ignored) -> Iterable[str]:
    before = {weight_below(path, weight.name): weight for weight in left.weights[path]}
    after = {weight_below(other, weight.name): weight for weight in right.weights[other]}
    for name in dict.fromkeys([*before, *after]):
        one = before.get(name) or after[name]
        if name in before and name in after:
            was, now = (_weight(side[name], ignored) for side in (before, after))
            if was != now:
                yield f"{_kind(before[name], after[name])} {name} {was} -> {now}"
        elif ignored.by_weights and one.tied_to is not None:
            continue  # many files have one name for each tensor
        elif ignored.constants and is_constant(one):
            continue
        else:
            yield f"{one.kind} {name} {_weight(one)} {'added' if name in after else 'removed'}"


def _kind(before: Weight, after: Weight) -> str:
    return before.kind if after.kind == "tensor" else after.kind


def _weight(weight: Weight, ignored: Ignored = Ignored()) -> str:
    dtype = "" if ignored.dtype and weight.dtype and "float" in weight.dtype else f" {weight.dtype or '?'}"
    if ignored.by_weights:
        return f"{shape_text(weight.shape)}{dtype}"
    tied = f" tied to {weight.tied_to}" if weight.tied_to else ""
    frozen = " frozen" if weight.kind == "parameter" and not weight.trainable else ""
    return f"{shape_text(weight.shape)}{dtype}{frozen}{tied}"


@dataclass(frozen=True, slots=True)
class _Node:
    """An operation in the words of the other network: its name and attributes, and where its inputs come from."""

    name: str
    attributes: str
    sources: tuple[str, ...]


def _operations(
    architecture: Architecture, tree: Tree, names: Mapping[str, str], inputs: Mapping[str, str] = {}
) -> dict[str, list[_Node]]:
    """Return the operations of each module, modules and inputs under the names that `names` and `inputs` give them."""
    origins: dict[str, str] = {name: f"input {other}" for name, other in inputs.items()}
    nodes: dict[str, list[_Node]] = {}
    counts: Counter[tuple[str, str]] = Counter()
    weights = {w.name: w for path in tree.weights for w in tree.weights[path]}
    if not has_classes(architecture):  # a graph that is saved again has other names for its constants
        made = {value.name for op in architecture.ops for value in op.outputs}
        free = made | weights.keys() | {value.name for value in architecture.inputs}
        constants = (value.name for op in architecture.ops for value in op.inputs if value.name not in free)
        origins.update(dict.fromkeys(constants, "constant"))
    for op in architecture.ops:
        home = owner(op.module, tree.modules, tree.separator)
        home = names.get(home, f"- {home}")
        settings = {name: value for name, value in op.attributes.items() if value is not None}
        nodes.setdefault(home, []).append(
            _Node(op.op, canonical(settings), _sources(op, origins, weights, tree, names))
        )
        number = counts[home, op.op]
        counts[home, op.op] += 1
        for at, value in enumerate(op.outputs):
            origins[value.name] = f"{home} {op.op} {number} {at}"
    return nodes


def _sources(
    op: Op, origins: Mapping[str, str], weights: Mapping[str, Weight], tree: Tree, names: Mapping[str, str]
) -> tuple[str, ...]:
    sources = []
    for value in op.inputs:
        weight = weights.get(value.name)
        if value.name in origins:
            sources.append(origins[value.name])
        elif weight is not None:
            home = owner(weight.module or "", tree.modules, tree.separator)
            sources.append(f"weight {names.get(home, home)} {weight_below(home, value.name)}")
        else:
            sources.append(f"input {value.name}")
    return tuple(sources)


def _wiring_changes(before: list[_Node], after: list[_Node]) -> Iterable[str]:
    left = Counter((node.name, node.attributes) for node in before)
    right = Counter((node.name, node.attributes) for node in after)
    if left != right:
        for (name, attributes), count in (left - right).items():
            yield f"operation removed: {_operation(name, attributes, count)}"
        for (name, attributes), count in (right - left).items():
            yield f"operation added: {_operation(name, attributes, count)}"
        return
    for old, new in zip(before, after):
        if old.name == new.name and old.sources != new.sources:
            for at, (was, now) in enumerate(zip(old.sources, new.sources)):
                if was != now:
                    yield f"wiring: input {at + 1} of {old.name} is {_source(was)} -> {_source(now)}"


def _operation(name: str, attributes: str, count: int) -> str:
    stated = {k: v for k, v in json.loads(attributes).items() if v not in (None, False)}
    settings = ", ".join(f"{k}={_value(v)}" for k, v in stated.items())
    return f"{name}({settings})" + (f" {count} times" if count > 1 else "")


def _source(text: str) -> str:
    parts = text.split(" ")
    if parts[0] in ("weight", "input"):
        return " ".join(part for part in parts if part)
    return f"{parts[1]} of {parts[0] or 'the root'}" if len(parts) == 4 else text


def _value(value: Setting | Any) -> str:
    text = "nothing" if value is _ABSENT else json.dumps(value, default=symbolic)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _shapes(shapes: Any) -> str:
    return "none" if shapes is None else ", ".join(map(shape_text, shapes))
