"""Optimizers, losses, metrics and callbacks: what takes part in training, and not in the network."""

from __future__ import annotations

from typing import Any

from cutaway.core.unknown import Unknown
from cutaway.knowledge.keras.tensor import new
from cutaway.knowledge.registry import register

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
        """There are no numbers to change."""

    minimize = reset_state = reset_states = apply_gradients

    def result(self) -> Any:
        return new((), "float32")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(f"{name} of {type(self).__name__} is not modelled")


def _enter(area: str, names: str) -> None:
    for name in names.split():
        cls = type(name, (Objective,), {"__module__": f"keras.src.{area}"})
        register(f"keras.{area}.{name}", cls)
    register(f"keras.{area}.get", lambda identifier: identifier)


_enter("optimizers", _OPTIMIZERS)
_enter("optimizers.schedules", _SCHEDULES)
_enter("losses", _LOSSES)
_enter("metrics", _METRICS)
_enter("callbacks", _CALLBACKS)
