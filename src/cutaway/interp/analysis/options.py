"""How to analyse a target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cutaway.core.program import Record
from cutaway.core.record import dataclass, field
from cutaway.syntax.inputs import Input
from cutaway.syntax.target import Target

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class Options:
    """How to analyse: where imports are looked for, the inputs of forward, the time allowed.

    `arguments` names a function or an expression of the target with whose value forward is called: one tensor,
    a tuple or a list of positional arguments, or a dict of keyword arguments. `argument_values` is that value.
    `assumed` has arguments by name, and whether conditions hold by their text. `train` says whether networks are shown in
    training or in evaluation mode; where it is None, the program decides, or else evaluation is assumed. `argv` are the
    arguments that the program is started with, None where none are given. Where there is a `record`, the program is run as a
    whole, with what it does when it is started as a script, and that is recorded there; `watched` are operations that are
    recorded wherever they take place. Without `call`, networks are built only. Where
    they are `concrete`, missing arguments are those that the project has somewhere, or examples, not symbols.
    """

    paths: tuple[str, ...] = ()
    inputs: tuple[Input, ...] = ()
    seconds: float | None = 120.0
    stdin: bytes | None = None
    arguments: Target | None = None
    argument_values: Any = None
    assumed: Mapping[str, Any] = field(default_factory=dict)
    train: bool | None = None
    argv: tuple[str, ...] | None = None
    record: Record | None = None
    watched: frozenset[str] = frozenset()
    call: bool = True
    concrete: bool = False
