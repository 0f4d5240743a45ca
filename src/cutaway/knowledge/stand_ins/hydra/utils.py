"""hydra.utils: objects that are made from a configuration."""

import copy
import functools
import importlib
import os

from omegaconf import DictConfig, ListConfig, OmegaConf

_OWN = ("_target_", "_recursive_", "_convert_", "_partial_", "_args_")
_PLAIN = ("all", "partial", "object")


def get_object(path):
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            found = getattr(found, part)
        return found
    raise ImportError(f"Error locating '{path}'")


get_class = get_method = get_static_method = get_object


def instantiate(config, *args, **kwargs):
    if config is None:
        return None
    config = OmegaConf.create(config) if isinstance(config, (dict, list)) else copy.deepcopy(config)
    if isinstance(config, DictConfig):
        OmegaConf.set_struct(config, False)
        OmegaConf.set_readonly(config, False)
        config.merge_with({key: value for key, value in kwargs.items() if not key.startswith("_")})
        for key in _OWN:
            if key in kwargs:
                config[key] = kwargs[key]
    return _made(config, args, True, "none")


call = instantiate


def _made(node, args, recursive, convert):
    if isinstance(node, ListConfig):
        items = [_made(item, (), recursive, convert) for item in node]
        return items if convert in _PLAIN else ListConfig(items, node._get_parent())
    if not isinstance(node, DictConfig):
        return node
    recursive, convert = node.get("_recursive_", recursive), node.get("_convert_", convert)
    if "_target_" not in node:
        values = {key: _made(node[key], (), recursive, convert) for key in node.keys()}
        return values if convert in _PLAIN else DictConfig(values, node._get_parent())
    target = node["_target_"]
    function = get_object(target) if isinstance(target, str) else target
    values = {key: node[key] for key in node.keys() if key not in _OWN or key == "_args_"}
    if recursive:
        values = {key: _made(value, (), recursive, convert) for key, value in values.items()}
    if convert in _PLAIN:
        values = {key: _plain(value) for key, value in values.items()}
    written = values.pop("_args_", ())
    args = args or tuple(written)
    is_partial = node.get("_partial_", False)
    return functools.partial(function, *args, **values) if is_partial else function(*args, **values)


def _plain(value):
    return OmegaConf.to_container(value, resolve=True) if isinstance(value, (DictConfig, ListConfig)) else value


def get_original_cwd():
    return os.getcwd()


def to_absolute_path(path):
    return path if os.path.isabs(path) else os.path.join(os.getcwd(), path)
