"""Stand-ins for the arguments of forward that are not given: which tensors to look for, and what else there is.

A tensor has to be inferred. An integer is a symbol, a flag or a string is a condition, a dict or an object consists of
what forward takes from it. What can't stand for anything is unknown, with what to pass instead.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from cutaway.core.condition import Term
from cutaway.core.record import dataclass, field, replace
from cutaway.core.session import Session
from cutaway.core.size.dim import symbol
from cutaway.core.unknown import Unknown
from cutaway.interp.analysis import target_errors
from cutaway.interp.analysis.argument_context import use_of
from cutaway.interp.boundary.namespace import SimpleNamespace
from cutaway.interp.run.function import Record, record_of
from cutaway.knowledge.base.framework import Framework
from cutaway.syntax.argument_kinds import PLAIN, Kind, Use

_STARS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_SIZE_LETTERS = frozenset("BCDEHLNW")  # inferred sizes are named by them
_TYPES = {Kind.NUMBER: float, Kind.FLAG: bool, Kind.TEXT: str}


@dataclass(frozen=True, slots=True)
class _Tensor:
    """A tensor that is to be inferred."""

    name: str


@dataclass(frozen=True, slots=True)
class _Object:
    """An object that has these attributes."""

    attributes: dict[str, Any]


@dataclass(slots=True)
class MissingInputs:
    """The arguments of forward that are not given.

    `tensors` are to be inferred, each with what is known of its use; `integers` are symbols of sizes. `templates` say how
    arguments are made from them, by name, and `positional` which of them are passed by position. `options` are what a user
    may write to give them, `values` the numbers and strings among them.
    """

    tensors: dict[str, Use] = field(default_factory=dict)
    integers: list[str] = field(default_factory=list)
    templates: dict[str, Any] = field(default_factory=dict)
    positional: list[str] = field(default_factory=list)
    assumptions: dict[str, None] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    values: list[str] = field(default_factory=list)

    def arguments(self, tensors: Mapping[str, Any], given: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments by position and by name, with these tensors; `given` are other arguments by name."""
        named = {**given, **{name: _filled(template, tensors) for name, template in self.templates.items()}}
        return [named.pop(name) for name in self.positional], named


def _filled(template: Any, tensors: Mapping[str, Any]) -> Any:
    match template:
        case _Tensor(name):
            return tensors[name]
        case _Object(attributes):
            return SimpleNamespace(**{name: _filled(part, tensors) for name, part in attributes.items()})
        case dict():
            return {key: _filled(part, tensors) for key, part in template.items()}
        case list():
            return [_filled(part, tensors) for part in template]
    return template


def missing_inputs(
    network: Any,
    framework: Framework,
    args: Sequence[Any],
    given: Mapping[str, Any],
    session: Session,
    kinds: Mapping[str, Kind] | None = None,
) -> MissingInputs:
    """Return stand-ins for what forward takes and is not given; `kinds` are those that are known by now."""
    forward, signature = target_errors.forward_signature(network, framework)
    builder = _Builder(network, framework, record_of(getattr(forward, "__func__", forward)), session, kinds or {})
    positional = [p for p in signature.parameters.values() if p.kind not in (*_STARS, inspect.Parameter.KEYWORD_ONLY)]
    taken = {p.name for p in positional[: len(args)]}
    for name, parameter in signature.parameters.items():
        if name in taken or name in given:
            continue
        if parameter.kind in _STARS:
            if not args and not given:
                builder.add_star(parameter)
        elif parameter.default is parameter.empty or name in builder.kinds:
            builder.add(name)
    missing = builder.missing
    by_position = [p.name for p in positional[len(args) :]]
    if any(p.kind is p.POSITIONAL_ONLY for p in positional) or any("." in name for name in missing.templates):
        missing.positional = [n for n in by_position if n in missing.templates or n in given]
        missing.positional += [n for n in missing.templates if "." in n]
    return missing


def options_without_value(network: Any, framework: Framework, given: Mapping[str, Any]) -> list[str]:
    """Return the arguments of forward that are None unless somebody gives them."""
    parameters = target_errors.forward_signature(network, framework)[1].parameters.values()
    return [each.name for each in parameters if each.default is None and each.name not in given]


