"""transformers: the few parts of it that are described here instead of being read from its source.

Each is there for the reason given with it; everything else of the library is interpreted.
"""

from __future__ import annotations

import os
from typing import Any

from cutaway.core import disk, session
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base import attribute, copying
from cutaway.knowledge.base.registry import TABLE, register, row
from cutaway.knowledge.torch.nn.traversal import known_items


@row("transformers.utils.auto_docstring.auto_docstring")
def auto_docstring(obj: Any = None, **_options: Any) -> Any:
    """Leaves what it decorates as it is: it only writes documentation, from the text of source files."""
    return obj if obj is not None else (lambda decorated: decorated)


@row("transformers.utils.import_utils.define_import_structure")
def define_import_structure(*_args: Any, **_kwargs: Any) -> dict[Any, Any]:
    """Says nothing: it lists the files of the package and searches their text for names.

    The same names stand below `if TYPE_CHECKING:`, where the loader finds them.
    """
    return {frozenset(): {}}


@row("transformers.utils.import_utils._LazyModule")
def lazy_module(*_args: Any, **_kwargs: Any) -> Unknown:
    """Does not take a module's place: what it would do, importing names on demand, the loader does already."""
    return Unknown("modules import their names on demand without it")


@row("transformers.utils.hub.resolve_revision")
def resolve_revision(path_or_repo_id: Any, revision: Any = None, **_options: Any) -> Any:
    """Leaves a revision as it is, as it does without a connection: it would ask a server for the commit."""
    return revision


@row("transformers.utils.hub.cached_file")
def cached_file(path_or_repo_id: Any, filename: Any, **options: Any) -> Any:
    """Finds a file in a folder that is here, and downloads nothing: it would ask servers, and keep a cache on disk."""
    for given in (path_or_repo_id, filename):
        if isinstance(given, Unknown):
            return given
    folder = os.fspath(path_or_repo_id)
    if not disk.is_folder(folder):
        reason = f"{filename} of {folder} is not here, and nothing is downloaded: name a folder that has it"
        return Unknown(reason, session.current().place())
    found = os.path.join(folder, options.get("subfolder") or "", filename)
    if disk.is_file(found):
        return found
    if options.get("_raise_exceptions_for_missing_entries", True):
        raise OSError(f"{folder} does not appear to have a file named {filename}.")
    return None


_LOADING = frozenset(
    """adapter_kwargs adapter_name cache_dir code_revision commit_hash device_map device_mesh disable_mmap distributed_config
    force_download from_flax from_tf fusion_config generation_config gguf_file ignore_mismatched_sizes kernel_config
    key_mapping local_files_only low_cpu_mem_usage max_memory mirror offload_buffers offload_folder offload_state_dict
    proxies resume_download revision state_dict token tp_plan tp_size tqdm_class trust_remote_code use_auth_token
    use_kernels use_safetensors variant weights_only _commit_hash _fast_init _from_auto _from_pipeline""".split()
)
"""Arguments of `from_pretrained` that say how a checkpoint is found and loaded."""


def _from_pretrained(
    cls: Any,
    /,
    pretrained_model_name_or_path: Any,
    *model_args: Any,
    config: Any = None,
    quantization_config: Any = None,
    output_loading_info: bool = False,
    **kwargs: Any,
) -> Any:
    """Makes the network that the configuration describes, as `_from_config` does.

    The rest of the function lists folders, opens checkpoints and moves tensors between devices, to give weights
    their numbers; none of that changes what the network is, and no checkpoint is read.
    """
    here = session.current()
    subfolder = {"subfolder": kwargs.pop("subfolder")} if kwargs.get("subfolder") else {}
    kwargs = {name: value for name, value in kwargs.items() if name not in _LOADING}
    if config is None or isinstance(config, str):
        place = pretrained_model_name_or_path if config is None else config
        if isinstance(place, str) and not disk.is_folder(place):
            return here.unknown(
                f"config.json of {place} is not here, and nothing is downloaded: name a folder that has it"
            )
        config, kwargs = cls.config_class.from_pretrained(place, return_unused_kwargs=True, **subfolder, **kwargs)
    else:
        config = copying.deepcopy(config)
    if isinstance(config, Unknown):
        return config
    if kwargs.get("dtype", kwargs.get("torch_dtype")) in (None, "auto"):
        kwargs = {name: value for name, value in kwargs.items() if name not in ("dtype", "torch_dtype")}
        if getattr(config, "dtype", None) is None:
            here.assume("the weights of a checkpoint whose configuration states no type are float32")
    network = cls(config, *model_args, **kwargs) if model_args else cls._from_config(config, **kwargs)
    quantised = quantization_config if quantization_config is not None else getattr(config, "quantization_config", None)
    if quantised is not None:
        _quantise(network, quantised)
    return (
        (network, here.unknown("what a checkpoint lacks is not known: it is not read"))
        if output_loading_info
        else network
    )


register("transformers.modeling_utils.PreTrainedModel.from_pretrained", classmethod(_from_pretrained))


def _quantise(network: Any, settings: Any) -> None:
    """Leave open how the weights of linear layers are stored: that is the quantisation's own, and compiled.

    What the layers compute has the same shapes.
    """
    ask = (
        settings.get
        if isinstance(settings, dict)
        else lambda name, default=None: attribute.get(settings, name, default)
    )
    method = ask("quant_method")
    name = getattr(method, "value", method)
    reason = (
        f"the weights of linear layers are quantised ({name}): in which shape and type they are stored is not known"
    )
    kept = [ask(key) for key in ("modules_to_not_convert", "llm_int8_skip_modules", "ignore")]
    whole = [path for paths in kept if isinstance(paths, (list, tuple)) for path in paths if isinstance(path, str)]
    unknown = session.current().unknown(reason)
    for path, module in known_items(network.named_modules()):
        if isinstance(module, TABLE["torch.nn.Linear"]) and not any(
            path == other or path.startswith(f"{other}.") or path.endswith(f".{other}") for other in whole
        ):
            module.__dict__["_stored"] = unknown
