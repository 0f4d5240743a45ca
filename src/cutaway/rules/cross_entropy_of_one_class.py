"""A cross entropy over classes gets a single value for each sample.

The softmax of one value is 1, whatever the value is: the loss is 0 for each sample, and nothing is learned. For two classes,
use a binary cross entropy with one output, or two outputs.

Fails:

```python
import numpy as np
import keras

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "categorical_crossentropy")
model.fit(np.zeros((10, 8)), np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, 1]))
```

Works:

```python
import numpy as np
import keras

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(np.zeros((10, 8)), np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, 1]))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.core.unknown import Unknown
from cutaway.rules.graph import calls_of, shape_text, short
from cutaway.rules.losses import CROSS_ENTROPIES, NAMES
from cutaway.rules.rule import Found, Rule

_OVER_CLASSES = CROSS_ENTROPIES - {"keras.losses.sparse_categorical_crossentropy"}


def _find(program: Program) -> Iterator[Found]:
    for loss in calls_of(program, _OVER_CLASSES):
        is_keras = loss.op.startswith("keras.")
        values = loss.inputs[-1] if is_keras else loss.inputs[0]
        shape = values.shape
        if isinstance(shape, Unknown) or len(shape) < 2 or shape[-1 if is_keras else 1] != 1:
            continue
        text = f"{short(loss)} compares classes, but its input is {shape_text(values)}: one value for each sample"
        yield Found(f"{text}, so the loss is always 0", loss.place, NAMES)


RULE = Rule("cross-entropy-of-one-class", Severity.WARNING, _find, _OVER_CLASSES)
