"""Arguments that a class requires through `**kwargs`: its constructor passes them on to that of a base class."""

from __future__ import annotations

import ast
import itertools

from cutaway.interp.run.function import Record, record_of


def required_by_bases(cls: type) -> dict[str, type]:
    """Return the required arguments that a constructor passes on in `**kwargs`, with the class that declares each."""
    initializers = [(base, record) for base in cls.__mro__ if (record := record_of(vars(base).get("__init__")))]
    required: dict[str, type] = {}
    for (_, record), (base, inner) in itertools.pairwise(initializers):
        call = _call_of_base(record)
        if call is None:
            break
        names = inner.code.positional[1:]
        positional = [arg for arg in call.args if not isinstance(arg, ast.Starred)]
        given = {*names[: len(positional)], *(keyword.arg for keyword in call.keywords)}
        defaults = names[len(names) - len(inner.defaults) :] if inner.defaults else []
        needed = [name for name in names if name not in defaults]
        needed += [name for name in inner.code.keyword_only if name not in inner.keyword_defaults]
        required.update({name: base for name in needed if name not in given and name not in required})
    return required


def _call_of_base(record: Record) -> ast.Call | None:
    """Return the call of a base's constructor that passes on all other arguments by their names."""
    for node in ast.walk(record.code.node):
        match node:
            case ast.Call(ast.Attribute(ast.Call(ast.Name("super")), "__init__"), args, keywords):
                passes_on = any(
                    each.arg is None and isinstance(each.value, ast.Name) and each.value.id == record.code.kwarg
                    for each in keywords
                )
                starred = [each.value for each in args if isinstance(each, ast.Starred)]  # *args are none
                if passes_on and all(isinstance(each, ast.Name) and each.id == record.code.vararg for each in starred):
                    return node
    return None


def keys_read(record: Record) -> list[str]:
    """Return the keys that a function reads from its `**kwargs` whatever happens: in statements that are always reached."""
    body = record.code.node.body
    keys: dict[str, None] = {}
    for statement in body if isinstance(body, list) else ():
        if isinstance(statement, (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.FunctionDef, ast.ClassDef)):
            continue
        for node in ast.walk(statement):
            match node:
                case ast.Subscript(ast.Name(name), ast.Constant(str(key)), ast.Load()) if name == record.code.kwarg:
                    keys[key] = None
    return list(keys)
