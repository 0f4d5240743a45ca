"""A cross entropy of Keras gets scores, but takes probabilities.

Without `from_logits=True` these losses take numbers from 0 to 1 and cut off what is outside. Where a score is cut off, no
gradient is left, and training stalls or wanders. Give the last layer a softmax or a sigmoid, or pass `from_logits=True` to
the loss.

Fails:

```python
import numpy as np
import keras

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(3)])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((10, 8)), np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0]))
```

Works:

```python
import numpy as np
import keras

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(3)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(np.zeros((10, 8)), np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0]))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.graph import Graph, short
from cutaway.rules.losses import KERAS_CROSS_ENTROPIES, NAMES, losses_of, place_of
from cutaway.rules.rule import Found, Rule

_LINEAR = ("add", "matmul", "conv")
_LAYERS = ("Dense", "Conv")
_ACTIVATIONS = ("relu", "tanh", "leaky_relu", "elu", "selu")


def _find(program: Program) -> Iterator[Found]:
    graph = Graph(program)
    for loss, values in losses_of(program, KERAS_CROSS_ENTROPIES, with_logits=False):
        maker = graph.maker(values)
        if maker is None:
            continue
        layer = type(maker.module).__name__
        is_linear = short(maker) in _LINEAR and layer.startswith(_LAYERS)
        if is_linear or short(maker) in _ACTIVATIONS:
            source = f"a {layer} layer without an activation" if is_linear else short(maker)
            yield Found(
                f"{short(loss)} takes probabilities here, but gets the output of {source}",
                loss.place,
                NAMES,
                (("it is made here", place_of(maker, loss)),),
            )


RULE = Rule(
    "cross-entropy-without-probabilities",
    Severity.WARNING,
    _find,
    KERAS_CROSS_ENTROPIES | {f"keras.ops.{name}" for name in (*_LINEAR, *_ACTIVATIONS)},
)
