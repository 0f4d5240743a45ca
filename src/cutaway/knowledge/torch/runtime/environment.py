"""The machine as a target sees it: one CPU process without GPUs, and torch's global settings."""

from __future__ import annotations

import re
from typing import Any

from cutaway.core import session
from cutaway.core.condition import ENVIRONMENT, Term
from cutaway.core.fault import ArgumentFault, Fault, IndexFault, NotImplementedFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import maximum, minimum
from cutaway.core.unknown import Unknown, Usual
from cutaway.knowledge.base.registry import TABLE, absent, register, row
from cutaway.knowledge.torch.runtime.inert import (
    Inert,
    Placeholder,
    always,
    first,
    nothing,
    register_all,
    register_classes,
)
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import CPU

# Versions


class TorchVersion(str):
    """A version that compares by its numbers, with strings and with tuples."""

    def _key(self, other: Any) -> tuple[list[int], list[int]]:
        other = ".".join(map(str, other)) if isinstance(other, (tuple, list)) else str(other)
        mine, theirs = (
            [int(n) for n in re.findall(r"\d+", re.split(r"[+a-z]", v)[0])] for v in (str.__str__(self), other)
        )
        width = max(len(mine), len(theirs))
        return mine + [0] * (width - len(mine)), theirs + [0] * (width - len(theirs))

    def __lt__(self, other: Any) -> bool:
        mine, theirs = self._key(other)
        return mine < theirs

    def __gt__(self, other: Any) -> bool:
        mine, theirs = self._key(other)
        return mine > theirs

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Unknown):
            return NotImplemented
        mine, theirs = self._key(other)
        return mine == theirs

    def __hash__(self) -> int:
        return str.__hash__(self)


_VERSION = TorchVersion("2.13.0")
register("torch.__version__", _VERSION)
register("torch.version.__version__", _VERSION)
register("torch.torch_version.TorchVersion", TorchVersion)
register("torch.torch_version.__version__", _VERSION)
for _toolkit in ("cuda", "hip", "xpu", "rocm"):
    register(
        f"torch.version.{_toolkit}",
        Unknown(
            "how torch was built is unknown",
            term=Term(f"torch.version.{_toolkit}", ENVIRONMENT),
            usual=Usual(None, "torch is built for processors alone"),
        ),
    )
register("torch.version.debug", False)
register("torch.version.git_version", Unknown("which commit torch was built from is unknown"))

# Devices


def _without_devices(names: str, value: Any) -> None:
    """Register questions about devices: conditions, which have this value on a machine that has none."""
    for name in names.split():
        register(f"torch.{name}", _question(f"torch.{name}", value))


def _question(name: str, value: Any) -> Any:
    def answer(*args: Any, **kwargs: Any) -> Unknown:
        here = session.current()
        here.doubts.setdefault(session.DEVICES)
        is_named = not kwargs and all(type(each) in (int, str) for each in args)
        term = Term(f"{name}({', '.join(map(repr, args))})", ENVIRONMENT, plain=True) if is_named else None
        usual = Usual(value, "the machine has no accelerator", placement=True)
        kind = None if value is None else type(value)
        return Unknown("what devices the machine has is unknown", here.place(), kind=kind, term=term, usual=usual)

    return answer


def _alone(value: Any) -> Any:
    """Return a function that answers a question about processes for a program that is started as one."""

    def answer(*_args: Any, **_kwargs: Any) -> Any:
        here = session.current()
        if not here.in_program():
            return value
        text = "the program is started as one process"
        if type(value) is bool:
            usual = Usual(value, text, placement=True)
            return Unknown("how the program is started is unknown", here.place(), kind=bool, usual=usual)
        here.presume(text)
        return value

    return answer


for _device in ("cuda", "xpu", "mps", "mtia", "accelerator"):
    _without_devices(f"{_device}.is_available", False)
    _without_devices(f"{_device}.device_count", 0)
    register_all(f"torch.{_device}", "empty_cache synchronize manual_seed", nothing)
for _device in ("cuda", "xpu"):
    _without_devices(f"{_device}.is_initialized {_device}.is_bf16_supported", False)
    register_all(
        f"torch.{_device}",
        "set_device manual_seed_all seed seed_all init set_per_process_memory_fraction reset_peak_memory_stats "
        "reset_max_memory_allocated set_rng_state set_stream",
        nothing,
    )
    for _amount in (
        "memory_allocated",
        "max_memory_allocated",
        "memory_reserved",
        "max_memory_reserved",
        "memory_cached",
    ):
        _without_devices(f"{_device}.{_amount}", 0)
    register_all(
        f"torch.{_device}",
        "current_device get_device_name get_device_capability get_device_properties current_stream get_arch_list "
        "get_rng_state",
        lambda *a, **k: session.current().unknown("the target asks about a GPU, and none is assumed"),
    )
    register_all(f"torch.{_device}", "stream device device_of", Inert)
    register_classes(f"torch.{_device}", "Stream Event", Inert)
