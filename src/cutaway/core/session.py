"""The record of one analysis: operations, module calls, unknowns, assumptions and faults.

There is one current session. The interpreter tells it which line of the target is being evaluated; rows of knowledge
report to it what they do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol
from weakref import ref

from cutaway.core import context
from cutaway.core.condition import Decision
from cutaway.core.context import CURRENT, IDLE
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.loop.series import Iterations, Span
from cutaway.core.place import Place
from cutaway.core.protocols import is_tensor
from cutaway.core.record import dataclass, field
from cutaway.core.size.atom import Symbol
from cutaway.core.size.dim import Dim, Size, cancelled, is_known, less, rewritten, symbol, symbols, unknown_size
from cutaway.core.size.facts import Fact, Facts, described, holds
from cutaway.core.size.knowledge import SizeKnowledge
from cutaway.core.size.parser import parse
from cutaway.core.size.relation import Relation, Statement
from cutaway.core.unknown import Undecidable, Unknown


@dataclass(slots=True, eq=False)
class Operation:
    """One operation as it is encountered; `inputs` and `outputs` are the value numbers of the framework's tensors, with
    their shapes and dtypes at that moment. `temporaries` are numbered after the input that they copy, 0 for none, and may
    be kept for gradients.
    """

    op: str
    attributes: dict[str, Any]
    inputs: list[Reference]
    outputs: list[Reference]
    module: Any
    place: Place | None
    macs: Any
    allocates: bool
    presumed: tuple[Note, ...] = field(default_factory=lambda: current().presumed)
    temporaries: Sequence[tuple[Reference, bool]] = ()


@dataclass(slots=True)
class Reference:
    """A value of the dataflow graph at the moment it is read or written."""

    number: int
    shape: Any
    dtype: str


@dataclass(slots=True, eq=False)
class Call:
    """One call of a module: flattened input and output references, in order, named by path.

    One that the program itself makes keeps what it is `given`, and whether the module is in `training` mode then.
    """

    module: Any
    inputs: list[tuple[str, Reference]]
    first_operation: int
    outputs: list[tuple[str, Reference]] | None = None
    last_operation: int = 0
    depth: int = 0
    stopped: Unknown | None = None
    requires: Any = None  # the precondition on its inputs, where one is inferred
    presumed_before: tuple[Note, ...] = field(default_factory=lambda: current().presumed)
    presumed: tuple[Note, ...] = ()  # when it has returned
    given: tuple[Any, Any] | None = None  # positional and keyword arguments
    training: Any = None
    caught: Finding | None = None  # the fault that ended it, which the program catches


@dataclass(frozen=True, slots=True)
class Note:
    """An unknown or an assumption, with its place and the module it concerns, if any.

    An assumption that is `presumed` is about the program, `since` as many values had been made; others are about the
    question, such as evaluation mode. One that `decides` says how the program goes on.
    """

    text: str
    place: Place | None = None
    module: Any = field(default=None, compare=False)
    presumed: bool = field(default=False, compare=False)
    since: int = field(default=0, compare=False)
    decides: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Finding:
    """A definite fault of the target."""

    code: FaultCode
    message: str
    place: Place | None = None
    notes: tuple[tuple[str, Place | None], ...] = ()


@dataclass(slots=True)
class Notes:
    """The unknowns, assumptions and faults of one part of the target, in order."""

    unknowns: dict[Note, None] = field(default_factory=dict)
    assumptions: dict[Note, None] = field(default_factory=dict)
    findings: dict[Finding, None] = field(default_factory=dict)
    doubts: dict[str, None] = field(default_factory=dict)

    def update(self, other: Notes) -> None:
        """Add other notes."""
        self.unknowns.update(other.unknowns)
        self.assumptions.update(other.assumptions)
        self.findings.update(other.findings)
        self.doubts.update(other.doubts)


class Solver(Protocol):
    """Runs a network for all sizes at once, to find those that it accepts."""

    guarded: int

    def attempt(self, rule: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call a rule, and record what it requires of sizes."""

    def enter(self, run: Callable[[], Any], key: Any, state: Callable[[], Any]) -> Any:
        """Run a part of the network that is identified by `key` and changes nothing but, perhaps, `state`."""

    def named(self, size: Size) -> Size:
        """Return a size in the form that is easiest to compute with."""


