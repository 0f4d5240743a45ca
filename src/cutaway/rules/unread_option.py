"""An option of the command line, or a key of a configuration, is never read.

Who sets it believes that it has an effect. Often the value is written a second time where the option should be used, or the
name is spelt differently there. The option that `torch.distributed.launch` passes has to be declared, whoever reads it.

Fails:

```python
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=16)
parser.add_argument("--dropout", type=float, default=0.1)
args = parser.parse_args()
model = nn.Sequential(nn.Linear(8, args.width), nn.Dropout(0.1))
output = model(torch.randn(4, 8))
```

Works:

```python
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=16)
parser.add_argument("--dropout", type=float, default=0.1)
args = parser.parse_args()
model = nn.Sequential(nn.Linear(8, args.width), nn.Dropout(args.dropout))
output = model(torch.randn(4, 8))
```
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from cutaway.core.place import Place
from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.training_code import method, method_calls

_SHOWN = frozenset("print str repr info debug warning format vars len sorted".split())
"""Functions that show a configuration, or ask about it, and do not act on it."""
_OF_LAUNCHERS = frozenset(("local_rank",))
"""Options that a program has to accept, because what starts it passes them."""


def _find(program: Program) -> Iterator[Found]:
    yield from _unread_options(program)
    yield from _unread_keys(program)


def _unread_options(program: Program) -> Iterator[Found]:
    options = [call for call in method_calls(program, "add_argument") if _destination(call)]
    parsed = method_calls(program, "parse_args")
    names = _bound_to(program, parsed)
    if not options or not names or len(parsed) != 1 or _leaves(program, names):
        return
    mentioned = Counter(node.attr for node in program.nodes(ast.Attribute))
    strings = Counter(node.value for node in program.nodes(ast.Constant) if isinstance(node.value, str))
    keywords = {keyword.arg for keyword in program.nodes(ast.keyword)}
    for call in options:
        name = _destination(call)
        own = sum(isinstance(node, ast.Constant) and node.value == name for node in ast.walk(call))
        if (
            name not in _OF_LAUNCHERS
            and not mentioned[name]
            and strings[name] == own
            and name not in keywords
            and not _acts(call)
        ):
            text = f"the option {_written(call)} is never read"
            yield Found(text, Place(program.file, call.lineno), ("add_argument",))


def _unread_keys(program: Program) -> Iterator[Found]:
    """Find keys of a dict at the top of a program that is only ever read by key."""
    for node in program.tree.body:
        is_dict = isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and len(node.targets) == 1
        if not is_dict or not isinstance(node.targets[0], ast.Name):  # type: ignore[attr-defined]
            continue
        name, table = node.targets[0].id, node.value  # type: ignore[attr-defined]
        uses = [each for each in program.nodes(ast.Name) if each.id == name]
        reads = [
            each.slice.value
            for each in program.nodes(ast.Subscript)
            if isinstance(each.value, ast.Name) and each.value.id == name and isinstance(each.slice, ast.Constant)
        ]
        keys = [key.value for key in table.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
        if len(reads) < 2 or len(uses) != len(reads) + 1 or len(keys) != len(table.keys):
            continue
        for key, each in zip(table.keys, keys):
            if each not in reads:
                yield Found(f"the key {each!r} of {name} is never read", Place(program.file, key.lineno))  # type: ignore[union-attr]


def _destination(call: ast.Call) -> str:
    """Return the attribute that an option sets, an empty string where that is not clear."""
    stated = [keyword.value for keyword in call.keywords if keyword.arg == "dest"]
    names = [argument.value for argument in (*stated, *call.args) if isinstance(argument, ast.Constant)]
    if len(names) != len(stated) + len(call.args) or not names or any(keyword.arg is None for keyword in call.keywords):
        return ""
    if stated:
        return str(names[0])
    long = next((name for name in names if str(name).startswith("--")), names[0])
    return str(long).lstrip("-").replace("-", "_")


def _written(call: ast.Call) -> str:
    return next((ast.unparse(each).strip("'\"") for each in call.args), "")


def _acts(call: ast.Call) -> bool:
    """Tell whether an option does something by itself, as one that prints the version does."""
    action = next((keyword.value for keyword in call.keywords if keyword.arg == "action"), None)
    plain = ("store", "store_true", "store_false", "append", "count", "store_const", "extend")
    return action is not None and not (isinstance(action, ast.Constant) and action.value in plain)


def _bound_to(program: Program, calls: list[ast.Call]) -> set[str]:
    """Return the names that are bound to results of calls."""
    return {
        ast.unparse(target)
        for node in program.nodes(ast.Assign)
        if any(node.value is call for call in calls)
        for target in node.targets
    }


def _leaves(program: Program, names: set[str]) -> bool:
    """Tell whether a value leaves the file under one of some names: someone else may read it there."""
    functions = {node.name for node in program.nodes(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)}
    classes = {node.name: node for node in program.nodes(ast.ClassDef)}
    for node in ast.walk(program.tree):
        if isinstance(node, (ast.Return, ast.Yield, ast.Dict, ast.List, ast.Tuple, ast.Starred)):
            if any(_is_named(item, names) for item in ast.iter_child_nodes(node)):
                return True
        if isinstance(node, ast.Assign) and _is_named(node.value, names):
            return True
        if isinstance(node, ast.Call):
            arguments = (*node.args, *(keyword.value for keyword in node.keywords))
            if not any(_is_named(argument, names) for argument in arguments):
                continue
            function = method(node) or getattr(node.func, "id", "")
            is_here = function in functions and not (function in classes and classes[function].bases)
            if function == "vars" or not (is_here or function in _SHOWN):
                return True
    is_imported = not any(
        isinstance(node, ast.If) and "__name__" in ast.unparse(node.test) for node in program.tree.body
    )
    return is_imported and bool(functions)


def _is_named(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) in names


RULE = Rule("unread-option", Severity.WARNING, _find)
