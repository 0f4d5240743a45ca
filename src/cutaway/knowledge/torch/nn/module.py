"""`torch.nn.Module`: registration, traversal, hooks and calls, as torch does them."""

from __future__ import annotations

import functools
import itertools
import re
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator
from typing import Any

from cutaway.core import session
from cutaway.core.admission import ADDRESS
from cutaway.core.fault import Fault, KeyFault, NotImplementedFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.loop.series import Repeat, mentions
from cutaway.core.protocols import CONTAINER, MODULE
from cutaway.core.session import Call
from cutaway.core.unknown import Opaque, Undecidable, Unknown
from cutaway.knowledge.base import attribute
from cutaway.knowledge.base.construction import Construction
from cutaway.knowledge.base.flatten import flatten, flatten_arguments
from cutaway.knowledge.base.recorded_call import explain_call, wrong_call
from cutaway.knowledge.base.registry import is_shared, row
from cutaway.knowledge.torch.nn.hooks import RemovableHandle, add_hook
from cutaway.knowledge.torch.nn.mode import IS_SET
from cutaway.knowledge.torch.nn.parameter import Buffer, Parameter
from cutaway.knowledge.torch.nn.registration import not_initialized, require_kind, wrong_kind
from cutaway.knowledge.torch.nn.state_dict import changed_by_loading, check_loading
from cutaway.knowledge.torch.nn.traversal import LONGEST_NAME, known_items, named_parts, parts, refuse_end, unknown_part
from cutaway.knowledge.torch.tensor.gradients import gradients_cleared
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import Device, DType

CALLS_AS_LIBRARY = True  # functions of the target are called exactly as the library does
_DEEPEST = 500  # calls of modules within calls
_PLAIN = frozenset((bool, int, float, str, type(None), tuple, list, dict))


