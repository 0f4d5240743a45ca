"""How far results are from what they should be."""

from __future__ import annotations

from typing import Any

from cutaway.recover.graph import Input
from cutaway.recover.sources.onnx.registry import Call, operator


@operator("NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss")
def likelihood(call: Call) -> None:
    """The negative logarithm of the probability of each class that should be."""
    scores, reduction = call.name(0), call.get("reduction", "mean")
    if reduction not in ("mean", "sum", "none"):
        call.unsupported("its reduction is not one of PyTorch's")
    if call.op == "SoftmaxCrossEntropyLoss":
        names = [*call.operation.outputs, ""]
        call.outputs = [names[1] or f"{names[0]}:scores"]
        call.graph.facts.setdefault(call.outputs[0], call.fact())
        call.emit("nn.LogSoftmax", scores, dim=1)
        scores, call.outputs = call.outputs[0], names[:1]
    target = call.name(1)
    if call.fact(1).dtype != "int64":
        target = call.temporary(".to", target, shape=call.fact(1).shape, dtype="int64")
    config: dict[str, Any] = {"reduction": reduction}
    if call.get("ignore_index") is not None:
        config["ignore_index"] = call.get("ignore_index")
    extra = [call.name(2)] if call.has(2) else []
    if extra:
        config["weight"] = Input(2)
    call.emit("F.nll_loss", scores, target, *extra, **config)
