"""A network is evaluated, but everything that gradients need is kept.

Between `eval()` and the end of a loop over data, nothing computes gradients, and still the graph of every result is built:
that takes memory and time, and where results are collected, memory grows with each batch. Put the loop into
`with torch.no_grad():`.

Fails:

```python
import torch
from torch import nn


def evaluate(model, batches):
    model.eval()
    correct = 0
    for x, y in batches:
        output = model(x)
        correct += (output.argmax(1) == y).sum()
    return correct


batches = [(torch.randn(4, 8), torch.randint(3, (4,)))]
print(evaluate(nn.Sequential(nn.Linear(8, 3)), batches))
```

Works:

```python
import torch
from torch import nn


def evaluate(model, batches):
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in batches:
            output = model(x)
            correct += (output.argmax(1) == y).sum()
    return correct


batches = [(torch.randn(4, 8), torch.randint(3, (4,)))]
print(evaluate(nn.Sequential(nn.Linear(8, 3)), batches))
```
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.place import Place
from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.training_code import called, method, method_calls, receiver

_WITHOUT = frozenset(("no_grad", "inference_mode", "set_grad_enabled", "enable_grad"))
_WITH = frozenset("backward grad step requires_grad requires_grad_ train autograd detach volatile".split())


def _find(program: Program) -> Iterator[Found]:
    imports = {alias.name.partition(".")[0] for node in program.nodes(ast.Import) for alias in node.names}
    if "torch" not in imports or not method_calls(program, "eval") or method_calls(program, "set_grad_enabled"):
        return
    yield from _at_the_top(program)
    for function in program.nodes(ast.FunctionDef):
        evaluated = {receiver(call): call for call in method_calls(function, "eval") if not call.args}
        if not evaluated or _mentions(function, _WITHOUT | _WITH) or not _is_only_called_plainly(program, function):
            continue
        call = next((each for loop in _loops(function) for each in _evaluations(loop, evaluated)), None)
        if call is not None:
            yield _found(program, call, evaluated[ast.unparse(call.func)])


def _found(program: Program, call: ast.Call, evaluated: ast.Call) -> Found:
    name = ast.unparse(call.func)
    text = f"{name} is evaluated in a loop without torch.no_grad(): what gradients need is kept"
    notes = ((f"{name} is put into evaluation mode here", Place(program.file, evaluated.lineno)),)
    return Found(text, Place(program.file, call.lineno), (name,), notes)


def _at_the_top(program: Program) -> Iterator[Found]:
    """Yield what statements outside of functions do between `eval()` and the end of their block, or the next `train()`."""
    if not method_calls(program, "backward"):
        return
    for block in _blocks(program.tree.body):
        evaluated: dict[str, ast.Call] = {}
        for statement in block:
            call = called(statement)
            if call is not None and method(call) == "eval" and not call.args:
                evaluated[receiver(call)] = call
            elif call is not None and method(call) == "train":
                evaluated.clear()
            elif isinstance(statement, ast.For) and evaluated and not _mentions(statement, _WITHOUT | _WITH):
                first = next(_evaluations(statement, evaluated), None)
                if first is not None:
                    yield _found(program, first, evaluated[ast.unparse(first.func)])
                    return


def _blocks(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Yield the sequences of statements outside of functions, and outside of blocks without gradients."""
    yield body
    for statement in body:
        if isinstance(statement, (ast.For, ast.While, ast.If)):
            yield from _blocks(statement.body)
            yield from _blocks(statement.orelse)


def _mentions(function: ast.AST, names: frozenset[str]) -> bool:
    return any(getattr(node, "attr", getattr(node, "id", "")) in names for node in ast.walk(function))


def _loops(function: ast.FunctionDef) -> Iterator[ast.For]:
    return (node for node in ast.walk(function) if isinstance(node, ast.For))


def _evaluations(loop: ast.For, evaluated: dict[str, ast.Call]) -> Iterator[ast.Call]:
    """Yield the calls in a loop of networks that were put into evaluation mode before it."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            before = evaluated.get(ast.unparse(node.func))
            if before is not None and before.lineno < loop.lineno:
                yield node


def _is_only_called_plainly(program: Program, function: ast.FunctionDef) -> bool:
    """Tell whether every call of a function is in sight, and none is where gradients are off."""
    calls = {
        id(call) for call in program.nodes(ast.Call) if function.name in (method(call), getattr(call.func, "id", ""))
    }
    if function.decorator_list or not calls:
        return False
    blocks = [block for block in program.nodes(ast.With, ast.FunctionDef) if _turns_off(block)]
    return not any(id(inner) in calls for block in blocks for inner in ast.walk(block))


def _turns_off(block: ast.With | ast.FunctionDef) -> bool:
    contexts = [item.context_expr for item in block.items] if isinstance(block, ast.With) else block.decorator_list
    return any(name in ast.unparse(context) for context in contexts for name in _WITHOUT)


RULE = Rule("evaluation-with-gradients", Severity.WARNING, _find)