def is_named(unknown: Unknown) -> bool:
    """Tell whether an unknown value is an argument, or an expression of arguments alone."""
    term = unknown.term
    return term is not None and bool(term.text) and not term.relation and not term.inverted


_UNCHANGING = (int, float, complex, str, bytes, type(None), Unknown, range, type(Ellipsis), Dim)


def _can_change(value: Any) -> bool:
    """Tell whether a function may change something of the program in a value that it is given."""
    if isinstance(value, _UNCHANGING) or is_tensor(value):
        return False
    return any(map(_can_change, value)) if type(value) is tuple else True


def _forget_numbers(values: Iterable[Any], depth: int = 0) -> None:
    """Note that something may have been written into tensors."""
    for value in values:
        if is_tensor(value):
            value.forget_numbers()
        elif type(value) in (list, tuple, dict) and depth < _DEEPEST_ARGUMENT:
            _forget_numbers(value.values() if type(value) is dict else value, depth + 1)


_DEEPEST_ARGUMENT = 4

PRESUMED = "_presumed"
"""The attribute of a module that has what is presumed of it."""

DEVICES, VERSIONS, COMMAND_LINE, FILES = "devices", "versions", "the command line", "files"
CHOSEN_ARGUMENTS = "arguments that are not given"
LIBRARY_PACKAGES = "which packages a library finds"
LENGTHS = "the number of items of something unknown"
UNKNOWN_CHANGES = "what an unknown function changes"
"""What a program asks about the machine that it runs on, so that it may behave differently on another one."""

_ABSENT = object()
_MAX_PARTS = 1 << 16


