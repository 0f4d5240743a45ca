"""Registries: classes and functions by name."""

import inspect


class Registry:
    def __init__(self, name, build_func=None, parent=None, scope=None, locations=()):
        self._name, self._module_dict, self.parent, self.scope = name, {}, parent, scope
        self.build_func = build_func or build_from_cfg

    name = property(lambda self: self._name)
    module_dict = property(lambda self: self._module_dict)

    def __len__(self):
        return len(self._module_dict)

    def __contains__(self, key):
        return self.get(key) is not None

    def get(self, key):
        short = key.rpartition(".")[2]
        for name in (key, short):
            if name in self._module_dict:
                return self._module_dict[name]
        return None if self.parent is None else self.parent.get(key)

    def build(self, cfg, *args, **kwargs):
        return self.build_func(cfg, *args, **kwargs, registry=self)

    def register_module(self, name=None, force=False, module=None):
        def register(cls):
            names = (
                [cls.__name__]
                if name is None or not isinstance(name, (str, list))
                else [name]
                if isinstance(name, str)
                else name
            )
            for each in names:
                if not force and each in self._module_dict:
                    raise KeyError(f"{each} is already registered in {self._name}")
                self._module_dict[each] = cls
            return cls

        if module is not None:
            return register(module)
        return register(name) if inspect.isclass(name) else register

    _register_module = register_module


def build_from_cfg(cfg, registry, default_args=None):
    args = dict(cfg)
    for key, value in (default_args or {}).items():
        args.setdefault(key, value)
    kind = args.pop("type")
    args.pop("_scope_", None)
    cls = registry.get(kind) if isinstance(kind, str) else kind
    if cls is None:
        raise KeyError(f"{kind} is not in the {registry.name} registry")
    return cls(**args)


MODELS = Registry("model")
DATASETS = Registry("dataset")
TRANSFORMS = Registry("transform")
HOOKS = Registry("hook")
RUNNERS = Registry("runner")
OPTIMIZERS = Registry("optimizer")
METRICS = Registry("metric")
TASK_UTILS = Registry("task util")
VISUALIZERS = Registry("visualizer")
