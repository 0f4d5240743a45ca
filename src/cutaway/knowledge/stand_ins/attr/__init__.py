"""attrs: classes whose attributes are arguments. The package itself writes the constructor as source text."""

import inspect

NOTHING = object()
_COUNT = []


class Factory:
    def __init__(self, factory, takes_self=False):
        self.factory, self.takes_self = factory, takes_self


class Attribute:
    def __init__(self, default, init, kw_only, converter, alias):
        self.default, self.init, self.kw_only, self.converter, self.alias = default, init, kw_only, converter, alias
        self.name = None


class _Written:
    """An attribute in the body of its class, where methods may be made its validator or its default."""

    def __init__(self, given, init, kw_only, converter, alias):
        _COUNT.append(None)
        self.order = len(_COUNT)
        self.given, self.init, self.kw_only, self.converter, self.alias = given, init, kw_only, converter, alias

    def validator(self, function):
        return function

    def default(self, function):
        self.given = Factory(function, takes_self=True)
        return function

    def finished(self, name):
        result = Attribute(self.given, self.init, self.kw_only, self.converter, self.alias)
        result.name = name
        return result


def ib(
    default=NOTHING, validator=None, *, factory=None, init=True, kw_only=False, converter=None, alias=None, **options
):
    return _Written(default if factory is None else Factory(factory), init, kw_only, converter, alias)


attrib = attr = field = ib


def _fields_of(cls, auto_attribs):
    found = {}
    for base in reversed(cls.__mro__[1:]):
        for each in base.__dict__.get("__attrs_attrs__", ()):
            found[each.name] = each
    annotations = cls.__dict__.get("__annotations__", {})
    own = {name: value for name, value in list(cls.__dict__.items()) if isinstance(value, _Written)}
    if auto_attribs or (auto_attribs is None and (annotations and set(own) <= set(annotations))):
        for name, annotation in annotations.items():
            if "ClassVar" in str(annotation):
                continue
            value = cls.__dict__.get(name, NOTHING)
            found[name] = (value if isinstance(value, _Written) else ib(value)).finished(name)
    else:
        for name, value in sorted(own.items(), key=lambda item: item[1].order):
            found[name] = value.finished(name)
    return list(found.values())


def _parameters(attributes, kw_only):
    parameters = []
    for each in attributes:
        if each.init:
            default = inspect.Parameter.empty if each.default is NOTHING else each.default
            by_name = (
                inspect.Parameter.KEYWORD_ONLY if each.kw_only or kw_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
            )
            parameters.append(inspect.Parameter(each.alias or each.name.lstrip("_"), by_name, default=default))
    return sorted(parameters, key=lambda each: each.default is not inspect.Parameter.empty)


