"""Reading a network off, for every framework, interpreted or run: modules, calls, operations, shapes, notes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from cutaway.core import session
from cutaway.core.architecture import (
    EVALUATION,
    TRAINING,
    Architecture,
    Cause,
    Condition,
    Diagnostic,
    DiagnosticNote,
    ModuleCall,
    Note,
    Op,
    Quantity,
    Setting,
    Shape,
    Temporary,
    Value,
    Weight,
)
from cutaway.core.architecture import Module as ModuleRecord
from cutaway.core.place import Place
from cutaway.core.record import dataclass, replace
from cutaway.core.session import PRESUMED, Call, Reference, Session
from cutaway.core.size.dim import Dim, is_known, rewritten, unknown_size
from cutaway.core.size.parser import detached
from cutaway.core.unknown import Exhausted, Opaque, Undecidable, Unknown
from cutaway.knowledge.base.causes import Causes
from cutaway.knowledge.base.describe import LazyMapping, bind_by_name, class_name, describe, qualified_name


@dataclass(frozen=True, slots=True)
class Contents:
    """What a framework finds in a network, each by its own names: modules by path, weights, inputs.

    `record` describes a module, from its path, itself and its calls; `number` is the value that a weight is in the
    dataflow graph. Of a network that is interpreted, `unknown_parts` enters what is not known as it was built. `calls`
    are those of each module, by identity, where they are not the ones below the network's own call. `mode` is the one in
    which it was called.
    """

    modules: list[tuple[str, Any]]
    weights: list[tuple[Weight, Any]]
    inputs: list[tuple[str, Reference]]
    record: Callable[[str, Any, list[Call]], ModuleRecord]
    number: Callable[[Any], int | None]
    unknown_parts: Callable[[Causes], None] | None = None
    calls: dict[int, list[Call]] | None = None
    separator: str = "."
    mode: str | None = None


def architecture(
    name: str, target: str, framework: str, gathered: Session, call: Call | None, contents: Contents
) -> Architecture:
    """Put together what is in a network and what was recorded of its call, interpreted or run."""
    paths = {id(module): path for path, module in contents.modules}
    calls = calls_below(gathered, call, paths) if contents.calls is None else contents.calls
    names: dict[int | None, str] = {}
    names.update({contents.number(held): weight.name for weight, held in contents.weights if weight.tied_to is None})
    names.update({reference.number: label for label, reference in contents.inputs})
    as_built = gathered.presumed if call is None else call.presumed_before  # forward does not change what is shown
    assumed = _assumed_parts(contents, as_built) if as_built else {}
    leaving = () if call is None else _texts(call.presumed)
    return Architecture(
        name=name,
        target=target,
        framework=framework,
        inputs=tuple(Value(label, shape_of(r), dtype_of(r)) for label, r in contents.inputs),
        outputs=tuple(
            Value(label, shape_of(r), dtype_of(r), assumed=leaving) for label, r in (call and call.outputs) or []
        ),
        modules=tuple(
            _marked(contents.record(path, module, calls.get(id(module), [])), assumed.get(id(module)))
            for path, module in contents.modules
        ),
        weights=tuple(_marked(weight, assumed.get(weight.name)) for weight, _ in contents.weights),
        ops=tuple(operations(gathered, call, paths, names)),
        unknowns=notes(gathered, paths),
        assumptions=assumptions(gathered),
        diagnostics=diagnostics(gathered),
        separator=contents.separator,
        causes=_causes(gathered, call, calls, contents),
        conditions=conditions(gathered),
        mode=contents.mode,
        results=tuple(names.get(r.number, f"v{r.number}") for _, r in (call and call.outputs) or []),
    )


def _assumed_parts(contents: Contents, as_built: tuple[session.Note, ...]) -> dict[int | str, tuple[str, ...]]:
    """Return what modules, by identity, and weights, by name, depend on of what was presumed when they were built.

    What a module consists of depends on what its parts depend on. Which parts it has, of those that were made before,
    depends on what decided how its construction went on.
    """
    notes: dict[str, list[session.Note]] = {}
    for path, module in contents.modules:
        construction = module.__dict__.get("_construction")
        above = notes.get(path.rpartition(contents.separator)[0], ()) if path else ()
        deciding = [note for note in above if note.decides]
        notes[path] = [*deciding, *getattr(construction, "presumed", ()), *module.__dict__.get(PRESUMED, ())]
    parts: dict[int | str, tuple[str, ...]] = {}
    for weight, held in contents.weights:
        number, owner = contents.number(held) or 0, weight.module or ""
        later = [note for note in as_built if number > note.since]
        parts[weight.name] = _texts(note for note in (*notes.get(owner, ()), *later) if note in as_built)
        notes.setdefault(owner, []).extend(later)
    for path, _ in reversed(contents.modules):
        if path:
            notes.setdefault(path.rpartition(contents.separator)[0], []).extend(notes[path])
    for path, module in contents.modules:
        parts[id(module)] = _texts(note for note in notes[path] if note in as_built)
    return parts


def _texts(notes: Iterable[session.Note]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note.text for note in notes))


def _marked(record: Any, assumed: tuple[str, ...] | None) -> Any:
    if not assumed:
        return record
    if not isinstance(record, ModuleRecord):
        return replace(record, assumed=assumed)
    return replace(record, assumed=assumed, origins=LazyMapping(partial(_assumed_origins, record.origins)))


def _assumed_origins(origins: Mapping[str, Setting]) -> dict[str, Setting]:
    """Return how the arguments of a module are known that depends on an assumption."""
    return {name: "assumed" if origin == "derived" else origin for name, origin in origins.items()}


def _causes(
    gathered: Session, call: Call | None, calls: dict[int, list[Call]], contents: Contents
) -> tuple[Cause, ...]:
    """Return what the unknowns of an interpreted network depend on."""
    if contents.unknown_parts is None:
        return ()
    causes = Causes(gathered)
    if call is not None:
        causes.operations(gathered.operations[call.first_operation : call.last_operation])
        causes.calls({path: calls.get(id(module), []) for path, module in contents.modules}, contents.separator)
    contents.unknown_parts(causes)
    return causes.listed()


def weight_number(held: Any) -> int | None:
    """Return the value that an abstract tensor is in the dataflow graph."""
    return None if isinstance(held, Unknown) else held._number  # type: ignore[no-any-return]


def unknown_parts(modules: list[tuple[str, Any]], weights: list[tuple[Weight, Any]], causes: Causes) -> None:
    """Enter the modules and weights that are not known as they were built."""
    for path, module in modules:
        if "_incomplete" in module.__dict__:
            causes.module(path, module.__dict__["_incomplete"])
    for weight, held in weights:
        causes.weight(weight.name, held.reference())


def mode_name(training: object) -> str | None:
    """Return the name of the mode of a network; None where it is not known."""
    return {True: TRAINING, False: EVALUATION}.get(training) if isinstance(training, bool) else None


def signature_of(forward: Any) -> inspect.Signature:
    """Return the signature of the target's forward, an empty one where it can't be called, which has been noted."""
    try:
        return session.current().signature(forward)
    except (Exception, Undecidable, Exhausted):
        return inspect.Signature()


def named_inputs(signature: inspect.Signature, call: Call) -> Iterator[tuple[str, Reference]]:
    """Name the inputs of a call by the parameters of forward."""
    parameters = list(signature.parameters.values())
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    star = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "input")
    for path, reference in call.inputs:
        side, _, rest = path.partition(".")
        head, _, tail = rest.partition(".")
        if side == "0":
            index = int(head)
            head = positional[index] if index < len(positional) else f"{star}.{index - len(positional)}"
        yield (f"{head}.{tail}" if tail else head), reference


def calls_below(gathered: Session, root: Call | None, paths: dict[int, str]) -> dict[int, list[Call]]:
    """Return the calls within a call, by the identity of their modules."""
    found: dict[int, list[Call]] = {}
    if root is None:
        return found
    start = gathered.calls.index(root)
    for call in gathered.calls[start:]:
        if call is not root and call.depth <= root.depth:
            break
        if id(call.module) in paths:
            found.setdefault(id(call.module), []).append(call)
    for first, last, place in gathered.unordered:
        inside = {id(call) for call in gathered.calls[first:last]}
        for calls in found.values():
            if _blur(calls, [at for at, call in enumerate(calls) if id(call) in inside]):
                gathered.note(Unknown(_UNORDERED, place))
    return found


_UNORDERED = "a set of strings is iterated over, in an order that differs from run to run"


def _blur(calls: list[Call], places: list[int]) -> bool:
    """Leave open in what calls of a module differ, where it is not settled which comes first; False if in nothing."""
    together = [calls[at] for at in places]
    if len(together) < 2 or any(call.outputs is None for call in together):
        return False
    inputs = _alike([call.inputs for call in together])
    outputs = _alike([call.outputs or [] for call in together])
    if all(call.inputs == inputs and call.outputs == outputs for call in together):
        return False
    for at in places:
        calls[at] = replace(calls[at], inputs=inputs or calls[at].inputs, outputs=outputs or calls[at].outputs)
    return True


def _alike(several: list[list[tuple[str, Reference]]]) -> list[tuple[str, Reference]]:
    """Return values with what they have in common; nothing where there are not as many of them each time."""
    if len({len(values) for values in several}) > 1:
        return []
    return [(column[0][0], _common([reference for _, reference in column])) for column in zip(*several)]


def _common(references: list[Reference]) -> Reference:
    first = references[0]
    shapes = [reference.shape for reference in references]
    if all(shape == shapes[0] for shape in shapes):
        return first
    if any(isinstance(shape, Unknown) or len(shape) != len(shapes[0]) for shape in shapes):
        return Reference(first.number, Unknown("which of several shapes comes first is not settled"), first.dtype)
    sizes = [column[0] if len(set(column)) == 1 else unknown_size() for column in zip(*shapes)]
    return Reference(first.number, tuple(sizes), first.dtype)


def module_record(
    module: Any, path: str, calls: list[Call], config: LazyMapping, source: Place | None, **more: Any
) -> ModuleRecord:
    """Describe one module; its configuration is described when it is looked at."""
    cls = type(module)
    return ModuleRecord(
        path=path,
        class_name=class_name(cls),
        qualified_name=qualified_name(cls),
        config=config,
        source=source,
        calls=module_calls(calls),
        **more,
    )


def built_modules(repeats: Mapping[str, Any] | None = None) -> Callable[[str, Any, list[Call]], ModuleRecord]:
    """Return what describes the modules of an interpreted network; `repeats` has those that there are several of, by path."""
    here = session.current()

    def record(path: str, module: Any, calls: list[Call]) -> ModuleRecord:
        construction = module.__dict__.get("_construction")
        incomplete = "_incomplete" in module.__dict__ or isinstance(module, Opaque)
        incomplete = incomplete or any(
            isinstance(part, Unknown) for part in module.__dict__.get("_modules", {}).values()
        )
        config = LazyMapping(partial(_config, module, here.signature))
        return module_record(
            module, path, calls, config, construction.place if construction else None,
            complete=not incomplete,
            repeat=as_quantity((repeats or {}).get(path, 1)),
            origins=LazyMapping(partial(_origins, type(module), construction, config, here)),
        )  # fmt: skip

    return record


def constructor_arguments(module: Any, signature: Callable[[Any], inspect.Signature]) -> dict[str, Any]:
    """Return the arguments that a module was made with, by name, defaults filled in."""
    construction = module.__dict__.get("_construction")
    if construction is None:
        return {}
    return dict(bind_by_name(signature(type(module).__init__), (module, *construction.args), construction.kwargs))


def _config(module: Any, signature: Callable[[Any], inspect.Signature]) -> dict[str, Setting]:
    return {name: describe(value) for name, value in constructor_arguments(module, signature).items()}


def _origins(cls: type, construction: Any, config: LazyMapping, here: Session) -> dict[str, Setting]:
    """Return how each argument of a constructor is known."""
    place = construction.place if construction else None
    try:
        parameters = list(here.signature(cls.__init__).parameters)[1:]  # type: ignore[misc]
    except (TypeError, ValueError, Undecidable):
        parameters = []
    written = here.literals(place, class_name(cls), parameters)
    return {name: _origin(name, value, written) for name, value in config.items()}


def _origin(name: str, value: Setting, written: dict[str, bool] | None) -> str:
    if isinstance(value, dict) and "unknown" in value:
        return "unknown"
    if isinstance(value, Dim):
        return "symbolic"
    if written is None or written.get(name) is False:
        return "derived"
    return "literal" if name in written else "default"


def module_calls(calls: Iterable[Call]) -> tuple[ModuleCall, ...]:
    """Return calls in the form of the representation."""
    return tuple(
        ModuleCall(
            tuple(shape_of(r) for _, r in call.inputs),
            None if call.outputs is None else tuple(shape_of(r) for _, r in call.outputs),
            tuple(dtype_of(r) for _, r in call.inputs),
            tuple(dtype_of(r) for _, r in call.outputs or ()),
            assumed=_texts(call.presumed or call.presumed_before),
        )
        for call in calls
    )


def operations(
    gathered: Session, call: Call | None, paths: dict[int, str], names: Mapping[int | None, str]
) -> Iterator[Op]:
    """Yield the operations within a call; values go by `names`, or by their numbers."""
    if call is None:
        return

    def value(reference: Reference) -> Value:
        return Value(names.get(reference.number, f"v{reference.number}"), shape_of(reference), dtype_of(reference))

    start = call.first_operation
    freed: dict[int, list[str]] = {}
    for number, done in gathered.freed.items():
        freed.setdefault(done - 1, []).append(names.get(number, f"v{number}"))
    for at, operation in enumerate(gathered.operations[start : call.last_operation], start):
        path = paths.get(id(operation.module))
        yield Op(
            operation.op,
            LazyMapping(partial(_attributes, operation.attributes)),
            tuple(value(r) for r in operation.inputs),
            tuple(value(r) for r in operation.outputs),
            _around(at, gathered, paths) if path is None else path,
            operation.place,
            as_quantity(operation.macs),
            operation.allocates,
            repeat=as_quantity(_times(at, gathered)) if gathered.spans else 1,
            assumed=_texts(operation.presumed) if operation.presumed else (),
            frees=tuple(freed.get(at, ())),
            temporaries=tuple(_temporary(reference, kept, names) for reference, kept in operation.temporaries),
        )


def _temporary(reference: Reference, kept: bool, names: Mapping[int | None, str]) -> Temporary:
    copies = names.get(reference.number, f"v{reference.number}") if reference.number else None
    return Temporary(shape_of(reference), dtype_of(reference), copies, kept)


def _around(operation: int, gathered: Session, paths: dict[int, str]) -> str:
    """Return the path of the innermost module of the tree that is being called when an operation takes place."""
    found, deepest = "", -1
    for call in gathered.calls:
        if call.first_operation <= operation < call.last_operation and call.depth > deepest:
            path = paths.get(id(call.module))
            if path is not None:
                found, deepest = path, call.depth
    return found


def _times(operation: int, gathered: Session) -> Any:
    """Return how often an operation takes place that was followed once."""
    times: Any = 1
    for span in gathered.spans:
        if span.operations[0] <= operation < span.operations[1]:
            if span.count is None:
                return None
            times = times * span.count
    return times


def conditions(gathered: Session) -> tuple[Condition, ...]:
    """Return the conditions that are settled, but might be otherwise."""
    return tuple(Condition(d.text, d.kind, d.place, d.holds) for d in gathered.conditions.values())


def _attributes(attributes: dict[str, Any]) -> dict[str, Setting]:
    return {name: describe(item) for name, item in attributes.items()}


def as_quantity(size: Any) -> Quantity:
    """Return a size in the form of the representation, None where it is unknown."""
    if isinstance(size, int):
        return size
    if not isinstance(size, Dim):
        return None
    size = rewritten(size)
    return detached(size) if is_known(size) else None


def shape_of(reference: Reference) -> Shape:
    """Return a shape in the form of the representation."""
    if isinstance(reference.shape, Unknown):
        return None
    return tuple([size if type(size) is int else as_quantity(size) for size in reference.shape])


def dtype_of(reference: Reference) -> str | None:
    """Return a dtype's name, None where it is unknown."""
    return None if reference.dtype == "unknown" else reference.dtype


def notes(gathered: Session, paths: dict[int, str]) -> tuple[Note, ...]:
    """Return what is unknown of the modules in `paths`, and of none in particular."""
    return tuple(
        Note(note.text, note.place, paths.get(id(note.module)))
        for note in gathered.unknowns
        if note.module is None or id(note.module) in paths
    )


def assumptions(gathered: Session) -> tuple[Note, ...]:
    """Return what was assumed."""
    return tuple(Note(note.text, note.place) for note in gathered.assumptions)


def diagnostics(gathered: Session) -> tuple[Diagnostic, ...]:
    """Return the faults that were found."""
    return tuple(
        Diagnostic(f.code.value, f.message, f.place, tuple(DiagnosticNote(text, place) for text, place in f.notes))
        for f in gathered.findings
    )
