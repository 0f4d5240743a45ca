"""addict: a dict whose items are attributes, and which makes what is missing."""

import copy


class Dict(dict):
    def __init__(__self, *args, **kwargs):
        object.__setattr__(__self, "__parent", kwargs.pop("__parent", None))
        object.__setattr__(__self, "__key", kwargs.pop("__key", None))
        object.__setattr__(__self, "__frozen", False)
        for arg in args:
            if not arg:
                continue
            if isinstance(arg, dict):
                for key, value in arg.items():
                    __self[key] = __self._hook(value)
            elif isinstance(arg, tuple) and not isinstance(arg[0], tuple):
                __self[arg[0]] = __self._hook(arg[1])
            else:
                for key, value in iter(arg):
                    __self[key] = __self._hook(value)
        for key, value in kwargs.items():
            __self[key] = __self._hook(value)

    def __setattr__(self, name, value):
        if hasattr(self.__class__, name):
            raise AttributeError(f"'Dict' object attribute '{name}' is read-only")
        self[name] = value

    @classmethod
    def _hook(cls, item):
        if isinstance(item, dict):
            return cls(item)
        if isinstance(item, (list, tuple)):
            return type(item)(cls._hook(each) for each in item)
        return item

    def __getattr__(self, item):
        return self.__getitem__(item)

    def __missing__(self, name):
        if object.__getattribute__(self, "__frozen"):
            raise KeyError(name)
        return self.__class__(__parent=self, __key=name)

    def __setitem__(self, name, value):
        if object.__getattribute__(self, "__frozen") and name not in self:
            raise KeyError(name)
        super().__setitem__(name, value)
        parent = object.__getattribute__(self, "__parent")
        if parent is not None:  # what was only read becomes an item of its parent when it gets one of its own
            object.__setattr__(self, "__parent", None)
            parent[object.__getattribute__(self, "__key")] = self

    def __delattr__(self, name):
        del self[name]

    def to_dict(self):
        return {key: _plain(value) for key, value in self.items()}

    def copy(self):
        return copy.copy(self)

    def deepcopy(self):
        return copy.deepcopy(self)

    def __deepcopy__(self, memo):
        return self.__class__({key: copy.deepcopy(value, memo) for key, value in self.items()})

    def update(self, *args, **kwargs):
        for other in (*args, kwargs):
            for key, value in dict(other).items():
                if key in self and isinstance(self[key], dict) and isinstance(value, dict):
                    self[key].update(value)
                else:
                    self[key] = value

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def freeze(self, shouldFreeze=True):
        object.__setattr__(self, "__frozen", shouldFreeze)
        for value in self.values():
            if isinstance(value, Dict):
                value.freeze(shouldFreeze)

    def unfreeze(self):
        self.freeze(False)


def _plain(value):
    if isinstance(value, Dict):
        return value.to_dict()
    return type(value)(_plain(item) for item in value) if isinstance(value, (list, tuple)) else value
