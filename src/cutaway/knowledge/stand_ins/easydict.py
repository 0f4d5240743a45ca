"""EasyDict: a dict whose items are attributes."""


class EasyDict(dict):
    def __init__(self, d=None, **kwargs):
        for key, value in {**(d or {}), **kwargs}.items():
            setattr(self, key, value)

    def __setattr__(self, name, value):
        if isinstance(value, (list, tuple)):
            value = type(value)(self.__class__(item) if isinstance(item, dict) else item for item in value)
        elif isinstance(value, dict) and not isinstance(value, EasyDict):
            value = EasyDict(value)
        super().__setattr__(name, value)
        super().__setitem__(name, value)

    __setitem__ = __setattr__

    def update(self, e=None, **f):
        for key, value in {**(e or {}), **f}.items():
            setattr(self, key, value)

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, k, *args):
        if hasattr(self, k):
            delattr(self, k)
        return super().pop(k, *args)
