"""What words of the command line are turned into."""

import click.types as _this_module  # a name that it does not have is unknown


class ParamType:
    name = None

    def convert(self, value, param, ctx):
        return value

    def fail(self, message, param=None, ctx=None):
        raise ValueError(message)


class Choice(ParamType):
    def __init__(self, choices, case_sensitive=True):
        self.choices, self.case_sensitive = list(choices), case_sensitive

    def convert(self, value, param, ctx):
        names = {getattr(each, "name", each): each for each in self.choices}
        if not self.case_sensitive:
            names = {str(name).lower(): each for name, each in names.items()}
        key = value if self.case_sensitive else str(value).lower()
        if key in names:
            return names[key]
        if value in self.choices:
            return value
        return self.fail(f"{value!r} is not one of {', '.join(map(repr, self.choices))}.")


class Path(ParamType):
    def __init__(self, exists=False, *args, path_type=None, **kwargs):
        self.path_type = path_type

    def convert(self, value, param, ctx):
        return value if self.path_type is None else self.path_type(value)


class File(ParamType):
    def __init__(self, mode="r", *args, **kwargs):
        self.mode = mode

    def convert(self, value, param, ctx):
        return open(value, self.mode) if isinstance(value, str) else value


class _Number(ParamType):
    def __init__(self, kind, least=None, most=None, min_open=False, max_open=False, clamp=False):
        self.kind, self.least, self.most, self.clamp = kind, least, most, clamp

    def convert(self, value, param, ctx):
        number = self.kind(value)
        if self.least is not None and number < self.least:
            return self.least if self.clamp else self.fail(f"{number} is smaller than {self.least}")
        if self.most is not None and number > self.most:
            return self.most if self.clamp else self.fail(f"{number} is larger than {self.most}")
        return number


def IntRange(min=None, max=None, min_open=False, max_open=False, clamp=False):
    return _Number(int, min, max, min_open, max_open, clamp)


def FloatRange(min=None, max=None, min_open=False, max_open=False, clamp=False):
    return _Number(float, min, max, min_open, max_open, clamp)


class _Truth(ParamType):
    def convert(self, value, param, ctx):
        if isinstance(value, str):
            if value.strip().lower() in ("1", "true", "t", "yes", "y", "on"):
                return True
            if value.strip().lower() in ("0", "false", "f", "no", "n", "off", ""):
                return False
            return self.fail(f"{value!r} is not a valid boolean.")
        return bool(value)


class _Function(ParamType):
    def __init__(self, function):
        self.function = function

    def convert(self, value, param, ctx):
        return self.function(value)


class Tuple(ParamType):
    def __init__(self, types):
        self.types = [of(each) for each in types]

    def convert(self, value, param, ctx):
        return tuple([kind.convert(each, param, ctx) for kind, each in zip(self.types, value)])


STRING, INT, FLOAT, BOOL, UNPROCESSED = _Function(str), _Number(int), _Number(float), _Truth(), ParamType()


def DateTime(*args, **kwargs):
    return _Function(lambda value: _this_module.a_date)


def of(kind, default=None):
    """Return the type of an option, which may follow from its default."""
    if kind is None and isinstance(default, (list, tuple)):
        default = default[0] if default else None
    if kind is None and default is not None and not callable(default):
        kind = type(default)
    known = {None: STRING, str: STRING, int: INT, float: FLOAT, bool: BOOL}
    if isinstance(kind, tuple):
        return Tuple(kind)
    if isinstance(kind, ParamType):
        return kind
    return known[kind] if kind in known else _Function(kind)
