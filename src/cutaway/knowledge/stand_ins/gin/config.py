"""Bindings, references and macros of gin; scopes are followed for functions that are called in one."""

import contextlib
import functools
import importlib
import inspect
import os
from ast import literal_eval

REQUIRED = object()

_functions = {}
_bindings = {}
_macros = {}
_scopes = []
_folders = [""]


class _Reference:
    def __init__(self, name, is_called):
        self.name, self.is_called = name, is_called

    def value(self):
        scope, _, name = self.name.rpartition("/")
        function = _functions[name.rpartition(".")[2]]
        if scope:
            function = _in_scope(function, scope)
        return function() if self.is_called else function


class _Macro:
    def __init__(self, name):
        self.name = name

    def value(self):
        return _resolved(_macros[self.name])


def _in_scope(function, scope):
    def call(*args, **kwargs):
        with config_scope(scope):
            return function(*args, **kwargs)

    return call


def _resolved(value):
    if isinstance(value, (_Reference, _Macro)):
        return value.value()
    if isinstance(value, (list, tuple)):
        return type(value)([_resolved(item) for item in value])
    if isinstance(value, dict):
        return {key: _resolved(item) for key, item in value.items()}
    return value


def _bound(name):
    bound = dict(_bindings.get(name, {}))
    for scope in _scopes:
        bound.update(_bindings.get(f"{scope}/{name}", {}))
    return bound


def _filled(name, function, args, kwargs):
    bound = _bound(name)
    positional = []
    parameters = list(inspect.signature(function).parameters.values())
    for at, value in enumerate(args):
        is_open = value is REQUIRED and at < len(parameters)
        positional.append(_resolved(bound[parameters[at].name]) if is_open else value)
    taken = [parameter.name for parameter in parameters[: len(args)]]
    filled = {key: _resolved(value) for key, value in bound.items() if key not in taken}
    filled.update({key: value for key, value in kwargs.items() if value is not REQUIRED})
    for parameter in parameters:
        if parameter.default is REQUIRED and parameter.name not in filled and parameter.name not in taken:
            raise RuntimeError(f"Required bindings for `{name}` not provided in config: {parameter.name!r}")
    return positional, filled


def _configurable(target, name):
    name = name or target.__name__
    if inspect.isclass(target):
        construct = target.__init__

        @functools.wraps(construct)
        def __init__(self, *args, **kwargs):
            # the first argument is the instance, which nothing is bound to
            positional, filled = _filled(name, construct, (self, *args), kwargs)
            construct(*positional, **filled)

        target.__init__ = __init__
        _functions[name.rpartition(".")[2]] = target
        return target

    @functools.wraps(target)
    def call(*args, **kwargs):
        positional, filled = _filled(name, target, args, kwargs)
        return target(*positional, **filled)

    _functions[name.rpartition(".")[2]] = call
    return call


def configurable(name_or_fn=None, module=None, allowlist=None, denylist=None, **_options):
    if name_or_fn is None or isinstance(name_or_fn, str):
        return lambda target: _configurable(target, (name_or_fn or "").rpartition(".")[2])
    return _configurable(name_or_fn, "")


def register(name_or_fn=None, module=None, **_options):
    def keep(target):
        name = name_or_fn if isinstance(name_or_fn, str) else target.__name__
        if inspect.isclass(target):
            made = type(target.__name__, (target,), {})
            _configurable(made, name.rpartition(".")[2])
        else:
            _configurable(target, name.rpartition(".")[2])
        return target

    return keep if name_or_fn is None or isinstance(name_or_fn, str) else keep(name_or_fn)


def external_configurable(fn_or_cls, name=None, module=None, **_options):
    name = (name or fn_or_cls.__name__).rpartition(".")[2]
    if inspect.isclass(fn_or_cls):
        return _configurable(type(fn_or_cls.__name__, (fn_or_cls,), {}), name)
    return _configurable(fn_or_cls, name)


