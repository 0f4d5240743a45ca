"""The one representation of a network: module tree, weights, forward graph, totals, and what is not known.

Everything is frozen data. Doors make it (`source`, `formats`, `live`); passes, rules and reports read
it. Its JSON form is in `report/json.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from cutaway.core.display import DISPLAY
from cutaway.core.place import Place
from cutaway.core.record import dataclass, field, replace
from cutaway.core.size.dim import Dim

Quantity: TypeAlias = int | Dim | None
"""A whole number; or an expression in named symbols, such as `B*floor(H/2)`; or None, which is unknown.

Expressions are `detached` (`core/size/parser.py`): they say what their string says.
"""

Shape: TypeAlias = tuple[Quantity, ...] | None
"""A size for each dimension; None where not even the number of dimensions is known."""

Setting: TypeAlias = bool | int | float | str | Dim | list["Setting"] | dict[str, "Setting"] | None
"""A configuration value or an attribute: what JSON can hold, and expressions in named symbols."""


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor of the graph: an input, an output, a weight, or what an operation reads or makes.

    In `Architecture.inputs` and `outputs` the name is the path in the nested value: `logits`,
    `hidden.0`, or nothing where the value is one tensor. In an `Op` it identifies the value in the
    whole graph: a weight's name, an input's name, or a number such as `v12`. An output that there is only under
    a condition has it. `assumed` is what an output depends on of what is assumed about the program.
    """

    name: str
    shape: Shape
    dtype: str | None
    condition: str | None = None
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModuleCall:
    """One call of a module: the shapes that went in and came out, flattened in order.

    `outputs` is None where the call did not return. The element types stand beside the shapes; they are
    missing altogether where nothing is known of them. `condition` is given where the call is not always made, `assumed`
    where it depends on something that is assumed about the program.
    """

    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...] | None
    input_dtypes: tuple[str | None, ...] = ()
    output_dtypes: tuple[str | None, ...] = ()
    condition: str | None = None
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Alias:
    """The name of a module or a weight where a condition holds."""

    condition: str
    name: str


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the tree, under the first path by which the framework finds it; the root's is empty.

    `complete` is False where its construction could not be followed to the end, so that weights or
    modules below it may be missing.

    `condition` says when there is such a module, in the user's words, where it is not always there; everything below
    it shares that. One that stands under another name where a condition holds has these in `otherwise`. `repeat` is
    how many there are of it in its parent, all alike but for the index in braces in its path: `layers.{i}`.
    `origins` says of each argument in `config` how it is known: "literal" in the source, "default", "derived",
    "symbolic", "assumed" or "unknown". `assumed` is what the module, and what it consists of, depends on of what is
    assumed about the program.
    """

    path: str
    class_name: str
    qualified_name: str
    config: Mapping[str, Setting] = field(default_factory=dict)
    source: Place | None = None
    calls: tuple[ModuleCall, ...] = ()
    complete: bool = True
    condition: str | None = None
    repeat: Quantity = 1
    otherwise: tuple[Alias, ...] = ()
    origins: Mapping[str, Setting] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()


def symbolic(value: object) -> dict[str, str]:
    """Return the JSON form of an expression in a setting; `json.dumps` takes this function as its `default`."""
    if isinstance(value, Dim):
        return {"symbolic": str(value)}
    raise TypeError(f"{type(value).__name__} is not a setting")


KINDS = ("parameter", "buffer", "tensor")
"""What a weight may be."""


@dataclass(frozen=True, slots=True)
class Weight:
    """A parameter or a buffer, under the framework's own name for it; a `tensor` where a file does not tell which.

    `tied_to` names the weight, earlier in the list, that is the very same tensor. `module` is the path
    of the module that holds it; where it is not given, it is the name up to its last dot. What is not
    `persistent` is left out where weights are saved. `condition` is given where it is not always there, `repeat` is how
    many there are of it in the whole network. `assumed` is what it depends on of what is assumed about the program.
    """

    name: str
    shape: Shape
    dtype: str | None
    kind: str  # one of KINDS
    trainable: bool | None = True  # None where that is not known
    tied_to: str | None = None
    module: str | None = None
    persistent: bool = True
    condition: str | None = None
    repeat: Quantity = 1
    otherwise: tuple[Alias, ...] = ()
    assumed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.module is None:
            object.__setattr__(self, "module", self.name.rpartition(".")[0])
        if self.kind not in KINDS:
            raise ValueError(f"a weight's kind is 'parameter', 'buffer' or 'tensor', not {self.kind!r}")


@dataclass(frozen=True, slots=True)
class Temporary:
    """Memory that an operation takes beside its results while it runs.

    `copies` names the input that it is a copy of, which gradients are then computed from in place of that input; `kept`
    says of one that is no copy that gradients are computed from it, so that training keeps it.
    """

    shape: Shape
    dtype: str | None
    copies: str | None = None
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Op:
    """One operation of the forward graph, in the order of execution.

    `module` is the path of the innermost module that it runs in. `allocates` is False where its
    outputs share memory with an input: a view, or an operation in place. `condition` is given where it does not
    always take place, `repeat` is how often it does; None where that is not known. `assumed` is what it depends on of
    what is assumed about the program. `frees` are the values whose memory nothing refers to any more once it is done;
    where no operation of a network has any, that is not known.

    An `either` is not an operation of the program: it stands where values come together, and is its first input where
    the condition in its attributes holds, its second where it does not.
    """

    op: str
    attributes: Mapping[str, Setting]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    module: str = ""
    source: Place | None = None
    macs: Quantity = 0
    allocates: bool = True
    condition: str | None = None
    repeat: Quantity = 1
    assumed: tuple[str, ...] = ()
    frees: tuple[str, ...] = ()
    temporaries: tuple[Temporary, ...] = ()


EITHER = "either"


@dataclass(frozen=True, slots=True)
class Totals:
    """Figures of the whole network. Parameters and buffers count elements, a tied one once.

    FLOPs are two for each multiply-accumulate. Each is None where a part of it is unknown.
    """

    parameters: Quantity = None
    trainable_parameters: Quantity = None
    buffers: Quantity = None
    macs: Quantity = None
    flops: Quantity = None
    weight_bytes: Quantity = None
    activation_bytes: Quantity = None


@dataclass(frozen=True, slots=True)
class Note:
    """Something unknown, or assumed: where, and in which module, if it concerns one."""

    text: str
    place: Place | None = None
    module: str | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that the network depends on, in the user's words.

    `kind` is what decides it: "configuration" (an argument), "mode" (training or evaluation), "data" (numbers in
    tensors) or "environment" (the machine). `holds` is how it is taken; None where both ways are shown. Of a mode, only
    the one in which each module is is shown, so None says that modules differ in it.
    """

    text: str
    kind: str
    place: Place | None = None
    holds: bool | None = None