@dataclass(slots=True)
class Session:
    """The record of one analysis.

    `loop_exit` is set when a loop has run often enough: the innermost loop ends there, and what it sets is unknown.
    `recording` says whether operations are recorded: they are while a module is called. While `muted` is positive,
    unknowns are not listed: a library is being imported, and most of what it does then does not concern any network.
    They are listed if something turns out to depend on them. `module` returns a module that is read from source, None
    where there is none; `evaluate_pending` evaluates unevaluated modules that mention a word, and tells whether there
    are any. `state` is what a framework keeps for the whole program: defaults, open scopes. `presumed` is what has been
    presumed of the program so far: everything that is found from there on depends on it. `touched` returns the modules
    that functions in progress are building, and those that can be reached from some objects; `in_own_code` tells whether
    the program is in code of the user's own, `in_program` whether it is in code of any that is not an installed product. `train` is the mode
    that the user wants to see: training or evaluation; where it is None, the program decides, or else evaluation is assumed.
    `command_line` is that of the program, its own name first, None where nobody has given one.
    `training_steps` counts how often gradients were computed.
    `watched` are operations that are recorded also where no module is called. `looks_beside` says whether other files of a
    folder are read for what they call networks with, so that the result depends on all of them. `states_requirements` says
    whether all inputs are asked for that a network accepts, or only whether there are any. Where it `is_concrete`, arguments
    that are missing are examples, not symbols.
    `runs` tells whether a function of the program is in progress. Where a session `follows_gradients`, it is noted which
    tensors require gradients, until that is not certain any more.
    Where there are `doubts`, an exception of the program may be due to something that is not followed as it runs.
    """

    place: Callable[[], Place | None] = lambda: None
    signature: Callable[[Any], inspect.Signature] = inspect.signature
    literals: Callable[[Place | None, str, Sequence[str]], dict[str, bool] | None] = lambda *_call: None
    tick: Callable[[], None] = lambda: None
    build: Callable[[int], None] = lambda _elements: None
    module: Callable[[str], Any] = lambda _name: None
    evaluate_pending: Callable[[str], bool] = lambda _word: False
    touched: Callable[[Iterable[Any]], Iterable[Any]] = lambda _objects: ()
    in_own_code: Callable[[], bool] = lambda: False
    in_program: Callable[[], bool] = lambda: False
    runs: Callable[[Any], bool] = lambda _function: False
    follows_gradients: bool = False
    gradients_lost: bool = False
    recording: bool = True
    train: bool | None = None
    command_line: tuple[str, ...] | None = None
    watched: frozenset[str] = frozenset()
    looks_beside: bool = True
    states_requirements: bool = True
    is_concrete: bool = False
    loop_exit: Unknown | None = None
    operations: list[Operation] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    modules: list[Any] = field(default_factory=list)
    unknowns: dict[Note, None] = field(default_factory=dict)
    assumptions: dict[Note, None] = field(default_factory=dict)
    presumed: tuple[Note, ...] = ()
    findings: dict[Finding, None] = field(default_factory=dict)
    values: int = 0
    training_steps: int = 0
    muted: int = 0
    changes: list[tuple[Any, str, Any]] = field(default_factory=list)
    sizes: dict[Symbol, Unknown] = field(default_factory=dict)
    reason_places: dict[str, Place | None] = field(
        default_factory=dict
    )  # where a reason that has no place is first noted
    counters: dict[str, Any] = field(default_factory=dict)  # objects created, by name; loops carry them over
    state: dict[Any, Any] = field(default_factory=dict)  # by the keys of `core/program_state.py`
    facts: Facts = field(default_factory=Facts)
    solver: Solver | None = None
    numbers_read: set[int] = field(default_factory=set)  # values of the graph whose unknown numbers decide something
    indices_read: set[int] = field(default_factory=set)  # those of them that are indices or sizes
    meant_dtypes: dict[int, str] = field(default_factory=dict)  # dtypes that values of the graph are meant to have
    arguments: dict[str, str] = field(default_factory=dict)  # symbols that stand for arguments, and whose they are
    conditions: dict[str, Decision] = field(default_factory=dict)  # those that are decided, but could be otherwise
    doubts: dict[str, None] = field(default_factory=dict)  # why what the program does may differ from what is followed
    is_explored: bool = True  # other runs decide open conditions otherwise
    chosen_inputs: list[Any] | None = None  # the inputs of the call in progress that the user has not given
    omitted_arguments: tuple[Any, frozenset[str]] | None = (
        None  # the code of forward, and its arguments that default to None
    )
    sizes_in_strings: set[str] = field(default_factory=set)  # as they are written there, in braces
    iterations: list[Iterations] = field(default_factory=list)  # symbolic loops in progress, the outermost first
    spans: list[Span] = field(default_factory=list)
    allocated: dict[int, Any] = field(default_factory=dict)  # weak references to what values of the graph are stored in
    freed: dict[int, int] = field(default_factory=dict)  # how many operations there were when that was freed
    unordered: list[tuple[int, int, Place | None]] = field(default_factory=list)  # calls in any order: first, end

    @contextmanager
    def iterating(self, iterations: Iterations) -> Iterator[None]:
        """Run one iteration of a symbolic loop on behalf of all of them."""
        first_operation, first_call = len(self.operations), len(self.calls)
        self.iterations.append(iterations)
        try:
            with self.facts.below(symbol(iterations.index, 0), iterations.count):
                yield
        finally:
            self.iterations.pop()
            self.spans.append(
                Span((first_operation, len(self.operations)), (first_call, len(self.calls)), iterations.count)
            )

    @contextmanager
    def in_any_order(self) -> Iterator[None]:
        """Record that the calls inside have no order that the program determines."""
        first = len(self.calls)
        try:
            yield
        finally:
            if len(self.calls) > first + 1:
                self.unordered.append((first, len(self.calls), self.place()))

    def consists_of_arguments(self, size: Dim) -> bool:
        """Tell whether a size consists of arguments and loop indices alone: to the program it is a number."""
        if not self.arguments:
            return False
        indices = {iterations.index for iterations in self.iterations}
        return all(one.name in self.arguments or one.name in indices for one in symbols(size))

    def follow(self, memory: Any, number: int) -> None:
        """Note when memory that an operation allocates is freed: when nothing of the program refers to it any more."""
        if number not in self.allocated:
            self.allocated[number] = ref(memory, lambda _: self.freed.setdefault(number, len(self.operations)))

    def next_value(self) -> int:
        """Return a new number for a value of the dataflow graph."""
        self.values += 1
        return self.values

    def unknown(self, reason: str, module: Any = None, place: Place | None = None) -> Unknown:
        """Record something that can't be determined and return the value that stands for it."""
        place = place or self.place()
        if not self.muted:
            self.unknowns.setdefault(Note(reason, place, module))
        return Unknown(reason, place)

    def limit_parts(self, count: Any, what: str) -> None:
        """Give up on something that has too many parts to be processed one by one."""
        if isinstance(count, int) and count > _MAX_PARTS:
            raise Undecidable(self.unknown(f"{count:,} {what} are too many to be processed one by one"))

    def size(self, unknown: Unknown) -> Dim:
        """Return a size that stands for an unknown value, and record which; one that has a name is known by it."""
        if is_named(unknown):
            named = parse(str(unknown.term))
            if isinstance(named, Dim):
                self.arguments.update((one.name, str(unknown.term)) for one in symbols(named))
                return named
        size = unknown_size()
        self.sizes.update(dict.fromkeys(symbols(size), unknown))
        return size

    @contextmanager
    def recorded_call(self, inputs: list[tuple[str, Reference]]) -> Iterator[Call]:
        """Record what happens inside as a call that belongs to no module: its class calls modules, itself or others."""
        call = Call(None, inputs, len(self.operations), depth=-1)
        self.calls.append(call)
        outside, self.recording = self.recording, True
        try:
            yield call
        finally:
            self.recording = outside
            call.last_operation = len(self.operations)

    def save_attribute(self, owner: Any, name: str) -> None:
        """Save an attribute of a modelled library before the target changes it."""
        self.changes.append((owner, name, getattr(owner, "__dict__", {}).get(name, _ABSENT)))

    def undo_changes(self) -> None:
        """Restore what the target changed in modelled libraries."""
        for owner, name, value in reversed(self.changes):
            variables = getattr(owner, "__dict__", {})
            if type(variables) is dict:  # of an object, whose class may have a say in setting attributes
                variables.pop(name, None)
                variables.update({name: value} if value is not _ABSENT else {})
            elif value is not _ABSENT:
                setattr(owner, name, value)
            elif name in variables:
                delattr(owner, name)
        self.changes.clear()

    def note(self, unknown: Unknown, module: Any = None) -> Unknown:
        """Record a value that turns out to be unknown, once for each cause, and return it."""
        if unknown.place is None and Note(unknown.reason) in self.unknowns:
            return unknown  # it comes from the command line, and is listed already
        place = unknown.place or self.place()
        if not self.muted:
            self.unknowns.setdefault(Note(unknown.reason, place, module))
        if unknown.place is not None:
            return unknown
        self.reason_places.setdefault(unknown.reason, place)
        return Unknown(unknown.reason, place)

    @contextmanager
    def separate_notes(self, notes: Notes) -> Iterator[None]:
        """Collect the notes that are taken inside in `notes`; earlier notes stay visible."""
        before = Notes(self.unknowns, self.assumptions, self.findings, self.doubts)
        visible = Notes()
        visible.update(before)
        visible.update(notes)
        self.unknowns, self.assumptions, self.findings = visible.unknowns, visible.assumptions, visible.findings
        presumed = self.presumed
        self.add_assumptions(notes.assumptions)
        self.doubts = visible.doubts
        try:
            yield
        finally:
            notes.unknowns.update((one, None) for one in visible.unknowns if one not in before.unknowns)
            notes.assumptions.update((one, None) for one in visible.assumptions if one not in before.assumptions)
            notes.findings.update((one, None) for one in visible.findings if one not in before.findings)
            notes.doubts.update((one, None) for one in visible.doubts if one not in before.doubts)
            self.unknowns, self.assumptions, self.findings = before.unknowns, before.assumptions, before.findings
            self.presumed = presumed
            self.doubts = before.doubts

    def report(self, fault: Fault, place: Place | None = None) -> None:
        """Record a definite fault of the target, once."""
        if not fault.reported:
            fault.reported = True
            fault.in_network = bool(self.modules)
            # What a program computes from data of an assumed length may have other sizes, which other runs would show.
            is_open = LENGTHS in self.doubts and self.chosen_inputs is None and not self.is_explored
            open_length = f" [if {LENGTHS} is as assumed]" if is_open else ""
            finding = fault.finding or Finding(fault.code, f"{fault}{open_length}", place or self.place())
            if finding not in self.findings:
                self.findings[finding], fault.finding = None, finding

    def explain(self, fault: Fault, text: str, place: Place | None) -> None:
        """Add an explanation, with its place, to a recorded fault."""
        finding = fault.finding
        if finding in self.findings:
            fault.finding = Finding(finding.code, finding.message, finding.place, (*finding.notes, (text, place)))
            findings = [fault.finding if each == finding else each for each in self.findings]
            self.findings.clear()
            self.findings.update(dict.fromkeys(findings))

    def retract(self, fault: Fault) -> None:
        """Withdraw a fault that the network itself handles; it is recorded again if it is raised again."""
        fault.reported = False
        if fault.finding is not None:
            self.findings.pop(fault.finding, None)

    def caught(self, fault: Fault) -> None:
        """Withdraw a fault that the program catches; one that ended the call of a network stays a fault of that call."""
        self.retract(fault)
        call = next((each for each in reversed(self.calls) if each.depth == 0), None)
        if fault.in_network and not self.modules and call is not None and call.outputs is None:
            call.caught = fault.finding

    def assume(self, text: str, place: Place | None = None, *, doubt: str = "") -> None:
        """Record an assumption about the question, under which the whole result holds; an equal one is listed once.

        `doubt` says why the program may behave differently.
        """
        self.assumptions.setdefault(Note(text, place))
        if doubt:
            self.doubts.setdefault(doubt)

    def add_assumptions(self, notes: Iterable[Note]) -> None:
        """Add assumptions that were recorded separately."""
        for note in notes:
            if note.presumed and note not in self.presumed:
                self.assumptions.pop(note, None)
                self.presumed = (*self.presumed, note)
            self.assumptions.setdefault(note)

    def presume(self, text: str, place: Place | None = None, objects: Iterable[Any] = (), *, doubt: str = "") -> None:
        """Record an assumption about the program, on which depends what is found from here on.

        So does what the modules in progress consist of, and those that can be reached from `objects`. `doubt` says why the
        program may behave differently.
        """
        self.doubts.setdefault(doubt or text)
        given = list(objects)
        note = Note(text, place, presumed=True, since=self.values, decides=not given)
        self.add_assumptions([note])
        for module in self.touched(given):
            before = module.__dict__.get(PRESUMED, ())
            if note not in before:
                module.__dict__[PRESUMED] = (*before, note)

    def presume_unchanged(self, unknown: Unknown, arguments: Iterable[Any]) -> None:
        """Presume that an unknown function changes nothing that it is given, but the numbers in tensors."""
        arguments = list(arguments)
        _forget_numbers(arguments)
        changeable = [value for value in arguments if _can_change(value)]
        if changeable:
            text = f"an unknown function changes none of its arguments: {unknown.reason}"
            self.presume(text, self.place(), changeable, doubt=UNKNOWN_CHANGES)

    def suppose(self, text: str, place: Place | None = None, *, doubt: str = "") -> None:
        """Record an assumption about what surrounds the program: environment variables, files, packages.

        In code of the program, what is found from there on depends on it. A product that is installed has switches of its
        own, which are as they are without being set: for that the question is asked.
        """
        if self.in_program():
            self.presume(text, place, doubt=doubt)
        else:
            self.assume(text, place, doubt=doubt or text)

    def require(self, relation: Relation, operation: str) -> bool:
        """Tell whether what an operation requires may hold; where that depends on symbols, it is assumed to."""
        answer = holds(relation)
        if answer is not None or self.solver is not None or not (is_known(relation.left) and is_known(relation.right)):
            return answer is not False
        if self._indices_in(relation):
            relation = Relation(relation.kind, rewritten(relation.left), rewritten(relation.right))
            if self._indices_in(relation):
                return self._require_in_each_iteration(relation, operation)
        return self.facts.add(Fact(relation, self.place(), operation, needed=True))

    def _indices_in(self, statement: Statement | None) -> set[str]:
        """Return the indices of loops in progress that occur in a statement."""
        if not self.iterations or statement is None:
            return set()
        if not isinstance(statement, Relation):
            return {name for part in statement.parts for name in self._indices_in(part)}
        names = {one.name for one in (*symbols(statement.left), *symbols(statement.right))}
        return names & {iterations.index for iterations in self.iterations}

    def _require_in_each_iteration(self, relation: Relation, operation: str) -> bool:
        """Assume a requirement for each iteration of a loop; equality of sizes has to be known instead."""
        if relation.kind == "==":
            left, right = cancelled(relation.left, relation.right)
            if not self._indices_in(Relation("==", left, right)) and less(0, relation.left) is True:
                return self.facts.add(Fact(Relation("==", left, right), self.place(), operation, needed=True))
            reason = f"whether {described(relation)} in each iteration, as {operation} requires"
            raise Undecidable(self.unknown(reason))
        indices = self._indices_in(relation)
        ranges = ", ".join(
            f"{iterations.index} below {iterations.count}"
            for iterations in self.iterations
            if iterations.index in indices
        )
        self.assume(f"{described(relation)} for each {ranges}: {operation} requires it", self.place())
        return True

    def assume_relation(self, relation: Relation, operation: str) -> bool:
        """Assume a relation, and list that; False where it can't hold. The program may run where it does not hold."""
        if self.solver is not None:  # both cases are followed
            return holds(relation) is not False
        if self._indices_in(relation):
            answer = holds(relation)
            if answer is None:
                raise Undecidable(self.unknown(f"whether {described(relation)} in each iteration, for {operation}"))
            return answer
        count = len(self.facts.learned)
        possible = self.facts.add(Fact(relation, self.place(), operation, supposed=True))
        for fact in self.facts.learned[count:]:
            self.assume(f"{operation}: {fact}, which is assumed", fact.place)
        return possible

    def replace_facts(self, facts: Facts) -> None:
        """Replace all facts by a copy of these."""
        self.facts = facts.copy()
        self.facts.install()

    def assume_premises(self) -> None:
        """List what operations require of sizes."""
        if self.facts.learned:
            from cutaway.core.size.premises import premises  # late: only symbolic networks need it

            for text, place in premises(self.facts):
                self.assume(text, place)

    @contextmanager
    def scoped_facts(self) -> Iterator[None]:
        """Limit what is learned about sizes to the block; facts that are known before it stay known inside."""
        before, self.facts = self.facts, self.facts.copy()
        self.facts.install()
        try:
            yield
        finally:
            self.facts = before
            before.install()

    def learn_statement(self, statement: Statement, place: Place | None) -> None:
        """Learn a statement about sizes that holds in this run because a condition was decided so."""
        self.facts.learn(statement, place, "")

    def assume_condition(self, truth: Unknown, why: str, place: Place | None = None, holds: bool = True) -> bool:
        """Assume that a condition holds, or does not, and learn what that implies; False where that is impossible."""
        count = len(self.facts.learned)
        place = place or self.place()
        possible = True
        if truth.about is not None and self.solver is None and not self._indices_in(truth.about):
            possible = self.facts.learn(truth.about if holds else truth.about.negated(), place, why)
        implied = ", ".join(str(fact) for fact in self.facts.learned[count:])
        self.assume(f"{why}: {implied}" if implied else why, place)
        return possible


IDLE.session = Session()


def current() -> Session:
    """Return the session in progress."""
    return CURRENT.get().session


def require_equal(left: Size, right: Size, operation: str) -> bool:
    """Tell whether two sizes that an operation requires to be equal may be so; they are assumed to be if it is open."""
    if left is right or (isinstance(left, int) and isinstance(right, int)):
        return left == right
    return current().require(Relation("==", left, right), operation)


def require_at_least(size: Size, least: Size, operation: str) -> bool:
    """Tell whether a size may be as large as an operation requires; it is assumed to be if that is open."""
    if isinstance(size, int) and isinstance(least, int):
        return size >= least
    return current().require(Relation(">=", size, least), operation)


@contextmanager
def installed(session: Session) -> Iterator[Session]:
    """Make `session` the current one, in an analysis that is otherwise the enclosing one."""
    with context.installed(CURRENT.get().derived(session=session, sizes=SizeKnowledge())):
        session.facts.install()
        yield session
