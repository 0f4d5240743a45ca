"""ml_collections.config_dict: a dict whose items are attributes; once it is locked, it gets no new ones."""

import copy
import operator


class FieldReference:
    """A value that several settings share; one that is computed from others is computed when it is read."""

    def __init__(self, default, field_type=None, op=None, required=False):
        self._value, self._op, self.field_type = default, op, field_type

    def get(self):
        value = self._value.get() if isinstance(self._value, FieldReference) else self._value
        return value if self._op is None else self._op(value)

    def set(self, value, type_safe=True):
        self._value, self._op = value, None

    def _computed(self, function, *others):
        return FieldReference(self, op=lambda value: function(value, *(_value(other) for other in others)))

    def __add__(self, other):
        return self._computed(operator.add, other)

    def __radd__(self, other):
        return self._computed(lambda mine, other: other + mine, other)

    def __sub__(self, other):
        return self._computed(operator.sub, other)

    def __rsub__(self, other):
        return self._computed(lambda mine, other: other - mine, other)

    def __mul__(self, other):
        return self._computed(operator.mul, other)

    def __rmul__(self, other):
        return self._computed(lambda mine, other: other * mine, other)

    def __truediv__(self, other):
        return self._computed(operator.truediv, other)

    def __rtruediv__(self, other):
        return self._computed(lambda mine, other: other / mine, other)

    def __floordiv__(self, other):
        return self._computed(operator.floordiv, other)

    def __rfloordiv__(self, other):
        return self._computed(lambda mine, other: other // mine, other)

    def __mod__(self, other):
        return self._computed(operator.mod, other)

    def __pow__(self, other):
        return self._computed(operator.pow, other)

    def __neg__(self):
        return self._computed(operator.neg)

    def to_int(self):
        return self._computed(int)

    def to_float(self):
        return self._computed(float)

    def to_str(self):
        return self._computed(str)


def _value(given):
    return given.get() if isinstance(given, FieldReference) else given


class ConfigDict:
    def __init__(self, initial_dictionary=None, type_safe=True, convert_dict=True, **kwargs):
        object.__setattr__(self, "_fields", {})
        object.__setattr__(self, "_locked", False)
        for key, value in {**dict(initial_dictionary or {}), **kwargs}.items():
            self._fields[key] = _node(value) if convert_dict else value

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._get(name, AttributeError)

    def __getitem__(self, key):
        node = self
        for part in key.split(".") if isinstance(key, str) else [key]:
            node = node._get(part, KeyError)
        return node

    def _get(self, name, error):
        fields = object.__getattribute__(self, "_fields")
        if name not in fields:
            raise error(f"{name!r} is not in the configuration")
        value = fields[name]
        return value.get() if isinstance(value, FieldReference) else value

    def __setattr__(self, name, value):
        self[name] = value

    def __setitem__(self, key, value):
        if self._locked and key not in self._fields:
            raise KeyError(f"Key {key!r} does not exist and cannot be added since the config is locked.")
        held = self._fields.get(key)
        if isinstance(held, FieldReference) and not isinstance(value, FieldReference):
            held.set(value)
            return
        if type(held) is float and type(value) is int:
            value = float(value)
        if type(held) in (list, tuple) and type(value) in (list, tuple):
            value = type(held)(value)
        self._fields[key] = _node(value)

    def __delattr__(self, name):
        del self._fields[name]

    __delitem__ = __delattr__

    def __contains__(self, key):
        return key in self._fields

    def __iter__(self):
        return iter(self._fields)

    def __len__(self):
        return len(self._fields)

    def __eq__(self, other):
        return isinstance(other, ConfigDict) and self.to_dict() == other.to_dict()

    def keys(self):
        return list(self._fields)

    def values(self):
        return [self[key] for key in self._fields]

    def items(self):
        return [(key, self[key]) for key in self._fields]

    def get(self, key, default=None):
        return self[key] if key in self._fields else default

    def get_ref(self, key):
        held = self._fields[key]
        if not isinstance(held, FieldReference):
            held = self._fields[key] = FieldReference(held)
        return held

    def get_oneway_ref(self, key):
        return FieldReference(self.get_ref(key), op=lambda value: value)

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key, *default):
        value = self.get(key, *default)
        self._fields.pop(key, None)
        return value

    def update(self, *other, **kwargs):
        for given in (*other, kwargs):
            for key, value in dict(given.items()).items():
                if key in self and isinstance(self[key], ConfigDict) and isinstance(value, (dict, ConfigDict)):
                    self[key].update(value)
                else:
                    self[key] = value

    def update_from_flattened_dict(self, flattened, strip_prefix=""):
        for path, value in flattened.items():
            node = self
            *parents, last = path[len(strip_prefix) :].split(".")
            for parent in parents:
                node = node[parent]
            node[last] = value

    def to_dict(self, visit_map=None, preserve_field_references=False):
        return {key: value.to_dict() if isinstance(value, ConfigDict) else value for key, value in self.items()}

    def copy_and_resolve_references(self, visit_map=None):
        return type(self)(self.to_dict())

    def lock(self):
        object.__setattr__(self, "_locked", True)
        for value in self._fields.values():
            if isinstance(value, ConfigDict):
                value.lock()
        return self

    def unlock(self):
        object.__setattr__(self, "_locked", False)
        for value in self._fields.values():
            if isinstance(value, ConfigDict):
                value.unlock()
        return self

    def unlocked(self):
        return _Unlocked(self)

    @property
    def is_locked(self):
        return self._locked

    @property
    def is_type_safe(self):
        return True

    def ignore_type(self):
        return _Unchanged(self)

    def __deepcopy__(self, memo):
        result = type(self)()
        for key, value in self._fields.items():
            result._fields[key] = copy.deepcopy(value, memo)
        object.__setattr__(result, "_locked", self._locked)
        return result


class FrozenConfigDict(ConfigDict):
    def __setitem__(self, key, value):
        raise AttributeError("FrozenConfigDict is immutable. Call unlock() to get a mutable copy.")


class _Unchanged:
    def __init__(self, config):
        self.config = config

    def __enter__(self):
        return self.config

    def __exit__(self, *_error):
        pass


class _Unlocked(_Unchanged):
    def __enter__(self):
        self.was_locked = self.config.is_locked
        self.config.unlock()
        return self.config

    def __exit__(self, *_error):
        if self.was_locked:
            self.config.lock()


def _node(value):
    return ConfigDict(value) if isinstance(value, dict) else value


def create(**kwargs):
    return ConfigDict(kwargs)


def placeholder(field_type, required=False):
    return FieldReference(None, field_type)


def required_placeholder(field_type):
    return FieldReference(None, field_type)
