"""Loading a state dict: which of its keys and shapes do not fit a module."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base import attribute
from cutaway.knowledge.torch.nn.traversal import named_parts, parts
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.ops.norm import fits
from cutaway.ops.window import shown

_SHOWN = 3
_ADAPTED = "parametrizations."
"""Part of the keys of a module that renames keys of older state dicts while it loads them."""
_OPTIONAL = "num_batches_tracked"
"""The end of keys that normalisation layers add to older state dicts."""
_CUSTOM = frozenset(("_load_from_state_dict", "load_state_dict", "set_extra_state"))
"""Methods of a class that loads in a way of its own."""


def check_loading(module: Any, loaded: Any, strict: Any, base: type) -> None:
    """Raise where PyTorch does: on a tensor of another shape, and on missing and unexpected keys if loading is strict.

    Nothing is said of a dict or a module that is not known in full, or that loads in a way of its own.
    """
    if type(loaded) not in (dict, OrderedDict) or not all(type(key) is str for key in loaded):
        return
    own = module.state_dict()
    if not all(isinstance(each, Tensor) for each in (*loaded.values(), *own.values())):
        return
    if all(_loads_plainly(part, base) for part in parts(module)):
        _check_shapes(module, own, loaded)
        if strict is True and not any(_ADAPTED in key for key in own):
            _check_keys(module, own, loaded)


def changed_by_loading(module: Any, loaded: Any, strict: Any, assign: Any, base: type) -> tuple[Any, Any]:
    """Change a module as loading does: the numbers, or with `assign` the tensors. Return the missing and unexpected keys."""
    own = module.state_dict()
    is_known = type(loaded) in (dict, OrderedDict) and all(type(key) is str for key in loaded)
    is_plain = is_known and all(_loads_plainly(part, base) for part in parts(module))
    for path, part in named_parts(module, remove_duplicate=False):
        for table in (part._parameters, part._buffers):
            for name, member in list(table.items()):
                key = f"{path}.{name}" if path else name
                if key in own and (not is_plain or key in loaded):
                    _load(part, name, member, loaded[key] if is_known and key in loaded else None, assign)
    if strict is True:
        return [], []
    if not is_plain or any(key not in loaded and key.endswith(_OPTIONAL) for key in own):
        unknown = Unknown("which keys a state dict has is unknown", session.current().place())
        return unknown, unknown
    return [key for key in own if key not in loaded], [key for key in loaded if key not in own]


def _load(part: Any, name: str, member: Any, given: Any, assign: Any) -> None:
    if not isinstance(member, Tensor):
        return
    if assign is False:
        member.forget_numbers()
    elif assign is True and isinstance(given, Tensor):
        tensor = given.detach()
        attribute.put(part, name, type(member)(tensor, member.requires_grad) if name in part._parameters else tensor)
    else:
        session.current().presume("weights that are loaded have the element types that they had before", objects=[part])
        member.forget_numbers()


def _loads_plainly(part: Any, base: type) -> bool:
    fields = part.__dict__
    if "_incomplete" in fields or fields["_load_state_dict_pre_hooks"] or hasattr(part, "cls_to_become"):
        return False
    return all(_CUSTOM.isdisjoint(vars(cls)) for cls in type(part).__mro__ if cls is not base)


def _check_shapes(module: Any, own: Any, loaded: Any) -> None:
    for key in own.keys() & loaded.keys():
        shape, wanted = loaded[key].shape, own[key].shape
        if isinstance(shape, Unknown) or isinstance(wanted, Unknown):
            continue
        if not fits(shape, wanted) and (wanted or len(shape) != 1):
            name = type(module).__name__
            text = f"load_state_dict: {key} has shape {shown(shape)}, but that of {name} is {shown(wanted)}"
            raise Fault(text, FaultCode.SHAPE_MISMATCH)


def _check_keys(module: Any, own: Any, loaded: Any) -> None:
    required = {key for key in own if not key.endswith(_OPTIONAL)}
    for kind, keys in (("lacks", required - loaded.keys()), ("also has", loaded.keys() - own.keys())):
        if keys:
            names = ", ".join(sorted(keys)[:_SHOWN]) + (", ..." if len(keys) > _SHOWN else "")
            text = f"load_state_dict: the state dict {kind} {names}, unlike {type(module).__name__}"
            raise Fault(text, FaultCode.MISSING_KEY)
