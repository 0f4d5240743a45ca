"""What a program says about the inputs of its networks: in annotations, docstrings and calls."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence

from cutaway.core.pattern import pattern
from cutaway.core.place import Place
from cutaway.core.record import dataclass
from cutaway.syntax.scope import dotted_name

_DTYPE_BY_KIND = {
    "Float": "float32",
    "Float32": "float32",
    "Float16": "float16",
    "BFloat16": "bfloat16",
    "Float64": "float64",
    "Int": "int64",
    "Integer": "int64",
    "Int64": "int64",
    "Int32": "int32",
    "UInt8": "uint8",
    "Bool": "bool",
}
_DTYPE_BY_CLASS = {"LongTensor": "int64", "IntTensor": "int32", "BoolTensor": "bool", "FloatTensor": "float32"}
_CREATION_FUNCTIONS = {"randn": "float32", "rand": "float32", "zeros": "float32", "ones": "float32", "empty": "float32"}
_SHAPE_PRESERVING = frozenset(("to", "cuda", "cpu", "float", "contiguous", "requires_grad_", "detach", "unsqueeze_"))
_SHAPE = r"[(\[]\s*(\w+(?:\s*[,×]\s*\w+)+)\s*,?\s*[)\]]"
_SIZES = pattern(r"\w+")
_MAX_RANK = 8


@dataclass(frozen=True, slots=True)
class InputDescription:
    """What is said about an input: a number or a name for each size, its dtype, and where and how it is said."""

    sizes: tuple[int | str, ...] | None
    dtype: str | None
    why: str
    place: Place | None = None


def annotated(annotation: ast.expr | None, place: Place | None) -> InputDescription | None:
    """Return what an annotation says, such as `Float[Tensor, "b c h w"]` or `LongTensor`."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError):
            return None
    if isinstance(annotation, ast.Subscript):
        kind, parts = _last(annotation.value), annotation.slice
        if kind in _DTYPE_BY_KIND and isinstance(parts, ast.Tuple) and len(parts.elts) == 2:
            text = parts.elts[1]
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                return InputDescription(_dimensions(text.value), _DTYPE_BY_KIND[kind], "its annotation says so", place)
    name = "" if annotation is None else _last(annotation)
    return (
        InputDescription(None, _DTYPE_BY_CLASS[name], "its annotation says so", place)
        if name in _DTYPE_BY_CLASS
        else None
    )


def _dimensions(text: str) -> tuple[int | str, ...] | None:
    """Return the sizes of a shape annotation; None where their number is open."""
    sizes: list[int | str] = []
    for number, part in enumerate(text.split()):
        if part.startswith(("*", "...")):
            return None
        part = part.lstrip("#?").partition("=")[0]
        sizes.append(int(part) if part.isdigit() else part if part.isidentifier() and part != "_" else f"n{number}")
    return tuple(sizes)


def documented(text: str | None, name: str, place: Place | None) -> InputDescription | None:
    """Return the shape that a docstring states for an argument, as in `x: (B, C, H, W)`."""
    for line in (text or "").splitlines():
        match = re.search(rf"(?<![\w.]){re.escape(name)}`{{0,2}}\s*[:(\-–—].*?{_SHAPE}", line)
        if match is None:
            continue
        parts = _SIZES.findall(match[1])
        sizes = tuple(int(part) if part.isdigit() else part for part in parts)
        if len(sizes) <= _MAX_RANK and all(isinstance(s, int) or s.isidentifier() for s in sizes):
            if any(isinstance(s, int) or len(s) <= 2 or "_" in s or s in _SIZE_NAMES for s in sizes):
                return InputDescription(sizes, None, "its docstring says so", place)
    return None


_SIZE_NAMES = frozenset("batch channels channel height width length time seq frames features".split())


def calls(
    nodes: Sequence[ast.AST], constructors: Collection[str], parameter: str, position: int, file: str
) -> Iterator[InputDescription]:
    """Yield what networks built by a class or function of one of these names are called with in a program.

    `nodes` are those of its syntax tree.
    """
    assignments = [node for node in nodes if isinstance(node, ast.Assign)]
    values = {target.id: node for node in assignments for target in node.targets if isinstance(target, ast.Name)}
    built = [node for node in assignments if _constructs(node.value, constructors)]
    networks = {ast.unparse(target) for node in built for target in node.targets}
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr == "forward":
            function = function.value
        if isinstance(function, ast.Call):
            is_network = _constructs(function, constructors)
        else:
            is_network = bool(networks) and ast.unparse(function) in networks
        if not is_network:
            continue
        argument = next((k.value for k in node.keywords if k.arg == parameter), None)
        if argument is None and len(node.args) > position:
            argument = node.args[position]
        described = None if argument is None else _tensor(argument, values, f"{file}:{node.lineno}")
        if described is not None:
            yield InputDescription(*described, "it is called with it", Place(file, node.lineno))


