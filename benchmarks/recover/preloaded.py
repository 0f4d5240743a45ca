"""What a process that compares many files imports once, before it makes a process for each of them."""

from __future__ import annotations

import contextlib

with contextlib.suppress(ImportError):
    import onnxruntime  # noqa: F401
with contextlib.suppress(ImportError):
    import torch  # noqa: F401
with contextlib.suppress(ImportError):
    import keras  # noqa: F401