register_all(
    "torch.cuda",
    "ipc_collect reset_max_memory_cached reset_accumulated_memory_stats memory._record_memory_history",
    nothing,
)
_without_devices("cuda.is_tf32_supported", False)
for _device in ("cuda", "xpu"):
    register_all(f"torch.{_device}", "is_current_stream_capturing", always(False))
register_all("torch.cuda", "nvtx.range_push nvtx.range_pop nvtx.mark profiler.start profiler.stop", nothing)
register_all("torch.cuda", "nvtx.range graph", Inert)
register_classes("torch.cuda", "CUDAGraph", Inert)
_out_of_memory = type("OutOfMemoryError", (RuntimeError,), {"__module__": "torch"})
register("torch.OutOfMemoryError", _out_of_memory)
register("torch.cuda.OutOfMemoryError", _out_of_memory)
_without_devices("accelerator.current_accelerator accelerator.current_stream", None)
register_all("torch.cpu", "synchronize set_device", nothing)
register("torch.cpu.is_available", always(True))
register("torch.cpu.device_count", always(1))
register("torch.get_default_device", always(CPU))
register("torch.set_default_device", nothing)

# torch.backends

for _flag, _value in {
    "cudnn.benchmark": False, "cudnn.deterministic": False, "cudnn.enabled": True, "cudnn.allow_tf32": True,
    "cudnn.benchmark_limit": 10, "cuda.matmul.allow_tf32": False, "cuda.matmul.fp32_precision": "none",
    "cuda.matmul.allow_fp16_reduced_precision_reduction": True,
    "cuda.matmul.allow_bf16_reduced_precision_reduction": True, "mkldnn.enabled": True, "opt_einsum.enabled": True,
    "opt_einsum.strategy": "auto", "quantized.engine": "x86", "quantized.supported_engines": ["x86", "none"],
}.items():  # fmt: skip
    register(f"torch.backends.{_flag}", _value)
