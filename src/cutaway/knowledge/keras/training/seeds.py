"""`keras.random.SeedGenerator`: where a layer takes its random numbers from."""

from __future__ import annotations

from typing import Any

from cutaway.knowledge.base.registry import row
from cutaway.knowledge.keras.tensors.tensor import new


@row("keras.random.SeedGenerator", "keras.src.random.seed_generator.SeedGenerator", "keras.src.random.SeedGenerator")
class SeedGenerator:
    """A source of seeds: its state is no weight of a layer."""

    def __init__(self, seed: Any = None, name: Any = None, **kwargs: Any) -> None:
        self.seed, self.name = seed, name

    def next(self, ordered: Any = True) -> Any:
        return new((2,), "uint32")

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed}