def _decorated(cls, auto_attribs, kw_only, init, eq, frozen, converts):
    attributes = _fields_of(cls, auto_attribs)
    for each in attributes:
        if each.name in cls.__dict__ and isinstance(cls.__dict__[each.name], _Written):
            delattr(cls, each.name)

    def __init__(self, *args, **kwargs):
        names = [each for each in attributes if each.init and not (each.kw_only or kw_only)]
        if len(args) > len(names):
            raise TypeError(f"{cls.__name__}.__init__() takes {len(names) + 1} positional arguments")
        given = dict(zip([each.name for each in names], args))
        if hasattr(self, "__attrs_pre_init__"):
            self.__attrs_pre_init__()
        for each in attributes:
            public = each.alias or each.name.lstrip("_")
            if each.name in given:
                value = given[each.name]
            elif each.init and public in kwargs:
                value = kwargs.pop(public)
            elif isinstance(each.default, Factory):
                value = each.default.factory(self) if each.default.takes_self else each.default.factory()
            elif each.default is not NOTHING:
                value = each.default
            elif each.init:
                raise TypeError(f"{cls.__name__}.__init__() missing a required argument: {public!r}")
            else:
                continue
            object.__setattr__(self, each.name, value if each.converter is None else each.converter(value))
        if kwargs:
            raise TypeError(f"{cls.__name__}.__init__() got an unexpected keyword argument {next(iter(kwargs))!r}")
        if hasattr(self, "__attrs_post_init__"):
            self.__attrs_post_init__()

    def __eq__(self, other):
        return type(other) is type(self) and astuple(self) == astuple(other)

    def __hash__(self):
        return hash(tuple(getattr(self, each.name) for each in attributes))

    def __setattr__(self, name, value):
        if frozen:
            raise exceptions.FrozenInstanceError("can't set attribute")
        converter = next((each.converter for each in attributes if each.name == name), None)
        object.__setattr__(self, name, value if converter is None else converter(value))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{each.name}={getattr(self, each.name)!r}' for each in attributes)})"

    cls.__attrs_attrs__ = tuple(attributes)
    if init and "__init__" not in cls.__dict__:
        cls.__init__ = __init__
        cls.__signature__ = inspect.Signature(_parameters(attributes, kw_only))
    if eq and "__eq__" not in cls.__dict__:
        cls.__eq__ = __eq__
    if frozen and eq and "__hash__" not in cls.__dict__:
        cls.__hash__ = __hash__
    has_converters = converts and any(each.converter is not None for each in attributes)
    if (frozen or has_converters) and "__setattr__" not in cls.__dict__:
        cls.__setattr__ = __setattr__
    if "__repr__" not in cls.__dict__:
        cls.__repr__ = __repr__
    return cls


def s(maybe_cls=None, *, auto_attribs=False, kw_only=False, init=True, eq=True, frozen=False, **options):
    converts = options.get("on_setattr") is not None

    def decorate(cls):
        return _decorated(cls, auto_attribs, kw_only, init, eq and eq is not None, frozen, converts)

    return decorate if maybe_cls is None else decorate(maybe_cls)


def define(maybe_cls=None, *, auto_attribs=None, kw_only=False, init=True, eq=True, frozen=False, **options):
    options.setdefault("on_setattr", "convert")
    return s(maybe_cls, auto_attribs=auto_attribs, kw_only=kw_only, init=init, eq=eq, frozen=frozen, **options)


def frozen(maybe_cls=None, **options):
    return define(maybe_cls, **{"frozen": True, **options})


attrs = attributes = s
mutable = define


def dataclass(maybe_cls=None, **options):
    return s(maybe_cls, auto_attribs=True, **options)


def fields(cls):
    return cls.__attrs_attrs__


def fields_dict(cls):
    return {each.name: each for each in cls.__attrs_attrs__}


def has(cls):
    return hasattr(cls, "__attrs_attrs__")


def asdict(inst, recurse=True, **options):
    values = {each.name: getattr(inst, each.name) for each in inst.__attrs_attrs__}
    return {name: _plain(value) for name, value in values.items()} if recurse else values


def _plain(value):
    if has(type(value)):
        return asdict(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return (set if isinstance(value, (set, frozenset)) else list)(_plain(item) for item in value)
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def astuple(inst, **options):
    return tuple(getattr(inst, each.name) for each in inst.__attrs_attrs__)


def evolve(inst, **changes):
    """Make an instance anew from the arguments of another one; what is computed from them is computed again."""
    for each in inst.__attrs_attrs__:
        if each.init:
            changes.setdefault(each.alias or each.name.lstrip("_"), getattr(inst, each.name))
    return type(inst)(**changes)


assoc = evolve


class validators:
    @staticmethod
    def _any(*args, **kwargs):
        return None

    instance_of = optional = in_ = and_ = or_ = deep_iterable = deep_mapping = matches_re = is_callable = _any
    lt = le = gt = ge = max_len = min_len = not_ = provides = _any


class converters:
    @staticmethod
    def optional(converter):
        return lambda value: None if value is None else converter(value)

    @staticmethod
    def default_if_none(default=NOTHING, factory=None):
        return lambda value: value if value is not None else factory() if factory else default


class exceptions:
    class FrozenInstanceError(AttributeError):
        pass
