"""The lists of all names of torch and numpy against the installed libraries."""

from __future__ import annotations

import importlib
import warnings

import pytest

from cutaway.knowledge.base import framework_names

torch = pytest.importorskip("torch")


def _owner(path: str) -> object:
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        home, _, name = path.rpartition(".")
        return getattr(importlib.import_module(home), name)


def _names(framework: str) -> framework_names.Names:
    names = framework_names._names(framework)
    assert names is not None
    return names


@pytest.mark.parametrize("framework", ["torch", "numpy"])
def test_the_version_is_the_installed_one(framework: str) -> None:
    version = importlib.import_module(framework).__version__
    assert version.startswith(f"{_names(framework).version}."), "python scripts/write_names.py writes the lists again"


@pytest.mark.parametrize("framework", ["torch", "numpy"])
def test_no_public_name_is_missing(framework: str) -> None:
    missing = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path, listed in _names(framework).names.items():
            found = {name for name in dir(_owner(path)) if not name.startswith("_")}
            inherited = _names(framework).names.get("torch.nn.Module", frozenset()) if path[9:10].isupper() else set()
            missing += [f"{path}.{name}" for name in sorted(found - listed - inherited)]
    assert not missing


@pytest.mark.parametrize(
    "path",
    ["torch", "torch.nn", "torch.nn.functional", "torch.Tensor", "torch.nn.Module", "torch.optim", "torch.utils.data"],
)
def test_what_is_not_listed_does_not_exist(path: str) -> None:
    owner = _owner(path)
    for name in ("relus", "Lineer", "veiw", "gesv", "symeigs"):
        assert framework_names.lacks(path, name) is not hasattr(owner, name)


def test_instances_have_no_attribute_that_is_not_listed() -> None:
    from torch.testing._internal.common_modules import module_db  # late: torch may be missing

    wrong = set()
    base = _names("torch").names["torch.nn.Module"]
    for info in module_db:
        path = f"torch.nn.{info.module_cls.__name__}"
        listed = _names("torch").names.get(path)
        if listed is None or getattr(torch.nn, info.module_cls.__name__, None) is not info.module_cls:
            continue
        for sample in info.module_inputs_func(info, "cpu", torch.float32, False, training=False)[:4]:
            made = info.module_cls(*sample.constructor_input.args, **sample.constructor_input.kwargs)
            tables = (made.__dict__, made._parameters, made._buffers, made._modules)
            names = {name for table in tables for name in table if not name.startswith("_")}
            wrong |= {f"{path}.{name}" for name in names - listed - base}
    assert not wrong
