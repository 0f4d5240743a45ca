"""How hydra composes a configuration: a file, the groups of its defaults list, and overrides."""

import os

from omegaconf import DictConfig, OmegaConf
from omegaconf.grammar import from_yaml

from hydra.core.config_store import ConfigStore

OWN = {
    "runtime": {"cwd": ".", "output_dir": "."},
    "run": {"dir": "."},
    "sweep": {"dir": ".", "subdir": "."},
    "job": {"name": "job", "num": 0, "override_dirname": ""},
    "verbose": False,
}


def composed(folder, name, overrides=()):
    """Return a configuration by the name of its file."""
    groups, values, removed = {}, [], set()
    for override in overrides:
        key, _, value = override.lstrip("+").partition("=")
        if override.startswith("~"):
            removed.add(key[1:])
        elif _is_group(folder, key.partition("@")[0]):
            groups[key.partition("@")[0]] = value
        else:
            values.append((key, value))
    config = OmegaConf.create({"hydra": OWN})
    chosen = dict(groups)
    if name is not None:
        _add(config, folder, name, "", chosen, removed)
    for group in chosen:
        _add(config, folder, f"{group}/{chosen[group]}", group.replace("/", "."), {}, removed)
    for key, value in values:
        OmegaConf.update(config, key, from_yaml(value) if value else None)
    for key in removed:
        config.pop(key, None)
    OmegaConf.set_struct(config, True)
    return config


def _is_group(folder, name):
    return os.path.isdir(os.path.join(folder, name)) or ConfigStore.instance().has_group(name)


def _text(folder, name):
    name = name.removesuffix(".yaml").lstrip("/")
    path = os.path.join(folder, f"{name}.yaml")
    if os.path.isfile(path):
        with open(path) as file:
            text = file.read()
        header = next((line for line in text.splitlines() if line.startswith("# @package")), "")
        return from_yaml(text) or {}, header[len("# @package") :].strip()
    stored = ConfigStore.instance().load(name)
    if stored is None:
        raise FileNotFoundError(f"Cannot find primary config '{name}'")
    return OmegaConf.to_container(OmegaConf.create(stored)), ""


def _add(config, folder, name, package, chosen, removed):
    """Merge a file, after what its defaults list names before `_self_`, and before what it names after it."""
    settings, header = _text(folder, name)
    package = {"": package, "_global_": "", "_group_": package}.get(header, header)
    defaults = settings.pop("defaults", [])
    group_folder = name.rpartition("/")[0]
    if not any(entry == "_self_" for entry in defaults):
        defaults = ["_self_", *defaults] if not defaults else [*defaults, "_self_"]
    for entry in defaults:
        if entry == "_self_":
            _merge(config, package, settings)
        elif isinstance(entry, str):
            path, _, below = entry.partition("@")
            _add(config, folder, _under(group_folder, path), _joined(package, below), chosen, removed)
        else:
            _add_group(config, folder, entry, group_folder, package, chosen, removed)


def _add_group(config, folder, entry, group_folder, package, chosen, removed):
    ((key, option),) = entry.items()
    words = key.split()
    group, _, below = words[-1].partition("@")
    if group.startswith("hydra/") or group in ("override hydra", "hydra") or "/hydra/" in key:
        return
    full = _under(group_folder, group)
    option = chosen.get(full, option) if "override" not in words else option
    if "override" in words:
        chosen.setdefault(full, option)
        return
    if option is None or option == "???" or full in removed:
        return
    chosen.pop(full, None)
    place = _joined(package if not group.startswith("/") else "", below or group.lstrip("/").replace("/", "."))
    place = "" if below == "_global_" else package if below == "_here_" else place
    for each in option if isinstance(option, list) else [option]:
        if full in ("experiment", "debug", "hparams_search") and each is None:
            continue
        _add(config, folder, f"{full}/{each}", place, chosen, removed)


def _under(folder, path):
    return path.lstrip("/") if path.startswith("/") or not folder else f"{folder}/{path}"


def _joined(package, below):
    return ".".join(part for part in (package, below) if part)


def _merge(config, package, settings):
    for part in reversed(package.split(".") if package else []):
        settings = {part: settings}
    merged = OmegaConf.merge(config, DictConfig(settings))
    for key in merged._content:
        config._content[key] = merged._content[key]
        if hasattr(config._content[key], "_set"):
            config._content[key]._set("_parent", config)
