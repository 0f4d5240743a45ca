"""absl.flags: named values of the command line, with defaults."""

import sys

import absl.flags as _this_module  # a name that it does not have is unknown


class _Flag:
    def __init__(self, kind, default):
        self.kind, self.default, self.value = kind, default, default


class FlagHolder:
    def __init__(self, name):
        self.name = name

    @property
    def value(self):
        return getattr(FLAGS, self.name)

    @property
    def default(self):
        return FLAGS[self.name].default


class FlagValues:
    def __init__(self):
        self.__dict__["_flags"] = {}

    def __getattr__(self, name):
        if name.startswith("__") or name not in self.__dict__["_flags"]:
            raise AttributeError(name)
        return self.__dict__["_flags"][name].value

    def __setattr__(self, name, value):
        self._flags[name].value = value

    def __getitem__(self, name):
        return self._flags[name]

    def __contains__(self, name):
        return name in self._flags

    def __iter__(self):
        return iter(self._flags)

    def __call__(self, argv, known_only=False):
        rest, words = [argv[0]] if argv else [], list(argv[1:])
        while words:
            word = words.pop(0)
            name, equals, value = word.lstrip("-").partition("=")
            if not word.startswith("-"):
                rest.append(word)
            elif name.startswith("no") and name[2:] in self._flags and not equals:
                self._flags[name[2:]].value = False
            elif name in self._flags:
                flag = self._flags[name]
                if not equals:
                    value = "true" if flag.kind is _truth else words.pop(0)
                flag.value = flag.kind(value)
        return rest

    def mark_as_parsed(self):
        pass

    def is_parsed(self):
        return True

    def flag_values_dict(self):
        return {name: flag.value for name, flag in self._flags.items()}

    def unparse_flags(self):
        pass


FLAGS = FlagValues()


def _truth(text):
    return text.lower() in ("true", "t", "1", "yes")


def _words(text):
    return text.split(",")


def _define(kind):
    def define(name, default=None, help=None, *args, **options):
        FLAGS._flags[name] = _Flag(kind, default)
        return FlagHolder(name)

    return define


DEFINE_string = _define(str)
DEFINE_integer = _define(int)
DEFINE_float = _define(float)
DEFINE_bool = DEFINE_boolean = _define(_truth)
DEFINE_list = DEFINE_spaceseplist = _define(_words)
DEFINE_multi_string = DEFINE_multi_integer = DEFINE_multi_float = _define(_words)


def DEFINE_enum(name, default, enum_values, help=None, **options):
    FLAGS._flags[name] = _Flag(str, default)
    return FlagHolder(name)


def DEFINE_enum_class(name, default, enum_class, help=None, **options):
    FLAGS._flags[name] = _Flag(lambda text: enum_class[text], default)
    return FlagHolder(name)


def mark_flag_as_required(name, flag_values=None):
    flag = FLAGS[name]
    flag.value = _this_module.value_of_a_required_flag if flag.value is None else flag.value


def mark_flags_as_required(names, flag_values=None):
    for name in names:
        mark_flag_as_required(name)


def register_validator(*args, **kwargs):
    pass


def parse(argv=None):
    return FLAGS(sys.argv if argv is None else argv)
