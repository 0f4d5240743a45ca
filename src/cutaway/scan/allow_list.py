"""What the saving of frameworks puts into pickles: functions that only put data together, and classes that hold it."""

from __future__ import annotations

import re
import sys

CALLS = frozenset(
    """
    builtins.bool builtins.bytearray builtins.bytes builtins.complex builtins.dict builtins.float builtins.frozenset
    builtins.int builtins.list builtins.object builtins.range builtins.set builtins.slice builtins.str builtins.tuple
    __builtin__.bool __builtin__.bytearray __builtin__.bytes __builtin__.complex __builtin__.dict __builtin__.float
    __builtin__.frozenset __builtin__.int __builtin__.list __builtin__.long __builtin__.object __builtin__.set
    __builtin__.slice __builtin__.str __builtin__.tuple __builtin__.unicode __builtin__.xrange __builtin__.range
    builtins.Ellipsis builtins.NotImplemented builtins.NoneType types.NoneType
    array._array_reconstructor array.array
    collections.Counter collections.OrderedDict collections.defaultdict collections.deque collections.ChainMap
    collections.UserDict collections.UserList
    copy_reg.__newobj__ copy_reg._reconstructor copyreg.__newobj__ copyreg.__newobj_ex__ copyreg._reconstructor
    datetime.date datetime.datetime datetime.time datetime.timedelta datetime.timezone
    decimal.Decimal fractions.Fraction uuid.UUID
    functools.partial io.BytesIO _io.BytesIO io.StringIO _io.StringIO
    itertools.count itertools.repeat itertools.chain itertools.cycle
    pathlib.Path pathlib.PosixPath pathlib.PurePath pathlib.PurePosixPath pathlib.PureWindowsPath pathlib.WindowsPath
    pathlib._local.Path pathlib._local.PosixPath pathlib._local.PurePosixPath pathlib._local.WindowsPath
    pathlib._local.PureWindowsPath
    random.Random re._compile time.struct_time types.SimpleNamespace types.MappingProxyType
    zoneinfo.ZoneInfo._unpickle
    argparse.Namespace
    numpy.bool numpy.bool_ numpy.dtype numpy.ndarray numpy.float16 numpy.float32 numpy.float64 numpy.int16 numpy.int32
    numpy.int64 numpy.int8 numpy.uint16 numpy.uint32 numpy.uint64 numpy.uint8 numpy.str_ numpy.bytes_ numpy.complex64
    numpy.complex128 numpy.datetime64 numpy.timedelta64 numpy.longlong numpy.ulonglong
    numpy.core.multiarray._reconstruct numpy._core.multiarray._reconstruct numpy.core.multiarray.scalar
    numpy._core.multiarray.scalar numpy.core.numeric._frombuffer numpy._core.numeric._frombuffer
    numpy.ma.core._mareconstruct numpy.ma.core.MaskedArray numpy.core._internal._reconstruct
    numpy.matrixlib.defmatrix.matrix numpy.matrix numpy.record numpy.recarray numpy.rec.recarray numpy.random._pickle.__bit_generator_ctor numpy.random._pickle.__generator_ctor
    numpy.random._pickle.__randomstate_ctor numpy.random.__randomstate_ctor numpy.random.__RandomState_ctor
    numpy.random._mt19937.MT19937 numpy.random._pcg64.PCG64 numpy.random._philox.Philox numpy.random._sfc64.SFC64
    numpy.random.bit_generator.SeedSequence numpy.random.bit_generator.__pyx_unpickle_SeedSequence
    numpy.dtypes.Float64DType numpy.dtypes.Float32DType numpy.dtypes.Int64DType
    joblib.numpy_pickle.NumpyArrayWrapper joblib.numpy_pickle.NDArrayWrapper joblib.numpy_pickle.ZNDArrayWrapper
    sklearn.externals.joblib.numpy_pickle.NumpyArrayWrapper
    pandas._libs.internals._unpickle_block pandas.core.indexes.base._new_Index pandas.core.internals.blocks.new_block
    pandas._libs.arrays.__pyx_unpickle_NDArrayBacked pandas.core.indexes.datetimes._new_DatetimeIndex
    pandas._libs.tslibs.timestamps._unpickle_timestamp pandas.core.internals.managers.BlockManager
    pandas.core.internals.managers.SingleBlockManager pandas._libs.tslibs.offsets._unpickle
    pandas.core.dtypes.dtypes.CategoricalDtype pandas.core.arrays.categorical.Categorical
    pandas._libs.missing._unpickle_NA pandas.core.indexes.range.RangeIndex pandas.StringDtype pandas.PeriodDtype
    pandas.IntervalDtype pandas.DatetimeTZDtype pandas.SparseDtype pandas.CategoricalDtype pandas.BooleanDtype
    pandas.core.arrays.string_.StringDtype pandas.core.dtypes.dtypes.PeriodDtype pandas.core.dtypes.dtypes.IntervalDtype
    pandas.core.dtypes.dtypes.DatetimeTZDtype pandas.core.dtypes.dtypes.SparseDtype pandas.core.arrays.boolean.BooleanDtype
    pandas._libs.interval.__pyx_unpickle_IntervalMixin pandas._libs.sparse.IntIndex pandas._libs.sparse.BlockIndex
    pandas._libs.tslibs.offsets.BusinessDay pandas._libs.tslibs.offsets.BusinessHour
    scipy.sparse._csr.csr_matrix scipy.sparse._csc.csc_matrix scipy.sparse._coo.coo_matrix
    sklearn.tree._tree.Tree sklearn.neighbors._kd_tree.newObj sklearn.neighbors._ball_tree.newObj
    sklearn._loss._loss.__pyx_unpickle_CyHalfBinomialLoss sklearn._loss._loss.CyHalfBinomialLoss
    sklearn._loss._loss.CyHalfSquaredError sklearn._loss._loss.CyHalfMultinomialLoss
    sklearn._loss.loss.HalfBinomialLoss sklearn._loss.link.Interval sklearn.linear_model._sgd_fast.Hinge
    sklearn.linear_model._sgd_fast.Log sklearn.linear_model._sgd_fast.SquaredLoss
    sklearn.metrics._dist_metrics.newObj sklearn.metrics._dist_metrics.EuclideanDistance64
    sklearn.metrics._dist_metrics.EuclideanDistance sklearn.neighbors._dist_metrics.newObj
    torch.Size torch.device torch.Tensor torch.Generator torch.bits8 torch.ScriptObject dill._dill._create_array
    torch._tensor._rebuild_from_type torch._tensor._rebuild_from_type_v2 torch.tensor._rebuild_from_type
    torch._utils._rebuild_device_tensor_from_cpu_tensor torch._utils._rebuild_device_tensor_from_numpy
    torch._utils._rebuild_meta_tensor_no_storage torch._utils._rebuild_nested_tensor torch._utils._rebuild_parameter
    torch._utils._rebuild_parameter_with_state torch._utils._rebuild_qtensor torch._utils._rebuild_sparse_csr_tensor
    torch._utils._rebuild_sparse_tensor torch._utils._rebuild_tensor torch._utils._rebuild_tensor_v2
    torch._utils._rebuild_tensor_v3 torch._utils._rebuild_wrapper_subclass torch._utils._rebuild_xla_tensor
    torch.nn.parameter.Parameter torch.nn.parameter.Buffer torch.nn.parameter.UninitializedParameter
    torch.serialization._get_layout torch.storage.TypedStorage torch.storage.UntypedStorage torch.storage._TypedStorage
    torch.storage._load_from_bytes torch.random.Generator
    torch.jit._pickle.build_boollist torch.jit._pickle.build_doublelist torch.jit._pickle.build_intlist
    torch.jit._pickle.build_tensorlist torch.jit._pickle.build_tensor_from_id torch.jit._pickle.restore_type_tag
    torch.distributed.checkpoint.metadata._MEM_FORMAT_ENCODING torch._C._distributed_c10d.ReduceOp
    torch.distributed._shard.sharded_tensor.metadata.MEM_FORMAT_ENCODING
    torch.nn.quantized.modules.linear.LinearPackedParams torch.per_tensor_affine torch.per_channel_affine
    transformers.trainer_utils.EvaluationStrategy transformers.trainer_utils.IntervalStrategy
    transformers.trainer_utils.HubStrategy transformers.trainer_utils.SchedulerType
    transformers.trainer_utils.SaveStrategy transformers.trainer_utils.FSDPOption
    transformers.training_args.OptimizerNames transformers.debug_utils.DebugOption
    transformers.training_args.ParallelMode accelerate.utils.dataclasses.DistributedType
    torch.distributed.algorithms.join.Joinable
    lightning_fabric.utilities.data.AttributeDict pytorch_lightning.utilities.parsing.AttributeDict
    lightning.fabric.utilities.data.AttributeDict lightning_utilities.core.enums.StrEnum
    omegaconf.dictconfig.DictConfig omegaconf.listconfig.ListConfig omegaconf.base.ContainerMetadata
    omegaconf.base.Metadata omegaconf.nodes.AnyNode
    """.split()
)
"""Functions and classes that may be called with any data."""

