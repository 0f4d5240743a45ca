"""A flag whose value is the configuration that a file makes."""

import importlib.util

from absl import flags


def DEFINE_config_file(name, default=None, help_string="", flag_values=None, lock_config=True, **kwargs):
    value = None if default is None else _read(default)
    flags.FLAGS._flags[name] = flags._Flag(_read, value)
    return flags.FlagHolder(name)


def DEFINE_config_dict(name, config, help_string="", flag_values=None, lock_config=True, **kwargs):
    flags.FLAGS._flags[name] = flags._Flag(_read, config)
    return flags.FlagHolder(name)


def _read(path):
    path, colon, argument = path.partition(":")
    spec = importlib.util.spec_from_file_location("config", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.get_config(argument) if colon else module.get_config()
