"""The networks of a target, by importing and running the user's code."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import os
import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cutaway.core.error import describe_error
from cutaway.core.import_path import DROPPED
from cutaway.core.record import dataclass
from cutaway.live import framework_detection, user_line
from cutaway.live.construction import observed
from cutaway.live.failure import LiveError, failed
from cutaway.syntax import resolve
from cutaway.syntax.target import Target, TargetError


@dataclass(frozen=True, slots=True)
class Loaded:
    """A network of the target and what it is called there."""

    name: str
    network: Any


@contextmanager
def imported(target: Target, paths: Sequence[str] = (), stdin: bytes | None = None) -> Iterator[types.ModuleType]:
    """Import the module of a target; its folders and modules are on the path for as long as it is used."""
    before, modules = sys.path[:], dict(sys.modules)
    root, name = _home(target)
    if target.file:
        user_line.SHOWN[os.path.abspath(target.file)] = target.file
    sys.path[:0] = [*map(os.path.abspath, paths), root, *DROPPED]
    importlib.invalidate_caches()
    stale = {key: module for key, module in modules.items() if target.file and _shadows(key, module, name, root)}
    for key in stale:
        del sys.modules[key]
    try:
        yield _module(target, name, stdin)
    finally:
        sys.path[:] = before
        user_line.SHOWN.clear()
        for key in [k for k, m in sys.modules.items() if k not in modules and _is_below(m, root)]:
            del sys.modules[key]
        sys.modules.update(stale)


def networks(module: types.ModuleType, target: Target) -> tuple[list[Loaded], list[str]]:
    """Return the network that a target's expression makes, or every network of its module and what is not made."""
    lost: list[str] = []
    with observed():
        if target.expression:
            return [Loaded(target.expression, _evaluated(module, target))], lost
        found = list(_bound(module))
        whole = {type(part) for each in found for part in framework_detection.parts(each.network)}
        found += [each for each in _made(module, lost) if type(each.network) not in whole]
    if not found:
        why = f" ({lost[0]})" if lost else ""
        raise LiveError(f"{target.text}: no network is made in it{why}; name one, as in {target.text}::make()")
    return found, lost


def function(module: types.ModuleType, name: str, text: str) -> Any:
    """Return a function of the user's module by its name."""
    found = getattr(module, name, None)
    if found is None:
        raise LiveError(f"{text}: {name} is not defined there{_offer(module)}")
    if not callable(found):
        raise LiveError(f"{text}: {name} is not a function but {_article(type(found).__name__)}")
    return found


def called(make: Any, text: str) -> Any:
    """Return what a function of the user's returns; what it raises is told with the user's own traceback."""
    try:
        return make()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise failed(f"{text}: {getattr(make, '__name__', 'it')}()", error) from error


def as_network(value: Any, text: str) -> Any:
    """Return a value if it is a network."""
    if not isinstance(value, framework_detection.bases()):
        raise LiveError(f"{text}: it gives {_article(type(value).__name__)}, not a torch.nn.Module or a Keras layer")
    return value


def _home(target: Target) -> tuple[str, str]:
    if target.file is None:
        assert target.module is not None
        return os.getcwd(), target.module
    if target.file == "-":
        return os.getcwd(), "stdin"
    if not os.path.isfile(target.file):
        raise TargetError(f"{target.file}: no such file")
    root, name = resolve.package_root(target.file)
    return os.path.abspath(root), name or "module"


def _module(target: Target, name: str, stdin: bytes | None) -> types.ModuleType:
    with observed():
        try:
            if target.file == "-":
                module = types.ModuleType(name)
                sys.modules[name] = module
                exec(compile(stdin or b"", "<stdin>", "exec"), module.__dict__)
                return module
            if target.file is None or "." in name:
                return importlib.import_module(name)
            specification = importlib.util.spec_from_file_location(name, os.path.abspath(target.file))
            assert specification is not None and specification.loader is not None
            module = importlib.util.module_from_spec(specification)
            sys.modules[name] = module
            specification.loader.exec_module(module)
            return module
        except KeyboardInterrupt:
            raise
        except ModuleNotFoundError as error:
            if error.name == name.partition(".")[0]:
                raise TargetError(f"{target.text}: there is no module {name!r} here or installed") from None
            if error.name in ("torch", "keras", "tensorflow"):
                raise LiveError(f"--live needs {error.name} installed: pip install 'cutaway[live]'") from None
            raise failed(f"{target.text}: importing it", error) from error
        except BaseException as error:
            raise failed(f"{target.text}: importing it", error) from error


def _evaluated(module: types.ModuleType, target: Target) -> Any:
    text = target.expression
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError) as error:
        raise TargetError(f"{target.text}: {text!r} is not an expression ({error})") from None
    if isinstance(tree.body, ast.Name) and not hasattr(module, tree.body.id):
        raise LiveError(f"{target.text}: {text} is not defined there{_offer(module)}")
    try:
        value = eval(compile(tree, "<target>", "eval"), {**vars(module), **_named(tree, module)})
        if isinstance(value, type) or inspect.isfunction(value):
            needed = _required(value)
            if needed:
                given = ", ".join(f"{name}=..." for name in needed)
                raise TargetError(f"{target.text}: {text} needs arguments: name a call, as in '{text}({given})'")
            value = value()
    except (KeyboardInterrupt, TargetError):
        raise
    except BaseException as error:
        raise failed(f"{target.text}: {text}", error) from error
    return as_network(value, target.text)


def _named(tree: ast.Expression, module: types.ModuleType) -> dict[str, Any]:
    """Return the names of an expression that a module makes when they are asked for, as lazy packages do."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id not in vars(module)}
    return {name: getattr(module, name) for name in names if hasattr(module, name)}


def _required(value: Any) -> list[str]:
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def _bound(module: types.ModuleType) -> Iterator[Loaded]:
    """Yield the networks that the module binds."""
    seen: set[int] = set()
    for name, value in list(vars(module).items()):
        if framework_detection.is_network(value) and id(value) not in seen:
            seen.add(id(value))
            yield Loaded(name, value)


def _made(module: types.ModuleType, lost: list[str]) -> Iterator[Loaded]:
    """Yield a network of each class of the module that needs no arguments and is no part of another."""
    made = []
    for name, value in list(vars(module).items()):
        own = (
            isinstance(value, type)
            and issubclass(value, framework_detection.bases())
            and value.__module__ == module.__name__
        )
        if not own:
            continue
        needed = _required(value)
        if needed:
            lost.append(f"{name} needs arguments: {', '.join(needed)}")
            continue
        try:
            made.append(Loaded(name, value()))
        except Exception as error:
            lost.append(f"{name}() raised {describe_error(error)}")
    inside = {type(part) for each in made for part in framework_detection.parts(each.network)[1:]}
    yield from (each for each in made if type(each.network) not in inside)


def _shadows(key: str, module: Any, name: str, root: str) -> bool:
    """Tell whether a module that is already imported has the target's name and is another one."""
    if key != name and not key.startswith(f"{name.partition('.')[0]}."):
        return False
    file = getattr(module, "__file__", None)
    return file is None or not os.path.abspath(file).startswith(root + os.sep)


def _is_below(module: Any, root: str) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and os.path.abspath(file).startswith(root + os.sep) and "site-packages" not in file


def _offer(module: types.ModuleType) -> str:
    own = [n for n, v in vars(module).items() if getattr(v, "__module__", None) == module.__name__ and callable(v)]
    return f"; there are {', '.join(own[:8])}" if own else ""


def _article(name: str) -> str:
    return f"an {name}" if name[:1] in "aeiouAEIOU" else f"a {name}"
