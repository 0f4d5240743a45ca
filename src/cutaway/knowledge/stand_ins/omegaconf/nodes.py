"""The nodes of a configuration; what is written `${name}` is looked up when it is read."""

import copy
import dataclasses
import re

from omegaconf.errors import (
    ConfigAttributeError,
    ConfigKeyError,
    InterpolationKeyError,
    MissingMandatoryValue,
    ReadonlyConfigError,
)
from omegaconf.grammar import call, from_yaml, parts
from omegaconf.typed import converted, types_of

MISSING = "???"
RESOLVERS = {}


class Node:
    def __init__(self, parent=None):
        self._set("_parent", parent)
        self._set("_flags", {})

    def _set(self, name, value):
        object.__setattr__(self, name, value)

    def _get_parent(self):
        return self._parent

    def _get_root(self):
        node = self
        while node._parent is not None:
            node = node._parent
        return node

    def _flag(self, name):
        node = self
        while node is not None:
            if node._flags.get(name) is not None:
                return node._flags[name]
            node = node._parent
        return False

    def _wrap(self, value):
        return wrapped(value, self)

    def _read(self, key, value):
        if isinstance(value, str) and value == MISSING:
            raise MissingMandatoryValue(f"Missing mandatory value: {key}")
        return interpolated(value, self) if isinstance(value, str) and "${" in value else value

    def __deepcopy__(self, memo):
        return _copied(self, self._parent)

    def copy(self):
        return copy.copy(self)

    def __copy__(self):
        return self.__deepcopy__({})

    def __str__(self):
        return str(plain(self, False))

    __repr__ = __str__

    def __hash__(self):
        return hash(str(self))


class DictConfig(Node):
    def __init__(self, content=None, parent=None, flags=None, **_options):
        super().__init__(parent)
        self._set("_content", {})
        self._set("_types", types_of(content))
        self._set("_class", _class_of(content))
        self._flags.update(flags or {})
        for key, value in _items(content):
            self._content[key] = self._wrap(converted(self._types.get(key), value))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        content = object.__getattribute__(self, "_content")
        if name in content:
            return self._read(name, content[name])
        if self._flag("struct"):
            raise ConfigAttributeError(f"Key '{name}' is not in struct")
        raise ConfigAttributeError(f"Missing key {name}")

    def __getitem__(self, key):
        if key not in self._content:
            raise ConfigKeyError(f"Missing key {key}")
        return self._read(key, self._content[key])

    def __setattr__(self, name, value):
        self[name] = value

    def __setitem__(self, key, value):
        if self._flag("readonly"):
            raise ReadonlyConfigError("Cannot change read-only config container")
        if self._flag("struct") and key not in self._content:
            raise ConfigAttributeError(f"Key '{key}' is not in struct")
        self._content[key] = self._wrap(converted(self._types.get(key), value))

    def __delattr__(self, name):
        del self._content[name]

    def __delitem__(self, key):
        del self._content[key]

    def __contains__(self, key):
        return key in self._content and self._content[key] != MISSING

    def __iter__(self):
        return iter(list(self._content))

    def __len__(self):
        return len(self._content)

    def __bool__(self):
        return len(self._content) > 0

    def __eq__(self, other):
        return plain(self, True) == (plain(other, True) if isinstance(other, Node) else other)

    def __ne__(self, other):
        return not self == other

    __hash__ = Node.__hash__

    def keys(self):
        return self._content.keys()

    def values(self):
        return [self[key] for key in self._content]

    def items(self):
        return [(key, self[key]) for key in self._content]

    def items_ex(self, resolve=True, keys=None):
        return self.items()

    def get(self, key, default_value=None):
        if key not in self._content or self._content[key] == MISSING:
            return default_value
        return self[key]

    def pop(self, key, *default):
        if key not in self._content:
            if default:
                return default[0]
            raise ConfigKeyError(f"Key not found: '{key}'")
        value = self[key]
        del self._content[key]
        return value

    def setdefault(self, key, default=None):
        if key not in self._content:
            self[key] = default
        return self[key]

    def update(self, *others, **kwargs):
        for other in (*others, kwargs):
            for key, value in _items(other):
                self[key] = value

    def merge_with(self, *others):
        for other in others:
            merge_into(self, wrapped(other))


class ListConfig(Node):
    def __init__(self, content=None, parent=None, flags=None, **_options):
        super().__init__(parent)
        self._set("_content", [])
        self._content.extend(self._wrap(item) for item in (content or ()))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return ListConfig([self[at] for at in range(len(self))[index]], self._parent)
        return self._read(index, self._content[index])

    def __setitem__(self, index, value):
        self._content[index] = self._wrap(value)

    def __delitem__(self, index):
        del self._content[index]

    def __iter__(self):
        return iter([self[at] for at in range(len(self._content))])

    def __len__(self):
        return len(self._content)

    def __contains__(self, item):
        return item in list(self)

    def __add__(self, other):
        return ListConfig(
            [*plain(self, False), *(plain(other, False) if isinstance(other, Node) else other)], self._parent
        )

    def __radd__(self, other):
        return ListConfig([*other, *plain(self, False)], self._parent)

    def __eq__(self, other):
        return plain(self, True) == (
            plain(other, True) if isinstance(other, Node) else list(other) if isinstance(other, tuple) else other
        )

    def __ne__(self, other):
        return not self == other

    __hash__ = Node.__hash__

    def append(self, item):
        self._content.append(self._wrap(item))

    def extend(self, items):
        for item in items:
            self.append(item)

    def insert(self, index, item):
        self._content.insert(index, self._wrap(item))

    def pop(self, index=-1):
        value = self[index]
        del self._content[index]
        return value

    def index(self, item):
        return list(self).index(item)

    def count(self, item):
        return list(self).count(item)