CALLED = {
    "torch._tensor._rebuild_from_type": 0,
    "torch._tensor._rebuild_from_type_v2": 0,
    "torch.tensor._rebuild_from_type": 0,
    "numpy.random._pickle.__bit_generator_ctor": 0,
    "numpy.random._pickle.__generator_ctor": 1,
    "numpy.random._pickle.__randomstate_ctor": 1,
    "dill._dill._create_array": 0,
    "copyreg._reconstructor": 1,
    "copy_reg._reconstructor": 1,
}
"""Functions that call one of their arguments, or its constructor, and which one that is."""

_CLASSES = re.compile(
    r"(torch\.(nn|optim|ao\.nn|ao\.quantization|quantization|distributions|distributed\.checkpoint\.(metadata|planner|api|filesystem)"
    r"|utils\.data\.(dataset|sampler|distributed|_utils\.collate))"
    r"|torchvision\.(models|ops|transforms)|timm\.(models|layers|data)"
    r"|transformers(?!\.(integrations(?!\.deepspeed)|testing_utils|cli|commands|dynamic_module_utils|tools|agents"
    r"|generation\.continuous_batching|utils\.(hub|import_utils))\b)"
    r"|diffusers|peft|accelerate|sklearn"
    r"|scipy\.(sparse|interpolate|spatial|optimize|cluster|signal|fft|linalg|stats)"
    r"|pandas(?!\.(io|core\.computation)\b)"
    r"|numpy\.(ma|polynomial|dtypes|rec|matrixlib|random)|numpy\.(_core|core)\.records"
    r"|numpy\.lib\.(_?index_tricks(_impl)?|_?polynomial(_impl)?)"
    r"|xgboost|lightgbm|catboost"
    r"|keras(\.src)?\.(layers|models|optimizers|losses|metrics|initializers|regularizers|constraints|activations|backend|callbacks"
    r"|dtype_policies|ops|utils\.tracking|random|quantizers)"
    r"|tensorflow\.python\.(framework\.(tensor_shape|dtypes|tensor|tensor_spec|type_spec|sparse_tensor)"
    r"|trackable\.data_structures|training\.tracking\.data_structures"
    r"|keras\.(layers|engine|initializers|optimizer_v[12]|losses|metrics|regularizers|constraints|activations))"
    r"|pytorch_lightning|lightning|sentence_transformers|ultralytics"
    r"|fairseq|fastai|monai|segmentation_models_pytorch|torch_geometric|torchaudio\.(models|transforms)|tokenizers"
    r"|omegaconf|stable_baselines3|(gymnasium|gym)\.spaces)(\.[A-Za-z_]\w*)*"
)
"""Modules whose classes hold data: none of them loads, calls or removes anything when it is given a state, or is removed."""

