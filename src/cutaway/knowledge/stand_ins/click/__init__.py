"""click: a function's arguments are read from the command line, or have the defaults that are written for them."""

import argparse
import functools
import os
import sys

import click as _this_module  # a name that it does not have is unknown
from click.types import (
    BOOL,
    FLOAT,
    INT,
    STRING,
    UNPROCESSED,
    Choice,
    DateTime,
    File,
    FloatRange,
    IntRange,
    ParamType,
    Path,
    Tuple,
    of,
)


class ClickException(Exception):
    pass


class UsageError(ClickException):
    pass


class BadParameter(UsageError):
    pass


class NoSuchOption(UsageError):
    pass


class Abort(RuntimeError):
    pass


class Parameter:
    def __init__(self, names, **options):
        self.flags = [name for name in names if name.startswith("-")]
        plain = [name for name in names if not name.startswith("-")]
        first = sorted(self.flags, key=lambda flag: not flag.startswith("--"))[:1]
        self.name = (plain or [first[0].partition("/")[0].strip().lstrip("-")])[0].replace("-", "_").lower()
        self.options = options
        self.nargs = options.get("nargs", len(options["type"]) if isinstance(options.get("type"), tuple) else 1)
        self.multiple, self.counts = options.get("multiple", False), options.get("count", False)
        self.is_flag = bool(
            options.get("is_flag") or "flag_value" in options or any("/" in flag for flag in self.flags)
        )
        self.default = options.get("default")
        if self.default is None and "default" not in options:
            self.default = 0 if self.counts else False if self.is_flag and "flag_value" not in options else None
        self.required = options.get("required", not self.flags and "default" not in options and self.nargs != -1)
        self.type = of(options.get("type"), self.default)

    def values_of_flags(self):
        """Return what each of its flags stands for, None where a value follows."""
        found = {}
        for flag in self.flags:
            on, slash, off = flag.partition("/")
            found[on.strip()] = None if not self.is_flag else self.options.get("flag_value", True)
            if slash:
                found[off.strip()] = False
        return found

    def value(self, context, given):
        """Return its value: `given` lists what the command line has for it."""
        if not given and self.options.get("envvar") and self.options["envvar"] in os.environ:
            given = [os.environ[self.options["envvar"]]]
        if self.counts:
            value = len(given) or self.default
        elif given:
            value = tuple([self._converted(each, context) for each in given])
            value = value if self.multiple else value[-1]
        elif self.options.get("prompt"):
            value = _this_module.value_that_the_user_is_asked_for
        else:
            value = self._usual(context)
        callback = self.options.get("callback")
        return value if callback is None else callback(context, self, value)

    def _usual(self, context):
        default = self.default() if callable(self.default) else self.default
        if default is None:
            if self.required:
                return _this_module.value_of_a_required_option
            return () if self.multiple or self.nargs == -1 else None
        if self.is_flag:
            return default
        if self.multiple:
            return tuple([self._converted(each, context) for each in default])
        return self._converted(default, context)

    def _converted(self, value, context):
        if self.is_flag:
            return value if "flag_value" in self.options or isinstance(value, bool) else BOOL.convert(value, self, None)
        if self.nargs == 1 or isinstance(self.type, Tuple):
            return self.type.convert(value, self, context)
        return tuple([self.type.convert(each, self, context) for each in value])


Option = Argument = Parameter


def option(*names, cls=None, **options):
    return _adding(Parameter(names, **options))


def argument(*names, cls=None, **options):
    return _adding(Parameter(names, **options))


def _adding(parameter):
    def decorate(function):
        if isinstance(function, Command):
            function.params.append(parameter)
        else:
            function.__click_params__ = [*getattr(function, "__click_params__", ()), parameter]
        return function

    return decorate


_contexts = []


class Context:
    def __init__(self, command, parent=None, obj=None, info_name=None):
        self.command, self.parent, self.info_name = command, parent, info_name
        self.obj = parent.obj if obj is None and parent is not None else obj
        self.params, self.args, self.invoked_subcommand = {}, [], None
        self.meta = {} if parent is None else parent.meta
        self.default_map = None

    def find_root(self):
        return self if self.parent is None else self.parent.find_root()

    def find_object(self, kind):
        node = self
        while node is not None:
            if isinstance(node.obj, kind):
                return node.obj
            node = node.parent
        return None

    def ensure_object(self, kind):
        found = self.find_object(kind)
        if found is None:
            self.obj = found = kind()
        return found

    def invoke(self, command, *args, **kwargs):
        if not isinstance(command, Command):
            return command(*args, **kwargs)
        given = {each.name: each.value(self, []) for each in command.params if each.name not in kwargs}
        return command.call(Context(command, self), {**given, **kwargs})

    def forward(self, command, *args, **kwargs):
        return self.invoke(command, *args, **{**self.params, **kwargs})

    def get_help(self):
        return _this_module.text_of_the_help

    def exit(self, code=0):
        sys.exit(code)

    def abort(self):
        raise Abort

    def fail(self, message):
        raise UsageError(message)

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        pass


def get_current_context(silent=False):
    return _contexts[-1] if _contexts else None


