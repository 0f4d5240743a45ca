"""Reading a network of the target off our model of torch, into an `Architecture`."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from cutaway.core import session
from cutaway.core.architecture import (
    Architecture,
    Diagnostic,
    DiagnosticNote,
    JSONValue,
    ModuleCall,
    Note,
    Op,
    Quantity,
    Shape,
    Value,
    Weight,
)
from cutaway.core.architecture import Module as ModuleRecord
from cutaway.core.dim import Dim, Size, is_known
from cutaway.core.place import Place
from cutaway.core.session import Call, Reference, Session
from cutaway.core.unknown import Opaque, Undecidable, Unknown
from cutaway.knowledge.causes import Causes
from cutaway.knowledge.describe import Described, bind_by_name, class_name, describe, qualified_name
from cutaway.knowledge.framework import FRAMEWORKS
from cutaway.knowledge.inputs import Settings
from cutaway.knowledge.torch.nn.conv import Conv2d
from cutaway.knowledge.torch.nn.module import Module
from cutaway.knowledge.torch.tensor import Tensor, new
from cutaway.knowledge.torch.types import DTYPES

_CONFIGURATIONS = ("config", "_internal_dict", "pretrained_cfg", "default_cfg")
"""The attributes in which libraries of networks keep what a network was made from."""


class Torch:
    """PyTorch, for the interpreter."""

    name = "pytorch"

    def is_network(self, value: object) -> bool:
        return Module in type(value).__mro__

    def is_network_class(self, value: object) -> bool:
        if type not in type(value).__mro__:
            return False
        return Module in type.mro(value) and not str(value.__module__).startswith("torch.")  # type: ignore[arg-type,attr-defined]

    def tensor(self, shape: Sequence[Size] | None, dtype: str, name: str) -> Tensor:
        if shape is None:
            reason = f"the shape of the input {name} is not given: use --input {name}=1x3x224x224"
            made: Tensor = new(Unknown(reason, session.current().place()))
            return made
        made = new(shape, DTYPES[dtype])
        return made

    def forward(self, network: Module) -> Any:
        return network.forward

    def declared(self, network: Module, name: str) -> None:
        return None

    def call(self, network: Module, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return network(*args, **kwargs)

    def origin(self, network: Module) -> Place | None:
        construction = network.__dict__.get("_construction")
        return construction.place if construction is not None else None

    def prepare(self, network: Module) -> None:
        session.current().assume("the network is in evaluation mode")
        network.eval()

    def settings(self, network: Module) -> Settings:
        modules = list(network.modules())
        arguments = _arguments(network, network.__dict__.get("_construction"), session.current().signature)
        held = [module.__dict__.get(name) for module in modules for name in _CONFIGURATIONS]
        first = next((m.__dict__.get("in_channels") for m in modules if isinstance(m, Conv2d)), None)
        return Settings(
            [arguments, *(value for value in held if value is not None)], first if type(first) is int else None
        )

    def parts(self, network: Module) -> list[Any]:
        return list(network.modules())

    def read_off(self, network: Module, name: str, target: str, gathered: Session, call: Call | None) -> Architecture:
        if "_modules" not in network.__dict__:
            raise AttributeError(f"{class_name(type(network))}.__init__() does not call super().__init__()")
        paths = {id(module): path for path, module in network.named_modules()}
        calls = calls_below(gathered, call, paths)
        weights = list(_weights(network))
        names = {t._number: weight.name for weight, t in weights if isinstance(t, Tensor) and weight.tied_to is None}
        inputs = list(named_inputs(_signature(network), call)) if call else []
        names.update({reference.number: label for label, reference in inputs})
        causes = Causes(gathered)
        if call is not None:
            causes.operations(gathered.operations[call.first_operation : call.last_operation])
            causes.calls({path: calls.get(id(module), []) for path, module in network.named_modules()}, ".")
        _unknown_parts(network, weights, causes)
        return Architecture(
            name=name,
            target=target,
            framework=self.name,
            inputs=tuple(Value(label, shape_of(r), dtype_of(r)) for label, r in inputs),
            outputs=tuple(Value(label, shape_of(r), dtype_of(r)) for label, r in (call and call.outputs) or []),
            modules=tuple(_module(module, path, calls.get(id(module), [])) for path, module in network.named_modules()),
            weights=tuple(weight for weight, _ in weights),
            ops=tuple(operations(gathered, call, paths, names)),
            unknowns=tuple(
                Note(note.text, note.place, paths.get(id(note.module)))
                for note in gathered.unknowns
                if note.module is None or id(note.module) in paths
            ),
            assumptions=tuple(Note(note.text, note.place) for note in gathered.assumptions),
            diagnostics=tuple(
                Diagnostic(f.code, f.message, f.place, tuple(DiagnosticNote(text, place) for text, place in f.notes))
                for f in gathered.findings
            ),
            causes=causes.listed(),
        )


def _unknown_parts(network: Module, weights: list[tuple[Weight, Any]], causes: Causes) -> None:
    """Enter the modules and weights that are not known as they were built."""
    stored: dict[int, Unknown] = {}
    for path, module in network.named_modules():
        held = module.__dict__
        unknown = held["_incomplete"] if "_incomplete" in held else getattr(type(module), "_opaque_reason", None)
        if isinstance(unknown, Unknown):
            causes.module(path, unknown)
        for name, child in held.get("_modules", {}).items():
            if isinstance(child, Unknown):
                causes.module(f"{path}.{name}".lstrip("."), child)
        if "_stored" in held:
            stored.update((id(tensor), held["_stored"]) for tensor in held["_parameters"].values())
    for weight, tensor in weights:
        unknown = tensor if isinstance(tensor, Unknown) else stored.get(id(tensor))
        known = tensor.reference() if unknown is None else Reference(0, unknown, "unknown")
        causes.weight(weight.name, known)


def _signature(network: Module) -> inspect.Signature:
    try:
        return session.current().signature(network.forward)
    except (Exception, Undecidable):
        return inspect.Signature()  # a forward that can't be called, which has been remarked as it was


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
    return found


def _module(module: Module, path: str, calls: list[Call]) -> ModuleRecord:
    cls = type(module)
    construction = module.__dict__.get("_construction")
    incomplete = "_incomplete" in module.__dict__ or isinstance(module, Opaque)
    incomplete = incomplete or any(isinstance(child, Unknown) for child in module.__dict__.get("_modules", {}).values())
    return ModuleRecord(
        path=path,
        class_name=class_name(cls),
        qualified_name=qualified_name(cls),
        config=Described(partial(_config, module, construction, session.current().signature)),
        source=construction.place if construction else None,
        calls=module_calls(calls),
        complete=not incomplete,
    )


def module_calls(calls: Iterable[Call]) -> tuple[ModuleCall, ...]:
    """Return calls in the form of the representation."""
    return tuple(
        ModuleCall(
            tuple(shape_of(r) for _, r in call.inputs),
            None if call.outputs is None else tuple(shape_of(r) for _, r in call.outputs),
            tuple(dtype_of(r) for _, r in call.inputs),
            tuple(dtype_of(r) for _, r in call.outputs or ()),
        )
        for call in calls
    )


def _config(module: Module, construction: Any, signature: Any) -> dict[str, JSONValue]:
    return {name: describe(value) for name, value in _arguments(module, construction, signature).items()}


def _arguments(module: Module, construction: Any, signature: Any) -> dict[str, Any]:
    """Return the constructor's arguments by name, defaults filled in."""
    if construction is None:
        return {}
    return dict(bind_by_name(signature(type(module).__init__), (module, *construction.args), construction.kwargs))


