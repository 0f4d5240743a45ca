"""tyro: a function or a data class as a command line; options are read from it, or have their defaults."""

import dataclasses
import inspect
import sys
from ast import literal_eval

import tyro as _this_module  # a name that it does not have is unknown


def cli(f, *, args=None, default=None, **_options):
    words = list(sys.argv[1:] if args is None else args)
    names = [each.name for each in dataclasses.fields(f)] if dataclasses.is_dataclass(f) else _parameters(f)
    given = _given(words, names)
    if default is not None:
        return dataclasses.replace(default, **given)
    for name in _required(f):
        given.setdefault(name, _this_module.value_of_a_required_argument)
    return f(**given)


def _given(words, names):
    given = {}
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            continue
        name, equals, value = word[2:].partition("=")
        name = name.replace("-", "_")
        if name.startswith("no_") and name not in names:
            given[name[3:]] = False
            continue
        if not equals:
            value = words.pop(0) if words and not words[0].startswith("--") else "True"
        given[name] = _value(value)
    return given


def _value(text):
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _parameters(f):
    return list(inspect.signature(f).parameters)


def _required(f):
    if dataclasses.is_dataclass(f):
        missing = dataclasses.MISSING
        return [
            each.name for each in dataclasses.fields(f) if each.default is missing and each.default_factory is missing
        ]
    return [
        name
        for name, parameter in inspect.signature(f).parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