class _Builder:
    """Builds stand-ins, argument by argument."""

    def __init__(
        self, network: Any, framework: Framework, record: Record | None, session: Session, kinds: Mapping[str, Kind]
    ) -> None:
        self._network, self._framework, self._record = network, framework, record
        self._session, self.kinds = session, kinds
        self.missing = MissingInputs()
        self._owner = f"{type(network).__name__}.forward"

    def add(self, name: str) -> None:
        """Add a stand-in for one argument."""
        use = use_of(self._network, self._framework, self._record, name)
        self.missing.templates[name] = self._template(name, use)

    def add_star(self, parameter: inspect.Parameter) -> None:
        """Add stand-ins for the arguments that forward takes from `*args` or `**kwargs`."""
        use = use_of(self._network, self._framework, self._record, parameter.name)
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            for key, part in use.parts.items() if use.kind is Kind.MAPPING else ():
                self.missing.templates[key] = self._template(key, part)
        else:
            parts = use.parts or {str(at): Use(None) for at in range(use.indexed)}
            for key, part in parts.items():
                name = f"{parameter.name}.{key}"
                self.missing.templates[name] = self._template(name, part)

    def _template(self, name: str, use: Use) -> Any:
        kind = self.kinds.get(name, use.kind)
        if kind in (None, Kind.TENSOR):
            self.missing.tensors[name] = use
            self.missing.options[name] = f"--input {name}=SHAPE:TYPE"
            return _Tensor(name)
        if kind in _EXAMPLES and (kind in PLAIN or not use.parts):
            self.missing.options[name] = _EXAMPLES[kind].replace("{}", name)
        if kind is Kind.SEQUENCE and not use.parts and name in self.kinds:
            use = replace(use, parts={str(at): Use(None) for at in range(use.indexed)})
        if kind is Kind.INTEGER:
            return self._integer(name, use)
        if kind in _TYPES:
            return self._condition(name, kind, use)
        parts = {key: self._template(f"{name}.{key}", part) for key, part in use.parts.items()}
        if kind in (Kind.MAPPING, Kind.OBJECT, Kind.SEQUENCE) and parts:
            self._assume(f"the argument {name} of forward is {kind.value} with {', '.join(parts)}", use)
            return parts if kind is Kind.MAPPING else _Object(parts) if kind is Kind.OBJECT else list(parts.values())
        return Unknown(self._reason(name, kind, use), self._place, term=Term(self._unique(name)))

    def _integer(self, name: str, use: Use) -> Any:
        written = self._unique(name)
        self._session.arguments[written] = self._owner
        self._session.facts.kept.add(written)
        self.missing.integers.append(written)
        self._assume(f"the argument {name} of forward is an integer of at least 1", use)
        return symbol(written)

    def _condition(self, name: str, kind: Kind, use: Use) -> Any:
        written = self._unique(name)
        self._session.arguments[written] = self._owner
        if kind is not Kind.FLAG:
            self.missing.values.append(name)
        self._assume(f"the argument {name} of forward is {kind.value}", use)
        return Unknown(self._reason(name, kind, use), self._place, kind=_TYPES[kind], term=Term(written, plain=True))

    def _assume(self, text: str, use: Use) -> None:
        self.missing.assumptions[f"{text}: {use.reason or 'forward uses its value'}"] = None

    def _unique(self, name: str) -> str:
        """Return a name for a symbol or a condition that nothing else has."""
        written = name.replace(".", "_")
        if written in _SIZE_LETTERS or self._session.arguments.get(written, self._owner) != self._owner:
            return f"{written}_of_forward"
        return written

    @property
    def _place(self) -> Any:
        return None if self._record is None else self._record.place

    def _reason(self, name: str, kind: Kind | None, use: Use) -> str:
        why = f", because {use.reason}" if use.reason else ""
        if kind is Kind.OTHER and not use.reason:
            return f"the argument {name} of forward is not given, and forward uses the number in it: give it with --input {name}=+3"
        what = "not a tensor" if kind is None else kind.value
        return f"the argument {name} of forward is not given, and it is {what}{why}: {how_to_give(name, kind)}"


_EXAMPLES = {
    Kind.INTEGER: "--input {}=+3",
    Kind.NUMBER: "--input {}=0.5",
    Kind.FLAG: "--input {}=true",
    Kind.TEXT: "--input {}='\"text\"'",
    Kind.SEQUENCE: "--input {}=[1x8, 1x8] for a list of tensors, or {}=[1, 2]",
    Kind.MAPPING: "--input {}.KEY=SHAPE for each of its items",
    Kind.OBJECT: "--input {}.NAME=SHAPE for each of its attributes",
}


def how_to_give(name: str, kind: Kind | None) -> str:
    """Return what to write to give an argument of a kind."""
    example = _EXAMPLES.get(kind) if kind is not None else None
    if example is None:
        return "write a function that returns it, and pass that with --arguments FILE::FUNCTION"
    return f"give it with {example.replace('{}', name)}"