_ARRAYS = re.compile(
    r"numpy\.vectorize|scipy\.sparse\._\w+\.\w+_(array|matrix)|scipy\.spatial\._ckdtree\.cKDTree|scipy\.stats\._kde\.gaussian_kde"
    r"|scipy\.interpolate\.\w+\.\w+"
)
"""Classes of numbers whose names begin as those of functions do."""

_FUNCTIONS = re.compile(
    r"(torch\.nn\.functional|torch\._C\._nn|torch\.nn\.init|torch|scipy\.special(\.\w+)*|scipy\._lib\.array_api_compat(\.\w+)*"
    r"|sklearn\.(?!datasets)\w+(\.\w+)*)\.[a-z_]\w*"
    r"|numpy\.(abs(olute)?|arc(cos|sin|tan)h?|cbrt|ceil|cos|cosh|deg2rad|divide|exp|exp2|expm1|fabs|floor|isfinite|isnan|log|log10"
    r"|log1p|log2|max(imum)?|mean|median|min(imum)?|multiply|nan_to_num|negative|power|rad2deg|ravel|reciprocal|rint|sign|sin|sinh"
    r"|sqrt|square|std|subtract|sum|tan|tanh|trunc|var|asarray|array|add|identity)"
)
"""Functions that compute and do nothing else; which of torch, `is_function` says."""
_OF_TORCH = frozenset("relu sigmoid tanh gelu softmax sin cos exp log sqrt abs square neg".split())

