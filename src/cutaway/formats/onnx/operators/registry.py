"""Where rules of operators are entered: one for each domain and name, for all versions."""

from __future__ import annotations

from collections.abc import Callable

from cutaway.formats.graph.value import Rule

RULES: dict[tuple[str, str], Rule] = {}
"""Domain and name of an operator -> its rule. The domain of the standard's own operators is empty."""


def operator(*names: str, domain: str = "") -> Callable[[Rule], Rule]:
    """Enter a rule for operators of a domain, named in words."""

    def entered(rule: Rule) -> Rule:
        for word in names:
            for name in word.split():
                if (domain, name) in RULES:
                    raise ValueError(f"there are two rules for {domain or 'ai.onnx'}.{name}")
                RULES[domain, name] = rule
        return rule

    return entered