def wrapped(value, parent=None):
    if isinstance(value, Node):
        return _copied(value, parent)
    if isinstance(value, dict) or _is_structured(value):
        return DictConfig(value, parent)
    if isinstance(value, (list, tuple)):
        return ListConfig(value, parent)
    return value


def _copied(node, parent):
    """Return a copy that keeps the types of its values, below another node."""
    if isinstance(node, ListConfig):
        result = ListConfig([], parent)
        result._content.extend(_copied(item, result) for item in node._content)
    elif isinstance(node, DictConfig):
        result = DictConfig({}, parent)
        result._set("_types", node._types)
        result._set("_class", node._class)
        result._content.update({key: _copied(value, result) for key, value in node._content.items()})
    else:
        return node
    result._flags.update(node._flags)
    return result


def merge_into(target, other):
    """Merge a configuration into another one; lists and single values are replaced."""
    if not (isinstance(target, DictConfig) and isinstance(other, DictConfig)):
        return other
    for key, value in other._content.items():
        mine = target._content.get(key)
        if isinstance(mine, DictConfig) and isinstance(value, DictConfig):
            merge_into(mine, value)
        elif not (isinstance(value, str) and value == MISSING and key in target._content):
            target[key] = value
    return target


def as_objects(node):
    """Return a node as dicts and lists, and as instances of the classes that it was made of."""
    if isinstance(node, ListConfig):
        return [as_objects(item) for item in node]
    if not isinstance(node, DictConfig):
        return node
    values = {key: as_objects(node[key]) for key in node._content}
    return values if node._class is None else node._class(**values)


def _class_of(content):
    if isinstance(content, DictConfig):
        return content._class
    if not _is_structured(content):
        return None
    return content if isinstance(content, type) else type(content)


def _is_structured(value):
    return dataclasses.is_dataclass(value)


def _items(content):
    if content is None:
        return []
    if isinstance(content, Node):
        content = plain(content, False)
    if _is_structured(content):
        return [(field.name, _default(content, field)) for field in dataclasses.fields(content)]
    return list(content.items())


def _default(content, field):
    if not isinstance(content, type):
        return getattr(content, field.name)
    if field.default is not dataclasses.MISSING:
        return field.default
    return MISSING if field.default_factory is dataclasses.MISSING else field.default_factory()


def plain(node, resolve, throw_on_missing=False):
    """Return a node as dicts and lists."""
    if isinstance(node, DictConfig):
        return {key: plain(_taken(node, key, value, resolve), resolve) for key, value in node._content.items()}
    if isinstance(node, ListConfig):
        return [plain(_taken(node, at, value, resolve), resolve) for at, value in enumerate(node._content)]
    return node


def _taken(node, key, value, resolve):
    is_open = not resolve or (isinstance(value, str) and value == MISSING)
    return value if is_open else node._read(key, value)


def interpolated(text, node):
    """Return a text with what it refers to; one that is nothing else than a reference has the value itself."""
    pieces = parts(text)
    if len(pieces) == 1 and pieces[0][0]:
        return _referred(pieces[0][1], node)
    return "".join(str(_referred(piece, node)) if is_reference else piece for is_reference, piece in pieces)


def _argument(text, node):
    if text[:1] in ("'", '"') and text[-1:] == text[:1]:
        return interpolated(text[1:-1], node)
    value = interpolated(text, node) if "${" in text else text
    return from_yaml(value) if isinstance(value, str) else value


def _resolved(name, arguments, node):
    values = [_argument(argument, node) for argument in arguments]
    if name in RESOLVERS:
        return RESOLVERS[name](*values)
    if name == "oc.env":
        import os

        return os.environ.get(*values)
    if name == "oc.select":
        found = select(node._get_root(), values[0])
        return found if found is not None else (values[1] if len(values) > 1 else None)
    if name == "oc.decode":
        return wrapped(from_yaml(values[0]), node) if isinstance(values[0], str) else values[0]
    if name == "oc.create":
        return wrapped(from_yaml(values[0]) if isinstance(values[0], str) else values[0], node)
    if name in ("oc.dict.keys", "oc.dict.values"):
        found = select(node._get_root(), values[0]) if isinstance(values[0], str) else values[0]
        return ListConfig(list(found.keys() if name == "oc.dict.keys" else found.values()), node)
    raise InterpolationKeyError(f"Unsupported interpolation type {name}")


def _referred(reference, node):
    called = call(reference)
    if called is not None:
        return _resolved(*called, node)
    name = str(interpolated(reference, node)).strip()
    start = node._get_root()
    if name.startswith("."):
        start, name = node, name[1:]
        while name.startswith("."):
            start, name = start._parent, name[1:]
    for part in re.split(r"[.\[]", name):
        part = part.rstrip("]")
        try:
            start = start[int(part)] if isinstance(start, ListConfig) else start[part]
        except (KeyError, IndexError):
            raise InterpolationKeyError(f"Interpolation key '{name}' not found") from None
    return start


def select(node, key, default=None):
    for part in key.split(".") if key else []:
        if isinstance(node, ListConfig):
            node = node[int(part)]
        elif not isinstance(node, DictConfig) or part not in node._content:
            return default
        else:
            node = node._content[part] if node._content[part] == MISSING else node[part]
    return node