_APPLICATIONS = frozenset("ultralytics lightning pytorch_lightning fairseq fastai monai stable_baselines3".split())
_LIBRARIES = frozenset(
    "torch numpy scipy pandas transformers tensorflow keras gym gymnasium torchaudio torchvision timm".split()
)
_TYPES = re.compile(
    r"(cuda\.)?\w*(Storage|Tensor)|b?float\d+\w*|u?int\d+|bool|complex\d+|q?u?int\d+\w*|half|double|long|short|strided"
    r"|sparse_\w+|contiguous_format|preserve_format|channels_last(_3d)?|per_\w+affine\w*|per_tensor_\w+|_mkldnn"
)


def is_call(module: str, name: str) -> bool:
    """Tell whether a call of this name only puts data together."""
    return f"{module}.{name}" in CALLS or is_type(module, name)


def is_type(module: str, name: str) -> bool:
    """Tell whether a name is that of an element type, a kind of storage or a layout."""
    return module in ("torch", "torch.cuda") and _TYPES.fullmatch(name) is not None


def is_class(module: str, name: str) -> bool:
    """Tell whether a name is that of a class of a known library, of which an object may be made without a call."""
    if module.split(".")[0] == "__torch__":
        return True
    if is_distribution(module, name) or _ARRAYS.fullmatch(f"{module}.{name}"):
        return True
    return _CLASSES.fullmatch(module) is not None and re.fullmatch(r"_?[A-Z]\w*", name) is not None


def is_distribution(module: str, name: str) -> bool:
    """Tell whether a name is that of a distribution of scipy, which executes the source of functions in its state."""
    return module.startswith("scipy.stats.") and re.fullmatch(r"\w+_(gen|frozen)", name) is not None


def is_other_class(module: str) -> bool:
    """Tell whether a class of a module is one of a known library, but none that is known to hold data alone."""
    return module.partition(".")[0] in _LIBRARIES


def is_application(module: str) -> bool:
    """Tell whether a known library is an application: a container of it may write what it is given to a file."""
    return module.partition(".")[0] in _APPLICATIONS


def is_called(name: str, module: str, attribute: str) -> bool:
    """Tell whether a function that calls its argument may be given this one."""
    if name.startswith("numpy.random."):
        return module.startswith("numpy.random.")
    return is_call(module, attribute) and f"{module}.{attribute}" != "functools.partial"


def is_function(module: str, name: str) -> bool:
    """Tell whether a name is that of a function that objects keep, such as an activation; they do not call it meanwhile."""
    if module == "torch":
        return name in _OF_TORCH
    return _FUNCTIONS.fullmatch(f"{module}.{name}") is not None


def is_own(module: str) -> bool:
    """Tell whether a module is neither of Python itself nor of a library that is known here."""
    top = module.partition(".")[0]
    return (
        top not in sys.stdlib_module_names
        and top
        not in ("__builtin__", "__builtins__", "copy_reg", "nt", "posix", "os", "commands", "cPickle", "exceptions")
        and top
        not in ("torch", "numpy", "pip", "setuptools", "pkg_resources", "dill", "cloudpickle", "joblib", "_pytest")
        and top not in _DANGEROUS
    )


_DANGEROUS = frozenset(
    """
    pytest IPython jupyter_client requests urllib3 aiohttp httpx paramiko fabric sh pexpect psutil cffi numba
    torch_extension pydoc_data distutils _distutils_hack wheel virtualenv click fire invoke doit celery dask distributed
    cloudpathlib fsspec smart_open s3fs boto3 botocore google websocket websockets flask django tornado twisted
    """.split()
)
"""Libraries that are often installed and start processes, load code, or talk to others."""
