"""What a program is in truth: the real torch runs it once for each way that its decisions can go.

Each run gives the facts of the network that it makes and of one call of it in evaluation mode, or what it raises. A
module whose mode the program itself sets, by `train()`, `eval()` or an assignment, keeps that mode.
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.util
import io
import itertools
import signal
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from benchmarks.soundness.program import CONSTANT, DATA, Decision, Effect, Program, Raises, Stub, Way, deciding_tree
from cutaway.live.op_names import names

MOST_RUNS = 96
MOST_ANSWERS = 12
"""Times that a decision may go another way in one run."""
MOST_ASKED = 400
SECONDS = 4

CONFIGURED = {
    "Linear": ("in_features", "out_features"),
    "Conv1d": ("in_channels", "out_channels", "groups"),
    "Conv2d": ("in_channels", "out_channels", "groups"),
    "BatchNorm1d": ("num_features",),
    "Embedding": ("num_embeddings", "embedding_dim"),
    "Dropout": ("p",),
}
"""Class -> those arguments of its constructor that are kept as attributes."""

IGNORED = frozenset(
    """torch.Tensor.__getitem__ torch.gt torch.lt torch.ge torch.le torch.eq torch.sum torch.mean torch.Tensor.item
    torch.abs torch.max torch.any torch.all torch.rand torch.randn torch.Tensor.__bool__ torch.Tensor.tolist
    torch.Tensor.shape torch.Tensor.size torch.norm torch.Tensor.norm torch.Tensor.numel torch.ones torch.zeros
    torch.Tensor.dim torch.Tensor.requires_grad_ torch.Tensor.detach torch.Tensor.view torch.Tensor.requires_grad
    torch.Tensor.to torch.Tensor.float torch.Tensor.double""".split()
)
"""Operations that are not compared: those that decisions consist of, which do not take place in the truth, and
conversions, which are not listed where they change nothing."""

Key = tuple[Any, ...]
"""What a fact is about: its kind, then the path or the name, then the number or the argument."""


class Endless(BaseException):
    """A run does not end: a decision is asked for too often, or it takes too long."""


@dataclass
class Run:
    """One run: which way each decision went each time it was met, and the facts or the exception."""

    ways: tuple[int, ...]
    answers: dict[int, list[Way]]
    error: str | None = None
    training: bool = False
    facts: dict[Key, Any] = field(default_factory=dict)

    @property
    def returned(self) -> bool:
        """Whether the network was made and called without an exception."""
        return self.error is None


Rule = tuple[int, ...]
"""The numbers of the ways that a decision goes, one after the other; the last one for all later times."""


class Decider:
    """Answers the decisions of one run, each by its rule."""

    def __init__(self, decisions: Sequence[Decision], rules: Sequence[Rule]) -> None:
        self.decisions, self.rules = decisions, rules
        self.answers: dict[int, list[Way]] = {}
        self.asked = 0
        self.tensors: dict[int, list[tuple[Any, int]]] = {}

    def __call__(self, number: int, tensor: Any = None) -> Any:
        decision = self.decisions[number]
        self.asked += 1
        if self.asked > MOST_ASKED:
            raise Endless
        given = self.answers.setdefault(number, [])
        if decision.nature == CONSTANT and given:
            return self._value(given[0])
        if decision.nature == DATA:
            seen = self.tensors.setdefault(number, [])
            key = (tensor, getattr(tensor, "_version", 0))
            for at, (other, version) in enumerate(seen):
                if other is tensor and version == key[1]:
                    return self._value(given[at])
            seen.append(key)
        if len(given) >= MOST_ANSWERS:
            raise Endless
        rule = self.rules[number]
        way = decision.ways[rule[min(len(given), len(rule) - 1)]]
        given.append(way)
        return self._value(way)

    def _value(self, way: Way) -> Any:
        if isinstance(way, Raises):
            raise getattr(__import__("builtins"), way.exception)("decided so")
        if isinstance(way, Effect):
            return eval(way.source, {"torch": torch, "nn": nn})
        return _Stubbed("stub") if isinstance(way, Stub) else way


class _Stubbed(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda first=None, *_args, **_kwargs: first


class _Files(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the modules of a program from memory."""

    def __init__(self, program: Program, decide: Decider, compiled: Mapping[str, tuple[types.CodeType, bool]]) -> None:
        self.program, self.decide, self.compiled = program, decide, compiled

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """Find a module of the program."""
        if fullname not in self.compiled:
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=self.compiled[fullname][1])

    def create_module(self, spec: Any) -> None:
        """Leave it to Python to make the module."""

    def exec_module(self, module: types.ModuleType) -> None:
        """Run a module of the program."""
        vars(module)["_decide"] = self.decide
        exec(self.compiled[module.__name__][0], vars(module))


