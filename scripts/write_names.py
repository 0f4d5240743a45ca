"""Write the public names of the installed frameworks to `src/cutaway/knowledge/names/`.

usage: python scripts/write_names.py torch keras tensorflow numpy

A file begins with the framework and its version. Each further line is a module or a class, a colon, and the public names
that it has: what `hasattr` finds, submodules that are not imported yet, and what methods of a class set on `self`. Modules
and classes that make names up when they are asked for are left out, so that what is listed is complete.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import sys
import textwrap
import types
import warnings
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "src" / "cutaway" / "knowledge" / "names"

IMPORTED = {
    "torch": "torch.utils.data torch.utils.checkpoint torch.distributed torch.nn.utils.rnn "
    "torch.nn.utils.parametrizations torch.optim.lr_scheduler torch.optim.swa_utils torch.cuda.amp torch.fx torch.jit "
    "torch.onnx torch.distributions torch.func torch.export torch.nn.attention",
    "keras": "",
    "tensorflow": "",
    "numpy": "",
}
"""Modules of each framework that are imported first; what they import is listed with them."""

ON_DEMAND = {
    "torch": "onnx",
    "torch.backends.cudnn": "",
    "numpy": "linalg fft dtypes random polynomial ma ctypeslib exceptions testing matlib f2py typing rec char core strings "
    "distutils",
}
"""Modules with a `__getattr__` that is known to provide only these names beyond those that are listed."""

OLDER = {"keras": ("keras._tf_keras.keras", ""), "tensorflow": ("tensorflow.compat.v1", "contrib")}
"""Where a framework keeps names of the version before, which programs are written for as well, and names it has not kept."""

INTERNAL = frozenset(("src", "python", "testing", "ao", "legacy", "tests", "core", "f2py"))
"""Modules that are left out with what is below them: no one but the framework itself uses their names."""

COMMON = frozenset(("torch.nn.Module",))
"""Base classes whose attributes are not listed again for those that inherit from them."""

CLASSES = {
    "torch": ["torch.Tensor", "torch.nn.Parameter", "torch.nn.Module", "torch.nn"],
    "keras": [],
    "tensorflow": [],
    "numpy": [],
}
"""Classes whose attributes are listed; those of a module, if it is named."""


def public(names: Iterator[str] | list[str]) -> set[str]:
    """Return the names that do not begin with an underscore."""
    return {name for name in names if not name.startswith("_")}


def modules(framework: types.ModuleType) -> dict[str, types.ModuleType]:
    """Return the public modules that can be reached from a framework by attributes, by dotted name."""
    found = {framework.__name__: framework}
    waiting = [framework.__name__]
    while waiting:
        name = waiting.pop()
        for attribute in sorted(public(dir(found[name]))):
            try:
                value = getattr(found[name], attribute)
            except Exception:  # a submodule that can't be imported here
                continue
            path = f"{name}.{attribute}"
            if not isinstance(value, types.ModuleType) or path in found or attribute in INTERNAL or _repeats(path):
                continue
            home = str(vars(value).get("__name__"))
            if home == path or re.match(rf"{framework.__name__}\.(_api|_tf_keras)\b", home):
                found[path] = value
                waiting.append(path)
    return found


def _repeats(path: str) -> bool:
    """Tell whether a module is reached through itself."""
    parts = path.split(".")
    return len(set(parts)) < len(parts)


def module_names(path: str, module: types.ModuleType) -> set[str] | None:
    """Return the public names of a module, None where it makes some up."""
    extra: set[str] = set()
    if "__getattr__" in vars(module) or type(module) is not types.ModuleType:
        if path not in ON_DEMAND:
            return None
        extra = set(ON_DEMAND[path].split())
    submodules = {info.name for info in pkgutil.iter_modules(getattr(module, "__path__", []))}
    return public(dir(module)) | public(submodules) | public(getattr(module, "__all__", [])) | extra


def class_names(cls: type) -> set[str] | None:
    """Return the public attributes of a class and of its instances, None where some have computed names."""
    names = set(dir(cls))
    for base in cls.__mro__[:-1]:
        names.update(getattr(base, "__annotations__", {}))
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError):
            continue
        for node in ast.walk(tree):
            match node:
                case ast.Attribute(ast.Name("self"), name, ast.Store()):
                    names.add(name)
                case ast.Call(ast.Attribute(ast.Name("self"), method), [ast.Constant(str(name)), *_]):
                    if method.startswith(("register_", "add_module")):
                        names.add(name)
                case ast.Call(ast.Name("setattr"), [ast.Name("self"), ast.Constant(str(name)), _]):
                    names.add(name)
                case ast.Call(ast.Name("setattr"), [ast.Name("self"), *_]) if cls.__mro__.index(base) < _framework_base(
                    cls
                ):
                    return None
    return public(list(names))


def _older_names(path: str) -> set[str]:
    """Return the names that a module has in an older version, as far as the framework still has that."""
    framework, _, rest = path.partition(".")
    older, removed = OLDER[framework]
    value: object = importlib.import_module(older)
    for part in rest.split(".") if rest else []:
        value = getattr(value, part, None)
    return public(dir(value)) | (set(removed.split()) if not rest else set())


def _framework_base(cls: type) -> int:
    """Return the position of the base of all modules in the order of resolution, which sets what it is told to set."""
    return next((at for at, base in enumerate(cls.__mro__) if base.__name__ == "Module"), len(cls.__mro__))


def classes(framework: str) -> Iterator[tuple[str, type]]:
    """Yield the classes whose attributes are listed, with their public names."""
    for path in CLASSES[framework]:
        home, _, name = path.rpartition(".")
        value = getattr(importlib.import_module(home), name) if home else None
        if isinstance(value, type):
            yield path, value
            continue
        module = importlib.import_module(path)
        for each in sorted(public(dir(module))):
            value = getattr(module, each)
            if isinstance(value, type) and f"{path}.{each}" not in CLASSES[framework]:
                yield f"{path}.{each}", value


def lines(framework: str) -> Iterator[str]:
    """Yield the lines of a framework's file."""
    package = importlib.import_module(framework)
    for name in IMPORTED[framework].split():
        importlib.import_module(name)
    version = ".".join(package.__version__.split("+")[0].split(".")[:2])
    yield f"{framework} {version}"
    for path, module in sorted(modules(package).items()):
        names = module_names(path, module)
        if names and framework in OLDER:
            names |= _older_names(path)
        if names:
            yield f"{path}: {' '.join(sorted(names))}"
    common: set[str] = set()
    for path, cls in classes(framework):
        names = class_names(cls)
        if path in COMMON:
            common = names or set()
        elif names and any(base.__name__ == "Module" for base in cls.__mro__):
            names -= common
        if names:
            yield f"{path}: {' '.join(sorted(names))}"


def main() -> None:
    """Write the files of the frameworks that are named."""
    warnings.simplefilter("ignore")
    FOLDER.mkdir(exist_ok=True)
    for framework in sys.argv[1:]:
        (FOLDER / f"{framework}.txt").write_text("\n".join(lines(framework)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
