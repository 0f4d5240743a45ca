"""mmengine.utils: tests of types, tuples and versions."""

from collections.abc import Iterable


def _tuples_of(count):
    def parse(value):
        return value if isinstance(value, Iterable) else (value,) * count

    return parse


to_ntuple = _tuples_of
to_1tuple, to_2tuple, to_3tuple, to_4tuple = map(_tuples_of, (1, 2, 3, 4))


def is_seq_of(value, expected_type, seq_type=(list, tuple)):
    return isinstance(value, seq_type) and all(isinstance(item, expected_type) for item in value)


def is_list_of(value, expected_type):
    return is_seq_of(value, expected_type, list)


def is_tuple_of(value, expected_type):
    return is_seq_of(value, expected_type, tuple)


def is_str(value):
    return isinstance(value, str)


def digit_version(version_str, length=4):
    numbers = [int(part) for part in version_str.split("+")[0].split(".") if part.isdigit()]
    return tuple(numbers + [0] * (length - len(numbers)))