@MODULE
@CONTAINER
@row("torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module")
class Module:
    """Base of every module, interpreted or modelled."""

    dump_patches = False
    training: bool
    _version = 1
    call_super_init = False
    _compiled_call_impl = None
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _construction: Construction

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = object.__new__(cls)
        made.__dict__["_construction"] = Construction(args, kwargs, session.current().place())
        return made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if (args or kwargs) and is_shared(type(self)):
            text = f"{type(self).__name__} takes no arguments, but got {next(iter((*kwargs, *args)))!r}"
            raise TypeFault(text, FaultCode.UNKNOWN_ARGUMENT if kwargs else FaultCode.WRONG_CALL)
        if isinstance(self, Unknown):  # called by its class on an object of a class that is not known
            raise Undecidable(self)
        fields = self.__dict__
        fields["training"] = True
        fields[IS_SET] = False
        fields["_parameters"] = {}
        fields["_buffers"] = {}
        fields["_non_persistent_buffers_set"] = set()
        fields["_backward_hooks"] = OrderedDict()
        fields["_forward_hooks"] = OrderedDict()
        fields["_forward_hooks_with_kwargs"] = OrderedDict()
        fields["_forward_pre_hooks"] = OrderedDict()
        fields["_forward_pre_hooks_with_kwargs"] = OrderedDict()
        fields["_state_dict_hooks"] = OrderedDict()
        fields["_load_state_dict_pre_hooks"] = OrderedDict()
        fields["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *input: Any) -> Any:
        text = f'Module [{type(self).__name__}] is missing the required "forward" function'
        if session.current().chosen_inputs is not None:
            raise NotImplementedError(text)  # the program itself may never call it
        raise NotImplementedFault(text, FaultCode.INVALID_CALL)

    # Registration

    def __setattr__(self, name: str, value: Any) -> None:
        fields = self.__dict__
        if name == "training":
            fields[name], fields[IS_SET] = value, True
            return
        parameters = fields.get("_parameters")
        if type(value) in _PLAIN and parameters is not None:
            if not (name in parameters or name in fields["_modules"] or name in fields["_buffers"]):
                object.__setattr__(self, name, value)
                return
        if isinstance(value, Parameter):
            if parameters is None:
                raise not_initialized("parameters")
            _remove(name, fields, fields["_buffers"], fields["_modules"], fields["_non_persistent_buffers_set"])
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            require_kind(value, Unknown, f"parameter '{name}' (torch.nn.Parameter or None expected)")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            modules = fields.get("_modules")
            if modules is None:
                raise not_initialized("module")
            _remove(name, fields, fields["_parameters"], fields["_buffers"], fields["_non_persistent_buffers_set"])
            modules[name] = value
        elif "_modules" in fields and name in fields["_modules"]:
            require_kind(value, Unknown, f"child module '{name}' (torch.nn.Module or None expected)")
            fields["_modules"][name] = value
        elif "_buffers" in fields and (
            name in fields["_buffers"] or (isinstance(value, Tensor) and isinstance(value, Buffer))
        ):
            if isinstance(value, Buffer):
                _remove(name, fields, fields["_parameters"], fields["_modules"])
                self.register_buffer(name, value, value.persistent)
            else:
                require_kind(
                    value, (Tensor, Unknown), f"buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)"
                )
                fields["_buffers"][name] = value
        else:
            _set_plain(self, name, value)

    def mentions_size(self, name: str) -> bool:
        """Tell whether a size of this name is in the weights or attributes of the module, or of one below it."""
        for part in parts(self):
            weights = [
                *(part.__dict__.get("_parameters") or {}).values(),
                *(part.__dict__.get("_buffers") or {}).values(),
            ]
            shapes = [weight.shape for weight in weights if isinstance(weight, Tensor)]
            if mentions(shapes, name) or mentions(list(part.__dict__.values()), name):
                return True
        return False

    def mark_incomplete(self, unknown: Unknown) -> None:
        """Note that what this module consists of could not be followed to the end."""
        self.__dict__.setdefault("_incomplete", session.current().note(unknown, self))

    def held_children(self) -> list[str]:
        """Return what a loop may add to, as it is before a turn."""
        return list(self._modules)

    def repeat_children(self, before: list[str], count: Any, index: str) -> bool:
        """Note that the modules which are not among those before come with each turn of a repeat.

        False where their names do not tell one turn from another, so that each replaces the one before.
        """
        added = [name for name in self._modules if name not in before]
        group = Repeat((), count, index)
        for name in added:
            if not _names_turn(name, index):
                return False
            self.__dict__.setdefault("_repeated", {})[name] = group
        return True

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            if table in fields and name in fields[table] and name != ADDRESS:  # numpy would believe what it says
                return fields[table][name]
        if "_incomplete" in fields and not name.startswith("__"):
            return fields["_incomplete"]
        if "{" in name:
            return Unknown(f"which of a symbolic number of attributes {name} is")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __delattr__(self, name: str) -> None:
        for table in (self._parameters, self._buffers, self._modules):
            if name in table:
                del table[name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        keys = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted({key for key in keys if not key[0].isdigit()})

    def register_parameter(self, name: str, param: Any) -> None:
        self._check_name(name, self._parameters, "parameter")
        if param is not None and not isinstance(param, (Parameter, Unknown)):
            text = f"cannot assign '{type(param).__name__}' object to parameter '{name}'"
            raise wrong_kind(param, f"{text} (torch.nn.Parameter or None required)")
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        self._check_name(name, self._buffers, "buffer")
        if tensor is not None and not isinstance(tensor, (Tensor, Unknown)):
            text = f"cannot assign '{type(tensor).__name__}' object to buffer '{name}'"
            raise wrong_kind(tensor, f"{text} (torch Tensor or None required)")
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Any) -> None:
        if not isinstance(module, Module):
            module = _unknown_of(module) or module
        if module is not None and not isinstance(module, (Module, Unknown)):
            name = getattr(module, "__name__", type(module).__name__)
            raise wrong_kind(module, f"{name} is not a Module subclass")
        session.current().tick()
        self._check_name(name, self._modules, "module")
        self._modules[name] = module

    def register_module(self, name: str, module: Any) -> None:
        self.add_module(name, module)

    def _check_name(self, name: Any, table: dict[str, Any], what: str) -> None:
        if "_parameters" not in self.__dict__:
            raise not_initialized(what)
        if isinstance(name, Unknown):
            raise Undecidable(name)
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {type(name).__name__}")
        if len(name) > LONGEST_NAME:
            raise Undecidable(Unknown(f"the name of a {what} has {len(name):,} letters", session.current().place()))
        if "." in name:
            raise KeyFault(f'{what} name can\'t contain ".", got: {name}', FaultCode.INVALID_ARGUMENT)
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if name not in table and "_incomplete" not in self.__dict__ and self._has(name):
            raise KeyFault(f"attribute '{name}' already exists", FaultCode.DUPLICATE_NAME)

    def _has(self, name: str) -> bool:
        """`hasattr`, without making an exception where there is no such attribute, as there is mostly not."""
        cls, fields = type(self), self.__dict__
        if cls.__getattr__ is not Module.__getattr__ or cls.__getattribute__ is not object.__getattribute__:
            return attribute.has(self, name)
        own = name in fields or any(name in fields[table] for table in ("_parameters", "_buffers", "_modules"))
        return own or any(name in vars(base) for base in cls.__mro__)

    # Traversal

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        unknown = None
        for path, module in named_parts(self, memo, prefix, remove_duplicate):
            unknown = unknown_part(module) if unknown is None else unknown
            yield path, module
        refuse_end(unknown)

    def modules(self) -> Iterator[Any]:
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Any]]:
        memo: set[int] = set()
        tick = session.current().tick
        for name, module in self._modules.items():
            if module is not None and id(module) not in memo:
                tick()
                memo.add(id(module))
                yield name, module
        refuse_end(self.__dict__.get("_incomplete"))

    def children(self) -> Iterator[Any]:
        for _, module in self.named_children():
            yield module

    def _named_members(
        self,
        get_members_fn: Callable[[Any], Any],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        memo: set[int] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, member in get_members_fn(module):
                if member is None or id(member) in memo:
                    continue
                if remove_duplicate:
                    memo.add(id(member))
                yield (f"{path}.{name}" if path else name), member
        if not recurse:
            refuse_end(self.__dict__.get("_incomplete"))

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        return self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Any]:
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        return self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Any]:
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Any:
        module = self
        for name in target.split(".") if target else []:
            if not attribute.has(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = attribute.get(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        path, _, name = target.rpartition(".")
        attribute.put(self.get_submodule(path), name, module)

    def get_parameter(self, target: str) -> Any:
        path, _, name = target.rpartition(".")
        return attribute.get(self.get_submodule(path), name)

    get_buffer = get_parameter

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        found: OrderedDict[str, Any] = OrderedDict() if destination is None else destination
        for path, module in named_parts(self, remove_duplicate=False):
            if (unknown := unknown_part(module)) is not None:
                return unknown
            start = f"{prefix}{path}." if path else prefix
            for name, member in itertools.chain(module._parameters.items(), module._buffers.items()):
                if member is not None and name not in module._non_persistent_buffers_set:
                    found[start + name] = member if keep_vars else member.detach()
        return found

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        check_loading(self, state_dict, strict, Module)
        return _IncompatibleKeys(*changed_by_loading(self, state_dict, strict, assign, Module))

    # Changes of state that leave the structure alone

    def apply(self, fn: Callable[[Any], Any]) -> Any:
        for module in known_items(self.children()):
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Any:
        self.training = mode
        for module in known_items(self.children()):
            module.train(mode)
        return self

    def eval(self) -> Any:
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        for parameter in known_items(self.parameters()):
            parameter.requires_grad = requires_grad
        return self

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Any:
        """Replace the data of every weight by `fn` of it."""
        if recurse:
            for module in known_items(self.children()):
                module._apply(fn)
        for table in (self._parameters, self._buffers):
            for name, tensor in table.items():
                if isinstance(tensor, Parameter):
                    tensor.data = fn(tensor)
                elif tensor is not None:
                    table[name] = fn(tensor)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Any:
        dtype = kwargs.get("dtype")
        device = kwargs.get("device")
        for value in args:
            if isinstance(value, DType):
                dtype = value
            elif isinstance(value, (str, Device, int)):
                device = value
            elif isinstance(value, Tensor):
                dtype, device = value.dtype, value.device

        def convert(tensor: Any) -> Any:
            floating = isinstance(tensor, Tensor) and (tensor.dtype.is_floating_point or tensor.dtype.is_complex)
            return tensor.to(device=device, dtype=dtype if floating else None)

        return self._apply(convert)

    def type(self, dst_type: Any) -> Any:
        return self._apply(lambda tensor: tensor.type(dst_type))

    def cuda(self, device: Any = None) -> Any:
        return self.to(Device("cuda"))

    def cpu(self) -> Any:
        return self.to(Device("cpu"))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Any:
        return self.to(device=device)

    def zero_grad(self, set_to_none: bool = True) -> None:
        gradients_cleared()

    def share_memory(self) -> Any:
        return self

    def compile(self, *args: Any, **kwargs: Any) -> None:
        pass

    def extra_repr(self) -> str:
        return ""

    def get_extra_state(self) -> Any:
        raise RuntimeError("Module.get_extra_state is not implemented")

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.extra_repr()})"

    # Hooks and calls

    def register_forward_hook(
        self, hook: Any, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        return add_hook(self._forward_hooks, self._forward_hooks_with_kwargs, hook, prepend, with_kwargs)

    def register_forward_pre_hook(
        self, hook: Any, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        return add_hook(self._forward_pre_hooks, self._forward_pre_hooks_with_kwargs, hook, prepend, with_kwargs)

    def register_full_backward_hook(self, hook: Any, prepend: bool = False) -> RemovableHandle:
        return RemovableHandle({})

    register_backward_hook = register_full_backward_pre_hook = register_full_backward_hook

    def _register_load_state_dict_pre_hook(self, hook: Any, with_module: bool = False) -> RemovableHandle:
        return RemovableHandle({})

    def register_load_state_dict_pre_hook(self, hook: Any) -> RemovableHandle:
        return RemovableHandle({})

    register_load_state_dict_post_hook = register_state_dict_post_hook = register_state_dict_pre_hook = (
        register_load_state_dict_pre_hook
    )
    _register_state_dict_hook = register_load_state_dict_pre_hook

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        here = session.current()
        here.tick()
        if len(here.modules) > _DEEPEST:
            raise RecursionError("maximum recursion depth exceeded")
        outermost = None if here.modules else (args, kwargs)
        for key, hook in list(self._forward_pre_hooks.items()):
            if key in self._forward_pre_hooks_with_kwargs:
                changed = hook(self, args, kwargs)
                if changed is not None:
                    args, kwargs = changed
            else:
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        call = Call(self, flatten_arguments(args, kwargs), len(here.operations), depth=len(here.modules))
        call.given, call.training = outermost, self.training
        here.calls.append(call)
        here.modules.append(self)
        outside, here.recording = here.recording, True
        try:
            if here.solver is None:
                result = self.forward(*args, **kwargs)
            else:
                result = here.solver.enter(
                    lambda: self.forward(*args, **kwargs), id(self), lambda: _traces(self, args, kwargs)
                )
        except Undecidable as undecidable:
            result = here.note(undecidable.unknown, self)
        except Fault as fault:
            here.report(fault)
            explain_call(call, fault)
            raise
        except TypeError as error:
            raise wrong_call(error, __file__) from None
        finally:
            here.modules.pop()
            here.recording = outside
            call.last_operation = len(here.operations)
        if any(isinstance(value, (list, dict)) for value in (*args, *kwargs.values())):
            seen = flatten_arguments(args, kwargs)
            if len(seen) != len(call.inputs):  # a list that forward itself lengthened, as a forward hook would see it
                call.inputs = seen
        for key, hook in list(self._forward_hooks.items()):
            changed = (
                hook(self, args, kwargs, result) if key in self._forward_hooks_with_kwargs else hook(self, args, result)
            )
            if changed is not None:
                result = changed
        call.outputs, call.presumed = flatten(result), here.presumed
        return result

    _call_impl = __call__
    _wrapped_call_impl = __call__


_IncompatibleKeys = namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"])


def _traces(module: Module, args: Any, kwargs: Any) -> Any:
    """Return what is seen of what a call of forward may leave behind: in the modules, and in what it is given."""
    held = [part.__dict__ for part in parts(module)]
    given = [value for value in (*args, *kwargs.values()) if isinstance(value, (list, dict, set))]
    inside = [value for each in held for value in each.values() if isinstance(value, (list, dict, set))]
    return (
        [[(name, id(value)) for name, value in each.items()] for each in held],
        [[id(item) for item in (value.values() if isinstance(value, dict) else value)] for value in (*given, *inside)],
    )


def _unknown_of(value: Any) -> Unknown | None:
    """Return why it can't be determined what an object is; None if it can."""
    return type(value)._opaque_reason if isinstance(value, Opaque) else None


def _names_turn(name: str, index: str) -> bool:
    """Tell whether a name has a part that differs from turn to turn."""
    return any(index in re.findall(r"\w+", part) for part in re.findall(r"\{(.*?)\}", name))


def _set_plain(module: Module, name: str, value: Any) -> None:
    """Set an attribute that is neither a weight nor a module, as far as that is known."""
    object.__setattr__(module, name, value)
    unknown = value if type(value) is Unknown else _unknown_of(value)
    if unknown is not None and not session.current().modules and not type(module).__module__.startswith("torch."):
        if unknown.kind is None and (unknown.term is None or not unknown.term.plain):
            module.mark_incomplete(unknown)  # it may have been a module or a weight


def _remove(name: str, *tables: Any) -> None:
    for table in tables:
        if isinstance(table, dict):
            table.pop(name, None)
        else:
            table.discard(name)


def _cast_to(dtype: str) -> Callable[[Any], Any]:
    def cast(self: Any) -> Any:
        return self._apply(
            lambda tensor: (
                attribute.get(tensor, dtype)()
                if isinstance(tensor, Tensor) and tensor.dtype.is_floating_point
                else tensor
            )
        )

    return cast


for _name in ("float", "double", "half", "bfloat16"):
    setattr(Module, _name, functools.partialmethod(lambda self, cast: cast(self), _cast_to(_name)))


def layer(cls: type) -> type:
    """Register a module class under `torch.nn` and under the torch file that defines it.

    The class states that file as `__module__ = "torch.nn.modules.conv"`, as torch's own does.
    """
    row(f"{cls.__module__}.{cls.__name__}")(cls)
    if not cls.__name__.startswith("_"):
        row(f"torch.nn.{cls.__name__}", f"torch.nn.modules.{cls.__name__}")(cls)
    return cls


Module.__module__ = "torch.nn.modules.module"
