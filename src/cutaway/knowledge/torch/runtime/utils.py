"""`torch.utils` (checkpointing, pytrees, TensorBoard) and the files that `torch.hub` would fetch."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.program_state import Key
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import register, row
from cutaway.knowledge.torch.nn.hooks import RemovableHandle
from cutaway.knowledge.torch.runtime.inert import Inert, always, nothing, register_all, register_classes

_PYTREE_NODES: Key[dict[type, tuple[Any, Any]]] = Key(dict)

# Activation checkpointing runs a function now and again in the backward pass.

_CHECKPOINT_OPTIONS = ("preserve_rng_state", "context_fn", "determinism_check", "debug", "early_stop")


@row("torch.utils.checkpoint.checkpoint")
def checkpoint(function, *args, use_reentrant=None, **kwargs):
    for option in _CHECKPOINT_OPTIONS:
        kwargs.pop(option, None)
    return function(*args, **kwargs)


@row("torch.utils.checkpoint.checkpoint_sequential")
def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    for function in functions.children() if hasattr(functions, "children") else functions:
        input = function(input)
    return input


register_all("torch.utils.checkpoint", "set_checkpoint_early_stop set_checkpoint_debug_enabled", Inert)
register_all(
    "torch.utils.checkpoint", "create_selective_checkpoint_contexts noop_context_fn", lambda *a, **k: (Inert(), Inert())
)
register_all("torch.utils.checkpoint", "get_device_states", always(([], [])))

# What is not in the source: files that would be fetched or read

_FETCHED = "the contents of a downloaded checkpoint are not known"


def _fetched(*_args: Any, **_kwargs: Any) -> Unknown:
    return session.current().unknown(_FETCHED)


register_all("torch.hub", "load_state_dict_from_url load", _fetched)
register_all("torch.utils.model_zoo", "load_url load_state_dict_from_url", _fetched)
register_all("torch.hub", "set_dir download_url_to_file", nothing)
register("torch.hub.get_dir", always("~/.cache/torch/hub"))
register("torch.hub._get_torch_home", always("~/.cache/torch"))
register("torch.hub.HASH_REGEX", re.compile(r"-([a-f0-9]*)\."))


@row("torch.hub.urlparse")
def urlparse(url: Any, scheme: Any = "", allow_fragments: Any = True) -> Any:
    """Return the parts of an address."""
    from urllib import parse

    return parse.urlparse(url, scheme, allow_fragments)


@row("torch.load")
def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    return session.current().unknown("the contents of a checkpoint that the target loads are not read")


@row("torch.save")
def save(
    obj,
    f,
    pickle_module=None,
    pickle_protocol=2,
    _use_new_zipfile_serialization=True,
    _disable_byteorder_record=False,
):
    return None


register_all("torch.serialization", "add_safe_globals clear_safe_globals", nothing)
register_all("torch.serialization", "safe_globals skip_data", Inert)

# Loggers and small things

register_classes("torch.utils", "tensorboard.SummaryWriter|tensorboard.writer.SummaryWriter", Inert)
register_all("torch.utils", "hooks.RemovableHandle", RemovableHandle)
register_all("torch.utils", "_triton.has_triton _triton.has_triton_package", always(False))
register("torch.utils.cpp_extension.CUDA_HOME", None)
register("torch.utils.collect_env.get_pretty_env_info", always(""))
register_all("torch.profiler", "profile record_function schedule", Inert)
register_all("torch.autograd.profiler", "profile record_function emit_nvtx", Inert)
register_all("torch.profiler", "tensorboard_trace_handler itt.range_push itt.range_pop", nothing)

# Pytrees: nested dicts, lists and tuples as a flat list and a description


class TreeSpec:
    """How to put a flat list of leaves back together."""

    def __init__(self, build: Callable[[list[Any]], Any], num_leaves: int) -> None:
        self._build = build
        self.num_leaves = num_leaves

    def unflatten(self, leaves: Any) -> Any:
        return self._build(list(leaves))


def _children(tree: Any) -> tuple[list[Any], Callable[[list[Any]], Any]] | None:
    kind = type(tree)
    registered = _PYTREE_NODES.get()
    if kind in registered:
        flatten, unflatten = registered[kind]
        children, context = flatten(tree)
        return list(children), lambda items: unflatten(items, context)
    if isinstance(tree, (dict, OrderedDict)):
        keys = list(tree)
        return list(tree.values()), lambda items: kind(zip(keys, items))
    if hasattr(tree, "_make") and isinstance(tree, tuple):
        return list(tree), lambda items: kind._make(items)
    if kind in (list, tuple):
        return list(tree), kind
    return None


@row("torch.utils._pytree.tree_flatten")
def tree_flatten(tree, is_leaf=None):
    parts = None if is_leaf is not None and is_leaf(tree) else _children(tree)
    if parts is None:
        return [tree], TreeSpec(lambda leaves: leaves[0], 1)
    children, build = parts
    flat = [tree_flatten(child, is_leaf) for child in children]
    leaves = [leaf for part, _ in flat for leaf in part]
    specs = [spec for _, spec in flat]

    def rebuild(leaves: list[Any]) -> Any:
        items, start = [], 0
        for spec in specs:
            items.append(spec.unflatten(leaves[start : start + spec.num_leaves]))
            start += spec.num_leaves
        return build(items)

    return leaves, TreeSpec(rebuild, len(leaves))


@row("torch.utils._pytree.tree_unflatten")
def tree_unflatten(leaves, treespec):
    return treespec.unflatten(leaves)


@row("torch.utils._pytree.tree_map", "torch.utils._pytree.tree_map_")
def tree_map(func, tree, *rests, is_leaf=None):
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [tree_flatten(rest, is_leaf)[0] for rest in rests]
    return spec.unflatten([func(*items) for items in zip(leaves, *others)])


@row("torch.utils._pytree.tree_map_only")
def tree_map_only(type_or_types_or_pred, func, tree, is_leaf=None):
    chosen = type_or_types_or_pred
    if isinstance(chosen, (type, tuple)):
        return tree_map(lambda leaf: func(leaf) if isinstance(leaf, chosen) else leaf, tree, is_leaf=is_leaf)
    return tree_map(lambda leaf: func(leaf) if chosen(leaf) else leaf, tree, is_leaf=is_leaf)


@row("torch.utils._pytree.tree_leaves", "torch.utils._pytree.tree_iter")
def tree_leaves(tree, is_leaf=None):
    return tree_flatten(tree, is_leaf)[0]


@row("torch.utils._pytree.register_pytree_node", "torch.utils._pytree._register_pytree_node")
def register_pytree_node(cls, flatten_fn, unflatten_fn, **_options):
    _PYTREE_NODES.get()[cls] = (flatten_fn, unflatten_fn)


@row("torch.utils._pytree.tree_any")
def tree_any(pred, tree, is_leaf=None):
    return any(pred(leaf) for leaf in tree_leaves(tree, is_leaf))


@row("torch.utils._pytree.tree_all")
def tree_all(pred, tree, is_leaf=None):
    return all(pred(leaf) for leaf in tree_leaves(tree, is_leaf))


register("torch.utils._pytree.TreeSpec", TreeSpec)
register("torch.utils._pytree.PyTree", Any)
