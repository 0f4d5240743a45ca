"""`compile`, `fit`, `evaluate` and `predict`: nothing is trained, but data that does not suit the model is found."""

from __future__ import annotations

from types import GeneratorType
from typing import Any, NoReturn

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.program_state import Key
from cutaway.core.size.dim import equal, symbol
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import is_shared
from cutaway.knowledge.base.training_loops import count_step
from cutaway.knowledge.keras.tensors.shape import BATCH
from cutaway.knowledge.keras.tensors.tensor import Tensor, convert, is_array, new
from cutaway.knowledge.keras.tensors.tree import flatten, map_structure
from cutaway.knowledge.keras.training.losses import compute, is_name, loss_name

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
        _require_losses(self)
        check(self, x, y, needs_targets=_needs_targets(self), weights=kwargs.get("sample_weight"))
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
    return bool(loss_name(loss))


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


def _require_losses(model: Any) -> None:
    """Raise where a model is trained with a loss that does not exist, or with one for an output that does not."""
    if _is_replaced(model, "compile", "compute_loss", "train_step"):
        return
    loss = model.__dict__.get("loss")
    named = loss if isinstance(loss, (list, tuple)) else list(loss.values()) if isinstance(loss, dict) else [loss]
    for each in named:
        if isinstance(each, str) and not is_name(each):
            _refuse(f"fit: the model is compiled with the loss {each!r}, which does not exist")
    if not isinstance(loss, dict) or model._graph is None or isinstance(model.__dict__["_outputs_struct"], dict):
        return
    names = model.output_names
    if set(names) != set(loss):
        outputs, keys = (" and ".join(map(repr, each)) for each in (names, loss))
        _refuse(f"fit: the model is compiled with losses for {keys}, but its outputs are {outputs}")


def _refuse(message: str) -> NoReturn:
    fault = ArgumentFault(message, FaultCode.INVALID_ARGUMENT)
    session.current().report(fault)
    raise fault


def check(model: Any, x: Any, y: Any, needs_targets: bool = False, weights: Any = None) -> Any:
    """Compare data with a model's inputs, targets and weights of samples with its outputs and its loss; return the outputs."""
    here = session.current()
    mention(model)
    count_step("steps of training")
    try:
        return _checked(model, x, y, needs_targets, weights)
    except Undecidable:
        return None
    except Fault as fault:
        here.report(fault)
        raise


def _checked(model: Any, x: Any, y: Any, needs_targets: bool, weights: Any) -> Any:
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
    if y is None and needs_targets:
        raise ArgumentFault(
            "the model is compiled with a loss, but the data has no targets", FaultCode.MISSING_ARGUMENT
        )
    targets = _tensors(y)
    given = [each for part in (inputs, targets, _tensors(weights)) if part is not None for each in flatten(part)]
    counts = [tensor._shape[0] for tensor in given if tensor._shape]
    for count in counts[1:]:
        if equal(counts[0], count) is False:
            raise ArgumentFault(
                f"data: the numbers of samples differ: {' and '.join(map(str, dict.fromkeys(counts)))}",
                FaultCode.DIFFERENT_LENGTHS,
            )
    outputs = _fed(model, map_structure(_batch, inputs))
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


def _batch(tensor: Any) -> Tensor:
    made: Tensor = new((symbol(BATCH), *tensor._shape[1:]), tensor._dtype)
    return made


def _compare(model: Any, targets: list[Any], outputs: list[Any]) -> None:
    """Compare targets with the output under a loss of Keras's own; what another loss takes is not known."""
    loss = model.__dict__.get("loss")
    if isinstance(loss, dict):
        names = model.output_names if model._graph is not None else []
        loss = [loss.get(name) for name in names]
    losses = list(loss) if isinstance(loss, (list, tuple)) else [loss] * len(outputs)
    if not len(outputs) == len(targets) == len(losses):
        return
    for each, target, output in zip(losses, targets, outputs):
        if isinstance(output, Tensor):
            compute(each, target, output)