def compiled(program: Program) -> dict[str, tuple[types.CodeType, bool]]:
    """Return the modules of a program in which decisions are answered, ready to be run."""
    return {
        name: (compile(deciding_tree(source, program.decisions), name, "exec"), is_package)
        for name, source, is_package in program.modules()
    }


def runs(program: Program) -> list[Run]:
    """Run a program every way; one whose decisions are met again and again also with answers that differ."""
    code = compiled(program)
    done: dict[tuple[Rule, ...], Run] = {}
    if program.built:
        return [run(program, code, (), expression) for expression in program.built]
    plain: list[list[Rule]] = [[(way,) for way in range(len(one.ways))] for one in program.decisions]
    _run_all(program, code, itertools.product(*plain), done)
    again = {number for run in done.values() for number, given in run.answers.items() if len(given) > 1}
    if again:
        changing = [
            rules if number not in again else [*rules, *_changing(len(rules))] for number, rules in enumerate(plain)
        ]
        _run_all(program, code, itertools.product(*changing), done)
    return [run for run in done.values() if run.error != "Endless"]


def _changing(count: int) -> Iterator[Rule]:
    for first, later in itertools.permutations(range(count), 2):
        yield (first, later)
        yield (first, first, later)


def _run_all(program: Program, code: Any, rules: Iterator[tuple[Rule, ...]], done: dict[tuple[Rule, ...], Run]) -> None:
    for each in rules:
        if len(done) >= MOST_RUNS:
            return
        if each not in done:
            done[each] = run(program, code, each)


def run(
    program: Program, code: Mapping[str, tuple[types.CodeType, bool]], rules: tuple[Rule, ...], expression: str = ""
) -> Run:
    """Run a program one way; `expression` makes the network where it is not the target."""
    decide = Decider(program.decisions, rules)
    result = Run(tuple(rule[0] for rule in rules), decide.answers)
    finder = _Files(program, decide, code)
    sys.meta_path.insert(0, finder)
    state = torch.get_default_dtype()
    try:
        with _limited(), _quietly(), torch.no_grad(), _quick(), _modes() as explicit:
            network = _network(program, expression)
            if not (id(network) in explicit and network.training):
                _evaluate(network, explicit)
            result.training = network.training
            result.facts = observed(network, torch.zeros([int(size) for size in program.input.split("x")]))
    except Endless:
        result.error = "Endless"
    except (Exception, SystemExit) as error:
        result.error = f"{type(error).__name__}: {error}"
    finally:
        sys.meta_path.remove(finder)
        torch.set_default_dtype(state)
        for name in code:
            sys.modules.pop(name, None)
    return result


def _network(program: Program, instead: str) -> nn.Module:
    file, _, expression = program.target.partition(":")
    module = importlib.import_module(file.removesuffix(".py"))
    expression = expression.removeprefix(":")
    value = eval(instead or expression, vars(module))
    network = value() if isinstance(value, type) or not isinstance(value, nn.Module) else value
    if not isinstance(network, nn.Module):
        raise TypeError("the target is not a network")
    return network


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    def late(*_args: object) -> None:
        raise Endless

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _modes() -> Iterator[set[int]]:
    """Note the modules whose mode the program sets itself; each is kept alive, so that its identity stays its own."""
    explicit: set[int] = set()
    kept: list[nn.Module] = []
    set_attribute = nn.Module.__setattr__

    def noted(self: nn.Module, name: str, value: Any) -> None:
        if name == "training":
            explicit.add(id(self))
            kept.append(self)
        set_attribute(self, name, value)

    nn.Module.__setattr__ = noted
    try:
        yield explicit
    finally:
        nn.Module.__setattr__ = set_attribute


def _evaluate(module: nn.Module, explicit: set[int]) -> None:
    """Put a module and its parts into evaluation mode, but for those whose mode the program has set."""
    if not any(id(part) in explicit for part in module.modules()):
        module.eval()
        return
    if id(module) not in explicit:
        module.training = False
    for child in module.children():
        _evaluate(child, explicit)


@contextlib.contextmanager
def _quick() -> Iterator[None]:
    """Leave weights as they are allocated: their numbers decide nothing."""
    saved: dict[str, Callable[..., Any]] = {}
    for name in ("kaiming_uniform_", "uniform_", "normal_", "xavier_uniform_"):
        saved[name] = getattr(nn.init, name)
        setattr(nn.init, name, lambda tensor, *_args, **_kwargs: tensor)
    try:
        yield
    finally:
        for name, function in saved.items():
            setattr(nn.init, name, function)


