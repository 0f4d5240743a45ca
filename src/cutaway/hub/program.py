"""The program that makes a folder's network, as the library that wrote the folder would make it.

It is a few lines of Python, and is interpreted like a program of the user's: in the folder, so that code
which lies there is imported from there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from cutaway.core import disk
from cutaway.core.record import dataclass, replace
from cutaway.hub.folder import ADAPTER, CONFIG, Folder, HubError, read
from cutaway.syntax import resolve
from cutaway.syntax.target import Program, Target


@dataclass(frozen=True, slots=True)
class _Made:
    """Statements, the expression that makes the network after them, its class, and the module that has the class."""

    statements: tuple[str, ...]
    expression: str
    wanted: str
    home: str
    keys: tuple[str, ...]
    assumed: tuple[str, ...] = ()


def target(folder: Folder, paths: Sequence[str]) -> Target:
    """Return the target that a folder with one network stands for; `paths` are where packages are looked for first."""
    made = _adapter(folder, paths) if folder.name == ADAPTER else _made(folder)
    within = _base(folder, paths) if folder.name == ADAPTER else folder
    if not made.home.startswith("."):
        _require(folder, made.home, paths)
    text = "\n" * (folder.line(*made.keys) - 1) + "; ".join(made.statements)
    program = Program(
        text=text,
        file=folder.file,
        folder=os.path.abspath(within.path),
        name=made.wanted,
        home=made.home,
        assumed=made.assumed,
    )
    return Target(folder.text, folder.file, None, made.expression, program)


def _made(folder: Folder) -> _Made:
    settings = folder.settings
    if isinstance(settings.get("_class_name"), str):
        return _diffusers(settings["_class_name"], settings)
    if isinstance(settings.get("architecture"), str) and "model_type" not in settings:
        return _timm(folder)
    if "architectures" in settings or "model_type" in settings or "auto_map" in settings:
        return _transformers(folder)
    raise HubError(
        f"{folder.file}: names no network: it has none of architectures, model_type (transformers), architecture (timm) "
        f"and _class_name (diffusers); name the Python file that makes it"
    )


def _diffusers(name: str, settings: dict[str, Any]) -> _Made:
    return _Made(
        (f"from diffusers import {_identifier(name)}",),
        f"{name}.from_config({settings!r})",
        name,
        "diffusers",
        ("_class_name",),
    )


def _timm(folder: Folder) -> _Made:
    settings = folder.settings
    name = settings["architecture"]
    described = settings.get("pretrained_cfg")
    described = described if isinstance(described, dict) else settings
    given = {"num_classes": settings.get("num_classes", described.get("num_classes"))}
    arguments = settings.get("model_args")
    given.update(arguments if isinstance(arguments, dict) else {})
    known = {key: value for key, value in given.items() if value is not None}
    known["pretrained_cfg"] = {**described, "architecture": name}
    return _Made(
        ("from timm import create_model",),
        f"create_model({name!r}, **{known!r})",
        "create_model",
        "timm",
        ("architecture",),
    )


def _transformers(folder: Folder) -> _Made:
    settings = folder.settings
    named = settings.get("architectures")
    wanted = named[0] if isinstance(named, list) and named and isinstance(named[0], str) else None
    stated = settings.get("auto_map")
    own = {k: v for k, v in stated.items() if isinstance(v, str)} if isinstance(stated, dict) else {}
    networks = {key: value for key, value in own.items() if key.startswith("AutoModel")}
    beside = next((value for value in networks.values() if value.rpartition(".")[2] == wanted), None)
    if beside is None and wanted is None and networks:
        beside = networks.get("AutoModelForCausalLM") or networks.get("AutoModel") or next(iter(networks.values()))
    arguments = [repr(os.path.abspath(folder.path))]
    statements: list[str] = []
    if "AutoConfig" in own:
        module, name = _code(folder, own["AutoConfig"])
        statements.append(f"from .{module} import {name}")
        arguments.append(f"config={name}.from_pretrained({arguments[0]})")
    if beside is not None:
        module, name = _code(folder, beside)
        statements.append(f"from .{module} import {name}")
        return _Made(tuple(statements), _from_pretrained(name, arguments), name, f".{module}", ("auto_map",))
    if wanted is None:
        kind = settings.get("model_type")
        if not isinstance(kind, str):
            raise HubError(f"{folder.file}: names no class: architectures is missing or empty, and so is model_type")
        statements.append("from transformers import AutoModel")
        why = f"{folder.file} names no architecture: the base network of {kind} is shown"
        made = _from_pretrained("AutoModel", arguments)
        return _Made(tuple(statements), made, "AutoModel", "transformers", ("model_type",), (why,))
    statements.append(f"from transformers import {_identifier(wanted)}")
    return _Made(tuple(statements), _from_pretrained(wanted, arguments), wanted, "transformers", ("architectures",))


def _from_pretrained(name: str, arguments: Sequence[str]) -> str:
    return f"{name}.from_pretrained({', '.join(arguments)})"


def _code(folder: Folder, reference: str) -> tuple[str, str]:
    """Return module and class of `modeling_x.Net`; `owner/name--modeling_x.Net` is code of another repository."""
    elsewhere, _, inner = reference.rpartition("--")
    module, _, name = inner.rpartition(".")
    if not module or not all(part.isidentifier() for part in (*module.split("."), name)):
        raise HubError(
            f"{folder.file}:{folder.line('auto_map')}: auto_map names {reference!r}, which is no module.Class"
        )
    if not folder.has(module.replace(".", os.sep) + ".py"):
        whose = f" of {elsewhere}" if elsewhere else ""
        raise HubError(
            f"{folder.file}:{folder.line('auto_map')}: auto_map names {name} in {module}.py{whose}, "
            f"which is not in the folder; put it beside {folder.name}"
        )
    return module, name


def _adapter(folder: Folder, paths: Sequence[str]) -> _Made:
    """Return the network of the base folder with an adapter around its layers."""
    base = _made(_base(folder, paths))
    if not base.home.startswith("."):
        _require(folder, base.home, paths)
    settings = folder.settings
    kind = settings.get("peft_type")
    if not isinstance(kind, str):
        raise HubError(f"{folder.file}: peft_type is missing: it does not say which kind of adapter it is")
    return _Made(
        (
            *base.statements,
            "from peft import PeftConfig, PeftModel",
            "from peft.mapping_func import MODEL_TYPE_TO_PEFT_MODEL_MAPPING as WRAPPERS",
            f"adapter = PeftConfig.from_peft_type(**{settings!r})",
        ),
        f"WRAPPERS.get(adapter.task_type, PeftModel)({base.expression}, adapter)",
        "PeftModel",
        "peft",
        ("peft_type",),
        base.assumed,
    )


def _base(folder: Folder, paths: Sequence[str]) -> Folder:
    """Return the folder of the network that an adapter is for."""
    name = folder.settings.get("base_model_name_or_path")
    if not isinstance(name, str) or not name:
        raise HubError(f"{folder.file}: base_model_name_or_path is missing: it does not say which network it is for")
    last = name.rstrip("/").rpartition("/")[2]
    places = [name, os.path.join(folder.path, name), os.path.join(folder.path, os.pardir, last)]
    places += [os.path.join(path, part) for path in paths for part in (name, last, "")]
    found = next((place for place in places if disk.is_file(os.path.join(place, CONFIG))), None)
    if found is None and folder.has(CONFIG):
        found = folder.path
    if found is None:
        raise HubError(
            f"{folder.file}:{folder.line('base_model_name_or_path')}: its base network {name} is not here, and nothing is "
            f"downloaded; name the folder that has its {CONFIG} with --path"
        )
    return replace(read(folder.text, found, CONFIG), text=folder.text)


def _require(folder: Folder, library: str, paths: Sequence[str]) -> None:
    """Raise if the source of a library is nowhere."""
    folders = [*map(os.path.abspath, paths), os.getcwd(), *resolve.environment_folders()]
    if resolve.find(library, folders) is None:
        raise HubError(
            f"{folder.file}: is made by {library}, whose source is not found: pip install --no-deps {library}, "
            f"or add its folder with --path"
        )


def _identifier(name: str) -> str:
    if not name.isidentifier():
        raise HubError(f"{name!r} is not the name of a class")
    return name
