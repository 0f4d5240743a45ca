"""Operators that a target defines itself, with `torch.library`, and finds again under `torch.ops`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.program_state import Key
from cutaway.core.session import Operation
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import lookup, register, row
from cutaway.knowledge.torch.runtime.inert import first, nothing, register_all
from cutaway.knowledge.torch.tensor.op import tensors

_OPERATORS: Key[dict[str, CustomOpDef]] = Key(dict)

# Which kernel speaks for an operator: the one that only computes shapes, then those for every device, then the CPU's.
_PREFERRED = ("Meta", "CompositeImplicitAutograd", "CompositeExplicitAutograd", "", "CPU")
# Kernels that do something around another one, and call the operator again for it.
_WRAPPING = (
    "Autograd",
    "Autocast",
    "ADInplaceOrView",
    "Functionalize",
    "FuncTorch",
    "Python",
    "Tracer",
    "BackendSelect",
)


@row("torch.library.CustomOpDef", "torch._library.custom_ops.CustomOpDef")
class CustomOpDef:
    """An operator of the target: functions for kinds of devices, of which one speaks for it."""

    def __init__(self, name: str) -> None:
        self._qualname = name
        self._kernels: dict[str, Any] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(f"{self._qualname.replace('::', '.')}.default", args, kwargs)

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Apply the operator, and record that as one operation."""
        here = session.current()
        key = next((key for key in (*_PREFERRED, *self._kernels) if key in self._kernels), None)
        if key is None:
            return here.unknown(f"the operator {self._qualname} has no kernel that can be read")
        kernel = self._kernels[key]
        read = [tensor.reference() for tensor in tensors((args, kwargs))]
        start = len(here.operations)
        made = kernel(*args, **kwargs)
        if here.recording:
            parts = here.operations[start:]
            del here.operations[start:]
            macs = None if key == "Meta" else sum(part.macs or 0 for part in parts)
            given = here.signature(kernel).bind(*args, **kwargs).arguments
            plain = {word: value for word, value in given.items() if not tensors(value)}
            written = [tensor.reference() for tensor in tensors(made)]
            module = here.modules[-1] if here.modules else None
            here.operations.append(Operation(name, plain, read, written, module, here.place(), macs, True))
        return made

    def enter(self, key: str, function: Any) -> None:
        """Set the function for a kind of devices."""
        if not key.startswith(_WRAPPING):
            self._kernels[key] = function

    def register_fake(self, fn: Any = None, /) -> Any:
        """Set the function that only computes shapes."""
        return _entering(self, "Meta", fn)

    def register_kernel(self, device_types: Any, fn: Any = None, /) -> Any:
        """Set the function for a kind of devices."""
        return _entering(self, _key(device_types), fn)

    def _ignore(self, *args: Any, **_kwargs: Any) -> Any:
        return args[-1] if args and callable(args[-1]) else (lambda function: function)

    register_autograd = register_vmap = register_torch_dispatch = register_autocast = _ignore


class _Overload:
    """An operator under one of the names that it is called by."""

    def __init__(self, operator: CustomOpDef, name: str) -> None:
        self._operator, self.__name__ = operator, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._operator.call(self.__name__, args, kwargs)

    @property
    def default(self) -> _Overload:
        """The overload without a name of its own."""
        return _Overload(self._operator, f"{self.__name__}.default")


def _entering(operator: CustomOpDef, key: str, function: Any) -> Any:
    """Enter a function, given now or by decoration, and return it."""

    def enter(given: Any) -> Any:
        operator.enter(key, given)
        return given

    return enter if function is None else enter(function)


def _key(devices: Any) -> str:
    """Return the name that is kept for the devices of a kernel; many share the function of the first."""
    if devices is None or devices == "default":
        return ""
    text = devices if isinstance(devices, str) else next(iter(devices), "")
    return str(text).upper() if str(text).islower() else str(text)


def _operators() -> dict[str, CustomOpDef]:
    return _OPERATORS.get()


def _operator(name: Any) -> CustomOpDef:
    """Return the operator of a qualified name or of an overload, made if it is new."""
    if isinstance(name, (CustomOpDef, _Overload)):
        return name if isinstance(name, CustomOpDef) else name._operator
    plain = str(name).partition("(")[0].removesuffix(".default")
    if not _is_defined(plain):
        _operators()[plain] = CustomOpDef(plain)
    return _operators()[plain]