def bind_parameter(binding_key, value):
    if isinstance(binding_key, (list, tuple)):
        binding_key = "/".join(binding_key)
    scope, _, path = binding_key.rpartition("/")
    target, _, parameter = path.rpartition(".")
    name = target.rpartition(".")[2]
    _bindings.setdefault(f"{scope}/{name}" if scope else name, {})[parameter] = value


def query_parameter(binding_key):
    if binding_key.startswith("%"):
        return _resolved(_macros[binding_key[1:]])
    target, _, parameter = binding_key.rpartition(".")
    return _resolved(_bindings[target.rpartition(".")[2]][parameter])


def constant(name, value):
    _macros[name] = value


@contextlib.contextmanager
def config_scope(name_or_scope):
    before = list(_scopes)
    if name_or_scope:
        _scopes.append(name_or_scope)
    try:
        yield list(_scopes)
    finally:
        _scopes[:] = before


@contextlib.contextmanager
def unlock_config():
    yield


def add_config_file_search_path(path):
    _folders.append(path)


def parse_config_files_and_bindings(config_files=None, bindings=None, finalize_config=True, **_options):
    for file in [config_files] if isinstance(config_files, str) else config_files or ():
        parse_config_file(file)
    parse_config(bindings or "")


def parse_config_file(config_file, skip_unknown=False, print_includes_and_imports=False):
    paths = [os.path.join(folder, config_file) for folder in _folders]
    path = next((path for path in paths if os.path.exists(path)), config_file)
    with open(path) as file:
        parse_config(file.read())


def parse_config(bindings, skip_unknown=False):
    for statement in _statements("\n".join(bindings) if isinstance(bindings, (list, tuple)) else bindings):
        if statement.startswith(("import ", "from ")):
            _import(statement)
            continue
        if statement.startswith("include "):
            parse_config_file(statement[len("include ") :].strip().strip("'\""))
        elif "=" in statement:
            key, _, text = statement.partition("=")
            key, value = key.strip(), _value(text.strip())
            if "." in key:
                bind_parameter(key, value)
            else:
                _macros[key] = value


def _import(statement):
    words = statement.split()
    importlib.import_module(words[1])
    if words[0] == "from" and len(words) > 3:
        with contextlib.suppress(ImportError):  # it is no module, but a name in one
            importlib.import_module(f"{words[1]}.{words[3]}")


def _statements(text):
    """Yield statements; one goes on in the next line while a bracket is open, or after a backslash.

    A name with a colon is what the indented lines after it are about.
    """
    pending, about = "", ""
    for line in text.splitlines():
        line = _without_comment(line).rstrip()
        if line.endswith("\\"):
            pending += line[:-1]
            continue
        if not pending.strip() and line[:1].strip():
            about = ""
        pending += line
        if not pending.strip() or _is_open(pending):
            continue
        statement, pending = pending.strip(), ""
        if statement.endswith(":") and "=" not in statement:
            about = f"{statement[:-1]}."
        else:
            yield about + statement


def _without_comment(line):
    quote = ""
    for at, letter in enumerate(line):
        if letter == quote:
            quote = ""
        elif letter in "\"'" and not quote:
            quote = letter
        elif letter == "#" and not quote:
            return line[:at]
    return line


def _is_open(text):
    return sum(text.count(one) for one in "([{") > sum(text.count(one) for one in ")]}") or text.endswith("=")


def _parts(text):
    """Split the items of a list or dict at the commas and colons that are in no bracket of their own."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        depth += (letter in "([{") - (letter in ")]}") if not quote else 0
        if letter in ",:" and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _value(text):
    if text.startswith("@"):
        return _Reference(text[1:].removesuffix("()"), text.endswith("()"))
    if text.startswith("%"):
        return _Macro(text[1:])
    if text[:1] in ("[", "(", "{") and ("@" in text or "%" in text):
        items = [_value(part) for part in _parts(text[1:-1])]
        if text[0] == "{":
            return dict(zip(items[::2], items[1::2]))
        return items if text[0] == "[" else tuple(items) if "," in text else items[0]
    return literal_eval(text)


def config_str(*args, **kwargs):
    return ""


operative_config_str = config_str


def finalize():
    pass


def clear_config(clear_constants=False):
    _bindings.clear()
    _macros.clear()
