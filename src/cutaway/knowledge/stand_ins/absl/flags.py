"""absl.flags: named values of the command line, with defaults."""

import sys

import absl.flags as _this_module  # a name that it does not have is unknown


class Error(Exception):
    pass


class UnrecognizedFlagError(Error):
    pass


class IllegalFlagValueError(Error):
    pass


class ArgumentParser:
    """Reads a word of the command line."""

    def __init__(self, read=None):
        if read is not None:
            self.parse = read

    def parse(self, argument):
        return argument


class Flag:
    def __init__(
        self,
        parser,
        serializer,
        name,
        default,
        help_string,
        short_name=None,
        boolean=False,
        allow_override=False,
        **_options,
    ):
        self.parser, self.name, self.short_name, self.boolean = parser, name, short_name, boolean
        self.help, self.present = help_string, 0
        self._set_default(default)

    def _set_default(self, default):
        self.default = self.value = self._parse(default) if isinstance(default, str) else default

    def _parse(self, argument):
        return self.parser.parse(argument)

    def parse(self, argument):
        self.value = self._parse(argument)
        self.present += 1

    def using_default_value(self):
        return not self.present


class MultiFlag(Flag):
    """A flag that may be given several times."""

    def _set_default(self, default):
        if default is not None:
            default = [self._parse(each) if isinstance(each, str) else each for each in _listed(default)]
        self.default = self.value = default

    def parse(self, argument):
        self.value = [*(self.value if self.present else ()), *_listed(self._parse(argument))]
        self.present += 1


def _listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


class FlagHolder:
    def __init__(self, name):
        self.name = name

    @property
    def value(self):
        return getattr(FLAGS, self.name)

    @property
    def default(self):
        return FLAGS[self.name].default

    @property
    def present(self):
        return FLAGS[self.name].present


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

    def __setitem__(self, name, flag):
        self._flags[name] = flag

    def __contains__(self, name):
        return name in self._flags

    def __iter__(self):
        return iter(self._flags)

    def __dir__(self):
        return sorted(self._flags)

    def __call__(self, argv, known_only=False):
        rest, words = list(argv[:1]), list(argv[1:])
        while words:
            word = words.pop(0)
            if word == "--":
                return rest + words
            name, equals, value = word.lstrip("-").partition("=")
            if not word.startswith("-") or word == "-":
                rest.append(word)
            elif name in self._flags:
                flag = self._flags[name]
                if not equals:
                    value = "true" if flag.boolean else words.pop(0)
                flag.parse(value)
            elif name[:2] == "no" and name[2:] in self._flags and self._flags[name[2:]].boolean and not equals:
                self._flags[name[2:]].parse("false")
            elif known_only:
                rest.append(word)
            else:
                raise UnrecognizedFlagError(f"Unknown command line flag '{name}'")
        return rest

    def mark_as_parsed(self):
        pass

    def is_parsed(self):
        return True

    def set_default(self, name, value):
        flag = self._flags[name]
        value_before, present = flag.value, flag.present
        flag._set_default(value)
        if present:
            flag.value = value_before

    def flag_values_dict(self):
        return {name: flag.value for name, flag in self._flags.items()}

    def unparse_flags(self):
        pass


FLAGS = FlagValues()


def _truth(text):
    if text.lower() in ("true", "t", "1", "yes"):
        return True
    if text.lower() in ("false", "f", "0", "no"):
        return False
    raise IllegalFlagValueError(f"Non-boolean argument to boolean flag: {text}")


def _number(text):
    return int(text, 16) if text[:2] == "0x" else int(text)


def _words(text):
    return [word.strip() for word in text.split(",")] if text else []


def _spaced(text):
    return text.split()


def DEFINE_flag(flag, flag_values=FLAGS, module_name=None, required=False):
    flag_values[flag.name] = flag
    if flag.short_name:
        flag_values[flag.short_name] = flag
    if required:
        mark_flag_as_required(flag.name)
    return FlagHolder(flag.name)


def _define(read, kind=Flag):
    def define(name, default=None, help=None, *args, required=False, short_name=None, **options):
        flag = kind(ArgumentParser(read), None, name, default, help, short_name, boolean=read is _truth)
        return DEFINE_flag(flag, required=required)

    return define


def DEFINE(parser, name, default, help, flag_values=FLAGS, serializer=None, module_name=None, required=False, **args):
    return DEFINE_flag(Flag(parser, serializer, name, default, help, **args), flag_values, module_name, required)


DEFINE_string = _define(str)
DEFINE_integer = _define(_number)
DEFINE_float = _define(float)
DEFINE_bool = DEFINE_boolean = _define(_truth)
DEFINE_list = _define(_words)
DEFINE_spaceseplist = _define(_spaced)
DEFINE_multi_string = _define(str, MultiFlag)
DEFINE_multi_integer = _define(_number, MultiFlag)
DEFINE_multi_float = _define(float, MultiFlag)


def _one_of(values):
    def read(text):
        if text not in values:
            raise IllegalFlagValueError(f"{text} should be one of <{'|'.join(values)}>")
        return text

    return read


def DEFINE_enum(name, default, enum_values, help=None, **options):
    return _define(_one_of(enum_values))(name, default, help, **options)


def DEFINE_multi_enum(name, default, enum_values, help=None, **options):
    return _define(_one_of(enum_values), MultiFlag)(name, default, help, **options)


def DEFINE_enum_class(name, default, enum_class, help=None, **options):
    names = {member.lower(): value for member, value in enum_class.__members__.items()}
    return _define(lambda text: names[text.lower()])(name, default, help, **options)


def mark_flag_as_required(name, flag_values=None):
    flag = FLAGS[name]
    flag.value = _this_module.value_of_a_required_flag if flag.value is None else flag.value


def mark_flags_as_required(names, flag_values=None):
    for name in names:
        mark_flag_as_required(name)


def set_default(holder, value):
    FLAGS.set_default(holder.name, value)


def register_validator(*args, **kwargs):
    pass


def declare_key_flag(name, flag_values=None):
    pass


def adopt_module_key_flags(module, flag_values=None):
    pass


def parse(argv=None):
    return FLAGS(sys.argv if argv is None else argv)
