"""Types, versions, and names of TensorFlow that have no effect on a network's structure."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import register, row
from cutaway.knowledge.keras.tensors.dtypes import DTYPES, DType, standardize
from cutaway.knowledge.keras.tensors.shape import symbolic
from cutaway.knowledge.keras.tensors.tensor import new
from cutaway.knowledge.tensorflow.graph_mode.graph import building

for _name, _dtype in DTYPES.items():
    register(f"tensorflow.{_name}", _dtype)
    register(f"tensorflow.dtypes.{_name}", _dtype)
for _name, _other in (("half", "float16"), ("double", "float64")):
    register(f"tensorflow.{_name}", DTYPES[_other])
register("tensorflow.DType", DType)
register("tensorflow.dtypes.DType", DType)
register("tensorflow.newaxis", None)


@row("tensorflow.as_dtype", "tensorflow.dtypes.as_dtype")
def as_dtype(type_value: Any) -> DType:
    return standardize(type_value)


@row("tensorflow.executing_eagerly")
def executing_eagerly() -> bool:
    return not building()


@row(
    "tensorflow.function",
    "tensorflow.autograph.to_graph",
    "tensorflow.autograph.experimental.do_not_convert",
    "tensorflow.contrib.eager.defun",
)
def function(func: Any = None, *_args: Any, **_options: Any) -> Any:
    """A function stays what it is; what its graphs are is unknown."""
    return _traced if func is None else _traced(func)


_OF_GRAPHS = "get_concrete_function experimental_get_compiler_ir function_spec input_signature".split()


def _traced(func: Any) -> Any:
    if isinstance(func, FunctionType):
        for name in _OF_GRAPHS:
            func.__dict__.setdefault(name, Unknown(f"{name} of a graph function is not modelled"))
        func.__dict__.setdefault("python_function", func)
    return func


@row("tensorflow.custom_gradient", "tensorflow.recompute_grad", "tensorflow.no_gradient")
def custom_gradient(f: Any = None) -> Any:
    """A function stays what it is."""
    return f


class Inert:
    """A context or an object that only takes part in training."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        pass

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_exc: object) -> None:
        return None

    def __call__(self, *args: Any, **_kwargs: Any) -> Any:
        return args[0] if args else None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(f"{name} of something that only takes part in training is not modelled")


@row("tensorflow.GradientTape")
class GradientTape(Inert):
    """Gradients have the shapes of what they are taken of."""

    def watch(self, tensor: Any) -> None:
        """Nothing has to be kept."""

    def gradient(self, target: Any, sources: Any, *_args: Any, **_kwargs: Any) -> Any:
        return list(sources) if isinstance(sources, (list, tuple)) else sources


for _name in """device name_scope control_dependencies colocate_with compat.v1.device
summary.FileWriter summary.create_file_writer train.Saver train.Checkpoint train.CheckpointManager train.Coordinator
distribute.MirroredStrategy distribute.OneDeviceStrategy init_scope""".split():
    register(f"tensorflow.{_name}", type(_name.rpartition(".")[2], (Inert,), {"__module__": "tensorflow"}))


def _nothing(*_args: Any, **_kwargs: Any) -> None:
    return None


for _name in """config.run_functions_eagerly config.experimental.set_memory_growth config.set_visible_devices
config.optimizer.set_jit compat.v1.enable_eager_execution enable_eager_execution compat.v1.enable_v2_behavior
debugging.set_log_device_placement summary.scalar summary.histogram summary.image summary.merge_all
logging.set_verbosity compat.v1.logging.set_verbosity print debugging.assert_equal assert_equal
debugging.enable_check_numerics get_logger autograph.set_verbosity histogram_summary scalar_summary""".split():
    register(f"tensorflow.{_name}", _nothing)


@row("tensorflow.config.list_physical_devices", "tensorflow.config.experimental.list_physical_devices")
def list_physical_devices(device_type: Any = None) -> list[Any]:
    session.current().assume("there is no device but the processor", doubt=session.DEVICES)
    return []


@row("tensorflow.test.is_gpu_available")
def is_gpu_available(*_args: Any, **_kwargs: Any) -> bool:
    return False


@row("tensorflow.TensorSpec")
class TensorSpec:
    """The shape and type of a tensor."""

    def __init__(self, shape: Any, dtype: Any = "float32", name: Any = None) -> None:
        self.shape, self.dtype, self.name = shape, standardize(dtype), name

    def made(self) -> Any:
        """Return a tensor that is as this says."""
        return new(symbolic(self.shape, self.name or "x"), self.dtype)
