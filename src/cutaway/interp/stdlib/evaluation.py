"""`eval` and `exec`: source in a string is interpreted like any other of the target."""

from __future__ import annotations

import ast
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown
from cutaway.interp.boundary.namespace import Namespace
from cutaway.interp.modules import loader
from cutaway.interp.run.frame import Frame
from cutaway.interp.run.interpreter import interpreter
from cutaway.syntax.scope import Scope

_MAX_SOURCE = 100_000  # characters of source in a string


def builtin_eval(source: Any, namespace: Any = None, local: Any = None) -> Any:
    """`eval`: the expression is interpreted like any other of the target."""
    unknown = _why_not_source(source, "eval")
    if unknown is not None:
        return unknown
    tree = ast.parse(source.strip(), "<string>", "eval")
    scope, frame = _scope_and_frame(namespace, local, "function")
    return loader.current().language.expression(tree.body, scope, frame.file)(frame)


def builtin_exec(source: Any, namespace: Any = None, local: Any = None) -> Any:
    """`exec`: the statements are interpreted like any other of the target."""
    unknown = _why_not_source(source, "exec")
    if unknown is not None:
        return unknown
    tree = ast.parse(source, "<string>")
    scope, frame = _scope_and_frame(namespace, local, "class")
    scope.declared.update((name, "global") for node in tree.body if isinstance(node, ast.Global) for name in node.names)
    language = loader.current().language
    for node in tree.body:
        language.statement(node, scope, frame.file)(frame)
    return None


def _why_not_source(source: Any, name: str) -> Unknown | None:
    if type(source) is Unknown:
        return session.current().note(source) if name == "exec" else source
    if not isinstance(source, str):
        return session.current().unknown(f"{name}() of a value that is not a string")
    if len(source) > _MAX_SOURCE:
        return session.current().unknown(f"{name}() of a string that is too long")
    return None


def _scope_and_frame(namespace: Any, local: Any, kind: str) -> tuple[Any, Any]:
    """Return the scope and the frame of source in a string: the module's, or one that sees the caller's variables."""
    caller = interpreter().stack[-1]
    global_names = caller.globals if namespace is None else namespace
    if type(global_names) is Namespace:
        global_names = global_names.state.namespace
    if local is None and (namespace is not None or caller.vars is caller.globals):
        scope, frame = Scope("module", None, set(), {}), Frame(global_names, global_names, caller.file, None, None)
    else:
        local_names = local if local is not None else dict(caller.vars)
        scope = Scope(kind, None, set(local_names), {})
        frame = Frame(
            local_names, global_names, caller.file, caller.parent if kind == "class" and local is None else None, None
        )
    frame.line = caller.line
    return scope, frame
