"""yacs.config: a tree of settings with defaults, which files and command lines may change but not extend."""

import copy
import logging
from ast import literal_eval

import yaml

BASE_KEY = "_BASE_"
logger = logging.getLogger(__name__)


class CfgNode(dict):
    IMMUTABLE = "__immutable__"
    DEPRECATED_KEYS = "__deprecated_keys__"
    RENAMED_KEYS = "__renamed_keys__"
    NEW_ALLOWED = "__new_allowed__"

    def __init__(self, init_dict=None, key_list=None, new_allowed=False):
        init_dict = {} if init_dict is None else init_dict
        init_dict = self._create_config_tree_from_dict(init_dict, key_list or [])
        super().__init__(init_dict)
        self.__dict__[CfgNode.IMMUTABLE] = False
        self.__dict__[CfgNode.DEPRECATED_KEYS] = set()
        self.__dict__[CfgNode.RENAMED_KEYS] = {}
        self.__dict__[CfgNode.NEW_ALLOWED] = new_allowed

    @classmethod
    def _create_config_tree_from_dict(cls, dic, key_list):
        return {
            key: cls(value, key_list=[*key_list, key]) if isinstance(value, dict) else value
            for key, value in copy.deepcopy(dic).items()
        }

    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(name)

    def __setattr__(self, name, value):
        if self.is_frozen():
            raise AttributeError(f"Attempted to set {name} to {value}, but CfgNode is immutable")
        self[name] = value

    def dump(self, **kwargs):
        return yaml.safe_dump(_plain(self), **kwargs)

    def merge_from_file(self, cfg_filename):
        with open(cfg_filename) as file:
            cfg = self.load_cfg(file)
        self.merge_from_other_cfg(cfg)

    def merge_from_other_cfg(self, cfg_other):
        _merge_a_into_b(cfg_other, self, self, [])

    def merge_from_list(self, cfg_list):
        if len(cfg_list) % 2 != 0:
            raise AssertionError(f"Override list has odd length: {cfg_list}; it must be a list of pairs")
        root = self
        for full_key, value in zip(cfg_list[0::2], cfg_list[1::2]):
            if root.key_is_deprecated(full_key):
                continue
            if root.key_is_renamed(full_key):
                root.raise_key_rename_error(full_key)
            *path, subkey = full_key.split(".")
            node = self
            for key in path:
                if key not in node:
                    raise AssertionError(f"Non-existent key: {full_key}")
                node = node[key]
            if subkey not in node:
                raise AssertionError(f"Non-existent key: {full_key}")
            node[subkey] = _check_and_coerce(self._decode_cfg_value(value), node[subkey], subkey, full_key)

    def freeze(self):
        self._immutable(True)

    def defrost(self):
        self._immutable(False)

    def is_frozen(self):
        return self.__dict__[CfgNode.IMMUTABLE]

    def _immutable(self, is_immutable):
        self.__dict__[CfgNode.IMMUTABLE] = is_immutable
        for value in (*self.__dict__.values(), *self.values()):
            if isinstance(value, CfgNode):
                value._immutable(is_immutable)

    def clone(self):
        return copy.deepcopy(self)

    def register_deprecated_key(self, key):
        self.__dict__[CfgNode.DEPRECATED_KEYS].add(key)

    def register_renamed_key(self, old_name, new_name, message=None):
        self.__dict__[CfgNode.RENAMED_KEYS][old_name] = (new_name, message) if message else new_name

    def key_is_deprecated(self, full_key):
        return full_key in self.__dict__[CfgNode.DEPRECATED_KEYS]

    def key_is_renamed(self, full_key):
        return full_key in self.__dict__[CfgNode.RENAMED_KEYS]

    def raise_key_rename_error(self, full_key):
        new_key = self.__dict__[CfgNode.RENAMED_KEYS][full_key]
        raise KeyError(f"Key {full_key} was renamed to {new_key}; please update your config")

    def is_new_allowed(self):
        return self.__dict__[CfgNode.NEW_ALLOWED]

    def set_new_allowed(self, is_new_allowed):
        self.__dict__[CfgNode.NEW_ALLOWED] = is_new_allowed
        for value in (*self.__dict__.values(), *self.values()):
            if isinstance(value, CfgNode):
                value.set_new_allowed(is_new_allowed)

    @classmethod
    def load_cfg(cls, cfg_file_obj_or_str):
        return cls(yaml.safe_load(cfg_file_obj_or_str))

    @classmethod
    def _decode_cfg_value(cls, value):
        if isinstance(value, dict):
            return cls(value)
        if not isinstance(value, str):
            return value
        try:
            return literal_eval(value)
        except (ValueError, SyntaxError):
            return value


CN = CfgNode
load_cfg = CfgNode.load_cfg


def _plain(node):
    return {key: _plain(value) for key, value in node.items()} if isinstance(node, CfgNode) else node


def _merge_a_into_b(a, b, root, key_list):
    for key, given in a.items():
        full_key = ".".join([*key_list, key])
        value = b._decode_cfg_value(copy.deepcopy(given))
        if key in b:
            value = _check_and_coerce(value, b[key], key, full_key)
            if isinstance(value, CfgNode):
                _merge_a_into_b(value, b[key], root, [*key_list, key])
            else:
                b[key] = value
        elif b.is_new_allowed():
            b[key] = value
        elif root.key_is_deprecated(full_key):
            continue
        elif root.key_is_renamed(full_key):
            root.raise_key_rename_error(full_key)
        else:
            raise KeyError(f"Non-existent config key: {full_key}")


def _check_and_coerce(replacement, original, key, full_key):
    kinds = type(original), type(replacement)
    if kinds[0] is kinds[1] or original is None or replacement is None:
        return replacement
    if isinstance(original, str) and isinstance(replacement, str):
        return replacement
    if kinds == (list, tuple):
        return list(replacement)
    if kinds == (tuple, list):
        return tuple(replacement)
    if isinstance(original, CfgNode) and isinstance(replacement, CfgNode):
        return replacement
    raise ValueError(
        f"Type mismatch ({kinds[0]} vs. {kinds[1]}) with values ({original} vs. {replacement}) for {full_key}"
    )
