"""The program that builds a folder's network, as the library that wrote the folder would build it.

It is a few lines of Python, and is interpreted like a program of the user's: in the folder, so that code
in the folder is imported from there.
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
class _Construction:
    """Statements, the expression that builds the network after them, its class, and the module that defines it."""

    statements: tuple[str, ...]
    expression: str
    class_name: str
    home: str
    keys: tuple[str, ...]
    assumed: tuple[str, ...] = ()


def target(folder: Folder, paths: Sequence[str]) -> Target:
    """Return the target that a folder with one network stands for; packages are looked for in `paths` first."""
    construction = _adapter(folder, paths) if folder.name == ADAPTER else _construction(folder)
    network_folder = _base(folder, paths) if folder.name == ADAPTER else folder
    if not construction.home.startswith("."):
        _require(folder, construction.home, paths)
    text = "\n" * (folder.line(*construction.keys) - 1) + "; ".join(construction.statements)
    program = Program(
        text=text,
        file=folder.file,
        folder=os.path.abspath(network_folder.path),
        name=construction.class_name,
        home=construction.home,
        assumed=construction.assumed,
    )
    return Target(folder.text, folder.file, None, construction.expression, program)


def _construction(folder: Folder) -> _Construction:
    settings = folder.settings
    if isinstance(settings.get("_class_name"), str):
        return _diffusers(settings["_class_name"], settings)
    if isinstance(settings.get("architecture"), str) and "model_type" not in settings:
        return _timm(folder)
    if "architectures" in settings or "model_type" in settings or "auto_map" in settings:
        return _transformers(folder)
    raise HubError(
        f"{folder.file}: does not name a network: it has none of architectures, model_type (transformers), architecture (timm) "
        f"and _class_name (diffusers); name the Python file that builds it"
    )


def _diffusers(name: str, settings: dict[str, Any]) -> _Construction:
    return _Construction(
        (f"from diffusers import {_identifier(name)}",),
        f"{name}.from_config({settings!r})",
        name,
        "diffusers",
        ("_class_name",),
    )


def _timm(folder: Folder) -> _Construction:
    settings = folder.settings
    name = settings["architecture"]
    pretrained = settings.get("pretrained_cfg")
    pretrained = pretrained if isinstance(pretrained, dict) else settings
    options = {"num_classes": settings.get("num_classes", pretrained.get("num_classes"))}
    arguments = settings.get("model_args")
    options.update(arguments if isinstance(arguments, dict) else {})
    kwargs = {key: value for key, value in options.items() if value is not None}
    kwargs["pretrained_cfg"] = {**pretrained, "architecture": name}
    return _Construction(
        ("from timm import create_model",),
        f"create_model({name!r}, **{kwargs!r})",
        "create_model",
        "timm",
        ("architecture",),
    )


def _transformers(folder: Folder) -> _Construction:
    settings = folder.settings
    architectures = settings.get("architectures")
    class_name = (
        architectures[0]
        if isinstance(architectures, list) and architectures and isinstance(architectures[0], str)
        else None
    )
    auto_map = settings.get("auto_map")
    custom = {k: v for k, v in auto_map.items() if isinstance(v, str)} if isinstance(auto_map, dict) else {}
    networks = {key: value for key, value in custom.items() if key.startswith("AutoModel")}
    custom_class = next((value for value in networks.values() if value.rpartition(".")[2] == class_name), None)
    if custom_class is None and class_name is None and networks:
        custom_class = (
            networks.get("AutoModelForCausalLM") or networks.get("AutoModel") or next(iter(networks.values()))
        )
    arguments = [repr(os.path.abspath(folder.path))]
    statements: list[str] = []
    if "AutoConfig" in custom:
        module, name = _code(folder, custom["AutoConfig"])
        statements.append(f"from .{module} import {name}")
        arguments.append(f"config={name}.from_pretrained({arguments[0]})")
    if custom_class is not None:
        module, name = _code(folder, custom_class)
        statements.append(f"from .{module} import {name}")
        return _Construction(tuple(statements), _from_pretrained(name, arguments), name, f".{module}", ("auto_map",))
    if class_name is None:
        kind = settings.get("model_type")
        if not isinstance(kind, str):
            raise HubError(
                f"{folder.file}: does not name a class: architectures is missing or empty, and so is model_type"
            )
        statements.append("from transformers import AutoModel")
        assumption = f"{folder.file} does not name an architecture: the base network of {kind} is shown"
        expression = _from_pretrained("AutoModel", arguments)
        return _Construction(tuple(statements), expression, "AutoModel", "transformers", ("model_type",), (assumption,))
    statements.append(f"from transformers import {_identifier(class_name)}")
    return _Construction(
        tuple(statements), _from_pretrained(class_name, arguments), class_name, "transformers", ("architectures",)
    )


def _from_pretrained(name: str, arguments: Sequence[str]) -> str:
    return f"{name}.from_pretrained({', '.join(arguments)})"


def _code(folder: Folder, reference: str) -> tuple[str, str]:
    """Return module and class of `modeling_x.Net`; `owner/name--modeling_x.Net` is code of another repository."""
    repository, _, inner = reference.rpartition("--")
    module, _, name = inner.rpartition(".")
    if not module or not all(part.isidentifier() for part in (*module.split("."), name)):
        raise HubError(
            f"{folder.file}:{folder.line('auto_map')}: auto_map names {reference!r}, which is not of the form module.Class"
        )
    if not folder.has(module.replace(".", os.sep) + ".py"):
        origin = f" of {repository}" if repository else ""
        raise HubError(
            f"{folder.file}:{folder.line('auto_map')}: auto_map names {name} in {module}.py{origin}, "
            f"which is not in the folder; put it next to {folder.name}"
        )
    return module, name


def _adapter(folder: Folder, paths: Sequence[str]) -> _Construction:
    """Return the construction of the base network with an adapter around its layers."""
    base = _construction(_base(folder, paths))
    if not base.home.startswith("."):
        _require(folder, base.home, paths)
    settings = folder.settings
    kind = settings.get("peft_type")
    if not isinstance(kind, str):
        raise HubError(f"{folder.file}: peft_type is missing: it does not say which kind of adapter it is")
    return _Construction(
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
    candidates = [name, os.path.join(folder.path, name), os.path.join(folder.path, os.pardir, last)]
    candidates += [os.path.join(path, part) for path in paths for part in (name, last, "")]
    base = next((candidate for candidate in candidates if disk.is_file(os.path.join(candidate, CONFIG))), None)
    if base is None and folder.has(CONFIG):
        base = folder.path
    if base is None:
        raise HubError(
            f"{folder.file}:{folder.line('base_model_name_or_path')}: its base network {name} is missing, and nothing is "
            f"downloaded; name the folder that contains its {CONFIG} with --path"
        )
    return replace(read(folder.text, base, CONFIG), text=folder.text)


def _require(folder: Folder, library: str, paths: Sequence[str]) -> None:
    """Raise if the source of a library can't be found."""
    folders = [*map(os.path.abspath, paths), os.getcwd(), *resolve.environment_folders()]
    if resolve.find(library, folders) is None:
        raise HubError(
            f"{folder.file}: needs {library}, whose source is not found: pip install --no-deps {library}, "
            f"or add its folder with --path"
        )


def _identifier(name: str) -> str:
    if not name.isidentifier():
        raise HubError(f"{name!r} is not the name of a class")
    return name
