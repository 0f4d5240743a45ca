"""`compile`, `fit`, `evaluate` and `predict`: nothing is trained, but data that does not suit the model is found."""

from __future__ import annotations

from types import GeneratorType
from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.program_state import Key
from cutaway.core.size.dim import equal, symbol
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import is_shared
from cutaway.knowledge.base.training_loops import count_step
from cutaway.knowledge.keras.tensors.shape import BATCH, text
from cutaway.knowledge.keras.tensors.tensor import KerasTensor, Tensor, convert, is_array, keras_tensor
from cutaway.knowledge.keras.tensors.tree import flatten, map_structure
from cutaway.ops.elementwise import broadcast

_OPTIMIZERS = frozenset(
    "adadelta adafactor adagrad adam adamax adamw ftrl lamb lion lossscaleoptimizer muon nadam rmsprop sgd".split()
)
MODELS: Key[dict[int, Any]] = Key(dict)  # models that the program trains


class History:
    """What `fit` returns: the numbers of a training that does not happen."""

    def __init__(self) -> None:
        self.history = Unknown("the course of a training is not known")
        self.epoch: list[int] = []
        self.params: dict[str, Any] = {}


def mention(model: Any) -> None:
    """Note that a program does something with a model: it is one of its networks, whatever it is bound to."""
    MODELS.get()[id(model)] = model


class Trainer:
    """What a model offers to train it."""

    def compile(
        self, optimizer: Any = "rmsprop", loss: Any = None, loss_weights: Any = None, metrics: Any = None, **kwargs: Any
    ) -> None:
        if isinstance(optimizer, str) and optimizer.lower() not in _OPTIMIZERS:
            raise ArgumentFault(f"compile: there is no optimizer {optimizer!r}", FaultCode.INVALID_ARGUMENT)
        self.__dict__["optimizer"], self.__dict__["loss"] = optimizer, loss
        mention(self)

    def fit(
        self, x: Any = None, y: Any = None, batch_size: Any = None, epochs: Any = 1, *args: Any, **kwargs: Any
    ) -> History:
        _require_compiled(self, "fit")
        if _is_replaced(self, "train_step"):
            return History()
        check(self, x, y, needs_targets=_needs_targets(self))
        validation = kwargs.get("validation_data")
        if isinstance(validation, (list, tuple)) and len(validation) >= 2:
            check(self, validation[0], validation[1])
        return History()

    fit_generator = fit

    def evaluate(self, x: Any = None, y: Any = None, *args: Any, **kwargs: Any) -> Unknown:
        _require_compiled(self, "evaluate")
        if not _is_replaced(self, "test_step", "train_step"):
            check(self, x, y, needs_targets=_needs_targets(self))
        return Unknown("the result of an evaluation is not known")

    evaluate_generator = train_on_batch = test_on_batch = evaluate

    def predict(self, x: Any = None, *args: Any, **kwargs: Any) -> Any:
        outputs = None if _is_replaced(self, "predict_step") else check(self, x, None)
        if outputs is None:
            return Unknown("the numbers of a prediction are not known")
        return map_structure(_predicted, outputs)

    predict_generator = predict_on_batch = predict

    def reset_metrics(self) -> None:
        """There are no numbers to reset."""

    reset_states = reset_metrics


def _is_replaced(model: Any, *steps: str) -> bool:
    """Tell whether a class of the program handles batches in a way of its own."""
    return any(step in vars(cls) for cls in type(model).__mro__ if not is_shared(cls) for step in steps)


def _needs_targets(model: Any) -> bool:
    """Tell whether a model is compiled with a loss of Keras's own, which compares outputs with targets."""
    loss = model.__dict__.get("loss")
    if _is_replaced(model, "compile", "compute_loss", "train_step", "test_step"):
        return False
    return (isinstance(loss, str) and loss in _NAMED_LOSSES) or type(loss).__module__ == "keras.src.losses"


def _require_compiled(model: Any, method: str) -> None:
    """Raise where a model is trained or tested that was never compiled; where all calls are known, that is certain."""
    here = session.current()
    if "optimizer" in model.__dict__ or here.unknowns or here.doubts or _is_replaced(model, "compile", "train_step"):
        return
    raise ArgumentFault(f"{method}: the model is not compiled; call compile() first", FaultCode.INVALID_CALL)


def _predicted(output: Any) -> Any:
    """Return the array that a prediction is."""
    if not isinstance(output, Tensor):
        return output
    from cutaway.knowledge.numpy.shaped import of_tensor  # late: it imports numpy

    return of_tensor(output)


def check(model: Any, x: Any, y: Any, needs_targets: bool = False) -> Any:
    """Compare data with a model's inputs, and targets with its outputs and its loss; return the outputs."""
    here = session.current()
    mention(model)
    count_step("steps of training")
    try:
        return _checked(model, x, y, needs_targets)
    except Undecidable:
        return None
    except Fault as fault:
        here.report(fault)
        raise


