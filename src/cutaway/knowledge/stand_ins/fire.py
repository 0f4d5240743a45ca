"""fire: any function or class as a command; arguments are read from the command line, or have their defaults."""

import inspect
import sys
from ast import literal_eval

import fire as _this_module  # a name that it does not have is unknown


def Fire(component=None, command=None, name=None, serialize=None):
    words = list(sys.argv[1:] if command is None else command.split() if isinstance(command, str) else command)
    while isinstance(component, dict) and words:
        component = component[words.pop(0)]
    while words and not words[0].startswith("-") and not callable(component):
        component = getattr(component, words.pop(0))
    if not callable(component):
        return component
    args, kwargs = [], {}
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            args.append(_value(word))
            continue
        key, equals, value = word[2:].partition("=")
        if not equals:
            value = words.pop(0) if words and not words[0].startswith("--") else "True"
        kwargs[key.replace("-", "_")] = _value(value)
    for name, parameter in list(inspect.signature(component).parameters.items())[len(args) :]:
        is_plain = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        if is_plain and parameter.default is parameter.empty:
            kwargs.setdefault(name, _this_module.value_of_a_required_argument)
    return component(*args, **kwargs)


def _value(text):
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        return text
