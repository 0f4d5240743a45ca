"""Programs that nobody wrote have the same result natively and interpreted."""

from __future__ import annotations

import sys
import types
import warnings
from typing import Any

import pytest

pytest.importorskip("hypothesis")

from hypothesis import HealthCheck, given, settings

from cutaway.core.unknown import Undecidable
from cutaway.interp.analysis.options import Options
from cutaway.interp.analysis.single_run import _new_analysis
from cutaway.interp.modules.loader import current
from cutaway.syntax.resolve import Location
from tests.interp import generation
from tests.interp.differential import canonical, described

_SETTINGS = settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def _native(text: str) -> str:
    module = types.ModuleType("program")
    sys.modules["program"] = module
    try:
        exec(compile(text, "program.py", "exec"), module.__dict__)
        return canonical(module.__dict__["result"])
    except Exception as error:
        return described(error)
    finally:
        del sys.modules["program"]


def _interpreted(text: str) -> str:
    with _new_analysis(Options(seconds=30)) as gathered:
        state = current().add("program", Location("program.py"), text.encode())
        try:
            state.run(strict=True)
            result = canonical(state.lookup("result"))
        except Undecidable as undecidable:
            return f"Unknown: {undecidable.unknown.reason}"
        except Exception as error:
            return described(error)
        return "; ".join(f"Unknown: {note.text}" for note in gathered.unknowns) or result


def _compare(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "program.py", "exec")
        except SyntaxError:
            return
        expected = _native(text)
    assert _interpreted(text) == expected, text


def _test(programs: Any) -> Any:
    @_SETTINGS
    @given(programs())
    def test(text: str) -> None:
        _compare(text)

    return test


test_functions = _test(generation.functions)
test_generators = _test(generation.generators)
test_modules = _test(generation.modules)
test_signatures = _test(generation.signatures)
test_hierarchies = _test(generation.hierarchies)
test_formats = _test(generation.formats)