def _weights(network: Module) -> Iterator[tuple[Weight, Any]]:
    first: dict[int, str] = {}
    stored = {id(p) for m in network.modules() if "_stored" in m.__dict__ for p in m.__dict__["_parameters"].values()}
    try:
        parameters = list(network.named_parameters(remove_duplicate=False))
        buffers = list(network.named_buffers(remove_duplicate=False))
    except RecursionError:
        session.current().unknown("the network contains itself, or its parts too often: each weight is listed once")
        parameters, buffers = list(network.named_parameters()), list(network.named_buffers())
    for kind, found in (("parameter", parameters), ("buffer", buffers)):
        for name, tensor in found:
            tied = first.setdefault(id(tensor), name)
            known = isinstance(tensor, Tensor)
            hidden = id(tensor) in stored  # in a format that is not known
            yield (
                Weight(
                    name,
                    shape_of(tensor.reference()) if known and not hidden else None,
                    tensor.dtype.name if known and not hidden else None,
                    kind,
                    kind == "parameter" and known and tensor.requires_grad is True,
                    None if tied == name else tied,
                ),
                tensor,
            )


def operations(gathered: Session, call: Call | None, paths: dict[int, str], names: dict[int, str]) -> Iterator[Op]:
    """Yield the operations within a call; values go by `names`, or by their numbers."""
    if call is None:
        return

    def value(reference: Reference) -> Value:
        return Value(names.get(reference.number, f"v{reference.number}"), shape_of(reference), dtype_of(reference))

    for operation in gathered.operations[call.first_operation : call.last_operation]:
        yield Op(
            operation.op,
            Described(partial(_attributes, operation.attributes)),
            tuple(value(r) for r in operation.inputs),
            tuple(value(r) for r in operation.outputs),
            paths.get(id(operation.module), ""),
            operation.place,
            _quantity(operation.macs),
            operation.allocates,
        )


def _attributes(attributes: dict[str, Any]) -> dict[str, JSONValue]:
    return {name: describe(item) for name, item in attributes.items()}


def _quantity(size: Any) -> Quantity:
    if isinstance(size, int):
        return size
    return str(size) if isinstance(size, Dim) and is_known(size) else None


def shape_of(reference: Reference) -> Shape:
    """Return a shape in the form of the representation."""
    if isinstance(reference.shape, Unknown):
        return None
    return tuple([size if type(size) is int else _quantity(size) for size in reference.shape])


def dtype_of(reference: Reference) -> str | None:
    """Return a dtype's name, None where it is unknown."""
    return None if reference.dtype == "unknown" else reference.dtype


FRAMEWORKS.append(Torch())
