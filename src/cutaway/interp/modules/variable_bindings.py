"""Which variables of modules always are and contain the same, and which others may fill: read off how they are bound."""

from __future__ import annotations

import re
from typing import Any

from cutaway.core.pattern import pattern
from cutaway.interp.modules.name_resolution import BUILTIN, LIBRARY, VARIABLE, Meaning, Names
from cutaway.syntax.outline import CLASS, FUNCTION, Chunk, header

EMPTY = (b"set()", b"OrderedDict()", b"collections.OrderedDict()")


def is_registry(names: Names, meaning: Meaning) -> bool:
    """Tell whether a variable is a dict or set of the module's own, which others may fill."""
    state = names.state(meaning.module)
    if state is None or meaning.chunk is None or len(names.outline(state).names[meaning.name]) > 1:
        return False
    value = value_text(names.outline(state).source(meaning.chunk))
    is_dict = value.startswith((b"{", b"dict(")) and not value.startswith(b"dict(**")
    return is_dict or value in EMPTY or value.startswith((b"defaultdict(", b"collections.defaultdict("))


def is_constant(names: Names, meaning: Meaning) -> bool:
    """Tell whether a variable, once its module is evaluated, is and contains always the same.

    So does `__all__`: what others read of it is the same whenever they do.
    """
    if meaning.name == "__all__":
        return True
    state = names.state(meaning.module)
    if state is None or meaning.name in (whole := names.outline(state)).reassigned:
        return False
    chunks = [chunk for chunk in whole.names.get(meaning.name, ()) if isinstance(chunk, Chunk)]
    return all(_is_constant_text(names, state, value_text(whole.source(chunk))) for chunk in chunks)


def is_literal(names: Names, module: str, name: str) -> bool:
    """Tell whether a variable is only bound to lists, dicts or sets that are written out and not empty."""
    state = names.state(module)
    whole = names.outline(state) if state is not None else None
    if whole is None or name in whole.reassigned:
        return False
    values = [value_text(whole.source(b)) if isinstance(b, Chunk) else b"" for b in whole.names.get(name, ())]
    return all((value[:1] in (b"[", b"{") and value not in (b"[]", b"{}")) or value == b"None" for value in values)


def _is_constant_text(names: Names, state: Any, value: bytes) -> bool:
    if value[:1] in b"0123456789-'\"(" or value[:2] in (b"f'", b'f"', b"r'", b'r"', b"b'", b'b"'):
        return b"[" not in value and b"{" not in value
    if value in (b"None", b"True", b"False"):
        return True
    head, call, _ = value.partition(b"(")
    dotted = head.decode(errors="replace").strip()
    if not dotted.replace(".", "").replace("_", "").isalnum():
        return _is_type_alias(names, state, value)
    return all(_is_constantvalue_text(names, inner, bool(call)) for inner, _ in names.meanings(state, dotted))


_CONTAINERS = ("collections.", "weakref.", "threading.", "types.", "queue.", "itertools.", "array.", "contextvars.")


_RETURNS_CONSTANT = pattern(rb"->[ ]*(?:Optional\[)?(?:bool|int|str|float|None)\b(?! *\|? *[Ll]ist)")


def _is_constantvalue_text(names: Names, meaning: Meaning, is_called: bool) -> bool:
    """Tell whether what a name means, or what a call of it returns, never changes."""
    if meaning.kind == LIBRARY:
        return not meaning.name.startswith(_CONTAINERS) or meaning.name == "collections.namedtuple"
    if meaning.kind == BUILTIN:
        return meaning.name not in ("dict", "list", "set", "bytearray", "iter", "vars", "globals") or not is_called
    if is_called and meaning.kind == FUNCTION and meaning.chunk is not None:
        home = names.state(meaning.module)
        above = header(names.outline(home).text, meaning.chunk) if home is not None else None
        return above is not None and _RETURNS_CONSTANT.search(above) is not None
    return not is_called and meaning.kind in (FUNCTION, CLASS)


def is_reassigned(names: Names, state: Any, name: str) -> bool:
    """Tell whether a name is, or is imported as, a variable that functions of its module assign."""
    for meaning in names.bound(state, name):
        home = names.state(meaning.module) if meaning.kind == VARIABLE else None
        if home is not None and meaning.name in names.outline(home).reassigned:
            return True
    return False


def rebound_after_imports(names: Names, state: Any) -> frozenset[str]:
    """Return the names that a module's body binds before it imports something, and again afterwards."""
    known = names.rebound.get(state.name)
    if known is None:
        whole = names.outline(state)
        last = max(whole.imports, default=0)
        found = []
        for name, bindings in whole.names.items():
            first = min((one.start for one in bindings if isinstance(one, Chunk)), default=last)
            if first < last:
                after = min(start for start in whole.imports if start > first)
                if _may_bind(whole.text[after:], name.encode()):
                    found.append(name)
        known = names.rebound[state.name] = frozenset(found)
    return known


def _may_bind(source: bytes, name: bytes) -> bool:
    """Tell whether a source may bind a name: by an assignment, or as what a keyword introduces."""
    if name not in source:
        return False
    if any(keyword + name in source for keyword in (b"class ", b"def ", b"del ", b"for ", b"global ")):
        return True
    return re.search(re.escape(name) + rb"\b[^=\n()]*=(?!=)", source) is not None


def _is_type_alias(names: Names, state: Any, value: bytes) -> bool:
    """Tell whether a value is a type with arguments, as `Union[int, str]`."""
    head, bracket, _ = value.partition(b"[")
    dotted = head.decode(errors="replace")
    if not bracket or not dotted.replace(".", "").isidentifier():
        return False
    return all(inner.kind == LIBRARY and inner.name.startswith("typing") for inner, _ in names.meanings(state, dotted))


def value_text(assignment: bytes) -> bytes:
    """Return the text of the value of an assignment to a name."""
    _annotated, _, value = assignment.partition(b"=")
    return value.split(b"#")[0].strip() if b"\n" not in value.strip() else value.strip()
