"""Compilers, tracers and exporters: `torch.jit`, `torch.compile`, `torch.fx` leave a network as it is."""

from __future__ import annotations

import contextlib
import typing
from collections import namedtuple

from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import TABLE, register, row
from cutaway.knowledge.torch.nn.module import Module
from cutaway.knowledge.torch.runtime.inert import (
    Inert,
    Placeholder,
    always,
    first,
    nothing,
    register_all,
    register_classes,
    transparent,
)

# torch.jit

register_all(
    "torch.jit",
    "script ignore unused export interface script_method script_if_tracing _script_if_tracing _overload _overload_method "
    "script_trace freeze optimize_for_inference set_fusion_strategy",
    transparent,
)
register_all(
    "torch._jit_internal", "ignore unused export _overload _overload_method _copy_to_script_wrapper", transparent
)
register_all("torch.jit", "trace trace_module", first)
register_all("torch.jit", "is_scripting is_tracing", always(False))
register("torch._jit_internal.is_scripting", always(False))
register_all("torch.jit", "save enable_onednn_fusion _hide_source_ranges", nothing)
register("torch.jit.load", always(Unknown("the contents of a saved TorchScript file are not read")))
register_all(
    "torch.jit", "optimized_execution fuser strict_fusion _disable_tracing", lambda *a, **k: contextlib.nullcontext()
)
register("torch.jit.Final", typing.Final)
register("torch.jit.final.Final", typing.Final)
register("torch.jit.Attribute", namedtuple("Attribute", ["value", "type"]))
register_classes(
    "torch.jit", "ScriptModule|_script.ScriptModule RecursiveScriptModule|_script.RecursiveScriptModule", Module
)
register_classes(
    "torch.jit", "ScriptFunction TracedModule TopLevelTracedModule CompilationUnit Future Error", Placeholder
)
register("torch.jit.TracerWarning", type("TracerWarning", (Warning,), {}))
register_classes("torch", "ScriptObject ScriptModule ScriptFunction SymInt SymFloat SymBool", Placeholder)


@row("torch.jit.annotate")
def annotate(the_type, the_value):
    return the_value


@row("torch.jit.isinstance")
def jit_isinstance(obj, target_type):
    origin = typing.get_origin(target_type)
    return isinstance(obj, origin if isinstance(origin, type) else target_type)


@row("torch.jit.fork", "torch.jit._fork")
def fork(func, *args, **kwargs):
    return func(*args, **kwargs)


register_all("torch.jit", "wait _wait", first)

# torch.compile

register("torch.compile", lambda model=None, **_options: transparent(model))
register("torch.compiler.compile", lambda model=None, **_options: transparent(model))
_QUESTIONS = "is_compiling is_dynamo_compiling is_exporting"
_DECORATORS = "disable allow_in_graph assume_constant_result run nonstrict_trace skip"
register_all("torch.compiler", f"{_DECORATORS} load_compiled_function", transparent)
register_all("torch.compiler", _QUESTIONS, always(False))
register_all("torch.compiler", "reset cudagraph_mark_step_begin set_enable_guard_collectives", nothing)
register("torch.compiler.list_backends", always([]))
register_all("torch.compiler", "set_stance", Inert)
register_all("torch.compiler", "substitute_in_graph", lambda *a, **k: lambda function: function)
register_all("torch._dynamo", f"{_DECORATORS} disallow_in_graph forbid_in_graph", transparent)
register("torch._dynamo.is_compiling", always(False))
register("torch._dynamo.external_utils.is_compiling", always(False))
register("torch._dynamo.eval_frame.disable", transparent)
register("torch._dynamo.optimize", lambda *a, **k: lambda function: function)
register_all(
    "torch._dynamo",
    "mark_dynamic mark_static mark_static_address maybe_mark_dynamic mark_unbacked reset graph_break",
    nothing,
)
register_classes("torch._dynamo", "OptimizedModule|eval_frame.OptimizedModule", Module)
register("torch._utils_internal.is_compiling", always(False))
register("torch.utils._python_dispatch._get_current_dispatch_mode", always(None))
register_all("torch._guards", "detect_fake_mode TracingContext.try_get CompileContext.try_get", always(None))
register("torch.fx.experimental.proxy_tensor.get_proxy_mode", always(None))

# torch.fx and export

register("torch.fx.wrap", first)
register("torch.fx._symbolic_trace.wrap", first)
register("torch.fx._symbolic_trace.is_fx_tracing", always(False))
register("torch.fx.is_fx_tracing", always(False))
register("torch.fx._compatibility.compatibility", lambda *a, **k: lambda function: function)
register_classes(
    "torch.fx",
    "Proxy|proxy.Proxy Tracer|_symbolic_trace.Tracer Graph|graph.Graph Node|node.Node "
    "Interpreter|interpreter.Interpreter Transformer|interpreter.Transformer",
    Placeholder,
)
register_classes("torch.fx", "GraphModule|graph_module.GraphModule", Module)
register_classes("torch.export", "ExportedProgram Dim ShapesCollection", Placeholder)
register_classes(
    "torch._subclasses", "FakeTensor|fake_tensor.FakeTensor FakeTensorMode|fake_tensor.FakeTensorMode", Placeholder
)
register("torch.onnx.operators.shape_as_tensor", lambda x: TABLE["torch.tensor"](list(x.shape)))
register_all("torch.onnx", "is_in_onnx_export is_onnxrt_backend_supported", always(False))
register_all("torch.onnx", "export register_custom_op_symbolic unregister_custom_op_symbolic dynamo_export", nothing)

# torch._C

register_all("torch._C", "_get_tracing_state _functorch.peek_interpreter_stack _get_torch_dispatch_mode", always(None))
register_all(
    "torch._C",
    "_is_tracing _are_functorch_transforms_active _get_cudnn_enabled _is_torch_function_enabled _cuda_isCurrentStreamCapturing",
    always(False),
)
register_all(
    "torch._C",
    "_log_api_usage_once _jit_set_profiling_executor _jit_set_profiling_mode _jit_override_can_fuse_on_cpu "
    "_jit_override_can_fuse_on_gpu _jit_set_texpr_fuser_enabled _jit_set_nvfuser_enabled _jit_set_bailout_depth "
    "_debug_set_autodiff_subgraph_inlining _set_grad_enabled _cuda_clearCublasWorkspaces",
    nothing,
)
register_classes("torch._C", "DisableTorchFunction DisableTorchFunctionSubclass _DisableTorchDispatch", Inert)

# Modes that intercept calls

register_classes("torch.overrides", "TorchFunctionMode BaseTorchFunctionMode", Inert)
register_classes("torch.utils._python_dispatch", "TorchDispatchMode", Inert)
register_all(
    "torch.overrides",
    "has_torch_function has_torch_function_unary has_torch_function_variadic is_tensor_method_or_property",
    always(False),
)
register("torch.overrides.is_tensor_like", lambda inp: hasattr(inp, "reference"))


@row("torch.overrides.handle_torch_function")
def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    return public_api(*args, **kwargs)


register("torch.overrides.wrap_torch_function", lambda dispatcher: lambda function: function)
