"""Optimizers, losses, metrics and callbacks: what takes part in training, and not in the network."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import register
from cutaway.knowledge.base.training_loops import count_step
from cutaway.knowledge.keras.tensors.tensor import convert, new
from cutaway.knowledge.keras.training.losses import compute

_OPTIMIZERS = (
    "Adam AdamW SGD RMSprop Adagrad Adadelta Adamax Nadam Ftrl Lion Lamb Adafactor Muon LossScaleOptimizer Optimizer"
)
_LOSSES = """BinaryCrossentropy BinaryFocalCrossentropy CategoricalCrossentropy CategoricalFocalCrossentropy
SparseCategoricalCrossentropy MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredLogarithmicError
Huber LogCosh Hinge SquaredHinge CategoricalHinge KLDivergence Poisson CosineSimilarity Dice Tversky CTC Loss"""
_METRICS = """Accuracy BinaryAccuracy CategoricalAccuracy SparseCategoricalAccuracy TopKCategoricalAccuracy
SparseTopKCategoricalAccuracy Mean Sum MeanSquaredError MeanAbsoluteError RootMeanSquaredError AUC Precision Recall
F1Score MeanIoU BinaryIoU IoU R2Score KLDivergence BinaryCrossentropy CategoricalCrossentropy
SparseCategoricalCrossentropy TruePositives FalsePositives TrueNegatives FalseNegatives MeanMetricWrapper Metric"""
_CALLBACKS = """EarlyStopping ModelCheckpoint ReduceLROnPlateau TensorBoard LearningRateScheduler CSVLogger
TerminateOnNaN BackupAndRestore LambdaCallback History ProgbarLogger RemoteMonitor Callback"""
_SCHEDULES = "ExponentialDecay PiecewiseConstantDecay PolynomialDecay InverseTimeDecay CosineDecay CosineDecayRestarts LearningRateSchedule"


class Objective:
    """An object of training; asked for numbers, it does not know them."""

    _is_metric = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.name = kwargs.get("name") or type(self).__name__.lower()
        self._arguments = (args, kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return new((), "float32")

    def get_config(self) -> dict[str, Any]:
        return dict(self._arguments[1])

    def update_state(self, *args: Any, **kwargs: Any) -> None:
        """There are no numbers to keep."""

    def apply_gradients(self, *args: Any, **kwargs: Any) -> None:
        """Take a step of training: there are no numbers to change."""
        count_step("steps of training")

    minimize = apply = apply_gradients

    def reset_state(self) -> None:
        """There are no numbers to reset."""

    reset_states = reset_state

    def result(self) -> Any:
        return new((), "float32")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(f"{name} of {type(self).__name__} is not modelled")


class Loss(Objective):
    """A loss, which is one number; targets that do not suit the predictions are found."""

    def __call__(self, y_true: Any, y_pred: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(y_true, Unknown) and not isinstance(y_pred, Unknown):
            try:
                compute(self, convert(y_true), convert(y_pred))
            except Fault as fault:
                session.current().report(fault)
                raise
            except (Undecidable, TypeError, ValueError):
                pass  # what is not a tensor has no shape to compare
        return new((), "float32")


def _enter(area: str, names: str, base: type = Objective) -> None:
    for name in names.split():
        cls = type(name, (base,), {"__module__": f"keras.src.{area}"})
        register(f"keras.{area}.{name}", cls)
    register(f"keras.{area}.get", lambda identifier: identifier)


_enter("optimizers", _OPTIMIZERS)
_enter("optimizers.schedules", _SCHEDULES)
_enter("losses", _LOSSES, Loss)
_enter("metrics", _METRICS)
_enter("callbacks", _CALLBACKS)
