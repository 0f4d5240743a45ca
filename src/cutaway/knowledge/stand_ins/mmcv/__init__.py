"""mmcv: building blocks of networks that are named in configurations."""

from mmengine.config import Config, ConfigDict, DictAction

__version__ = "1.3.0"


def is_str(value):
    return isinstance(value, str)


def is_list_of(value, kind):
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)


def is_tuple_of(value, kind):
    return isinstance(value, tuple) and all(isinstance(item, kind) for item in value)


def jit(function=None, **options):
    return function if callable(function) else lambda decorated: decorated
