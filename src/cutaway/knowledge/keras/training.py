"""`compile`, `fit`, `evaluate` and `predict`: nothing is trained."""

from __future__ import annotations

from typing import Any

from cutaway.core.unknown import Unknown


class History:
    """What `fit` returns: the numbers of a training that does not happen."""

    def __init__(self) -> None:
        self.history = Unknown("the course of a training is not known")
        self.epoch: list[int] = []
        self.params: dict[str, Any] = {}


class Trainer:
    """What a model offers to train it."""

    def compile(self, *args: Any, **kwargs: Any) -> None:
        self.__dict__["_compiled"] = (args, kwargs)

    def fit(self, *args: Any, **kwargs: Any) -> History:
        return History()

    fit_generator = fit

    def evaluate(self, *args: Any, **kwargs: Any) -> Unknown:
        return Unknown("the result of an evaluation is not known")

    evaluate_generator = train_on_batch = test_on_batch = evaluate

    def predict(self, *args: Any, **kwargs: Any) -> Unknown:
        return Unknown("the numbers of a prediction are not known")

    predict_generator = predict_on_batch = predict

    def reset_metrics(self) -> None:
        """There are no numbers to reset."""

    reset_states = reset_metrics