class Command:
    is_group = False

    def __init__(self, name=None, callback=None, params=None, context_settings=None, **options):
        self.name, self.callback, self.params = name, callback, list(params or ())
        self.settings, self.options = context_settings or {}, options
        self.__doc__ = getattr(callback, "__doc__", None)

    def __call__(self, *args, **kwargs):
        return self.main(*args, **kwargs)

    def main(self, args=None, prog_name=None, complete_var=None, standalone_mode=True, obj=None, **extra):
        words = list(sys.argv[1:] if args is None else args)
        result = self.run(words, Context(self, obj=obj, info_name=prog_name), standalone_mode and args is None)
        if standalone_mode:
            sys.exit(0)
        return result

    def run(self, words, context, is_program=False):
        given, plain, _ = self._parse(words)
        for parameter in self.params:
            if not parameter.flags:
                given[parameter.name] = _taken(parameter, plain, self.params)
        context.args = plain
        for parameter in self.params:
            value = parameter.value(context, given.get(parameter.name, []))
            if parameter.options.get("expose_value", True):
                context.params[parameter.name] = value
        return self.call(context, dict(context.params))

    def call(self, context, values):
        _contexts.append(context)
        try:
            return self.callback(**values) if self.callback is not None else None
        finally:
            _contexts.pop()

    def _parse(self, words):
        """Return the values of each option, the words that are none, and those of a subcommand."""
        flags = {}
        for parameter in self.params:
            for flag, value in parameter.values_of_flags().items():
                flags[flag] = parameter, value
        given, plain, words = {}, [], list(words)
        while words:
            word = words.pop(0)
            if word == "--":
                return given, plain + words, []
            if not word.startswith("-") or word == "-":
                if self.is_group:
                    return given, plain, [word, *words]
                plain.append(word)
                continue
            flag, value = _split(word, flags)
            if flag not in flags:
                if not self.settings.get("ignore_unknown_options"):
                    raise NoSuchOption(f"No such option: {flag}")
                plain.append(word)
                continue
            parameter, constant = flags[flag]
            if parameter.is_flag or parameter.counts:
                if value is not None:
                    words.insert(0, f"-{value}")  # further flags of one letter
                found = constant
            elif parameter.nargs == 1:
                found = words.pop(0) if value is None else value
            else:
                found = tuple([words.pop(0) for _ in range(parameter.nargs)])
            given.setdefault(parameter.name, []).append(found)
        return given, plain, []


def _split(word, flags):
    """Return an option and its value, None where that is another word."""
    if word.startswith("--") or word in flags:
        flag, equals, value = word.partition("=")
        return flag, value if equals else None
    return word[:2], word[2:] or None


def _taken(parameter, plain, params):
    """Take the words of an argument away from those that are no options."""
    if parameter.nargs == 1:
        return [plain.pop(0)] if plain else []
    after = [each for each in params[params.index(parameter) + 1 :] if not each.flags]
    count = len(plain) - sum(each.nargs for each in after) if parameter.nargs == -1 else parameter.nargs
    taken = tuple([plain.pop(0) for _ in range(count)]) if len(plain) >= count else ()
    return [taken] if taken else []


class Group(Command):
    is_group = True

    def __init__(self, name=None, commands=None, invoke_without_command=False, **options):
        super().__init__(name, **options)
        self.commands = dict(commands or {})
        self.invoke_without_command = invoke_without_command

    def run(self, words, context, is_program=False):
        given, _, rest = self._parse(words)
        if not rest and not self.invoke_without_command:
            rest = [_asked_for(self.commands)] if is_program else []
        if rest and rest[0] not in self.commands:
            raise UsageError(f"No such command {rest[0]!r}.")
        context.invoked_subcommand = rest[0] if rest else None
        for parameter in self.params:
            context.params[parameter.name] = parameter.value(context, given.get(parameter.name, []))
        result = self.call(context, dict(context.params))
        if not rest:
            return result
        command = self.commands[rest[0]]
        _contexts.append(context)
        try:
            return command.run(rest[1:], Context(command, context, info_name=rest[0]), is_program)
        finally:
            _contexts.pop()

    def add_command(self, command, name=None):
        self.commands[name or command.name] = command

    def get_command(self, context, name):
        return self.commands.get(name)

    def list_commands(self, context):
        return sorted(self.commands)

    def command(self, name=None, cls=None, **options):
        return self._adding(name, cls or Command, options)

    def group(self, name=None, cls=None, **options):
        return self._adding(name, cls or Group, options)

    def _adding(self, name, cls, options):
        def decorate(function):
            made = _made(None if callable(name) else name, cls, options, function)
            self.add_command(made)
            return made

        return decorate(name) if callable(name) else decorate


MultiCommand = BaseCommand = Group


def _asked_for(commands):
    """Return the command that the user has to name."""
    parser = argparse.ArgumentParser()
    names = parser.add_subparsers(dest="command", required=True)
    for name in commands:
        names.add_parser(name)
    return parser.parse_args().command


def _made(name, cls, options, function):
    if isinstance(function, Command):
        return function
    params = [*reversed(getattr(function, "__click_params__", ())), *options.pop("params", ())]
    return cls(name=name or _command_name(function), callback=function, params=params, **options)


def _command_name(function):
    name = function.__name__.lower().replace("_", "-")
    head, _, tail = name.rpartition("-")
    return head if head and tail in ("command", "cmd", "group", "grp") else name


def command(name=None, cls=None, **options):
    if callable(name):
        return _made(None, cls or Command, options, name)
    return lambda function: _made(name, cls or Command, options, function)


def group(name=None, cls=None, **options):
    return command(name, cls or Group, **options)


def pass_context(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(get_current_context(), *args, **kwargs)

    return call


def pass_obj(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(get_current_context().obj, *args, **kwargs)

    return call


def make_pass_decorator(kind, ensure=False):
    def decorate(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            context = get_current_context()
            found = context.ensure_object(kind) if ensure else context.find_object(kind)
            return function(found, *args, **kwargs)

        return call

    return decorate


def echo(*args, **kwargs):
    pass


secho = echo


def style(text, *args, **kwargs):
    return text


def confirm(text, default=None, **kwargs):
    return _this_module.value_that_the_user_is_asked_for


prompt = confirm


def version_option(*args, **kwargs):
    return lambda function: function


help_option = version_option
