"""What is written consists of names that we made: a last check, in case a file's own text got into code."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

_BUILTINS = {"super", "range", "float", "int", "bool", "str", "tuple", "list", "dict", "len", "min", "max", "sum", "zip", "map", "enumerate",
             "isinstance", "NotImplementedError", "print", "next", "iter", "sorted", "open", "bytearray"}  # fmt: skip
_OF_LOADERS = {"open", "print"}
"""Built-in functions that only the function that loads weights may call."""
_LOADER = "load"
_LIBRARIES = ("torch", "nn", "F", "ops", "layers", "keras", "np")
_ALLOWED = re.compile(
    r"torch\.(?!(?:os|sys|hub|load|save|compile|jit|utils|package|serialization|importlib|classes|PyTorchFile\w*|from_file|_\w*)\b)\w+"
    r"|torch\.(?:linalg|fft|special|nn|float\w*|Tensor)\.[A-Za-z]\w*|torch\.ops\.aten(?:\.\w+){2}|torch\.ops\.torchvision(?:\.\w+){1,2}"
    r"|(?:nn|F|ops|layers|np)\.[A-Za-z]\w*|ops\.(?:nn|image|linalg)\.[A-Za-z]\w*|nn\.(?:utils\.rnn|functional|init)\.[A-Za-z]\w*"
    r"|keras(?:\.(?:layers|ops|initializers|activations|random|Model|Sequential))*\.[A-Za-z]\w*",
    re.ASCII,
)


class Foreign(Exception):
    """Code has a name that is none of ours; the message says which."""


def demand_own_names(source: str) -> None:
    """Raise where code that was written is not valid, or has a name that we did not make."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        raise Foreign(f"what was written is not valid Python: {error}") from None
    made = set(_made(tree)) | _BUILTINS - _OF_LOADERS
    loaders = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == _LOADER]
    inside = {id(node) for loader in loaders for node in ast.walk(loader)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Name)
            and node.id not in made
            and not (id(node) in inside and hasattr(builtins, node.id))
        ):
            raise Foreign(f"{node.id} is not a name of ours")
        if isinstance(node, ast.Attribute) and node.attr.startswith("__") and node.attr != "__init__":
            raise Foreign(f"{node.attr} is not a name of ours")
    for chain in _chains(tree):
        if chain.partition(".")[0] in _LIBRARIES and not _ALLOWED.fullmatch(chain):
            raise Foreign(f"{chain} is not a name of ours")


def _made(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a program defines."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _chains(tree: ast.AST) -> Iterator[str]:
    """Yield dotted names, each as a whole."""
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or id(node) in inner:
            continue
        words = []
        at: ast.expr = node
        while isinstance(at, ast.Attribute):
            words.append(at.attr)
            at = at.value
        if isinstance(at, ast.Name):
            yield ".".join([at.id, *reversed(words)])
