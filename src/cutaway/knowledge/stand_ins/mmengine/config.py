"""mmengine.config: a Python, JSON or YAML file whose names are the settings, and which may build on others."""

import argparse
import copy
import importlib.util
import json
import os

import yaml
from addict import Dict


class ConfigDict(Dict):
    def __missing__(self, name):
        raise KeyError(name)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except KeyError:
            raise AttributeError(f"'ConfigDict' object has no attribute '{name}'") from None


class Config:
    def __init__(self, cfg_dict=None, cfg_text=None, filename=None, **options):
        object.__setattr__(self, "_cfg_dict", ConfigDict(cfg_dict or {}))
        object.__setattr__(self, "_filename", filename)

    @staticmethod
    def fromfile(filename, use_predefined_variables=True, import_custom_modules=True, **options):
        return Config(_read(os.fspath(filename)), filename=filename)

    @staticmethod
    def fromstring(cfg_str, file_format):
        return Config(yaml.safe_load(cfg_str))

    filename = property(lambda self: self._filename)

    def __getattr__(self, name):
        return getattr(object.__getattribute__(self, "_cfg_dict"), name)

    def __getitem__(self, name):
        return self._cfg_dict[name]

    def __setattr__(self, name, value):
        self._cfg_dict[name] = ConfigDict(value) if isinstance(value, dict) else value

    __setitem__ = __setattr__

    def __contains__(self, name):
        return name in self._cfg_dict

    def __iter__(self):
        return iter(self._cfg_dict)

    def __len__(self):
        return len(self._cfg_dict)

    def get(self, name, default=None):
        return self._cfg_dict.get(name, default)

    def keys(self):
        return self._cfg_dict.keys()

    def items(self):
        return self._cfg_dict.items()

    def to_dict(self):
        return self._cfg_dict.to_dict()

    def dump(self, file=None):
        pass

    def merge_from_dict(self, options, allow_list_keys=True):
        for path, value in options.items():
            *parents, last = path.split(".")
            node = self._cfg_dict
            for parent in parents:
                node = node[int(parent)] if isinstance(node, list) else node.setdefault(parent, ConfigDict())
            node[last] = value


def _read(path):
    if path.endswith(".py"):
        spec = importlib.util.spec_from_file_location("config", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        settings = {name: value for name, value in vars(module).items() if not name.startswith("__")}
        settings = {
            name: value for name, value in settings.items() if not callable(value) and type(value).__name__ != "module"
        }
    else:
        with open(path) as file:
            settings = json.load(file) if path.endswith(".json") else yaml.safe_load(file)
    bases = settings.pop("_base_", [])
    below = {}
    for base in [bases] if isinstance(bases, str) else bases:
        below.update(_read(os.path.join(os.path.dirname(path), base)))
    return _merged(settings, below)


def _merged(settings, below):
    below = copy.copy(below)
    for key, value in settings.items():
        if isinstance(value, dict):
            value = dict(value)
            is_new = value.pop("_delete_", False)
            value = _merged(value, below[key]) if isinstance(below.get(key), dict) and not is_new else value
        below[key] = value
    return below


class DictAction(argparse.Action):
    """Reads settings of the form `KEY=VALUE`; a value may be a list or a tuple."""

    def __call__(self, parser, namespace, values, option_string=None):
        options = copy.copy(getattr(namespace, self.dest, None) or {})
        for word in values:
            key, _, value = word.partition("=")
            options[key] = _value(value)
        setattr(namespace, self.dest, options)


def _value(text):
    text = text.strip("'\"").replace(" ", "")
    for opening, closing, kind in (("(", ")", tuple), ("[", "]", list)):
        if text.startswith(opening) and text.endswith(closing):
            return kind([_value(part) for part in _parts(text[1:-1])])
    parts = _parts(text)
    return [_value(part) for part in parts] if len(parts) > 1 else _plain(text)


def _parts(text):
    """Split at the commas that are in no bracket."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part]


def _plain(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return None if text == "None" else text
