"""What is known to differ from the real torch, with the reason beside it. A test fails when an entry is no longer needed."""

from __future__ import annotations

from .check import Outcome

OPS: dict[str, str] = {
    "torch.cov": "torch overwrites its input where that has a single observation",
    "torch.Tensor.cov": "torch overwrites its input where that has a single observation",
    "flops torch.nn.functional.grouped_mm": "torch's counter does not know this product; ours counts it as it counts bmm",
    "flops torch._grouped_mm": "torch's counter does not know this product; ours counts it as it counts bmm",
}
"""Row name -> why a failing sample of it is tolerated; `flops ` before it for a difference in FLOPs alone."""

UNKNOWNS: dict[str, str] = {}
"""Row name -> why its result may stay unknown although all numbers are given, on torch's own samples."""

MODULES: dict[str, str] = {}
"""Name of a class in `module_db` -> why a failing sample of it is tolerated."""

SIGNATURES: dict[str, str] = {
    "torch.Tensor.copy_": "TorchScript has overloads of its own, with `other`",
    "torch.Tensor.pin_memory": "the device is deprecated and decides nothing",
    "torch._grouped_mm": "shares the row of torch.nn.functional.grouped_mm, whose names it has",
    **dict.fromkeys(
        ("torch.einsum", "torch.functional.einsum"),
        "takes `*args`; the row names the equation, which reports and recovered code read, so that no call is refused but an empty one",
    ),
    "torch.expand_copy": "`implicit` is for the tracer",
    "torch.nn.attention.sdpa_kernel": "a context manager without effect takes anything",
    "torch.result_type": "is also called with any number of operands by other rows",
    "torch.save": "`pickle_module` would be a module of the host",
    **dict.fromkeys(
        ("torch.tensor_split", "torch.Tensor.tensor_split"),
        "`tensor_indices_or_sections` is the schema's name; Python has `indices_or_sections`",
    ),
    **dict.fromkeys(
        ("torch.unfold_copy", "torch.view_copy"), "shares the row of the method, where the tensor is `self`"
    ),
    **dict.fromkeys(
        ("torch.utils.data.random_split", "torch.utils.data.dataset.random_split"),
        "the default generator is an object of the host",
    ),
}
"""Row name -> why its signature may differ from torch's."""

UNSAMPLED: dict[str, str] = {
    "torch._higher_order_ops.cond.cond": "takes functions of the program; torch.cond is the same, and has cases",
    **dict.fromkeys(
        (
            "torch.Tensor.cuda", "torch.Tensor.xpu", "torch.Tensor.ipu", "torch.Tensor.mtia",
            "torch.Tensor.record_stream",
        ),
        "needs a device that a CPU build lacks",
    ),
    **dict.fromkeys(
        (
            "torch.Tensor.const_data_ptr", "torch.Tensor.storage", "torch.Tensor.storage_type", "torch.is_storage",
            "torch.Tensor.coalesce", "torch.Tensor.to_sparse_coo",
        ),
        "about memory and sparse layouts, which have no abstract counterpart",
    ),
    **dict.fromkeys(
        ("torch.autograd.grad", "torch.Tensor.as_subclass", "torch.set_default_tensor_type", "torch.is_tensor"),
        "about classes and global state rather than about sizes",
    ),
    **dict.fromkeys(
        (
            "torch.nn.attention.flex_attention.create_mask", "torch.nn.attention.flex_attention.flex_attention",
            "torch.nn.modules._functions.CrossMapLRN2d.apply", "torch.lobpcg", "torch._lobpcg.lobpcg", "torch.symeig",
            "torch.nn.functional.scaled_mm", "torch._higher_order_ops.associative_scan.associative_scan",
        ),
        "takes functions, a hidden context or a dtype that samples can't state",
    ),
}  # fmt: skip
"""Row name -> why there is no sample of it."""

INVENTED: dict[str, str] = {
    **dict.fromkeys(
        (f"torch.{n}_" for n in "tril triu scatter scatter_add scatter_reduce index_add index_copy index_reduce index_fill put".split()),
        "in-place forms are registered as function and method alike; torch has only the method",
    ),
    **dict.fromkeys(
        (f"torch.{n}.data" for n in ("lstm", "gru", "rnn_tanh", "rnn_relu")), "aten's own name of the overload for packed input"
    ),
    **dict.fromkeys(
        (
            "torch.func.batched", "torch.distributions.sample", "torch.distributions.log_prob",
            "torch.distributions.statistic", "torch.nn.utils.rnn.unpad_one",
            "torch.nn.utils.parametrizations.orthogonal_map", "torch.utils.data.drawn",
        ),
        "the operation inside a Python function of torch, under a name of ours",
    ),
    "torch.ops.torchvision.": "registered by torchvision, which the tests do not import",
    "torch.utils.tensorboard.": "needs tensorboard, which is not installed",
    **dict.fromkeys(
        (
            "torch._C._cuda_clearCublasWorkspaces", "torch._C._get_torch_dispatch_mode", "torch._dynamo.eval_frame.disable",
            "torch._dynamo.mark_unbacked", "torch._dynamo.skip", "torch._set_deterministic",
            "torch._utils_internal.is_compiling", "torch.accelerator.manual_seed", "torch.compiler.nonstrict_trace",
            "torch.compiler.run", "torch.compiler.skip", "torch.fx.is_fx_tracing", "torch.jit._disable_tracing",
            "torch.jit.final.Final", "torch.jit.script_trace", "torch.mps.clear_graph_cache",
            "torch.nested._internal.nested_tensor.is_nested", "torch.nn.utils.clip_grad.clip_grads_with_norm_",
            "torch.nn.utils.clip_grad.get_total_norm", "torch.onnx.dynamo_export",
            "torch.onnx.is_onnxrt_backend_supported", "torch.optim.optimizer._params_t", "torch.set_deterministic",
            "torch.utils.model_zoo.load_state_dict_from_url", "torch.xpu.memory_cached",
            "torch.xpu.reset_max_memory_allocated",
        ),
        "of another release of torch, or only in another build of it",
    ),
}  # fmt: skip
"""Row name, or the start of one ending in a dot -> why it is there although torch has no such name."""


def excluded(outcome: Outcome) -> str | None:
    """Return the reason why this outcome is tolerated, if there is one."""
    failing = [mode for mode, verdict in outcome.modes.items() if verdict == "fail"]
    prefix = "flops " if all(mode.startswith("flops") for mode in failing) else ""
    return OPS.get(prefix + outcome.call.name) or OPS.get(outcome.call.name)


def excused(name: str) -> str | None:
    """Return the reason why a row may have a name that torch lacks."""
    starts = (why for start, why in INVENTED.items() if start.endswith(".") and name.startswith(start))
    return INVENTED.get(name) or next(starts, None)
