"""Every row of the torch tables against the real torch; see README.md."""

import pytest

pytest.importorskip("torch", reason="the oracle is the real torch, which is not installed")