class Operations(TorchFunctionMode):  # type: ignore[misc]
    """Records what is called of torch, by the module that calls it, and the multiply-accumulates."""

    def __init__(self, paths: Mapping[int, str]) -> None:
        super().__init__()
        self.paths = paths
        self.stack: list[str] = [""]
        self.done: dict[str, list[tuple[str, tuple[Any, ...]]]] = {}
        self.macs = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call a function and record it."""
        result = func(*args, **(kwargs or {}))
        row = names().row(func)
        if row is not None and row.name not in IGNORED:
            shapes = tuple(tuple(tensor.shape) for _, tensor in flattened(result))
            self.done.setdefault(self.stack[-1], []).append((row.name, shapes))
            if row.name.endswith((".linear", ".conv1d", ".conv2d")):
                weight = args[1] if len(args) > 1 else (kwargs or {})["weight"]
                self.macs += result.numel() * weight[0].numel()
        return result


def observed(network: nn.Module, argument: torch.Tensor) -> dict[Key, Any]:
    """Return the facts of a network, and of one call of it."""
    facts: dict[Key, Any] = {}
    paths = {id(module): path for path, module in network.named_modules()}
    operations = Operations(paths)
    calls: dict[str, list[Any]] = {}
    hooks = [
        nn.modules.module.register_module_forward_pre_hook(_entering(operations, paths)),
        nn.modules.module.register_module_forward_hook(_leaving(operations, paths, calls), with_kwargs=True),
    ]
    facts.update(structure(network))  # a network is shown as it is built
    try:
        with operations:
            result = network(argument)
    finally:
        for hook in hooks:
            hook.remove()
    facts.update({("output", name): described(tensor) for name, tensor in flattened(result)})
    for path, made in calls.items():
        facts.update({("call", path, at): shapes for at, shapes in enumerate(made)})
    for path, done in operations.done.items():
        facts.update({("op", path, at): each for at, each in enumerate(done)})
    facts["total", "macs"] = operations.macs
    return facts


def _entering(operations: Operations, paths: Mapping[int, str]) -> Callable[..., None]:
    def enter(module: nn.Module, _args: Any) -> None:
        operations.stack.append(paths.get(id(module), operations.stack[-1]))

    return enter


def _leaving(operations: Operations, paths: Mapping[int, str], calls: dict[str, list[Any]]) -> Callable[..., None]:
    def leave(module: nn.Module, args: Any, kwargs: Any, result: Any) -> None:
        operations.stack.pop()
        path = paths.get(id(module))
        if path is not None:
            inside = tuple(tuple(t.shape) for _, t in flattened([*args, *kwargs.values()]))
            outside = tuple(tuple(t.shape) for _, t in flattened(result))
            calls.setdefault(path, []).append((inside, outside))

    return leave


def structure(network: nn.Module) -> dict[Key, Any]:
    """Return what a network consists of: its modules, their arguments, its weights, and totals of these."""
    facts: dict[Key, Any] = {}
    for path, module in network.named_modules():
        kind = type(module).__name__
        facts["module", path] = kind
        for name in CONFIGURED.get(kind, ()):
            facts["config", path, name] = getattr(module, name)
    first: dict[int, str] = {}
    named = [
        *(("parameter", *each) for each in network.named_parameters(remove_duplicate=False)),
        *(("buffer", *each) for each in network.named_buffers(remove_duplicate=False)),
    ]
    sums = dict.fromkeys(("parameters", "trainable_parameters", "buffers", "weight_bytes"), 0)
    for kind, name, tensor in named:
        tied = first.setdefault(id(tensor), name)
        trains = kind == "parameter" and tensor.requires_grad
        facts["weight", name] = (*described(tensor), kind, trains, "" if tied == name else tied)
        if tied == name:
            sums["parameters" if kind == "parameter" else "buffers"] += tensor.numel()
            sums["trainable_parameters"] += tensor.numel() * trains
            sums["weight_bytes"] += tensor.numel() * tensor.element_size()
    facts.update({("total", name): value for name, value in sums.items()})
    return facts


def described(tensor: torch.Tensor) -> tuple[tuple[int, ...], str]:
    """Return the shape and the element type of a tensor."""
    return tuple(tensor.shape), str(tensor.dtype).removeprefix("torch.")


def flattened(value: Any, path: str = "") -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the tensors of a nested value, each with its path in it."""
    if isinstance(value, torch.Tensor):
        yield path, value
        return
    items: Any = ()
    if isinstance(value, Mapping):
        items = value.items()
    elif isinstance(value, (list, tuple)):
        items = enumerate(value)
    for key, item in items:
        yield from flattened(item, f"{path}.{key}" if path else str(key))
