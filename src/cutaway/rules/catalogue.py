"""All rules: those in this folder, and the codes of faults that an execution ends with."""

from __future__ import annotations

import functools
import pkgutil
from importlib import import_module
from types import ModuleType

from cutaway.core.fault_code import FaultCode
from cutaway.core.problem import Severity
from cutaway.core.record import dataclass
from cutaway.rules.rule import Rule

_NOT_RULES = ("catalogue", "rule", "graph", "losses", "use", "training_code", "initialisation")
_RUNS = (FaultCode.SILENT_BROADCAST, FaultCode.ALWAYS_EQUAL)
"""Codes of programs that run, but do something that nobody wants."""


@functools.cache
def modules() -> dict[str, ModuleType]:
    """Return the modules of rules by their codes."""
    folder = import_module("cutaway.rules").__path__
    names = [each.name for each in pkgutil.iter_modules(folder) if each.name not in _NOT_RULES]
    return {name.replace("_", "-"): import_module(f"cutaway.rules.{name}") for name in sorted(names)}


@functools.cache
def rules() -> tuple[Rule, ...]:
    """Return all rules."""
    found = []
    for code, module in modules().items():
        if module.RULE.code != code:
            raise ValueError(f"cutaway/rules/{code.replace('-', '_')}.py has the rule {module.RULE.code}")
        found.append(module.RULE)
    return tuple(found)


def watched() -> frozenset[str]:
    """Return the operations that rules look at wherever they take place."""
    return frozenset(name for rule in rules() for name in rule.watches)


def severity_of(code: FaultCode) -> Severity:
    """Return how certain a fault is."""
    return Severity.WARNING if code in _RUNS else Severity.ERROR


@dataclass(frozen=True, slots=True)
class Documentation:
    """What is said about a code: one line, its severity, and everything."""

    code: str
    severity: Severity
    summary: str
    text: str


CONTRADICTED = "contradicted-declaration"
_CONTRADICTED = Documentation(
    CONTRADICTED,
    Severity.WARNING,
    "A saved file declares a shape or type of a value that its operations do not make.",
    "A saved file declares a shape or type of a value that its operations do not make.\n\n"
    "Files of ONNX and TensorFlow may state the shape of each value. A converter can leave statements that are no longer true, "
    "such as a batch size that has been made free. A runtime that believes them reserves the wrong amount of memory, or "
    "refuses inputs that would fit. Remove the statements, and let them be inferred again.",
)


@functools.cache
def documentation() -> dict[str, Documentation]:
    """Return what is said about each code that `check` reports."""
    faults = {
        code.value: Documentation(code.value, severity_of(code), code.summary, f"{code.summary}\n\n{code.explanation}")
        for code in FaultCode
    }
    own = {
        code: Documentation(code, module.RULE.severity, _summary(module), (module.__doc__ or "").strip())
        for code, module in modules().items()
    }
    return {**faults, **own, CONTRADICTED: _CONTRADICTED}


def _summary(module: ModuleType) -> str:
    return (module.__doc__ or "").strip().partition("\n")[0]
