"""What an analysis made is gone when its result is."""

from __future__ import annotations

import gc
from pathlib import Path

from cutaway import show
from cutaway.interp.modules.loader import Loader

NET = """
import torch
import torch.nn as nn
import torch.utils._pytree as pytree

class Pair(list):
    pass

pytree.register_pytree_node(Pair, lambda pair: (list(pair), None), lambda items, _: Pair(items))
torch.set_default_dtype(torch.float64)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    @torch.no_grad()
    def forward(self, x):
        return pytree.tree_map(self.fc, Pair([x.double(), x.double()]))[0]
"""


def test_nothing_of_the_target_outlives_an_analysis(tmp_path: Path) -> None:
    first, second = tmp_path / "first_network.py", tmp_path / "second_network.py"
    first.write_text(NET)
    second.write_text("import torch.nn as nn\nmodel = nn.ReLU()")
    (shown,) = show(f"{first}::Net", input="1x2")
    assert shown.outputs[0].dtype == "float64"
    show(str(second))  # the figures of the last network are at hand
    del shown
    gc.collect()
    assert not [made for made in gc.get_objects() if type(made) is Loader and "first_network" in made.states]
