"""Leaves the oracle out where there is no torch, and says so."""

from __future__ import annotations

import importlib.util

import pytest

MISSING = [name for name in ("torch", "einops", "numpy", "expecttest") if importlib.util.find_spec(name) is None]
collect_ignore_glob = ["test_*.py"] if MISSING else []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the reason."""
    if MISSING:
        terminalreporter.write_line(f"tests/oracle: skipped, for its oracle is not installed: {', '.join(MISSING)}")
