"""huggingface_hub.dataclasses: strict data classes. Validators run; the types of fields are not checked."""

from dataclasses import MISSING, field, fields
from functools import wraps

from .errors import (
    StrictDataclassClassValidationError,
    StrictDataclassDefinitionError,
    StrictDataclassFieldValidationError,
)


def strict(cls=None, *, accept_kwargs=False):
    def decorate(cls):
        if not hasattr(cls, "__dataclass_fields__"):
            raise StrictDataclassDefinitionError(f"Class '{cls.__name__}' must be a dataclass before applying @strict.")
        cls.__validators__ = {each.name: _listed(each.metadata.get("validator")) for each in fields(cls)}
        _validate_assignments(cls)
        if accept_kwargs:
            _accept_other_arguments(cls)
        _validate_instances(cls)
        return cls

    return decorate if cls is None else decorate(cls)


def _listed(validator):
    if validator is None:
        return []
    return validator if isinstance(validator, list) else [validator]


def _validate_assignments(cls):
    assign = cls.__setattr__

    def __setattr__(self, name, value):
        for validator in self.__validators__.get(name, []):
            try:
                validator(value)
            except (ValueError, TypeError) as error:
                raise StrictDataclassFieldValidationError(field=name, cause=error) from error
        assign(self, name, value)

    cls.__setattr__ = __setattr__


def _accept_other_arguments(cls):
    @wraps(cls.__init__)
    def __init__(self, *args, **kwargs):
        if args:
            raise ValueError(f"When `accept_kwargs=True`, {cls.__name__} accepts only keyword arguments")
        for each in fields(cls):
            if each.name in kwargs:
                setattr(self, each.name, kwargs.pop(each.name))
            elif each.default is not MISSING:
                setattr(self, each.name, each.default)
            elif each.default_factory is not MISSING:
                setattr(self, each.name, each.default_factory())
            else:
                raise TypeError(f"Missing required field - '{each.name}'")
        self.__post_init__(**kwargs)

    def __post_init__(self, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)

    cls.__init__ = __init__
    if not hasattr(cls, "__post_init__"):
        cls.__post_init__ = __post_init__


def _validate_instances(cls):
    names = [name for name in dir(cls) if name.startswith("validate_") and callable(getattr(cls, name))]
    cls.__class_validators__ = [getattr(cls, name) for name in names]

    def validate(self):
        for validator in cls.__class_validators__:
            try:
                validator(self)
            except (ValueError, TypeError) as error:
                raise StrictDataclassClassValidationError(validator=validator.__name__, cause=error) from error

    cls.validate = validate
    initialize = cls.__init__

    @wraps(initialize)
    def __init__(self, *args, **kwargs):
        initialize(self, *args, **kwargs)
        cls.validate(self)

    cls.__init__ = __init__


def validate_typed_dict(schema, data):
    """Types are not checked."""


def validated_field(validator, default=MISSING, metadata=None, **kwargs):
    return field(default=default, metadata={**(metadata or {}), "validator": validator}, **kwargs)


def as_validated_field(validator):
    def make_field(default=MISSING, **kwargs):
        return validated_field(validator, default, **kwargs)

    return make_field