def _checked(model: Any, x: Any, y: Any, needs_targets: bool) -> Any:
    element = getattr(x, "element", None) if y is None else None
    if isinstance(element, tuple) and len(element) in (2, 3):  # of a pipeline that yields inputs with their targets
        x, y = element[0], element[1]
    elif element is not None:
        x = element
    elif y is None:
        x, y = _first_batch(x)
    inputs = _tensors(x)
    if inputs is None:
        return None
    flat = flatten(inputs)
    if y is None and needs_targets:
        raise ArgumentFault(
            "the model is compiled with a loss, but the data has no targets", FaultCode.MISSING_ARGUMENT
        )
    targets = _tensors(y)
    given = [*flat, *(flatten(targets) if targets is not None else [])]
    counts = [tensor._shape[0] for tensor in given if tensor._shape]
    for count in counts[1:]:
        if equal(counts[0], count) is False:
            raise ArgumentFault(
                f"data: the numbers of samples differ: {' and '.join(map(str, dict.fromkeys(counts)))}",
                FaultCode.DIFFERENT_LENGTHS,
            )
    outputs = _fed(model, map_structure(_symbolic, inputs))
    if targets is not None:
        _compare(model, flatten(targets), flatten(outputs))
    return outputs


def _fed(model: Any, inputs: Any) -> Any:
    """Call a model on what stands for batches of data."""
    model.__dict__["_is_fed"] = True
    try:
        return model(inputs)
    finally:
        del model.__dict__["_is_fed"]


def _first_batch(x: Any) -> tuple[Any, Any]:
    """Return the inputs and targets of the first batch that a generator or a sequence of batches gives; else the data."""
    batch = None
    if isinstance(x, GeneratorType):
        batch = next(x, None)
    elif any(cls.__name__ in _SEQUENCES and is_shared(cls) for cls in type(x).__mro__):
        batch = x[0]
    return (batch[0], batch[1]) if isinstance(batch, tuple) and len(batch) in (2, 3) else (x, None)


_SEQUENCES = ("PyDataset", "Sequence")


def _tensors(value: Any) -> Any:
    """Return data as tensors in its structure; None where it is not known, or not in arrays."""
    leaves = [value] if isinstance(value, list) and value and isinstance(value[0], (int, float)) else flatten(value)
    if not leaves or any(not (isinstance(leaf, Tensor) or is_array(leaf)) for leaf in leaves):
        return None
    made = map_structure(convert, value)
    if any(isinstance(tensor._shape, Unknown) for tensor in flatten(made)):
        return None
    return made


def _symbolic(tensor: Any) -> KerasTensor:
    return keras_tensor((symbol(BATCH), *tensor._shape[1:]), tensor._dtype)


_BROADCAST = """mse mae mape msle mean_squared_error mean_absolute_error mean_absolute_percentage_error
mean_squared_logarithmic_error MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredLogarithmicError
huber Huber log_cosh LogCosh hinge Hinge squared_hinge SquaredHinge categorical_hinge CategoricalHinge kl_divergence
KLDivergence poisson Poisson cosine_similarity CosineSimilarity""".split()
_EQUAL = """categorical_crossentropy CategoricalCrossentropy binary_crossentropy BinaryCrossentropy bce
binary_focal_crossentropy BinaryFocalCrossentropy""".split()
_NAMED_LOSSES = frozenset((*_BROADCAST, *_EQUAL, "sparse_categorical_crossentropy"))
_SPARSE = ("sparse_categorical_crossentropy", "SparseCategoricalCrossentropy")


def _compare(model: Any, targets: list[Any], outputs: list[Any]) -> None:
    """Compare targets with the output under a loss of Keras's own; what another loss takes is not known."""
    loss = model.__dict__.get("loss")
    losses = list(loss) if isinstance(loss, (list, tuple)) else [loss] * len(outputs)
    if not len(outputs) == len(targets) == len(losses):
        return
    for each, target, output in zip(losses, targets, outputs):
        own = type(each).__module__.startswith("keras.")
        suits(each if isinstance(each, str) else type(each).__name__ if own else "", target, output)


def suits(name: str, target: Any, output: Any) -> None:
    """Raise where targets do not suit an output under a loss of Keras's own."""
    if not isinstance(output, Tensor) or isinstance(output._shape, Unknown) or isinstance(target._shape, Unknown):
        return
    wanted, have = tuple(output._shape[1:]), tuple(target._shape[1:])
    if len(have) == len(wanted) + 1 and equal(have[-1], 1) is True and name not in _SPARSE:
        have = have[:-1]
    elif len(have) == len(wanted) - 1 and equal(wanted[-1], 1) is True and name not in _SPARSE:
        have = (*have, 1)
    if name in _SPARSE:
        inner = wanted[:-1]
        fits = _equal(have, inner) or _equal(have, (*inner, 1))
    elif name in _EQUAL:
        fits = _equal(have, wanted)
    elif name not in _BROADCAST:
        return
    else:
        if len(have) == len(wanted) - 1:
            have = (*have, 1)
        try:
            broadcast("loss", have, wanted)
            fits = True
        except Fault:
            fits = False
    if not fits:
        raise ArgumentFault(
            f"{name}: the targets have shape {text(target._shape)}, but the output of the model is {text(output._shape)}",
            FaultCode.SHAPE_MISMATCH,
        )


def _equal(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    return len(left) == len(right) and all(equal(a, b) is not False for a, b in zip(left, right))
