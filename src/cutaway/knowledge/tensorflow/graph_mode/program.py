"""What programs of TensorFlow 1 have around their graph: flags, collections, logging, files, summaries."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.program_state import Key
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import lookup, register, row
from cutaway.knowledge.keras.tensors.tensor import new
from cutaway.knowledge.tensorflow.graph_mode.graph import default_graph

_FLAG_VALUES: Key[dict[str, Any]] = Key(dict)
_COLLECTIONS: Key[dict[Any, list[Any]]] = Key(dict)


class Flags:
    """`tf.app.flags.FLAGS`: the defaults, as no arguments are given."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        held = _FLAG_VALUES.get()
        if name not in held:
            return Unknown(f"the flag {name} is not defined", session.current().place())
        session.current().assume("the program is started without command-line arguments", doubt=session.COMMAND_LINE)
        return held[name]

    def __setattr__(self, name: str, value: Any) -> None:
        _FLAG_VALUES.get()[name] = value


def _define(name: Any, default: Any = None, *_rest: Any, **_options: Any) -> None:
    _FLAG_VALUES.get()[name] = default


_FLAGS = Flags()
for _start in (
    "tensorflow.app.flags",
    "tensorflow.flags",
    "tensorflow.compat.v1.flags",
    "tensorflow.compat.v1.app.flags",
):
    register(f"{_start}.FLAGS", _FLAGS)
    for _name in "string integer float boolean bool enum list".split():
        register(f"{_start}.DEFINE_{_name}", _define)


@row("tensorflow.app.run", "tensorflow.compat.v1.app.run")
def run(main: Any = None, argv: Any = None) -> Any:
    """Call the program's `main`."""
    if main is None:
        return lookup("tensorflow.no_op")()
    return main([""])


class GraphKeys:
    """The names of collections."""

    GLOBAL_VARIABLES, VARIABLES, LOCAL_VARIABLES = "variables", "variables", "local_variables"
    TRAINABLE_VARIABLES, MODEL_VARIABLES = "trainable_variables", "model_variables"
    REGULARIZATION_LOSSES, LOSSES, UPDATE_OPS = "regularization_losses", "losses", "update_ops"
    SUMMARIES, MOVING_AVERAGE_VARIABLES, WEIGHTS, BIASES = "summaries", "moving_average_variables", "weights", "biases"
    ACTIVATIONS, QUEUE_RUNNERS, GLOBAL_STEP, INIT_OP = "activations", "queue_runners", "global_step", "init_op"


register("tensorflow.GraphKeys", GraphKeys)
register("tensorflow.AUTO_REUSE", "AUTO_REUSE")


def _collections() -> dict[Any, list[Any]]:
    return _COLLECTIONS.get()


@row("tensorflow.add_to_collection", "tensorflow.contrib.framework.add_to_collection")
def add_to_collection(name: Any, value: Any) -> None:
    for each in name if isinstance(name, (list, tuple)) else [name]:
        _collections().setdefault(each, []).append(value)


@row("tensorflow.get_collection")
def get_collection(key: Any, scope: Any = None) -> list[Any]:
    variables = default_graph().variables
    chosen = {
        GraphKeys.GLOBAL_VARIABLES: variables,
        GraphKeys.TRAINABLE_VARIABLES: [v for v in variables if v.trainable],
        GraphKeys.MODEL_VARIABLES: variables,
    }
    found = list(chosen.get(key, _collections().get(key, [])))
    if isinstance(scope, str):
        found = [each for each in found if str(getattr(each, "name", "")).startswith(scope)]
    return found


@row(
    "tensorflow.contrib.slim.utils.convert_collection_to_dict",
    "tensorflow.contrib.layers.utils.convert_collection_to_dict",
)
def convert_collection_to_dict(collection: Any, *_args: Any, **_kwargs: Any) -> dict[Any, Any]:
    return {}


@row("tensorflow.contrib.slim.utils.collect_named_outputs", "tensorflow.contrib.layers.utils.collect_named_outputs")
def collect_named_outputs(collections: Any, alias: Any, outputs: Any) -> Any:
    return outputs


@row("tensorflow.contrib.slim.utils.last_dimension", "tensorflow.contrib.layers.utils.last_dimension")
def last_dimension(shape: Any, min_rank: Any = 1) -> Any:
    return shape[-1]


@row("tensorflow.contrib.slim.utils.constant_value", "tensorflow.contrib.layers.utils.constant_value")
def constant_value(value_or_tensor: Any, dtype: Any = None) -> Any:
    return value_or_tensor if isinstance(value_or_tensor, bool) else None


@row("tensorflow.contrib.slim.get_variables", "tensorflow.contrib.framework.get_variables",
     "tensorflow.contrib.slim.get_model_variables", "tensorflow.contrib.framework.get_model_variables",
     "tensorflow.contrib.slim.get_variables_to_restore", "tensorflow.contrib.slim.get_trainable_variables")  # fmt: skip
def get_variables(scope: Any = None, *_args: Any, **_kwargs: Any) -> list[Any]:
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def _global_step(*_args: Any, **_kwargs: Any) -> Any:
    return new((), "int64")


for _name in "get_global_step get_or_create_global_step create_global_step global_step".split():
    for _start in ("tensorflow.train", "tensorflow.contrib.framework"):
        register(f"{_start}.{_name}", _global_step)


class Settings:
    """A message of settings, such as `tf.ConfigProto`: whatever is set in it."""

    def __init__(self, *_args: Any, **kwargs: Any) -> None:
        self.__dict__.update(kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = self.__dict__[name] = Settings()
        return made


for _name in "ConfigProto GPUOptions RunOptions RunMetadata OptimizerOptions GraphOptions SessionConfig".split():
    register(f"tensorflow.{_name}", Settings)


def _quiet(*_args: Any, **_kwargs: Any) -> None:
    return None


for _name in "info warn warning error debug fatal log log_every_n flush".split():
    register(f"tensorflow.logging.{_name}", _quiet)
for _number, _name in enumerate("DEBUG INFO WARN ERROR FATAL".split()):
    register(f"tensorflow.logging.{_name}", 10 * (_number + 1))


def _unreachable(name: str) -> Any:
    return lambda *_args, **_kwargs: Unknown(f"{name} is out of reach", session.current().place())


for _name in """Exists MakeDirs ListDirectory Glob IsDirectory Open GFile FastGFile Remove DeleteRecursively""".split():
    register(f"tensorflow.gfile.{_name}", _unreachable(f"tf.gfile.{_name}"))
for _name in """gfile.exists gfile.makedirs gfile.listdir gfile.glob gfile.isdir gfile.GFile parse_single_example
parse_example decode_raw decode_csv""".split():
    register(f"tensorflow.io.{_name}", _unreachable(f"tf.io.{_name}"))
for _name in "latest_checkpoint get_checkpoint_state load_checkpoint import_meta_graph".split():
    register(f"tensorflow.train.{_name}", _unreachable(f"tf.train.{_name}"))
for _name in "start_queue_runners write_graph update_checkpoint_state summary_iterator".split():
    register(f"tensorflow.train.{_name}", _quiet)
for _name in "trainable_variables_summary merge text audio tensor_summary FileWriterCache".split():
    register(f"tensorflow.summary.{_name}", _quiet)


@row("tensorflow.Print")
def print_(input_: Any, *_args: Any, **_kwargs: Any) -> Any:
    """Give a tensor back; nothing is printed."""
    return input_
