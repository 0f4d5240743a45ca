"""Conditions and loops: operators that run other graphs of the file."""

from __future__ import annotations

from cutaway.core.size.dim import Dim
from cutaway.formats.graph.value import Call, Known, Out, Shape
from cutaway.formats.onnx.operators.sequences import joined
from cutaway.formats.tflite.registry import operator


@operator("IF")
def condition(call: Call) -> Out:
    """What one of two graphs makes."""
    inputs = [value if value is not None else Known() for value in call.inputs[1:]]
    name = _label(call)
    yes = call.scope.run(call.graph("then"), inputs, condition=name)
    no = call.scope.run(call.graph("else"), inputs, condition=f"not {name}")
    return Out(tuple(joined(call, left, right, output=place) for place, (left, right) in enumerate(zip(yes, no))))


def _label(call: Call) -> str:
    word = "".join(letter if letter.isalnum() else "_" for letter in call.node.inputs[0]).strip("_")
    return word if word.isidentifier() else f"value_{word}"


@operator("WHILE")
def loop(call: Call) -> Out:
    """A graph that runs as long as another one says: values whose shape it changes are unknown after it."""
    state = [Known() if value is None else Known(value.shape, value.dtype) for value in call.inputs]
    for _ in range(3):
        made = call.scope.run(call.graph("body"), state, record=False)
        merged = [
            before if before.shape == after.shape else Known(_general(call, before, after, at), before.dtype)
            for at, (before, after) in enumerate(zip(state, made))
        ]
        if merged == state:
            break
        state = merged
    else:
        state = [Known(None, value.dtype) for value in state]
    call.scope.run(call.graph("cond"), state, repeat=None)
    call.scope.run(call.graph("body"), state, repeat=None)
    return Out(tuple(state))


def _general(call: Call, before: Known, after: Known, place: int) -> Shape | None:
    if before.shape is None or after.shape is None or len(before.shape) != len(after.shape):
        return None
    return tuple(
        mine if mine == theirs or (isinstance(mine, Dim) and "_loop" in str(mine)) else call.fresh(f"loop{at}", place)
        for at, (mine, theirs) in enumerate(zip(before.shape, after.shape))
    )


@operator("CALL")
def called(call: Call) -> Out:
    """What another graph makes."""
    inputs = [value if value is not None else Known() for value in call.inputs]
    return Out(tuple(call.scope.run(call.graph("subgraph"), inputs)))


@operator("CALL_ONCE ASSIGN_VARIABLE")
def nothing(call: Call) -> Out:
    """An operation without a result."""
    if call.name == "CALL_ONCE":
        call.scope.run(call.graph("init"), [])
    return Out((Known(),))
