"""The settings of a module in a few words."""

from __future__ import annotations

from typing import Any

import pytest

from cutaway.core.architecture import Module
from cutaway.report.box_text import brief


@pytest.mark.parametrize(
    ("class_name", "config", "words"),
    [
        ("Conv2d", {"in_channels": 3, "out_channels": 64, "kernel_size": 7, "stride": 2}, "3 → 64, 7x7, stride 2"),
        ("Conv1d", {"in_channels": 3, "out_channels": 64, "kernel_size": 7}, "3 → 64, kernel 7"),
        ("Conv1d", {"in_channels": 3, "out_channels": 64, "kernel_size": [7]}, "3 → 64, kernel 7"),
        ("Conv3d", {"in_channels": 3, "out_channels": 64, "kernel_size": [3, 3, 3]}, "3 → 64, 3x3x3"),
        ("Conv2DTranspose", {"filters": 8, "kernel_size": 4}, "8, 4x4"),
        ("MaxPool1d", {"kernel_size": 2, "stride": 2}, "kernel 2"),
        ("DepthwiseBlock", {"kernel_size": 5}, "kernel 5"),
        ("DepthwiseBlock", {"kernel_size": [1, 5]}, "1x5"),
    ],
)
def test_a_kernel_has_the_dimensions_of_its_layer(class_name: str, config: dict[str, Any], words: str) -> None:
    assert brief(Module("m", class_name, class_name, config=config)) == words
