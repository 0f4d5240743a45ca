"""`importlib` and its submodules."""

from __future__ import annotations

import os
from importlib import machinery
from typing import Any

from cutaway.core import disk, session
from cutaway.core.condition import ENVIRONMENT, Term
from cutaway.core.unknown import Unknown, Usual, derived_unknown
from cutaway.interp.boundary.namespace import SimpleNamespace
from cutaway.interp.modules import loader
from cutaway.interp.modules.module import ModuleState, SourceModule
from cutaway.interp.run.frame import MODULE_STATE
from cutaway.interp.stdlib.filesystem.open_files import find_file, plain_path
from cutaway.interp.stdlib.filesystem.os_path import is_file, join
from cutaway.interp.stdlib.modules import NativeModule, stdlib_module
from cutaway.knowledge.base import registry
from cutaway.syntax import resolve


@stdlib_module("importlib")
def _importlib() -> dict[str, Any]:
    def import_module(name: Any, package: Any = None) -> Any:
        if type(name) is Unknown:
            return derived_unknown(name)
        if name.startswith("."):
            level = len(name) - len(name.lstrip("."))
            parts = (package or "").split(".")
            name = ".".join([*parts[: len(parts) - level + 1], name.lstrip(".")])
        module = loader.current().load(name, strict=True)
        loader.current().evaluate_import(name)
        return loader.current().load(name) if not isinstance(module, Unknown) else module

    return {"import_module": import_module, "reload": _reload, "util": NativeModule("importlib.util", _importlib_util()),
            "metadata": NativeModule("importlib.metadata", _importlib_metadata()),
            "machinery": NativeModule("importlib.machinery", _importlib_machinery())}  # fmt: skip


def _reload(module: Any) -> Any:
    if isinstance(module, SourceModule):
        module.__dict__[MODULE_STATE].reload()
    return module


@stdlib_module("importlib.util")
def _importlib_util() -> dict[str, Any]:
    def find_spec(name: Any, package: Any = None) -> Any:
        if type(name) is Unknown:
            return derived_unknown(name)
        try:
            module = loader.current().load(name, strict=True)
        except ImportError:
            words = f"importlib.util.find_spec({name!r})"
            usual = Usual(None, f"the package {name} is not installed")
            place = session.current().place()
            return Unknown("what is installed is unknown", place, term=Term(words, ENVIRONMENT), usual=usual)
        return SimpleNamespace(name=name, origin=getattr(module, "__file__", None), loader=_unknown_loader())

    return {
        "find_spec": find_spec,
        "spec_from_file_location": _spec_from_file_location,
        "module_from_spec": _module_from_spec,
    }


def _unknown_loader() -> Unknown:
    return Unknown("how Python loads a module is not modelled", session.current().place())


def _spec_from_file_location(name: Any, location: Any = None, **_options: Any) -> Any:
    """Return how a module is loaded from a path, if that is a Python file of the project or of an installed package."""
    for value in (name, location):
        if type(value) is Unknown:
            return derived_unknown(value)
    path = os.path.abspath(find_file(plain_path(location)))
    modules = loader.current()
    if not path.endswith(".py") or not disk.is_file(path) or not modules.may_read(path):
        return Unknown(
            f"a module is loaded from {path}, which is not a Python file of the project", session.current().place()
        )
    own_folders = (os.path.dirname(path),) if path.endswith("__init__.py") else ()
    return _Spec(name, path, own_folders)


class _Spec:
    """A module that is to be loaded from a path, and its loader."""

    def __init__(self, name: str, path: str, folders: tuple[str, ...]) -> None:
        self.name, self.origin, self.submodule_search_locations = name, path, list(folders)
        self._state = ModuleState(loader.current(), name, resolve.Location(path, folders))

    @property
    def loader(self) -> _Spec:
        """The loader, which knows the module."""
        return self

    def create_module(self, _spec: Any) -> None:
        """Leave it to `module_from_spec`."""

    def exec_module(self, _module: Any) -> None:
        """Evaluate the module."""
        self._state.run()

    def load_module(self, _name: Any = None) -> Any:
        """Evaluate the module, and return it."""
        self._state.run()
        return self._state.module


def _module_from_spec(spec: Any) -> Any:
    return spec._state.module if isinstance(spec, _Spec) else derived_unknown(spec)


@stdlib_module("importlib.machinery")
def _importlib_machinery() -> dict[str, Any]:
    def file_finder(path: Any, *loader_details: Any) -> Any:
        """Stand in for `FileFinder`: find the file of a module in one folder."""

        def find_spec(fullname: Any, target: Any = None) -> Any:
            name = derived_unknown(fullname) if type(fullname) is Unknown else fullname.rpartition(".")[2]
            for _, suffixes in loader_details:
                for suffix in suffixes:
                    file = join(path, name + suffix) if type(name) is str else name
                    if is_file(file) is True:
                        return SimpleNamespace(name=fullname, origin=file, loader=None)
            words = f"FileFinder({path!r}).find_spec({fullname!r})"
            usual = Usual(None, f"{path} contains no module {fullname}")
            place = session.current().place()
            return Unknown("what files there are is unknown", place, term=Term(words, ENVIRONMENT), usual=usual)

        return SimpleNamespace(find_spec=find_spec, path=path)

    suffixes = ("SOURCE_SUFFIXES", "BYTECODE_SUFFIXES", "EXTENSION_SUFFIXES")
    loaders = ("SourceFileLoader", "SourcelessFileLoader", "ExtensionFileLoader")
    return {
        **{name: list(getattr(machinery, name)) for name in suffixes},
        **{name: Unknown(f"importlib.machinery.{name} is not followed") for name in loaders},
        "FileFinder": file_finder,
    }


@stdlib_module("importlib.metadata", "importlib_metadata")
def _importlib_metadata() -> dict[str, Any]:
    import importlib.metadata as real

    def version(name: Any) -> Any:
        if type(name) is Unknown:
            return derived_unknown(name)
        for folder in loader.current().folders:
            installed = disk.version(name, folder)
            if installed is not None:
                if session.current().in_own_code():
                    session.current().assume(f"the version of {name} is {installed}")
                return installed
        package = name.replace("-", "_")
        modelled = getattr(loader.current().load(package), "__version__", None) if registry.models(package) else None
        if isinstance(modelled, str):
            return modelled
        raise real.PackageNotFoundError(name)

    def distribution(name: Any) -> Any:
        return SimpleNamespace(version=version(name), metadata={})

    return {"version": version, "PackageNotFoundError": real.PackageNotFoundError, "distribution": distribution,
            "packages_distributions": dict}  # fmt: skip
