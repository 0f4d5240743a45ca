"""`python -m tests.oracle.signatures [NAME...]`: parameter names, order, kinds and defaults of rows against torch's."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Iterator
from typing import Any

import torch

from cutaway.knowledge.base.registry import TABLE

from . import rows
from .exclusions import SIGNATURES
from .samples import SHAPE, Converter, Unconvertible

_PREFIXES = {"torch.linalg.": "linalg_", "torch.fft.": "fft_", "torch.special.": "special_"}


def differences(name: str) -> list[str]:
    """Return how the signature of a row differs from the real one."""
    real, ours = rows.real(name), TABLE[name]
    if isinstance(real, type):
        if not issubclass(real, torch.nn.Module) or not isinstance(ours, type):
            return []
        return [
            f"{method}: {line}"
            for method in ("__init__", "forward")
            if isinstance(inspect.getattr_static(real, method), types.FunctionType) and hasattr(ours, method)
            for line in _compare(getattr(ours, method), getattr(real, method), True)
        ]
    if not callable(real):
        return []
    method = name.startswith("torch.Tensor.")
    if method and name.endswith("__"):
        return []
    if python_signature(real) is not None:
        return list(_compare(ours, real, method))
    return list(_accepts(name, ours, method)) if not isinstance(real, types.FunctionType) else []


@functools.cache
def python_signature(real: Any) -> inspect.Signature | None:
    """Return the signature of a function written in Python; where torch dispatches on a flag, that of the usual branch."""
    try:
        signature = inspect.signature(real)
    except (ValueError, TypeError):
        return None
    if not _takes_anything(signature):
        return signature
    cells = dict(zip(real.__code__.co_freevars, real.__closure__ or ())) if hasattr(real, "__code__") else {}
    return python_signature(cells["if_false"].cell_contents) if "if_false" in cells else None


def _takes_anything(signature: inspect.Signature) -> bool:
    kinds = [p.kind for p in signature.parameters.values()]
    return kinds[-2:] == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]


def _compare(ours: Any, real: Any, method: bool) -> Iterator[str]:
    expected = python_signature(real)
    if expected is None:
        return
    try:
        found = inspect.signature(ours)
    except (ValueError, TypeError):
        yield "ours has no signature"
        return
    if not str(getattr(real, "__module__", "")).startswith("torch.nn"):
        yield from _lenient(_without_self(found) if method else found, _without_self(expected) if method else expected)
        return
    mine, theirs = list(found.parameters.values()), list(expected.parameters.values())
    if method:
        mine, theirs = mine[1:], theirs[1:]
    theirs = [p for p in theirs if p.name != "out" or any(m.name == "out" for m in mine)]
    if [(p.name, p.kind) for p in mine] != [(p.name, p.kind) for p in theirs]:
        yield f"{_text(mine)} instead of {_text(theirs)}"
        return
    for own, other in zip(mine, theirs):
        if not _same_default(own.default, other.default):
            yield f"default of {own.name}: {own.default!r} instead of {other.default!r}"


def _without_self(signature: inspect.Signature) -> inspect.Signature:
    first, *rest = signature.parameters.values()
    return signature if first.kind is first.VAR_POSITIONAL else signature.replace(parameters=rest)


def _lenient(found: inspect.Signature, expected: inspect.Signature) -> Iterator[str]:
    """Outside `torch.nn` a row may take more than torch does, or take it by `**options`, but nothing less."""
    plain = [p for p in expected.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    positional = [p for p in plain if p.kind is p.POSITIONAL_ONLY]
    keywords = {p.name: None for p in plain if p.kind is not p.POSITIONAL_ONLY and p.name != "out"}
    required = [p for p in plain if p.default is p.empty and p.kind is not p.KEYWORD_ONLY]
    try:
        found.bind(*positional, **keywords)
        found.bind(*required, **{p.name: None for p in plain if p.default is p.empty and p.kind is p.KEYWORD_ONLY})
    except TypeError as error:
        yield f"{found} does not accept {_text(plain)}: {error}"
        return
    order = [n for n, p in found.parameters.items() if n in keywords and p.kind is p.POSITIONAL_OR_KEYWORD]
    if order != [n for n in keywords if n in order]:
        yield f"{_text(found.parameters.values())} has another order than {_text(plain)}"
    for own, other in ((found.parameters[p.name], p) for p in plain if p.name in found.parameters):
        if not _same_default(own.default, other.default):
            yield f"default of {own.name}: {own.default!r} instead of {other.default!r}"


def _text(parameters: Any) -> str:
    return "(" + ", ".join(str(p.replace(annotation=p.empty)) for p in parameters) + ")"


def _same_default(ours: Any, theirs: Any) -> bool:
    if theirs is inspect.Parameter.empty or ours is inspect.Parameter.empty:
        return ours is theirs
    try:
        expected = Converter(SHAPE)(theirs)
    except Unconvertible:
        return repr(ours) == repr(theirs)
    if callable(expected):
        return getattr(ours, "__name__", 0) == getattr(expected, "__name__", 1)
    return bool(ours == expected) or (ours != ours and expected != expected)


def _accepts(name: str, ours: Any, method: bool) -> Iterator[str]:
    """Check that every overload of a built-in can be called by its keywords."""
    try:
        signature = inspect.signature(ours)
    except (ValueError, TypeError):
        return
    for schema in schemas(name, method):
        arguments = list(schema.arguments)
        for required_only in (True, False):
            keywords = {
                ("input" if a.name == "self" else a.name): None
                for a in arguments[1 if method else 0 :]
                if not (required_only and a.has_default_value()) and a.name != "out"
            }
            try:
                signature.bind(*([None] if method else []), **keywords)
            except TypeError as error:
                yield f"{signature} does not accept ({', '.join(keywords)}): {error}"
                break


@functools.cache
def schemas(name: str, method: bool) -> list[Any]:
    """Return the overloads of a built-in that Python can reach, without names of dimensions and outputs."""
    tail = name.rpartition(".")[2]
    prefix = next((p for start, p in _PREFIXES.items() if name.startswith(start)), "")
    found = []
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{prefix}{tail}"):
        kinds = [str(a.type) for a in schema.arguments]
        names = [a.name for a in schema.arguments]
        if "out" in schema.overload_name or "Dimname" in str(schema) or not any("Tensor" in k for k in kinds):
            continue
        if not schema.returns or any(a.is_out for a in schema.arguments) or names[:1] in (["a"], ["l"], ["list"]):
            continue
        if method and (names[:1] != ["self"] or kinds[0] != "Tensor"):
            continue
        found.append(schema)
    return found


def main() -> int:
    """Check the rows that match, or all."""
    import fnmatch

    rows.load()
    failed = 0
    for name in sorted(TABLE):
        if sys.argv[1:] and not any(w == name.rpartition(".")[2] or fnmatch.fnmatchcase(name, w) for w in sys.argv[1:]):
            continue
        lines = [] if name in SIGNATURES else differences(name)
        failed += bool(lines)
        for line in lines:
            print(f"{name}: {line}")
    print(f"{failed} rows differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