_without_devices(
    "backends.cudnn.is_available backends.cudnn.is_acceptable backends.cuda.is_built backends.mps.is_available "
    "backends.mps.is_built backends.cuda.is_flash_attention_available backends.mps.is_macos_or_newer "
    "backends.xnnpack.enabled",
    False,
)
register_all(
    "torch.backends",
    "cuda.flash_sdp_enabled cuda.cudnn_sdp_enabled cuda.mem_efficient_sdp_enabled cuda.math_sdp_enabled "
    "mkldnn.is_available mkl.is_available "
    "openmp.is_available opt_einsum.is_available mha.get_fastpath_enabled",
    always(True),
)
register("torch.backends.cudnn.version", always(None))
register_all(
    "torch.backends",
    "cuda.enable_flash_sdp cuda.enable_mem_efficient_sdp cuda.enable_math_sdp cuda.enable_cudnn_sdp "
    "mha.set_fastpath_enabled cuda.preferred_linalg_library cuda.preferred_blas_library",
    nothing,
)
register_all("torch.backends", "cudnn.flags cuda.sdp_kernel mkldnn.flags", Inert)
for _name in ("ERROR", "MATH", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION", "OVERRIDEABLE"):
    register(f"torch.nn.attention.SDPBackend.{_name}", _name)
register("torch.nn.attention.sdpa_kernel", Inert)

# One process

register_all("torch.distributed", "is_available is_gloo_available", _alone(True))
register_all(
    "torch.distributed",
    "is_initialized is_nccl_available is_mpi_available is_ucc_available is_torchelastic_launched is_xccl_available",
    _alone(False),
)
register("torch.distributed.get_rank", _alone(0))
register("torch.distributed.get_world_size", _alone(1))
register_all("torch.distributed", "get_node_local_rank get_group_rank get_global_rank", _alone(0))
register_all(
    "torch.distributed",
    "init_process_group destroy_process_group barrier monitored_barrier all_reduce all_gather all_gather_into_tensor "
    "all_gather_object broadcast broadcast_object_list reduce reduce_scatter reduce_scatter_tensor gather gather_object "
    "scatter all_to_all all_to_all_single send recv new_group new_subgroups get_process_group_ranks",
    nothing,
)
register("torch.distributed.GroupMember.WORLD", None)
register("torch.distributed.group.WORLD", None)
for _name in ("SUM", "PRODUCT", "MIN", "MAX", "AVG", "BAND", "BOR", "BXOR"):
    register(f"torch.distributed.ReduceOp.{_name}", _name)
register_classes(
    "torch.distributed",
    "ProcessGroup Backend Store TCPStore Work tensor.DTensor|_tensor.DTensor device_mesh.DeviceMesh|DeviceMesh "
    "tensor.Placement tensor.Shard tensor.Replicate tensor.Partial",
    Placeholder,
)

# Settings and checks

register_all(
    "torch",
    "set_num_threads set_num_interop_threads set_printoptions set_float32_matmul_precision use_deterministic_algorithms "
    "set_deterministic_debug_mode set_flush_denormal set_warn_always set_deterministic _set_deterministic",
    nothing,
)
register_all(
    "torch",
    "get_num_threads get_num_interop_threads",
    lambda: Unknown("the number of threads depends on the machine"),
)
register("torch.get_float32_matmul_precision", always("highest"))
register_all(
    "torch",
    "are_deterministic_algorithms_enabled is_deterministic_algorithms_warn_only_enabled is_warn_always_enabled",
    always(False),
)
register_all(
    "torch.__future__", "set_overwrite_module_params_on_conversion set_swap_module_params_on_conversion", nothing
)
register_all("torch.__config__", "show parallel_info", always(""))
register_all("torch.multiprocessing", "set_start_method set_sharing_strategy", nothing)
register_all("torch.nested", "_internal.nested_tensor.is_nested", always(False))
register("torch._utils._get_available_device_type", always(None))
# Backends that come as packages of their own and add themselves to torch.
absent(*(f"torch.{name}" for name in ("npu", "mlu", "musa", "hpu", "neuron", "tpu", "xla", "privateuseone")))
register("torch.legacy_contiguous_format", TABLE["torch.contiguous_format"])
register("torch.backends.fp32_precision", "none")
register("torch.get_deterministic_debug_mode", always(0))
register_classes("torch", "Stream Event", Inert)
register_all("torch.mps", "clear_graph_cache set_per_process_memory_fraction", nothing)
register_all("torch.mps", "current_allocated_memory driver_allocated_memory", always(0))
register_all("torch.accelerator", "set_device_index set_device_idx", nothing)


@row("torch.typename")
def typename(obj, /):
    if isinstance(obj, Tensor):
        return f"torch.{'nn.parameter.' if type(obj) is not Tensor else ''}{type(obj).__name__}"
    return f"{type(obj).__module__}.{type(obj).__qualname__}"


def _false(condition: Any) -> bool:
    """Tell whether a condition is known to be false; an undetermined one passes."""
    if isinstance(condition, Tensor):
        return condition.values_ is not None and not condition.array()
    if isinstance(condition, Unknown):
        if condition.about is not None:
            session.current().assume_condition(condition, "what is checked here holds")
        return False
    return not condition


def _checker(fault: type[Fault]) -> Any:
    def check(cond: Any, message: Any = None) -> None:
        if _false(cond):
            text = message() if callable(message) else message
            raise fault(str(text or "expected the condition to be True"), FaultCode.CHECK_FAILED)

    return check


_FAULTS: dict[type, type[Fault]] = {IndexError: IndexFault, ValueError: ArgumentFault, TypeError: TypeFault}
register("torch._check", _checker(Fault))
register("torch._check_index", _checker(IndexFault))
register("torch._check_value", _checker(ArgumentFault))
register("torch._check_type", _checker(TypeFault))
register("torch._check_not_implemented", _checker(NotImplementedFault))
register("torch._check_tensor_all", nothing)
register("torch._check_is_size", nothing)


@row("torch._assert")
def _assert(condition, message):
    if _false(condition):
        raise AssertionError(message)


@row("torch._assert_async", "torch._assert_scalar")
def _assert_async(input, assert_msg=None):
    return None


@row("torch._check_with")
def _check_with(error_type, cond, message):
    _checker(_FAULTS.get(error_type, Fault))(cond, message)


register("torch.sym_int", lambda a: int(a) if isinstance(a, float) else a)
register("torch.sym_float", lambda a: float(a) if isinstance(a, int) else a)
register("torch.sym_not", lambda a: not a)
register("torch.sym_max", lambda a, b: maximum(a, b))
register("torch.sym_min", lambda a, b: minimum(a, b))
register_all(
    "torch.fx.experimental.symbolic_shapes",
    "guard_size_oblivious guard_or_false guard_or_true statically_known_true",
    first,
)
