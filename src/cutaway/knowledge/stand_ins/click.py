"""click: a function's arguments are read from the command line, or have the defaults that are written for them."""

import functools
import sys

import click as _this_module  # a name that it does not have is unknown


class Choice:
    def __init__(self, choices, case_sensitive=True):
        self.choices = list(choices)

    def __call__(self, value):
        return value


def Path(*args, **kwargs):
    return str


File = Path


class IntRange:
    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, value):
        return int(value)


class FloatRange(IntRange):
    def __call__(self, value):
        return float(value)


class _Parameter:
    def __init__(self, names, is_option, options):
        self.flags = [name for name in names if name.startswith("-")]
        plain = [name for name in names if not name.startswith("-")]
        longest = max(self.flags, key=len).lstrip("-").partition("/")[0] if self.flags else ""
        self.name = (plain[0] if plain else longest).replace("-", "_").lower()
        self.is_option = is_option
        self.is_required = options.get("required", not is_option) and "default" not in options
        self.is_flag = options.get("is_flag", False) or any("/" in flag for flag in self.flags)
        self.multiple = options.get("multiple", False)
        self.default = options.get("default", False if self.is_flag else () if self.multiple else None)
        kind = options.get("type")
        self.kind = kind or (type(self.default) if isinstance(self.default, (int, float, str)) else str)

    def value(self, words):
        found = []
        at = 0
        while at < len(words):
            flag, equals, after = words[at].partition("=")
            for names in self.flags:
                on, _, off = names.partition("/")
                if flag == on and self.is_flag:
                    found.append(True)
                elif off and flag == off:
                    found.append(False)
                elif flag == on:
                    found.append(self.kind(after if equals else words[at + 1]))
            at += 1
        if self.multiple:
            return tuple(found) or tuple(self.default)
        if self.is_required and not found:
            return _this_module.value_of_a_required_option
        default = self.default() if callable(self.default) else self.default
        return found[-1] if found else default


def option(*names, **options):
    return _adding(_Parameter(names, True, options))


def argument(*names, **options):
    return _adding(_Parameter(names, False, options))


def _adding(parameter):
    def decorate(function):
        function.__click_params__ = [parameter, *getattr(function, "__click_params__", [])]
        return function

    return decorate


class Command:
    def __init__(self, function):
        self.callback = function
        self.params = getattr(function, "__click_params__", [])
        self.commands = {}
        self.name = function.__name__.replace("_", "-")

    def __call__(self, *args, **kwargs):
        return self.main(*args, **kwargs)

    def main(self, args=None, **options):
        words = list(sys.argv[1:] if args is None else args)
        values = {each.name: each.value(words) for each in self.params if each.is_option}
        plain = [word for word in words if not word.startswith("-")]
        for parameter in self.params:
            if not parameter.is_option:
                values[parameter.name] = parameter.kind(plain.pop(0)) if plain else parameter.value([])
        result = self.callback(**values)
        for name, command in self.commands.items():
            if name in words:
                return command.main(words[words.index(name) + 1 :])
        return result

    def command(self, name=None, **options):
        def decorate(function):
            made = Command(function)
            self.commands[name if isinstance(name, str) else made.name] = made
            return made

        return decorate(name) if callable(name) else decorate

    group = command


Group = Command


def command(name=None, cls=None, **options):
    return Command(name) if callable(name) else Command


group = command


def pass_context(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(None, *args, **kwargs)

    return call


def echo(*args, **kwargs):
    pass


secho = echo


def version_option(*args, **kwargs):
    return lambda function: function


help_option = version_option


class BadParameter(Exception):
    pass


class ClickException(Exception):
    pass


class UsageError(ClickException):
    pass
