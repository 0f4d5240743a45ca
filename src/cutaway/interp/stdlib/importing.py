"""`importlib` and its submodules."""

from __future__ import annotations

import types
from typing import Any

from cutaway.core import disk, session
from cutaway.core.condition import ENVIRONMENT, Term
from cutaway.core.unknown import Unknown, Usual, derived_unknown
from cutaway.interp.modules import loader
from cutaway.interp.stdlib.modules import NativeModule, stdlib_module
from cutaway.knowledge.base import registry


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

    return {"import_module": import_module, "reload": lambda m: m, "util": NativeModule("importlib.util", _importlib_util()),
            "metadata": NativeModule("importlib.metadata", _importlib_metadata()), "machinery": NativeModule("importlib.machinery", {})}  # fmt: skip


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
        return types.SimpleNamespace(name=name, origin=getattr(module, "__file__", None), loader=None)

    def spec_from_file_location(*_args: Any, **_kwargs: Any) -> Unknown:
        return Unknown("a module that is loaded from a path is not followed", session.current().place())

    return {"find_spec": find_spec, "spec_from_file_location": spec_from_file_location}


@stdlib_module("importlib.metadata", "importlib_metadata")
def _importlib_metadata() -> dict[str, Any]:
    import importlib.metadata as real

    def version(name: Any) -> Any:
        if type(name) is Unknown:
            return derived_unknown(name)
        for folder in loader.current().folders:
            installed = disk.version(name, folder)
            if installed is not None:
                return installed
        package = name.replace("-", "_")
        modelled = getattr(loader.current().load(package), "__version__", None) if registry.models(package) else None
        if isinstance(modelled, str):
            return modelled
        raise real.PackageNotFoundError(name)

    def distribution(name: Any) -> Any:
        return types.SimpleNamespace(version=version(name), metadata={})

    return {"version": version, "PackageNotFoundError": real.PackageNotFoundError, "distribution": distribution,
            "packages_distributions": dict}  # fmt: skip
