"""pydantic: classes whose annotated attributes are arguments, which become what their annotations say."""

import copy
import sys
import types
import typing

import pydantic as _this_module  # a name that it does not have is unknown

_REQUIRED = object()
_TRUTHS = {"1": True, "true": True, "t": True, "yes": True, "y": True, "on": True}
_FALSITIES = {"0": False, "false": False, "f": False, "no": False, "n": False, "off": False}


class _Field:
    def __init__(self, default, factory, alias, validate_default=False):
        self.default, self.default_factory, self.alias = default, factory, alias
        self.validate_default = validate_default


def Field(default=_REQUIRED, *, default_factory=None, alias=None, validate_default=False, **options):
    return _Field(_REQUIRED if default is ... else default, default_factory, alias, validate_default)


class ValidationError(ValueError):
    pass


class _Validator:
    """A method that checks or changes one or all of the values."""

    def __init__(self, fields, is_before, is_always, wants_values, function):
        self.fields, self.is_before, self.is_always = fields, is_before, is_always
        self.wants_values, self.function = wants_values, getattr(function, "__func__", function)

    def __call__(self, cls, value, known):
        if self.function.__code__.co_argcount < 3:
            return self.function(cls, value)
        return self.function(cls, value, known if self.wants_values else types.SimpleNamespace(data=known))


def field_validator(*fields, mode="after", **options):
    if mode not in ("before", "after"):
        return lambda function: _Validator(fields, True, True, False, _this_module.a_validator_of_this_mode)
    return lambda function: _Validator(fields, mode == "before", False, False, function)


def validator(*fields, pre=False, always=False, **options):
    return lambda function: _Validator(fields, pre, always, True, function)


def model_validator(*, mode):
    if mode not in ("before", "after"):
        return lambda function: _Validator(None, True, True, False, _this_module.a_validator_of_this_mode)
    return lambda function: _Validator(None, mode == "before", True, False, function)


def root_validator(function=None, *, pre=False, **options):
    if function is not None:
        return _RootValidator(None, False, True, True, function)
    return lambda function: _RootValidator(None, pre, True, True, function)


class _RootValidator(_Validator):
    """One that has all values as a dict, also after they were read."""


class BaseModel:
    model_config = {}

    def __init__(self, **data):
        cls = type(self)
        validators = _validators(cls)
        for each in validators:
            if each.fields is None and each.is_before:
                data = each(cls, data, {})
        data, values = dict(data), {}
        for name in _names(cls):
            values[name] = _read(cls, name, data, values, validators)
        if cls.model_config.get("extra") == "allow":
            values.update(data)
        for each in validators:
            if isinstance(each, _RootValidator) and not each.is_before:
                values = each(cls, values, values)
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self.model_post_init(None)
        for each in validators:
            if each.fields is None and not each.is_before and not isinstance(each, _RootValidator):
                each.function(self)

    def __init_subclass__(cls, **options):
        super().__init_subclass__()
        cls.model_fields = {name: _field(cls, name) for name in _names(cls)}

    def __iter__(self):
        return iter(list(self.__dict__.items()))

    def __eq__(self, other):
        return type(other) is type(self) and self.__dict__ == other.__dict__

    def model_post_init(self, context):
        pass

    def model_dump(self, **options):
        return {name: _plain(value) for name, value in self.__dict__.items()}

    dict = model_dump

    def model_copy(self, *, update=None, deep=False):
        result = copy.deepcopy(self) if deep else copy.copy(self)
        for name, value in (update or {}).items():
            object.__setattr__(result, name, value)
        return result

    copy = model_copy

    @classmethod
    def model_validate(cls, obj, **options):
        return obj if isinstance(obj, cls) else cls(**obj)

    parse_obj = model_validate


def _validators(cls):
    found = {}
    for base in reversed(cls.__mro__):
        for name, value in list(base.__dict__.items()):
            if isinstance(value, _Validator):
                found[name] = value
    return list(found.values())


def _read(cls, name, data, known, validators):
    """Return the value of an attribute: what is given becomes what is annotated, a default stays what it is."""
    field = _field(cls, name)
    mine = [each for each in validators if each.fields is not None and (name in each.fields or "*" in each.fields)]
    key = field.alias if field.alias in data else name
    is_given = key in data
    if is_given:
        value = data.pop(key)
    else:
        value = field.default_factory() if field.default_factory else copy.deepcopy(field.default)
    if value is _REQUIRED or (not is_given and field.default is _REQUIRED and not field.default_factory):
        raise ValidationError(f"{cls.__name__}: field {name} is required")
    is_checked = is_given or field.validate_default
    for each in mine:
        if each.is_before and (is_checked or each.is_always):
            value = each(cls, value, known)
    if is_checked:
        value = _converted(_annotation(cls, name), value)
    for each in mine:
        if not each.is_before and (is_checked or each.is_always):
            value = each(cls, value, known)
    return value


def _field(cls, name):
    written = getattr(cls, name, _REQUIRED)
    return written if isinstance(written, _Field) else _Field(written, None, None)


def _names(cls):
    names = {}
    for base in reversed(cls.__mro__):
        for name, annotation in base.__dict__.get("__annotations__", {}).items():
            if not name.startswith("_") and name != "model_config" and "ClassVar" not in str(annotation):
                names[name] = None
    return list(names)


def _annotation(cls, name):
    for base in cls.__mro__:
        if name in base.__dict__.get("__annotations__", {}):
            annotation = base.__annotations__[name]
            if isinstance(annotation, str):
                return eval(annotation, dict(vars(sys.modules[base.__module__])))
            return annotation
    return None


def _converted(annotation, value):
    if isinstance(annotation, type) and typing.get_origin(annotation) is None:
        if issubclass(annotation, BaseModel) and isinstance(value, dict):
            return annotation(**value)
        return _simple(annotation, value)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return _one_of(arguments, value)
    if origin in (list, set, frozenset) and isinstance(value, (list, tuple, set, frozenset)):
        return origin(_converted(arguments[0], item) for item in value)
    if origin is tuple and isinstance(value, (list, tuple)):
        kinds = [arguments[0]] * len(value) if arguments[-1] is ... else arguments
        return tuple(_converted(kind, item) for kind, item in zip(kinds, value))
    if origin is dict and isinstance(value, dict):
        return {_converted(arguments[0], key): _converted(arguments[1], item) for key, item in value.items()}
    return value


def _one_of(choices, value):
    """Return a value as the first of several types that takes it, which is its own if that is among them."""
    if value is None or type(value) in choices:
        return value
    for choice in choices:
        if choice is not type(None):
            try:
                return _converted(choice, value)
            except ValueError:
                continue
    raise ValidationError(f"{value!r} is none of {choices}")


def _simple(annotation, value):
    if annotation in (list, tuple, set) and isinstance(value, (list, tuple, set)):
        return annotation(value)
    if annotation not in (int, float, bool, str) or type(value) is annotation:
        return value
    if annotation is bool and isinstance(value, (str, int)) and str(value).lower() in {**_TRUTHS, **_FALSITIES}:
        return {**_TRUTHS, **_FALSITIES}[str(value).lower()]
    if annotation in (int, float) and isinstance(value, (str, int, float)):
        if annotation is float or not isinstance(value, float) or value == int(value):
            return annotation(value)
    raise ValidationError(f"{value!r} is no valid {annotation.__name__}")


def _plain(value):
    if isinstance(value, BaseModel):
        return value.model_dump()
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(item) for item in value)
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def ConfigDict(**options):
    return options


def computed_field(function=None, **options):
    """A property stays one; it is also dumped, which is not described."""
    return (lambda decorated: decorated) if function is None else function
