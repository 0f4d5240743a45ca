"""fire: any function, class or object as a command; arguments are read from the command line, or have their defaults."""

import inspect
import sys
from ast import literal_eval

import fire as _this_module  # a name that it does not have is unknown


class FireError(Exception):
    pass


def Fire(component=None, command=None, name=None, serialize=None):
    if command is None:
        command = sys.argv[1:]
    words = command.split() if isinstance(command, str) else list(command)
    words = words[: words.index("--")] if "--" in words else words  # flags of fire itself follow
    if component is None:
        component = vars(sys.modules["__main__"])
    has_called = False
    while True:
        is_function = inspect.isroutine(component) or inspect.ismethod(component)
        if inspect.isclass(component) or (is_function and (words or not has_called)):
            component, words = _called(component, words)
            has_called = True
        elif words and words[0] == "-":
            words.pop(0)
        elif words:
            component = _member(component, words.pop(0))
            has_called = False
        else:
            return component


def _member(component, name):
    if isinstance(component, dict):
        for key in (name, name.replace("-", "_")):
            if key in component:
                return component[key]
    elif isinstance(component, (list, tuple)):
        return component[int(name)]
    else:
        for key in (name, name.replace("-", "_")):
            if hasattr(component, key):
                return getattr(component, key)
    raise FireError(f"Could not consume arg: {name}")


def _called(function, words):
    """Call a function or a class with the words that are for it; return what it returns, and the words that are left."""
    mine, rest = words, []
    if "-" in words:
        at = words.index("-")
        mine, rest = words[:at], words[at + 1 :]
    parameters = inspect.signature(function).parameters.values()
    named = [each.name for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    takes_all = any(each.kind is each.VAR_KEYWORD for each in parameters)
    given, plain, left = _flags(mine, named, takes_all)
    args = []
    for each in parameters:
        if each.kind is each.VAR_POSITIONAL:
            args += [_value(word) for word in plain]
            plain = []
        elif each.kind in (each.POSITIONAL_OR_KEYWORD, each.POSITIONAL_ONLY) and each.name not in given:
            if plain and not inspect.isclass(function):
                given[each.name] = _value(plain.pop(0))
            elif each.default is each.empty:
                given[each.name] = _this_module.value_of_a_required_argument
        elif each.kind is each.KEYWORD_ONLY and each.name not in given and each.default is each.empty:
            given[each.name] = _this_module.value_of_a_required_argument
    if args:
        positional = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
        args = [given.pop(name) for name in positional if name in given] + args
    return function(*args, **given), [*plain, *left, *rest]


def _flags(words, named, takes_all):
    """Return the flags that are among the named parameters, the words that are no flags, and the other flags."""
    given, plain, left = {}, [], []
    words = list(words)
    while words:
        word = words.pop(0)
        if not _is_flag(word):
            plain.append(word)
            continue
        key, equals, value = word.lstrip("-").partition("=")
        key = key.replace("-", "_")
        if len(key) == 1 and key not in named:
            fitting = [each for each in named if each.startswith(key)]
            key = fitting[0] if len(fitting) == 1 else key
        has_value = bool(equals) or (bool(words) and not _is_flag(words[0]))
        if not has_value and key not in named and key[:2] == "no" and key[2:] in named:
            given[key[2:]] = False
        elif key in named or takes_all:
            given[key] = _value(value if equals else words.pop(0)) if has_value else True
        else:
            left.append(word)
            if has_value and not equals:
                left.append(words.pop(0))
    return given, plain, left


def _is_flag(word):
    return word.startswith("--") or (len(word) > 1 and word[0] == "-" and not word[1].isdigit() and word[1] != ".")


def _value(text):
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        return text
