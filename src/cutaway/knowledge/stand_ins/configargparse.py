"""configargparse: options that may also stand in files and in environment variables."""

import argparse
import os
import sys
from argparse import *  # noqa: F403
from ast import literal_eval


class ArgumentParser(argparse.ArgumentParser):
    def __init__(self, *args, default_config_files=(), auto_env_var_prefix=None, **kwargs):
        for name in _OPTIONS:
            kwargs.pop(name, None)
        self.default_config_files = list(default_config_files)
        self.config_options, self.variables, self.known = [], [], {}
        super().__init__(*args, **kwargs)

    def add_argument(self, *args, env_var=None, is_config_file=False, is_config_file_arg=False, **kwargs):
        kwargs.pop("is_write_out_config_file_arg", None)
        action = super().add_argument(*args, **kwargs)
        if kwargs.get("action") in ("help", "version"):
            return action
        self.known.update(dict.fromkeys(action.option_strings, action))
        if is_config_file or is_config_file_arg:
            self.config_options += action.option_strings
        if env_var:
            self.variables.append((action.option_strings[-1], env_var))
        return action

    add = add_arg = add_argument

    def parse_known_args(self, args=None, namespace=None, **options):
        words = list(sys.argv[1:] if args is None else args)
        files = [path for path in self.default_config_files if os.path.exists(path)]
        files += _values(words, self.config_options)
        given = {word.partition("=")[0] for word in words}
        settings = {}
        for path in files:
            with open(path) as file:
                settings.update(_settings(file.read()))
        settings.update({name: os.environ[variable] for name, variable in self.variables if variable in os.environ})
        found = []
        for key, value in settings.items():
            action = next((self.known[name] for name in (key, f"--{key}", f"-{key}") if name in self.known), None)
            if action is None:
                found += [f"--{key}", value]  # of a group
            elif not given.intersection(action.option_strings):
                found += _words(action, value)
        return super().parse_known_args(found + words if found or args is not None else None, namespace)

    def parse_args(self, args=None, namespace=None, **options):
        known, rest = self.parse_known_args(args, namespace)
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return known

    def format_values(self):
        return ""


ArgParser = Parser = ArgumentParser

_OPTIONS = (
    "add_config_file_help add_env_var_help ignore_unknown_config_file_keys config_file_parser_class "
    "args_for_setting_config_path config_arg_is_required config_arg_help_message config_file_open_func "
    "args_for_writing_out_config_file write_out_config_file_arg_help_message"
).split()


def _values(words, options):
    """Return what the command line has for some options."""
    found = []
    for at, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag in options:
            found.append(value if equals else words[at + 1])
    return found


def _settings(text):
    """Return the settings of a file: a name and a value in each line."""
    found = {}
    for line in text.splitlines():
        line = line.strip()
        if not line or line[0] in "#;[" or line.startswith("---"):
            continue
        for sign in ("=", ":", " "):
            if sign in line:
                key, _, value = line.partition(sign)
                break
        else:
            key, value = line, "true"
        value = value.partition(" #")[0].strip()
        found[key.strip().lstrip("-")] = value
    return found


def _words(action, value):
    """Return an option as the command line would have it."""
    flag = action.option_strings[-1]
    if action.nargs == 0:
        return [flag] if value.strip().lower() in ("true", "yes", "1") else []
    if value.startswith("["):
        try:
            return [flag, *map(str, literal_eval(value))]
        except (ValueError, SyntaxError):
            return [flag, *(part.strip() for part in value[1:-1].split(","))]
    return [flag, value.strip("\"'")]