EVALUATION, TRAINING = "evaluation", "training"
MODES = (EVALUATION, TRAINING)


@dataclass(frozen=True, slots=True)
class OtherMode:
    """How the forward pass differs in the mode that is not shown: what it returns, which modules and operations run."""

    mode: str  # one of MODES
    differences: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Cause:
    """Where something unknown comes from, and how many modules, weights and operations depend on it.

    A module depends on it if what it consists of, or what comes out of it, is unknown because of it.
    """

    text: str
    place: Place | None = None
    modules: int = 0
    weights: int = 0
    ops: int = 0


@dataclass(frozen=True, slots=True)
class DiagnosticNote:
    """What helps to understand a diagnostic, such as where one of two sizes comes from."""

    text: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A definite fault of the target; `code` is the value of a `FaultCode`, or one that an older document has."""

    code: str
    message: str
    place: Place | None = None
    notes: tuple[DiagnosticNote, ...] = ()


@dataclass(frozen=True, slots=True)
class Allowed:
    """The numbers that a symbol may stand for: those in `ranges`, the last of which may be without end.

    Where there is a `modulus`, also all from `start` on that leave one of the `residues`. `text` says the same in words.
    """

    symbol: str
    text: str
    ranges: tuple[tuple[int, int | None], ...] = ()
    start: int = 1
    modulus: int | None = None
    residues: tuple[int, ...] = ()

    def __contains__(self, number: int) -> bool:
        if any(low <= number and (high is None or number <= high) for low, high in self.ranges):
            return True
        return self.modulus is not None and number >= self.start and number % self.modulus in self.residues


@dataclass(frozen=True, slots=True)
class Precondition:
    """What a network requires of its inputs, inferred from what it does with them.

    `inputs` have symbols for the sizes that are free. They fit if all symbols of one of the `alternatives` are
    allowed; a symbol that is not in it may be any positive number. `keeps` are those with which each sample of a
    batch gives one row of the output, where a reshape might mix them. It is `exact` if all other sizes fail; if not,
    `open` says what else might be required. `because` are the operations that require something, and `also` what
    else is known, such as other ranks.
    """

    inputs: tuple[Value, ...]
    alternatives: tuple[tuple[Allowed, ...], ...]
    keeps: tuple[tuple[Allowed, ...], ...]
    text: str
    exact: bool = True
    also: tuple[str, ...] = ()
    because: tuple[Note, ...] = ()
    open: tuple[Note, ...] = ()

    def admits(self, sizes: Mapping[str, int]) -> bool:
        """Tell whether a network accepts inputs with these sizes, by symbol."""
        return any(all(sizes[allowed.symbol] in allowed for allowed in each) for each in self.alternatives)


@dataclass(frozen=True, slots=True)
class Architecture:
    """A network: what it is called, where it comes from, what it is made of, what it computes.

    `modules` is in the order of a walk from the root, parents before children, as torch's
    `named_modules()` gives it; `ops` is in the order of execution. `separator` stands between the
    names in a module's path. `causes` are the origins of what is unknown, the one that most depends on first. `requires`
    is there where no input was given and one was inferred. `mode` is that of the network in the call that is shown, None
    where there is no call, or where it is not known; `other_mode` is there where the forward pass tests its mode. `results`
    are the names in `ops` of the values that are returned, one for each output.

    Expressions in totals, shapes and counts may have conditions in brackets: `[use_norm]` is 1 where the condition
    holds, and 0 where it does not.
    """

    name: str
    target: str = ""
    framework: str = ""
    inputs: tuple[Value, ...] = ()
    outputs: tuple[Value, ...] = ()
    modules: tuple[Module, ...] = ()
    weights: tuple[Weight, ...] = ()
    ops: tuple[Op, ...] = ()
    totals: Totals = Totals()
    unknowns: tuple[Note, ...] = ()
    assumptions: tuple[Note, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    separator: str = "."
    causes: tuple[Cause, ...] = ()
    requires: Precondition | None = None
    conditions: tuple[Condition, ...] = ()
    mode: str | None = None
    other_mode: OtherMode | None = None
    results: tuple[str, ...] = ()

    def __repr__(self) -> str:
        parameters = self.totals.parameters
        count = (
            f"{parameters:,}" if isinstance(parameters, int) else "unknown" if parameters is None else str(parameters)
        )
        return f"<Architecture {self.name}: {len(self.modules):,} modules, parameters: {count}>"

    def __str__(self) -> str:
        return repr(self) if DISPLAY.text is None else DISPLAY.text(self)

    def _repr_html_(self) -> str | None:
        return None if DISPLAY.html is None else DISPLAY.html(self)


def depending_on(architecture: Architecture, text: str) -> Architecture:
    """Return a network every part of which depends on an assumption."""

    def marked(entries: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(replace(entry, assumed=(*entry.assumed, text)) for entry in entries)

    return replace(
        architecture,
        modules=tuple(replace(module, calls=marked(module.calls)) for module in marked(architecture.modules)),
        weights=marked(architecture.weights),
        ops=marked(architecture.ops),
        outputs=marked(architecture.outputs),
    )
