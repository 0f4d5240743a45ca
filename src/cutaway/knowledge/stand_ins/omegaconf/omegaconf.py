"""OmegaConf's functions: make, read, merge and convert configurations."""

import copy
import os
import sys
from contextlib import contextmanager

import yaml

from omegaconf.grammar import from_yaml
from omegaconf.nodes import (
    MISSING,
    RESOLVERS,
    DictConfig,
    ListConfig,
    Node,
    as_objects,
    merge_into,
    plain,
    select,
    wrapped,
)


def II(interpolation):
    return "${" + interpolation + "}"


def SI(interpolation):
    return interpolation


class OmegaConf:
    @staticmethod
    def create(obj=None, parent=None, flags=None):
        if isinstance(obj, str):
            obj = from_yaml(obj)
            obj = {obj: None} if isinstance(obj, str) else obj
        result = wrapped({} if obj is None else obj, parent)
        if flags:
            result._flags.update(flags)
        return result

    @staticmethod
    def structured(obj, parent=None, flags=None):
        result = DictConfig(obj, parent)
        result._flags["struct"] = True
        return result

    @staticmethod
    def load(file_):
        if isinstance(file_, (str, os.PathLike)):
            with open(os.fspath(file_)) as file:
                return OmegaConf.create(from_yaml(file))
        return OmegaConf.create(from_yaml(file_))

    @staticmethod
    def save(config, f, resolve=False):
        pass

    @staticmethod
    def from_dotlist(dotlist):
        result = DictConfig({})
        for entry in dotlist:
            key, _, value = entry.partition("=")
            OmegaConf.update(result, key, from_yaml(value) if value else None)
        return result

    @staticmethod
    def from_cli(args_list=None):
        return OmegaConf.from_dotlist(sys.argv[1:] if args_list is None else args_list)

    @staticmethod
    def merge(*configs):
        target = wrapped(configs[0]) if not isinstance(configs[0], Node) else copy.deepcopy(configs[0])
        target._flags.pop("readonly", None)
        for other in configs[1:]:
            target = merge_into(target, wrapped(other))
        return target

    unsafe_merge = merge

    @staticmethod
    def register_new_resolver(name, resolver, *, replace=False, use_cache=False):
        RESOLVERS[name] = resolver

    @staticmethod
    def register_resolver(name, resolver):
        RESOLVERS[name] = resolver

    @staticmethod
    def has_resolver(name):
        return name in RESOLVERS

    @staticmethod
    def to_container(cfg, *, resolve=False, throw_on_missing=False, enum_to_str=False, structured_config_mode=None):
        return plain(cfg, resolve)

    @staticmethod
    def to_object(cfg):
        return as_objects(cfg)

    @staticmethod
    def resolve(cfg):
        keys = cfg._content if isinstance(cfg, DictConfig) else range(len(cfg._content))
        for key in list(keys):
            value = cfg._content[key]
            if isinstance(value, Node):
                OmegaConf.resolve(value)
            elif not (isinstance(value, str) and value == MISSING):
                cfg._content[key] = wrapped(cfg._read(key, value), cfg)

    @staticmethod
    def to_yaml(cfg, *, resolve=False, sort_keys=False):
        return yaml.safe_dump(plain(cfg, resolve))

    @staticmethod
    def select(cfg, key, *, default=None, throw_on_resolution_failure=True, throw_on_missing=False):
        value = select(cfg, key, default)
        return default if isinstance(value, str) and value == MISSING else value

    @staticmethod
    def update(cfg, key, value=None, *, merge=True, force_add=False):
        *parents, last = key.split(".")
        node = cfg
        for part in parents:
            if isinstance(node, ListConfig):
                node = node[int(part)]
                continue
            if not isinstance(node._content.get(part), Node):
                node._content[part] = DictConfig({}, node)
            node = node._content[part]
        if isinstance(node, ListConfig):
            node[int(last)] = value
        elif merge and isinstance(node._content.get(last), DictConfig) and isinstance(value, (dict, DictConfig)):
            merge_into(node._content[last], wrapped(value))
        else:
            node._content[last] = wrapped(value, node)

    @staticmethod
    def set_struct(conf, value):
        conf._flags["struct"] = value

    @staticmethod
    def set_readonly(conf, value):
        conf._flags["readonly"] = value

    @staticmethod
    def is_struct(conf):
        return conf._flag("struct")

    @staticmethod
    def is_readonly(conf):
        return conf._flag("readonly")

    @staticmethod
    def is_config(obj):
        return isinstance(obj, Node)

    @staticmethod
    def is_dict(obj):
        return isinstance(obj, DictConfig)

    @staticmethod
    def is_list(obj):
        return isinstance(obj, ListConfig)

    @staticmethod
    def is_missing(cfg, key):
        return cfg._content.get(key) == MISSING

    @staticmethod
    def is_interpolation(node, key=None):
        value = node if key is None else node._content.get(key)
        return isinstance(value, str) and "${" in value

    @staticmethod
    def masked_copy(conf, keys):
        keys = [keys] if isinstance(keys, str) else keys
        return DictConfig({key: value for key, value in plain(conf, False).items() if key in keys})

    @staticmethod
    def get_type(obj, key=None):
        node = obj if key is None else obj._content.get(key)
        if isinstance(node, DictConfig) and node._class is not None:
            return node._class
        return dict if isinstance(node, DictConfig) else list if isinstance(node, ListConfig) else type(node)


@contextmanager
def _flagged(config, name, value):
    before = config._flags.get(name)
    config._flags[name] = value
    try:
        yield config
    finally:
        config._flags[name] = before


def open_dict(config):
    return _flagged(config, "struct", False)


def read_write(config):
    return _flagged(config, "readonly", False)


def flag_override(config, names, values):
    return _flagged(
        config, names if isinstance(names, str) else names[0], values if not isinstance(values, list) else values[0]
    )