def _is_defined(name: str) -> bool:
    """Tell whether the target certainly defines an operator: one that a branch may have defined is unknown."""
    return type(_operators().get(name)) is CustomOpDef


def _custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, **_options):
    def make(function: Any) -> CustomOpDef:
        operator = _operator(name)
        operator.enter(_key(device_types), function)
        return operator

    return make if fn is None else make(fn)


def _triton_op(name, fn=None, /, *, mutates_args, schema=None):
    return _custom_op(name, fn, mutates_args=mutates_args)


register("torch.library.custom_op", _custom_op)
register("torch.library.triton_op", _triton_op)


def _define(qualname, schema, *, lib=None, tags=()):
    """Both forms: of a qualified name and a signature, and of a library and a signature with a name."""
    _operator(f"{qualname.ns}::{schema}" if isinstance(qualname, Library) else qualname)


register("torch.library.define", _define)


def _named(name: Any, lib: Any) -> CustomOpDef:
    return _operator(f"{lib.ns}::{name}" if lib is not None and "::" not in str(name) else name)


def _fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=True):
    return _named(op, lib).register_fake(func)


def _abstract(qualname, func=None, *, lib=None, _stacklevel=1):
    return _named(qualname, lib).register_fake(func)


register("torch.library.register_fake", _fake)
register("torch.library.impl_abstract", _abstract)


def _kernel(op, device_types, func=None, /, *, lib=None):
    return _named(op, lib).register_kernel(device_types, func)


register("torch.library.register_kernel", _kernel)


def _impl(qualname, types, func=None, *, lib=None):
    """Both forms: of a qualified name and devices, and of a library, a name and a dispatch key."""
    if isinstance(qualname, Library):
        return _entering(_named(types, qualname), _key(func), None)
    return _entering(_named(qualname, lib), _key(types), func)


register("torch.library.impl", _impl)


def _left_aside(*args: Any, **_kwargs: Any) -> Any:
    """What a registration other than of a kernel returns: the function, given now or by decoration."""
    return args[-1] if len(args) > 1 and callable(args[-1]) else (lambda function: function)


register_all(
    "torch.library",
    "register_autograd register_vmap register_torch_dispatch register_autocast fallthrough_kernel",
    _left_aside,
)
register("torch.library.opcheck", nothing)
register("torch.library.wrap_triton", first)


@row("torch.library.Library")
class Library:
    """Operators under one name."""

    def __init__(self, ns: str, kind: str = "DEF", dispatch_key: str = "") -> None:
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Make an operator from its signature, and return its name."""
        name = schema.partition("(")[0].strip()
        _operator(f"{self.ns}::{name}")
        return name

    def impl(
        self, op_name: Any, fn: Any, dispatch_key: str = "", *, with_keyset: bool = False, **_options: Any
    ) -> None:
        """Set the function for a kind of devices."""
        _named(op_name, self).enter(_key(dispatch_key or self.dispatch_key), fn)

    def _register_fake(self, op_name: Any, fn: Any, *_args: Any, **_options: Any) -> None:
        _named(op_name, self).register_fake(fn)

    def _destroy(self) -> None:
        pass


class _Names:
    """`torch.ops`, and the operators under one name in it: the target's own, then those that have rows."""

    def __init__(self, name: str, find: Callable[[str], Any]) -> None:
        self.__dict__.update(__name__=name, _find=find)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._find(name)


def _space(space: str) -> Any:
    row = lookup(f"torch.ops.{space}")
    return row if callable(row) and not isinstance(row, Unknown) else _Names(f"torch.ops.{space}", _within(space))


def _within(space: str) -> Callable[[str], Any]:
    def find(name: str) -> Any:
        own = f"{space}::{name}"
        if not _is_defined(own):
            found = lookup(f"torch.ops.{space}.{name}")
            if not isinstance(found, Unknown) or not session.current().evaluate_pending(space):
                return found
        if not _is_defined(own):
            return Unknown(f"torch.ops.{space}.{name} is not modelled", session.current().place())
        return _Overload(_operators()[own], f"{space}.{name}")

    return find


register("torch.ops", _Names("torch.ops", _space))
