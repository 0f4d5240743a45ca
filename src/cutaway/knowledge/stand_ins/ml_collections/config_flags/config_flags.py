"""A flag whose value is the configuration that a file makes; further flags change single fields of it."""

import importlib.util
import sys
from ast import literal_eval

from absl import flags

import ml_collections.config_flags.config_flags as _this_module  # a name that it does not have is unknown


def DEFINE_config_file(name, default=None, help_string="", flag_values=None, lock_config=True, **kwargs):
    return _define(_ConfigFlag(_Reader(), None, name, default, help_string), lock_config)


def DEFINE_config_dict(name, config, help_string="", flag_values=None, lock_config=True, **kwargs):
    return _define(_ConfigFlag(None, None, name, config, help_string), lock_config)


def _define(flag, lock_config):
    flag.lock_config = lock_config
    flag.finish()
    for word in sys.argv[1:]:
        path = word.lstrip("-").partition("=")[0]
        if word.startswith("-") and path.startswith(f"{flag.name}."):
            flags.DEFINE_flag(_FieldFlag(flag, path))
    return flags.DEFINE_flag(flag)


class _Reader(flags.ArgumentParser):
    def parse(self, argument):
        path, colon, argument = argument.partition(":")
        spec = importlib.util.spec_from_file_location("config", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.get_config(argument) if colon else module.get_config()


class _ConfigFlag(flags.Flag):
    lock_config = False
    overrides = ()

    def parse(self, argument):
        super().parse(argument)
        self.finish()

    def finish(self):
        if self.lock_config and hasattr(self.value, "lock"):
            self.value.lock()
        for path, text in self.overrides:
            _override(self.value, path, text)

    def override(self, path, text):
        self.overrides = (*self.overrides, (path, text))
        if self.value is not None:
            _override(self.value, path, text)


class _FieldFlag(flags.Flag):
    """A flag that changes one field of the configuration of another flag."""

    def __init__(self, config_flag, name):
        self.config_flag, self.path = config_flag, name.partition(".")[2].split(".")
        super().__init__(flags.ArgumentParser(), None, name, None, "")

    @property
    def boolean(self):
        return self.config_flag.value is not None and isinstance(_field(self.config_flag.value, self.path), bool)

    @boolean.setter
    def boolean(self, value):
        pass

    def parse(self, argument):
        self.config_flag.override(self.path, argument)
        self.value = argument
        self.present += 1


def _field(config, path):
    for part in path:
        config = config[int(part)] if isinstance(config, (list, tuple)) else config[part]
    return config


def _override(config, path, text):
    *parents, last = path
    node = _field(config, parents)
    node[last] = _converted(text, _kind(node, last))


def _kind(node, name):
    """Return the type of a field; one that has no value yet was made with one."""
    if node[name] is not None:
        return type(node[name])
    return node.get_ref(name).field_type or _this_module.type_of_a_field_without_value


_TRUTHS = dict.fromkeys(("true", "t", "1", "yes"), True) | dict.fromkeys(("false", "f", "0", "no"), False)


def _converted(text, kind):
    if kind is bool:
        return _TRUTHS[text.lower()]
    if kind in (int, float, str):
        return kind(text)
    value = literal_eval(text)
    return kind(value) if kind in (tuple, list) and isinstance(value, (tuple, list)) else value
