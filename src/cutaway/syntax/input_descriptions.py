"""What a program says of the inputs of its networks without running: annotations, docstrings, calls elsewhere in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from cutaway.core.place import Place
from cutaway.core.record import dataclass

_BY_KIND = {
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
_BY_CLASS = {"LongTensor": "int64", "IntTensor": "int32", "BoolTensor": "bool", "FloatTensor": "float32"}
_MAKERS = {"randn": "float32", "rand": "float32", "zeros": "float32", "ones": "float32", "empty": "float32"}
_KEEPING = frozenset(("to", "cuda", "cpu", "float", "contiguous", "requires_grad_", "detach", "unsqueeze_"))
_SHAPE = r"[(\[]\s*(\w+(?:\s*[,×]\s*\w+)+)\s*,?\s*[)\]]"
_SIZES = re.compile(r"\w+")
_LONGEST = 8


@dataclass(frozen=True, slots=True)
class Described:
    """What is said of an input: a number or a name for each size, its type, and where and how it is said."""

    sizes: tuple[int | str, ...] | None
    dtype: str | None
    why: str
    place: Place | None = None


def annotated(annotation: ast.expr | None, place: Place | None) -> Described | None:
    """Return what an annotation says, such as `Float[Tensor, "b c h w"]` or `LongTensor`."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError):
            return None
    if isinstance(annotation, ast.Subscript):
        kind, parts = _last(annotation.value), annotation.slice
        if kind in _BY_KIND and isinstance(parts, ast.Tuple) and len(parts.elts) == 2:
            text = parts.elts[1]
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                return Described(_dimensions(text.value), _BY_KIND[kind], "its annotation says so", place)
    name = "" if annotation is None else _last(annotation)
    return Described(None, _BY_CLASS[name], "its annotation says so", place) if name in _BY_CLASS else None


def _dimensions(text: str) -> tuple[int | str, ...] | None:
    """Return the sizes of an annotation of a shape; None where their number is open."""
    found: list[int | str] = []
    for number, part in enumerate(text.split()):
        if part.startswith(("*", "...")):
            return None
        part = part.lstrip("#?").partition("=")[0]
        found.append(int(part) if part.isdigit() else part if part.isidentifier() and part != "_" else f"n{number}")
    return tuple(found)


def documented(text: str | None, name: str, place: Place | None) -> Described | None:
    """Return the shape that a docstring gives an argument, as in `x: (B, C, H, W)`."""
    for line in (text or "").splitlines():
        found = re.search(rf"(?<![\w.]){re.escape(name)}`{{0,2}}\s*[:(\-–—].*?{_SHAPE}", line)
        if found is None:
            continue
        parts = _SIZES.findall(found[1])
        sizes = tuple(int(part) if part.isdigit() else part for part in parts)
        if len(sizes) <= _LONGEST and all(isinstance(s, int) or s.isidentifier() for s in sizes):
            if any(isinstance(s, int) or len(s) <= 2 or "_" in s or s in _WORDS for s in sizes):
                return Described(sizes, None, "its docstring says so", place)
    return None


_WORDS = frozenset("batch channels channel height width length time seq frames features".split())


def calls(tree: ast.Module, made: str, parameter: str, position: int, file: str) -> Iterator[Described]:
    """Yield what networks made by a class or function of this name are called with in a program."""
    values = {ast.unparse(t): n for n in ast.walk(tree) if isinstance(n, ast.Assign) for t in n.targets}
    networks = {
        ast.unparse(target)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _makes(node.value, made)
        for target in node.targets
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr == "forward":
            function = function.value
        if not (_makes(function, made) if isinstance(function, ast.Call) else ast.unparse(function) in networks):
            continue
        given = next((k.value for k in node.keywords if k.arg == parameter), None)
        if given is None and len(node.args) > position:
            given = node.args[position]
        described = None if given is None else _tensor(given, values, f"{file}:{node.lineno}")
        if described is not None:
            yield Described(*described, "it is called so", Place(file, node.lineno))


def _makes(node: ast.expr, made: str) -> bool:
    """Tell whether an expression makes a network, perhaps with `.to(device)` behind it."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _KEEPING | {"eval"}:
        node = node.func.value
    return isinstance(node, ast.Call) and _last(node.func) == made


def _tensor(
    node: ast.expr, values: dict[str, ast.Assign], where: str, depth: int = 0
) -> tuple[tuple[int | str, ...], str] | None:
    """Return shape and type of a tensor that is written down."""
    if isinstance(node, ast.Name) and node.id in values and depth < _LONGEST:
        return _tensor(values[node.id].value, values, where, depth + 1)
    if not isinstance(node, ast.Call):
        return None
    name = _last(node.func)
    if isinstance(node.func, ast.Attribute) and name in _KEEPING and isinstance(node.func.value, (ast.Call, ast.Name)):
        return _tensor(node.func.value, values, where, depth + 1)
    keywords = {k.arg: k.value for k in node.keywords}
    if name == "randint":
        shape = keywords.get("size") or (node.args[-1] if node.args else None)
        return (
            (sizes, "int64")
            if isinstance(shape, (ast.Tuple, ast.List)) and (sizes := _each(shape.elts, values))
            else None
        )
    if name not in _MAKERS:
        return None
    given = keywords.get("size") or (node.args[0] if len(node.args) == 1 else None)
    parts = given.elts if isinstance(given, (ast.Tuple, ast.List)) else node.args
    dtype = _last(keywords["dtype"]) if "dtype" in keywords else ""
    sizes = _each(parts, values)
    return (sizes, {"long": "int64", "float": "float32"}.get(dtype, dtype) or _MAKERS[name]) if sizes else None


def _each(parts: list[ast.expr], values: dict[str, ast.Assign]) -> tuple[int | str, ...]:
    """Return sizes as numbers, those that are not written down as names."""
    found: list[int | str] = []
    for number, part in enumerate(parts):
        if isinstance(part, ast.Name) and part.id in values:
            part = values[part.id].value
        is_number = isinstance(part, ast.Constant) and type(part.value) is int and part.value > 0
        found.append(part.value if is_number else f"n{number}")  # type: ignore[attr-defined]
    return tuple(found) if len(found) <= _LONGEST else ()


def images(tree: ast.Module, datasets: dict[str, tuple[int, int, int]], file: str) -> Iterator[Described]:
    """Yield the images of data sets that a program loads, as its transformations leave them."""
    made = [(node, _last(node.func)) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for node, name in made:
        if name not in datasets:
            continue
        channels, height, width = datasets[name]
        for other, change in made:
            if change in _RESIZING and (side := _side(other)) is not None:
                height, width = side
            elif change == "Grayscale":
                asked = next((k.value for k in other.keywords), other.args[0] if other.args else None)
                channels = 3 if isinstance(asked, ast.Constant) and asked.value == 3 else 1
        why = f"the program loads {name}"
        yield Described(("B", channels, height, width), "float32", why, Place(file, node.lineno))


_RESIZING = frozenset(("Resize", "CenterCrop", "RandomCrop", "RandomResizedCrop"))


def _side(node: ast.Call) -> tuple[int, int] | None:
    given = next((k.value for k in node.keywords if k.arg == "size"), node.args[0] if node.args else None)
    parts = given.elts if isinstance(given, (ast.Tuple, ast.List)) else [given, given]
    sizes = [part.value for part in parts if isinstance(part, ast.Constant) and type(part.value) is int]
    return (sizes[0], sizes[1]) if len(sizes) == 2 else None


def _last(node: ast.expr) -> str:
    """Return the name that a dotted name ends in."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
