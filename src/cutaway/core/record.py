"""Dataclasses that are created in a fifth of the time that the standard library takes.

About fifty of them are created before a command does anything. The standard library compiles up to six functions
for each; here only `__init__` is compiled, at its first call, and the others are shared. What `dataclasses.fields`, `replace` and
`asdict` need is created on demand.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, field, make_dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

from cutaway.core.speed import is_on

if TYPE_CHECKING or not is_on("records"):
    from dataclasses import dataclass, replace
else:

    def dataclass(cls=None, **options):
        """Make a class a dataclass; `frozen`, `slots` and `eq` mean what they mean in the standard library."""
        return (
            _DataclassBuilder(cls).build()
            if cls is not None
            else lambda decorated: _DataclassBuilder(decorated, **options).build()
        )

    def replace(record, /, **changes):
        """Return a record with some of its fields changed."""
        fields = {name: getattr(record, name) for name in type(record).__match_args__}
        return type(record)(**{**fields, **changes})


__all__ = ["dataclass", "field", "replace"]


_COMPILING: list[Any] = []


def compile_initialisers() -> None:
    """Compile every `__init__` now: no class of Cutaway changes after that."""
    for compile_it in _COMPILING:
        compile_it()
    _COMPILING.clear()


class _DataclassBuilder:
    """Turns one class into a dataclass."""

    def __init__(self, cls: type, frozen: bool = False, slots: bool = False, eq: bool = True) -> None:
        self.cls, self.frozen, self.slots, self.eq = cls, frozen, slots, eq
        self.own = {name: kind for name, kind in cls.__annotations__.items() if not str(kind).startswith("ClassVar")}
        self.fields: dict[str, Any] = {}
        for base in reversed(cls.__mro__[1:]):
            self.fields.update(getattr(base, "_record_fields", {}))
        for name in self.own:
            default = vars(cls).get(name, MISSING)
            self.fields[name] = default if isinstance(default, Field) else field(default=default)

    def build(self) -> type:
        """Return the class with its methods, and with slots if requested."""
        names = tuple(self.fields)
        own = vars(self.cls)
        attributes = {name: method for name, method in self._methods(names).items() if name not in own}
        attributes["_record_fields"], attributes["__dataclass_fields__"] = self.fields, _Fields()
        attributes["__match_args__"] = tuple(name for name in names if self.fields[name].init)
        built: list[Any] = []
        attributes["__init__"] = self._compiled_at_first_call(built)
        result = self._with_slots(attributes) if self.slots else self._completed(attributes)
        built.append(result)
        return result

    def _completed(self, attributes: dict[str, Any]) -> type:
        """Return the class itself, with more attributes, and without the descriptions of its fields."""
        for name, value in list(vars(self.cls).items()):
            if isinstance(value, Field):
                delattr(self.cls, name)
        for name, value in attributes.items():
            setattr(self.cls, name, value)
        return self.cls

    def _compiled_at_first_call(self, built: list[Any]) -> Any:
        """Return an `__init__` that replaces itself in the class that is `built` by then: most have no instance in a run."""

        def compile_it() -> Any:
            (cls,) = built
            cls.__init__ = compiled = self._initialiser(cls)
            return compiled

        def initialise(this: Any, *values: Any, **named: Any) -> None:
            compile_it()(this, *values, **named)

        initialise.__name__ = "__init__"
        _COMPILING.append(compile_it)
        return initialise

    def _with_slots(self, attributes: dict[str, Any]) -> type:
        """Return a class like this one with slots; what it gets is set when it is made, which is quicker than afterwards."""
        cls = self.cls
        excluded = (*self.own, "__dict__", "__weakref__")
        namespace = {name: value for name, value in vars(cls).items() if name not in excluded}
        result = type(cls)(cls.__name__, cls.__bases__, {**namespace, **attributes, "__slots__": (*self.own,)})
        result.__qualname__ = cls.__qualname__
        return result

    def _methods(self, names: tuple[str, ...]) -> dict[str, Any]:
        compared = attrgetter(*[name for name in names if self.fields[name].compare])
        methods: dict[str, Any] = {"__repr__": _represent}
        if self.frozen:
            methods.update(__setattr__=_refuse, __delattr__=_refuse)
            if self.slots:
                methods.update(__getstate__=_state, __setstate__=_restore)
        if self.eq:

            def equals(this: Any, other: Any) -> Any:
                return compared(this) == compared(other) if type(other) is type(this) else NotImplemented

            methods["__eq__"] = equals
            methods["__hash__"] = (lambda this: hash(compared(this))) if self.frozen else None
        return methods

    def _initialiser(self, cls: type) -> Any:
        scope: dict[str, Any] = {"set_": object.__setattr__}
        parameters, lines = [], []
        for name, spec in self.fields.items():
            value = name
            if not spec.init:
                if spec.default is MISSING:
                    continue
                scope[f"default_{name}"], value = spec.default, f"default_{name}"
            elif spec.default_factory is not MISSING:
                scope[f"make_{name}"] = spec.default_factory
                parameters.append(f"{name}=MISSING")
                value = f"make_{name}() if {name} is MISSING else {name}"
            elif spec.default is not MISSING:
                scope[f"default_{name}"] = spec.default
                parameters.append(f"{name}=default_{name}")
            else:
                parameters.append(name)
            if self.frozen and self.slots:
                scope[f"set_{name}"] = vars(cls)[name].__set__ if name in self.own else getattr(cls, name).__set__
                lines.append(f" set_{name}(self, {value})")
            elif self.frozen:
                lines.append(f" set_(self, {name!r}, {value})")
            else:
                lines.append(f" self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            lines.append(" self.__post_init__()")
        scope["MISSING"] = MISSING
        exec(f"def __init__(self, {', '.join(parameters)}):\n" + "\n".join(lines or [" pass"]), scope)
        return scope["__init__"]


class _Fields:
    """The fields of a dataclass in the standard library's form, created on demand."""

    def __get__(self, instance: Any, owner: type) -> Any:
        fields: dict[str, Any] = owner._record_fields  # type: ignore[attr-defined]
        kinds = {name: kind for base in reversed(owner.__mro__) for name, kind in _annotations(base).items()}
        shadow: Any = make_dataclass(owner.__name__, [(name, kinds[name], _copy(fields[name])) for name in fields])
        type.__setattr__(owner, "__dataclass_fields__", shadow.__dataclass_fields__)
        return shadow.__dataclass_fields__


def _annotations(cls: type) -> dict[str, Any]:
    return cls.__annotations__ if hasattr(cls, "_record_fields") else {}


def _copy(spec: Any) -> Any:
    options = {name: getattr(spec, name) for name in ("init", "repr", "compare")}
    for name in ("default", "default_factory"):
        if getattr(spec, name) is not MISSING:
            options[name] = getattr(spec, name)
    return field(**options)


def _represent(this: Any) -> str:
    shown = [f"{name}={getattr(this, name)!r}" for name, spec in this._record_fields.items() if spec.repr]
    return f"{type(this).__qualname__}({', '.join(shown)})"


def _refuse(this: Any, name: str, *value: Any) -> NoReturn:
    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


def _state(this: Any) -> list[Any]:
    return [getattr(this, name) for name in this._record_fields]


def _restore(this: Any, state: list[Any]) -> None:
    for name, value in zip(this._record_fields, state):
        object.__setattr__(this, name, value)
