"""A module as a script: the block below `if __name__ == "__main__":` is evaluated after the rest."""

from __future__ import annotations

import ast

from cutaway.interp.modules.module import ModuleState
from cutaway.interp.run.frame import entered
from cutaway.syntax import source


def has_main(state: ModuleState) -> bool:
    """Tell whether a module has code that runs only when it is started as a script."""
    return bool(_blocks(state))


def run_main(state: ModuleState) -> None:
    """Evaluate the code of a module that runs only when it is started as a script."""
    name, state.namespace["__name__"] = state.namespace["__name__"], "__main__"
    try:
        with entered(state.frame):
            for index, node in _blocks(state):
                state.unevaluated[index] = node
                state.execute(index, node, strict=False)
    finally:
        state.namespace["__name__"] = name


def _blocks(state: ModuleState) -> list[tuple[int, ast.If]]:
    if state.location.file is None and state.text is None:
        return []
    tree = source.parse(state._read(), state.file, whole=state.is_own)
    return [(at, node) for at, node in enumerate(tree.body) if isinstance(node, ast.If) and is_main_test(node.test)]


def is_main_test(test: ast.expr) -> bool:
    """Tell whether a condition is `__name__ == "__main__"`."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = [test.left, test.comparators[0]]
    names = {side.id for side in sides if isinstance(side, ast.Name)}
    return names == {"__name__"} and any(isinstance(s, ast.Constant) and s.value == "__main__" for s in sides)
