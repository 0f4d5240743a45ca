"""How an operation becomes a row: a rule with the API's own signature that returns `Out`s.

    @op("keras.ops.relu")
    def relu(x):
        return Out(x._shape, x._dtype)

The rule is called with the target's arguments. Its `Out`s become tensors, and the operation is recorded with its
tensors as inputs and everything else as attributes under the API's own names. A `Fault` in the rule is a fault of
the target; a decision that can't be made makes the result unknown.

A framework derives its tensors from `AbstractTensor` and a class from `Caller`, which makes one of them from an `Out`;
its `op` registers the functions of these callers under the names of its API.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.record import dataclass
from cutaway.core.session import Operation, Reference, Session
from cutaway.core.size.dim import Dim, Size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.rule_parameters import layout
from cutaway.knowledge.base.tensor import AbstractTensor
from cutaway.knowledge.base.tensors_in import ATOMS
from cutaway.knowledge.base.values import Lazy

T = TypeVar("T", bound=AbstractTensor)


class Out:
    """One tensor that a rule returns.

    `values` is what `compute` returned; `macs` counts multiply-accumulates; `view` says that it shares memory with the
    first tensor argument. `temporaries` are what the operation allocates besides: each with the number of the tensor that
    it is a copy of, 0 for none, and whether gradients are computed from it.
    """

    __slots__ = ("dtype", "macs", "shape", "temporaries", "values", "view")

    shape: Any
    dtype: Any
    values: Lazy | None
    macs: Size
    view: bool
    temporaries: Sequence[tuple[Reference, bool]]


def temporary(
    shape: Any, dtype: str, copies: AbstractTensor | None = None, kept: bool = True
) -> tuple[Reference, bool]:
    """Return one of the `temporaries` of an operation."""
    return Reference(0 if copies is None else copies._number, shape, dtype), kept


def compute(function: Callable[..., Any], *operands: Any, listed: Callable[..., Any] | None = None) -> Lazy | None:
    """Defer `function(numpy, *arrays)`; None where an operand's numbers are not known.

    `listed(*lists)` gives the same in nested lists, in the result's dtype, where that is easily had.
    """
    arguments = []
    for operand in operands:
        if isinstance(operand, AbstractTensor):
            operand = operand.values_
            if operand is None:
                return None
        elif isinstance(operand, (Unknown, Dim)):
            return None
        arguments.append(operand)
    return Lazy(function, arguments, listed)


@dataclass(frozen=True, slots=True)
class Row:
    """What a call of a row is recorded as: the operation's name, and its arguments under the API's names.

    It is an attribute, `__row__`, of every row made by `op`, and of the operators that call one.
    `swapped` says that the operands of an operator are in the other order.
    """

    name: str
    parameters: frozenset[str]
    positional: tuple[str, ...]
    star: str | None
    defaults: dict[str, Any]
    swapped: bool = False

    def named(self, args: Any, kwargs: Any) -> dict[str, Any]:
        """Return the arguments of a call by name, defaults filled in."""
        attributes = dict(self.defaults)
        attributes.update(zip(self.positional, args))
        if self.star is not None:
            attributes[self.star] = args[len(self.positional) :]
        attributes.update(kwargs)
        return attributes


class Caller(Generic[T]):
    """A rule and how it is called: its `function` is what the target calls.

    A framework implements `collect` and `make`, and extends `call`, `undecided` and `finish` where its functions do
    more than make new tensors; `target` says what those that `redirects` is true of write to.
    """

    __slots__ = ("function", "redirects", "row", "rule")

    unrecorded: ClassVar[frozenset[str]] = frozenset()
    """Arguments that are not attributes of the operation."""

    def __init__(self, name: str, rule: Callable[..., Any]) -> None:
        parameters, positional, star, defaults = layout(rule)
        self.row = Row(name, frozenset(parameters), tuple(positional), star, defaults)
        self.rule = rule
        self.redirects = False

        def function(*args: Any, **kwargs: Any) -> Any:
            return self.call(args, kwargs)

        function.__row__ = self.row  # type: ignore[attr-defined]
        function.__name__, function.__qualname__ = rule.__name__, rule.__qualname__
        function.__module__, function.__doc__ = rule.__module__, rule.__doc__
        function.__wrapped__ = rule  # type: ignore[attr-defined]
        self.function: Callable[..., Any] = function

    @staticmethod
    def collect(value: Any, tensors: list[Any], /) -> None:
        """Add the framework's tensors in a nested value to a list, in order."""
        raise NotImplementedError

    def make(self, out: Any, shape: Any, inputs: list[T], target: Any) -> T:
        """Return the tensor that an `Out` describes, or `target` after the result is written to it.

        `shape` is that of the `Out`, with sizes in place of unknown values.
        """
        raise NotImplementedError

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return what a call makes."""
        return self.run(args, kwargs)

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any = None) -> Any:
        """Call the rule and return what it makes; `out` is where the target wants the result written to."""
        here = session.current()
        try:
            solver = here.solver
            result = self.rule(*args, **kwargs) if solver is None else solver.attempt(self.rule, args, kwargs)
            target = self.target(args, kwargs, result, out) if self.redirects or out is not None else None
        except Undecidable as undecidable:
            return self.undecided(here, args, kwargs, undecidable.unknown, out)
        except Fault as fault:
            if self.is_overridden(args, kwargs):
                return self.undecided(here, args, kwargs, Unknown("an argument takes the call over"), out)
            here.report(fault)
            raise
        return self.finish(here, args, kwargs, result, target)

    def is_overridden(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Tell whether an argument is an object of the program's own that handles the function itself."""
        return False

    def target(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, out: Any) -> Any:
        """Return the tensor that results are written to, None where they are new ones."""
        raise NotImplementedError

    def undecided(
        self, here: Session, args: tuple[Any, ...], kwargs: dict[str, Any], unknown: Unknown, out: Any
    ) -> Any:
        """Return what a call makes whose rule could not decide something."""
        unknown = here.note(unknown)
        read = [tensor.reference() for tensor in self.tensors((args, kwargs))]
        self.record(here, args, kwargs, read, [unknown_reference(unknown)], None, True)
        return unknown

    def finish(self, here: Session, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, target: Any) -> Any:
        """Return what a call makes, from what its rule returned."""
        return self.complete(here, args, kwargs, result, target)

    def complete(self, here: Session, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, target: Any) -> Any:
        """Return the result of a rule with tensors in place of its `Out`s, and record the operation."""
        inputs: list[T] = []
        collect = self.collect
        for value in args:
            collect(value, inputs)
        for value in kwargs.values():
            collect(value, inputs)
        if not here.recording and self.row.name not in here.watched:
            return self.materialise(here, result, inputs, target)
        read = [tensor.reference() for tensor in inputs]
        made = self.materialise(here, result, inputs, target)
        outputs: list[T] = []
        collect(made, outputs)
        written = [tensor.reference() for tensor in outputs]
        # What yields no new value (a size, `contiguous` of what is contiguous) is not an operation.
        if {reference.number for reference in written} - {reference.number for reference in read}:
            macs, shares = _cost(result)
            temporaries = result.temporaries if isinstance(result, Out) else ()
            self.record(here, args, kwargs, read, written, macs, target is None and not shares, temporaries)
        return made

    def materialise(self, here: Session, result: Any, inputs: list[T], target: Any) -> Any:
        """Return a result with tensors in place of its `Out`s."""
        if isinstance(result, Out):
            shape = result.shape
            if type(shape) is not Unknown:
                shape = [self.size(here, size) if isinstance(size, Unknown) else size for size in shape]
                if here.solver is not None:
                    shape = [here.solver.named(size) for size in shape]
            return self.make(result, shape, inputs, target)
        if isinstance(result, (list, tuple)):
            targets = target if isinstance(target, (list, tuple)) else [target] * len(result)
            items = [self.materialise(here, r, inputs, t) for r, t in zip(result, targets)]
            return type(result)._make(items) if hasattr(result, "_make") else type(result)(items)
        return result

    def size(self, here: Session, unknown: Unknown) -> Size:
        """Return the size that stands for an unknown one."""
        return here.size(unknown)

    def record(
        self,
        here: Session,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        read: list[Reference],
        written: list[Reference],
        macs: Any,
        allocates: bool,
        temporaries: Sequence[tuple[Reference, bool]] = (),
    ) -> None:
        """Record an operation, if operations are recorded, or this one is watched."""
        if not here.recording and self.row.name not in here.watched:
            return
        row, holds, unrecorded = self.row, self.holds, self.unrecorded
        named = row.named(args, kwargs)
        plain = {
            k: v
            for k, v in named.items()
            if (type(v) in ATOMS or not holds(v) or _is_mixed(v, holds)) and k not in unrecorded
        }
        module = here.modules[-1] if here.modules else None
        operation = Operation(row.name, plain, read, written, module, here.place(), macs, allocates)
        operation.temporaries = temporaries
        here.operations.append(operation)

    @classmethod
    def holds(cls, value: Any) -> bool:
        """Tell whether there is a tensor in an argument; most are plain values."""
        if type(value) is tuple and ATOMS.issuperset(map(type, value)):
            return False
        return bool(cls.tensors(value))

    @classmethod
    def tensors(cls, value: Any) -> list[T]:
        """Return the tensors in an argument or a result, in order."""
        tensors: list[T] = []
        cls.collect(value, tensors)
        return tensors


def _is_mixed(value: Any, holds: Callable[[Any], bool]) -> bool:
    """Tell whether there are tensors among other things: an index is recorded with the places that tensors have in it."""
    return type(value) in (tuple, list) and any(each is not None and not holds(each) for each in value)


def _cost(result: Any) -> tuple[Any, bool]:
    """Return the multiply-accumulates of a result, and whether some of it shares memory with an argument."""
    if isinstance(result, Out):
        return result.macs, result.view
    costs = [_cost(item) for item in result] if isinstance(result, (list, tuple)) else []
    return sum(macs for macs, _ in costs), any(shares for _, shares in costs)


def unknown_reference(unknown: Unknown) -> Reference:
    """Return what the dataflow graph says of a value that is unknown."""
    return Reference(0, unknown, "unknown")
