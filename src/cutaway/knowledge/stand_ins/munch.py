"""munch: a dict whose items are attributes."""


class Munch(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        del self[name]

    def toDict(self):
        return unmunchify(self)

    def copy(self):
        return type(self).fromDict(self)

    @classmethod
    def fromDict(cls, given):
        return munchify(given, cls)


class DefaultMunch(Munch):
    def __init__(self, *args, **kwargs):
        default, args = (args[0], args[1:]) if args else (None, ())
        super().__init__(*args, **kwargs)
        dict.__setattr__(self, "__default__", default)

    def __getattr__(self, name):
        return self[name] if name in self else dict.__getattribute__(self, "__default__")


def munchify(given, factory=Munch):
    if isinstance(given, dict):
        return factory({key: munchify(value, factory) for key, value in given.items()})
    if isinstance(given, (list, tuple)):
        return type(given)([munchify(value, factory) for value in given])
    return given


def unmunchify(given):
    if isinstance(given, dict):
        return {key: unmunchify(value) for key, value in given.items()}
    if isinstance(given, (list, tuple)):
        return type(given)([unmunchify(value) for value in given])
    return given