def _constructs(node: ast.expr, constructors: Collection[str]) -> bool:
    """Tell whether an expression builds a network, perhaps followed by `.to(device)`."""
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _SHAPE_PRESERVING | {"eval"}
    ):
        node = node.func.value
    return isinstance(node, ast.Call) and dotted_name(node.func) in constructors


def _tensor(
    node: ast.expr, values: dict[str, ast.Assign], where: str, depth: int = 0
) -> tuple[tuple[int | str, ...], str] | None:
    """Return shape and dtype of a tensor whose creation is written down."""
    if isinstance(node, ast.Name) and node.id in values and depth < _MAX_RANK:
        return _tensor(values[node.id].value, values, where, depth + 1)
    if not isinstance(node, ast.Call):
        return None
    name = _last(node.func)
    if (
        isinstance(node.func, ast.Attribute)
        and name in _SHAPE_PRESERVING
        and isinstance(node.func.value, (ast.Call, ast.Name))
    ):
        return _tensor(node.func.value, values, where, depth + 1)
    keywords = {k.arg: k.value for k in node.keywords}
    if name == "randint":
        shape = keywords.get("size") or (node.args[-1] if node.args else None)
        return (
            (sizes, "int64")
            if isinstance(shape, (ast.Tuple, ast.List)) and (sizes := _literal_sizes(shape.elts, values))
            else None
        )
    if name not in _CREATION_FUNCTIONS:
        return None
    shape_argument = keywords.get("size") or (node.args[0] if len(node.args) == 1 else None)
    parts = shape_argument.elts if isinstance(shape_argument, (ast.Tuple, ast.List)) else node.args
    dtype = _last(keywords["dtype"]) if "dtype" in keywords else ""
    sizes = _literal_sizes(parts, values)
    return (
        (sizes, {"long": "int64", "float": "float32"}.get(dtype, dtype) or _CREATION_FUNCTIONS[name]) if sizes else None
    )


def _literal_sizes(parts: list[ast.expr], values: dict[str, ast.Assign]) -> tuple[int | str, ...]:
    """Return sizes as numbers, or as names where they are not literals."""
    sizes: list[int | str] = []
    for number, part in enumerate(parts):
        if isinstance(part, ast.Name) and part.id in values:
            part = values[part.id].value
        is_number = isinstance(part, ast.Constant) and type(part.value) is int and part.value > 0
        sizes.append(part.value if is_number else f"n{number}")  # type: ignore[attr-defined]
    return tuple(sizes) if len(sizes) <= _MAX_RANK else ()


def images(
    nodes: Sequence[ast.AST], datasets: dict[str, tuple[int, int, int]], file: str
) -> Iterator[InputDescription]:
    """Yield the images of datasets that a program loads, as its transforms leave them."""
    all_calls = [(node, _last(node.func)) for node in nodes if isinstance(node, ast.Call)]
    for node, name in all_calls:
        if name not in datasets:
            continue
        channels, height, width = datasets[name]
        for other, change in all_calls:
            if change in _RESIZING_TRANSFORMS and (side := _side(other)) is not None:
                height, width = side
            elif change == "Grayscale":
                argument = next((k.value for k in other.keywords), other.args[0] if other.args else None)
                channels = 3 if isinstance(argument, ast.Constant) and argument.value == 3 else 1
        why = f"the program loads {name}"
        yield InputDescription(("B", channels, height, width), "float32", why, Place(file, node.lineno))


_RESIZING_TRANSFORMS = frozenset(("Resize", "CenterCrop", "RandomCrop", "RandomResizedCrop"))


def _side(node: ast.Call) -> tuple[int, int] | None:
    argument = next((k.value for k in node.keywords if k.arg == "size"), node.args[0] if node.args else None)
    parts = argument.elts if isinstance(argument, (ast.Tuple, ast.List)) else [argument, argument]
    sizes = [part.value for part in parts if isinstance(part, ast.Constant) and type(part.value) is int]
    return (sizes[0], sizes[1]) if len(sizes) == 2 else None


def _last(node: ast.expr) -> str:
    """Return the name that a dotted name ends in."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
