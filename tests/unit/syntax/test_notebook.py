"""The code of notebooks, line by line."""

from __future__ import annotations

import json

import pytest

from cutaway.syntax import notebook


def _source(*cells: str, **formatting: object) -> list[str]:
    content = json.dumps(
        {"cells": [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]}, **formatting
    )
    return [line for line in notebook.read(content.encode(), "book.ipynb").source.decode().split("\n") if line]


def test_lines_keep_their_place_in_the_file() -> None:
    content = '{"cells": [{"cell_type": "code", "source": [\n"x = 1\\n",\n"y = 2"\n]}]}'
    assert notebook.read(content.encode(), "book.ipynb").source.decode() == "\nx = 1\ny = 2\n"


def test_lines_are_counted_where_the_file_does_not_hold_them_one_by_one() -> None:
    content = json.dumps({"cells": [{"cell_type": "code", "source": "x = 1\ny = 2"}]})
    assert notebook.read(content.encode(), "book.ipynb").source.decode() == "x = 1\ny = 2\n"


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("!ls\nx = 1", ["pass", "x = 1"]),
        ("if x:\n    %cd folder", ["if x:", "    pass"]),
        ("x = !ls *.py", ["x = get_ipython().getoutput('!ls *.py')"]),
        ("%%writefile net.py\nx = 1", []),
        ("%%capture\nx = 1", ["x = 1"]),
        ("torch.nn.Linear??\nx = 1", ["pass", "x = 1"]),
        ('x = """\n!not a command\n"""', ['x = """', "!not a command", '"""']),
        ("x = 7\nx %2", ["x = 7", "x %2"]),
    ],
)
def test_what_is_not_python_is_left_out(cell: str, python: list[str]) -> None:
    assert _source(cell, indent=1) == python
